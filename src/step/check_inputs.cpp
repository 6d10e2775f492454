#include "step/check_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forces/actuation.h"
#include "math/number_checks.h"
#include "model/inputs.h"

namespace sinew {
namespace {

/// Index of the first entry that is not finite, -1: none.
int firstNotFinite(const Array<double>& values) {
  if (allWithin(values, std::numeric_limits<double>::max())) return -1;
  return static_cast<int>(std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); }) -
                          values.begin());
}

/// The same of mocap poses: positions first, then quaternions. One of length zero is named by its first entry.
int firstBadMocap(const Model& m, const Data& d) {
  const int position = firstNotFinite(d.mocap_pos);
  if (position >= 0) return position;
  for (int i = 0; i < m.nmocap; ++i) {
    const double* quat = d.mocap_quat.data() + 4 * i;
    if (isUsableQuat(quat)) continue;
    const double* bad = std::find_if(quat, quat + 4, [](double x) { return !std::isfinite(x); });
    return 3 * m.nmocap + 4 * i + static_cast<int>(bad == quat + 4 ? 0 : bad - quat);
  }
  return -1;
}

}  // namespace

void checkPoses(const Model& m, Data& d) {
  const int index = firstBadMocap(m, d);
  if (index >= 0) d.status.note(Trouble::BadMocap, index, d.time);
}

void checkControls(const Model& m, Data& d) {
  const auto note = [&](Trouble trouble, int index) {
    if (index >= 0) d.status.note(trouble, index, d.time);
  };
  note(Trouble::BadCtrl, firstBadControl(m, d));
  const int generalized = firstNotFinite(d.qfrc_applied);
  const int cartesian = generalized >= 0 ? -1 : firstNotFinite(d.xfrc_applied);
  note(Trouble::BadApplied, cartesian >= 0 ? m.nv + cartesian : generalized);
}

}  // namespace sinew
