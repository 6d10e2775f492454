#include "geom/mesh_load.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "geom/mesh_builtin.h"
#include "geom/mesh_error.h"
#include "support/sample_meshes.h"
#include "support/tolerance.h"

namespace sinew::geom {
namespace {

Bytes bytes(const std::string& text) { return {reinterpret_cast<const unsigned char*>(text.data()), text.size()}; }

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string binaryStl(const TriMesh& mesh, const std::string& title = "a binary file") {
  std::string out = title;
  out.resize(80);
  append(out, static_cast<std::uint32_t>(mesh.numFaces()));
  for (std::size_t i = 0; i < mesh.face.size(); i += 3) {
    for (int k = 0; k < 3; ++k) append(out, 0.0f);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t c = 0; c < 3; ++c) append(out, mesh.vertex[3 * static_cast<std::size_t>(mesh.face[i + k]) + c]);
    append(out, std::uint16_t{0});
  }
  return out;
}

std::string asciiStl(const TriMesh& mesh) {
  std::string out = "solid cube with a name\n";
  for (std::size_t i = 0; i < mesh.face.size(); i += 3) {
    out += "facet normal 0 0 0\n  outer loop\n";
    for (std::size_t k = 0; k < 3; ++k) {
      out += "    vertex";
      for (std::size_t c = 0; c < 3; ++c) {
        out += ' ';
        out += std::to_string(mesh.vertex[3 * static_cast<std::size_t>(mesh.face[i + k]) + c]);
      }
      out += '\n';
    }
    out += "  endloop\nendfacet\n";
  }
  return out + "endsolid\n";
}

std::string msh(const TriMesh& mesh) {
  std::string out;
  for (const int n : {mesh.numVertices(), 0, 0, mesh.numFaces()}) append(out, n);
  for (const float x : mesh.vertex) append(out, x);
  for (const int i : mesh.face) append(out, i);
  return out;
}

std::string errorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const MeshError& error) {
    return error.what();
  }
  return "(no error)";
}

/// The corners of all faces, whatever the numbering of vertices.
std::vector<float> corners(const TriMesh& mesh) {
  std::vector<float> out;
  for (const int v : mesh.face)
    for (std::size_t c = 0; c < 3; ++c) out.push_back(mesh.vertex[3 * static_cast<std::size_t>(v) + c]);
  return out;
}

TEST(MeshFormat, ComesFromTheContentTypeOrTheExtension) {
  EXPECT_EQ(meshFormat("a.b/part.OBJ"), MeshFormat::Obj);
  EXPECT_EQ(meshFormat("part.stl"), MeshFormat::Stl);
  EXPECT_EQ(meshFormat("part.msh"), MeshFormat::Msh);
  EXPECT_EQ(meshFormat("part.bin", "model/stl;x=y"), MeshFormat::Stl);
  EXPECT_EQ(errorOf([] { meshFormat("part.ply"); }),
            "unknown mesh file type 'part.ply'; known are .obj, .stl and .msh");
  EXPECT_EQ(errorOf([] { meshFormat("part.obj", "model/ply"); }),
            "unsupported mesh content type 'model/ply'; known are model/obj, model/stl and model/vnd.mujoco.msh");
}

TEST(LoadStl, BinaryAndAsciiGiveTheSameMeshWithMergedVertices) {
  const TriMesh cube = test::boxMesh({0.5, 0.25, 1});
  const TriMesh a = loadMesh(bytes(binaryStl(cube)), MeshFormat::Stl);
  const TriMesh b = loadMesh(bytes(asciiStl(cube)), MeshFormat::Stl);
  EXPECT_EQ(a.numVertices(), 8);
  EXPECT_EQ(corners(a), corners(cube));
  EXPECT_EQ(a.vertex, b.vertex);
  EXPECT_EQ(a.face, b.face);
}

TEST(LoadStl, BinaryFileMayBeginLikeAnAsciiOne) {
  EXPECT_EQ(loadStl(bytes(binaryStl(test::boxMesh(Vec3::Ones()), "solid but binary"))).numFaces(), 12);
}

