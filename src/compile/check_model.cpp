#include "compile/check_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compile/actuators.h"
#include "compile/flex_refine.h"
#include "compile/layout.h"
#include "compile/sensors.h"
#include "compile/sparsity.h"
#include "compile/stiff_pattern.h"
#include "compile/tendons.h"
#include "elastic/cell.h"
#include "elastic/shell.h"
#include "forces/elastic_constants.h"
#include "geom/support.h"
#include "model/model_rules.h"
#include "sinew/errors.h"

namespace sinew::draft {
namespace {

[[noreturn]] void refuse(std::string_view array, std::ptrdiff_t index, long long value, const std::string& why) {
  throw LoadError(fmt::format("{}[{}] is {}: {}", array, index, value, why));
}

void require(bool good, std::string_view array, std::ptrdiff_t index, long long value, const char* why) {
  if (!good) refuse(array, index, value, why);
}

// ---------------------------------------------------------------------------------------------- the tables

template <class T>
void checkBounds(std::string_view name, const Array<T>& array, long long low, long long end) {
  for (std::ptrdiff_t i = 0; i < array.size(); ++i) {
    const auto value = static_cast<long long>(array[i]);  // NOLINT(bugprone-signed-char-misuse): a number
    if (value < low || value >= end) refuse(name, i, value, fmt::format("it must be from {} to {}", low, end - 1));
  }
}

void checkRange(std::string_view name, const Array<int>& first, const Array<int>& number, long long total) {
  for (std::ptrdiff_t i = 0; i < first.size(); ++i) {
    if (number[i] == 0) continue;
    if (first[i] < 0 || static_cast<long long>(first[i]) + number[i] > total) {
      refuse(name, i, first[i], fmt::format("{} entries from there on do not fit into {}", number[i], total));
    }
  }
}

void checkOwners(std::string_view name, const Array<int>& owner, const Array<int>& first, const Array<int>& number) {
  int at = 0;
  for (std::ptrdiff_t f = 0; f < first.size(); ++f) {
    require(first[f] == at, name, f, first[f], "ranges of owners must follow each other");
    for (int i = first[f]; i < first[f] + number[f]; ++i) {
      require(owner[i] == static_cast<int>(f), name, i, owner[i], "it belongs to another owner");
    }
    at += number[f];
  }
  require(at == owner.size(), name, at, at, "there are entries without owner");
}

void checkLocals(std::string_view name, const Array<int>& array, int columns, const Array<int>& first,
                 const Array<int>& number, const Array<int>& limit) {
  for (std::ptrdiff_t f = 0; f < first.size(); ++f) {
    const std::ptrdiff_t begin = std::ptrdiff_t{columns} * first[f];
    for (std::ptrdiff_t i = begin; i < begin + std::ptrdiff_t{columns} * number[f]; ++i) {
      require(array[i] < limit[f], name, i, array[i], "it counts beyond its owner");
    }
  }
}

template <class T>
void checkFinite(std::string_view name, const Array<T>& array) {
  for (std::ptrdiff_t i = 0; i < array.size(); ++i) {
    if (!std::isfinite(array[i])) throw LoadError(fmt::format("{}[{}] is {}: it must be finite", name, i, array[i]));
  }
}

template <class T>
void checkSign(std::string_view name, const Array<T>& array, bool positive) {
  for (std::ptrdiff_t i = 0; i < array.size(); ++i) {
    if (positive ? array[i] > 0 : array[i] >= 0) continue;
    throw LoadError(
        fmt::format("{}[{}] is {}: it must {}", name, i, array[i], positive ? "be positive" : "not be negative"));
  }
}

void checkTables(const Model& m) {
#define SINEW_X(name, doc) [[maybe_unused]] const long long name = m.name;
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(array, low, end) checkBounds(#array, m.array, low, end);
  SINEW_MODEL_BOUNDS(SINEW_X)
#undef SINEW_X
#define SINEW_X(first, number, total) checkRange(#first, m.first, m.number, total);
  SINEW_MODEL_RANGES(SINEW_X)
#undef SINEW_X
#define SINEW_X(owner, first, number) checkOwners(#owner, m.owner, m.first, m.number);
  SINEW_MODEL_OWNERS(SINEW_X)
#undef SINEW_X
#define SINEW_X(array, columns, first, number, limit) checkLocals(#array, m.array, columns, m.first, m.number, m.limit);
  SINEW_MODEL_LOCALS(SINEW_X)
#undef SINEW_X
  m.forEachArray([](const char* name, const auto& array, int, int, const char*) {
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(array[0])>>) checkFinite(name, array);
  });
#define SINEW_X(array) checkSign(#array, m.array, true);
  SINEW_MODEL_POSITIVES(SINEW_X)
#undef SINEW_X
#define SINEW_X(array) checkSign(#array, m.array, false);
  SINEW_MODEL_NOT_NEGATIVES(SINEW_X)
#undef SINEW_X
}

// ---------------------------------------------------------------------------------------------- options

template <class T>
void checkOption(const char* name, const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    if (!std::isfinite(value)) throw LoadError(fmt::format("opt.{} is {}: it must be finite", name, value));
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    (void)value;
  } else {
    for (const double x : value) checkOption(name, x);
  }
}

template <class T>
void checkEnum(const char* name, T value, int count) {
  const int number = static_cast<int>(value);
  if (number < 0 || number >= count) throw LoadError(fmt::format("opt.{} is {}: there is no such value", name, number));
}

void checkOptions(const Model& m) {
#define SINEW_X(type, name, doc) checkOption(#name, m.opt.name);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  checkEnum("integrator", m.opt.integrator, 4);
  checkEnum("cone", m.opt.cone, 2);
  checkEnum("jacobian", m.opt.jacobian, 3);
  checkEnum("solver", m.opt.solver, 4);
  checkEnum("method", m.opt.method, 2);
  checkEnum("gap", m.opt.gap, 2);
  if (!(m.opt.timestep > 0)) throw LoadError(fmt::format("opt.timestep is {}: it must be positive", m.opt.timestep));
  for (const double x : {m.stat.meaninertia, m.stat.meanmass, m.stat.meansize, m.stat.extent, m.stat.center[0],
                         m.stat.center[1], m.stat.center[2]}) {
    if (!std::isfinite(x)) throw LoadError(fmt::format("stat holds {}: it must be finite", x));
  }
}

// ---------------------------------------------------------------------------------------------- the tree

int dofsOf(JointType type) { return type == JointType::Free ? 6 : type == JointType::Ball ? 3 : 1; }
int coordinatesOf(JointType type) { return type == JointType::Free ? 7 : type == JointType::Ball ? 4 : 1; }

/// Compares an array with what it must be.
template <class T>
void same(std::string_view name, const Array<T>& found, const Array<T>& expected) {
  if (found.size() != expected.size()) {
    throw LoadError(fmt::format("{} has {} entries, the model needs {}", name, found.size(), expected.size()));
  }
  for (std::ptrdiff_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i]) continue;
    refuse(name, i, static_cast<long long>(found[i]),
           fmt::format("the rest of the model needs {}", static_cast<long long>(expected[i])));
  }
}

