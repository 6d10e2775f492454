#include "compile/tendons.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/place.h"
#include "compile/rows.h"

namespace sinew::draft {
namespace {

/// One resolved element of a path.
struct Point {
  WrapType type = WrapType::None;
  int object = -1;
  double parameter = 0;  ///< coefficient, divisor or side site
};

Point resolve(const Draft& draft, const spec::Wrap& wrap, const Names& names, const Model& m) {
  const Place place = placeOf(wrap);
  switch (wrap.type) {
    case WrapType::Joint: {
      const int joint = names.need(ObjType::Joint, wrap.target, place);
      if (m.jnt_type[joint] != JointType::Hinge && m.jnt_type[joint] != JointType::Slide) {
        draft.warn(
            place.message(fmt::format("joint \"{}\" is no hinge or slide: the tendon takes its first coordinate "
                                      "and its first dof, which do not belong together",
                                      wrap.target)));
      }
      return {WrapType::Joint, joint, wrap.value};
    }
    case WrapType::Site:
      return {WrapType::Site, names.need(ObjType::Site, wrap.target, place), 0};
    case WrapType::Pulley:
      if (wrap.value < 0) place.fail(fmt::format("'divisor' must not be negative, found {}", wrap.value));
      return {WrapType::Pulley, -1, wrap.value};
    case WrapType::Sphere:
    case WrapType::Cylinder: {
      const int geom = names.need(ObjType::Geom, wrap.target, place);
      const GeomType shape = m.geom_type[geom];
      if (shape != GeomType::Sphere && shape != GeomType::Cylinder) {
        place.fail(fmt::format("a tendon can wrap around spheres and cylinders; geom \"{}\" is neither", wrap.target));
      }
      const int side = wrap.sidesite.empty() ? -1 : names.need(ObjType::Site, wrap.sidesite, place);
      return {shape == GeomType::Sphere ? WrapType::Sphere : WrapType::Cylinder, geom, static_cast<double>(side)};
    }
    case WrapType::None:
      break;
  }
  place.fail("this is no element of a tendon's path");
}

/// A spatial path is made of branches separated by pulleys; every branch has at least two sites, and every geom lies
/// between two sites.
void checkSpatial(const spec::Tendon& tendon, const std::vector<Point>& path) {
  const Place place = placeOf(tendon);
  if (path.size() < 2) place.fail("a spatial tendon needs at least two sites");
  if (!(tendon.width > 0)) place.fail(fmt::format("'width' must be positive, found {}", tendon.width));
  const std::size_t last = path.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const Place at = placeOf(tendon.path[i]);
    const bool startsBranch = i == 0 || path[i - 1].type == WrapType::Pulley;
    const bool endsBranch = i == last || path[i + 1].type == WrapType::Pulley;
    switch (path[i].type) {
      case WrapType::Pulley:
        if (i > 0 && startsBranch) at.fail("a pulley cannot follow a pulley");
        if (i == last) at.fail("a tendon cannot end with a pulley");
        break;
      case WrapType::Site:
        if (startsBranch && endsBranch) at.fail("a site needs a neighbour that is not a pulley");
        if (i < last && path[i + 1].type == WrapType::Site && path[i + 1].object == path[i].object) {
          at.fail("a site cannot follow itself");
        }
        break;
      case WrapType::Sphere:
      case WrapType::Cylinder:
        if (startsBranch || endsBranch || path[i - 1].type != WrapType::Site || path[i + 1].type != WrapType::Site) {
          at.fail("a geom must stand between two sites");
        }
        if (tendon.armature > 0) at.fail("a tendon with armature cannot wrap around geoms");
        break;
      case WrapType::Joint:
      case WrapType::None:
        at.fail("a joint cannot be part of a spatial tendon");
    }
  }
}

void checkFixed(const spec::Tendon& tendon, const std::vector<Point>& path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i].type != WrapType::Joint) placeOf(tendon.path[i]).fail("a fixed tendon is made of joints only");
  }
}

void checkRanges(const spec::Tendon& tendon, bool limited, bool forceLimited, const Place& place) {
  const auto& [low, high] = tendon.range;
  if (limited && !(low < high)) place.fail(fmt::format("'range' must grow, found {} {}", low, high));
  const auto& [forceLow, forceHigh] = tendon.actuatorfrcrange;
  if (forceLimited && (!(forceLow < forceHigh) || forceLow > 0 || forceHigh < 0)) {
    place.fail(fmt::format("'actuatorfrcrange' must grow and contain 0, found {} {}", forceLow, forceHigh));
  }
  if (tendon.springlength[0] > tendon.springlength[1]) {
    place.fail(
        fmt::format("'springlength' must not fall, found {} {}", tendon.springlength[0], tendon.springlength[1]));
  }
  if (tendon.armature < 0) place.fail(fmt::format("'armature' must not be negative, found {}", tendon.armature));
  if (tendon.frictionloss < 0) {
    place.fail(fmt::format("'frictionloss' must not be negative, found {}", tendon.frictionloss));
  }
}

