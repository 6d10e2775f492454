#include "model/history.h"

#include <algorithm>
#include <cmath>

#include "math/types.h"

namespace sinew::history {
namespace {

/// A ring of samples, seen from the oldest (0) to the newest (samples - 1). T is double or const double.
template <class T>
class Ring {
 public:
  Ring(T* data, int samples, int width) : data_(data), samples_(samples), width_(width) {}

  T& time(int i) const { return data_[2 + slot(i)]; }
  T* value(int i) const { return data_ + 2 + samples_ + static_cast<std::ptrdiff_t>(slot(i)) * width_; }
  int newest() const { return samples_ - 1; }
  int count() const { return samples_; }

  /// The first sample whose time is not before t; count() if all are.
  int firstNotBefore(double t) const {
    int low = 0, high = samples_;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (time(middle) < t) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  /// The oldest sample becomes the newest.
  void rotate() const { data_[1] = slot(0); }

 private:
  /// The slot of the newest sample is part of the state, which a user may write: any number leads to a slot.
  int slot(int i) const {
    const int newest = data_[1] >= 0 && data_[1] < samples_ ? static_cast<int>(data_[1]) : 0;
    return (newest + 1 + i) % samples_;
  }

  T* data_;
  int samples_, width_;
};

/// Slope of component k at sample i of a cubic that goes through all samples: from its neighbours, level at the ends,
/// beyond which the value is constant.
double slopeAt(const Ring<const double>& ring, int i, int k) {
  if (i == 0 || i == ring.newest()) return 0;
  return (ring.value(i + 1)[k] - ring.value(i - 1)[k]) / (ring.time(i + 1) - ring.time(i - 1));
}

/// Component k at the fraction x of the way from sample i - 1 to sample i, by the cubic Hermite polynomial.
double cubic(const Ring<const double>& ring, int i, int k, double x) {
  const double dt = ring.time(i) - ring.time(i - 1);
  const double x2 = x * x, x3 = x2 * x;
  return (2 * x3 - 3 * x2 + 1) * ring.value(i - 1)[k] + (x3 - 2 * x2 + x) * dt * slopeAt(ring, i - 1, k) +
         (-2 * x3 + 3 * x2) * ring.value(i)[k] + (x3 - x2) * dt * slopeAt(ring, i, k);
}

void startRing(double* ring, int samples, double tick) {
  ring[0] = tick;
  ring[1] = samples - 1;
}

}  // namespace

void reset(const Model& m, Data& d) {
  const double h = m.opt.timestep;
  for (int u = 0; u < m.nactuator; ++u) {
    const int n = m.actuator_history[2 * u];
    if (n == 0) continue;
    double* ring = &d.history[m.actuator_historyadr[u]];
    startRing(ring, n, 0);
    for (int i = 0; i < n; ++i) ring[2 + i] = -(n - i) * h;
  }
  for (int s = 0; s < m.nsensor; ++s) {
    const int n = m.sensor_history[2 * s];
    if (n == 0) continue;
    const double period = m.sensor_interval[2 * s], phase = m.sensor_interval[2 * s + 1];
    const double last = phase == 0 ? -period : phase;  // without a phase the first sample is due at time 0
    double* ring = &d.history[m.sensor_historyadr[s]];
    startRing(ring, n, period > 0 ? last : -h);
    for (int i = 0; i < n; ++i) {
      ring[2 + i] = period > 0 ? std::ceil((last - (n - 1 - i) * period) / h) * h : -(n - i) * h;
    }
  }
}

double* insert(double* data, int samples, int width, double time) {
  const Ring<double> ring(data, samples, width);
  int i = ring.firstNotBefore(time);
  if (i < samples && std::abs(time - ring.time(i)) < kMinVal) return ring.value(i);
  if (i == samples) {
    ring.rotate();
    i = ring.newest();
  } else if (i > 0) {
    // the clock was set back: the samples before this one move up, over the oldest
    --i;
    for (int k = 0; k < i; ++k) {
      ring.time(k) = ring.time(k + 1);
      std::copy_n(ring.value(k + 1), width, ring.value(k));
    }
  }
  ring.time(i) = time;
  return ring.value(i);
}

void read(const double* data, int samples, int width, double time, int order, double* out) {
  const Ring<const double> ring(data, samples, width);
  const auto take = [&](int i) { std::copy_n(ring.value(i), width, out); };
  if (time <= ring.time(0) + kMinVal) return take(0);
  if (time >= ring.time(ring.newest()) - kMinVal) return take(ring.newest());
  const int i = ring.firstNotBefore(time);
  if (std::abs(time - ring.time(i)) < kMinVal) return take(i);
  if (order == 0) return take(i - 1);

  const double x = (time - ring.time(i - 1)) / (ring.time(i) - ring.time(i - 1));
  for (int k = 0; k < width; ++k) {
    const double before = ring.value(i - 1)[k], after = ring.value(i)[k];
    out[k] = order == 1 ? before + x * (after - before) : cubic(ring, i, k, x);
  }
}

double delayedControl(const Model& m, const Data& d, int u) {
  double ctrl = 0;
  read(&d.history[m.actuator_historyadr[u]], m.actuator_history[2 * u], 1, d.time - m.actuator_delay[u],
       m.actuator_history[2 * u + 1], &ctrl);
  return ctrl;
}

void delayedSensor(const Model& m, const Data& d, int s, double* out) {
  read(&d.history[m.sensor_historyadr[s]], m.sensor_history[2 * s], m.sensor_dim[s], d.time - m.sensor_delay[s],
       m.sensor_history[2 * s + 1], out);
}

}  // namespace sinew::history
