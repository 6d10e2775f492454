#include "sinew/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/nearest_word.h"
#include "base/parallel.h"
#include "math/types.h"
#include "rollout/derived_constants.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace sinew {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument("Batch: " + message); }

/// " (did you mean ...?)" for a name that is none of these, if one is near.
std::string suggestion(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view near = nearestWord(name, known);
  return near.empty() ? std::string() : fmt::format(" (did you mean \"{}\"?)", near);
}

/// Names of the arrays of doubles.
template <class Types, std::size_t N>
std::vector<std::string_view> numberNames(const std::array<Field, N>& fields) {
  std::vector<std::string_view> names;
  for (const Field& field : fields) {
    if (field.type == Types::template indexOf<double>()) names.emplace_back(field.name);
  }
  return names;
}

/// Numbers of all runs of one array of Data or Model, one run after the other.
struct Column {
  std::string name;
  std::size_t width = 0;
  std::vector<double> values;

  double* of(int run) { return values.data() + static_cast<std::size_t>(run) * width; }
};

/// Calls f(array) for the array of doubles with this name; false if there is none.
template <class Arrays, class F>
bool withArray(Arrays&& forEach, std::string_view name, F&& f) {
  bool found = false;
  forEach([&](const char* itsName, auto& array, int, int, const char*) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(array[0])>, double>) {
      if (name == itsName) {
        found = true;
        f(array);
      }
    }
  });
  return found;
}

std::span<double> numbersOf(double& x) { return {&x, 1}; }
template <std::size_t N>
std::span<double> numbersOf(std::array<double, N>& x) {
  return x;
}
template <class T>
std::span<double> numbersOf(T&) {
  return {};
}

/// What of the options can be varied.
const std::vector<std::string_view>& optionNumbers() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    Option option;
#define SINEW_X(type, field, doc) \
  if (!numbersOf(option.field).empty()) list.emplace_back("option." #field);
    SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
    return list;
  }();
  return names;
}

/// Calls f(numbers) for what can be varied of a model: an array of doubles, or a number of its options as
/// "option.NAME"; false if there is none of this name.
template <class F>
bool withModelNumbers(Model& m, std::string_view name, F&& f) {
  constexpr std::string_view kOption = "option.";
  if (!name.starts_with(kOption)) {
    return withArray([&](auto&& g) { m.forEachArray(g); }, name,
                     [&](Array<double>& array) { f(std::span<double>(array)); });
  }
  name.remove_prefix(kOption.size());
  std::span<double> numbers;
#define SINEW_X(type, field, doc) \
  if (name == #field) numbers = numbersOf(m.opt.field);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  if (numbers.empty()) return false;
  f(numbers);
  return true;
}

}  // namespace

struct Batch::Impl {
  Model model;
  int runs;
  int threads;
  OnDivergence onDivergence;
  std::vector<Data> data;
  std::vector<char> stopped;
  std::deque<Column> state, watched;  // spans into them must stay valid when there are more
  std::vector<std::uint8_t> active;
  std::deque<Column> varied;     // what the user writes
  std::deque<Column> applied;    // what the constants below were computed for
  std::deque<Column> constants;  // of each run, if something varies
  std::vector<Model> models;     // one per thread, if something varies

