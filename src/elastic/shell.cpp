#include "elastic/shell.h"

#include <cmath>

#include "elastic/lagrange.h"
#include "math/decompose.h"
#include "math/quat.h"

namespace sinew::elastic {
namespace {

using Vec2 = Eigen::Vector2d;

/// Calls f(gradient of the shape functions, 1/m; area) for every Gauss point.
template <int Order, class F>
void forEachPoint(const Vec2& size, F&& f) {
  const Gauss<Order> rule = gauss<Order>();
  for (std::size_t i = 0; i <= Order; ++i) {
    for (std::size_t j = 0; j <= Order; ++j) {
      const FaceGradient<Order> g = size.cwiseInverse().asDiagonal() * faceGradient<Order>({rule.at[i], rule.at[j]});
      f(g, rule.weight[i] * rule.weight[j] * size.prod());
    }
  }
}

/// out_ij += vol sum_kl g_i[k] A_kl g_j[l].
template <int Order>
void addPulledBack(const FaceGradient<Order>& g, double vol, const GradientTangent<2>& A, FaceStiffness<Order>& out) {
  for (int j = 0; j < kFacePoints<Order>; ++j) {
    Eigen::Matrix<double, 6, 3> column = Eigen::Matrix<double, 6, 3>::Zero();
    for (int l = 0; l < 2; ++l) column += vol * g(l, j) * A.middleCols<3>(3 * l);
    for (int i = 0; i < kFacePoints<Order>; ++i) {
      for (int k = 0; k < 2; ++k) out.template block<3, 3>(3 * i, 3 * j) += g(k, i) * column.middleRows<3>(3 * k);
    }
  }
}

/// The middle of a side, in the coordinates of the face.
Vec2 middleOf(int side) {
  Vec2 s(0.5, 0.5);
  s[side / 2] = side % 2;
  return s;
}

/// A face whose tangents span less than this part of their squares has no area there: its normal is noise, and to turn
/// it takes next to no motion.
constexpr double kFlatFace = 1e-5;

/// Tangents and unit normal of a face in the middle of one of its sides.
template <int Order>
struct Frame {
  FaceGradient<Order> gradient;
  Vec3 t1, t2, n;
  double area = 0;  ///< |t1 x t2|; 0 if it counts as none

  explicit Frame(const FoldSide<Order>& face) : gradient(faceGradient<Order>(middleOf(face.side))) {
    t1 = face.x * gradient.row(0).transpose();
    t2 = face.x * gradient.row(1).transpose();
    n = t1.cross(t2);
    area = n.norm();
    const bool flat = !(area >= kMinVal && area > kFlatFace * (t1.squaredNorm() + t2.squaredNorm()));
    if (flat) {
      area = 0;
    } else {
      n /= area;
    }
  }
  bool valid() const { return area > 0; }
};

/// Mean of the rotations of two faces.
template <int Order>
Mat3 meanRotation(const FoldSide<Order>& a, const FoldSide<Order>& b) {
  const Quat qa = fromMatrix(faceRotation<Order>(a.x, a.axis));
  Quat qb = fromMatrix(faceRotation<Order>(b.x, b.axis));
  if (qa.w * qb.w + qa.x * qb.x + qa.y * qb.y + qa.z * qb.z < 0) qb = {-qb.w, -qb.x, -qb.y, -qb.z};
  return toMatrix(normalized(Quat{qa.w + qb.w, qa.x + qb.x, qa.y + qb.y, qa.z + qb.z}));
}

/// Derivative of the normal of a face by its nodes: dn = (1 - n n')/|t1 x t2| (dt1 x t2 + t1 x dt2).
template <int Order>
typename FaceFold<Order>::Jacobian normalJacobian(const Frame<Order>& frame) {
  const Mat3 across = (Mat3::Identity() - frame.n * frame.n.transpose()) / frame.area;
  const Mat3 by1 = -across * crossMatrix(frame.t2), by2 = across * crossMatrix(frame.t1);
  typename FaceFold<Order>::Jacobian J;
  for (int i = 0; i < kFacePoints<Order>; ++i) {
    J.template block<3, 3>(0, 3 * i) = frame.gradient(0, i) * by1 + frame.gradient(1, i) * by2;
  }
  return J;
}

/// Fold and twist of two faces that are not in line at rest.
struct FoldAndTwist {
  Vec3 e;             ///< direction of the edge
  double length = 0;  ///< of the tangent along it
  double twist = 0, fold = 0;
  Vec3 p;  ///< direction of the jump across the edge; 0 if there is none

