#include "forces/fluid.h"

#include "kinematics/jacobian.h"

namespace sinew {
namespace {

FluidContact contactOf(const Model& m, const Data& d, int body, const Vec3& pos, const Mat3& R) {
  const PointVelocity v = pointVelocity(m, d, body, pos);
  FluidContact contact{pos, R, Vec6::Zero()};
  contact.velocity << R.transpose() * v.angular, R.transpose() * (v.linear - ConstMapVec3(m.opt.wind.data()));
  return contact;
}

}  // namespace

bool hasFluid(const Model& m) { return m.opt.density != 0 || m.opt.viscosity != 0; }

bool usesEllipsoids(const Model& m, int body) {
  for (int g = m.body_geomadr[body]; g < m.body_geomadr[body] + m.body_geomnum[body]; ++g) {
    if (m.geom_fluid[12 * g] > 0) return true;
  }
  return false;
}

FluidContact bodyInFluid(const Model& m, const Data& d, int body) {
  return contactOf(m, d, body, vec3(d.xipos.data(), body), mat3(d.ximat.data(), body));
}

FluidContact geomInFluid(const Model& m, const Data& d, int geom) {
  return contactOf(m, d, m.geom_bodyid[geom], vec3(d.geom_xpos.data(), geom), mat3(d.geom_xmat.data(), geom));
}

FluidContact nodeInFluid(const Model& m, const Data& d, int node) {
  FluidContact contact{vec3(d.qpos.data() + m.nq_rigid, node), mat3(d.xmat.data(), m.flexnode_bodyid[node]),
                       Vec6::Zero()};
  contact.velocity.tail<3>() =
      contact.R.transpose() * (vec3(d.qvel.data() + m.nv_rigid, node) - ConstMapVec3(m.opt.wind.data()));
  return contact;
}

void addFluidForces(const Model& m, Data& d) {
  const Medium medium{m.opt.density, m.opt.viscosity};
  forEachFluidShape(m, d, [&](int body, const FluidContact& contact, const auto& shape) {
    const Vec6 force = fluidForce(shape, medium, contact.velocity);
    addForce(m, d, body, contact.pos, contact.R * force.tail<3>(), contact.R * force.head<3>(), d.qfrc_fluid.data());
  });
  forEachFluidNode(m, d, [&](int node, const FluidContact& contact, const FluidBox& box) {
    vec3(d.qfrc_fluid.data() + m.nv_rigid, node) += contact.R * fluidForce(box, medium, contact.velocity).tail<3>();
  });
}

}  // namespace sinew
