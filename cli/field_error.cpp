#include "field_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace sinew::cli {
namespace {

constexpr double kShare = 1e-4;      // of the typical size, see the header
constexpr double kSmallest = 1e-15;  // for arrays that are their own measure

double errorOf(double ours, double reference, double scale) {
  if (ours == reference) return 0;
  if (!std::isfinite(ours) && !std::isfinite(reference)) return 0;
  if (!std::isfinite(ours) || !std::isfinite(reference)) return std::numeric_limits<double>::infinity();
  return std::abs(ours - reference) / scale;
}

double largestIn(const NamedArrays& fields, std::initializer_list<std::string_view> names) {
  double result = 0;
  for (const std::string_view name : names) {
    if (const auto field = fields.find(name); field != fields.end()) result = std::max(result, largest(field->second));
  }
  return result;
}

/// A size to fall back on where there is nothing to measure.
double orOne(double value) { return value > 0 ? value : 1; }

enum class Kind { Own, One, Length, Velocity, Acceleration, Force, SpatialForce, Balance, Momentum, Energy };

const std::map<std::string_view, Kind>& kinds() {
  static const std::map<std::string_view, Kind> kTable{// coordinates mix lengths and angles
                                                       {"qpos", Kind::One},
                                                       {"qpos0", Kind::One},
                                                       {"qpos_spring", Kind::One},
                                                       {"key_qpos", Kind::One},
                                                       {"act", Kind::One},
                                                       {"ctrl", Kind::One},
                                                       {"time", Kind::One},
                                                       // rotations and axes
                                                       {"xquat", Kind::One},
                                                       {"xmat", Kind::One},
                                                       {"ximat", Kind::One},
                                                       {"xaxis", Kind::One},
                                                       {"geom_xmat", Kind::One},
                                                       {"site_xmat", Kind::One},
                                                       {"cam_xmat", Kind::One},
                                                       {"jnt_axis", Kind::One},
                                                       {"cam_mat0", Kind::One},
                                                       // places
                                                       {"xpos", Kind::Length},
                                                       {"flexvert_xpos", Kind::Length},
                                                       {"flexedge_length", Kind::Length},
                                                       {"flexedge_velocity", Kind::Velocity},
                                                       {"xipos", Kind::Length},
                                                       {"xanchor", Kind::Length},
                                                       {"geom_xpos", Kind::Length},
                                                       {"site_xpos", Kind::Length},
                                                       {"cam_xpos", Kind::Length},
                                                       {"subtree_com", Kind::Length},
                                                       {"mocap_pos", Kind::Length},
                                                       {"wrap_xpos", Kind::Length},
                                                       {"ten_length", Kind::Length},
                                                       {"actuator_length", Kind::Length},
                                                       {"ten_J", Kind::Length},
                                                       {"actuator_moment", Kind::Length},
                                                       {"body_pos", Kind::Length},
                                                       {"body_ipos", Kind::Length},
                                                       {"geom_pos", Kind::Length},
                                                       {"geom_aabb", Kind::Length},
                                                       {"site_pos", Kind::Length},
                                                       {"cam_pos", Kind::Length},
                                                       {"cam_pos0", Kind::Length},
                                                       {"cam_poscom0", Kind::Length},
                                                       {"jnt_pos", Kind::Length},
                                                       {"mesh_pos", Kind::Length},
                                                       {"mesh_vert", Kind::Length},
                                                       {"eq_data", Kind::Length},
                                                       {"tendon_length0", Kind::Length},
                                                       {"tendon_lengthspring", Kind::Length},
                                                       {"actuator_length0", Kind::Length},
                                                       {"key_mpos", Kind::Length},
                                                       {"center", Kind::Length},
                                                       {"extent", Kind::Length},
                                                       {"cdof", Kind::Length},
                                                       // motion
                                                       {"qvel", Kind::Velocity},
                                                       {"cvel", Kind::Velocity},
                                                       {"cdof_dot", Kind::Velocity},
                                                       {"ten_velocity", Kind::Velocity},
                                                       {"actuator_velocity", Kind::Velocity},
                                                       {"subtree_linvel", Kind::Velocity},
                                                       {"key_qvel", Kind::Velocity},
                                                       {"subtree_angmom", Kind::Momentum},
                                                       {"qacc", Kind::Acceleration},
                                                       {"qacc_smooth", Kind::Acceleration},
                                                       {"qacc_warmstart", Kind::Acceleration},
                                                       {"cacc", Kind::Acceleration},
                                                       {"act_dot", Kind::One},
                                                       // forces
                                                       {"qfrc_bias", Kind::Force},
                                                       {"qfrc_spring", Kind::Force},
                                                       {"qfrc_damper", Kind::Force},
                                                       {"qfrc_gravcomp", Kind::Force},
                                                       {"qfrc_fluid", Kind::Force},
                                                       {"qfrc_adhesion", Kind::Force},
                                                       {"qfrc_passive", Kind::Force},
                                                       {"qfrc_actuator", Kind::Force},
                                                       {"qfrc_smooth", Kind::Force},
                                                       {"qfrc_constraint", Kind::Force},
                                                       {"qfrc_inverse", Kind::Balance},
                                                       {"qfrc_applied", Kind::Force},
                                                       {"actuator_force", Kind::Force},
                                                       {"cfrc_int", Kind::Balance},
                                                       {"cfrc_ext", Kind::SpatialForce},
                                                       {"xfrc_applied", Kind::SpatialForce},
                                                       {"energy", Kind::Energy},
                                                       // constraints
                                                       {"contact_dist", Kind::Length},
                                                       {"contact_pos", Kind::Length},
                                                       {"contact_frame", Kind::One},
                                                       {"contact_includemargin", Kind::Length},
                                                       {"efc_pos", Kind::Length},
                                                       {"efc_margin", Kind::Length},
                                                       {"efc_vel", Kind::Velocity},
                                                       {"efc_aref", Kind::Acceleration},
                                                       {"efc_force", Kind::Force}};
  return kTable;
}

double sizeOf(Kind kind, const Scales& s) {
  switch (kind) {
    case Kind::Own:
      return 0;
    case Kind::One:
      return 1;
    case Kind::Length:
      return s.length;
    case Kind::Velocity:
      return s.velocity;
    case Kind::Acceleration:
      return s.acceleration;
    case Kind::Force:
      return s.force;
    case Kind::SpatialForce:
      return s.spatialForce;
    case Kind::Balance:
      return s.largestForce;
    case Kind::Momentum:
      return s.momentum;
    case Kind::Energy:
      return s.energy;
  }
  return 0;
}

/// What remains of large forces that cancel is known as well as those forces are, so it is judged by their full size.
double leastOf(Kind kind, const Scales& scales) {
  return std::max((kind == Kind::Balance ? 1 : kShare) * sizeOf(kind, scales), kSmallest);
}

Kind kindOfSensor(SensorType type) {
  switch (type) {
    case SensorType::Accelerometer:
    case SensorType::FrameLinAcc:
    case SensorType::FrameAngAcc:
      return Kind::Acceleration;
    case SensorType::Velocimeter:
    case SensorType::Gyro:
    case SensorType::JointVel:
    case SensorType::TendonVel:
    case SensorType::ActuatorVel:
    case SensorType::BallAngVel:
    case SensorType::FrameLinVel:
    case SensorType::FrameAngVel:
    case SensorType::SubtreeLinVel:
    case SensorType::JointLimitVel:
    case SensorType::TendonLimitVel:
      return Kind::Velocity;
    case SensorType::Force:
    case SensorType::Torque:
      return Kind::SpatialForce;
    case SensorType::Touch:
    case SensorType::ActuatorFrc:
    case SensorType::JointActFrc:
    case SensorType::TendonActFrc:
    case SensorType::JointLimitFrc:
    case SensorType::TendonLimitFrc:
    case SensorType::FlexForce:
    case SensorType::FlexReaction:
      return Kind::Force;
    case SensorType::SubtreeAngMom:
      return Kind::Momentum;
    case SensorType::EPotential:
    case SensorType::EKinetic:
    case SensorType::FlexKinetic:
    case SensorType::FlexElastic:
      return Kind::Energy;
    case SensorType::Rangefinder:
    case SensorType::TendonPos:
    case SensorType::ActuatorPos:
    case SensorType::FramePos:
    case SensorType::SubtreeCom:
    case SensorType::GeomDist:
    case SensorType::GeomFromTo:
      return Kind::Length;
    default:
      return Kind::One;
  }
}

double rowEntry(const SparseRows& rows, std::ptrdiff_t row, std::size_t k, std::ptrdiff_t& column) {
  const auto at = static_cast<std::size_t>(rows.rowadr[row]) + k;
  column = static_cast<std::ptrdiff_t>(rows.colind[at]);
  return rows.values[at];
}

/// R diag(moments) R' / max(moments), nine numbers.
std::array<double, 9> scaledTensor(std::span<const double> rotation, std::span<const double> moments, double largest) {
  std::array<double, 9> tensor{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        tensor[3 * i + j] += rotation[3 * i + k] * moments[k] * rotation[3 * j + k] / largest;
      }
    }
  }
  return tensor;
}

}  // namespace

