#include "common.h"
namespace sinew::python {
void bindSpec(nb::module_&) {}
}  // namespace sinew::python
