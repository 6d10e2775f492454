#pragma once

#include <string>

#include "sinew/types.h"

namespace sinew::cli {

/// The MJCF word for a kind of joint, geom, ...
std::string wordFor(JointType type);
std::string wordFor(GeomType type);
std::string wordFor(WrapType type);
std::string wordFor(TransmissionType type);
std::string wordFor(DynType type);
std::string wordFor(GainType type);
std::string wordFor(BiasType type);
std::string wordFor(SensorType type);
std::string wordFor(EqualityType type);

}  // namespace sinew::cli
