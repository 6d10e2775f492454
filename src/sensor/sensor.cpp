#include "sensor/sensor.h"

#include <algorithm>

#include "forces/forces.h"
#include "kinematics/kinematics.h"
#include "model/history.h"
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

/// The value at this moment.
void measure(const Model& m, Data& d, int s, double* out) {
  if (m.sensor_type[s] == SensorType::User) {
    std::fill_n(out, m.sensor_dim[s], 0.0);  // filled in by the user, after the step
  } else if (m.sensor_needstage[s] == Stage::Pos) {
    positionSensor(m, d, s, out);
  } else if (m.sensor_needstage[s] == Stage::Vel) {
    velocitySensor(m, d, s, out);
  } else {
    accelerationSensor(m, d, s, out);
  }
  clip(m, s, out);
}

double* ringOf(const Model& m, Data& d, int s) { return &d.history[m.sensor_historyadr[s]]; }

/// A sensor with an interval is measured when one has passed since the last time.
bool isDue(const Model& m, Data& d, int s) {
  const double interval = m.sensor_interval[2 * s];
  return interval <= 0 || *ringOf(m, d, s) + interval <= d.time;
}

/// The samples, not this moment, say what the sensor shows: those of long ago, or the last one.
bool showsHistory(const Model& m, Data& d, int s) {
  return m.sensor_history[2 * s] > 0 && (m.sensor_delay[s] > 0 || !isDue(m, d, s));
}

}  // namespace

void sense(const Model& m, Data& d, Stage stage) {
  if (m.nsensor == 0 || m.opt.disabled(disable::kSensor)) return;
  prepare(m, d, stage);
  for (int s = 0; s < m.nsensor; ++s) {
    if (m.sensor_needstage[s] != stage) continue;
    double* out = &d.sensordata[m.sensor_adr[s]];
    if (showsHistory(m, d, s)) {
      history::delayedSensor(m, d, s, out);
    } else {
      measure(m, d, s, out);
    }
  }
}

void sampleControls(const Model& m, Data& d) {
  if (m.nhistory == 0) return;
  for (int u = 0; u < m.nactuator; ++u) {
    const int samples = m.actuator_history[2 * u];
    if (samples == 0) continue;
    *history::insert(&d.history[m.actuator_historyadr[u]], samples, 1, d.time) = d.ctrl[m.actuator_ctrladr[u]];
  }
}

void sampleSensors(const Model& m, Data& d) {
  if (m.nhistory == 0) return;
  if (m.opt.disabled(disable::kSensor)) {  // sense() has not been there
    for (const Stage stage : {Stage::Vel, Stage::Acc}) prepare(m, d, stage);
  }
  for (int s = 0; s < m.nsensor; ++s) {
    const int samples = m.sensor_history[2 * s], width = m.sensor_dim[s];
    if (samples == 0 || !isDue(m, d, s)) continue;
    double* ring = ringOf(m, d, s);
    if (m.sensor_interval[2 * s] > 0) *ring += m.sensor_interval[2 * s];  // ticks do not drift with the timestep
    double* sample = history::insert(ring, samples, width, d.time);
    if (m.sensor_delay[s] > 0) {
      measure(m, d, s, sample);
    } else {
      std::copy_n(&d.sensordata[m.sensor_adr[s]], width, sample);
    }
  }
}

}  // namespace sinew
