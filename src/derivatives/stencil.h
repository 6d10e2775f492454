#pragma once

#include <array>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::smooth {

/// Size of a nudge: errors are 1e-16 / kNudge of the largest force, and the square of kNudge over that of the length
/// (or angle, or time) over which forces bend.
inline constexpr double kNudge = 1e-6;

/// Where differences are taken, in nudges, with their weights: central, or inwards from the end of a range. Both are
/// exact for parabolas.
struct Stencil {
  std::array<double, 3> place, weight;
};
inline constexpr Stencil kCentral{{-1, 1, 0}, {-0.5, 0.5, 0}}, kUpwards{{0, 1, 2}, {-1.5, 2, -0.5}},
    kDownwards{{0, -1, -2}, {1.5, -2, 0.5}}, kNone{{0, 0, 0}, {0, 0, 0}};

/// Of a control, within its range.
inline Stencil stencilOfControl(const Model& m, const Data& x, int control) {
  if (!m.actuator_ctrllimited[control] || m.opt.disabled(disable::kClampCtrl)) return kCentral;
  const double low = m.actuator_ctrlrange[2 * control], high = m.actuator_ctrlrange[2 * control + 1];
  const double u = x.ctrl[control];
  if (u < low || u > high || high - low < 2 * kNudge) return kNone;
  return u - low < kNudge ? kUpwards : high - u < kNudge ? kDownwards : kCentral;
}

}  // namespace sinew::smooth
