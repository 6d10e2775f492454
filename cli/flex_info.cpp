#include "flex_info.h"

#include <fmt/format.h>

namespace sinew::cli {
namespace {

const char* kindOf(int dim) { return dim == 1 ? "cable" : dim == 2 ? "sheet" : "solid"; }

const char* lawOf(FlexLaw law) {
  switch (law) {
    case FlexLaw::Reference:
      return "law mujoco";
    case FlexLaw::StVenantKirchhoff:
      return "law stvk";
    case FlexLaw::Corotational:
      return "law corotational";
    case FlexLaw::NeoHookean:
      return "law neohookean";
  }
  return "";
}

}  // namespace

FlexInfo flexInfo(const Model& m, int f) {
  FlexInfo info;
  info.name = nameOf(m, ObjType::Flex, f);
  info.kind = kindOf(m.flex_dim[f]);
  info.vertices = m.flex_vertnum[f];
  info.elements = m.flex_elemnum[f];
  info.rigid = m.flex_rigid[f] != 0;
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_flexid[node] != f || m.flexnode_pinned[node]) continue;
    ++info.nodes;
    info.mass += m.flexnode_mass[node];
  }
  constexpr const char* kRows[] = {"", "length rows", "vertex rows", "strain rows"};
  if (m.flex_edgeequality[f] > 0) info.held.emplace_back(kRows[m.flex_edgeequality[f]]);
  if (m.flex_edgestiffness[f] > 0) info.held.emplace_back("edge springs");
  if (m.flex_stretch[f]) info.held.emplace_back(m.flex_dim[f] == 1 ? "rod" : lawOf(m.flex_law[f]));
  if (m.flex_bending[f] != FlexBending::None) {
    constexpr const char* kBending[] = {"", "cotangent bending", "dihedral bending", "shell bending"};
    info.held.emplace_back(kBending[static_cast<int>(m.flex_bending[f])]);
  }
  return info;
}

std::string describeFlex(const Model& m, int f) {
  const FlexInfo info = flexInfo(m, f);
  std::string text = info.name.empty() ? fmt::format("#{}", f) : info.name;
  text += fmt::format("  {}  {} vertices, {} elements", info.kind, info.vertices, info.elements);
  if (info.nodes > 0) text += fmt::format(", {} free nodes  {:.4g} kg", info.nodes, info.mass);
  if (info.rigid) text += "  rigid";
  if (!info.held.empty()) text += fmt::format("  {}", fmt::join(info.held, ", "));
  return text;
}

}  // namespace sinew::cli
