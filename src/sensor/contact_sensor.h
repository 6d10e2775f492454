#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Sensors that read contacts. They need solveConstraints() (or the forces of inverse()).
namespace sinew {

/// Sum of the normal forces, N, of the contacts of the site's body that push into the site's volume: those whose ray
/// from the contact point into the body meets it.
double touchForce(const Model& m, const Data& d, int site);

/// Output of a contact sensor: the chosen fields of the contacts that match, in `num` slots, zero where there are
/// fewer.
///  reduce none: in the order of the contacts; mindist, maxforce: the deepest, the strongest first;
///  netforce: one slot with the total wrench at the force-weighted centre, in world axes.
/// Normals point away from the first object of the sensor, towards the second.
void contactSensor(const Model& m, Data& d, int sensor, double* out);

}  // namespace sinew
