#include "collision/geom_contacts.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "collision/collide_memory.h"
#include "collision/colliders.h"
#include "collision/contact_maker.h"
#include "collision/filters.h"
#include "collision/manifold.h"
#include "collision/sweep.h"
#include "model/workspace.h"

namespace sinew {
namespace {

constexpr std::size_t kChunkSize = TouchChunk::kSize;
/// Chunks that are worth waking other threads.
constexpr std::size_t kFewestChunks = 4;

MixedParameters parametersOfPair(const Model& m, int i) {
  MixedParameters p;
  p.dim = m.pair_dim[i];
  std::copy_n(m.pair_friction.data() + 5 * i, 5, p.friction.begin());
  std::copy_n(m.pair_solref.data() + 2 * i, 2, p.solref.begin());
  std::copy_n(m.pair_solreffriction.data() + 2 * i, 2, p.solreffriction.begin());
  std::copy_n(m.pair_solimp.data() + 5 * i, 5, p.solimp.begin());
  p.margin = m.pair_margin[i];
  p.gap = m.pair_gap[i];
  p.adhesion = m.pair_adhesion[i];
  p.restitution = m.pair_restitution[i];
  p.early = std::min(earlyDistance(m, m.pair_geom1[i]), earlyDistance(m, m.pair_geom2[i]));
  applyOverrides(m.opt, p);
  return p;
}

/// Whether two geoms have points, but none where they touch.
bool isAhead(const Array<geom::ContactPoint>& points, double distance) {
  return !points.empty() &&
         std::all_of(points.begin(), points.end(), [&](const geom::ContactPoint& p) { return p.dist > distance; });
}

}  // namespace

MixedParameters parametersOfGeoms(const Model& m, const ColliderPair& c) {
  return c.pair >= 0 ? parametersOfPair(m, c.pair)
                     : mixParameters(m.opt, parametersOf(m, c.first), parametersOf(m, c.second));
}

double detectionDistanceOfGeoms(const Model& m, const ColliderPair& c) {
  const int first = c.first, second = c.second;
  const double own = c.pair >= 0 ? m.pair_margin[c.pair] : m.geom_margin[first] + m.geom_margin[second];
  const double gap = c.pair >= 0 ? m.pair_gap[c.pair] : m.geom_gap[first] + m.geom_gap[second];
  const double margin = m.opt.enabled(enable::kOverride) ? m.opt.o_margin : own;
  return detectionDistance(m.opt, margin, gap, std::min(earlyDistance(m, first), earlyDistance(m, second)));
}

GeomTouches::GeomTouches(const Model& m, const Data& d, const Sweep& sweep, std::span<const ColliderPair> pairs)
    : m_(m), d_(d), sweep_(sweep), pairs_(pairs) {
  const std::size_t chunks = (pairs.size() + kChunkSize - 1) / kChunkSize;
  ahead_ = d.threads > 1 && chunks >= kFewestChunks;
  std::vector<TouchChunk>& memory = d.work->collideMemory->chunks;
  if (memory.size() < (ahead_ ? chunks : 1)) memory.resize(ahead_ ? chunks : 1);
  if (!ahead_) return;
  parallelFor(d.threads, static_cast<int>(chunks), [&](int i, int slot) {
    const auto chunk = static_cast<std::size_t>(i);
    find(chunk, slot, memory[chunk]);
  });
  d.work->collideMemory->evenSlots();
}

GeomTouch GeomTouches::of(std::size_t pair) {
  const std::size_t chunk = pair / kChunkSize;
  TouchChunk& found = d_.work->collideMemory->chunks[ahead_ ? chunk : 0];
  if (!ahead_ && chunk != chunk_) find(chunk_ = chunk, 0, found);
  const TouchChunk::Touch& touch = found.touch[pair % kChunkSize];
  return {{found.points.data() + touch.begin, found.points.data() + touch.end}, touch.found};
}

void GeomTouches::find(std::size_t chunk, int slot, TouchChunk& found) const {
  const geom::CollideOptions options = collideOptions(m_, d_, slot);
  Array<geom::ContactPoint>& points = d_.work->collideMemory->slot(slot).points;
  found.points.clear();
  const std::size_t begin = chunk * kChunkSize, end = std::min(begin + kChunkSize, pairs_.size());
  for (std::size_t i = begin; i < end; ++i) {
    const ColliderPair& c = pairs_[i];
    if (isFlex(m_, c.second)) continue;
    TouchChunk::Touch& touch = found.touch[i - begin];
    points.clear();
    const int all = geom::collide(shapeOf(m_, d_, c.first), shapeOf(m_, d_, c.second), detectionDistanceOfGeoms(m_, c),
                                  options, points);
    touch.found = all > geom::kMostPoints ? all : 0;
    if (m_.opt.solver == Solver::Impulse && m_.geom_type[c.first] != GeomType::HField) {
      const double r1 = m_.geom_rbound[c.first], r2 = m_.geom_rbound[c.second];  // of planes: 0
      settleManifold(points, r1 > 0 && r2 > 0 ? std::min(r1, r2) : std::max(r1, r2));
    }
    const bool mayPass = sweep_.mayPass(c.first, c.second);
    if (mayPass || (m_.opt.solver == Solver::Impulse && !points.empty())) {
      const MixedParameters p = parametersOfGeoms(m_, c);
      if (p.early > 0 && isAhead(points, forceDistance(m_.opt, p.margin, p.gap)) &&
          sweep_.miss(c.first, c.second, p.early, options)) {
        points.clear();
      }
      if (mayPass && !hasForce(points, p, m_.opt)) sweep_.meet(c.first, c.second, options, points);
    }
    touch.begin = found.points.size();
    for (const geom::ContactPoint& point : points) found.points.push_back(point);
    touch.end = found.points.size();
  }
}

}  // namespace sinew
