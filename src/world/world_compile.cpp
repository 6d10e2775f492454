#include <algorithm>
#include <functional>

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
  return old < 0 || old >= static_cast<int>(map.size()) ? -1 : map[static_cast<std::size_t>(old)];
}

/// Numbers [from, from + count) become [to, to + count).
void renumber(Renumbering& map, int from, int to, int count) {
  for (int k = 0; k < count; ++k) map[static_cast<std::size_t>(from + k)] = to + k;
}

/// Number of each object of the old model in the new one, by name.
Renumbering byName(const Model& before, const Model& after, ObjType type) {
  std::unordered_map<std::string_view, int> known;
  for (int i = 0; i < countOf(after, type); ++i) known.emplace(nameOf(after, type, i), i);
  Renumbering map(static_cast<std::size_t>(countOf(before, type)), -1);
  for (int i = 0; i < countOf(before, type); ++i) {
    const auto found = known.find(nameOf(before, type, i));
    if (found != known.end() && !found->first.empty()) map[static_cast<std::size_t>(i)] = found->second;
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

Spec World::Impl::makeSpec(Poses poses, std::vector<std::size_t>& order) const {
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
  s.option.erp = options.erp;
  s.option.slop = options.slop;
  s.option.restitution_threshold = options.restitutionThreshold;
  s.option.disableflags |= disable::kFilterParent;  // joints say whom they keep from touching
  if (options.sleeping) s.option.enableflags |= enable::kSleep;

  std::vector<spec::Body> flat(bodies.size());
  std::vector<std::vector<std::size_t>> children(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyRecord& record = bodies[i];
    if (record.removed) continue;
    flat[i] = record.body;
    if (i == 0) continue;
    Pose pose = toPose(record.placement);
    if (record.mount) {
      pose = record.mount->frame;
    } else if (record.raw && poses == Poses::Present) {
      pose = {ConstMapVec3(record.qpos.data()), normalized(Quat::load(record.qpos.data() + 3))};
    }
    flat[i].pos = fromEigen(pose.pos);
    flat[i].orientation.quat = fromQuat(pose.quat);
    children[record.mount ? indexOf(record.mount->parent) : 0].push_back(i);
    if (record.isStatic) continue;
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
    }
    flat[i].joints.push_back(joint);
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
    for (const spec::Geom& geom : record.body.geoms) used.insert(geom.mesh);
  }
  for (const spec::Mesh& mesh : meshes) {
    if (used.count(mesh.name) > 0) s.meshes.push_back(mesh);
  }
  return s;
}

void World::Impl::saveStates() {
  for (BodyRecord& record : bodies) {
    if (!record.inData || record.isStatic) continue;
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

void World::Impl::restoreStates() {
  Data& d = *data;
  d.time = time;
  for (BodyRecord& record : bodies) {
    if (record.removed || record.isStatic) continue;
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
    record.inData = true;
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
      wake = wake || disturbed[static_cast<std::size_t>(tree)] || renumbered(trees, tree) < 0;
      tree = next(tree);
    } while (tree != start);
    if (!wake) after.tree_asleep[to] = renumbered(trees, next(start));
  }
}

}  // namespace

void World::Impl::ensureCompiled() {
  if (!changed) return;
  if (data) {
    cacheContacts();
    saveStates();
  }
  std::vector<std::size_t> order;
  Spec nextSpec = makeSpec(Poses::Original, order);
  Model next = compile(nextSpec);
  if (next.nbody != static_cast<int>(order.size())) {
    throw std::logic_error("World: the compiled model has other bodies than the world");
  }

  // where everything was, and where it is now
  const std::unique_ptr<Data> before = std::move(data);
  const Model old = std::move(model);
  Renumbering geoms(static_cast<std::size_t>(old.ngeom), -1), flexes(static_cast<std::size_t>(old.nflex), -1),
      trees(static_cast<std::size_t>(old.ntree), -1);
  std::vector<bool> disturbed(static_cast<std::size_t>(old.ntree), wakeAll);
  model = std::move(next);
  spec = std::move(nextSpec);
  bodyOfModel.clear();
  for (std::size_t k = 0; k < order.size(); ++k) {
    BodyRecord& record = bodies[order[k]];
    const int from = record.modelBody, to = static_cast<int>(k);
    if (from >= 0) {
      if (old.body_geomnum[from] > 0) {
        renumber(geoms, old.body_geomadr[from], model.body_geomadr[to], old.body_geomnum[from]);
      }
      const int tree = old.body_treeid[from];
      if (tree >= 0) {
        trees[static_cast<std::size_t>(tree)] = model.body_treeid[to];
        if (record.disturbed) disturbed[static_cast<std::size_t>(tree)] = true;
      }
    }
    record.modelBody = to;
    record.disturbed = false;
    bodyOfModel.push_back(record.id);
  }
  for (const BodyRecord& record : bodies) {  // a tree that lost a body
    if (record.removed && record.modelBody >= 0 && old.body_treeid[record.modelBody] >= 0) {
      disturbed[static_cast<std::size_t>(old.body_treeid[record.modelBody])] = true;
    }
  }
  forgetRemoved();
  softOfModel.clear();
  for (SoftRecord& record : softs) {
    const int from = record.modelFlex, to = static_cast<int>(softOfModel.size());
    if (from >= 0) {
      flexes[static_cast<std::size_t>(from)] = to;
      const int begin = nodesOf(old, from).first, newBegin = nodesOf(model, to).first;
      for (int node = 0; node < nodesOf(old, from).second; ++node) {
        const int tree = old.dof_treeid[old.nv_rigid + 3 * (begin + node)];
        if (tree >= 0) trees[static_cast<std::size_t>(tree)] = model.dof_treeid[model.nv_rigid + 3 * (newBegin + node)];
      }
    }
    record.modelFlex = to;
    softOfModel.push_back(record.id);
  }

  data = std::make_unique<Data>(model);
  data->threads = options.threads;
  restoreStates();
  changed = specIsStale = false;
  driveMotors();
  synchronized = false;
  synchronize();  // all of it, before anything sleeps
  if (before) {
    data->status = before->status;
    transferImpulses(old, *before,
                     {.geom = geoms,
                      .flex = flexes,
                      .equality = byName(old, model, ObjType::Equality),
                      .joint = byName(old, model, ObjType::Joint),
                      .tendon = byName(old, model, ObjType::Tendon)},
                     model, *data);
    if (options.sleeping) {
      carrySleep(*before, trees, disturbed, *data);
      restoreState(model, *data, saveState(model, *data));  // computes what sleepers keep between steps
    }
  }
  wakeAll = false;
}

Spec World::Impl::specWithKey() {
  saveStates();
  std::vector<std::size_t> order;
  Spec s = makeSpec(Poses::Present, order);
  spec::Key key;
  key.name = "now";
  key.time = data->time;
  key.layout = spec::KeyLayout::Sinew;
  key.qpos = std::vector<double>(data->qpos.begin(), data->qpos.end());
  key.qvel = std::vector<double>(data->qvel.begin(), data->qvel.end());
  s.keys.push_back(key);
  return s;
}

}  // namespace sinew
