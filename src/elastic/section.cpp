#include "elastic/section.h"

#include <cmath>
#include <numbers>

#include "math/decompose.h"
#include "math/quat.h"

namespace sinew::elastic {
namespace {

const double kRoot3 = std::numbers::sqrt3;

/// Vectors made of points: weights of the points of an element.
template <int N>
using Weights = Eigen::Matrix<double, N, 1>;

using Row15 = Eigen::Matrix<double, 1, 15>;

/// Strains of a Section and their derivatives by e, y and z.
struct SectionStrain {
  bool valid = false;
  Vec3 e, y, z, t;
  double length = 0;
  Eigen::Matrix<double, 5, 1> s;
  Eigen::Matrix<double, 5, 15> gradient;  // by the points
};

/// e, y, z of the points as weights: e = x1 - x0, y = (g0 - (g1 + g2)/2) / (3/2 a), z = (g1 - g2) / (sqrt(3) b).
Eigen::Matrix<double, 5, 3> sectionWeights(double a, double b) {
  Eigen::Matrix<double, 5, 3> w = Eigen::Matrix<double, 5, 3>::Zero();
  w(0, 0) = -1, w(1, 0) = 1;
  w(2, 1) = 1 / (1.5 * a), w(3, 1) = w(4, 1) = -0.5 / (1.5 * a);
  w(3, 2) = 1 / (kRoot3 * b), w(4, 2) = -w(3, 2);
  return w;
}

Weights<5> middleWeights() {
  Weights<5> w;
  w << -0.5, -0.5, 1.0 / 3, 1.0 / 3, 1.0 / 3;
  return w;
}

/// Row of derivatives by e, y, z spread over the points.
Row15 spread(const Eigen::Matrix<double, 5, 3>& w, const Vec3& byE, const Vec3& byY, const Vec3& byZ) {
  Row15 row;
  for (int i = 0; i < 5; ++i) row.segment<3>(3 * i) = (w(i, 0) * byE + w(i, 1) * byY + w(i, 2) * byZ).transpose();
  return row;
}

SectionStrain strainOf(const Nodes<5>& x, double a, double b) {
  SectionStrain r;
  const Eigen::Matrix<double, 5, 3> w = sectionWeights(a, b);
  r.e = x * w.col(0);
  r.y = x * w.col(1);
  r.z = x * w.col(2);
  r.length = r.e.norm();
  if (r.length < kMinLength) return r;
  r.valid = true;
  r.t = r.e / r.length;
  const double yt = r.y.dot(r.t), zt = r.z.dot(r.t);
  r.s << yt, zt, 0.5 * (r.y.squaredNorm() - 1), 0.5 * (r.z.squaredNorm() - 1), r.y.dot(r.z);
  const Vec3 zero = Vec3::Zero();
  r.gradient.row(0) = spread(w, (r.y - yt * r.t) / r.length, r.t, zero);
  r.gradient.row(1) = spread(w, (r.z - zt * r.t) / r.length, zero, r.t);
  r.gradient.row(2) = spread(w, zero, r.y, zero);
  r.gradient.row(3) = spread(w, zero, zero, r.z);
  r.gradient.row(4) = spread(w, zero, r.z, r.y);
  return r;
}

/// K += scale (w w') (x) I.
template <int N>
void addScalar(Stiffness<N>& K, const Weights<N>& w, double scale) {
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) K.template block<3, 3>(3 * i, 3 * j).diagonal().array() += scale * w[i] * w[j];
  }
}

using Vec4 = Eigen::Vector4d;
using Mat4 = Eigen::Matrix4d;
using Rates = Eigen::Matrix<double, 4, 3>;

