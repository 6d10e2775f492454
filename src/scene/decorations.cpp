#include <algorithm>
#include <cmath>

#include "constraint/constraint.h"
#include "kinematics/flexes.h"
#include "math/quat.h"
#include "math/types.h"
#include "model/carrier.h"
#include "scene/parts.h"

namespace sinew::draw {
namespace {

/// Rotation whose z axis points along v.
Mat3 frameAlong(const Vec3& v) { return toMatrix(fromZTo(v)); }

/// Adds decorations, each explaining an object.
class Decorator {
 public:
  Decorator(const Scene& scene, const Model& m, const Data& d, const FrameOptions& options, Frame& frame)
      : scene_(scene), visual_(scene.visual), m_(m), d_(d), options_(options), frame_(frame) {}

  void run() {
    frame_.decorations.clear();
    if (options_.contactPoints || options_.contactForces || options_.contactSplit) contacts();
    if (options_.joints) joints();
    if (options_.actuators) actuators();
    if (options_.centersOfMass) centersOfMass();
    if (options_.inertias) inertias();
    if (options_.constraints) constraints();
    if (options_.slidercranks) slidercranks();
    if (options_.cameras) cameras();
    if (options_.lights) lights();
    if (options_.perturbation) perturbations();
    if (options_.frames != FrameKind::None) frames();
  }

 private:
  float scaled(double scale) const { return static_cast<float>(scale * scene_.meansize); }

  Decoration& add(SceneShape shape, const Float3& size, const Vec3& pos, const Mat3& R, const Color& rgba, ObjType type,
                  int id) {
    Decoration& added = frame_.decorations.emplace_back();
    added.shape = shape;
    added.size = size;
    MapVec3(added.pos.data()) = pos;
    MapMat3(added.mat.data()) = R;
    added.rgba = rgba;
    added.type = type;
    added.id = id;
    return added;
  }

  void arrow(const Vec3& pos, const Vec3& v, double width, const Color& rgba, ObjType type, int id) {
    const double length = v.norm();
    if (!(length > 1e-6 * scene_.meansize) || !std::isfinite(length)) return;
    add(SceneShape::Arrow, {static_cast<float>(width), 0, static_cast<float>(length)}, pos, frameAlong(v), rgba, type,
        id);
  }

  void rod(const Vec3& a, const Vec3& b, double radius, const Color& rgba, ObjType type, int id) {
    const Vec3 v = b - a;
    const double length = v.norm();
    if (length < kMinVal) return;
    add(SceneShape::Capsule, {static_cast<float>(radius), static_cast<float>(length / 2), 0}, (a + b) / 2,
        frameAlong(v), rgba, type, id);
  }

  void contacts() {
    const double forceScale = visual_.force / std::max(m_.stat.meanmass, kMinVal);
    for (std::size_t i = 0; i < frame_.contacts.size(); ++i) {
      const FrameContact& c = frame_.contacts[i];
      const Vec3 pos = ConstMapVec3(c.pos.data()), normal = ConstMapVec3(c.frame.data());
      const Vec3 force = ConstMapVec3(c.force.data());
      const int id = static_cast<int>(i);
      if (options_.contactPoints) {
        const float width = scaled(visual_.contactwidth);
        add(SceneShape::Cylinder, {width, scaled(visual_.contactheight), 0}, pos, frameAlong(normal),
            c.active ? visual_.contactpoint : visual_.contactgap, ObjType::Unknown, id);
      }
      const double width = scaled(visual_.forcewidth);
      if (options_.contactSplit) {
        const Vec3 along = force.dot(normal) * normal;
        arrow(pos, forceScale * along, width, visual_.contactforce, ObjType::Unknown, id);
        arrow(pos, forceScale * (force - along), width, visual_.contactfriction, ObjType::Unknown, id);
      } else if (options_.contactForces) {
        arrow(pos, forceScale * force, width, c.sliding ? visual_.contactfriction : visual_.contactforce,
              ObjType::Unknown, id);
      }
    }
  }

  void joints() {
    for (int j = 0; j < m_.njnt; ++j) {
      if (!options_.jointGroups[std::clamp(m_.jnt_group[j], 0, 5)]) continue;
      const Vec3 anchor = vec3(d_.xanchor.data(), j), axis = vec3(d_.xaxis.data(), j);
      const float length = scaled(visual_.jointlength), width = scaled(visual_.jointwidth);
      const Mat3 R = mat3(d_.xmat.data(), m_.jnt_bodyid[j]);
      switch (m_.jnt_type[j]) {
        case JointType::Hinge:
        case JointType::Slide:
          arrow(anchor, length * axis, width, visual_.joint, ObjType::Joint, j);
          break;
        case JointType::Ball:
          add(SceneShape::Sphere, {3 * width, 0, 0}, anchor, R, visual_.joint, ObjType::Joint, j);
          break;
        case JointType::Free:
          add(SceneShape::Box, {3 * width, 3 * width, 3 * width}, anchor, R, visual_.joint, ObjType::Joint, j);
          break;
      }
    }
  }

