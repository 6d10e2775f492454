#include "rollout_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "command.h"
#include "npy_archive.h"
#include "sinew/errors.h"
#include "sinew/files.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kManifest = "rollout.json";
constexpr int kFormat = 2;

std::string in(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }

void makeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path)) {
    throw CommandError(
        fmt::format("cannot make the folder '{}': {}", path, error ? error.message() : "a file is there"), kProblem);
  }
}

std::string shortened(const Json& value) {
  std::string text =
      value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  constexpr std::size_t kMost = 80;
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

/// The first difference between two jobs in words.
std::string differenceOf(const Json& there, const Json& here) {
  for (const auto& [key, value] : here.items()) {
    const Json other = there.contains(key) ? there[key] : Json();
    if (other != value) return fmt::format("\"{}\" is {} there, {} here", key, shortened(other), shortened(value));
  }
  return "it was written by another version";
}

bool isFolderOfOthers(const std::string& path) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (name != "lock" && name != "chunks" && name != "logs" && !name.starts_with(kManifest)) return true;
  }
  return false;
}

/// Reads a chunk; empty text: it is what it should be.
std::string faultOf(const std::string& file, std::int64_t first, std::int64_t count, const ResultShape& shape) {
  try {
    const NpyArchive archive(file);
    for (const ResultArray& wanted : resultArrays(shape)) {
      const NpyArray* array = archive.find(wanted.name);
      if (!array) return fmt::format("there is no array '{}' in it", wanted.name);
      std::vector<std::uint64_t> outer{static_cast<std::uint64_t>(count)};
      outer.insert(outer.end(), wanted.inner.begin(), wanted.inner.end());
      if (array->shape != outer || !array->type.starts_with(wanted.type)) {
        return fmt::format("array '{}' has another shape", wanted.name);
      }
    }
    if (!archive.isIntact()) return "its checksum is wrong";
    if (archive.numbers(*archive.find("run")).front() != static_cast<double>(first)) return "it holds other runs";
    return {};
  } catch (const CommandError& error) {
    return error.what();
  }
}

}  // namespace

std::string hostName() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0) return "host";
  std::string host(name);
  for (char& c : host) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!good) c = '-';
  }
  return host.empty() ? "host" : host;
}

std::string processName() { return fmt::format("{}-{}", hostName(), getpid()); }

bool RolloutFolder::hasJob() const {
  std::error_code error;
  return fs::exists(in(path_, kManifest), error);
}

Json RolloutFolder::manifest() const {
  const std::string file = in(path_, kManifest);
  if (!hasJob())
    throw CommandError(fmt::format("'{}' is not the folder of a rollout: there is no {}", path_, kManifest));
  try {
    const Json j = Json::parse(readFile(file));
    if (j.at("sinew rollout").get<int>() != kFormat)
      throw CommandError(fmt::format("{}: written by another version", file));
    return j;
  } catch (const nlohmann::ordered_json::exception&) {
    throw CommandError(fmt::format("{}: is not the description of a rollout, or damaged", file));
  } catch (const LoadError& error) {
    throw CommandError(error.what());
  }
}

