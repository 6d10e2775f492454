#include "sinew/batch.h"

#include "common.h"

namespace sinew::python {
namespace {

struct BatchBox {
  std::shared_ptr<Batch> batch;
  std::shared_ptr<std::atomic_flag> busy = std::make_shared<std::atomic_flag>();
};

class BusyBatch {
 public:
  explicit BusyBatch(const BatchBox& box) : flag_(box.busy) {
    if (flag_->test_and_set(std::memory_order_acquire)) {
      throw std::runtime_error("this Batch is in use by another thread");
    }
  }
  ~BusyBatch() { flag_->clear(std::memory_order_release); }
  BusyBatch(const BusyBatch&) = delete;
  BusyBatch& operator=(const BusyBatch&) = delete;

 private:
  std::shared_ptr<std::atomic_flag> flag_;
};

nb::object runs(const BatchBox& b, std::span<const double> values, bool writable) {
  const std::ptrdiff_t n = b.batch->runs();
  return view(values.data(), n, static_cast<std::ptrdiff_t>(values.size()) / n, b.batch, writable);
}

void checkRun(const BatchBox& b, int run) {
  if (run < 0 || run >= b.batch->runs()) {
    throw std::out_of_range("run " + std::to_string(run) + " does not exist: there are " +
                            std::to_string(b.batch->runs()));
  }
}

}  // namespace

void bindBatch(nb::module_& module) {
  nb::class_<BatchBox> batch(module, "BatchBase", nb::dynamic_attr());
  batch.def("__init__", [](BatchBox* self, const ModelBox& m, int count, int threads, int onDivergence) {
    new (self) BatchBox{std::make_shared<Batch>(*m.model, count, threads, static_cast<OnDivergence>(onDivergence))};
  });
  batch.def_prop_ro(
      "runs", [](const BatchBox& b) { return b.batch->runs(); }, "Number of runs.");
  batch.def_prop_ro(
      "threads", [](const BatchBox& b) { return b.batch->threads(); }, "Number of threads.");
  batch.def("_state", [](BatchBox& b, const std::string& name) { return runs(b, b.batch->state(name), true); });
  batch.def("_equalities", [](BatchBox& b) {
    const std::span<const std::uint8_t> values = b.batch->activeEqualities();
    const std::ptrdiff_t n = b.batch->runs();
    return view(values.data(), n, static_cast<std::ptrdiff_t>(values.size()) / n, b.batch, true);
  });
  batch.def("_watch", [](BatchBox& b, const std::string& name) {
    const BusyBatch busy(b);
    return runs(b, b.batch->watch(name), false);
  });
  batch.def("_vary", [](BatchBox& b, const std::string& name) {
    const BusyBatch busy(b);
    return runs(b, b.batch->vary(name), true);
  });
  batch.def(
      "step",
      [](BatchBox& b, int steps) {
        const BusyBatch busy(b);
        const Unlocked release;
        b.batch->step(steps);
      },
      "steps"_a = 1, "Advances every run by `steps` timesteps.");
  batch.def(
      "forward",
      [](BatchBox& b) {
        const BusyBatch busy(b);
        const Unlocked release;
        b.batch->forward();
      },
      "Derived arrays of the present state of every run.");
  batch.def(
      "_reset",
      [](BatchBox& b, std::optional<int> run, std::optional<int> key) {
        const BusyBatch busy(b);
        if (run) checkRun(b, *run);
        if (key) {
          const int first = run.value_or(0), last = run ? *run + 1 : b.batch->runs();
          for (int i = first; i < last; ++i) b.batch->resetToKey(i, *key);
        } else if (run) {
          b.batch->reset(*run);
        } else {
          b.batch->reset();
        }
      },
      "run"_a.none(), "key"_a.none());
  batch.def(
      "describe_status",
      [](const BatchBox& b, int run) {
        checkRun(b, run);
        return b.batch->describeStatus(run);
      },
      "run"_a, "What went wrong in a run since its last reset, in words; empty if all is well.");
  batch.def(
      "is_stopped",
      [](const BatchBox& b, int run) {
        checkRun(b, run);
        return b.batch->isStopped(run);
      },
      "run"_a, "Whether a run stopped because its state was no longer finite.");
  batch.def(
      "hash",
      [](const BatchBox& b, int run) {
        checkRun(b, run);
        return b.batch->hash(run);
      },
      "run"_a, "Hash of the state of a run, as Data.state_hash.");
  batch.def(
      "ncon",
      [](const BatchBox& b, int run) {
        checkRun(b, run);
        return b.batch->data(run).ncon();
      },
      "run"_a, "Number of contacts of a run.");
}

}  // namespace sinew::python
