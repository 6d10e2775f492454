#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/spec.h"

namespace sinew::cli {

/// The files a model is made of: MJCF files, meshes, height fields, textures, whatever name leads to them.
std::vector<std::filesystem::path> filesOf(const Spec& spec);

/// Throws CommandError (exit code 1) if `file`, which `option` asks to write, is one of `inputs` under any name.
void refuseToOverwrite(const std::string& option, const std::string& file,
                       const std::vector<std::filesystem::path>& inputs);

}  // namespace sinew::cli
