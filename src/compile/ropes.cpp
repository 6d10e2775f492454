#include "compile/ropes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "compile/place.h"
#include "kinematics/flexes.h"
#include "math/types.h"

namespace sinew::draft {
namespace {

/// Stretch that a user would call wrong.
constexpr double kNoticeable = 0.005;
/// What rows that do not stretch leave of it: a rope that is straight at rest carries no finite tension without.
constexpr double kUnnoticeable = 0.1 * kNoticeable;

/// A piece of rope between two supports, or from a support to its free end.
struct Span {
  std::vector<int> points;  ///< of the whole model
  bool held = false;        ///< its last point is a support, too
  double length = 0, mass = 0;
  double lightest = 0, shortest = 0;  ///< node, segment
};

bool isFree(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  return node >= 0 && !m.flexnode_pinned[node];
}

/// Neighbours of each vertex; empty if more than two segments meet somewhere.
std::vector<std::array<int, 2>> neighboursOf(const Model& m, int f) {
  std::vector<std::array<int, 2>> next(static_cast<std::size_t>(m.flex_vertnum[f]), {-1, -1});
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const int* v = &m.flex_elem[m.flex_elemdataadr[f] + 2 * e];
    for (int i = 0; i < 2; ++i) {
      std::array<int, 2>& own = next[v[i]];
      if (own[1] >= 0) return {};
      own[own[0] < 0 ? 0 : 1] = v[1 - i];
    }
  }
  return next;
}

/// The span that leaves the support `start` towards `to`.
Span spanFrom(const Model& m, int f, const std::vector<std::array<int, 2>>& next, int start, int to) {
  const int first = m.flex_pointadr[f];
  Span span;
  span.points = {first + start};
  int before = start, at = to;
  while (at >= 0) {
    const double length = (restOfPoint(m, first + at) - restOfPoint(m, first + before)).norm();
    span.length += length;
    span.shortest = span.points.size() == 1 ? length : std::min(span.shortest, length);
    span.points.push_back(first + at);
    if (!isFree(m, first + at)) {
      span.held = true;
      break;
    }
    const double mass = m.flexnode_mass[m.flexpoint_nodeid[first + at]];
    span.lightest = span.mass == 0 ? mass : std::min(span.lightest, mass);
    span.mass += mass;
    const std::array<int, 2>& both = next[at];
    const int ahead = both[0] == before ? both[1] : both[0];
    before = std::exchange(at, ahead);
  }
  return span;
}

/// Tension at the upper support of an inextensible rope of the given length under its own weight: the catenary
/// a cosh(x/a) with length^2 - height^2 = (2 a sinh(width/2a))^2.
double catenaryTension(double weight, double length, double width, double height) {
  if (width < 1e-9 * length) return weight * 0.5 * (1 + height / length);
  const double ratio = std::sqrt(length * length - height * height) / width;  // sinh(u) / u, u = width / 2a
  double low = 0, high = 1;
  while (std::sinh(high) / high < ratio && high < 700) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double u = 0.5 * (low + high);
    (std::sinh(u) / u < ratio ? low : high) = u;
  }
  const double a = width / (2 * high);
  return weight / length * a * std::cosh(0.5 * width / a + std::atanh(height / length));
}

/// Across and along gravity, between the ends of a span.
struct Extent {
  double width = 0, height = 0;
};

Extent extentOf(const Vec3& between, const Vec3& gravity) {
  const double height = std::abs(between.dot(gravity)) / gravity.norm();
  return {std::sqrt(std::max(0.0, between.squaredNorm() - height * height)), height};
}

/// Tension of a rope that stretches by kUnnoticeable at most.
double stiffTension(const Span& span, const Vec3& between, const Vec3& gravity) {
  const double weight = span.mass * gravity.norm();
  if (!span.held || weight == 0) return weight;
  const auto [width, height] = extentOf(between, gravity);
  return catenaryTension(weight, std::max(span.length, between.norm() * (1 + kUnnoticeable)), width, height);
}

