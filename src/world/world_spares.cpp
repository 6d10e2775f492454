#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "model/workspace.h"
#include "sinew/load.h"
#include "sinew/sleep.h"
#include "world/world_impl.h"

/// Bodies that come and go without compiling: the model has spare bodies with a free joint, which a body of the World
/// takes over by writing its numbers into their rows of the Model.
namespace sinew {
namespace {

/// Rows of the kinds that a free body has, in the model of it alone (from) and in that of the World (to).
struct RowMap {
  int from = 0, to = 0, count = 0;
  int total = 1;  ///< rows of that kind in the model of it alone
};

struct SlotRows {
  RowMap body, joint, dof, coordinate, geom, tree;

  SlotRows(const Model& alone, const Model& m, int b) {
    const int j = m.body_jntadr[b];
    body = {1, b, 1, alone.nbody};
    joint = {0, j, 1, alone.njnt};
    dof = {0, m.jnt_dofadr[j], 6, alone.nv};
    coordinate = {0, m.jnt_qposadr[j], 7, alone.nq};
    geom = {0, m.body_geomadr[b], alone.ngeom, alone.ngeom};
    tree = {0, m.body_treeid[b], 1, alone.ntree};
  }
  const RowMap* of(std::string_view rows) const {
    if (rows == "nbody") return &body;
    if (rows == "njnt") return &joint;
    if (rows == "nv") return &dof;
    if (rows == "nq") return &coordinate;
    if (rows == "ngeom") return &geom;
    return rows == "ntree" ? &tree : nullptr;
  }
};

/// Integers are numbers of other things and stay as they are, but for these.
bool isProperty(std::string_view array) {
  constexpr std::array<std::string_view, 8> kProperties{"body_contype", "body_conaffinity", "jnt_group",
                                                        "geom_contype", "geom_conaffinity", "geom_condim",
                                                        "geom_group",   "geom_priority"};
  return std::find(kProperties.begin(), kProperties.end(), array) != kProperties.end();
}

template <class T>
void copyRows(std::string_view array, const RowMap* rows, const Array<T>& from, Array<T>& to) {
  if (!rows || (std::is_same_v<T, int> && !isProperty(array))) return;
  const std::ptrdiff_t columns = from.size() / rows->total;
  std::copy_n(from.data() + rows->from * columns, rows->count * columns, to.data() + rows->to * columns);
}

/// A name at the end of all names; those that nothing has any more stay there until the next compilation.
int addName(Model& m, std::string_view name) {
  const int address = static_cast<int>(m.names.size());
  for (const char c : name) m.names.push_back(c);
  m.names.push_back('\0');
  m.nnames = static_cast<int>(m.names.size());
  return address;
}

/// At least so many, and so large a share of the bodies there are, when room is made for bodies that come.
constexpr int kFewestSpares = 8, kSpareShare = 4;

}  // namespace

SpareKind World::Impl::kindOf(const Model& m, int b) const { return {m.body_geomnum[b], m.body_simple[b] != 0}; }

void World::Impl::addSpares(Spec& s) {
  std::map<SpareKind, int> counts = wanted;
  int& plain = counts[{1, true}];
  plain = std::max(plain, reserved);
  int number = 0;
  for (const auto& [kind, count] : counts) {
    for (int k = 0; k < count; ++k) {
      spec::Body body;
      do {
        body.name = fmt::format("spare{}", number++);
      } while (names.count(body.name) > 0);
      body.gravcomp = 1;
      body.simpleAllowed = kind.simple;
      for (int g = 0; g < kind.geoms; ++g) {
        spec::Geom geom;
        geom.size = {0.1, 0, 0};
        geom.contype = geom.conaffinity = 0;
        geom.rgba = {0, 0, 0, 0};  // neither rays nor viewers see it
        body.geoms.push_back(geom);
      }
      spec::Joint joint;
      joint.type = JointType::Free;
      joint.align = spec::Tri::False;
      joint.name = body.name;
      body.joints.push_back(joint);
      s.world.bodies.push_back(std::move(body));
    }
  }
}

Model World::Impl::compiledAlone(const BodyRecord& record) const {
  Spec alone = emptySpec();
  alone.world.bodies.push_back(bodyOf(record, toPose(record.placement)));
  for (const spec::Mesh& mesh : meshes) {
    const auto uses = [&](const spec::Geom& geom) { return geom.mesh == mesh.name; };
    if (std::any_of(record.body.geoms.begin(), record.body.geoms.end(), uses)) alone.meshes.push_back(mesh);
  }
  return compile(alone);
}

void World::Impl::park(int b) {
  Model& m = model;
  const int joint = m.body_jntadr[b], q = m.jnt_qposadr[joint], dof = m.jnt_dofadr[joint];
  for (int g = m.body_geomadr[b]; g < m.body_geomadr[b] + m.body_geomnum[b]; ++g) {
    m.geom_contype[g] = m.geom_conaffinity[g] = 0;
    std::fill_n(m.geom_rgba.data() + 4 * g, 4, 0.0f);
  }
  m.body_contype[b] = m.body_conaffinity[b] = 0;
  m.body_gravcomp[b] = 1;
  m.ngravcomp = std::max(m.ngravcomp, 1);
  const std::array<double, 7> atOrigin{0, 0, 0, 1, 0, 0, 0};
  for (double* qpos : {m.qpos0.data(), m.qpos_spring.data(), data->qpos.data()}) {
    std::copy(atOrigin.begin(), atOrigin.end(), qpos + q);
  }
  std::fill_n(data->qvel.data() + dof, 6, 0.0);
  std::fill_n(data->qacc_warmstart.data() + dof, 6, 0.0);
  std::fill_n(data->xfrc_applied.data() + 6 * b, 6, 0.0);
  bodyOfModel[b] = {};
}

void World::Impl::occupy(BodyRecord& record, const Model& alone, int b) {
  Model& m = model;
  const SlotRows rows(alone, m, b);
  m.body_subtreemass[0] += alone.body_mass[1] - m.body_mass[b];
#define SINEW_X(type, name, count, cols, doc) copyRows(#name, rows.of(#count), alone.name, m.name);
  SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
  for (int g = 0; g < alone.ngeom; ++g) {
    const int mesh = alone.geom_dataid[g];
    m.geom_dataid[rows.geom.to + g] =
        mesh < 0 ? -1 : requireId(m, ObjType::Mesh, sinew::nameOf(alone, ObjType::Mesh, mesh));
  }
  if (record.gravityFactor != 1) m.ngravcomp = std::max(m.ngravcomp, 1);
  m.name_bodyadr[b] = m.name_jntadr[rows.joint.to] = addName(m, record.body.name);
  namesAreStale = true;

  std::fill_n(m.dof_damping.data() + rows.dof.to + 3, 3, record.angularDamping);
  record.modelBody = b;
  bodyOfModel[b] = record.id;
  restoreState(record);
  if (options.sleeping) wake(m, *data, m.body_treeid[b]);
}

bool World::Impl::useSpares() {
  std::erase_if(arrived, [&](BodyId id) { return !bodySlots.find(id); });
  // a place for everyone first, so that nothing has changed if there is none
  struct Tenant {
    BodyId id;
    Model alone;
    std::size_t spare;
  };
  std::vector<Tenant> tenants;
  std::vector<bool> taken(spares.size(), false);
  std::map<SpareKind, int> missing;
  for (const BodyId id : arrived) {
    const BodyRecord& record = body(id);
    Model alone = compiledAlone(record);
    const SpareKind kind = kindOf(alone, 1);
    const bool meshesAreThere = std::all_of(record.body.geoms.begin(), record.body.geoms.end(), [&](const auto& geom) {
      return geom.mesh.empty() || findId(model, ObjType::Mesh, geom.mesh) >= 0;
    });
    std::size_t k = 0;
    while (k < spares.size() && (taken[k] || spares[k].fresh || spares[k].kind != kind)) ++k;
    if (k == spares.size() || !meshesAreThere) {
      ++missing[kind];
      continue;
    }
    taken[k] = true;
    tenants.push_back({id, std::move(alone), k});
  }
  if (!missing.empty()) {
    for (const auto& [kind, count] : missing) {
      const int share = static_cast<int>(bodies.size()) / kSpareShare;
      wanted[kind] = std::max({wanted[kind], kFewestSpares, share});
    }
    return false;
  }

  cacheContacts();
  bool anyRemoved = false;
  for (const BodyRecord& record : bodies) {
    anyRemoved = anyRemoved || record.removed;
    if (!record.removed || record.modelBody < 0) continue;
    park(record.modelBody);
    spares.push_back({kindOf(model, record.modelBody), record.modelBody, true});
  }
  for (const Tenant& tenant : tenants) occupy(body(tenant.id), tenant.alone, spares[tenant.spare].modelBody);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < spares.size(); ++k) {
    if (k >= taken.size() || !taken[k]) spares[kept++] = spares[k];
  }
  spares.resize(kept);
  if (anyRemoved) forgetRemoved();
  arrived.clear();
  departed = false;
  specIsStale = true;
  synchronized = false;
  startPending = false;
  data->work->nearPairs.clear();  // a place may have changed its shape and its filters at once
  return true;
}

}  // namespace sinew
