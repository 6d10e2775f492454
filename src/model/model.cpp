#include "sinew/model.h"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "base/hash.h"

namespace sinew {
namespace {

/// Value of an enumeration or number as something fmt can print.
template <class T>
auto printable(T value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<int>(value);
  } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, std::uint8_t>) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}

/// Bitwise equality: distinguishes 0 from -0 and treats equal NaNs as equal, as a saved model should.
template <class T>
bool sameBits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

struct NameTable {
  const Array<int>* address;
  int count;
};

NameTable nameTable(const Model& m, ObjType type) {
  switch (type) {
    case ObjType::Body:
    case ObjType::XBody:
      return {&m.name_bodyadr, m.nbody};
    case ObjType::Joint:
      return {&m.name_jntadr, m.njnt};
    case ObjType::Geom:
      return {&m.name_geomadr, m.ngeom};
    case ObjType::Site:
      return {&m.name_siteadr, m.nsite};
    case ObjType::Camera:
      return {&m.name_camadr, m.ncam};
    case ObjType::Mesh:
      return {&m.name_meshadr, m.nmesh};
    case ObjType::HField:
      return {&m.name_hfieldadr, m.nhfield};
    case ObjType::Flex:
      return {&m.name_flexadr, m.nflex};
    case ObjType::Pair:
      return {&m.name_pairadr, m.npair};
    case ObjType::Exclude:
      return {&m.name_excludeadr, m.nexclude};
    case ObjType::Equality:
      return {&m.name_eqadr, m.neq};
    case ObjType::Tendon:
      return {&m.name_tendonadr, m.ntendon};
    case ObjType::Actuator:
      return {&m.name_actuatoradr, m.nactuator};
    case ObjType::Sensor:
      return {&m.name_sensoradr, m.nsensor};
    case ObjType::Numeric:
      return {&m.name_numericadr, m.nnumeric};
    case ObjType::Text:
      return {&m.name_textadr, m.ntext};
    case ObjType::Tuple:
      return {&m.name_tupleadr, m.ntuple};
    case ObjType::Key:
      return {&m.name_keyadr, m.nkey};
    case ObjType::Unknown:
    case ObjType::Dof:
    case ObjType::Light:
    case ObjType::Skin:
    case ObjType::Texture:
    case ObjType::Material:
    case ObjType::Plugin:
      break;
  }
  return {nullptr, 0};
}

}  // namespace

std::uint64_t layoutSignature(const Model& m) {
  Hasher hasher;
#define SINEW_X(name, doc) hasher.add(&m.name, sizeof(m.name));
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  m.forEachArray([&](const char*, const auto& array, int, int, const char*) {
    using T = std::remove_cvref_t<decltype(array[0])>;
    if constexpr (!std::is_floating_point_v<T>)
      hasher.add(array.data(), sizeof(T) * static_cast<std::size_t>(array.size()));
  });
  return hasher.value();
}

void Model::allocate() {
  forEachArray([](const char*, auto& array, int rows, int cols, const char*) {
    using T = std::remove_reference_t<decltype(array[0])>;
    array.assign(static_cast<std::ptrdiff_t>(rows) * cols, T{});
  });
}

std::string_view nameOf(const Model& m, ObjType type, int id) {
  const NameTable table = nameTable(m, type);
  if (!table.address || id < 0 || id >= table.count) return {};
  return m.names.data() + (*table.address)[id];
}

int findId(const Model& m, ObjType type, std::string_view name) {
  if (name.empty()) return -1;
  const NameTable table = nameTable(m, type);
  for (int i = 0; i < table.count; ++i) {
    if (nameOf(m, type, i) == name) return i;
  }
  return -1;
}

int countOf(const Model& m, ObjType type) { return type == ObjType::Dof ? m.nv : nameTable(m, type).count; }

std::uint64_t hashOf(const Model& m) {
  Hasher hasher;
#define SINEW_X(name, doc) hasher.add(&m.name, sizeof(m.name));
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, doc) hasher.add(&m.opt.name, sizeof(m.opt.name));
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  for (const double x : {m.stat.meaninertia, m.stat.meanmass, m.stat.meansize, m.stat.extent, m.stat.center[0],
                         m.stat.center[1], m.stat.center[2]}) {
    hasher.add(&x, sizeof(x));
  }
  m.forEachArray([&](const char*, const auto& array, int, int, const char*) {
    hasher.add(array.data(), static_cast<std::size_t>(array.size()) * sizeof(array[0]));
  });
  return hasher.value();
}

std::string firstDifference(const Model& a, const Model& b) {
#define SINEW_X(name, doc) \
  if (a.name != b.name) return fmt::format(#name ": {} against {}", a.name, b.name);
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
#define SINEW_X(type, name, doc) \
  if (!sameBits(a.opt.name, b.opt.name)) return "opt." #name;
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  if (!(a.stat == b.stat)) return "stat";

  std::string difference;
#define SINEW_X(type, name, rows, cols, doc)                                                                \
  for (std::ptrdiff_t i = 0; difference.empty() && i < a.name.size(); ++i) {                                \
    if (!sameBits(a.name[i], b.name[i])) {                                                                  \
      difference = fmt::format(#name "[{}]: {} against {}", i, printable(a.name[i]), printable(b.name[i])); \
    }                                                                                                       \
  }
  SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
  return difference;
}

}  // namespace sinew
