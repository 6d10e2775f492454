// Swings a cart-pole up with iterative LQR: the derivatives of every step come from transitionDerivatives().
//   backward: Q_xx = l_xx + A' V_xx A, Q_uu = l_uu + B' V_xx B, Q_ux = B' V_xx A;  k = -Q_u / Q_uu, K = -Q_ux / Q_uu
//   forward:  u = u_old + a k + K (x - x_old), the largest a of 1, 1/2, 1/4 ... that lowers the cost
// [Tassa et al. 2012]

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "sinew/derivatives.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace {

const char* const kCartPole = R"(
  <mujoco>
    <option timestep="0.02"/>
    <worldbody>
      <body name="cart">
        <joint name="slide" type="slide" axis="1 0 0" damping="0.1"/>
        <geom type="box" size="0.1 0.05 0.05" mass="1"/>
        <body>
          <joint name="pole" axis="0 1 0" damping="0.002"/>
          <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.5" mass="0.2"/>
        </body>
      </body>
    </worldbody>
    <actuator><motor joint="slide" gear="10"/></actuator>
  </mujoco>)";

constexpr int kStates = 4;
using State = std::array<double, kStates>;  // cart, pole, their velocities
constexpr State kWeight{0.1, 1, 0.02, 0.02};
constexpr State kFinal{50, 200, 10, 10};
constexpr double kControl = 0.05;

/// The pole hangs at 0 and stands at pi.
State errorOf(const State& x) { return {x[0], x[1] - std::numbers::pi, x[2], x[3]}; }

double costOf(const State& x, const State& weight) {
  const State e = errorOf(x);
  double sum = 0;
  for (std::size_t i = 0; i < kStates; ++i) sum += 0.5 * weight[i] * e[i] * e[i];
  return sum;
}

State stateOf(const sinew::Data& d) { return {d.qpos[0], d.qpos[1], d.qvel[0], d.qvel[1]}; }

struct Trajectory {
  std::vector<State> x;
  std::vector<double> u;
  double cost = 0;
};

/// Runs the controls u + a k + K (x - old x), from rest.
Trajectory run(const sinew::Model& m, const Trajectory& old, const std::vector<double>& k, const std::vector<State>& K,
               double a) {
  Trajectory t;
  sinew::Data d(m);
  for (std::size_t i = 0; i < old.u.size(); ++i) {
    const State x = stateOf(d);
    double u = old.u[i];
    if (!k.empty()) {
      u += a * k[i];
      for (std::size_t j = 0; j < kStates; ++j) u += K[i][j] * (x[j] - old.x[i][j]);
    }
    t.x.push_back(x);
    t.u.push_back(u);
    t.cost += costOf(x, kWeight) + 0.5 * kControl * u * u;
    d.ctrl[0] = u;
    sinew::step(m, d);
  }
  t.x.push_back(stateOf(d));
  t.cost += costOf(t.x.back(), kFinal);
  return t;
}

}  // namespace

int main() {
  const sinew::Model m = sinew::compile(sinew::readMjcfText(kCartPole));
  const std::size_t horizon = 150;  // 3 s
  Trajectory now;
  now.u.assign(horizon, 0.0);
  for (std::size_t i = 0; i < horizon; ++i) now.u[i] = 0.1 * std::sin(0.1 * static_cast<double>(i));
  now = run(m, now, {}, {}, 0);
  const double first = now.cost;
  double regularization = 1e-3;
  int iterations = 0;
  for (; iterations < 200; ++iterations) {
    // backward pass
    std::vector<double> k(horizon);
    std::vector<State> K(horizon);
    State v{};
    double V[kStates][kStates] = {};
    const State end = errorOf(now.x.back());
    for (std::size_t i = 0; i < kStates; ++i) {
      v[i] = kFinal[i] * end[i];
      V[i][i] = kFinal[i];
    }
    sinew::Data d(m);
    for (std::size_t i = horizon; i-- > 0;) {
      for (int j = 0; j < 2; ++j) {
        d.qpos[j] = now.x[i][static_cast<std::size_t>(j)];
        d.qvel[j] = now.x[i][static_cast<std::size_t>(2 + j)];
      }
      d.ctrl[0] = now.u[i];
      const sinew::TransitionDerivatives t = sinew::transitionDerivatives(m, d, {.centered = true});
      const auto A = [&](std::size_t r, std::size_t c) { return t.A[r * kStates + c]; };
      const State e = errorOf(now.x[i]);
      State qx{}, qux{}, VB{};
      double qu = kControl * now.u[i], quu = kControl + regularization;
      double VA[kStates][kStates] = {}, qxx[kStates][kStates] = {};
      for (std::size_t r = 0; r < kStates; ++r) {
        qu += t.B[r] * v[r];
        for (std::size_t c = 0; c < kStates; ++c) {
          VB[r] += V[r][c] * t.B[c];
          for (std::size_t s = 0; s < kStates; ++s) VA[r][c] += V[r][s] * A(s, c);
        }
      }
      for (std::size_t r = 0; r < kStates; ++r) {
        qx[r] = kWeight[r] * e[r];
        quu += t.B[r] * VB[r];
        for (std::size_t s = 0; s < kStates; ++s) {
          qx[r] += A(s, r) * v[s];
          qux[r] += A(s, r) * VB[s];
          for (std::size_t c = 0; c < kStates; ++c) qxx[r][c] += A(s, r) * VA[s][c];
        }
        qxx[r][r] += kWeight[r];
      }
      k[i] = -qu / quu;
      for (std::size_t r = 0; r < kStates; ++r) {
        K[i][r] = -qux[r] / quu;
        v[r] = qx[r] + qux[r] * k[i];
        for (std::size_t c = 0; c < kStates; ++c) V[r][c] = qxx[r][c] - qux[r] * qux[c] / quu;
      }
    }
    // forward pass
    Trajectory best = now;
    for (double a = 1; a > 1e-3 && best.cost >= now.cost; a /= 2) {
      const Trajectory tried = run(m, now, k, K, a);
      if (tried.cost < best.cost) best = tried;
    }
    const double gain = now.cost - best.cost;
    regularization = gain > 0 ? std::max(1e-6, 0.5 * regularization) : 10 * regularization;
    now = best;
    if ((gain > 0 && gain < 1e-7 * now.cost) || regularization > 1e6) break;
  }
  const State end = errorOf(now.x.back());
  std::printf("cost %.1f -> %.2f in %d iterations; at the end the pole is %.3f rad from upright, the cart %.3f m off\n",
              first, now.cost, iterations + 1, end[1], end[0]);
  return std::abs(end[1]) < 0.1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