double largest(std::span<const double> values) {
  double result = 0;
  for (const double value : values) {
    if (std::isfinite(value)) result = std::max(result, std::abs(value));
  }
  return result;
}

Scales scalesOf(const Model& m) {
  Scales s;
  s.length = orOne(m.stat.extent);
  return s;
}

Scales scalesOf(const Model& m, const TraceSample& sample) {
  const NamedArrays& f = sample.fields;
  Scales s;
  s.length = orOne(std::max(m.stat.extent, largestIn(f, {"xpos"})));
  s.velocity = orOne(largestIn(f, {"qvel", "cvel"}));
  s.acceleration = orOne(std::max(largestIn(f, {"qacc", "qacc_smooth", "cacc"}), largest(m.opt.gravity)));
  s.force = orOne(largestIn(f, {"qfrc_bias", "qfrc_passive", "qfrc_spring", "qfrc_damper", "qfrc_actuator",
                                "qfrc_applied", "qfrc_gravcomp"}));
  // bodies in free fall carry no force but rounding
  s.spatialForce = orOne(std::max(s.force, largestIn(f, {"cfrc_int", "cfrc_ext", "xfrc_applied"})));
  s.largestForce = std::max({s.force, s.spatialForce, largestIn(f, {"qfrc_constraint", "efc_force"})});
  s.momentum = orOne(s.velocity * s.length * m.body_subtreemass[0]);
  s.energy = orOne(largestIn(f, {"energy"}));
  return s;
}

