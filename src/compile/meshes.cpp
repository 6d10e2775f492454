#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/parallel.h"
#include "compile/asset_file.h"
#include "compile/assets.h"
#include "compile/mesh_cache.h"
#include "compile/orientation.h"
#include "compile/place.h"
#include "compile/rows.h"
#include "geom/mesh_builtin.h"
#include "geom/mesh_error.h"
#include "geom/mesh_load.h"
#include "geom/support.h"
#include "sinew/model.h"
#include "spec/names.h"

namespace sinew::draft {
namespace {

/// Names of the meshes shown by geoms that can touch something.
std::set<std::string> collidingMeshes(const Spec& spec) {
  std::set<std::string> paired;
  for (const spec::Pair& pair : spec.pairs) paired.insert({pair.geom1, pair.geom2});
  std::set<std::string> meshes;
  spec::forEachBody(spec.world, [&](const spec::Body& body) {
    for (const spec::Geom& geom : body.geoms) {
      const bool collides = geom.contype != 0 || geom.conaffinity != 0 || paired.count(geom.name) > 0;
      if (geom.type == GeomType::Mesh && collides) meshes.insert(geom.mesh);
    }
  });
  return meshes;
}

geom::BuiltinMesh builtinShape(spec::MeshBuiltin builtin) {
  switch (builtin) {
    case spec::MeshBuiltin::None:
    case spec::MeshBuiltin::Sphere:
      break;
    case spec::MeshBuiltin::Hemisphere:
      return geom::BuiltinMesh::Hemisphere;
    case spec::MeshBuiltin::Cone:
      return geom::BuiltinMesh::Cone;
    case spec::MeshBuiltin::Supersphere:
      return geom::BuiltinMesh::Supersphere;
    case spec::MeshBuiltin::Supertorus:
      return geom::BuiltinMesh::Supertorus;
    case spec::MeshBuiltin::Wedge:
      return geom::BuiltinMesh::Wedge;
    case spec::MeshBuiltin::Plate:
      return geom::BuiltinMesh::Plate;
  }
  return geom::BuiltinMesh::Sphere;
}

/// A model that mentions exactmeshinertia, with either value, gets the exact algorithm where a mesh says nothing.
geom::MeshInertia inertiaMode(const spec::Mesh& mesh, const spec::Compiler& compiler) {
  if (mesh.builtin != spec::MeshBuiltin::None && geom::builtinIsShell(builtinShape(mesh.builtin))) {
    return geom::MeshInertia::Shell;
  }
  if (!mesh.inertia) return compiler.exactmeshinertia ? geom::MeshInertia::Exact : geom::MeshInertia::Legacy;
  switch (*mesh.inertia) {
    case spec::MeshInertia::Convex:
      return geom::MeshInertia::Convex;
    case spec::MeshInertia::Exact:
      return geom::MeshInertia::Exact;
    case spec::MeshInertia::Shell:
      return geom::MeshInertia::Shell;
    case spec::MeshInertia::Legacy:
      break;
  }
  return geom::MeshInertia::Legacy;
}

/// Where a mesh comes from: a file, whose bytes are read, or the element itself.
struct MeshSource {
  std::vector<unsigned char> bytes;
  std::optional<geom::MeshFormat> format;  ///< none: not from a file
};

MeshSource openMesh(const spec::Mesh& spec, const spec::Compiler& compiler, const Place& place) {
  const bool fromFile = !spec.file.empty(), isBuiltin = spec.builtin != spec::MeshBuiltin::None;
  const bool isInline = !spec.vertex.empty();
  if (fromFile + isBuiltin + isInline > 1) place.fail("'file', 'builtin' and 'vertex' exclude each other");
  if (fromFile + isBuiltin + isInline == 0) place.fail("a mesh needs 'file', 'builtin' or 'vertex'");
  MeshSource source;
  if (!fromFile) return source;
  source.format = geom::meshFormat(spec.file, spec.content_type);
  source.bytes = readAsset(spec.directory, spec.file, compiler.strippath, place);
  return source;
}

geom::TriMesh readMesh(const spec::Mesh& spec, const MeshSource& source, const Place& place) {
  if (spec.builtin != spec::MeshBuiltin::None) return geom::builtinMesh(builtinShape(spec.builtin), spec.params);
  if (!source.format) return geom::inlineMesh(spec.vertex, spec.face, spec.normal, spec.texcoord);
  try {
    return geom::loadMesh(source.bytes, *source.format);
  } catch (const geom::MeshError& error) {
    place.fail(fmt::format("file \"{}\": {}", spec.file, error.what()));
  }
}

geom::Mesh makeMesh(const geom::TriMesh& triangles, geom::MeshOptions options) {
  try {
    return geom::processMesh(triangles, options);
  } catch (const geom::MeshError&) {
    // a mesh without volume may be kept without a hull; anything else stays an error
    if (!options.needHull || options.inertia == geom::MeshInertia::Convex) throw;
    options.needHull = false;
    geom::Mesh mesh = geom::processMesh(triangles, options);
    if (mesh.amount != 0) throw;
    mesh.warnings.push_back("the mesh is flat and has no convex hull");
    return mesh;
  }
}

std::shared_ptr<const geom::Mesh> meshOf(const spec::Mesh& spec, const spec::Compiler& compiler, bool collides) {
  const Place place = placeOf(spec);
  if (spec.name.empty()) place.fail("a mesh needs a name");
  if (spec.maxhullvert != -1 && spec.maxhullvert < 4) {
    place.fail(fmt::format("'maxhullvert' must be at least 4, found {}", spec.maxhullvert));
  }
  geom::MeshOptions options;
  options.refpos = toVec3(spec.refpos);
  options.refquat = {spec.refquat[0], spec.refquat[1], spec.refquat[2], spec.refquat[3]};
  options.scale = toVec3(spec.scale);
  options.inertia = inertiaMode(spec, compiler);
  options.maxHullVertices = spec.maxhullvert;
  options.needHull = collides || options.inertia == geom::MeshInertia::Convex;
  try {
    const MeshSource source = openMesh(spec, compiler, place);
    const auto make = [&] { return makeMesh(readMesh(spec, source, place), options); };
    if (!source.format) return std::make_shared<const geom::Mesh>(make());
    return cachedMesh(meshKey(source.bytes, *source.format, options), make);
  } catch (const geom::MeshError& error) {
    place.fail(error.what());
  }
}

}  // namespace

void draftMeshes(Draft& draft) {
  const Spec& spec = *draft.spec;
  const std::set<std::string> colliding = collidingMeshes(spec);
  const std::size_t n = spec.meshes.size();
  draft.meshes.resize(n);
  std::vector<std::exception_ptr> failures(n);
  const auto make = [&](std::size_t i) {
    const spec::Mesh& mesh = spec.meshes[i];
    draft.meshes[i].spec = &mesh;
    try {
      draft.meshes[i].mesh = meshOf(mesh, spec.compiler, colliding.count(mesh.name) > 0);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  parallelFor(spec.compiler.usethread ? hardwareThreads() : 1, static_cast<int>(n),
              [&](int i, int) { make(static_cast<std::size_t>(i)); });
  // the first failure and all warnings in the order of the file, whatever finished first
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  for (const Mesh& mesh : draft.meshes) {
    for (const std::string& warning : mesh.mesh->warnings) draft.warn(placeOf(*mesh.spec).message(warning));
  }
}

void setAssetSizes(const Draft& draft, Model& m) {
  m.nmesh = static_cast<int>(draft.meshes.size());
  for (const Mesh& entry : draft.meshes) {
    const geom::Mesh& mesh = *entry.mesh;
    m.nmeshvert += mesh.numVertices();
    m.nmeshface += mesh.numFaces();
    if (mesh.hull) m.nmeshgraph += static_cast<int>(mesh.hull->packed().size());
    m.nmeshpoly += mesh.polygons.numPolygons();
    m.nmeshpolyvert += static_cast<int>(mesh.polygons.vertex.size());
    m.nmeshpolymap += static_cast<int>(mesh.polygons.map.size());
  }
  m.nhfield = static_cast<int>(draft.hfields.size());
  for (const HField& hfield : draft.hfields) m.nhfielddata += static_cast<int>(hfield.field.data.size());
}

void writeAssets(const Draft& draft, Model& m) {
  int vertex = 0, face = 0, graph = 0, polygon = 0, corner = 0, entry = 0;
  for (int i = 0; i < m.nmesh; ++i) {
    const Mesh& source = draft.meshes[i];
    const geom::Mesh& mesh = *source.mesh;
    m.mesh_vertadr[i] = vertex;
    m.mesh_vertnum[i] = mesh.numVertices();
    std::copy(mesh.vertex.begin(), mesh.vertex.end(), m.mesh_vert.begin() + 3 * vertex);
    m.mesh_faceadr[i] = face;
    m.mesh_facenum[i] = mesh.numFaces();
    std::copy(mesh.face.begin(), mesh.face.end(), m.mesh_face.begin() + 3 * face);
    m.mesh_graphadr[i] = -1;
    if (mesh.hull) {
      const std::vector<int> packed = mesh.hull->packed();
      m.mesh_graphadr[i] = graph;
      std::copy(packed.begin(), packed.end(), m.mesh_graph.begin() + graph);
      geom::HullView hull;
      hull.vertex = mesh.vertex;
      hull.graph = packed;
      const auto seeds = geom::hullSeeds(hull);
      std::copy(seeds.begin(), seeds.end(), m.mesh_extrema.begin() + geom::kNumHullSeeds * i);
      graph += static_cast<int>(packed.size());
    }
    putRow(m.mesh_scale, i, source.spec->scale);
    putRow(m.mesh_pos, i, mesh.frame.pos);
    putRow(m.mesh_quat, i, mesh.frame.quat);

    const geom::HullPolygons& polygons = mesh.polygons;
    m.mesh_polynum[i] = polygons.numPolygons();
    m.mesh_polyadr[i] = polygon;
    for (int k = 0; k < polygons.numPolygons(); ++k) {
      const std::size_t source_k = static_cast<std::size_t>(k);
      m.mesh_polyvertadr[polygon + k] = corner + polygons.vertexAdr[source_k];
      m.mesh_polyvertnum[polygon + k] = polygons.vertexNum[source_k];
    }
    std::copy(polygons.normal.begin(), polygons.normal.end(), m.mesh_polynormal.begin() + 3 * polygon);
    std::copy(polygons.vertex.begin(), polygons.vertex.end(), m.mesh_polyvert.begin() + corner);
    std::copy(polygons.map.begin(), polygons.map.end(), m.mesh_polymap.begin() + entry);
    for (std::size_t k = 0; k < polygons.mapAdr.size(); ++k) {
      const std::ptrdiff_t v = vertex + static_cast<std::ptrdiff_t>(k);
      m.mesh_polymapadr[v] = entry + polygons.mapAdr[k];
      m.mesh_polymapnum[v] = polygons.mapNum[k];
    }
    vertex += mesh.numVertices();
    face += mesh.numFaces();
    polygon += polygons.numPolygons();
    corner += static_cast<int>(polygons.vertex.size());
    entry += static_cast<int>(polygons.map.size());
  }

  int data = 0;
  for (int i = 0; i < m.nhfield; ++i) {
    const HField& hfield = draft.hfields[i];
    putRow(m.hfield_size, i, hfield.spec->size);
    m.hfield_nrow[i] = hfield.field.nrow;
    m.hfield_ncol[i] = hfield.field.ncol;
    m.hfield_adr[i] = data;
    std::copy(hfield.field.data.begin(), hfield.field.data.end(), m.hfield_data.begin() + data);
    data += static_cast<int>(hfield.field.data.size());
  }
}

}  // namespace sinew::draft
