#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Writes a checkpoint: everything that the rest of a run depends on (what saveState() saves) and the status so far.
/// `note` is kept beside it for the program that writes it, for instance the number of its steps. The file appears
/// under its name when it is complete and on the disk; until then an older one stays. Throws LoadError if it cannot be
/// written, std::invalid_argument if `d` was made for another Model.
void saveCheckpoint(const Model& m, const Data& d, const std::filesystem::path& file, std::string_view note = {});

/// Brings `d` to the state of a checkpoint and returns its note. Stepping on gives the same bits as if the run had not
/// been interrupted. Throws LoadError, and leaves `d` alone, if the file cannot be read, is damaged, was written by
/// another version of Sinew, or belongs to another model or to other options. Throws std::invalid_argument if `d` was
/// made for another Model.
std::string loadCheckpoint(const Model& m, Data& d, const std::filesystem::path& file);

}  // namespace sinew
