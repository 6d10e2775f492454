#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/model.h"
#include "trace.h"

/// How far an array is from the reference.
///
/// The error of an array is max_i |a_i - b_i| / s, with b the reference. The scale s is |b|_inf, but at least 1e-4 of
/// what is typical for quantities of this kind in the same sample: a force that is zero up to rounding is judged by the
/// forces around it, a position by the extent of the model. The share is small enough that rounding errors (1e-16 of
/// the typical size) stay far below a tolerance of 1e-9, and errors in quantities that matter do not. What forces leave
/// over when they cancel (qfrc_inverse, cfrc_int) is judged by the largest force: it inherits the errors of all of
/// them.
namespace sinew::cli {

/// Typical sizes in one sample, or in the compiled model.
struct Scales {
  double length = 1;
  double velocity = 1;
  double acceleration = 1;
  double force = 1;         ///< generalized
  double spatialForce = 1;  ///< cfrc_int, cfrc_ext
  double largestForce = 1;  ///< of all kinds, constraint forces included
  double momentum = 1;
  double energy = 1;
};

Scales scalesOf(const Model& m);
Scales scalesOf(const Model& m, const TraceSample& sample);

/// Least scale for an array of Model or Data by its name; 1e-15 where the array's own size is a fair measure.
double leastScale(std::string_view field, const Scales& scales);
/// The same for the values of one sensor.
double leastSensorScale(SensorType type, const Scales& scales);

/// The entry of an array that is furthest from the reference.
struct WorstEntry {
  double error = 0;
  std::ptrdiff_t index = -1;  ///< -1: none, all equal
  double ours = 0;
  double reference = 0;

  void take(const WorstEntry& other) {
    if (other.error > error) *this = other;
  }
};

double largest(std::span<const double> values);

/// Worst entry with one scale for the whole array. Two numbers that are both not finite count as equal; one that is and
/// one that is not differ by infinity. The arrays must have the same length.
WorstEntry worstEntry(std::span<const double> ours, std::span<const double> reference, double scale);

/// The same for rows of four numbers that are quaternions: q and -q are the same rotation.
WorstEntry worstQuaternion(std::span<const double> ours, std::span<const double> reference);

/// Sparse rows, in compressed form.
struct SparseRows {
  std::span<const double> rownnz, rowadr, colind, values;
};

/// Whether every row lies within the arrays and every column within the matrix: what comes from a file may not.
bool isSparse(const SparseRows& rows, std::ptrdiff_t columns);

/// Compares two sparse matrices whose patterns may differ; what a pattern does not hold is zero. scale(row, column)
/// gives the scale of an entry. `index` of the result is row * columns + column.
WorstEntry worstSparse(const SparseRows& ours, const SparseRows& reference, std::ptrdiff_t columns,
                       const std::function<double(std::ptrdiff_t, std::ptrdiff_t)>& scale);

/// Compares rotations whose columns are principal axes of inertia, given as row-major matrices, with the moments of
/// each body. Where two moments are equal, and up to sign, axes are a matter of taste; the tensor R diag(I) R' is not.
/// The error is the lesser of the one of R and the one of the tensor over its largest moment; that of R for bodies
/// without moments.
WorstEntry worstPrincipalAxes(std::span<const double> ours, std::span<const double> reference,
                              std::span<const double> moments, std::span<const double> referenceMoments);

/// Row-major rotation matrices of rows of quaternions (w, x, y, z).
std::vector<double> matricesOf(std::span<const double> quaternions);

}  // namespace sinew::cli
