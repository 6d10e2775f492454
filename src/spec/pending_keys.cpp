#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "spec/actuator_block.h"
#include "spec/attach.h"
#include "spec/names.h"
#include "spec/place.h"

namespace sinew::spec {
namespace {

/// No name written by a user starts like this: XML does not allow the character.
constexpr char kTemporary = '\x01';

int numPositions(JointType type) { return type == JointType::Free ? 7 : type == JointType::Ball ? 4 : 1; }
int numVelocities(JointType type) { return type == JointType::Free ? 6 : type == JointType::Ball ? 3 : 1; }

/// Calls visit(name, offset, count) for each block of a list of numbers, in the order of the compiled model.
struct Layout {
  using Block = std::pair<std::string, int>;
  std::vector<Block> qpos, qvel, act, ctrl, mpos, mquat;

  explicit Layout(const Spec& spec) {
    forEachBody(spec.world, [&](const Body& body) {
      for (const Joint& joint : body.joints) {
        qpos.emplace_back(joint.name, numPositions(joint.type));
        qvel.emplace_back(joint.name, numVelocities(joint.type));
      }
      if (!body.mocap) return;
      mpos.emplace_back(body.name, 3);
      mquat.emplace_back(body.name, 4);
    });
    for (const Actuator& actuator : spec.actuators) {
      const ActuatorBlock block = blockOf(actuator);
      if (block.activations > 0) act.emplace_back(actuator.name, block.activations);
      if (block.controls > 0) ctrl.emplace_back(actuator.name, block.controls);
    }
  }
};

using Blocks = std::vector<std::pair<std::string, std::vector<double>>>;

int total(const std::vector<Layout::Block>& layout) {
  int sum = 0;
  for (const auto& [name, count] : layout) sum += count;
  return sum;
}

Blocks split(const Key& key, const char* list, const std::optional<std::vector<double>>& values,
             const std::vector<Layout::Block>& layout, const Naming& naming) {
  Blocks blocks;
  if (!values) return blocks;
  if (static_cast<int>(values->size()) != total(layout))
    throw LoadError(
        located(key, "key", fmt::format("'{}' needs {} numbers, found {}", list, total(layout), values->size())));
  auto next = values->begin();
  for (const auto& [name, count] : layout) {
    blocks.emplace_back(naming(name), std::vector<double>(next, next + count));
    next += count;
  }
  return blocks;
}

std::vector<double> join(const Blocks& blocks, const std::vector<Layout::Block>& layout, double missing) {
  std::map<std::string_view, const std::vector<double>*> byName;
  for (const auto& [name, values] : blocks) byName.emplace(name, &values);
  std::vector<double> list;
  for (const auto& [name, count] : layout) {
    const auto found = byName.find(name);
    if (found != byName.end())
      list.insert(list.end(), found->second->begin(), found->second->end());
    else
      list.insert(list.end(), static_cast<std::size_t>(count), missing);
  }
  return list;
}

void fillUp(std::optional<std::vector<double>>& values, const std::vector<Layout::Block>& layout, double missing) {
  const auto size = static_cast<std::size_t>(total(layout));
  if (values && values->size() < size) values->resize(size, missing);
}

constexpr double kReference = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void PendingKeys::add(Spec& child, const Naming& naming) {
  attached_ = true;
  if (child.keys.empty()) return;
  bool soft = !child.flexes.empty();
  forEachBody(child.world, [&](const Body& body) { soft = soft || !body.flexcomps.empty(); });
  if (soft) {
    throw LoadError(located(child.keys[0], "key", "keyframes of a model with flexes cannot be attached"));
  }
  const auto ensureName = [&](Element& element) {
    if (element.name.empty()) element.name = kTemporary + std::to_string(serial_++);
  };
  forEachBody(child.world, [&](Body& body) {
    for (Joint& joint : body.joints) ensureName(joint);
    if (body.mocap) ensureName(body);
  });
  for (Actuator& actuator : child.actuators) ensureName(actuator);

  const Layout layout(child);
  for (const Key& key : child.keys) {
    Entry& entry = entries_.emplace_back();
    entry.key = key;
    entry.key.name = naming(key.name);
    entry.qpos = split(key, "qpos", key.qpos, layout.qpos, naming);
    entry.qvel = split(key, "qvel", key.qvel, layout.qvel, naming);
    entry.act = split(key, "act", key.act, layout.act, naming);
    entry.ctrl = split(key, "ctrl", key.ctrl, layout.ctrl, naming);
    entry.mpos = split(key, "mpos", key.mpos, layout.mpos, naming);
    entry.mquat = split(key, "mquat", key.mquat, layout.mquat, naming);
  }
}

void PendingKeys::follow(const Body& part, const Naming& naming) {
  std::set<std::string_view> joints, bodies;
  forEachBody(part, [&](const Body& body) {
    for (const Joint& joint : body.joints) joints.insert(joint.name);
    if (body.mocap) bodies.insert(body.name);
  });
  const auto rename = [&](Blocks& blocks, const std::set<std::string_view>& names) {
    for (auto& [name, values] : blocks) {
      if (names.contains(name)) name = naming(name);
    }
  };
  for (Entry& entry : entries_) {
    rename(entry.qpos, joints);
    rename(entry.qvel, joints);
    rename(entry.mpos, bodies);
    rename(entry.mquat, bodies);
  }
}

void PendingKeys::finish(Spec& spec) {
  if (!attached_) return;
  const Layout layout(spec);
  for (Key& key : spec.keys) {
    fillUp(key.qpos, layout.qpos, kReference);
    fillUp(key.qvel, layout.qvel, 0);
    fillUp(key.act, layout.act, 0);
    fillUp(key.ctrl, layout.ctrl, 0);
    fillUp(key.mpos, layout.mpos, kReference);
    fillUp(key.mquat, layout.mquat, kReference);
  }
  for (Entry& entry : entries_) {
    Key& key = entry.key;
    if (key.qpos) key.qpos = join(entry.qpos, layout.qpos, kReference);
    if (key.qvel) key.qvel = join(entry.qvel, layout.qvel, 0);
    if (key.act) key.act = join(entry.act, layout.act, 0);
    if (key.ctrl) key.ctrl = join(entry.ctrl, layout.ctrl, 0);
    if (key.mpos) key.mpos = join(entry.mpos, layout.mpos, kReference);
    if (key.mquat) key.mquat = join(entry.mquat, layout.mquat, kReference);
    spec.keys.push_back(std::move(key));
  }
  entries_.clear();

  const auto clear = [](Element& element) {
    if (element.name.find(kTemporary) != std::string::npos) element.name.clear();
  };
  forEachBody(spec.world, [&](Body& body) {
    clear(body);
    for (Joint& joint : body.joints) clear(joint);
  });
  for (Actuator& actuator : spec.actuators) clear(actuator);
}

}  // namespace sinew::spec
