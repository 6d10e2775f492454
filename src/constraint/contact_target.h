#pragma once

#include "collision/restitution.h"

/// What velocity an impulse is to bring about. The rules of hard contacts in one place, free of Model and Data: the
/// engine, ContactConstraint and ConstraintSolver all take them from here. Derivations: docs/impulse.md.
namespace sinew {

struct ImpulseParameters {
  double erp = 0.2;        ///< share of a position error that is removed per step
  double slop = 0;         ///< depth that is left alone, m
  double threshold = 0.5;  ///< approach below this speed does not bounce, m/s
  double h = 0.002;        ///< duration of the step, s
};

/// e if the bodies approach fast enough (vn <= -threshold), else 0. vn < 0: they approach.
double effectiveRestitution(double e, double vn, double threshold);

/// Normal velocity after the step of a contact whose impulse is free. C is the gap (negative: depth), vn the normal
/// velocity at the start of the step, e the restitution (not yet effective). -infinity: the contact does not act (it is
/// beyond kSpeculativeDistance, or will bounce and has not touched yet).
///
/// `acceleration` is the normal acceleration without contacts, negative if it presses. A bounce is noticed up to one
/// step late, at depth -C; with the acceleration known, the speed is set such that the apex is the one of a bounce at
/// the surface. Without (0) it is e |vn|.
double contactTarget(double C, double vn, double e, const ImpulseParameters& p, double acceleration = 0);

/// The same for a limit: no bounce, and active at any gap.
double limitTarget(double C, const ImpulseParameters& p);

/// The same for an equality with position error r: it loses the share erp of it.
double equalityTarget(double r, const ImpulseParameters& p);

}  // namespace sinew
