#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include "compile/place.h"
#include "scene/parts.h"
#include "scene/png_read.h"
#include "scene/visual_text.h"
#include "sinew/files.h"
#include "spec/memory_budget.h"
#include "spec/place.h"

namespace sinew::draw {
namespace {

namespace fs = std::filesystem;

using Rgb = std::array<double, 3>;

draft::Place placeOf(const spec::VisualElement& texture) {
  return draft::Place(texture.origin, texture.tag, texture.name);
}

std::string slashed(std::string_view file) {
  std::string out(file);
  std::replace(out.begin(), out.end(), '\\', '/');
  return out;
}

std::uint8_t byteOf(double value) { return static_cast<std::uint8_t>(255 * std::clamp(value, 0.0, 1.0)); }

/// The part of rgb2 at position 0..1 of a gradient, by a smooth step: 1/2 (1 + sqrt(2) t / sqrt(1 + t^2)), t = 2 x - 1.
double gradientAt(double x) {
  const double t = 2 * std::clamp(x, 0.0, 1.0) - 1;
  return 0.5 * (1 + std::numbers::sqrt2 * t / std::sqrt(1 + t * t));
}

/// Direction of a point (s right, t down, both -1..1) of a face of a cube map, as OpenGL has it.
std::array<double, 3> cubeDirection(int face, double s, double t) {
  switch (face) {
    case 0:
      return {1, -t, -s};
    case 1:
      return {-1, -t, s};
    case 2:
      return {s, 1, t};
    case 3:
      return {s, -1, -t};
    case 4:
      return {s, -t, 1};
    default:
      return {-s, -t, -1};
  }
}

/// What a builtin texture is made of.
struct Recipe {
  enum class Kind { Flat, Gradient, Checker } kind = Kind::Flat;
  Rgb rgb1{0.8, 0.8, 0.8}, rgb2{0.5, 0.5, 0.5}, markrgb{0, 0, 0};
  std::string_view mark;
  double random = 0.01;
};

/// A generator of its own, so that the dots are the same everywhere.
class Dots {
 public:
  bool next(double share) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) * 0x1p-53 < share;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

/// Position along the gradient of the middle of a pixel; -1..1 over the picture.
double gradientPosition(const SceneTexture& texture, int face, int row, int column) {
  const double x = 2.0 * column / std::max(1, texture.width - 1) - 1,
               y = 2.0 * row / std::max(1, texture.height - 1) - 1;
  if (texture.type == TextureType::Flat) return std::sqrt(x * x + y * y);
  const auto d = cubeDirection(face, x, y);
  const double elevation = std::atan2(d[1], std::sqrt(d[0] * d[0] + d[2] * d[2]));
  return 0.5 - elevation / std::numbers::pi;
}

void paint(const Recipe& recipe, SceneTexture& texture) {
  Dots dots;
  const int w = texture.width, h = texture.height;
  std::uint8_t* out = texture.pixels.data();
  for (int face = 0; face < texture.faces(); ++face) {
    for (int row = 0; row < h; ++row) {
      for (int column = 0; column < w; ++column) {
        double share = 0;  // of rgb2
        if (recipe.kind == Recipe::Kind::Gradient) {
          share = gradientAt(gradientPosition(texture, face, row, column));
        } else if (recipe.kind == Recipe::Kind::Checker) {
          share = (row >= h / 2) != (column >= w / 2) ? 1 : 0;
          if (face >= 4) share = 1 - share;
        } else if (face == 3) {
          share = 1;
        }
        Rgb rgb;
        for (std::size_t k = 0; k < 3; ++k) rgb[k] = (1 - share) * recipe.rgb1[k] + share * recipe.rgb2[k];
        const bool edge = row == 0 || column == 0 || row == h - 1 || column == w - 1;
        const bool cross = row == h / 2 || column == w / 2;
        if ((recipe.mark == "edge" && edge) || (recipe.mark == "cross" && cross) ||
            (recipe.mark == "random" && dots.next(recipe.random))) {
          rgb = recipe.markrgb;
        }
        for (std::size_t k = 0; k < 3; ++k) *out++ = byteOf(rgb[k]);
      }
    }
  }
}

/// Bytes that a Renderer keeps for each pixel of a flat texture: smoothed copies, 4 bytes and a third more for all that
/// are smaller.
constexpr double kSmoothed = 16.0 / 3;

/// Charges `bytesPerPixel` to the budget; the text of the refusal if there is not enough left.
std::optional<std::string> charge(spec::MemoryBudget& budget, int width, int height, double bytesPerPixel,
                                  const char* what) {
  return budget.take(bytesPerPixel * width * height, fmt::format("{} of {} x {} pixels", what, width, height));
}

void requireSize(const spec::VisualElement& element, int width, int height) {
  if (width < 1 || height < 1) {
    placeOf(element).fail(
        fmt::format("a builtin texture needs a positive width and height, found {} x {}", width, height));
  }
  if (width > kMaxPictureSide || height > kMaxPictureSide) {
    placeOf(element).fail(fmt::format("the texture has {} x {} pixels, at most {} in a direction are supported", width,
                                      height, kMaxPictureSide));
  }
}

void makeBuiltin(const spec::VisualElement& element, std::string_view builtin, spec::MemoryBudget& budget,
                 SceneTexture& texture) {
  Recipe recipe;
  if (builtin == "gradient") recipe.kind = Recipe::Kind::Gradient;
  if (builtin == "checker") recipe.kind = Recipe::Kind::Checker;
  readReals(element, "rgb1", recipe.rgb1);
  readReals(element, "rgb2", recipe.rgb2);
  readReals(element, "markrgb", recipe.markrgb);
  recipe.mark = textOf(element, "mark");
  recipe.random = realOf(element, "random", recipe.random);
  texture.width = intOf(element, "width", 0);
  texture.height = texture.type == TextureType::Flat ? intOf(element, "height", 0) : texture.width;
  requireSize(element, texture.width, texture.height);
  texture.channels = 3;
  if (const auto refusal =
          charge(budget, texture.width, texture.height, texture.type == TextureType::Flat ? 3 + kSmoothed : 18,
                 "'width', 'height': a texture")) {
    placeOf(element).fail(*refusal);
  }
  texture.pixels.resize(3 * static_cast<std::size_t>(texture.width) * static_cast<std::size_t>(texture.height) *
                        static_cast<std::size_t>(texture.faces()));
  paint(recipe, texture);
}

void flip(Picture& picture, bool horizontally, bool vertically) {
  const std::size_t c = static_cast<std::size_t>(picture.channels), w = static_cast<std::size_t>(picture.width);
  if (vertically) {
    for (int a = 0, b = picture.height - 1; a < b; ++a, --b) {
      std::swap_ranges(picture.pixels.begin() + a * static_cast<std::ptrdiff_t>(c * w),
                       picture.pixels.begin() + (a + 1) * static_cast<std::ptrdiff_t>(c * w),
                       picture.pixels.begin() + b * static_cast<std::ptrdiff_t>(c * w));
    }
  }
  if (horizontally) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(picture.height); ++row) {
      std::uint8_t* line = picture.pixels.data() + row * c * w;
      for (std::size_t a = 0, b = w - 1; a < b; ++a, --b)
        std::swap_ranges(line + a * c, line + a * c + c, line + b * c);
    }
  }
}

