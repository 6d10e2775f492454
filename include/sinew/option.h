#pragma once

#include <array>
#include <optional>
#include <string>

#include "sinew/types.h"

namespace sinew {

/// What <compiler gap> says about a contact's `gap` (see docs/differences.md).
enum class GapReading : int {
  Inside = 0,  ///< contact exists below margin, force below margin - gap
  Outside      ///< contact exists below margin + gap, force below margin
};

/// What <option speculative> says about motion that would carry things through each other within a step (see
/// docs/flex.md, docs/differences.md).
enum class Speculative : int {
  None = 0,  ///< contacts are looked for where things are at the start of a step
  Thin       ///< what would pass through something in a step is stopped by it
};

/// The fields of Option as a table: X(type, name, "what it is").
#define SINEW_OPTION_FIELDS(X)                                                                       \
  X(double, timestep, "duration of a step, s")                                                       \
  X(double, impratio, "ratio of frictional to normal contact impedance, elliptic cones")             \
  X(double, tolerance, "main solver tolerance")                                                      \
  X(double, ls_tolerance, "line search tolerance")                                                   \
  X(double, noslip_tolerance, "noslip solver tolerance")                                             \
  X(double, ccd_tolerance, "convex collider tolerance")                                              \
  X(double, sleep_tolerance, "speed below which a tree may fall asleep")                             \
  X(Vector3, gravity, "gravitational acceleration, m/s^2")                                           \
  X(Vector3, wind, "velocity of the medium, m/s")                                                    \
  X(Vector3, magnetic, "global magnetic flux")                                                       \
  X(double, density, "density of the medium, kg/m^3")                                                \
  X(double, viscosity, "viscosity of the medium")                                                    \
  X(double, o_margin, "override: margin")                                                            \
  X(Vector2, o_solref, "override: solref")                                                           \
  X(Vector5, o_solimp, "override: solimp")                                                           \
  X(Vector5, o_friction, "override: friction")                                                       \
  X(Integrator, integrator, "integrator")                                                            \
  X(Cone, cone, "friction cone")                                                                     \
  X(JacobianForm, jacobian, "form of the constraint Jacobian")                                       \
  X(Solver, solver, "constraint solver")                                                             \
  X(int, iterations, "maximum number of main solver iterations")                                     \
  X(int, ls_iterations, "maximum number of line search evaluations")                                 \
  X(int, noslip_iterations, "maximum number of noslip iterations")                                   \
  X(int, ccd_iterations, "maximum number of convex collider iterations")                             \
  X(int, disableflags, "bits of sinew::disable")                                                     \
  X(int, enableflags, "bits of sinew::enable")                                                       \
  X(int, disableactuator, "bit i set: actuators of group i produce no force")                        \
  X(int, sdf_initpoints, "number of starting points for signed distance fields")                     \
  X(int, sdf_iterations, "maximum number of iterations for signed distance fields")                  \
  X(GapReading, gap, "meaning of a contact's gap")                                                   \
  X(double, erp, "impulse solver: share of a position error removed per step")                       \
  X(double, slop, "impulse solver: depth that is left alone, m")                                     \
  X(double, restitution_threshold, "impulse solver: approach below this speed does not bounce, m/s") \
  X(Speculative, speculative, "whether what would pass through something in a step is stopped")      \
  X(ImpulseMethod, method, "impulse solver: method")

/// Settings of the simulation; they may be changed between steps. Defaults are those of MJCF.
struct Option {
  using Vector2 = std::array<double, 2>;
  using Vector3 = std::array<double, 3>;
  using Vector5 = std::array<double, 5>;

  double timestep = 0.002;
  double impratio = 1;
  double tolerance = 1e-8;
  double ls_tolerance = 0.01;
  double noslip_tolerance = 1e-6;
  double ccd_tolerance = 1e-6;
  double sleep_tolerance = 1e-3;
  Vector3 gravity{0, 0, -9.81};
  Vector3 wind{0, 0, 0};
  Vector3 magnetic{0, -0.5, 0};
  double density = 0;
  double viscosity = 0;
  double o_margin = 0;
  Vector2 o_solref{0.02, 1};
  Vector5 o_solimp{0.9, 0.95, 0.001, 0.5, 2};
  Vector5 o_friction{1, 1, 0.005, 0.0001, 0.0001};
  Integrator integrator = Integrator::Euler;
  Cone cone = Cone::Pyramidal;
  JacobianForm jacobian = JacobianForm::Auto;
  Solver solver = Solver::Newton;
  int iterations = 100;
  int ls_iterations = 50;
  int noslip_iterations = 0;
  int ccd_iterations = 35;
  int disableflags = 0;
  int enableflags = 0;
  int disableactuator = 0;
  int sdf_initpoints = 40;
  int sdf_iterations = 10;
  GapReading gap = GapReading::Inside;
  double erp = 0.2;
  double slop = 0;
  double restitution_threshold = 0.5;
  Speculative speculative = Speculative::Thin;
  ImpulseMethod method = ImpulseMethod::Newton;

  bool disabled(int bits) const { return (disableflags & bits) != 0; }
  bool enabled(int bits) const { return (enableflags & bits) != 0; }
  friend bool operator==(const Option&, const Option&) = default;
};

/// Upper bounds of the numbers of iterations. With a tolerance of 0 a step may take all of them.
inline constexpr int kMaxIterations = 100'000;     ///< iterations, noslip_iterations
inline constexpr int kMaxLineSearch = 10'000;      ///< ls_iterations
inline constexpr int kMaxColliderSearch = 1'000;   ///< ccd_iterations, sdf_iterations
inline constexpr int kMaxStartingPoints = 10'000;  ///< sdf_initpoints

/// The first thing that is wrong with these options, for example "'timestep' must be positive, found 0"; nothing if a
/// step can work with them. compile() throws LoadError with this text, the command refuses `--set` with it, and step()
/// does nothing and notes Trouble::BadOption, of which describeStatus() tells it. Checked are:
///   all numbers                                      finite
///   timestep                                         above 0
///   iterations, noslip_iterations                    0 to kMaxIterations
///   ls_iterations                                    0 to kMaxLineSearch
///   ccd_iterations, sdf_iterations                   0 to kMaxColliderSearch
///   sdf_initpoints                                   0 to kMaxStartingPoints
///   integrator, cone, jacobian, solver, gap, speculative, method  one of the enumerators
///   erp                                              0 to 1
///   slop, restitution_threshold                      not negative
///   solver Impulse                                   not with integrator RK4
std::optional<std::string> checkOption(const Option& option);

}  // namespace sinew
