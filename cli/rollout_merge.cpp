#include "rollout_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "command.h"
#include "extras.h"
#include "npy_archive.h"
#include "npz.h"
#include "rollout_folder.h"
#include "sinew/errors.h"
#include "sinew/files.h"

namespace sinew::cli {
namespace {

std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class NpzMergeWriter final : public MergeWriter {
 public:
  explicit NpzMergeWriter(const std::string& file) : out_(file) {}

  void begin(const std::vector<MergedArray>& arrays) override {
    std::vector<NpzLayout::Member> members;
    for (const MergedArray& array : arrays) {
      NpzLayout::Member member;
      member.name = array.name + ".npy";
      member.header = npyHeader(array.type, array.shape);
      std::uint64_t bytes =
          array.type.starts_with("<U") ? 4 * std::stoull(array.type.substr(2)) : std::stoull(array.type.substr(2));
      for (const std::uint64_t n : array.shape) bytes *= n;
      member.size = member.header.size() + bytes;
      member.checksum = crc32(member.header);
      members.push_back(std::move(member));
    }
    layout_.emplace(std::move(members));
    done_.assign(arrays.size(), 0);
  }

  void append(std::size_t array, std::span<const std::byte> bytes) override {
    NpzLayout::Member& member = layout_->members()[array];
    member.checksum = crc32(textOf(bytes), member.checksum);
    out_.writeAt(member.data + done_[array], bytes);
    done_[array] += bytes.size();
  }

  void finish() override {
    for (const NpzLayout::Member& member : layout_->members()) {
      const std::string record = layout_->localRecord(member) + member.header;
      out_.writeAt(member.offset, std::as_bytes(std::span(record)));
    }
    const std::string directory = layout_->directory();
    out_.writeAt(layout_->directoryOffset(), std::as_bytes(std::span(directory)));
    out_.commit();
  }

 private:
  FileReplacement out_;
  std::optional<NpzLayout> layout_;
  std::vector<std::uint64_t> done_;
};

std::unique_ptr<MergeWriter> makeWriter(const std::string& file) {
  if (file.ends_with(".npz")) return std::make_unique<NpzMergeWriter>(file);
  if (!file.ends_with(".h5") && !file.ends_with(".hdf5")) {
    throw CommandError(fmt::format("--merge: expected a file that ends with .npz or .h5, found '{}'", file));
  }
  if (extras().makeHdf5) return extras().makeHdf5(file);
  continueAs("sinew-hdf5");
  throw CommandError(fmt::format(
      "--merge '{}': HDF5 needs the program sinew-hdf5, which is not in '{}'; it is built where libhdf5-dev is "
      "installed. An .npz file needs nothing",
      file, programFolder()));
}

/// One copy of bytes to the writer, in pieces.
void copy(const NpyArchive& archive, const NpyArray& array, MergeWriter& writer, std::size_t index) {
  std::vector<std::byte> piece;
  for (std::uint64_t done = 0; done < array.bytes;) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(array.bytes - done, 4 << 20)));
    archive.read(array, done, piece);
    writer.append(index, piece);
    done += piece.size();
  }
}

/// Texts of `from` characters each as texts of `to` characters.
std::string widened(const std::string& bytes, std::size_t from, std::size_t to) {
  std::string result;
  for (std::size_t at = 0; at < bytes.size(); at += 4 * from) {
    result.append(bytes, at, 4 * from);
    result.append(4 * (to - from), '\0');
  }
  return result;
}

Chunks chunksOf(const nlohmann::ordered_json& job, const std::string& path) {
  const auto runs = job.at("runs").get<std::int64_t>(), size = job.at("chunk").get<std::int64_t>();
  if (runs < 1 || runs > kMostRuns || size < 1 || size > runs) {
    throw CommandError(
        fmt::format("'{}': rollout.json is damaged: {} runs in chunks of {} cannot be", path, runs, size));
  }
  return job.at("shrinking").get<bool>() ? Chunks::shrinking(runs, size) : Chunks::equal(runs, size);
}

