#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "forces/elasticity.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "kinematics/jacobian.h"
#include "kinematics/positions.h"
#include "model/workspace.h"
#include "sinew/load.h"
#include "sinew/step.h"

/// The metric A = M + h D + h^2 K of flexes that hang on bodies.
namespace sinew {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Model compiled(const std::string& content) {
  return compile(readMjcfText("<mujoco>" + content + "</mujoco>", "m.xml"));
}

std::string sheet(const std::string& name, const std::string& place, const std::string& pins) {
  return "<flexcomp name='" + name +
         "' type='grid' dim='2' count='4 3 1' spacing='.05 .05 .05' mass='.2' radius='.004' " + place +
         R"('><contact contype="0" conaffinity="0" selfcollide="none"/>
      <elasticity young="1e7" poisson=".3" thickness=".002" elastic2d="both" damping=".002"/>)" +
         pins + "</flexcomp>";
}

/// A stiff sheet one corner of which is fixed to a free body.
std::string tiedToAFreeBody(const std::string& option) {
  return "<option integrator='implicitfast' " + option + R"(/><worldbody><body name="bob" pos="0 0 2"><freejoint/>
      <geom type="box" size=".05 .04 .03" mass=".5" contype="0" conaffinity="0"/>)" +
         sheet("c", "pos='.2 .1 .02", "<pin id='0 1'/>") + "</body></worldbody>";
}

/// A floating base with two arms; sheets between the arms' bodies, one sheet alone, and one on slides.
const char* const kArms = R"(<option integrator="implicitfast" timestep=".004" gravity="0 0 -9.81"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="base" pos="0 0 1"><freejoint/><geom type="box" size=".1 .05 .05" mass="1"/>
      <body name="left" pos=".1 0 0"><joint name="l1" axis="0 1 0" damping=".3"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".3"/>
        <body name="hand" pos=".2 0 0"><joint name="l2" type="ball"/><geom type="box" size=".02 .03 .02" mass=".1"/>
          <flexcomp name="a" type="grid" dim="2" count="4 3 1" spacing=".05 .05 .05" pos=".1 0 0" mass=".1" radius=".004">
            <contact contype="0" conaffinity="0" selfcollide="none"/>
            <elasticity young="1e6" poisson=".3" thickness=".002" elastic2d="both" damping=".001"/><pin id="0 1 2"/>
          </flexcomp></body></body>
      <body name="right" pos="-.1 0 0"><joint axis="0 1 0"/><joint axis="1 0 0"/><geom type="capsule" fromto="0 0 0 -.2 0 0" size=".02" mass=".3"/>
        <flexcomp name="b" type="grid" dim="3" count="3 3 2" spacing=".05 .05 .05" pos="-.3 0 0" mass=".3" radius=".002">
          <contact contype="0" conaffinity="0" selfcollide="none"/>
          <elasticity young="1e5" poisson=".3" damping=".002"/><pin id="0 1 2"/>
        </flexcomp></body></body>
    <body name="radial" pos="2 0 1"><freejoint/><geom type="sphere" size=".05" mass="1"/>
      <flexcomp name="r" type="grid" dim="3" count="2 3 2" spacing=".1 .1 .1" mass=".3" radius=".002" dof="radial">
        <contact contype="0" conaffinity="0" selfcollide="none"/><elasticity young="1e5" poisson=".3" damping=".001"/>
      </flexcomp></body>
    <body name="one" pos="4 0 1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 .6 .8"/><joint type="slide" axis="0 -.8 .6"/><geom type="sphere" size=".02" mass=".1"/></body>
    <body name="two" pos="4.1 0 1"><joint type="hinge" axis="0 1 0" pos=".1 0 0"/><geom type="sphere" size=".02" mass=".1"/></body>
    <body name="three" pos="4 .1 1"><freejoint/><geom type="sphere" size=".02" mass=".1"/></body>
    <flexcomp name="free" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" pos="6 0 1" mass=".1" radius=".004">
      <contact contype="0" conaffinity="0" selfcollide="none"/>
      <elasticity young="1e6" poisson=".3" thickness=".002" elastic2d="stretch"/>
    </flexcomp>
  </worldbody>
  <deformable><flex name="listed" dim="2" radius=".004" body="one two three" vertex="0 0 0 0 0 0 0 0 0" element="0 1 2">
    <contact contype="0" conaffinity="0" selfcollide="none"/>
    <elasticity young="1e6" poisson=".3" thickness=".002" elastic2d="stretch" damping=".001"/></flex></deformable>
  <tendon><fixed name="t" damping=".2"><joint joint="l1" coef="1"/></fixed></tendon>
  <actuator><velocity joint="l1" kv=".5"/></actuator>)";

