#include <chrono>

#include "common.h"
#include "sinew/errors.h"
#include "sinew/version.h"

namespace sinew::python {
namespace {

std::atomic<bool> hasBegun = false;
std::atomic<std::thread::id> ending;  // the thread that ends the interpreter
std::atomic<int> waiting = 0;         // threads that are about to take the lock

}  // namespace

void Ending::enter() {
  ++waiting;
  if (!hasBegun || ending.load() == std::this_thread::get_id()) return;
  --waiting;
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void Ending::done() { --waiting; }

void Ending::atExit() {
  ending = std::this_thread::get_id();
  hasBegun = true;
  // those that were about to take the lock get it; all others wait in enter() from now on
  PyThreadState* const state = PyEval_SaveThread();
  while (waiting > 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  PyEval_RestoreThread(state);
}

}  // namespace sinew::python

NB_MODULE(_core, module) {
  using namespace sinew::python;
  module.doc() = "The compiled part of sinew. Use the package `sinew`.";
  // functions of users may refer to what holds them; such cycles live until the program ends, and that is no error
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const sinew::LoadError& e) {
      const nb::object type = nb::module_::import_("sinew._errors").attr("LoadError");
      PyErr_SetString(type.ptr(), e.what());
    }
  });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&Ending::atExit));
  bindModel(module);
  bindData(module);
  bindCallbacks(module);
  bindStages(module);
  bindDynamics(module);
  bindBatch(module);
  bindWorld(module);
  bindSpec(module);
  bindScene(module);
  bindPictures(module);
}
