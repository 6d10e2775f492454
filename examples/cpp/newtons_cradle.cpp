// Newton's cradle: five steel balls on strings. The first is lifted and let go; only the last flies off.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "sinew/world.h"

int main() {
  using namespace sinew;
  constexpr double kRadius = 0.02, kString = 0.3;
  // Impacts in steel come one after the other. Here they do if a ball needs more than one update to cross the gap.
  constexpr double kGap = 5e-4, kStep = 2e-4;

  World world;
  std::vector<BodyId> balls;
  for (int i = 0; i < 5; ++i) {
    const double x = i * (2 * kRadius + kGap);
    const double angle = i == 0 ? std::numbers::pi / 6 : 0;  // the first is lifted
    const Vector3 top{x, 0, kString};
    const Vector3 pos{x - kString * std::sin(angle), 0, kString - kString * std::cos(angle)};
    balls.push_back(
        world.addBody(Sphere{kRadius}, {.position = pos, .density = 7800, .restitution = 1, .friction = 0}));
    world.addJoint(world.ground(), balls.back(), DistanceJoint{top, pos});
  }

  // until the last ball has turned around
  double highest = 0;
  std::printf("  time    height of each ball above the lowest point (mm)\n");
  for (int step = 0; step < 5000; ++step) {
    world.update(kStep);
    if (step % 500 == 0) {
      std::printf("%5.2f s ", world.time());
      for (const BodyId ball : balls) std::printf("%8.2f", 1000 * world.state(ball).position[2]);
      std::printf("\n");
    }
    if (world.time() < 0.6) highest = std::fmax(highest, world.state(balls.back()).position[2]);
  }
  const double lifted = kString * (1 - std::cos(std::numbers::pi / 6));
  std::printf("the first ball was lifted by %.2f mm, the last rose to %.2f mm\n", 1000 * lifted, 1000 * highest);
  return std::abs(highest - lifted) < 0.05 * lifted ? EXIT_SUCCESS : EXIT_FAILURE;
}