double leastScale(std::string_view field, const Scales& scales) {
  if (field.ends_with("quat")) return 1;
  const auto kind = kinds().find(field);
  return leastOf(kind == kinds().end() ? Kind::Own : kind->second, scales);
}

double leastSensorScale(SensorType type, const Scales& scales) { return leastOf(kindOfSensor(type), scales); }

WorstEntry worstEntry(std::span<const double> ours, std::span<const double> reference, double scale) {
  WorstEntry worst;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    worst.take({errorOf(ours[i], reference[i], scale), static_cast<std::ptrdiff_t>(i), ours[i], reference[i]});
  }
  return worst;
}

WorstEntry worstQuaternion(std::span<const double> ours, std::span<const double> reference) {
  WorstEntry worst;
  for (std::size_t row = 0; row + 4 <= ours.size(); row += 4) {
    std::array<double, 4> flipped{};
    for (std::size_t k = 0; k < 4; ++k) flipped[k] = -ours[row + k];
    const WorstEntry same = worstEntry(ours.subspan(row, 4), reference.subspan(row, 4), 1);
    const WorstEntry opposite = worstEntry(flipped, reference.subspan(row, 4), 1);
    WorstEntry nearer = opposite.error < same.error ? opposite : same;
    nearer.index += static_cast<std::ptrdiff_t>(row);
    worst.take(nearer);
  }
  return worst;
}

