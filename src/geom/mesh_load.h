#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "geom/tri_mesh.h"

/// Readers of mesh files, from memory. Any bytes give a valid TriMesh or a MeshError; memory and time are bounded by a
/// small multiple of the input size.
namespace sinew::geom {

using Bytes = std::span<const unsigned char>;

enum class MeshFormat { Obj, Stl, Msh };

/// The format named by `contentType` ("model/obj", "model/stl", "model/vnd.mujoco.msh", parameters after ';' ignored)
/// or, if that is empty, by the extension of `fileName` in any case. Throws MeshError for anything else.
MeshFormat meshFormat(std::string_view fileName, std::string_view contentType = {});

/// Reads and checks a mesh file (checkMesh holds on return).
TriMesh loadMesh(Bytes data, MeshFormat format);

/// Wavefront OBJ. Vertices keep their order and are not merged. The faces are those of the first object or group that
/// has any, as in the reference engine; a warning says so if there are more. Larger polygons are cut
/// into triangles by ear clipping. Normals and texture coordinates are skipped: they are only for display.
TriMesh loadObj(Bytes data);

/// The polylines (`l`) of a Wavefront OBJ file.
struct SegmentMesh {
  std::vector<float> vertex;  ///< 3 per vertex, all finite
  std::vector<int> segment;   ///< 2 valid vertex indices per segment
};
SegmentMesh loadObjLines(Bytes data);

/// STL, binary or ASCII. Vertices with equal bits are merged, in order of first use.
TriMesh loadStl(Bytes data);

/// The reference engine's MSH format: four int32 (vertices, normals, texture coordinates, faces), then float32
/// vertices, normals, texture coordinates and int32 faces, little-endian. Vertices are not merged.
TriMesh loadMsh(Bytes data);

/// The mesh of the `vertex`, `face`, `normal` and `texcoord` attributes, checked.
TriMesh inlineMesh(std::span<const float> vertex, std::span<const int> face, std::span<const float> normal = {},
                   std::span<const float> texcoord = {});

}  // namespace sinew::geom
