#pragma once

#include "math/types.h"
#include "model/awake.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Forces of the surrounding medium (Option::density, viscosity, wind) on bodies. Two models: a body whose geoms ask
/// for the ellipsoid model is pushed at each of those geoms; any other body is treated as the box that has its inertia.
/// Velocities and forces here are spatial vectors (angular part first) in the local frame and at its origin.
namespace sinew {

/// The medium, at rest or moving with the wind.
struct Medium {
  double density;
  double viscosity;
};

/// Body as a box with its mass and principal inertia, edges along the principal axes.
struct FluidBox {
  Vec3 edge;  ///< full lengths, m
};
FluidBox equivalentBox(double mass, const Vec3& inertia);

/// Quadratic drag on the faces plus Stokes drag of the sphere of the same mean diameter, and its exact derivative
/// (diagonal) with respect to the velocity.
Vec6 fluidForce(const FluidBox& box, const Medium& medium, const Vec6& velocity);
Mat6 fluidDerivative(const FluidBox& box, const Medium& medium, const Vec6& velocity);

/// Geom as an ellipsoid, with the coefficients of MJCF's `fluidcoef` and the added mass found at compilation.
struct FluidEllipsoid {
  Vec3 semiaxis;
  double blunt, slender, angular, kutta, magnus;
  Vec3 virtualMass;     ///< per unit of density
  Vec3 virtualInertia;  ///< per unit of density
};
FluidEllipsoid fluidEllipsoid(const Model& m, int geom);

/// Added mass, Magnus and Kutta lift, drag and viscous torque of an ellipsoid, and the derivative.
Vec6 fluidForce(const FluidEllipsoid& e, const Medium& medium, const Vec6& velocity);
Mat6 fluidDerivative(const FluidEllipsoid& e, const Medium& medium, const Vec6& velocity);

/// True if the medium acts at all.
bool hasFluid(const Model& m);

/// qfrc_fluid += all fluid forces. Needs comVel().
void addFluidForces(const Model& m, Data& d);

/// True if the body's geoms use the ellipsoid model.
bool usesEllipsoids(const Model& m, int body);

/// Where one piece of a body meets the fluid: a frame, and the velocity of its origin relative to the medium in it.
struct FluidContact {
  Vec3 pos;
  Mat3 R;  ///< local to world
  Vec6 velocity;
};
FluidContact bodyInFluid(const Model& m, const Data& d, int body);  ///< inertial frame
FluidContact geomInFluid(const Model& m, const Data& d, int geom);
FluidContact nodeInFluid(const Model& m, const Data& d, int node);  ///< axes of the body it was declared under

/// Calls f(body, contact, shape) for every box and every ellipsoid that the medium acts on and that can move, unless it
/// sleeps.
template <class F>
void forEachFluidShape(const Model& m, const Data& d, F&& f) {
  if (!hasFluid(m)) return;
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_mass[b] < kMinVal || m.body_dofnum[m.body_weldid[b]] == 0 || bodyAsleep(d, b)) continue;
    if (!usesEllipsoids(m, b)) {
      f(b, bodyInFluid(m, d, b), equivalentBox(m.body_mass[b], vec3(m.body_inertia.data(), b)));
      continue;
    }
    for (int g = m.body_geomadr[b]; g < m.body_geomadr[b] + m.body_geomnum[b]; ++g) {
      if (m.geom_fluid[12 * g] != 0) f(b, geomInFluid(m, d, g), fluidEllipsoid(m, g));
    }
  }
}

/// Calls f(node, contact, box) for every node of a flex that the medium acts on, a small cube that does not turn,
/// unless it sleeps.
template <class F>
void forEachFluidNode(const Model& m, const Data& d, F&& f) {
  if (!hasFluid(m)) return;
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node] || m.flexnode_boxsize[node] == 0 || nodeAsleep(m, d, node)) continue;
    f(node, nodeInFluid(m, d, node), FluidBox{Vec3::Constant(m.flexnode_boxsize[node])});
  }
}

}  // namespace sinew
