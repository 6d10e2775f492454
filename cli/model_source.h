#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/model.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace sinew::cli {

/// The options of every command that loads a model: how to read it and what to change in its <option>.
struct ModelChoices {
  std::string gap;                    ///< "", "inside" or "outside"
  std::vector<std::string> settings;  ///< name=value
  std::vector<std::string> disabled, enabled;
  std::vector<std::string> packages;  ///< of URDF files: NAME=DIR, or a directory that holds packages
  std::uint64_t maxMemory = LoadOptions{}.maxMemory;
  bool quiet = false;  ///< keep warnings of the loader to ourselves
};

/// Registers --gap, --package, --set, --disable, --enable and --max-memory with a subcommand.
void addModelChoices(CLI::App& parser, ModelChoices& choices);

/// Registers --threads with a subcommand that steps.
void addThreads(CLI::App& parser, int& threads);

/// Loads a model file; warnings of the loader go to standard error and, if given, to `warnings`. `files`, if given,
/// receives the files that the model is made of, `description` what was read. Throws LoadError for a bad model and
/// CommandError for a bad choice.
Model loadChosen(const std::string& file, const ModelChoices& choices, Warnings* warnings = nullptr,
                 std::vector<std::filesystem::path>* files = nullptr, Spec* description = nullptr);

/// Both halves of it: the description, and the model of a description that was edited. The latter keeps warnings to
/// itself unless `warnings` is given.
Spec readChosen(const std::string& file, const ModelChoices& choices, Warnings* warnings = nullptr);
Model compileChosen(const Spec& spec, const ModelChoices& choices, Warnings* warnings = nullptr);

/// The same for one of the scenes that come with the command.
Model compileScene(const std::string& name, const std::string& mjcf, const ModelChoices& choices,
                   Warnings* warnings = nullptr, Spec* description = nullptr);

/// Id of the keyframe with this name or number. Throws CommandError, listing the keyframes there are.
int findKey(const Model& m, const std::string& nameOrIndex);

}  // namespace sinew::cli