  /// Between the resting colour and that of the sign, by how far the control is towards the end of its range.
  Color actuatorColor(int a) const {
    const int u = m_.actuator_ctrladr[a];
    double share = 0;
    if (m_.actuator_ctrlnum[a] > 0) {
      const double ctrl = d_.ctrl[u];
      const double* range = &m_.actuator_ctrlrange[2 * u];
      const double end = ctrl > 0 ? range[1] : -range[0];
      share = m_.actuator_ctrllimited[u] && end > 0 ? ctrl / end : ctrl;
    }
    const Color& towards = share < 0 ? visual_.actuatornegative : visual_.actuatorpositive;
    const float t = static_cast<float>(std::clamp(std::abs(share), 0.0, 1.0));
    Color out;
    for (std::size_t k = 0; k < 4; ++k) out[k] = (1 - t) * visual_.actuator[k] + t * towards[k];
    return out;
  }

  void actuators() {
    const float length = scaled(visual_.actuatorlength), width = scaled(visual_.actuatorwidth);
    for (int a = 0; a < m_.nactuator; ++a) {
      if (!options_.actuatorGroups[std::clamp(m_.actuator_group[a], 0, 5)]) continue;
      const Color rgba = actuatorColor(a);
      const int target = m_.actuator_trnid[2 * a];
      if (target < 0) continue;
      switch (m_.actuator_trntype[a]) {
        case TransmissionType::Joint:
        case TransmissionType::JointInParent: {
          const Vec3 anchor = vec3(d_.xanchor.data(), target), axis = vec3(d_.xaxis.data(), target);
          const bool hasAxis = m_.jnt_type[target] == JointType::Hinge || m_.jnt_type[target] == JointType::Slide;
          if (hasAxis) {
            add(SceneShape::Cylinder, {width, length / 2, 0}, anchor, frameAlong(axis), rgba, ObjType::Actuator, a);
          } else {
            add(SceneShape::Sphere, {width, 0, 0}, anchor, Mat3::Identity(), rgba, ObjType::Actuator, a);
          }
          break;
        }
        case TransmissionType::Tendon:
          frame_.tendonRgba[target] = rgba;
          frame_.tendonRadius[target] *= static_cast<float>(visual_.actuatortendon);
          break;
        case TransmissionType::Site:
        case TransmissionType::SliderCrank: {
          const Vec3 pos = vec3(d_.site_xpos.data(), target);
          const Mat3 R = mat3(d_.site_xmat.data(), target);
          const Vec3 gear(m_.actuator_gear[6 * m_.actuator_outadr[a]], m_.actuator_gear[6 * m_.actuator_outadr[a] + 1],
                          m_.actuator_gear[6 * m_.actuator_outadr[a] + 2]);
          if (m_.actuator_trntype[a] == TransmissionType::Site && gear.norm() > kMinVal) {
            arrow(pos, length * (R * gear.normalized()), width / 2, rgba, ObjType::Actuator, a);
          } else {
            add(SceneShape::Sphere, {width, 0, 0}, pos, R, rgba, ObjType::Actuator, a);
          }
          break;
        }
        case TransmissionType::Body:
          add(SceneShape::Sphere, {width, 0, 0}, vec3(d_.xipos.data(), target), Mat3::Identity(), rgba,
              ObjType::Actuator, a);
          break;
        case TransmissionType::So3:
        case TransmissionType::Undefined:
          break;
      }
    }
  }

  void centersOfMass() {
    for (int b = 1; b < m_.nbody; ++b) {
      if (m_.body_rootid[b] != b) continue;
      add(SceneShape::Sphere, {scaled(visual_.com), 0, 0}, vec3(d_.subtree_com.data(), b), Mat3::Identity(),
          visual_.comColor, ObjType::Body, b);
    }
  }

