#include "math/quat.h"
#include "math/types.h"
#include "scene/parts.h"
#include "scene/visual_text.h"

namespace sinew::draw {
namespace {

LightType typeOf(const spec::Light& light) {
  const std::string_view type = textOf(light, "type");
  if (type == "directional" || boolOf(light, "directional", false)) return LightType::Directional;
  if (type == "point") return LightType::Point;
  if (type == "image") return LightType::Image;
  return LightType::Spot;
}

CameraMode modeOf(const spec::Light& light) {
  const std::string_view mode = textOf(light, "mode");
  if (mode == "track") return CameraMode::Track;
  if (mode == "trackcom") return CameraMode::TrackCom;
  if (mode == "targetbody") return CameraMode::TargetBody;
  if (mode == "targetbodycom") return CameraMode::TargetBodyCom;
  return CameraMode::Fixed;
}

}  // namespace

std::vector<SceneLight> lightsOf(const draft::Draft& drawn, const Model& m, const std::vector<SceneTexture>& textures) {
  std::vector<SceneLight> lights;
  for (int b = 0; b < m.nbody; ++b) {
    const draft::Body& body = drawn.body(b);
    // a free body may have been aligned with its inertia since the light was placed
    const Pose compiled{vec3(m.body_pos.data(), b), Quat::load(&m.body_quat[4 * b])};
    const Pose back = b == 0 ? Pose{} : compose(inverse(compiled), body.pose);
    for (const draft::Light& entry : body.lights) {
      const spec::Light& e = *entry.spec;
      SceneLight light;
      light.object = {ObjType::Light, static_cast<int>(lights.size()), e.name};
      light.body = b;
      light.type = typeOf(e);
      light.mode = modeOf(e);
      const std::string target(textOf(e, "target"));
      if (!target.empty()) light.target = findId(m, ObjType::Body, target);
      std::array<double, 3> pos{0, 0, 0}, dir{0, 0, -1};
      readReals(e, "pos", pos);
      readReals(e, "dir", dir);
      const Pose pose = compose(back, entry.pose);
      MapVec3(light.pos.data()) = pose.pos + rotate(pose.quat, Vec3(pos[0], pos[1], pos[2]));
      const Vec3 d(dir[0], dir[1], dir[2]);
      MapVec3(light.dir.data()) = rotate(pose.quat, d.norm() > kMinVal ? Vec3(d.normalized()) : Vec3(0, 0, -1));
      light.active = boolOf(e, "active", true);
      light.castshadow = boolOf(e, "castshadow", true);
      readReals(e, "attenuation", light.attenuation);
      readReal(e, "cutoff", light.cutoff);
      readReal(e, "exponent", light.exponent);
      readReals(e, "ambient", light.ambient);
      readReals(e, "diffuse", light.diffuse);
      readReals(e, "specular", light.specular);
      readReal(e, "range", light.range);
      readReal(e, "bulbradius", light.bulbradius);
      readReal(e, "intensity", light.intensity);
      readReal(e, "softness", light.softness);
      const std::string_view texture = textOf(e, "texture");
      for (std::size_t i = 0; i < textures.size() && !texture.empty(); ++i) {
        if (textures[i].object.name == texture) light.texture = static_cast<int>(i);
      }
      lights.push_back(std::move(light));
    }
  }
  return lights;
}

}  // namespace sinew::draw
