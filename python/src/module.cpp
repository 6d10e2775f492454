#include "common.h"
#include "sinew/errors.h"
#include "sinew/version.h"

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
