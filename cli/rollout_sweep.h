#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinew::cli {

/// What `--vary` says: which numbers of a model differ between runs, and how.
class Sweep {
 public:
  /// Each text is ADDRESS=VALUES, with ADDRESS as in sinew/parameters.h and VALUES one of
  ///   uniform(a,b) loguniform(a,b) normal(mean,deviation) latin(a,b)    drawn for every run
  ///   grid(a,b,n) list(x,y,...) x                                       axes of a grid
  /// or the path of a CSV file whose headings are addresses, one row per point. `*=` and `+=` instead of `=` apply the
  /// value to that of the model. Throws CommandError that quotes what was not understood.
  explicit Sweep(const std::vector<std::string>& texts);

  bool empty() const { return variations_.empty(); }
  std::vector<std::string> addresses() const;
  /// Number of points of the grid that lists, grids and CSV files span; 1: there is none.
  std::int64_t gridSize() const;
  bool hasGrid() const { return !axes_.empty(); }
  /// Hash of the files that were read, 0: none.
  std::uint64_t filesHash() const { return filesHash_; }
  const std::vector<std::string>& files() const { return files_; }

  /// The values of all runs, runs x addresses. Run i depends on (seed, i) alone, but for grids and Latin hypercubes,
  /// which need the number of runs. `nominal`: the values in the model. Throws CommandError where one is needed and not
  /// there.
  std::vector<double> draw(std::int64_t runs, std::uint64_t seed, std::span<const double> nominal) const;

 private:
  enum class Law { Uniform, LogUniform, Normal, Latin, Axis };
  struct Variation {
    std::string address;
    char operation = '=';
    Law law = Law::Axis;
    double a = 0, b = 0;
    std::size_t axis = 0;        ///< Law::Axis: which one
    std::vector<double> values;  ///< along it
  };
  void readText(const std::string& text);
  void readCsv(const std::string& file);
  void add(Variation variation);

  std::vector<Variation> variations_;
  std::vector<std::int64_t> axes_;  ///< sizes
  std::vector<std::string> files_;
  std::uint64_t filesHash_ = 0;
};

}  // namespace sinew::cli
