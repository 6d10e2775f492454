#include "compile/mesh_cache.h"

#include <bit>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "sinew/mesh_cache.h"

namespace sinew {
namespace draft {
namespace {

/// Two lanes of multiply and rotate over words of eight bytes; the lanes differ in all constants.
class WideHasher {
 public:
  void add(const void* bytes, std::size_t count) {
    const auto* p = static_cast<const unsigned char*>(bytes);
    for (; count >= 8; p += 8, count -= 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      mix(word);
    }
    std::uint64_t last = 0;
    std::memcpy(&last, p, count);
    mix(last);
    mix(count);
  }
  template <class T>
  void addValue(const T& value) {
    add(&value, sizeof(value));
  }
  std::uint64_t high() const { return finish(a_); }
  std::uint64_t low() const { return finish(b_); }

 private:
  void mix(std::uint64_t word) {
    a_ = std::rotl((a_ ^ word) * 0x9e3779b97f4a7c15ull, 29);
    b_ = std::rotl(b_ + word * 0xc2b2ae3d27d4eb4full, 31) * 0x165667b19e3779f9ull;
  }
  static std::uint64_t finish(std::uint64_t x) {
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
    return x ^ x >> 29;
  }
  std::uint64_t a_ = 0x243f6a8885a308d3ull, b_ = 0x13198a2e03707344ull;
};

template <class T>
std::uint64_t storageOf(const std::vector<T>& v) {
  return v.size() * sizeof(T);
}

std::uint64_t storageOf(const geom::Mesh& mesh) {
  std::uint64_t sum = sizeof(geom::Mesh) + storageOf(mesh.vertex) + storageOf(mesh.face) + storageOf(mesh.normal);
  if (mesh.hull) {
    sum += storageOf(mesh.hull->vertexEdgeAdr) + storageOf(mesh.hull->vertexGlobalId) +
           storageOf(mesh.hull->edgeLocalId) + storageOf(mesh.hull->faceGlobalId);
  }
  const geom::HullPolygons& p = mesh.polygons;
  return sum + storageOf(p.normal) + storageOf(p.vertex) + storageOf(p.vertexAdr) + storageOf(p.vertexNum) +
         storageOf(p.map) + storageOf(p.mapAdr) + storageOf(p.mapNum);
}

class MeshCache {
 public:
  std::shared_ptr<const geom::Mesh> find(const MeshKey& key) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
      ++status_.misses;
      return nullptr;
    }
    ++status_.hits;
    order_.splice(order_.begin(), order_, found->second.place);
    return found->second.mesh;
  }

  void keep(const MeshKey& key, const std::shared_ptr<const geom::Mesh>& mesh) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t bytes = storageOf(*mesh);
    if (bytes > status_.limit || entries_.contains(key)) return;
    order_.push_front(key);
    entries_[key] = {mesh, bytes, order_.begin()};
    status_.bytes += bytes;
    shrink();
  }

  void setLimit(std::uint64_t limit) {
    const std::lock_guard lock(mutex_);
    status_.limit = limit;
    shrink();
  }

  MeshCacheStatus status() {
    const std::lock_guard lock(mutex_);
    MeshCacheStatus result = status_;
    result.meshes = static_cast<int>(entries_.size());
    return result;
  }

 private:
  struct Entry {
    std::shared_ptr<const geom::Mesh> mesh;
    std::uint64_t bytes = 0;
    std::list<MeshKey>::iterator place;
  };

  /// Drops what was used longest ago until the rest fits.
  void shrink() {
    while (status_.bytes > status_.limit) {
      const auto oldest = entries_.find(order_.back());
      status_.bytes -= oldest->second.bytes;
      entries_.erase(oldest);
      order_.pop_back();
    }
  }

  std::mutex mutex_;
  MeshCacheStatus status_;
  std::map<MeshKey, Entry> entries_;
  std::list<MeshKey> order_;  ///< used last first
};

MeshCache& meshCacheOfProcess() {
  static MeshCache instance;
  return instance;
}

}  // namespace

MeshKey meshKey(geom::Bytes file, geom::MeshFormat format, const geom::MeshOptions& options) {
  WideHasher hash;
  hash.add(file.data(), file.size());
  hash.addValue(format);
  for (int k = 0; k < 3; ++k) hash.addValue(options.refpos[k]), hash.addValue(options.scale[k]);
  for (const double q : {options.refquat.w, options.refquat.x, options.refquat.y, options.refquat.z}) hash.addValue(q);
  hash.addValue(options.inertia);
  hash.addValue(options.maxHullVertices);
  hash.addValue(options.needHull);
  return {hash.high(), hash.low(), file.size()};
}

std::shared_ptr<const geom::Mesh> cachedMesh(const MeshKey& key, const std::function<geom::Mesh()>& make) {
  if (std::shared_ptr<const geom::Mesh> found = meshCacheOfProcess().find(key)) return found;
  const auto made = std::make_shared<const geom::Mesh>(make());
  meshCacheOfProcess().keep(key, made);
  return made;
}

}  // namespace draft

void setMeshCacheLimit(std::uint64_t bytes) { draft::meshCacheOfProcess().setLimit(bytes); }

MeshCacheStatus meshCache() { return draft::meshCacheOfProcess().status(); }

}  // namespace sinew