/// Strain of a rope whose rows stretch by `softness` per newton: the tension follows from the stretched length.
double strainOf(const Span& span, const Vec3& between, const Vec3& gravity, double softness, double& tension) {
  const double g = gravity.norm(), weight = span.mass * g;
  if (!span.held || g == 0) {
    const double over = span.held ? between.norm() / span.length - 1 : 0;
    tension = span.held ? std::max(0.0, over) / softness : weight;
    return tension * softness;
  }
  const auto [width, height] = extentOf(between, gravity);
  double low = std::max(0.0, between.norm() / span.length - 1) + 1e-12, high = low + 1;
  for (int i = 0; i < 100; ++i) {  // the tension falls as the rope gets longer
    const double strain = 0.5 * (low + high);
    tension = catenaryTension(weight, span.length * (1 + strain), width, height);
    (softness * tension > strain ? low : high) = strain;
  }
  return high;
}

}  // namespace

void reportTautRopes(const Draft& draft, const Model& m) {
  const Vec3 gravity = m.opt.disabled(disable::kGravity) ? Vec3(Vec3::Zero())
                                                         : Vec3(m.opt.gravity[0], m.opt.gravity[1], m.opt.gravity[2]);
  for (int q = 0; q < m.neq; ++q) {
    const int f = m.eq_obj1id[q];
    if (m.eq_type[q] != EqualityType::Flex || !m.eq_active0[q] || m.flex_dim[f] != 1 || m.flex_rigid[f]) continue;
    const bool stretches = m.opt.solver != Solver::Impulse;
    const std::vector<std::array<int, 2>> next = neighboursOf(m, f);
    double worst = 0, worstTension = 0, wave = 0;
    for (int v = 0; v < static_cast<int>(next.size()); ++v) {
      if (isFree(m, m.flex_pointadr[f] + v)) continue;
      for (const int to : next[v]) {
        if (to < 0 || !isFree(m, m.flex_pointadr[f] + to)) continue;
        const Span span = spanFrom(m, f, next, v, to);
        const Vec3 between = restOfPoint(m, span.points.back()) - restOfPoint(m, span.points.front());
        const double inertia = span.lightest * span.shortest;
        if (!stretches) {
          const double tension = stiffTension(span, between, gravity);
          wave = std::max(wave, 2 * m.opt.timestep * std::sqrt(tension / inertia));
          worstTension = std::max(worstTension, tension);
          continue;
        }
        // a row at rest: force = (k d / R) stretch, R = (1 - d) / d times 2 / mass
        const double d = m.eq_solimp[5 * q + 1], h = m.opt.timestep;
        const double ref = m.eq_solref[2 * q], ratio = m.eq_solref[2 * q + 1];
        if (!(ref > 0)) continue;  // stiffness in the direct form is the author's own
        const double time = m.opt.disabled(disable::kRefSafe) ? ref : std::max(ref, 2 * h);
        const double k = 1 / (d * d * time * time * ratio * ratio);
        const double softness = (1 - d) / d / span.lightest / (k * d) / span.shortest;
        double tension = 0;
        const double strain = strainOf(span, between, gravity, softness, tension);
        wave = std::max(wave, 2 * h * std::sqrt(tension / inertia));
        if (strain > worst) {
          worst = strain;
          worstTension = tension;
        }
      }
    }
    if (!(worst > kNoticeable) && !(wave > 2)) continue;
    const bool tooSoft = worst > kNoticeable;
    const bool follows = m.eq_solref[2 * q] <= 2 * m.opt.timestep;  // rows get stiffer with a smaller timestep
    const double most = m.opt.timestep * std::min(2 / wave, tooSoft && follows ? std::sqrt(kNoticeable / worst) : 1.0);
    const std::string finer = follows || !tooSoft ? fmt::format("a timestep up to {:.2g} s, or ", most) : "";
    const std::string stretch = tooSoft ? fmt::format("its length rows stretch by {:.2g} %", 100 * worst) : "";
    const char* waves = wave > 2 ? "waves across it do not die out" : "";
    draft.warn(placeOf(draft.flexes[f])
                   .message(fmt::format(
                       "under its weight the rope carries about {:.2g} N: at a timestep of {:.4g} s {}{}{}; {}a "
                       "material in place of the rows ('young', with integrator=\"implicitfast\") holds it",
                       worstTension, m.opt.timestep, stretch, tooSoft && wave > 2 ? " and " : "", waves, finer)));
  }
}

}  // namespace sinew::draft
