#pragma once

#include <cstdint>
#include <utility>

#include "base/check.h"
#include "sinew/contact.h"
#include "sinew/model.h"

namespace sinew {

/// What makes a contact the same contact in the next step, as long as the model is the same: its two colliders (geom,
/// or ngeom + flex; the smaller number first) and the features that touch. Warm starts and the events of a World go by
/// it. Contacts may agree in it; then their order tells them apart.
struct ContactIdentity {
  int first = 0, second = 0;
  std::uint64_t feature = 0;
};

inline ContactIdentity identityOf(const Model& m, const Contact& c) {
  const auto collider = [&](std::size_t side) { return c.geom[side] >= 0 ? c.geom[side] : m.ngeom + c.flex[side]; };
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    SINEW_CHECK((c.geom[side] >= 0) != (c.flex[side] >= 0), "a side of a contact is a geom or a flex");
  }
  std::size_t first = 0, second = 1;
  if (collider(second) < collider(first)) std::swap(first, second);
  std::uint64_t feature = static_cast<std::uint32_t>(c.feature);
  if (collider(second) >= m.ngeom) {  // mixed, so that elements and vertices of both sides count
    for (const std::size_t side : {first, second}) {
      for (const int part : {c.elem[side], c.vert[side]}) {
        feature = (feature ^ static_cast<std::uint32_t>(part + 1)) * 0x9E3779B97F4A7C15ull;
      }
    }
  }
  return {collider(first), collider(second), feature};
}

}  // namespace sinew
