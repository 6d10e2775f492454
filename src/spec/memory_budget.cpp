#include "spec/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "spec/names.h"

namespace sinew::spec {
namespace {

/// What a string or list takes outside of its own object.
double outside(const std::string& text) {
  constexpr std::size_t kInside = 15;
  return text.size() > kInside ? static_cast<double>(text.size()) + 1 : 0;
}
template <class T>
double outside(const std::vector<T>& list) {
  return static_cast<double>(list.size() * sizeof(T));
}
double outside(const std::vector<std::string>& list) {
  double bytes = static_cast<double>(list.size() * sizeof(std::string));
  for (const std::string& text : list) bytes += outside(text);
  return bytes;
}
template <class T>
double outside(const std::optional<std::vector<T>>& list) {
  return list ? outside(*list) : 0;
}

double outside(const VisualElement& element) {
  double bytes = outside(element.name) + outside(element.tag);
  for (const auto& [name, value] : element.attributes) {
    bytes += static_cast<double>(sizeof(element.attributes[0])) + outside(name) + outside(value);
  }
  for (const VisualElement& child : element.children) {
    bytes += static_cast<double>(sizeof(VisualElement)) + outside(child);
  }
  return bytes;
}

double outside(const FlexBase& f) {
  double bytes = outside(f.name) + outside(f.material) + outside(f.texcoord) + outside(f.pins) +
                 outside(f.elasticity.section) + outside(f.elasticity.axis);
  for (const FlexPin& pin : f.pins) {
    bytes += outside(pin.id) + outside(pin.range) + outside(pin.grid) + outside(pin.gridrange) + outside(pin.body);
  }
  return bytes;
}
double outside(const Flex& f) {
  return outside(static_cast<const FlexBase&>(f)) + outside(f.bodies) + outside(f.vertex) + outside(f.element) +
         outside(f.elemtexcoord) + outside(f.nodes) + outside(f.nodecoord);
}
double outside(const Flexcomp& f) {
  return outside(static_cast<const FlexBase&>(f)) + outside(f.count) + outside(f.spacing) + outside(f.point) +
         outside(f.element) + outside(f.file) + outside(f.directory);
}
double outside(const Mesh& mesh) {
  return outside(mesh.name) + outside(mesh.file) + outside(mesh.directory) + outside(mesh.vertex) +
         outside(mesh.normal) + outside(mesh.texcoord) + outside(mesh.face) + outside(mesh.params);
}
double outside(const HField& field) {
  return outside(field.name) + outside(field.file) + outside(field.directory) + outside(field.elevation);
}
double outside(const Tendon& tendon) {
  double bytes = outside(tendon.name) + outside(tendon.user) + outside(tendon.path);
  for (const Wrap& wrap : tendon.path) bytes += outside(wrap.target) + outside(wrap.sidesite);
  return bytes;
}
double outside(const Tuple& tuple) { return outside(tuple.name) + outside(tuple.entries); }
double outside(const Numeric& numeric) { return outside(numeric.name) + outside(numeric.data); }
double outside(const Text& text) { return outside(text.name) + outside(text.data); }
double outside(const Key& key) {
  return outside(key.name) + outside(key.qpos) + outside(key.qvel) + outside(key.act) + outside(key.mpos) +
         outside(key.mquat) + outside(key.ctrl);
}
template <class T>
double outsideNamed(const T& element) {
  if constexpr (requires { element.user; }) {
    return outside(element.name) + outside(element.user);
  } else {
    return outside(element.name);
  }
}
double outside(const Joint& x) { return outsideNamed(x); }
double outside(const Geom& x) { return outsideNamed(x) + outside(x.material) + outside(x.mesh) + outside(x.hfield); }
double outside(const Site& x) { return outsideNamed(x) + outside(x.material); }
double outside(const Camera& x) { return outsideNamed(x) + outside(x.target); }
double outside(const Light& x) { return outside(static_cast<const VisualElement&>(x)); }
double outside(const Frame& x) { return outsideNamed(x); }
double outside(const Pair& x) { return outsideNamed(x) + outside(x.geom1) + outside(x.geom2); }
double outside(const Exclude& x) { return outsideNamed(x) + outside(x.body1) + outside(x.body2); }
double outside(const Cable& x) { return outsideNamed(x); }
double outside(const Equality& x) { return outsideNamed(x) + outside(x.name1) + outside(x.name2); }
double outside(const Actuator& x) {
  return outsideNamed(x) + outside(x.target) + outside(x.slidersite) + outside(x.refsite);
}
double outside(const Sensor& x) { return outsideNamed(x) + outside(x.objname) + outside(x.refname); }

/// Lists of elements, with what each takes outside.
template <class T>
double whole(const std::vector<T>& list) {
  double bytes = static_cast<double>(list.size() * sizeof(T));
  for (const T& element : list) bytes += outside(element);
  return bytes;
}

double bytesOf(const DefaultClass& record) {
  double bytes = sizeof(DefaultClass);
  for (const DefaultClass& child : record.children) bytes += bytesOf(child);
  return bytes;
}

}  // namespace

std::string readableBytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < kUnits.size()) bytes /= 1024, ++unit;
  return unit == 0 || bytes >= 9.95 ? fmt::format("{:.0f} {}", bytes, kUnits[unit])
                                    : fmt::format("{:.2g} {}", bytes, kUnits[unit]);
}

