// A soft ball and a hard one fall side by side. The soft one is a flex: it flattens, and its shape comes back.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sinew/world.h"

namespace {

double heightOf(const sinew::World& world, sinew::SoftId ball) {
  double low = 1e9, high = -1e9;
  for (const sinew::Vector3& v : world.vertices(ball)) {
    low = std::min(low, v[2]);
    high = std::max(high, v[2]);
  }
  return high - low;
}

}  // namespace

int main() {
  using namespace sinew;
  World world({.iterations = 50});
  world.addStatic(Plane{}, {.restitution = 0.5});

  spec::Flexcomp soft;
  soft.type = spec::FlexcompType::Ellipsoid;  // a ball of tetrahedra, 6 vertices across
  soft.dim = 3;
  soft.count = {6, 6, 6};
  soft.spacing = {0.05};
  soft.pos = {0, 0, 0.8};
  soft.radius = 0.005;
  soft.mass = 0.5;
  soft.shortElasticity.young = 2e4;
  soft.shortElasticity.poisson = 0.3;
  soft.shortElasticity.damping = 0.002;
  soft.shortContact.selfcollide = SelfCollide::None;
  const SoftId ball = world.addSoft(soft);
  const BodyId stone = world.addBody(Sphere{0.125}, {.position = {1, 0, 0.8}, .mass = 0.5, .restitution = 0.5});

  const double size = heightOf(world, ball);
  double flattest = size;
  std::printf("  time   soft: centre  height   hard: centre\n");
  for (int step = 0; step < 2000; ++step) {
    world.update(1e-3);
    flattest = std::min(flattest, heightOf(world, ball));
    if (step % 100 == 99) {
      std::printf("%5.2f s %12.3f %8.3f %13.3f m\n", world.time(), world.centerOfMass(ball)[2], heightOf(world, ball),
                  world.state(stone).position[2]);
    }
  }
  std::printf("the soft ball was %.3f m high, %.3f m when it was flattest, and is %.3f m high now\n", size, flattest,
              heightOf(world, ball));
  const bool good = flattest < 0.95 * size && heightOf(world, ball) > 0.9 * size;
  return good && world.trouble().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}