/// Reads one file of a texture, with `nchannel` channels.
Picture readFileOf(const Spec& spec, const spec::VisualElement& element, const std::string& file, TextureType type,
                   const spec::MemoryBudget& budget) {
  const std::string directory = (fs::path(spec.directory) / slashed(spec.compiler.texturedir)).string();
  const auto accept = [&](int width, int height) {
    spec::MemoryBudget left = budget;  // what surely does not fit is not unpacked
    const auto refusal = charge(left, width, height, type == TextureType::Flat ? 1 + kSmoothed : 1, "a picture");
    if (refusal) throw LoadError(fmt::format("file \"{}\": {}", file, *refusal));
  };
  Picture picture = readPng(readPicture(directory, element, file, spec.compiler.strippath), accept);
  flip(picture, boolOf(element, "hflip", false), boolOf(element, "vflip", false));
  return picture;
}

/// Copies a square of `from` (top left corner, side) into face `face`.
void copyFace(const Picture& from, int left, int top, int face, SceneTexture& texture) {
  const std::size_t side = static_cast<std::size_t>(texture.width), c = static_cast<std::size_t>(texture.channels);
  const std::size_t source = static_cast<std::size_t>(from.channels);
  std::uint8_t* out = texture.pixels.data() + static_cast<std::size_t>(face) * side * side * c;
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column, out += c) {
      const std::uint8_t* in =
          from.pixels.data() + source * ((static_cast<std::size_t>(top) + row) * static_cast<std::size_t>(from.width) +
                                         static_cast<std::size_t>(left) + column);
      for (std::size_t k = 0; k < c; ++k) out[k] = in[k < source ? k : source - 1];
    }
  }
}

