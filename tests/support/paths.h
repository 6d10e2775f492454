#pragma once

#include <filesystem>

namespace sinew::test {

/// Root of the repository: models, scenes and test data lie below it.
std::filesystem::path sourceDir();

/// The `sinew` command built together with this test program.
std::filesystem::path cliPath();

}  // namespace sinew::test
