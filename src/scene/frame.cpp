#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "kinematics/flexes.h"
#include "kinematics/kinematics.h"
#include "math/index.h"
#include "math/quat.h"
#include "math/types.h"
#include "scene/parts.h"
#include "sinew/scene.h"

namespace sinew {
namespace {

using Vec3f = Eigen::Vector3f;
using MapVec3f = Eigen::Map<Vec3f>;
using ConstMapVec3f = Eigen::Map<const Vec3f>;

Vec3f at(const std::vector<float>& array, std::size_t i) { return ConstMapVec3f(array.data() + 3 * i); }

/// The first array entry that is not finite, as text; empty if all are.
std::string firstBadNumber(const Model& m, const Data& d) {
  const auto look = [](const char* name, const Array<double>& array) -> std::string {
    for (std::ptrdiff_t i = 0; i < array.size(); ++i) {
      if (!std::isfinite(array[i])) return fmt::format("{}[{}] is {}", name, i, array[i]);
    }
    return {};
  };
  for (const auto& [name, array] : {std::pair<const char*, const Array<double>*>{"qpos", &d.qpos},
                                    {"qvel", &d.qvel},
                                    {"xpos", &d.xpos},
                                    {"xquat", &d.xquat},
                                    {"flexvert_xpos", &d.flexvert_xpos},
                                    {"mocap_pos", &d.mocap_pos}}) {
    const std::string bad = look(name, *array);
    if (bad.empty()) continue;
    const std::string status = describeStatus(m, d);
    return status.empty() ? bad : bad + "; " + status;
  }
  return {};
}

void placeBodies(const Scene& scene, const Data& d, Frame& frame) {
  frame.bodyPos.assign(d.xpos.begin(), d.xpos.end());
  frame.bodyQuat.assign(d.xquat.begin(), d.xquat.end());
  frame.instancePos.assign(d.geom_xpos.begin(), d.geom_xpos.end());
  frame.instancePos.insert(frame.instancePos.end(), d.site_xpos.begin(), d.site_xpos.end());
  frame.instanceMat.assign(d.geom_xmat.begin(), d.geom_xmat.end());
  frame.instanceMat.insert(frame.instanceMat.end(), d.site_xmat.begin(), d.site_xmat.end());
  frame.cameraPos.assign(d.cam_xpos.begin(), d.cam_xpos.end());
  frame.cameraMat.assign(d.cam_xmat.begin(), d.cam_xmat.end());
  (void)scene;
}

bool inGroups(const std::array<bool, 6>& groups, int group) { return groups[std::clamp(group, 0, 5)]; }

void showInstances(const Scene& scene, const Model& m, const FrameOptions& options, Frame& frame) {
  frame.instanceVisible.resize(scene.instances.size());
  frame.instanceRgba.resize(scene.instances.size());
  for (std::size_t i = 0; i < scene.instances.size(); ++i) {
    const SceneInstance& instance = scene.instances[i];
    const bool isSite = instance.object.type == ObjType::Site;
    bool visible = inGroups(isSite ? options.siteGroups : options.geomGroups, instance.group) && instance.rgba[3] > 0;
    if (isSite && !options.sites) visible = false;
    if (instance.shape == SceneShape::Mesh && scene.meshes[instance.mesh].indices.empty()) {
      visible = false;
    }
    Color rgba = instance.rgba;
    const bool moves = m.body_weldid[instance.body] != 0;
    if (options.transparent && moves && !isSite) rgba[3] *= static_cast<float>(scene.visual.alpha);
    frame.instanceVisible[i] = visible;
    frame.instanceRgba[i] = rgba;
  }
}

void placeLights(const Scene& scene, const Data& d, Frame& frame) {
  frame.lightPos.resize(3 * scene.lights.size());
  frame.lightDir.resize(3 * scene.lights.size());
  for (std::size_t i = 0; i < scene.lights.size(); ++i) {
    const SceneLight& light = scene.lights[i];
    const Mat3 R = mat3(d.xmat.data(), light.body);
    MapVec3 pos(frame.lightPos.data() + 3 * i), dir(frame.lightDir.data() + 3 * i);
    pos = vec3(d.xpos.data(), light.body) + R * ConstMapVec3(light.pos.data());
    dir = R * ConstMapVec3(light.dir.data());
    switch (light.mode) {
      case CameraMode::Fixed:
        break;
      case CameraMode::Track:
        pos = vec3(d.xpos.data(), light.body) + ConstMapVec3(light.pos0.data());
        dir = ConstMapVec3(light.dir0.data());
        break;
      case CameraMode::TrackCom:
        pos = vec3(d.subtree_com.data(), light.body) + ConstMapVec3(light.poscom0.data());
        dir = ConstMapVec3(light.dir0.data());
        break;
      case CameraMode::TargetBody:
      case CameraMode::TargetBodyCom:
        if (light.target >= 0) {
          const Array<double>& to = light.mode == CameraMode::TargetBody ? d.xpos : d.subtree_com;
          dir = normalizedOrX(vec3(to.data(), light.target) - pos);
        }
        break;
    }
  }
}

/// Sums of the normals of triangles at their corners, as long as twice the area; `corner` maps a corner to where its
/// sum goes.
template <class Where>
void addFaceNormals(const std::vector<std::uint32_t>& indices, std::size_t triangles,
                    const std::vector<float>& position, std::size_t first, Where where) {
  for (std::size_t t = 0; t < triangles; ++t) {
    const std::uint32_t* v = indices.data() + 3 * t;
    const Vec3f a = at(position, first + v[0]), b = at(position, first + v[1]), c = at(position, first + v[2]);
    const Vec3f n = (b - a).cross(c - a);
    for (int k = 0; k < 3; ++k) where(v[k]) += n;
  }
}

void normalize(float* v, const Vec3f& otherwise) {
  MapVec3f n(v);
  const float length = n.norm();
  if (length > 0 && std::isfinite(length)) {
    n /= length;
  } else {
    n = otherwise;
  }
}

/// Vertices and normals of one flex.
void placeFlex(const SceneFlex& flex, const Model& m, const Data& d, Frame& frame) {
  const int f = flex.object.id;
  const std::size_t first = static_cast<std::size_t>(flex.vertexAdr), count = static_cast<std::size_t>(flex.vertexNum);
  const double* source = d.flexvert_xpos.data() + 3 * m.flex_vertadr[f];
  float *position = frame.flexPosition.data() + 3 * first, *normal = frame.flexNormal.data() + 3 * first;
  for (std::size_t i = 0; i < count; ++i) {
    MapVec3f(position + 3 * i) = vec3(source, flex.source[i]).cast<float>();
  }
  std::fill(normal, normal + 3 * count, 0.f);
  if (flex.dim == 1) {
    for (std::size_t i = 0; i < count; ++i) normal[3 * i + 2] = 1;
    return;
  }
  // smooth normals at the vertices of the flex move the surface outwards
  const std::size_t surface = static_cast<std::size_t>(flex.surfaceTriangles);
  std::vector<float>& smooth = frame.flexScratch;
  smooth.assign(3 * static_cast<std::size_t>(m.flex_vertnum[f]), 0.f);
  addFaceNormals(flex.indices, surface, frame.flexPosition, first,
                 [&](std::uint32_t v) { return MapVec3f(smooth.data() + 3 * flex.source[v]); });
  for (int v = 0; v < m.flex_vertnum[f]; ++v) normalize(smooth.data() + 3 * v, Vec3f::Zero());
  // normals for shading, before the move: the surface itself and its back
  addFaceNormals(flex.indices, static_cast<std::size_t>(flex.rimTriangle), frame.flexPosition, first,
                 [&](std::uint32_t v) { return MapVec3f(normal + 3 * v); });
  for (std::size_t i = 0; i < count; ++i) {
    normalize(normal + 3 * i, Vec3f::UnitZ());
    MapVec3f(position + 3 * i) += flex.offset[i] * ConstMapVec3f(smooth.data() + 3 * flex.source[i]);
  }
}

void placeFlexes(const Scene& scene, const Model& m, const Data& d, const FrameOptions& options, Frame& frame) {
  frame.flexPosition.resize(3 * static_cast<std::size_t>(scene.numFlexVertices));
  frame.flexNormal.resize(3 * static_cast<std::size_t>(scene.numFlexVertices));
  frame.flexVisible.resize(scene.flexes.size());
  for (std::size_t f = 0; f < scene.flexes.size(); ++f) {
    frame.flexVisible[f] =
        options.flexes && inGroups(options.flexGroups, scene.flexes[f].group) && scene.flexes[f].rgba[3] > 0;
    placeFlex(scene.flexes[f], m, d, frame);
  }
}

/// p = sum w (x + R R_bind' (v - x_bind)) / sum w over the bones of a vertex, then moved outwards by `inflate`.
void placeSkin(const SceneSkin& skin, const Data& d, const Model& m, Frame& frame) {
  const std::size_t first = static_cast<std::size_t>(skin.vertexAdr), count = static_cast<std::size_t>(skin.vertexNum);
  float *position = frame.skinPosition.data() + 3 * first, *normal = frame.skinNormal.data() + 3 * first;
  std::fill(position, position + 3 * count, 0.f);
  std::fill(normal, normal + 3 * count, 0.f);
  std::vector<float>& weight = frame.flexScratch;
  weight.assign(count, 0.f);
  for (const SceneSkin::Bone& bone : skin.bones) {
    const bool onBody = bone.body >= 0;
    const Vec3 x = onBody ? Vec3(vec3(d.xpos.data(), bone.body)) : Vec3(vec3(d.flexpoint_xpos.data(), bone.flexpoint));
    const int body = onBody ? bone.body : m.flexpoint_bodyid[bone.flexpoint];
    const Quat turn = Quat::load(&d.xquat[4 * body]) * normalized(Quat::load(bone.bindquat.data())).conjugate();
    const Mat3 R = toMatrix(turn);
    const Vec3 offset = x - R * ConstMapVec3(bone.bindpos.data());
    for (std::size_t k = 0; k < bone.vertices.size(); ++k) {
      const std::size_t v = static_cast<std::size_t>(bone.vertices[k]);
      const Vec3 p = offset + R * ConstMapVec3f(skin.positions.data() + 3 * v).cast<double>();
      MapVec3f(position + 3 * v) += bone.weights[k] * p.cast<float>();
      weight[v] += bone.weights[k];
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (weight[v] > 0) MapVec3f(position + 3 * v) /= weight[v];
  }
  addFaceNormals(skin.indices, skin.indices.size() / 3, frame.skinPosition, first,
                 [&](std::uint32_t v) { return MapVec3f(normal + 3 * v); });
  for (std::size_t v = 0; v < count; ++v) {
    normalize(normal + 3 * v, Vec3f::UnitZ());
    MapVec3f(position + 3 * v) += skin.inflate * ConstMapVec3f(normal + 3 * v);
  }
}

void placeSkins(const Scene& scene, const Model& m, const Data& d, const FrameOptions& options, Frame& frame) {
  frame.skinPosition.resize(3 * static_cast<std::size_t>(scene.numSkinVertices));
  frame.skinNormal.resize(3 * static_cast<std::size_t>(scene.numSkinVertices));
  frame.skinVisible.resize(scene.skins.size());
  for (std::size_t s = 0; s < scene.skins.size(); ++s) {
    const SceneSkin& skin = scene.skins[s];
    frame.skinVisible[s] =
        options.skins && inGroups(options.skinGroups, skin.group) && skin.vertexNum > 0 && skin.rgba[3] > 0;
    placeSkin(skin, d, m, frame);
  }
}

void addSegment(const Vec3& a, const Vec3& b, std::vector<float>& segments) {
  for (const Vec3* p : {&a, &b}) {
    for (int k = 0; k < 3; ++k) segments.push_back(static_cast<float>((*p)[k]));
  }
}

/// The way from a to b over the surface of a wrapping geom, as chords of at most 10 degrees. `incoming` is the
/// direction in which the path reaches a (zero: unknown), which says which way around it goes.
void addArc(const Model& m, const Data& d, int geom, const Vec3& a, const Vec3& b, const Vec3& incoming,
            std::vector<float>& segments) {
  const Vec3 center = vec3(d.geom_xpos.data(), geom), axis = mat3(d.geom_xmat.data(), geom).col(2);
  const bool isSphere = m.geom_type[geom] == GeomType::Sphere;
  Vec3 ra = a - center, rb = b - center;
  double za = 0, zb = 0;
  Vec3 normal = ra.cross(rb);
  if (!isSphere) {
    za = ra.dot(axis), zb = rb.dot(axis);
    ra -= za * axis, rb -= zb * axis;
    normal = axis;
  }
  const Vec3 along = incoming - (isSphere ? 0 : incoming.dot(axis)) * axis;
  if (isSphere && normal.norm() < 1e-12 * ra.squaredNorm()) normal = ra.cross(along);
  if (normal.norm() < kMinVal || ra.norm() < kMinVal) return addSegment(a, b, segments);
  normal.normalize();
  if (along.norm() > kMinVal ? normal.cross(ra).dot(along) < 0 : normal.cross(ra).dot(rb) < 0) normal = -normal;
  double angle = std::atan2(normal.dot(ra.cross(rb)), ra.dot(rb));
  if (angle < 0) angle += 2 * std::numbers::pi;
  const int steps = std::max(1, ceilWithin(angle * 18 / std::numbers::pi, 36));
  Vec3 previous = a;
  for (int k = 1; k <= steps; ++k) {
    const double t = static_cast<double>(k) / steps;
    const Vec3 p =
        k == steps
            ? b
            : Vec3(center + rotate(fromAxisAngle(normal, t * angle), ra) + (isSphere ? 0 : za + t * (zb - za)) * axis);
    addSegment(previous, p, segments);
    previous = p;
  }
}

void placeTendons(const Scene& scene, const Model& m, const Data& d, const FrameOptions& options, Frame& frame) {
  frame.tendonAdr.clear();
  frame.tendonSegment.clear();
  frame.tendonVisible.resize(scene.tendons.size());
  frame.tendonRadius.resize(scene.tendons.size());
  frame.tendonRgba.resize(scene.tendons.size());
  for (int t = 0; t < m.ntendon; ++t) {
    const SceneTendon& tendon = scene.tendons[t];
    frame.tendonAdr.push_back(static_cast<int>(frame.tendonSegment.size() / 6));
    frame.tendonVisible[t] = options.tendons && inGroups(options.tendonGroups, tendon.group) && tendon.rgba[3] > 0;
    frame.tendonRadius[t] = tendon.radius;
    frame.tendonRgba[t] = tendon.rgba;
    const int begin = d.ten_wrapadr[t], count = d.ten_wrapnum[t];
    for (int i = begin; i + 1 < begin + count; ++i) {
      const int from = d.wrap_obj[i], to = d.wrap_obj[i + 1];
      if (from == -2 || to == -2) continue;
      const Vec3 a = vec3(d.wrap_xpos.data(), i), b = vec3(d.wrap_xpos.data(), i + 1);
      if (from >= 0 && from == to) {
        Vec3 incoming = Vec3::Zero();
        if (i > begin && d.wrap_obj[i - 1] != -2) incoming = a - vec3(d.wrap_xpos.data(), i - 1);
        addArc(m, d, from, a, b, incoming, frame.tendonSegment);
      } else {
        addSegment(a, b, frame.tendonSegment);
      }
    }
  }
  frame.tendonAdr.push_back(static_cast<int>(frame.tendonSegment.size() / 6));
}

void requireSame(const Scene& scene, const Model& m, const Data& d) {
  if (scene.signature != m.signature) throw std::invalid_argument("the scene was made for another model");
  if (d.signature != m.signature) throw std::invalid_argument("the data was made for another model");
}

void fill(const Scene& scene, const Model& m, Data& d, Frame& frame, const FrameOptions& options) {
  frame.time = d.time;
  placeBodies(scene, d, frame);
  showInstances(scene, m, options, frame);
  placeLights(scene, d, frame);
  placeFlexes(scene, m, d, options, frame);
  placeSkins(scene, m, d, options, frame);
  placeTendons(scene, m, d, options, frame);
  draw::listContacts(m, d, frame);
  draw::colorFlexes(scene, m, d, options, frame);
  draw::decorate(scene, m, d, options, frame);
}

}  // namespace

void updateFrame(const Scene& scene, const Model& m, Data& d, Frame& frame, const FrameOptions& options) {
  requireSame(scene, m, d);
  const std::string trouble = firstBadNumber(m, d);
  frame.finite = trouble.empty();
  frame.trouble = trouble;
  if (frame.finite) {
    fill(scene, m, d, frame, options);
    return;
  }
  if (!frame.bodyPos.empty()) return;  // the last good state stays
  // there is none: the reference configuration
  Data reference(m);
  kinematics(m, reference);
  comPos(m, reference);
  cameras(m, reference);
  flexes(m, reference);
  tendons(m, reference);
  FrameOptions plain = options;
  plain.flexColor = FlexColor::Material;
  fill(scene, m, reference, frame, plain);
}

}  // namespace sinew