TEST(LoadStl, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf([] { loadStl(bytes("nothing")); }), "STL file is too short: neither a binary header nor 'solid'");
  const std::string whole = binaryStl(test::boxMesh(Vec3::Ones()));
  EXPECT_EQ(errorOf([&] { loadStl(bytes(whole.substr(0, whole.size() - 1))); }),
            "STL file has the wrong size: 683 bytes for 12 triangles");
  std::string broken = asciiStl(test::boxMesh(Vec3::Ones()));
  broken.replace(broken.find("vertex -1"), 9, "vertex x1");
  EXPECT_EQ(errorOf([&] { loadStl(bytes(broken)); }), "ASCII STL file: 'vertex' needs 3 numbers, found 'x1.000000'");
  EXPECT_EQ(errorOf([] { loadStl(bytes("solid\nendsolid\n")); }), "ASCII STL file has no facets");
}

TEST(LoadMsh, ReadsVerticesAndFaces) {
  const TriMesh cube = test::boxMesh(Vec3::Ones());
  const TriMesh mesh = loadMesh(bytes(msh(cube)), MeshFormat::Msh);
  EXPECT_EQ(mesh.vertex, cube.vertex);
  EXPECT_EQ(mesh.face, cube.face);
}

TEST(LoadMsh, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf([] { loadMsh(bytes("short")); }), "MSH file has no header");
  const std::string whole = msh(test::boxMesh(Vec3::Ones()));
  EXPECT_EQ(errorOf([&] { loadMsh(bytes(whole + "x")); }),
            "unexpected size of MSH file: 257 bytes, its header asks for 256");
  std::string huge = whole;
  const int n = std::numeric_limits<int>::max();
  std::memcpy(huge.data(), &n, sizeof(n));
  EXPECT_EQ(errorOf([&] { loadMsh(bytes(huge)); }).substr(0, 27), "unexpected size of MSH file");
  TriMesh bad = test::boxMesh(Vec3::Ones());
  bad.face[4] = 8;
  EXPECT_EQ(errorOf([&] { loadMsh(bytes(msh(bad))); }), "in face 1, vertex index 8 does not exist");
  bad = test::boxMesh(Vec3::Ones());
  bad.vertex[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(errorOf([&] { loadMsh(bytes(msh(bad))); }), "vertex 2 is not finite");
}

// Quads are cut at the first corner, and so is this pentagon except at its notch. Checked against the reference engine.
TEST(LoadObj, CutsPolygonsAsTheReferenceDoes) {
  const TriMesh mesh =
      loadObj(bytes("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0.5 1.5 1\nv -1 0.5 1\n"
                    "f 1 4 3 2\nf 5 6 7 8 9\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 9 8\n"));
  EXPECT_EQ(mesh.face, (std::vector<int>{0, 3, 2, 0, 2, 1, 4, 5, 6, 4, 6, 7, 4, 7, 8, 0, 1, 5, 0, 5, 4,
                                         1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 8, 3, 8, 7}));
}

// The ear at the notch of an arrow head would lie outside.
TEST(LoadObj, CutsNonConvexPolygonsInside) {
  const TriMesh mesh = loadObj(bytes("v 0 0 0\nv 2 -1 0\nv 0.5 0 0\nv 2 1 0\nf 2 3 4 1\n"));
  ASSERT_EQ(mesh.numFaces(), 2);
  for (std::size_t i = 0; i < mesh.face.size(); i += 3) {
    const auto p = [&](std::size_t k) {
      const float* v = &mesh.vertex[3 * static_cast<std::size_t>(mesh.face[i + k])];
      return Vec3(v[0], v[1], v[2]);
    };
    EXPECT_DOUBLE_EQ(0.5 * (p(1) - p(0)).cross(p(2) - p(0)).z(), 0.25);
  }
}

