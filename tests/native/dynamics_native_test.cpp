#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sinew/derivatives.h"
#include "sinew/dynamics.h"
#include "sinew/load.h"
#include "sinew/query.h"
#include "sinew/state.h"
#include "sinew/step.h"
#include "support/paths.h"

// The public functions against those of native MuJoCo, in one process, on the conformance scenes: every rigid model
// that both read with the same layout, at random states.
namespace sinew {
namespace {

using Numbers = std::vector<double>;

struct Reference {
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data{nullptr, mj_deleteData};
};

struct Both {
  std::string name;
  Model m;
  Reference reference;
};

/// The scenes that both engines read, without flexes (whose coordinates have another layout).
std::vector<Both> scenes() {
  std::vector<Both> all;
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::sourceDir() / "tests/conformance/scenes")) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    Both both;
    char error[1000];
    both.reference.model.reset(mj_loadXML(file.c_str(), nullptr, error, sizeof(error)));
    if (!both.reference.model || both.reference.model->nflex > 0) continue;
    try {
      both.m = load(file, nullptr, {.gap = GapReading::Outside});
    } catch (const LoadError&) {
      continue;
    }
    const mjModel& r = *both.reference.model;
    if (both.m.nq != r.nq || both.m.nv != r.nv || both.m.nbody != r.nbody || both.m.ngeom != r.ngeom) continue;
    // the reference stops its search for principal axes early, at 1e-7: another frame, and other coordinates if aligned
    const auto differs = [](double a, double b) { return std::abs(a - b) > 1e-12; };
    if (!std::equal(both.m.body_iquat.begin(), both.m.body_iquat.end(), r.body_iquat,
                    [&](double a, double b) { return !differs(a, b); })) {
      continue;
    }
    both.reference.data.reset(mj_makeData(&r));
    both.name = file.stem().string();
    all.push_back(std::move(both));
  }
  return all;
}

/// The same random state in both, evaluated.
Data randomState(Both& both, unsigned seed) {
  const mjModel& rm = *both.reference.model;
  mjData& rd = *both.reference.data;
  const Model& m = both.m;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  mj_resetData(&rm, &rd);
  Data d(m);
  Numbers move(static_cast<std::size_t>(m.nv));
  for (double& x : move) x = 0.2 * uniform(random);
  mj_integratePos(&rm, rd.qpos, move.data(), 1);
  integratePositions(m, d.qpos, move, 1);
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = rd.qvel[i] = uniform(random);
  for (int i = 0; i < m.nu; ++i) d.ctrl[i] = rd.ctrl[i] = 0.3 * uniform(random);
  for (int i = 0; i < m.na; ++i) d.act[i] = rd.act[i] = 0.2 + 0.1 * uniform(random);
  mj_forward(&rm, &rd);
  forward(m, d);
  return d;
}

/// Entry by entry, relative to the largest entry.
testing::AssertionResult same(const Numbers& actual, const double* expected, double tolerance) {
  double scale = 1;
  for (std::size_t i = 0; i < actual.size(); ++i) scale = std::max(scale, std::abs(expected[i]));
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!(std::abs(actual[i] - expected[i]) <= tolerance * scale)) {
      return testing::AssertionFailure() << "entry " << i << ": " << actual[i] << " instead of " << expected[i];
    }
  }
  return testing::AssertionSuccess();
}

