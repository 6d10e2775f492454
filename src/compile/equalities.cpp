#include "compile/equalities.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/place.h"
#include "compile/rows.h"

namespace sinew::draft {
namespace {

ObjType objectType(const spec::Equality& equality) {
  switch (equality.type) {
    case EqualityType::Connect:
    case EqualityType::Weld:
      return equality.sites ? ObjType::Site : ObjType::Body;
    case EqualityType::Joint:
      return ObjType::Joint;
    case EqualityType::Tendon:
      return ObjType::Tendon;
    case EqualityType::Flex:
    case EqualityType::FlexVert:
    case EqualityType::FlexStrain:
      break;
  }
  return ObjType::Flex;
}

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

}  // namespace

void writeEqualities(const Draft& draft, const Names& names, Model& m) {
  for (int i = 0; i < m.neq; ++i) {
    const spec::Equality& equality = draft.equalities[static_cast<std::size_t>(i)];
    const Place place = placeOf(equality);
    const ObjType type = objectType(equality);
    const int first = names.need(type, equality.name1, place);
    int second = equality.name2.empty() ? -1 : names.need(type, equality.name2, place);
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
