#include "sinew/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/parallel.h"
#include "math/types.h"
#include "mjcf/value.h"
#include "sinew/step.h"

namespace sinew {
namespace {

constexpr int kTime = -1, kEnergy = -2;
constexpr std::array<std::string_view, 6> kFlexMeasures{"flexvert_force",  "flexnode_reaction", "flexpoint_reaction",
                                                        "flexelem_strain", "flexelem_stress",   "flex_kinetic"};

template <class T>
constexpr bool kIsNumber = std::is_arithmetic_v<T>;

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument("rollout: " + message); }

/// Calls f(index, name, array, rows, columns, isState) for all arrays of Data.
template <class F>
void forEachArray(const Model& m, const Data& d, F&& f) {
  int index = 0, states = 0;
  d.forEachStateArray(m, [&](const char*, const auto&, int, int, const char*) { ++states; });
  d.forEachArray(m, [&](const char* name, const auto& array, int rows, int columns, const char*) {
    f(index, name, array, rows, columns, index < states);
    ++index;
  });
}

int divergences(const Status& s) {
  int count = 0;
  for (const Trouble t :
       {Trouble::BadQpos, Trouble::BadQvel, Trouble::BadQacc, Trouble::BadOption, Trouble::OtherModel}) {
    count += s[t].count;
  }
  return count;
}

bool isBad(const Data& d) {
  const auto bad = [](double x) { return !(std::abs(x) <= kMaxVal); };
  return std::any_of(d.qpos.begin(), d.qpos.end(), bad) || std::any_of(d.qvel.begin(), d.qvel.end(), bad);
}

/// What is kept of a state in case the next one is bad.
struct Snapshot {
  std::int64_t steps = 0;
  double time = 0;
  std::vector<double> qpos, qvel, act;

  void take(const Data& d, std::int64_t done) {
    steps = done;
    time = d.time;
    qpos.assign(d.qpos.begin(), d.qpos.end());
    qvel.assign(d.qvel.begin(), d.qvel.end());
    act.assign(d.act.begin(), d.act.end());
  }
  std::uint64_t hash() const {
    Hasher hasher;
    hasher.add(&time, sizeof(time));
    for (const std::vector<double>* x : {&qpos, &qvel, &act}) hasher.add(x->data(), x->size() * sizeof(double));
    return hasher.value();
  }
};

/// As many as a double counts.
constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;

/// Throws if the numbers of all samples are more than can be addressed.
void checkRoom(const RecordedArray& array, std::int64_t samples, std::int64_t runs) {
  const std::int64_t most = std::numeric_limits<std::ptrdiff_t>::max() / static_cast<std::int64_t>(sizeof(double));
  if (array.width() == 0 || samples <= most / runs / array.width()) return;
  fail(fmt::format("{} x {} x {} numbers of \"{}\" are more than there can be", runs, samples, array.width(),
                   array.name));
}

}  // namespace

Rollout::Rollout(const Model& m, std::int64_t steps, std::int64_t every, const std::vector<std::string>& record)
    : steps_(steps), every_(every), signature_(m.signature) {
  if (steps < 0) fail(fmt::format("the number of steps is {}, must be 0 or more", steps));
  if (steps > kMostSteps) fail(fmt::format("the number of steps is {}, must be {} or less", steps, kMostSteps));
  if (every < 1) fail(fmt::format("a sample every {} steps cannot be, must be 1 or more", every));
  const Data d(m);
  for (const std::string& name : record) {
    const auto same = [&](const RecordedArray& a) { return a.name == name; };
    if (std::any_of(arrays_.begin(), arrays_.end(), same)) fail(fmt::format("\"{}\" is recorded twice", name));
    std::optional<RecordedArray> found;
    std::vector<std::string_view> known{"time", "energy"};
    int source = kTime;
    if (name == "time") found = RecordedArray{name, 1, 1};
    if (name == "energy") {
      found = RecordedArray{name, 1, 2};
      source = kEnergy;
      needsEnergy_ = true;
    }
    forEachArray(m, d, [&](int index, const char* its, const auto& array, int rows, int columns, bool isState) {
      if constexpr (!kIsNumber<std::remove_cvref_t<decltype(array[0])>>) return;
      known.push_back(its);
      if (name != its) return;
      found = RecordedArray{name, rows, columns};
      source = index;
      if (isState) return;
      hasDerived_ = true;
      needsForward_ = needsForward_ || m.opt.integrator == Integrator::RK4;
      const bool isMeasure = std::find(kFlexMeasures.begin(), kFlexMeasures.end(), name) != kFlexMeasures.end();
      needsFlexes_ = needsFlexes_ || isMeasure;
      needsEnergy_ = needsEnergy_ || name == "flex_energy";
    });
    if (!found) {
      const std::string near = mjcf::nearest(name, known);
      fail(fmt::format("Data has no array named \"{}\"{}", name,
                       near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
    }
    checkRoom(*found, samples(), 1);
    arrays_.push_back(*found);
    source_.push_back(source);
  }
  needsForward_ = needsForward_ || needsEnergy_ || needsFlexes_;
}

void Rollout::sampleState(const Data& d, std::span<const std::span<double>> out, std::int64_t sample) const {
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    double* to = out[k].data() + sample * arrays_[k].width();
    const int source = source_[k];
    if (source == kTime) to[0] = d.time;
    int index = 0;
#define SINEW_X(type, name, rows, cols, doc) \
  if (index++ == source) std::copy(d.name.begin(), d.name.end(), to);
    SINEW_STATE_ARRAYS(SINEW_X)
#undef SINEW_X
  }
}

void Rollout::sampleDerived(const Data& d, std::span<const std::span<double>> out, std::int64_t sample) const {
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    double* to = out[k].data() + sample * arrays_[k].width();
    const int source = source_[k];
    if (source == kEnergy) std::copy(d.energy.begin(), d.energy.end(), to);
    int index = 0;
#define SINEW_X(type, name, rows, cols, doc) ++index;
    SINEW_STATE_ARRAYS(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, rows, cols, doc) \
  if (index++ == source) std::copy(d.name.begin(), d.name.end(), to);
    SINEW_DERIVED_ARRAYS(SINEW_X)
#undef SINEW_X
  }
}