WorstEntry worstSparse(const SparseRows& ours, const SparseRows& reference, std::ptrdiff_t columns,
                       const std::function<double(std::ptrdiff_t, std::ptrdiff_t)>& scale) {
  WorstEntry worst;
  const auto rows = static_cast<std::ptrdiff_t>(ours.rownnz.size());
  std::map<std::ptrdiff_t, std::array<double, 2>> merged;  // column -> ours, reference
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    merged.clear();
    const std::array<const SparseRows*, 2> sides{&ours, &reference};
    for (std::size_t side = 0; side < 2; ++side) {
      const auto count = static_cast<std::size_t>(sides[side]->rownnz[row]);
      for (std::size_t k = 0; k < count; ++k) {
        std::ptrdiff_t column = 0;
        const double value = rowEntry(*sides[side], row, k, column);
        merged[column][side] = value;
      }
    }
    for (const auto& [column, pair] : merged) {
      worst.take({errorOf(pair[0], pair[1], scale(row, column)), row * columns + column, pair[0], pair[1]});
    }
  }
  return worst;
}

bool isSparse(const SparseRows& rows, std::ptrdiff_t columns) {
  if (rows.rownnz.size() != rows.rowadr.size()) return false;
  const auto isIndex = [](double x, double end) { return x >= 0 && x < end && x == std::floor(x); };
  const double stored = static_cast<double>(std::min(rows.colind.size(), rows.values.size()));
  for (std::size_t i = 0; i < rows.rownnz.size(); ++i) {
    const double count = rows.rownnz[i], first = rows.rowadr[i];
    if (!isIndex(count, stored + 1) || !isIndex(first, stored + 1) || first + count > stored) return false;
    for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(first + count); ++k) {
      if (!isIndex(rows.colind[k], static_cast<double>(columns))) return false;
    }
  }
  return true;
}

WorstEntry worstPrincipalAxes(std::span<const double> ours, std::span<const double> reference,
                              std::span<const double> moments, std::span<const double> referenceMoments) {
  WorstEntry worst;
  for (std::size_t body = 0; 9 * body + 9 <= ours.size(); ++body) {
    const auto rotation = ours.subspan(9 * body, 9);
    const auto referenceRotation = reference.subspan(9 * body, 9);
    WorstEntry entry = worstEntry(rotation, referenceRotation, 1);
    const auto referenceMoment =
        3 * body + 3 <= referenceMoments.size() ? referenceMoments.subspan(3 * body, 3) : std::span<const double>();
    if (const double scale = largest(referenceMoment); entry.error > 0 && scale > 0) {
      const WorstEntry tensor = worstEntry(scaledTensor(rotation, moments.subspan(3 * body, 3), scale),
                                           scaledTensor(referenceRotation, referenceMoment, scale), 1);
      if (tensor.error < entry.error) entry.error = tensor.error;
    }
    entry.index += static_cast<std::ptrdiff_t>(9 * body);
    worst.take(entry);
  }
  return worst;
}

std::vector<double> matricesOf(std::span<const double> quaternions) {
  std::vector<double> result;
  result.reserve(quaternions.size() / 4 * 9);
  for (std::size_t i = 0; i + 4 <= quaternions.size(); i += 4) {
    const double w = quaternions[i], x = quaternions[i + 1], y = quaternions[i + 2], z = quaternions[i + 3];
    for (const double entry : {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
                               2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                               2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}) {
      result.push_back(entry);
    }
  }
  return result;
}

}  // namespace sinew::cli
