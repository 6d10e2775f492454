#include "sample_files.h"

#include <fmt/format.h>
#include <png.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sinew/data.h"
#include "sinew/step.h"

namespace sinew::fuzz {
namespace {

constexpr std::array<std::array<float, 3>, 4> kCorner = {{{0, 0, 0}, {0.2F, 0, 0}, {0, 0.2F, 0}, {0, 0, 0.2F}}};
constexpr std::array<std::array<int, 3>, 4> kFace = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

Bytes bytesOf(std::string_view text) { return {text.begin(), text.end()}; }

/// The bits of values one after the other, as this machine (little-endian) has them.
class Binary {
 public:
  template <class T>
  Binary& add(const T& value) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
    return *this;
  }
  Binary& text(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

Bytes binaryStl() {
  Binary out;
  out.text(std::string(80, ' ')).add(static_cast<std::uint32_t>(kFace.size()));
  for (const auto& face : kFace) {
    for (int k = 0; k < 3; ++k) out.add(0.0F);
    for (const int corner : face) {
      for (const float x : kCorner[corner]) out.add(x);
    }
    out.add(std::uint16_t{0});
  }
  return out.take();
}

Bytes asciiStl() {
  std::string text = "solid a\n";
  for (const auto& face : kFace) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const int corner : face) {
      const auto& x = kCorner[corner];
      text += fmt::format("vertex {} {} {}\n", x[0], x[1], x[2]);
    }
    text += "endloop\nendfacet\n";
  }
  return bytesOf(text + "endsolid a\n");
}

Bytes msh(int normals, int texcoords) {
  Binary out;
  for (const int count : {4, normals, texcoords, 4}) out.add(count);
  for (const auto& corner : kCorner) {
    for (const float x : corner) out.add(x);
  }
  for (int i = 0; i < 3 * normals + 2 * texcoords; ++i) out.add(0.5F);
  for (const auto& face : kFace) {
    for (const int corner : face) out.add(corner);
  }
  return out.take();
}

/// Version 2.2: one tetrahedron, or its faces; corner numbers start at 1.
Bytes gmsh2(bool solid, bool binary) {
  const int type = solid ? 4 : 2, count = solid ? 1 : 4;
  Binary out;
  out.text(fmt::format("$MeshFormat\n2.2 {} 8\n", binary ? 1 : 0));
  if (binary) out.add(1).text("\n");
  out.text("$EndMeshFormat\n$Nodes\n4\n");
  for (int i = 0; i < 4; ++i) {
    const auto& x = kCorner[i];
    if (binary) {
      out.add(i + 1);
      for (const float coordinate : x) out.add(static_cast<double>(coordinate));
    } else {
      out.text(fmt::format("{} {} {} {}\n", i + 1, x[0], x[1], x[2]));
    }
  }
  out.text(fmt::format("{}$EndNodes\n$Elements\n{}\n", binary ? "\n" : "", count));
  if (binary) out.add(type).add(count).add(2);
  for (int e = 0; e < count; ++e) {
    std::vector<int> numbers = {e + 1};
    if (!binary) numbers.insert(numbers.end(), {type, 2});
    numbers.insert(numbers.end(), {1, 1});
    if (solid) numbers.insert(numbers.end(), {1, 2, 3, 4});
    for (int k = 0; k < 3 && !solid; ++k) {
      numbers.push_back(kFace[e][k] + 1);
    }
    for (const int number : numbers) binary ? out.add(number) : out.text(fmt::format("{} ", number));
    if (!binary) out.text("\n");
  }
  return out.text(binary ? "\n$EndElements\n" : "$EndElements\n").take();
}

/// Version 4.1: one tetrahedron.
Bytes gmsh4(bool binary) {
  Binary out;
  out.text(fmt::format("$MeshFormat\n4.1 {} 8\n", binary ? 1 : 0));
  if (binary) out.add(1).text("\n");
  out.text("$EndMeshFormat\n$Nodes\n");
  const auto counts = [&](std::initializer_list<std::size_t> numbers) {
    for (const std::size_t n : numbers) binary ? out.add(n) : out.text(fmt::format("{} ", n));
    if (!binary) out.text("\n");
  };
  const auto entity = [&](std::initializer_list<int> numbers, std::size_t count) {
    for (const int n : numbers) binary ? out.add(n) : out.text(fmt::format("{} ", n));
    binary ? out.add(count) : out.text(fmt::format("{}\n", count));
  };
  counts({1, 4, 1, 4});
  entity({3, 1, 0}, 4);
  for (std::size_t i = 1; i <= 4; ++i) counts({i});
  for (const auto& x : kCorner) {
    for (const float c : x) binary ? out.add(static_cast<double>(c)) : out.text(fmt::format("{} ", c));
    if (!binary) out.text("\n");
  }
  out.text(binary ? "\n$EndNodes\n$Elements\n" : "$EndNodes\n$Elements\n");
  counts({1, 1, 1, 1});
  entity({3, 1, 4}, 1);
  counts({1, 1, 2, 3, 4});
  return out.text(binary ? "\n$EndElements\n" : "$EndElements\n").take();
}

void append(png_structp png, png_bytep data, std::size_t count) {
  auto& out = *static_cast<Bytes*>(png_get_io_ptr(png));
  out.insert(out.end(), data, data + count);
}

Bytes png(int bits, int color, int interlace) {
  constexpr int kSide = 5;
  Bytes out;
  png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(writer);
  png_set_write_fn(writer, &out, append, nullptr);
  png_set_IHDR(writer, info, kSide, kSide, bits, color, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_color palette[2] = {{0, 0, 0}, {255, 255, 255}};
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(writer, info, palette, 2);
  png_write_info(writer, info);
  std::vector<Bytes> rows(kSide, Bytes(64));
  std::vector<png_bytep> pointers;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t most = color == PNG_COLOR_TYPE_PALETTE ? 2 : 256;
    for (std::size_t i = 0; i < rows[r].size(); ++i) rows[r][i] = static_cast<std::uint8_t>((37 * r + 11 * i) % most);
    pointers.push_back(rows[r].data());
  }
  png_write_image(writer, pointers.data());
  png_write_end(writer, info);
  png_destroy_write_struct(&writer, &info);
  return out;
}

}  // namespace

