#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// qfrc_adhesion += the constant pull of adhesive contacts: `adhesion` newtons along the normal, on both sides towards
/// each other. The rows of such a contact are shifted by as much, so a contact at rest is pressed together. Needs
/// collide().
void addContactAdhesion(const Model& m, Data& d);

}  // namespace sinew