Vec4 product(const Vec4& a, const Vec4& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

/// Columns p e_k, or e_k p.
Rates times(const Vec4& p, bool fromLeft) {
  Rates r;
  for (int k = 0; k < 3; ++k) r.col(k) = fromLeft ? product(Vec4::Unit(1 + k), p) : product(p, Vec4::Unit(1 + k));
  return r;
}

/// b/sin(b/2) = 2 atan(s/c)/s of a quaternion with s = |(q2, q3)|, c = |(q0, q1)|: value, derivative by s over s, and
/// once more.
struct BendScale {
  double value, slope, curvature;
  BendScale(double s, double c) {
    const double x2 = s * s / (c * c);
    if (x2 < 0.01) {  // 2/c (1 - x^2/3 + x^4/5 - ...)
      value = slope = curvature = 0;
      for (int k = 10; k >= 0; --k) {
        const double term = (k % 2 == 0 ? 2.0 : -2.0) / (2 * k + 1);
        value = value * x2 + term;
        if (k >= 1) slope = slope * x2 + term * 2 * k;
        if (k >= 2) curvature = curvature * x2 + term * 2 * k * (2 * k - 2);
      }
      value /= c;
      slope /= c * c * c;
      curvature /= c * c * c * c * c;
      return;
    }
    const double angle = 2 * std::atan2(s, c), square = s * s + c * c;
    const double by1 = 2 * c / square, by2 = -4 * c * s / (square * square);  // derivatives of the angle by s
    value = angle / s;
    const double d1 = (by1 - value) / s;
    const double d2 = (by2 - 2 * d1) / s;
    slope = d1 / s;
    curvature = (d2 - slope) / (s * s);
  }
};

/// u as a function of the quaternion, whose sign and length do not matter.
struct Turn {
  Vec4 q;
  double s, c2;
  BendScale scale;

  explicit Turn(const Vec4& given)
      : q(given[0] < 0 ? Vec4(-given) : given),
        s(std::hypot(q[2], q[3])),
        c2(q[0] * q[0] + q[1] * q[1]),
        scale(s, std::sqrt(c2)) {}

  Vec3 value() const { return {2 * std::atan2(q[1], q[0]), scale.value * q[2], scale.value * q[3]}; }

  Eigen::Matrix<double, 3, 4> gradient() const {
    Eigen::Matrix<double, 3, 4> D;
    const double byC = -2 / (c2 + s * s) / std::sqrt(c2);  // of the scale by c, over c
    D.row(0) << -2 * q[1] / c2, 2 * q[0] / c2, 0, 0;
    for (int i = 0; i < 2; ++i) {
      D.row(1 + i) << byC * q[0], byC * q[1], scale.slope * q[2], scale.slope * q[3];
      D.row(1 + i) *= q[2 + i];
      D(1 + i, 2 + i) += scale.value;
    }
    return D;
  }

  /// Second derivative of m . u.
  Mat4 hessian(const Vec3& m) const {
    Mat4 H = Mat4::Zero();
    const double square = c2 + s * s, c = std::sqrt(c2);
    const double n = m[1] * q[2] + m[2] * q[3];  // m . bend = scale n
    const Eigen::Vector2d a = q.head<2>(), v = q.tail<2>(), w = m.tail<2>();
    // twist: 2 atan2
    const double t = 2 * m[0] / (c2 * c2);
    H(0, 0) = 2 * q[0] * q[1] * t;
    H(1, 1) = -H(0, 0);
    H(0, 1) = H(1, 0) = (q[1] * q[1] - q[0] * q[0]) * t;
    // bend; derivatives of the scale B by c: -2/square, by c twice: 4c/square^2, by c and s: 4s/square^2
    const double byC = -2 / (square * c);
    const double byCC = (4 * c / (square * square) - byC) / c2;
    H.topLeftCorner<2, 2>() += n * (byC * Eigen::Matrix2d::Identity() + byCC * a * a.transpose());
    const Eigen::Matrix2d mixed = a * (n * 4 / (square * square * c) * v + byC * w).transpose();
    H.topRightCorner<2, 2>() += mixed;
    H.bottomLeftCorner<2, 2>() += mixed.transpose();
    H.bottomRightCorner<2, 2>() +=
        n * (scale.slope * Eigen::Matrix2d::Identity() + scale.curvature * v * v.transpose()) +
        scale.slope * (v * w.transpose() + w * v.transpose());
    return H;
  }
};

Vec4 relative(const Mat3& first, const Mat3& second) {
  const Quat q = normalized(fromMatrix(first).conjugate() * fromMatrix(second));
  return {q.w, q.x, q.y, q.z};
}

/// Weights of the points of a joint in e and y of its two segments: e0, y0, e1, y1.
const Eigen::Matrix<double, 9, 4>& jointWeights() {
  static const Eigen::Matrix<double, 9, 4> weights = [] {
    Eigen::Matrix<double, 9, 4> w = Eigen::Matrix<double, 9, 4>::Zero();
    w(0, 0) = -1, w(1, 0) = 1;
    w(3, 1) = 1, w(4, 1) = w(5, 1) = -0.5;
    w(1, 2) = -1, w(2, 2) = 1;
    w(6, 3) = 1, w(7, 3) = w(8, 3) = -0.5;
    return w;
  }();
  return weights;
}

/// Frames of both segments of a joint, the turn between them and its derivative by e0, y0, e1, y1.
struct JointState {
  bool valid = false;
  SectionFrame first, second;
  Vec4 q;
  Vec3 u = Vec3::Zero();
  Eigen::Matrix<double, 4, 12> dq;  // q' = q w1/2 - w0 q/2, w in the axes of the frames
  Eigen::Matrix<double, 3, 12> gradient;
};

JointState stateOf(const Nodes<9>& x) {
  JointState r;
  const Nodes<4> q = x * jointWeights();
  r.first = sectionFrame(q.col(0), q.col(1));
  r.second = sectionFrame(q.col(2), q.col(3));
  r.valid = r.first.valid && r.second.valid;
  if (!r.valid) return r;
  const Turn turn(relative(r.first.axes(), r.second.axes()));
  r.q = turn.q;
  r.u = turn.value();
  r.dq.leftCols<6>() = -0.5 * times(r.q, true) * r.first.rate();
  r.dq.rightCols<6>() = 0.5 * times(r.q, false) * r.second.rate();
  r.gradient = turn.gradient() * r.dq;
  return r;
}

using Mat12 = Eigen::Matrix<double, 12, 12>;

/// Second derivatives of the turn times the moment m.
void addMomentStiffness(const JointState& r, const Vec3& m, Mat12& H) {
  // with p = (du/dq)' m the frames feel g0 = -(e q)' p/2 and g1 = (q e)' p/2: how u, the products and the rates of
  // the frames change
  const Turn turn(r.q);
  const Vec4 p = turn.gradient().transpose() * m;
  const Rates A0 = -0.5 * times(r.q, true), A1 = 0.5 * times(r.q, false);
  H += r.dq.transpose() * turn.hessian(m) * r.dq;
  H.topRows<6>() += r.first.rate().transpose() * (0.5 * times(p, true)).transpose() * r.dq;
  H.bottomRows<6>() -= r.second.rate().transpose() * (0.5 * times(p, false)).transpose() * r.dq;
  H.topLeftCorner<6, 6>() += r.first.rateDerivative(A0.transpose() * p);
  H.bottomRightCorner<6, 6>() += r.second.rateDerivative(A1.transpose() * p);
}

/// The nearest positive semi-definite matrix.
void dropNegative(Mat12& H) {
  const SymmetricModes<12> modes = symmetricModes(Mat12(0.5 * (H + H.transpose())));
  const Eigen::Matrix<double, 12, 1> kept = modes.values.cwiseMax(0);
  H.noalias() = modes.axes * kept.asDiagonal() * modes.axes.transpose();
}

/// Forces along e0, y0, e1, y1 as forces on the points.
Nodes<9> onPoints(const Eigen::Matrix<double, 12, 1>& f) {
  return Eigen::Map<const Nodes<4>>(f.data()) * jointWeights().transpose();
}

/// The same for a stiffness.
Stiffness<9> stiffnessOnPoints(const Mat12& H) {
  Stiffness<9> K = Stiffness<9>::Zero();
  const Eigen::Matrix<double, 9, 4>& w = jointWeights();
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) {
      auto block = K.block<3, 3>(3 * i, 3 * j);
      for (int p = 0; p < 4; ++p) {
        if (w(i, p) == 0) continue;
        for (int q = 0; q < 4; ++q) {
          if (w(j, q) != 0) block += w(i, p) * w(j, q) * H.block<3, 3>(3 * p, 3 * q);
        }
      }
    }
  }
  return K;
}