Bytes readAll(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Bytes> stlFiles() { return {binaryStl(), asciiStl()}; }

std::vector<Bytes> objFiles() {
  return {bytesOf("o a\nv 0 0 0\nv .2 0 0\nv 0 .2 0\nv 0 0 .2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"),
          bytesOf("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\nf 4/1/1 3/1/1 2/1/1 1/1/1\n"
                  "f -5 -4 -1\nf 2//1 3//1 5//1\nf 3 4 5\nf 4 1 5\ng other\nf 1 2 3\n"),
          bytesOf("v 0 0 0\nv 1 0 0\nv 2 0 0\nl 1 2 3\n")};
}

std::vector<Bytes> mshFiles() { return {msh(0, 0), msh(4, 4)}; }

std::vector<Bytes> gmshFiles() {
  return {gmsh2(true, false), gmsh2(false, false), gmsh2(true, true), gmsh2(false, true), gmsh4(false), gmsh4(true)};
}

std::vector<Bytes> pngFiles() {
  return {png(8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE), png(1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE),
          png(16, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_INTERLACE_NONE), png(8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7),
          png(8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE)};
}

std::vector<Bytes> hfieldFiles() {
  Binary out;
  out.add(3).add(4);
  for (int i = 0; i < 12; ++i) out.add(static_cast<float>(i % 5));
  return {out.take()};
}

Bytes traceOf(const Model& m) {
  using nlohmann::json;
  const auto arrays = [](json& target) {
    return [&target](const char* name, const auto& array, int, int, const char*) {
      json values = json::array();
      for (const auto& value : array) values.push_back(static_cast<double>(value));
      target[name] = std::move(values);
    };
  };
  json j;
  j["format"] = "sinew-trace-1";
  j["version"] = "0";
  j["settings"] = {{"ctrl", "sine"}, {"qvel", "sine"}, {"key", -1}, {"set", {"iterations=50"}}, {"smooth", false}};
  j["opt_compiled"] = {{"timestep", m.opt.timestep}, {"gravity", {0, 0, -9.81}}};
  j["stat"] = {{"meanmass", m.stat.meanmass}};
  json sizes = json::object(), constants = json::object();
#define SINEW_X(name, doc) sizes[#name] = m.name;
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  m.forEachArray([&](const char* name, const auto& array, int rows, int cols, const char* doc) {
    if constexpr (requires { static_cast<double>(array[0]); }) arrays(constants)(name, array, rows, cols, doc);
  });
  j["sizes"] = sizes;
  j["constants"] = constants;
  j["names"] = {{"body", {"world", "a", "b"}}, {"jnt", {"", "j"}}};
  j["samples"] = json::array();
  Data d(m);
  for (int i = 0; i < 2; ++i) {
    json sample = {{"step", i}};
    forward(m, d);
    d.forEachArray(m, [&](const char* name, const auto& array, int rows, int cols, const char* doc) {
      if constexpr (requires { static_cast<double>(array[0]); }) arrays(sample)(name, array, rows, cols, doc);
    });
    sample["contact"] = {{{"dist", -0.01}, {"pos", {0, 0, 0}}, {"geom", {0, 1}}}};
    j["samples"].push_back(sample);
    step(m, d);
  }
  return bytesOf(j.dump());
}

}  // namespace sinew::fuzz
