#include "sinew/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "sinew/errors.h"

namespace sinew {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
  throw LoadError(fmt::format("{}: {}", file.string(), why));
}
[[noreturn]] void failWriting(const fs::path& file, int error) {
  fail(file, fmt::format("cannot write the file: {}", std::strerror(error)));
}

/// "a pipe", "a folder", ...; null for a regular file.
const char* oddKind(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void requireRegular(const fs::path& file, const struct stat& status) {
  if (const char* kind = oddKind(status.st_mode)) {
    fail(file, fmt::format("expected a regular file, found {}", kind));
  }
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

/// The file that a path leads to, whether it exists or not.
fs::path target(const fs::path& file) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(file, error))) return file;
  const fs::path resolved = fs::weakly_canonical(file, error);
  return error ? file : resolved;
}

}  // namespace

std::string readFile(const fs::path& file, std::uint64_t mostBytes) {
  // looked at before it is opened: opening a pipe waits for its other end, opening a device may do anything
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(file, fmt::format("cannot open the file: {}", std::strerror(errno)));
    std::error_code error;
    fail(file, file.is_absolute()
                   ? "no such file"
                   : fmt::format("no such file (tried {})", fs::absolute(file, error).lexically_normal().string()));
  }
  requireRegular(file, status);
  const Descriptor in(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (in.value() < 0) fail(file, fmt::format("cannot open the file: {}", std::strerror(errno)));
  if (fstat(in.value(), &status) == 0) requireRegular(file, status);
  const auto tooLarge = [&](std::uint64_t size, const char* more) {
    fail(file, fmt::format("the file has {} bytes{}, the limit is {}", size, more, mostBytes));
  };
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (size > mostBytes) tooLarge(size, "");

  // up to its end, which may lie behind the size it had, or be unknown beforehand as in /proc
  std::string bytes;
  constexpr std::size_t kPiece = 1 << 16;
  bytes.resize(static_cast<std::size_t>(size) + 1);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(bytes.size() + std::max(kPiece, bytes.size() / 2));
    const ssize_t count = read(in.value(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(file, fmt::format("cannot read the file: {}", std::strerror(errno)));
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > mostBytes) tooLarge(filled, " or more");
  }
  bytes.resize(filled);
  return bytes;
}

void requireWritable(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) == 0) return requireRegular(file, status);
  if (errno != ENOENT) failWriting(file, errno);
}

FileReplacement::FileReplacement(const fs::path& file) : file_(target(file)), part_(file_.string() + ".part") {
  requireWritable(file_);
  descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) failWriting(file_, errno);
}

FileReplacement::~FileReplacement() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(part_.c_str());
}

void FileReplacement::write(std::span<const std::byte> bytes) {
  writeAt(end_, bytes);
  end_ += bytes.size();
}

void FileReplacement::writeAt(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) failWriting(file_, errno);
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void FileReplacement::commit() {
  if (fsync(descriptor_) != 0) failWriting(file_, errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0 || std::rename(part_.c_str(), file_.c_str()) != 0) {
    const int error = errno;
    unlink(part_.c_str());
    failWriting(file_, error);
  }
  // the new name is on the disk once its folder is
  const fs::path folder = file_.has_parent_path() ? file_.parent_path() : fs::path(".");
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.value() >= 0) fsync(opened.value());
}

void replaceFile(const fs::path& file, std::span<const std::byte> bytes) {
  FileReplacement replacement(file);
  replacement.write(bytes);
  replacement.commit();
}

}  // namespace sinew
