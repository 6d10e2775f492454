#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include "compile/actuators.h"
#include "compile/assets.h"
#include "compile/cables.h"
#include "compile/constants.h"
#include "compile/contacts.h"
#include "compile/custom.h"
#include "compile/draft.h"
#include "compile/elastic.h"
#include "compile/equalities.h"
#include "compile/flex_draft.h"
#include "compile/flexes.h"
#include "compile/fuse_static.h"
#include "compile/inertia.h"
#include "compile/joints.h"
#include "compile/layout.h"
#include "compile/length_range.h"
#include "compile/memory.h"
#include "compile/names.h"
#include "compile/place.h"
#include "compile/ropes.h"
#include "compile/sensors.h"
#include "compile/sparsity.h"
#include "compile/statistics.h"
#include "compile/stiff_pattern.h"
#include "compile/strain_modes.h"
#include "compile/tendons.h"
#include "compile/tree.h"
#include "sinew/data.h"
#include "sinew/load.h"
#include "spec/names.h"

namespace sinew {
namespace {

/// Steps that work on the tree, before ids are fixed.
void makeDraft(draft::Draft& draft) {
  draft::draftMeshes(draft);
  draft::draftHeightFields(draft);
  draft::draftListedFlexes(draft);
  draft::draftTree(draft);
  if (draft.compiler().fusestatic) draft::fuseStatic(draft);
  draft::requireFreeOnTop(draft);
  draft::finishFlexes(draft);
  draft::requireMass(draft);
  if (draft.compiler().discardvisual) draft::discardVisuals(draft);
}

void setSizes(const draft::Draft& draft, Model& m) {
  const Spec& spec = *draft.spec;
  draft::setTreeSizes(draft, m);
  m.nq_rigid = m.nq;
  m.nv_rigid = m.nv;
  draft::setFlexSizes(draft, m);
  draft::setAssetSizes(draft, m);
  m.npair = static_cast<int>(spec.pairs.size());
  m.nexclude = static_cast<int>(spec.excludes.size());
  m.ncable = draft::countCables(draft);
  m.neq = static_cast<int>(draft.equalities.size());
  m.ntendon = static_cast<int>(spec.tendons.size());
  for (const spec::Tendon& tendon : spec.tendons) m.nwrap += static_cast<int>(tendon.path.size());
  draft::setActuatorSizes(spec, m);
  m.nsensor = static_cast<int>(spec.sensors.size());
  draft::setCustomSizes(spec, m);
}

/// Everything the Spec says directly.
void writeObjects(const draft::Draft& draft, const draft::Names& names, Model& m) {
  const Spec& spec = *draft.spec;
  draft::writeAssets(draft, m);
  draft::writeTree(draft, names, m);
  const std::vector<int> pairs = draft::writePairs(spec, names, m);
  const std::vector<int> excludes = draft::writeExcludes(spec, names, m);
  draft::writeCables(draft, m);
  draft::writeFlexes(draft, m);
  draft::writeEqualities(draft, names, m);
  draft::writeTendons(draft, names, m);
  draft::writeTendonPattern(m);
  draft::writeActuators(draft, names, m);
  m.nJmom = draft::countMomentEntries(m);
  draft::writeSensors(spec, names, m);
  draft::writeCustom(spec, names, m);
  draft::writeNames(draft, pairs, excludes, m);
}

/// Everything that has to be computed, from masses to statistics.
void writeDerived(const draft::Draft& draft, Model& m) {
  draft::finishSimple(m);
  draft::writePatterns(m);
  if (draft.compiler().settotalmass > 0) draft::scaleTotalMass(draft.compiler().settotalmass, m);
  draft::writeFixed(draft, m);
  draft::writeElasticity(draft, m);
  draft::requireMemory(draft, m);
  Data d(m);
  draft::writeReference(m, d);
  draft::writeStrainModes(m, d);
  draft::writeStiffPattern(m);
  draft::reportLimitedFolds(draft, m, d);
  draft::reportTautRopes(draft, m);
  draft::writeKeyframes(draft, m);
  draft::writeStatistics(draft.spec->statistic, m, d);
  draft::writeSpringLengths(m, d);
  draft::writeSpringDampers(draft, m);
  draft::writeLengthRanges(draft, m);
}

/// The body that a row of a model array is about, -1 if it is about something else.
int bodyOfRow(const Model& m, std::string_view array, int row) {
  if (array.starts_with("body_")) return row;
  if (array.starts_with("jnt_")) return m.jnt_bodyid[row];
  if (array.starts_with("geom_")) return m.geom_bodyid[row];
  if (array.starts_with("site_")) return m.site_bodyid[row];
  if (array.starts_with("dof_") && row < m.nv_rigid) return m.dof_bodyid[row];
  return -1;
}

/// The flex that a row of a model array is about, -1 if it is about something else.
int flexOfRow(const Model& m, std::string_view array, int row) {
  const auto holder = [&](const Array<int>& first, const Array<int>& count) {
    for (int f = 0; f < m.nflex; ++f) {
      if (row >= first[f] && row < first[f] + count[f]) return f;
    }
    return -1;
  };
  if (array.starts_with("flexedge_")) return holder(m.flex_edgeadr, m.flex_edgenum);
  if (array.starts_with("flexhinge_")) return holder(m.flex_hingeadr, m.flex_hingenum);
  if (array.starts_with("flexelem_")) return holder(m.flex_elemadr, m.flex_elemnum);
  if (array.starts_with("flexpoint_")) return holder(m.flex_pointadr, m.flex_pointnum);
  return array.starts_with("flex_") && row < m.nflex ? row : -1;
}

/// Numbers beyond the range of double come from absurd sizes or densities; a step could do nothing with them.
void requireFinite(const draft::Draft& draft, const Model& m) {
  m.forEachArray([&](const char* name, const auto& array, int, int columns, const char*) {
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(array[0])>>) {
      for (std::ptrdiff_t i = 0; i < array.size(); ++i) {
        if (std::isfinite(array[i])) continue;
        const std::string message = fmt::format("the compiled model has {}[{}] = {}: some number in it is too large",
                                                name, i, static_cast<double>(array[i]));
        const int row = static_cast<int>(i / std::max(1, columns));
        const int body = bodyOfRow(m, name, row), flex = flexOfRow(m, name, row);
        if (body > 0) draft::placeOf(*draft.body(body).spec).fail(message);
        if (flex >= 0) draft::placeOf(draft.flexes[flex]).fail(message);
        throw LoadError(message);
      }
    }
  });
}

/// Flags that are read for the sake of the models that carry them.
void warnOfIdleFlags(const draft::Draft& draft) {
  if (draft.spec->option.disabled(disable::kNativeCcd)) {
    draft.warn(draft::placeOfOption(*draft.spec)
                   .message("flag nativeccd=\"disable\" has no effect, there is one convex collider"));
  }
}

}  // namespace