RunOutcome Rollout::run(const Model& m, Data& d, std::span<const std::span<double>> out, const Control& control,
                        const std::function<bool()>& stop) const {
  if (m.signature != signature_ || d.signature != signature_) fail("the Model or the Data is that of another layout");
  if (out.size() != arrays_.size()) fail(fmt::format("{} arrays are recorded, {} given", arrays_.size(), out.size()));
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto need = static_cast<std::size_t>(samples() * arrays_[k].width());
    if (out[k].size() != need) {
      fail(fmt::format("\"{}\" needs room for {} numbers, has {}", arrays_[k].name, need, out[k].size()));
    }
    std::fill(out[k].begin(), out[k].end(), std::numeric_limits<double>::quiet_NaN());
  }
  constexpr std::int64_t kStopInterval = 32;
  RunOutcome outcome;
  std::optional<Data> probe;
  if (needsForward_) probe.emplace(d);
  std::array<Snapshot, 2> recent;  // of this step and of the one before
  int known = divergences(d.status);
  bool isBadNow = false;
  std::int64_t done = 0;
  const auto evaluate = [&](Data& at) {
    forward(m, at);
    if (needsEnergy_) energy(m, at);
    if (needsFlexes_) measureFlexes(m, at);
  };
  for (; done < steps_ && !isBadNow; ++done) {
    if (stop && done % kStopInterval == 0 && stop()) {
      outcome.stopped = true;
      break;
    }
    recent[done & 1].take(d, done);
    if (control) control(m, d, done);
    const bool isSample = done % every_ == 0 && !out.empty();
    const std::int64_t sample = done / every_;
    if (isSample) {
      sampleState(d, out, sample);
      if (needsForward_) {
        *probe = d;
        evaluate(*probe);
        sampleDerived(*probe, out, sample);
      }
    }
    step(m, d);
    isBadNow = divergences(d.status) != known;
    if (isSample && hasDerived_ && !needsForward_ && !isBadNow) sampleDerived(d, out, sample);
  }
  Snapshot* last = nullptr;
  if (isBadNow) {
    // a bad acceleration is found in the step that computes it, a bad state at the beginning of the next one
    --done;
    const bool began = d.status[Trouble::BadQpos].count + d.status[Trouble::BadQvel].count > 0;
    last = &recent[(began && done > 0 ? done - 1 : done) & 1];
  } else if (isBad(d)) {
    last = &recent[(done + 1) & 1];
    if (done == 0) last->take(d, 0);
    step(m, d);  // finds out what went wrong
    isBadNow = true;
  }
  outcome.diverged = isBadNow;
  outcome.message = describeStatus(m, d);
  while (!outcome.message.empty() && outcome.message.back() == '\n') outcome.message.pop_back();
  if (last) {
    // samples of states that were bad already
    const std::int64_t first = last->steps / every_ + 1;
    for (std::size_t k = 0; k < out.size(); ++k) {
      std::fill(out[k].begin() + first * arrays_[k].width(), out[k].end(), std::numeric_limits<double>::quiet_NaN());
    }
    outcome.hash = last->hash();
  } else {
    if (control && !outcome.stopped) control(m, d, done);
    recent[0].take(d, done);
    last = &recent[0];
    outcome.hash = stateHash(m, d);
    if (!outcome.stopped && done % every_ == 0 && !out.empty()) {
      sampleState(d, out, done / every_);
      if (hasDerived_ || needsForward_) {
        evaluate(d);
        sampleDerived(d, out, done / every_);
      }
    }
  }
  outcome.steps = last->steps;
  outcome.time = last->time;
  outcome.qpos = std::move(last->qpos);
  outcome.qvel = std::move(last->qvel);
  outcome.act = std::move(last->act);
  return outcome;
}

