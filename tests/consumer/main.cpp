// A program that knows Sinew only through find_package(sinew): a ball falls for a second.
#include <sinew/load.h>
#include <sinew/step.h>
#include <sinew/version.h>
#include <sinew/world.h>

#include <algorithm>
#include <cmath>
#include <iostream>

int main() {
  const sinew::Model m = sinew::compile(sinew::readMjcfText(R"(
    <mujoco>
      <option timestep="0.002" gravity="0 0 -9.81"/>
      <worldbody>
        <body pos="0 0 10"><freejoint/><geom size="0.1"/></body>
      </worldbody>
    </mujoco>)"));
  sinew::Data d(m);
  for (int i = 0; i < 500; ++i) sinew::step(m, d);

  // semi-implicit Euler: v_n = -n h g, z_n = z_0 - g h^2 n (n + 1) / 2; 500 roundings of a number near 10
  const double expected = 10 - 9.81 * 0.002 * 0.002 * 500 * 501 / 2;
  std::cout << "sinew " << sinew::kVersion << ": after " << d.time << " s the ball is at height " << d.qpos[2] << '\n';

  // the same ball without XML
  sinew::World world;
  const sinew::BodyId ball = world.addBody(sinew::Sphere{0.1}, {.position = {0, 0, 10}});
  for (int i = 0; i < 500; ++i) world.update(0.002);

  const double worst = std::max(std::abs(d.qpos[2] - expected), std::abs(world.state(ball).position[2] - expected));
  return worst < 1e-12 ? 0 : 1;
}
