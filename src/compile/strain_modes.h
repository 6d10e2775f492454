#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::draft {

/// flex_modeadr, flex_modenum, flexmode and flex_cellsize of flexes with a strain equality. Needs d at qpos0.
void writeStrainModes(Model& m, Data& d);

}  // namespace sinew::draft
