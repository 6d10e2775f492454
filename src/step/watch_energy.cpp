#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "math/types.h"
#include "model/workspace.h"
#include "sensor/sensor.h"
#include "step/flex_cause.h"
#include "step/largest_force.h"
#include "step/watch.h"

namespace sinew {
namespace {

constexpr int kInterval = 16;            // steps between two measurements
constexpr int kWindow = 64;              // measurements after which energy that was lost counts as lost
constexpr double kOutOfProportion = 10;  // times the largest energy of motion that was explained
constexpr double kRounding = 1e-12;      // relative error of positions
constexpr double kNoMatter = 0.01;       // share of what springs hold, or of the model's size by which all is raised

/// Cheap, and different if one number is, as every operation is one to one. Four sums side by side, so that an addition
/// need not wait for the one before.
class Checksum {
 public:
  void add(double x) { mix(lane_[0], x); }
  template <class Values>
  void addAll(const Values& values) {
    const auto count = values.size();
    using Index = std::remove_const_t<decltype(count)>;
    Index i = 0;
    for (; i + 4 <= count; i += 4) {
      for (Index k = 0; k < 4; ++k) mix(lane_[k], static_cast<double>(values[i + k]));
    }
    for (Index k = 0; i < count; ++i, ++k) {
      mix(lane_[k], static_cast<double>(values[i]));
    }
  }
  std::uint64_t value() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t lane : lane_) sum = (sum ^ lane) * 0x9E3779B97F4A7C15ull;
    return sum;
  }

 private:
  static void mix(std::uint64_t& lane, double x) { lane = std::rotl(lane, 23) + std::bit_cast<std::uint64_t>(x); }
  std::array<std::uint64_t, 4> lane_{1, 2, 3, 4};
};

/// Of everything that the user may change between two steps and that changes the energy or how far constraints are
/// violated.
std::uint64_t checksumOf(const Model& m, const Data& d) {
  Checksum sum;
  sum.add(d.time);
  sum.addAll(d.qpos);
  sum.addAll(d.qvel);
  sum.addAll(d.eq_active);
  sum.addAll(d.mocap_pos);
  sum.addAll(d.mocap_quat);
  sum.addAll(m.opt.gravity);
  return sum.value();
}

/// What constraints that are violated can set free, J: force times distance.
double strainOfRows(const Data& d) {
  double sum = 0;
  for (int row = 0; row < d.nefc(); ++row) sum += std::abs(d.efc_force[row] * (d.efc_pos[row] - d.efc_margin[row]));
  return sum;
}

/// Energy that is no matter, J: everything raised by a hundredth of the model's size; or so slow that a step moves it
/// by what rounding may, a trillionth of its distance from the origin.
double leastScale(const Model& m) {
  const double extent = m.stat.extent;
  double mass = 0;
  for (int b = 1; b < m.nbody; ++b) mass += m.body_mass[b];
  for (int node = 0; node < m.nflexnode; ++node) mass += m.flexnode_mass[node];
  const double gravity = m.opt.disabled(disable::kGravity) ? 0 : ConstMapVec3(m.opt.gravity.data()).norm();
  const double slow = kRounding * (ConstMapVec3(m.stat.center.data()).norm() + extent) / m.opt.timestep;
  return mass * (gravity * kNoMatter * extent + 0.5 * slow * slow);
}

struct Energies {
  double potential = 0, stored = 0, motion = 0;  ///< stored: the part of the potential energy that is in springs
  double total() const { return potential + motion; }
};

Energies measure(const Model& m, Data& d) {
  Energies e;
  e.stored = energyOfSprings(m, d);
  e.potential = e.stored + energyOfGravity(m, d);
  e.motion = energyOfMotion(m, d);
  return e;
}

void begin(const Model& m, Data& d) {
  const Energies e = measure(m, d);
  const double strain = strainOfRows(d);
  Watch& watch = d.work->watch;
  watch.explained = watch.highest = e.total() + strain;
  watch.scale = std::max({e.motion, kNoMatter * e.stored, strain, leastScale(m)});
}

