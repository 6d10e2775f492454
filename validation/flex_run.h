#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"

namespace sinew::validation {

using Point = std::array<double, 3>;

inline double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// A model of flexes and its state, with constant loads on nodes and the drag that shortens the wait for rest.
class FlexRun {
 public:
  FlexRun(const std::string& option, const std::string& world)
      : m(compile(readMjcfText(fmt::format("<mujoco><option {}/><worldbody>{}</worldbody></mujoco>", option, world)))),
        d(m),
        load_(static_cast<std::size_t>(m.nv), 0.0) {}

  Model m;
  Data d;

  Point at(int node) const {
    const int i = m.nq_rigid + 3 * node;
    return {d.qpos[i], d.qpos[i + 1], d.qpos[i + 2]};
  }

  /// Adds a constant force on a node.
  void load(int node, int axis, double force) {
    load_[static_cast<std::size_t>(m.nv_rigid + 3 * node + axis)] += force;
  }

  /// One step under the loads and a drag of -c m v on every free node.
  void stepOnce(double drag) {
    for (int i = 0; i < m.nflexnode; ++i) {
      if (m.flexnode_pinned[i]) continue;
      for (int k = 0; k < 3; ++k) {
        const int dof = m.nv_rigid + 3 * i + k;
        d.qfrc_applied[dof] = load_[static_cast<std::size_t>(dof)] - drag * m.flexnode_mass[i] * d.qvel[dof];
      }
    }
    step(m, d);
  }

  void run(double seconds, double drag, const std::function<void()>& afterStep = {}) {
    const int steps = static_cast<int>(std::lround(seconds / m.opt.timestep));
    for (int i = 0; i < steps; ++i) {
      stepOnce(drag);
      if (afterStep) afterStep();
    }
  }

  /// Largest speed of a node.
  double fastest() const {
    double speed = 0;
    for (int i = 0; i < m.nflexnode; ++i) {
      const double* v = &d.qvel[m.nv_rigid + 3 * i];
      speed = std::max(speed, std::hypot(v[0], v[1], v[2]));
    }
    return speed;
  }

 private:
  std::vector<double> load_;
};

}  // namespace sinew::validation
