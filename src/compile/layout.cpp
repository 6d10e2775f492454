#include "compile/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compile/place.h"
#include "compile/rows.h"

namespace sinew::draft {
namespace {

/// Frames closer than this, in every component, count as one.
constexpr double kSameFrame = 1e-6;

bool near(const Vec3& a, const Vec3& b) { return (a - b).cwiseAbs().maxCoeff() < kSameFrame; }

bool near(const Quat& a, const Quat& b) {
  const auto within = [&](double sign) {
    return std::abs(a.w - sign * b.w) < kSameFrame && std::abs(a.x - sign * b.x) < kSameFrame &&
           std::abs(a.y - sign * b.y) < kSameFrame && std::abs(a.z - sign * b.z) < kSameFrame;
  };
  return within(1) || within(-1);  // q and -q are the same rotation
}

/// How a frame of a body relates to the body frame and to the inertial frame.
SameFrame relation(const Pose& frame, const Pose& inertial) {
  if (near(frame.quat, Quat{})) return near(frame.pos, Vec3::Zero()) ? SameFrame::Body : SameFrame::BodyRot;
  if (near(frame.quat, inertial.quat)) {
    return near(frame.pos, inertial.pos) ? SameFrame::Inertia : SameFrame::InertiaRot;
  }
  return SameFrame::None;
}

SameFrame inertialRelation(const Pose& inertial) {
  if (!near(inertial.quat, Quat{})) return SameFrame::None;
  return near(inertial.pos, Vec3::Zero()) ? SameFrame::Body : SameFrame::BodyRot;
}

/// Whether the joints leave M diagonal and constant: all through the origin, axes along the body's axes, nothing after
/// a rotation.
bool hasSimpleJoints(const Body& body) {
  constexpr double kAligned = 1e-14;
  bool afterRotation = false;
  for (const Joint& joint : body.joints) {
    const JointType type = joint.spec->type;
    const auto components = (joint.axis.array().abs() > kAligned).count();
    const bool scalar = type == JointType::Hinge || type == JointType::Slide;
    if (afterRotation || !near(joint.pos, Vec3::Zero()) || (scalar && components != 1)) return false;
    afterRotation = afterRotation || joint.isRotation();
  }
  return true;
}

/// 1 if M is diagonal for this body's dofs, 2 if it also has only slides. A parent loses this when a child appears.
std::uint8_t simpleLevel(const Draft& draft, const Model& m, int id) {
  const Body& body = draft.body(id);
  if (m.body_sameframe[id] != SameFrame::Body || !body.spec->simpleAllowed) return 0;
  const int parent = m.body_parentid[id];
  const bool isRoot = m.body_rootid[id] == id;
  if (!isRoot && !(m.body_parentid[parent] == 0 && m.body_dofnum[parent] == 0)) return 0;
  if (!hasSimpleJoints(body)) return 0;
  const bool onlySlides = std::all_of(body.joints.begin(), body.joints.end(),
                                      [](const Joint& j) { return j.spec->type == JointType::Slide; });
  return !body.joints.empty() && onlySlides ? 2 : 1;
}

void writeBody(const Draft& draft, Model& m, int id) {
  const Body& body = draft.body(id);
  const int parent = body.parent;
  m.body_parentid[id] = parent;
  m.body_rootid[id] = id == 0 || parent == 0 ? id : m.body_rootid[parent];
  const bool weldRoot = !body.joints.empty() || body.spec->mocap;
  m.body_weldid[id] = id == 0 ? 0 : weldRoot ? id : m.body_weldid[parent];
  m.body_jntnum[id] = static_cast<int>(body.joints.size());
  m.body_dofnum[id] = body.numDofs();
  m.body_geomnum[id] = static_cast<int>(body.geoms.size());
  m.body_sameframe[id] = inertialRelation(body.inertial);
  putRow(m.body_pos, id, body.pose.pos);
  putRow(m.body_quat, id, body.pose.quat);
  putRow(m.body_ipos, id, body.inertial.pos);
  putRow(m.body_iquat, id, body.inertial.quat);
  m.body_mass[id] = body.mass;
  putRow(m.body_inertia, id, body.inertia);
  m.body_gravcomp[id] = body.spec->gravcomp;
  m.body_margin[id] = body.margin;
  for (const Geom& geom : body.geoms) {
    m.body_contype[id] |= geom.spec->contype;
    m.body_conaffinity[id] |= geom.spec->conaffinity;
  }
  putUser(m.body_user, id, m.nuser_body, body.spec->user);

  m.body_simple[id] = simpleLevel(draft, m, id);
  if (parent > 0) m.body_simple[parent] = 0;
}

void writeReferencePosition(const Body& body, const Joint& joint, double* qpos0, double* qposSpring) {
  switch (joint.spec->type) {
    case JointType::Free:
      MapVec3{qpos0} = body.pose.pos;
      body.pose.quat.store(qpos0 + 3);
      std::copy(qpos0, qpos0 + 7, qposSpring);
      break;
    case JointType::Ball:
      Quat{}.store(qpos0);
      Quat{}.store(qposSpring);
      break;
    case JointType::Slide:
    case JointType::Hinge:
      *qpos0 = joint.ref;
      *qposSpring = joint.springref;
      break;
  }
}

/// Writes joint `id` of `body`, its coordinates from `qpos` on and its dofs from `dof` on. `parentDof` is the dof
/// above.
void writeJoint(const Body& body, const Joint& joint, int bodyId, int id, int qpos, int dof, int parentDof, Model& m) {
  const spec::Joint& spec = *joint.spec;
  m.jnt_type[id] = spec.type;
  m.jnt_qposadr[id] = qpos;
  m.jnt_dofadr[id] = dof;
  m.jnt_bodyid[id] = bodyId;
  m.jnt_group[id] = spec.group;
  m.jnt_limited[id] = joint.limited;
  m.jnt_actfrclimited[id] = joint.actuatorForceLimited;
  m.jnt_actgravcomp[id] = spec.actuatorgravcomp;
  putRow(m.jnt_solref, id, spec.solreflimit);
  putRow(m.jnt_solimp, id, spec.solimplimit);
  putRow(m.jnt_pos, id, joint.pos);
  putRow(m.jnt_axis, id, joint.axis);
  putPolynomial(m.jnt_stiffness, m.jnt_stiffnesspoly, id, spec.stiffness);
  putRow(m.jnt_range, id, joint.range);
  putRow(m.jnt_actfrcrange, id, spec.actuatorfrcrange);
  m.jnt_margin[id] = spec.margin;
  putUser(m.jnt_user, id, m.nuser_jnt, spec.user);
  writeReferencePosition(body, joint, m.qpos0.data() + qpos, m.qpos_spring.data() + qpos);

  for (int i = dof; i < dof + joint.numDofs(); ++i) {
    m.dof_bodyid[i] = bodyId;
    m.dof_jntid[i] = id;
    m.dof_parentid[i] = parentDof;
    parentDof = i;
    putRow(m.dof_solref, i, spec.solreffriction);
    putRow(m.dof_solimp, i, spec.solimpfriction);
    m.dof_frictionloss[i] = spec.frictionloss;
    m.dof_frictionvel[i] = spec.frictionvel;
    m.dof_armature[i] = spec.armature;
    putPolynomial(m.dof_damping, m.dof_dampingpoly, i, spec.damping);
  }
}

void writeGeom(const Body& body, const Geom& geom, int bodyId, int id, Model& m) {
  const spec::Geom& spec = *geom.spec;
  m.geom_type[id] = geom.type;
  m.geom_contype[id] = spec.contype;
  m.geom_conaffinity[id] = spec.conaffinity;
  m.geom_condim[id] = spec.condim;
  m.geom_bodyid[id] = bodyId;
  m.geom_dataid[id] = std::max({geom.mesh, geom.fittedMesh, geom.hfield});  // at most one of them is there
  m.geom_group[id] = spec.group;
  m.geom_priority[id] = spec.priority;
  m.geom_sameframe[id] = relation(geom.pose, body.inertial);
  m.geom_solmix[id] = spec.solmix;
  putRow(m.geom_solref, id, spec.solref);
  putRow(m.geom_solimp, id, spec.solimp);
  putRow(m.geom_size, id, geom.size);
  MapVec3{m.geom_aabb.data() + 6 * id} = geom.aabb.center;
  MapVec3{m.geom_aabb.data() + 6 * id + 3} = geom.aabb.half;
  m.geom_rbound[id] = geom.boundingRadius;
  putRow(m.geom_pos, id, geom.pose.pos);
  putRow(m.geom_quat, id, geom.pose.quat);
  putRow(m.geom_friction, id, spec.friction);
  m.geom_margin[id] = spec.margin;
  m.geom_gap[id] = spec.gap;
  m.geom_restitution[id] = spec.restitution;
  putRow(m.geom_surfacevel, id, geom.surfacevel);
  m.geom_adhesion[id] = spec.adhesion;
  putRow(m.geom_fluid, id, geom.fluid);
  putRow(m.geom_rgba, id, spec.rgba);
  putUser(m.geom_user, id, m.nuser_geom, spec.user);
}

void writeSite(const Body& body, const Site& site, int bodyId, int id, Model& m) {
  const spec::Site& spec = *site.spec;
  m.site_type[id] = spec.type;
  m.site_bodyid[id] = bodyId;
  m.site_group[id] = spec.group;
  m.site_sameframe[id] = relation(site.pose, body.inertial);
  putRow(m.site_size, id, site.size);
  putRow(m.site_pos, id, site.pose.pos);
  putRow(m.site_quat, id, site.pose.quat);
  putRow(m.site_rgba, id, spec.rgba);
  putUser(m.site_user, id, m.nuser_site, spec.user);
}

void writeCamera(const Camera& camera, const Names& names, int bodyId, int id, Model& m) {
  const spec::Camera& spec = *camera.spec;
  m.cam_mode[id] = spec.mode;
  m.cam_bodyid[id] = bodyId;
  m.cam_targetbodyid[id] = spec.target.empty() ? -1 : names.need(ObjType::Body, spec.target, placeOf(spec));
  putRow(m.cam_pos, id, camera.pose.pos);
  putRow(m.cam_quat, id, camera.pose.quat);
  m.cam_projection[id] = spec.projection;
  m.cam_fovy[id] = camera.fovy;
  m.cam_ipd[id] = spec.ipd;
  putRow(m.cam_resolution, id, spec.resolution);
  m.cam_output[id] = spec.output;
  putRow(m.cam_sensorsize, id, spec.sensorsize);
  putRow(m.cam_intrinsic, id, camera.intrinsic);
  putUser(m.cam_user, id, m.nuser_cam, spec.user);
}

SleepPolicy policyOf(spec::SleepRequest request) {
  switch (request) {
    case spec::SleepRequest::Never:
      return SleepPolicy::Never;
    case spec::SleepRequest::Allowed:
      return SleepPolicy::Allowed;
    case spec::SleepRequest::Init:
      return SleepPolicy::Init;
    case spec::SleepRequest::Auto:
      break;
  }
  return SleepPolicy::Auto;
}

/// Kinematic trees: every dof without a parent starts one. Bodies belong to the tree of their weld body.
void writeTrees(const Draft& draft, Model& m) {
  int tree = -1;
  for (int i = 0; i < m.nv_rigid; ++i) {
    if (m.dof_parentid[i] < 0) {
      ++tree;
      m.tree_dofadr[tree] = i;
    }
    m.dof_treeid[i] = tree;
    ++m.tree_dofnum[tree];
  }
  int last = -1;
  for (int b = 0; b < m.nbody; ++b) {
    const int weld = m.body_weldid[b];
    m.body_treeid[b] = m.body_dofnum[weld] > 0 ? m.dof_treeid[m.body_dofadr[weld]] : -1;
    const int id = m.body_treeid[b];
    if (id < 0) continue;
    if (id > last) {
      last = id;
      m.tree_bodyadr[id] = b;
    }
    ++m.tree_bodynum[id];
  }
  for (int b = 1; b < m.nbody; ++b) {
    const spec::Body& body = *draft.body(b).spec;
    if (body.sleep == spec::SleepRequest::Auto) continue;
    const int id = m.body_treeid[b];
    if (id < 0 || id == m.body_treeid[b - 1]) {
      placeOf(body).fail("'sleep' is for the topmost moving body of a tree");
    }
    m.tree_sleep_policy[id] = policyOf(body.sleep);
  }
}

/// Columns of user data: as asked for, or (-1) as many as the longest list.
class UserColumns {
 public:
  explicit UserColumns(int requested, const char* attribute) : requested_(requested), attribute_(attribute) {}
  void see(const std::vector<double>& user, const Place& place) {
    const int n = static_cast<int>(user.size());
    longest_ = std::max(longest_, n);
    if (requested_ >= 0 && n > requested_) {
      place.fail(fmt::format("'user' has {} numbers, but <size {}=\"{}\">", n, attribute_, requested_));
    }
  }
  int columns() const { return requested_ >= 0 ? requested_ : longest_; }

