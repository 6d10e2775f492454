#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Notes the first entry of mocap_pos or mocap_quat that is no number a step can use: BadMocap. The arrays stay as they
/// are; whoever reads them leaves such entries out (model/inputs.h).
void checkPoses(const Model& m, Data& d);

/// The same for ctrl, and for qfrc_applied or xfrc_applied: BadCtrl, BadApplied, each at most once.
void checkControls(const Model& m, Data& d);

}  // namespace sinew
