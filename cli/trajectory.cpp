#include "trajectory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <span>
#include <vector>

#include "columns.h"
#include "command.h"
#include "descriptor.h"
#include "npz.h"
#include "output.h"
#include "sinew/files.h"

namespace sinew::cli {
namespace {

constexpr std::size_t kMostBuffered = std::size_t{1} << 20;  // bytes

/// A pipe has no size and no end to cut it at, and a write to it waits for whoever reads.
void refusePipes(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(file, error).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket) {
    writing([&] { requireWritable(file); });
  }
}

Descriptor openForWriting(const std::string& file, int flags) {
  refusePipes(file);
  Descriptor opened(open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666));
  if (opened.value() < 0 && errno != ENOENT && (flags & O_CREAT)) {  // a device may not be readable
    opened = Descriptor(open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666));
  }
  if (opened.value() < 0) throw cannotWrite(file, errno);
  return opened;
}

std::uint64_t sizeOf(int descriptor, const std::string& file) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw cannotWrite(file, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void cut(int descriptor, std::uint64_t size, const std::string& file) {
  if (ftruncate(descriptor, static_cast<off_t>(size)) != 0) throw cannotWrite(file, errno);
}

void waitForDisk(int descriptor, const std::string& file) {
  // devices and pipes have nothing to wait for
  if (fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) throw cannotWrite(file, errno);
}

/// A heading as CSV wants it: in quotes if it holds a comma, a quote or a line break.
std::string csvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csvHeadings(const Model& m) {
  std::string line;
  for (const Quantity& quantity : quantitiesOf(m)) {
    if (quantity.name == "time") line += quantity.name;
    for (const std::string& column : quantity.columns) {
      if (quantity.name == "time") continue;
      line += ',';
      line += csvCell(fmt::format("{}[{}]", quantity.name, column));
    }
  }
  return line + '\n';
}

class CsvTrajectory final : public TrajectoryWriter {
 public:
  CsvTrajectory(const std::string& file, const Model& m, const TrajectoryPosition* from) : file_(file) {
    const std::string headings = csvHeadings(m);
    if (!from) {
      out_ = openForWriting(file, O_CREAT | O_TRUNC);
      buffer_ = headings;
      position_.bytes = headings.size();
      flush();
      return;
    }
    out_ = openForWriting(file, 0);
    requireSame(headings, *from);
    cut(out_.value(), from->bytes, file);
    position_ = *from;
  }

  void record(const Data& d) override {
    sample_.clear();
    appendSample(d, sample_);
    const std::size_t before = buffer_.size();
    for (const double value : sample_) fmt::format_to(std::back_inserter(buffer_), "{},", value);
    buffer_.back() = '\n';
    position_.bytes += buffer_.size() - before;
    ++position_.samples;
    if (buffer_.size() >= kMostBuffered) flush();
  }

  void flush() override {
    appendTo(out_.value(), std::as_bytes(std::span(buffer_)), file_);
    buffer_.clear();
  }

  TrajectoryPosition sync() override {
    flush();
    waitForDisk(out_.value(), file_);
    return position_;
  }

  void finish() override { sync(); }

 private:
  void requireSame(const std::string& headings, const TrajectoryPosition& from) const {
    const auto strange = [&](const std::string& why) {
      throw CommandError(fmt::format("cannot continue '{}': {}", file_, why));
    };
    if (sizeOf(out_.value(), file_) < from.bytes || from.bytes < headings.size()) {
      strange("it is shorter than when the checkpoint was made");
    }
    std::string start(headings.size(), '\0');
    char last = 0;
    readAt(out_.value(), 0, std::as_writable_bytes(std::span(start)), file_);
    readAt(out_.value(), from.bytes - 1, std::as_writable_bytes(std::span(&last, 1)), file_);
    if (start != headings || last != '\n') strange("it is not the trajectory of the run that made the checkpoint");
  }

  std::string file_;
  Descriptor out_;
  std::string buffer_;
  std::vector<double> sample_;
  TrajectoryPosition position_;
};

/// Arrays in an archive cannot grow one beside the other. So samples are appended to a file of records, FILE.samples,
/// from which the archive is made anew at a flush and put in place of the old one at once: it can be read at any time.
/// Making it may take a twentieth of the time of the run at most.
class NpzTrajectory final : public TrajectoryWriter {
 public:
  NpzTrajectory(const std::string& file, const Model& m, const TrajectoryPosition* from)
      : file_(file), samplesFile_(file + ".samples"), quantities_(quantitiesOf(m)) {
    std::size_t width = 0;
    for (const Quantity& quantity : quantities_) width += quantity.columns.size();
    recordBytes_ = width * sizeof(double);
    if (!from) {
      writing([&] { const FileReplacement probe(file_); });  // before anything is left behind
      records_ = openForWriting(samplesFile_, O_CREAT | O_TRUNC);
    } else {
      continueAt(from->samples);
    }
    makeArchive();
  }

  void record(const Data& d) override {
    appendSample(d, buffer_);
    ++position_.samples;
    if (buffer_.size() * sizeof(double) >= kMostBuffered) append();
  }

  void flush() override {
    append();
    if (Clock::now() - made_ >= 20 * cost_) makeArchive();
  }

  TrajectoryPosition sync() override {
    flush();
    waitForDisk(records_.value(), samplesFile_);
    return position_;
  }

  void finish() override {
    append();
    makeArchive();
    std::error_code ignored;
    std::filesystem::remove(samplesFile_, ignored);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void continueAt(std::uint64_t samples) {
    records_ = openForWriting(samplesFile_, O_CREAT);
    if (sizeOf(records_.value(), samplesFile_) < samples * recordBytes_) {  // it was completed, then removed
      cut(records_.value(), 0, samplesFile_);
      try {
        readNpz(file_, quantities_, samples, records_.value());
      } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(samplesFile_, ignored);
        throw;
      }
    }
    cut(records_.value(), samples * recordBytes_, samplesFile_);
    position_.samples = samples;
  }

  void append() {
    appendTo(records_.value(), std::as_bytes(std::span(buffer_)), samplesFile_);
    buffer_.clear();
  }

  void makeArchive() {
    const Clock::time_point start = Clock::now();
    writing([&] {
      FileReplacement archive(file_);
      writeNpz(records_.value(), quantities_, position_.samples - buffer_.size() * sizeof(double) / recordBytes_,
               archive);
      archive.commit();
    });
    made_ = Clock::now();
    cost_ = made_ - start;
  }

  std::string file_, samplesFile_;
  std::vector<Quantity> quantities_;
  std::size_t recordBytes_ = 0;
  Descriptor records_;
  std::vector<double> buffer_;
  TrajectoryPosition position_;
  Clock::time_point made_;
  Clock::duration cost_{};
};

}  // namespace

std::unique_ptr<TrajectoryWriter> makeTrajectory(const std::string& file, const Model& m,
                                                 const TrajectoryPosition* from) {
  if (file.ends_with(".csv")) return std::make_unique<CsvTrajectory>(file, m, from);
  if (file.ends_with(".npz")) return std::make_unique<NpzTrajectory>(file, m, from);
  // nobody can add an ending to a device
  std::error_code error;
  const bool isOther = std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error);
  throw CommandError(fmt::format("--out needs a file ending in .csv or .npz, found '{}'", file),
                     isOther ? kProblem : kBadInput);
}

}  // namespace sinew::cli
