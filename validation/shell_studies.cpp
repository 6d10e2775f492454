#include <fmt/format.h>

#include "validation/shells.h"
#include "validation/study.h"

namespace sinew::validation {

void addShellStudies(std::vector<Study>& to) {
  for (const bool clamped : {false, true}) {
    for (const std::string& kind : kMeshKinds) {
      to.push_back({"SHELL-1",
                    fmt::format("{} square plate under uniform load, nu 0.3, {} mesh",
                                clamped ? "clamped" : "simply supported", kind),
                    clamped ? "Taylor and Govindjee 2004" : "Timoshenko and Woinowsky-Krieger 1959",
                    {8, 16, 32},
                    {{"w D / (q a^4)", clamped ? kClampedPlate : kSupportedPlate, 0.02}},
                    kind == "parallel",
                    [kind, clamped](int n) { return std::vector{plateCoefficient(kind, n, 0.3, clamped)}; }});
    }
  }
  for (const std::string& kind : kMeshKinds) {
    to.push_back({"SHELL-2",
                  fmt::format("cantilever under end shear, {} mesh", kind),
                  "Sze, Liu and Lo 2004",
                  {20, 40},
                  {{"U", 3.286, 0.01}, {"W", 6.698, 0.01}},
                  false,
                  [kind](int n) {
                    const EndShear tip = endShear(kind, n, n / 10);
                    return std::vector{tip.U, tip.W};
                  }});
  }
  to.push_back({"SHELL-2",
                "strip rolled up to a circle, random mesh",
                "Sze, Liu and Lo 2004",
                {20, 40},
                {{"distance of tip and root / L", 0, 0.01}},
                false,
                [](int n) { return std::vector{rollUp("random", n, 2)}; }});
  to.push_back({"SHELL-2",
                "cylinder pulled apart",
                "Sze, Liu and Lo 2004",
                {32, 64},
                {{"displacement", 2.768, 0.01}},
                false,
                [](int n) { return std::vector{pulledCylinder("alternating", n, n * 5 / 16)}; }});
  to.push_back({"SHELL-2",
                "roof of Scordelis and Lo, alternating mesh",
                "MacNeal and Harder 1985",
                {16, 32, 64},
                {{"sag of a free edge", 0.3024, 0.02}},
                false,
                [](int n) { return std::vector{roof("alternating", n)}; }});
  to.push_back({"SHELL-2",
                "pinched hemisphere with a hole",
                "Simo, Fox and Rifai 1989",
                {24, 48, 96},
                {{"displacement of a force", 0.0935, 0.02}},
                false,
                [](int n) { return std::vector{pinchedHemisphere("alternating", n, n / 4)}; }});
  for (const char* kind : {"parallel", "alternating"}) {
    to.push_back({"SHELL-2",
                  fmt::format("pinched cylinder between diaphragms, {} mesh graded towards the forces", kind),
                  "Belytschko et al. 1985",
                  {32, 64, 96},
                  {{"displacement of a force", 1.8248e-5, 0.02}},
                  false,
                  [kind = std::string(kind)](int n) { return std::vector{pinchedCylinder(kind, n, n / 2, 0.3)}; }});
  }
}

}  // namespace sinew::validation
