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
                                             {"nu", ObjType::Actuator, "actuator"},
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

std::string rowOwner(const Model& m, std::string_view rowSize, std::ptrdiff_t row) {
  const auto id = static_cast<int>(row);
  if (rowSize == "nv") return objectText(m, rowKind("njnt"), m.dof_jntid[id]);
  if (rowSize == "nq") return objectText(m, rowKind("njnt"), lastStartingAt(m.jnt_qposadr, row));
  if (rowSize == "nsensordata") return objectText(m, rowKind("nsensor"), lastStartingAt(m.sensor_adr, row));
  if (rowSize == "na") return objectText(m, rowKind("nu"), lastStartingAt(m.actuator_actadr, row));
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