Eigen::Matrix<double, 12, 1> ratesOf(const Nodes<9>& v) {
  const Nodes<4> q = v * jointWeights();
  return Eigen::Map<const Eigen::Matrix<double, 12, 1>>(q.data());
}

}  // namespace

SectionFrame sectionFrame(const Vec3& e, const Vec3& y) {
  SectionFrame r;
  r.length = e.norm();
  if (r.length < kMinLength) return r;
  r.t = e / r.length;
  r.along = y.dot(r.t);
  const Vec3 p = y - r.along * r.t;
  r.across = p.norm();
  if (r.across < kMinLength) return r;
  r.d1 = p / r.across;
  r.d2 = r.t.cross(r.d1);
  r.valid = true;
  return r;
}

// dt = u3 d1 - u2 d2 and dd1 = u1 d2 - u3 t give u by what moves t across itself and d1 along d2
Eigen::Matrix<double, 3, 6> SectionFrame::rate() const {
  Eigen::Matrix<double, 3, 6> B;
  B << -along / (across * length) * d2.transpose(), d2.transpose() / across,  //
      -d2.transpose() / length, Eigen::RowVector3d::Zero(),                   //
      d1.transpose() / length, Eigen::RowVector3d::Zero();
  return B;
}

Eigen::Matrix<double, 6, 6> SectionFrame::rateDerivative(const Vec3& g) const {
  const Eigen::Matrix<double, 3, 6> B = rate();
  using Row = Eigen::Matrix<double, 1, 6>;
  Row dLength = Row::Zero(), dAcross = -along * B.row(2), dAlong = across * B.row(2);
  dLength.head<3>() = t.transpose();
  dAcross.tail<3>() += d1.transpose();
  dAlong.tail<3>() += t.transpose();
  const Eigen::Matrix<double, 3, 6> dd1 = d2 * B.row(0) - t * B.row(2), dd2 = t * B.row(1) - d1 * B.row(0);
  // B' g: ((-along/across g1 - g2) d2 + g3 d1) / length, g1 d2 / across
  const double share = -along / across * g[0] - g[1];
  const Row dShare = -g[0] * (dAlong / across - along / (across * across) * dAcross);
  Eigen::Matrix<double, 6, 6> H;
  H.topRows<3>() =
      (d2 * dShare + share * dd2 + g[2] * dd1) / length - (share * d2 + g[2] * d1) / (length * length) * dLength;
  H.bottomRows<3>() = g[0] * (dd2 / across - d2 / (across * across) * dAcross);
  return H;
}