void allocateCube(int side, int channels, spec::MemoryBudget& budget, SceneTexture& texture) {
  if (const auto refusal = charge(budget, side, side, 6 * channels, "a cube")) throw LoadError(*refusal);
  texture.width = texture.height = side;
  texture.channels = channels;
  texture.pixels.assign(
      6 * static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * static_cast<std::size_t>(channels), 0);
}

/// Faces by the letters of gridlayout; without one the picture is all faces.
void cutCube(const spec::VisualElement& element, const Picture& picture, spec::MemoryBudget& budget,
             SceneTexture& texture) {
  std::vector<int> grid = intsOf(element, "gridsize");
  grid.resize(2, 1);
  const std::string_view layout = textOf(element, "gridlayout");
  const int rows = std::max(1, grid[0]), columns = std::max(1, grid[1]);
  if (picture.width % columns != 0 || picture.height % rows != 0 || picture.width / columns != picture.height / rows) {
    throw LoadError(
        fmt::format("the parts of the picture must be squares: it has {} x {} pixels for {} rows and {} "
                    "columns",
                    picture.width, picture.height, rows, columns));
  }
  const int side = picture.width / columns;
  allocateCube(side, picture.channels, budget, texture);
  if (rows == 1 && columns == 1) {
    for (int face = 0; face < 6; ++face) copyFace(picture, 0, 0, face, texture);
    return;
  }
  constexpr std::string_view kLetters = "RLUDFB";
  for (int cell = 0; cell < rows * columns && cell < static_cast<int>(layout.size()); ++cell) {
    const std::size_t face = kLetters.find(layout[cell]);
    if (face == std::string_view::npos) continue;  // '.': unused
    copyFace(picture, cell % columns * side, cell / columns * side, static_cast<int>(face), texture);
  }
}

constexpr const char* kFaceFiles[] = {"fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"};

/// Six pictures of their own; a missing one is filled with rgb1.
void readFaces(const Spec& spec, const spec::VisualElement& element, spec::MemoryBudget& budget,
               SceneTexture& texture) {
  Rgb fill{0.8, 0.8, 0.8};
  readReals(element, "rgb1", fill);
  for (int face = 0; face < 6; ++face) {
    const std::string file = slashed(textOf(element, kFaceFiles[face]));
    if (file.empty()) continue;
    const Picture picture = readFileOf(spec, element, file, texture.type, budget);
    if (picture.width != picture.height) {
      throw LoadError(
          fmt::format("\"{}\": a face of a cube must be square, found {} x {}", file, picture.width, picture.height));
    }
    if (texture.pixels.empty()) {
      allocateCube(picture.width, 3, budget, texture);
      for (std::size_t i = 0; i < texture.pixels.size(); ++i) texture.pixels[i] = byteOf(fill[i % 3]);
    }
    if (picture.width != texture.width) {
      throw LoadError(fmt::format("\"{}\": the faces of a cube must be of one size, found {} and {}", file,
                                  texture.width, picture.width));
    }
    copyFace(picture, 0, 0, face, texture);
  }
}

