#include "model_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <utility>

#include "command.h"
#include "numbers.h"
#include "option_settings.h"
#include "protected_files.h"

namespace sinew::cli {
namespace {

void applyChoices(const ModelChoices& choices, Option& option) {
  for (const std::string& setting : choices.settings) setOption(option, setting);
  for (const std::string& flag : choices.disabled) option.disableflags |= disableBit(flag);
  for (const std::string& flag : choices.enabled) option.enableflags |= enableBit(flag);
  if (const auto fault = checkOption(option)) throw CommandError("--set: " + *fault);
}

LoadOptions loadOptions(const ModelChoices& choices) {
  LoadOptions options;
  options.maxMemory = choices.maxMemory;
  if (choices.gap == "inside") options.gap = GapReading::Inside;
  if (choices.gap == "outside") options.gap = GapReading::Outside;
  for (const std::string& package : choices.packages) {
    const std::size_t equals = package.find('=');
    if (equals == package.npos)
      options.packagePath.emplace_back(package);
    else
      options.packages[package.substr(0, equals)] = package.substr(equals + 1);
  }
  return options;
}

void printWarnings(const Warnings& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
}

}  // namespace

void addModelChoices(CLI::App& parser, ModelChoices& choices) {
  parser.add_option("--gap", choices.gap, "How to read a contact's gap (default: as the model says)")
      ->check(CLI::IsMember({"inside", "outside"}));
  parser
      .add_option("--package", choices.packages,
                  "Where a URDF file's package://NAME/... lies: NAME=DIR, or a directory of packages")
      ->allow_extra_args(false)
      ->type_name("NAME=DIR");
  parser
      .add_option("--set", choices.settings,
                  "Change an option of the model: timestep=0.001 integrator=RK4 gravity=0:0:-1.62")
      ->type_name("NAME=VALUE");
  parser.add_option("--disable", choices.disabled, "Switch off, by the names of <option><flag>: contact,limit,...")
      ->delimiter(',');
  parser.add_option("--enable", choices.enabled, "Switch on: energy,fwdinv,invdiscrete,...")->delimiter(',');
  parser
      .add_option("--max-memory", choices.maxMemory,
                  "Most memory that a model may take, such as 512M or 8G (default 2G)")
      ->transform(byteSize())
      ->type_name("SIZE");
}

void addThreads(CLI::App& parser, int& threads) {
  parser.add_option("--threads", threads, "Threads a step may use; the result is the same for any number")
      ->transform(wholeNumber(1, kMostThreads))
      ->capture_default_str()
      ->type_name("N");
}

Model loadChosen(const std::string& file, const ModelChoices& choices, Warnings* warnings,
                 std::vector<std::filesystem::path>* files, Spec* description) {
  Warnings found;
  Spec spec = readMjcf(file, &found);
  if (files) *files = filesOf(spec);
  Model m = compile(spec, &found, loadOptions(choices));
  if (!choices.quiet) printWarnings(found);
  if (warnings) *warnings = std::move(found);
  applyChoices(choices, m.opt);
  if (description) *description = std::move(spec);
  return m;
}

Spec readChosen(const std::string& file, const ModelChoices& choices, Warnings* warnings) {
  return readMjcf(file, warnings, loadOptions(choices));
}

Model compileChosen(const Spec& spec, const ModelChoices& choices, Warnings* warnings) {
  Model m = compile(spec, warnings, loadOptions(choices));
  applyChoices(choices, m.opt);
  return m;
}

Model compileScene(const std::string& name, const std::string& mjcf, const ModelChoices& choices, Warnings* warnings,
                   Spec* description) {
  Warnings found;
  Spec spec = readMjcfText(mjcf, name, {}, &found);
  Model m = compile(spec, &found, loadOptions(choices));
  if (!choices.quiet) printWarnings(found);
  if (warnings) *warnings = std::move(found);
  applyChoices(choices, m.opt);
  if (description) *description = std::move(spec);
  return m;
}

int findKey(const Model& m, const std::string& nameOrIndex) {
  if (const int named = findId(m, ObjType::Key, nameOrIndex); named >= 0) return named;
  int index = -1;
  const char* end = nameOrIndex.data() + nameOrIndex.size();
  const auto [stop, error] = std::from_chars(nameOrIndex.data(), end, index);
  if (error == std::errc() && stop == end && index >= 0 && index < m.nkey) return index;
  std::vector<std::string> known;
  for (int i = 0; i < m.nkey; ++i) {
    const std::string_view name = nameOf(m, ObjType::Key, i);
    known.push_back(name.empty() ? std::to_string(i) : std::string(name));
  }
  throw CommandError(fmt::format("there is no keyframe '{}'; the model has {}", nameOrIndex,
                                 known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

}  // namespace sinew::cli
