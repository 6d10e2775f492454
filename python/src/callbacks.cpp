#include "sinew/callbacks.h"

#include "common.h"

namespace sinew::python {
namespace {

/// A Python function as the engine calls it: from any thread, without the interpreter lock. Copies of a Data share it.
class Function {
 public:
  Function(nb::object function, nb::handle data, const DataBox& box)
      : function_(std::move(function)),
        data_(data),
        owner_(box.data.get()),
        model_(box.model),
        object_(box.owner.ptr()),
        pending_(box.pending) {}
  ~Function() {
    const Locked lock;
    function_.reset();
  }

  /// Calls f(function, model, data) with Python's objects. A Data that is not the one the function was given to (a copy
  /// that derivatives are made with) is copied for the call; back(copy) takes what it may have written.
  template <class F, class Back>
  void call(const Data& d, F&& f, Back&& back) const {
    const Locked lock;
    try {
      const nb::object model = nb::borrow(object_);
      if (&d == owner_) {
        f(function_, model, nb::borrow(data_));
        return;
      }
      const nb::object copy = nb::module_::import_("sinew._model").attr("Data")(model);
      DataBox& box = nb::cast<DataBox&>(copy);
      *box.data = d;
      box.data->callbacks = {};
      f(function_, model, copy);
      back(*box.data);
    } catch (nb::python_error& error) {
      const std::string text = error.what();
      if (!*pending_) *pending_ = std::make_exception_ptr(std::move(error));
      throw std::runtime_error(text);
    }
  }

 private:
  nb::object function_;
  nb::handle data_;  ///< not owned: it owns the callbacks
  const Data* owner_;
  std::shared_ptr<const Model> model_;
  nb::handle object_;
  Pending pending_;
};

using Shared = std::shared_ptr<const Function>;

nb::object spanView(std::span<double> numbers) {
  return nb::cast(nb::ndarray<nb::numpy, double>(numbers.data(), {numbers.size()}, nb::none()), nb::rv_policy::copy);
}

/// mujocoStyle: f(model, data), which writes to the arrays of data.
Callbacks makeCallbacks(const nb::dict& functions, nb::handle data, const DataBox& box, bool mujocoStyle) {
  const auto find = [&](const char* name) -> Shared {
    if (!functions.contains(name)) return nullptr;
    nb::object function = functions[name];
    if (function.is_none()) return nullptr;
    if (!nb::isinstance<nb::callable>(function)) {
      throw nb::type_error((std::string(name) + ": needs a function or None").c_str());
    }
    return std::make_shared<const Function>(std::move(function), data, box);
  };
  Callbacks callbacks;
  if (const Shared control = find("control")) {
    callbacks.control = [control](const Model&, const Data& d, const ControlOutput& output) {
      control->call(
          d, [](const auto& f, const auto& m, const auto& data) { f(m, data); },
          [&](const Data& copy) {
            std::copy(copy.ctrl.begin(), copy.ctrl.end(), output.ctrl.begin());
            std::copy(copy.qfrc_applied.begin(), copy.qfrc_applied.end(), output.qfrc_applied.begin());
            std::copy(copy.xfrc_applied.begin(), copy.xfrc_applied.end(), output.xfrc_applied.begin());
          });
    };
  }
  if (const Shared passive = find("passive")) {
    callbacks.passive = [passive, mujocoStyle](const Model&, const Data& d, std::span<double> qfrc) {
      if (mujocoStyle) {
        passive->call(
            d, [](const auto& f, const auto& m, const auto& data) { f(m, data); }, [](const Data&) {});
        return;
      }
      passive->call(
          d,
          [&](const auto& f, const auto& m, const auto& data) {
            const nb::object force = spanView(qfrc);
            f(m, data, force);
            const auto result = nb::cast<nb::ndarray<const double, nb::c_contig>>(force);
            std::copy_n(result.data(), qfrc.size(), qfrc.begin());
          },
          [](const Data&) {});
    };
  }
  if (const Shared filter = find("contact_filter")) {
    callbacks.contactFilter = [filter, mujocoStyle](const Model&, const Data& d, int first, int second) {
      bool touch = true;
      filter->call(
          d,
          [&](const auto& f, const auto& m, const auto& data) {
            const bool answer = nb::cast<bool>(nb::bool_(f(m, data, first, second)));
            touch = mujocoStyle ? !answer : answer;  // there: true means that they do not touch
          },
          [](const Data&) {});
      return touch;
    };
  }
  if (const Shared sensor = find("sensor")) {
    callbacks.sensor = [sensor, mujocoStyle](const Model& model, const Data& d, int id, std::span<double> values) {
      sensor->call(
          d,
          [&](const auto& f, const auto& m, const auto& data) {
            if (mujocoStyle) {
              // there: f(model, data, stage) writes to sensordata
              f(m, data, static_cast<int>(model.sensor_needstage[id]));
              const Data& seen = *nb::cast<DataBox&>(data).data;
              std::copy_n(seen.sensordata.data() + model.sensor_adr[id], values.size(), values.begin());
              return;
            }
            const nb::object result = spanView(values);
            f(m, data, id, result);
            const auto numbers = nb::cast<nb::ndarray<const double, nb::c_contig>>(result);
            std::copy_n(numbers.data(), values.size(), values.begin());
          },
          [](const Data&) {});
    };
  }
  return callbacks;
}

/// Of sinew.mujoco.set_mjcb_*: owned by the module, so that the interpreter frees them.
PyObject* globals = nullptr;

}  // namespace

GlobalCallbacks::GlobalCallbacks(nb::handle data, DataBox& box) {
  if (!globals || PyDict_Size(globals) == 0) return;
  if (PyObject* clock = PyDict_GetItemString(globals, "time")) {
    const nb::object now = nb::borrow<nb::callable>(clock)();
    if (!nb::isinstance<nb::float_>(now) && !nb::isinstance<nb::int_>(now)) {
      throw nb::type_error("mjcb_time callback did not return a number");
    }
  }
  box_ = &box;
  before_ = box.data->callbacks;
  Callbacks shared = makeCallbacks(nb::borrow<nb::dict>(globals), data, box, true);
  if (!box.data->callbacks.control) box.data->callbacks.control = std::move(shared.control);
  if (!box.data->callbacks.passive) box.data->callbacks.passive = std::move(shared.passive);
  if (!box.data->callbacks.contactFilter) box.data->callbacks.contactFilter = std::move(shared.contactFilter);
  if (!box.data->callbacks.sensor) box.data->callbacks.sensor = std::move(shared.sensor);
}

GlobalCallbacks::~GlobalCallbacks() {
  if (box_) box_->data->callbacks = std::move(before_);
}

void bindCallbacks(nb::module_& module) {
  nb::dict table;
  globals = table.ptr();
  module.attr("_global_callbacks") = table;
  module.def("_set_callbacks", [](nb::handle_t<DataBox> handle, const nb::dict& functions) {
    DataBox& box = nb::cast<DataBox&>(handle);
    const Busy busy(box);
    box.data->callbacks = makeCallbacks(functions, handle, box, false);
  });
}

}  // namespace sinew::python
