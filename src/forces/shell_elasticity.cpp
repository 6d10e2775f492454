#include "forces/shell_elasticity.h"

#include <algorithm>
#include <array>
#include <span>

#include "elastic/shell.h"
#include "forces/elastic_constants.h"
#include "math/types.h"

namespace sinew {
namespace {

using elastic::FaceNodes;
using elastic::FaceStiffness;
using elastic::kFacePoints;

/// The faces and folds of one shell.
template <int Order>
class Shell {
 public:
  static constexpr int kPoints = kFacePoints<Order>;

  Shell(const Model& m, const Data& d, int f) : m_(m), d_(d), f_(f), size_(vec3(m.flex_cellsize.data(), f)) {
    for (std::size_t k = 0; k < 3; ++k) cells_[k] = m.flex_cellnum[3 * f + static_cast<int>(k)];
    law_ = elastic::makeLaw(m.flex_law[f], 2, m.flex_young[f], m.flex_poisson[f]);
  }

  bool hasMembrane() const { return sinew::hasMembrane(m_, f_); }
  int numFaces() const { return m_.flex_cellcount[f_]; }
  const int* points(int face) const { return &m_.flexcell_point[m_.flex_celldataadr[f_] + kPoints * face]; }
  FaceNodes<Order> gather(const Array<double>& array, int face) const {
    FaceNodes<Order> x;
    for (int i = 0; i < kPoints; ++i) x.col(i) = vec3(array.data(), points(face)[i]);
    return x;
  }
  FaceNodes<Order> positions(int face) const { return gather(d_.flexpoint_xpos, face); }

  elastic::FaceElement<Order> membrane(int face) const {
    const int axis = elastic::faceAt(cells_, face).axis;
    return {law_, {size_[(axis + 1) % 3], size_[(axis + 2) % 3]}, m_.flex_thickness[f_]};
  }

  /// Calls visit(fold, first side, second side, their faces).
  template <class Visitor>
  void forEachFold(Visitor&& visit) const {
    for (int i = m_.flex_foldadr[f_]; i < m_.flex_foldadr[f_] + m_.flex_foldnum[f_]; ++i) {
      const elastic::FaceFold<Order> fold{m_.flexfold_stiffness[i], vec3(m_.flexfold_jump0.data(), i),
                                          m_.flex_law[f_] == FlexLaw::Reference};
      const int a = m_.flexfold_face[2 * i], b = m_.flexfold_face[2 * i + 1];
      visit(fold, side(a, m_.flexfold_side[2 * i]), side(b, m_.flexfold_side[2 * i + 1]), a, b);
    }
  }

 private:
  elastic::FoldSide<Order> side(int face, int number) const {
    return {positions(face), elastic::faceAt(cells_, face).axis, number};
  }

  const Model& m_;
  const Data& d_;
  int f_;
  Vec3 size_;
  std::array<int, 3> cells_{};
  elastic::Law law_;
};

template <int Order>
void addForces(const Model& m, const Data& d, int f, double* spring, double* damper) {
  const Shell<Order> shell(m, d, f);
  const auto scatter = [&](const FaceNodes<Order>& force, int face, double* to) {
    for (int i = 0; i < shell.kPoints; ++i) vec3(to, shell.points(face)[i]) += force.col(i);
  };
  if (shell.hasMembrane()) {
    for (int face = 0; face < shell.numFaces(); ++face) {
      const elastic::FaceElement<Order> membrane = shell.membrane(face);
      const FaceNodes<Order> x = shell.positions(face);
      if (spring) scatter(membrane.force(x), face, spring);
      if (!damper || m.flex_damping[f] == 0) continue;
      scatter(membrane.damperForce(x, shell.gather(d.flexpoint_xvel, face), m.flex_damping[f]), face, damper);
    }
  }
  if (!spring) return;
  shell.forEachFold([&](const auto& fold, const auto& a, const auto& b, int faceA, int faceB) {
    FaceNodes<Order> onA, onB;
    fold.force(a, b, onA, onB);
    scatter(onA, faceA, spring);
    scatter(onB, faceB, spring);
  });
}

template <int Order>
double energyOf(const Model& m, const Data& d, int f) {
  const Shell<Order> shell(m, d, f);
  double sum = 0;
  if (shell.hasMembrane()) {
    for (int face = 0; face < shell.numFaces(); ++face) sum += shell.membrane(face).energy(shell.positions(face));
  }
  shell.forEachFold([&](const auto& fold, const auto& a, const auto& b, int, int) { sum += fold.energy(a, b); });
  return sum;
}

template <int Order>
void deliver(const Model& m, const Data& d, int f, const StiffnessSink& sink) {
  const Shell<Order> shell(m, d, f);
  constexpr int n = kFacePoints<Order>;
  const bool springs = !m.opt.disabled(disable::kSpring), dampers = !m.opt.disabled(disable::kDamper);
  if (shell.hasMembrane()) {
    FaceStiffness<Order> K = FaceStiffness<Order>::Zero(), D;
    const double time = dampers ? m.flex_damping[f] : 0;
    for (int face = 0; face < shell.numFaces(); ++face) {
      const FaceNodes<Order> x = shell.positions(face);
      if (springs) shell.membrane(face).stiffness(x, elastic::Tangent::Definite, K);
      if (time > 0) shell.membrane(face).damping(x, time, D);
      sink.call(sink.target, {shell.points(face), static_cast<std::size_t>(n)}, K.data(),
                time > 0 ? D.data() : nullptr);
    }
  }
  if (!springs) return;
  // both faces have the points of the fold: each counts once
  constexpr int most = 2 * n - (Order + 1);
  using FaceJacobian = Eigen::Matrix<double, 3, 3 * n>;
  FoldPoints points;
  Eigen::Matrix<double, 3, 3 * most> J;
  elastic::Stiffness<most> K;
  shell.forEachFold([&](const auto& fold, const auto& a, const auto& b, int faceA, int faceB) {
    const int count = joinFaces(shell.points(faceA), shell.points(faceB), n, points);
    J.setZero();
    FaceJacobian byA, byB;
    fold.jacobian(a, b, byA, byB);
    const auto add = [&](const FaceJacobian& part, int face) {
      for (int i = 0; i < n; ++i) {
        const auto found = std::find(points.begin(), points.begin() + count, shell.points(face)[i]);
        const auto at = static_cast<int>(found - points.begin());
        J.template middleCols<3>(3 * at) += part.template middleCols<3>(3 * i);
      }
    };
    add(byA, faceA);
    add(byB, faceB);
    K.noalias() = fold.k * J.transpose() * J;
    sink.call(sink.target, {points.data(), static_cast<std::size_t>(count)}, K.data(), nullptr);
  });
}

}  // namespace

void addShellForces(const Model& m, const Data& d, int f, double* spring, double* damper) {
  m.flex_interp[f] == -1 ? addForces<1>(m, d, f, spring, damper) : addForces<2>(m, d, f, spring, damper);
}

double shellEnergy(const Model& m, const Data& d, int f) {
  return m.flex_interp[f] == -1 ? energyOf<1>(m, d, f) : energyOf<2>(m, d, f);
}

void deliverShellStiffness(const Model& m, const Data& d, int f, const StiffnessSink& sink) {
  m.flex_interp[f] == -1 ? deliver<1>(m, d, f, sink) : deliver<2>(m, d, f, sink);
}

}  // namespace sinew
