#include "collision/near_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "base/arena.h"
#include "collision/bounding_tree.h"
#include "collision/filters.h"
#include "model/bounding_tree.h"
#include "model/near_pairs.h"

namespace sinew {
namespace {

using Box = BoundingTree::Box;

/// Room that is enough for so many steps like the last one, but not less than the one and not more than the other share
/// of the box's mean extent: small rooms are left often, large ones overlap for nothing.
constexpr double kSteps = 8, kLeastRoom = 0.02, kMostRoom = 0.1;
/// If more than this share of the boxes left their rooms, all pairs are looked up together.
constexpr double kMany = 0.1;
/// Up to so many pairs per box are looked at in every step: that takes no longer than to look after rooms.
constexpr std::ptrdiff_t kFew = 16;

bool contains(const Box& room, const Box& box) {
  return ((room.lower[0] <= box.lower[0]) & (room.lower[1] <= box.lower[1]) & (room.lower[2] <= box.lower[2]) &
          (box.upper[0] <= room.upper[0]) & (box.upper[1] <= room.upper[1]) & (box.upper[2] <= room.upper[2])) != 0;
}

/// What stands still, or flies through its room in a step or two, needs none around it.
Box roomAround(const Box& now, const Box& before) {
  double moved = 0, extent = 0;
  for (int k = 0; k < 3; ++k) {
    moved = std::max({moved, std::abs(now.lower[k] - before.lower[k]), std::abs(now.upper[k] - before.upper[k])});
    extent += (now.upper[k] - now.lower[k]) / 3;
  }
  if (!(moved > 0) || !(2 * moved < kMostRoom * extent)) return now;
  const double room = std::clamp(kSteps * moved, kLeastRoom * extent, kMostRoom * extent);
  Box result = now;
  for (int k = 0; k < 3; ++k) {
    result.lower[k] -= room;
    result.upper[k] += room;
  }
  return result;
}

bool before(const NearPairs::Pair& a, const NearPairs::Pair& b) { return a.colliders < b.colliders; }

NearPairs::Pair pairOf(const Model& m, const NearPairs& near, int i, int j) {
  return {orderedPair(m, near.plan.bounded[i], near.plan.bounded[j], -1), i, j};
}

bool mayMeet(const Model& m, const NearPairs& near, int i, int j) {
  return mayCollide(m, near.plan.bounded[i], near.plan.bounded[j]);
}

/// Lists all pairs that may ever meet, if they are few; otherwise false.
bool listFew(const Model& m, NearPairs& near) {
  const int count = static_cast<int>(near.box.size());
  near.pair.clear();
  if (count > kMostAskedAbout) return false;
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      if (!mayMeet(m, near, i, j)) continue;
      if (near.pair.size() == kFew * count) return false;
      near.pair.push_back(pairOf(m, near, i, j));
    }
  }
  std::sort(near.pair.begin(), near.pair.end(), before);
  return true;
}

void listAll(const Model& m, NearPairs& near) {
  near.pair.clear();
  forEachOverlap(near.tree, [&](int i, int j) {
    if (mayMeet(m, near, i, j)) near.pair.push_back(pairOf(m, near, i, j));
  });
  std::sort(near.pair.begin(), near.pair.end(), before);
}

/// Lists the pairs of a few boxes anew.
void listAgain(const Model& m, std::span<const int> few, NearPairs& near, Arena& scratch) {
  const std::span<std::uint8_t> isOne = scratch.zeros<std::uint8_t>(near.box.size());
  const auto oneOf = [&](int i) { return isOne[i] != 0; };
  for (const int i : few) isOne[i] = 1;
  auto end = std::remove_if(near.pair.begin(), near.pair.end(),
                            [&](const NearPairs::Pair& p) { return oneOf(p.first) || oneOf(p.second); });
  const auto kept = end - near.pair.begin();
  near.pair.resize(kept);
  for (const int i : few) {
    forEachInside(near.tree, near.room[i], [&](int j) {
      if (j == i || (oneOf(j) && j < i)) return;
      if (mayMeet(m, near, i, j)) near.pair.push_back(pairOf(m, near, i, j));
    });
  }
  // both parts in order, then from the back into one
  const auto fresh = near.pair.size() - kept;
  const std::span<NearPairs::Pair> added = scratch.take<NearPairs::Pair>(fresh);
  std::copy(near.pair.begin() + kept, near.pair.end(), added.begin());
  std::sort(added.begin(), added.end(), before);
  for (auto k = near.pair.size() - 1, a = kept - 1, b = fresh - 1; b >= 0; --k) {
    const NearPairs::Pair& candidate = added[b];
    const bool old = a >= 0 && before(candidate, near.pair[a]);
    near.pair[k] = old ? near.pair[a] : candidate;
    --(old ? a : b);
  }
}

}  // namespace

ColliderPair orderedPair(const Model& m, int c1, int c2, int pair) {
  const auto key = bodyPairKey(bodyOfCollider(m, c1), bodyOfCollider(m, c2));
  // equal types keep the order of their bodies, then their ids; flexes come after all types of geoms
  const auto rank = [&](int c) {
    return std::tuple(isFlex(m, c) ? GeomType::Sdf : m.geom_type[c], bodyOfCollider(m, c), c);
  };
  if (rank(c2) < rank(c1)) std::swap(c1, c2);
  if (pair >= 0) return {2 * key, pair, pair, c1, c2};
  return {2 * key + 1, (std::int64_t{c1} << 32) + c2, -1, c1, c2};
}

void updateNearPairs(const Model& m, std::span<const Box> boxes, NearPairs& near, Arena& scratch) {
  const auto count = static_cast<std::ptrdiff_t>(boxes.size());
  const auto at = [&](std::ptrdiff_t i) -> const Box& { return boxes[i]; };
  if (!near.isListed) {
    near.isListed = true;
    near.box.resize(count);
    std::copy(boxes.begin(), boxes.end(), near.box.begin());
    near.room.clear();
    if (listFew(m, near)) return;
    near.room.resize(count);
    std::copy(boxes.begin(), boxes.end(), near.room.begin());
    updateTree(near.tree, boxes);
    return listAll(m, near);
  }
  if (near.room.empty()) {
    std::copy(boxes.begin(), boxes.end(), near.box.begin());
    return;
  }
  const Arena::Scope scope(scratch);
  const std::span<int> left = scratch.take<int>(count);
  std::size_t number = 0;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    if (!contains(near.room[i], at(i))) {
      near.room[i] = roomAround(at(i), near.box[i]);
      left[number++] = i;
    }
    near.box[i] = at(i);
  }
  if (number == 0) return;
  updateTree(near.tree, near.room);
  if (static_cast<double>(number) > kMany * static_cast<double>(count)) return listAll(m, near);
  listAgain(m, left.first(number), near, scratch);
}

}  // namespace sinew
