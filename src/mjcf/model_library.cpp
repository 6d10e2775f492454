#include "mjcf/model_library.h"

#include <fmt/format.h>

#include <algorithm>

#include "mjcf/grammar_check.h"
#include "mjcf/records.h"
#include "spec/memory_budget.h"

namespace sinew::mjcf {
namespace fs = std::filesystem;
namespace {

template <class F>
void forEachModel(const Document& document, F&& f) {
  for (const Node& section : document.root.children) {
    if (section.tag != "asset") continue;
    for (const Node& node : section.children)
      if (node.tag == "model") f(node);
  }
}

/// Memory of the element itself.
double ownBytes(std::string_view tag) {
  if (tag == "body") return sizeof(spec::Body);
  if (tag == "geom") return sizeof(spec::Geom);
  if (tag == "joint" || tag == "freejoint") return sizeof(spec::Joint);
  if (tag == "site") return sizeof(spec::Site);
  if (tag == "camera") return sizeof(spec::Camera);
  if (tag == "frame" || tag == "replicate") return sizeof(spec::Frame);
  return 0;
}

/// How often the content of the element appears. What cannot be read is refused later.
double copies(const Node& node) {
  const std::string_view* text = node.tag == "replicate" ? node.find("count") : nullptr;
  if (!text) return 1;
  try {
    return std::max(0, parseInts(*text, {ValueFormat::Kind::Int, 1, 1})[0]);
  } catch (const ValueError&) {
    return 1;
  }
}

const Node* findNamed(const Node& node, std::string_view tag, std::string_view name) {
  const std::string_view* own = node.find("name");
  if (node.tag == tag && own && *own == name) return &node;
  for (const Node& child : node.children) {
    if (const Node* found = findNamed(child, tag, name)) return found;
  }
  return nullptr;
}

}  // namespace

fs::path modelPath(const Document& document, const Node& model) {
  std::string file(*model.find("file"));
  std::replace(file.begin(), file.end(), '\\', '/');
  const fs::path path = document.directory / file;
  std::error_code error;
  if (!fs::exists(path, error) && fs::exists(model.file->directory / file, error)) return model.file->directory / file;
  return path;
}

void ModelLibrary::open(const Document& document, const std::vector<fs::path>& open) {
  Models& models = models_[&document];
  forEachModel(document, [&](const Node& node) {
    const fs::path path = modelPath(document, node);
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    if (std::find(open.begin(), open.end(), canonical) != open.end())
      fail(node, fmt::format("model \"{}\" attaches itself", *node.find("file")));
    if (open.size() >= kMaxNestedModels)
      fail(node, fmt::format("model files are nested more than {} deep", kMaxNestedModels));
    std::unique_ptr<File>& file = files_[canonical];
    if (!file) {
      try {
        auto fresh = std::make_unique<File>();
        fresh->document = readDocument(path, warnings_);
        fresh->canonical = canonical;
        if (!isRobot(*fresh->document)) checkGrammar(fresh->document->root, warnings_);
        std::vector<fs::path> deeper = open;
        deeper.push_back(canonical);
        this->open(*fresh->document, deeper);
        files_[canonical] = std::move(fresh);
      } catch (const LoadError& e) {
        throw LoadError(fmt::format("{}\n  attached by {}:{}", e.what(), *node.file->name, node.line));
      }
    }
    File& known = *files_[canonical];
    byNode_[&node] = &known;
    const std::string_view* name = node.find("name");
    const std::string_view* own = known.document->root.find("model");
    models.emplace(name && !name->empty() ? std::string(*name) : std::string(own ? *own : "MuJoCo Model"), &known);
  });
}

double ModelLibrary::forecastAttach(const Node& attach, const Models& models) {
  const std::string_view* model = attach.find("model");
  const auto found = model ? models.find(*model) : models.end();
  if (found == models.end()) return 0;
  const Document& document = *found->second->document;
  const Models& nested = models_.at(&document);
  // its default classes come along
  double bytes = sizeof(spec::DefaultClass);
  for (const auto& [attribute, tag] : {std::pair{"body", "body"}, std::pair{"frame", "frame"}}) {
    const std::string_view* name = attach.find(attribute);
    if (!name || name->empty()) continue;
    const Node* part = findNamed(document.root, tag, *name);
    return bytes + (part ? forecast(*part, nested) : 0);
  }
  for (const Node& section : document.root.children)
    if (section.tag == "worldbody") bytes += forecast(section, nested);
  return bytes;
}

double ModelLibrary::forecast(const Node& node, const Models& models) {
  if (node.tag == "attach") return forecastAttach(node, models);
  if (const auto known = known_.find(&node); known != known_.end()) return known->second;
  double inside = 0;
  for (const Node& child : node.children) inside += forecast(child, models);
  const double bytes = ownBytes(node.tag) + copies(node) * inside;
  if (node.tag == "worldbody" || node.tag == "body" || node.tag == "frame") known_.emplace(&node, bytes);
  return bytes;
}

void ModelLibrary::requireRoom(const Document& document, const spec::MemoryBudget& budget) {
  const Models& models = models_.at(&document);
  double sum = 0;
  const auto walk = [&](const auto& self, const Node& node, double times) -> void {
    const bool generates = node.tag == "attach" || node.tag == "replicate";
    const double own = node.tag == "attach" ? forecast(node, models) : ownBytes(node.tag);
    const double bytes = generates ? times * forecast(node, models) : 0;
    if (generates && sum + bytes > budget.left()) {
      const std::string_view* model = node.find("model");
      const std::string what = node.tag == "attach" ? fmt::format("'model' \"{}\" attached here", model ? *model : "")
                                                    : fmt::format("'count' {}: these copies", copies(node));
      fail(node, *spec::MemoryBudget(budget).take(sum + bytes, what));
    }
    sum += times * own;
    if (node.tag == "attach") return;
    for (const Node& child : node.children) self(self, child, times * copies(node));
  };
  for (const Node& section : document.root.children)
    if (section.tag == "worldbody") walk(walk, section, 1);
}

}  // namespace sinew::mjcf
