#pragma once

#include <array>
#include <string_view>

namespace sinew {

/// The arrays of a Model that updateConstants() computes.
inline constexpr std::array<std::string_view, 15> kDerivedConstants{
    "body_subtreemass", "flexnode_invmass",  "dof_M0",           "body_invweight0", "dof_invweight0",
    "tendon_length0",   "tendon_invweight0", "actuator_length0", "actuator_acc0",   "actuator_biasprm",
    "cam_pos0",         "cam_poscom0",       "cam_mat0",         "eq_data",         "flexedge_invweight0"};

}  // namespace sinew
