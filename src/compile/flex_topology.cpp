#include "compile/flex_topology.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>

namespace sinew::draft {
namespace {

using Pair = std::array<int, 2>;

/// Local edges of an element, by dimension.
std::span<const Pair> localEdges(int dim) {
  static constexpr Pair kSegment[] = {{0, 1}};
  static constexpr Pair kTriangle[] = {{1, 2}, {2, 0}, {0, 1}};
  static constexpr Pair kTetrahedron[] = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {0, 3}, {1, 3}};
  if (dim == 1) return kSegment;
  if (dim == 2) return kTriangle;
  return kTetrahedron;
}

/// Local vertices of the dim + 1 fragments of an element: ends, sides or faces.
std::span<const std::array<int, 3>> localFragments(int dim) {
  static constexpr std::array<int, 3> kEnds[] = {{0}, {1}};
  static constexpr std::array<int, 3> kSides[] = {{0, 1}, {2, 0}, {1, 2}};
  static constexpr std::array<int, 3> kFaces[] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  if (dim == 1) return kEnds;
  if (dim == 2) return kSides;
  return kFaces;
}

void findEdges(int dim, const std::vector<int>& elements, FlexTopology& t) {
  std::unordered_map<std::uint64_t, int> known;  // only looked up, never walked through
  const std::size_t corners = static_cast<std::size_t>(dim) + 1;
  for (std::size_t e = 0; e < elements.size(); e += corners) {
    for (const Pair& local : localEdges(dim)) {
      const int a = elements[e + static_cast<std::size_t>(local[0])];
      const int b = elements[e + static_cast<std::size_t>(local[1])];
      const Pair edge{std::min(a, b), std::max(a, b)};
      const std::uint64_t key = (static_cast<std::uint64_t>(edge[0]) << 32) | static_cast<std::uint32_t>(edge[1]);
      const auto [found, added] = known.emplace(key, static_cast<int>(t.edges.size()));
      if (added) t.edges.push_back(edge);
      t.elementEdges.push_back(found->second);
    }
  }
}

void findHinges(const std::vector<int>& triangles, FlexTopology& t) {
  struct Fold {
    std::array<int, 4> vertices{-1, -1, -1, -1};
    int count = 0;
  };
  std::vector<Fold> folds(t.edges.size());
  for (std::size_t k = 0; k < t.elementEdges.size(); ++k) {
    const std::size_t first = k / 3 * 3, local = k % 3;
    // local edge k runs from corner k+1 to corner k+2 and is opposite to corner k
    const int from = triangles[first + (local + 1) % 3], to = triangles[first + (local + 2) % 3];
    const int opposite = triangles[first + local];
    Fold& fold = folds[t.elementEdges[k]];
    if (fold.count++ == 0) {
      fold.vertices = {from, to, opposite, -1};
    } else {
      fold.vertices[3] = opposite;
    }
  }
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (folds[i].count == 2) t.hinges.push_back(folds[i].vertices);
    if (folds[i].count > 2) t.crowdedEdges.push_back(static_cast<int>(i));
  }
}

struct Fragment {
  std::array<int, 3> sorted{-1, -1, -1};
  int element = 0;
  std::array<int, 3> vertices{-1, -1, -1};

  bool sameAs(const Fragment& other) const { return sorted == other.sorted; }
  bool operator<(const Fragment& other) const {
    return sorted != other.sorted ? sorted < other.sorted : element < other.element;
  }
};

std::vector<Fragment> sortedFragments(int dim, const std::vector<int>& elements) {
  std::vector<Fragment> fragments;
  fragments.reserve(elements.size());
  const std::size_t corners = static_cast<std::size_t>(dim) + 1;
  for (std::size_t e = 0; e < elements.size(); e += corners) {
    for (const std::array<int, 3>& local : localFragments(dim)) {
      Fragment& f = fragments.emplace_back();
      f.element = static_cast<int>(e / corners);
      for (std::size_t k = 0; k < static_cast<std::size_t>(dim); ++k)
        f.vertices[k] = elements[e + static_cast<std::size_t>(local[k])];
      f.sorted = f.vertices;
      std::sort(f.sorted.begin(), f.sorted.begin() + dim);
    }
  }
  std::sort(fragments.begin(), fragments.end());
  return fragments;
}

/// Two elements with a common fragment.
struct Contact {
  Pair elements{};
  std::array<int, 3> common{};
};

/// Whether the vertices of a face are an even permutation of their order: faces of elements on both sides of it differ.
bool isEven(const std::array<int, 3>& v) { return (v[0] < v[1]) ^ (v[1] < v[2]) ^ (v[0] < v[2]); }

