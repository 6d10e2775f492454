#include "elastic/volume.h"

namespace sinew::elastic {

double volume6(const Nodes<4>& x) {
  const Vec3 d1 = x.col(1) - x.col(0);
  const Vec3 d2 = x.col(2) - x.col(0);
  return d1.cross(d2).dot(x.col(3) - x.col(0));
}

Nodes<4> volume6Gradient(const Nodes<4>& x) {
  const Vec3 d1 = x.col(1) - x.col(0);
  const Vec3 d2 = x.col(2) - x.col(0);
  const Vec3 d3 = x.col(3) - x.col(0);
  Nodes<4> n;
  n.col(1) = d2.cross(d3);
  n.col(2) = d3.cross(d1);
  n.col(3) = d1.cross(d2);
  n.col(0) = -(n.col(1) + n.col(2) + n.col(3));
  return n;
}

Stiffness<4> volume6Hessian(const Nodes<4>& x) {
  const Vec3 d1 = x.col(1) - x.col(0);
  const Vec3 d2 = x.col(2) - x.col(0);
  const Vec3 d3 = x.col(3) - x.col(0);
  // d(d2 x d3) = [d2]x dd3 - [d3]x dd2 and so on, with dd_k = dx_k - dx_0
  Stiffness<4> H = Stiffness<4>::Zero();
  H.block<3, 3>(3, 9) = crossMatrix(d2);
  H.block<3, 3>(3, 6) = -crossMatrix(d3);
  H.block<3, 3>(6, 3) = crossMatrix(d3);
  H.block<3, 3>(6, 9) = -crossMatrix(d1);
  H.block<3, 3>(9, 6) = crossMatrix(d1);
  H.block<3, 3>(9, 3) = -crossMatrix(d2);
  for (int i = 1; i < 4; ++i) {
    for (int j = 1; j < 4; ++j) H.block<3, 3>(3 * i, 0) -= H.block<3, 3>(3 * i, 3 * j);
  }
  for (int j = 0; j < 4; ++j) {
    for (int i = 1; i < 4; ++i) H.block<3, 3>(0, 3 * j) -= H.block<3, 3>(3 * i, 3 * j);
  }
  return H;
}

}  // namespace sinew::elastic
