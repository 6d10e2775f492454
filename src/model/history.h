#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Past controls and sensor values, in Data::history. Each actuator or sensor with samples has a ring there: the tick
/// (time of the last regular sample of a sensor with an interval), the slot of the newest sample, the n times, and the
/// n values of `width` numbers each. Times grow from the oldest sample to the newest.
namespace sinew::history {

/// Every ring as it is at the start: values zero, times before zero. One timestep apart, or one interval of a sensor
/// that has one, rounded up to whole timesteps. Reads m.opt.timestep.
void reset(const Model& m, Data& d);

/// Makes room for a sample at `time` and returns where its values go. A sample of the same time is overwritten,
/// otherwise the oldest one is dropped.
double* insert(double* ring, int samples, int width, double time);

/// The value at `time`: that of the sample before (order 0), or linear (1) or cubic (2) in between. Before the oldest
/// sample its value, after the newest the newest.
void read(const double* ring, int samples, int width, double time, int order, double* out);

/// The first control of actuator `u` as it was actuator_delay ago.
double delayedControl(const Model& m, const Data& d, int u);

/// The value of a sensor as it was sensor_delay ago, from its samples.
void delayedSensor(const Model& m, const Data& d, int sensor, double* out);

}  // namespace sinew::history
