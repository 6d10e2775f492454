#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/hash.h"
#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/state.h"

/// Checkpoint files: Header, state, status, note, then a hash of all of that. Numbers are as they lie in memory.
namespace sinew {
namespace {

constexpr std::array<char, 8> kMagic{'S', 'I', 'N', 'E', 'W', 'C', 'K', 'P'};
constexpr std::uint64_t kVersion = 1;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint64_t version = kVersion;
  std::uint64_t layout = 0;     // of the parts of the state
  std::uint64_t signature = 0;  // of the Model
  std::uint64_t model = 0;      // hash of all numbers of the Model
  std::uint64_t stateBytes = 0, statusBytes = 0, noteBytes = 0;
};
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 64, "no bytes between its fields");
static_assert(std::is_trivially_copyable_v<Status>, "saved as bytes");

/// Changes with the table of the state's arrays, so that a file of another version is refused instead of misread.
std::uint64_t layoutOfState() {
  Hasher hasher;
  const auto add = [&](const char* text, std::size_t bytes) {
    hasher.add(text, std::strlen(text) + 1);
    hasher.add(&bytes, sizeof(bytes));
  };
#define SINEW_X(type, name, rows, cols, doc) add(#name " " #rows " " #cols, sizeof(type));
  SINEW_STATE_ARRAYS(SINEW_X)
#undef SINEW_X
  add("header and numbers", sizeof(double));
  add("row_memory", sizeof(RowMemory));
  add("status", sizeof(Status));
  add("troubles", static_cast<std::size_t>(Trouble::Count));
  return hasher.value();
}

std::uint64_t hashOfBytes(std::string_view bytes) {
  Hasher hasher;
  hasher.add(bytes.data(), bytes.size());
  return hasher.value();
}

void requireOwn(const Model& m, const Data& d) {
  if (d.signature != m.signature) throw std::invalid_argument("the Data was made for another Model");
}

/// The parts of a file whose hash is right.
struct Parts {
  Header header;
  std::string_view state, status, note;
};

Parts takeApart(const std::filesystem::path& file, std::string_view bytes) {
  const auto fail = [&](const std::string& why) { throw LoadError(fmt::format("{}: {}", file.string(), why)); };
  Parts parts;
  Header& h = parts.header;
  if (bytes.substr(0, kMagic.size()) != std::string_view(kMagic.data(), kMagic.size())) {
    fail("not a checkpoint of Sinew");
  }
  if (bytes.size() < sizeof(Header)) fail("the checkpoint is cut off");
  std::memcpy(&h, bytes.data(), sizeof(h));
  if (h.version != kVersion) {
    fail(fmt::format("a checkpoint of version {}; this Sinew reads version {}", h.version, kVersion));
  }
  std::uint64_t left = bytes.size() - sizeof(Header);
  for (const std::uint64_t part : {h.stateBytes, h.statusBytes, h.noteBytes, std::uint64_t{sizeof(std::uint64_t)}}) {
    if (part > left) fail("the checkpoint is cut off");
    left -= part;
  }
  if (left != 0) fail("the checkpoint is damaged: there is something behind its end");
  std::uint64_t hash = 0;
  const std::string_view covered = bytes.substr(0, bytes.size() - sizeof(hash));
  std::memcpy(&hash, bytes.data() + covered.size(), sizeof(hash));
  if (hash != hashOfBytes(covered)) fail("the checkpoint is damaged: its checksum is wrong");
  parts.state = bytes.substr(sizeof(Header), h.stateBytes);
  parts.status = bytes.substr(sizeof(Header) + h.stateBytes, h.statusBytes);
  parts.note = bytes.substr(sizeof(Header) + h.stateBytes + h.statusBytes, h.noteBytes);
  return parts;
}

}  // namespace

void saveCheckpoint(const Model& m, const Data& d, const std::filesystem::path& file, std::string_view note) {
  requireOwn(m, d);
  const std::vector<std::byte> state = saveState(m, d);
  Header header;
  header.layout = layoutOfState();
  header.signature = m.signature;
  header.model = hashOf(m);
  header.stateBytes = state.size();
  header.statusBytes = sizeof(Status);
  header.noteBytes = note.size();

  std::string bytes;
  bytes.reserve(sizeof(header) + state.size() + sizeof(Status) + note.size() + sizeof(std::uint64_t));
  const auto append = [&](const void* from, std::size_t count) {
    if (count > 0) bytes.append(static_cast<const char*>(from), count);
  };
  append(&header, sizeof(header));
  append(state.data(), state.size());
  append(&d.status, sizeof(d.status));
  append(note.data(), note.size());
  const std::uint64_t hash = hashOfBytes(bytes);
  append(&hash, sizeof(hash));
  replaceFile(file, std::as_bytes(std::span(bytes)));
}

std::string loadCheckpoint(const Model& m, Data& d, const std::filesystem::path& file) {
  requireOwn(m, d);
  const std::string bytes = readFile(file);
  const Parts parts = takeApart(file, bytes);
  const auto fail = [&](const std::string& why) { throw LoadError(fmt::format("{}: {}", file.string(), why)); };
  if (parts.header.layout != layoutOfState() || parts.status.size() != sizeof(Status)) {
    fail("the checkpoint was written by another version of Sinew, whose state has other parts");
  }
  if (parts.header.signature != m.signature) {
    fail(fmt::format("the checkpoint belongs to another model, whose signature is {:016x}; that of this one is {:016x}",
                     parts.header.signature, m.signature));
  }
  if (parts.header.model != hashOf(m)) {
    fail("the checkpoint belongs to this model with other numbers or options: the model was changed since");
  }
  try {
    restoreState(m, d, std::as_bytes(std::span(parts.state)));
  } catch (const std::invalid_argument& error) {
    fail(error.what());
  }
  std::memcpy(&d.status, parts.status.data(), sizeof(d.status));
  return std::string(parts.note);
}

}  // namespace sinew
