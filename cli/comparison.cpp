#include "comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "option_settings.h"

namespace sinew::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Sizes that say how much memory is set aside, or count what Sinew does not keep.
const std::set<std::string_view> kOtherSizes{"nJmom", "nJten", "nnames"};

/// Lists that only a search goes through: hull polygons, which the reference engine has in the order of a hash table,
/// so that neither their order nor where each begins means anything (their number is compared with the sizes); and the
/// vertex from which the climb over a hull starts, one of several equally far ones.
bool isSearchList(std::string_view name) { return name.starts_with("mesh_poly") || name == "mesh_extrema"; }

/// Patterns of sparse arrays: the arrays themselves are compared entry by entry, wherever those are stored.
const std::set<std::string_view> kPatterns{"ten_J_rownnz",  "ten_J_rowadr",  "ten_J_colind",
                                           "moment_rownnz", "moment_rowadr", "moment_colind"};

/// Arrays of Data that only sensors ask for; the trace has them always.
const std::set<std::string_view> kSubtreeVelocity{"subtree_linvel", "subtree_angmom"};
const std::set<std::string_view> kBodyForces{"cacc", "cfrc_int", "cfrc_ext"};

/// Constants that follow from masses, frames and sizes, and hence from meshes if there are any.
const std::set<std::string_view> kFromShapes{"body_pos",
                                             "body_quat",
                                             "body_ipos",
                                             "body_iquat",
                                             "body_mass",
                                             "body_subtreemass",
                                             "body_inertia",
                                             "body_invweight0",
                                             "dof_invweight0",
                                             "dof_M0",
                                             "dof_length",
                                             "dof_damping",
                                             "dof_armature",
                                             "geom_size",
                                             "geom_aabb",
                                             "geom_rbound",
                                             "geom_pos",
                                             "geom_quat",
                                             "geom_fluid",
                                             "site_pos",
                                             "jnt_stiffness",
                                             "tendon_length0",
                                             "tendon_invweight0",
                                             "tendon_lengthspring",
                                             "actuator_acc0",
                                             "actuator_length0",
                                             "actuator_lengthrange",
                                             "cam_pos0",
                                             "cam_poscom0",
                                             "cam_mat0",
                                             "eq_data",
                                             "qpos0",
                                             "qpos_spring",
                                             "meaninertia",
                                             "meanmass",
                                             "meansize",
                                             "extent",
                                             "center"};

/// Arrays of Data that constraint forces enter, in the order of the computation.
const std::set<std::string_view> kFromSolver{"efc_force", "qfrc_constraint", "qacc",     "qfrc_inverse",
                                             "cacc",      "cfrc_int",        "cfrc_ext", "sensordata"};

bool asksForSubtreeVelocity(SensorType type) {
  return type == SensorType::SubtreeLinVel || type == SensorType::SubtreeAngMom;
}
bool asksForBodyForces(SensorType type) {
  return type == SensorType::Accelerometer || type == SensorType::Force || type == SensorType::Torque ||
         type == SensorType::FrameLinAcc || type == SensorType::FrameAngAcc;
}

std::span<const double> arrayOf(const NamedArrays& arrays, std::string_view name) {
  const auto found = arrays.find(name);
  return found == arrays.end() ? std::span<const double>() : std::span<const double>(found->second);
}

const Field& fieldNamed(const std::vector<Field>& fields, std::string_view name) {
  return *std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
}

std::vector<double> toDoubles(const Array<int>& values) { return {values.begin(), values.end()}; }

/// The reference engine counts springs of dim-1 flexes and no other elastic energy of flexes (docs/differences.md).
double comparablePotential(const Model& m, const Data& d) {
  double potential = d.energy[0];
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_dim[f] > 1) potential -= d.flex_energy[f];
  }
  return potential;
}

}  // namespace

Comparison::Comparison(const Model& m, const Trace& trace, const Tolerances& tolerances)
    : m_(m),
      trace_(trace),
      tolerances_(tolerances),
      hasMeshes_(std::find(m.geom_type.begin(), m.geom_type.end(), GeomType::Mesh) != m.geom_type.end()),
      modelScales_(scalesOf(m)) {
  if (m.nflex > 0) rows_.emplace(m);
}

