#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "geom/mesh_error.h"
#include "geom/mesh_gmsh.h"

namespace sinew::geom {
namespace {

/// Appends the bytes of a number.
template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

SimplexMesh load(const std::string& text) {
  return loadGmsh({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

std::string errorOf(const std::string& text) {
  try {
    load(text);
  } catch (const MeshError& error) {
    return error.what();
  }
  return {};
}

constexpr double kPoints[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
const std::vector<int> kTets{0, 1, 2, 3, 1, 2, 3, 4};

std::string text22() {
  std::string s = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n";
  for (int i = 0; i < 5; ++i) {
    s += std::to_string(i + 1);
    for (const double x : kPoints[i]) s += " " + std::to_string(x);
    s += "\n";
  }
  // a point and a triangle that are to be skipped, with and without tags
  return s + "$EndNodes\n$Elements\n4\n1 15 2 0 1 1\n2 2 0 1 2 3\n3 4 2 0 1 1 2 3 4\n4 4 0 2 3 4 5\n$EndElements\n";
}

/// `together`: all elements under one header, without tags; else a header and two tags for each.
std::string binary22(bool together) {
  std::string s = "$MeshFormat\n2.2 1 8\n";
  put<std::int32_t>(s, 1);
  s += "\n$EndMeshFormat\n$Nodes\n5\n";
  for (int i = 0; i < 5; ++i) {
    put<std::int32_t>(s, i + 1);
    for (const double x : kPoints[i]) put(s, x);
  }
  s += "\n$EndNodes\n$Elements\n2\n";
  for (int e = 0; e < 2; ++e) {
    if (e == 0 || !together) {
      put<std::int32_t>(s, 4);
      put<std::int32_t>(s, together ? 2 : 1);
      put<std::int32_t>(s, together ? 0 : 2);
    }
    put<std::int32_t>(s, e + 1);
    for (int k = 0; k < (together ? 0 : 2); ++k) put<std::int32_t>(s, 7);
    for (std::size_t k = 0; k < 4; ++k) put<std::int32_t>(s, kTets[4 * static_cast<std::size_t>(e) + k] + 1);
  }
  return s + "\n$EndElements\n";
}

std::string text41() {
  std::string s =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n$Nodes\n2 5 10 14\n0 1 0 1\n10\n0 0 0\n"
      "3 1 0 4\n11\n12\n13\n14\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n";
  return s + "$Elements\n2 3 1 3\n2 1 2 1\n1 10 11 12\n3 1 4 2\n2 10 11 12 13\n3 11 12 13 14\n$EndElements\n";
}

std::string binary41() {
  std::string s = "$MeshFormat\n4.1 1 8\n";
  put<std::int32_t>(s, 1);
  s += "\n$EndMeshFormat\n$Nodes\n";
  for (const std::int64_t n : {1, 5, 1, 5}) put(s, n);
  for (const std::int32_t n : {3, 1, 0}) put(s, n);
  put<std::int64_t>(s, 5);
  for (std::int64_t i = 1; i <= 5; ++i) put(s, i);
  for (const auto& p : kPoints) {
    for (const double x : p) put(s, x);
  }
  s += "\n$EndNodes\n$Elements\n";
  for (const std::int64_t n : {1, 2, 1, 2}) put(s, n);
  for (const std::int32_t n : {3, 1, 4}) put(s, n);
  put<std::int64_t>(s, 2);
  for (std::size_t e = 0; e < 2; ++e) {
    put<std::int64_t>(s, static_cast<std::int64_t>(e) + 1);
    for (std::size_t k = 0; k < 4; ++k) put<std::int64_t>(s, kTets[4 * e + k] + 1);
  }
  return s + "\n$EndElements\n";
}

TEST(Gmsh, AllFormsOfAFileGiveTheSameTetrahedra) {
  for (const std::string& text : {text22(), binary22(true), binary22(false), text41(), binary41()}) {
    const SimplexMesh mesh = load(text);
    EXPECT_EQ(mesh.dim, 3);
    EXPECT_EQ(mesh.element, kTets);
    ASSERT_EQ(mesh.vertex.size(), 15u);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(mesh.vertex[i], kPoints[i / 3][i % 3]);
  }
}

TEST(Gmsh, WithoutTetrahedraTheTrianglesAreTaken) {
  const SimplexMesh mesh = load(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n2\n"
      "1 1 0 1 2\n2 2 0 1 2 3\n$EndElements\n");
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_EQ(mesh.element, (std::vector<int>{0, 1, 2}));
}

TEST(Gmsh, WhatIsWrongIsSaid) {
  EXPECT_EQ(errorOf(""), "a Gmsh file must begin with $MeshFormat");
  EXPECT_EQ(errorOf("$MeshFormat\n3.0 0 8\n"), "only versions 2.2 and 4.1 of Gmsh files are supported, found 3.000000");
  const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  EXPECT_EQ(errorOf(head), "Gmsh file has no nodes");
  EXPECT_EQ(errorOf(head + "$Nodes\n999999999999\n"),
            "Gmsh file: a line with the number of nodes is needed, found \"999999999999\"");
  EXPECT_EQ(errorOf(head + "$Nodes\n1\n1 0 x 0\n"), "Gmsh file has \"x\" where a number is needed");
  EXPECT_EQ(errorOf(head + "$Nodes\n1\n1 0 0 0\n"),
            "Gmsh file: $EndNodes is expected after as many things as were announced, found \"\"");
  EXPECT_EQ(errorOf(head + "$Nodes\n1\n1 0 0 0\n$EndNodes\n"), "Gmsh file has no segments, triangles or tetrahedra");
  EXPECT_EQ(errorOf(head + "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n7 1 0 1 9\n$EndElements\n"),
            "Gmsh file has element 7 with node 9, which does not exist");
  EXPECT_EQ(errorOf(head + "$Nodes\n2\n1 0 0 0\n5 0 nan 0\n"), "Gmsh file has node 5 at a place that is not finite");
  EXPECT_EQ(errorOf(head + "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 5 0 1 9\n$EndElements\n"),
            "Gmsh file has elements of type 5: not supported");
}

TEST(Gmsh, C8_MissingCountsAndNumbersAreNotReadAsSomethingElse) {
  const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  const std::string nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
  const std::string tet = "1 4 2 0 1 1 2 3 4\n";
  EXPECT_EQ(load(head + nodes + "$Elements\n1\n" + tet + "$EndElements\n").element.size(), 4u);
  EXPECT_EQ(errorOf(head + nodes + "$Elements\n" + tet + tet + "$EndElements\n"),
            "Gmsh file: a line with the number of elements is needed, found \"1 4 2 0 1 1 2 3 4\"");
  EXPECT_EQ(errorOf(head + nodes + "$Elements\n1\n" + tet + "2" + tet.substr(1) + "$EndElements\n"),
            "Gmsh file: $EndElements is expected after as many things as were announced, found \"2 4 2 0 1 1 2 3 4\"");
  EXPECT_EQ(errorOf(head + nodes + "$Elements\n2\n" + tet + "$EndElements\n"),
            "Gmsh file has \"$EndElements\" where a number is needed");
  EXPECT_EQ(errorOf(head + nodes + "$Elements\n1\n1 4 2 0 1 1 2 3 4 4\n$EndElements\n"),
            "Gmsh file has more numbers than expected for element 1: \" 4\"");
  EXPECT_EQ(errorOf(head + "$Nodes\n1\n1 0 0 0 0\n$EndNodes\n"),
            "Gmsh file has more numbers than expected for node 1: \" 0\"");
  const std::string new41 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
  EXPECT_EQ(errorOf(new41 + "$Nodes\n1 5 1 5\n3 1 0 1\n1\n0 0 0\n$EndNodes\n"),
            "Gmsh file announces 5 nodes and has 1");
}

TEST(Gmsh, C18_FilesOfAnotherKindAreNamed) {
  EXPECT_EQ(errorOf("<mujoco/>\n"), "a Gmsh file must begin with $MeshFormat; the file seems to be XML text");
  EXPECT_EQ(errorOf("\x89PNG\r\n"), "a Gmsh file must begin with $MeshFormat; the file seems to be a PNG image");
}

TEST(Gmsh, EveryBeginningOfAFileIsRefusedOrReadInBounds) {
  for (const std::string& text : {text22(), binary22(false), text41(), binary41()}) {
    for (std::size_t n = 0; n < text.size(); ++n) {
      try {
        const SimplexMesh mesh = load(text.substr(0, n));
        for (const int v : mesh.element) EXPECT_LT(3 * static_cast<std::size_t>(v), mesh.vertex.size());
      } catch (const MeshError&) {
      }
    }
  }
}

}  // namespace
}  // namespace sinew::geom
