#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "math/types.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"

// Elastic forces of the law "mujoco" against numbers of MuJoCo 3.12 in the state q_i = 0.01 sin(1 + 2i)
// (displacements), v_i = 0.3 cos(2 + 3i).
namespace sinew {
namespace {

constexpr double kStretchedSheetSpring[] = {
    -0.036738819559562125,  0.059273496761943857, 0.01999762558241611,  0.0038534491880046658, 0.0097104552067795794,
    -0.0018989328634382578, -0.37184273561313208, 0.028573898256694357, -0.024971578612408622, 0.30873598308265027,
    -0.094551897119381806,  0.041360444330097432, 0.087958311921410307, -0.027253098629341353, -0.029140481660595227,
    0.0080338109806289814,  0.024247145523305362, -0.005347076776071439};
constexpr double kSolidSpring[] = {-1.3303711574974935, -1.0529095419315881, -1.4569310460960345, 0.10497992334608397,
                                   -1.1195082865657966, 1.6204838573300928,  0.67428979733504602, 8.6815697308572357,
                                   -4.1286969922787202, 0.51793329483410511, -5.2572268918849732, 8.7447213235321453,
                                   -3.6699723368819877, 1.5743492861225312,  -2.5445456535980764, 3.703140478864245,
                                   -2.8262742965974077, -2.2350314888894078};
constexpr double kBentGridSpring[] = {
    5.0050481992937188,  -4.5628486566869331, 0.33502638789522055, -19.360521011705856, 2.2713470517877594,
    -2.5576979265373279, -10.521778322948698, 12.74774061827892,   -1.8643104273134123, 3.1923759985798763,
    -12.912998999563957, 0.23551816392282496, -22.686018383901953, 32.095749485963061,  -2.3760747867648546,
    51.030121572568127,  -77.509485057250075, 3.980740929163002,   -39.100561382395206, 60.958592925690702,
    -3.3305353238202433, 22.547950345924463,  -21.882035423936081, 2.1904547785866249,  9.1969963357663165,
    -9.4806971340815718, 1.7334925575036171,  -16.956011498287761, 25.931052491640319,  -2.6539683722831788,
    32.821858934864657,  -33.046138585714857, 5.9968106212124068,  -15.169460787757684, 25.38972128387271,
    -1.6894566015646797};
constexpr double kBentGridDamper[] = {
    0.15249389849154252,   -0.12283806426073382, 0.090723625338557198,   -0.20767043976155489,  0.14553521209444209,
    -0.080487096167749322, 0.071515737512704528, -0.0029888285660720198, -0.065597901804631736, -0.021302601157104997,
    -0.012790795925470952, 0.046628185140632557, -0.39490940383894996,   0.38611808829445488,   -0.36959861658748722,
    0.78084443888013511,   -0.75140161192670496, 0.70691947660170007,    -0.70628195784580805,  0.64748349283330575,
    -0.57572564130943393,  0.33027373263344845,  -0.29603501588538617,   0.25587115628160367,   0.16623119169833309,
    -0.18919693735513377,  0.20837590502440084,  -0.35530132574007539,   0.39850228446657254,   -0.43372721726001073,
    0.42757381452331672,   -0.45201569357161486, 0.46741047543977321,    -0.24346708539598719,  0.24962786980234136,
    -0.25079235069735462};
constexpr double kTrilinearSpring[] = {
    -1.5285648859542349, -0.28747658203929494, -0.22206121852166982, -2.0487892738864675,  -0.8222861529536809,
    0.94520812839502488, -1.4733341415415808,  0.43242264485549664,  -0.52150011545398178, -1.9560877138944905,
    0.18224003881413992, 0.46624177904627573,  1.9239270093864329,   -0.63262454668279444, -0.50969966246424414,
    1.60852445737825,    -1.2081603534572012,  0.83247705255046145,  1.9393084986427651,   1.27719470988846,
    -1.1102628903156033, 1.5350160498693208,   1.0586902415748667,   0.11959692676373655};
constexpr double kTrilinearDamper[] = {
    -0.30165462895928108, -0.79189225860690515, -0.56180575430927482, -0.83707180905502132, -1.0062097701109773,
    0.85459283139930431,  -0.44351508178832821, 1.0794285469853024,   -1.5123001611167297,  -0.54885264327845118,
    0.44220698802461378,  0.49500572487256711,  0.028754336824597049, -0.48308040074835951, -0.63124107578918276,
    1.0310017768286117,   -1.5280616236893871,  1.7918210988651089,   0.30229677685564865,  1.2135028813595736,
    -1.2865627676463121,  0.7690412725722241,   1.0741056367861388,   0.85049010372451894};

constexpr double kShellSpring[] = {
    0.0019345545941748198, 0.017828571288966744,  -0.0017598025480213848, -0.008018742267441266, -0.008728279971847044,
    0.01689248070479205,   0.0022593117809858437, -0.006294072983520307,  0.006004607403358171,  0.0022283785166171974,
    -0.02660583067422165,  0.005915638049957257,  -0.011704503960534574,  0.0004636605290040358, 0.021806483558233985,
    -0.011726344624355022, -0.011984300803706554, 0.014012649907099915,   0.019748827013685546,  0.01653659630570706,
    -0.026121329269154857, 0.00527851894686745,   0.018783656309617716,   -0.036750727806265135};

/// Both passive forces; an empty list stands for zeros. The reference rounds as we do: 1e-11 of the largest force.
void check(const char* mjcf, std::span<const double> spring, std::span<const double> damper, double tolerance = 1e-11) {
  const Model m = test::modelOf(mjcf);
  ASSERT_EQ(m.nv, static_cast<int>(spring.size()));
  Data d(m);
  for (int i = 0; i < m.nv; ++i) {
    d.qpos[i] += 0.01 * std::sin(1 + 2 * i);
    d.qvel[i] = 0.3 * std::cos(2 + 3 * i);
  }
  forward(m, d);
  const double scale = ConstMapVecX(spring.data(), m.nv).cwiseAbs().maxCoeff();
  for (int i = 0; i < m.nv; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    EXPECT_NEAR(d.qfrc_spring[i], spring[k], tolerance * scale) << "dof " << i;
    EXPECT_NEAR(d.qfrc_damper[i], damper.empty() ? 0 : damper[k], tolerance * scale) << "dof " << i;
  }
}

TEST(ElasticityReference, IrregularSheetThatStretches) {
  check(R"(<mujoco><option gravity="0 0 0" timestep="0.002"/><worldbody><body name="p" pos="0 0 1">
<flexcomp name="f" type="direct" dim="2" point="0 0 0 .1 .01 .02 .03 .12 0 .13 .1 .01 -.08 .07 .03 .12 .2 -.02" element="0 1 2 2 1 3 4 0 2 3 5 2" mass=".6" radius=".001">
<contact contype="0" conaffinity="0" selfcollide="none"/>
<elasticity young="1e4" poisson=".2" thickness=".01" damping=".02" elastic2d="stretch"/></flexcomp></body></worldbody></mujoco>)",
        kStretchedSheetSpring, {});
}

TEST(ElasticityReference, Tetrahedra) {
  check(R"(<mujoco><option gravity="0 0 0" timestep="0.002"/><worldbody><body name="p" pos="0 0 1">
<flexcomp name="f" type="direct" dim="3" point="0 0 0 .1 .01 .02 .03 .12 0 .04 .03 .11 .13 .1 .09 -.02 .13 .1" element="0 1 2 3 1 2 3 4 3 2 4 5" mass=".6" radius=".001">
<contact contype="0" conaffinity="0" selfcollide="none"/>
<elasticity young="1e4" poisson=".3" damping=".05"/></flexcomp></body></worldbody></mujoco>)",
        kSolidSpring, {});
}

