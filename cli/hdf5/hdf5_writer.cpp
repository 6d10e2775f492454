#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "extras.h"
#include "rollout_merge.h"

/// Merged results as an HDF5 file: a dataset per array. The only file that knows HDF5.
namespace sinew::cli {
namespace {

/// A handle that closes itself.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() { reset(); }
  Handle(Handle&& o) noexcept : id_(std::exchange(o.id_, -1)), close_(o.close_) {}
  Handle& operator=(Handle&& o) noexcept {
    reset();
    id_ = std::exchange(o.id_, -1);
    close_ = o.close_;
    return *this;
  }
  hid_t get() const { return id_; }
  bool reset() {
    const bool good = id_ < 0 || close_(std::exchange(id_, -1)) >= 0;
    return good;
  }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

hid_t numberType(const std::string& type) {
  if (type == "<f8") return H5T_IEEE_F64LE;
  if (type == "<i8") return H5T_STD_I64LE;
  if (type == "<u8") return H5T_STD_U64LE;
  return H5T_STD_U8LE;  // "|u1"
}

void appendUtf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

class Hdf5Writer final : public MergeWriter {
 public:
  explicit Hdf5Writer(const std::string& file) : name_(file), part_(file + ".part") {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // messages are ours
    file_ = Handle(H5Fcreate(part_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    require(file_.get() >= 0);
  }
  ~Hdf5Writer() override {
    datasets_.clear();
    file_.reset();
    std::error_code ignored;
    std::filesystem::remove(part_, ignored);
  }

  void begin(const std::vector<MergedArray>& arrays) override {
    for (const MergedArray& array : arrays) {
      Dataset d;
      d.characters = array.type.starts_with("<U") ? std::stoull(array.type.substr(2)) : 0;
      if (d.characters > 0) {
        d.type = Handle(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(d.type.get(), 4 * d.characters);  // a character has 4 bytes at most
        H5Tset_cset(d.type.get(), H5T_CSET_UTF8);
        H5Tset_strpad(d.type.get(), H5T_STR_NULLPAD);
      } else {
        d.type = Handle(H5Tcopy(numberType(array.type)), H5Tclose);
      }
      d.shape.assign(array.shape.begin(), array.shape.end());
      d.bytes = d.characters > 0 ? 4 * d.characters : H5Tget_size(d.type.get());
      for (const hsize_t n : d.shape) d.values *= n;
      const Handle space(d.shape.empty() ? H5Screate(H5S_SCALAR)
                                         : H5Screate_simple(static_cast<int>(d.shape.size()), d.shape.data(), nullptr),
                         H5Sclose);
      // without times of creation, so that equal results are equal files
      const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
      H5Pset_obj_track_times(properties.get(), false);
      d.set = Handle(H5Dcreate2(file_.get(), array.name.c_str(), d.type.get(), space.get(), H5P_DEFAULT,
                                properties.get(), H5P_DEFAULT),
                     H5Dclose);
      require(d.set.get() >= 0);
      datasets_.push_back(std::move(d));
    }
  }

  void append(std::size_t array, std::span<const std::byte> bytes) override {
    Dataset& d = datasets_[array];
    if (bytes.empty()) return;
    std::string converted;
    const void* values = bytes.data();
    if (d.characters > 0) {
      std::vector<char32_t> text(bytes.size() / 4);
      std::memcpy(text.data(), bytes.data(), bytes.size());
      for (std::size_t first = 0; first < text.size(); first += d.characters) {
        std::string one;
        for (std::size_t i = first; i < first + d.characters && text[i] != 0; ++i) appendUtf8(one, text[i]);
        one.resize(4 * d.characters);
        converted += one;
      }
      values = converted.data();
    }
    const hsize_t count = bytes.size() / d.bytes;
    // as one row of values: the whole array is the same row in another shape
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Handle all(H5Dget_space(d.set.get()), H5Sclose);
    if (d.shape.size() == 1) {
      H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, &d.done, nullptr, &count, nullptr);
      require(H5Dwrite(d.set.get(), d.type.get(), memory.get(), all.get(), H5P_DEFAULT, values) >= 0);
    } else if (d.shape.empty()) {
      require(H5Dwrite(d.set.get(), d.type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    } else {
      writeRows(d, count, values);
    }
    d.done += count;
  }

  void finish() override {
    for (Dataset& d : datasets_) require(d.set.reset());
    datasets_.clear();
    require(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) >= 0);
    require(file_.reset());
    require(std::rename(part_.c_str(), name_.c_str()) == 0);
  }

 private:
  struct Dataset {
    Handle type, set;
    std::vector<hsize_t> shape;
    std::size_t characters = 0, bytes = 0;
    hsize_t values = 1, done = 0;
    std::vector<std::byte> rest;  ///< of a row that is not complete
  };

  void require(bool good) const {
    if (!good)
      throw CommandError(fmt::format("cannot write '{}': HDF5 refused, the disk may be full", name_), kProblem);
  }

  /// Complete rows (runs) of an array of several dimensions; what is left of the last one waits for the next piece.
  void writeRows(Dataset& d, hsize_t count, const void* values) {
    hsize_t row = 1;
    for (std::size_t k = 1; k < d.shape.size(); ++k) row *= d.shape[k];
    if (row == 0) return;
    const auto* bytes = static_cast<const std::byte*>(values);
    const hsize_t first = (d.done - d.rest.size() / d.bytes) / row;
    d.rest.insert(d.rest.end(), bytes, bytes + count * d.bytes);
    const hsize_t rows = d.rest.size() / d.bytes / row;
    if (rows == 0) return;
    std::vector<hsize_t> start(d.shape.size(), 0), extent = d.shape;
    start[0] = first;
    extent[0] = rows;
    const Handle all(H5Dget_space(d.set.get()), H5Sclose);
    const Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
    require(H5Dwrite(d.set.get(), d.type.get(), memory.get(), all.get(), H5P_DEFAULT, d.rest.data()) >= 0);
    d.rest.erase(d.rest.begin(), d.rest.begin() + static_cast<std::ptrdiff_t>(rows * row * d.bytes));
  }

  std::string name_, part_;
  Handle file_;
  std::vector<Dataset> datasets_;
};

[[maybe_unused]] const bool kIsRegistered = [] {
  extras().makeHdf5 = [](const std::string& file) -> std::unique_ptr<MergeWriter> {
    return std::make_unique<Hdf5Writer>(file);
  };
  return true;
}();

}  // namespace
}  // namespace sinew::cli
