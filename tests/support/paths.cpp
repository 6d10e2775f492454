#include "support/paths.h"

namespace sinew::test {

std::filesystem::path sourceDir() { return SINEW_SOURCE_DIR; }

std::filesystem::path cliPath() { return SINEW_CLI; }

}  // namespace sinew::test
