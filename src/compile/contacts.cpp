#include "compile/contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "compile/place.h"
#include "compile/rows.h"

namespace sinew::draft {
namespace {

/// Two bodies, the smaller id first.
using BodyPair = std::array<int, 2>;
BodyPair bodyPair(int body1, int body2) { return {std::min(body1, body2), std::max(body1, body2)}; }

/// Indices that put the pairs in growing order; equal ones keep their order.
std::vector<int> sortedBy(const std::vector<BodyPair>& pairs) {
  std::vector<int> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return pairs[a] < pairs[b]; });
  return order;
}

}  // namespace

void checkContactParameters(int condim, std::span<const double> friction, double margin, double gap, double restitution,
                            const Place& place) {
  if (condim != 1 && condim != 3 && condim != 4 && condim != 6) {
    place.fail(fmt::format("'condim' must be 1, 3, 4 or 6, found {}", condim));
  }
  for (const double coefficient : friction) {
    if (coefficient < 0) place.fail(fmt::format("'friction' must not be negative, found {}", coefficient));
  }
  if (gap < 0) place.fail(fmt::format("'gap' must not be negative, found {}", gap));
  if (margin + gap < 0) place.fail(fmt::format("'margin' plus 'gap' must not be negative, found {}", margin + gap));
  if (!(restitution >= 0 && restitution <= 1)) {
    place.fail(fmt::format("'restitution' must be from 0 to 1, found {}", restitution));
  }
}

std::vector<int> writePairs(const Spec& spec, const Names& names, Model& m) {
  std::vector<std::pair<int, int>> geoms;
  std::vector<BodyPair> bodies;
  for (const spec::Pair& pair : spec.pairs) {
    const Place place = placeOf(pair);
    checkContactParameters(pair.condim, pair.friction, pair.margin, pair.gap, pair.restitution, place);
    int geom1 = names.need(ObjType::Geom, pair.geom1, place);
    int geom2 = names.need(ObjType::Geom, pair.geom2, place);
    if (geom1 == geom2) place.fail(fmt::format("geom \"{}\" is paired with itself", pair.geom1));
    if (m.geom_bodyid[geom1] > m.geom_bodyid[geom2]) std::swap(geom1, geom2);
    geoms.emplace_back(geom1, geom2);
    bodies.push_back(bodyPair(m.geom_bodyid[geom1], m.geom_bodyid[geom2]));
  }

  const std::vector<int> order = sortedBy(bodies);
  for (int i = 0; i < m.npair; ++i) {
    const std::size_t k = static_cast<std::size_t>(order[i]);
    const spec::Pair& pair = spec.pairs[k];
    m.pair_dim[i] = pair.condim;
    m.pair_geom1[i] = geoms[k].first;
    m.pair_geom2[i] = geoms[k].second;
    putRow(m.pair_bodyid, i, bodies[k]);
    putRow(m.pair_solref, i, pair.solref);
    putRow(m.pair_solreffriction, i, pair.solreffriction);
    putRow(m.pair_solimp, i, pair.solimp);
    m.pair_margin[i] = pair.margin;
    m.pair_gap[i] = pair.gap;
    m.pair_adhesion[i] = pair.adhesion;
    m.pair_restitution[i] = pair.restitution;
    putRow(m.pair_friction, i, pair.friction);
  }
  return order;
}

std::vector<int> writeExcludes(const Spec& spec, const Names& names, Model& m) {
  std::vector<BodyPair> bodies;
  for (const spec::Exclude& exclude : spec.excludes) {
    const Place place = placeOf(exclude);
    const int body1 = names.need(ObjType::Body, exclude.body1, place);
    const int body2 = names.need(ObjType::Body, exclude.body2, place);
    bodies.push_back(bodyPair(body1, body2));
  }
  const std::vector<int> order = sortedBy(bodies);
  for (int i = 0; i < m.nexclude; ++i) {
    putRow(m.exclude_bodyid, i, bodies[order[i]]);
  }
  return order;
}

void decideGapReading(const Draft& draft, Model& m) {
  const std::optional<GapReading> written = draft.compiler().gap;
  const std::optional<GapReading> chosen = draft.options.gap ? draft.options.gap : written;
  m.opt.gap = chosen.value_or(GapReading::Inside);
  if (chosen) return;

  const auto describe = [&](const Place& place, double gap) {
    draft.warn(place.message(
        fmt::format("gap = {} can mean two things, and <compiler gap> does not say which. Taken as gap=\"inside\": a "
                    "contact exists below margin and pushes below margin - gap. The other is gap=\"outside\": it "
                    "exists below margin + gap and pushes below margin",
                    gap)));
  };
  for (const Body& body : draft.bodies) {
    for (const Geom& geom : body.geoms) {
      if (geom.spec->gap > 0) return describe(placeOf(*geom.spec), geom.spec->gap);
    }
  }
  for (const Flex& flex : draft.flexes) {
    if (flex.spec->contact.gap > 0) return describe(placeOf(flex), flex.spec->contact.gap);
  }
  for (const spec::Pair& pair : draft.spec->pairs) {
    if (pair.gap > 0) return describe(placeOf(pair), pair.gap);
  }
}

namespace {

/// Where a restitution is first asked for; empty: nowhere.
std::string firstRestitution(const Draft& draft) {
  const auto describe = [](const Place& place, double e) { return place.message(fmt::format("restitution = {}", e)); };
  for (const Body& body : draft.bodies) {
    for (const Geom& geom : body.geoms) {
      if (geom.spec->restitution > 0) return describe(placeOf(*geom.spec), geom.spec->restitution);
    }
  }
  for (const Flex& flex : draft.flexes) {
    if (flex.parameters.restitution > 0) return describe(placeOf(flex), flex.parameters.restitution);
  }
  for (const spec::Pair& pair : draft.spec->pairs) {
    if (pair.restitution > 0) return describe(placeOf(pair), pair.restitution);
  }
  return {};
}

}  // namespace

void warnOfIdleOptions(const Draft& draft, const Model& m) {
  const Option& opt = m.opt;
  const Place place = placeOfOption(*draft.spec);
  if (opt.solver != Solver::Impulse) {
    if (const std::string where = firstRestitution(draft); !where.empty()) {
      draft.warn(where +
                 " has no effect: only <option solver=\"Impulse\"> makes contacts bounce. The other solvers "
                 "bounce as far as solref says (a damping ratio below 1)");
    }
    return;
  }
  for (const Flex& flex : draft.flexes) {
    if (!flex.spec->contact.passive) continue;
    placeOf(flex).fail(
        "'passive' contacts are springs, and the contacts of solver=\"Impulse\" are hard: leave one of them out");
  }
  if (opt.noslip_iterations > 0) draft.warn(place.message("'noslip_iterations' has no effect on the Impulse solver"));
}

}  // namespace sinew::draft