TEST(Native, API_1_DynamicsEqualTheReference) {
  int compared = 0;
  for (Both& both : scenes()) {
    SCOPED_TRACE(both.name);
    const Model& m = both.m;
    const mjModel& rm = *both.reference.model;
    mjData& rd = *both.reference.data;
    const auto n = static_cast<std::size_t>(m.nv);
    for (unsigned seed = 1; seed <= 2; ++seed) {
      Data d = randomState(both, seed);
      if (std::any_of(d.qpos.begin(), d.qpos.end(), [](double x) { return !std::isfinite(x); })) continue;
      ++compared;
      Numbers p(3 * n), r(3 * n), ep(3 * n), er(3 * n);
      EXPECT_TRUE(same({d.qpos.begin(), d.qpos.end()}, rd.qpos, 1e-12));
      for (int body = 0; body < m.nbody; ++body) {
        bodyJacobian(m, d, body, p, r);
        mj_jacBody(&rm, &rd, ep.data(), er.data(), body);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "body " << body;
        bodyComJacobian(m, d, body, p, r);
        mj_jacBodyCom(&rm, &rd, ep.data(), er.data(), body);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "centre of body " << body;
        if (m.body_subtreemass[body] > 1e-12) {  // without mass the reference gives zero, not the body's own Jacobian
          subtreeComJacobian(m, d, body, p);
          mj_jacSubtreeCom(&rm, &rd, ep.data(), body);
          EXPECT_TRUE(same(p, ep.data(), 1e-9)) << "subtree " << body;
        }
        angularMomentumMatrix(m, d, body, p);
        mj_angmomMat(&rm, &rd, ep.data(), body);
        EXPECT_TRUE(same(p, ep.data(), 1e-9)) << "angular momentum " << body;
        const Vector3 point{d.xpos[3 * body] + 0.1, d.xpos[3 * body + 1] - 0.2, d.xpos[3 * body + 2] + 0.3};
        pointJacobian(m, d, body, point, p, r);
        mj_jac(&rm, &rd, ep.data(), er.data(), point.data(), body);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "point of body " << body;
        bodyJacobianDot(m, d, body, p, r);
        const Vector3 origin{d.xpos[3 * body], d.xpos[3 * body + 1], d.xpos[3 * body + 2]};
        mj_jacDot(&rm, &rd, ep.data(), er.data(), origin.data(), body);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "rate of the origin of body " << body;
        pointJacobianDot(m, d, body, point, p, r);
        mj_jacDot(&rm, &rd, ep.data(), er.data(), point.data(), body);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "rate of body " << body;
        Numbers qfrc(n, 0.0), expected(n, 0.0);
        const Vector3 force{1, -2, 3}, torque{0.3, 0.2, -0.1};
        addForceAtPoint(m, d, body, point, force, torque, qfrc);
        mj_applyFT(&rm, &rd, force.data(), torque.data(), point.data(), body, expected.data());
        EXPECT_TRUE(same(qfrc, expected.data(), 1e-9)) << "force on body " << body;
      }
      for (int site = 0; site < m.nsite; ++site) {
        siteJacobian(m, d, site, p, r);
        mj_jacSite(&rm, &rd, ep.data(), er.data(), site);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "site " << site;
        siteJacobianDot(m, d, site, p, r);
        mj_jacDot(&rm, &rd, ep.data(), er.data(), rd.site_xpos + 3 * site, rm.site_bodyid[site]);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "rate of site " << site;
      }
      for (int geom = 0; geom < m.ngeom; ++geom) {
        geomJacobian(m, d, geom, p, r);
        mj_jacGeom(&rm, &rd, ep.data(), er.data(), geom);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "geom " << geom;
        geomJacobianDot(m, d, geom, p, r);
        mj_jacDot(&rm, &rd, ep.data(), er.data(), rd.geom_xpos + 3 * geom, rm.geom_bodyid[geom]);
        EXPECT_TRUE(same(p, ep.data(), 1e-9) && same(r, er.data(), 1e-9)) << "rate of geom " << geom;
      }
      Numbers M(n * n), expected(n * n), x(n), y(n), z(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(1.0 + static_cast<double>(i));
      fullMass(m, d, M);
      mj_fullM(&rm, &rd, expected.data());
      EXPECT_TRUE(same(M, expected.data(), 1e-9)) << "M";
      multiplyMass(m, d, x, y);
      mj_mulM(&rm, &rd, z.data(), x.data());
      EXPECT_TRUE(same(y, z.data(), 1e-9)) << "M x";
      solveMass(m, d, x, y);
      mj_solveM(&rm, &rd, z.data(), x.data(), 1);
      EXPECT_TRUE(same(y, z.data(), 1e-9)) << "inv(M) x";
      newtonEuler(m, d, {}, y);
      mj_rne(&rm, &rd, 0, z.data());
      EXPECT_TRUE(same(y, z.data(), 1e-9)) << "bias";
      // the same acceleration in both: their solvers may differ in the last digits
      for (int i = 0; i < m.nv; ++i) rd.qacc[i] = d.qacc[i];
      newtonEuler(m, d, d.qacc, y);
      mj_rne(&rm, &rd, 1, z.data());
      EXPECT_TRUE(same(y, z.data(), 1e-9)) << "bias and M qacc";

      computeBodyForces(m, d);
      mj_rnePostConstraint(&rm, &rd);
      for (const auto& [type, its, count] : {std::tuple{ObjType::Body, mjOBJ_BODY, m.nbody},
                                             {ObjType::XBody, mjOBJ_XBODY, m.nbody},
                                             {ObjType::Geom, mjOBJ_GEOM, m.ngeom},
                                             {ObjType::Site, mjOBJ_SITE, m.nsite}}) {
        for (int id = 0; id < count; ++id) {
          for (const Axes axes : {Axes::World, Axes::Local}) {
            double v[6], a[6];
            mj_objectVelocity(&rm, &rd, its, id, v, axes == Axes::Local);
            mj_objectAcceleration(&rm, &rd, its, id, a, axes == Axes::Local);
            const SpatialMotion velocity = objectVelocity(m, d, type, id, axes);
            const SpatialMotion acceleration = objectAcceleration(m, d, type, id, axes);
            EXPECT_TRUE(same({velocity.angular.begin(), velocity.angular.end()}, v, 1e-9));
            EXPECT_TRUE(same({velocity.linear.begin(), velocity.linear.end()}, v + 3, 1e-9));
            EXPECT_TRUE(same({acceleration.angular.begin(), acceleration.angular.end()}, a, 1e-9)) << its << " " << id;
            EXPECT_TRUE(same({acceleration.linear.begin(), acceleration.linear.end()}, a + 3, 1e-9))
                << its << " " << id;
          }
        }
      }
      Numbers q(rd.qpos, rd.qpos + m.nq);
      integratePositions(m, q, x, 0.3);
      Numbers rq(rd.qpos, rd.qpos + m.nq);
      mj_integratePos(&rm, rq.data(), x.data(), 0.3);
      EXPECT_TRUE(same(q, rq.data(), 1e-12));
      differentiatePositions(m, y, 0.3, d.qpos, q);
      mj_differentiatePos(&rm, z.data(), 0.3, rd.qpos, rq.data());
      EXPECT_TRUE(same(y, z.data(), 1e-9));
    }
  }
  EXPECT_GT(compared, 100);
}

// Sizes of all parts and combinations, and their numbers, in the reference's order.
TEST(Native, API_1_StatesByMaskEqualTheReference) {
  int compared = 0;
  for (Both& both : scenes()) {
    SCOPED_TRACE(both.name);
    const Model& m = both.m;
    const mjModel& rm = *both.reference.model;
    mjData& rd = *both.reference.data;
    Data d = randomState(both, 1);
    if (m.nhistory != rm.nhistory || m.nu != rm.nu || m.na != rm.na) continue;
    ++compared;
    for (int k = 0; k < m.nv; ++k) d.qfrc_applied[k] = rd.qfrc_applied[k] = 0.1 * k;
    for (int k = 0; k < 6 * m.nbody; ++k) d.xfrc_applied[k] = rd.xfrc_applied[k] = 0.2 * k;
    for (int k = 0; k < m.nuserdata; ++k) d.userdata[k] = rd.userdata[k] = 0.3 * k;
    for (int bit = 0; bit < mjNSTATE; ++bit) EXPECT_EQ(stateSize(m, 1 << bit), mj_stateSize(&rm, 1 << bit)) << bit;
    for (const int mask : std::initializer_list<int>{mjSTATE_PHYSICS, mjSTATE_FULLPHYSICS, mjSTATE_USER,
                                                     mjSTATE_INTEGRATION & ~mjSTATE_WARMSTART}) {
      Numbers expected(static_cast<std::size_t>(mj_stateSize(&rm, mask)));
      mj_getState(&rm, &rd, expected.data(), mask);
      const Numbers actual = getState(m, d, mask);
      ASSERT_EQ(actual.size(), expected.size()) << mask;
      EXPECT_TRUE(same(actual, expected.data(), 1e-12)) << mask;
    }
  }
  EXPECT_GT(compared, 50);
  EXPECT_EQ(state::kPhysics, static_cast<int>(mjSTATE_PHYSICS));
  EXPECT_EQ(state::kFullPhysics, static_cast<int>(mjSTATE_FULLPHYSICS));
  EXPECT_EQ(state::kUser, static_cast<int>(mjSTATE_USER));
  EXPECT_EQ(state::kIntegration, static_cast<int>(mjSTATE_INTEGRATION));
}

// The same forces of the rows in both: the solvers may differ in the last digits.
TEST(Native, API_1_ContactForcesEqualTheReference) {
  int compared = 0;
  for (Both& both : scenes()) {
    SCOPED_TRACE(both.name);
    const mjModel& rm = *both.reference.model;
    mjData& rd = *both.reference.data;
    Data d = randomState(both, 1);
    if (d.ncon() != rd.ncon || d.nefc() != rd.nefc) continue;
    for (int i = 0; i < d.nefc(); ++i) d.efc_force[i] = rd.efc_force[i];
    for (int i = 0; i < d.ncon(); ++i) {
      if (d.contact[i].efc_address != rd.contact[i].efc_address || d.contact[i].dim != rd.contact[i].dim) continue;
      double expected[6];
      mj_contactForce(&rm, &rd, i, expected);
      const std::array<double, 6> actual = contactForce(both.m, d, i);
      EXPECT_TRUE(same({actual.begin(), actual.end()}, expected, 1e-9)) << "contact " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
}

// Rays from all around, and distances of geoms that are apart. Meshes and height fields are left to the conformance
// run.
TEST(Native, API_1_RaysAndDistancesEqualTheReference) {
  int hits = 0, distances = 0;
  for (Both& both : scenes()) {
    SCOPED_TRACE(both.name);
    const Model& m = both.m;
    mjModel& rm = *both.reference.model;
    mjData& rd = *both.reference.data;
    both.m.opt.ccd_tolerance = rm.opt.ccd_tolerance = 1e-12;
    both.m.opt.ccd_iterations = rm.opt.ccd_iterations = 200;
    Data d = randomState(both, 1);
    const auto isPlain = [&](int g) {
      return m.geom_type[g] != GeomType::Mesh && m.geom_type[g] != GeomType::HField && m.geom_type[g] != GeomType::Sdf;
    };
    bool plain = m.ngeom > 0 && m.ngeom <= 60;
    for (int g = 0; g < m.ngeom; ++g) plain = plain && isPlain(g);
    if (!plain) continue;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < 40; ++i) {
      const Vector3 from{2 * uniform(random), 2 * uniform(random), 1 + uniform(random)};
      const Vector3 along{uniform(random), uniform(random), uniform(random)};
      int geom = -1;
      const double expected = mj_ray(&rm, &rd, from.data(), along.data(), nullptr, 1, -1, &geom, nullptr);
      const RayHit hit = ray(m, d, from, along);
      EXPECT_NEAR(hit.distance, expected, 1e-9 * (1 + std::abs(expected))) << "ray " << i;
      hits += expected >= 0;
    }
    for (int a = 0; a < m.ngeom; ++a) {
      for (int b = a + 1; b < std::min(m.ngeom, a + 6); ++b) {
        const bool round = m.geom_type[a] <= GeomType::Capsule && m.geom_type[b] <= GeomType::Capsule;
        if (!round || m.geom_type[a] == m.geom_type[b]) continue;  // closed forms, in both
        double fromto[6];
        const double expected = mj_geomDistance(&rm, &rd, a, b, 5, fromto);
        if (expected <= 0 || expected >= 5) continue;
        const Distance actual = distance(m, d, {ObjType::Geom, a}, {ObjType::Geom, b}, 5);
        EXPECT_NEAR(actual.distance, expected, 1e-9) << a << " " << b;
        ++distances;
      }
    }
  }
  EXPECT_GT(hits, 500);
  EXPECT_GT(distances, 30);
}

/// Central differences of the reference's own steps: A, B and C in the layout of transitionDerivatives(). Controls must
/// be inside their ranges.
void differencesOfSteps(const Both& both, double eps, Numbers& A, Numbers& B, Numbers& C) {
  const mjModel& m = *both.reference.model;
  const mjData& start = *both.reference.data;
  const int nv = both.m.nv, n = 2 * nv + both.m.na, columns = n + both.m.nu;
  const auto stepped = [&](int j, double e) {
    std::unique_ptr<mjData, decltype(&mj_deleteData)> d(mj_makeData(&m), mj_deleteData);
    Numbers state(static_cast<std::size_t>(mj_stateSize(&m, mjSTATE_INTEGRATION)));
    mj_getState(&m, &start, state.data(), mjSTATE_INTEGRATION);
    mj_setState(&m, d.get(), state.data(), mjSTATE_INTEGRATION);
    Numbers tangent(static_cast<std::size_t>(m.nv), 0.0);
    if (j < m.nv) {
      tangent[j] = e;
      mj_integratePos(&m, d->qpos, tangent.data(), 1);
    } else if (j < 2 * m.nv) {
      d->qvel[j - m.nv] += e;
    } else if (j < n) {
      d->act[j - 2 * m.nv] += e;
    } else {
      d->ctrl[j - n] += e;
    }
    mj_step(&m, d.get());
    return d;
  };
  for (int j = 0; j < columns; ++j) {
    const auto before = stepped(j, -eps), after = stepped(j, eps);
    Numbers column(static_cast<std::size_t>(n));
    mj_differentiatePos(&m, column.data(), 2 * eps, before->qpos, after->qpos);
    for (int i = 0; i < m.nv; ++i) {
      column[m.nv + i] = (after->qvel[i] - before->qvel[i]) / (2 * eps);
    }
    for (int i = 0; i < m.na; ++i) {
      column[2 * m.nv + i] = (after->act[i] - before->act[i]) / (2 * eps);
    }
    for (int i = 0; i < both.m.nsensordata && j < n; ++i) {
      C[i * n + j] = (after->sensordata[i] - before->sensordata[i]) / (2 * eps);
    }
    for (int i = 0; i < n; ++i) {
      if (j < n) {
        A[i * n + j] = column[i];
      } else {
        B[i * m.nu + j - n] = column[i];
      }
    }
  }
}

// Against mjd_transitionFD, and against differences of the reference's own steps. The two are not the same in scenes
// with polynomial damping or muscles, where mjd_transitionFD leaves out part of the dependence on velocity (3.12.0):
// there the steps count. Its D has the wrong sign when centered, so D is compared one-sided. Scenes with rows follow in
// the next test.
TEST(Native, API_3_TransitionDerivativesEqualTheReference) {
  int compared = 0, ofFunction = 0;
  for (Both& both : scenes()) {
    SCOPED_TRACE(both.name);
    const Model& m = both.m;
    const mjModel& rm = *both.reference.model;
    mjData& rd = *both.reference.data;
    if (m.nv == 0 || m.nv > 40 || m.nsensordata != rm.nsensordata) continue;
    const Data d = randomState(both, 3);
    if (d.nefc() > 0 || rd.nefc > 0 || m.nhistory > 0) continue;
    ++compared;
    const TransitionDerivatives t = transitionDerivatives(m, d, {.eps = 1e-6, .centered = true});
    const TransitionDerivatives oneSided = transitionDerivatives(m, d, {.eps = 1e-6});
    Numbers A(t.A.size()), B(t.B.size()), C(t.C.size()), D(t.D.size()), stepA = A, stepB = B, stepC = C;
    differencesOfSteps(both, 1e-6, stepA, stepB, stepC);
    EXPECT_TRUE(same(t.A, stepA.data(), 1e-6)) << "A of steps";
    EXPECT_TRUE(same(t.C, stepC.data(), 1e-6)) << "C of steps";
    if (rm.opt.integrator == mjINT_RK4) continue;  // mjd_transitionFD refuses it
    mjd_transitionFD(&rm, &rd, 1e-6, true, A.data(), B.data(), C.data(), nullptr);
    EXPECT_TRUE(same(t.B, B.data(), 1e-6)) << "B";
    if (same(stepC, C.data(), 1e-7)) {
      EXPECT_TRUE(same(t.C, C.data(), 1e-6)) << "C";
    }
    if (same(stepA, A.data(), 1e-7)) {
      ++ofFunction;
      EXPECT_TRUE(same(t.A, A.data(), 1e-6)) << "A";
    }
    mjd_transitionFD(&rm, &rd, 1e-6, false, A.data(), B.data(), C.data(), D.data());
    EXPECT_TRUE(same(oneSided.B, B.data(), 1e-6)) << "B, one-sided";
    EXPECT_TRUE(same(oneSided.D, D.data(), 1e-6)) << "D, one-sided";
  }
  EXPECT_GE(compared, 20);
  EXPECT_GE(ofFunction, 20);
}

/// Whether all contacts are between shapes whose contacts both engines find in closed form.
bool contactsAreClosedForms(const Model& m, const Data& d) {
  const auto isPlain = [&](int geom) {
    const GeomType type = m.geom_type[geom];
    return type == GeomType::Plane || type == GeomType::Sphere || type == GeomType::Capsule || type == GeomType::Box;
  };
  return std::all_of(d.contact.begin(), d.contact.end(),
                     [&](const Contact& c) { return isPlain(c.geom[0]) && isPlain(c.geom[1]); });
}

// The same with contacts, limits, equalities and friction loss. Both engines solve as exactly as they can, so that
// their steps are the same function of the state; then so are differences, even if a row changes sides within the
// nudge. Compared where the accelerations of the two show that the rows are the same.
TEST(Native, API_3_TransitionDerivativesWithRowsEqualTheReference) {
  int compared = 0, ofFunction = 0, contacts = 0, limits = 0, equalities = 0, frictions = 0;
  for (Both& both : scenes()) {
    SCOPED_TRACE(both.name);
    Model& m = both.m;
    mjModel& rm = *both.reference.model;
    mjData& rd = *both.reference.data;
    if (m.nv == 0 || m.nv > 40 || m.nhistory > 0 || m.opt.noslip_iterations > 0) continue;
    if (m.opt.solver == Solver::Impulse) continue;
    m.opt.solver = Solver::Newton;
    rm.opt.solver = mjSOL_NEWTON;
    m.opt.tolerance = rm.opt.tolerance = 0;
    m.opt.iterations = rm.opt.iterations = 30;
    m.opt.ls_iterations = rm.opt.ls_iterations = 50;
    const Data d = randomState(both, 4);
    if (d.nefc() == 0 || d.nefc() != rd.nefc || !contactsAreClosedForms(m, d)) continue;
    if (!same(Numbers(d.qacc.begin(), d.qacc.end()), rd.qacc, 1e-11)) continue;
    ++compared;
    contacts += d.ncon() > 0;
    limits += d.nl > 0;
    equalities += d.ne > 0;
    frictions += d.nf > 0;
    const TransitionDerivatives t = transitionDerivatives(m, d, {.eps = 1e-6, .centered = true});
    Numbers A(t.A.size()), B(t.B.size()), C(t.C.size()), stepA = A, stepB = B, stepC = C;
    differencesOfSteps(both, 1e-6, stepA, stepB, stepC);
    EXPECT_TRUE(same(t.A, stepA.data(), 1e-6)) << "A of steps";
    if (rm.opt.integrator == mjINT_RK4) continue;  // mjd_transitionFD refuses it
    mjd_transitionFD(&rm, &rd, 1e-6, true, A.data(), B.data(), C.data(), nullptr);
    EXPECT_TRUE(same(t.B, B.data(), 1e-6)) << "B";
    if (same(stepA, A.data(), 1e-7)) {
      ++ofFunction;
      EXPECT_TRUE(same(t.A, A.data(), 1e-6)) << "A";
    }
  }
  RecordProperty("compared", compared);
  RecordProperty("contacts", contacts);
  RecordProperty("limits", limits);
  RecordProperty("equalities", equalities);
  EXPECT_GE(compared, 20);
  EXPECT_GE(ofFunction, 15);
  EXPECT_GE(contacts, 5);
  EXPECT_GE(limits, 3);
  EXPECT_GE(equalities, 3);
  EXPECT_GE(frictions, 1);
}

}  // namespace
}  // namespace sinew