std::optional<std::string> MemoryBudget::take(double bytes, const std::string& what) {
  if (bytes <= left()) {
    used_ += bytes;
    return std::nullopt;
  }
  const std::string taken = used_ > 0.05 * most_ ? fmt::format(" after {} for the rest", readableBytes(used_)) : "";
  return fmt::format("{} would need about {} of memory{}; {}", what, readableBytes(bytes), taken, limitText());
}

std::string MemoryBudget::limitText() const {
  return fmt::format("the limit is {} (--max-memory, LoadOptions::maxMemory)", readableBytes(most_));
}

double bytesOf(const Body& root) {
  double bytes = 0;
  forEachBody(root, [&](const Body& body) {
    bytes += static_cast<double>(sizeof(Body)) + outside(body.name) + outside(body.childclass) + outside(body.cable) +
             outside(body.user) + whole(body.frames) + whole(body.joints) + whole(body.geoms) + whole(body.sites) +
             whole(body.cameras) + whole(body.lights) + whole(body.flexcomps);
  });
  return bytes;
}

double bytesAttached(const Spec& spec) {
  return bytesOf(spec.world) + bytesOf(spec.defaults) + whole(spec.meshes) + whole(spec.hfields) +
         whole(spec.textures) + whole(spec.materials) + whole(spec.skins) + whole(spec.flexes) + whole(spec.pairs) +
         whole(spec.excludes) + whole(spec.cables) + whole(spec.equalities) + whole(spec.tendons) +
         whole(spec.actuators) + whole(spec.sensors) + whole(spec.numerics) + whole(spec.texts) + whole(spec.tuples) +
         whole(spec.keys);
}

double bytesOf(const Spec& spec) {
  return static_cast<double>(sizeof(Spec)) + bytesAttached(spec) + whole(spec.visual);
}

int depthOf(const Body& root) {
  int deepest = 0;
  std::vector<std::pair<const Body*, int>> pending{{&root, 1}};
  while (!pending.empty()) {
    const auto [body, depth] = pending.back();
    pending.pop_back();
    deepest = std::max(deepest, depth);
    for (const Body& child : body->bodies) pending.emplace_back(&child, depth + 1);
  }
  return deepest;
}

double chainBytes(double dofs) {
  // M, its factor and the modified one, with columns and map; the two matrices of pattern D, likewise; while compiling
  // the two patterns once more
  const double lower = 0.5 * dofs * (dofs + 1);
  return lower * (3 * sizeof(double) + 3 * sizeof(int)) + 2 * lower * (2 * sizeof(double) + 3 * sizeof(int));
}

}  // namespace sinew::spec
