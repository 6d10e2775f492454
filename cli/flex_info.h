#pragma once

#include <string>
#include <vector>

#include "sinew/model.h"

namespace sinew::cli {

/// What there is to know about a flex at a glance.
struct FlexInfo {
  std::string name;
  std::string kind;  ///< cable, sheet or solid
  int vertices = 0, elements = 0, nodes = 0;
  double mass = 0;                ///< of what moves freely, kg
  std::vector<std::string> held;  ///< what holds it together: rows, springs, laws of elasticity, bending
  bool rigid = false;             ///< all of it rides on one body
};

FlexInfo flexInfo(const Model& m, int flex);

/// The same in one line.
std::string describeFlex(const Model& m, int flex);

}  // namespace sinew::cli
