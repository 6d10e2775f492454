#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// What a Batch does with a run whose state is no longer finite.
enum class OnDivergence : int {
  Reset = 0,  ///< as step() does: back to the initial state, and on; counted in status(run)
  Stop        ///< the run keeps its last finite state and is not stepped any more until it is reset
};

/// n runs of one model, stepped on several threads. Every run depends on its own numbers alone, so the results are
/// those of n single runs, bit for bit, whatever the number of threads.
///
///     Batch batch(model, 1000);
///     std::span<double> ctrl = batch.state("ctrl");        // run i: [i * nu, (i + 1) * nu)
///     std::span<const double> sensors = batch.watch("sensordata");
///     std::span<double> friction = batch.vary("geom_friction");
///     batch.step(10);
///
/// The spans stay valid as long as the Batch lives. step() reads what was written into those of state() and vary(), and
/// writes those of state() and watch(). After the first call step() allocates nothing but what contacts need.
/// A Batch must not be used by two threads at once. Errors throw std::invalid_argument and change nothing.
class Batch {
 public:
  /// Copies the model. `threads` 0: as many as the machine has. Throws for runs < 1 and threads < 0.
  Batch(const Model& m, int runs, int threads = 0, OnDivergence onDivergence = OnDivergence::Reset);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  int runs() const;
  int threads() const;
  const Model& model() const;

  /// Numbers of a state array of all runs, one run after the other: "time" or the name of an array of doubles in
  /// SINEW_STATE_ARRAYS ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", ...).
  std::span<double> state(std::string_view name);
  /// Which equalities are in force: neq numbers per run.
  std::span<std::uint8_t> activeEqualities();

  /// From now on step() writes this derived array of all runs ("sensordata", "xpos", "site_xpos", "qacc", ...), as it
  /// is at the end of the last step, that is: evaluated before that step moved on. The values are those of the present
  /// Data until then. Cost: a copy per step() call.
  std::span<const double> watch(std::string_view name);

  /// From now on every run has its own numbers of this model array ("geom_friction", "body_mass", "actuator_gainprm",
  /// "dof_damping", ...), or of its options ("option.gravity", "option.timestep", ...), at first those of the model.
  /// Constants that follow from them (weights of constraints, masses
  /// of subtrees, dof_M0, bounds of geoms) are computed again for runs whose numbers changed, see updateConstants().
  /// Arrays of indices cannot be varied, nor what compile() has worked into other arrays (flex_young, hfield_size,
  /// mesh_*): that throws.
  std::span<double> vary(std::string_view name);

  /// Advances every run by `steps` timesteps.
  void step(int steps = 1);
  /// forward() for every run: derived arrays of the present state.
  void forward();

  /// Back to the initial state, of one run or of all; to a keyframe if `key` is given.
  void reset(int run);
  void reset();
  void resetToKey(int run, int key);

  /// Trouble of a run since its last reset, and the same in words (empty if all is well).
  const Status& status(int run) const;
  std::string describeStatus(int run) const;
  /// A run that stopped (OnDivergence::Stop).
  bool isStopped(int run) const;

  /// Everything about a run that is not in the arrays above: contacts, rows, islands. State arrays in it are those of
  /// the last step() or forward().
  const Data& data(int run) const;
  /// stateHash() of a run, of the numbers that state() shows.
  std::uint64_t hash(int run) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