Model compile(const Spec& spec, Warnings* warnings, const LoadOptions& options) {
  if (const auto fault = checkOption(spec.option)) draft::placeOfOption(spec).fail(*fault);
  spec::requireUniqueNames(spec);
  draft::Draft draft;
  draft.spec = &spec;
  draft.warnings = warnings;
  draft.options = options;
  draft.budget = spec::MemoryBudget(options.maxMemory);
  if (const auto refusal = draft.budget.take(spec::bytesOf(spec), "the description of this model")) {
    throw LoadError(*refusal);
  }
  makeDraft(draft);
  const draft::Names names = draft::collectNames(draft);
  draft::checkVisuals(draft, names);

  Model m;
  m.opt = spec.option;
  m.opt.enableflags &= ~enable::kSleep;  // nothing sleeps while constants are found
  draft::decideGapReading(draft, m);
  draft::warnOfIdleOptions(draft, m);
  warnOfIdleFlags(draft);
  setSizes(draft, m);
  draft::requireMemory(draft, m);
  m.allocate();
  writeObjects(draft, names, m);
  writeDerived(draft, m);
  requireFinite(draft, m);
  m.opt.enableflags = spec.option.enableflags;
  draft::requireInitialSleep(draft, m);
  m.signature = layoutSignature(m);
  indexNames(m);
  return m;
}

Model load(const std::filesystem::path& file, Warnings* warnings, const LoadOptions& options) {
  return compile(readMjcf(file, warnings, options), warnings, options);
}

}  // namespace sinew
