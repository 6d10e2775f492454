#include <utility>

#include "scene/parts.h"
#include "scene/visual_text.h"

namespace sinew::draw {
namespace {

void readGlobal(const spec::VisualElement& e, SceneVisual& v) {
  v.cameraid = intOf(e, "cameraid", v.cameraid);
  v.orthographic = boolOf(e, "orthographic", v.orthographic);
  readReal(e, "fovy", v.fovy);
  readReal(e, "azimuth", v.azimuth);
  readReal(e, "elevation", v.elevation);
  v.offwidth = intOf(e, "offwidth", v.offwidth);
  v.offheight = intOf(e, "offheight", v.offheight);
  readReal(e, "realtime", v.realtime);
  v.ellipsoidinertia = boolOf(e, "ellipsoidinertia", v.ellipsoidinertia);
}

void readHeadlight(const spec::VisualElement& e, SceneVisual& v) {
  readReals(e, "ambient", v.headAmbient);
  readReals(e, "diffuse", v.headDiffuse);
  readReals(e, "specular", v.headSpecular);
  v.headActive = intOf(e, "active", v.headActive) != 0;
}

using Number = std::pair<const char*, double SceneVisual::*>;
constexpr Number kMap[] = {{"stiffness", &SceneVisual::stiffness},
                           {"stiffnessrot", &SceneVisual::stiffnessrot},
                           {"force", &SceneVisual::force},
                           {"torque", &SceneVisual::torque},
                           {"alpha", &SceneVisual::alpha},
                           {"fogstart", &SceneVisual::fogstart},
                           {"fogend", &SceneVisual::fogend},
                           {"znear", &SceneVisual::znear},
                           {"zfar", &SceneVisual::zfar},
                           {"haze", &SceneVisual::haze},
                           {"shadowclip", &SceneVisual::shadowclip},
                           {"shadowscale", &SceneVisual::shadowscale},
                           {"actuatortendon", &SceneVisual::actuatortendon}};
constexpr Number kScale[] = {{"forcewidth", &SceneVisual::forcewidth},
                             {"contactwidth", &SceneVisual::contactwidth},
                             {"contactheight", &SceneVisual::contactheight},
                             {"connect", &SceneVisual::connect},
                             {"com", &SceneVisual::com},
                             {"camera", &SceneVisual::camera},
                             {"light", &SceneVisual::light},
                             {"selectpoint", &SceneVisual::selectpoint},
                             {"jointlength", &SceneVisual::jointlength},
                             {"jointwidth", &SceneVisual::jointwidth},
                             {"actuatorlength", &SceneVisual::actuatorlength},
                             {"actuatorwidth", &SceneVisual::actuatorwidth},
                             {"framelength", &SceneVisual::framelength},
                             {"framewidth", &SceneVisual::framewidth},
                             {"constraint", &SceneVisual::constraint},
                             {"slidercrank", &SceneVisual::slidercrank},
                             {"frustum", &SceneVisual::frustum}};
using Tint = std::pair<const char*, Color SceneVisual::*>;
constexpr Tint kColors[] = {{"fog", &SceneVisual::fog},
                            {"haze", &SceneVisual::hazeColor},
                            {"force", &SceneVisual::forceColor},
                            {"inertia", &SceneVisual::inertia},
                            {"joint", &SceneVisual::joint},
                            {"actuator", &SceneVisual::actuator},
                            {"actuatornegative", &SceneVisual::actuatornegative},
                            {"actuatorpositive", &SceneVisual::actuatorpositive},
                            {"com", &SceneVisual::comColor},
                            {"camera", &SceneVisual::cameraColor},
                            {"light", &SceneVisual::lightColor},
                            {"selectpoint", &SceneVisual::selectpointColor},
                            {"connect", &SceneVisual::connectColor},
                            {"contactpoint", &SceneVisual::contactpoint},
                            {"contactforce", &SceneVisual::contactforce},
                            {"contactfriction", &SceneVisual::contactfriction},
                            {"contacttorque", &SceneVisual::contacttorque},
                            {"contactgap", &SceneVisual::contactgap},
                            {"rangefinder", &SceneVisual::rangefinder},
                            {"constraint", &SceneVisual::constraintColor},
                            {"slidercrank", &SceneVisual::slidercrankColor},
                            {"crankbroken", &SceneVisual::crankbroken},
                            {"frustum", &SceneVisual::frustumColor},
                            {"bv", &SceneVisual::bv},
                            {"bvactive", &SceneVisual::bvactive}};

}  // namespace
}  // namespace sinew::draw

namespace sinew {

SceneVisual visualOf(const Spec& spec) {
  using namespace draw;
  SceneVisual v;
  for (const spec::VisualElement& e : spec.visual) {
    if (e.tag == "global") readGlobal(e, v);
    if (e.tag == "headlight") readHeadlight(e, v);
    if (e.tag == "quality") {
      v.shadowsize = intOf(e, "shadowsize", v.shadowsize);
      v.offsamples = intOf(e, "offsamples", v.offsamples);
    }
    if (e.tag == "map") {
      for (const auto& [name, member] : kMap) readReal(e, name, v.*member);
    }
    if (e.tag == "scale") {
      for (const auto& [name, member] : kScale) readReal(e, name, v.*member);
    }
    if (e.tag == "rgba") {
      for (const auto& [name, member] : kColors) readReals(e, name, v.*member);
    }
  }
  return v;
}

}  // namespace sinew
