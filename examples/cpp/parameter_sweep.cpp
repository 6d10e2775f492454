// A sweep over friction with Batch: how far does a box slide, thrown at 2 m/s? All runs at once, on every core.
// Coulomb's law says v^2 / (2 mu g).

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sinew/batch.h"
#include "sinew/load.h"

int main() {
  const sinew::Model m = sinew::compile(sinew::readMjcfText(R"(
    <mujoco>
      <option timestep="0.001" solver="Impulse"/>
      <worldbody>
        <geom name="floor" type="plane" size="5 5 1"/>
        <body pos="0 0 0.05"><freejoint/><geom name="box" type="box" size="0.05 0.05 0.05"/></body>
      </worldbody>
    </mujoco>)"));
  const int runs = 16;
  sinew::Batch batch(m, runs);
  const auto friction = batch.vary("geom_friction");  // three numbers per geom: sliding, spinning, rolling
  const auto qvel = batch.state("qvel");
  const auto qpos = batch.state("qpos");
  const auto sliding = [](int run) { return 0.2 + 0.05 * run; };
  for (int run = 0; run < runs; ++run) {
    for (int geom = 0; geom < m.ngeom; ++geom) {
      friction[static_cast<std::size_t>(3 * (run * m.ngeom + geom))] = sliding(run);
    }
    qvel[static_cast<std::size_t>(run * m.nv)] = 2;
  }
  batch.step(2000);

  double worst = 0;
  std::printf("friction   distance   Coulomb\n");
  for (int run = 0; run < runs; ++run) {
    const double distance = qpos[static_cast<std::size_t>(run * m.nq)];
    const double expected = 2.0 * 2.0 / (2 * sliding(run) * 9.81);
    worst = std::max(worst, std::abs(distance / expected - 1));
    std::printf("%8.2f %8.4f m %8.4f m\n", sliding(run), distance, expected);
  }
  return worst < 0.01 ? EXIT_SUCCESS : EXIT_FAILURE;
}
