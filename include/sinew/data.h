#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/array.h"
#include "sinew/callbacks.h"
#include "sinew/contact.h"
#include "sinew/fields.h"
#include "sinew/model.h"
#include "sinew/plan.h"
#include "sinew/rows.h"

namespace sinew {

/// Arrays of a Data: X(element type, name, rows, columns, "what it is [written by]"). Rows and columns are in terms of
/// the Model `m`. One source for the members, copying, hashing, saving, printing and the bindings.
///
/// SINEW_STATE_ARRAYS is what a step starts from; saving and restoring these (and `time`) reproduces a run bit for bit.
#define SINEW_STATE_ARRAYS(X)                                                                                  \
  X(double, qpos, m.nq, 1, "coordinates [user, integrate]")                                                    \
  X(double, qvel, m.nv, 1, "velocities [user, integrate]")                                                     \
  X(double, act, m.na, 1, "actuator activations [user, integrate]")                                            \
  X(double, qacc_warmstart, m.nv, 1, "acceleration the solver starts from [integrate]")                        \
  X(double, ctrl, m.nu, 1, "controls [user]")                                                                  \
  X(double, qfrc_applied, m.nv, 1, "applied generalized force [user]")                                         \
  X(double, xfrc_applied, m.nbody, 6, "applied force, torque at the body's centre of mass, world axes [user]") \
  X(double, history, m.nhistory, 1, "past controls and sensor values, for delays [user, integrate]")           \
  X(int, tree_asleep, m.ntree, 1,                                                                              \
    "below 0: awake, and how long it must rest before it may sleep; else the next tree of a cycle of trees "   \
    "that sleep together [sleep]")                                                                             \
  X(std::uint8_t, eq_active, m.neq, 1, "equality constraints in force [user]")                                 \
  X(double, mocap_pos, m.nmocap, 3, "positions of mocap bodies [user]")                                        \
  X(double, mocap_quat, m.nmocap, 4, "orientations of mocap bodies [user]")                                    \
  X(double, userdata, m.nuserdata, 1, "never touched by the engine [user]")

#define SINEW_DERIVED_ARRAYS(X)                                                                               \
  /* kinematics */                                                                                            \
  X(double, xpos, m.nbody, 3, "body frame: position [kinematics]")                                            \
  X(double, xquat, m.nbody, 4, "body frame: orientation [kinematics]")                                        \
  X(double, xmat, m.nbody, 9, "body frame: rotation matrix [kinematics]")                                     \
  X(double, xipos, m.nbody, 3, "centre of mass [kinematics]")                                                 \
  X(double, ximat, m.nbody, 9, "principal axes of inertia [kinematics]")                                      \
  X(double, xanchor, m.njnt, 3, "joint anchor [kinematics]")                                                  \
  X(double, xaxis, m.njnt, 3, "joint axis [kinematics]")                                                      \
  X(double, geom_xpos, m.ngeom, 3, "geom position [kinematics]")                                              \
  X(double, geom_xmat, m.ngeom, 9, "geom rotation matrix [kinematics]")                                       \
  X(double, site_xpos, m.nsite, 3, "site position [kinematics]")                                              \
  X(double, site_xmat, m.nsite, 9, "site rotation matrix [kinematics]")                                       \
  X(double, cam_xpos, m.ncam, 3, "camera position [cameras]")                                                 \
  X(double, cam_xmat, m.ncam, 9, "camera rotation matrix [cameras]")                                          \
  X(double, subtree_com, m.nbody, 3, "centre of mass of each subtree [comPos]")                               \
  X(double, cinert, m.nbody, 10, "inertia about the tree's centre of mass: 6 of the tensor, m d, m [comPos]") \
  X(double, cdof, m.nv_rigid, 6, "motion axis of each dof at the tree's centre of mass [comPos]")             \
  X(double, flexpoint_xpos, m.nflexpoint, 3, "points of flexes [flexes]")                                     \
  X(double, flexvert_xpos, m.nflexvert, 3, "vertices of flexes [flexes]")                                     \
  X(double, flexedge_length, m.nflexedge, 1, "edges of flexes [flexes]")                                      \
  X(double, flexpoint_xvel, m.nflexpoint, 3, "velocity of the points [velocities]")                           \
  X(double, flexedge_velocity, m.nflexedge, 1, "rate of the edge lengths [velocities]")                       \
  X(double, ten_length, m.ntendon, 1, "tendon length [tendons]")                                              \
  X(double, ten_J, m.nJten, 1, "tendon Jacobians, pattern in the model [tendons]")                            \
  X(int, ten_wrapadr, m.ntendon, 1, "first point of the tendon's path [tendons]")                             \
  X(int, ten_wrapnum, m.ntendon, 1, "number of points of the tendon's path [tendons]")                        \
  X(int, wrap_obj, m.nwrap, 2, "geom a path point lies on, -1: site, -2: pulley [tendons]")                   \
  X(double, wrap_xpos, m.nwrap, 6, "path points [tendons]")                                                   \
  X(double, actuator_length, m.nout, 1, "actuator length [transmissions]")                                    \
  X(int, moment_rownnz, m.nout, 1, "entries of the moment row [transmissions]")                               \
  X(int, moment_rowadr, m.nout, 1, "first entry of the moment row [transmissions]")                           \
  X(int, moment_colind, m.nJmom, 1, "dof of each entry [transmissions]")                                      \
  X(double, actuator_moment, m.nJmom, 1, "d length / d q [transmissions]")                                    \
  /* inertia */                                                                                               \
  X(double, crb, m.nbody, 10, "composite inertia [massMatrix]")                                               \
  X(double, M, m.nM, 1, "inertia matrix, lower triangle [massMatrix]")                                        \
  X(double, qLD, m.nM, 1, "L'DL factor of M: L, D on the diagonal [factorMass]")                              \
  X(double, qLDiagInv, m.nv, 1, "1 / D [factorMass]")                                                         \
  /* velocity */                                                                                              \
  X(double, ten_velocity, m.ntendon, 1, "tendon velocity [velocities]")                                       \
  X(double, actuator_velocity, m.nout, 1, "actuator velocity [velocities]")                                   \
  X(double, cvel, m.nbody, 6, "body velocity at the tree's centre of mass [comVel]")                          \
  X(double, cdof_dot, m.nv_rigid, 6, "time derivative of cdof [comVel]")                                      \
  X(double, subtree_linvel, m.nbody, 3, "velocity of the subtree's centre of mass [sense, if needed]")        \
  X(double, subtree_angmom, m.nbody, 3, "angular momentum about it [sense, if needed]")                       \
  /* forces */                                                                                                \
  X(double, qfrc_bias, m.nv, 1, "Coriolis, centrifugal and gravitational force, on the left side [bias]")     \
  X(double, qfrc_spring, m.nv, 1, "springs [passive]")                                                        \
  X(double, qfrc_damper, m.nv, 1, "dampers [passive]")                                                        \
  X(double, flexhinge_angle, m.nflexhinge, 1, "fold angle, where it resists bending [passive]")               \
  X(double, flexjoint_turn, m.nflexjoint, 3, "rods: twist and two bends less those at rest, rad [passive]")   \
  X(double, flex_energy, m.nflex, 1, "elastic energy, J [potentialEnergy, measureFlexes]")                    \
  X(double, qfrc_gravcomp, m.nv, 1, "gravity compensation [passive]")                                         \
  X(double, qfrc_fluid, m.nv, 1, "drag, lift, added mass [passive]")                                          \
  X(double, qfrc_adhesion, m.nv, 1, "pull of adhesive contacts [passive]")                                    \
  X(double, qfrc_passive, m.nv, 1, "sum of the passive forces [passive]")                                     \
  X(double, act_dot, m.na, 1, "rate of the activations [actuation]")                                          \
  X(double, actuator_force, m.nout, 1, "scalar actuator forces [actuation]")                                  \
  X(double, qfrc_actuator, m.nv, 1, "actuator forces on the dofs [actuation]")                                \
  X(double, flexA, m.nK, 1, "metric of stiff flexes: M + h D + h^2 K [acceleration]")                         \
  X(double, qfrc_implicit, m.nv, 1,                                                                           \
    "change of the elastic force that the present velocity brings: -h K v [acceleration]")                    \
  X(double, qfrc_smooth, m.nv, 1, "all forces but constraints [acceleration]")                                \
  X(double, qacc_smooth, m.nv, 1, "acceleration without constraints [acceleration]")                          \
  X(double, qfrc_constraint, m.nv, 1, "constraint forces [solve]")                                            \
  X(double, qacc, m.nv, 1, "acceleration [solve]")                                                            \
  X(double, qfrc_inverse, m.nv, 1, "force that explains qacc [inverse]")                                      \
  X(double, cacc, m.nbody, 6, "body acceleration, gravity included [bodyForces]")                             \
  X(double, cfrc_int, m.nbody, 6, "force from the parent [bodyForces]")                                       \
  X(double, cfrc_ext, m.nbody, 6, "external force [bodyForces]")                                              \
  /* what flexes feel, on request: see measureFlexes() */                                                     \
  X(double, flexvert_force, m.nflexvert, 3, "contact force on each vertex, N [measureFlexes]")                \
  X(double, flexnode_reaction, m.nflexnode, 3, "force that holds a pinned node, N [measureFlexes]")           \
  X(double, flexpoint_reaction, m.nflexpoint, 3,                                                              \
    "force that holds a point that is pinned, or rides on a body, N [measureFlexes]")                         \
  X(double, flexelem_strain, m.nflexelem, 6, "Green strain: xx yy zz xy yz zx [measureFlexes]")               \
  X(double, flexelem_stress, m.nflexelem, 6, "Cauchy stress, Pa, in the same order [measureFlexes]")          \
  X(double, flexelem_membrane, m.nflexelem, 6, "sheets: membrane force, N/m, same order [measureFlexes]")     \
  X(double, flexelem_moment, m.nflexelem, 6, "shells: bending moment, N m/m, same order [measureFlexes]")     \
  X(double, flex_kinetic, m.nflex, 1, "kinetic energy, J [measureFlexes]")                                    \
  /* sleep */                                                                                                 \
  X(std::uint8_t, tree_awake, m.ntree, 1, "it is simulated [sleep]")                                          \
  X(int, body_awake, m.nbody, 1, "-1: static, 0: asleep, 1: awake [sleep]")                                   \
  X(int, body_awake_ind, m.nbody, 1, "bodies that are static or awake, nbody_awake of them [sleep]")          \
  X(int, parent_awake_ind, m.nbody, 1, "bodies whose parent is, nparent_awake of them [sleep]")               \
  X(int, dof_awake_ind, m.nv, 1, "dofs of trees that are awake, nv_awake of them [sleep]")                    \
  X(double, sensordata, m.nsensordata, 1, "sensor values [sense]")                                            \
  /* integration */                                                                                           \
  X(double, qDeriv, m.nD, 1, "d (passive + actuator - bias) / d qvel, pattern D [implicit]")                  \
  X(double, qH, m.nM, 1, "L'DL factor of the modified M [integrate]")                                         \
  X(double, qHDiagInv, m.nv, 1, "1 / D of it [integrate]")                                                    \
  X(double, qLU, m.nD, 1, "LU factor of M - h qDeriv [implicit]")

/// Things that went wrong in a step. A step never throws, prints or exits: it counts here.
enum class Trouble : int {
  BadQpos = 0,  ///< a coordinate was not finite or beyond 1e10; the state was reset (unless autoreset is off)
  BadQvel,      ///< the same for a velocity
  BadQacc,      ///< the same for an acceleration
  BadCtrl,      ///< a control was not finite; all controls counted as zero in that step
  Inertia,      ///< M was not positive definite
  Inverted,     ///< an element of a flex was inside out, or a cell (counted after all elements); it pushes back
  BadApplied,   ///< an entry of qfrc_applied (index), or of xfrc_applied (index - nv), was not finite; it counted as
                ///< zero
  BadMocap,     ///< an entry of mocap_pos (index), or of mocap_quat (index - 3 nmocap), was not finite, or a quaternion
                ///< was zero; that position or orientation stayed as it was
  BadOption,    ///< Model::opt holds what MJCF would refuse; the step did nothing
  OtherModel,   ///< the Data was made for another Model; the step did nothing
  ContactLimit,  ///< a pair of colliders makes more contacts than memory allows; the deepest ones were kept
  Energy,       ///< energy grew although nothing did work on the model; the index is the dof that moves with most of it
  Unconverged,  ///< the solver did not converge in many steps in a row; the index is the island
  TooDeep,      ///< two things overlap by more than the thinner one is thick; the index is the contact
  Callback,     ///< a callback threw; the index is its number (callbacks.h). The step went on as if it had not been
                ///< called
  StageOrder,   ///< step2() came without step1(); it did nothing
  Count
};

/// Terms of M qacc = -bias + passive + actuator + applied + constraint.
enum class ForceTerm : int { None = 0, Bias, Passive, Actuator, Applied, Constraint };

/// What strains a flex.
enum class FlexTerm : int { None = 0, EdgeSpring, EdgeDamper, Elasticity, Bending, EdgeRow, Contact, Applied };

/// Where in a flex a dof went wrong, and why.
struct FlexCause {
  int flex = -1;
  int element = -1;  ///< counted within the flex; -1: no element has a part in it
  int vertex = -1;   ///< likewise; in interpolated flexes the node of the grid
  FlexTerm term = FlexTerm::None;
  double stableTimestep = 0;  ///< largest one for which explicit integration of that term is stable, s; 0: unknown
};

/// The term that pushes hardest on a dof.
struct LargestForce {
  int dof = -1;
  ForceTerm term = ForceTerm::None;  ///< None: no force at all, or none was computed yet
  double value = 0;                  ///< N or Nm, with its sign; may be infinite or not a number
};

struct TroubleReport {
  int count = 0;            ///< in how many steps since reset(); the engine's own resets after bad numbers do not count
  int first = -1;           ///< index of the offending coordinate, dof or control when it first happened
  double time = 0;          ///< when it first happened
  LargestForce force = {};  ///< on that dof (of the joint's dofs, the one pushed hardest) when it first happened
  FlexCause flex = {};      ///< if that dof is one of a flex
  std::array<int, 2> collider{-1, -1};  ///< the two that touch, where it concerns a contact: geoms, then ngeom + flex
  double value = 0;                     ///< what was measured, in the unit of the trouble: J, m or a count
};

/// The deepest overlap of a contact that carries force, since reset.
struct DeepestContact {
  double depth = 0;                     ///< m; 0: nothing has overlapped
  double time = 0;                      ///< s
  std::array<double, 3> pos{};          ///< of the contact, world
  std::array<int, 2> collider{-1, -1};  ///< geoms, then ngeom + flex
};

/// The largest violation of an active equality constraint, since reset: one for those measured in metres and one for
/// angles.
struct LargestError {
  double value = 0;   ///< m or rad; 0: none was violated
  double time = 0;    ///< s
  int equality = -1;  ///< -1: the length rows of a flex that has no <equality>
  int flex = -1;      ///< if it is a flex that the equality holds together
  int index = -1;     ///< edge, vertex or cell of that flex, counted within it
};

struct Status {
  std::array<TroubleReport, static_cast<int>(Trouble::Count)> troubles;
  TroubleReport& operator[](Trouble t) { return troubles[static_cast<std::size_t>(t)]; }
  const TroubleReport& operator[](Trouble t) const { return troubles[static_cast<std::size_t>(t)]; }
  /// Counts one more event; the first one leaves its index, time, force and cause.
  void note(Trouble t, int index, double time, const LargestForce& force = {}, const FlexCause& flex = {}) {
    TroubleReport& report = (*this)[t];
    if (report.count++ > 0) return;
    report.first = index;
    report.time = time;
    report.force = force;
    report.flex = flex;
  }
  DeepestContact deepest;        ///< [solve]
  LargestError position, angle;  ///< [solve]
  bool ok() const {
    for (const TroubleReport& t : troubles) {
      if (t.count > 0) return false;
    }
    return true;
  }
};

/// What the solver did on one island.
struct IslandReport {
  int dofs = 0;
  int rows = 0;
  int iterations = 0;
  int innerIterations = 0;  ///< of conjugate gradients within those of Newton's method; 0: it factors
  int noslipIterations = 0;
  bool converged = false;
  double improvement = 0;   ///< scaled, of the last iteration
  double gradientNorm = 0;  ///< scaled; primal solvers only
  /// How much the last iteration still changed, relative to the result. Impulse solver: |change| / |impulses| with
  /// |x|^2 = sum A_ii x_i^2; others: the root of the improvement over the work 1/2 f'J (qacc - qacc_smooth).
  double residual = 0;
  SolveMethod method = SolveMethod::None;
  MatrixForm matrix = MatrixForm::None;
  PlanReason reason = PlanReason::None;  ///< of the method, or of the form of the matrix if the method was asked for
};

/// What is carried over from step to step about contacts and rows. Impulse solver: forces of one contact, limit,
/// friction loss or equality, from whose impulses the next step starts. Every solver: on which side of a triangle of a
/// sheet a geom is, 1 or -1 as first number of `force`.
struct RowMemory {
  std::uint64_t key = 0;          ///< what the rows belong to; for contacts: the colliders and the feature
  std::array<double, 6> force{};  ///< N or N m
  double length = 0;              ///< of the longest step not long ago, s
};

struct Workspace;

/// Owns what the engine keeps in a Data beside state and results: scratch memory, search trees, plans of sparse
/// factors. None of it is state, no result depends on it, and its type is not public. A copy has a workspace of its
/// own.
class WorkspaceOwner {
 public:
  WorkspaceOwner();
  ~WorkspaceOwner();
  WorkspaceOwner(const WorkspaceOwner& other);
  WorkspaceOwner& operator=(const WorkspaceOwner& other);
  WorkspaceOwner(WorkspaceOwner&&) noexcept;
  WorkspaceOwner& operator=(WorkspaceOwner&&) noexcept;

