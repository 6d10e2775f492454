#include "compile/draft.h"

#include <fmt/format.h>

#include "compile/place.h"

namespace sinew::draft {

int Joint::numCoordinates() const {
  switch (spec->type) {
    case JointType::Free:
      return 7;
    case JointType::Ball:
      return 4;
    case JointType::Slide:
    case JointType::Hinge:
      break;
  }
  return 1;
}

int Joint::numDofs() const {
  switch (spec->type) {
    case JointType::Free:
      return 6;
    case JointType::Ball:
      return 3;
    case JointType::Slide:
    case JointType::Hinge:
      break;
  }
  return 1;
}

int Body::numDofs() const {
  int n = 0;
  for (const Joint& joint : joints) n += joint.numDofs();
  return n;
}

void Draft::charge(const Place& place, double bytes, const std::string& what) const {
  if (const std::optional<std::string> refusal = budget.take(bytes, what)) place.fail(*refusal);
}

bool isLimited(spec::Tri limited, const std::array<double, 2>& range, const spec::Compiler& compiler,
               const Place& place, const std::string& attribute) {
  if (limited != spec::Tri::Auto) return limited == spec::Tri::True;
  const bool hasRange = range[0] != 0 || range[1] != 0;
  if (hasRange && !compiler.autolimits) {
    place.fail(
        fmt::format("there is a '{0}range' but no '{0}limited', and the compiler has autolimits=\"false\": say "
                    "{0}limited=\"true\" or \"false\", or leave the range out",
                    attribute));
  }
  return range[0] < range[1];
}

}  // namespace sinew::draft