double Section::energy(const Nodes<5>& x) const {
  const SectionStrain r = strainOf(x, a, b);
  if (!r.valid) return 0;
  return 0.5 * k * r.s.squaredNorm() + 0.5 * middle * (x * middleWeights()).squaredNorm();
}

Nodes<5> Section::force(const Nodes<5>& x) const {
  const SectionStrain r = strainOf(x, a, b);
  Nodes<5> f = Nodes<5>::Zero();
  if (!r.valid) return f;
  const Eigen::Matrix<double, 15, 1> g = -k * r.gradient.transpose() * r.s;
  f = Eigen::Map<const Nodes<5>>(g.data());
  f -= middle * (x * middleWeights()) * middleWeights().transpose();
  return f;
}

Stiffness<5> Section::stiffness(const Nodes<5>& x, Tangent tangent) const {
  const SectionStrain r = strainOf(x, a, b);
  Stiffness<5> K = Stiffness<5>::Zero();
  if (!r.valid) return K;
  K.noalias() = k * r.gradient.transpose() * r.gradient;
  addScalar<5>(K, middleWeights(), middle);
  if (tangent == Tangent::Definite) return K;
  // second derivatives of the strains by e, y and z
  const Mat3 I = Mat3::Identity(), P = I - r.t * r.t.transpose();
  Eigen::Matrix<double, 9, 9> H = Eigen::Matrix<double, 9, 9>::Zero();
  for (int i = 0; i < 2; ++i) {
    const Vec3& v = i == 0 ? r.y : r.z;
    const Vec3 p = P * v;
    H.block<3, 3>(0, 0) -=
        r.s[i] / (r.length * r.length) * (r.t * p.transpose() + p * r.t.transpose() + v.dot(r.t) * P);
    H.block<3, 3>(0, 3 + 3 * i) += r.s[i] / r.length * P;
    H.block<3, 3>(3 + 3 * i, 0) += r.s[i] / r.length * P;
    H.block<3, 3>(3 + 3 * i, 3 + 3 * i) += r.s[2 + i] * I;
  }
  H.block<3, 3>(3, 6) += r.s[4] * I;
  H.block<3, 3>(6, 3) += r.s[4] * I;
  const Eigen::Matrix<double, 5, 3> w = sectionWeights(a, b);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int p = 0; p < 3; ++p) {
        for (int q = 0; q < 3; ++q) K.block<3, 3>(3 * i, 3 * j) += k * w(i, p) * w(j, q) * H.block<3, 3>(3 * p, 3 * q);
      }
    }
  }
  return K;
}

