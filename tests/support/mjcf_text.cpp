#include "support/mjcf_text.h"

#include "sinew/load.h"

namespace sinew::test {

Model modelOf(std::string_view mjcf) { return compile(readMjcfText(mjcf)); }

}  // namespace sinew::test
