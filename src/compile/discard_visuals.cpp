#include <algorithm>
#include <set>
#include <string>

#include "compile/assets.h"

namespace sinew::draft {
namespace {

/// Names of the geoms and meshes that pairs, tendons, sensors and tuples refer to.
struct References {
  std::set<std::string> geoms, meshes;
  void add(ObjType type, const std::string& name) {
    if (type == ObjType::Geom) geoms.insert(name);
    if (type == ObjType::Mesh) meshes.insert(name);
  }
};

References referencesOf(const Spec& spec) {
  References references;
  for (const spec::Pair& pair : spec.pairs) references.geoms.insert({pair.geom1, pair.geom2});
  for (const spec::Tendon& tendon : spec.tendons) {
    for (const spec::Wrap& wrap : tendon.path) {
      if (wrap.type == WrapType::Sphere || wrap.type == WrapType::Cylinder) references.geoms.insert(wrap.target);
    }
  }
  for (const spec::Sensor& sensor : spec.sensors) {
    references.add(sensor.objtype, sensor.objname);
    references.add(sensor.reftype, sensor.refname);
  }
  for (const spec::Tuple& tuple : spec.tuples) {
    for (const spec::TupleEntry& entry : tuple.entries) references.add(entry.objtype, entry.objname);
  }
  return references;
}

}  // namespace

void discardVisuals(Draft& draft) {
  const References references = referencesOf(*draft.spec);
  const auto isVisual = [&](const Geom& geom) {
    return geom.spec->contype == 0 && geom.spec->conaffinity == 0 &&
           (geom.spec->name.empty() || references.geoms.count(geom.spec->name) == 0);
  };
  std::vector<char> used(draft.meshes.size(), 0);
  for (Body& body : draft.bodies) {
    std::erase_if(body.geoms, isVisual);
    for (const Geom& geom : body.geoms) {
      for (const int mesh : {geom.mesh, geom.fittedMesh}) {
        if (mesh >= 0) used[mesh] = 1;
      }
    }
  }

  std::vector<int> newIndex(draft.meshes.size(), -1);
  std::vector<Mesh> kept;
  for (std::size_t i = 0; i < draft.meshes.size(); ++i) {
    if (!used[i] && references.meshes.count(draft.meshes[i].spec->name) == 0) continue;
    newIndex[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(draft.meshes[i]));
  }
  draft.meshes = std::move(kept);
  for (Body& body : draft.bodies) {
    for (Geom& geom : body.geoms) {
      for (int* mesh : {&geom.mesh, &geom.fittedMesh}) {
        if (*mesh >= 0) *mesh = newIndex[*mesh];
      }
    }
  }
}

}  // namespace sinew::draft