Nodes<5> Section::damperForce(const Nodes<5>& x, const Nodes<5>& v, double time) const {
  const SectionStrain r = strainOf(x, a, b);
  Nodes<5> f = Nodes<5>::Zero();
  if (!r.valid) return f;
  const Eigen::Map<const Eigen::Matrix<double, 15, 1>> rate(v.data());
  const Eigen::Matrix<double, 15, 1> g = -time * k * r.gradient.transpose() * (r.gradient * rate);
  f = Eigen::Map<const Nodes<5>>(g.data());
  return f;
}

Stiffness<5> Section::damping(const Nodes<5>& x, double time) const {
  const SectionStrain r = strainOf(x, a, b);
  Stiffness<5> D = Stiffness<5>::Zero();
  if (r.valid) D.noalias() = time * k * r.gradient.transpose() * r.gradient;
  return D;
}

Vec3 turnBetween(const Mat3& first, const Mat3& second) { return Turn(relative(first, second)).value(); }

Vec3 SectionJoint::turn(const Nodes<9>& x) { return stateOf(x).u; }

double SectionJoint::energy(const Nodes<9>& x) const {
  const JointState r = stateOf(x);
  if (!r.valid) return 0;
  const Vec3 bent = r.u - relaxed;
  return 0.5 * bent.dot(k.cwiseProduct(bent));
}

Nodes<9> SectionJoint::force(const Nodes<9>& x) const {
  const JointState r = stateOf(x);
  if (!r.valid) return Nodes<9>::Zero();
  return onPoints(-r.gradient.transpose() * k.cwiseProduct(r.u - relaxed));
}

Stiffness<9> SectionJoint::stiffness(const Nodes<9>& x, Tangent tangent) const {
  const JointState r = stateOf(x);
  if (!r.valid) return Stiffness<9>::Zero();
  Mat12 H = r.gradient.transpose() * k.asDiagonal() * r.gradient;
  // what the moment contributes matters where it is not small against the stiffness
  constexpr double kSmall = 0.1;
  const Vec3 m = k.cwiseProduct(r.u - relaxed);
  const bool small = m.norm() < kSmall * k.minCoeff();
  if (tangent == Tangent::Exact || !small) addMomentStiffness(r, m, H);
  if (tangent == Tangent::Definite && !small) dropNegative(H);
  return stiffnessOnPoints(H);
}

Nodes<9> SectionJoint::damperForce(const Nodes<9>& x, const Nodes<9>& v, double time) const {
  const JointState r = stateOf(x);
  if (!r.valid) return Nodes<9>::Zero();
  const Vec3 rate = r.gradient * ratesOf(v);
  return onPoints(-time * r.gradient.transpose() * k.cwiseProduct(rate));
}

Stiffness<9> SectionJoint::damping(const Nodes<9>& x, double time) const {
  const JointState r = stateOf(x);
  if (!r.valid) return Stiffness<9>::Zero();
  return stiffnessOnPoints(Mat12(time * r.gradient.transpose() * k.asDiagonal() * r.gradient));
}

Nodes<3> sectionPoints(const Vec3& middle, const Vec3& d1, const Vec3& d2, double a, double b) {
  Nodes<3> g;
  g.col(0) = middle + a * d1;
  g.col(1) = middle - 0.5 * a * d1 + 0.5 * kRoot3 * b * d2;
  g.col(2) = middle - 0.5 * a * d1 - 0.5 * kRoot3 * b * d2;
  return g;
}

}  // namespace sinew::elastic