void Comparison::reportMismatch(std::string_view field, std::string_view stage, int step, const std::string& text) {
  reports_.push_back({std::string(field), std::string(stage), step, kInfinity, 0, text});
}

void Comparison::report(const Field& field, int step, const WorstEntry& worst, double tolerance) {
  const std::string_view stage = step == FieldReport::kCompiled ? "compile" : stageOf(field.doc);
  FieldReport result{std::string(field.name), std::string(stage), step, worst.error, tolerance, {}};
  if (worst.index >= 0) {
    const std::ptrdiff_t columns = std::max<std::ptrdiff_t>(field.columns, 1);
    const std::string owner = rowOwner(m_, field.rowSize, worst.index / columns);
    const std::string place = columns == 1
                                  ? fmt::format("{}[{}]", field.name, worst.index)
                                  : fmt::format("{}[{}][{}]", field.name, worst.index / columns, worst.index % columns);
    result.entry = fmt::format("{}{} is {:.17g}, reference {:.17g}", place, owner.empty() ? "" : " (" + owner + ")",
                               worst.ours, worst.reference);
  }
  reports_.push_back(std::move(result));
}

void Comparison::compareModel() {
  compareSizes();
  compareNames();
  compareOption();
  for (const Field& field : fieldsOf(m_)) compareConstant(field);
  compareStatistic();
}

void Comparison::compareSizes() {
  FieldReport result{"sizes", "compile", FieldReport::kCompiled, 0, 0, {}};
  const auto compare = [&](std::string_view name, int ours) {
    // entries of M: the reference keeps an older, larger count under this name
    const auto reference = arrayOf(trace_.sizes, name == "nM" ? "nC" : name);
    if (rows_) {
      const std::optional<int> there = rows_->sizeThere(name, ours);
      if (!there) return;
      ours = *there;
    }
    if (reference.empty() || kOtherSizes.contains(name) || reference[0] == ours || result.differs()) return;
    result.error = kInfinity;
    result.entry = fmt::format("{} is {}, reference {}", name, ours, reference[0]);
  };
#define SINEW_X(name, doc) compare(#name, m_.name);
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  reports_.push_back(std::move(result));
}

void Comparison::compareNames() {
  constexpr std::array<std::pair<std::string_view, ObjType>, 13> kKinds{{{"body", ObjType::Body},
                                                                         {"jnt", ObjType::Joint},
                                                                         {"geom", ObjType::Geom},
                                                                         {"site", ObjType::Site},
                                                                         {"cam", ObjType::Camera},
                                                                         {"mesh", ObjType::Mesh},
                                                                         {"hfield", ObjType::HField},
                                                                         {"pair", ObjType::Pair},
                                                                         {"eq", ObjType::Equality},
                                                                         {"tendon", ObjType::Tendon},
                                                                         {"actuator", ObjType::Actuator},
                                                                         {"sensor", ObjType::Sensor},
                                                                         {"key", ObjType::Key}}};
  for (const auto& [kind, type] : kKinds) {
    const auto reference = trace_.names.find(std::string(kind));
    if (reference == trace_.names.end()) continue;
    // points of flexes have no bodies and joints of their own here
    const std::vector<int>* ids = nullptr;
    if (rows_ && type == ObjType::Body) ids = &rows_->layout().bodies();
    if (rows_ && type == ObjType::Joint) ids = &rows_->layout().joints();
    const int own = ids ? static_cast<int>(ids->size()) : countOf(m_, type);
    const int count = std::min(own, static_cast<int>(reference->second.size()));
    for (int k = 0; k < count; ++k) {
      const int i = ids ? (*ids)[k] : k;
      const std::string& theirs = reference->second[k];
      if (i < 0 || nameOf(m_, type, i) == theirs) continue;
      reportMismatch("names", "compile", FieldReport::kCompiled,
                     fmt::format("{} {} is \"{}\", reference \"{}\"", kind, i, nameOf(m_, type, i), theirs));
      return;
    }
  }
}

