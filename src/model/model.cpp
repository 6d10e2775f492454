#include "sinew/model.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/hash.h"
#include "base/nearest_word.h"

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

namespace {

constexpr int kKinds = static_cast<int>(ObjType::Plugin) + 1;

std::size_t hashOfName(std::string_view name) {
  Hasher hasher;
  hasher.add(name.data(), name.size());
  return static_cast<std::size_t>(hasher.value());
}

/// The slots of one kind; empty if there is no index, or none that fits the model.
std::span<const int> slotsOf(const Model& m, ObjType type) {
  const auto kind = static_cast<std::size_t>(type);
  if (kind + 1 >= m.nameIndex.first.size()) return {};
  return std::span(m.nameIndex.slots)
      .subspan(static_cast<std::size_t>(m.nameIndex.first[kind]),
               static_cast<std::size_t>(m.nameIndex.first[kind + 1] - m.nameIndex.first[kind]));
}

}  // namespace

/// Open addressing: a name is in the first slot from its hash on that nobody before it took. Half of the slots at least
/// stay free, so that searches end.
void indexNames(Model& m) {
  NameIndex& index = m.nameIndex;
  index.first.assign(1, 0);
  index.slots.clear();
  for (int kind = 0; kind < kKinds; ++kind) {
    const ObjType type = static_cast<ObjType>(kind);
    const int count = nameTable(m, type).count;
    const std::size_t begin = index.slots.size(), size = 2 * static_cast<std::size_t>(count);
    index.slots.resize(begin + size, -1);
    for (int id = 0; id < count; ++id) {
      const std::string_view name = nameOf(m, type, id);
      if (name.empty()) continue;
      std::size_t slot = hashOfName(name) % size;
      while (index.slots[begin + slot] >= 0) slot = (slot + 1) % size;
      index.slots[begin + slot] = id;
    }
    index.first.push_back(static_cast<int>(index.slots.size()));
  }
}

int findId(const Model& m, ObjType type, std::string_view name) {
  if (name.empty()) return -1;
  const int count = nameTable(m, type).count;
  const std::span<const int> slots = slotsOf(m, type);
  if (slots.size() != 2 * static_cast<std::size_t>(count)) {  // a Model that nobody compiled
    for (int i = 0; i < count; ++i) {
      if (nameOf(m, type, i) == name) return i;
    }
    return -1;
  }
  if (slots.empty()) return -1;
  for (std::size_t slot = hashOfName(name) % slots.size();; slot = (slot + 1) % slots.size()) {
    if (slots[slot] < 0) return -1;
    if (nameOf(m, type, slots[slot]) == name) return slots[slot];
  }
}

int requireId(const Model& m, ObjType type, std::string_view name) {
  const int id = findId(m, type, name);
  if (id >= 0) return id;
  const std::string_view kind = kindName(type);
  if (!nameTable(m, type).address) {
    throw std::invalid_argument(kind.empty()
                                    ? fmt::format("objects of type {} have no names", static_cast<int>(type))
                                    : fmt::format("a compiled model does not keep the names of objects \"{}\"", kind));
  }
  std::vector<std::string_view> known;
  for (int i = 0; i < nameTable(m, type).count; ++i) {
    const std::string_view other = nameOf(m, type, i);
    if (!other.empty()) known.push_back(other);
  }
  const std::string_view near = nearestWord(name, known);
  throw std::invalid_argument(
      fmt::format("no {} is named \"{}\"{}", kind, name,
                  near.empty() ? (known.empty() ? fmt::format("; no {} of the model has a name", kind) : std::string())
                               : fmt::format("; did you mean \"{}\"?", near)));
}

std::string_view kindName(ObjType type) {
  switch (type) {
    case ObjType::Body:
    case ObjType::XBody:
      return "body";
    case ObjType::Joint:
      return "joint";
    case ObjType::Geom:
      return "geom";
    case ObjType::Site:
      return "site";
    case ObjType::Camera:
      return "camera";
    case ObjType::Mesh:
      return "mesh";
    case ObjType::HField:
      return "hfield";
    case ObjType::Flex:
      return "flex";
    case ObjType::Pair:
      return "pair";
    case ObjType::Exclude:
      return "exclude";
    case ObjType::Equality:
      return "equality";
    case ObjType::Tendon:
      return "tendon";
    case ObjType::Actuator:
      return "actuator";
    case ObjType::Sensor:
      return "sensor";
    case ObjType::Numeric:
      return "numeric";
    case ObjType::Text:
      return "text";
    case ObjType::Tuple:
      return "tuple";
    case ObjType::Key:
      return "key";
    case ObjType::Light:
      return "light";
    case ObjType::Skin:
      return "skin";
    case ObjType::Texture:
      return "texture";
    case ObjType::Material:
      return "material";
    case ObjType::Plugin:
      return "plugin";
    case ObjType::Unknown:
    case ObjType::Dof:
      break;
  }
  return {};
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
  const std::array<Field, Model::kFields> others = b.fields();
  std::size_t field = 0;
  a.forEachArray([&](const char* name, const auto& array, int, int, const char*) {
    const auto& other = *static_cast<const std::remove_cvref_t<decltype(array)>*>(others[field++].array);
    for (std::ptrdiff_t i = 0; difference.empty() && i < array.size(); ++i) {
      if (!sameBits(array[i], other[i])) {
        difference = fmt::format("{}[{}]: {} against {}", name, i, printable(array[i]), printable(other[i]));
      }
    }
  });
  return difference;
}

}  // namespace sinew
