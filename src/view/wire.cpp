#include "view/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "geom/png.h"
#include "sinew/step.h"
#include "sinew/version.h"

namespace sinew::view {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers that the scene message refers to, one array after the other.
class Blob {
 public:
  template <class T>
  Json add(const std::vector<T>& values) {
    return addBytes(values.data(), values.size() * sizeof(T), values.size());
  }
  Json addBytes(const void* data, std::size_t bytes, std::size_t count) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + bytes);
    if (bytes > 0) std::memcpy(bytes_.data() + at, data, bytes);
    return Json::array({at, count});
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

constexpr int kLargestTexture = 2048;  // pixels along a side; larger pictures are sent smaller

/// Every k-th pixel.
std::vector<std::uint8_t> thinned(const std::uint8_t* pixels, int width, int height, int channels, int k) {
  std::vector<std::uint8_t> out;
  out.reserve(static_cast<std::size_t>(width / k) * static_cast<std::size_t>(height / k) *
              static_cast<std::size_t>(channels));
  for (int y = 0; y + k <= height; y += k) {
    for (int x = 0; x + k <= width; x += k) {
      const std::uint8_t* p = pixels + (static_cast<std::ptrdiff_t>(y) * width + x) * channels;
      out.insert(out.end(), p, p + channels);
    }
  }
  return out;
}

Bytes pngOf(const std::uint8_t* pixels, int width, int height, int channels) {
  std::vector<std::uint8_t> smaller;
  const int k = std::max(1, (std::max(width, height) + kLargestTexture - 1) / kLargestTexture);
  if (k > 1 && width >= k && height >= k) {
    smaller = thinned(pixels, width, height, channels, k);
    pixels = smaller.data();
    width /= k;
    height /= k;
  }
  try {
    const std::string png = geom::encodePng(pixels, width, height, channels, true);
    return {png.begin(), png.end()};
  } catch (const geom::PngError&) {
    return {};  // drawn in its colour
  }
}

Json nameJson(const SceneObject& object) { return object.name; }

std::string labelOf(const Model& m, ObjType type, int id) { return std::string(nameOf(m, type, id)); }

Json namesOf(const Model& m, ObjType type) {
  Json names = Json::array();
  for (int i = 0; i < countOf(m, type); ++i) names.push_back(labelOf(m, type, i));
  return names;
}

Json texturesJson(const Scene& scene, Blob& blob) {
  Json list = Json::array();
  for (const SceneTexture& t : scene.textures) {
    Json faces = Json::array();
    const std::size_t face =
        static_cast<std::size_t>(t.width) * static_cast<std::size_t>(t.height) * static_cast<std::size_t>(t.channels);
    for (int i = 0; i < t.faces() && t.pixels.size() >= face * static_cast<std::size_t>(t.faces()); ++i) {
      const Bytes png = pngOf(t.pixels.data() + static_cast<std::size_t>(i) * face, t.width, t.height, t.channels);
      faces.push_back(blob.addBytes(png.data(), png.size(), png.size()));
    }
    list.push_back({{"name", nameJson(t.object)}, {"type", static_cast<int>(t.type)}, {"png", faces}});
  }
  return list;
}

Json materialsJson(const Scene& scene) {
  Json list = Json::array();
  for (const SceneMaterial& x : scene.materials) {
    list.push_back({{"name", nameJson(x.object)},
                    {"rgba", x.rgba},
                    {"texture", x.texture},
                    {"texrepeat", x.texrepeat},
                    {"texuniform", x.texuniform},
                    {"emission", x.emission},
                    {"specular", x.specular},
                    {"shininess", x.shininess},
                    {"reflectance", x.reflectance},
                    {"metallic", x.metallic},
                    {"roughness", x.roughness}});
  }
  return list;
}

Json meshesJson(const Scene& scene, Blob& blob) {
  Json list = Json::array();
  for (const SceneMesh& x : scene.meshes) {
    list.push_back({{"positions", blob.add(x.positions)},
                    {"normals", blob.add(x.normals)},
                    {"uv", blob.add(x.uv)},
                    {"indices", blob.add(x.indices)}});
  }
  return list;
}

Json instancesJson(const Scene& scene) {
  Json list = Json::array();
  for (const SceneInstance& x : scene.instances) {
    list.push_back({{"site", x.object.type == ObjType::Site},
                    {"id", x.object.id},
                    {"name", nameJson(x.object)},
                    {"body", x.body},
                    {"group", x.group},
                    {"shape", static_cast<int>(x.shape)},
                    {"size", x.size},
                    {"mesh", x.mesh},
                    {"material", x.material},
                    {"rgba", x.rgba},
                    {"map", static_cast<int>(x.map)},
                    {"texscale", x.texscale},
                    {"pos", x.pos},
                    {"quat", x.quat}});
  }
  return list;
}

Json lightsJson(const Scene& scene) {
  Json list = Json::array();
  for (const SceneLight& x : scene.lights) {
    list.push_back({{"name", nameJson(x.object)},
                    {"type", static_cast<int>(x.type)},
                    {"active", x.active},
                    {"castshadow", x.castshadow},
                    {"attenuation", x.attenuation},
                    {"cutoff", x.cutoff},
                    {"exponent", x.exponent},
                    {"ambient", x.ambient},
                    {"diffuse", x.diffuse},
                    {"specular", x.specular}});
  }
  return list;
}

Json camerasJson(const Scene& scene) {
  Json list = Json::array();
  for (const SceneCamera& x : scene.cameras) {
    list.push_back({{"name", nameJson(x.object)},
                    {"orthographic", x.projection == Projection::Orthographic},
                    {"fovy", x.fovy},
                    {"sensorsize", x.sensorsize},
                    {"intrinsic", x.intrinsic},
                    {"resolution", x.resolution}});
  }
  return list;
}

Json flexesJson(const Scene& scene, const Model& m, Blob& blob) {
  Json list = Json::array();
  for (const SceneFlex& x : scene.flexes) {
    const int f = x.object.id;
    list.push_back(
        {{"name", nameJson(x.object)},
         {"group", x.group},
         {"dim", x.dim},
         {"material", x.material},
         {"rgba", x.rgba},
         {"map", static_cast<int>(x.map)},
         {"radius", x.radius},
         {"flat", x.flat},
         {"vertadr", m.flex_vertadr[f]},
         {"vertnum", m.flex_vertnum[f]},
         {"elemadr", m.flex_elemadr[f]},
         {"young", m.flex_young[f]},
         {"poisson", m.flex_poisson[f]},
         {"damping", m.flex_damping[f]},
         {"edgestiffness", m.flex_edgestiffness[f]},
         {"edgedamping", m.flex_edgedamping[f]},
         {"friction", Json::array({m.flex_friction[3 * f], m.flex_friction[3 * f + 1], m.flex_friction[3 * f + 2]})},
         {"source", blob.add(x.source)},
         {"offset", blob.add(x.offset)},
         {"uv", blob.add(x.uv)},
         {"indices", blob.add(x.indices)},
         {"lines", blob.add(x.lines)},
         {"element", blob.add(x.element)},
         {"surfaceTriangles", x.surfaceTriangles},
         {"rimTriangle", x.rimTriangle}});
  }
  return list;
}

Json skinsJson(const Scene& scene, Blob& blob) {
  Json list = Json::array();
  for (const SceneSkin& x : scene.skins) {
    list.push_back({{"name", nameJson(x.object)},
                    {"group", x.group},
                    {"material", x.material},
                    {"rgba", x.rgba},
                    {"map", static_cast<int>(x.map)},
                    {"vertexAdr", x.vertexAdr},
                    {"vertexNum", x.vertexNum},
                    {"uv", blob.add(x.uv)},
                    {"indices", blob.add(x.indices)}});
  }
  return list;
}

Json tendonsJson(const Scene& scene) {
  Json list = Json::array();
  for (const SceneTendon& x : scene.tendons) {
    list.push_back({{"name", nameJson(x.object)}, {"group", x.group}, {"rgba", x.rgba}, {"radius", x.radius}});
  }
  return list;
}

Json jointsJson(const Model& m) {
  Json list = Json::array();
  for (int j = 0; j < m.njnt; ++j) {
    const int dof = m.jnt_dofadr[j];
    list.push_back({{"name", labelOf(m, ObjType::Joint, j)},
                    {"body", m.jnt_bodyid[j]},
                    {"type", static_cast<int>(m.jnt_type[j])},
                    {"qpos", m.jnt_qposadr[j]},
                    {"dof", dof},
                    {"group", m.jnt_group[j]},
                    {"limited", m.jnt_limited[j] != 0},
                    {"range", {m.jnt_range[2 * j], m.jnt_range[2 * j + 1]}},
                    {"stiffness", m.jnt_stiffness[j]},
                    {"damping", m.dof_damping[dof]},
                    {"frictionloss", m.dof_frictionloss[dof]}});
  }
  return list;
}

Json actuatorsJson(const Model& m) {
  Json list = Json::array();
  for (int u = 0; u < m.nactuator; ++u) {
    for (int k = 0; k < m.actuator_ctrlnum[u]; ++k) {
      const int c = m.actuator_ctrladr[u] + k;
      std::string name = labelOf(m, ObjType::Actuator, u);
      if (name.empty()) name = fmt::format("actuator {}", u);
      if (m.actuator_ctrlnum[u] > 1) name += fmt::format(" [{}]", k);
      list.push_back({{"name", name},
                      {"ctrl", c},
                      {"group", m.actuator_group[u]},
                      {"limited", m.actuator_ctrllimited[c] != 0},
                      {"range", {m.actuator_ctrlrange[2 * c], m.actuator_ctrlrange[2 * c + 1]}}});
    }
  }
  return list;
}

Json sensorsJson(const Model& m) {
  Json list = Json::array();
  for (int s = 0; s < m.nsensor; ++s) {
    list.push_back({{"name", labelOf(m, ObjType::Sensor, s)}, {"adr", m.sensor_adr[s]}, {"dim", m.sensor_dim[s]}});
  }
  return list;
}

/// What the rows of an array of Data belong to, by its name.
std::string_view ownerOf(std::string_view rows) {
  struct Pair {
    std::string_view size, owner;
  };
  constexpr std::array<Pair, 12> owners{{{"m.nbody", "body"},
                                         {"m.njnt", "joint"},
                                         {"m.nv", "dof"},
                                         {"m.nq", "qpos"},
                                         {"m.ngeom", "geom"},
                                         {"m.nsite", "site"},
                                         {"m.ncam", "camera"},
                                         {"m.ntendon", "tendon"},
                                         {"m.nu", "control"},
                                         {"m.nsensordata", "sensor"},
                                         {"m.nflexvert", "flexvert"},
                                         {"m.nflexelem", "flexelem"}}};
  for (const Pair& p : owners) {
    if (p.size == rows) return p.owner;
  }
  return "";
}

Json arraysJson(const Model& m) {
  Json list = Json::array();
  const auto add = [&](const char* name, std::string_view type, std::string_view owner, std::ptrdiff_t rows,
                       std::ptrdiff_t cols, const char* doc) {
    if (type != "double" || rows * cols == 0) return;
    list.push_back({{"name", name}, {"rows", rows}, {"cols", cols}, {"of", owner}, {"doc", doc}});
  };
#define SINEW_X(type, name, rows, cols, doc) add(#name, #type, ownerOf(#rows), rows, cols, doc);
  SINEW_STATE_ARRAYS(SINEW_X)
  SINEW_DERIVED_ARRAYS(SINEW_X)
#undef SINEW_X
  return list;
}

Json geomsJson(const Model& m) {
  Json list = Json::array();
  for (int g = 0; g < m.ngeom; ++g) {
    list.push_back({{"name", labelOf(m, ObjType::Geom, g)},
                    {"friction", {m.geom_friction[3 * g], m.geom_friction[3 * g + 1], m.geom_friction[3 * g + 2]}},
                    {"collides", m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0}});
  }
  return list;
}

Json bodiesJson(const Scene& scene, const Model& m) {
  Json list = Json::array();
  for (int b = 0; b < m.nbody; ++b) {
    list.push_back(
        {{"name", b < static_cast<int>(scene.bodyNames.size()) ? scene.bodyNames[b] : labelOf(m, ObjType::Body, b)},
         {"parent", m.body_parentid[b]},
         {"mass", m.body_mass[b]}});
  }
  return list;
}

Json visualJson(const SceneVisual& v) {
  return {{"fovy", v.fovy},
          {"orthographic", v.orthographic},
          {"azimuth", v.azimuth},
          {"elevation", v.elevation},
          {"cameraid", v.cameraid},
          {"headActive", v.headActive},
          {"headAmbient", v.headAmbient},
          {"headDiffuse", v.headDiffuse},
          {"headSpecular", v.headSpecular},
          {"stiffness", v.stiffness},
          {"stiffnessrot", v.stiffnessrot},
          {"force", v.force},
          {"torque", v.torque},
          {"znear", v.znear},
          {"zfar", v.zfar},
          {"haze", v.haze},
          {"hazeColor", v.hazeColor},
          {"forcewidth", v.forcewidth},
          {"contactwidth", v.contactwidth},
          {"contactheight", v.contactheight},
          {"contactpoint", v.contactpoint},
          {"contactforce", v.contactforce},
          {"contactfriction", v.contactfriction},
          {"contactgap", v.contactgap},
          {"selectpoint", v.selectpoint},
          {"selectpointColor", v.selectpointColor}};
}

template <class T>
Json optionValue(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}

bool isFinite(std::span<const double> values) {
  // a sum is not finite if one of its terms is not; it may be infinite without, and then they are looked at one by one
  double sum = 0;
  for (const double x : values) sum += x;
  return std::isfinite(sum) || std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

template <class T>
void quantizePoints(std::span<const T> points, float* box, std::uint16_t* out) {
  const std::size_t n = points.size() / 3;
  std::array<T, 3> low{}, high{};
  for (std::size_t k = 0; k < 3 && n > 0; ++k) low[k] = high[k] = points[k];
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], points[3 * i + k]);
      high[k] = std::max(high[k], points[3 * i + k]);
    }
  }
  std::array<float, 3> origin{}, scale{};
  for (std::size_t k = 0; k < 3; ++k) {
    box[k] = origin[k] = static_cast<float>(low[k]);
    box[3 + k] = static_cast<float>(high[k]);
    const float range = box[3 + k] - box[k];
    scale[k] = range > 0 ? 65535.0f / range : 0.0f;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const float x = (static_cast<float>(points[3 * i + k]) - origin[k]) * scale[k] + 0.5f;
      out[3 * i + k] = static_cast<std::uint16_t>(std::clamp(x, 0.0f, 65535.0f));
    }
  }
}

