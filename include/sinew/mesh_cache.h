#pragma once

#include <cstdint>

namespace sinew {

/// Hulls, polygons and inertias of mesh files are kept for the whole process, by the content of the files and the
/// attributes of <mesh>, so that a model that is loaded again does not make them again. The results are the same bits.
struct MeshCacheStatus {
  std::uint64_t limit = std::uint64_t{256} << 20;  ///< most memory for meshes that are kept, bytes
  std::uint64_t bytes = 0;                         ///< memory they take now
  int meshes = 0;                                  ///< their number
  std::uint64_t hits = 0, misses = 0;              ///< mesh files found and not found so far
};

/// What is kept now. May be called at any time from any thread.
MeshCacheStatus meshCache();

/// Sets the limit. Meshes not used for the longest time go first; 0 empties the cache and switches it off. May be
/// called at any time from any thread.
void setMeshCacheLimit(std::uint64_t bytes);

}  // namespace sinew