Matrix dense(const Model& m, const Data& d, void (*multiply)(const Model&, const Data&, const double*, double*)) {
  Matrix A(m.nv, m.nv);
  for (int i = 0; i < m.nv; ++i) {
    const Vector unit = Vector::Unit(m.nv, i);
    Vector column = Vector::Zero(m.nv);
    multiply(m, d, unit.data(), column.data());
    A.col(i) = column;
  }
  return A;
}

Matrix inertiaOf(const Model& m, const Data& d) {
  return dense(m, d, [](const Model& m, const Data& d, const double* x, double* y) { multiplyMass(m, d, x, y); });
}

/// Jacobian of a point, 3 x nv.
Matrix jacobianOf(const Model& m, const Data& d, int point) {
  Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> J(3, m.nv);
  J.setZero();
  const int node = m.flexpoint_nodeid[point];
  if (node < 0) {
    denseJacobian(m, d, m.flexpoint_bodyid[point], vec3(d.flexpoint_xpos.data(), point), J.data(), nullptr);
  } else if (!m.flexnode_pinned[node]) {
    J.block(0, m.nv_rigid + 3 * node, 3, 3).setIdentity();
  }
  return J;
}

/// J'(h^2 K + h D)J, and -h J'K J v.
std::pair<Matrix, Vector> elasticPart(const Model& m, const Data& d) {
  const double h = m.opt.timestep;
  std::pair<Matrix, Vector> sum{Matrix::Zero(m.nv, m.nv), Vector::Zero(m.nv)};
  const Vector v = Eigen::Map<const Vector>(d.qvel.data(), m.nv);
  for (int f = 0; f < m.nflex; ++f) {
    visitStiffness(m, d, f, [&](std::span<const int> points, const double* K, const double* D) {
      const auto n = static_cast<Eigen::Index>(3 * points.size());
      Matrix J(n, m.nv);
      for (std::size_t a = 0; a < points.size(); ++a) {
        J.middleRows(static_cast<Eigen::Index>(3 * a), 3) = jacobianOf(m, d, points[a]);
      }
      const Matrix JK = J.transpose() * Eigen::Map<const Matrix>(K, n, n);
      sum.first += h * h * JK * J;
      sum.second -= h * JK * J * v;
      if (D) sum.first += h * J.transpose() * Eigen::Map<const Matrix>(D, n, n) * J;
    });
  }
  return sum;
}

Data movingState(const Model& m, int steps) {
  Data d(m);
  for (int i = 0; i < m.nv; ++i) {
    if (m.dof_treeid[i] >= 0) d.qvel[i] = 0.2 * std::sin(1.0 + 2 * i);
  }
  for (int i = 0; i < steps; ++i) step(m, d);
  forward(m, d);
  return d;
}

bool isFree(const Model& m, int dof) { return m.dof_treeid[dof] >= 0; }

// One sheet and one block hang on the same base: one part. The others are parts of their own.
TEST(FlexMetric, FlexesThatShareATreeShareAPart) {
  const Model m = compiled(kArms);
  ASSERT_EQ(m.nflex, 5);
  EXPECT_EQ(m.nstiffpart, 4);
  const auto partOf = [&](const char* name) { return m.flex_stiffpart[findId(m, ObjType::Flex, name)]; };
  EXPECT_EQ(partOf("a"), partOf("b"));
  EXPECT_NE(partOf("a"), partOf("r"));
  EXPECT_NE(partOf("free"), partOf("listed"));
  for (int part = 0; part < m.nstiffpart; ++part) {
    const std::span<const int> dofs = stiffDofs(m, part);
    EXPECT_TRUE(std::is_sorted(dofs.begin(), dofs.end()));
    for (const int dof : dofs) {  // trees as a whole
      const int tree = m.dof_treeid[dof];
      for (int k = 0; k < m.tree_dofnum[tree]; ++k) {
        EXPECT_TRUE(std::binary_search(dofs.begin(), dofs.end(), m.tree_dofadr[tree] + k));
      }
    }
  }
}