std::array<float, 4> quatOf(const std::array<double, 9>& r) {
  const double trace = r[0] + r[4] + r[8];
  std::array<double, 4> q{};
  if (trace > 0) {
    const double s = 2 * std::sqrt(trace + 1);
    q = {s / 4, (r[7] - r[5]) / s, (r[2] - r[6]) / s, (r[3] - r[1]) / s};
  } else if (r[0] > r[4] && r[0] > r[8]) {
    const double s = 2 * std::sqrt(std::max(1e-30, 1 + r[0] - r[4] - r[8]));
    q = {(r[7] - r[5]) / s, s / 4, (r[1] + r[3]) / s, (r[2] + r[6]) / s};
  } else if (r[4] > r[8]) {
    const double s = 2 * std::sqrt(std::max(1e-30, 1 + r[4] - r[0] - r[8]));
    q = {(r[2] - r[6]) / s, (r[1] + r[3]) / s, s / 4, (r[5] + r[7]) / s};
  } else {
    const double s = 2 * std::sqrt(std::max(1e-30, 1 + r[8] - r[0] - r[4]));
    q = {(r[3] - r[1]) / s, (r[2] + r[6]) / s, (r[5] + r[7]) / s, s / 4};
  }
  return {static_cast<float>(q[0]), static_cast<float>(q[1]), static_cast<float>(q[2]), static_cast<float>(q[3])};
}

