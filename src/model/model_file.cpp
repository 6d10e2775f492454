#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/hash.h"
#include "sinew/errors.h"
#include "sinew/model.h"

/// Binary files of compiled models: a header with a signature of the layout, the sizes, the options, then the arrays in
/// the order of the field table. The signature changes with the table, so a file of another version is refused
/// instead of misread.
namespace sinew {
namespace {

constexpr std::array<char, 8> kMagic{'S', 'I', 'N', 'E', 'W', 'M', '0', '1'};
constexpr std::int64_t kMostBytes = std::int64_t{1} << 34;

std::uint64_t formatSignature() {
  Hasher hasher;
  const auto add = [&](const char* text, std::size_t bytes) {
    hasher.add(text, std::strlen(text) + 1);
    hasher.add(&bytes, sizeof(bytes));
  };
#define SINEW_X(name, doc) add(#name, sizeof(int));
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, doc) add(#name, sizeof(Option::name));
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, rows, cols, doc) add(#name " " #rows " " #cols, sizeof(type));
  SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
  return hasher.value();
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, std::vector<char> bytes) : file_(file), bytes_(std::move(bytes)) {}

  void read(void* target, std::size_t count) {
    if (count > bytes_.size() - at_) fail("ends too early");
    if (count > 0) std::memcpy(target, bytes_.data() + at_, count);
    at_ += count;
  }
  bool atEnd() const { return at_ == bytes_.size(); }
  std::size_t left() const { return bytes_.size() - at_; }
  [[noreturn]] void fail(const char* why) const {
    throw LoadError(fmt::format("{}: not a readable Sinew model file: {}", file_.string(), why));
  }

 private:
  const std::filesystem::path& file_;
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void saveModel(const Model& m, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  const auto write = [&](const void* bytes, std::size_t count) {
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  };
  const std::uint64_t signature = formatSignature();
  write(kMagic.data(), kMagic.size());
  write(&signature, sizeof(signature));
#define SINEW_X(name, doc) write(&m.name, sizeof(m.name));
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, doc) write(&m.opt.name, sizeof(m.opt.name));
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  write(&m.stat, sizeof(m.stat));
  m.forEachArray([&](const char*, const auto& array, int, int, const char*) {
    write(array.data(), static_cast<std::size_t>(array.size()) * sizeof(array[0]));
  });
  out.close();
  if (!out) throw LoadError(fmt::format("{}: cannot write the model file", file.string()));
}

Model loadModel(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw LoadError(fmt::format("{}: cannot open the model file", file.string()));
  Reader reader(file, std::vector<char>(std::istreambuf_iterator<char>(in), {}));

  std::array<char, kMagic.size()> magic{};
  std::uint64_t signature = 0;
  reader.read(magic.data(), magic.size());
  if (magic != kMagic) reader.fail("the signature is missing");
  reader.read(&signature, sizeof(signature));
  if (signature != formatSignature()) reader.fail("it was written by another version");

  Model m;
#define SINEW_X(name, doc)              \
  reader.read(&m.name, sizeof(m.name)); \
  if (m.name < 0) reader.fail("a size is negative");
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, doc) reader.read(&m.opt.name, sizeof(m.opt.name));
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  reader.read(&m.stat, sizeof(m.stat));

  // the arrays must fill the rest of the file exactly; checked before anything is allocated
  std::int64_t total = 0;
  m.forEachArray([&](const char*, const auto& array, std::int64_t rows, std::int64_t cols, const char*) {
    const auto bytes = rows * cols * static_cast<std::int64_t>(sizeof(*array.data()));
    total = bytes > kMostBytes ? kMostBytes : std::min(kMostBytes, total + bytes);
  });
  if (total != static_cast<std::int64_t>(reader.left())) reader.fail("its length does not fit the sizes in it");
  m.allocate();
  m.forEachArray([&](const char*, auto& array, int, int, const char*) {
    reader.read(array.data(), static_cast<std::size_t>(array.size()) * sizeof(*array.data()));
  });
  m.signature = layoutSignature(m);
  return m;
}

}  // namespace sinew
