#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/spec.h"

namespace sinew::view {

/// Writes numbers into the description of an object: kind "geom" (friction), "joint" (stiffness, damping,
/// frictionloss) or "flex" (friction, young, poisson, damping, edgestiffness, edgedamping). `id` counts as the Model
/// does; -1: every object of that kind. Returns why it cannot be done; empty: it was.
std::string editSpec(Spec& spec, const Model& m, std::string_view kind, int id, std::string_view field,
                     std::span<const double> values);

/// Sets one field of the options. Returns what is wrong with it; empty: nothing, and `option` was changed.
std::string editOption(Option& option, std::string_view name, std::span<const double> values);

/// The description with the options of `m`, and the present state as a keyframe of this name if that is not empty.
std::string savedMjcf(const Spec& spec, const Model& m, const Data* d, const std::string& key);

}  // namespace sinew::view