/// Joints, dofs and trees follow from the parents of bodies, the numbers and types of their joints, and flex nodes.
void checkTree(const Model& m) {
  if (m.nbody < 1) throw LoadError("there is no world body");
  Array<int> rootid(m.nbody), weldid(m.nbody), jntadr(m.nbody), dofnum(m.nbody), dofadr(m.nbody), treeid(m.nbody);
  Array<int> geomadr(m.nbody), geombody(m.ngeom), jntbody(m.njnt), jntdof(m.njnt), jntqpos(m.njnt);
  Array<int> dofbody(m.nv), dofjnt(m.nv), dofparent(m.nv), doftree(m.nv);
  Array<int> treebody(m.ntree), treebodynum(m.ntree), treedof(m.ntree), treedofnum(m.ntree);
  std::vector<int> last(static_cast<std::size_t>(m.nbody), -1);
  int joint = 0, dof = 0, qpos = 0, geom = 0, mocap = 0, tree = -1;
  for (int b = 0; b < m.nbody; ++b) {
    const int parent = m.body_parentid[b];
    require(b == 0 ? parent == 0 : parent < b, "body_parentid", b, parent, "a parent must come before its children");
    require(parent == 0 || m.body_simple[parent] == 0, "body_simple", parent, m.body_simple[parent], "it has children");
    require(b > 0 || m.body_jntnum[b] == 0, "body_jntnum", b, m.body_jntnum[b], "the world has no joints");
    const bool moves = m.body_jntnum[b] > 0 || m.body_mocapid[b] >= 0;
    if (m.body_mocapid[b] >= 0) {
      require(m.body_mocapid[b] == mocap++, "body_mocapid", b, m.body_mocapid[b], "mocap bodies are numbered in order");
    }
    rootid[b] = b == 0 || parent == 0 ? b : rootid[parent];
    weldid[b] = b == 0 ? 0 : moves ? b : weldid[parent];
    jntadr[b] = m.body_jntnum[b] > 0 ? joint : -1;
    dofadr[b] = m.body_jntnum[b] > 0 ? dof : -1;
    geomadr[b] = m.body_geomnum[b] > 0 ? geom : -1;
    int above = last[parent];
    for (int j = 0; j < m.body_jntnum[b]; ++j, ++joint) {
      require(joint < m.njnt, "body_jntnum", b, m.body_jntnum[b], "there are not so many joints");
      jntbody[joint] = b;
      jntqpos[joint] = qpos;
      jntdof[joint] = dof;
      qpos += coordinatesOf(m.jnt_type[joint]);
      for (int k = 0; k < dofsOf(m.jnt_type[joint]); ++k, ++dof, ++dofnum[b]) {
        require(dof < m.nv_rigid, "jnt_type", joint, static_cast<long long>(m.jnt_type[joint]),
                "there are not so many dofs");
        if (above < 0) {
          ++tree;
          require(tree < m.ntree, "jnt_type", joint, tree, "there are not so many trees");
          treedof[tree] = dof;
        }
        dofbody[dof] = b;
        dofjnt[dof] = joint;
        dofparent[dof] = above;
        doftree[dof] = tree;
        ++treedofnum[tree];
        above = dof;
      }
    }
    last[b] = above;
    treeid[b] = dofnum[weldid[b]] > 0 ? doftree[dofadr[weldid[b]]] : -1;
    if (treeid[b] >= 0 && treebodynum[treeid[b]]++ == 0) treebody[treeid[b]] = b;
    for (int g = 0; g < m.body_geomnum[b]; ++g, ++geom) {
      require(geom < m.ngeom, "body_geomnum", b, m.body_geomnum[b], "there are not so many geoms");
      geombody[geom] = b;
    }
  }
  const auto complete = [](std::string_view size, int found, int expected) {
    if (found != expected) throw LoadError(fmt::format("{} is {}, the bodies have {}", size, expected, found));
  };
  complete("njnt", joint, m.njnt);
  complete("nv_rigid", dof, m.nv_rigid);
  complete("nq_rigid", qpos, m.nq_rigid);
  complete("ngeom", geom, m.ngeom);
  complete("nmocap", mocap, m.nmocap);
  // the dofs of flex nodes follow, each free node being a tree of its own
  for (int n = 0; n < m.nflexnode; ++n) {
    const bool pinned = m.flexnode_pinned[n] != 0;
    if (!pinned) {
      ++tree;
      require(tree < m.ntree, "flexnode_pinned", n, 0, "there are not so many trees");
      treedof[tree] = dof;
      treedofnum[tree] = 3;
      treebody[tree] = -1;
    }
    for (int k = 0; k < 3; ++k, ++dof) {
      require(dof < m.nv, "nflexnode", n, m.nflexnode, "there are not so many dofs");
      dofjnt[dof] = dofparent[dof] = -1;
      doftree[dof] = pinned ? -1 : tree;
    }
  }
  complete("nv", dof, m.nv);
  complete("nq", m.nq_rigid + 3 * m.nflexnode, m.nq);
  complete("ntree", tree + 1, m.ntree);
  same("body_rootid", m.body_rootid, rootid);
  same("body_weldid", m.body_weldid, weldid);
  same("body_jntadr", m.body_jntadr, jntadr);
  same("body_dofnum", m.body_dofnum, dofnum);
  same("body_dofadr", m.body_dofadr, dofadr);
  same("body_treeid", m.body_treeid, treeid);
  same("body_geomadr", m.body_geomadr, geomadr);
  same("geom_bodyid", m.geom_bodyid, geombody);
  same("jnt_bodyid", m.jnt_bodyid, jntbody);
  same("jnt_dofadr", m.jnt_dofadr, jntdof);
  same("jnt_qposadr", m.jnt_qposadr, jntqpos);
  same("dof_bodyid", m.dof_bodyid, dofbody);
  same("dof_jntid", m.dof_jntid, dofjnt);
  same("dof_parentid", m.dof_parentid, dofparent);
  same("dof_treeid", m.dof_treeid, doftree);
  same("tree_bodyadr", m.tree_bodyadr, treebody);
  same("tree_bodynum", m.tree_bodynum, treebodynum);
  same("tree_dofadr", m.tree_dofadr, treedof);
  same("tree_dofnum", m.tree_dofnum, treedofnum);
  int gravcomp = 0;
  for (int b = 0; b < m.nbody; ++b) gravcomp += m.body_gravcomp[b] > 0;
  complete("ngravcomp", gravcomp, m.ngravcomp);
}