void merge(const std::string& path, const std::string& file) {
  const RolloutFolder folder(path);
  const nlohmann::ordered_json manifest = folder.manifest();
  const nlohmann::ordered_json& job = manifest.at("job");
  const Chunks chunks = chunksOf(job, path);
  const ResultShape shape = ResultShape::of(manifest.at("results"));
  const std::vector<std::int64_t> missing = folder.missing({0, chunks.count()}, chunks, shape);
  if (!missing.empty()) {
    const std::int64_t c = missing.front();
    throw CommandError(
        fmt::format("{} of {} chunks of '{}' are missing, the first one with runs {} to {}; "
                    "'sinew rollout --resume {}' computes them",
                    missing.size(), chunks.count(), path, chunks.first(c), chunks.first(c) + chunks.size(c) - 1, path),
        kProblem);
  }
  // texts are as wide as the longest one
  std::size_t wide = 1;
  const auto widthIn = [](const NpyArray& array) {
    return static_cast<std::size_t>(std::stoull(array.type.substr(2)));
  };
  for (std::int64_t c = 0; c < chunks.count(); ++c) {
    wide = std::max(wide, widthIn(*NpyArchive(folder.chunkFile(c)).find("cause")));
  }
  const std::vector<ResultArray> results = resultArrays(shape);
  std::vector<MergedArray> arrays;
  for (const ResultArray& r : results) {
    MergedArray a{
        r.name, r.type == "<U" ? fmt::format("<U{}", wide) : r.type, {static_cast<std::uint64_t>(chunks.runs())}};
    a.shape.insert(a.shape.end(), r.inner.begin(), r.inner.end());
    arrays.push_back(std::move(a));
  }
  std::vector<std::string> texts;
  const auto addTexts = [&](const std::string& name, const std::vector<std::string>& values, bool isList) {
    const std::size_t width = longestOf(values);
    arrays.push_back({name, fmt::format("<U{}", width), {}});
    if (isList) arrays.back().shape.push_back(values.size());
    texts.push_back(npyTexts(values, width));
  };
  for (const auto& [name, columns] : manifest.at("columns").items()) {
    addTexts(name + "_names", columns.get<std::vector<std::string>>(), true);
  }
  nlohmann::ordered_json provenance{{"job", job}, {"model", manifest.at("model")}, {"build", manifest.at("build")}};
  addTexts("provenance", {provenance.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)}, false);

  const std::unique_ptr<MergeWriter> writer = makeWriter(file);
  writer->begin(arrays);
  for (std::size_t k = 0; k < results.size(); ++k) {
    for (std::int64_t c = 0; c < chunks.count(); ++c) {
      const NpyArchive archive(folder.chunkFile(c));
      const NpyArray& array = *archive.find(results[k].name);
      if (results[k].type != "<U") {
        copy(archive, array, *writer, k);
        continue;
      }
      std::string bytes(static_cast<std::size_t>(array.bytes), '\0');
      archive.read(array, 0, std::as_writable_bytes(std::span(bytes)));
      const std::string all = widened(bytes, widthIn(array), wide);
      writer->append(k, std::as_bytes(std::span(all)));
    }
  }
  for (std::size_t k = 0; k < texts.size(); ++k) {
    writer->append(results.size() + k, std::as_bytes(std::span(texts[k])));
  }
  writer->finish();
}

}  // namespace

void mergeRollout(const std::string& folder, const std::string& file) {
  try {
    merge(folder, file);
  } catch (const LoadError& error) {
    throw CommandError(error.what(), kProblem);
  } catch (const nlohmann::ordered_json::exception& error) {
    throw CommandError(fmt::format("'{}': rollout.json is damaged: {}", folder, error.what()));
  }
}

}  // namespace sinew::cli