  Workspace* operator->() { return workspace_.get(); }
  const Workspace* operator->() const { return workspace_.get(); }

 private:
  std::unique_ptr<Workspace> workspace_;
};

/// The changing part of a simulation. Made for one Model; all arrays have the sizes it demands. Copying is a deep copy.
struct Data {
  explicit Data(const Model& m);  ///< allocates everything and resets
  // Compiled once, in the library.
  Data(const Data& other);
  Data(Data&& other) noexcept;
  Data& operator=(const Data& other);
  Data& operator=(Data&& other) noexcept;
  ~Data();

  std::uint64_t signature = 0;  ///< of the Model this was made for; step() refuses others
  double time = 0;
  std::array<double, 2> energy{0, 0};  ///< potential, kinetic [energy]
  Status status;
  WorkspaceOwner work;        ///< opaque
  Callbacks callbacks;        ///< functions of the user; no state [user]
  std::string callbackError;  ///< text of the first exception of a callback since reset [stages]
  /// Threads a step may use, the caller's included; less than 2: only the caller's. Every result is the same, bit for
  /// bit, whatever the number. Work too small to be worth sharing is not shared. [user]
  int threads = 1;

#define SINEW_X(type, name, rows, cols, doc) Array<type> name;
  SINEW_STATE_ARRAYS(SINEW_X)
  SINEW_DERIVED_ARRAYS(SINEW_X)
#undef SINEW_X

