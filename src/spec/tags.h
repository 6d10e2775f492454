#pragma once

#include <string_view>
#include <vector>

#include "sinew/spec.h"

/// Elements that are named by the type of what they describe: the one list for reader, writer and messages.
namespace sinew::spec {

/// Which sensor an element of <sensor> stands for.
struct SensorTag {
  std::string_view tag;
  SensorType type;
};
const std::vector<SensorTag>& sensorTags();

/// Empty for types that no element stands for.
std::string_view sensorTag(SensorType type);
std::string_view equalityTag(EqualityType type);

}  // namespace sinew::spec