/// Poses of lights and cameras: position and direction; position and rotation matrix.
std::vector<float> placesOf(const Scene& scene, const Frame& frame) {
  std::vector<float> out;
  const auto add = [&](const std::vector<double>& values, std::size_t i, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) out.push_back(static_cast<float>(values[n * i + k]));
  };
  for (std::size_t i = 0; i < scene.lights.size(); ++i) {
    add(frame.lightPos, i, 3);
    add(frame.lightDir, i, 3);
  }
  for (std::size_t i = 0; i < scene.cameras.size(); ++i) {
    add(frame.cameraPos, i, 3);
    add(frame.cameraMat, i, 9);
  }
  return out;
}

void putDecoration(FrameWriter& w, const Decoration& x) {
  w.put(static_cast<float>(x.shape));
  w.put(std::span<const float>(x.size));
  w.putFloats(x.pos);
  w.put(std::span<const float>(quatOf(x.mat)));
  w.put(std::span<const float>(x.rgba));
}

constexpr std::size_t kLongestLabel = 200;  // bytes

constexpr std::array<std::string_view, 10> kScalars{
    "energy.potential", "energy.kinetic", "energy.total", "contacts",    "rows",
    "islands",          "iterations",     "residual",     "unconverged", "awake"};

}  // namespace