// ---------------------------------------------------------------------------------------------- assets

void checkHull(const Model& m, int mesh) {
  const int adr = m.mesh_graphadr[mesh], vertices = m.mesh_vertnum[mesh];
  if (adr < 0) return;
  const auto entry = [&](long long i) {
    require(adr + i < m.nmeshgraph, "mesh_graphadr", mesh, adr, "the hull graph does not fit");
    return m.mesh_graph[adr + i];
  };
  const long long nv = entry(0), nf = entry(1), ne = nv + 3 * nf;
  require(nv >= 1 && nv <= vertices, "mesh_graph", adr, nv, "it is no number of hull vertices");
  require(nf >= 0 && adr + 2 + 2 * nv + ne + 3 * nf <= m.nmeshgraph, "mesh_graph", adr + 1, nf,
          "it is no number of hull triangles");
  for (long long i = 0; i < nv; ++i) {
    require(entry(2 + i) >= 0 && entry(2 + i) < ne, "mesh_graph", adr + 2 + i, entry(2 + i), "it is no edge");
    require(entry(2 + nv + i) >= 0 && entry(2 + nv + i) < vertices, "mesh_graph", adr + 2 + nv + i, entry(2 + nv + i),
            "it is no vertex");
  }
  for (long long i = 0; i < ne; ++i) {
    require(entry(2 + 2 * nv + i) < nv, "mesh_graph", adr + 2 + 2 * nv + i, entry(2 + 2 * nv + i),
            "it is no hull vertex");
  }
  require(ne == 0 || entry(2 + 2 * nv + ne - 1) == -1, "mesh_graph", adr, nv, "its list of edges has no end");
  for (long long i = 0; i < 3 * nf; ++i) {
    const int v = entry(2 + 2 * nv + ne + i);
    require(v >= 0 && v < vertices, "mesh_graph", adr + 2 + 2 * nv + ne + i, v, "it is no vertex");
  }
  for (int i = 0; i < geom::kNumHullSeeds; ++i) {
    const std::ptrdiff_t k = std::ptrdiff_t{geom::kNumHullSeeds} * mesh + i;
    require(m.mesh_extrema[k] < nv, "mesh_extrema", k, m.mesh_extrema[k], "it is no hull vertex");
  }
}

