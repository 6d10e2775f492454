#include "compile/inertia.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/orientation.h"
#include "compile/place.h"
#include "math/eigen3.h"
#include "math/ordered_math.h"

namespace sinew::draft {
namespace {

/// Masses up to this are ignored, principal moments below it are an error.
constexpr double kNegligible = 1e-14;
constexpr double kRounding = 1e-14;

/// R diag(I) R'
Mat3 tensorOf(const MassPart& part) {
  const Mat3 R = toMatrix(part.pose.quat);
  return multiply(R, part.inertia.asDiagonal() * R.transpose());
}

/// m (d'd 1 - d d'), without the squares that cancel.
Mat3 offCenter(double mass, const Vec3& d) {
  Mat3 tensor;
  for (int j = 0; j < 3; ++j) {
    for (int k = 0; k < 3; ++k) tensor(j, k) = -mass * d[std::min(j, k)] * d[std::max(j, k)];
  }
  tensor(0, 0) = mass * (d[1] * d[1] + d[2] * d[2]);
  tensor(1, 1) = mass * (d[0] * d[0] + d[2] * d[2]);
  tensor(2, 2) = mass * (d[0] * d[0] + d[1] * d[1]);
  return tensor;
}

void setPrincipal(const Mat3& tensor, const Place& place, Quat& quat, Vec3& inertia) {
  const Eigen3 principal = eigen3(tensor);
  if (!(principal.values[2] >= kNegligible)) {
    place.fail(fmt::format("the inertia has the principal moments {:g} {:g} {:g}: all must be positive",
                           principal.values[0], principal.values[1], principal.values[2]));
  }
  quat = principal.axes;
  inertia = principal.values;
}

void readInertial(const spec::Inertial& spec, const spec::Compiler& compiler, const std::vector<Pose>& frames,
                  Body& body) {
  const Place place = placeOf(spec);
  if (spec.mass < 0) place.fail(fmt::format("'mass' must not be negative, found {}", spec.mass));
  for (const double moment : spec.diaginertia) {
    if (moment < 0) place.fail(fmt::format("'diaginertia' must not be negative, found {}", moment));
  }
  body.mass = spec.mass;
  body.inertial.pos = toVec3(spec.pos);
  body.inertia = toVec3(spec.diaginertia);
  if (spec.fullinertia) {
    if (spec.orientation.hasAlternative()) place.fail("'fullinertia' brings its own orientation: leave the other out");
    if (spec.diaginertia != spec::Vec3{0, 0, 0}) place.fail("'fullinertia' and 'diaginertia' cannot both be given");
    const spec::Vec6& f = *spec.fullinertia;
    Mat3 tensor;
    tensor << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
    setPrincipal(tensor, place, body.inertial.quat, body.inertia);
  } else {
    body.inertial.quat = orientationOf(spec.orientation, compiler, place);
  }
  if (spec.frame >= 0) body.inertial = compose(frames.at(static_cast<std::size_t>(spec.frame)), body.inertial);
}

/// Returns false if no geom has mass.
bool fromGeoms(const spec::InertiaSettings& settings, Body& body) {
  const auto [firstGroup, lastGroup] = settings.inertiagrouprange;
  std::vector<MassPart> parts;
  for (const Geom& geom : body.geoms) {
    const bool selected = geom.spec->group >= firstGroup && geom.spec->group <= lastGroup;
    if (selected && geom.mass > kNegligible) parts.push_back({geom.mass, geom.pose, geom.inertia});
  }
  if (parts.empty()) return false;
  // one geom is taken as it is: its axes keep their order
  const MassPart whole = parts.size() == 1 ? parts[0] : combined(parts, placeOf(*body.spec));
  body.mass = whole.mass;
  body.inertial = whole.pose;
  body.inertia = whole.inertia;
  return true;
}

void boundAndCheck(const spec::InertiaSettings& settings, Body& body) {
  const Place place = placeOf(*body.spec);
  Vec3& I = body.inertia;
  body.mass = std::max(body.mass, settings.boundmass);
  I = I.cwiseMax(settings.boundinertia);
  // a flat plate has A + B = C, which rounding must not turn into a refusal
  if (2 * I.maxCoeff() - I.sum() > kRounding * I.maxCoeff()) {
    if (!settings.balanceinertia) {
      place.fail(
          fmt::format("no body has the principal moments {} {} {}: the largest must not exceed the sum of the others "
                      "(balanceinertia in <compiler> replaces all by their mean)",
                      I[0], I[1], I[2]));
    }
    I.setConstant((I[0] + I[1] + I[2]) / 3.0);
  }
}

}  // namespace

MassPart combined(std::span<const MassPart> parts, const Place& place) {
  MassPart whole;
  for (const MassPart& part : parts) {
    whole.mass += part.mass;
    whole.pose.pos += part.mass * part.pose.pos;
  }
  whole.pose.pos /= whole.mass;

  Mat3 tensor = Mat3::Zero();
  for (const MassPart& part : parts) {
    tensor += tensorOf(part);
    tensor += offCenter(part.mass, part.pose.pos - whole.pose.pos);
  }
  setPrincipal(tensor, place, whole.pose.quat, whole.inertia);
  return whole;
}

void draftInertia(const Draft& draft, const std::vector<Pose>& frames, const Pose& ownPose, Body& body) {
  const spec::InertiaSettings settings = draft.inertiaSettings(*body.spec);
  const bool isWorld = body.spec == &draft.spec->world;
  const bool given = body.spec->inertial.has_value();
  if (given) readInertial(*body.spec->inertial, draft.compiler(), frames, body);

  const bool useGeoms = !isWorld && (settings.inertiafromgeom == spec::InertiaFromGeom::True ||
                                     (settings.inertiafromgeom == spec::InertiaFromGeom::Auto && !given));
  const bool found = useGeoms && fromGeoms(settings, body);
  if (!given && !found) body.inertial = ownPose;
  if (!isWorld) boundAndCheck(settings, body);
}

void requireMass(const Draft& draft) {
  // whether a body, or one that is fixed to it, has mass and inertia; children come after their parents
  std::vector<char> hasMass(draft.bodies.size(), 0);
  for (std::size_t i = draft.bodies.size(); i-- > 1;) {
    const Body& body = draft.bodies[i];
    if (body.mass >= kMinVal && body.inertia.minCoeff() >= kMinVal) hasMass[i] = 1;
    if (hasMass[i] && body.joints.empty()) hasMass[body.parent] = 1;
  }
  for (std::size_t i = 1; i < draft.bodies.size(); ++i) {
    const Body& body = draft.bodies[i];
    if (body.joints.empty() || hasMass[i]) continue;
    placeOf(*body.spec)
        .fail(fmt::format("a moving body needs mass and inertia, this has mass {} and inertia {} {} {}", body.mass,
                          body.inertia[0], body.inertia[1], body.inertia[2]));
  }
}

}  // namespace sinew::draft
