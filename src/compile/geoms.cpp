#include "compile/geoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compile/contacts.h"
#include "compile/orientation.h"
#include "compile/place.h"
#include "geom/fluid.h"
#include "geom/mesh_error.h"

namespace sinew::draft {
namespace {

/// Volumes and masses up to this count as nothing.
constexpr double kTiny = 1e-14;

/// Sizes that must be positive for a shape, 0 for shapes that bring their own.
int numSizes(GeomType type) {
  switch (type) {
    case GeomType::Sphere:
      return 1;
    case GeomType::Capsule:
    case GeomType::Cylinder:
      return 2;
    case GeomType::Ellipsoid:
    case GeomType::Box:
      return 3;
    case GeomType::Plane:
    case GeomType::HField:
    case GeomType::Mesh:
    case GeomType::Sdf:
      break;
  }
  return 0;
}

/// Shapes that can be given by their two end points.
bool isLong(GeomType type) {
  return type == GeomType::Capsule || type == GeomType::Cylinder || type == GeomType::Ellipsoid ||
         type == GeomType::Box;
}

/// Pose and size of a geom or site: from `fromto`, or from pos and orientation.
template <class Element>
void placeShape(const Element& spec, GeomType type, const spec::Compiler& compiler, const Place& place, Pose& pose,
                Vec3& size) {
  size = toVec3(spec.size);
  if (!spec.fromto) {
    pose = {toVec3(spec.pos), orientationOf(spec.orientation, compiler, place)};
    return;
  }
  if (!isLong(type)) place.fail("'fromto' is for capsules, cylinders, ellipsoids and boxes");
  if (spec.pos != spec::Vec3{0, 0, 0}) place.fail("'pos' and 'fromto' cannot both be given");
  const Segment segment = segmentOf(*spec.fromto, place);
  pose = segment.pose;
  if (type == GeomType::Ellipsoid || type == GeomType::Box) {
    size = {size[0], size[0], segment.halfLength};
  } else {
    size[1] = segment.halfLength;
  }
}

void checkGeom(const spec::Geom& spec, bool moving, const Place& place) {
  checkContactParameters(spec.condim, spec.friction, spec.margin, spec.gap, spec.restitution, place);
  if (spec.type == GeomType::Sdf) place.fail("type=\"sdf\" is not supported");
  if (spec.type == GeomType::Mesh && spec.mesh.empty()) place.fail("a geom of type mesh needs the attribute 'mesh'");
  if (spec.type == GeomType::HField && spec.hfield.empty()) {
    place.fail("a geom of type hfield needs the attribute 'hfield'");
  }
  if (spec.type != GeomType::HField && !spec.hfield.empty()) place.fail("'hfield' is for geoms of type hfield");
  if (spec.type == GeomType::Plane && moving) place.fail("a plane cannot be part of a moving body");
  if (spec.density < 0) place.fail(fmt::format("'density' must not be negative, found {}", spec.density));
  if (spec.mass && *spec.mass < 0) place.fail(fmt::format("'mass' must not be negative, found {}", *spec.mass));
}

void checkSize(GeomType type, const Vec3& size, const Place& place) {
  if (type == GeomType::Plane) {
    if (!(size[2] > 0)) place.fail("the third number of a plane's 'size' (grid spacing) must be positive");
    return;
  }
  for (int i = 0; i < numSizes(type); ++i) {
    if (!(size[i] > 0)) {
      place.fail(fmt::format("number {} of 'size' must be positive for this shape, found {}", i + 1, size[i]));
    }
  }
}

/// A velocity field given in the frame outside, seen from the frame `inner`: w' = R^T w, v' = R^T (v + w x p).
std::array<double, 6> surfaceVelocityIn(const Pose& inner, const std::array<double, 6>& outer) {
  const Vec3 v(outer[0], outer[1], outer[2]), w(outer[3], outer[4], outer[5]);
  const Quat back = inner.quat.conjugate();
  const Vec3 linear = rotate(back, v + w.cross(inner.pos)), angular = rotate(back, w);
  return {linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]};
}

int indexOf(const auto& elements, const std::string& name) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].spec->name == name) return static_cast<int>(i);
  }
  return -1;
}

/// A geom that shows a mesh sits in the mesh's own frame; any other type is a primitive fitted to the mesh.
void applyMesh(const Draft& draft, const Place& place, Geom& geom) {
  const int index = indexOf(draft.meshes, geom.spec->mesh);
  if (index < 0) place.fail(fmt::format("no mesh is named \"{}\"", geom.spec->mesh));
  if (geom.spec->fromto) place.fail("'fromto' and 'mesh' cannot both be given");
  const geom::Mesh& mesh = *draft.meshes[index].mesh;

  Pose inner = mesh.frame;
  if (geom.type == GeomType::Mesh) {
    if (geom.spec->shellinertia) place.fail("'shellinertia' is not for mesh geoms: use inertia=\"shell\" in the mesh");
    geom.mesh = index;
  } else {
    geom.fittedMesh = index;
    try {
      const geom::ShapeFit fit = geom::fitShape(mesh, geom.type, draft.compiler().fitaabb, geom.spec->fitscale);
      geom.size = fit.size;
      inner.pos += rotate(mesh.frame.quat, fit.center);
    } catch (const geom::MeshError& error) {
      place.fail(error.what());
    }
  }
  geom.pose = compose(geom.pose, inner);
  if (geom.surfacevel != std::array<double, 6>{}) geom.surfacevel = surfaceVelocityIn(inner, geom.surfacevel);
}