void checkAssets(const Model& m) {
  int vertex = 0, face = 0, polygon = 0;
  for (int i = 0; i < m.nmesh; ++i) {
    require(m.mesh_vertadr[i] == vertex, "mesh_vertadr", i, m.mesh_vertadr[i], "meshes must follow each other");
    require(m.mesh_faceadr[i] == face, "mesh_faceadr", i, m.mesh_faceadr[i], "meshes must follow each other");
    require(m.mesh_polyadr[i] == polygon, "mesh_polyadr", i, m.mesh_polyadr[i], "meshes must follow each other");
    require(m.mesh_vertnum[i] >= 1, "mesh_vertnum", i, m.mesh_vertnum[i], "a mesh needs vertices");
    checkHull(m, i);
    for (int p = polygon; p < polygon + m.mesh_polynum[i]; ++p) {
      require(m.mesh_polyvertnum[p] >= 3, "mesh_polyvertnum", p, m.mesh_polyvertnum[p], "a polygon has three corners");
      for (int k = m.mesh_polyvertadr[p]; k < m.mesh_polyvertadr[p] + m.mesh_polyvertnum[p]; ++k) {
        require(m.mesh_polyvert[k] < m.mesh_vertnum[i], "mesh_polyvert", k, m.mesh_polyvert[k], "it is no vertex");
      }
    }
    for (int v = vertex; v < vertex + m.mesh_vertnum[i]; ++v) {
      for (int k = m.mesh_polymapadr[v]; k < m.mesh_polymapadr[v] + m.mesh_polymapnum[v]; ++k) {
        require(m.mesh_polymap[k] < m.mesh_polynum[i], "mesh_polymap", k, m.mesh_polymap[k], "it is no polygon");
      }
    }
    vertex += m.mesh_vertnum[i];
    face += m.mesh_facenum[i];
    polygon += m.mesh_polynum[i];
  }
  for (int i = 0; i < m.nhfield; ++i) {
    const long long cells = static_cast<long long>(m.hfield_nrow[i]) * m.hfield_ncol[i];
    require(m.hfield_adr[i] + cells <= m.nhfielddata, "hfield_adr", i, m.hfield_adr[i], "its elevations do not fit");
  }
  for (std::ptrdiff_t i = 0; i < m.hfield_data.size(); ++i) {
    if (m.hfield_data[i] >= 0 && m.hfield_data[i] <= 1) continue;
    throw LoadError(fmt::format("hfield_data[{}] is {}: it must be from 0 to 1", i, m.hfield_data[i]));
  }
  for (int g = 0; g < m.ngeom; ++g) {
    const int data = m.geom_dataid[g];
    const GeomType type = m.geom_type[g];
    if (type == GeomType::HField) {
      require(data >= 0 && data < m.nhfield, "geom_dataid", g, data, "it is no height field");
    } else if (type == GeomType::Mesh) {
      require(data >= 0 && data < m.nmesh, "geom_dataid", g, data, "it is no mesh");
    } else {
      require(data < m.nmesh, "geom_dataid", g, data, "it is no mesh");
    }
  }
}

void checkDim(std::string_view name, const Array<int>& dim) {
  for (std::ptrdiff_t i = 0; i < dim.size(); ++i) {
    require(dim[i] == 1 || dim[i] == 3 || dim[i] == 4 || dim[i] == 6, name, i, dim[i], "it must be 1, 3, 4 or 6");
  }
}

// ---------------------------------------------------------------------------------------------- relations

int countFor(const Model& m, ObjType type) { return type == ObjType::Unknown ? 0 : countOf(m, type); }

void checkObject(const Model& m, ObjType type, int id, std::string_view array, std::ptrdiff_t index) {
  require(id >= 0 && id < countFor(m, type), array, index, id, "there is no such object");
}

void checkContacts(const Model& m) {
  checkDim("geom_condim", m.geom_condim);
  checkDim("pair_dim", m.pair_dim);
  checkDim("flex_condim", m.flex_condim);
  std::array<int, 2> before{-1, -1};
  for (int i = 0; i < m.npair; ++i) {
    const int body1 = m.geom_bodyid[m.pair_geom1[i]], body2 = m.geom_bodyid[m.pair_geom2[i]];
    const std::array<int, 2> bodies{m.pair_bodyid[2 * i], m.pair_bodyid[2 * i + 1]};
    require(bodies == std::array{std::min(body1, body2), std::max(body1, body2)}, "pair_bodyid", 2 * i, bodies[0],
            "these are not the bodies of its geoms");
    require(!(bodies < before), "pair_bodyid", 2 * i, bodies[0], "pairs must be sorted");
    before = bodies;
  }
  before = {-1, -1};
  for (int i = 0; i < m.nexclude; ++i) {
    const std::array<int, 2> bodies{m.exclude_bodyid[2 * i], m.exclude_bodyid[2 * i + 1]};
    require(bodies[0] <= bodies[1] && !(bodies < before), "exclude_bodyid", 2 * i, bodies[0],
            "exclusions must be sorted");
    before = bodies;
  }
}

