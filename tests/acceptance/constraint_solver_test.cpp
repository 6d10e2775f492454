#include "sinew/constraint_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <list>
#include <numbers>
#include <string>

#include "sinew/distance_constraint.h"
#include "support/free_bodies.h"
#include "support/refusal.h"
#include "support/tolerance.h"
#include "support/vectors.h"

/// CONTACT-T10. The solver's diagonal is longer by 1e-8, so results agree to that, times the number of rows.
namespace sinew {
namespace {

using test::fromEigen;
using test::toEigen;
using test::Vec3;

using test::addBody;
using test::kCubeInertia;
using test::kSphereInertia;
using test::refusal;
using test::tolerance;

constexpr double kG = 9.81;
constexpr double kStep = 0.01;

BodyState moving(const Vector3& position, const Vector3& velocity) { return {position, {1, 0, 0, 0}, velocity, {}}; }

/// A system that owns its contacts.
struct Scene {
  MultiBodySystem system;
  std::list<ContactConstraint> contacts;

  void touch(int a, int b, const Vector3& normal, const Vector3& point, double e, double depth = 0, double erp = 0.2) {
    const BodyState &stateA = system.states[a], &stateB = system.states[b];
    const auto made = contact_constraint_factory::createFromCollision(a, b, {normal, {{point, -depth}}}, stateA, stateB,
                                                                      {.restitution = e, .erp = erp});
    contacts.push_back(made.front());
    system.contactConstraints.push_back(&contacts.back());
  }
};

/// Two spheres in a row, A at the origin, that touch at depth 0.
Scene spherePair(double massA, double massB, double vA, double vB, double e) {
  Scene scene;
  addBody(scene.system, moving({0, 0, 0}, {vA, 0, 0}), 1 / massA, 1 / (kSphereInertia * massA));
  addBody(scene.system, moving({1, 0, 0}, {vB, 0, 0}), 1 / massB, 1 / (kSphereInertia * massB));
  scene.touch(0, 1, {1, 0, 0}, {0.5, 0, 0}, e);
  return scene;
}

/// A cube of edge 1 on the floor (body 0) with its four lower corners in contact.
Scene cubeOnFloor(double mass, double gravity) {
  Scene scene;
  addBody(scene.system, {}, 0, 0);
  addBody(scene.system, moving({0, 0, 0.5}, {0, 0, 0}), 1 / mass, 1 / (kCubeInertia * mass), {0, 0, -mass * gravity});
  for (const auto& [x, y] : {std::pair{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}}) {
    scene.touch(0, 1, {0, 0, 1}, {x, y, 0}, 0);
  }
  return scene;
}

/// A sphere of 1 kg between two planes inclined by `degrees`.
Scene groove(double degrees) {
  Scene scene;
  addBody(scene.system, {}, 0, 0);
  addBody(scene.system, {}, 1, 1 / kSphereInertia, {0, 0, -kG});
  const double a = degrees * std::numbers::pi / 180;
  for (const double side : {1.0, -1.0}) {
    const Vector3 n{side * std::sin(a), 0, std::cos(a)};
    scene.touch(0, 1, n, {-0.5 * n[0], 0, -0.5 * n[2]}, 0);
  }
  return scene;
}

TEST(ConstraintSolver, CONTACT_T10_1_HeadOnEqualMassesExchangeVelocities) {
  const Scene scene = spherePair(1, 1, 1, -1, 1);
  const ConstraintSolver solver;
  EXPECT_NEAR(solver.effectiveMass(scene.system, kStep)[0][0], 2, tolerance(1e-6));
  EXPECT_NEAR(solver.rightHandSide(scene.system, kStep)[0], 4, tolerance(1e-6));
  const MultiBodySolveResult r = solver.solveWithContacts(scene.system, kStep);
  EXPECT_NEAR(r.lambdas[0], 2, tolerance(1e-6));
  EXPECT_NEAR(r.velocities[0][0], -1, tolerance(1e-6));
  EXPECT_NEAR(r.velocities[1][0], 1, tolerance(1e-6));
  EXPECT_NEAR(r.bodyForces[0].linearForce[0], -200, tolerance(1e-4));
  EXPECT_NEAR(r.bodyForces[1].linearForce[0], 200, tolerance(1e-4));
}

TEST(ConstraintSolver, CONTACT_T10_2_ConvergesWithinTenSweepsWhateverTheMass) {
  const ConstraintSolver solver;
  const auto sweeps = [&](const Scene& scene, double h) {
    const MultiBodySolveResult r = solver.solveWithContacts(scene.system, h);
    EXPECT_TRUE(r.converged);
    EXPECT_TRUE(std::isfinite(r.residual));
    EXPECT_LE(r.iterations, 10);
    return r.iterations;
  };
  sweeps(spherePair(1, 1, 1, -1, 1), kStep);
  const int light = sweeps(cubeOnFloor(1, kG), 1.0 / 60);
  EXPECT_EQ(sweeps(cubeOnFloor(10, kG), 1.0 / 60), light);
  EXPECT_EQ(sweeps(cubeOnFloor(1000, kG), 1.0 / 60), light);
  sweeps(groove(45), 1.0 / 60);
  sweeps(groove(30), 1.0 / 60);
}

/// Up to 8 contacts between 2 to 4 bodies, of which the first is immovable. Normals lean towards the other body's
/// centre, so that moving apart is possible: wedged bodies that cannot give way have no solution at all.
Scene randomScene(test::Random& random) {
  Scene scene;
  const int n = random.integer(2, 4);
  addBody(scene.system, {}, 0, 0);
  for (int i = 1; i < n; ++i) {
    const double mass = random.number(0.2, 5);
    BodyState state{random.vector(1), random.orientation(), random.vector(3), random.vector(3)};
    addBody(scene.system, state, 1 / mass, 1 / (kSphereInertia * mass), random.vector(10));
  }
  const int contacts = random.integer(1, 8);
  for (int k = 0; k < contacts; ++k) {
    const int a = random.integer(0, n - 1);
    const int b = (a + random.integer(1, n - 1)) % n;
    const Vec3 apart = toEigen(scene.system.states[b].position) - toEigen(scene.system.states[a].position);
    const Vec3 n = (apart.normalized() + 0.7 * toEigen(random.direction())).normalized();
    scene.touch(a, b, fromEigen(n), random.vector(1), random.number(0, 1), random.number(0, 0.02));
  }
  return scene;
}

TEST(ConstraintSolver, CONTACT_T10_3_ImpulsesNeverPullAndSolveTheComplementarityProblem) {
  test::Random random(10);
  for (int scene = 0; scene < 200; ++scene) {
    const Scene s = randomScene(random);
    for (int limit = 1; limit < 8; ++limit) {
      const ConstraintSolver few({.maxIterations = limit, .tolerance = 1e-10});
      for (const double lambda : few.solveWithContacts(s.system, kStep).lambdas) ASSERT_GE(lambda, 0) << scene;
    }
    const ConstraintSolver solver({.maxIterations = 500, .tolerance = 1e-10});
    const std::vector<double> lambda = solver.solveWithContacts(s.system, kStep).lambdas;
    const std::vector<double> b = solver.rightHandSide(s.system, kStep);
    const auto A = solver.effectiveMass(s.system, kStep);
    ASSERT_EQ(lambda.size(), b.size());
    double work = 0, scale = 0, largest = 0;
    std::vector<double> w(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      w[i] = -b[i];
      for (std::size_t j = 0; j < b.size(); ++j) w[i] += A[i][j] * lambda[j];
      work += lambda[i] * w[i];
      scale += lambda[i] * b[i];
      largest = std::max(largest, std::abs(b[i]));
    }
    EXPECT_LE(std::abs(work), tolerance(1e-4) * std::abs(scale) + 1e-12) << scene;
    for (const double gap : w) EXPECT_GE(gap, -tolerance(1e-4) * largest) << scene;
  }
}

TEST(ConstraintSolver, CONTACT_T10_4_SeparatingBodiesAreLeftAlone) {
  const Scene scene = spherePair(1, 1, -0.5, 0.5, 1);
  const MultiBodySolveResult r = ConstraintSolver().solveWithContacts(scene.system, kStep);
  EXPECT_EQ(r.lambdas[0], 0);
  EXPECT_EQ(r.velocities[0], scene.system.states[0].velocity);
  EXPECT_EQ(r.velocities[1], scene.system.states[1].velocity);
}

TEST(ConstraintSolver, CONTACT_T10_5_TheFloorDoesNotMove) {
  Scene scene;
  addBody(scene.system, {}, 0, 0);
  addBody(scene.system, moving({0, 0, 0.5}, {0, 0, -3}), 0.5, 1 / 0.2);
  scene.touch(0, 1, {0, 0, 1}, {0, 0, 0}, 0.5);
  const ConstraintSolver solver;
  EXPECT_NEAR(solver.effectiveMass(scene.system, kStep)[0][0], 0.5, tolerance(1e-6));
  EXPECT_NEAR(solver.rightHandSide(scene.system, kStep)[0], 4.5, tolerance(1e-6));
  const MultiBodySolveResult r = solver.solveWithContacts(scene.system, kStep);
  EXPECT_NEAR(r.lambdas[0], 9, tolerance(1e-6));
  EXPECT_NEAR(r.velocities[1][2], 1.5, tolerance(1e-6));
  EXPECT_EQ(r.bodyForces[0].linearForce, test::kZero);
  EXPECT_EQ(r.velocities[0], test::kZero);
}

TEST(ConstraintSolver, CONTACT_T10_6_ACubeAtRestIsCarriedWithoutTorque) {
  const double h = 1.0 / 60;
  const Scene scene = cubeOnFloor(1, kG);
  const MultiBodySolveResult r = ConstraintSolver().solveWithContacts(scene.system, h);
  double sum = 0;
  for (const double lambda : r.lambdas) sum += lambda;
  EXPECT_NEAR(sum, kG * h, tolerance(1e-5));
  EXPECT_TRUE(test::allNear(r.bodyForces[1].angularTorque, test::kZero, 1e-5 / h));
  EXPECT_TRUE(test::allNear(r.velocities[1], test::kZero, 1e-5));
}

TEST(ConstraintSolver, CONTACT_T10_7_EffectiveMassCountsTurning) {
  const Scene cube = cubeOnFloor(1, kG);
  const ConstraintSolver solver;
  EXPECT_NEAR(solver.effectiveMass(cube.system, kStep)[0][0], 4, tolerance(1e-6));
  EXPECT_NEAR(solver.effectiveMass(spherePair(2, 3, 0, 0, 0).system, kStep)[0][0], 5.0 / 6, tolerance(1e-6));
}

TEST(ConstraintSolver, CONTACT_T10_8_ContactsAreCoupledThroughCommonBodies) {
  Scene scene = cubeOnFloor(1, kG);
  const int other = addBody(scene.system, moving({5, 0, 0.5}, {0, 0, 0}), 1, 6);
  scene.touch(0, other, {0, 0, 1}, {5, 0, 0}, 0);
  const auto A = ConstraintSolver().effectiveMass(scene.system, kStep);
  EXPECT_NEAR(A[0][1], 1, tolerance(1e-6));   // neighbours
  EXPECT_NEAR(A[0][2], -2, tolerance(1e-6));  // opposite
  EXPECT_EQ(A[0][4], 0);                      // only the floor in common
}

TEST(ConstraintSolver, CONTACT_T10_9_RestitutionIsInTheRightHandSide) {
  const ConstraintSolver solver;
  EXPECT_NEAR(solver.rightHandSide(spherePair(1, 1, 1, -1, 0.8).system, kStep)[0], 3.6, tolerance(1e-6));
  EXPECT_NEAR(solver.rightHandSide(spherePair(1, 1, 0.2, -0.2, 0.8).system, kStep)[0], 0.4, tolerance(1e-6));
}

TEST(ConstraintSolver, CONTACT_T10_10_ErrorReductionAndRestitutionAreNotAdded) {
  const auto rhs = [](double v, double e, double erp) {
    Scene scene;
    addBody(scene.system, moving({0, 0, 0}, {v / 2, 0, 0}), 1, 10);
    addBody(scene.system, moving({0.98, 0, 0}, {-v / 2, 0, 0}), 1, 10);
    scene.touch(0, 1, {1, 0, 0}, {0.49, 0, 0}, e, 0.02, erp);
    return ConstraintSolver().rightHandSide(scene.system, 0.01)[0];
  };
  EXPECT_NEAR(rhs(0, 0, 0.2), 0.4, tolerance(1e-6));
  EXPECT_NEAR(rhs(0, 0, 0.5), 1.0, tolerance(1e-6));
  EXPECT_NEAR(rhs(2, 0.8, 0.2), 3.6, tolerance(1e-6));
}

// Balance of forces: rod 0.8 T = m g, wall 0.6 T. Solved one after the other the wall would carry 4.709 N.
TEST(ConstraintSolver, CONTACT_T10_11_RodAndWallAreSolvedTogether) {
  const DistanceConstraint rod({0, 0, 0}, 1);
  const double h = 1.0 / 60;
  BodyState bob = moving({0.6, 0, -0.8}, {0, 0, 0});
  MultiBodySolveResult r;
  for (int k = 0; k < 300; ++k) {
    Scene scene;
    addBody(scene.system, {}, 0, 0);
    addBody(scene.system, bob, 1, 0, {0, 0, -kG});
    scene.touch(0, 1, {1, 0, 0}, {0.5, 0, -0.8}, 0);
    scene.system.bilateralConstraints = {{}, {&rod}};
    r = ConstraintSolver().solveWithContacts(scene.system, h);
    bob.velocity = r.velocities[1];
    for (std::size_t i = 0; i < 3; ++i) bob.position[i] += h * bob.velocity[i];
  }
  EXPECT_NEAR(r.lambdas[0] / h, 7.3575, tolerance(1e-3));
  EXPECT_NEAR(-r.bilateralLambdas[0] / h, 12.2625, tolerance(1e-3));
  EXPECT_NEAR(std::hypot(bob.position[0], bob.position[2]), 1, tolerance(1e-6));
}

// LIFT-6 is the same statement.
TEST(ConstraintSolver, LIFT_6_TheOrderOfConstraintsDoesNotChangeTheAnswer) {
  const double h = 1.0 / 60;
  const DistanceConstraint rod({0, 0, 0}, 1);
  Scene scene;
  addBody(scene.system, moving({0.6, 0, -0.8}, {0, 0, 0}), 1, 0, {0, 0, -kG});
  addBody(scene.system, {}, 0, 0);
  scene.touch(1, 0, {1, 0, 0}, {0.5, 0, -0.8}, 0);  // the wall is body 1 now
  scene.system.bilateralConstraints = {{&rod}, {}};
  const MultiBodySolveResult r =
      ConstraintSolver({.maxIterations = 50, .tolerance = 1e-9}).solveWithContacts(scene.system, h);
  EXPECT_NEAR(r.lambdas[0] / h, 7.3575, tolerance(1e-5));
  EXPECT_NEAR(r.bodyForces[0].linearForce[2], kG, tolerance(1e-5));
}

TEST(ConstraintSolver, ABodyThatNothingPushesStillCarriesItsVelocityIntoTheOther) {
  Scene scene;
  addBody(scene.system, moving({0, 0, 0}, {0, 0, 2}), 0, 0);  // a lift
  addBody(scene.system, moving({0, 0, 0.5}, {0, 0, 0}), 1, 10);
  scene.touch(0, 1, {0, 0, 1}, {0, 0, 0}, 0);
  const MultiBodySolveResult r = ConstraintSolver().solveWithContacts(scene.system, kStep);
  EXPECT_NEAR(r.velocities[1][2], 2, tolerance(1e-6));
  EXPECT_EQ(r.velocities[0][2], 2);
}

TEST(ConstraintSolver, CONTACT_B3_ReportsEverythingAndRefusesWhatDoesNotFit) {
  const ConstraintSolver solver;
  Scene scene = spherePair(1, 1, 1, -1, 1);
  const MultiBodySolveResult r = solver.solveWithContacts(scene.system, kStep);
  EXPECT_EQ(r.bodyForces.size(), 2u);
  EXPECT_EQ(r.lambdas.size(), 1u);
  EXPECT_TRUE(std::isfinite(r.residual));
  EXPECT_EQ(ConstraintSolver::Options{}.maxIterations, 10);
  EXPECT_EQ(ConstraintSolver::Options{}.tolerance, 1e-4);

  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal([&] { solver.solveWithContacts(scene.system, 0); }),
            "ConstraintSolver: time step is 0, must be finite and above 0");
  EXPECT_EQ(refusal([&] { solver.solveWithContacts(scene.system, nan); }),
            "ConstraintSolver: time step is nan, must be finite and above 0");
  EXPECT_EQ(refusal([] { ConstraintSolver({.maxIterations = 0}); }),
            "ConstraintSolver: maxIterations is 0, must be 1 or more");
  MultiBodySystem wrong = scene.system;
  wrong.inverseMasses.pop_back();
  EXPECT_EQ(refusal([&] { solver.solveWithContacts(wrong, kStep); }),
            "ConstraintSolver: inverseMasses has 1 entries, there are 2 states");
  wrong = scene.system;
  wrong.inverseMasses[1] = -2;
  EXPECT_EQ(refusal([&] { solver.solveWithContacts(wrong, kStep); }),
            "body 1: inverse mass is -2, must be finite and 0 or more");
  wrong = scene.system;
  wrong.states.pop_back(), wrong.inverseMasses.pop_back(), wrong.inverseInertias.pop_back();
  wrong.externalForces.pop_back(), wrong.externalTorques.pop_back();
  EXPECT_EQ(refusal([&] { solver.solveWithContacts(wrong, kStep); }),
            "ContactConstraint: body index is 1, must be below 1");
}

TEST(ConstraintSolver, NothingToDoIsNotAnError) {
  const MultiBodySolveResult r = ConstraintSolver().solveWithContacts({}, kStep);
  EXPECT_TRUE(r.converged);
  EXPECT_TRUE(r.lambdas.empty());
}

}  // namespace
}  // namespace sinew