TEST(LoadObj, ReadsRelativeIndicesSlashesAndOnlyTheFirstObject) {
  const std::string text =
      "mtllib x.mtl\r\no first\r\nv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nv 0 0 1\r\nvt 0 0\r\nvn 0 0 1\r\nusemtl a\r\n"
      "f 1/1/1 2/1/1 3/1/1\r\nf -4//1 -3//1 -1//1\r\no second\r\nf 2 3 4\r\n";
  const TriMesh mesh = loadObj(bytes(text));
  EXPECT_EQ(mesh.face, (std::vector<int>{0, 1, 2, 0, 1, 3}));
  ASSERT_EQ(mesh.warnings.size(), 1u);
  EXPECT_EQ(mesh.warnings[0], "OBJ file has 2 objects or groups; only the faces of the first one are used");
}

TEST(LoadObj, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf([] { loadObj(bytes("v 0 0 0\nv 1 0 0\nv 0 1 0\n")); }), "at least 4 vertices are required");
  EXPECT_EQ(errorOf([] { loadObj(bytes("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 5\n")); }),
            "in face 0, vertex index 4 does not exist");
  EXPECT_EQ(errorOf([] { loadObj(bytes("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 0\n")); }).substr(0, 23),
            "could not parse OBJ fil");
  EXPECT_EQ(errorOf([] { loadObj(bytes("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e999\n")); }), "vertex 3 is not finite");
  // what the parser would take for zero
  EXPECT_EQ(errorOf([] { loadObj(bytes("v 0 0 0\r\nv 1 0 0\r\nv 0 y 0\r\nv 0 0 1\n")); }),
            "OBJ file, line 3: a vertex needs 3 numbers, found '0 y 0'");
  EXPECT_EQ(errorOf([] { loadObj(bytes("v 0 0 0\nv 1 0\nv 0 1 0\nv 0 0 1\n")); }),
            "OBJ file, line 2: a vertex needs 3 numbers, found '1 0'");
  EXPECT_EQ(errorOf([] { loadObj(bytes("# a comment\nv nan 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")); }),
            "OBJ file, line 2: a vertex is not finite");
  std::string polygon = "f";
  for (int i = 0; i < 256; ++i) polygon += " 1";
  EXPECT_EQ(errorOf([&] { loadObj(bytes(polygon)); }), "OBJ file has a face with more than 255 corners");
}

TEST(InlineMesh, ChecksSizes) {
  const std::vector<float> v = test::boxMesh(Vec3::Ones()).vertex;
  EXPECT_EQ(errorOf([&] { inlineMesh(std::span(v).first(23), {}); }), "vertex data must be a multiple of 3 numbers");
  EXPECT_EQ(errorOf([&] { inlineMesh(v, std::vector{0, 1}); }), "face data must be a multiple of 3 indices");
  EXPECT_EQ(errorOf([&] { inlineMesh(v, std::vector{0, 1, -1}); }), "in face 0, vertex index -1 does not exist");
  EXPECT_EQ(errorOf([&] { inlineMesh(v, {}, {}, std::vector<float>(15)); }),
            "texcoord needs 2 numbers per vertex: 16, found 15");
  EXPECT_EQ(errorOf([&] { inlineMesh(v, {}, std::vector<float>(9)); }),
            "normal needs 3 numbers per vertex: 24, found 9");
}

TEST(LoadMesh, AnyBytesGiveAMeshOrAnError) {
  std::mt19937 generator(7);
  const TriMesh cube = test::boxMesh(Vec3::Ones());
  const std::string good[] = {binaryStl(cube), asciiStl(cube), msh(cube),
                              "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\nf 2/1 3/2 4/3\ng x\nf 4 2 1\n"};
  for (int i = 0; i < 4000; ++i) {
    std::string data = good[generator() % 4];
    for (unsigned k = generator() % 8; k > 0; --k) data[generator() % data.size()] = static_cast<char>(generator());
    if (generator() % 4 == 0) data.resize(generator() % (data.size() + 1));
    for (const MeshFormat format : {MeshFormat::Obj, MeshFormat::Stl, MeshFormat::Msh}) {
      try {
        checkMesh(loadMesh(bytes(data), format));
      } catch (const MeshError&) {
      }
    }
  }
}

