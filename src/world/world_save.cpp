#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/hash.h"
#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/load.h"
#include "sinew/state.h"
#include "world/world_impl.h"

/// Worlds as snapshots and as files. A file holds the records, from which the model is compiled again, and the state.
namespace sinew {
namespace {

constexpr std::array<char, 8> kMagic{'S', 'I', 'N', 'E', 'W', 'W', 'L', 'D'};
constexpr std::uint64_t kVersion = 2;

/// Bytes one after the other. describe() of a type names its members once, for writing and for reading.
class Writer {
 public:
  static constexpr bool kReads = false;
  std::string bytes;

  void raw(const void* from, std::size_t count) { bytes.append(static_cast<const char*>(from), count); }
};

class Reader {
 public:
  static constexpr bool kReads = true;
  Reader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  void raw(void* to, std::size_t count) {
    need(count);
    std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }
  /// Refuses a count of things that cannot be there.
  void need(std::uint64_t count) const {
    if (count > bytes_.size() - at_) fail("it ends too early");
  }
  bool atEnd() const { return at_ == bytes_.size(); }
  [[noreturn]] void fail(const std::string& why) const {
    throw LoadError(fmt::format("{}: no World can be read from it: {}", file_, why));
  }

 private:
  std::string_view bytes_;
  std::string file_;
  std::size_t at_ = 0;
};

// Plain numbers; then the types they are in.

template <class A, class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void put(A& a, T& value) { a.raw(&value, sizeof(value)); }

template <class A, class T, std::size_t N>
void put(A& a, std::array<T, N>& values) {
  for (T& value : values) put(a, value);
}

template <class A>
void put(A& a, std::string& text);
template <class A, class T>
void put(A& a, std::vector<T>& list);
template <class A, class T>
void put(A& a, std::optional<T>& value);
template <class A, class... T>
void put(A& a, std::variant<T...>& value);

template <class A, class Tag>
void put(A& a, Handle<Tag>& h) {
  put(a, h.slot), put(a, h.generation);
}
template <class A>
void put(A& a, ContactBody& c) {
  put(a, c.body), put(a, c.soft);
}
template <class A>
void put(A& a, Vec3& v) {
  for (int i = 0; i < 3; ++i) put(a, v[i]);
}
template <class A>
void put(A& a, Pose& p) {
  put(a, p.pos);
  for (double* x : {&p.quat.w, &p.quat.x, &p.quat.y, &p.quat.z}) put(a, *x);
}
template <class A>
void put(A& a, Placement& p) {
  put(a, p.position), put(a, p.orientation);
}
template <class A>
void put(A& a, JointSpring& s) {
  put(a, s.stiffness), put(a, s.damping), put(a, s.rest);
}
template <class A>
void put(A& a, JointMotor& m) {
  put(a, m.speed), put(a, m.maxForce);
}
template <class A>
void put(A&, FixedJoint&) {}
template <class A>
void put(A& a, BallJoint& j) {
  put(a, j.anchor);
}
template <class A>
void put(A& a, HingeJoint& j) {
  put(a, j.anchor), put(a, j.axis), put(a, j.width), put(a, j.range), put(a, j.spring), put(a, j.motor);
}
template <class A>
void put(A& a, SlideJoint& j) {
  put(a, j.axis), put(a, j.range), put(a, j.spring), put(a, j.motor);
}
template <class A>
void put(A& a, DistanceJoint& j) {
  put(a, j.anchor1), put(a, j.anchor2), put(a, j.min), put(a, j.max), put(a, j.spring);
}
template <class A>
void put(A& a, Mount& m) {
  put(a, m.joint), put(a, m.parent), put(a, m.type), put(a, m.frame), put(a, m.axis), put(a, m.anchor);
  put(a, m.range), put(a, m.spring);
}
template <class A>
void put(A& a, ContactEvent& e) {
  put(a, e.a), put(a, e.b), put(a, e.point), put(a, e.normal), put(a, e.approachSpeed), put(a, e.normalImpulse);
}
template <class A>
void put(A& a, SensorEvent& e) {
  put(a, e.sensor), put(a, e.visitor);
}
template <class A>
void put(A& a, ContactTracker::Entry& e) {
  put(a, e.key.a), put(a, e.key.b), put(a, e.key.feature), put(a, e.key.rank), put(a, e.id);
}
template <class A, class Id>
void put(A& a, Slots<Id>& s) {
  put(a, s.slots()), put(a, s.free());
}
template <class A, class Slot>
requires requires(Slot& s) { s.taken, s.next, s.generation, s.index; }
void put(A& a, Slot& s) {
  std::uint64_t index = s.index;
  put(a, index), put(a, s.generation), put(a, s.next), put(a, s.taken);
  s.index = static_cast<std::size_t>(index);
}

// Elements of a Spec: what a World writes into them.

template <class A>
void put(A& a, spec::Geom& g) {
  put(a, g.type), put(a, g.size), put(a, g.pos), put(a, g.orientation.quat), put(a, g.mesh), put(a, g.hfield);
  put(a, g.contype), put(a, g.conaffinity), put(a, g.condim), put(a, g.group), put(a, g.rgba);
  put(a, g.friction), put(a, g.restitution), put(a, g.surfacevel), put(a, g.mass), put(a, g.density);
}
template <class A>
void put(A& a, spec::Mesh& m) {
  put(a, m.name), put(a, m.vertex), put(a, m.face), put(a, m.inertia);
}
template <class A>
void put(A& a, spec::HField& f) {
  put(a, f.name), put(a, f.nrow), put(a, f.ncol), put(a, f.size), put(a, f.elevation);
}
template <class A>
void put(A& a, spec::Flex& f) {
  put(a, f.name), put(a, f.bodies), put(a, f.dim), put(a, f.radius), put(a, f.vertex), put(a, f.element);
  put(a, f.contact.contype), put(a, f.contact.conaffinity), put(a, f.contact.condim), put(a, f.contact.friction);
  put(a, f.contact.restitution), put(a, f.contact.selfcollide), put(a, f.edge.equality);
}
/// A generator has many attributes, all of them in MJCF.
template <class A>
void put(A& a, spec::Flexcomp& f) {
  std::string text;
  if constexpr (!A::kReads) {
    Spec alone;
    alone.compiler.degree = false;
    alone.world.flexcomps.push_back(f);
    text = writeMjcf(alone);
  }
  put(a, text);
  if constexpr (A::kReads) {
    Spec alone = readMjcfText(text, "soft thing of a World");
    if (alone.world.flexcomps.size() != 1) a.fail("a soft thing is damaged");
    f = std::move(alone.world.flexcomps.front());
  }
}

template <class A>
void put(A& a, BodyRecord& r) {
  put(a, r.id), put(a, r.uid), put(a, r.motion), put(a, r.body.name), put(a, r.body.geoms), put(a, r.surfaces);
  put(a, r.linearDamping), put(a, r.angularDamping), put(a, r.gravityFactor), put(a, r.surfaceVelocity);
  put(a, r.sensor), put(a, r.contype), put(a, r.conaffinity), put(a, r.userData), put(a, r.center), put(a, r.mount);
  put(a, r.placement), put(a, r.velocity), put(a, r.angularVelocity), put(a, r.raw), put(a, r.qpos), put(a, r.qvel);
  put(a, r.warmstart), put(a, r.joints);
  put(a, r.force), put(a, r.torque), put(a, r.impulse), put(a, r.angularImpulse), put(a, r.pushed);
}
template <class A>
void put(A& a, SoftRecord& r) {
  put(a, r.id), put(a, r.uid), put(a, r.flex), put(a, r.velocity), put(a, r.qpos), put(a, r.qvel);
  put(a, r.warmstart), put(a, r.userData);
}
template <class A>
void put(A& a, JointRecord& r) {
  put(a, r.id), put(a, r.name), put(a, r.first), put(a, r.second), put(a, r.shape), put(a, r.collide);
  put(a, r.frame1), put(a, r.frame2), put(a, r.min), put(a, r.max), put(a, r.motor), put(a, r.userData);
}
template <class A>
void put(A& a, WorldOptions& o) {
  put(a, o.gravity), put(a, o.solver), put(a, o.iterations), put(a, o.tolerance), put(a, o.erp), put(a, o.slop);
  put(a, o.restitutionThreshold), put(a, o.method), put(a, o.integrator), put(a, o.sleeping), put(a, o.threads);
}

// Containers.

template <class A>
void put(A& a, std::string& text) {
  std::uint64_t size = text.size();
  put(a, size);
  if constexpr (A::kReads) {
    a.need(size);
    text.resize(static_cast<std::size_t>(size));
  }
  a.raw(text.data(), text.size());
}
template <class A, class T>
void put(A& a, std::vector<T>& list) {
  std::uint64_t size = list.size();
  put(a, size);
  if constexpr (A::kReads) {
    a.need(size);  // every entry has a byte at least
    list.clear();
    for (std::uint64_t i = 0; i < size; ++i) put(a, list.emplace_back());
  } else {
    for (T& value : list) put(a, value);
  }
}
template <class A, class T>
void put(A& a, std::optional<T>& value) {
  std::uint8_t there = value.has_value() ? 1 : 0;
  put(a, there);
  if (A::kReads) value = there ? std::optional<T>(T{}) : std::nullopt;
  if (there) put(a, *value);
}
template <class A, class... T>
void put(A& a, std::variant<T...>& value) {
  std::uint64_t index = value.index();
  put(a, index);
  if constexpr (A::kReads) {
    if (index >= sizeof...(T)) a.fail("a joint is of no known kind");
    std::size_t k = 0;
    ((k++ == index ? static_cast<void>(value = T{}) : static_cast<void>(0)), ...);
  }
  std::visit([&](auto& v) { put(a, v); }, value);
}

}  // namespace

template <class Archive>
void World::Impl::describe(Archive& a) {
  put(a, options), put(a, bodies), put(a, softs), put(a, joints);
  put(a, bodySlots), put(a, softSlots), put(a, jointSlots);
  put(a, meshes), put(a, heightFields), put(a, nextUid), put(a, ground);
  put(a, time), put(a, lastStep), put(a, pushed), put(a, reserved);
  put(a, tracker.entries()), put(a, tracker.next()), put(a, touching), put(a, visits);
  std::vector<std::array<int, 3>> spareCounts;
  for (const auto& [kind, count] : wanted) spareCounts.push_back({kind.geoms, kind.simple ? 1 : 0, count});
  put(a, spareCounts);
  if constexpr (Archive::kReads) {
    for (const auto& [geoms, simple, count] : spareCounts) wanted[{geoms, simple != 0}] = count;
  }
}

World::Snapshot World::snapshot() const {
  impl_->ensureCompiled();
  Snapshot snapshot;
  snapshot.impl_ = std::make_shared<const Impl>(*impl_.operator->());
  return snapshot;
}

void World::restore(const Snapshot& snapshot) {
  if (!snapshot) throw std::invalid_argument("World::restore: the snapshot is empty");
  Impl& now = *impl_.operator->();
  Impl then(*snapshot.impl_);
  then.bodySlots.outlive(now.bodySlots);
  then.softSlots.outlive(now.softSlots);
  then.jointSlots.outlive(now.jointSlots);
  then.onBegin = std::move(now.onBegin);
  then.onEnd = std::move(now.onEnd);
  then.onEnter = std::move(now.onEnter);
  then.onLeave = std::move(now.onLeave);
  then.filter = std::move(now.filter);
  now = std::move(then);
}

void World::save(const std::filesystem::path& file) const {
  // both Worlds go on from a model that was compiled from these records
  impl_->ensureCompiled();
  impl_->compileAll();
  impl_->saveStates();
  Writer writer;
  impl_->describe(writer);
  std::vector<double> state = getState(impl_->model, *impl_->data, state::kComplete);
  put(writer, state);
  Hasher hasher;
  hasher.add(writer.bytes.data(), writer.bytes.size());
  const std::array<std::uint64_t, 2> header{kVersion, hasher.value()};
  FileReplacement out(file);
  out.write(std::as_bytes(std::span(kMagic)));
  out.write(std::as_bytes(std::span(header)));
  out.write(std::as_bytes(std::span(writer.bytes)));
  out.commit();
}

World World::load(const std::filesystem::path& file) {
  const std::string all = readFile(file);
  Reader head(all, file.string());
  std::array<char, 8> magic{};
  std::array<std::uint64_t, 2> header{};
  if (all.size() < sizeof(magic) + sizeof(header)) head.fail("it is no file that World::save() wrote");
  head.raw(magic.data(), sizeof(magic));
  head.raw(header.data(), sizeof(header));
  if (magic != kMagic) head.fail("it is no file that World::save() wrote");
  if (header[0] != kVersion) head.fail(fmt::format("its format is {}, this Sinew reads {}", header[0], kVersion));
  const std::string_view body = std::string_view(all).substr(sizeof(magic) + sizeof(header));
  Hasher hasher;
  hasher.add(body.data(), body.size());
  if (hasher.value() != header[1]) head.fail("it is damaged");

  World world;
  Impl& impl = *world.impl_.operator->();
  Reader reader(body, file.string());
  impl.bodies.clear();
  impl.names.clear();
  impl.describe(reader);
  for (const BodyRecord& record : impl.bodies) {
    impl.names.emplace(record.body.name, record.id);
    for (const spec::Flex& surface : record.surfaces) impl.otherNames.emplace(surface.name, OtherName{});
  }
  for (const SoftRecord& record : impl.softs) impl.otherNames.emplace(record.flex.name, OtherName{.soft = record.id});
  for (const JointRecord& record : impl.joints) impl.otherNames.emplace(record.name, OtherName{.joint = record.id});
  for (const spec::Mesh& mesh : impl.meshes) impl.meshNames.emplace(std::pair(mesh.vertex, mesh.face), mesh.name);
  std::vector<double> state;
  put(reader, state);
  if (!reader.atEnd()) reader.fail("something follows its end");
  impl.ensureCompiled();
  try {
    setState(impl.model, *impl.data, state::kComplete, state);
  } catch (const std::invalid_argument& error) {
    reader.fail(error.what());
  }
  impl.synchronized = false;
  return world;
}

}  // namespace sinew
