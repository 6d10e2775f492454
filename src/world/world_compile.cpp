#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "constraint/impulse_transfer.h"
#include "sinew/errors.h"
#include "sinew/load.h"
#include "world/world_impl.h"

/// From the records to a compiled model, and how states survive it.
namespace sinew {
namespace {

/// Old numbers to new ones, -1: gone.
using Renumbering = std::vector<int>;

int renumbered(const Renumbering& map, int old) {
  return old < 0 || old >= static_cast<int>(map.size()) ? -1 : map[old];
}

/// Numbers [from, from + count) become [to, to + count).
void renumber(Renumbering& map, int from, int to, int count) {
  for (int k = 0; k < count; ++k) map[from + k] = to + k;
}

/// Number of each object of the old model in the new one, by name.
Renumbering byName(const Model& before, const Model& after, ObjType type) {
  std::unordered_map<std::string_view, int> known;
  for (int i = 0; i < countOf(after, type); ++i) known.emplace(nameOf(after, type, i), i);
  Renumbering map(static_cast<std::size_t>(countOf(before, type)), -1);
  for (int i = 0; i < countOf(before, type); ++i) {
    const auto found = known.find(nameOf(before, type, i));
    if (found != known.end() && !found->first.empty()) map[i] = found->second;
  }
  return map;
}

/// First node of each flex; their numbers are consecutive.
std::pair<int, int> nodesOf(const Model& m, int flex) {
  const auto begin = std::lower_bound(m.flexnode_flexid.begin(), m.flexnode_flexid.end(), flex);
  const auto end = std::upper_bound(begin, m.flexnode_flexid.end(), flex);
  return {static_cast<int>(begin - m.flexnode_flexid.begin()), static_cast<int>(end - begin)};
}

/// Where the numbers of a body's joint are.
struct Place {
  int qpos = 0, nq = 0, dof = 0, nv = 0;
};
Place placeOf(const Model& m, int body) {
  const int joint = m.body_jntadr[body];
  if (joint < 0) return {};
  const bool free = m.jnt_type[joint] == JointType::Free;
  return {m.jnt_qposadr[joint], free ? 7 : 1, m.jnt_dofadr[joint], free ? 6 : 1};
}

}  // namespace

Spec World::Impl::emptySpec() const {
  Spec s;
  s.modelname = "world";
  s.option.timestep = lastStep > 0 ? lastStep : Option{}.timestep;
  s.option.gravity = options.gravity;
  s.option.solver = options.solver;
  s.option.cone = Cone::Elliptic;
  const bool hasSoft = std::any_of(softs.begin(), softs.end(), [](const SoftRecord& r) { return !r.removed; });
  const Integrator suitable = hasSoft ? Integrator::ImplicitFast : Integrator::Euler;
  s.option.integrator = options.integrator.value_or(suitable);
  s.compiler.degree = false;
  s.option.iterations = options.iterations;
  s.option.tolerance = options.tolerance;
  s.option.method = options.method;
  s.option.erp = options.erp;
  s.option.slop = options.slop;
  s.option.restitution_threshold = options.restitutionThreshold;
  s.option.disableflags |= disable::kFilterParent;  // joints say whom they keep from touching
  if (options.sleeping) s.option.enableflags |= enable::kSleep;
  return s;
}

spec::Body World::Impl::bodyOf(const BodyRecord& record, const Pose& pose) const {
  spec::Body body = record.body;
  body.pos = fromEigen(pose.pos);
  body.orientation.quat = fromQuat(pose.quat);
  body.mocap = record.isKinematic();
  body.gravcomp = 1 - record.gravityFactor;
  if (!record.isDynamic()) return body;
  spec::Joint joint;
  joint.name = record.body.name;
  joint.type = record.mount ? record.mount->type : JointType::Free;
  joint.align = spec::Tri::False;
  if (record.mount) {
    joint.axis = fromEigen(record.mount->axis);
    joint.pos = fromEigen(record.mount->anchor);
    if (record.mount->range) {
      joint.limited = spec::Tri::True;
      joint.range = *record.mount->range;
    }
    if (record.mount->spring) {
      joint.stiffness = {record.mount->spring->stiffness, 0, 0};
      joint.damping = {record.mount->spring->damping, 0, 0};
      joint.springref = record.mount->spring->rest;
    }
  } else {
    joint.damping = {record.linearDamping, 0, 0};  // of all six dofs; dampBodies() sets that of rotation
  }
  body.joints.push_back(joint);
  return body;
}

Spec World::Impl::makeSpec(Poses poses, std::vector<std::size_t>& order) const {
  Spec s = emptySpec();
  std::vector<spec::Body> flat(bodies.size());
  std::vector<std::vector<std::size_t>> children(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyRecord& record = bodies[i];
    if (record.removed) continue;
    if (i == 0) {
      flat[i] = record.body;
      continue;
    }
    Pose pose = toPose(record.placement);
    if (record.mount) {
      pose = record.mount->frame;
    } else if (record.raw && record.isDynamic() && poses == Poses::Present) {
      pose = {ConstMapVec3(record.qpos.data()), normalized(Quat::load(record.qpos.data() + 3))};
    }
    flat[i] = bodyOf(record, pose);
    children[record.mount ? indexOf(record.mount->parent) : 0].push_back(i);
    for (const spec::Flex& surface : record.surfaces) s.flexes.push_back(surface);
  }
  for (const JointRecord& joint : joints) {
    if (!joint.removed) writeJoint(joint, s, flat);
  }

  // depth first, as the compiler numbers bodies
  const std::function<spec::Body(std::size_t)> assemble = [&](std::size_t i) {
    order.push_back(i);
    spec::Body body = std::move(flat[i]);
    for (const std::size_t child : children[i]) body.bodies.push_back(assemble(child));
    return body;
  };
  s.world = assemble(0);
  for (const SoftRecord& record : softs) {
    if (!record.removed) s.world.flexcomps.push_back(record.flex);
  }

  std::unordered_set<std::string> used;
  for (const BodyRecord& record : bodies) {
    if (record.removed) continue;
    for (const spec::Geom& geom : record.body.geoms) used.insert(geom.mesh.empty() ? geom.hfield : geom.mesh);
  }
  for (const spec::Mesh& mesh : meshes) {
    if (used.count(mesh.name) > 0) s.meshes.push_back(mesh);
  }
  for (const spec::HField& field : heightFields) {
    if (used.count(field.name) > 0) s.hfields.push_back(field);
  }
  return s;
}

void World::Impl::saveStates() {
  for (BodyRecord& record : bodies) {
    if (!record.inData) continue;
    if (const std::optional<Led> led = ledOf(record)) {
      std::copy_n(led->position, 3, record.placement.position.begin());
      std::copy_n(led->orientation, 4, record.placement.orientation.begin());
      continue;
    }
    const Place place = placeOf(model, record.modelBody);
    std::copy_n(data->qpos.data() + place.qpos, place.nq, record.qpos.data());
    std::copy_n(data->qvel.data() + place.dof, place.nv, record.qvel.data());
    std::copy_n(data->qacc_warmstart.data() + place.dof, place.nv, record.warmstart.data());
    record.raw = true;
  }
  for (SoftRecord& record : softs) {
    if (record.modelFlex < 0) continue;
    const auto [first, count] = nodesOf(model, record.modelFlex);
    const double* q = data->qpos.data() + model.nq_rigid + 3 * first;
    const double* v = data->qvel.data() + model.nv_rigid + 3 * first;
    const double* w = data->qacc_warmstart.data() + model.nv_rigid + 3 * first;
    record.qpos.assign(q, q + 3 * count);
    record.qvel.assign(v, v + 3 * count);
    record.warmstart.assign(w, w + 3 * count);
  }
}

void World::Impl::restoreState(BodyRecord& record) {
  Data& d = *data;
  if (record.isStatic()) return;
  record.inData = true;
  if (const std::optional<Led> led = ledOf(record)) {
    std::copy_n(record.placement.position.begin(), 3, led->position);
    std::copy_n(record.placement.orientation.begin(), 4, led->orientation);
    return;
  }
  const Place place = placeOf(model, record.modelBody);
  if (!record.raw) {
    // qvel: velocity of the frame's origin in world axes, angular velocity in body axes
    const Pose pose = toPose(record.placement);
    const Vec3 arm = rotate(pose.quat, vec3(model.body_ipos.data(), record.modelBody));
    const Vec3 w = toEigen(record.angularVelocity);
    MapVec3(record.qpos.data()) = pose.pos;
    pose.quat.store(record.qpos.data() + 3);
    MapVec3(record.qvel.data()) = toEigen(record.velocity) - w.cross(arm);
    MapVec3(record.qvel.data() + 3) = rotate(pose.quat.conjugate(), w);
    record.warmstart = {};
  }
  std::copy_n(record.qpos.data(), place.nq, d.qpos.data() + place.qpos);
  std::copy_n(record.qvel.data(), place.nv, d.qvel.data() + place.dof);
  std::copy_n(record.warmstart.data(), place.nv, d.qacc_warmstart.data() + place.dof);
  record.raw = true;
}

void World::Impl::restoreStates() {
  Data& d = *data;
  d.time = time;
  for (BodyRecord& record : bodies) {
    if (!record.removed) restoreState(record);
  }
  for (const SoftRecord& record : softs) {
    const auto [first, count] = nodesOf(model, record.modelFlex);
    double* v = d.qvel.data() + model.nv_rigid + 3 * first;
    if (record.qpos.empty()) {
      for (int node = 0; node < count; ++node) {
        if (!model.flexnode_pinned[first + node]) MapVec3(v + 3 * node) = toEigen(record.velocity);
      }
      continue;
    }
    std::copy(record.qpos.begin(), record.qpos.end(), d.qpos.data() + model.nq_rigid + 3 * first);
    std::copy(record.qvel.begin(), record.qvel.end(), v);
    std::copy(record.warmstart.begin(), record.warmstart.end(), d.qacc_warmstart.data() + model.nv_rigid + 3 * first);
  }
}

void World::Impl::forgetRemoved() {
  const auto forget = [](auto& records, auto& slots) {
    std::erase_if(records, [](const auto& record) { return record.removed; });
    for (std::size_t i = 0; i < records.size(); ++i) slots.move(records[i].id, i);
  };
  forget(bodies, bodySlots);
  forget(softs, softSlots);
  forget(joints, jointSlots);
}

void World::Impl::mapFlexes() {
  thingOfFlex.assign(static_cast<std::size_t>(model.nflex), {});
  uidOfFlex.assign(static_cast<std::size_t>(model.nflex), 0);
  const auto put = [&](const std::string& name, const ContactBody& thing, std::uint64_t uid) {
    const int flex = requireId(model, ObjType::Flex, name);
    thingOfFlex[flex] = thing;
    uidOfFlex[flex] = uid;
    return flex;
  };
  for (SoftRecord& record : softs) record.modelFlex = put(record.flex.name, {{}, record.id}, kSoftUid | record.uid);
  for (BodyRecord& record : bodies) {
    record.modelSurfaces.clear();
    for (std::size_t k = 0; k < record.surfaces.size(); ++k) {
      const std::uint64_t part = record.body.geoms.size() + k;
      record.modelSurfaces.push_back(put(record.surfaces[k].name, {record.id, {}}, (record.uid << kPartBits) | part));
    }
  }
}

namespace {

/// Trees that slept go on sleeping, unless one of their cycle is gone or was disturbed.
void carrySleep(const Data& before, const Renumbering& trees, const std::vector<bool>& disturbed, Data& after) {
  const auto next = [&](int tree) { return before.tree_asleep[tree]; };
  for (int start = 0; start < static_cast<int>(trees.size()); ++start) {
    const int to = renumbered(trees, start);
    if (to < 0) continue;
    if (next(start) < 0) {
      after.tree_asleep[to] = next(start);
      continue;
    }
    bool wake = false;
    int tree = start;
    do {
      wake = wake || disturbed[tree] || renumbered(trees, tree) < 0;
      tree = next(tree);
    } while (tree != start);
    if (!wake) after.tree_asleep[to] = renumbered(trees, next(start));
  }
}

}  // namespace

void World::Impl::ensureCompiled() {
  if (!changed && (arrived.empty() && !departed)) return;
  if (!changed && useSpares()) return;
  compileAll();
}

void World::Impl::compileAll() {
  if (data) {
    cacheContacts();
    saveStates();
  }
  std::vector<std::size_t> order;
  Spec nextSpec = makeSpec(Poses::Original, order);
  Spec withSpares = nextSpec;
  addSpares(withSpares);
  const int spareCount = static_cast<int>(withSpares.world.bodies.size() - nextSpec.world.bodies.size());
  Model next = compile(withSpares);
  if (next.nbody != static_cast<int>(order.size()) + spareCount) {
    throw std::logic_error("World: the compiled model has other bodies than the world");
  }

  // where everything was, and where it is now
  const Copied<Data> before = std::move(data);
  const Model old = std::move(model);
  Renumbering geoms(static_cast<std::size_t>(old.ngeom), -1), flexes(static_cast<std::size_t>(old.nflex), -1),
      trees(static_cast<std::size_t>(old.ntree), -1);
  std::vector<bool> disturbed(static_cast<std::size_t>(old.ntree), wakeAll);
  model = std::move(next);
  spec = std::move(nextSpec);
  bodyOfModel.assign(static_cast<std::size_t>(model.nbody), BodyId{});
  for (std::size_t k = 0; k < order.size(); ++k) {
    BodyRecord& record = bodies[order[k]];
    const int from = record.modelBody, to = static_cast<int>(k);
    if (from >= 0) {
      if (old.body_geomnum[from] > 0) {
        renumber(geoms, old.body_geomadr[from], model.body_geomadr[to], old.body_geomnum[from]);
      }
      const int tree = old.body_treeid[from];
      if (tree >= 0) {
        trees[tree] = model.body_treeid[to];
        if (record.disturbed) disturbed[tree] = true;
      }
    }
    record.modelBody = to;
    record.disturbed = false;
    bodyOfModel[k] = record.id;
  }
  for (const BodyRecord& record : bodies) {  // a tree that lost a body
    if (record.removed && record.modelBody >= 0 && old.body_treeid[record.modelBody] >= 0) {
      disturbed[old.body_treeid[record.modelBody]] = true;
    }
  }
  spares.clear();
  for (int b = static_cast<int>(order.size()); b < model.nbody; ++b) spares.push_back({kindOf(model, b), b});
  forgetRemoved();
  arrived.clear();
  departed = false;
  // by name; what is new has no old number
  for (int f = 0; f < old.nflex; ++f) {
    const int to = findId(model, ObjType::Flex, sinew::nameOf(old, ObjType::Flex, f));
    flexes[f] = to;
    if (to < 0) continue;
    const auto [begin, count] = nodesOf(old, f);
    const int newBegin = nodesOf(model, to).first;
    for (int node = 0; node < count; ++node) {
      const int tree = old.dof_treeid[old.nv_rigid + 3 * (begin + node)];
      if (tree >= 0) trees[tree] = model.dof_treeid[model.nv_rigid + 3 * (newBegin + node)];
    }
  }
  mapFlexes();

  data = std::make_unique<Data>(model);
  data->threads = options.threads;
  restoreStates();
  changed = specIsStale = namesAreStale = false;
  ++compilations;
  driveMotors();
  dampBodies();
  synchronized = false;
  synchronize();  // all of it, before anything sleeps
  if (before) {
    data->status = before->status;
    data->callbackError = before->callbackError;
    transferImpulses(old, *before,
                     {.geom = geoms,
                      .flex = flexes,
                      .equality = byName(old, model, ObjType::Equality),
                      .joint = byName(old, model, ObjType::Joint),
                      .tendon = byName(old, model, ObjType::Tendon)},
                     model, *data);
    if (options.sleeping) {
      carrySleep(*before, trees, disturbed, *data);
      sinew::restoreState(model, *data, saveState(model, *data));  // computes what sleepers keep between steps
    }
  }
  wakeAll = false;
}

void World::Impl::dampBodies() {
  bool lifted = false;
  for (const BodyRecord& record : bodies) {
    lifted = lifted || record.gravityFactor != 1;
    if (!record.isDynamic() || record.mount || record.linearDamping == record.angularDamping) continue;
    std::fill_n(model.dof_damping.data() + model.body_dofadr[record.modelBody] + 3, 3, record.angularDamping);
  }
  if (lifted) model.ngravcomp = std::max(model.ngravcomp, 1);  // compiling counts only what is lifted up
}

Spec World::Impl::specWithKey() {
  for (const BodyRecord& record : bodies) {
    if (!record.isDynamic() || record.mount || record.linearDamping == record.angularDamping) continue;
    throw LoadError(fmt::format(
        "body \"{}\": its linear damping {} and its angular damping {} differ, but in MJCF a free joint has "
        "one number for both",
        record.body.name, record.linearDamping, record.angularDamping));
  }
  saveStates();
  std::vector<std::size_t> order;
  Spec s = makeSpec(Poses::Present, order);
  spec::Key key;
  key.name = "now";
  key.time = data->time;
  key.layout = spec::KeyLayout::Sinew;
  std::vector<double> qpos, qvel, mpos, mquat;
  const auto append = [](std::vector<double>& to, const double* from, int count) {
    to.insert(to.end(), from, from + count);
  };
  for (const std::size_t i : order) {  // the model of `s` has no spare bodies, and bodies in this order
    const BodyRecord& record = bodies[i];
    if (record.isKinematic()) {
      append(mpos, record.placement.position.data(), 3);
      append(mquat, record.placement.orientation.data(), 4);
    }
    if (!record.isDynamic()) continue;
    append(qpos, record.qpos.data(), record.mount ? 1 : 7);
    append(qvel, record.qvel.data(), record.mount ? 1 : 6);
  }
  append(qpos, data->qpos.data() + model.nq_rigid, model.nq - model.nq_rigid);
  append(qvel, data->qvel.data() + model.nv_rigid, model.nv - model.nv_rigid);
  key.qpos = std::move(qpos);
  key.qvel = std::move(qvel);
  if (!mpos.empty()) {
    key.mpos = std::move(mpos);
    key.mquat = std::move(mquat);
  }
  s.keys.push_back(key);
  return s;
}

}  // namespace sinew
