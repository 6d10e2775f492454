#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

/// Parts of the state, chosen by a mask: as numbers in one array, copied between Data, as bytes, and as files.
///
///     std::vector<double> x = getState(m, d, state::kPhysics);   // qpos, qvel, act, history
///     setState(m, other, state::kPhysics, x);                     // derived arrays follow with the next forward()
///     copyState(m, d, other, state::kComplete);                   // other continues as d does, bit for bit
///
/// Masks and the order of the parts are those of MuJoCo's mjtState (3.12), so that arrays of rigid models can be passed
/// between the two. Sinew has two more parts, which MuJoCo does not know. None of the functions computes anything: call
/// forward() to bring derived arrays up to date. They throw std::invalid_argument, and change nothing, if a mask has
/// bits that do not exist, a span has the wrong size, or a Data was made for another Model; the text names the value
/// and what was expected.
namespace sinew {

namespace state {
inline constexpr int kTime = 1 << 0;         ///< time, 1 number
inline constexpr int kQpos = 1 << 1;         ///< qpos, nq
inline constexpr int kQvel = 1 << 2;         ///< qvel, nv
inline constexpr int kAct = 1 << 3;          ///< act, na
inline constexpr int kHistory = 1 << 4;      ///< history, nhistory
inline constexpr int kWarmstart = 1 << 5;    ///< qacc_warmstart, nv
inline constexpr int kCtrl = 1 << 6;         ///< ctrl, nu
inline constexpr int kQfrcApplied = 1 << 7;  ///< qfrc_applied, nv
inline constexpr int kXfrcApplied = 1 << 8;  ///< xfrc_applied, 6 nbody
inline constexpr int kEqActive = 1 << 9;     ///< eq_active, neq
inline constexpr int kMocapPos = 1 << 10;    ///< mocap_pos, 3 nmocap
inline constexpr int kMocapQuat = 1 << 11;   ///< mocap_quat, 4 nmocap
inline constexpr int kUserdata = 1 << 12;    ///< userdata, nuserdata
inline constexpr int kPlugin = 1 << 13;      ///< state of plugins: Sinew has none, always 0 numbers
inline constexpr int kSleep = 1 << 24;       ///< tree_asleep, ntree. Not in MuJoCo
inline constexpr int kImpulses = 1 << 25;    ///< what the Impulse solver starts from. Not in MuJoCo; its size changes

inline constexpr int kPhysics = kQpos | kQvel | kAct | kHistory;
inline constexpr int kFullPhysics = kTime | kPhysics | kPlugin;
inline constexpr int kUser = kCtrl | kQfrcApplied | kXfrcApplied | kEqActive | kMocapPos | kMocapQuat | kUserdata;
/// All that the next step depends on in MuJoCo.
inline constexpr int kIntegration = kFullPhysics | kUser | kWarmstart;
/// All that the next step depends on: a Data that takes these parts over continues bit for bit.
inline constexpr int kComplete = kIntegration | kSleep | kImpulses;
}  // namespace state

/// One bit of a mask and the array in Data that it stands for. Parts lie in this order in the array of numbers.
struct StatePart {
  int bit = 0;
  const char* name = "";
};

/// All parts, in the order of their bits.
std::span<const StatePart> stateParts();

/// How many numbers the parts of `mask` have. The number of impulses changes from step to step: with kImpulses this
/// throws, and stateSize(m, d, mask) says how many there are now: 1 + 15 for each block of rows that is remembered.
int stateSize(const Model& m, int mask);
int stateSize(const Model& m, const Data& d, int mask);

/// The parts of `mask` one after the other, in the order of the bits. Flags and integers become numbers. `numbers` must
/// hold stateSize(m, d, mask) of them. Cost: a copy; allocates nothing.
void getState(const Model& m, const Data& d, int mask, std::span<double> numbers);
std::vector<double> getState(const Model& m, const Data& d, int mask);

/// The reverse. Nothing but the parts of `mask` changes; a tree that sleeps and is moved by it wakes in the next step.
/// Also throws for numbers that such a part cannot hold: eq_active that is no whole number from 0 to 255, tree_asleep
/// that does not form rings of sleeping trees, impulses that were not made by getState(). Coordinates, velocities and
/// forces may be anything: step() reports what is not finite.
void setState(const Model& m, Data& d, int mask, std::span<const double> numbers);

/// setState() of what getState() gives, between two Data of the model, without the detour. After warm-up it allocates
/// nothing.
void copyState(const Model& m, const Data& from, Data& to, int mask = state::kComplete);

/// The parts of `toMask` out of numbers that getState() gave for `fromMask`. Throws unless all of them are in there.
void extractState(const Model& m, std::span<const double> from, int fromMask, std::span<double> to, int toMask);

/// Bytes of some parts of the state: a header with format version, mask and the signature of the Model, then the
/// numbers of getState(). restoreState() (data.h) brings them back on the same kind of machine. saveState(m, d) of
/// data.h saves state::kComplete.
std::vector<std::byte> saveState(const Model& m, const Data& d, int mask);

/// Mask of the parts in bytes that saveState() gave. Throws std::invalid_argument if they are none.
int savedParts(std::span<const std::byte> bytes);

/// Numbers of things in another model, by their number in this one; -1: they are not there.
struct ModelRenumbering {
  std::span<const int> geom, flex, equality, joint, tendon;  ///< as many as the model has
};

/// For a Data that continues in a changed model: impulses remembered from the last step of `d`, as the first step of
/// `target` will look for them, that is the same contacts, limits and equalities under the numbers they have in the
/// model `to`. Replaces what the Impulse solver remembers in `target`. Throws std::invalid_argument for a Data of
/// another Model.
void transferImpulses(const Model& m, const Data& d, const ModelRenumbering& numbers, const Model& to, Data& target);

/// Writes a checkpoint: everything that the rest of a run depends on (state::kComplete) and the status so far, with a
/// hash of the whole model. `note` is kept beside it for the program that writes it, for instance the number of its
/// steps. The file appears under its name when it is complete and on the disk; until then an older one stays. Throws
/// LoadError if it cannot be written, std::invalid_argument if `d` was made for another Model.
void saveCheckpoint(const Model& m, const Data& d, const std::filesystem::path& file, std::string_view note = {});

/// Brings `d` to the state of a checkpoint and returns its note. Stepping on gives the same bits as if the run had not
/// been interrupted. Throws LoadError, and leaves `d` alone, if the file cannot be read, is damaged, was written by
/// another version of Sinew, or belongs to another model or to other options. Throws std::invalid_argument if `d` was
/// made for another Model.
std::string loadCheckpoint(const Model& m, Data& d, const std::filesystem::path& file);

}  // namespace sinew
