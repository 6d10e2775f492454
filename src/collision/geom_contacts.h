#pragma once

#include <span>

#include "collision/collision.h"
#include "geom/collide.h"
#include "model/near_pairs.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Where two geoms touch, or meet within the step. No points: they do not.
struct GeomTouch {
  std::span<const geom::ContactPoint> points;
  std::ptrdiff_t found;  ///< how many there were before they were thinned out; 0: they were not
};

/// What contacts of a pair of geoms are like, explicit pairs included.
MixedParameters parametersOfGeoms(const Model& m, const ColliderPair& pair);

/// The distance at which two geoms are looked at: detectionDistance() of these parameters.
double detectionDistanceOfGeoms(const Model& m, const ColliderPair& pair);

struct TouchChunk;
class Sweep;

/// Where the geoms of a list of pairs touch. Threads share long lists; the result is the same for any number.
class GeomTouches {
 public:
  /// Reads geom poses. Model, Data, sweep and pairs must outlive it; only one may live for a Data.
  GeomTouches(const Model& m, const Data& d, const Sweep& sweep, std::span<const ColliderPair> pairs);

  /// Of a pair of geoms (not flexes). Pairs must be asked for in their order; valid until the next call.
  GeomTouch of(std::size_t pair);

 private:
  void find(std::size_t chunk, int slot, TouchChunk& found) const;

  const Model& m_;
  const Data& d_;
  const Sweep& sweep_;
  std::span<const ColliderPair> pairs_;
  bool ahead_ = false;                   // all chunks have been found
  std::size_t chunk_ = ~std::size_t{0};  // else: the one that has
};

}  // namespace sinew