/// Tetrahedra on one side of a common face.
void findFacesTwice(std::span<const Fragment> same, std::vector<Pair>& overlaps) {
  for (std::size_t i = 0; i < same.size(); ++i) {
    for (std::size_t j = i + 1; j < same.size(); ++j) {
      if (isEven(same[i].vertices) == isEven(same[j].vertices)) {
        overlaps.push_back({same[i].element, same[j].element});
        break;  // a chain of pairs names them all
      }
    }
  }
}

/// Segments and triangles with the same vertices.
void findTwins(int dim, const std::vector<int>& elements, std::vector<Pair>& overlaps) {
  std::vector<Fragment> whole(elements.size() / static_cast<std::size_t>(dim + 1));
  for (std::size_t e = 0; e < whole.size(); ++e) {
    whole[e].element = static_cast<int>(e);
    std::copy_n(&elements[e * static_cast<std::size_t>(dim + 1)], dim + 1, whole[e].sorted.begin());
    std::sort(whole[e].sorted.begin(), whole[e].sorted.begin() + dim + 1);
  }
  std::sort(whole.begin(), whole.end());
  for (std::size_t e = 1; e < whole.size(); ++e) {
    if (whole[e].sameAs(whole[e - 1])) overlaps.push_back({whole[e - 1].element, whole[e].element});
  }
}

/// Breadth first from the border elements. An element no border is reachable from gets numElements + 1.
std::vector<int> layersOf(int numElements, const std::vector<char>& border, const std::vector<Contact>& contacts) {
  const std::size_t n = static_cast<std::size_t>(numElements);
  std::vector<std::vector<int>> neighbours(n);
  for (const Contact& c : contacts) {
    neighbours[c.elements[0]].push_back(c.elements[1]);
    neighbours[c.elements[1]].push_back(c.elements[0]);
  }
  std::vector<int> layers(n, numElements + 1);
  std::deque<std::size_t> pending;
  for (std::size_t e = 0; e < n; ++e) {
    if (!border[e]) continue;
    layers[e] = 0;
    pending.push_back(e);
  }
  for (; !pending.empty(); pending.pop_front()) {
    const int next = layers[pending.front()] + 1;
    for (const int neighbour : neighbours[pending.front()]) {
      const std::size_t e = static_cast<std::size_t>(neighbour);
      if (layers[e] <= next) continue;
      layers[e] = next;
      pending.push_back(e);
    }
  }
  return layers;
}

void findBorder(int dim, const std::vector<int>& elements, FlexTopology& t) {
  const int numElements = static_cast<int>(elements.size()) / (dim + 1);
  const std::vector<Fragment> fragments = sortedFragments(dim, elements);
  std::vector<char> border(static_cast<std::size_t>(numElements), 0);
  std::vector<Contact> contacts;
  for (std::size_t i = 0; i < fragments.size();) {
    std::size_t end = i + 1;
    for (; end < fragments.size() && fragments[end].sameAs(fragments[i]); ++end)
      contacts.push_back({{fragments[end - 1].element, fragments[end].element}, fragments[i].sorted});
    if (dim == 3 && end > i + 1) findFacesTwice(std::span(fragments).subspan(i, end - i), t.overlaps);
    if (end == i + 1) {
      border[fragments[i].element] = 1;
      t.shell.insert(t.shell.end(), fragments[i].vertices.begin(), fragments[i].vertices.begin() + dim);
    }
    i = end;
  }

  if (dim == 3) {
    t.layers = layersOf(numElements, border, contacts);
    return;
  }
  t.layers.assign(static_cast<std::size_t>(numElements), 0);
  for (const Contact& c : contacts) {
    if (!border[c.elements[0]] && !border[c.elements[1]]) continue;
    for (const std::size_t side : {0u, 1u}) {
      const std::size_t first = static_cast<std::size_t>(c.elements[side] * (dim + 1));
      for (std::size_t k = 0; k <= static_cast<std::size_t>(dim); ++k) {
        const int vertex = elements[first + k];
        if (std::find(c.common.begin(), c.common.begin() + dim, vertex) != c.common.begin() + dim) continue;
        t.elementVertexPairs.push_back({c.elements[1 - side], vertex});
        break;
      }
    }
  }
}

}  // namespace

FlexTopology topologyOf(int dim, const std::vector<int>& elements) {
  FlexTopology t;
  findEdges(dim, elements, t);
  if (dim == 2) findHinges(elements, t);
  findBorder(dim, elements, t);
  if (dim < 3) findTwins(dim, elements, t.overlaps);
  std::sort(t.overlaps.begin(), t.overlaps.end());
  t.overlaps.erase(std::unique(t.overlaps.begin(), t.overlaps.end()), t.overlaps.end());
  return t;
}

}  // namespace sinew::draft