void checkEquality(const Model& m, int i) {
  const int first = m.eq_obj1id[i], second = m.eq_obj2id[i];
  const auto both = [&](ObjType type, bool needsSecond) {
    checkObject(m, type, first, "eq_obj1id", i);
    if (needsSecond || second >= 0) checkObject(m, type, second, "eq_obj2id", i);
  };
  switch (m.eq_type[i]) {
    case EqualityType::Connect:
    case EqualityType::Weld:
      if (m.eq_objtype[i] == ObjType::Site) return both(ObjType::Site, true);
      require(m.eq_objtype[i] == ObjType::Body, "eq_objtype", i, static_cast<long long>(m.eq_objtype[i]),
              "bodies or sites are connected");
      for (const int id : {first, second}) {
        const int end = m.nbody + (m.eq_type[i] == EqualityType::Connect ? m.nflexnode : 0);
        require(id >= 0 && id < end, "eq_obj1id", i, id, "there is no such body");
      }
      return;
    case EqualityType::Joint:
      both(ObjType::Joint, false);
      for (const int id : {first, second}) {
        require(id < 0 || dofsOf(m.jnt_type[id]) == 1, "eq_obj1id", i, id, "only hinges and slides can be coupled");
      }
      return;
    case EqualityType::Tendon:
      return both(ObjType::Tendon, false);
    case EqualityType::Flex:
    case EqualityType::FlexVert:
    case EqualityType::FlexStrain:
      checkObject(m, ObjType::Flex, first, "eq_obj1id", i);
      break;
  }
  require(!m.flex_rigid[first], "eq_obj1id", i, first, "that flex is rigid");
  if (m.eq_type[i] != EqualityType::FlexStrain) return;
  const double* cell = m.eq_data.data() + 11 * static_cast<std::ptrdiff_t>(i);
  const int* cells = m.flex_cellnum.data() + 3 * first;
  require(m.flex_interp[first] != 0 && m.flex_modeadr[first] >= 0, "eq_obj1id", i, first,
          "that flex has no strain modes");
  const std::array<int, 3> limit = m.flex_interp[first] < 0
                                       ? std::array{elastic::numFaces({cells[0], cells[1], cells[2]}), 0, 0}
                                       : std::array{cells[0], cells[1], cells[2]};
  for (std::size_t k = 0; k < 3 && limit[k] > 0; ++k) {
    if (cell[k] >= 0 && cell[k] < limit[k] && cell[k] == std::floor(cell[k])) continue;
    throw LoadError(fmt::format("eq_data of equality {} names the cell {}: there is no such cell", i, cell[k]));
  }
}

void checkTendons(const Model& m) {
  int at = 0;
  for (int t = 0; t < m.ntendon; ++t) {
    require(m.tendon_adr[t] == at, "tendon_adr", t, m.tendon_adr[t], "tendons must follow each other");
    at += m.tendon_num[t];
    const int begin = m.tendon_adr[t], end = begin + m.tendon_num[t];
    const bool fixed = m.wrap_type[begin] == WrapType::Joint;
    for (int w = begin; w < end; ++w) {
      const WrapType type = m.wrap_type[w];
      require(fixed == (type == WrapType::Joint), "wrap_type", w, static_cast<long long>(type),
              "joints and other path elements do not mix");
      if (type == WrapType::Joint) checkObject(m, ObjType::Joint, m.wrap_objid[w], "wrap_objid", w);
      if (type == WrapType::Site) checkObject(m, ObjType::Site, m.wrap_objid[w], "wrap_objid", w);
      if (type != WrapType::Sphere && type != WrapType::Cylinder) continue;
      checkObject(m, ObjType::Geom, m.wrap_objid[w], "wrap_objid", w);
      require(w > begin && w + 1 < end && m.wrap_type[w - 1] == WrapType::Site && m.wrap_type[w + 1] == WrapType::Site,
              "wrap_type", w, static_cast<long long>(type), "a geom must stand between two sites");
      const double side = m.wrap_prm[w];
      if (side == -1 || (side >= 0 && side < m.nsite && side == std::floor(side))) continue;
      throw LoadError(fmt::format("wrap_prm[{}] is {}: there is no such site", w, side));
    }
    if (fixed) continue;
    for (int w = begin; w < end; ++w) {
      const bool starts = w == begin || m.wrap_type[w - 1] == WrapType::Pulley;
      const bool ends = w + 1 == end || m.wrap_type[w + 1] == WrapType::Pulley;
      const bool pulley = m.wrap_type[w] == WrapType::Pulley;
      require(pulley ? w + 1 < end && (w == begin || !starts) : !(starts && ends), "wrap_type", w,
              static_cast<long long>(m.wrap_type[w]), "a path needs two sites between pulleys");
    }
  }
}

void checkNames(const Model& m) {
  require(m.nnames >= 1 && m.names[m.nnames - 1] == 0, "names", m.nnames - 1, 0, "the last name has no end");
  for (int i = 0; i < m.ntext; ++i) {
    const std::ptrdiff_t last = std::ptrdiff_t{m.text_adr[i]} + m.text_size[i] - 1;
    require(m.text_data[last] == 0, "text_data", last, m.text_data[last], "the text has no end");
  }
  for (int i = 0; i < m.ntupledata; ++i) checkObject(m, m.tuple_objtype[i], m.tuple_objid[i], "tuple_objid", i);
}

void checkRelations(const Model& m) {
  checkContacts(m);
  for (int i = 0; i < m.ncable; ++i) {
    const int joint = m.cable_jntid[i];
    require(m.jnt_type[joint] == JointType::Ball, "cable_jntid", i, joint, "it is no ball joint");
  }
  for (int i = 0; i < m.ncam; ++i) {
    const bool targets = m.cam_mode[i] == CameraMode::TargetBody || m.cam_mode[i] == CameraMode::TargetBodyCom;
    require(!targets || m.cam_targetbodyid[i] >= 0, "cam_targetbodyid", i, m.cam_targetbodyid[i], "it has no target");
  }
  for (int i = 0; i < m.neq; ++i) checkEquality(m, i);
  checkTendons(m);
  checkNames(m);
}

// ---------------------------------------------------------------------------------------------- flexes

