#include "sensor/sensor.h"

#include <algorithm>

#include "forces/forces.h"
#include "kinematics/kinematics.h"
#include "sensor/flex_measures.h"
#include "sensor/values.h"

namespace sinew {
namespace {

bool needsSubtreeVelocities(SensorType type) {
  return type == SensorType::SubtreeLinVel || type == SensorType::SubtreeAngMom;
}

bool needsBodyForces(SensorType type) {
  return type == SensorType::Accelerometer || type == SensorType::Force || type == SensorType::Torque ||
         type == SensorType::FrameLinAcc || type == SensorType::FrameAngAcc;
}

/// Computes what only sensors need, and only if one does.
void prepare(const Model& m, Data& d, Stage stage) {
  const auto any = [&m](bool (*needs)(SensorType)) {
    return std::any_of(m.sensor_type.begin(), m.sensor_type.end(), needs);
  };
  if (stage == Stage::Vel && any(needsSubtreeVelocities)) subtreeVelocities(m, d);
  if (stage == Stage::Acc && any(needsBodyForces)) bodyForces(m, d);
  if (m.nflex == 0) return;
  const auto has = [&m](SensorType type) {
    return std::find(m.sensor_type.begin(), m.sensor_type.end(), type) != m.sensor_type.end();
  };
  if (stage == Stage::Pos) {
    if (has(SensorType::FlexStrain)) flexStrains(m, d);
    if (has(SensorType::FlexElastic)) flexEnergies(m, d);
  } else if (stage == Stage::Vel) {
    if (has(SensorType::FlexKinetic)) flexKinetic(m, d);
  } else if (stage == Stage::Acc) {
    if (has(SensorType::FlexForce)) flexVertexForces(m, d);
    if (has(SensorType::FlexReaction)) flexReactions(m, d);
    if (has(SensorType::FlexStress)) flexStresses(m, d);
  }
}

/// Real values are clipped to [-cutoff, cutoff], positive ones from above; axes and quaternions are left alone.
void clip(const Model& m, int sensor, double* out) {
  const double cutoff = m.sensor_cutoff[sensor];
  const SensorType type = m.sensor_type[sensor];
  if (cutoff <= 0 || type == SensorType::Contact || type == SensorType::GeomFromTo) return;
  for (int k = 0; k < m.sensor_dim[sensor]; ++k) {
    if (m.sensor_datatype[sensor] == DataType::Real) {
      out[k] = std::clamp(out[k], -cutoff, cutoff);
    } else if (m.sensor_datatype[sensor] == DataType::Positive) {
      out[k] = std::min(cutoff, out[k]);
    }
  }
}

}  // namespace

void sense(const Model& m, Data& d, Stage stage) {
  if (m.nsensor == 0 || m.opt.disabled(disable::kSensor)) return;
  prepare(m, d, stage);
  for (int s = 0; s < m.nsensor; ++s) {
    if (m.sensor_needstage[s] != stage) continue;
    double* out = &d.sensordata[m.sensor_adr[s]];
    if (m.sensor_type[s] == SensorType::User) {
      std::fill_n(out, m.sensor_dim[s], 0.0);  // filled in by the user, after the step
    } else if (stage == Stage::Pos) {
      positionSensor(m, d, s, out);
    } else if (stage == Stage::Vel) {
      velocitySensor(m, d, s, out);
    } else {
      accelerationSensor(m, d, s, out);
    }
    clip(m, s, out);
  }
}

}  // namespace sinew