void readFiles(const Spec& spec, const spec::VisualElement& element, spec::MemoryBudget& budget,
               SceneTexture& texture) {
  const std::string file = slashed(textOf(element, "file"));
  if (file.empty()) {
    readFaces(spec, element, budget, texture);
    return;
  }
  Picture picture = readFileOf(spec, element, file, texture.type, budget);
  const std::string_view space = textOf(element, "colorspace");
  texture.srgb = space == "sRGB" || (space != "linear" && picture.srgb);
  if (texture.type != TextureType::Flat) {
    cutCube(element, picture, budget, texture);
    return;
  }
  if (const auto refusal = charge(budget, picture.width, picture.height, picture.channels + kSmoothed, "a picture")) {
    throw LoadError(fmt::format("file \"{}\": {}", file, *refusal));
  }
  texture.width = picture.width;
  texture.height = picture.height;
  texture.channels = picture.channels;
  texture.pixels = std::move(picture.pixels);
}

bool hasFile(const spec::VisualElement& element) {
  return std::any_of(element.attributes.begin(), element.attributes.end(),
                     [](const auto& a) { return a.first.starts_with("file") && !a.second.empty(); });
}

SceneTexture textureOf(const Spec& spec, const spec::VisualElement& element, const Report& report,
                       spec::MemoryBudget& budget) {
  SceneTexture texture;
  const std::string_view type = textOf(element, "type"), builtin = textOf(element, "builtin");
  texture.type = type == "2d" ? TextureType::Flat : type == "skybox" ? TextureType::Skybox : TextureType::Cube;
  texture.object.name = element.name;
  if (!builtin.empty() && builtin != "none") {
    makeBuiltin(element, builtin, budget, texture);
    return texture;
  }
  if (!hasFile(element)) {
    report.warn(placeOf(element).message("a texture needs 'builtin' or a file; it is left out"));
    return texture;
  }
  try {
    readFiles(spec, element, budget, texture);
  } catch (const LoadError& error) {
    texture.width = texture.height = 0;
    texture.pixels.clear();
    report.warn(placeOf(element).message(fmt::format("{}; things are drawn without this texture", error.what())));
  }
  return texture;
}

}  // namespace

std::string readPicture(const std::string& directory, const spec::VisualElement& element, std::string file,
                        bool stripPath) {
  if (stripPath) file = fs::path(file).filename().string();
  std::vector<fs::path> candidates{fs::path(directory) / file};
  if (element.origin.file) candidates.push_back(fs::path(*element.origin.file).parent_path() / file);
  std::error_code error;
  for (fs::path path : candidates) {
    if (!fs::exists(path, error) && fs::exists(path.lexically_normal(), error)) path = path.lexically_normal();
    if (!fs::exists(path, error)) continue;
    try {
      return readFile(path);
    } catch (const LoadError& e) {
      throw LoadError(fmt::format("file \"{}\": {}", file, e.what()));
    }
  }
  throw LoadError(fmt::format("file \"{}\" does not exist; tried {}", file, spec::triedPaths(candidates)));
}

std::vector<SceneTexture> texturesOf(const Spec& spec, const Report& report, std::uint64_t maxMemory) {
  spec::MemoryBudget budget(maxMemory);
  std::vector<SceneTexture> textures;
  for (const spec::VisualElement& element : spec.textures) {
    SceneTexture& texture = textures.emplace_back(textureOf(spec, element, report, budget));
    texture.object.type = ObjType::Texture;
    texture.object.id = static_cast<int>(textures.size()) - 1;
  }
  return textures;
}

namespace {

int findTexture(const std::vector<SceneTexture>& textures, std::string_view name) {
  if (name.empty()) return -1;
  for (std::size_t i = 0; i < textures.size(); ++i) {
    if (textures[i].object.name == name) return textures[i].width > 0 ? static_cast<int>(i) : -1;
  }
  return -1;
}

constexpr std::string_view kRoles[] = {"rgb",     "occlusion", "roughness", "metallic", "normal",
                                       "opacity", "emissive",  "rgba",      "orm"};

}  // namespace