namespace {

/// The numbers of run i of an input that has `width` numbers per run, or for all runs.
std::span<const double> ofRun(std::span<const double> all, int run, std::size_t width) {
  return all.size() == width ? all : all.subspan(static_cast<std::size_t>(run) * width, width);
}

void checkSize(const char* name, std::span<const double> values, int runs, int width) {
  const auto one = static_cast<std::size_t>(width);
  if (values.empty() || values.size() == one || values.size() == one * static_cast<std::size_t>(runs)) return;
  fail(fmt::format("\"{}\" has {} numbers, expected {} or {} x {}", name, values.size(), width, runs, width));
}

}  // namespace

RolloutResult rollout(const Model& m, int runs, const RolloutInput& in) {
  if (runs < 1) fail(fmt::format("the number of runs is {}, must be 1 or more", runs));
  if (in.threads < 0) fail(fmt::format("the number of threads is {}, must be 0 (all) or more", in.threads));
  if (in.key < -1 || in.key >= m.nkey)
    fail(fmt::format("keyframe {} does not exist, the model has {}", in.key, m.nkey));
  const Rollout plan(m, in.steps, in.every, in.record);
  checkSize("qpos", in.qpos, runs, m.nq);
  checkSize("qvel", in.qvel, runs, m.nv);
  checkSize("act", in.act, runs, m.na);
  checkSize("warmstart", in.warmstart, runs, m.nv);
  const auto nu = static_cast<std::size_t>(m.nu), n = static_cast<std::size_t>(runs);
  const auto isRows = [&](std::int64_t rows) {  // of n nu numbers
    return nu > 0 && in.ctrl.size() % (n * nu) == 0 && in.ctrl.size() / (n * nu) == static_cast<std::size_t>(rows);
  };
  const bool isSequence = isRows(in.steps) && !isRows(0) && !isRows(1) && in.ctrl.size() != nu;
  const std::size_t perRun = isSequence ? in.ctrl.size() / n : 0;
  if (!isSequence && !in.ctrl.empty() && in.ctrl.size() != nu && in.ctrl.size() != n * nu) {
    fail(fmt::format("\"ctrl\" has {} numbers, expected {} x {} x {}, {} x {} or {}", in.ctrl.size(), runs, in.steps,
                     m.nu, runs, m.nu, m.nu));
  }

  RolloutResult result;
  result.runs = runs;
  result.samples = plan.samples();
  result.arrays = plan.arrays();
  for (const RecordedArray& a : result.arrays) {
    checkRoom(a, result.samples, runs);
    result.values.emplace_back(n * static_cast<std::size_t>(result.samples * a.width()));
  }
  result.outcomes.resize(n);

  Data start(m);
  if (in.key >= 0) resetToKey(m, start, in.key);
  const int threads = std::min(in.threads == 0 ? hardwareThreads() : in.threads, runs);
  std::vector<Data> data(static_cast<std::size_t>(threads), start);
  std::vector<std::string> errors(n);
  parallelFor(threads, runs, [&](int run, int slot) {
    Data& d = data[slot];
    try {
      d = start;
      const auto put = [&](std::span<const double> from, Array<double>& to) {
        if (from.empty()) return;
        const auto values = ofRun(from, run, static_cast<std::size_t>(to.size()));
        std::copy(values.begin(), values.end(), to.begin());
      };
      put(in.qpos, d.qpos);
      put(in.qvel, d.qvel);
      put(in.act, d.act);
      put(in.warmstart, d.qacc_warmstart);
      Rollout::Control control;
      if (isSequence) {
        control = [&, all = in.ctrl.subspan(static_cast<std::size_t>(run) * perRun, perRun)](const Model&, Data& at,
                                                                                             std::int64_t step) {
          const std::int64_t row = std::min(step, in.steps - 1);  // the last sample has the last controls
          std::copy_n(all.begin() + row * m.nu, m.nu, at.ctrl.begin());
        };
      } else {
        put(in.ctrl, d.ctrl);
      }
      std::vector<std::span<double>> out;
      for (std::size_t k = 0; k < result.values.size(); ++k) {
        const std::size_t each = result.values[k].size() / n;
        out.emplace_back(result.values[k].data() + static_cast<std::size_t>(run) * each, each);
      }
      result.outcomes[run] = plan.run(m, d, out, control);
    } catch (const std::exception& error) {
      errors[run] = error.what();
    }
  });
  for (const std::string& error : errors) {
    if (!error.empty()) throw std::runtime_error(error);
  }
  return result;
}

}  // namespace sinew