  FoldAndTwist(const Vec3& tangent, const Vec3& jump) : length(tangent.norm()) {
    e = length >= kMinVal ? Vec3(tangent / length) : Vec3::Zero();
    twist = e.dot(jump);
    p = jump - e * twist;
    fold = p.norm();
    p = fold >= kMinVal ? Vec3(p / fold) : Vec3::Zero();
  }
};

/// Which coordinate runs along the side: a side of the first coordinate runs along the second.
int alongSide(int side) { return side < 2 ? 1 : 0; }

/// In line, and under the law of the reference, the vector n_A - n_B (- R jump0) is squared as a whole.
constexpr double kInLine = 1e-9;

/// Cells along the two coordinates of faces across an axis.
std::array<int, 2> cellsOf(const std::array<int, 3>& cells, int axis) {
  return {cells[(axis + 1) % 3], cells[(axis + 2) % 3]};
}

}  // namespace

int numFaces(const std::array<int, 3>& cells) {
  return 2 * (cells[1] * cells[2] + cells[2] * cells[0] + cells[0] * cells[1]);
}

ShellFace faceAt(const std::array<int, 3>& cells, int number) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto [n0, n1] = cellsOf(cells, axis);
    for (const bool high : {false, true}) {
      if (number < n0 * n1) return {axis, high, {number / n1, number % n1}};
      number -= n0 * n1;
    }
  }
  return {};
}

int numberOf(const std::array<int, 3>& cells, const ShellFace& face) {
  int before = 0;
  for (int axis = 0; axis < face.axis; ++axis) before += 2 * cellsOf(cells, axis)[0] * cellsOf(cells, axis)[1];
  const auto [n0, n1] = cellsOf(cells, face.axis);
  return before + (face.high ? n0 * n1 : 0) + face.cell[0] * n1 + face.cell[1];
}

FaceSide acrossSide(const std::array<int, 3>& cells, const ShellFace& face, int side) {
  const std::size_t direction = static_cast<std::size_t>(side / 2);
  const bool high = side % 2 != 0;
  FaceSide other{face, 2 * (side / 2) + (high ? 0 : 1)};
  int& next = other.face.cell[direction];
  next += high ? 1 : -1;
  if (next >= 0 && next < cellsOf(cells, face.axis)[direction]) return other;
  // round the edge of the box: the face there has this face's axis among its coordinates, at the end that this face is
  // at
  const int last = face.high ? cells[face.axis] - 1 : 0;
  other.face.axis = (face.axis + 1 + static_cast<int>(direction)) % 3;
  other.face.high = high;
  if (direction == 0) {
    other.face.cell = {face.cell[1], last};
    other.side = 2 + (face.high ? 1 : 0);
  } else {
    other.face.cell = {last, face.cell[0]};
    other.side = face.high ? 1 : 0;
  }
  return other;
}

int facePoint(const std::array<int, 3>& cells, int order, const ShellFace& face, int i, int j) {
  std::array<int, 3> at;
  at[face.axis] = face.high ? order * cells[face.axis] : 0;
  at[(face.axis + 1) % 3] = order * face.cell[0] + i;
  at[(face.axis + 2) % 3] = order * face.cell[1] + j;
  return (at[0] * (order * cells[1] + 1) + at[1]) * (order * cells[2] + 1) + at[2];
}

template <int Order>
FaceGradient<Order> faceGradient(const Vec2& s) {
  const Basis<Order> b0 = basisAt<Order>(s[0]), b1 = basisAt<Order>(s[1]);
  FaceGradient<Order> g;
  int n = 0;
  for (std::size_t i = 0; i <= Order; ++i) {
    for (std::size_t j = 0; j <= Order; ++j) g.col(n++) << b0.slope[i] * b1.value[j], b0.value[i] * b1.slope[j];
  }
  return g;
}