std::vector<SceneMaterial> materialsOf(const Spec& spec, const std::vector<SceneTexture>& textures) {
  std::vector<SceneMaterial> materials;
  for (const spec::VisualElement& e : spec.materials) {
    SceneMaterial m;
    m.object = {ObjType::Material, static_cast<int>(materials.size()), e.name};
    readReals(e, "rgba", m.rgba);
    readReals(e, "texrepeat", m.texrepeat);
    m.texuniform = boolOf(e, "texuniform", false);
    readReal(e, "emission", m.emission);
    readReal(e, "specular", m.specular);
    readReal(e, "shininess", m.shininess);
    readReal(e, "reflectance", m.reflectance);
    readReal(e, "metallic", m.metallic);
    readReal(e, "roughness", m.roughness);
    m.layers[0] = findTexture(textures, textOf(e, "texture"));
    for (const spec::VisualElement& layer : e.children) {
      const auto role = std::find(std::begin(kRoles), std::end(kRoles), textOf(layer, "role"));
      if (role == std::end(kRoles)) continue;
      m.layers[role - std::begin(kRoles)] = findTexture(textures, textOf(layer, "texture"));
    }
    m.texture = m.layers[static_cast<std::size_t>(MaterialLayer::Rgb)];
    if (m.texture < 0) m.texture = m.layers[static_cast<std::size_t>(MaterialLayer::Rgba)];
    materials.push_back(std::move(m));
  }
  return materials;
}

int findMaterial(const std::vector<SceneMaterial>& materials, const std::string& name) {
  if (name.empty()) return -1;
  for (std::size_t i = 0; i < materials.size(); ++i) {
    if (materials[i].object.name == name) return static_cast<int>(i);
  }
  return -1;
}

Color finalColor(const Color& own, int material, const std::vector<SceneMaterial>& materials) {
  const bool isDefault = own == Color{0.5f, 0.5f, 0.5f, 1};
  return material >= 0 && isDefault ? materials[material].rgba : own;
}

void mapTexture(const Scene& scene, SceneInstance& instance) {
  if (instance.material < 0) return;
  const SceneMaterial& material = scene.materials[instance.material];
  if (material.texture < 0) return;
  const SceneTexture& texture = scene.textures[material.texture];
  Float3 size = instance.size;
  if (instance.shape == SceneShape::Sphere) size = {size[0], size[0], size[0]};
  if (instance.shape == SceneShape::Cylinder) size = {size[0], size[0], size[1]};
  if (instance.shape == SceneShape::Capsule) size = {size[0], size[0], size[1] + size[0]};
  if (texture.type != TextureType::Flat) {
    instance.map = TextureMap::Cube;
    instance.texscale = {1, 1, 1};
    if (material.texuniform || instance.shape == SceneShape::Mesh) return;
    for (std::size_t k = 0; k < 3; ++k) instance.texscale[k] = size[k] > 0 ? 1 / size[k] : 1;
    return;
  }
  if (instance.shape == SceneShape::Mesh) {
    const SceneMesh& mesh = scene.meshes[instance.mesh];
    if (!mesh.uv.empty()) {
      instance.map = TextureMap::Uv;
      instance.texscale = {1, 1, 1};
      return;
    }
    for (std::size_t k = 0; k < 3; ++k) size[k] = std::max(-mesh.lower[k], mesh.upper[k]);
  }
  instance.map = TextureMap::Planar;
  for (std::size_t k = 0; k < 2; ++k) {
    // repeats over the shape, or over a unit of length (a half plane of size 1 counts as one unit on each side)
    const bool infinite = size[k] <= 0;
    instance.texscale[k] = material.texrepeat[k] / (material.texuniform || infinite ? 1 : 2 * size[k]);
    if (infinite) instance.texscale[k] *= 0.5f;
  }
}

}  // namespace sinew::draw
