#include "hard/engine.h"

#ifdef SINEW_BENCH_ODE

#include <ode/ode.h>

#include <array>

namespace sinew::bench {
namespace {

class OdeEngine final : public Engine {
 public:
  OdeEngine(const Pile& pile, int sweeps) : timestep_(pile.timestep), friction_(pile.friction) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, -9.81);
    dWorldSetERP(world_, 0.2);
    dWorldSetCFM(world_, 1e-10);
    dWorldSetQuickStepNumIterations(world_, sweeps);
    dCreatePlane(space_, 0, 0, 1, 0);
    for (const PileBody& wall : pile.walls) {
      const dGeomID geom = geomOf(wall);
      dGeomSetPosition(geom, wall.pos[0], wall.pos[1], wall.pos[2]);
    }
    for (const PileBody& body : pile.bodies) {
      const dBodyID id = dBodyCreate(world_);
      dMass mass;
      if (body.isSphere()) {
        dMassSetSphereTotal(&mass, body.mass, body.size[0]);
      } else {
        dMassSetBoxTotal(&mass, body.mass, 2 * body.size[0], 2 * body.size[1], 2 * body.size[2]);
      }
      dBodySetMass(id, &mass);
      dGeomSetBody(geomOf(body), id);
      dBodySetPosition(id, body.pos[0], body.pos[1], body.pos[2]);
      dQuaternion q = {body.quat[0], body.quat[1], body.quat[2], body.quat[3]};
      dBodySetQuaternion(id, q);
      bodies_.push_back(id);
    }
  }
  ~OdeEngine() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

  std::string name() const override { return "ODE"; }

  void step() override {
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<OdeEngine*>(self)->touch(a, b); });
    dWorldQuickStep(world_, timestep_);
    dJointGroupEmpty(contacts_);
  }

  std::vector<BodyState> states() const override {
    std::vector<BodyState> result;
    for (const dBodyID id : bodies_) {
      const dReal *p = dBodyGetPosition(id), *q = dBodyGetQuaternion(id), *v = dBodyGetLinearVel(id),
                  *w = dBodyGetAngularVel(id);
      result.push_back({{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}});
    }
    return result;
  }

 private:
  dGeomID geomOf(const PileBody& body) {
    return body.isSphere() ? dCreateSphere(space_, body.size[0])
                           : dCreateBox(space_, 2 * body.size[0], 2 * body.size[1], 2 * body.size[2]);
  }

  void touch(dGeomID a, dGeomID b) {
    const dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
    if (!bodyA && !bodyB) return;
    std::array<dContact, 8> contact;
    const int count = dCollide(a, b, static_cast<int>(contact.size()), &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      dContact& c = contact[i];
      c.surface.mode = dContactApprox1;
      c.surface.mu = friction_;
      dJointAttach(dJointCreateContact(world_, contacts_, &c), bodyA, bodyB);
    }
  }

  double timestep_, friction_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
};

}  // namespace

std::unique_ptr<Engine> makeOde(const Pile& pile, int sweeps) { return std::make_unique<OdeEngine>(pile, sweeps); }

}  // namespace sinew::bench

#else

namespace sinew::bench {
std::unique_ptr<Engine> makeOde(const Pile&, int) { return nullptr; }
}  // namespace sinew::bench

#endif
