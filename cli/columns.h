#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::cli {

/// One quantity of a trajectory and the names of its numbers: the joint, actuator, sensor or flex vertex that a number
/// belongs to, with the component where there are several ("root.x", "root.qw", "imu.2", "cloth.17.z"), or the index
/// where that has no name.
struct Quantity {
  std::string_view name;  ///< "qpos", ...
  std::vector<std::string> columns;
};

/// The quantities of a sample in the order of columns: time, qpos, qvel, act, ctrl, sensordata, energy.
std::vector<Quantity> quantitiesOf(const Model& m);

/// Appends the numbers of a sample in that order.
void appendSample(const Data& d, std::vector<double>& sample);

}  // namespace sinew::cli
