#include "compile/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "compile/flex_parameters.h"
#include "compile/place.h"
#include "forces/elastic_constants.h"
#include "model/memory.h"
#include "spec/memory_budget.h"

namespace sinew::draft {
namespace {

/// Counts of one flex.
struct FlexCounts {
  int dim = 2;
  double points = 0;    ///< that carry mass
  double vertices = 0;  ///< of the surface
  double elements = 0;
  double edges = 0;
  double hinges = 0;
  double supports = 0;  ///< weights of interpolated vertices
  double sections = 0;  ///< of rods with twist
};

/// Numbers of elements and vertices give those of edges and hinges, by Euler's formula up to the border.
FlexCounts countsOf(int dim, double points, double elements) {
  FlexCounts n{dim, points, points, elements, elements, 0, 0, 0};
  if (dim >= 2) n.edges = points + elements;
  if (dim == 2) n.hinges = 1.5 * elements;
  return n;
}

/// What the flex takes while it is drafted, beside its place in the Model.
double draftBytes(const FlexCounts& n) {
  constexpr double kNode = 2 * sizeof(void*) + sizeof(std::uint64_t) + sizeof(int);  // of a hash table, and its bucket
  constexpr double kFragment = 7 * sizeof(int);
  const double corners = n.dim + 1;
  return n.points * (sizeof(FlexPoint) + sizeof(Vec3)) + n.vertices * 3 * sizeof(Vec3) +
         n.supports * sizeof(FlexSupport) + n.elements * corners * (2 * sizeof(int) + kFragment) +
         n.edges * (kNode + 2 * sizeof(int)) + n.elements * 6 * sizeof(int) + n.hinges * 4 * sizeof(int);
}

/// Adds the flex to the sizes of a model. `stiff`: its elements resist strain or bending.
void addFlex(const FlexCounts& n, bool stiff, double elasticNumbers, RealSizes& m) {
  m.nflex += 1;
  m.nflexnode += n.points;
  m.nflexpoint += n.points;
  m.nq += 3 * n.points;
  m.nv += 3 * n.points;
  m.nM += 3 * n.points;
  m.nD += 3 * n.points;
  m.ntree += n.points;
  m.nflexvert += n.vertices;
  m.nflexsupport += n.supports;
  m.nflexedge += n.edges;
  m.nflexelem += n.elements;
  m.nflexelemdata += (n.dim + 1) * n.elements;
  m.nflexelemedge += (n.dim == 3 ? 6 : n.dim == 2 ? 3 : 1) * n.elements;
  m.nflexhinge += n.hinges;
  if (n.dim == 2) m.nflexcurv += 9 * n.elements;  // if it bends as a shell
  if (!stiff) return;
  m.nflexelastic += elasticNumbers * n.elements;
  // blocks of 3 x 3 for every edge, the two far corners of a hinge likewise, half a block for every node
  m.nstiffdof += 3 * n.points;
  m.nK += 9 * (n.edges + n.hinges) + 6 * n.points;
  m.nKplace += 0.5 * (n.dim + 1) * (n.dim + 2) * n.elements + 10 * n.hinges;
  // a joint couples nine points with each other, of which it shares five with the next one
  m.nflexsection += n.sections;
  m.nflexjoint += n.sections;
  m.nK += 9 * 26 * n.sections;
  m.nKplace += (45 + 15) * n.sections;
}

double total(const RealSizes& sizes) { return modelBytes(sizes) + dataBytes(sizes); }

const char* sizeAttribute(std::string_view array) {
  constexpr std::pair<std::string_view, const char*> kOwners[] = {
      {"body_user", "nuser_body"},     {"jnt_user", "nuser_jnt"},           {"geom_user", "nuser_geom"},
      {"site_user", "nuser_site"},     {"cam_user", "nuser_cam"},           {"tendon_user", "nuser_tendon"},
      {"sensor_user", "nuser_sensor"}, {"actuator_user", "nuser_actuator"}, {"userdata", "nuserdata"}};
  for (const auto& [name, attribute] : kOwners) {
    if (array == name) return attribute;
  }
  return array.starts_with("key_") ? "nkey" : nullptr;
}

/// The flex with most elements.
const Flex* largestFlex(const Draft& draft) {
  const Flex* largest = nullptr;
  for (const Flex& flex : draft.flexes) {
    if (!largest || flex.elements.size() > largest->elements.size()) largest = &flex;
  }
  return largest;
}

/// Entries of the lower triangle over all chains of dofs, and the body at whose end the longest one is.
struct Chains {
  double entries = 0;
  double longest = 0;
  int deepest = 0;
};

Chains chainsOf(const Draft& draft) {
  Chains chains;
  std::vector<double> above(draft.bodies.size(), 0);
  for (std::size_t i = 1; i < draft.bodies.size(); ++i) {
    const Body& body = draft.bodies[i];
    const double start = above[body.parent], own = body.numDofs();
    above[i] = start + own;
    chains.entries += own * start + 0.5 * own * (own + 1);
    if (above[i] > chains.longest) chains.longest = above[i], chains.deepest = static_cast<int>(i);
  }
  return chains;
}

/// What refers to most of the memory: its place and words for it.
[[noreturn]] void refuse(const Draft& draft, const Model& m, const Chains& chains, const ArrayBytes& largest,
                         const std::string& need) {
  const std::string_view array = largest.name;
  const std::string most = fmt::format("{} would take {}{}", array, spec::readableBytes(largest.bytes), need);
  if (const char* attribute = sizeAttribute(array)) {
    placeOf(draft.spec->size).fail(fmt::format("'{}': {}", attribute, most));
  }
  const bool pattern = array.starts_with("M") || array.starts_with("D_") || array.starts_with("map") ||
                       array.starts_with("q") || array.starts_with("flexA");
  const Flex* flex = largestFlex(draft);
  if (flex && (array.starts_with("flex") || array.starts_with("K_") || (pattern && 3 * m.nflexnode > m.nv / 2))) {
    placeOf(*flex).fail(fmt::format("'{}': {}", flex->generated ? "count" : "element", most));
  }
  if (pattern && chains.deepest > 0) {
    placeOf(*draft.body(chains.deepest).spec)
        .fail(fmt::format("a chain of {} dofs ends here, and every dof is coupled to all above it: {}", chains.longest,
                          most));
  }
  if (array.starts_with("hfield") && !draft.hfields.empty()) placeOf(*draft.hfields.back().spec).fail(most);
  throw LoadError(most);
}

}  // namespace

void chargeFlexcomp(const Draft& draft, const spec::Flexcomp& f, int dim, double points, double elements) {
  const bool young = f.elasticity.young.value_or(f.shortElasticity.young.value_or(0)) > 0;
  FlexCounts n = countsOf(dim, points, elements);
  RealSizes sizes;
  std::string what = fmt::format("{:.0f} points and {:.0f} elements", points, elements);
  const bool slides = f.dof == FlexDof::Radial || f.dof == FlexDof::Planar;
  if (FlexParameters::isInterpolated(f.dof) && !f.rigid) {
    const double order = f.dof == FlexDof::Trilinear ? 1 : 2;
    n.points = 1;
    for (const int cells : f.cellcount) n.points *= order * cells + 1;
    n.supports = n.vertices * (order == 1 ? 8 : 27);
    what += fmt::format(" and {:.0f} nodes ('cellcount')", n.points);
  }
  if (dim == 1 && f.elasticity.twist.value_or(false) && !f.rigid) {
    n.sections = elements;
    n.points += 3 * elements;
    what += fmt::format(" with {:.0f} points of sections", 3 * elements);
  }
  const bool stiff = young && !f.rigid;
  addFlex(n, stiff, elasticNumbers(FlexLaw::Reference, std::max(2, dim)), sizes);
  if (f.rigid || slides) {
    sizes.nq = sizes.nv = sizes.nM = sizes.nD = sizes.ntree = sizes.nflexnode = 0;
    const double joints = slides && !f.rigid ? (f.dof == FlexDof::Radial ? 1 : 2) : 0;
    sizes.nbody = joints > 0 ? points : 0;
    sizes.njnt = sizes.nv = sizes.nq = sizes.nM = sizes.nD = sizes.nv_rigid = joints * points;
  }
  const double bodies = sizes.nbody * (sizeof(spec::Body) + sizeof(spec::Joint) + sizeof(Body));
  draft.charge(placeOf(f), draftBytes(n) + total(sizes) + bodies, fmt::format("'count': {}", what));
}

void requireMemory(const Draft& draft, const Model& m) {
  RealSizes sizes(m);
  const Chains chains = chainsOf(draft);
  sizes.nM = std::max(sizes.nM, chains.entries + 3 * sizes.nflexnode);
  sizes.nD = std::max(sizes.nD, 2 * chains.entries + 3 * sizes.nflexnode);
  double bytes = spec::bytesOf(*draft.spec) + static_cast<double>(draft.bodies.size() * sizeof(Body));
  for (const Flex& flex : draft.flexes) {
    const double corners = flex.dim + 1;
    FlexCounts n = countsOf(flex.dim, static_cast<double>(flex.points.size()),
                            static_cast<double>(flex.elements.size()) / corners);
    n.vertices = static_cast<double>(flex.vertices.size());
    n.supports = static_cast<double>(flex.supports.size());
    n.sections = static_cast<double>(flex.sections.size());
    bytes += draftBytes(n);
    const bool stiff = !flex.rigid && (flex.parameters.stretch || flex.parameters.bending != FlexBending::None);
    if (!stiff || m.nK > 0) continue;
    RealSizes pattern;
    addFlex(n, true, elasticNumbers(flex.parameters.law, std::max(2, flex.dim)), pattern);
    sizes.nflexelastic += pattern.nflexelastic;
    sizes.nflexsection += pattern.nflexsection;
    sizes.nflexjoint += pattern.nflexjoint;
    if (flex.parameters.bending == FlexBending::Shell) sizes.nflexcurv += pattern.nflexcurv;
    sizes.nstiffdof += pattern.nstiffdof;
    sizes.nK += pattern.nK;
    sizes.nKplace += pattern.nKplace;
  }
  ArrayBytes largest;
  bytes += modelBytes(sizes, &largest);
  bytes += dataBytes(sizes, &largest);
  const auto limit = static_cast<double>(draft.options.maxMemory);
  if (bytes > limit) {
    refuse(draft, m, chains, largest,
           fmt::format(" of the {} of memory that this model needs; {}", spec::readableBytes(bytes),
                       spec::MemoryBudget(draft.options.maxMemory).limitText()));
  }
  constexpr double kMostEntries = std::numeric_limits<int>::max();
  for (const double entries : {sizes.nM, sizes.nD, sizes.nK, sizes.nKplace, sizes.nflexelastic}) {
    if (entries <= kMostEntries) continue;
    refuse(draft, m, chains, largest,
           fmt::format(": an array of {:.3g} entries, the limit is {}", entries, std::numeric_limits<int>::max()));
  }
}

}  // namespace sinew::draft
