#pragma once

#include "math/quat.h"
#include "math/types.h"

namespace sinew {

/// A = R(axes) diag(values) R(axes)^T for a symmetric A.
struct Eigen3 {
  Vec3 values;
  Quat axes;
};

/// When eigen3() stops rotating.
enum class EigenRule {
  /// The reference engine's rule: off-diagonal entries below 1e-12 (absolute) and rotations below about 1.4e-6 rad are
  /// left alone, and eigenvalues closer than 1e-12 are not sorted. Small inertias stay as they are.
  Reference,
  /// The reference's rotations, its choice to leave a matrix alone and its order; if it rotated at all, further
  /// rotations until the off-diagonal entries are rounding noise.
  Refined,
  /// The same rotations continued until the off-diagonal entries are rounding noise relative to the trace.
  Accurate,
};

/// Eigenvalues of the symmetric matrix A in descending order with their axes, by Jacobi rotations accumulated in one
/// quaternion [Golub and Van Loan 2013, 8.5]. The matrix may have any scale; it must be finite.
Eigen3 eigen3(const Mat3& A, EigenRule rule = EigenRule::Reference);

}  // namespace sinew