  int metricIterations = 0;  ///< of conjugate gradients in the metric of stiff flexes, for qacc_smooth [acceleration]

  // Contacts and constraint rows: as many as there are, in arrays that grow and keep their memory.
  Array<Contact> contact;          ///< [collide]
  Array<int> support_carrier;      ///< carriers of the contacts' sides [collide]
  Array<double> support_weight;    ///< and their weights
  int ne = 0, nf = 0, nl = 0;      ///< rows of equalities, friction losses, limits; contacts follow [buildRows]
  Array<RowBlock> row_block;       ///< the Jacobian in blocks [buildRows]
  Array<int> row_column;           ///< dofs of the blocks' columns
  Array<double> row_value;         ///< entries of the blocks
  Array<ConeParameters> row_cone;  ///< friction of the contacts' blocks
  Array<RowType> efc_type;         ///< one entry per row from here on [buildRows]
  Array<int> efc_id;               ///< equality, dof, tendon, joint or contact
  Array<double> efc_pos;           ///< residual
  Array<double> efc_margin;        ///< residual at which the row becomes active
  Array<double> efc_frictionloss;  ///< bound of the force of a friction-loss row
  Array<double> efc_diagA;         ///< diagonal of J inv(M) J', approximate or exact; impulse solver: empty
  Array<double> efc_KBIP;          ///< stiffness, damping, impedance and its derivative, 4 per row; likewise
  Array<double> efc_D, efc_R;      ///< mass of the row and its inverse; likewise
  Array<double> efc_vel;           ///< J qvel, and what surfaces and drives move by themselves [referenceAcceleration]
  Array<double> efc_aref;          ///< reference acceleration; impulse solver: empty [referenceAcceleration]
  Array<double> efc_target;        ///< velocity after the step; impulse solver only, else empty [solve]
  Array<double> efc_force;         ///< [solve]
  Array<RowState> efc_state;       ///< [solve]
  Array<IslandReport> island;      ///< what the solver did, one entry per island [solve]
  Array<RowMemory> row_memory;     ///< impulses and sides: part of the state, by growing key [step]
  int ntree_awake = 0, nbody_awake = 0, nparent_awake = 0, nv_awake = 0;  ///< [sleep]

