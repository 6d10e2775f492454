#pragma once

#include <filesystem>
#include <functional>
#include <memory>
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
/// has no physics of its own. However much was changed between two updates, it is compiled once. What was there before
/// keeps its state bit for bit, warm start of the contacts included.
///
/// Wrong arguments throw std::invalid_argument, handles of things that were removed std::out_of_range, with the name,
/// the value and what is allowed. update() throws for a bad time step before anything has moved, and after that only
/// what a callback throws. One thread at a time may use a World. A World that was moved from can be destroyed or
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
  /// A soft thing made by a generator of MJCF, in world coordinates; see docs/flex.md. `dof` full, trilinear or
  /// quadratic.
  SoftId addSoft(const spec::Flexcomp& flex, const Vector3& velocity = {});
  /// Joins two bodies; one of them may be static, or ground().
  JointId addJoint(BodyId first, BodyId second, const JointShape& shape, const JointOptions& options = {});

  /// Also removes the joints of the body. What it touched wakes up.
  void remove(BodyId body);
  void remove(SoftId soft);
  void remove(JointId joint);

  bool contains(BodyId body) const;
  bool contains(SoftId soft) const;
  bool contains(JointId joint) const;
  /// The thing of this name, or a handle that names nothing.
  BodyId findBody(std::string_view name) const;
  /// All bodies, static ones included, in the order they were added.
  std::vector<BodyId> bodies() const;
  /// The immovable frame of the world itself, for joints.
  BodyId ground() const;
  const std::string& nameOf(BodyId body) const;

  // ---------------------------------------------------------------------------------------- bodies

  bool isStatic(BodyId body) const;
  bool isAwake(BodyId body) const;
  Placement placement(BodyId body) const;
  /// Static things: their frame, at rest.
  BodyState state(BodyId body) const;
  double inverseMass(BodyId body) const;      ///< 1/kg; 0 for static things
  Matrix3 inverseInertia(BodyId body) const;  ///< world axes, about the centre of mass; 0 for static things
  double mass(BodyId body) const;             ///< kg; infinite for static things
  double restitution(BodyId body) const;
  double friction(BodyId body) const;

  /// Not for bodies on a slide, or on a hinge with a coordinate.
  void setPlacement(BodyId body, const Placement& placement);
  /// Of the centre of mass, m/s and rad/s. Not for static things and bodies on such joints.
  void setVelocity(BodyId body, const Vector3& linear, const Vector3& angular);
  void setRestitution(BodyId body, double restitution);
  void setFriction(BodyId body, double friction);

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

  // ---------------------------------------------------------------------------------------- what happened

  /// Contacts of the last update, at the poses from which it started. Valid until the next update; contacts of bodies
  /// removed since are left out, and those of a soft thing with itself.
  std::vector<WorldContact> contacts() const;
  double kineticEnergy() const;
  double potentialEnergy() const;   ///< gravity, springs and elasticity
  Vector3 momentum() const;         ///< of everything that moves, kg m/s
  Vector3 angularMomentum() const;  ///< about the origin, kg m^2/s
  /// What the solver did in the last update, island by island.
  std::span<const IslandReport> islands() const;
  /// What went wrong so far, in words; empty if all is well.
  std::string trouble() const;

  // ---------------------------------------------------------------------------------------- the engine below

  const WorldOptions& options() const;
  void setGravity(const Vector3& gravity);
  void setThreads(int threads);

  /// As MJCF: the present poses, and a keyframe "now" with the state. load() and resetToKey(m, d, 0) continue from
  /// there, except for the warm start of contacts.
  std::string toMjcf() const;
  void saveMjcf(const std::filesystem::path& file) const;
  /// The compiled model, its state, and where a body is in them. There the frame of a body that moves is at its centre
  /// of mass.
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
    Impl* operator->() const { return impl_ ? impl_.get() : missing(); }

   private:
    [[noreturn]] static Impl* missing();  ///< throws std::logic_error
    std::unique_ptr<Impl> impl_;
  };
  Owner impl_;
};

}  // namespace sinew