TEST(FlexMetric, IsTheInertiaAndWhatElementsDoToTheDofsThatCarryThem) {
  Model m = compiled(kArms);
  m.opt.integrator = Integrator::ImplicitFast;
  const Data d = movingState(m, 5);
  const Matrix A = dense(m, d, multiplyMetric);
  Matrix expected = inertiaOf(m, d) + elasticPart(m, d).first;
  const int l1 = m.jnt_dofadr[findId(m, ObjType::Joint, "l1")];
  expected(l1, l1) += m.opt.timestep * (0.3 + 0.2 + 0.5);  // damper of the joint, of the tendon, of the servo
  for (int i = 0; i < m.nv; ++i) {
    if (!isFree(m, i)) continue;
    for (int j = 0; j < m.nv; ++j) {
      if (!isFree(m, j)) continue;
      EXPECT_NEAR(A(i, j), expected(i, j), 1e-11 * std::sqrt(expected(i, i) * expected(j, j))) << i << " " << j;
    }
  }
  const Vector implicit = elasticPart(m, d).second;
  for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(d.qfrc_implicit[i], implicit[i], 1e-10 * (1 + implicit.norm()));
}

TEST(FlexMetric, TheFactorSolvesIt) {
  const Model m = compiled(kArms);
  Data d = movingState(m, 5);
  Vector x(m.nv), y = Vector::Zero(m.nv);
  for (int i = 0; i < m.nv; ++i) x[i] = isFree(m, i) ? std::sin(1.0 + i) : 0;
  multiplyMetric(m, d, x.data(), y.data());
  solveMetric(m, d, y.data());
  for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(y[i], x[i], 1e-8) << i;
}

/// A large sheet, one corner of which is fixed to a free body.
std::string largeSheet(const std::string& solver, const std::string& young) {
  return "<option integrator='implicitfast' timestep='.004' solver='" + solver +
         R"('/><worldbody><body pos="0 0 2"><freejoint/>
      <geom type="box" size=".05 .04 .03" mass=".5" contype="0" conaffinity="0"/>
      <flexcomp name="c" type="grid" dim="2" count="30 30 1" spacing=".02 .02 .02" mass=".3" radius=".004">
        <contact contype="0" conaffinity="0" selfcollide="none"/>
        <elasticity young=")" +
         young + R"(" poisson=".3" thickness=".002" elastic2d="both" damping=".002"/><pin id="0 1"/>
      </flexcomp></body></worldbody>)";
}

// Conjugate gradients leave 1e-10 of the acceleration, in the norm of A; softer directions may have more of it.
TEST(FlexMetric, IterationsGiveTheAccelerationOfAFactor) {
  const Model iterating = compiled(largeSheet("Newton", "2e5")), factoring = compiled(largeSheet("PGS", "2e5"));
  const Data d = movingState(iterating, 5), expected = movingState(factoring, 5);
  EXPECT_GT(d.metricIterations, 0);
  EXPECT_EQ(expected.metricIterations, 0);
  const Eigen::Map<const Vector> a(d.qacc_smooth.data(), iterating.nv), b(expected.qacc_smooth.data(), iterating.nv);
  EXPECT_LT((a - b).norm(), 1e-9 * b.norm());
}

