#pragma once

#include <array>
#include <string>
#include <unordered_map>

#include "compile/draft.h"
#include "compile/place.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Names to ids, for every kind of object that others refer to by name.
class Names {
 public:
  /// Registers an object; the empty name is nobody's. Names are distinct (spec::requireUniqueNames).
  void add(ObjType type, const std::string& name, int id);
  /// -1 if there is none. A body may be asked for as Body or XBody.
  int find(ObjType type, const std::string& name) const;
  /// The id, or a LoadError at `place` saying what is missing.
  int need(ObjType type, const std::string& name, const Place& place) const;

 private:
  std::array<std::unordered_map<std::string, int>, 26> ids_;
};

/// The names of everything in the draft and in the rest of the Spec, pairs and excludes aside: these are sorted later
/// and nobody refers to them.
Names collectNames(const Draft& draft);

/// Throws LoadError if a geom, site, tendon or mesh has a material that does not exist, or a light a target that does
/// not.
void checkVisuals(const Draft& draft, const Names& names);

/// Sets m.names and the offsets into it. `pairs` and `excludes` give the order of these lists in the model.
void writeNames(const Draft& draft, const std::vector<int>& pairs, const std::vector<int>& excludes, Model& m);

}  // namespace sinew::draft
