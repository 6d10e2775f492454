#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "spec/attach.h"
#include "spec/names.h"
#include "spec/orientation.h"
#include "spec/place.h"

namespace sinew::spec {
namespace {

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

/// An angle in the other unit. In degrees, the number whose conversion back gives the same bits, where one exists.
double toRadians(double degrees) { return degrees * kRadiansPerDegree; }
double toDegrees(double radians) {
  const double guess = radians / kRadiansPerDegree;
  double below = guess, above = guess;
  for (int i = 0; i < 4; ++i) {
    if (toRadians(below) == radians) return below;
    if (toRadians(above) == radians) return above;
    below = std::nextafter(below, -HUGE_VAL);
    above = std::nextafter(above, HUGE_VAL);
  }
  return guess;
}

class Adopter {
 public:
  Adopter(const Compiler& from, const Compiler& to) : from_(from), to_(to) {}

  void adopt(Orientation& orientation, const Element& element, const char* tag) const {
    const bool same = from_.degree == to_.degree && (!orientation.euler || from_.eulerseq == to_.eulerseq);
    if (same || !orientation.hasAlternative()) return;
    try {
      resolved(orientation, from_.degree, from_.eulerseq).store(orientation.quat.data());
    } catch (const OrientationError& e) {
      throw LoadError(located(element, tag, e.message));
    }
    orientation.clearAlternatives();
  }

  /// `auto` means by the presence of a range under autolimits, and no without.
  void adopt(Tri& limited, const Vec2& range, const Element& element, const char* tag) const {
    if (from_.autolimits == to_.autolimits || limited != Tri::Auto) return;
    const bool ranged = range[0] != 0 || range[1] != 0;
    if (!from_.autolimits && ranged)
      throw LoadError(located(element, tag, "a range without 'limited' is an error when autolimits is \"false\""));
    limited = from_.autolimits && range[0] < range[1] ? Tri::True : Tri::False;
  }

  void adopt(Joint& joint) const {
    adopt(joint.limited, joint.range, joint, "joint");
    adopt(joint.actuatorfrclimited, joint.actuatorfrcrange, joint, "joint");
    if (joint.type == JointType::Free && joint.align == Tri::Auto && from_.alignfree != to_.alignfree)
      joint.align = from_.alignfree ? Tri::True : Tri::False;
    if (from_.degree == to_.degree) return;
    const auto convert = [&](double& angle) { angle = from_.degree ? toRadians(angle) : toDegrees(angle); };
    // a range that is not in force keeps its unit
    const bool limited =
        joint.limited == Tri::True || (joint.limited == Tri::Auto && to_.autolimits && joint.range[0] < joint.range[1]);
    if (limited && (joint.type == JointType::Hinge || joint.type == JointType::Ball)) {
      convert(joint.range[0]);
      convert(joint.range[1]);
    }
    if (joint.type == JointType::Hinge) {
      convert(joint.ref);
      convert(joint.springref);
    }
  }

  void adopt(Body& body) const {
    adopt(body.orientation, body, "body");
    for (Frame& frame : body.frames) adopt(frame.orientation, frame, "frame");
    for (Joint& joint : body.joints) adopt(joint);
    for (Geom& geom : body.geoms) adopt(geom.orientation, geom, "geom");
    for (Site& site : body.sites) adopt(site.orientation, site, "site");
    for (Camera& camera : body.cameras) adopt(camera.orientation, camera, "camera");
    for (Flexcomp& flexcomp : body.flexcomps) adopt(flexcomp.orientation, flexcomp, "flexcomp");
    if (body.inertial) adopt(body.inertial->orientation, body, "inertial");
    if (body.inertiaSettings) return;  // of a model that the child had attached itself
    InertiaSettings settings = from_.inertia();
    // "always from geoms" is "from geoms unless stated" where nothing is stated
    if (!body.inertial && settings.inertiafromgeom == InertiaFromGeom::True &&
        to_.inertiafromgeom == InertiaFromGeom::Auto) {
      settings.inertiafromgeom = InertiaFromGeom::Auto;
    }
    if (settings != to_.inertia()) body.inertiaSettings = settings;
  }

 private:
  const Compiler& from_;
  const Compiler& to_;
};

[[noreturn]] void refuse(const Spec& child, const char* attribute) {
  throw LoadError(
      fmt::format("attaching \"{}\": a model whose compiler setting '{}' differs from its parent's is not "
                  "supported",
                  child.modelname, attribute));
}

/// Settings of the compiler that cannot be moved onto the elements.
void requireSameOthers(const Spec& child, const Compiler& from, const Compiler& to) {
  if (from.fitaabb != to.fitaabb) refuse(child, "fitaabb");
  if (from.gap && from.gap != to.gap) refuse(child, "gap");
}

}  // namespace

void adoptSettings(Spec& child, const Compiler& parent) {
  const Compiler from = child.compiler;
  requireSameOthers(child, from, parent);
  const Adopter adopter(from, parent);
  forEachBody(child.world, [&](Body& body) { adopter.adopt(body); });
  for (Tendon& tendon : child.tendons) {
    adopter.adopt(tendon.limited, tendon.range, tendon, "tendon");
    adopter.adopt(tendon.actuatorfrclimited, tendon.actuatorfrcrange, tendon, "tendon");
  }
  for (Actuator& actuator : child.actuators) {
    adopter.adopt(actuator.ctrllimited, actuator.ctrlrange, actuator, "actuator");
    adopter.adopt(actuator.forcelimited, actuator.forcerange, actuator, "actuator");
    adopter.adopt(actuator.actlimited, actuator.actrange, actuator, "actuator");
  }
  for (Mesh& mesh : child.meshes)
    if (!mesh.inertia && from.exactmeshinertia.has_value() != parent.exactmeshinertia.has_value())
      mesh.inertia = from.exactmeshinertia ? MeshInertia::Exact : MeshInertia::Legacy;
  const std::string meshdir = from.meshdir, texturedir = from.texturedir;
  child.compiler = parent;
  child.compiler.meshdir = meshdir;
  child.compiler.texturedir = texturedir;
}

}  // namespace sinew::spec
