#include "hard/engine.h"

#ifdef SINEW_BENCH_BULLET

#include <btBulletDynamicsCommon.h>

namespace sinew::bench {
namespace {

btVector3 vector(const std::array<double, 3>& v) {
  return {static_cast<btScalar>(v[0]), static_cast<btScalar>(v[1]), static_cast<btScalar>(v[2])};
}

class BulletEngine final : public Engine {
 public:
  BulletEngine(const Pile& pile, int sweeps)
      : timestep_(static_cast<btScalar>(pile.timestep)),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity({0, 0, btScalar(-9.81)});
    world_.getSolverInfo().m_numIterations = sweeps;
    add(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0)), PileBody{}, 0, pile.friction);
    for (const PileBody& wall : pile.walls) add(shapeOf(wall), wall, 0, pile.friction);
    first_ = bodies_.size();
    for (const PileBody& body : pile.bodies) add(shapeOf(body), body, body.mass, pile.friction);
  }
  ~BulletEngine() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  std::string name() const override { return "Bullet"; }
  void step() override { world_.stepSimulation(timestep_, 0); }

  std::vector<BodyState> states() const override {
    std::vector<BodyState> result;
    for (std::size_t i = first_; i < bodies_.size(); ++i) {
      const btTransform& pose = bodies_[i]->getWorldTransform();
      const btVector3 p = pose.getOrigin(), v = bodies_[i]->getLinearVelocity(), w = bodies_[i]->getAngularVelocity();
      const btQuaternion q = pose.getRotation();
      result.push_back(
          {{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}, {v.x(), v.y(), v.z()}, {w.x(), w.y(), w.z()}});
    }
    return result;
  }

 private:
  static std::unique_ptr<btCollisionShape> shapeOf(const PileBody& body) {
    if (body.isSphere()) return std::make_unique<btSphereShape>(static_cast<btScalar>(body.size[0]));
    return std::make_unique<btBoxShape>(vector(body.size));
  }

  void add(std::unique_ptr<btCollisionShape> shape, const PileBody& body, double mass, double friction) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(static_cast<btScalar>(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, shape.get(), inertia);
    info.m_startWorldTransform =
        btTransform(btQuaternion(static_cast<btScalar>(body.quat[1]), static_cast<btScalar>(body.quat[2]),
                                 static_cast<btScalar>(body.quat[3]), static_cast<btScalar>(body.quat[0])),
                    vector(body.pos));
    // Bullet multiplies the coefficients of the two bodies
    info.m_friction = static_cast<btScalar>(std::sqrt(friction));
    info.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
    shapes_.push_back(std::move(shape));
  }

  btScalar timestep_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::size_t first_ = 0;
};

}  // namespace

std::unique_ptr<Engine> makeBullet(const Pile& pile, int sweeps) {
  return std::make_unique<BulletEngine>(pile, sweeps);
}

}  // namespace sinew::bench

#else

namespace sinew::bench {
std::unique_ptr<Engine> makeBullet(const Pile&, int) { return nullptr; }
}  // namespace sinew::bench

#endif
