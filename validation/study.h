#pragma once

#include <functional>
#include <string>
#include <vector>

/// Published and closed-form values that Sinew reproduces, as studies over meshes. `sinew validate` runs them, and so
/// do the tests.
namespace sinew::validation {

/// One number with a published value.
struct Quantity {
  std::string name;    ///< with its unit
  double reference{};  ///< published
  double bound{};      ///< largest relative error on the finest mesh; absolute where the reference is 0
};

/// One scene on meshes of several sizes.
struct Study {
  std::string id;          ///< acceptance id, as "SHELL-1"
  std::string title;       ///< what it is, with the mesh
  std::string source;      ///< where the values are from
  std::vector<int> sizes;  ///< coarse to fine; each twice the one before it, for the order of convergence
  std::vector<Quantity> quantities;
  bool quick{};  ///< belongs to the subset of a few seconds
  /// The values of the quantities for one size. Throws std::runtime_error if the scene does not come to rest or reports
  /// trouble.
  std::function<std::vector<double>(int size)> run;
};

/// What became of one quantity.
struct Result {
  const Study* study{};
  const Quantity* quantity{};
  std::vector<double> values;  ///< one per size
  std::vector<double> errors;  ///< relative, signed; absolute where the reference is 0
  double order{};   ///< log2 of the ratio of the last two errors; NaN with one size, or where the published digits end
  bool isWithin{};  ///< the error on the finest mesh is at most the bound
  std::string failure;  ///< why there are no values
};

/// All studies, in the order of the page. Each folder of subjects adds its own.
std::vector<Study> studies();

/// Runs a study; `values` and `failure` say what happened, nothing is thrown.
std::vector<Result> run(const Study& study);

// by subject
void addRodStudies(std::vector<Study>& to);
void addTwistStudies(std::vector<Study>& to);
void addShellStudies(std::vector<Study>& to);
void addContactStudies(std::vector<Study>& to);

}  // namespace sinew::validation
