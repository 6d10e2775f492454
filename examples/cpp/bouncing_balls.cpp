// Five balls fall from one metre onto the same floor. Each comes back to e^2 of its height.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sinew/world.h"

int main() {
  using namespace sinew;
  constexpr double kRadius = 0.1, kDrop = 1.0;
  const double restitution[] = {0, 0.3, 0.5, 0.8, 1};

  World world;
  world.addStatic(Plane{}, {.restitution = 1});
  std::vector<BodyId> balls;
  for (int i = 0; i < 5; ++i) {
    // two surfaces bounce with sqrt(e1 e2): with a floor of 1, a ball of e^2 gives e
    const double e = restitution[i];
    balls.push_back(world.addBody(Sphere{kRadius}, {.position = {0.5 * i, 0, kDrop + kRadius}, .restitution = e * e}));
  }

  // how high each one rises after its first impact
  std::vector<double> apex(balls.size(), 0);
  std::vector<int> impacts(balls.size(), 0);
  world.onContactBegin([&](const ContactEvent& event) {
    for (std::size_t i = 0; i < balls.size(); ++i) {
      if (event.a.body == balls[i] || event.b.body == balls[i]) ++impacts[i];
    }
  });
  while (world.time() < 1.3) {
    world.update(1e-3);
    for (std::size_t i = 0; i < balls.size(); ++i) {
      const double height = world.state(balls[i]).position[2] - kRadius;
      if (impacts[i] == 1 && height > apex[i]) apex[i] = height;
    }
  }

  bool good = true;
  std::printf("restitution   comes back to   e^2 h\n");
  for (std::size_t i = 0; i < balls.size(); ++i) {
    const double expected = restitution[i] * restitution[i] * kDrop;
    std::printf("%11.1f   %11.4f m   %5.3f m\n", restitution[i], apex[i], expected);
    good = good && std::abs(apex[i] - expected) < 0.005;
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