void checkFlex(const Model& m, int f, std::vector<long long>& at) {
  const int dim = m.flex_dim[f], elements = m.flex_elemnum[f], order = std::abs(m.flex_interp[f]);
  const auto follows = [&](std::string_view name, std::size_t slot, int address, long long count) {
    require(address == at[slot], name, f, address, "flexes must follow each other");
    at[slot] += count;
  };
  const int elementEdges = dim == 1 ? 1 : dim == 2 ? 3 : 6;
  follows("flex_elemdataadr", 0, m.flex_elemdataadr[f], static_cast<long long>(dim + 1) * elements);
  follows("flex_elemedgeadr", 1, m.flex_elemedgeadr[f], static_cast<long long>(elementEdges) * elements);
  require(at[0] <= m.nflexelemdata, "flex_elemnum", f, elements, "the elements do not fit into flex_elem");
  require(at[1] <= m.nflexelemedge, "flex_elemnum", f, elements, "the elements do not fit into flex_elemedge");
  for (long long i = m.flex_elemdataadr[f]; i < at[0]; ++i) {
    require(m.flex_elem[i] < m.flex_vertnum[f], "flex_elem", i, m.flex_elem[i], "it is no vertex of its flex");
  }
  for (long long i = m.flex_elemedgeadr[f]; i < at[1]; ++i) {
    require(m.flex_elemedge[i] < m.flex_edgenum[f], "flex_elemedge", i, m.flex_elemedge[i],
            "it is no edge of its flex");
  }
  if (m.flex_shellnum[f] > 0) {
    const long long begin = m.flex_shelldataadr[f], end = begin + static_cast<long long>(dim) * m.flex_shellnum[f];
    require(begin >= 0 && end <= m.nflexshelldata, "flex_shelldataadr", f, begin, "the border does not fit");
    for (long long i = begin; i < end; ++i) {
      require(m.flex_shell[i] < m.flex_vertnum[f], "flex_shell", i, m.flex_shell[i], "it is no vertex of its flex");
    }
  }
  for (int i = 0; i < m.flex_evpairnum[f]; ++i) {
    const std::ptrdiff_t k = 2 * (std::ptrdiff_t{m.flex_evpairadr[f]} + i);
    require(m.flex_evpair[k] < elements, "flex_evpair", k, m.flex_evpair[k], "it is no element of its flex");
    require(m.flex_evpair[k + 1] < m.flex_vertnum[f], "flex_evpair", k + 1, m.flex_evpair[k + 1],
            "it is no vertex of its flex");
  }
  const bool interpolated = m.flex_dof[f] == FlexDof::Trilinear || m.flex_dof[f] == FlexDof::Quadratic;
  require(interpolated == (order > 0) && (!interpolated || order == (m.flex_dof[f] == FlexDof::Trilinear ? 1 : 2)),
          "flex_interp", f, m.flex_interp[f], "it does not fit flex_dof");
  if (order == 0) {
    // rods with twist have points beside their vertices
    const bool fits =
        m.flex_sectionnum[f] > 0 ? m.flex_pointnum[f] > m.flex_vertnum[f] : m.flex_pointnum[f] == m.flex_vertnum[f];
    require(fits, "flex_pointnum", f, m.flex_pointnum[f], "every vertex is a point");
  } else {
    double points = 1;
    for (int k = 0; k < 3; ++k) points *= static_cast<double>(m.flex_cellnum[3 * f + k]) * order + 1;
    require(points == m.flex_pointnum[f], "flex_pointnum", f, m.flex_pointnum[f], "the cells have other nodes");
  }
  for (int v = m.flex_vertadr[f]; v < m.flex_vertadr[f] + m.flex_vertnum[f]; ++v) {
    const int adr = m.flexvert_supportadr[v];
    require((adr < 0) == (order == 0), "flexvert_supportadr", v, adr,
            "interpolated vertices have weights, others none");
    const int count = m.flexvert_supportnum[v];
    require(adr < 0 || count > 0, "flexvert_supportnum", v, count, "something must carry an interpolated vertex");
    double sum = 0;
    for (int k = 0; adr >= 0 && k < count; ++k) {
      const int point = m.flexsupport_pointid[adr + k];
      require(point >= m.flex_pointadr[f] && point < m.flex_pointadr[f] + m.flex_pointnum[f], "flexsupport_pointid",
              adr + k, point, "it is no point of its flex");
      sum += m.flexsupport_weight[adr + k];
    }
    require(adr < 0 || std::abs(sum - 1) < 1e-6, "flexsupport_weight", adr, count,
            "the weights of a vertex, as many as are given here, sum to 1");
  }
  // elasticity
  const bool solid = !m.flex_rigid[f] && order == 0 && m.flex_stretch[f] && dim >= 2;
  const long long groups = (static_cast<long long>(elements) + kLanes - 1) / kLanes;
  const long long numbers = solid ? groups * kLanes * elasticNumbers(m.flex_law[f], dim) : 0;
  require(solid == (m.flex_elasticadr[f] >= 0), "flex_elasticadr", f, m.flex_elasticadr[f], "it does not fit the flex");
  require(!solid || m.flex_elasticadr[f] + numbers <= m.nflexelastic, "flex_elasticadr", f, m.flex_elasticadr[f],
          "the elements do not fit into flex_elastic");
  const bool plate = !m.flex_rigid[f] && order == 0 && dim == 2 && m.flex_bending[f] == FlexBending::Shell;
  for (int e = m.flex_elemadr[f]; e < m.flex_elemadr[f] + elements; ++e) {
    require(plate || m.flexelem_curvnum[e] == 0, "flexelem_curvnum", e, m.flexelem_curvnum[e],
            "only shells bend that way");
    for (int i = m.flexelem_curvadr[e]; i < m.flexelem_curvadr[e] + m.flexelem_curvnum[e]; ++i) {
      const int hinge = m.flexcurv_hinge[i];
      require(hinge >= m.flex_hingeadr[f] && hinge < m.flex_hingeadr[f] + m.flex_hingenum[f], "flexcurv_hinge", i,
              hinge, "it is no hinge of its flex");
    }
  }
  const bool rod = !m.flex_rigid[f] && order == 0 && m.flex_stretch[f] && dim == 1;
  require(rod || m.flex_bendnum[f] == 0, "flex_bendnum", f, m.flex_bendnum[f], "only rods bend that way");
  require(rod || m.flex_jointnum[f] == 0, "flex_jointnum", f, m.flex_jointnum[f], "only rods have joints");
  require(rod || m.flex_sectionnum[f] == 0, "flex_sectionnum", f, m.flex_sectionnum[f], "only rods have sections");
  for (int i = 2 * m.flex_sectionadr[f]; i < 2 * (m.flex_sectionadr[f] + m.flex_sectionnum[f]); ++i) {
    require(m.flexsection_size[i] > 0, "flexsection_size", i, 0, "a section has an extent");
  }
  const bool shell = m.flex_interp[f] < 0;
  long long cellPoints = 1, expectedCells = 0;
  for (int k = 0; k < (shell ? 2 : 3); ++k) cellPoints *= order + 1;
  const bool whole = isQuadratic(m, f);
  require(!whole || (solid && dim == 3 && elements % kPiecesOfTetrahedron == 0), "flex_cellcount", f,
          m.flex_cellcount[f], "this flex has no tetrahedra of eight elements each");
  if (whole) cellPoints = elastic::QuadraticTetrahedron::kPoints;
  if (order > 0 && shell && (m.flex_stretch[f] || m.flex_bending[f] != FlexBending::None)) {
    const int* n = m.flex_cellnum.data() + 3 * f;
    expectedCells = 2 * (static_cast<long long>(n[1]) * n[2] + static_cast<long long>(n[0]) * n[2] +
                         static_cast<long long>(n[0]) * n[1]);
    require(m.flex_cellcount[f] == expectedCells, "flex_cellcount", f, m.flex_cellcount[f], "a shell has other faces");
  } else if (whole) {
    require(m.flex_cellcount[f] == elements / kPiecesOfTetrahedron, "flex_cellcount", f, m.flex_cellcount[f],
            "a tetrahedron of second order has eight elements");
    require(m.flex_cellstiffadr[f] >= 0 &&
                m.flex_cellstiffadr[f] + static_cast<long long>(kTetrahedronNumbers) * m.flex_cellcount[f] <=
                    m.nflexcellstiff,
            "flex_cellstiffadr", f, m.flex_cellstiffadr[f], "the constants of the tetrahedra do not fit");
  } else if (order == 0 || shell || !m.flex_stretch[f]) {
    require(m.flex_cellcount[f] == 0, "flex_cellcount", f, m.flex_cellcount[f], "this flex has no cells");
  }
  const long long cellData = m.flex_celldataadr[f], cellEnd = cellData + cellPoints * m.flex_cellcount[f];
  require(cellEnd <= m.nflexcelldata, "flex_celldataadr", f, cellData, "the cells do not fit into flexcell_point");
  for (long long i = cellData; i < cellEnd; ++i) {
    const int point = m.flexcell_point[i];
    require(point >= m.flex_pointadr[f] && point < m.flex_pointadr[f] + m.flex_pointnum[f], "flexcell_point", i, point,
            "it is no point of its flex");
  }
  const bool stored = m.flex_cellcount[f] > 0 && !shell && !whole && m.flex_law[f] == FlexLaw::Reference;
  const long long entries = 9 * cellPoints * cellPoints;
  require(!stored || (m.flex_cellstiffadr[f] >= 0 && m.flex_cellstiffadr[f] + entries <= m.nflexcellstiff),
          "flex_cellstiffadr", f, m.flex_cellstiffadr[f], "the stiffness of a cell does not fit");
  if (m.flex_modeadr[f] >= 0) {
    const long long modes = static_cast<long long>(m.flex_modenum[f]) * 3 * cellPoints * (shell ? 3 : 1);
    require(order > 0 && m.flex_modenum[f] <= 3 * cellPoints + 1 && m.flex_modeadr[f] + modes <= m.nflexmode,
            "flex_modeadr", f, m.flex_modeadr[f], "the strain modes do not fit");
  }
  require(shell || m.flex_foldnum[f] == 0, "flex_foldnum", f, m.flex_foldnum[f], "only shells have folds");
}

