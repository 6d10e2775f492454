#include "fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

namespace sinew::cli {
namespace {

template <class T>
constexpr FieldKind kindOf() {
  if constexpr (std::is_same_v<T, double>) return FieldKind::Double;
  if constexpr (std::is_same_v<T, float>) return FieldKind::Single;
  if constexpr (std::is_same_v<T, char>) return FieldKind::Text;
  return FieldKind::Integer;
}

template <class T>
Field makeField(std::string_view name, std::string_view rowSize, std::string_view doc, const Array<T>& array,
                std::ptrdiff_t rows, std::ptrdiff_t columns) {
  if (rowSize.starts_with("m.")) rowSize.remove_prefix(2);
  Field field{name, rowSize, doc, rows, columns, kindOf<T>(), {}};
  field.values.reserve(static_cast<std::size_t>(array.size()));
  for (const T& value : array) field.values.push_back(static_cast<double>(value));
  return field;
}

Field makeCount(std::string_view name, std::string_view doc, int value) {
  return {name, "", doc, 1, 1, FieldKind::Integer, {static_cast<double>(value)}};
}

/// One member of every contact as an array.
template <class F>
Field makeContactField(std::string_view name, const Data& d, FieldKind kind, F&& valuesOf) {
  Field field{name, "ncon", "[collide]", d.contact.size(), 0, kind, {}};
  for (const Contact& contact : d.contact) {
    for (const auto value : valuesOf(contact)) field.values.push_back(static_cast<double>(value));
  }
  if (field.rows > 0) field.columns = static_cast<std::ptrdiff_t>(field.values.size()) / field.rows;
  return field;
}

template <class T>
Field makeRowField(std::string_view name, std::string_view doc, const Array<T>& array, std::ptrdiff_t columns = 1) {
  return makeField(name, "nefc", doc, array, array.size() / columns, columns);
}

/// Two bodies as the reference engine packs them into one number.
Field makeSignature(std::string_view name, std::string_view rowSize, const Array<int>& bodies) {
  Field field{name, rowSize, "two bodies in one number", bodies.size() / 2, 1, FieldKind::Integer, {}};
  for (std::ptrdiff_t i = 0; i < bodies.size(); i += 2) field.values.push_back(65536.0 * bodies[i] + bodies[i + 1]);
  return field;
}

struct RowKind {
  std::string_view size;
  ObjType type;
  std::string_view word;
};
constexpr std::array<RowKind, 17> kRowKinds{{{"nbody", ObjType::Body, "body"},
                                             {"njnt", ObjType::Joint, "joint"},
                                             {"ngeom", ObjType::Geom, "geom"},
                                             {"nsite", ObjType::Site, "site"},
                                             {"ncam", ObjType::Camera, "camera"},
                                             {"nmesh", ObjType::Mesh, "mesh"},
                                             {"nhfield", ObjType::HField, "height field"},
                                             {"npair", ObjType::Pair, "pair"},
                                             {"nexclude", ObjType::Exclude, "exclude"},
                                             {"neq", ObjType::Equality, "equality"},
                                             {"ntendon", ObjType::Tendon, "tendon"},
                                             {"nactuator", ObjType::Actuator, "actuator"},
                                             {"nsensor", ObjType::Sensor, "sensor"},
                                             {"nnumeric", ObjType::Numeric, "numeric"},
                                             {"ntext", ObjType::Text, "text"},
                                             {"ntuple", ObjType::Tuple, "tuple"},
                                             {"nkey", ObjType::Key, "key"}}};

std::string objectText(const Model& m, const RowKind& kind, int id) {
  const std::string_view name = nameOf(m, kind.type, id);
  return name.empty() ? fmt::format("{} {}", kind.word, id) : fmt::format("{} \"{}\"", kind.word, name);
}

const RowKind& rowKind(std::string_view size) {
  return *std::find_if(kRowKinds.begin(), kRowKinds.end(), [&](const RowKind& k) { return k.size == size; });
}

/// The last object whose address is not above `index`; addresses grow, and -1 marks an object without entries.
int lastStartingAt(const Array<int>& address, std::ptrdiff_t index) {
  int found = -1;
  for (int i = 0; i < address.size(); ++i) {
    if (address[i] >= 0 && address[i] <= index) found = i;
  }
  return found;
}

}  // namespace

std::vector<Field> fieldsOf(const Model& m) {
  std::vector<Field> fields;
  // the sizes under the names that the table uses for them
#define SINEW_X(name, doc) [[maybe_unused]] const int name = m.name;
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, rows, cols, doc) fields.push_back(makeField(#name, #rows, doc, m.name, rows, cols));
  SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
  fields.push_back(makeSignature("pair_signature", "npair", m.pair_bodyid));
  fields.push_back(makeSignature("exclude_signature", "nexclude", m.exclude_bodyid));
  return fields;
}

std::vector<Field> fieldsOf(const Model& m, const Data& d) {
  std::vector<Field> fields;
#define SINEW_X(type, name, rows, cols, doc) fields.push_back(makeField(#name, #rows, doc, d.name, rows, cols));
  SINEW_STATE_ARRAYS(SINEW_X)
  SINEW_DERIVED_ARRAYS(SINEW_X)
#undef SINEW_X
  return fields;
}

std::vector<Field> contactFields(const Data& d) {
  using One = std::array<double, 1>;
  constexpr FieldKind kNumber = FieldKind::Double, kInt = FieldKind::Integer;
  constexpr std::string_view kRows = "[buildRows]";
  return {
      makeCount("ncon", "[collide]", d.ncon()),
      makeContactField("contact_geom", d, kInt, [](const Contact& c) { return c.geom; }),
      makeContactField("contact_dim", d, kInt, [](const Contact& c) { return std::array{c.dim}; }),
      makeContactField("contact_dist", d, kNumber, [](const Contact& c) { return One{c.dist}; }),
      makeContactField("contact_pos", d, kNumber, [](const Contact& c) { return c.pos; }),
      makeContactField("contact_frame", d, kNumber, [](const Contact& c) { return c.frame; }),
      makeContactField("contact_includemargin", d, kNumber, [](const Contact& c) { return One{c.includemargin}; }),
      makeContactField("contact_friction", d, kNumber, [](const Contact& c) { return c.friction; }),
      makeContactField("contact_solref", d, kNumber, [](const Contact& c) { return c.solref; }),
      makeContactField("contact_solreffriction", d, kNumber, [](const Contact& c) { return c.solreffriction; }),
      makeContactField("contact_solimp", d, kNumber, [](const Contact& c) { return c.solimp; }),
      makeContactField("contact_exclude", d, kInt,
                       [](const Contact& c) { return std::array{static_cast<int>(c.exclude)}; }),
      makeContactField("contact_efc_address", d, kInt, [](const Contact& c) { return std::array{c.efc_address}; }),
      makeCount("ne", kRows, d.ne),
      makeCount("nf", kRows, d.nf),
      makeCount("nl", kRows, d.nl),
      makeCount("nefc", kRows, d.nefc()),
      makeRowField("efc_type", kRows, d.efc_type),
      makeRowField("efc_id", kRows, d.efc_id),
      makeRowField("efc_pos", kRows, d.efc_pos),
      makeRowField("efc_margin", kRows, d.efc_margin),
      makeRowField("efc_frictionloss", kRows, d.efc_frictionloss),
      makeRowField("efc_diagA", kRows, d.efc_diagA),
      makeRowField("efc_KBIP", kRows, d.efc_KBIP, 4),
      makeRowField("efc_D", kRows, d.efc_D),
      makeRowField("efc_R", kRows, d.efc_R),
  };
}

std::vector<Field> rowMotionFields(const Data& d) {
  constexpr std::string_view kStage = "[referenceAcceleration]";
  return {makeRowField("efc_vel", kStage, d.efc_vel), makeRowField("efc_aref", kStage, d.efc_aref)};
}

// not efc_state: the reference leaves that of the iterate before the last
std::vector<Field> rowForceFields(const Data& d) { return {makeRowField("efc_force", "[solve]", d.efc_force)}; }

std::string rowOwner(const Model& m, std::string_view rowSize, std::ptrdiff_t row) {
  const auto id = static_cast<int>(row);
  if (rowSize == "nv") return objectText(m, rowKind("njnt"), m.dof_jntid[id]);
  if (rowSize == "nq") return objectText(m, rowKind("njnt"), lastStartingAt(m.jnt_qposadr, row));
  if (rowSize == "nsensordata") return objectText(m, rowKind("nsensor"), lastStartingAt(m.sensor_adr, row));
  if (rowSize == "na") return objectText(m, rowKind("nactuator"), lastStartingAt(m.actuator_actadr, row));
  if (rowSize == "nu") return objectText(m, rowKind("nactuator"), lastStartingAt(m.actuator_ctrladr, row));
  if (rowSize == "nout") return objectText(m, rowKind("nactuator"), lastStartingAt(m.actuator_outadr, row));
  if (rowSize == "nmocap") {
    const auto body = std::find(m.body_mocapid.begin(), m.body_mocapid.end(), id) - m.body_mocapid.begin();
    return objectText(m, rowKind("nbody"), static_cast<int>(body));
  }
  const auto* kind =
      std::find_if(kRowKinds.begin(), kRowKinds.end(), [&](const RowKind& k) { return k.size == rowSize; });
  return kind == kRowKinds.end() ? std::string() : objectText(m, *kind, id);
}

std::string_view stageOf(std::string_view doc) {
  const std::size_t open = doc.rfind('[');
  const std::size_t close = doc.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return doc.substr(open + 1, close - open - 1);
}

}  // namespace sinew::cli
