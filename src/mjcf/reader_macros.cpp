#include <fmt/format.h>

#include <algorithm>

#include "math/quat.h"
#include "mjcf/reader.h"
#include "sinew/load.h"
#include "spec/names.h"
#include "spec/orientation.h"

/// <replicate>, <attach> and <model>: elements that stand for copies of others.
namespace sinew::mjcf {
namespace fs = std::filesystem;
namespace {

std::size_t countElements(const spec::Body& root) {
  std::size_t count = 0;
  spec::forEachBody(root, [&](const spec::Body& body) {
    count += 1 + body.frames.size() + body.joints.size() + body.geoms.size() + body.sites.size() + body.cameras.size() +
             body.lights.size() + body.flexcomps.size();
  });
  return count;
}

std::size_t countElements(const Spec& spec) {
  return countElements(spec.world) + spec.meshes.size() + spec.flexes.size() + spec.pairs.size() +
         spec.excludes.size() + spec.tendons.size() + spec.equalities.size() + spec.actuators.size() +
         spec.sensors.size() + spec.keys.size();
}

/// The i-th copy's suffix: its number, padded with zeros to the width of the count.
std::string copySuffix(const std::string& separator, int i, int count) {
  return separator + fmt::format("{:0{}}", i, std::to_string(count).size());
}

}  // namespace

void Reader::countCopies(const Node& node, std::size_t numElements) {
  if (numElements > kMaxCopies || (numCopied_ += numElements) > kMaxCopies)
    fail(node, fmt::format("this would copy more than {} elements", kMaxCopies));
}

void Reader::readReplicate(const Node& node, spec::Body& body, int frame, const spec::DefaultClass& inherited) {
  ReplicateRecord record;
  readAttributes(node, elementType({"worldbody", "replicate"}), record);
  if (record.count < 0) fail(node, fmt::format("'count' must not be negative, found {}", record.count));
  const spec::DefaultClass& content = node.find("childclass") ? classNamed(node, "childclass") : inherited;

  // the part to copy stands in the tree while it is read, so that it can be referred to; its frame 0 carries the pose
  spec::Body& template_ = body.bodies.emplace_back();
  template_.frames.emplace_back().origin = node.origin();
  readBodyContent(node, template_, 0, content);
  spec::Body part = std::move(body.bodies.back());
  body.bodies.pop_back();
  if (part.inertial) fail(node, "an inertial element cannot be replicated");
  if (&body == &spec_.world && !part.joints.empty()) fail(node, "the world body cannot have joints or inertia");

  spec::Replicator replicator(spec_, part);
  if (record.count > 0) {
    const std::size_t each = countElements(part) + replicator.numReferring();
    const auto count = static_cast<std::size_t>(record.count);
    countCopies(node, each > kMaxCopies / count ? kMaxCopies + 1 : each * count);
  }

  // pos_{i+1} = pos_i + R(q_i) offset, with q_i of the angles i euler
  Vec3 pos = Vec3::Zero();
  const Vec3 offset(record.offset[0], record.offset[1], record.offset[2]);
  for (int i = 0; i < record.count; ++i) {
    spec::Orientation turn;
    turn.euler = spec::Vec3{i * record.euler[0], i * record.euler[1], i * record.euler[2]};
    const Quat quat = spec::resolved(turn, compiler_.degree, compiler_.eulerseq);
    spec::Body copy = part;
    copy.frames[0].pos = {pos.x(), pos.y(), pos.z()};
    quat.store(copy.frames[0].orientation.quat.data());
    pos += rotate(quat, offset);

    const spec::Naming naming{"", copySuffix(record.sep, i, record.count)};
    if (i == 0) pendingKeys_.follow(part, naming);
    replicator.rename(copy, naming);
    replicator.copyReferring(naming, copy);
    spec::graft(std::move(copy), body, frame);
  }
  replicator.removeReferring();
}

void Reader::readAttach(const Node& node, spec::Body& body, int frame) {
  AttachRecord record;
  readAttributes(node, elementType({"worldbody", "attach"}), record);
  if (record.model.empty()) {
    attachFromSelf(node, body, frame, record);
    return;
  }
  const auto model = models_.find(record.model);
  if (model == models_.end()) {
    std::vector<std::string_view> known;
    for (const auto& [name, spec] : models_) known.push_back(name);
    const std::string near = nearest(record.model, known);
    fail(node, fmt::format("'model' names the unknown model \"{}\"{}", record.model,
                           near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }
  countCopies(node, countElements(model->second));
  try {
    Warnings found;
    spec::attach(spec_, body, frame, model->second, {record.body, record.frame}, {record.prefix, ""}, pendingKeys_,
                 found);
    for (const std::string& warning : found) warnings_.push_back(located(node, warning));
  } catch (const LoadError& e) {
    fail(node, e.what());
  }
  indexClasses(spec_.defaults);
}

void Reader::attachFromSelf(const Node& node, spec::Body& body, int frame, const AttachRecord& record) {
  if (record.body.empty() && record.frame.empty())
    fail(node, "without 'model', one of 'body' and 'frame' must be given");
  spec::Body part;
  if (!record.body.empty()) {
    const spec::Body* source = spec::findBody(spec_, record.body);
    if (!source || source == &spec_.world)
      fail(node, fmt::format("'body' names \"{}\", which is not a body above this element", record.body));
    part.bodies.push_back(*source);
    part.bodies.back().frame = -1;
  } else {
    bool found = false;
    spec::forEachBody(spec_.world, [&](const spec::Body& candidate) {
      for (std::size_t i = 0; i < candidate.frames.size() && !found; ++i) {
        if (candidate.frames[i].name != record.frame) continue;
        part = spec::contentOfFrame(candidate, static_cast<int>(i));
        found = true;
      }
    });
    if (!found) fail(node, fmt::format("'frame' names \"{}\", which is not a frame above this element", record.frame));
  }
  spec::Replicator replicator(spec_, part);
  countCopies(node, countElements(part) + replicator.numReferring());
  const spec::Naming naming{record.prefix, ""};
  replicator.rename(part, naming);
  replicator.copyReferring(naming, part);
  spec::graft(std::move(part), body, frame);
}

void Reader::readModelAsset(const Node& node) {
  ModelAssetRecord record;
  readAttributes(node, elementType({"asset", "model"}), record);
  if (!record.content_type.empty() && record.content_type != "text/xml")
    fail(node, fmt::format("a model of content type \"{}\" is not supported", record.content_type));
  std::replace(record.file.begin(), record.file.end(), '\\', '/');
  fs::path path = document_.directory / record.file;
  std::error_code error;
  if (!fs::exists(path, error) && fs::exists(node.file->directory / record.file, error))
    path = node.file->directory / record.file;
  const fs::path canonical = fs::weakly_canonical(path, error);
  if (std::find(openFiles_.begin(), openFiles_.end(), canonical) != openFiles_.end())
    fail(node, fmt::format("model \"{}\" attaches itself", record.file));

  Spec child;
  try {
    const auto document = readDocument(path, warnings_);
    std::vector<fs::path> open = openFiles_;
    open.push_back(canonical);
    child = readModel(*document, warnings_, std::move(open), options_);
  } catch (const LoadError& e) {
    throw LoadError(fmt::format("{}\n  attached by {}:{}", e.what(), *node.file->name, node.line));
  }
  spec_.files.insert(spec_.files.end(), child.files.begin(), child.files.end());
  if (!record.name.empty()) child.modelname = record.name;
  const std::string name = child.modelname;
  if (!models_.emplace(name, std::move(child)).second)
    fail(node, fmt::format("a model named \"{}\" exists already", name));
}

}  // namespace sinew::mjcf
