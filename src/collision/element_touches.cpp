#include "collision/element_touches.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "collision/collide_memory.h"
#include "math/types.h"
#include "model/workspace.h"

namespace sinew {
namespace {

constexpr int kPartKindShift = 62, kPartShift = 31;

std::uint64_t partCode(int kind, int first, int second = 0) {
  return (static_cast<std::uint64_t>(kind) << kPartKindShift) | (static_cast<std::uint64_t>(first) << kPartShift) |
         static_cast<std::uint64_t>(second);
}

/// Whether every element keeps what it finds.
bool repeats(const Model& m, const Touching& a, const Touching& b) {
  const auto hasOwnLaw = [&](const Touching& t) { return t.flex >= 0 && m.flex_law[t.flex] != FlexLaw::Reference; };
  return !hasOwnLaw(a) && !hasOwnLaw(b);
}

}  // namespace

ElementTouches::ElementTouches(const Model& m, Data& d) : m_(m), d_(d) { d.work->collideMemory->touches.clear(); }

bool ElementTouches::isFull() const { return d_.work->collideMemory->touches.size() > kMostContacts; }

/// The code of the vertex, edge or element of side t that touches; t becomes that vertex if it is one.
std::uint64_t ElementTouches::reduceToPart(Touching& t, const Vec3& touch, const Vec3& inward) const {
  if (t.flex < 0) return 0;
  const TouchedVertices touched = touchedVertices(m_, d_, t, touch, inward);
  std::array<int, 4> corner{};
  int count = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(touched.count); ++i) {
    if (touched.weight[i] > 0) corner[count++] = touched.vertex[i];
  }
  if (count == 1) {
    t.elem = -1;
    t.vert = corner[0] - m_.flex_vertadr[t.flex];
    return partCode(1, corner[0]);
  }
  if (count == 2) return partCode(2, std::min(corner[0], corner[1]), std::max(corner[0], corner[1]));
  return partCode(3, m_.flex_elemadr[t.flex] + t.elem);
}

void ElementTouches::add(const geom::ContactPoint& point, Touching a, Touching b) {
  ElementTouch touch{.point = point, .a = a, .b = b};
  if (!repeats(m_, a, b)) {
    const Vec3 half = (0.5 * point.dist) * point.normal;
    touch.part = {reduceToPart(touch.a, point.pos - half, -point.normal),
                  reduceToPart(touch.b, point.pos + half, point.normal)};
    if (a.flex == b.flex && touch.part[1] < touch.part[0]) std::swap(touch.part[0], touch.part[1]);
  }
  d_.work->collideMemory->touches.push_back(touch);
}

void ElementTouches::markRepeated() {
  CollideMemory::Store& memory = *d_.work->collideMemory;
  Array<int>& order = memory.touchOrder;
  order.clear();
  const Array<ElementTouch>& touches = memory.touches;
  for (int i = 0; i < static_cast<int>(touches.size()); ++i) {
    if (!repeats(m_, touches[i].a, touches[i].b)) order.push_back(i);
  }
  const auto key = [&](int i) { return std::tuple(touches[i].part, touches[i].point.feature); };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return std::tuple(key(i), i) < std::tuple(key(j), j); });
  for (std::ptrdiff_t k = 1; k < order.size(); ++k) {
    if (key(order[k]) == key(order[k - 1])) memory.touches[order[k]].isRepeated = true;
  }
}

void ElementTouches::makeContacts(const MixedParameters& p, ContactLimit& limit) {
  markRepeated();
  for (const ElementTouch& touch : d_.work->collideMemory->touches) {
    if (touch.isRepeated) continue;
    addContact(m_, d_, p, touch.point, touch.a, touch.b);
    limit.check();
  }
  d_.work->collideMemory->touches.clear();
}

}  // namespace sinew