void Comparison::compareOption() {
  // settings reach an Option as text, so the reference becomes an Option the same way
  for (const auto& [name, values] : trace_.option) {
    if (optionText(m_.opt, name).empty()) continue;
    Option reference;
    setOption(reference, fmt::format("{}={}", name, fmt::join(values, ":")));
    if (optionText(reference, name) == optionText(m_.opt, name)) continue;
    reportMismatch(
        "opt." + name, "compile", FieldReport::kCompiled,
        fmt::format("opt.{} is {}, reference {}", name, optionText(m_.opt, name), optionText(reference, name)));
  }
}

void Comparison::compareStatistic() {
  const auto compare = [&](std::string_view name, std::vector<double> ours) {
    const auto reference = arrayOf(trace_.statistic, name);
    if (reference.size() != ours.size() || (rows_ && rows_->isCarried() && name == "meaninertia")) return;
    const auto rows = static_cast<std::ptrdiff_t>(ours.size());
    const Field field{name, "", "", rows, 1, FieldKind::Double, std::move(ours)};
    const double scale = std::max(largest(reference), leastScale(name, modelScales_));
    report(field, FieldReport::kCompiled, worstEntry(field.values, reference, scale),
           hasMeshes_ ? tolerances_.mesh : tolerances_.constants);
  };
  compare("meaninertia", {m_.stat.meaninertia});
  compare("meanmass", {m_.stat.meanmass});
  compare("meansize", {m_.stat.meansize});
  compare("extent", {m_.stat.extent});
  compare("center", {m_.stat.center.begin(), m_.stat.center.end()});
}

void Comparison::compareConstant(const Field& field) {
  const auto found = trace_.constants.find(field.name);
  if (found == trace_.constants.end() || kPatterns.contains(field.name) || isSearchList(field.name)) return;
  if (!rows_) {
    compareConstant(field, found->second);
    return;
  }
  std::vector<double> reference = found->second;
  if (const std::optional<Field> aligned = rows_->align(field, reference)) compareConstant(*aligned, reference);
}

void Comparison::compareConstant(const Field& field, const std::vector<double>& reference) {
  if (reference.size() != field.values.size()) {
    reportMismatch(field.name, "compile", FieldReport::kCompiled,
                   fmt::format("{} has {} numbers, reference {}", field.name, field.values.size(), reference.size()));
    return;
  }
  if (field.kind == FieldKind::Integer) {
    WorstEntry worst = worstEntry(field.values, reference, 1);
    if (worst.error > 0) {  // the first one tells more than the largest
      const auto [a, b] = std::mismatch(field.values.begin(), field.values.end(), reference.begin());
      worst = {kInfinity, a - field.values.begin(), *a, *b};
    }
    report(field, FieldReport::kCompiled, worst, 0);
    return;
  }
  double tolerance = tolerances_.constants;
  if (field.name.starts_with("mesh_") || (hasMeshes_ && kFromShapes.contains(field.name))) tolerance = tolerances_.mesh;
  // one unit in the last place of the largest number, which may be just above a power of two
  if (field.kind == FieldKind::Single) {
    tolerance = std::max(tolerance, 2 * static_cast<double>(std::numeric_limits<float>::epsilon()));
  }
  WorstEntry worst;
  if (field.name == "body_iquat") {
    const std::vector<double> moments(m_.body_inertia.begin(), m_.body_inertia.end());
    worst = worstPrincipalAxes(matricesOf(field.values), matricesOf(reference), moments,
                               arrayOf(trace_.constants, "body_inertia"));
    const Field asMatrix{field.name, field.rowSize, field.doc, field.rows, 9, field.kind, {}};
    report(asMatrix, FieldReport::kCompiled, worst, tolerance);
    return;
  }
  if (field.name.ends_with("quat") && field.columns == 4) {
    worst = worstQuaternion(field.values, reference);
  } else {
    worst = worstEntry(field.values, reference, std::max(largest(reference), leastScale(field.name, modelScales_)));
  }
  report(field, FieldReport::kCompiled, worst, tolerance);
}