template <int Order>
FaceNodes<Order> faceRest(const Vec3& size, int axis) {
  FaceNodes<Order> x = FaceNodes<Order>::Zero();
  const int first = (axis + 1) % 3, second = (axis + 2) % 3;
  int n = 0;
  for (int i = 0; i <= Order; ++i) {
    for (int j = 0; j <= Order; ++j, ++n) {
      x(first, n) = size[first] * i / Order;
      x(second, n) = size[second] * j / Order;
    }
  }
  return x;
}

template <int Order>
Mat3 faceRotation(const FaceNodes<Order>& x, int axis) {
  const FaceGradient<Order> g = faceGradient<Order>({0.5, 0.5});
  Eigen::Matrix3d A;
  A.col((axis + 1) % 3) = x * g.row(0).transpose();
  A.col((axis + 2) % 3) = x * g.row(1).transpose();
  A.col(axis) = Vec3(A.col((axis + 1) % 3)).cross(Vec3(A.col((axis + 2) % 3)));
  return rotationPart(A);
}

template <int Order>
void referenceFaceStiffness(const Vec3& size, int axis, double young, double poisson, double thickness,
                            FaceStiffness<Order>& K) {
  const Lame c = planeStress(young, poisson);
  const std::array<int, 2> axes{(axis + 1) % 3, (axis + 2) % 3};
  K.setZero();
  forEachPoint<Order>({size[axes[0]], size[axes[1]]}, [&](const FaceGradient<Order>& g, double area) {
    for (int i = 0; i < kFacePoints<Order>; ++i) {
      for (int j = 0; j < kFacePoints<Order>; ++j) {
        for (int k = 0; k < 2; ++k) {
          for (int l = 0; l < 2; ++l) {
            double entry = c.lambda * g(k, i) * g(l, j) + 0.5 * c.mu * g(l, i) * g(k, j);
            if (k == l) entry += 0.5 * c.mu * g.col(i).dot(g.col(j));
            K(3 * i + axes[k], 3 * j + axes[l]) += area * thickness * entry;
          }
        }
      }
    }
  });
}

template <int Order>
double FaceElement<Order>::energy(const FaceNodes<Order>& x) const {
  double sum = 0;
  forEachPoint<Order>(size, [&](const FaceGradient<Order>& g, double area) {
    sum += thickness * area * energyDensity<2>(law, x * g.transpose());
  });
  return sum;
}

template <int Order>
FaceNodes<Order> FaceElement<Order>::force(const FaceNodes<Order>& x) const {
  FaceNodes<Order> f = FaceNodes<Order>::Zero();
  forEachPoint<Order>(size, [&](const FaceGradient<Order>& g, double area) {
    f.noalias() -= (thickness * area * stress<2>(law, x * g.transpose())) * g;
  });
  return f;
}

template <int Order>
FaceNodes<Order> FaceElement<Order>::damperForce(const FaceNodes<Order>& x, const FaceNodes<Order>& v,
                                                 double time) const {
  FaceNodes<Order> f = FaceNodes<Order>::Zero();
  forEachPoint<Order>(size, [&](const FaceGradient<Order>& g, double area) {
    f.noalias() -= (thickness * area * dampingStress<2>(law, x * g.transpose(), v * g.transpose(), time)) * g;
  });
  return f;
}

template <int Order>
void FaceElement<Order>::stiffness(const FaceNodes<Order>& x, Tangent tangent, FaceStiffness<Order>& out) const {
  out.setZero();
  forEachPoint<Order>(size, [&](const FaceGradient<Order>& g, double area) {
    addPulledBack<Order>(g, thickness * area, stressTangent<2>(law, x * g.transpose(), tangent), out);
  });
}

template <int Order>
void FaceElement<Order>::damping(const FaceNodes<Order>& x, double time, FaceStiffness<Order>& out) const {
  out.setZero();
  forEachPoint<Order>(size, [&](const FaceGradient<Order>& g, double area) {
    addPulledBack<Order>(g, thickness * area, dampingTangent<2>(law, x * g.transpose(), time), out);
  });
}

