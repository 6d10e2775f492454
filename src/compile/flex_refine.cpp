#include "compile/flex_refine.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compile/flex_mass.h"
#include "elastic/tetrahedron.h"

namespace sinew::draft {

EdgeMiddles refineTetrahedra(std::vector<int>& elements, std::vector<Vec3>& points) {
  EdgeMiddles middles;
  std::map<std::pair<int, int>, int> known;
  const auto at = [&](int i) -> const Vec3& { return points[i]; };
  const auto middle = [&](int a, int b) {
    const auto [entry, isNew] = known.try_emplace(std::minmax(a, b), static_cast<int>(points.size()));
    if (isNew) {
      const Vec3 place = 0.5 * (at(a) + at(b));
      points.push_back(place);
      middles.push_back({std::min(a, b), std::max(a, b)});
    }
    return entry->second;
  };
  std::vector<int> pieces;
  pieces.reserve(kPiecesOfTetrahedron * elements.size());
  const auto add = [&](std::array<int, 4> piece) {
    const Vec3 a = at(piece[1]) - at(piece[0]), b = at(piece[2]) - at(piece[0]), c = at(piece[3]) - at(piece[0]);
    if (a.cross(b).dot(c) > 0) std::swap(piece[1], piece[2]);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  };
  for (std::size_t e = 0; e < elements.size(); e += 4) {
    std::array<int, 10> v;
    std::copy_n(&elements[e], 4, v.begin());
    {
      const Vec3 a = at(v[1]) - at(v[0]), b = at(v[2]) - at(v[0]), c = at(v[3]) - at(v[0]);
      if (a.cross(b).dot(c) > 0) std::swap(v[1], v[2]);
    }
    for (std::size_t k = 0; k < 6; ++k) {
      const auto [i, j] = elastic::QuadraticTetrahedron::kEdge[k];
      v[4 + k] = middle(v[i], v[j]);
    }
    // copies of the whole, half as large: 01 is 4, 02 is 5, 03 is 6, 12 is 7, 13 is 8, 23 is 9
    for (const auto& piece :
         {std::array{0, 4, 5, 6}, std::array{4, 1, 7, 8}, std::array{5, 7, 2, 9}, std::array{6, 8, 9, 3}}) {
      for (const int k : piece) pieces.push_back(v[k]);
    }
    // opposite middles, and the ring of the other four
    constexpr std::array<std::array<int, 6>, 3> kInside{{{4, 9, 5, 6, 8, 7}, {5, 8, 4, 6, 9, 7}, {6, 7, 4, 5, 9, 8}}};
    const auto length = [&](const std::array<int, 6>& d) { return (at(v[d[0]]) - at(v[d[1]])).squaredNorm(); };
    const auto& best = *std::min_element(kInside.begin(), kInside.end(),
                                         [&](const auto& a, const auto& b) { return length(a) < length(b); });
    for (std::size_t k = 0; k < 4; ++k) {
      const auto vertex = [&](std::size_t i) { return v[best[i]]; };
      add({vertex(0), vertex(1), vertex(2 + k), vertex(2 + (k + 1) % 4)});
    }
  }
  elements = std::move(pieces);
  return middles;
}

std::array<int, 10> wholeTetrahedron(const int* p) {
  return {p[0], p[5], p[10], p[15], p[1], p[2], p[3], p[6], p[7], p[11]};
}

std::vector<double> quadraticMasses(double density, const std::vector<Vec3>& points, const std::vector<int>& pieces) {
  std::vector<double> masses(points.size(), 0.0);
  for (std::size_t e = 0; e < pieces.size(); e += 4 * kPiecesOfTetrahedron) {
    const std::array<int, 10> whole = wholeTetrahedron(&pieces[e]);
    const double mass = density * measureOf(3, points, whole.data());
    for (std::size_t k = 0; k < 10; ++k) {
      masses[whole[k]] += mass * (k < 4 ? elastic::kCornerMass : elastic::kMiddleMass);
    }
  }
  return masses;
}

}  // namespace sinew::draft