void setBounds(const Draft& draft, Geom& geom) {
  if (geom.hfield >= 0) {
    const spec::Vec4& s = draft.hfields[geom.hfield].spec->size;
    const geom::HeightFieldSize size{s[0], s[1], s[2], s[3]};
    geom.size = geom::hfieldGeomSize(size);
    geom.aabb = geom::hfieldAabb(size);
    geom.boundingRadius = geom::hfieldBoundingRadius(size);
  } else if (geom.mesh >= 0) {
    const geom::Mesh& mesh = *draft.meshes[geom.mesh].mesh;
    geom.size = mesh.geomSize();
    geom.aabb = geom::boxAabb(mesh.lower, mesh.upper);
    geom.boundingRadius = geom.size.norm();
  } else {
    geom.aabb = geom::shapeAabb(geom.type, geom.size);
    geom.boundingRadius = geom::shapeBoundingRadius(geom.type, geom.size);
  }
}

/// An explicit mass wins over the density; a shape without volume has none.
void setMass(const Draft& draft, Geom& geom) {
  const geom::Mesh* mesh = geom.mesh >= 0 ? draft.meshes[geom.mesh].mesh.get() : nullptr;
  const bool shell = geom.spec->shellinertia;
  const double amount = mesh ? mesh->amount : geom::shapeAmount(geom.type, geom.size, shell);
  if (geom.spec->mass) {
    if (!(amount > (mesh ? 0 : kTiny))) return;
    geom.mass = *geom.spec->mass;
  } else {
    geom.mass = geom.spec->density * amount;
  }
  if (geom.mass == 0) return;
  geom.inertia = mesh ? mesh->inertiaForMass(geom.mass) : geom::shapeInertia(geom.type, geom.size, shell, geom.mass);
}

Geom draftGeom(const Draft& draft, const spec::Geom& spec, const std::vector<Pose>& frames, bool moving,
               bool carriesMass) {
  const Place place = placeOf(spec);
  Geom geom;
  geom.spec = &spec;
  geom.type = spec.type;
  geom.surfacevel = spec.surfacevel;
  checkGeom(spec, moving, place);
  placeShape(spec, spec.type, draft.compiler(), place, geom.pose, geom.size);
  if (!spec.mesh.empty()) applyMesh(draft, place, geom);
  if (!spec.hfield.empty()) {
    geom.hfield = indexOf(draft.hfields, spec.hfield);
    if (geom.hfield < 0) place.fail(fmt::format("no hfield is named \"{}\"", spec.hfield));
  }
  checkSize(geom.type, geom.size, place);
  setBounds(draft, geom);

  if (carriesMass) setMass(draft, geom);
  if (spec.fluidellipsoid) {
    // a plane without edges has no ellipsoid; it cannot move either, so the fluid does nothing to it
    const Vec3 semiAxes = geom::fluidSemiAxes(geom.type, geom.size);
    if (semiAxes.minCoeff() > 0) geom.fluid = geom::fluidCoefficients(semiAxes, spec.fluidcoef);
  }
  if (spec.frame >= 0) geom.pose = compose(frames.at(static_cast<std::size_t>(spec.frame)), geom.pose);
  return geom;
}

}  // namespace

void draftGeoms(const Draft& draft, const std::vector<Pose>& frames, bool moving, bool carriesMass, Body& body) {
  const auto [firstGroup, lastGroup] = draft.inertiaSettings(*body.spec).inertiagrouprange;
  for (const spec::Geom& spec : body.spec->geoms) {
    const bool selected = spec.group >= firstGroup && spec.group <= lastGroup;
    body.geoms.push_back(draftGeom(draft, spec, frames, moving, carriesMass && selected));
    body.margin = std::max(body.margin, spec.margin + spec.gap);
  }
}

void draftSites(const Draft& draft, const std::vector<Pose>& frames, Body& body) {
  for (const spec::Site& spec : body.spec->sites) {
    const Place place = placeOf(spec);
    if (numSizes(spec.type) == 0) place.fail("a site must be a sphere, capsule, ellipsoid, cylinder or box");
    Site site;
    site.spec = &spec;
    placeShape(spec, spec.type, draft.compiler(), place, site.pose, site.size);
    checkSize(spec.type, site.size, place);
    if (spec.frame >= 0) site.pose = compose(frames.at(static_cast<std::size_t>(spec.frame)), site.pose);
    body.sites.push_back(site);
  }
}

}  // namespace sinew::draft
