#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "compile/place.h"
#include "scene/parts.h"
#include "scene/visual_text.h"
#include "sinew/errors.h"

namespace sinew::draw {
namespace {

/// What a skin says, before names are looked up.
struct Bone {
  std::string body;
  std::array<double, 3> bindpos{0, 0, 0};
  std::array<double, 4> bindquat{1, 0, 0, 0};
  std::vector<int> vertid;
  std::vector<float> weight;
};
struct Skin {
  std::vector<float> vertex, texcoord;
  std::vector<int> face;
  std::vector<Bone> bones;
};

/// Numbers of a binary file, in turn.
class Bytes {
 public:
  explicit Bytes(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  std::vector<T> take(std::size_t count) {
    if (count > left() / sizeof(T)) throw LoadError("the skin file ends too early");
    std::vector<T> out(count);
    if (count > 0) std::memcpy(out.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return out;
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

/// The reference engine's SKN format: four int32 (vertices, texture coordinates, faces, bones), float32 vertices and
/// texture coordinates, int32 faces; per bone 40 characters of the body's name, bindpos, bindquat, the number of
/// vertices, their ids and weights.
Skin readSkn(const std::string& text) {
  Bytes bytes(text);
  const std::vector<std::int32_t> header = bytes.take<std::int32_t>(4);
  if (*std::min_element(header.begin(), header.end()) < 0) throw LoadError("the skin file has a negative size");
  const auto count = [&](std::size_t i) { return static_cast<std::size_t>(header[i]); };
  Skin skin;
  skin.vertex = bytes.take<float>(3 * count(0));
  skin.texcoord = bytes.take<float>(2 * count(1));
  skin.face = bytes.take<int>(3 * count(2));
  for (std::size_t b = 0; b < count(3); ++b) {
    Bone bone;
    const std::vector<char> name = bytes.take<char>(40);
    bone.body.assign(name.begin(), std::find(name.begin(), name.end(), '\0'));
    const std::vector<float> pose = bytes.take<float>(7);
    for (std::size_t k = 0; k < 3; ++k) bone.bindpos[k] = pose[k];
    for (std::size_t k = 0; k < 4; ++k) bone.bindquat[k] = pose[3 + k];
    const int n = bytes.take<std::int32_t>(1)[0];
    if (n < 0) throw LoadError("the skin file has a negative size");
    bone.vertid = bytes.take<int>(static_cast<std::size_t>(n));
    bone.weight = bytes.take<float>(static_cast<std::size_t>(n));
    skin.bones.push_back(std::move(bone));
  }
  return skin;
}

Skin readElement(const Spec& spec, const spec::VisualElement& e) {
  std::string file(textOf(e, "file"));
  std::replace(file.begin(), file.end(), '\\', '/');
  if (!file.empty()) {
    const auto directory = std::filesystem::path(spec.directory) / spec.compiler.meshdir;
    return readSkn(readPicture(directory.string(), e, file, spec.compiler.strippath));
  }
  Skin skin;
  for (const double x : realsOf(e, "vertex")) skin.vertex.push_back(static_cast<float>(x));
  for (const double x : realsOf(e, "texcoord")) skin.texcoord.push_back(static_cast<float>(x));
  skin.face = intsOf(e, "face");
  for (const spec::VisualElement& child : e.children) {
    Bone bone;
    bone.body = textOf(child, "body");
    readReals(child, "bindpos", bone.bindpos);
    readReals(child, "bindquat", bone.bindquat);
    bone.vertid = intsOf(child, "vertid");
    for (const double x : realsOf(child, "vertweight")) bone.weight.push_back(static_cast<float>(x));
    skin.bones.push_back(std::move(bone));
  }
  return skin;
}

/// The point of a flex that `name` means: <flex>_<point>, or <flex>_i_j_k for the nodes of an interpolation grid; -1:
/// none.
int flexPointNamed(const Model& m, std::string_view name) {
  for (int f = 0; f < m.nflex; ++f) {
    const std::string_view own = nameOf(m, ObjType::Flex, f);
    if (own.empty() || name.size() < own.size() + 2 || !name.starts_with(own) || name[own.size()] != '_') continue;
    std::vector<int> numbers;
    const char *at = name.data() + own.size(), *const end = name.data() + name.size();
    while (at != end && *at == '_') {
      int value = 0;
      const auto [next, error] = std::from_chars(at + 1, end, value);
      if (error != std::errc() || value < 0) break;
      numbers.push_back(value);
      at = next;
    }
    if (at != end) continue;
    const int order = std::abs(m.flex_interp[f]);
    if (numbers.size() != (order == 0 ? 1u : 3u)) continue;
    int point = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const int count = order == 0 ? 0 : m.flex_cellnum[3 * f + static_cast<int>(k)] * order + 1;
      point = point * count + numbers[k];
    }
    if (point < m.flex_pointnum[f]) return m.flex_pointadr[f] + point;
  }
  return -1;
}

/// Checks sizes and indices, looks up names. Throws LoadError.
SceneSkin bind(const Model& m, Skin& skin) {
  SceneSkin out;
  const std::size_t n = skin.vertex.size() / 3;
  if (skin.vertex.size() % 3 != 0 || n == 0) {
    throw LoadError(fmt::format("'vertex' needs a multiple of 3 numbers, found {}", skin.vertex.size()));
  }
  if (skin.face.size() % 3 != 0 || skin.face.empty()) {
    throw LoadError(fmt::format("'face' needs a multiple of 3 vertex ids, found {}", skin.face.size()));
  }
  if (!skin.texcoord.empty() && skin.texcoord.size() != 2 * n) {
    throw LoadError(fmt::format("'texcoord' needs 2 numbers per vertex: {}, found {}", 2 * n, skin.texcoord.size()));
  }
  const auto requireVertex = [&](int v) {
    if (v < 0 || static_cast<std::size_t>(v) >= n) {
      throw LoadError(fmt::format("vertex {} does not exist, there are {}", v, n));
    }
  };
  for (const int v : skin.face) {
    requireVertex(v);
    out.indices.push_back(static_cast<std::uint32_t>(v));
  }
  for (Bone& bone : skin.bones) {
    SceneSkin::Bone& added = out.bones.emplace_back();
    added.body = findId(m, ObjType::Body, bone.body);
    if (added.body < 0) added.flexpoint = flexPointNamed(m, bone.body);
    if (added.body < 0 && added.flexpoint < 0) throw LoadError(fmt::format("no body is named \"{}\"", bone.body));
    if (bone.vertid.size() != bone.weight.size()) {
      throw LoadError(
          fmt::format("bone \"{}\": 'vertid' and 'vertweight' need the same number of entries, found {} "
                      "and {}",
                      bone.body, bone.vertid.size(), bone.weight.size()));
    }
    for (const int v : bone.vertid) requireVertex(v);
    added.bindpos = bone.bindpos;
    added.bindquat = bone.bindquat;
    added.vertices = std::move(bone.vertid);
    added.weights = std::move(bone.weight);
  }
  out.positions = std::move(skin.vertex);
  out.uv = std::move(skin.texcoord);
  out.vertexNum = static_cast<int>(n);
  return out;
}

}  // namespace

std::vector<SceneSkin> skinsOf(const Spec& spec, const Model& m, const std::vector<SceneMaterial>& materials,
                               const std::vector<SceneTexture>& textures, const Report& report) {
  std::vector<SceneSkin> skins;
  for (const spec::VisualElement& e : spec.skins) {
    SceneSkin skin;
    try {
      Skin read = readElement(spec, e);
      skin = bind(m, read);
    } catch (const LoadError& error) {
      report.warn(draft::Place(e.origin, "skin", e.name).message(fmt::format("{}; it is not drawn", error.what())));
    }
    skin.object = {ObjType::Skin, static_cast<int>(skins.size()), e.name};
    skin.group = intOf(e, "group", 0);
    skin.inflate = static_cast<float>(realOf(e, "inflate", 0));
    readReals(e, "rgba", skin.rgba);
    skin.material = findMaterial(materials, std::string(textOf(e, "material")));
    skin.rgba = finalColor(skin.rgba, skin.material, materials);
    if (skin.material >= 0 && !skin.uv.empty()) {
      const int texture = materials[skin.material].texture;
      if (texture >= 0 && textures[texture].type == TextureType::Flat) {
        skin.map = TextureMap::Uv;
      }
    }
    skins.push_back(std::move(skin));
  }
  return skins;
}

}  // namespace sinew::draw
