#pragma once

#include <span>
#include <type_traits>

#include "sinew/data.h"
#include "sinew/model.h"

/// Elasticity of flexes: springs along edges, triangles and tetrahedra, folds, bends, sections and joints of rods,
/// cells. The formulas are in src/elastic; here they meet positions and velocities of points and pass their forces on:
/// a free node has three dofs of its own, a point on a body pulls at the body's dofs, a pinned node takes what comes.
namespace sinew {

/// Where visitStiffness() delivers: functions and what they work on. An element whose 3 x 3 blocks are multiples of the
/// unit matrix goes to callScalar (null: like the others), K and D n x n then. A spring between two points, whose
/// matrices are [B -B; -B B], goes to callPair (likewise), K and D 3 x 3 then.
struct StiffnessSink {
  using Call = void (*)(void* target, std::span<const int> points, const double* K, const double* D);
  void* target;
  Call call;
  Call callScalar;
  Call callPair;
};
void deliverStiffness(const Model& m, const Data& d, int f, const StiffnessSink& sink);

/// Adds elastic forces to qfrc_spring and those of its dampers to qfrc_damper; each heeds its own disable flag. Stretch
/// under the law of the reference is one formula with its damping, and is added to qfrc_spring as a whole. Explicit
/// integrators limit the torque of each fold (elastic/hinge.h); implicit ones need no limit. Writes flexhinge_angle of
/// flexes with dihedral or shell bending and flexjoint_turn, and counts Trouble::Inverted. Needs flexpoint_xpos,
/// flexpoint_xvel.
void addElasticForces(const Model& m, Data& d);

/// The same forces point by point, without passing them on: adds to `spring` and `damper`, three numbers per point.
void addElasticPointForces(const Model& m, Data& d, double* spring, double* damper);

/// The stiffness to which an explicit integrator limits fold h of flex f in a step of this length, N m. It goes with
/// 1/timestep^2. Needs flexpoint_xpos.
double mostFoldStiffness(const Model& m, const Data& d, int f, int h);

/// flex_energy: the elastic energy of each flex, J. Returns the sum. Needs flexpoint_xpos.
double elasticEnergy(const Model& m, Data& d);

/// Calls visit(points, K, D) for every elastic element of flex f, in a fixed order: its n points (of the whole model),
/// its stiffness and its damping (null: none), 3n x 3n numbers, symmetric and positive semi-definite, N/m and N s/m. An
/// implicit step of length h has the metric M + h^2 K + h D and shifts its force by -h K v. Switched off springs have
/// no K, dampers no D. A visitor with a member addScalar(points, k, d) gets elements there whose blocks are multiples
/// of the unit matrix, as n x n numbers. Needs flexpoint_xpos.
template <class Visitor>
void visitStiffness(const Model& m, const Data& d, int f, Visitor&& visit) {
  using Target = std::remove_cvref_t<Visitor>;
  StiffnessSink sink{const_cast<Target*>(&visit), nullptr, nullptr, nullptr};
  sink.call = [](void* target, std::span<const int> points, const double* K, const double* D) {
    (*static_cast<Target*>(target))(points, K, D);
  };
  if constexpr (requires(Target & target, std::span<const int> points) {
                  target.addScalar(points, nullptr, nullptr);
                }) {
    sink.callScalar = [](void* target, std::span<const int> points, const double* K, const double* D) {
      static_cast<Target*>(target)->addScalar(points, K, D);
    };
  }
  if constexpr (requires(Target & target, std::span<const int> points) { target.addPair(points, nullptr, nullptr); }) {
    sink.callPair = [](void* target, std::span<const int> points, const double* K, const double* D) {
      static_cast<Target*>(target)->addPair(points, K, D);
    };
  }
  deliverStiffness(m, d, f, sink);
}

}  // namespace sinew