/// The dof that moves with most of the energy.
int fastestDof(const Model& m, const Data& d) {
  int fastest = 0;
  const auto share = [&](int i) { return m.dof_M0[i] * d.qvel[i] * d.qvel[i]; };
  for (int i = 1; i < m.nv; ++i) {
    if (share(i) > share(fastest)) fastest = i;
  }
  return fastest;
}

void note(const Model& m, Data& d, double excess) {
  const int dof = fastestDof(m, d);
  const bool first = d.status[Trouble::Energy].count == 0;
  d.status.note(Trouble::Energy, dof, d.time, first ? largestForce(m, d, dof, 1) : LargestForce{},
                first ? flexCause(m, d, dof) : FlexCause{});
  if (first) d.status[Trouble::Energy].value = excess;
}

/// Power of forces `f` at velocities (u + v) / 2, W.
template <class Force>
double meanPower(int n, std::span<const double> u, const Array<double>& v, Force&& f) {
  double power = 0;
  for (int i = 0; i < n; ++i) power += f(i) * 0.5 * (u[i] + v[i]);
  return power;
}

/// Whether a surface of a contact moves by itself.
bool drives(const Model& m, const Contact& contact) {
  return std::any_of(contact.geom.begin(), contact.geom.end(), [&](int geom) {
    if (geom < 0) return false;
    const double* v = &m.geom_surfacevel[6 * geom];
    return std::any_of(v, v + 6, [](double x) { return x != 0; });
  });
}

/// Power of the rows through which something outside does work: joints that are driven, surfaces that move.
double powerOfRows(const Model& m, const Data& d, std::span<const double> before) {
  if (std::any_of(d.contact.begin(), d.contact.end(), [&](const Contact& contact) { return drives(m, contact); })) {
    return meanPower(m.nv, before, d.qvel, [&](int i) { return d.qfrc_constraint[i]; });
  }
  double power = 0;
  for (int row = d.ne; row < d.ne + d.nf && d.efc_type[row] == RowType::FrictionDof; ++row) {
    const int dof = d.efc_id[row];
    if (m.dof_frictionvel[dof] == 0) continue;
    power += std::max(0.0, d.efc_force[row] * 0.5 * (before[dof] + d.qvel[dof]));
  }
  return power;
}

}  // namespace

void watchEnergy(const Model& m, Data& d) {
  Watch& watch = d.work->watch;
  if (m.nv == 0) return;
  if (checksumOf(m, d) != watch.left) {
    // anew at once, unless it has just begun: whoever moves something in every step would measure in every step
    const bool settled = watch.left == 0 || watch.steps >= kInterval;
    watch.steps = settled ? 0 : -kInterval;
  }
  if (watch.steps == 0) return begin(m, d);
  if (watch.steps < 0 || watch.steps % kInterval != 0) return;

  const Energies e = measure(m, d);
  watch.scale = std::max(watch.scale, std::min(e.motion, watch.explained - e.potential));
  const double excess = e.total() - watch.explained;
  if (excess > kOutOfProportion * watch.scale) {
    note(m, d, excess);
    begin(m, d);
    return;
  }
  watch.highest = std::max(watch.highest, e.total());
  if (watch.steps % (kInterval * kWindow) == 0) {
    watch.explained = std::min(watch.explained, watch.highest);
    watch.highest = e.total();
  }
}

void addWork(const Model& m, Data& d, std::span<const double> before) {
  Watch& watch = d.work->watch;
  if (m.nv == 0) return;
  // everything from outside: qfrc_smooth without bias, springs and dampers
  const double outside = meanPower(m.nv, before, d.qvel, [&](int i) {
    return d.qfrc_smooth[i] + d.qfrc_bias[i] - d.qfrc_spring[i] - d.qfrc_damper[i];
  });
  double driven = 0;  // by dampers that drive, at the velocity that they were computed for
  for (int i = 0; i < m.nv; ++i) driven += d.qfrc_damper[i] * before[i];
  const double power = std::max(0.0, outside) + std::max(0.0, driven) + std::max(0.0, powerOfRows(m, d, before));
  watch.explained += m.opt.timestep * power;
  watch.steps = watch.steps == std::numeric_limits<int>::max() ? kInterval : watch.steps + 1;
  watch.left = checksumOf(m, d);
}

}  // namespace sinew
