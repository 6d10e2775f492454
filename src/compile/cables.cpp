#include "compile/cables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compile/place.h"

namespace sinew::draft {
namespace {

/// A body bends against its parent if both are part of the same cable.
bool bends(const Draft& draft, const Body& body) {
  const std::string& cable = body.spec->cable;
  return &body != &draft.bodies[0] && !cable.empty() && draft.body(body.parent).spec->cable == cable;
}

/// What a cross section does about the body's axes: the torsion constant, and the second moments of area about y and z
/// [Young and Budynas 2002, tables 10.7 and A.1].
Vec3 sectionOf(const Body& body) {
  const Geom* geom = body.geoms.empty() ? nullptr : &body.geoms[0];
  if (geom && (geom->type == GeomType::Capsule || geom->type == GeomType::Cylinder)) {
    const double r4 = std::pow(geom->size[0], 4);
    return std::numbers::pi * Vec3(r4 / 2, r4 / 4, r4 / 4);
  }
  if (geom && geom->type == GeomType::Box) {
    const double y = geom->size[1], z = geom->size[2];
    const double a = std::max(y, z), b = std::min(y, z);
    const double torsion = a * b * b * b * (16.0 / 3 - 3.36 * b / a * (1 - std::pow(b / a, 4) / 12));
    return {torsion, 4.0 / 3 * y * z * z * z, 4.0 / 3 * z * y * y * y};
  }
  placeOf(*body.spec).fail("the first geom of a body of a cable must be a capsule, a cylinder or a box");
}

const spec::Cable& cableOf(const Draft& draft, const Body& body) {
  const auto& cables = draft.spec->cables;
  const auto found = std::find_if(cables.begin(), cables.end(),
                                  [&](const spec::Cable& cable) { return cable.name == body.spec->cable; });
  if (found == cables.end()) {
    placeOf(*body.spec).fail(fmt::format("it is part of the cable \"{}\", which does not exist", body.spec->cable));
  }
  return *found;
}

}  // namespace

int countCables(const Draft& draft) {
  return static_cast<int>(
      std::count_if(draft.bodies.begin(), draft.bodies.end(), [&](const Body& body) { return bends(draft, body); }));
}

void writeCables(const Draft& draft, Model& m) {
  int n = 0;
  for (int b = 0; b < m.nbody; ++b) {
    const Body& body = draft.body(b);
    if (!bends(draft, body)) continue;
    const spec::Cable& cable = cableOf(draft, body);
    if (m.body_jntnum[b] != 1 || m.jnt_type[m.body_jntadr[b]] != JointType::Ball) {
      placeOf(*body.spec).fail("a body of a cable needs one joint, of type ball, to bend against the body before it");
    }
    const double length = body.pose.pos.norm();
    if (!(length > 0)) placeOf(*body.spec).fail("it stands where the body before it in the cable does");
    const Vec3 stiffness = Vec3(cable.twist, cable.bend, cable.bend).cwiseProduct(sectionOf(body)) / length;
    const Vec3 relaxed = cable.flat ? Vec3::Zero().eval() : toRotationVector(body.pose.quat);
    m.cable_jntid[n] = m.body_jntadr[b];
    MapVec3(&m.cable_stiffness[3 * n]) = stiffness;
    MapVec3(&m.cable_relaxed[3 * n]) = relaxed;
    ++n;
  }
}

}  // namespace sinew::draft
