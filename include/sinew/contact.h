#pragma once

#include <array>

namespace sinew {

/// One side of a contact: a weighted set of carriers whose mean moves the material point, v_p = sum_k w_k v_k(p) with
/// sum_k w_k = 1. A range into Data::support_carrier and Data::support_weight. A carrier below nbody is a body, others
/// are flex nodes: carrier - nbody. No carrier occurs twice in a side.
struct ContactSide {
  int begin = 0;
  int count = 0;
};

/// Why a contact has no rows.
enum class ContactExclude : int {
  None = 0,    ///< it has rows
  InGap = 1,   ///< detected, but too far apart for a force
  NoDofs = 3,  ///< neither side can move
  Passive = 4  ///< it has one row without friction, a spring instead of what solref and solimp say
};

/// A point where two colliders touch or nearly touch.
struct Contact {
  double dist = 0;                         ///< signed distance, negative when they overlap, m
  std::array<double, 3> pos{};             ///< midway between the two surfaces, world
  std::array<double, 9> frame{};           ///< rows: normal (from the first collider to the second), two tangents
  double includemargin = 0;                ///< there is a force when dist < includemargin
  std::array<double, 5> friction{};        ///< two sliding, spinning, two rolling
  std::array<double, 2> solref{};          ///< of the normal
  std::array<double, 2> solreffriction{};  ///< of friction; zero: as the normal
  std::array<double, 5> solimp{};
  double mu = 0;           ///< regularized friction of an elliptic cone [rows]
  double adhesion = 0;     ///< attractive force along the normal, N
  double restitution = 0;  ///< share of the normal velocity that an impact returns
  int feature = 0;         ///< which parts of the two colliders touch: the same number from step to step
  int dim = 3;             ///< 1, 3, 4 or 6
  bool swept = false;      ///< hard in this step, which would pass it; apart: dist is the way up to where it is met
  std::array<int, 2> geom{-1, -1};  ///< of each side; -1: that side is a flex
  std::array<int, 2> flex{-1, -1};  ///< of each side; -1: that side is a geom
  std::array<int, 2> elem{-1, -1};  ///< which element of the flex touches (counted within it), or
  std::array<int, 2> vert{-1, -1};  ///< which of its vertices
  std::array<ContactSide, 2> side{};
  ContactExclude exclude = ContactExclude::None;
  int efc_address = -1;  ///< first row, -1: none [rows]
};

}  // namespace sinew