  /// The box (or ellipsoid) of uniform density with the same mass and moments.
  void inertias() {
    const double factor = visual_.ellipsoidinertia ? 2.5 : 1.5;  // 5/2 or 6/4
    for (int b = 1; b < m_.nbody; ++b) {
      const double mass = m_.body_mass[b];
      if (mass < kMinVal || m_.body_weldid[b] == 0) continue;
      const ConstMapVec3 I = vec3(m_.body_inertia.data(), b);
      Float3 half;
      for (int k = 0; k < 3; ++k) {
        const double others = I.sum() - 2 * I[k];
        half[k] = static_cast<float>(std::sqrt(std::max(0.0, factor * others / mass)));
      }
      add(visual_.ellipsoidinertia ? SceneShape::Ellipsoid : SceneShape::Box, half, vec3(d_.xipos.data(), b),
          mat3(d_.ximat.data(), b), visual_.inertia, ObjType::Body, b);
    }
  }

  /// World position of anchor `k` (0, 1) of a connect or weld.
  Vec3 anchorOf(int e, int k) const {
    const int object = k == 0 ? m_.eq_obj1id[e] : m_.eq_obj2id[e];
    if (m_.eq_objtype[e] == ObjType::Site) return vec3(d_.site_xpos.data(), object);
    // connects have the anchor in each body, welds that in the second one, which the first one's pose refers to
    const double* data = &m_.eq_data[11 * e];
    const bool isWeld = m_.eq_type[e] == EqualityType::Weld;
    Vec3 local = ConstMapVec3(data + 3 * k);
    if (isWeld && k == 1) local = ConstMapVec3(data);
    if (isWeld && k == 0) {
      const Quat turn = normalized(Quat::load(data + 6));
      local = Vec3(ConstMapVec3(data + 3)) + rotate(turn, ConstMapVec3(data));
    }
    if (object < 0) return local;
    if (object >= m_.nbody) return vec3(d_.flexpoint_xpos.data(), m_.flexnode_pointid[object - m_.nbody]);
    return vec3(d_.xpos.data(), object) + mat3(d_.xmat.data(), object) * local;
  }

  void constraints() {
    for (int e = 0; e < m_.neq; ++e) {
      if (!d_.eq_active[e]) continue;
      if (m_.eq_type[e] != EqualityType::Connect && m_.eq_type[e] != EqualityType::Weld) continue;
      const Vec3 a = anchorOf(e, 0), b = anchorOf(e, 1);
      const float width = scaled(visual_.constraint);
      add(SceneShape::Sphere, {2 * width, 0, 0}, a, Mat3::Identity(), visual_.connectColor, ObjType::Equality, e);
      add(SceneShape::Sphere, {2 * width, 0, 0}, b, Mat3::Identity(), visual_.connectColor, ObjType::Equality, e);
      rod(a, b, width, visual_.constraintColor, ObjType::Equality, e);
    }
  }

  void slidercranks() {
    for (int a = 0; a < m_.nactuator; ++a) {
      if (m_.actuator_trntype[a] != TransmissionType::SliderCrank) continue;
      const int crank = m_.actuator_trnid[2 * a], slider = m_.actuator_trnid[2 * a + 1];
      const Vec3 x = vec3(d_.site_xpos.data(), slider), axis = mat3(d_.site_xmat.data(), slider).col(2);
      const Vec3 v = Vec3(vec3(d_.site_xpos.data(), crank)) - x;
      const double av = axis.dot(v), rod2 = m_.actuator_cranklength[a] * m_.actuator_cranklength[a];
      const double det = av * av + rod2 - v.squaredNorm();
      const Vec3 end = x + axis * (av - std::sqrt(std::max(0.0, det)));
      const float width = scaled(visual_.slidercrank) / 2;
      rod(x, end, width, visual_.slidercrankColor, ObjType::Actuator, a);
      rod(end, x + v, width, det < 0 ? visual_.crankbroken : visual_.slidercrankColor, ObjType::Actuator, a);
    }
  }

  void cameras() {
    const float s = scaled(visual_.camera);
    for (int c = 0; c < m_.ncam; ++c) {
      const Vec3 pos = vec3(d_.cam_xpos.data(), c);
      const Mat3 R = mat3(d_.cam_xmat.data(), c);
      add(SceneShape::Box, {s / 2, s / 2, s}, pos + s * R.col(2), R, visual_.cameraColor, ObjType::Camera, c);
      add(SceneShape::Cylinder, {s / 3, s / 4, 0}, pos - s / 4 * R.col(2), R, visual_.cameraColor, ObjType::Camera, c);
    }
  }

  void lights() {
    const float s = scaled(visual_.light);
    for (std::size_t i = 0; i < scene_.lights.size(); ++i) {
      const Vec3 pos = ConstMapVec3(frame_.lightPos.data() + 3 * i), dir = ConstMapVec3(frame_.lightDir.data() + 3 * i);
      const bool isPoint = scene_.lights[i].type == LightType::Point;
      add(isPoint ? SceneShape::Sphere : SceneShape::Cylinder, {s / 2, s, 0}, pos - (isPoint ? 0 : s) * dir,
          frameAlong(dir), visual_.lightColor, ObjType::Light, static_cast<int>(i))
          .emission = 1;
    }
  }

