#include "support/random_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kinematics/positions.h"

namespace sinew::test {
namespace {

class TreeText {
 public:
  TreeText(unsigned seed, int bodies) : generator_(seed), children_(static_cast<std::size_t>(bodies) + 1) {
    for (int i = 1; i <= bodies; ++i) {
      // the first bodies hang on the world, later ones mostly on a recent body
      const int parent = i <= 3 && pick(3) == 0 ? 0 : std::max(i == 1 ? 0 : 1, i - 1 - pick(3));
      children_[parent].push_back(i);
    }
  }

  std::string mjcf() {
    std::string text = "<mujoco><compiler angle='radian'/><worldbody><site name='s0' pos='0.1 0.2 0.9'/>";
    for (const int child : children_[0]) text += body(child, true);
    return text + "</worldbody></mujoco>";
  }

 private:
  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(generator_); }
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }
  std::string vec(int n, double scale) {
    std::string text;
    for (int i = 0; i < n; ++i) text += fmt::format("{}{}", i > 0 ? " " : "", uniform(-scale, scale));
    return text;
  }

  std::string joints(bool root) {
    const int kind = pick(8);
    if (kind == 0) return "";  // welded
    if (root && kind <= 2) return "<freejoint/>";
    std::string text;
    const bool ball = kind == 3;
    const int scalars = ball ? pick(2) : 1 + pick(3);
    for (int i = 0; i < scalars; ++i) {
      text += fmt::format("<joint type='{}' axis='{}' pos='{}' ref='{}'/>", ball || pick(3) == 0 ? "slide" : "hinge",
                          vec(3, 1), vec(3, 0.3), uniform(-0.5, 0.5));
    }
    if (ball) text += fmt::format("<joint type='ball' pos='{}'/>", vec(3, 0.3));
    return text;
  }

  std::string body(int id, bool root) {
    // principal moments a + b, b + c, c + a obey the triangle inequality for any a, b, c > 0
    const double a = uniform(0.05, 0.5), b = uniform(0.05, 0.5), c = uniform(0.05, 0.5);
    std::string text = fmt::format("<body pos='{}' quat='{}'>{}", vec(3, 0.6), vec(4, 1), joints(root));
    text += fmt::format("<inertial pos='{}' quat='{}' mass='{}' diaginertia='{} {} {}'/>", vec(3, 0.2), vec(4, 1),
                        uniform(0.3, 2), a + b, b + c, c + a);
    text += fmt::format("<site name='s{}' pos='{}' quat='{}'/>", id, vec(3, 0.3), vec(4, 1));
    for (const int child : children_[id]) text += body(child, false);
    return text + "</body>";
  }

  std::mt19937 generator_;
  std::vector<std::vector<int>> children_;
};

}  // namespace

std::string randomTree(unsigned seed, int bodies) { return TreeText(seed, bodies).mjcf(); }

Array<double> movedAlong(const Model& m, const Array<double>& qpos, const Array<double>& v, double h) {
  Array<double> q = qpos;
  integratePositions(m, q.data(), v.data(), h);
  return q;
}

Array<double> movedAlong(const Model& m, const Array<double>& qpos, int dof, double h) {
  Array<double> unit(m.nv);
  unit[dof] = 1;
  return movedAlong(m, qpos, unit, h);
}

}  // namespace sinew::test
