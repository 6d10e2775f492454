#include "sinew/scene.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compile/drawn.h"
#include "kinematics/kinematics.h"
#include "math/quat.h"
#include "math/types.h"
#include "scene/parts.h"

namespace sinew {
namespace {

using namespace draw;

SceneShape shapeOf(GeomType type) {
  switch (type) {
    case GeomType::Plane:
      return SceneShape::Plane;
    case GeomType::Sphere:
      return SceneShape::Sphere;
    case GeomType::Capsule:
      return SceneShape::Capsule;
    case GeomType::Ellipsoid:
      return SceneShape::Ellipsoid;
    case GeomType::Cylinder:
      return SceneShape::Cylinder;
    case GeomType::Box:
      return SceneShape::Box;
    case GeomType::HField:
    case GeomType::Mesh:
    case GeomType::Sdf:
      break;
  }
  return SceneShape::Mesh;
}

Float3 toFloat3(const double* p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}
Color toColor(const float* p) { return {p[0], p[1], p[2], p[3]}; }
template <std::size_t n>
std::array<double, n> toArray(const double* p) {
  std::array<double, n> out;
  std::copy_n(p, n, out.begin());
  return out;
}

// What a program may change in the Model between two pictures, see refreshScene().

void lookOfGeom(const Model& m, int g, SceneInstance& instance) {
  instance.group = m.geom_group[g];
  instance.size = toFloat3(&m.geom_size[3 * g]);
  instance.rgba = toColor(&m.geom_rgba[4 * g]);
}

void lookOfSite(const Model& m, int s, SceneInstance& instance) {
  instance.group = m.site_group[s];
  instance.size = toFloat3(&m.site_size[3 * s]);
  instance.rgba = toColor(&m.site_rgba[4 * s]);
}

void lensOfCamera(const Model& m, int c, SceneCamera& camera) {
  camera.fovy = m.cam_fovy[c];
  camera.ipd = m.cam_ipd[c];
  camera.resolution = {m.cam_resolution[2 * c], m.cam_resolution[2 * c + 1]};
  camera.sensorsize = {m.cam_sensorsize[2 * c], m.cam_sensorsize[2 * c + 1]};
  std::copy_n(&m.cam_intrinsic[4 * c], 4, camera.intrinsic.begin());
}

void lookOfTendon(const Model& m, int t, SceneTendon& tendon) {
  tendon.group = m.tendon_group[t];
  tendon.rgba = toColor(&m.tendon_rgba[4 * t]);
  tendon.radius = static_cast<float>(m.tendon_width[t]);
}

void extentOfScene(const Model& m, Scene& scene) {
  scene.extent = m.stat.extent;
  scene.meansize = m.stat.meansize;
  scene.center = m.stat.center;
}

void addGeoms(const Model& m, Scene& scene) {
  for (int g = 0; g < m.ngeom; ++g) {
    SceneInstance instance;
    instance.object = {ObjType::Geom, g, std::string(nameOf(m, ObjType::Geom, g))};
    instance.body = m.geom_bodyid[g];
    instance.shape = shapeOf(m.geom_type[g]);
    lookOfGeom(m, g, instance);
    instance.pos = toArray<3>(&m.geom_pos[3 * g]);
    instance.quat = toArray<4>(&m.geom_quat[4 * g]);
    if (instance.shape == SceneShape::Mesh) {
      instance.mesh = m.geom_dataid[g] + (m.geom_type[g] == GeomType::HField ? m.nmesh : 0);
    }
    scene.instances.push_back(std::move(instance));
  }
  scene.numGeoms = m.ngeom;
}

void addSites(const Model& m, Scene& scene) {
  for (int s = 0; s < m.nsite; ++s) {
    SceneInstance instance;
    instance.object = {ObjType::Site, s, std::string(nameOf(m, ObjType::Site, s))};
    instance.body = m.site_bodyid[s];
    instance.shape = shapeOf(m.site_type[s]);
    lookOfSite(m, s, instance);
    instance.pos = toArray<3>(&m.site_pos[3 * s]);
    instance.quat = toArray<4>(&m.site_quat[4 * s]);
    scene.instances.push_back(std::move(instance));
  }
}

void addCameras(const Model& m, Scene& scene) {
  for (int c = 0; c < m.ncam; ++c) {
    SceneCamera camera;
    camera.object = {ObjType::Camera, c, std::string(nameOf(m, ObjType::Camera, c))};
    camera.body = m.cam_bodyid[c];
    camera.mode = m.cam_mode[c];
    camera.projection = m.cam_projection[c];
    lensOfCamera(m, c, camera);
    camera.pos = toArray<3>(&m.cam_pos[3 * c]);
    camera.quat = toArray<4>(&m.cam_quat[4 * c]);
    scene.cameras.push_back(std::move(camera));
  }
}

void addTendons(const Model& m, Scene& scene) {
  for (int t = 0; t < m.ntendon; ++t) {
    SceneTendon tendon;
    tendon.object = {ObjType::Tendon, t, std::string(nameOf(m, ObjType::Tendon, t))};
    lookOfTendon(m, t, tendon);
    scene.tendons.push_back(std::move(tendon));
  }
}

/// Everything that a Model tells on its own. `scene.meshes` and `scene.flexes` are left to the caller.
Scene sceneOfModel(const Model& m) {
  Scene scene;
  scene.modelname = m.names.empty() ? "" : std::string(m.names.data());
  scene.signature = m.signature;
  scene.nbody = m.nbody;
  for (int b = 0; b < m.nbody; ++b) scene.bodyNames.emplace_back(nameOf(m, ObjType::Body, b));
  extentOfScene(m, scene);
  addGeoms(m, scene);
  addSites(m, scene);
  addCameras(m, scene);
  addTendons(m, scene);
  return scene;
}

void addHeightFields(const Model& m, Scene& scene) {
  for (int h = 0; h < m.nhfield; ++h) scene.meshes.push_back(drawnHeightField(m, h));
}

/// Places the vertices of flexes and skins in the arrays of a Frame.
void assignVertices(Scene& scene) {
  for (SceneFlex& flex : scene.flexes) {
    flex.vertexAdr = scene.numFlexVertices;
    scene.numFlexVertices += flex.vertexNum;
  }
  for (SceneSkin& skin : scene.skins) {
    skin.vertexAdr = scene.numSkinVertices;
    scene.numSkinVertices += skin.vertexNum;
  }
}

/// What the tracking modes of lights refer to, at qpos0.
void setLightReferences(const Model& m, std::vector<SceneLight>& lights) {
  if (lights.empty()) return;
  Data d(m);
  kinematics(m, d);
  comPos(m, d);
  for (SceneLight& light : lights) {
    const Mat3 R = mat3(d.xmat.data(), light.body);
    const Vec3 pos = vec3(d.xpos.data(), light.body) + R * ConstMapVec3(light.pos.data());
    MapVec3(light.pos0.data()) = pos - vec3(d.xpos.data(), light.body);
    MapVec3(light.poscom0.data()) = pos - vec3(d.subtree_com.data(), light.body);
    MapVec3(light.dir0.data()) = R * ConstMapVec3(light.dir.data());
  }
}

/// Materials of geoms and sites, from the elements they come from.
void applyMaterials(const Spec& spec, const draft::Draft& drawn, Scene& scene) {
  std::size_t geom = 0, site = static_cast<std::size_t>(scene.numGeoms);
  const auto apply = [&](SceneInstance& instance, const std::string& own, const std::string& fallback) {
    instance.material = findMaterial(scene.materials, own.empty() ? fallback : own);
    instance.rgba = finalColor(instance.rgba, instance.material, scene.materials);
    mapTexture(scene, instance);
  };
  const auto meshMaterial = [&](const std::string& name) -> std::string {
    for (const spec::Mesh& mesh : spec.meshes) {
      if (mesh.name == name) return mesh.material;
    }
    return {};
  };
  for (const draft::Body& body : drawn.bodies) {
    for (const draft::Geom& g : body.geoms) {
      const bool shows = g.spec->type == GeomType::Mesh && g.spec->material.empty();
      apply(scene.instances[geom++], g.spec->material, shows ? meshMaterial(g.spec->mesh) : "");
    }
    for (const draft::Site& s : body.sites) apply(scene.instances[site++], s.spec->material, "");
  }
}

void addMeshes(const Spec& spec, const Model& m, const Report& report, Scene& scene) {
  for (int i = 0; i < m.nmesh; ++i) {
    const std::string_view name = nameOf(m, ObjType::Mesh, i);
    const auto found =
        std::find_if(spec.meshes.begin(), spec.meshes.end(), [&](const spec::Mesh& mesh) { return mesh.name == name; });
    const spec::Mesh* mesh = found == spec.meshes.end() ? nullptr : &*found;
    scene.meshes.push_back(drawnMesh(m, i, mesh, &spec.compiler, report));
  }
  addHeightFields(m, scene);
}

void addFlexes(const Model& m, const std::vector<FlexSource>& sources, Scene& scene) {
  for (int f = 0; f < m.nflex; ++f) {
    const FlexSource source = f < static_cast<int>(sources.size()) ? sources[f] : FlexSource{};
    const int material = source.base ? findMaterial(scene.materials, source.base->material) : -1;
    const int texture = material >= 0 ? scene.materials[material].texture : -1;
    const bool textured = texture >= 0 && scene.textures[texture].type == TextureType::Flat;
    SceneFlex flex = drawnFlex(m, f, source, textured);
    flex.material = material;
    flex.rgba = finalColor(toColor(&m.flex_rgba[4 * f]), material, scene.materials);
    scene.flexes.push_back(std::move(flex));
  }
}

}  // namespace

Scene makeScene(const Spec& spec, const Model& m, Warnings* warnings, std::uint64_t maxMemory) {
  const Report report(warnings);
  const draft::Draft drawn = draft::draftDrawn(spec, m);
  Scene scene = sceneOfModel(m);
  scene.visual = visualOf(spec);
  scene.textures = texturesOf(spec, report, maxMemory);
  scene.materials = materialsOf(spec, scene.textures);
  addMeshes(spec, m, report, scene);
  applyMaterials(spec, drawn, scene);
  for (std::size_t t = 0; t < scene.tendons.size() && t < spec.tendons.size(); ++t) {
    SceneTendon& tendon = scene.tendons[t];
    tendon.material = findMaterial(scene.materials, spec.tendons[t].material);
    tendon.rgba = finalColor(tendon.rgba, tendon.material, scene.materials);
  }
  scene.lights = lightsOf(drawn, m, scene.textures);
  setLightReferences(m, scene.lights);
  addFlexes(m, flexSources(spec), scene);
  scene.skins = skinsOf(spec, m, scene.materials, scene.textures, report);
  for (std::size_t i = 0; i < scene.textures.size() && scene.skybox < 0; ++i) {
    if (scene.textures[i].type == TextureType::Skybox && scene.textures[i].width > 0)
      scene.skybox = static_cast<int>(i);
  }
  assignVertices(scene);
  return scene;
}

void refreshScene(const Model& m, Scene& scene) {
  if (scene.signature != m.signature) throw std::invalid_argument("the scene was made for another model");
  for (SceneInstance& instance : scene.instances) {
    instance.object.type == ObjType::Site ? lookOfSite(m, instance.object.id, instance)
                                          : lookOfGeom(m, instance.object.id, instance);
    instance.rgba = finalColor(instance.rgba, instance.material, scene.materials);
    mapTexture(scene, instance);
  }
  for (SceneTendon& tendon : scene.tendons) {
    lookOfTendon(m, tendon.object.id, tendon);
    tendon.rgba = finalColor(tendon.rgba, tendon.material, scene.materials);
  }
  for (SceneFlex& flex : scene.flexes) {
    flex.group = m.flex_group[flex.object.id];
    flex.rgba = finalColor(toColor(&m.flex_rgba[4 * flex.object.id]), flex.material, scene.materials);
  }
  for (SceneCamera& camera : scene.cameras) lensOfCamera(m, camera.object.id, camera);
  extentOfScene(m, scene);
}

Scene makeScene(const Model& m) {
  const Report silent(nullptr);
  Scene scene = sceneOfModel(m);
  for (int i = 0; i < m.nmesh; ++i) scene.meshes.push_back(drawnMesh(m, i, nullptr, nullptr, silent));
  addHeightFields(m, scene);
  addFlexes(m, {}, scene);
  SceneLight light;
  light.object = {ObjType::Light, 0, ""};
  light.type = LightType::Directional;
  light.dir = {0.3, 0.2, -0.93};
  light.pos = {scene.center[0], scene.center[1], scene.center[2] + 2 * scene.extent};
  scene.lights.push_back(light);
  assignVertices(scene);
  return scene;
}

}  // namespace sinew
