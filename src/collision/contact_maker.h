#pragma once

#include <array>
#include <span>

#include "collision/collision.h"

namespace sinew {

/// What is on one side of a contact: a geom, or a flex with one of its elements or vertices (counted within it).
struct Touching {
  int geom = -1, flex = -1, elem = -1, vert = -1;
};

/// Appends a contact to d.contact and the carriers of its sides to d.support_carrier, d.support_weight. A geom is
/// carried by its body. A vertex is carried by its point, or by the points it is interpolated between; an element by
/// its vertices with the barycentric weights of the touching point (without the vertex on the other side, where an
/// element meets one of its own).
void addContact(const Model& m, Data& d, const MixedParameters& p, const geom::ContactPoint& point, const Touching& a,
                const Touching& b);

/// The same for a contact whose sides touch elsewhere than half its distance from its point.
void addContactAt(const Model& m, Data& d, const MixedParameters& p, const geom::ContactPoint& point, const Touching& a,
                  const Touching& b, const Vec3& onA, const Vec3& onB);

/// The same for all points between two geoms.
void addContacts(const Model& m, Data& d, const MixedParameters& p, std::span<const geom::ContactPoint> points,
                 int geom1, int geom2);

/// Whether one of the points is near enough for rows.
bool hasForce(std::span<const geom::ContactPoint> points, const MixedParameters& p, const Option& opt);

/// Vertices of a flex that a side of a contact touches, counted over all flexes, and their shares, which sum up to 1.
struct TouchedVertices {
  int count = 0;  ///< 0: the side is a geom
  std::array<int, 4> vertex{};
  std::array<double, 4> weight{};
};

/// `touch`: where the surface of side t touches; `inward`: from there into it. Under the textbook laws corners whose
/// share is no more than rounding have none.
TouchedVertices touchedVertices(const Model& m, const Data& d, const Touching& t, const Vec3& touch,
                                const Vec3& inward);

/// The same for a contact that has been added, as long as flexvert_xpos is that of its making.
TouchedVertices touchedVertices(const Model& m, const Data& d, const Contact& contact, std::size_t side);

}  // namespace sinew
