#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/spec.h"
#include "sinew/world_types.h"

namespace sinew {

/// The engine without XML: bodies come and go, forces are applied, update() moves time on.
///
/// A World edits a Spec, compiles it when an update (or a query that needs it) finds it changed, and calls step(); it
/// has no physics of its own. However much was changed between two updates, it is compiled once; bodies without joints
/// that come and go take spare places in the model and need no compiling, see reserve(). What was there before keeps
/// its state bit for bit, warm start of the contacts included.
///
/// Wrong arguments throw std::invalid_argument, handles of things that were removed std::out_of_range, with the name,
/// the value and what is allowed. update() throws for a bad time step before anything has moved, and after that only
/// what an event callback throws. One thread at a time may use a World. A World that was moved from can be destroyed or
/// assigned to; all else throws std::logic_error.
class World {
 public:
  explicit World(const WorldOptions& options = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // ---------------------------------------------------------------------------------------- what there is

  BodyId addBody(const Shape& shape, const BodyOptions& options = {});
  /// A body of several parts.
  BodyId addBody(std::span<const Part> parts, const BodyOptions& options = {});
  BodyId addStatic(const Shape& shape, const StaticOptions& options = {});
  BodyId addStatic(std::span<const Part> parts, const StaticOptions& options = {});
  BodyId addKinematic(const Shape& shape, const KinematicOptions& options = {});
  BodyId addKinematic(std::span<const Part> parts, const KinematicOptions& options = {});
  /// A soft thing made by a generator of MJCF, in world coordinates; see docs/flex.md. `dof` full, trilinear or
  /// quadratic.
  SoftId addSoft(const spec::Flexcomp& flex, const Vector3& velocity = {});
  /// Joins two bodies; one of them may be static, or ground().
  JointId addJoint(BodyId first, BodyId second, const JointShape& shape, const JointOptions& options = {});

  /// Makes room for this many more movable bodies of one shape each: adding them needs no compiling. Without it room is
  /// made, for a quarter of the bodies there are, when a body is added to a World that was compiled before. Room that
  /// is not used costs about as much in every update as a body that falls freely.
  void reserve(int bodies);

  /// Also removes the joints of the body. What it touched wakes up.
  void remove(BodyId body);
  void remove(SoftId soft);
  void remove(JointId joint);

  bool contains(BodyId body) const;
  bool contains(SoftId soft) const;
  bool contains(JointId joint) const;
  /// The thing of this name, or a handle that names nothing.
  BodyId findBody(std::string_view name) const;
  JointId findJoint(std::string_view name) const;
  SoftId findSoft(std::string_view name) const;
  /// All bodies, static ones included, in the order they were added.
  std::vector<BodyId> bodies() const;
  /// The immovable frame of the world itself, for joints.
  BodyId ground() const;
  const std::string& nameOf(BodyId body) const;
  const std::string& nameOf(JointId joint) const;
  const std::string& nameOf(SoftId soft) const;
  /// A number that the World keeps for its user; 0 at first, unless options say otherwise.
  std::uint64_t userData(BodyId body) const;
  std::uint64_t userData(JointId joint) const;
  std::uint64_t userData(SoftId soft) const;
  void setUserData(BodyId body, std::uint64_t data);
  void setUserData(JointId joint, std::uint64_t data);
  void setUserData(SoftId soft, std::uint64_t data);

  // ---------------------------------------------------------------------------------------- bodies

  bool isStatic(BodyId body) const;
  bool isKinematic(BodyId body) const;
  bool isSensor(BodyId body) const;
  bool isAwake(BodyId body) const;
  Placement placement(BodyId body) const;
  /// Static and kinematic things: their frame.
  BodyState state(BodyId body) const;
  double inverseMass(BodyId body) const;      ///< 1/kg; 0 for static and kinematic things
  Matrix3 inverseInertia(BodyId body) const;  ///< world axes, about the centre of mass; 0 likewise
  double mass(BodyId body) const;             ///< kg; infinite for static and kinematic things
  double restitution(BodyId body) const;
  double friction(BodyId body) const;
  double linearDamping(BodyId body) const;   ///< N s/m
  double angularDamping(BodyId body) const;  ///< N m s/rad
  double gravityFactor(BodyId body) const;
  Vector3 surfaceVelocity(BodyId body) const;  ///< in its frame, m/s
  /// Velocity of the material point of a body that is at `point` now, m/s.
  Vector3 velocityAt(BodyId body, const Vector3& point) const;

  /// Not for bodies on a slide, or on a hinge with a coordinate. Nothing feels a velocity of it.
  void setPlacement(BodyId body, const Placement& placement);
  /// Of the centre of mass (kinematic bodies: of the frame), m/s and rad/s. A kinematic body keeps it until it is given
  /// another. Not for static things and bodies on such joints.
  void setVelocity(BodyId body, const Vector3& linear, const Vector3& angular);
  /// Gives a kinematic body the velocity with which it is at `placement` after dt > 0.
  void moveTo(BodyId body, const Placement& placement, double dt);
  void setRestitution(BodyId body, double restitution);
  void setFriction(BodyId body, double friction);
  void setLinearDamping(BodyId body, double damping);
  void setAngularDamping(BodyId body, double damping);
  void setGravityFactor(BodyId body, double factor);
  void setSurfaceVelocity(BodyId body, const Vector3& velocity);

  /// Forces act during the next update and are then forgotten. They add up.
  void applyForce(BodyId body, const Vector3& force);  ///< at the centre of mass, N
  void applyForce(BodyId body, const Vector3& force, const Vector3& point);
  void applyTorque(BodyId body, const Vector3& torque);  ///< N m
  /// Changes the velocity in the next update by what this impulse makes of it, N s.
  void applyImpulse(BodyId body, const Vector3& impulse);
  void applyImpulse(BodyId body, const Vector3& impulse, const Vector3& point);

  // ---------------------------------------------------------------------------------------- joints

  /// Coordinate of a slide (m) or of a hinge with range, spring or motor (rad), and its velocity. Other joints have
  /// none.
  double jointPosition(JointId joint) const;
  double jointVelocity(JointId joint) const;
  /// Another speed or force, for a joint with a coordinate.
  void setMotor(JointId joint, const JointMotor& motor);

  // ---------------------------------------------------------------------------------------- soft things

  /// Positions of the vertices.
  std::vector<Vector3> vertices(SoftId soft) const;
  /// Centre of mass and its velocity; orientation and angular velocity are not defined for soft things.
  Vector3 centerOfMass(SoftId soft) const;
  Vector3 velocity(SoftId soft) const;
  double mass(SoftId soft) const;

  // ---------------------------------------------------------------------------------------- time

  /// Moves time on by dt > 0: finds contacts, makes rows of them, solves, integrates, brings the frames up to date,
  /// clears the forces. dt may differ from call to call.
  void update(double dt);
  double time() const;

  /// Called at the end of update(), when everything is consistent; they may change the world. Things touch when they
  /// overlap or push each other.
  void onContactBegin(std::function<void(const ContactEvent&)> callback);
  void onContactEnd(std::function<void(const ContactEvent&)> callback);
  /// The same for what overlaps a sensor, at the poses at the end of the update. Static things and other sensors are
  /// not seen, and contype and conaffinity count as for contacts.
  void onSensorBegin(std::function<void(const SensorEvent&)> callback);
  void onSensorEnd(std::function<void(const SensorEvent&)> callback);
  /// Says whether two things that are near may touch; called within update(), in a fixed order, for pairs that their
  /// contype and conaffinity allow. It may ask for names, user data and properties of the two, and for nothing else of
  /// this World: other calls throw std::logic_error. If it throws, the update goes on as if it had said yes, and
  /// trouble() tells. An empty function removes it.
  void setContactFilter(std::function<bool(const ContactBody&, const ContactBody&)> filter);

  // ---------------------------------------------------------------------------------------- what happened

  /// Contacts of the last update, at the poses from which it started. Valid until the next update; contacts of bodies
  /// removed since are left out, and those of a soft thing with itself.
  std::vector<WorldContact> contacts() const;
  /// What overlaps a sensor now, static things and sensors left out.
  std::vector<ContactBody> overlapping(BodyId sensor) const;
  double kineticEnergy() const;
  double potentialEnergy() const;   ///< gravity, springs and elasticity
  Vector3 momentum() const;         ///< of everything that moves, kg m/s
  Vector3 angularMomentum() const;  ///< about the origin, kg m^2/s
  /// What the solver did in the last update, island by island.
  std::span<const IslandReport> islands() const;
  /// What went wrong so far, in words; empty if all is well.
  std::string trouble() const;

  // ---------------------------------------------------------------------------------------- questions

  /// The first surface from `origin` along `direction`, whose length does not count; nothing if there is none. Sensors
  /// are not seen.
  std::optional<RayCastHit> rayCast(const Vector3& origin, const Vector3& direction,
                                    const RayCastOptions& options = {}) const;
  /// What overlaps a shape (no plane, mesh or height field) at a place, in the order of adding, bodies first. Sensors
  /// are not seen.
  std::vector<ContactBody> overlapping(const Shape& shape, const Placement& placement) const;
  /// Whether two bodies overlap, and the distance of their surfaces, m; negative: the depth. Throws
  /// std::invalid_argument if there is none: planes and height fields among each other.
  double distance(BodyId first, BodyId second) const;

  // ---------------------------------------------------------------------------------------- saving

  /// Everything but the callbacks, in memory. A snapshot may outlive its World.
  class Snapshot;
  Snapshot snapshot() const;
  /// Back to a snapshot, of this World or another: it goes on bit for bit as it did from there. Handles are those of
  /// the snapshot; those of things that were added since are refused. The callbacks stay.
  void restore(const Snapshot& snapshot);
  /// The same as a file. load() on the same kind of machine goes on bit for bit as this World does from the call on.
  /// Throw LoadError.
  void save(const std::filesystem::path& file) const;
  static World load(const std::filesystem::path& file);

  // ---------------------------------------------------------------------------------------- the engine below

  const WorldOptions& options() const;
  void setGravity(const Vector3& gravity);
  void setThreads(int threads);

  /// As MJCF: the present poses, and a keyframe "now" with the state. load() and resetToKey(m, d, 0) continue from
  /// there, except for the warm start of contacts and the velocity of kinematic bodies, which become mocap bodies.
  /// Throw LoadError for a body whose linear and angular damping differ: a free joint of MJCF has one number for both.
  std::string toMjcf() const;
  void saveMjcf(const std::filesystem::path& file) const;
  /// The compiled model, its state, and where a body is in them. There the frame of a body that moves is at its centre
  /// of mass. The model may have spare bodies, "spare0" and so on, which touch nothing and rest at the origin.
  const Spec& spec() const;
  const Model& model() const;
  const Data& data() const;
  int modelBody(BodyId body) const;

 private:
  struct Impl;
  /// Owns the Impl; a World that was moved from has none.
  class Owner {
   public:
    explicit Owner(std::unique_ptr<Impl> impl);
    /// Throws std::logic_error if the World was moved from, or is in the middle of a step.
    Impl* operator->() const;
    /// The same, but in the middle of a step too.
    Impl* always() const { return impl_ ? impl_.get() : missing(); }

   private:
    [[noreturn]] static Impl* missing();
    std::unique_ptr<Impl> impl_;
  };
  Owner impl_;
};

/// A World as it was.
class World::Snapshot {
 public:
  Snapshot() = default;
  explicit operator bool() const { return impl_ != nullptr; }

 private:
  friend class World;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace sinew
