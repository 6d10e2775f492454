#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// qfrc_gravcomp += for every body its share `gravcomp` of the weight, upward at the centre of mass. Needs comPos().
void addGravityCompensation(const Model& m, Data& d);

}  // namespace sinew
