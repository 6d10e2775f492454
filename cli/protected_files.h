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

/// Throws CommandError if two options ask to write one file, under any name. Empty names are no files.
void refuseSameFile(const std::string& option1, const std::string& file1, const std::string& option2,
                    const std::string& file2);

}  // namespace sinew::cli