void checkFlexes(const Model& m) {
  std::vector<long long> at(2, 0);
  for (int f = 0; f < m.nflex; ++f) checkFlex(m, f, at);
  // nodes and points refer to each other, in order
  int node = 0;
  for (int p = 0; p < m.nflexpoint; ++p) {
    const int own = m.flexpoint_nodeid[p];
    if (own < 0) continue;
    require(own == node, "flexpoint_nodeid", p, own, "nodes are numbered in the order of points");
    require(m.flexnode_pointid[own] == p, "flexnode_pointid", own, m.flexnode_pointid[own], "it is another point");
    require(m.flexnode_flexid[own] == m.flexpoint_flexid[p], "flexnode_flexid", own, m.flexnode_flexid[own],
            "it belongs to another flex");
    ++node;
  }
  require(node == m.nflexnode, "nflexnode", 0, m.nflexnode, "there are nodes without point");
  for (int f = 0; f < m.nflex; ++f) {
    for (int p = m.flex_pointadr[f]; p < m.flex_pointadr[f] + m.flex_pointnum[f]; ++p) {
      require(!m.flex_rigid[f] || m.flexpoint_nodeid[p] < 0, "flex_rigid", f, 1, "a rigid flex has no nodes");
    }
  }
}

// ---------------------------------------------------------------------------------------------- patterns

