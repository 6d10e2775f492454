#pragma once

#include <string>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// What in a Data contradicts itself or its Model: ids of contacts, rows and carriers, ranges into other arrays,
/// counts, orders, weights that do not sum to 1, frames that are not orthonormal, pushes that pull. The first such
/// thing as text, empty if there is none. Numbers of the user (qpos, ctrl, applied forces) may be anything. Cost: the
/// bodies, contacts and rows. Builds without NDEBUG call it after each stage, and end the program if it finds
/// something.
///
/// `solved`: the forces of the rows belong to them, as after the last stage.
std::string validate(const Model& m, const Data& d, bool solved);

/// Calls validate() in builds without NDEBUG, and nothing in others.
void validateAfter(const char* stage, const Model& m, const Data& d, bool solved);

}  // namespace sinew