FrameWriter::FrameWriter(Bytes& out, std::uint64_t model, std::uint64_t step, double time) : out_(out) {
  out_.clear();
  put(kFrameMagic);
  put(kWireVersion);
  put(std::uint16_t{0});
  put(model);
  put(step);
  put(time);
}

void FrameWriter::begin(Tag tag, std::uint16_t flags) {
  block_ = out_.size();
  put(static_cast<std::uint16_t>(tag));
  put(flags);
  put(std::uint32_t{0});
  ++blocks_;
}

void FrameWriter::end() {
  const auto length = static_cast<std::uint32_t>(out_.size() - block_ - 8);
  std::memcpy(out_.data() + block_ + 4, &length, sizeof length);
  out_.resize((out_.size() + 7) / 8 * 8);
}

void FrameWriter::putFloats(std::span<const double> values) {
  float* out = room<float>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = static_cast<float>(values[i]);
}

void FrameWriter::finish() { std::memcpy(out_.data() + 6, &blocks_, sizeof blocks_); }

void quantize(std::span<const double> points, float* box, std::uint16_t* out) { quantizePoints(points, box, out); }
void quantize(std::span<const float> points, float* box, std::uint16_t* out) { quantizePoints(points, box, out); }

std::span<const std::string_view> scalarNames() { return kScalars; }

