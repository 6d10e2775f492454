#include "trajectory.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "command.h"
#include "npz.h"

namespace sinew::cli {
namespace {

/// Calls f(name, values) for every quantity of a sample, in the order of columns.
template <class F>
void forEachQuantity(const Data& d, F&& f) {
  f("time", std::span<const double>(&d.time, 1));
  f("qpos", std::span<const double>(d.qpos));
  f("qvel", std::span<const double>(d.qvel));
  f("act", std::span<const double>(d.act));
  f("ctrl", std::span<const double>(d.ctrl));
  f("sensordata", std::span<const double>(d.sensordata));
  f("energy", std::span<const double>(d.energy));
}

class CsvTrajectory final : public TrajectoryWriter {
 public:
  CsvTrajectory(const std::string& file, const Model& m) : file_(file), out_(file) {
    if (!out_) throw CommandError(fmt::format("cannot write '{}'", file), kProblem);
    const Data sizes(m);
    std::string line;
    forEachQuantity(sizes, [&](std::string_view name, std::span<const double> values) {
      if (name == "time") line += name;
      for (std::size_t i = 0; name != "time" && i < values.size(); ++i) {
        fmt::format_to(std::back_inserter(line), ",{}_{}", name, i);
      }
    });
    out_ << line << '\n';
  }

  void record(const Model&, const Data& d) override {
    line_.clear();
    forEachQuantity(d, [&](std::string_view, std::span<const double> values) {
      for (const double value : values) fmt::format_to(std::back_inserter(line_), "{},", value);
    });
    line_.back() = '\n';
    out_ << line_;
  }

  void finish() override {
    out_.close();
    if (!out_) throw CommandError(fmt::format("writing '{}' failed", file_), kProblem);
  }

 private:
  std::string file_;
  std::ofstream out_;
  std::string line_;
};

class NpzTrajectory final : public TrajectoryWriter {
 public:
  explicit NpzTrajectory(const std::string& file) : writer_(file) {}

  void record(const Model&, const Data& d) override {
    std::size_t k = 0;
    forEachQuantity(d, [&](std::string_view name, std::span<const double> values) {
      Column& column = columns_[k++];
      column.name = name;
      column.width = values.size();
      column.values.insert(column.values.end(), values.begin(), values.end());
    });
    ++samples_;
  }

  void finish() override {
    for (const Column& column : columns_) {
      const std::array<std::size_t, 2> shape{samples_, column.width};
      writer_.add(column.name, column.values, std::span(shape).first(column.name == "time" ? 1 : 2));
    }
    writer_.finish();
  }

 private:
  struct Column {
    std::string_view name;
    std::size_t width = 0;
    std::vector<double> values;
  };
  NpzWriter writer_;
  std::array<Column, 7> columns_;
  std::size_t samples_ = 0;
};

}  // namespace

std::unique_ptr<TrajectoryWriter> makeTrajectory(const std::string& file, const Model& m) {
  if (file.ends_with(".csv")) return std::make_unique<CsvTrajectory>(file, m);
  if (file.ends_with(".npz")) return std::make_unique<NpzTrajectory>(file);
  throw CommandError(fmt::format("--out needs a file ending in .csv or .npz, found '{}'", file));
}

}  // namespace sinew::cli
