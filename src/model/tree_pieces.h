#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/parallel.h"
#include "model/awake.h"

namespace sinew {

/// Bodies with all that hangs on them, from children of the world on: passes along trees never leave them. What they
/// hand to the world itself is left out, or added up afterwards.
struct TreePiece {
  int body = 0, bodyEnd = 0;
  int geom = 0, geomEnd = 0;
  int dof = 0, dofEnd = 0;  ///< flex nodes are behind the last bodies

  /// The part of a list of bodies, growing, that is in it.
  std::span<const int> bodies(std::span<const int> list) const { return between(list, body, bodyEnd); }
  /// The same for dofs.
  std::span<const int> dofs(std::span<const int> list) const { return between(list, dof, dofEnd); }

 private:
  static std::span<const int> between(std::span<const int> list, int begin, int end) {
    const auto first = std::lower_bound(list.begin(), list.end(), begin),
               last = std::lower_bound(first, list.end(), end);
    return {first, last};
  }
};

namespace detail {

inline constexpr int kPieceBodies = 64;  ///< some microseconds of work in one pass
inline constexpr int kFewestPieces = 4, kMostPieces = 32;

}  // namespace detail

/// Calls f(piece) for pieces that are all of the model, in threads if there are many bodies; with one thread for all in
/// one. Trees have nothing to do with each other, so it makes no difference where they are cut. The compiler numbers
/// the bodies of a tree in a row; a model in which they are not is worked on in one piece.
template <class F>
void forEachTreePiece(const Model& m, const Data& d, F&& f) {
  const TreePiece whole{0, m.nbody, 0, m.ngeom, 0, m.nv};
  if (d.threads < 2 || m.nbody < detail::kFewestPieces * detail::kPieceBodies) return f(whole);
  const int least = std::max(detail::kPieceBodies, (m.nbody + detail::kMostPieces - 1) / detail::kMostPieces);
  std::array<TreePiece, detail::kMostPieces> pieces;
  std::size_t count = 0;
  TreePiece piece;
  for (int b = 0; b < m.nbody; ++b) {
    if (b - piece.body >= least && m.body_parentid[b] == 0) {
      pieces[count++] = piece;
      piece = {b, b, piece.geomEnd, piece.geomEnd, piece.dofEnd, piece.dofEnd};
    }
    if (m.body_parentid[b] > 0 && m.body_parentid[b] < piece.body) return f(whole);
    piece.bodyEnd = b + 1;
    piece.geomEnd += m.body_geomnum[b];
    piece.dofEnd += m.body_dofnum[b];
  }
  piece.dofEnd = m.nv;
  pieces[count++] = piece;
  parallelFor(d.threads, static_cast<int>(count), [&](int i, int) { f(pieces[static_cast<std::size_t>(i)]); });
}

/// As forEachAwakeRun(), within a piece.
template <class F>
void forEachAwakeRunIn(const Model& m, const Data& d, const TreePiece& piece, F&& f) {
  forEachAwakeRun(m, d, [&](int begin, int end) {
    begin = std::max(begin, piece.dof);
    end = std::min(end, piece.dofEnd);
    if (begin < end) f(begin, end);
  });
}

}  // namespace sinew
