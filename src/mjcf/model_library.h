#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mjcf/document.h"
#include "sinew/errors.h"
#include "sinew/spec.h"
#include "spec/memory_budget.h"

namespace sinew::mjcf {

/// Model files nested deeper than this by <model> are refused.
inline constexpr std::size_t kMaxNestedModels = 50;

/// The files that <model> names, each read once however often it is named, and a forecast of what attaching them makes.
/// All files are read before any of them is expanded, so that a few small ones that attach each other again and again
/// are recognized before they fill the memory.
class ModelLibrary {
 public:
  explicit ModelLibrary(Warnings& warnings) : warnings_(warnings) {}

  struct File {
    std::unique_ptr<Document> document;
    std::filesystem::path canonical;
    std::map<std::string, File*, std::less<>> models;  ///< those it names, by the names they have there
    std::optional<Spec> spec;                          ///< once it was read
  };

  /// Reads the files that `document` names, and those that these name. `open` are the files being read, outermost
  /// first. Throws LoadError: a missing file, or one that attaches itself.
  void open(const Document& document, const std::vector<std::filesystem::path>& open);

  /// The file that a <model> element names.
  File& fileOf(const Node& model) { return *byNode_.at(&model); }

  /// Adds up the least memory that the bodies of `document` take once replicates and attachments are expanded. Fails at
  /// the element with which it exceeds what is left in `budget`, and takes nothing from it.
  void requireRoom(const Document& document, const spec::MemoryBudget& budget);

 private:
  using Models = std::map<std::string, File*, std::less<>>;
  double forecast(const Node& node, const Models& models);
  double forecastAttach(const Node& attach, const Models& models);

  Warnings& warnings_;
  std::map<std::filesystem::path, std::unique_ptr<File>> files_;
  std::map<const Node*, File*> byNode_;
  std::map<const Document*, Models> models_;
  std::map<const Node*, double> known_;  ///< forecasts of whole elements
};

/// Where the file of a <model> element lies, and what it is called.
std::filesystem::path modelPath(const Document& document, const Node& model);

}  // namespace sinew::mjcf