std::vector<int> movingBodies(const Model& m) {
  std::vector<int> moving;
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_weldid[b] != 0) moving.push_back(b);
  }
  return moving;
}

FrameEncoder::FrameEncoder(const Scene& scene, const Model& m, std::uint64_t id)
    : scene_(scene), id_(id), moving_(view::movingBodies(m)) {
  const auto moves = [&](const auto& x) { return x.mode != CameraMode::Fixed || m.body_weldid[x.body] != 0; };
  placesMove_ = !scene.tendons.empty() || !scene.skins.empty() ||
                std::any_of(scene.lights.begin(), scene.lights.end(), moves) ||
                std::any_of(scene.cameras.begin(), scene.cameras.end(), moves);
}

std::vector<Look> looksOf(const Scene& scene) {
  std::vector<Look> looks;
  looks.reserve(scene.instances.size());
  for (const SceneInstance& x : scene.instances) looks.push_back({x.group, x.rgba, x.size});
  return looks;
}

std::vector<double> FrameEncoder::scalarsOf(const Data& d) {
  double iterations = 0, residual = 0, unconverged = 0;
  for (const IslandReport& island : d.island) {
    iterations = std::max(iterations, static_cast<double>(island.iterations));
    residual = std::max(residual, island.residual);
    if (!island.converged) ++unconverged;
  }
  return {d.energy[0],
          d.energy[1],
          d.energy[0] + d.energy[1],
          static_cast<double>(d.ncon()),
          static_cast<double>(d.nefc()),
          static_cast<double>(d.island.size()),
          iterations,
          residual,
          unconverged,
          static_cast<double>(d.ntree_awake)};
}

double FrameEncoder::valueOf(const Model& m, const Data& d, const WatchEntry& entry) {
  double value = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < kScalars.size(); ++i) {
    if (entry.array == kScalars[i]) return scalarsOf(d)[i];
  }
  d.forEachArray(m, [&](const char* name, const auto& array, std::ptrdiff_t, std::ptrdiff_t, const char*) {
    if (entry.array != name || entry.index < 0 || entry.index >= array.size()) return;
    value = static_cast<double>(array[entry.index]);
  });
  return value;
}

void FrameEncoder::heatOf(const Model& m, Data& d, FlexColor color, std::vector<float>& values) {
  FrameOptions options;
  options.flexColor = color;
  options.sites = options.tendons = options.skins = false;
  options.flexGroups.fill(true);
  updateFrame(scene_, m, d, heatFrame_, options);
  values.assign(static_cast<std::size_t>(m.nflexvert), 0.0f);
  if (heatFrame_.flexValue.empty()) return;
  for (const SceneFlex& flex : scene_.flexes) {
    const auto base = static_cast<std::size_t>(m.flex_vertadr[flex.object.id]);
    for (std::size_t i = 0; i < flex.source.size(); ++i) {
      values[base + static_cast<std::size_t>(flex.source[i])] =
          heatFrame_.flexValue[static_cast<std::size_t>(flex.vertexAdr) + i];
    }
  }
}

