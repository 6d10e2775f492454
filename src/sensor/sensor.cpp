#include "sensor/sensor.h"

#include <algorithm>
#include <span>

#include "forces/forces.h"
#include "kinematics/kinematics.h"
#include "model/awake.h"
#include "model/callbacks.h"
#include "model/history.h"
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
    if (has(SensorType::FlexStress) || has(SensorType::FlexMembrane)) flexStresses(m, d);
    if (has(SensorType::FlexMoment)) flexMoments(m, d);
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

/// As body_awake: -1 if the object cannot move, 0 if it sleeps, 1 if it is awake.
int awakeness(const Model& m, const Data& d, ObjType type, int id) {
  switch (type) {
    case ObjType::Body:
    case ObjType::XBody:
      return d.body_awake[id];
    case ObjType::Joint:
      return d.body_awake[m.jnt_bodyid[id]];
    case ObjType::Geom:
      return d.body_awake[m.geom_bodyid[id]];
    case ObjType::Site:
      return d.body_awake[m.site_bodyid[id]];
    case ObjType::Camera:
      return d.body_awake[m.cam_bodyid[id]];
    case ObjType::Tendon:
      return tendonAsleep(m, d, id) ? 0 : 1;
    case ObjType::Actuator:
      return actuatorAsleep(m, d, id) ? 0 : 1;
    default:
      return 1;
  }
}

/// Whether a sensor keeps its value: what it senses sleeps, and what it is measured against does not move either. Rays
/// and sites that mark a volume may meet anything, so these sensors never sleep.
bool sensorAsleep(const Model& m, const Data& d, int s) {
  if (!someAsleep(m, d)) return false;
  const SensorType type = m.sensor_type[s];
  const ObjType object = m.sensor_objtype[s], reference = m.sensor_reftype[s];
  if (type == SensorType::User || type == SensorType::Rangefinder) return false;
  if (type == SensorType::Contact && (object == ObjType::Site || reference == ObjType::Site)) return false;
  const bool hasObject = object != ObjType::Unknown && m.sensor_objid[s] >= 0;
  const bool hasReference = reference != ObjType::Unknown && m.sensor_refid[s] >= 0;
  const int first = hasObject ? awakeness(m, d, object, m.sensor_objid[s]) : -1;
  const int second = hasReference ? awakeness(m, d, reference, m.sensor_refid[s]) : -1;
  if (hasObject && hasReference) return first <= 0 && second <= 0;
  return first == 0 || second == 0;
}

/// What the user's callback says; without one it is zero, for the user to fill in after the step.
void userSensor(const Model& m, Data& d, int s, double* out) {
  const std::span<double> values(out, static_cast<std::size_t>(m.sensor_dim[s]));
  std::fill(values.begin(), values.end(), 0.0);
  if (!d.callbacks.sensor) return;
  if (callUser(d, CallbackKind::Sensor, [&] { d.callbacks.sensor(m, d, s, values); })) return;
  std::fill(values.begin(), values.end(), 0.0);
}

/// The value at this moment.
void measure(const Model& m, Data& d, int s, double* out) {
  if (m.sensor_type[s] == SensorType::User) {
    userSensor(m, d, s, out);
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
    if (m.sensor_needstage[s] != stage || sensorAsleep(m, d, s)) continue;
    double* out = d.sensordata.data() + m.sensor_adr[s];  // of no numbers, at the end, for an empty sensor
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
      std::copy_n(d.sensordata.data() + m.sensor_adr[s], width, sample);
    }
  }
}

}  // namespace sinew
