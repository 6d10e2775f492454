#include "sinew/world.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/variant.h>

#include "common.h"

namespace sinew::python {
namespace {

using Vec = std::array<double, 3>;
using Quat = std::array<double, 4>;

Quaternion quaternion(const Quat& q) { return {q[0], q[1], q[2], q[3]}; }

/// ("box", half sizes), ("sphere", radius) and so on, as the Python side writes shapes.
Shape shapeOf(const std::string& kind, const std::vector<double>& sizes, const std::vector<Vec>& vertices,
              const std::vector<std::array<int, 3>>& faces) {
  const auto need = [&](std::size_t n) {
    if (sizes.size() != n) {
      throw std::invalid_argument(kind + ": needs " + std::to_string(n) + " sizes, found " +
                                  std::to_string(sizes.size()));
    }
  };
  if (kind == "sphere") return need(1), Sphere{sizes[0]};
  if (kind == "box") return need(3), Box{{sizes[0], sizes[1], sizes[2]}};
  if (kind == "capsule") return need(2), Capsule{sizes[0], sizes[1]};
  if (kind == "cylinder") return need(2), Cylinder{sizes[0], sizes[1]};
  if (kind == "ellipsoid") return need(3), Ellipsoid{{sizes[0], sizes[1], sizes[2]}};
  if (kind == "plane") return Plane{};
  if (kind == "mesh") {
    TriangleMesh mesh{vertices, faces};
    if (sizes.size() > 1) throw std::invalid_argument("mesh: needs one size at most, its thickness");
    if (!sizes.empty()) mesh.thickness = sizes[0];
    return mesh;
  }
  if (kind == "heightfield") {  // half sizes, base, rows, columns, heights
    if (sizes.size() < 5) throw std::invalid_argument("heightfield: needs half sizes in x and y, base, and heights");
    HeightField field;
    field.halfSizeX = sizes[0];
    field.halfSizeY = sizes[1];
    field.base = sizes[2];
    field.rows = static_cast<int>(sizes[3]);
    field.columns = static_cast<int>(sizes[4]);
    field.heights.assign(sizes.begin() + 5, sizes.end());
    return field;
  }
  throw std::invalid_argument(
      "shape: one of sphere, box, capsule, cylinder, ellipsoid, plane, mesh, heightfield; found \"" + kind + "\"");
}

/// Handles as Python holds them: kind, slot, generation.
struct Thing {
  char kind = 'b';
  std::uint32_t slot = 0, generation = 0;
};
template <class Id>
Thing thing(char kind, Id id) {
  return {kind, id.slot, id.generation};
}
template <class Id>
Id idOf(const Thing& t, char kind, const char* what) {
  if (t.kind != kind) throw std::invalid_argument(std::string("this needs a ") + what);
  Id id;
  id.slot = t.slot;
  id.generation = t.generation;
  return id;
}
BodyId body(const Thing& t) { return idOf<BodyId>(t, 'b', "body"); }
SoftId soft(const Thing& t) { return idOf<SoftId>(t, 's', "soft thing"); }
JointId joint(const Thing& t) { return idOf<JointId>(t, 'j', "joint"); }

struct WorldBox {
  std::unique_ptr<World> world;
  std::shared_ptr<User> user = std::make_shared<User>();
  Pending pending = std::make_shared<std::exception_ptr>();

