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

/// The i-th copy's suffix: its number, padded with zeros to the width of the count.
std::string copySuffix(const std::string& separator, int i, int count) {
  return separator + fmt::format("{:0{}}", i, std::to_string(count).size());
}

}  // namespace

void Reader::charge(const Node& node, double bytes, const std::string& what) {
  if (const std::optional<std::string> refusal = budget_.take(bytes, what)) fail(node, *refusal);
}

void Reader::requireDepth(const Node& node, std::size_t depth) const {
  if (depth_ + depth > spec::kMaxBodyDepth)
    fail(node, fmt::format("bodies would be nested {} deep, the limit is {}", depth_ + depth, spec::kMaxBodyDepth));
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
    charge(node, record.count * (spec::bytesOf(part) + replicator.bytesReferring()),
           fmt::format("'count' {}: these copies", record.count));
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
  const Spec& attached = *model->second.spec;
  charge(node, spec::bytesAttached(attached), fmt::format("'model' \"{}\" attached here", record.model));
  requireDepth(node, static_cast<std::size_t>(spec::depthOf(attached.world)));
  try {
    Warnings found;
    Spec copy = attached;
    copy.modelname = record.model;
    spec::attach(spec_, body, frame, std::move(copy), {record.body, record.frame}, {record.prefix, ""}, pendingKeys_,
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
  charge(node, spec::bytesOf(part) + replicator.bytesReferring(),
         fmt::format("'{}' \"{}\" copied here", record.body.empty() ? "frame" : "body",
                     record.body.empty() ? record.frame : record.body));
  requireDepth(node, static_cast<std::size_t>(spec::depthOf(part)));
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
  ModelLibrary::File& file = library_.fileOf(node);
  if (!file.spec) {
    std::vector<fs::path> open = openFiles_;
    open.push_back(file.canonical);
    try {
      file.spec = readModel(*file.document, warnings_, library_, budget_, std::move(open), options_);
    } catch (const LoadError& e) {
      throw LoadError(fmt::format("{}\n  attached by {}:{}", e.what(), *node.file->name, node.line));
    }
  }
  spec_.files.insert(spec_.files.end(), file.spec->files.begin(), file.spec->files.end());
  const std::string name = record.name.empty() ? file.spec->modelname : record.name;
  if (!models_.emplace(name, file).second) fail(node, fmt::format("a model named \"{}\" exists already", name));
}

}  // namespace sinew::mjcf
