// A run of dominoes. The first gets a push; callbacks tell when each one hits the next.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "sinew/world.h"

int main() {
  using namespace sinew;
  constexpr int kCount = 20;
  const Box domino{{0.004, 0.012, 0.024}};

  World world({.iterations = 20});
  const BodyId table = world.addStatic(Plane{}, {.restitution = 0.2, .friction = 0.6});
  std::vector<BodyId> dominoes;
  std::map<BodyId, int> number;
  for (int i = 0; i < kCount; ++i) {
    dominoes.push_back(world.addBody(
        domino, {.position = {0.02 * i, 0, 0.024}, .density = 1100, .restitution = 0.2, .friction = 0.3}));
    number[dominoes.back()] = i;
  }

  int last = -1;
  world.onContactBegin([&](const ContactEvent& event) {
    if (event.a.body == table || event.b.body == table) return;
    const int from = number[event.a.body], to = number[event.b.body];
    if (from + to <= 2 * last + 1) return;  // they touch more than once on their way down
    last = from < to ? from : to;
    std::printf("%.3f s: domino %d hits domino %d at %.2f m/s\n", world.time(), last + 1, last + 2,
                event.approachSpeed);
  });

  // a push near the top of the first one
  const Vector3 top = world.placement(dominoes.front()).position;
  world.applyImpulse(dominoes.front(), {2e-3, 0, 0}, {top[0], top[1], top[2] + 0.02});
  while (world.time() < 3) world.update(1e-3);

  int fallen = 0;
  for (const BodyId id : dominoes) {
    const Quaternion q = world.placement(id).orientation;
    const double upright = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);  // z of the domino's own z axis
    if (upright < 0.9) ++fallen;
  }
  std::printf("%d of %d dominoes have fallen\n", fallen, kCount);
  return fallen == kCount ? EXIT_SUCCESS : EXIT_FAILURE;
}
