#include "reference_rows.h"

#include <algorithm>
#include <set>

namespace sinew::cli {
namespace {

/// Arrays of the two engines that share a name and nothing else, or that the reference leaves empty.
const std::set<std::string_view> kOtherMeaning{"flex_bending", "body_iquat", "ximat",    "body_simple", "key_qpos",
                                               "key_qvel",     "qLDiagInv",  "cdof_dot", "crb"};

/// Integer arrays whose values are not ids of bodies, joints, dofs or trees.
bool isPlainInteger(std::string_view name) {
  static const std::set<std::string_view> kPlain{
      "body_mocapid", "body_jntnum", "body_dofnum", "body_geomnum",     "body_geomadr",    "body_contype",
      "jnt_type",     "jnt_group",   "jnt_limited", "body_conaffinity", "geom_type",       "geom_contype",
      "geom_condim",  "geom_group",  "eq_type",     "sensor_type",      "actuator_trntype"};
  return kPlain.contains(name) || name.starts_with("flex") || name.starts_with("mesh_") || name.starts_with("contact_");
}

/// Rows whose columns, or whose places, are dofs.
bool isOverDofs(std::string_view name) {
  static const std::set<std::string_view> kSparse{"M", "qLD", "ten_J", "actuator_moment", "D", "efc_J", "flexedge_J"};
  return kSparse.contains(name) || name.starts_with("M_") || name.starts_with("D_") || name.starts_with("mapM") ||
         name.starts_with("mapD") || name.starts_with("moment_") || name.starts_with("efc_J_");
}

/// Rows of `values` at the places `rows` (those below zero are left out).
std::vector<double> pick(const std::vector<double>& values, const std::vector<int>& rows, std::ptrdiff_t columns,
                         bool ours) {
  std::vector<double> picked;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;
    const auto row = ours ? static_cast<std::ptrdiff_t>(rows[i]) : static_cast<std::ptrdiff_t>(i);
    const auto begin = values.begin() + row * columns;
    picked.insert(picked.end(), begin, begin + columns);
  }
  return picked;
}

}  // namespace

ReferenceRows::ReferenceRows(const Model& m) : m_(m), layout_(m) {
  for (int n = 0; n < m.nflexnode; ++n) {
    if (!m.flexnode_pinned[n] && m.body_treeid[m.flexnode_bodyid[n]] >= 0) carried_ = true;
  }
  interpolated_ = std::any_of(m.flex_interp.begin(), m.flex_interp.end(), [](int order) { return order != 0; });
}

std::optional<int> ReferenceRows::sizeThere(std::string_view name, int ours) const {
  if (name == "nq") return layout_.nq();
  if (name == "nv") return layout_.nv();
  if (name == "nbody") return static_cast<int>(layout_.bodies().size());
  if (name == "njnt") return static_cast<int>(layout_.joints().size());
  if (name == "nM" || name == "nD" || name == "ntree" || name == "nflexnode") return std::nullopt;
  return ours;
}

