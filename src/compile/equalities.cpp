#include "compile/equalities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compile/place.h"
#include "compile/rows.h"
#include "elastic/shell.h"
#include "spec/references.h"

namespace sinew::draft {
namespace {

void writeData(const spec::Equality& equality, double* data) {
  data[10] = equality.torquescale;
  switch (equality.type) {
    case EqualityType::Connect:
      std::copy(equality.anchor.begin(), equality.anchor.end(), data);
      break;
    case EqualityType::Weld:
      if (equality.sites) {
        data[1] = 1;  // sites need no anchor; the reference engine leaves the default of its polynomials here
        break;
      }
      std::copy(equality.anchor.begin(), equality.anchor.end(), data);
      std::copy(equality.relpose.begin(), equality.relpose.end(), data + 3);
      break;
    case EqualityType::FlexStrain:
      std::copy(equality.cell.begin(), equality.cell.end(), data);
      break;
    default:
      std::copy(equality.polycoef.begin(), equality.polycoef.end(), data);
      break;
  }
}

/// Names of points of a flexcomp, as the reference engine names their bodies: <flexcomp>_<point>, or <flexcomp>_i_j_k
/// for the nodes of an interpolation grid. -1: no such node.
int nodeNamed(const Draft& draft, const Model& m, std::string_view name) {
  for (std::size_t f = 0; f < draft.flexes.size(); ++f) {
    const Flex& flex = draft.flexes[f];
    if (!flex.generated) continue;
    const std::string_view own = flex.spec->name;
    if (name.size() < own.size() + 2 || !name.starts_with(own) || name[own.size()] != '_') continue;
    const int order = std::abs(flex.interpolation());
    int point = 0, part = 0;
    std::size_t numbers = 0;
    bool valid = true, digits = false;
    const auto finishNumber = [&] {
      const int count = order == 0 ? 0 : flex.cells[std::min<std::size_t>(numbers, 2)] * order + 1;
      valid = valid && digits && (order == 0 || part < count);
      point = point * count + part;
      part = 0;
      digits = false;
      ++numbers;
    };
    for (const char c : name.substr(own.size() + 1)) {
      if (c == '_') {
        finishNumber();
      } else {
        valid = valid && c >= '0' && c <= '9' && part < 100'000'000;
        if (valid) part = 10 * part + (c - '0');
        digits = true;
      }
    }
    finishNumber();
    const int first = m.flex_pointadr[static_cast<int>(f)];
    if (!valid || numbers != (order == 0 ? 1u : 3u) || point >= m.flex_pointnum[static_cast<int>(f)]) continue;
    return m.flexpoint_nodeid[first + point];
  }
  return -1;
}

/// A body, or the node of a flex as nbody + node.
int needCarrier(const Draft& draft, const Names& names, const Model& m, const spec::Equality& equality,
                const std::string& name, const Place& place) {
  if (names.find(ObjType::Body, name) >= 0) return names.find(ObjType::Body, name);
  const int node = nodeNamed(draft, m, name);
  if (node < 0) return names.need(ObjType::Body, name, place);
  if (equality.type == EqualityType::Weld) {
    place.fail(fmt::format("\"{}\" is a point of a flex, which cannot be turned: use connect", name));
  }
  return m.nbody + node;
}

/// Cells are counted along the axes of the interpolation grid.
void checkCell(const spec::Equality& equality, int flex, const Model& m, const Place& place) {
  const int* cells = m.flex_cellnum.data() + 3 * flex;
  const auto within = [&](double value, int count) {
    return value >= 0 && value < count && value == std::floor(value);
  };
  const auto& [i, j, k] = equality.cell;
  if (m.flex_interp[flex] == 0) place.fail(fmt::format("flex \"{}\" is not interpolated", equality.name1));
  if (m.flex_interp[flex] < 0) {
    const int faces = elastic::numFaces({cells[0], cells[1], cells[2]});
    if (!within(i, faces)) {
      place.fail(
          fmt::format("'cell' must begin with one of the {} faces of flex \"{}\", found {}", faces, equality.name1, i));
    }
    return;
  }
  if (!within(i, cells[0]) || !within(j, cells[1]) || !within(k, cells[2])) {
    place.fail(fmt::format("'cell' names no cell of flex \"{}\", found {} {} {}", equality.name1, i, j, k));
  }
}

/// What a flex's equality asks of it; the first one decides what the flex counts as.
void relateToFlex(const spec::Equality& equality, int flex, const Place& place, Model& m) {
  if (m.flex_rigid[flex]) {
    place.fail(fmt::format("flex \"{}\" is rigid: there is nothing to constrain", equality.name1));
  }
  if (equality.type == EqualityType::FlexStrain) checkCell(equality, flex, m, place);
  if (m.flex_edgeequality[flex] == 0) {
    m.flex_edgeequality[flex] = 1 + static_cast<int>(equality.type) - static_cast<int>(EqualityType::Flex);
  }
}

}  // namespace

void writeEqualities(const Draft& draft, const Names& names, Model& m) {
  for (int i = 0; i < m.neq; ++i) {
    const spec::Equality& equality = draft.equalities[i];
    const Place place = placeOf(equality);
    const ObjType type = spec::targetType(equality);
    const auto need = [&](const std::string& name) {
      return type == ObjType::Body ? needCarrier(draft, names, m, equality, name, place)
                                   : names.need(type, name, place);
    };
    const std::size_t asked = static_cast<std::size_t>(i) - draft.spec->equalities.size();  // by a flex, if it is one
    const int first = static_cast<std::size_t>(i) < draft.spec->equalities.size() ? need(equality.name1)
                                                                                  : draft.equalityFlexes[asked];
    int second = equality.name2.empty() ? -1 : need(equality.name2);
    if (type == ObjType::Body && second < 0) second = 0;
    if (type == ObjType::Site && second < 0) place.fail("the second site is missing");
    if (first == second) place.fail(fmt::format("\"{}\" is constrained to itself", equality.name1));
    if (type == ObjType::Joint) {
      for (const int joint : {first, second}) {
        if (joint >= 0 && m.jnt_type[joint] != JointType::Hinge && m.jnt_type[joint] != JointType::Slide) {
          place.fail("only hinges and slides can be coupled");
        }
      }
    }
    if (type == ObjType::Flex) relateToFlex(equality, first, place, m);
    m.eq_type[i] = equality.type;
    m.eq_obj1id[i] = first;
    m.eq_obj2id[i] = second;
    m.eq_objtype[i] = type == ObjType::Body || type == ObjType::Site ? type : ObjType::Unknown;
    m.eq_active0[i] = equality.active;
    putRow(m.eq_solref, i, equality.solref);
    putRow(m.eq_solimp, i, equality.solimp);
    writeData(equality, m.eq_data.data() + 11 * i);
  }
}

}  // namespace sinew::draft
