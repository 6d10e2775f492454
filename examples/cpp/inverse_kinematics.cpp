// Inverse kinematics by damped least squares: finds joint angles that put a site at a point, then prints how well.
//   dq = J' inv(J J' + lambda^2 1) e,   e = target - site   [Wampler 1986]

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sinew/dynamics.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace {

const char* const kArm = R"(
  <mujoco>
    <worldbody>
      <body pos="0 0 0.3">
        <joint axis="0 0 1"/><joint axis="0 1 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0"/>
        <body pos="0.4 0 0">
          <joint axis="0 1 0"/>
          <geom type="capsule" size="0.025" fromto="0 0 0 0.35 0 0"/>
          <body pos="0.35 0 0">
            <joint axis="0 1 0"/><joint axis="1 0 0"/>
            <geom type="capsule" size="0.02" fromto="0 0 0 0.15 0 0"/>
            <site name="tip" pos="0.15 0 0"/>
          </body>
        </body>
      </body>
    </worldbody>
  </mujoco>)";

/// Solves the symmetric 3 x 3 system A x = b by Cramer's rule.
std::array<double, 3> solve3(const double (&A)[3][3], const std::array<double, 3>& b) {
  const auto det = [](const double(&m)[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  };
  std::array<double, 3> x{};
  for (std::size_t k = 0; k < 3; ++k) {
    double replaced[3][3];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) replaced[i][j] = j == k ? b[i] : A[i][j];
    }
    x[k] = det(replaced) / det(A);
  }
  return x;
}

}  // namespace

int main() {
  const sinew::Model m = sinew::compile(sinew::readMjcfText(kArm));
  sinew::Data d(m);
  const int tip = sinew::findId(m, sinew::ObjType::Site, "tip");
  const std::array<double, 3> target{0.35, 0.4, 0.5};
  const auto nv = static_cast<std::size_t>(m.nv);
  std::vector<double> J(3 * nv), dq(nv);

  double distance = 0;
  int iterations = 0;
  for (; iterations < 100; ++iterations) {
    sinew::forward(m, d);
    std::array<double, 3> error{};
    for (std::size_t k = 0; k < 3; ++k) error[k] = target[k] - d.site_xpos[3 * tip + static_cast<int>(k)];
    distance = std::hypot(error[0], error[1], error[2]);
    if (distance < 1e-6) break;

    sinew::siteJacobian(m, d, tip, J);
    const double lambda = 0.05;
    double JJ[3][3];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        JJ[i][j] = i == j ? lambda * lambda : 0;
        for (std::size_t k = 0; k < nv; ++k) JJ[i][j] += J[i * nv + k] * J[j * nv + k];
      }
    }
    const std::array<double, 3> y = solve3(JJ, error);
    for (std::size_t k = 0; k < nv; ++k) dq[k] = J[k] * y[0] + J[nv + k] * y[1] + J[2 * nv + k] * y[2];
    sinew::integratePositions(m, d.qpos, dq, 1);
  }

  std::printf("after %d iterations the tip is %.1e m from the target; joint angles:", iterations, distance);
  for (const double q : d.qpos) std::printf(" %.4f", q);
  std::printf("\n");
  return distance < 1e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
}
