#pragma once

#include <cstdint>

#include "geom/element.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// On which side of the triangles of a sheet geoms are. A sheet has no inside: how deep something is in it does not say
/// where it came from. What does is kept from step to step, as part of the state (Data::row_memory), for every geom and
/// triangle that are near each other. Planes and height fields have no other side and need no memory.
namespace sinew {

/// Keys of sides are above those of impulses (constraint/impulse_memory.cpp).
inline constexpr int kKeyKindShift = 61, kSideGeomShift = 31;
inline constexpr std::uint64_t kSideKind = 5;

inline std::uint64_t sideKey(int geom, int elem) {
  return (kSideKind << kKeyKindShift) | (static_cast<std::uint64_t>(geom) << kSideGeomShift) |
         static_cast<std::uint64_t>(elem);
}
inline bool isSideKey(std::uint64_t key) { return key >> kKeyKindShift == kSideKind; }
inline int geomOfSide(std::uint64_t key) {
  return static_cast<int>((key >> kSideGeomShift) & ((std::uint64_t{1} << 30) - 1));
}
inline int elemOfSide(std::uint64_t key) { return static_cast<int>(key & ((std::uint64_t{1} << kSideGeomShift) - 1)); }

/// Whether sides of a flex are remembered with respect to a geom.
bool hasSides(const Model& m, int geom, int flex);

/// Starts the list of this step: what sleeps stays where it is. [collide]
void beginSides(const Model& m, Data& d);

/// The side that is remembered: 1 if the geom is where the triangle's normal points to, -1, or 0 if it is not known.
/// `elem` counts over all flexes.
double recallSide(const Data& d, int geom, int elem);

/// Notes for the next step on which side a geom is, given a normal from the geom to the triangle, unless the two meet
/// at the rim: there a geom may go round.
void noteSide(Data& d, int geom, int elem, const geom::Element& triangle, const Vec3& normal);

/// Data::row_memory = its impulses and the sides that collide() has noted. [step]
void rememberSides(Data& d);

}  // namespace sinew
