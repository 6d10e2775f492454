#include "solve/line_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/kernel.h"
#include "math/types.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

/// Huber cost of a friction-loss row at r: quadratic within +-bound, linear beyond; bound = R f.
double huber(double r, double f, double bound, double D) {
  if (r <= -bound) return f * (-0.5 * bound - r);
  if (r >= bound) return f * (-0.5 * bound + r);
  return 0.5 * D * r * r;
}

enum class Zone { Top, Bottom, Middle };

Zone coneZone(double N, double T, double mu) {
  if (N >= mu * T) return Zone::Top;
  if (mu * N + T <= 0) return Zone::Bottom;
  return Zone::Middle;
}

}  // namespace

DirectionalCost::DirectionalCost(const ConstraintProblem& p, Arena& arena) : p_(p) {
  firstVarying_ = leadingEqualities(p.blocks);
  for (const RowBlock& block : p.blocks.first(firstVarying_)) equalities_ += block.nrow;
  if (firstVarying_ > 0) firstEquality_ = p.blocks[0].row;
  int begin = p.rows(), end = 0, cones = 0;
  for (const RowBlock& block : p.blocks) {
    if (isUnilateral(block.kind)) {
      unilateral_ += block.nrow;
      begin = std::min(begin, block.row);
      end = block.row + block.nrow;
    }
    if (block.kind == BlockKind::Elliptic) ++cones;
  }
  cones_ = arena.take<Cone>(cones);
  unilateralBegin_ = begin;
  packed_ = unilateral_ > 0 && end - begin != unilateral_;
  if (!packed_) return;

  // cones lie between: copy what belongs together; masses do not change during a solve
  ur_ = arena.take<double>(unilateral_);
  uv_ = arena.take<double>(unilateral_);
  uD_ = arena.take<double>(unilateral_);
  int u = 0;
  for (const RowBlock& block : p.blocks) {
    if (!isUnilateral(block.kind)) continue;
    std::copy_n(p.D.data() + block.row, block.nrow, uD_.data() + u);
    u += block.nrow;
  }
}

void DirectionalCost::prepare(const double* r, const double* Js, double slope, double curvature) {
  r_ = r;
  Js_ = Js;
  slope_ = slope;
  curvature_ = curvature;
  evaluations_ = 0;
  frictionBegin_ = frictionEnd_ = 0;
  int u = 0;
  std::size_t c = 0;
  addEqualities(r, Js);
  for (const RowBlock& block : p_.blocks.subspan(firstVarying_)) {
    const double* D = p_.D.data() + block.row;
    const double* rb = r + block.row;
    const double* vb = Js + block.row;
    switch (block.kind) {
      case BlockKind::Equality:
        break;  // they come first
      case BlockKind::Friction:
        if (frictionEnd_ == 0) frictionBegin_ = block.row;
        frictionEnd_ = block.row + block.nrow;
        break;
      case BlockKind::Unilateral:
      case BlockKind::Pyramid:
        if (!packed_ && cones_.empty()) return;  // all that follows is of this sort
        if (!packed_) break;
        std::copy_n(rb, block.nrow, ur_.data() + u);
        std::copy_n(vb, block.nrow, uv_.data() + u);
        u += block.nrow;
        break;
      case BlockKind::Elliptic: {
        const ConeParameters& cone = p_.cones[block.cone];
        Cone& q = cones_[c++];
        q = {};
        q.mu = cone.mu;
        q.Dm = D[0] / (cone.mu * cone.mu * (1 + cone.mu * cone.mu));
        for (int k = 0; k < block.nrow; ++k) {
          q.q0 += 0.5 * D[k] * rb[k] * rb[k];
          q.q1 += D[k] * rb[k] * vb[k];
          q.q2 += 0.5 * D[k] * vb[k] * vb[k];
        }
        q.U0 = rb[0] * cone.mu;
        q.V0 = vb[0] * cone.mu;
        for (int k = 1; k < block.nrow; ++k) {
          const double s = cone.friction[k - 1];
          const double U = rb[k] * s, V = vb[k] * s;
          q.UU += U * U;
          q.UV += U * V;
          q.VV += V * V;
        }
        break;
      }
    }
  }
}

