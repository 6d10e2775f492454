#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "sinew/callbacks.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// What the sources of the Python module share.
namespace nb = nanobind;
using namespace nb::literals;

namespace sinew::python {

/// A Model as Python holds it. Views of its arrays keep the shared pointer, not the Python object, so that no cycle
/// arises when the object remembers its views.
struct ModelBox {
  std::shared_ptr<Model> model;
  std::vector<std::string> warnings;  ///< of loading and compiling
  /// Steps that run with this Model without the interpreter lock. Whole options, on which the layout of rows and the
  /// course of a step depend, cannot be changed meanwhile.
  std::shared_ptr<std::atomic<int>> steps = std::make_shared<std::atomic<int>>(0);
};

/// Marks a Model as in use by a step for as long as it lives, and keeps it: the Python object may take over another
/// one.
class Stepping {
 public:
  explicit Stepping(const ModelBox& box) : model_(box.model), steps_(box.steps) { ++*steps_; }
  ~Stepping() { --*steps_; }
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;
  const Model& operator*() const { return *model_; }

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<std::atomic<int>> steps_;
};

/// The end of the interpreter: threads of the program that want its lock then are not ended by it, which would end the
/// whole program as an error, but wait for the end. `atExit` is called at the beginning of the end, with the lock.
class Ending {
 public:
  static void atExit();
  /// Waits for ever if the end has begun and this is not the thread that ends; else the lock may be taken until done().
  static void enter();
  static void done();
};

/// Lives while the interpreter lock is given back.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    Ending::enter();
    PyEval_RestoreThread(state_);
    Ending::done();
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Lives while the interpreter lock is taken, by a thread that may have it already.
class Locked {
 public:
  Locked() {
    Ending::enter();
    state_ = PyGILState_Ensure();
    Ending::done();
  }
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Which thread computes with something.
class User {
 public:
  /// False if a thread, perhaps this one, has it already.
  bool take() {
    std::thread::id nobody;
    return thread_.compare_exchange_strong(nobody, std::this_thread::get_id(), std::memory_order_acquire);
  }
  void give() { thread_.store(std::thread::id(), std::memory_order_release); }
  bool isElsewhere() const {
    const std::thread::id thread = thread_.load(std::memory_order_acquire);
    return thread != std::thread::id() && thread != std::this_thread::get_id();
  }

 private:
  std::atomic<std::thread::id> thread_;
};

/// The exception that a callback left, raised when the call that ran it ends. Guarded by the interpreter lock.
using Pending = std::shared_ptr<std::exception_ptr>;

struct DataBox {
  std::shared_ptr<const Model> model;  ///< the one it was made for
  nb::object owner;                    ///< its Python object
  std::shared_ptr<Data> data;
  bool raiseOnDivergence = false;
  Pending pending = std::make_shared<std::exception_ptr>();
  nb::object callbacks = nb::none();  ///< functions of the user, a dict
  long long steps = 0;                ///< that were made, and the time they took, s
  double seconds = 0;
  std::shared_ptr<User> user = std::make_shared<User>();
};

/// Marks a Data as in use for as long as it lives. A second thread gets an exception instead of a data race, and so
/// does a callback of a step that wants to write what the step works with.
class Busy {
 public:
  explicit Busy(const DataBox& box) : user_(box.user) {
    if (user_->take()) return;
    if (user_->isElsewhere()) throwInUse();
    throw std::runtime_error("a callback cannot do this with the Data whose step called it; a copy of it can be used");
  }
  ~Busy() { user_->give(); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

  [[noreturn]] static void throwInUse() {
    throw std::runtime_error("this Data is in use by another thread; give each thread a Data of its own");
  }

 private:
  std::shared_ptr<User> user_;
};

/// The same for a question, which a callback may ask the Data whose step called it.
class Asking {
 public:
  explicit Asking(const DataBox& box) : user_(box.user), took_(user_->take()) {
    if (!took_ && user_->isElsewhere()) Busy::throwInUse();
  }
  ~Asking() {
    if (took_) user_->give();
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  std::shared_ptr<User> user_;
  bool took_;
};

/// Throws if another thread computes with this Data, whose contacts and constraint rows may then be moved in memory.
/// Without the interpreter lock released in between, none can begin to.
inline void requireIdle(const DataBox& box) {
  if (box.user->isElsewhere()) Busy::throwInUse();
}

/// Raises what a callback raised.
inline void raisePending(const DataBox& box) {
  if (!*box.pending) return;
  const std::exception_ptr error = std::exchange(*box.pending, nullptr);
  std::rethrow_exception(error);
}

/// Callbacks of sinew.mujoco, which belong to the program: in force while this lives, unless the Data has its own.
class GlobalCallbacks {
 public:
  GlobalCallbacks(nb::handle data, DataBox& box);
  ~GlobalCallbacks();
  GlobalCallbacks(const GlobalCallbacks&) = delete;
  GlobalCallbacks& operator=(const GlobalCallbacks&) = delete;