TEST(ElasticityReference, GridThatStretchesAndBends) {
  check(R"(<mujoco><option gravity="0 0 0" timestep="0.002"/><worldbody><body name="p" pos="0 0 1">
<flexcomp name="f" type="grid" dim="2" count="3 4 1" spacing=".05 .04 .04" mass=".6" radius=".001">
<contact contype="0" conaffinity="0" selfcollide="none"/>
<elasticity young="1e6" poisson=".2" thickness=".005" damping=".02" elastic2d="both"/></flexcomp></body></worldbody></mujoco>)",
        kBentGridSpring, kBentGridDamper);
}

// Both find the rotation of a cell by an iteration that stops at changes of 1e-9, which leaves an error of that size.
TEST(ElasticityReference, TrilinearCell) {
  check(R"(<mujoco><option gravity="0 0 0" timestep="0.002"/><worldbody><body name="p" pos="0 0 1">
<flexcomp name="f" type="grid" dim="3" dof="trilinear" count="3 3 4" spacing=".05 .04 .04" mass=".6" radius=".001">
<contact contype="0" conaffinity="0" selfcollide="none"/>
<elasticity young="1e4" poisson=".3" damping=".02"/></flexcomp></body></worldbody></mujoco>)",
        kTrilinearSpring, kTrilinearDamper, 2e-9);
}

// The rotation of faces is found by iteration there, to 1e-9: 1e-7 of the largest force.
TEST(ElasticityReference, InterpolatedShellThatBends) {
  check(R"(<mujoco><option gravity="0 0 0"/><worldbody><body name="p" pos="0 0 1">
<flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".1 .07 .09" mass="1" radius=".001" dof="trilinear">
<contact contype="0" conaffinity="0" selfcollide="none"/>
<elasticity young="1e5" poisson=".3" thickness=".02" elastic2d="bend"/></flexcomp></body></worldbody></mujoco>)",
        kShellSpring, {}, 1e-7);
}

}  // namespace
}  // namespace sinew