void FrameEncoder::putContacts(FrameWriter& w) const {
  std::vector<const FrameContact*> chosen;
  chosen.reserve(frame_.contacts.size());
  for (const FrameContact& c : frame_.contacts) chosen.push_back(&c);
  const auto forceOf = [](const FrameContact* c) {
    return c->force[0] * c->force[0] + c->force[1] * c->force[1] + c->force[2] * c->force[2];
  };
  if (chosen.size() > kMostContacts) {
    std::nth_element(chosen.begin(), chosen.begin() + kMostContacts, chosen.end(),
                     [&](const FrameContact* a, const FrameContact* b) { return forceOf(a) > forceOf(b); });
    chosen.resize(kMostContacts);
  }
  w.begin(Tag::Contacts);
  w.put(static_cast<std::uint32_t>(frame_.contacts.size()));
  w.put(static_cast<std::uint32_t>(chosen.size()));
  const auto code = [](const SceneObject& o) { return static_cast<float>(o.type == ObjType::Flex ? -1 - o.id : o.id); };
  for (const FrameContact* c : chosen) {
    w.putFloats(c->pos);
    w.putFloats(std::span<const double>(c->frame).first(3));
    w.putFloats(c->force);
    w.put(static_cast<float>(c->dist));
    w.put(static_cast<float>((c->active ? 1 : 0) + (c->sliding ? 2 : 0)));
    w.put(code(c->side[0]));
    w.put(code(c->side[1]));
  }
  w.end();
}

