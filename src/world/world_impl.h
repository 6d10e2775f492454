#pragma once

#include <map>
#include <unordered_map>
#include <utility>

#include "constraints/vectors.h"
#include "geom/collide.h"
#include "model/bounding_tree.h"
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

/// Numbers of colliders that survive compilation: that of a body and its part, or of a soft thing.
inline constexpr int kPartBits = 16;
inline constexpr std::uint64_t kSoftUid = std::uint64_t{1} << 63;

/// What a name that is no body's belongs to.
struct OtherName {
  JointId joint = {};
  SoftId soft = {};
};

/// How a body moves: by forces, never, or as it is told.
enum class Motion { Dynamic, Static, Kinematic };

struct BodyRecord {
  BodyId id;
  std::uint64_t uid = 0;  ///< never used again; growing
  bool removed = false;
  Motion motion = Motion::Dynamic;
  spec::Body body;  ///< name and geoms; its place, joints and sites are added when it is compiled
  /// Open or concave meshes of static bodies: rigid flexes, in the body's frame, that collide triangle by triangle.
  std::vector<spec::Flex> surfaces;
  std::vector<int> modelSurfaces;  ///< their numbers in the compiled model
  double linearDamping = 0, angularDamping = 0, gravityFactor = 1;
  Vector3 surfaceVelocity{};
  bool sensor = false;
  int contype = 1, conaffinity = 1;  ///< as given; the geoms of a sensor have none
  std::uint64_t userData = 0;
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

  bool isDynamic() const { return motion == Motion::Dynamic; }
  bool isStatic() const { return motion == Motion::Static; }
  bool isKinematic() const { return motion == Motion::Kinematic; }

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
  std::uint64_t userData = 0;
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
  std::uint64_t userData = 0;
};

/// A body of the compiled model that stands for nothing: it touches nothing, weighs nothing and rests at the origin,
/// until a body of the World takes its place. A body fits if it has as many geoms, and the same pattern of the inertia
/// matrix.
struct SpareKind {
  int geoms = 1;
  bool simple = true;
  friend auto operator<=>(const SpareKind&, const SpareKind&) = default;
};
struct Spare {
  SpareKind kind;
  int modelBody = -1;
  /// It was given up since the last update: what is remembered about its contacts must be forgotten first.
  bool fresh = false;
};

/// A value on the heap that is copied with its owner.
template <class T>
class Copied {
 public:
  Copied() = default;
  Copied(std::unique_ptr<T> value) : value_(std::move(value)) {}
  Copied(const Copied& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Copied(Copied&&) noexcept = default;
  Copied& operator=(const Copied& other) {
    if (this != &other) value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
    return *this;
  }
  Copied& operator=(Copied&&) noexcept = default;

  T& operator*() const { return *value_; }
  T* operator->() const { return value_.get(); }
  explicit operator bool() const { return value_ != nullptr; }

 private:
  std::unique_ptr<T> value_;
};

struct World::Impl {
  explicit Impl(const WorldOptions& options);

  // ------------------------------------------------------------------ world.cpp
  BodyId addBody(std::span<const Part> parts, const BodyOptions& options, Motion motion,
                 const Vector3& surfaceVelocity = {});
  BodyRecord& body(BodyId id);
  SoftRecord& soft(SoftId id);
  JointRecord& joint(JointId id);
  BodyRecord& movable(BodyId id, const char* what);
  std::string freshName(std::string name, const char* prefix);
  void removeJoint(JointRecord& joint);
  void push(BodyRecord& record);
  /// Something about it changed: it must not go on sleeping.
  void disturb(BodyRecord& record);
  /// The same for everything.
  void disturbAll();
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
  /// Writes speeds and forces of the motors into the model, and the damping of bodies, which MJCF has no number for.
  void driveMotors();
  void dampBodies();
  void writeJoint(const JointRecord& joint, Spec& spec, std::vector<spec::Body>& flat) const;

  // ------------------------------------------------------------------ world_compile.cpp
  /// Brings the model up to date if something has changed; states and warm starts are carried over.
  void ensureCompiled();
  void compileAll();
  /// A record as the body of a Spec, at `pose`, with its joint.
  spec::Body bodyOf(const BodyRecord& record, const Pose& pose) const;
  /// Settings of the Spec: everything but what there is.
  Spec emptySpec() const;
  /// The reference configuration: where bodies were put at first, so that constants of the model that follow from it
  /// are the same bits whenever it is compiled; or where they are now.
  enum class Poses { Original, Present };
  /// The description. `order` receives the records in the order of the model's bodies.
  Spec makeSpec(Poses poses, std::vector<std::size_t>& order) const;
  Spec specWithKey();
  void saveStates();
  void restoreStates();
  void restoreState(BodyRecord& record);
  void forgetRemoved();
  void mapFlexes();  ///< modelFlex, modelSurfaces, thingOfFlex, uidOfFlex
  std::size_t indexOf(BodyId id) const { return *bodySlots.find(id); }