TEST(BuiltinMesh, HasTheExpectedCounts) {
  const auto counts = [](BuiltinMesh shape, std::vector<double> params) {
    const TriMesh mesh = builtinMesh(shape, params);
    checkMesh(mesh);
    return std::pair(mesh.numVertices(), mesh.numFaces());
  };
  using P = std::pair<int, int>;
  EXPECT_EQ(counts(BuiltinMesh::Sphere, {0}), P(12, 20));
  EXPECT_EQ(counts(BuiltinMesh::Sphere, {4}), P(2562, 5120));
  EXPECT_EQ(counts(BuiltinMesh::Hemisphere, {3}), P(1 + 2 * 4 * 5 + 1, 4 * 16 + 4 * 4));
  EXPECT_EQ(counts(BuiltinMesh::Cone, {7, 0}), P(8, 0));
  EXPECT_EQ(counts(BuiltinMesh::Cone, {7, 0.5}), P(14, 0));
  EXPECT_EQ(counts(BuiltinMesh::Supersphere, {9, 0.5, 1.5}), P(74, 144));
  EXPECT_EQ(counts(BuiltinMesh::Supertorus, {12, 0.3, 0.7, 1.2}), P(144, 288));
  EXPECT_EQ(counts(BuiltinMesh::Wedge, {10, 8, 60, 40, 0.3}), P(80, 0));
  EXPECT_EQ(counts(BuiltinMesh::Plate, {5, 6}), P(30, 40));
}

TEST(BuiltinMesh, SphereLiesOnTheUnitSphere) {
  const TriMesh mesh = builtinMesh(BuiltinMesh::Sphere, std::vector<double>{3});
  for (std::size_t i = 0; i < mesh.vertex.size(); i += 3)
    EXPECT_NEAR(Vec3(mesh.vertex[i], mesh.vertex[i + 1], mesh.vertex[i + 2]).norm(), 1, test::tolerance(2e-7));
}

TEST(BuiltinMesh, SaysWhatIsWrong) {
  const auto error = [](BuiltinMesh shape, std::vector<double> params) {
    return errorOf([&] { builtinMesh(shape, params); });
  };
  EXPECT_EQ(error(BuiltinMesh::Sphere, {1, 2}), "builtin sphere: 'params' needs 1 numbers, found 2");
  EXPECT_EQ(error(BuiltinMesh::Sphere, {5}), "builtin sphere: subdivision must be between 0 and 4");
  EXPECT_EQ(error(BuiltinMesh::Hemisphere, {std::nan("")}), "builtin hemisphere: resolution must be between 0 and 10");
  EXPECT_EQ(error(BuiltinMesh::Cone, {2, 0}), "builtin cone: number of edges must be between 3 and 500000");
  EXPECT_EQ(error(BuiltinMesh::Supertorus, {9, 1.5, 1, 1}),
            "builtin supertorus: radius must be above 0.000000 and at most 1.000000");
  EXPECT_EQ(error(BuiltinMesh::Plate, {1e5, 1e5}), "builtin plate: more than 1000000 vertices");
}

TEST(MeshLoad, C18_FilesOfAnotherKindAreNamedNotEchoedAsNumbers) {
  const std::string text =
      "This is a text of more than eighty-four characters, which is what a binary STL file has as its "
      "header at least.";
  EXPECT_EQ(
      errorOf([&] { loadStl(bytes(text)); }),
      "not an STL file: neither of the size its header asks for nor beginning with 'solid'; the file seems to be text");
  EXPECT_EQ(errorOf([&] { loadMsh(bytes(text)); }),
            "not a mesh of the reference engine's MSH format; the file seems to be text");
  EXPECT_EQ(errorOf([&] { loadMsh(bytes("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n")); }),
            "not a mesh of the reference engine's MSH format; the file seems to be a Gmsh file (use <flexcomp "
            "type=\"gmsh\">)");
  EXPECT_EQ(errorOf([&] { loadObj(bytes("v 1 \x01\x02 3\n")); }),
            "OBJ file, line 1: a vertex needs 3 numbers, found '1 .. 3'");
}

}  // namespace
}  // namespace sinew::geom