void Comparison::compareData(const TraceSample& sample, const Data& d, const std::vector<double>& inverse) {
  std::vector<Field> fields = fieldsOf(m_, d);
  fields.insert(fields.begin(), Field{"time", "", "simulated time [integrate]", 1, 1, FieldKind::Double, {d.time}});
  const auto sensors =
      std::find_if(fields.begin(), fields.end(), [](const Field& f) { return f.name == "sensordata"; });
  fields.insert(sensors, Field{"energy",
                               "",
                               "potential, kinetic [energy]",
                               2,
                               1,
                               FieldKind::Double,
                               {comparablePotential(m_, d), d.energy[1]}});
  // contacts and rows go where the step computes them
  const auto insertBefore = [&](std::string_view name, std::vector<Field> added) {
    const auto place = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
    fields.insert(place, std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  };
  insertBefore("ten_velocity", contactFields(d));
  insertBefore("act_dot", rowMotionFields(d));
  insertBefore("qfrc_constraint", rowForceFields(d));
  for (Field& field : fields) {
    if (field.name == "qfrc_inverse") field.values = inverse;
  }
  for (const Field& field : fields) {
    if (field.name == "qfrc_inverse" && inverse.empty()) continue;
    // what sleeping trees will start from once they wake is only a guess, and what force would explain that they rest
    // is nobody's question
    const bool sleepers = d.ntree_awake < m_.ntree;
    if (sleepers && (field.name == "qacc_warmstart" || field.name == "qfrc_inverse")) continue;
    compareState(sample, field, d, fields);
  }
  if (const auto rows = arrayOf(sample.fields, "nefc"); !rows.empty() && rows[0] > 0) wasConstrained_ = true;
}

double Comparison::toleranceFor(const TraceSample& sample, std::string_view field) const {
  const auto rows = arrayOf(sample.fields, "nefc");
  const bool isConstrained = !rows.empty() && rows[0] > 0;
  const bool follows = wasConstrained_ || (isConstrained && kFromSolver.contains(field));
  return follows ? std::max(tolerances_.data, tolerances_.solved) : tolerances_.data;
}

void Comparison::compareState(const TraceSample& sample, const Field& field, const Data& d,
                              const std::vector<Field>& all) {
  const auto found = sample.fields.find(field.name);
  if (found == sample.fields.end() || kPatterns.contains(field.name)) return;
  const auto anySensor = [&](bool (*asks)(SensorType)) {
    return !m_.opt.disabled(disable::kSensor) && std::any_of(m_.sensor_type.begin(), m_.sensor_type.end(), asks);
  };
  if (kSubtreeVelocity.contains(field.name) && !anySensor(asksForSubtreeVelocity)) return;
  if (kBodyForces.contains(field.name) && !anySensor(asksForBodyForces)) return;

  if (!rows_) {
    compareState(sample, field, found->second, all);
    return;
  }
  std::vector<double> reference = found->second;
  if (const std::optional<Field> aligned = rows_->align(field, d, reference)) {
    compareState(sample, *aligned, reference, all);
  }
}

void Comparison::compareState(const TraceSample& sample, const Field& field, const std::vector<double>& reference,
                              const std::vector<Field>& all) {
  const double tolerance = toleranceFor(sample, field.name);
  const Scales scales = scalesOf(m_, sample);
  const double scale = std::max(largest(reference), leastScale(field.name, scales));
  const auto own = [&](std::string_view name) { return std::span<const double>(fieldNamed(all, name).values); };
  const auto theirs = [&](std::string_view name) { return arrayOf(sample.fields, name); };
  const auto constant = [&](std::string_view name) { return arrayOf(trace_.constants, name); };
  const auto reportSparse = [&](const SparseRows& ours, const SparseRows& other, std::string_view rowSize,
                                const std::function<double(std::ptrdiff_t, std::ptrdiff_t)>& entryScale) {
    if (other.rownnz.empty()) return;  // the trace does not say where its entries belong
    if (other.rownnz.size() != ours.rownnz.size() || !isSparse(other, m_.nv)) {
      reportMismatch(field.name, stageOf(field.doc), sample.step,
                     fmt::format("the pattern of {} in the trace does not fit it", field.name));
      return;
    }
    const Field dense{field.name, rowSize,    field.doc, static_cast<std::ptrdiff_t>(ours.rownnz.size()),
                      m_.nv,      field.kind, {}};
    report(dense, sample.step, worstSparse(ours, other, m_.nv, entryScale), tolerance);
  };
  const auto oneScale = [&](std::ptrdiff_t, std::ptrdiff_t) { return scale; };

  if (field.name == "ten_J") {
    const std::vector<double> nnz = toDoubles(m_.ten_J_rownnz), adr = toDoubles(m_.ten_J_rowadr),
                              col = toDoubles(m_.ten_J_colind);
    reportSparse({nnz, adr, col, field.values},
                 {constant("ten_J_rownnz"), constant("ten_J_rowadr"), constant("ten_J_colind"), reference}, "ntendon",
                 oneScale);
    return;
  }
  if (field.name == "actuator_moment") {
    reportSparse({own("moment_rownnz"), own("moment_rowadr"), own("moment_colind"), field.values},
                 {theirs("moment_rownnz"), theirs("moment_rowadr"), theirs("moment_colind"), reference}, "nout",
                 oneScale);
    return;
  }
  if (field.name == "M" || field.name == "qLD") {
    const std::vector<double> nnz = toDoubles(m_.M_rownnz), adr = toDoubles(m_.M_rowadr), col = toDoubles(m_.M_colind);
    const SparseRows other{constant("M_rownnz"), constant("M_rowadr"), constant("M_colind"), reference};
    // M_ij is bounded by sqrt(M_ii M_jj), which is its natural scale where masses and inertias meet
    std::vector<double> diagonal(static_cast<std::size_t>(m_.nv), scale);
    const bool isScaled = field.name == "M" && isSparse(other, m_.nv);
    for (std::size_t i = 0; isScaled && i < other.rownnz.size() && i < diagonal.size(); ++i) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(other.rownnz[i]); ++k) {
        const auto at = static_cast<std::size_t>(other.rowadr[i]) + k;
        if (static_cast<std::size_t>(other.colind[at]) == i && reference[at] > 0) diagonal[i] = reference[at];
      }
    }
    reportSparse({nnz, adr, col, field.values}, other, "nv",
                 [&](std::ptrdiff_t i, std::ptrdiff_t j) { return std::sqrt(diagonal[i] * diagonal[j]); });
    return;
  }
  // the trace holds only the path points in use
  const bool isPath = field.name == "wrap_xpos" || field.name == "wrap_obj";
  if (reference.size() != field.values.size() && !(isPath && reference.size() < field.values.size())) {
    reportMismatch(field.name, stageOf(field.doc), sample.step,
                   fmt::format("{} has {} numbers, reference {}", field.name, field.values.size(), reference.size()));
    return;
  }
  const auto ours = std::span<const double>(field.values).first(reference.size());
  if (field.kind == FieldKind::Integer) {
    report(field, sample.step, worstEntry(ours, reference, 1), 0);
  } else if (field.name == "ximat") {
    const std::vector<double> moments(m_.body_inertia.begin(), m_.body_inertia.end());
    report(field, sample.step, worstPrincipalAxes(ours, reference, moments, constant("body_inertia")), tolerance);
  } else if (field.name.ends_with("quat")) {
    report(field, sample.step, worstQuaternion(ours, reference), tolerance);
  } else if (field.name == "sensordata") {
    report(field, sample.step, worstSensor(field, reference, scales), tolerance);
  } else {
    report(field, sample.step, worstEntry(ours, reference, scale), tolerance);
  }
}

WorstEntry Comparison::worstSensor(const Field& field, const std::vector<double>& reference,
                                   const Scales& scales) const {
  WorstEntry worst;
  for (int i = 0; i < m_.nsensor; ++i) {
    const auto start = static_cast<std::size_t>(m_.sensor_adr[i]);
    const auto count = static_cast<std::size_t>(m_.sensor_dim[i]);
    const auto theirs = std::span<const double>(reference).subspan(start, count);
    const double scale = std::max(largest(theirs), leastSensorScale(m_.sensor_type[i], scales));
    WorstEntry entry = worstEntry(std::span<const double>(field.values).subspan(start, count), theirs, scale);
    entry.index += static_cast<std::ptrdiff_t>(start);
    worst.take(entry);
  }
  return worst;
}

}  // namespace sinew::cli