  // ------------------------------------------------------------------ world_spares.cpp
  /// Takes bodies that came into spare places, and makes spare places of bodies that went. False, and nothing has
  /// changed, if that is not enough.
  bool useSpares();
  /// Adds the spare bodies that are wanted to a Spec, after all others.
  void addSpares(Spec& spec);
  void park(int modelBody);
  void occupy(BodyRecord& record, const Model& alone, int modelBody);
  Model compiledAlone(const BodyRecord& record) const;
  SpareKind kindOf(const Model& m, int modelBody) const;

  // ------------------------------------------------------------------ world_queries.cpp
  void step(double dt);
  /// Brings the frames up to date with the state, in the model as it is: bodies that are not in it yet are not seen.
  void synchronize();
  /// Keeps the states from which the last update started, before synchronize() overwrites them.
  void keepStart();
  BodyState stateOf(int modelBody) const;
  /// Arrays of a kinematic body in Data, or null: it is not there yet.
  struct Led {
    double *position, *orientation;
  };
  std::optional<Led> ledOf(const BodyRecord& record);
  /// Also of a body that is not in the model yet, or not in this way.
  BodyState stateOf(const BodyRecord& record);
  Placement placementOf(const BodyRecord& record);
  /// Takes a body out of Data into its record as something given: the layout of its joint is about to change.
  void detach(BodyRecord& record);

  // ------------------------------------------------------------------ world_contacts.cpp
  void cacheContacts();
  void trackContacts();
  void reportEvents();
  void findTouching();
  ContactBody sideOf(int collider) const;
  std::uint64_t uidOf(int collider) const;
  BodyState startStateOf(const Contact& contact, std::size_t side) const;
  bool isDormant(const ContactBody& side) const;

  // ------------------------------------------------------------------ world_scene.cpp
  /// Calls f(side) for everything that overlaps a shape; a thing may come more than once. Needs synchronize().
  template <class F>
  void eachOverlapping(const geom::Shape& shape, const BoundingTree::Box* box, F&& f);
  /// What overlaps a sensor, growing.
  void visitorsOf(const BodyRecord& sensor, std::vector<ContactBody>& visitors);
  void findVisitors();
  void reportSensors();
  bool filterAllows(int collider1, int collider2) const;

  // ------------------------------------------------------------------ world_save.cpp
  /// Writes or reads everything but callbacks, model and derived things.
  template <class Archive>
  void describe(Archive& archive);

  WorldOptions options;
  std::vector<BodyRecord> bodies;
  std::vector<SoftRecord> softs;
  std::vector<JointRecord> joints;
  Slots<BodyId> bodySlots;
  Slots<SoftId> softSlots;
  Slots<JointId> jointSlots;
  std::unordered_map<std::string, BodyId> names;          ///< looked up, never walked through
  std::unordered_map<std::string, OtherName> otherNames;  ///< of joints, soft things and surfaces; likewise
  std::vector<spec::Mesh> meshes;
  std::map<std::pair<std::vector<float>, std::vector<int>>, std::string> meshNames;
  std::vector<spec::HField> heightFields;
  std::uint64_t nextUid = 1;
  BodyId ground;

  double time = 0;
  bool wakeAll = false;             ///< the surroundings changed: nobody goes on sleeping
  bool changed = true;              ///< the Spec is not the one the model was made of
  bool specIsStale = false;         ///< what needs no compiling was changed in the model alone
  bool namesAreStale = false;       ///< bodies of the model were renamed
  bool stepping = false;            ///< a step is under way: only a contact filter can be calling
  std::vector<BodyId> arrived;      ///< bodies that may do with a spare place
  bool departed = false;            ///< some left a place behind
  int reserved = 0;                 ///< spare bodies of one geom that the user asked for
  std::map<SpareKind, int> wanted;  ///< spare bodies that compiling makes
  std::vector<Spare> spares;
  int compilations = 0;
  Spec spec;
  Model model;
  Copied<Data> data;
  std::vector<BodyId> bodyOfModel;       ///< by model body
  std::vector<ContactBody> thingOfFlex;  ///< by flex
  std::vector<std::uint64_t> uidOfFlex;  ///< by flex
  std::vector<BodyId> pushed;            ///< bodies with forces
  std::vector<double> ledVelocity;       ///< of the mocap bodies of the model, six each

  bool synchronized = true;
  bool startPending = false;          ///< derived arrays hold the start of the last update
  std::vector<BodyState> startState;  ///< of each model body at the start of the last update
  double lastStep = 0;
  bool contactsCached = true;
  std::vector<WorldContact> contactCache;
  ContactTracker tracker;
  std::vector<ContactEvent> touching;  ///< what touches what, by growing pair
  std::vector<SensorEvent> visits;     ///< what overlaps which sensor, likewise
  std::function<void(const ContactEvent&)> onBegin, onEnd;
  std::function<void(const SensorEvent&)> onEnter, onLeave;
  std::function<bool(const ContactBody&, const ContactBody&)> filter;

  // memory of update(), so that it does not allocate
  std::vector<ContactEvent> nowTouching, began, ended, dormant;
  std::vector<std::size_t> touchOrder;
  std::vector<SensorEvent> nowVisiting, entered, left;
  std::vector<ContactBody> visitors;
  Array<geom::ContactPoint> points;
};

}  // namespace sinew