  /// For everything but an update: throws while another thread makes one.
  World* operator->() const {
    if (user->isElsewhere()) throw std::runtime_error("this World is being updated by another thread");
    return world.get();
  }
};

nb::object vec(const Vector3& v) { return copyOf<double>(std::span<const double>(v)); }

std::optional<JointSpring> springOf(const std::optional<Vec>& s) {
  if (!s) return std::nullopt;
  return JointSpring{(*s)[0], (*s)[1], (*s)[2]};
}
std::optional<JointMotor> motorOf(const std::optional<std::array<double, 2>>& s) {
  if (!s) return std::nullopt;
  return JointMotor{(*s)[0], (*s)[1]};
}

nb::object sideOf(const ContactBody& c) { return c.body ? nb::cast(thing('b', c.body)) : nb::cast(thing('s', c.soft)); }

nb::list sidesOf(const std::vector<ContactBody>& all) {
  nb::list list;
  for (const ContactBody& c : all) list.append(sideOf(c));
  return list;
}

nb::dict eventOf(const SensorEvent& e) {
  nb::dict d;
  d["sensor"] = thing('b', e.sensor);
  d["visitor"] = sideOf(e.visitor);
  return d;
}

nb::dict eventOf(const ContactEvent& e) {
  nb::dict d;
  const auto side = sideOf;
  d["a"] = side(e.a);
  d["b"] = side(e.b);
  d["point"] = vec(e.point);
  d["normal"] = vec(e.normal);
  d["approach_speed"] = e.approachSpeed;
  d["normal_impulse"] = e.normalImpulse;
  return d;
}

}  // namespace

void bindWorld(nb::module_& module) {
  nb::class_<Thing>(module, "Thing", "Names a body, soft thing or joint of a World.")
      .def_ro("slot", &Thing::slot)
      .def_ro("generation", &Thing::generation)
      .def("__eq__",
           [](const Thing& a, nb::handle other) {
             if (!nb::isinstance<Thing>(other)) return false;
             const Thing& b = nb::cast<const Thing&>(other);
             return a.kind == b.kind && a.slot == b.slot && a.generation == b.generation;
           })
      .def("__hash__",
           [](const Thing& a) {
             return (std::uint64_t{a.generation} << 34) ^ (a.slot * 4u) ^ static_cast<unsigned>(a.kind);
           })
      .def("__repr__", [](const Thing& a) {
        return std::string(a.kind == 'b'   ? "<body "
                           : a.kind == 's' ? "<soft "
                                           : "<joint ") +
               std::to_string(a.slot) + ">";
      });

  nb::class_<WorldBox> world(module, "WorldBase", nb::dynamic_attr());
  world.def("__init__",
            [](WorldBox* self, const Vec& gravity, int solver, int method, int iterations, double tolerance, double erp,
               double slop, double threshold, std::optional<int> integrator, bool sleeping, int threads) {
              WorldOptions o;
              o.gravity = gravity;
              o.solver = static_cast<Solver>(solver);
              o.method = static_cast<ImpulseMethod>(method);
              o.iterations = iterations;
              o.tolerance = tolerance;
              o.erp = erp;
              o.slop = slop;
              o.restitutionThreshold = threshold;
              if (integrator) o.integrator = static_cast<Integrator>(*integrator);
              o.sleeping = sleeping;
              o.threads = threads;
              new (self) WorldBox{std::make_unique<World>(o)};
            });
  world.def(
      "_add_body",
      [](WorldBox& w, const std::string& kind, const std::vector<double>& sizes, const std::vector<Vec>& vertices,
         const std::vector<std::array<int, 3>>& faces, const std::string& name, const Vec& position,
         const Quat& orientation, const Vec& velocity, const Vec& angular, std::optional<double> mass, double density,
         double restitution, double friction, double torsional, double rolling, int contype, int conaffinity,
         double linearDamping, double angularDamping, double gravityFactor, bool sensor, std::uint64_t userData) {
        BodyOptions o;
        o.name = name;
        o.position = position;
        o.orientation = quaternion(orientation);
        o.velocity = velocity;
        o.angularVelocity = angular;
        o.mass = mass;
        o.density = density;
        o.restitution = restitution;
        o.friction = friction;
        o.torsionalFriction = torsional;
        o.rollingFriction = rolling;
        o.contype = contype;
        o.conaffinity = conaffinity;
        o.linearDamping = linearDamping;
        o.angularDamping = angularDamping;
        o.gravityFactor = gravityFactor;
        o.sensor = sensor;
        o.userData = userData;
        return thing('b', w->addBody(shapeOf(kind, sizes, vertices, faces), o));
      },
      "kind"_a, "sizes"_a, "vertices"_a, "faces"_a, "name"_a, "position"_a, "orientation"_a, "velocity"_a, "angular"_a,
      "mass"_a.none(), "density"_a, "restitution"_a, "friction"_a, "torsional"_a, "rolling"_a, "contype"_a,
      "conaffinity"_a, "linear_damping"_a, "angular_damping"_a, "gravity_factor"_a, "sensor"_a, "user_data"_a);
  world.def("_add_static",
            [](WorldBox& w, const std::string& kind, const std::vector<double>& sizes, const std::vector<Vec>& vertices,
               const std::vector<std::array<int, 3>>& faces, const std::string& name, const Vec& position,
               const Quat& orientation, double restitution, double friction, int contype, int conaffinity,
               const Vec& surface, bool sensor, std::uint64_t userData) {
              StaticOptions o;
              o.name = name;
              o.position = position;
              o.orientation = quaternion(orientation);
              o.restitution = restitution;
              o.friction = friction;
              o.contype = contype;
              o.conaffinity = conaffinity;
              o.surfaceVelocity = surface;
              o.sensor = sensor;
              o.userData = userData;
              return thing('b', w->addStatic(shapeOf(kind, sizes, vertices, faces), o));
            });
  world.def("_add_kinematic",
            [](WorldBox& w, const std::string& kind, const std::vector<double>& sizes, const std::vector<Vec>& vertices,
               const std::vector<std::array<int, 3>>& faces, const std::string& name, const Vec& position,
               const Quat& orientation, const Vec& velocity, const Vec& angular, double restitution, double friction,
               int contype, int conaffinity, const Vec& surface, bool sensor, std::uint64_t userData) {
              KinematicOptions o;
              o.name = name;
              o.position = position;
              o.orientation = quaternion(orientation);
              o.velocity = velocity;
              o.angularVelocity = angular;
              o.restitution = restitution;
              o.friction = friction;
              o.contype = contype;
              o.conaffinity = conaffinity;
              o.surfaceVelocity = surface;
              o.sensor = sensor;
              o.userData = userData;
              return thing('b', w->addKinematic(shapeOf(kind, sizes, vertices, faces), o));
            });
  world.def(
      "_add_soft",
      [](WorldBox& w, const std::string& name, int type, int dim, const std::vector<int>& count,
         const std::vector<double>& spacing, const Vec& position, double radius, double mass, double young,
         double poisson, double damping, std::optional<double> thickness, const Vec& velocity) {
        spec::Flexcomp flex;
        flex.name = name;
        flex.type = static_cast<spec::FlexcompType>(type);
        flex.dim = dim;
        flex.count = count;
        flex.spacing = spacing;
        flex.pos = position;
        flex.radius = radius;
        flex.mass = mass;
        flex.elasticity.young = young;
        flex.elasticity.poisson = poisson;
        flex.elasticity.damping = damping;
        if (thickness) flex.elasticity.thickness = thickness;
        return thing('s', w->addSoft(flex, velocity));
      },
      "name"_a, "type"_a, "dim"_a, "count"_a, "spacing"_a, "position"_a, "radius"_a, "mass"_a, "young"_a, "poisson"_a,
      "damping"_a, "thickness"_a.none(), "velocity"_a);
  world.def(
      "_add_joint",
      [](WorldBox& w, const Thing& first, const Thing& second, const std::string& kind, const Vec& anchor,
         const Vec& anchor2, const Vec& axis, std::optional<std::array<double, 2>> range, std::optional<Vec> spring,
         std::optional<std::array<double, 2>> motor, const std::string& name, bool collide) {
        JointShape shape;
        if (kind == "fixed") {
          shape = FixedJoint{};
        } else if (kind == "ball") {
          shape = BallJoint{anchor};
        } else if (kind == "hinge") {
          HingeJoint hinge;
          hinge.anchor = anchor;
          hinge.axis = axis;
          hinge.range = range;
          hinge.spring = springOf(spring);
          hinge.motor = motorOf(motor);
          shape = hinge;
        } else if (kind == "slide") {
          SlideJoint slide;
          slide.axis = axis;
          slide.range = range;
          slide.spring = springOf(spring);
          slide.motor = motorOf(motor);
          shape = slide;
        } else if (kind == "distance") {
          DistanceJoint distance;
          distance.anchor1 = anchor;
          distance.anchor2 = anchor2;
          if (range) distance.min = (*range)[0], distance.max = (*range)[1];
          distance.spring = springOf(spring);
          shape = distance;
        } else {
          throw std::invalid_argument("joint: one of fixed, ball, hinge, slide, distance; found \"" + kind + "\"");
        }
        return thing('j', w->addJoint(body(first), body(second), shape, {name, collide}));
      },
      "first"_a, "second"_a, "kind"_a, "anchor"_a, "anchor2"_a, "axis"_a, "range"_a.none(), "spring"_a.none(),
      "motor"_a.none(), "name"_a, "collide"_a);
  world.def(
      "remove",
      [](WorldBox& w, const Thing& t) {
        if (t.kind == 'b') w->remove(body(t));
        if (t.kind == 's') w->remove(soft(t));
        if (t.kind == 'j') w->remove(joint(t));
      },
      "thing"_a, "Takes a body (with its joints), a soft thing or a joint away.");
  world.def("__contains__", [](const WorldBox& w, const Thing& t) {
    return t.kind == 'b' ? w->contains(body(t)) : t.kind == 's' ? w->contains(soft(t)) : w->contains(joint(t));
  });
  world.def(
      "find_body",
      [](const WorldBox& w, const std::string& name) -> std::optional<Thing> {
        const BodyId id = w->findBody(name);
        if (!id) return std::nullopt;
        return thing('b', id);
      },
      "name"_a, "The body of this name, None if there is none.");
  world.def(
      "find_joint",
      [](const WorldBox& w, const std::string& name) -> std::optional<Thing> {
        const JointId id = w->findJoint(name);
        if (!id) return std::nullopt;
        return thing('j', id);
      },
      "name"_a, "The joint of this name, None if there is none.");
  world.def(
      "find_soft",
      [](const WorldBox& w, const std::string& name) -> std::optional<Thing> {
        const SoftId id = w->findSoft(name);
        if (!id) return std::nullopt;
        return thing('s', id);
      },
      "name"_a, "The soft thing of this name, None if there is none.");
  world.def(
      "reserve", [](WorldBox& w, int count) { w->reserve(count); }, "bodies"_a,
      "Makes room for this many more bodies of one shape each: adding them needs no compiling.");
  world.def(
      "user_data",
      [](const WorldBox& w, const Thing& t) {
        return t.kind == 'b' ? w->userData(body(t)) : t.kind == 's' ? w->userData(soft(t)) : w->userData(joint(t));
      },
      "thing"_a, "A number that is kept for the user.");
  world.def(
      "set_user_data",
      [](WorldBox& w, const Thing& t, std::uint64_t data) {
        if (t.kind == 'b') w->setUserData(body(t), data);
        if (t.kind == 's') w->setUserData(soft(t), data);
        if (t.kind == 'j') w->setUserData(joint(t), data);
      },
      "thing"_a, "data"_a);
  world.def_prop_ro(
      "bodies",
      [](const WorldBox& w) {
        std::vector<Thing> all;
        for (const BodyId id : w->bodies()) all.push_back(thing('b', id));
        return all;
      },
      "All bodies, static ones included, in the order they were added.");
  world.def_prop_ro(
      "ground", [](const WorldBox& w) { return thing('b', w->ground()); },
      "The immovable frame of the world itself, for joints.");
  world.def(
      "name_of",
      [](const WorldBox& w, const Thing& t) {
        return t.kind == 'b' ? w->nameOf(body(t)) : t.kind == 's' ? w->nameOf(soft(t)) : w->nameOf(joint(t));
      },
      "thing"_a);
  world.def(
      "is_kinematic", [](const WorldBox& w, const Thing& t) { return w->isKinematic(body(t)); }, "body"_a);
  world.def(
      "is_sensor", [](const WorldBox& w, const Thing& t) { return w->isSensor(body(t)); }, "body"_a);
  world.def(
      "is_static", [](const WorldBox& w, const Thing& t) { return w->isStatic(body(t)); }, "body"_a);
  world.def(
      "is_awake", [](const WorldBox& w, const Thing& t) { return w->isAwake(body(t)); }, "body"_a);
  world.def(
      "position",
      [](const WorldBox& w, const Thing& t) {
        return t.kind == 's' ? vec(w->centerOfMass(soft(t))) : vec(w->placement(body(t)).position);
      },
      "thing"_a, "Position of a body's frame, or centre of mass of a soft thing, m.");
  world.def(
      "orientation",
      [](const WorldBox& w, const Thing& t) {
        const Quaternion q = w->placement(body(t)).orientation;
        return copyOf<double>(std::span<const double>(q));
      },
      "body"_a, "Orientation of a body: w, x, y, z.");
  world.def(
      "velocity",
      [](const WorldBox& w, const Thing& t) {
        return t.kind == 's' ? vec(w->velocity(soft(t))) : vec(w->state(body(t)).velocity);
      },
      "thing"_a, "Velocity of the centre of mass, m/s.");
  world.def(
      "angular_velocity", [](const WorldBox& w, const Thing& t) { return vec(w->state(body(t)).angularVelocity); },
      "body"_a, "Angular velocity, rad/s, world axes.");
  world.def(
      "mass", [](const WorldBox& w, const Thing& t) { return t.kind == 's' ? w->mass(soft(t)) : w->mass(body(t)); },
      "thing"_a, "kg; infinite for static things.");
  world.def(
      "set_position",
      [](WorldBox& w, const Thing& t, const Vec& position, const std::optional<Quat>& orientation) {
        Placement placement = w->placement(body(t));
        placement.position = position;
        if (orientation) placement.orientation = quaternion(*orientation);
        w->setPlacement(body(t), placement);
      },
      "body"_a, "position"_a, "orientation"_a.none() = nb::none(), "Puts a body somewhere.");
  world.def(
      "move_to",
      [](WorldBox& w, const Thing& t, const Vec& position, double dt, const std::optional<Quat>& orientation) {
        Placement placement = w->placement(body(t));
        placement.position = position;
        if (orientation) placement.orientation = quaternion(*orientation);
        w->moveTo(body(t), placement, dt);
      },
      "body"_a, "position"_a, "dt"_a, "orientation"_a.none() = nb::none(),
      "Gives a kinematic body the velocity with which it is there after dt.");
  world.def(
      "velocity_at",
      [](const WorldBox& w, const Thing& t, const Vec& point) { return vec(w->velocityAt(body(t), point)); }, "body"_a,
      "point"_a, "Velocity of the material point that is there, m/s.");
  world.def(
      "set_linear_damping", [](WorldBox& w, const Thing& t, double c) { w->setLinearDamping(body(t), c); }, "body"_a,
      "damping"_a, "N s/m");
  world.def(
      "set_angular_damping", [](WorldBox& w, const Thing& t, double c) { w->setAngularDamping(body(t), c); }, "body"_a,
      "damping"_a, "N m s/rad");
  world.def(
      "set_gravity_factor", [](WorldBox& w, const Thing& t, double f) { w->setGravityFactor(body(t), f); }, "body"_a,
      "factor"_a, "Gravity acts this many times on the body.");
  world.def(
      "set_surface_velocity", [](WorldBox& w, const Thing& t, const Vec& v) { w->setSurfaceVelocity(body(t), v); },
      "body"_a, "velocity"_a, "Of the surface of a static or kinematic body, in its frame, m/s.");
  world.def(
      "ray_cast",
      [](const WorldBox& w, const Vec& origin, const Vec& direction, double most, const std::optional<Thing>& exclude,
         bool statics, bool softs) -> nb::object {
        RayCastOptions o;
        o.maxDistance = most;
        if (exclude) o.exclude = body(*exclude);
        o.statics = statics;
        o.softs = softs;
        const std::optional<RayCastHit> hit = w->rayCast(origin, direction, o);
        if (!hit) return nb::none();
        nb::dict d;
        d["thing"] = sideOf(hit->thing);
        d["distance"] = hit->distance;
        d["point"] = vec(hit->point);
        d["normal"] = vec(hit->normal);
        return d;
      },
      "origin"_a, "direction"_a, "max_distance"_a = std::numeric_limits<double>::infinity(),
      "exclude"_a.none() = nb::none(), "statics"_a = true, "softs"_a = true,
      "The first surface along a ray: thing, distance, point, normal; None if there is none.");
  world.def("_overlapping", [](const WorldBox& w, const std::string& kind, const std::vector<double>& sizes,
                               const Vec& position, const Quat& orientation) {
    return sidesOf(w->overlapping(shapeOf(kind, sizes, {}, {}), {position, quaternion(orientation)}));
  });
  world.def(
      "visitors_of", [](const WorldBox& w, const Thing& t) { return sidesOf(w->overlapping(body(t))); }, "sensor"_a,
      "What overlaps a sensor now.");
  world.def(
      "distance", [](const WorldBox& w, const Thing& a, const Thing& b) { return w->distance(body(a), body(b)); },
      "first"_a, "second"_a, "Distance of the surfaces of two bodies, m; negative: the depth.");
  world.def(
      "set_velocity",
      [](WorldBox& w, const Thing& t, const Vec& linear, const Vec& angular) {
        w->setVelocity(body(t), linear, angular);
      },
      "body"_a, "linear"_a, "angular"_a = Vec{0, 0, 0}, "Of the centre of mass, m/s and rad/s.");
  world.def(
      "set_friction", [](WorldBox& w, const Thing& t, double mu) { w->setFriction(body(t), mu); }, "body"_a,
      "friction"_a);
  world.def(
      "set_restitution", [](WorldBox& w, const Thing& t, double e) { w->setRestitution(body(t), e); }, "body"_a,
      "restitution"_a);
  world.def(
      "apply_force",
      [](WorldBox& w, const Thing& t, const Vec& force, const std::optional<Vec>& point) {
        point ? w->applyForce(body(t), force, *point) : w->applyForce(body(t), force);
      },
      "body"_a, "force"_a, "point"_a.none() = nb::none(), "Acts during the next update, N.");
  world.def(
      "apply_torque", [](WorldBox& w, const Thing& t, const Vec& torque) { w->applyTorque(body(t), torque); }, "body"_a,
      "torque"_a, "Acts during the next update, N m.");
  world.def(
      "apply_impulse",
      [](WorldBox& w, const Thing& t, const Vec& impulse, const std::optional<Vec>& point) {
        point ? w->applyImpulse(body(t), impulse, *point) : w->applyImpulse(body(t), impulse);
      },
      "body"_a, "impulse"_a, "point"_a.none() = nb::none(), "Changes the velocity in the next update, N s.");
  world.def(
      "joint_position", [](const WorldBox& w, const Thing& t) { return w->jointPosition(joint(t)); }, "joint"_a);
  world.def(
      "joint_velocity", [](const WorldBox& w, const Thing& t) { return w->jointVelocity(joint(t)); }, "joint"_a);
  world.def(
      "set_motor",
      [](WorldBox& w, const Thing& t, double speed, double force) {
        w->setMotor(joint(t), {speed, force});
      },
      "joint"_a, "speed"_a, "max_force"_a, "Another speed or force, for a joint with a coordinate.");
  world.def(
      "vertices",
      [](const WorldBox& w, const Thing& t) {
        const auto v = w->vertices(soft(t));
        std::vector<double> numbers;
        for (const Vector3& p : v) numbers.insert(numbers.end(), p.begin(), p.end());
        auto kept = std::make_shared<std::vector<double>>(std::move(numbers));
        return view(kept->data(), static_cast<std::ptrdiff_t>(v.size()), 3, kept, true);
      },
      "soft"_a, "Positions of the vertices of a soft thing: (n, 3).");
  world.def(
      "update",
      [](WorldBox& w, double dt) {
        World& worked = *w.operator->();
        if (!w.user->take()) throw std::runtime_error("a callback cannot update the World whose update called it");
        struct Release {
          User& user;
          ~Release() { user.give(); }
        } release{*w.user};
        {
          const Unlocked unlock;
          worked.update(dt);
        }
        if (*w.pending) std::rethrow_exception(std::exchange(*w.pending, nullptr));
      },
      "dt"_a, "Moves time on by dt > 0, s.");
  world.def_prop_ro(
      "time", [](const WorldBox& w) { return w->time(); }, "Time, s.");
  const auto handler = [](nb::object function) {
    return [held = std::shared_ptr<nb::object>(new nb::object(std::move(function)), [](nb::object* p) {
              const Locked lock;
              delete p;
            })](const auto& e) {
      const Locked lock;
      (*held)(eventOf(e));
    };
  };
  world.def(
      "on_sensor_begin", [handler](WorldBox& w, nb::callable f) { w->onSensorBegin(handler(f)); }, "callback"_a,
      "callback(event) is called at the end of an update for each thing that began to overlap a sensor.");
  world.def(
      "on_sensor_end", [handler](WorldBox& w, nb::callable f) { w->onSensorEnd(handler(f)); }, "callback"_a,
      "The same for things that ceased to overlap it.");
  world.def(
      "set_contact_filter",
      [](WorldBox& w, nb::object f) {
        if (f.is_none()) return w->setContactFilter({});
        const auto held = std::shared_ptr<nb::object>(new nb::object(std::move(f)), [](nb::object* p) {
          const Locked lock;
          delete p;
        });
        w->setContactFilter([held, pending = w.pending](const ContactBody& a, const ContactBody& b) {
          const Locked lock;
          if (*pending) return true;
          try {
            return nb::cast<bool>((*held)(sideOf(a), sideOf(b)));
          } catch (...) {  // the engine goes on as if there were no filter; update() raises what it was
            *pending = std::current_exception();
            return true;
          }
        });
      },
      "filter"_a.none(), "filter(a, b) says whether two things that are near may touch; None removes it.");
  world.def(
      "on_contact_begin", [handler](WorldBox& w, nb::callable f) { w->onContactBegin(handler(f)); }, "callback"_a,
      "callback(event) is called at the end of an update for each two things that began to touch.");
  world.def(
      "on_contact_end", [handler](WorldBox& w, nb::callable f) { w->onContactEnd(handler(f)); }, "callback"_a,
      "The same for things that ceased to touch.");
  world.def_prop_ro(
      "contacts",
      [](const WorldBox& w) {
        nb::list all;
        for (const WorldContact& c : w->contacts()) {
          nb::dict d;
          d["id"] = c.id;
          d["a"] = sideOf(c.a);
          d["b"] = sideOf(c.b);
          d["distance"] = c.distance;
          d["normal_impulse"] = c.normalImpulse;
          d["impulse"] = vec(c.impulse);
          d["friction"] = c.friction;
          all.append(d);
        }
        return all;
      },
      "Contacts of the last update.");
  world.def_prop_ro(
      "kinetic_energy", [](const WorldBox& w) { return w->kineticEnergy(); }, "J");
  world.def_prop_ro(
      "potential_energy", [](const WorldBox& w) { return w->potentialEnergy(); }, "J");
  world.def_prop_ro(
      "momentum", [](const WorldBox& w) { return vec(w->momentum()); }, "kg m/s");
  world.def_prop_ro(
      "trouble", [](const WorldBox& w) { return w->trouble(); }, "What went wrong so far, in words.");
  world.def(
      "set_gravity", [](WorldBox& w, const Vec& g) { w->setGravity(g); }, "gravity"_a);
  nb::class_<World::Snapshot>(module, "WorldSnapshot", "A World as it was.");
  world.def(
      "snapshot", [](const WorldBox& w) { return w->snapshot(); }, "Everything but the callbacks, in memory.");
  world.def(
      "restore", [](WorldBox& w, const World::Snapshot& s) { w->restore(s); }, "snapshot"_a,
      "Back to a snapshot; it goes on bit for bit as it did from there.");
  world.def(
      "save", [](const WorldBox& w, const std::string& file) { w->save(file); }, "file"_a,
      "Everything but the callbacks, as a file.");
  world.def(
      "_load", [](WorldBox& w, const std::string& file) { *w.operator->() = World::load(file); }, "file"_a);
  world.def(
      "to_mjcf", [](const WorldBox& w) { return w->toMjcf(); }, "As MJCF, with a keyframe \"now\".");
  world.def_prop_ro(
      "state_hash", [](const WorldBox& w) { return stateHash(w->model(), w->data()); }, "Hash over time and state.");
  world.def("_model", [](const WorldBox& w) { return ModelBox{std::make_shared<Model>(w->model()), {}}; });
}

}  // namespace sinew::python