SharedBytes FrameEncoder::encode(const Model& m, Data& d, const Wants& wants, const std::vector<WatchEntry>& watch,
                                 std::uint32_t watchVersion, RunStatus status, std::uint64_t step, const DragLine* drag,
                                 std::span<const ViewerGeom> geoms, std::span<const Look> sent) {
  auto out = std::make_shared<Bytes>();
  FrameWriter w(*out, id_, step, d.time);

  const bool isGood = isFinite({d.xpos.data(), static_cast<std::size_t>(d.xpos.size())}) &&
                      isFinite({d.xquat.data(), static_cast<std::size_t>(d.xquat.size())}) &&
                      isFinite({d.flexvert_xpos.data(), static_cast<std::size_t>(d.flexvert_xpos.size())});
  if (!isGood) status.bad = true;

  w.begin(Tag::Status);
  w.put(status.speed);
  w.put(status.realTime);
  w.put(status.historyStart);
  w.put(status.historyEnd);
  w.put(status.hash);
  w.put(static_cast<std::uint32_t>((status.paused ? 1 : 0) | (status.diverged ? 2 : 0) | (status.bad ? 4 : 0) |
                                   (status.scrubbing ? 8 : 0)));
  w.put(status.historyCount);
  w.put(status.historyIndex);
  w.end();

  // poses: of the last good state if these are no numbers
  const bool isKept = !isGood && hasGood_;
  if (isGood) {
    hasGood_ = true;
    goodBodies_.resize(7 * moving_.size());
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      const int b = moving_[i];
      for (int k = 0; k < 3; ++k) goodBodies_[7 * i + static_cast<std::size_t>(k)] = d.xpos[3 * b + k];
      for (int k = 0; k < 4; ++k) goodBodies_[7 * i + 3 + static_cast<std::size_t>(k)] = d.xquat[4 * b + k];
    }
    goodVertices_.assign(d.flexvert_xpos.begin(), d.flexvert_xpos.end());
  }
  if (isGood || isKept) {
    w.begin(Tag::Bodies);
    w.putFloats(goodBodies_);
    w.end();
    if (m.nflex > 0) {
      w.begin(Tag::Flexes);
      const auto flexes = static_cast<std::size_t>(m.nflex);
      const std::size_t boxes = out->size();
      w.room<float>(6 * flexes);
      const std::size_t points = out->size();
      w.room<std::uint16_t>(3 * static_cast<std::size_t>(m.nflexvert));
      for (int f = 0; f < m.nflex; ++f) {
        const auto adr = static_cast<std::size_t>(m.flex_vertadr[f]), num = static_cast<std::size_t>(m.flex_vertnum[f]);
        quantize(std::span<const double>(goodVertices_).subspan(3 * adr, 3 * num),
                 reinterpret_cast<float*>(out->data() + boxes) + 6 * f,
                 reinterpret_cast<std::uint16_t*>(out->data() + points) + 3 * adr);
      }
      w.end();
    }
  }

  // lights and cameras that never move are in the scene
  const bool isNeeded = placesMove_ || wants.contacts || !wants.decorations.empty();
  if (isGood && isNeeded) {
    FrameOptions options;
    options.flexes = false;
    options.jointGroups.fill(true);
    options.actuatorGroups.fill(true);
    const auto wanted = [&](const char* name) { return wants.decorations.count(name) > 0; };
    options.joints = wanted("joints");
    options.actuators = wanted("actuators");
    options.centersOfMass = wanted("com");
    options.inertias = wanted("inertia");
    options.constraints = wanted("constraints");
    options.cameras = wanted("cameras");
    options.lights = wanted("lights");
    options.slidercranks = wanted("slidercranks");
    options.frames = wanted("bodyframes")   ? FrameKind::Body
                     : wanted("geomframes") ? FrameKind::Geom
                     : wanted("siteframes") ? FrameKind::Site
                     : wanted("worldframe") ? FrameKind::World
                                            : FrameKind::None;
    updateFrame(scene_, m, d, frame_, options);
    if (!scene_.lights.empty() || !scene_.cameras.empty()) {
      w.begin(Tag::Cameras);
      w.put(std::span<const float>(placesOf(scene_, frame_)));
      w.end();
    }
    if (!scene_.tendons.empty()) {
      w.begin(Tag::Tendons);
      for (const int adr : frame_.tendonAdr) w.put(static_cast<std::uint32_t>(adr));
      w.put(std::span<const float>(frame_.tendonSegment));
      w.end();
    }
    if (!scene_.skins.empty()) {
      w.begin(Tag::Skins);
      float* box = w.room<float>(6);
      std::array<float, 6> corners{};
      std::vector<std::uint16_t> points(frame_.skinPosition.size());
      quantize(std::span<const float>(frame_.skinPosition), corners.data(), points.data());
      std::memcpy(box, corners.data(), sizeof corners);
      w.put(std::span<const std::uint16_t>(points));
      w.end();
    }
    if (wants.contacts) putContacts(w);
    if (!frame_.decorations.empty()) {
      w.begin(Tag::Decorations);
      for (const Decoration& x : frame_.decorations) putDecoration(w, x);
      w.end();
    }
  }
  if (isGood) {
    for (const FlexColor color : wants.heat) {
      if (m.nflex == 0 || color == FlexColor::Material) continue;
      heatOf(m, d, color, heat_);
      float high = 0;
      for (const float x : heat_) {
        if (std::isfinite(x)) high = std::max(high, x);
      }
      w.begin(Tag::Heat, static_cast<std::uint16_t>(color));
      w.put(0.0f);
      w.put(high);
      std::uint16_t* values = w.room<std::uint16_t>(heat_.size());
      const float scale = high > 0 ? 65535.0f / high : 0;
      for (std::size_t i = 0; i < heat_.size(); ++i) {
        values[i] = std::isfinite(heat_[i])
                        ? static_cast<std::uint16_t>(std::clamp(heat_[i] * scale + 0.5f, 0.0f, 65535.0f))
                        : std::uint16_t{65535};
      }
      w.end();
    }
  }
  if (wants.energy && isGood) energy(m, d);
  w.begin(Tag::Scalars);
  w.put(std::span<const double>(scalarsOf(d)));
  w.end();
  if (!watch.empty()) {
    w.begin(Tag::Watch);
    w.put(watchVersion);
    w.put(static_cast<std::uint32_t>(watch.size()));
    for (const WatchEntry& entry : watch) w.put(valueOf(m, d, entry));
    w.end();
  }
  if (wants.controls) {
    w.begin(Tag::Controls);
    w.put(static_cast<std::uint32_t>(m.nu));
    w.put(static_cast<std::uint32_t>(m.nq_rigid));
    w.putFloats({d.ctrl.data(), static_cast<std::size_t>(m.nu)});
    w.putFloats({d.qpos.data(), static_cast<std::size_t>(m.nq_rigid)});
    w.put(std::span<const std::uint8_t>(d.eq_active.data(), static_cast<std::size_t>(m.neq)));
    w.end();
  }
  if (drag != nullptr) {
    w.begin(Tag::Drag);
    w.putFloats(drag->anchor);
    w.putFloats(drag->target);
    w.putFloats(drag->force);
    w.end();
  }
  if (!geoms.empty()) {
    std::size_t labels = 0;
    for (const ViewerGeom& g : geoms) labels += 2 + std::min(g.label.size(), kLongestLabel);
    w.begin(Tag::Geoms);
    w.put(static_cast<std::uint32_t>(geoms.size()));
    w.put(static_cast<std::uint32_t>(labels));
    for (const ViewerGeom& g : geoms) putDecoration(w, g.shape);
    for (const ViewerGeom& g : geoms) {
      const auto length = static_cast<std::uint16_t>(std::min(g.label.size(), kLongestLabel));
      w.put(length);
      w.put(std::span<const char>(g.label.data(), length));
    }
    w.end();
  }
  if (sent.size() == scene_.instances.size() && !sent.empty()) {
    const std::vector<Look> now = looksOf(scene_);
    bool isOpen = false;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == sent[i]) continue;
      if (!isOpen) w.begin(Tag::Looks);
      isOpen = true;
      w.put(static_cast<float>(i));
      w.put(static_cast<float>(now[i].group));
      w.put(std::span<const float>(now[i].rgba));
      w.put(std::span<const float>(now[i].size));
    }
    if (isOpen) w.end();
  }
  w.finish();
  return out;
}

