#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>

#include "base/hash.h"
#include "compile/check_model.h"
#include "geom/file_kind.h"
#include "model/memory.h"
#include "sinew/errors.h"
#include "sinew/model.h"

/// Binary files of compiled models: magic bytes with the version of the format, a signature of the layout, a checksum
/// over all that follows, the sizes, the options, then the arrays in the order of the field table. The signature
/// changes with the table, so a file of another version is refused instead of misread. The checksum finds damage; what
/// a file with the right one says is checked like any other input (compile/check_model.h).
namespace sinew {
namespace {

constexpr std::array<char, 8> kMagic{'S', 'I', 'N', 'E', 'W', 'M', '0', '2'};

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
  std::size_t left() const { return bytes_.size() - at_; }
  std::uint64_t checksumOfRest() const {
    Hasher hasher;
    hasher.add(bytes_.data() + at_, left());
    return hasher.value();
  }
  std::string kind() const {
    return geom::seemsToBe({reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size()});
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw LoadError(fmt::format("{}: not a readable Sinew model file: {}", file_.string(), why));
  }

 private:
  const std::filesystem::path& file_;
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

/// Calls f(bytes, count) for everything that a file holds after its header.
template <class F>
void forEachPart(const Model& m, F&& f) {
#define SINEW_X(name, doc) f(&m.name, sizeof(m.name));
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, doc) f(&m.opt.name, sizeof(m.opt.name));
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  f(&m.stat, sizeof(m.stat));
  m.forEachArray([&](const char*, const auto& array, int, int, const char*) {
    f(array.data(), static_cast<std::size_t>(array.size()) * sizeof(*array.data()));
  });
}

}  // namespace

void saveModel(const Model& m, const std::filesystem::path& file) {
  const std::uint64_t signature = formatSignature();
  Hasher checksum;
  forEachPart(m, [&](const void* bytes, std::size_t count) { checksum.add(bytes, count); });
  const std::uint64_t sum = checksum.value();
  std::ofstream out(file, std::ios::binary);
  const auto write = [&](const void* bytes, std::size_t count) {
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  };
  write(kMagic.data(), kMagic.size());
  write(&signature, sizeof(signature));
  write(&sum, sizeof(sum));
  forEachPart(m, write);
  out.close();
  if (!out) throw LoadError(fmt::format("{}: cannot write the model file", file.string()));
}

namespace {

std::vector<char> readBytes(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  // a pipe or a device may never end
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw LoadError(fmt::format("{}: not a regular file", file.string()));
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw LoadError(fmt::format("{}: cannot open the model file", file.string()));
  std::vector<char> bytes(static_cast<std::size_t>(fs::file_size(file, error)));
  if (!error) in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (error || static_cast<std::size_t>(in.gcount()) != bytes.size()) {
    throw LoadError(fmt::format("{}: cannot read the model file", file.string()));
  }
  return bytes;
}

}  // namespace

Model loadModel(const std::filesystem::path& file) {
  Reader reader(file, readBytes(file));

  std::array<char, kMagic.size()> magic{};
  std::uint64_t signature = 0, checksum = 0;
  reader.read(magic.data(), magic.size());
  if (!std::equal(magic.begin(), magic.end() - 2, kMagic.begin())) {
    reader.fail("the signature is missing" + reader.kind());
  }
  reader.read(&signature, sizeof(signature));
  if (magic != kMagic || signature != formatSignature()) reader.fail("it was written by another version");
  reader.read(&checksum, sizeof(checksum));
  if (checksum != reader.checksumOfRest()) reader.fail("it is damaged: its checksum is another one");

  Model m;
#define SINEW_X(name, doc)              \
  reader.read(&m.name, sizeof(m.name)); \
  if (m.name < 0) reader.fail("the size " #name " is negative");
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, doc) reader.read(&m.opt.name, sizeof(m.opt.name));
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  reader.read(&m.stat, sizeof(m.stat));

  // the arrays must fill the rest of the file exactly; checked before anything is allocated
  if (modelBytes(RealSizes(m)) != static_cast<double>(reader.left())) {
    reader.fail("its length does not fit the sizes in it");
  }
  // sizes that no array of the Model has: those of Data
  constexpr double kMostOfData = 2.0 * (1 << 30);
  if (dataBytes(RealSizes(m)) > kMostOfData) reader.fail("the sizes in it ask for more than 2 GB");
  m.allocate();
  m.forEachArray([&](const char*, auto& array, int, int, const char*) {
    reader.read(array.data(), static_cast<std::size_t>(array.size()) * sizeof(*array.data()));
  });
  try {
    draft::checkModel(m);
  } catch (const LoadError& e) {
    reader.fail(e.what());
  }
  m.signature = layoutSignature(m);
  indexNames(m);
  return m;
}

}  // namespace sinew
