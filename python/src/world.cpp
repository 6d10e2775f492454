#include "common.h"
namespace sinew::python {
void bindWorld(nb::module_&) {}
}  // namespace sinew::python