/// A block of tetrahedra that stands on the floor.
std::string largeSolid(const std::string& solver, const std::string& count, const std::string& young, double z) {
  return "<option integrator='implicitfast' timestep='.004' solver='" + solver +
         R"('/><worldbody><geom type="plane" size="1 1 .1"/>
      <flexcomp name="c" type="grid" dim="3" count=")" +
         count + R"(" spacing=".02 .025 .03" pos="0 0 )" + std::to_string(z) + R"(" mass=".3" radius=".004">
        <contact selfcollide="none" internal="false"/><elasticity young=")" +
         young + R"(" poisson=".3" damping=".002"/>
      </flexcomp></worldbody>)";
}

// The stiff one has two levels, the soft one has one; both leave 1e-10 of the solution in the norm of A.
TEST(FlexMetric, IterationsForSolidsGiveTheSolutionOfAFactor) {
  for (const std::string young : {"1e4", "1e8"}) {
    const Model iterating = compiled(largeSolid("Newton", "14 12 10", young, 0.4)),
                factoring = compiled(largeSolid("PGS", "14 12 10", young, 0.4));
    Data d = movingState(iterating, 5), other(factoring);
    other.qpos = d.qpos;
    other.qvel = d.qvel;
    forward(factoring, other);
    EXPECT_EQ(d.work->flexTwoLevels[0], young == "1e8");
    Vector x(iterating.nv), Ae(iterating.nv), Ax(iterating.nv);
    for (int i = 0; i < iterating.nv; ++i) x[i] = std::sin(1.0 + i) + i % 3;
    Vector y = x;
    solveMetric(iterating, d, x.data());
    solveMetric(factoring, other, y.data());
    EXPECT_GT(d.metricIterations, 0);
    EXPECT_EQ(other.metricIterations, 0);
    const Vector e = x - y;
    multiplyMetric(factoring, other, e.data(), Ae.data());
    multiplyMetric(factoring, other, y.data(), Ax.data());
    EXPECT_LT(e.dot(Ae), 1e-18 * y.dot(Ax)) << young;
  }
}

// Contacts with the floor are part of Newton's matrix; its coarse space is made for that.
// With one level they are 115 to 155 for the acceleration and 146 to 226 per step of Newton's method.
TEST(FlexMetric, StiffSolidsTakeFewIterations) {
  for (const int side : {12, 16, 20}) {
    const std::string count = std::to_string(side);
    const Model m =
        compiled(largeSolid("Newton", count + " " + count + " " + count, "1e8", 0.015 * (side - 1) + 0.003));
    const Data d = movingState(m, 2);
    ASSERT_EQ(d.island.size(), 1);
    ASSERT_GT(d.nefc(), 0);
    EXPECT_EQ(d.island[0].matrix, MatrixForm::Iterative);
    EXPECT_TRUE(d.island[0].converged);
    EXPECT_GT(d.metricIterations, 5);
    EXPECT_LT(d.metricIterations, 75) << side;
    EXPECT_GT(d.island[0].innerIterations, 5);
    EXPECT_LT(d.island[0].innerIterations, 50 * d.island[0].iterations) << side;
  }
}

TEST(FlexMetric, AFactorStepsInWhereIterationsDoNotGetThere) {
  const Model iterating = compiled(largeSheet("Newton", "1e15")), factoring = compiled(largeSheet("PGS", "1e15"));
  const Data d = movingState(iterating, 5), expected = movingState(factoring, 5);
  EXPECT_GE(d.metricIterations, 50);
  for (int i = 0; i < iterating.nv; ++i) EXPECT_EQ(d.qacc_smooth[i], expected.qacc_smooth[i]) << i;
}

