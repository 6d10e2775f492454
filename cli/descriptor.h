#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "command.h"

namespace sinew::cli {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      value_ = std::exchange(other.value_, -1);
    }
    return *this;
  }
  int value() const { return value_; }

 private:
  void reset() {
    if (value_ >= 0) close(value_);
    value_ = -1;
  }
  int value_ = -1;
};

/// A file ends before what was to be read.
class EndOfFile : public CommandError {
 public:
  using CommandError::CommandError;
};

/// Fill `bytes` from an offset; write all of `bytes` at the end. Both throw CommandError (exit code 1) that names
/// `file` and the cause; readAt throws EndOfFile where that is the cause.
void readAt(int descriptor, std::uint64_t offset, std::span<std::byte> bytes, const std::string& file);
void appendTo(int descriptor, std::span<const std::byte> bytes, const std::string& file);

/// The error of writing to `file`, with the system's reason.
CommandError cannotWrite(const std::string& file, int error);

}  // namespace sinew::cli