  void clearRows();  ///< no rows, no islands; keeps the memory
  int ncon() const { return static_cast<int>(contact.size()); }
  int nefc() const { return static_cast<int>(efc_type.size()); }

#define SINEW_X(type, name, rows, cols, doc) +1
  static constexpr std::size_t kStateFields = 0 SINEW_STATE_ARRAYS(SINEW_X);
  static constexpr std::size_t kFields = kStateFields SINEW_DERIVED_ARRAYS(SINEW_X);
#undef SINEW_X
  using Types = FieldTypes<double, int, std::uint8_t>;
  std::array<Field, kStateFields> stateFields(const Model& m) const;  ///< the arrays of the state
  std::array<Field, kFields> fields(const Model& m) const;            ///< all arrays, state first

  /// Calls f(name, array, rows, columns, doc) for the arrays of the state.
  template <class F>
  void forEachStateArray(const Model& m, F&& f) {
    Types::visit(stateFields(m), f);
  }
  template <class F>
  void forEachStateArray(const Model& m, F&& f) const {
    Types::visitConst(stateFields(m), f);
  }
  /// The same for all arrays, state first.
  template <class F>
  void forEachArray(const Model& m, F&& f) {
    Types::visit(fields(m), f);
  }
  template <class F>
  void forEachArray(const Model& m, F&& f) const {
    Types::visitConst(fields(m), f);
  }
};

// The functions below throw std::invalid_argument if the Data was made for another Model.

/// Back to qpos0 at time 0: everything else zero, mocap poses and active equalities from the model, status cleared.
void reset(const Model& m, Data& d);

/// reset(), then the state of keyframe `key`. Throws std::out_of_range for a key that does not exist.
void resetToKey(const Model& m, Data& d, int key);

/// Bytes of the complete state (time and the state arrays); state.h saves parts of it. restoreState() on a Data of the
/// same Model continues the run bit for bit; it throws std::invalid_argument for bytes that are no saved state, are
/// damaged, or belong to a Model of another signature.
std::vector<std::byte> saveState(const Model& m, const Data& d);
void restoreState(const Model& m, Data& d, std::span<const std::byte> state);

/// Hash over time and the state arrays.
std::uint64_t stateHash(const Model& m, const Data& d);

/// Describes what is in d.status in words, with the names of the joint and body concerned and the largest force on
/// them; empty if all is well. Of a Data that was made for another Model it says just that.
std::string describeStatus(const Model& m, const Data& d);

}  // namespace sinew
