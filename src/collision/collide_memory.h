#pragma once

#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "collision/collision.h"
#include "collision/element_touches.h"
#include "collision/passing_bodies.h"
#include "geom/collide.h"
#include "geom/collide_scratch.h"
#include "model/collide_memory.h"
#include "model/near_pairs.h"

namespace sinew {

/// What neighbouring pairs of geoms have given.
struct TouchChunk {
  /// Pairs that are looked at in a row. One thread takes some tens of microseconds for them.
  static constexpr std::size_t kSize = 64;

  struct Touch {
    std::ptrdiff_t begin = 0, end = 0, found = 0;
  };
  std::array<Touch, kSize> touch;
  Array<geom::ContactPoint> points;
};

/// Each array belongs to one function, which clears it first and keeps its memory.
struct CollideMemory::Store {
  /// What one thread of a step works with.
  struct Slot {
    geom::CollideScratch geom;
    Array<geom::ContactPoint> points;
  };

  /// At least one, and at least as many as the step may use.
  Slot& slot(int i) { return slots[i]; }
  void provideSlots(int threads) {
    while (slots.size() < static_cast<std::size_t>(threads)) slots.emplace_back();
  }
  /// Gives every slot as much memory as any of them has. Which thread meets which pair is left to chance; what grows is
  /// not.
  void evenSlots() {
    const auto keepUp = [](auto& list, const auto& other) {
      if (list.capacity() < other.capacity()) list.reserve(other.capacity());
    };
    const auto both = [&](Slot& s, Slot& t) {
      s.geom.forEachList(t.geom, keepUp);
      keepUp(s.points, t.points);
    };
    for (Slot& s : slots) both(slots.front(), s);
    for (Slot& s : slots) both(s, slots.front());
  }

  std::deque<Slot> slots = std::deque<Slot>(1);  ///< a deque: a slot that is there stays where it is
  Array<ColliderPair> candidates;                ///< collide()
  Array<ColliderPair> unlisted, listed;          ///< findCandidates()
  std::vector<TouchChunk> chunks;                ///< GeomTouches
  Array<int> elements;                           ///< element_contacts.cpp
  Array<std::pair<int, int>> elementPairs;       ///< likewise
  Array<geom::ContactPoint> cornerPoints;        ///< likewise
  Array<ElementTouch> touches;                   ///< ElementTouches
  Array<int> touchOrder;                         ///< likewise
  PassingBodies passing;                         ///< Sweep
  Array<RowMemory> sides;                        ///< what the next step is to know, collision/sides.h
};

/// Settings of the convex collider, with the memory of `d` that belongs to one thread of a step.
geom::CollideOptions collideOptions(const Model& m, const Data& d, int slot = 0);

}  // namespace sinew