// Sheets of a milligram in contact, as stiff as steel: incomplete factors are of little help there. Rows that hold the
// sheet together are treated apart from contacts, so there is one with and one without.
TEST(FlexMetric, NewtonsMethodFactorsWhereIterationsDoNotGetThere) {
  const std::string rows = "<edge equality='vert'/>", bend = "bend", both = "both";
  for (const auto& [edge, elastic] : {std::pair{std::string(), both}, std::pair{rows, bend}}) {
    SCOPED_TRACE(elastic);
    const std::string sheet =
        R"(<option integrator="implicitfast" cone="elliptic" tolerance="1e-12"/><worldbody>
      <body pos="0 0 .1"><freejoint/><geom type="sphere" size=".05" mass="1e-4"/></body>
      <flexcomp name="c" type="grid" dim="2" count="26 20 1" spacing=".02 .02 .02" mass="1e-6" radius=".002">)" +
        edge + R"(<elasticity young="1e9" thickness=".001" bending="dihedral" elastic2d=")" + elastic +
        R"("/><contact selfcollide="none"/><pin id="0 19"/></flexcomp></worldbody>)";
    const Model iterating = compiled(sheet);
    Model factoring = iterating;
    factoring.opt.jacobian = JacobianForm::Sparse;
    Data d(iterating), expected(factoring);
    bool gaveUp = false;
    for (int i = 0; i < 100; ++i) {
      restoreState(factoring, expected, saveState(iterating, d));
      step(iterating, d);
      step(factoring, expected);
      ASSERT_EQ(d.island.size(), expected.island.size());
      for (int k = 0; k < static_cast<int>(d.island.size()); ++k) {
        EXPECT_TRUE(d.island[k].converged) << i;
        EXPECT_LE(d.island[k].iterations, expected.island[k].iterations + 3) << i;
        gaveUp |= d.island[k].innerIterations >= 50;
      }
      const Eigen::Map<const Vector> a(d.qacc.data(), iterating.nv), b(expected.qacc.data(), iterating.nv);
      EXPECT_LT((a - b).norm(), 1e-6 * b.norm()) << i;
    }
    EXPECT_TRUE(gaveUp);
  }
}

// Without stress the stiffness is minus the derivative of the elastic force, J'KJ included.
TEST(FlexMetric, IsTheDerivativeOfTheForceAtRest) {
  Model m = compiled(kArms);
  for (int f = 0; f < m.nflex; ++f) m.flex_damping[f] = 0;
  Data d(m);
  forward(m, d);
  const Matrix K = elasticPart(m, d).first / (m.opt.timestep * m.opt.timestep);
  const Matrix A = dense(m, d, multiplyMetric);
  const double step = 1e-6;
  const auto forceAt = [&](int dof, double by) {
    Data moved(m);
    Vector v = Vector::Zero(m.nv);
    v[dof] = by;
    std::copy_n(v.data(), m.nv, moved.qvel.data());
    integratePositions(m, moved.qpos.data(), moved.qvel.data(), 1);
    std::fill(moved.qvel.begin(), moved.qvel.end(), 0.0);
    forward(m, moved);
    Vector force(m.nv);
    for (int i = 0; i < m.nv; ++i) force[i] = moved.qfrc_spring[i];
    return force;
  };
  const Matrix M = inertiaOf(m, d);
  const double h2 = m.opt.timestep * m.opt.timestep;
  for (int i = 0; i < m.nv; ++i) {
    if (!isFree(m, i)) continue;
    const Vector derivative = (forceAt(i, -step) - forceAt(i, step)) / (2 * step);
    for (int j = 0; j < m.nv; ++j) {
      if (!isFree(m, j)) continue;
      EXPECT_NEAR(derivative[j], K(j, i), 1e-5 * std::sqrt(std::max(0.0, K(i, i) * K(j, j))) + 1e-4) << j << " " << i;
      if (i == j) continue;  // dampers are there
      EXPECT_NEAR(A(j, i), M(j, i) + h2 * derivative[j], 1e-5 * std::sqrt(A(i, i) * A(j, j)) + 1e-4 * h2);
    }
  }
}

// Everything falls at the same rate: nodes do not lag behind the body they hang on.
TEST(FlexMetric, AFallingSystemKeepsItsShape) {
  for (const char* integrator : {"implicit", "implicitfast"}) {
    Model m = compiled(tiedToAFreeBody("timestep='.01'"));
    m.opt.integrator = std::string(integrator) == "implicit" ? Integrator::Implicit : Integrator::ImplicitFast;
    m.opt.gravity = {1, -2, -9.81};
    Data d(m);
    d.qvel[0] = 0.3;
    for (int n = 0; n < m.nflexnode; ++n) d.qvel[m.nv_rigid + 3 * n] = 0.3;
    forward(m, d);
    for (int k = 0; k < 3; ++k) {
      const double g = m.opt.gravity[k];
      EXPECT_NEAR(d.qacc_smooth[k], g, 1e-10);
      EXPECT_NEAR(d.qacc_smooth[3 + k], 0, 1e-9);
      for (int n = 0; n < m.nflexnode; ++n) EXPECT_NEAR(d.qacc_smooth[m.nv_rigid + 3 * n + k], g, 1e-10);
    }
    for (int i = 0; i < 100; ++i) step(m, d);
    EXPECT_LT(std::abs(d.qvel[3]) + std::abs(d.qvel[4]) + std::abs(d.qvel[5]), 1e-8);
  }
}

