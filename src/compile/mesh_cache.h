#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "geom/mesh.h"
#include "geom/mesh_load.h"

/// Processed meshes of this process by content: the bytes of the file, its format and the options. A model that is
/// loaded again finds hulls, polygons and inertias of its meshes instead of making them again.
namespace sinew::draft {

/// What a mesh is made from, as 128 bits of hash and a size. Not for security.
struct MeshKey {
  std::uint64_t high = 0, low = 0;
  std::uint64_t size = 0;  ///< of the file, bytes
  auto operator<=>(const MeshKey&) const = default;
};
MeshKey meshKey(geom::Bytes file, geom::MeshFormat format, const geom::MeshOptions& options);

/// The mesh of this key, or what `make` returns, which is kept: the meshes used last stay, within the limit. May be
/// called from several threads; two that miss at once both make it. What `make` throws is passed on, nothing is kept.
std::shared_ptr<const geom::Mesh> cachedMesh(const MeshKey& key, const std::function<geom::Mesh()>& make);

}  // namespace sinew::draft
