#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "compile/flex_parameters.h"
#include "compile/flex_refine.h"
#include "compile/flex_topology.h"
#include "math/quat.h"
#include "math/types.h"
#include "sinew/spec.h"

namespace sinew::draft {

/// A point that carries a flex: where its mass is, and where forces on it act.
struct FlexPoint {
  int body = 0;                        ///< body it is fixed to, or was declared under
  Vec3 pos = Vec3::Zero();             ///< in that body, at rest
  bool free = false;                   ///< moves on its own: a node with three coordinates
  double mass = 0;                     ///< of free and pinned points, kg
  Vec3 rest = Vec3::Zero();            ///< in the world at qpos0
  const spec::FlexPin* pin = nullptr;  ///< that holds it
  bool section = false;                ///< of a rod with twist, beside its vertices
};

/// A share of a point in the position of a vertex.
struct FlexSupport {
  int point = 0;  ///< within the flex
  double weight = 0;
};

/// A segment of a rod with twist and the three points of its section, see elastic/section.h.
struct SectionDraft {
  std::array<int, 5> points{};
  std::array<double, 2> size{}, stiffness{};
};

/// What bends and twists between two segments of a rod, or between a segment and its clamp.
struct JointDraft {
  std::array<int, 9> points{};
  Vec3 stiffness = Vec3::Zero(), relaxed = Vec3::Zero();
};

struct Flex {
  const spec::FlexBase* spec = nullptr;
  const spec::Flex* listed = nullptr;  ///< one of these two
  const spec::Flexcomp* generated = nullptr;
  FlexParameters parameters;
  int dim = 2;
  FlexDof dof = FlexDof::Full;
  bool rigid = false;
  int parent = 0;  ///< body the flexcomp is in
  int place = 0;   ///< number of bodies that come before it

  std::vector<FlexPoint> points;
  std::vector<int> elements;
  std::vector<Vec3> vertices;  ///< in the world at qpos0
  FlexTopology topology;

  // interpolation
  std::array<int, 3> cells{1, 1, 1};
  std::vector<char> emptyCells;       ///< volumes: cells that hold nothing of the flex
  std::vector<Vec3> localVertices;    ///< in the parent body
  std::vector<Vec3> unit;             ///< vertices in unit coordinates of the box of nodes
  std::vector<FlexSupport> supports;  ///< in order of the vertices
  std::vector<int> supportNum;        ///< per vertex

  // rods with twist; points count within the flex
  Quat orientation;  ///< of the coordinates in which the points were given, in the parent body
  std::vector<SectionDraft> sections;
  std::vector<JointDraft> joints;

  /// Bodies with slides that stand for points with dof radial and 2d. Draft::bodies points here.
  std::deque<spec::Body> slideBodies;
  std::vector<int> slidePoints;  ///< the points they stand for

  bool isInterpolated() const { return FlexParameters::isInterpolated(dof); }
  /// Order of interpolation, negative for shells, 0 without.
  int interpolation() const {
    if (!isInterpolated()) return 0;
    return parameters.isShell(dof) ? -order() : order();
  }
  int order() const { return dof == FlexDof::Trilinear ? 1 : 2; }
  /// The element as its author counts it: tetrahedra of second order are eight each here.
  int declared(int element) const { return dim == 3 && orderOf(*spec) == 2 ? element / kPiecesOfTetrahedron : element; }
  int numVertices() const { return static_cast<int>(vertices.size()); }
  const FlexPoint& point(int i) const { return points[i]; }
  const Vec3& vertex(int i) const { return vertices[i]; }
};

/// Where the flex was written.
Place placeOf(const Flex& flex);

}  // namespace sinew::draft