void writeTendon(const spec::Tendon& tendon, const spec::Compiler& compiler, int id, Model& m) {
  const Place place = placeOf(tendon);
  const bool limited = isLimited(tendon.limited, tendon.range, compiler, place);
  const bool forceLimited =
      isLimited(tendon.actuatorfrclimited, tendon.actuatorfrcrange, compiler, place, "actuatorfrc");
  checkRanges(tendon, limited, forceLimited, place);

  m.tendon_group[id] = tendon.group;
  m.tendon_limited[id] = limited;
  m.tendon_actfrclimited[id] = forceLimited;
  m.tendon_width[id] = tendon.width;
  putRow(m.tendon_solref_lim, id, tendon.solreflimit);
  putRow(m.tendon_solimp_lim, id, tendon.solimplimit);
  putRow(m.tendon_solref_fri, id, tendon.solreffriction);
  putRow(m.tendon_solimp_fri, id, tendon.solimpfriction);
  putRow(m.tendon_range, id, tendon.range);
  putRow(m.tendon_actfrcrange, id, tendon.actuatorfrcrange);
  m.tendon_margin[id] = tendon.margin;
  putPolynomial(m.tendon_stiffness, m.tendon_stiffnesspoly, id, tendon.stiffness);
  putPolynomial(m.tendon_damping, m.tendon_dampingpoly, id, tendon.damping);
  m.tendon_armature[id] = tendon.armature;
  m.tendon_frictionloss[id] = tendon.frictionloss;
  putRow(m.tendon_lengthspring, id, tendon.springlength);
  putUser(m.tendon_user, id, m.nuser_tendon, tendon.user);
  putRow(m.tendon_rgba, id, tendon.rgba);
}

}  // namespace

void writeTendons(const Draft& draft, const Names& names, Model& m) {
  int address = 0;
  for (int t = 0; t < m.ntendon; ++t) {
    const spec::Tendon& tendon = draft.spec->tendons[t];
    if (tendon.path.empty()) placeOf(tendon).fail("the path is empty");
    std::vector<Point> path;
    for (const spec::Wrap& wrap : tendon.path) path.push_back(resolve(draft, wrap, names, m));
    if (path[0].type == WrapType::Joint) {
      checkFixed(tendon, path);
    } else {
      checkSpatial(tendon, path);
    }
    writeTendon(tendon, draft.compiler(), t, m);
    m.tendon_adr[t] = address;
    m.tendon_num[t] = static_cast<int>(path.size());
    for (const Point& point : path) {
      m.wrap_type[address] = point.type;
      m.wrap_objid[address] = point.object;
      m.wrap_prm[address] = point.parameter;
      ++address;
    }
  }
}

std::vector<int> tendonDofs(const Model& m, int t) {
  const int begin = m.tendon_adr[t], end = begin + m.tendon_num[t];
  std::vector<int> dofs;
  for (int w = begin; w < end; ++w) {
    const int object = m.wrap_objid[w];
    if (m.wrap_type[w] == WrapType::Pulley) continue;
    if (m.wrap_type[w] == WrapType::Joint) {
      dofs.push_back(m.jnt_dofadr[object]);
      continue;
    }
    int body = m.wrap_type[w] == WrapType::Site ? m.site_bodyid[object] : m.geom_bodyid[object];
    for (; body > 0; body = m.body_parentid[body]) {
      for (int i = 0; i < m.body_dofnum[body]; ++i) dofs.push_back(m.body_dofadr[body] + i);
    }
  }
  std::sort(dofs.begin(), dofs.end());
  dofs.erase(std::unique(dofs.begin(), dofs.end()), dofs.end());
  return dofs;
}

void writeTendonPattern(Model& m) {
  m.ten_J_colind.clear();
  for (int t = 0; t < m.ntendon; ++t) {
    const std::vector<int> dofs = tendonDofs(m, t);
    m.ten_J_rowadr[t] = static_cast<int>(m.ten_J_colind.size());
    m.ten_J_rownnz[t] = static_cast<int>(dofs.size());
    for (const int dof : dofs) m.ten_J_colind.push_back(dof);
  }
  m.nJten = static_cast<int>(m.ten_J_colind.size());
}

}  // namespace sinew::draft
