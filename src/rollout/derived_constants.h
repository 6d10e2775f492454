#pragma once

#include <array>
#include <string_view>

namespace sinew {

/// The arrays of a Model that updateConstants() computes.
inline constexpr std::array<std::string_view, 19> kDerivedConstants{
    "body_subtreemass",   "flexnode_invmass",  "dof_M0",           "body_invweight0", "dof_invweight0",
    "tendon_length0",     "tendon_invweight0", "actuator_length0", "actuator_acc0",   "actuator_biasprm",
    "cam_pos0",           "cam_poscom0",       "cam_mat0",         "eq_data",         "flexedge_invweight0",
    "flexnode_stiffness", "geom_aabb",         "geom_rbound",      "geom_fluid"};

/// Arrays of a Model that compile() has worked into others, which do not follow when these change.
inline constexpr std::array<std::string_view, 12> kCompiledInto{
    "mesh_scale",   "mesh_pos",       "mesh_quat", "mesh_polynormal", "hfield_size",   "flex_young",
    "flex_poisson", "flex_thickness", "flex_size", "flex_vert0",      "flex_cellsize", "flexelem_size0"};

}  // namespace sinew
