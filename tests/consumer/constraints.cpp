#include <sinew/constraints/contact_constraint_factory.h>

#include <cmath>
#include <cstdio>

// Two spheres of radius 0.5 whose centres are 0.9 m apart make one contact constraint with C = -0.1.
int main() {
  const sinew::BodyState a, b{.position = {0.9, 0, 0}};
  const sinew::CollisionResult found{{1, 0, 0}, {{{0.45, 0, 0}, -0.1}}};
  const auto made = sinew::contact_constraint_factory::createFromCollision(0, 1, found, a, b, {});
  const double C = made.at(0).evaluateTwoBody(a, b, 0).at(0);
  std::printf("C = %g\n", C);
  return std::abs(C + 0.1) < 1e-12 ? 0 : 1;
}
