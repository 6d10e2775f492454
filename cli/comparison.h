#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "field_error.h"
#include "fields.h"
#include "reference_rows.h"
#include "sinew/data.h"
#include "sinew/model.h"
#include "trace.h"

namespace sinew::cli {

struct Tolerances {
  double data = 1e-9;        ///< arrays of Data
  double solved = 1e-8;      ///< arrays of Data that follow from constraint forces, which are found by iteration
  double constants = 1e-10;  ///< arrays of Model
  double mesh = 1e-7;        ///< arrays of Model that follow from a mesh
};

/// How one array came out.
struct FieldReport {
  static constexpr int kCompiled = -1;  ///< `step` of an array of the Model
  std::string field;
  std::string stage;  ///< "compile", or the stage that writes the array of Data
  int step = kCompiled;
  double error = 0;
  double tolerance = 0;
  std::string entry;  ///< where it is worst, and the two values
  bool differs() const { return !(error <= tolerance); }
};

/// Compares a Model and the states of a run with a trace, array by array. Every array that both sides have under the
/// same name is compared: numbers of type int exactly, others as field_error.h says. In a model with flex nodes, which
/// the reference engine counts differently, these are the rows and coordinates that mean the same thing. Reports are in
/// the order of the computation, so the first one that differs is where to look.
class Comparison {
 public:
  Comparison(const Model& m, const Trace& trace, const Tolerances& tolerances);

  /// Sizes, names, options, statistic, then every array. Call before the trace's settings are applied to m.opt.
  void compareModel();

  /// Every array of `d`, for which forward() and energy() ran, and `inverse`, the qfrc_inverse that belongs to it
  /// (empty: not compared).
  void compareData(const TraceSample& sample, const Data& d, const std::vector<double>& inverse);

  const std::vector<FieldReport>& reports() const { return reports_; }

 private:
  void compareSizes();
  void compareNames();
  void compareOption();
  void compareStatistic();
  void compareConstant(const Field& field);
  void compareConstant(const Field& field, const std::vector<double>& reference);
  void compareState(const TraceSample& sample, const Field& field, const Data& d, const std::vector<Field>& all);
  void compareState(const TraceSample& sample, const Field& field, const std::vector<double>& reference,
                    const std::vector<Field>& all);
  double toleranceFor(const TraceSample& sample, std::string_view field) const;
  WorstEntry worstSensor(const Field& field, const std::vector<double>& reference, const Scales& scales) const;
  void report(const Field& field, int step, const WorstEntry& worst, double tolerance);
  void reportMismatch(std::string_view field, std::string_view stage, int step, const std::string& text);

  const Model& m_;
  const Trace& trace_;
  Tolerances tolerances_;
  bool hasMeshes_;
  bool wasConstrained_ = false;  // constraint forces acted before the present sample
  Scales modelScales_;
  std::optional<ReferenceRows> rows_;  // with flex nodes: which rows correspond
  std::vector<FieldReport> reports_;
};

}  // namespace sinew::cli