struct Momentum {
  Vec3 linear, angular;  // about the origin
};

Momentum momentumOf(const Model& m, const Data& d) {
  Momentum p{Vec3::Zero(), Vec3::Zero()};
  for (int b = 1; b < m.nbody; ++b) {
    const PointVelocity v = pointVelocity(m, d, b, vec3(d.xipos.data(), b));
    const Mat3 R = mat3(d.ximat.data(), b);
    const Mat3 axes = R.transpose();  // ximat is stored by rows
    const Mat3 I = axes.transpose() * vec3(m.body_inertia.data(), b).asDiagonal() * axes;
    p.linear += m.body_mass[b] * v.linear;
    p.angular += m.body_mass[b] * vec3(d.xipos.data(), b).cross(v.linear) + I * v.angular;
  }
  for (int n = 0; n < m.nflexnode; ++n) {
    const Vec3 v = vec3(d.qvel.data() + m.nv_rigid, n);
    p.linear += m.flexnode_mass[n] * v;
    p.angular += m.flexnode_mass[n] * vec3(d.qpos.data() + m.nq_rigid, n).cross(v);
  }
  return p;
}

// Rows of the metric that belong to a motion of the whole add up to the inertia: inner forces drop out, whatever the
// state. Angular momentum of the step itself is kept to the order of the integrator: it drifts half as fast with half
// the step.
TEST(FlexMetric, MomentumOfAFreeSystemIsKept) {
  const auto driftAt = [](double h) {
    Model m = compiled(tiedToAFreeBody("timestep='" + std::to_string(h) + "' gravity='0 0 0'"));
    Data d(m);
    for (int i = 0; i < m.nv; ++i) d.qvel[i] = (i < 3 ? 0.5 : 0.3) * std::sin(1.0 + 2 * i);
    forward(m, d);
    const Momentum before = momentumOf(m, d);
    double largest = 0, moved = d.qvel[0];
    for (double t = 0; t < 0.4; t += h) step(m, d);
    forward(m, d);
    const Momentum after = momentumOf(m, d);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(after.linear[k], before.linear[k], 1e-9);
    largest = (after.angular - before.angular).norm() / before.angular.norm();
    EXPECT_GT(std::abs(d.qvel[0] - moved), 1e-3);  // the sheet pulls at the body
    return largest;
  };
  const double coarse = driftAt(0.002), fine = driftAt(0.001), finest = driftAt(0.0005);
  EXPECT_LT(fine, 0.65 * coarse);
  EXPECT_LT(finest, 0.65 * fine);
}

TEST(FlexMetric, InnerForcesDropOutOfEveryMotionOfTheWhole) {
  const Model m = compiled(tiedToAFreeBody("timestep='.005' gravity='0 0 0'"));
  const Data d = movingState(m, 20);
  const auto [part, force] = elasticPart(m, d);
  const Matrix A = dense(m, d, multiplyMetric), M = inertiaOf(m, d);
  for (int k = 0; k < 3; ++k) {
    Vector shift = Vector::Zero(m.nv);
    shift[k] = 1;
    for (int n = 0; n < m.nflexnode; ++n) shift[m.nv_rigid + 3 * n + k] = 1;
    EXPECT_LT((A * shift - M * shift).norm(), 1e-10 * part.norm());
    double total = 0, smooth = 0;
    for (int i = 0; i < m.nv; ++i) {
      total += shift[i] * d.qfrc_implicit[i];
      smooth += (M * shift)[i] * d.qacc_smooth[i];
    }
    EXPECT_NEAR(total, 0, 1e-9 * force.norm());
    EXPECT_NEAR(smooth, -shift.dot(Eigen::Map<const Vector>(d.qfrc_bias.data(), m.nv)), 1e-9);
  }
}

