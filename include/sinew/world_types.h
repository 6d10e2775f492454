#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sinew/body_state.h"
#include "sinew/constraints/contact_constraint.h"
#include "sinew/types.h"

/// What a World is told and what it answers. All of it plain values.
namespace sinew {

// ---------------------------------------------------------------------------------------------- handles

/// Names something in a World. It stays valid when other things come and go; once its own thing is removed, every use
/// throws, also after the place was given to another. A default-constructed handle names nothing.
template <class Tag>
struct Handle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< 0: nothing
  explicit operator bool() const { return generation != 0; }
  friend auto operator<=>(const Handle&, const Handle&) = default;
};
using BodyId = Handle<struct BodyTag>;
using SoftId = Handle<struct SoftTag>;
using JointId = Handle<struct JointTag>;

// ---------------------------------------------------------------------------------------------- shapes

struct Sphere {
  double radius = 0.5;
};
struct Box {
  Vector3 halfSize{0.5, 0.5, 0.5};
};
/// Along z: a cylinder of length 2 halfLength between two half spheres.
struct Capsule {
  double radius = 0.5;
  double halfLength = 0.5;
};
/// Along z.
struct Cylinder {
  double radius = 0.5;
  double halfLength = 0.5;
};
struct Ellipsoid {
  Vector3 radii{0.5, 0.5, 0.5};
};
/// Everything below z = 0 of its frame; for static surroundings only.
struct Plane {};
/// A surface of triangles, counterclockwise seen from outside. Without faces its convex hull is the surface.
///
/// On bodies that move it must be closed, and it collides as its convex hull. On static ones it may be open or concave:
/// then it collides triangle by triangle, from both sides, each triangle a plate of `thickness` with round edges around
/// it. It has no inside: what is enclosed by it is not pushed out. A closed convex one collides as its hull there too.
struct TriangleMesh {
  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> faces;
  double thickness = 0.002;  ///< m; of triangles that collide one by one
};
/// Terrain, for static surroundings only: heights (m, along z) over a grid of rows x columns points, row by row from
/// low to high y, each from low to high x. It is centred in its frame and solid down to `base` below its lowest point.
struct HeightField {
  int rows = 0, columns = 0;         ///< 2 or more each
  double halfSizeX = 1;              ///< m
  double halfSizeY = 1;              ///< m
  std::vector<double> heights = {};  ///< rows * columns numbers
  double base = 1;                   ///< m, above 0
};
using Shape = std::variant<Sphere, Box, Capsule, Cylinder, Ellipsoid, Plane, TriangleMesh, HeightField>;

/// A shape with its place in the frame of a body.
struct Part {
  Shape shape;
  Vector3 position{};
  Quaternion orientation{1, 0, 0, 0};
};

// ---------------------------------------------------------------------------------------------- what is added

/// A movable rigid body. Mass is spread evenly over the volume of its parts.
struct BodyOptions {
  std::string name = {};  ///< must be new; empty: World makes one up
  Vector3 position{};     ///< of the body frame
  Quaternion orientation{1, 0, 0, 0};
  Vector3 velocity{};               ///< of the centre of mass, m/s
  Vector3 angularVelocity{};        ///< rad/s, world axes
  std::optional<double> mass = {};  ///< of the whole body, kg; wins over the density
  double density = 1000;            ///< kg/m^3
  double restitution = 0.5;         ///< 0 to 1; two bodies bounce with sqrt(e1 e2)
  double friction = 0.5;            ///< coefficient of sliding; of two bodies the larger one counts
  double torsionalFriction = 0;     ///< radius of the contact that resists spinning, m
  double rollingFriction = 0;       ///< lever that resists rolling, m
  int contype = 1;                  ///< two bodies meet if a bit of one's contype
  int conaffinity = 1;              ///< is in the other's conaffinity
  double linearDamping = 0;         ///< force -c v at the centre of mass, N s/m; integrated implicitly
  double angularDamping = 0;        ///< torque -c w, N m s/rad; likewise
  double gravityFactor = 1;         ///< gravity acts this many times on it
  bool sensor = false;              ///< touches nothing, but reports what overlaps it
  std::uint64_t userData = 0;       ///< the World keeps it and does nothing with it
};

/// Something that never moves: inverse mass 0.
struct StaticOptions {
  std::string name = {};
  Vector3 position{};
  Quaternion orientation{1, 0, 0, 0};
  double restitution = 0.5;
  double friction = 0.5;
  double torsionalFriction = 0;
  double rollingFriction = 0;
  int contype = 1;
  int conaffinity = 1;
  /// Of its surface, in its frame, m/s: a conveyor belt. Only friction feels it. Not for height fields and triangles
  /// that collide one by one.
  Vector3 surfaceVelocity{};
  bool sensor = false;
  std::uint64_t userData = 0;
};

/// Something that moves as it is told, whatever it meets: inverse mass 0, but contacts and joints feel its velocity. A
/// lift, a door, a rotating platform. Two of them, and one and a static thing, do not touch. Joints with a coordinate
/// cannot be on it.
struct KinematicOptions {
  std::string name = {};
  Vector3 position{};
  Quaternion orientation{1, 0, 0, 0};
  Vector3 velocity{};         ///< of its frame, m/s
  Vector3 angularVelocity{};  ///< rad/s, world axes
  double restitution = 0.5;
  double friction = 0.5;
  double torsionalFriction = 0;
  double rollingFriction = 0;
  int contype = 1;
  int conaffinity = 1;
  Vector3 surfaceVelocity{};  ///< of its surface against it, in its frame, m/s
  bool sensor = false;
  std::uint64_t userData = 0;
};

