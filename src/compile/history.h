#pragma once

#include "compile/place.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Throws LoadError unless the number of samples, the interpolation between them and the delay fit together.
void checkHistory(int nsample, int interp, double delay, const Place& place);

/// Row `id` of the history arrays of actuators or sensors for samples of `width` numbers; adds them to m.nhistory.
void writeHistory(int nsample, int interp, int width, int id, Array<int>& history, Array<int>& address, Model& m,
                  const Place& place);

}  // namespace sinew::draft