SINEW_KERNEL void DirectionalCost::addEqualities(const double* r, const double* Js) {
  const double* D = p_.D.data();
  const int end = firstEquality_ + equalities_;
  Wide slope{}, curvature{};
  int i = firstEquality_;
  for (; i + kLanes <= end; i += kLanes) {
    const Wide v = loadWide(Js + i), Dv = loadWide(D + i) * v;
    slope += Dv * loadWide(r + i);
    curvature += Dv * v;
  }
  slope_ += (slope[0] + slope[2]) + (slope[1] + slope[3]);
  curvature_ += (curvature[0] + curvature[2]) + (curvature[1] + curvature[3]);
  for (; i < end; ++i) {
    slope_ += D[i] * Js[i] * r[i];
    curvature_ += D[i] * Js[i] * Js[i];
  }
}

DirectionalCost::Point DirectionalCost::at(double alpha) {
  ++evaluations_;
  Point point;
  point.alpha = alpha;
  point.cost = alpha * (slope_ + 0.5 * alpha * curvature_);
  point.slope = slope_ + alpha * curvature_;
  point.curvature = curvature_;
  addUnilateral(alpha, point);
  if (frictionEnd_ > frictionBegin_) addFriction(alpha, point);
  if (!cones_.empty()) addCones(alpha, point);
  // convex by construction; rounding may say otherwise
  point.curvature = std::max(point.curvature, std::numeric_limits<double>::min());
  return point;
}

SINEW_KERNEL void DirectionalCost::addUnilateral(double alpha, Point& point) const {
  // m = min(0, r + alpha v), m0 = min(0, r): cost 1/2 D (m^2 - m0^2) = 1/2 D (m - m0)(m + m0); where the row pushes at
  // both ends m - m0 is alpha v, which keeps its digits however small the step is. Four lanes, fixed order.
  const double* r = packed_ ? ur_.data() : r_ + unilateralBegin_;
  const double* v = packed_ ? uv_.data() : Js_ + unilateralBegin_;
  const double* D = packed_ ? uD_.data() : p_.D.data() + unilateralBegin_;
  const int n = unilateral_;
  Wide cost{}, slope{}, curvature{};
  const Wide zero{};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Wide ri = loadWide(r + i), vi = loadWide(v + i);
    const Wide Di = loadWide(D + i);
    const Wide move = alpha * vi;
    const Wide x = ri + move;
    const Wide m = x < zero ? x : zero, m0 = ri < zero ? ri : zero;
    const Wide step = ((x < zero) & (ri < zero)) ? move : m - m0;
    const Wide Dv = Di * vi;
    cost += 0.5 * Di * step * (m + m0);
    slope += Dv * m;
    curvature += x < zero ? Dv * vi : zero;
  }
  double sums[3] = {(cost[0] + cost[2]) + (cost[1] + cost[3]), (slope[0] + slope[2]) + (slope[1] + slope[3]),
                    (curvature[0] + curvature[2]) + (curvature[1] + curvature[3])};
  for (; i < n; ++i) {
    const double move = alpha * v[i], x = r[i] + move;
    const double m = std::min(x, 0.0), m0 = std::min(r[i], 0.0);
    const double step = x < 0 && r[i] < 0 ? move : m - m0;
    sums[0] += 0.5 * D[i] * step * (m + m0);
    sums[1] += D[i] * v[i] * m;
    sums[2] += x < 0 ? D[i] * v[i] * v[i] : 0.0;
  }
  point.cost += sums[0];
  point.slope += sums[1];
  point.curvature += sums[2];
}

void DirectionalCost::addFriction(double alpha, Point& point) const {
  for (int i = frictionBegin_; i < frictionEnd_; ++i) {
    const double f = p_.frictionloss[i];
    const double D = p_.D[i];
    const double bound = p_.R[i] * f;
    const double r0 = r_[i], v = Js_[i], r = r0 + alpha * v;
    const auto part = [bound](double x) { return x <= -bound ? -1 : x >= bound ? 1 : 0; };
    const int part0 = part(r0), part1 = part(r);
    if (part0 == part1) {
      point.cost += part1 == 0 ? 0.5 * D * alpha * v * (r + r0) : part1 * f * alpha * v;
    } else {
      point.cost += huber(r, f, bound, D) - huber(r0, f, bound, D);
    }
    if (part1 == 0) {
      point.slope += D * r * v;
      point.curvature += D * v * v;
    } else {
      point.slope += part1 * f * v;
    }
  }
}

