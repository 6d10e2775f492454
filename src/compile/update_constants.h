#pragma once

#include "sinew/model.h"
#include "sinew/spec.h"

namespace sinew::draft {

/// updateConstants(), and the statistics (with dof_length) as compile() finds them where the Spec does not give them.
void updateConstantsAndStatistics(const spec::Statistic& given, Model& m);

}  // namespace sinew::draft