  void perturbations() {
    const double scale = visual_.force / std::max(m_.stat.meanmass, kMinVal);
    const double torqueScale = visual_.torque / std::max(m_.stat.meanmass, kMinVal);
    for (int b = 1; b < m_.nbody; ++b) {
      const Vec3 pos = vec3(d_.xipos.data(), b);
      const double* f = &d_.xfrc_applied[6 * b];
      arrow(pos, scale * ConstMapVec3(f), scaled(visual_.forcewidth), visual_.forceColor, ObjType::Body, b);
      arrow(pos, torqueScale * ConstMapVec3(f + 3), scaled(visual_.forcewidth), visual_.contacttorque, ObjType::Body,
            b);
    }
  }

  void triad(const Vec3& pos, const Mat3& R, ObjType type, int id) {
    const float length = scaled(visual_.framelength), width = scaled(visual_.framewidth);
    for (int k = 0; k < 3; ++k) {
      Color rgba{0.1f, 0.1f, 0.1f, 1};
      rgba[k] = 0.9f;
      add(SceneShape::Cylinder, {width / 2, length / 2, 0}, pos + length / 2 * R.col(k), frameAlong(R.col(k)), rgba,
          type, id);
    }
  }

  void frames() {
    switch (options_.frames) {
      case FrameKind::None:
        break;
      case FrameKind::World:
        triad(Vec3::Zero(), Mat3::Identity(), ObjType::Body, 0);
        break;
      case FrameKind::Body:
        for (int b = 1; b < m_.nbody; ++b) triad(vec3(d_.xpos.data(), b), mat3(d_.xmat.data(), b), ObjType::Body, b);
        break;
      case FrameKind::Geom:
        for (int g = 0; g < m_.ngeom; ++g) {
          triad(vec3(d_.geom_xpos.data(), g), mat3(d_.geom_xmat.data(), g), ObjType::Geom, g);
        }
        break;
      case FrameKind::Site:
        for (int s = 0; s < m_.nsite; ++s) {
          triad(vec3(d_.site_xpos.data(), s), mat3(d_.site_xmat.data(), s), ObjType::Site, s);
        }
        break;
      case FrameKind::Camera:
        for (int c = 0; c < m_.ncam; ++c) {
          triad(vec3(d_.cam_xpos.data(), c), mat3(d_.cam_xmat.data(), c), ObjType::Camera, c);
        }
        break;
    }
  }

  const Scene& scene_;
  const SceneVisual& visual_;
  const Model& m_;
  const Data& d_;
  const FrameOptions& options_;
  Frame& frame_;
};

}  // namespace

void listContacts(const Model& m, const Data& d, Frame& frame) {
  frame.contacts.resize(static_cast<std::size_t>(d.ncon()));
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& c = d.contact[i];
    const bool elliptic = c.efc_address >= 0 && d.efc_type[c.efc_address] == RowType::ContactElliptic;
    FrameContact& out = frame.contacts[i];
    out.pos = c.pos;
    out.frame = c.frame;
    out.dist = c.dist;
    out.dim = c.dim;
    out.active = c.efc_address >= 0;
    const std::array<double, 6> f = forceOfContact(m, d, i);
    const ConstMapMat3 R(c.frame.data());
    MapVec3(out.force.data()) = R.transpose() * ConstMapVec3(f.data());
    MapVec3(out.torque.data()) = R.transpose() * ConstMapVec3(f.data() + 3);
    // share of the friction cone that is used
    double used = 0;
    for (int k = 1; k < c.dim; ++k) {
      const auto index = static_cast<std::size_t>(k);
      const double mu = c.friction[index - 1];
      if (mu > 0) used += elliptic ? (f[index] / mu) * (f[index] / mu) : std::abs(f[index] / mu);
    }
    if (elliptic) used = std::sqrt(used);
    out.sliding = c.dim > 1 && f[0] > 0 && used >= 0.99 * f[0];
    for (std::size_t s = 0; s < 2; ++s) {
      out.side[s].type = c.geom[s] >= 0 ? ObjType::Geom : ObjType::Flex;
      out.side[s].id = c.geom[s] >= 0 ? c.geom[s] : c.flex[s];
    }
  }
}

void decorate(const Scene& scene, const Model& m, const Data& d, const FrameOptions& options, Frame& frame) {
  Decorator(scene, m, d, options, frame).run();
}

}  // namespace sinew::draw
