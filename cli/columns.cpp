#include "columns.h"

#include <fmt/format.h>

#include <utility>

namespace sinew::cli {
namespace {

using Words = std::vector<std::string_view>;

const Words kFreePosition{"x", "y", "z", "qw", "qx", "qy", "qz"};
const Words kBallPosition{"qw", "qx", "qy", "qz"};
const Words kFreeVelocity{"vx", "vy", "vz", "wx", "wy", "wz"};
const Words kBallVelocity{"wx", "wy", "wz"};
const Words kAxes{"x", "y", "z"};

/// Names of an array, filled in piece by piece; what nobody names keeps its index.
class ColumnNames {
 public:
  explicit ColumnNames(int count) {
    for (int i = 0; i < count; ++i) names_.push_back(std::to_string(i));
  }
  void put(int at, std::string_view owner, std::string_view part = {}) {
    if (owner.empty() || at < 0 || at >= static_cast<int>(names_.size())) return;
    names_[at] = part.empty() ? std::string(owner) : fmt::format("{}.{}", owner, part);
  }
  void put(int at, std::string_view owner, const Words& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) put(at + static_cast<int>(i), owner, parts[i]);
  }
  /// `count` numbers of one thing: by its name alone if there is one of them, else numbered.
  void putAll(int at, int count, std::string_view owner) {
    for (int i = 0; i < count; ++i) put(at + i, owner, count > 1 ? std::to_string(i) : std::string());
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
};

/// Coordinates or velocities of joints and of flex nodes.
std::vector<std::string> dofNames(const Model& m, int count, const Array<int>& address, int firstNode,
                                  const Words& free, const Words& ball) {
  ColumnNames names(count);
  for (int j = 0; j < m.njnt; ++j) {
    const std::string_view name = nameOf(m, ObjType::Joint, j);
    if (m.jnt_type[j] == JointType::Free) {
      names.put(address[j], name, free);
    } else if (m.jnt_type[j] == JointType::Ball) {
      names.put(address[j], name, ball);
    } else {
      names.put(address[j], name);
    }
  }
  for (int n = 0; n < m.nflexnode; ++n) {
    const int flex = m.flexnode_flexid[n];
    const std::string_view name = nameOf(m, ObjType::Flex, flex);
    if (name.empty()) continue;
    names.put(firstNode + 3 * n, fmt::format("{}.{}", name, m.flexnode_pointid[n] - m.flex_pointadr[flex]), kAxes);
  }
  return names.take();
}

}  // namespace

std::vector<Quantity> quantitiesOf(const Model& m) {
  ColumnNames act(m.na), ctrl(m.nu), sensors(m.nsensordata);
  for (int u = 0; u < m.nactuator; ++u) {
    const std::string_view name = nameOf(m, ObjType::Actuator, u);
    ctrl.putAll(m.actuator_ctrladr[u], m.actuator_ctrlnum[u], name);
    act.putAll(m.actuator_actadr[u], m.actuator_actadr[u] < 0 ? 0 : m.actuator_actnum[u], name);
  }
  for (int s = 0; s < m.nsensor; ++s) {
    sensors.putAll(m.sensor_adr[s], m.sensor_dim[s], nameOf(m, ObjType::Sensor, s));
  }
  return {{"time", {""}},
          {"qpos", dofNames(m, m.nq, m.jnt_qposadr, m.nq_rigid, kFreePosition, kBallPosition)},
          {"qvel", dofNames(m, m.nv, m.jnt_dofadr, m.nv_rigid, kFreeVelocity, kBallVelocity)},
          {"act", act.take()},
          {"ctrl", ctrl.take()},
          {"sensordata", sensors.take()},
          {"energy", {"potential", "kinetic"}}};
}

void appendSample(const Data& d, std::vector<double>& sample) {
  const auto add = [&](const auto& values) { sample.insert(sample.end(), values.begin(), values.end()); };
  sample.push_back(d.time);
  add(d.qpos);
  add(d.qvel);
  add(d.act);
  add(d.ctrl);
  add(d.sensordata);
  add(d.energy);
}

}  // namespace sinew::cli