 private:
  int requested_;
  const char* attribute_;
  int longest_ = 0;
};

template <class List>
int userColumns(const List& list, int requested, const char* attribute) {
  UserColumns user(requested, attribute);
  for (const auto& element : list) user.see(element.user, placeOf(element));
  return user.columns();
}

}  // namespace

void setTreeSizes(const Draft& draft, Model& m) {
  const spec::Size& size = draft.spec->size;
  UserColumns body(size.nuser_body, "nuser_body"), joint(size.nuser_jnt, "nuser_jnt");
  UserColumns geom(size.nuser_geom, "nuser_geom"), site(size.nuser_site, "nuser_site");
  UserColumns camera(size.nuser_cam, "nuser_cam");
  m.nbody = static_cast<int>(draft.bodies.size());
  std::vector<char> moving(draft.bodies.size(), 0);
  for (std::size_t i = 0; i < draft.bodies.size(); ++i) {
    const Body& b = draft.bodies[i];
    body.see(b.spec->user, placeOf(*b.spec));
    const bool aboveMoves = i > 0 && moving[b.parent];
    moving[i] = aboveMoves || !b.joints.empty();
    if (!b.joints.empty() && !aboveMoves) ++m.ntree;
    for (const Joint& j : b.joints) {
      joint.see(j.spec->user, placeOf(*j.spec));
      m.nq += j.numCoordinates();
      m.nv += j.numDofs();
    }
    for (const Geom& g : b.geoms) geom.see(g.spec->user, placeOf(*g.spec));
    for (const Site& s : b.sites) site.see(s.spec->user, placeOf(*s.spec));
    for (const Camera& c : b.cameras) camera.see(c.spec->user, placeOf(*c.spec));
    m.njnt += static_cast<int>(b.joints.size());
    m.ngeom += static_cast<int>(b.geoms.size());
    m.nsite += static_cast<int>(b.sites.size());
    m.ncam += static_cast<int>(b.cameras.size());
    m.nmocap += b.spec->mocap ? 1 : 0;
    m.ngravcomp += b.spec->gravcomp > 0 ? 1 : 0;
  }
  m.nuser_body = body.columns();
  m.nuser_jnt = joint.columns();
  m.nuser_geom = geom.columns();
  m.nuser_site = site.columns();
  m.nuser_cam = camera.columns();
  m.nuser_tendon = userColumns(draft.spec->tendons, size.nuser_tendon, "nuser_tendon");
  m.nuser_actuator = userColumns(draft.spec->actuators, size.nuser_actuator, "nuser_actuator");
  m.nuser_sensor = userColumns(draft.spec->sensors, size.nuser_sensor, "nuser_sensor");
}

void writeTree(const Draft& draft, const Names& names, Model& m) {
  int joint = 0, qpos = 0, dof = 0, geom = 0, site = 0, camera = 0, mocap = 0;
  std::vector<int> lastDof(draft.bodies.size(), -1);
  for (int id = 0; id < m.nbody; ++id) {
    const Body& body = draft.body(id);
    m.body_mocapid[id] = body.spec->mocap ? mocap++ : -1;
    m.body_jntadr[id] = body.joints.empty() ? -1 : joint;
    m.body_dofadr[id] = body.joints.empty() ? -1 : dof;
    m.body_geomadr[id] = body.geoms.empty() ? -1 : geom;
    writeBody(draft, m, id);

    int& last = lastDof[id];
    if (id > 0) last = lastDof[body.parent];
    for (const Joint& j : body.joints) {
      writeJoint(body, j, id, joint, qpos, dof, last, m);
      joint += 1;
      qpos += j.numCoordinates();
      dof += j.numDofs();
      last = dof - 1;
    }
    for (const Geom& g : body.geoms) writeGeom(body, g, id, geom++, m);
    for (const Site& s : body.sites) writeSite(body, s, id, site++, m);
    for (const Camera& c : body.cameras) writeCamera(c, names, id, camera++, m);
  }
  writeTrees(draft, m);
}

void finishSimple(Model& m) {
  for (int t = 0; t < m.ntendon; ++t) {
    if (m.tendon_armature[t] == 0) continue;
    for (int w = m.tendon_adr[t]; w < m.tendon_adr[t] + m.tendon_num[t]; ++w) {
      const WrapType type = m.wrap_type[w];
      if (type == WrapType::Site) m.body_simple[m.site_bodyid[m.wrap_objid[w]]] = 0;
      if (type == WrapType::Sphere || type == WrapType::Cylinder) m.body_simple[m.geom_bodyid[m.wrap_objid[w]]] = 0;
    }
  }
  for (int i = m.nv_rigid; i < m.nv; ++i) m.dof_simplenum[i] = m.nv - i;
  int run = 0;
  for (int i = m.nv_rigid - 1; i >= 0; --i) {
    run = m.body_simple[m.dof_bodyid[i]] != 0 ? run + 1 : 0;
    m.dof_simplenum[i] = run;
  }
}

}  // namespace sinew::draft
