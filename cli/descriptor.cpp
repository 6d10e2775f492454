#include "descriptor.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace sinew::cli {

CommandError cannotWrite(const std::string& file, int error) {
  return CommandError(fmt::format("cannot write '{}': {}", file, std::strerror(error)), kProblem);
}

void readAt(int descriptor, std::uint64_t offset, std::span<std::byte> bytes, const std::string& file) {
  while (!bytes.empty()) {
    const ssize_t count = pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw CommandError(fmt::format("cannot read '{}': {}", file, std::strerror(errno)), kProblem);
    if (count == 0) throw EndOfFile(fmt::format("'{}' is cut off", file), kProblem);
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void appendTo(int descriptor, std::span<const std::byte> bytes, const std::string& file) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw cannotWrite(file, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace sinew::cli
