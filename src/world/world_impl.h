#pragma once

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "constraints/vectors.h"
#include "sinew/world.h"
#include "world/contact_tracker.h"
#include "world/slots.h"

/// What is behind a World: records of what was added, in the order of adding, and the compiled model they are in.
namespace sinew {

/// A body on a joint with a coordinate is a child of the other body in the tree. Everything else is a root with six
/// dofs.
struct Mount {
  JointId joint = {};
  BodyId parent = {};
  JointType type = JointType::Slide;
  Pose frame = {};             ///< of the child in the parent at coordinate 0
  Vec3 axis = Vec3::UnitZ();   ///< in the child, so that a growing coordinate moves the second body along it
  Vec3 anchor = Vec3::Zero();  ///< of a hinge, in the child
  std::optional<std::array<double, 2>> range = {};
  std::optional<JointSpring> spring = {};

  /// What the coordinate makes of the frame.
  Pose displacement(double q) const {
    if (type == JointType::Slide) return {axis * q, {}};
    const Quat turn = fromAxisAngle(axis, q);
    return {anchor - rotate(turn, anchor), turn};
  }
};

struct BodyRecord {
  BodyId id;
  std::uint64_t uid = 0;  ///< never used again; growing
  bool removed = false;
  bool isStatic = false;
  spec::Body body;  ///< name and geoms; its place, joints and sites are added when it is compiled
  /// Centre of mass in the frame that was given. The model's frame is there (static things: where it was given), so
  /// that velocities are those of the centre: integrated at any other point, momentum would change as the body turns.
  Vec3 center = Vec3::Zero();
  std::optional<Mount> mount;

  // The state, unless `inData`: as it was given, or (`raw`) the numbers of the joint.
  Placement placement;
  Vector3 velocity{}, angularVelocity{};
  bool raw = false;
  std::array<double, 7> qpos{};
  std::array<double, 6> qvel{}, warmstart{};
  bool inData = false;
  int joints = 0;          ///< that hold it
  bool disturbed = false;  ///< something about it changed: it must not go on sleeping

  int modelBody = -1;  ///< in the compiled model, -1: not there yet
  Vector3 force{}, torque{}, impulse{}, angularImpulse{};
  bool pushed = false;

  /// Between the frame that was given and that of the model; records have the latter.
  Placement fromGiven(const Placement& p) const { return moved(p, center); }
  Placement toGiven(const Placement& p) const { return moved(p, -center); }

 private:
  static Placement moved(const Placement& p, const Vec3& by) {
    return {fromEigen(toEigen(p.position) + rotate(toQuat(p.orientation), by)), p.orientation};
  }
};

struct SoftRecord {
  SoftId id;
  std::uint64_t uid = 0;
  bool removed = false;
  spec::Flexcomp flex;
  Vector3 velocity{};
  std::vector<double> qpos, qvel, warmstart;  ///< of its nodes, once it was compiled
  int modelFlex = -1;
};

struct JointRecord {
  JointId id;
  bool removed = false;
  std::string name;
  BodyId first, second;
  JointShape shape;
  bool collide = false;
  Pose frame1, frame2;      ///< of the joint in the two bodies, at the first anchor
  double min = 0, max = 0;  ///< of a distance
  std::optional<JointMotor> motor;
};

struct World::Impl {
  explicit Impl(const WorldOptions& options);

  // ------------------------------------------------------------------ world.cpp
  BodyId addBody(std::span<const Part> parts, const BodyOptions& options, bool isStatic);
  BodyRecord& body(BodyId id);
  SoftRecord& soft(SoftId id);
  JointRecord& joint(JointId id);
  BodyRecord& movable(BodyId id, const char* what);
  std::string freshName(std::string name, const char* prefix);
  void removeJoint(JointRecord& joint);
  void push(BodyRecord& record);
  /// Calls f(geom, its number in the model or -1).
  template <class F>
  void eachGeom(BodyRecord& record, F&& f) {
    const int first = record.modelBody < 0 ? -1 : model.body_geomadr[record.modelBody];
    for (std::size_t k = 0; k < record.body.geoms.size(); ++k) {
      f(record.body.geoms[k], first < 0 ? -1 : first + static_cast<int>(k));
    }
  }