template <int Order>
double FaceFold<Order>::energy(const FoldSide<Order>& a, const FoldSide<Order>& b) const {
  const Frame<Order> fa(a), fb(b);
  if (!fa.valid() || !fb.valid()) return 0;
  const Vec3 jump = fa.n - fb.n;
  if (reference) return 0.5 * k * (jump - meanRotation(a, b) * jump0).squaredNorm();
  const double rho0 = jump0.norm();
  if (rho0 < kInLine) return 0.5 * k * jump.squaredNorm();
  const FoldAndTwist s(alongSide(a.side) == 1 ? fa.t2 : fa.t1, jump);
  return 0.5 * k * ((s.fold - rho0) * (s.fold - rho0) + s.twist * s.twist);
}

template <int Order>
void FaceFold<Order>::force(const FoldSide<Order>& a, const FoldSide<Order>& b, FaceNodes<Order>& onA,
                            FaceNodes<Order>& onB) const {
  onA.setZero();
  onB.setZero();
  const Frame<Order> fa(a), fb(b);
  if (!fa.valid() || !fb.valid()) return;
  Jacobian byA, byB;
  jacobian(a, b, byA, byB);
  Vec3 r = fa.n - fb.n;
  const double rho0 = jump0.norm();
  if (reference) {
    r -= meanRotation(a, b) * jump0;
  } else if (rho0 >= kInLine) {
    const FoldAndTwist s(alongSide(a.side) == 1 ? fa.t2 : fa.t1, r);
    r = Vec3(s.fold - rho0, s.twist, 0);
  }
  onA.reshaped() = -k * (byA.transpose() * r);
  onB.reshaped() = -k * (byB.transpose() * r);
}

template <int Order>
void FaceFold<Order>::jacobian(const FoldSide<Order>& a, const FoldSide<Order>& b, Jacobian& byA, Jacobian& byB) const {
  byA.setZero();
  byB.setZero();
  const Frame<Order> fa(a), fb(b);
  if (!fa.valid() || !fb.valid()) return;
  byA = normalJacobian(fa);
  byB = -normalJacobian(fb);
  if (reference || jump0.norm() < kInLine) return;

  // d fold = p.dj - twist p.dt/|t|, d twist = e.dj + fold p.dt/|t|, t the tangent along the edge
  const int along = alongSide(a.side);
  const FoldAndTwist s(along == 1 ? fa.t2 : fa.t1, fa.n - fb.n);
  Mat3 project = Mat3::Zero();
  project.row(0) = s.p;
  project.row(1) = s.e;
  byA = (project * byA).eval();
  byB = (project * byB).eval();
  if (!(s.length >= kMinVal)) return;
  for (int i = 0; i < kFacePoints<Order>; ++i) {
    const double g = fa.gradient(along, i) / s.length;
    byA.template block<1, 3>(0, 3 * i) -= g * s.twist * s.p.transpose();
    byA.template block<1, 3>(1, 3 * i) += g * s.fold * s.p.transpose();
  }
}

template <int Order>
FaceFold<Order> faceFold(const FoldSide<Order>& a, const FoldSide<Order>& b, double modulus) {
  const Frame<Order> fa(a), fb(b);
  if (!fa.valid() || !fb.valid()) return {};
  const auto along = [](const FoldSide<Order>& face, const Frame<Order>& f) {
    return (face.side < 2 ? f.t2 : f.t1).norm();
  };
  const auto across = [](const FoldSide<Order>& face, const Frame<Order>& f) {
    return (face.side < 2 ? f.t1 : f.t2).norm();
  };
  return {modulus * (along(a, fa) + along(b, fb)) / (across(a, fa) + across(b, fb)), fa.n - fb.n};
}

#define SINEW_SHELL(Order)                                                                                      \
  template FaceGradient<Order> faceGradient<Order>(const Vec2&);                                                \
  template FaceNodes<Order> faceRest<Order>(const Vec3&, int);                                                  \
  template Mat3 faceRotation<Order>(const FaceNodes<Order>&, int);                                              \
  template void referenceFaceStiffness<Order>(const Vec3&, int, double, double, double, FaceStiffness<Order>&); \
  template struct FaceElement<Order>;                                                                           \
  template struct FaceFold<Order>;                                                                              \
  template FaceFold<Order> faceFold<Order>(const FoldSide<Order>&, const FoldSide<Order>&, double);
SINEW_SHELL(1)
SINEW_SHELL(2)
#undef SINEW_SHELL

}  // namespace sinew::elastic