// A stiff sheet on the tip of a pendulum lighter than itself: the explicit reaction would tear it apart.
TEST(FlexMetric, AStiffTieToALightPendulumIsStableAtALargeStep) {
  for (const char* solver : {"Newton", "CG", "PGS"}) {
    for (const char* cone : {"pyramidal", "elliptic"}) {
      const Model m = compiled(
          std::string("<option integrator='implicitfast' timestep='.01' solver='") + solver + "' cone='" + cone +
          R"('><flag energy="enable"/></option><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 .5"><joint name="j" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .2 0 0" size=".004" mass=".002" contype="0" conaffinity="0"/>
        <flexcomp name="c" type="grid" dim="2" count="6 4 1" spacing=".04 .04 .04" pos=".3 0 0" mass=".2" radius=".004">
          <contact selfcollide="none"/>
          <elasticity young="1e8" poisson=".3" thickness=".002" elastic2d="both" damping=".001"/><pin id="0 1 2 3"/>
        </flexcomp></body></worldbody>)");
      Data d(m);
      step(m, d);
      const double start = d.energy[0] + d.energy[1];
      for (int i = 0; i < 300; ++i) {
        step(m, d);
        ASSERT_LT(d.energy[0] + d.energy[1], start + 0.01 * 0.2 * 9.81) << solver << " " << cone << ", step " << i;
      }
      EXPECT_TRUE(d.status.ok()) << solver << " " << cone << ": " << describeStatus(m, d);
      for (int e = 0; e < m.nflexedge; ++e) EXPECT_NEAR(d.flexedge_length[e] / m.flexedge_length0[e], 1, 0.05);
    }
  }
}

// The same constrained step by every solver: the factor of the smooth motion serves them all.
TEST(FlexMetric, AllSolversAgreeWhenBodiesAreInThePart) {
  for (const Cone cone : {Cone::Pyramidal, Cone::Elliptic}) {
    std::vector<std::vector<double>> results;
    for (const Solver solver : {Solver::Newton, Solver::CG, Solver::PGS}) {
      for (const bool islands : {true, false}) {
        Model m = compiled(tiedToAFreeBody("timestep='.004'") +
                           R"(<worldbody><body pos="3 0 1"><freejoint/><geom size=".1"/></body></worldbody>
          <equality><connect body1="bob" anchor="0 0 .1"/></equality>)");
        m.opt.solver = solver;
        m.opt.cone = cone;
        m.opt.tolerance = 1e-15;
        m.opt.iterations = 5000;
        if (!islands) m.opt.disableflags |= disable::kIsland;
        Data d = movingState(m, 0);
        results.emplace_back(d.qacc.begin(), d.qacc.end());
        EXPECT_GT(d.nefc(), 0);
      }
    }
    for (const auto& result : results) {
      for (std::size_t i = 0; i < result.size(); ++i)
        EXPECT_NEAR(result[i], results[0][i], 1e-6 * (1 + std::abs(result[i])));
    }
  }
}

TEST(FlexMetric, InverseDynamicsUndoesForwardDynamics) {
  const Model m = compiled(kArms);
  Data d = movingState(m, 5);
  for (int i = 0; i < m.nv; ++i) d.qfrc_applied[i] = isFree(m, i) ? 0.01 * std::sin(1.0 * i) : 0;
  forward(m, d);
  std::vector<double> expected(d.qfrc_applied.begin(), d.qfrc_applied.end());
  for (int i = 0; i < m.nv; ++i) expected[i] += d.qfrc_actuator[i];
  inverse(m, d);
  for (int i = 0; i < m.nv; ++i) {
    if (!isFree(m, i)) continue;
    EXPECT_NEAR(d.qfrc_inverse[i], expected[i], 1e-8) << i;
  }
}

}  // namespace
}  // namespace sinew