  // ------------------------------------------------------------------ world_joints.cpp
  /// Makes one of two bodies the other's child. `mount` has type, range and spring; `axis` and `anchor` are in the
  /// world.
  void mount(const JointRecord& joint, Mount mount, const Vector3& axis, const Vector3& anchor);
  /// Gives a body on such a joint its six dofs back.
  void dismount(BodyRecord& child);
  /// The body that rides on a joint; null: the joint has no coordinate.
  BodyRecord* riderOf(const JointRecord& joint);
  /// The joint's number in the compiled model; throws if it has no coordinate.
  int coordinateOf(JointId joint);
  /// Writes speeds and forces of the motors into the model.
  void driveMotors();
  void writeJoint(const JointRecord& joint, Spec& spec, std::vector<spec::Body>& flat) const;

  // ------------------------------------------------------------------ world_compile.cpp
  /// Compiles if something has changed; states and warm starts are carried over.
  void ensureCompiled();
  /// The reference configuration: where bodies were put at first, so that constants of the model that follow from it
  /// are the same bits whenever it is compiled; or where they are now.
  enum class Poses { Original, Present };
  /// The description. `order` receives the records in the order of the model's bodies.
  Spec makeSpec(Poses poses, std::vector<std::size_t>& order) const;
  Spec specWithKey();
  void saveStates();
  void restoreStates();
  void forgetRemoved();
  std::size_t indexOf(BodyId id) const { return *bodySlots.find(id); }

  // ------------------------------------------------------------------ world_queries.cpp
  void step(double dt);
  /// Brings the frames up to date with the state, in the model as it is: bodies that are not in it yet are not seen.
  void synchronize();
  /// Keeps the states from which the last update started, before synchronize() overwrites them.
  void keepStart();
  BodyState stateOf(int modelBody) const;
  /// Also of a body that is not in the model yet, or not in this way.
  BodyState stateOf(const BodyRecord& record);
  Placement placementOf(const BodyRecord& record);
  /// Takes a body out of Data into its record as something given: the layout of its joint is about to change.
  void detach(BodyRecord& record);

  // ------------------------------------------------------------------ world_contacts.cpp
  void cacheContacts();
  void trackContacts();
  void reportEvents();
  ContactBody sideOf(const Contact& contact, std::size_t side) const;
  std::uint64_t colliderOf(const Contact& contact, std::size_t side) const;
  BodyState startStateOf(const Contact& contact, std::size_t side) const;
  bool isDormant(const ContactBody& side) const;

  WorldOptions options;
  std::vector<BodyRecord> bodies;
  std::vector<SoftRecord> softs;
  std::vector<JointRecord> joints;
  Slots<BodyId> bodySlots;
  Slots<SoftId> softSlots;
  Slots<JointId> jointSlots;
  std::unordered_map<std::string, BodyId> names;  ///< looked up, never walked through
  std::unordered_set<std::string> otherNames;     ///< of joints and soft things; likewise
  std::vector<spec::Mesh> meshes;
  std::map<std::pair<std::vector<float>, std::vector<int>>, std::string> meshNames;
  std::uint64_t nextUid = 1;
  BodyId ground;

  double time = 0;
  bool wakeAll = false;      ///< the surroundings changed: nobody goes on sleeping
  bool changed = true;       ///< the Spec is not the one the model was made of
  bool specIsStale = false;  ///< what needs no compiling was changed in the model alone
  Spec spec;
  Model model;
  std::unique_ptr<Data> data;
  std::vector<BodyId> bodyOfModel;  ///< by model body
  std::vector<SoftId> softOfModel;  ///< by flex
  std::vector<BodyId> pushed;       ///< bodies with forces

  bool synchronized = true;
  bool startPending = false;          ///< derived arrays hold the start of the last update
  std::vector<BodyState> startState;  ///< of each model body at the start of the last update
  double lastStep = 0;
  double longestStep = 0;  ///< of the updates not long ago
  bool contactsCached = true;
  std::vector<WorldContact> contactCache;
  ContactTracker tracker;
  std::vector<std::uint64_t> contactIds;
  std::vector<ContactEvent> touching;  ///< what touches what, by growing pair
  std::function<void(const ContactEvent&)> onBegin, onEnd;
};

}  // namespace sinew