std::optional<Field> ReferenceRows::align(const Field& field, std::vector<double>& reference) const {
  if (kOtherMeaning.contains(field.name) || isOverDofs(field.name)) return std::nullopt;
  if (field.kind == FieldKind::Integer && !isPlainInteger(field.name)) return std::nullopt;
  if (interpolated_ && field.name == "flexedge_length0") return std::nullopt;  // never used there
  // what riding points add to a body and its dofs is in the body there, in the points here
  static const std::set<std::string_view> kOfCarriers{"body_inertia", "dof_M0", "dof_invweight0", "cinert"};
  if (carried_ && kOfCarriers.contains(field.name)) return std::nullopt;
  Field aligned = field;
  const auto map = [&](const std::vector<int>& rows) -> std::optional<Field> {
    if (reference.size() != rows.size() * static_cast<std::size_t>(field.columns)) return field;  // reported as such
    reference = pick(reference, rows, field.columns, false);
    aligned.values = pick(field.values, rows, field.columns, true);
    aligned.rows = static_cast<std::ptrdiff_t>(aligned.values.size()) / std::max<std::ptrdiff_t>(field.columns, 1);
    return aligned;
  };
  if (field.rowSize == "nbody") return map(layout_.bodies());
  if (field.rowSize == "njnt") return map(layout_.joints());
  if (field.rowSize == "nv") {
    aligned.rowSize = "";
    return map(layout_.dofs());
  }
  if (field.rowSize == "nv_rigid") {
    aligned.rowSize = "";
    std::vector<int> rows = layout_.dofs();
    for (int& row : rows) row = row < m_.nv_rigid ? row : -1;
    return map(rows);
  }
  if (field.rowSize == "nq") {
    aligned.rowSize = "";
    // displacements from rest are zero there, whatever the places are
    for (std::size_t i = 0; i < reference.size() && reference.size() == layout_.qpos().size(); ++i) {
      if (layout_.qpos()[i] >= m_.nq_rigid) reference[i] += field.values[layout_.qpos()[i]];
    }
    return map(layout_.qpos());
  }
  if (field.name == "flexedge_length" || field.name == "flexedge_velocity") {  // only where something asks for them
    for (std::size_t e = 0; e < std::min(reference.size(), aligned.values.size()); ++e) {
      const int flex = m_.flexedge_flexid[static_cast<int>(e)];
      if (m_.flex_rigid[flex] || m_.flex_interp[flex] != 0 || reference[e] == 0) aligned.values[e] = reference[e];
    }
  }
  if (field.name == "flexedge_invweight0") {  // left at zero there for edges that no row asks about
    for (std::size_t i = 0; i < std::min(reference.size(), aligned.values.size()); ++i) {
      if (reference[i] == 0) aligned.values[i] = 0;
    }
  }
  return aligned;
}

std::optional<Field> ReferenceRows::align(const Field& field, const Data& d, std::vector<double>& reference) {
  if (field.rowSize == "nq") {
    Field aligned = field;
    aligned.rowSize = "";
    aligned.values.resize(static_cast<std::size_t>(layout_.nq()));
    layout_.positionsToReference(d.qpos.data(), aligned.values.data());
    return aligned;
  }
  if (field.rowSize == "nv" && field.columns == 1) return alignDofs(field, d);
  return align(field, reference);
}

std::optional<Field> ReferenceRows::alignDofs(const Field& field, const Data& d) {
  if (kOtherMeaning.contains(field.name)) return std::nullopt;
  // not the image of a force: what a choice of coordinates does to inertia is in it
  if (carried_ && (field.name == "qfrc_bias" || field.name == "qfrc_smooth")) return std::nullopt;
  if (carried_ && field.name == "qacc_warmstart") return std::nullopt;  // only a guess, zero at first in either
  Field aligned = field;
  aligned.rowSize = "";
  aligned.values.resize(static_cast<std::size_t>(layout_.nv()));
  const double* ours = field.values.data();
  double* theirs = aligned.values.data();
  if (field.name == "qvel") {
    layout_.velocitiesToReference(d.qpos.data(), ours, theirs);
  } else if (field.name.starts_with("qacc")) {
    layout_.accelerationsToReference(d.qpos.data(), d.qvel.data(), ours, theirs);
  } else if (field.name.starts_with("qfrc")) {
    layout_.forcesToReference(d.qpos.data(), ours, theirs);
  } else {
    return std::nullopt;
  }
  return aligned;
}

void takeVelocities(ReferenceLayout& layout, const std::vector<double>& reference, Data& d) {
  layout.velocitiesFromReference(d.qpos.data(), reference.data(), d.qvel.data());
}

void takeForces(ReferenceLayout& layout, const std::vector<double>& reference, Data& d) {
  layout.forcesFromReference(d.qpos.data(), reference.data(), d.qfrc_applied.data());
}

void takeBodyForces(const ReferenceLayout& layout, const std::vector<double>& reference, Data& d) {
  const std::vector<double> picked = pick(reference, layout.bodies(), 6, false);
  std::copy(picked.begin(), picked.end(), d.xfrc_applied.begin());
}

}  // namespace sinew::cli