// ---------------------------------------------------------------------------------------------- joints

/// Anchors and axes are in world coordinates, at the time the joint is made.
struct FixedJoint {};
struct BallJoint {
  Vector3 anchor{};
};
/// Force -stiffness (q - rest) - damping dq/dt along the coordinate q of a joint, m or rad.
struct JointSpring {
  double stiffness = 0;  ///< N/m or N m/rad
  double damping = 0;    ///< N s/m or N m s/rad
  double rest = 0;       ///< m or rad
};
/// Brings a joint to a speed with at most this force, and keeps it there. Speed 0 is a brake.
struct JointMotor {
  double speed = 0;     ///< m/s or rad/s
  double maxForce = 0;  ///< N or N m
};
/// The second body only turns about the axis, as seen from the first. With a range, spring or motor the joint has a
/// coordinate: the angle by which the second body has turned since the joint was made, rad, any number of turns.
/// Without, two points of the axis, `width` apart, are held together.
struct HingeJoint {
  Vector3 anchor{};
  Vector3 axis{0, 0, 1};
  double width = 0.1;
  std::optional<std::array<double, 2>> range = {};  ///< rad
  std::optional<JointSpring> spring = {};
  std::optional<JointMotor> motor = {};
};
/// The second body only moves along the axis, as seen from the first.
struct SlideJoint {
  Vector3 axis{0, 0, 1};
  std::optional<std::array<double, 2>> range = {};  ///< of the displacement, m
  std::optional<JointSpring> spring = {};
  std::optional<JointMotor> motor = {};
};
/// The distance of two points stays in [min, max]: equal numbers make a rod, min = 0 a rope. Without numbers: a rod of
/// the present length, or, with a spring, any distance. The spring's rest is a length.
struct DistanceJoint {
  Vector3 anchor1{};
  Vector3 anchor2{};
  std::optional<double> min = {};
  std::optional<double> max = {};
  std::optional<JointSpring> spring = {};
};
using JointShape = std::variant<FixedJoint, BallJoint, HingeJoint, SlideJoint, DistanceJoint>;

struct JointOptions {
  std::string name = {};
  bool collide = false;  ///< the two bodies may touch each other
  std::uint64_t userData = 0;
};

// ---------------------------------------------------------------------------------------------- the world

struct WorldOptions {
  Vector3 gravity{0, 0, -9.81};
  Solver solver = Solver::Impulse;
  ImpulseMethod method = ImpulseMethod::Sweep;  ///< of the impulse solver: sweeps for many bodies, Newton for exactness
  int iterations = 100;                         ///< sweeps of the impulse solver, iterations of the others, at most
  double tolerance = 1e-8;                      ///< relative change of the impulses at which sweeping stops
  double erp = 0.2;                             ///< share of an overlap that is removed per update
  double slop = 0;                              ///< overlap that is left alone, m
  double restitutionThreshold = 0.5;            ///< slower approach does not bounce, m/s
  /// Absent: semi-implicit Euler, and implicitfast as long as there are soft things, whose stiffness asks for it.
  std::optional<Integrator> integrator = {};
  bool sleeping = false;  ///< things at rest are not computed until something wakes them
  int threads = 1;        ///< the results do not depend on it
};

/// A body, or a soft thing: one side of a contact, what a ray hits, what overlaps a sensor.
struct ContactBody {
  BodyId body = {};  ///< nothing if the side is soft
  SoftId soft = {};
  friend auto operator<=>(const ContactBody&, const ContactBody&) = default;
};

/// A contact of the last update, at the poses from which that update started.
struct WorldContact {
  std::uint64_t id = 0;          ///< the same as long as the same features stay in contact; never used again
  ContactBody a = {}, b = {};    ///< the normal of the constraint points from a to b
  ContactConstraint constraint;  ///< body indices are those of the model
  double distance = 0;           ///< between the surfaces, negative when they overlap, m
  double normalImpulse = 0;      ///< that pushed a and b apart in the last update, N s
  Vector3 impulse{};             ///< the whole impulse on b, friction included, N s
  double friction = 0;           ///< coefficient
};

/// Two things began or ceased to touch. After a removal a handle in it may be no longer valid.
struct ContactEvent {
  ContactBody a = {}, b = {};
  Vector3 point{};           ///< of the first contact between them; the last known one when they part
  Vector3 normal{};          ///< from a to b
  double approachSpeed = 0;  ///< when they begin to touch, m/s
  double normalImpulse = 0;  ///< sum over all contacts between them, N s
};

/// Something began or ceased to overlap a sensor. After a removal a handle in it may be no longer valid.
struct SensorEvent {
  BodyId sensor = {};
  ContactBody visitor = {};
};

// ---------------------------------------------------------------------------------------------- questions

/// What a ray can meet.
struct RayCastOptions {
  double maxDistance = std::numeric_limits<double>::infinity();  ///< m
  BodyId exclude = {};                                           ///< a body it passes through; nothing: none
  bool statics = true;                                           ///< it meets static surroundings
  bool softs = true;                                             ///< it meets soft things
};

/// The first surface that a ray meets.
struct RayCastHit {
  ContactBody thing = {};
  double distance = 0;  ///< m, along the ray
  Vector3 point{};
  Vector3 normal{};  ///< unit normal of the surface
};

}  // namespace sinew