 private:
  DataBox* box_ = nullptr;
  Callbacks before_;
};

/// Throws ValueError if the Data was made for another Model.
inline void requireSame(const ModelBox& m, const DataBox& d) {
  if (m.model->signature != d.data->signature) {
    throw std::invalid_argument("this Data was made for another Model: Data(model) makes one that fits");
  }
}

/// Numbers as numpy shows those of an element type.
template <class T>
struct NumpyType {
  using type = std::conditional_t<std::is_enum_v<T>, int, T>;
};
template <>
struct NumpyType<char> {
  using type = std::uint8_t;
};

/// Flags: numpy shows them as bool.
struct Flag {
  std::uint8_t value;
};
template <>
struct NumpyType<Flag> {
  using type = bool;
};

/// A numpy array over memory that `owner` keeps alive. Two dimensions if columns >= 0, else one.
template <class T, class Owner>
nb::object view(const T* data, std::ptrdiff_t rows, std::ptrdiff_t columns, const std::shared_ptr<Owner>& owner,
                bool writable) {
  using Number = typename NumpyType<T>::type;
  static_assert(sizeof(Number) == sizeof(T));
  static Number nothing[1] = {};
  auto* kept = new std::shared_ptr<Owner>(owner);
  nb::capsule capsule(kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<Owner>*>(p); });
  auto* numbers = data ? const_cast<Number*>(reinterpret_cast<const Number*>(data)) : nothing;
  const std::size_t shape[2] = {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns < 0 ? 0 : columns)};
  const std::size_t dims = columns < 0 ? 1 : 2;
  if (writable) {
    return nb::cast(nb::ndarray<nb::numpy, Number>(numbers, dims, shape, capsule), nb::rv_policy::reference);
  }
  return nb::cast(nb::ndarray<nb::numpy, const Number>(numbers, dims, shape, capsule), nb::rv_policy::reference);
}

/// A numpy array of its own with a copy of these numbers.
template <class T>
nb::object copyOf(std::span<const T> values, std::ptrdiff_t columns = -1) {
  auto kept = std::make_shared<std::vector<T>>(values.begin(), values.end());
  const auto size = static_cast<std::ptrdiff_t>(kept->size());
  return view(kept->data(), columns > 0 ? size / columns : size, columns, kept, true);
}

using ConstArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// An argument that is read: an array, or anything that numpy can make one of.
struct Numbers {
  ConstArray array;
  const double* data() const { return array.data(); }
  std::size_t size() const { return array.size(); }
};
using Output = nb::ndarray<double, nb::c_contig, nb::device::cpu>;  ///< an argument that is written

inline std::span<const double> in(const Numbers& a) { return {a.data(), a.size()}; }
inline std::span<double> out(const Output& a) { return {a.data(), a.size()}; }
inline std::span<double> out(const std::optional<Output>& a) { return a ? out(*a) : std::span<double>{}; }

inline std::array<double, 3> vector3(const Numbers& a, const char* name) {
  if (a.size() != 3)
    throw std::invalid_argument(std::string(name) + ": needs 3 numbers, found " + std::to_string(a.size()));
  return {a.data()[0], a.data()[1], a.data()[2]};
}

void bindModel(nb::module_& module);
void bindCallbacks(nb::module_& module);
void bindStages(nb::module_& module);
void bindData(nb::module_& module);
void bindDynamics(nb::module_& module);
void bindBatch(nb::module_& module);
void bindWorld(nb::module_& module);
void bindSpec(nb::module_& module);
void bindScene(nb::module_& module);
void bindPictures(nb::module_& module);

}  // namespace sinew::python

namespace nanobind::detail {

template <>
struct type_caster<sinew::python::Numbers> {
  NB_TYPE_CASTER(sinew::python::Numbers, const_name("numpy.typing.ArrayLike"))

  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<sinew::python::ConstArray> direct;
    if (direct.from_python(source, flags, cleanup)) {
      value.array = direct.value;
      return true;
    }
    if (source.is_none() || isinstance<str>(source)) return false;
    try {
      const object made = module_::import_("numpy").attr("ascontiguousarray")(source, "float64");
      make_caster<sinew::python::ConstArray> converted;
      if (!converted.from_python(made, flags, cleanup)) return false;
      value.array = converted.value;
      return true;
    } catch (python_error&) {
      return false;
    } catch (...) {
      return false;
    }
  }
};

}  // namespace nanobind::detail