  Impl(const Model& m, int n, int t, OnDivergence o) : model(m), runs(n), threads(t), onDivergence(o) {
    const Data first(model);
    data.assign(static_cast<std::size_t>(n), first);
    stopped.assign(static_cast<std::size_t>(n), 0);
    state.push_back({"time", 1, std::vector<double>(static_cast<std::size_t>(n))});
    first.forEachStateArray(model, [&](const char* name, const auto& array, int, int, const char*) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(array[0])>, double>) {
        const auto width = static_cast<std::size_t>(array.size());
        state.push_back({name, width, std::vector<double>(width * static_cast<std::size_t>(n))});
      }
    });
    active.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(model.neq));
    for (int run = 0; run < n; ++run) show(run);
  }

  Data& at(int run) { return data[run]; }

  /// Calls f(numbers in Data, column) for every state array of doubles.
  template <class F>
  void forEachState(int run, F&& f) {
    auto column = state.begin();
    f(&at(run).time, *column++);
    at(run).forEachStateArray(model, [&](const char*, auto& array, int, int, const char*) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(array[0])>, double>) f(array.data(), *column++);
    });
  }
  std::uint8_t* activeOf(int run) {
    return active.data() + static_cast<std::size_t>(run) * static_cast<std::size_t>(model.neq);
  }

  /// The user's numbers into the Data of a run, and back.
  void take(int run) {
    forEachState(run, [&](double* x, Column& c) { std::copy_n(c.of(run), c.width, x); });
    std::copy_n(activeOf(run), model.neq, at(run).eq_active.data());
  }
  void save(int run) {
    forEachState(run, [&](double* x, Column& c) { std::copy_n(x, c.width, c.of(run)); });
    std::copy_n(at(run).eq_active.data(), model.neq, activeOf(run));
  }
  void show(int run) {
    save(run);
    for (Column& c : watched) copyWatched(run, c);
  }
  void copyWatched(int run, Column& c) {
    const auto arrays = [&](auto&& f) { at(run).forEachArray(model, f); };
    withArray(arrays, c.name, [&](Array<double>& array) { std::copy_n(array.data(), c.width, c.of(run)); });
  }

  /// The model of a run: the shared one, or that of the thread with the run's own numbers in it.
  const Model& modelOf(int run, int slot) {
    if (varied.empty()) return model;
    Model& m = models[slot];
    const auto put = [&](Column& c) {
      withModelNumbers(m, c.name, [&](std::span<double> own) { std::copy_n(c.of(run), c.width, own.begin()); });
    };
    bool isNew = false;
    for (std::size_t k = 0; k < varied.size(); ++k) {
      isNew = isNew || std::memcmp(varied[k].of(run), applied[k].of(run), varied[k].width * sizeof(double)) != 0;
    }
    if (isNew) {
      for (Column& c : constants) {  // start from the model's own, so that the result depends on the run alone
        withModelNumbers(model, c.name,
                         [&](std::span<double> shared) { std::copy_n(shared.begin(), c.width, c.of(run)); });
      }
    }
    for (Column& c : constants) put(c);
    for (Column& c : varied) put(c);
    if (isNew) {
      updateConstants(m);
      for (Column& c : varied) put(c);  // one of the constants may be among them
      for (Column& c : constants) {
        withModelNumbers(m, c.name, [&](std::span<double> own) { std::copy_n(own.begin(), c.width, c.of(run)); });
      }
      for (std::size_t k = 0; k < varied.size(); ++k)
        std::copy_n(varied[k].of(run), varied[k].width, applied[k].of(run));
    }
    return m;
  }

  static bool noted(const Status& s) {
    return s[Trouble::BadQpos].count + s[Trouble::BadQvel].count + s[Trouble::BadQacc].count > 0;
  }
  /// What step() would object to.
  static bool isBad(const Data& d) {
    const auto bad = [](double x) { return !(std::abs(x) <= kMaxVal); };
    return std::any_of(d.qpos.begin(), d.qpos.end(), bad) || std::any_of(d.qvel.begin(), d.qvel.end(), bad);
  }

  void advance(int run, int slot, int steps) {
    Data& d = at(run);
    const Model& m = modelOf(run, slot);
    char& stop = stopped[run];
    take(run);
    for (int k = 0; k < steps && !stop; ++k) {
      if (onDivergence == OnDivergence::Stop) save(run);
      sinew::step(m, d);
      if (onDivergence == OnDivergence::Reset) continue;
      if (isBad(d) && !noted(d.status)) sinew::step(m, d);  // finds out and notes what went wrong
      if (!noted(d.status)) continue;
      stop = 1;
      take(run);
    }
    show(run);
  }

  template <class F>
  void forAll(F&& f) {
    parallelFor(threads, runs, [&](int run, int slot) { f(run, slot); });
  }

  void checkRun(int run) const {
    if (run < 0 || run >= runs) fail(fmt::format("run {} does not exist, there are {}", run, runs));
  }
};

