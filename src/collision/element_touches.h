#pragma once

#include <array>
#include <cstdint>

#include "collision/contact_limit.h"
#include "collision/contact_maker.h"

namespace sinew {

/// A place where an element of a flex touches something, before it is a contact.
struct ElementTouch {
  geom::ContactPoint point;
  Touching a, b;
  std::array<std::uint64_t, 2> part{};  ///< of both sides: which vertex, edge or element touches
  bool isRepeated = false;
};

/// What the elements of one pair of colliders touch. All elements around a vertex, and all at an edge, find the same
/// place if it is the vertex or the edge that touches: six triangles find a vertex of a cloth. Such a place is one
/// contact, of the first element that found it; a vertex is then the vertex alone, as with planes. Under the law of the
/// reference engine, where a vertex is as stiff as there are elements around it, each of them keeps its own.
///
/// Two places are the same if the same parts of both sides touch: vertex, edge or inside of an element of a flex, and
/// ContactPoint::feature of a geom.
class ElementTouches {
 public:
  ElementTouches(const Model& m, Data& d);

  void add(const geom::ContactPoint& point, Touching a, Touching b);

  /// More than a step may have as contacts: makeContacts() should come now.
  bool isFull() const;

  /// Adds the contacts, in the order of add(), and forgets what has touched.
  void makeContacts(const MixedParameters& p, ContactLimit& limit);

 private:
  std::uint64_t reduceToPart(Touching& t, const Vec3& touch, const Vec3& inward) const;
  void markRepeated();

  const Model& m_;
  Data& d_;
};

}  // namespace sinew