bool RolloutFolder::create(const Json& manifest) {
  const auto compare = [&] {
    const Json there = this->manifest();
    const Json& job = there.at("job");
    if (job == manifest.at("job")) return;
    if (job.contains("model_hash") && job["model_hash"] != manifest["job"]["model_hash"]) {
      throw CommandError(fmt::format("'{}' holds runs of another model: '{}' with hash {}, here '{}' with hash {}",
                                     path_, shortened(there["model"].value("file", Json("?"))),
                                     shortened(job["model_hash"]), shortened(manifest["model"]["file"]),
                                     shortened(manifest["job"]["model_hash"])));
    }
    throw CommandError(fmt::format("'{}' holds another job: {}", path_, differenceOf(job, manifest["job"])));
  };
  std::error_code error;
  const bool wasThere = fs::exists(path_, error);
  if (wasThere && !fs::is_directory(path_, error)) throw CommandError(fmt::format("--out '{}' is not a folder", path_));
  if (hasJob()) {
    compare();
    return true;
  }
  if (wasThere && isFolderOfOthers(path_)) {
    throw CommandError(fmt::format("--out '{}' holds other files and no rollout; choose a new folder", path_));
  }
  makeFolder(path_);
  makeFolder(in(path_, "chunks"));
  makeFolder(in(path_, "logs"));
  // several shards may start at once: the first one wins, the others compare
  const std::string file = in(path_, kManifest), part = fmt::format("{}.{}.part", file, processName());
  {
    const Descriptor out(open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (out.value() < 0) throw cannotWrite(file, errno);
    Json written{{"sinew rollout", kFormat}};
    written.update(manifest);
    const std::string text = written.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    try {
      appendTo(out.value(), std::as_bytes(std::span(text)), file);
      if (fsync(out.value()) != 0) throw cannotWrite(file, errno);
    } catch (...) {
      unlink(part.c_str());
      throw;
    }
  }
  const bool isFirst = link(part.c_str(), file.c_str()) == 0;
  const int reason = errno;
  if (!isFirst && reason != EEXIST && !hasJob()) {
    // a file system without links
    if (std::rename(part.c_str(), file.c_str()) != 0) throw cannotWrite(file, errno);
    return false;
  }
  unlink(part.c_str());
  if (!isFirst) compare();
  return !isFirst;
}

std::string RolloutFolder::chunkFile(std::int64_t chunk) const {
  return in(path_, fmt::format("chunks/{:06}.npz", chunk));
}

void RolloutFolder::lock(const ChunkRange& range, const Chunks& chunks) {
  const std::string file = in(path_, "lock");
  lock_ = Descriptor(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock_.value() < 0) throw cannotWrite(file, errno);
  if (range.begin == range.end) return;
  struct flock region {};
  region.l_type = F_WRLCK;
  region.l_whence = SEEK_SET;
  region.l_start = range.begin;
  region.l_len = range.end - range.begin;
  if (fcntl(lock_.value(), F_SETLK, &region) == 0) return;
  if (errno != EACCES && errno != EAGAIN) {
    fmt::print(stderr, "warning: '{}' cannot be locked ({}); make sure that no other job writes into this folder\n",
               file, std::strerror(errno));
    return;
  }
  std::string who = "another process";
  if (fcntl(lock_.value(), F_GETLK, &region) == 0 && region.l_type != F_UNLCK) {
    const std::int64_t end = std::min(chunks.count(), region.l_start + region.l_len);
    who = fmt::format("{} at work on its runs {} to {}",
                      region.l_pid > 0 ? fmt::format("process {} is", region.l_pid) : "another process is",
                      chunks.first(region.l_start), chunks.first(end - 1) + chunks.size(end - 1) - 1);
  }
  throw CommandError(fmt::format("'{}' is being written: {}", path_, who), kProblem);
}

void RolloutFolder::clean(const ChunkRange& range) const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(in(path_, "chunks"), error)) {
    const std::string name = entry.path().filename().string();
    const std::int64_t c = std::strtoll(name.c_str(), nullptr, 10);
    if (name.ends_with(".part") && c >= range.begin && c < range.end) fs::remove(entry.path(), error);
  }
}

std::vector<std::int64_t> RolloutFolder::missing(const ChunkRange& range, const Chunks& chunks,
                                                 const ResultShape& shape) const {
  std::vector<std::int64_t> result;
  for (std::int64_t c = range.begin; c < range.end; ++c) {
    const std::string file = chunkFile(c);
    if (access(file.c_str(), F_OK) != 0) {
      result.push_back(c);
      continue;
    }
    const std::string fault = faultOf(file, chunks.first(c), chunks.size(c), shape);
    if (fault.empty()) continue;
    fmt::print(stderr, "warning: '{}' is damaged ({})\n", file, fault);
    result.push_back(c);
  }
  return result;
}

Tally RolloutFolder::tally(const ChunkRange& range, const Chunks& chunks) const {
  constexpr std::size_t kShown = 3;
  Tally sum;
  for (std::int64_t c = range.begin; c < range.end; ++c) {
    const std::string file = chunkFile(c);
    if (access(file.c_str(), F_OK) != 0) continue;
    const NpyArchive archive(file);
    const auto column = [&](const char* name) {
      const NpyArray* array = archive.find(name);
      if (!array) throw CommandError(fmt::format("{}: there is no array '{}' in it", file, name));
      return array;
    };
    const std::vector<double> status = archive.numbers(*column("status")), steps = archive.numbers(*column("steps"));
    for (std::size_t i = 0; i < status.size(); ++i) {
      const auto is = static_cast<RunStatus>(static_cast<int>(status[i]));
      ++sum.runs;
      sum.steps += static_cast<std::int64_t>(steps[i]);
      sum.trouble += is == RunStatus::Trouble;
      sum.diverged += is == RunStatus::Diverged;
      sum.failed += is == RunStatus::Failed;
      if (is == RunStatus::Ok || is == RunStatus::Trouble || sum.causes.size() >= kShown) continue;
      const NpyArray& cause = *column("cause");
      std::u32string text(static_cast<std::size_t>(cause.bytes / 4 / status.size()), U'\0');
      archive.read(cause, i * 4 * text.size(), std::as_writable_bytes(std::span(text)));
      std::string plain;
      for (const char32_t point : text) {
        if (point != 0) plain += point < 0x80 ? static_cast<char>(point) : '?';
      }
      std::replace(plain.begin(), plain.end(), '\n', ' ');
      sum.causes.push_back(fmt::format("run {}: {}", chunks.first(c) + static_cast<std::int64_t>(i), plain));
    }
  }
  return sum;
}

JobLog::JobLog(const RolloutFolder& folder, const std::string& unique)
    : file_(in(folder.path(), "logs/" + unique + ".jsonl")) {
  out_ = Descriptor(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (out_.value() < 0) throw cannotWrite(file_, errno);
}

void JobLog::write(const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  appendTo(out_.value(), std::as_bytes(std::span(text)), file_);
}

}  // namespace sinew::cli