Batch::Batch(const Model& m, int runs, int threads, OnDivergence onDivergence) {
  if (runs < 1) fail(fmt::format("the number of runs is {}, must be 1 or more", runs));
  if (threads < 0) fail(fmt::format("the number of threads is {}, must be 0 (all) or more", threads));
  impl_ = std::make_unique<Impl>(m, runs, threads == 0 ? hardwareThreads() : threads, onDivergence);
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

int Batch::runs() const { return impl_->runs; }
int Batch::threads() const { return impl_->threads; }
const Model& Batch::model() const { return impl_->model; }

std::span<double> Batch::state(std::string_view name) {
  for (Column& c : impl_->state) {
    if (c.name == name) return c.values;
  }
  std::string names;
  for (const Column& c : impl_->state) names += (names.empty() ? "" : ", ") + c.name;
  fail(fmt::format("\"{}\" is not an array of the state; expected one of: {}", name, names));
}

std::span<std::uint8_t> Batch::activeEqualities() { return impl_->active; }

std::span<const double> Batch::watch(std::string_view name) {
  for (Column& c : impl_->watched) {
    if (c.name == name) return c.values;
  }
  for (Column& c : impl_->state) {
    if (c.name == name) return c.values;
  }
  const auto arrays = [&](auto&& f) { impl_->at(0).forEachArray(impl_->model, f); };
  const bool found = withArray(arrays, name, [&](Array<double>& array) {
    const auto width = static_cast<std::size_t>(array.size());
    impl_->watched.push_back(
        {std::string(name), width, std::vector<double>(width * static_cast<std::size_t>(impl_->runs))});
  });
  if (!found) {
    const auto known = numberNames<Data::Types>(impl_->at(0).fields(impl_->model));
    fail(fmt::format("Data has no array of numbers named \"{}\"{}", name, suggestion(name, known)));
  }
  for (int run = 0; run < impl_->runs; ++run) impl_->copyWatched(run, impl_->watched.back());
  return impl_->watched.back().values;
}

std::span<double> Batch::vary(std::string_view name) {
  for (Column& c : impl_->varied) {
    if (c.name == name) return c.values;
  }
  if (std::find(kCompiledInto.begin(), kCompiledInto.end(), name) != kCompiledInto.end()) {
    fail(
        fmt::format("\"{}\" cannot be varied: compile() has worked it into other arrays of the model; compile a model "
                    "for each value",
                    name));
  }
  const auto columnOf = [&](std::string_view itsName) {
    Column c{std::string(itsName), 0, {}};
    const bool found = withModelNumbers(impl_->model, itsName, [&](std::span<double> shared) {
      c.width = shared.size();
      c.values.reserve(c.width * static_cast<std::size_t>(impl_->runs));
      for (int run = 0; run < impl_->runs; ++run) c.values.insert(c.values.end(), shared.begin(), shared.end());
    });
    if (!found) {
      std::vector<std::string_view> known = numberNames<Model::Types>(impl_->model.fields());
      known.insert(known.end(), optionNumbers().begin(), optionNumbers().end());
      fail(fmt::format("the model has no array of numbers named \"{}\"{}", itsName, suggestion(itsName, known)));
    }
    return c;
  };
  Column column = columnOf(name);
  const auto isConstant = [&](const Column& c) { return c.name == name; };
  if (impl_->varied.empty()) {
    for (const std::string_view constant : kDerivedConstants) impl_->constants.push_back(columnOf(constant));
    impl_->models.assign(static_cast<std::size_t>(std::min(impl_->threads, impl_->runs)), impl_->model);
  }
  std::erase_if(impl_->constants, isConstant);
  impl_->applied.push_back(column);
  impl_->varied.push_back(std::move(column));
  return impl_->varied.back().values;
}

void Batch::step(int steps) {
  if (steps < 0) fail(fmt::format("the number of steps is {}, must be 0 or more", steps));
  impl_->forAll([&](int run, int slot) { impl_->advance(run, slot, steps); });
}

void Batch::forward() {
  impl_->forAll([&](int run, int slot) {
    const Model& m = impl_->modelOf(run, slot);
    impl_->take(run);
    sinew::forward(m, impl_->at(run));
    impl_->show(run);
  });
}

void Batch::reset(int run) {
  impl_->checkRun(run);
  sinew::reset(impl_->modelOf(run, 0), impl_->at(run));
  impl_->stopped[run] = 0;
  impl_->show(run);
}

void Batch::reset() {
  for (int run = 0; run < impl_->runs; ++run) reset(run);
}

void Batch::resetToKey(int run, int key) {
  impl_->checkRun(run);
  const Model& m = impl_->model;
  if (key < 0 || key >= m.nkey) fail(fmt::format("keyframe {} does not exist, the model has {}", key, m.nkey));
  sinew::resetToKey(impl_->modelOf(run, 0), impl_->at(run), key);
  impl_->stopped[run] = 0;
  impl_->show(run);
}

const Status& Batch::status(int run) const {
  impl_->checkRun(run);
  return impl_->at(run).status;
}

std::string Batch::describeStatus(int run) const {
  impl_->checkRun(run);
  return sinew::describeStatus(impl_->model, impl_->at(run));
}

bool Batch::isStopped(int run) const {
  impl_->checkRun(run);
  return impl_->stopped[run] != 0;
}

const Data& Batch::data(int run) const {
  impl_->checkRun(run);
  return impl_->at(run);
}

std::uint64_t Batch::hash(int run) const {
  impl_->checkRun(run);
  impl_->take(run);
  return stateHash(impl_->model, impl_->at(run));
}

}  // namespace sinew
