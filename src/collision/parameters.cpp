#include <algorithm>

#include "collision/collision.h"
#include "collision/restitution.h"
#include "math/types.h"

namespace sinew {
namespace {

constexpr double kMinFriction = 1e-5;

/// Share of the first collider in solref and solimp. Weights too small to divide by count as zero.
double mixShare(double weight1, double weight2) {
  const bool none1 = weight1 < kMinVal, none2 = weight2 < kMinVal;
  if (none1 && none2) return 0.5;
  if (none1) return 0;
  if (none2) return 1;
  return weight1 / (weight1 + weight2);
}

}  // namespace

MixedParameters mixParameters(const Option& opt, const ContactParameters& a, const ContactParameters& b) {
  MixedParameters mixed;
  std::array<double, 3> friction{};
  if (a.priority != b.priority) {
    const ContactParameters& winner = a.priority > b.priority ? a : b;
    mixed.dim = winner.condim;
    mixed.solref = winner.solref;
    mixed.solimp = winner.solimp;
    mixed.adhesion = winner.adhesion;
    mixed.restitution = winner.restitution;
    friction = winner.friction;
  } else {
    mixed.dim = std::max(a.condim, b.condim);
    mixed.adhesion = a.adhesion + b.adhesion;
    mixed.restitution = combineRestitution(a.restitution, b.restitution);
    const double share = mixShare(a.solmix, b.solmix);
    // the direct (negative) form of solref cannot be averaged with the standard one: the stiffer number wins
    const bool standard = a.solref[0] > 0 && b.solref[0] > 0;
    for (std::size_t i = 0; i < 2; ++i) {
      mixed.solref[i] = standard ? share * a.solref[i] + (1 - share) * b.solref[i] : std::min(a.solref[i], b.solref[i]);
    }
    for (std::size_t i = 0; i < 5; ++i) mixed.solimp[i] = share * a.solimp[i] + (1 - share) * b.solimp[i];
    for (std::size_t i = 0; i < 3; ++i) friction[i] = std::max(a.friction[i], b.friction[i]);
  }
  mixed.friction = {friction[0], friction[0], friction[1], friction[2], friction[2]};
  mixed.margin = a.margin + b.margin;
  mixed.early = std::min(a.early, b.early);
  mixed.gap = a.gap + b.gap;
  applyOverrides(opt, mixed);
  return mixed;
}

void applyOverrides(const Option& opt, MixedParameters& p) {
  if (opt.enabled(enable::kOverride)) {
    p.margin = opt.o_margin;
    p.solref = p.solreffriction = opt.o_solref;
    p.solimp = opt.o_solimp;
    p.friction = opt.o_friction;
  }
  for (double& f : p.friction) f = std::max(f, kMinFriction);
}

double detectionDistance(const Option& opt, double margin, double gap, double early) {
  return (opt.gap == GapReading::Outside ? margin + gap : margin) + early;
}

double forceDistance(const Option& opt, double margin, double gap) {
  return opt.gap == GapReading::Outside ? margin : margin - gap;
}

}  // namespace sinew