void DirectionalCost::addCones(double alpha, Point& point) const {
  for (const Cone& q : cones_) {
    const double mu = q.mu;
    const double T0 = std::sqrt(std::max(0.0, q.UU));
    const double N = q.U0 + alpha * q.V0;
    const double growth = alpha * (2 * q.UV + alpha * q.VV);  // of T^2
    const double T = std::sqrt(std::max(0.0, q.UU + growth));
    const Zone from = coneZone(q.U0, T0, mu);
    const Zone to = coneZone(N, T, mu);
    const double d0 = q.U0 - mu * T0;  // signed distances to the cone, scaled
    const double d = N - mu * T;

    // cost(alpha) - cost(0), each pair of zones in the form that cancels least. The bottom parabola exceeds the middle
    // cost by 1/2 Dm (mu N + T)^2, which vanishes on the border between them.
    const double parabola = alpha * (q.q1 + alpha * q.q2);
    if (from == to) {
      if (to == Zone::Bottom) point.cost += parabola;
      if (to == Zone::Middle) {
        const double step = alpha * q.V0 - mu * growth / (T + T0);  // d - d0
        point.cost += 0.5 * q.Dm * step * (2 * d0 + step);
      }
    } else if (from == Zone::Middle && to == Zone::Bottom) {
      point.cost += parabola + 0.5 * q.Dm * (mu * q.U0 + T0) * (mu * q.U0 + T0);
    } else if (from == Zone::Bottom && to == Zone::Middle) {
      point.cost += parabola - 0.5 * q.Dm * (mu * N + T) * (mu * N + T);
    } else {
      if (from == Zone::Bottom) point.cost -= q.q0;
      if (from == Zone::Middle) point.cost -= 0.5 * q.Dm * d0 * d0;
      if (to == Zone::Bottom) point.cost += parabola + q.q0;
      if (to == Zone::Middle) point.cost += 0.5 * q.Dm * d * d;
    }

    if (to == Zone::Bottom) {
      point.slope += q.q1 + 2 * alpha * q.q2;
      point.curvature += 2 * q.q2;
    } else if (to == Zone::Middle) {
      const double T1 = (q.UV + alpha * q.VV) / T;
      const double T2 = q.VV / T - (q.UV + alpha * q.VV) * T1 / (T * T);
      const double d1 = q.V0 - mu * T1;
      point.slope += q.Dm * d * d1;
      point.curvature += q.Dm * (d1 * d1 - d * mu * T2);
    }
  }
}

LineSearchResult lineSearch(DirectionalCost& cost, double slopeTolerance, int maxEvaluations) {
  using Point = DirectionalCost::Point;
  const auto newtonFrom = [&](const Point& p) { return cost.at(p.alpha - p.slope / p.curvature); };
  const auto flat = [&](const Point& p) { return std::abs(p.slope) < slopeTolerance; };
  const auto result = [](const Point& p) { return LineSearchResult{p.alpha, -p.cost}; };

  const Point start = cost.at(0);
  Point p1 = newtonFrom(start);
  if (flat(p1) && (p1.alpha == 0 || p1.cost < 0)) return result(p1);

  // Newton steps to the same side until the slope changes sign: then p2 and p1 bracket the minimum
  const double direction = p1.slope < 0 ? 1 : -1;
  Point p2 = start;
  while (p1.slope * direction <= -slopeTolerance && cost.evaluations() < maxEvaluations) {
    p2 = p1;
    p1 = newtonFrom(p1);
    if (flat(p1) && p1.cost < 0) return result(p1);
  }
  if (cost.evaluations() >= maxEvaluations) return result(p1);

  // shrink the bracket with three candidates: the Newton points of both ends and the midpoint
  Point next2 = p1;
  Point next1 = newtonFrom(p1);
  while (cost.evaluations() < maxEvaluations) {
    const Point middle = cost.at(0.5 * (p1.alpha + p2.alpha));
    const std::array<Point, 3> candidates{next1, next2, middle};

    const Point* best = nullptr;
    for (const Point& c : candidates) {
      if (flat(c) && (!best || c.cost < best->cost)) best = &c;
    }
    if (best) return result(*best);

    const auto tighten = [&](Point& end, Point& next) {
      bool moved = false;
      for (const Point& c : candidates) {
        const bool sameSide = (end.slope < 0 && c.slope < 0) || (end.slope > 0 && c.slope > 0);
        if (sameSide && std::abs(c.slope) < std::abs(end.slope)) {
          end = c;
          moved = true;
        }
      }
      if (moved) next = newtonFrom(end);
      return moved;
    };
    const bool moved1 = tighten(p1, next1);
    const bool moved2 = tighten(p2, next2);
    if (!moved1 && !moved2) return result(middle);  // as exact as the numbers allow
  }

  const Point& best = p1.cost <= p2.cost ? p1 : p2;
  return best.cost < 0 ? result(best) : LineSearchResult{};
}

}  // namespace sinew::solve
