#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "elastic/strain_wide.h"

// Four elements at a time against one element at a time.
namespace sinew::elastic {
namespace {

template <int Dim>
void checkAgainstSingle(bool reference, double time, bool springs) {
  SCOPED_TRACE(testing::Message() << "dim " << Dim << ", reference " << reference << ", time " << time);
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double h = 0.002;
  std::vector<double> group(static_cast<std::size_t>(kLanes * kStrainNumbers<Dim>));
  WidePoints<Dim> x, v, force, damper;
  Nodes<Dim + 1> xs[kLanes], vs[kLanes];
  StrainElement<Dim> elements[kLanes];
  int expectedMask = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    Nodes<Dim + 1> rest;
    for (double& value : rest.reshaped()) value = uniform(generator);
    for (double& value : vs[lane].reshaped()) value = uniform(generator);
    xs[lane] = 1.1 * rest;
    for (double& value : xs[lane].reshaped()) value += 0.05 * uniform(generator);
    if (Dim == 3 && lane >= 2) {  // inside out
      xs[lane].row(0) *= -1;
      expectedMask |= 1 << lane;
    }
    elements[lane] = reference ? referenceLaw<Dim>(rest, 1e3, 0.3, 0.01) : stVenantKirchhoff<Dim>(rest, 1e3, 0.3, 0.01);
    storeStrain<Dim>(elements[lane], lane, group.data());
    for (int i = 0; i <= Dim; ++i) {
      for (int k = 0; k < 3; ++k) x[i][k][lane] = xs[lane](k, i), v[i][k][lane] = vs[lane](k, i);
    }
  }
  const StrainTerms terms{springs, time, reference ? h : 0};
  const bool apart = !reference;
  EXPECT_EQ(strainForces<Dim>(group.data(), terms, x, v, force, apart ? &damper : nullptr), expectedMask);
  Stiffness<Dim + 1> K[kLanes];
  EXPECT_EQ(strainStiffness<Dim>(group.data(), x, K), expectedMask);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (expectedMask >> lane & 1) continue;
    const Stiffness<Dim + 1> expected = elements[lane].stiffness(xs[lane], Tangent::Definite);
    EXPECT_LT((K[lane] - expected).norm(), 1e-12 * expected.norm());
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const StrainElement<Dim> loaded = loadStrain<Dim>(group.data(), lane);
    EXPECT_EQ(loaded.metric, elements[lane].metric);
    EXPECT_EQ(loaded.pushBack, elements[lane].pushBack);
    Nodes<Dim + 1> expected = Nodes<Dim + 1>::Zero();
    Nodes<Dim + 1> expectedDamper = Nodes<Dim + 1>::Zero();
    if (springs) expected = elements[lane].force(xs[lane]);
    if (time > 0) {
      if (reference) expected += elements[lane].referenceDamperForce(xs[lane], vs[lane], time, h);
      if (apart) expectedDamper = elements[lane].damperForce(xs[lane], vs[lane], time);
    }
    const double scale = elements[lane].force(xs[lane]).norm();
    for (int i = 0; i <= Dim; ++i) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(force[i][k][lane], expected(k, i), 1e-12 * scale);
        if (apart) {
          EXPECT_NEAR(damper[i][k][lane], expectedDamper(k, i), 1e-12 * scale);
        }
      }
    }
  }
}

TEST(WideElements, AreTheSingleOnes) {
  for (const bool reference : {false, true}) {
    for (const double time : {0.0, 0.05}) {
      for (const bool springs : {true, false}) {
        checkAgainstSingle<2>(reference, time, springs);
        checkAgainstSingle<3>(reference, time, springs);
      }
    }
  }
}

}  // namespace
}  // namespace sinew::elastic