std::string optionsJson(const Option& option) {
  Json j = Json::object();
#define SINEW_X(type, name, doc) j[#name] = optionValue(option.name);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  return j.dump();
}

Bytes encodeScene(const Scene& scene, const Model& m, const Data& d, std::uint64_t id, const SceneMode& mode) {
  Blob blob;
  std::vector<float> poses;
  for (int b = 0; b < m.nbody; ++b) {
    for (int k = 0; k < 3; ++k) poses.push_back(static_cast<float>(d.xpos[3 * b + k]));
    for (int k = 0; k < 4; ++k) poses.push_back(static_cast<float>(d.xquat[4 * b + k]));
  }
  Data posed = d;
  Frame frame;
  updateFrame(scene, m, posed, frame);
  Json docs = Json::object();
#define SINEW_X(type, name, doc) docs[#name] = doc;
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  Json scalars = Json::array();
  for (const std::string_view name : kScalars) scalars.push_back(name);
  const double flexMass = [&] {
    double sum = 0;
    for (int i = 0; i < m.nflexnode; ++i) sum += m.flexnode_pinned[i] ? 0 : m.flexnode_mass[i];
    return sum;
  }();
  Json j{{"version", kWireVersion},
         {"sinew", std::string(kVersion)},
         {"id", fmt::format("{:016x}", id)},
         {"mode", mode.mode},
         {"file", mode.file},
         {"warnings", mode.warnings},
         {"panels", {{"left", mode.leftPanel}, {"right", mode.rightPanel}}},
         {"name", scene.modelname},
         {"extent", scene.extent},
         {"meansize", scene.meansize},
         {"center", scene.center},
         {"timestep", m.opt.timestep},
         {"mass", (m.nbody > 0 ? m.body_subtreemass[0] : 0)},
         {"flexmass", flexMass},
         {"sizes",
          {{"nq", m.nq},
           {"nv", m.nv},
           {"nu", m.nu},
           {"nbody", m.nbody},
           {"ngeom", m.ngeom},
           {"neq", m.neq},
           {"nqrigid", m.nq_rigid},
           {"nflexvert", m.nflexvert},
           {"nflexelem", m.nflexelem}}},
         {"moving", movingBodies(m)},
         {"poses", blob.add(poses)},
         {"places", blob.add(placesOf(scene, frame))},
         {"bodies", bodiesJson(scene, m)},
         {"textures", texturesJson(scene, blob)},
         {"materials", materialsJson(scene)},
         {"meshes", meshesJson(scene, blob)},
         {"instances", instancesJson(scene)},
         {"lights", lightsJson(scene)},
         {"cameras", camerasJson(scene)},
         {"tendons", tendonsJson(scene)},
         {"flexes", flexesJson(scene, m, blob)},
         {"skins", skinsJson(scene, blob)},
         {"skybox", scene.skybox},
         {"visual", visualJson(scene.visual)},
         {"joints", jointsJson(m)},
         {"actuators", actuatorsJson(m)},
         {"sensors", sensorsJson(m)},
         {"keys", namesOf(m, ObjType::Key)},
         {"equalities", namesOf(m, ObjType::Equality)},
         {"geoms", geomsJson(m)},
         {"arrays", arraysJson(m)},
         {"scalars", scalars},
         {"options", Json::parse(optionsJson(m.opt))},
         {"optionDocs", docs}};
  if (!mode.provenance.empty()) j["provenance"] = Json::parse(mode.provenance);
  const std::string text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
  Bytes out;
  const auto put32 = [&](std::uint32_t x) {
    out.resize(out.size() + 4);
    std::memcpy(out.data() + out.size() - 4, &x, 4);
  };
  put32(kSceneMagic);
  put32(static_cast<std::uint32_t>(text.size()));
  out.insert(out.end(), text.begin(), text.end());
  out.resize((out.size() + 7) / 8 * 8);
  out.insert(out.end(), blob.bytes().begin(), blob.bytes().end());
  return out;
}

}  // namespace sinew::view