/// The patterns are functions of the tree, the tendons and the flexes: made anew, they must be the same.
void checkPatterns(const Model& m) {
  double lower = 0, both = 0;
  std::vector<double> depth(static_cast<std::size_t>(m.nv), 0);
  for (int i = 0; i < m.nv; ++i) {
    const int parent = m.dof_parentid[i];
    depth[i] = parent < 0 ? 1 : depth[parent] + 1;
    lower += depth[i];
    both += 2 * depth[i] - 1;
  }
  if (both != m.nD || m.nM > lower) throw LoadError(fmt::format("nD is {}, the tree needs {}", m.nD, both));

  Model again = m;
  finishSimple(again);
  same("body_simple", m.body_simple, again.body_simple);
  same("dof_simplenum", m.dof_simplenum, again.dof_simplenum);
  writePatterns(again);
  same("M_rownnz", m.M_rownnz, again.M_rownnz);
  same("M_rowadr", m.M_rowadr, again.M_rowadr);
  same("M_colind", m.M_colind, again.M_colind);
  same("D_rownnz", m.D_rownnz, again.D_rownnz);
  same("D_rowadr", m.D_rowadr, again.D_rowadr);
  same("D_diag", m.D_diag, again.D_diag);
  same("D_colind", m.D_colind, again.D_colind);
  same("mapM2D", m.mapM2D, again.mapM2D);
  same("mapD2M", m.mapD2M, again.mapD2M);
  writeTendonPattern(again);
  same("ten_J_rownnz", m.ten_J_rownnz, again.ten_J_rownnz);
  same("ten_J_rowadr", m.ten_J_rowadr, again.ten_J_rowadr);
  same("ten_J_colind", m.ten_J_colind, again.ten_J_colind);
  if (const int moments = countMomentEntries(m); moments != m.nJmom) {
    throw LoadError(fmt::format("nJmom is {}, the actuators need {}", m.nJmom, moments));
  }
  for (Array<int>* list : {&again.stiffpart_dofadr, &again.stiffpart_dofnum, &again.stiff_dof, &again.K_rownnz,
                           &again.K_rowadr, &again.K_colind, &again.K_place}) {
    list->clear();
  }
  writeStiffPattern(again);
  same("flex_stiffpart", m.flex_stiffpart, again.flex_stiffpart);
  same("flex_placeadr", m.flex_placeadr, again.flex_placeadr);
  same("stiffpart_dofadr", m.stiffpart_dofadr, again.stiffpart_dofadr);
  same("stiffpart_dofnum", m.stiffpart_dofnum, again.stiffpart_dofnum);
  same("stiff_dof", m.stiff_dof, again.stiff_dof);
  same("dof_stiffrow", m.dof_stiffrow, again.dof_stiffrow);
  same("K_rownnz", m.K_rownnz, again.K_rownnz);
  same("K_rowadr", m.K_rowadr, again.K_rowadr);
  same("K_colind", m.K_colind, again.K_colind);
  same("K_place", m.K_place, again.K_place);
}

/// Buffers of samples: those of the actuators, then those of the sensors.
void checkHistory(const Model& m) {
  long long at = 0;
  const auto check = [&](std::string_view name, const Array<int>& history, const Array<int>& address, int i,
                         long long width, double delay) {
    const long long samples = history[2 * i];
    require(history[2 * i + 1] <= 2, name, 2 * i + 1, history[2 * i + 1], "it is no order of interpolation");
    if (samples == 0) {
      require(address[i] < 0 && delay == 0, name, i, address[i], "it keeps no samples");
      return;
    }
    require(address[i] == at, name, i, address[i], "buffers must follow each other");
    at += 2 + samples * (1 + width);
  };
  for (int i = 0; i < m.nactuator; ++i) {
    check("actuator_history", m.actuator_history, m.actuator_historyadr, i, 1, m.actuator_delay[i]);
  }
  for (int i = 0; i < m.nsensor; ++i) {
    check("sensor_history", m.sensor_history, m.sensor_historyadr, i, m.sensor_dim[i], m.sensor_delay[i]);
  }
  if (at != m.nhistory) throw LoadError(fmt::format("nhistory is {}, the samples need {}", m.nhistory, at));
}

}  // namespace

void checkModel(const Model& m) {
  if (m.nv_rigid > m.nv || m.nq_rigid > m.nq) throw LoadError("nv_rigid or nq_rigid is larger than nv or nq");
  checkOptions(m);
  checkTables(m);
  checkTree(m);
  checkAssets(m);
  checkFlexes(m);
  checkRelations(m);
  checkActuators(m);
  checkSensors(m);
  checkHistory(m);
  checkPatterns(m);
}

}  // namespace sinew::draft
