#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Notes the first entry of ctrl, of qfrc_applied or xfrc_applied, and of mocap_pos or mocap_quat that is no number a
/// step can use: BadCtrl, BadApplied, BadMocap, each at most once. The arrays stay as they are; whoever reads them
/// leaves such entries out (model/inputs.h).
void checkInputs(const Model& m, Data& d);

}  // namespace sinew
