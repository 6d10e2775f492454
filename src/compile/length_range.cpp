#include "compile/length_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "compile/place.h"
#include "inertia/inertia.h"
#include "integrate/integrate.h"
#include "math/types.h"
#include "metric/step_matrix.h"
#include "model/workspace.h"
#include "sinew/data.h"
#include "step/stages.h"

namespace sinew::draft {
namespace {

bool isWanted(const spec::LengthRange& settings, const Model& m, int u) {
  const bool isMuscle = m.actuator_gaintype[u] == GainType::Muscle || m.actuator_biastype[u] == BiasType::Muscle;
  const int out = m.actuator_outadr[u];
  if (settings.mode == spec::LengthRangeMode::None) return false;
  if (settings.mode != spec::LengthRangeMode::All && !isMuscle) return false;
  return !(settings.useexisting && m.actuator_lengthrange[2 * out] < m.actuator_lengthrange[2 * out + 1]);
}

/// The limits of what the actuator pulls, if that has any.
const double* targetLimits(const Model& m, int u) {
  const int target = m.actuator_trnid[2 * u];
  switch (m.actuator_trntype[u]) {
    case TransmissionType::Joint:
    case TransmissionType::JointInParent:
      return m.jnt_limited[target] != 0 ? m.jnt_range.data() + 2 * target : nullptr;
    case TransmissionType::Tendon:
      return m.tendon_limited[target] != 0 ? m.tendon_range.data() + 2 * target : nullptr;
    default:
      return nullptr;
  }
}

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// Sets qfrc_applied along the actuator's moment r, scaled so that |inv(M) r s| = accel, but no larger than maxforce.
void pull(const spec::LengthRange& settings, const Model& m, Data& d, int u, double direction) {
  std::vector<double> moment(static_cast<std::size_t>(m.nv), 0.0);
  const int out = m.actuator_outadr[u];
  for (int k = d.moment_rowadr[out]; k < d.moment_rowadr[out] + d.moment_rownnz[out]; ++k) {
    moment[d.moment_colind[k]] = d.actuator_moment[k];
  }
  std::vector<double> acceleration = moment;
  solveMass(m, d, acceleration.data());
  double scale = direction * settings.accel / std::max(kMinVal, norm(acceleration));
  const double force = std::abs(scale) * norm(moment);
  if (settings.maxforce > 0 && force > settings.maxforce) scale *= settings.maxforce / std::max(kMinVal, force);
  for (int i = 0; i < m.nv; ++i) d.qfrc_applied[i] = moment[i] * scale;
}

/// One step of the simulation; the velocity decays with the time constant, so that the motion comes to rest. Returns
/// the length at its beginning.
double advanceOnce(const spec::LengthRange& settings, const Model& m, Data& d, int u, double direction) {
  const double decay = std::exp(-m.opt.timestep / std::max(0.01, settings.timeconst));
  for (double& v : d.qvel) v *= decay;
  positionStage(m, d, Sensing::Off);
  velocityStage(m, d, Sensing::Off);
  pull(settings, m, d, u, direction);
  accelerationStage(m, d, Sensing::Off);
  if (m.opt.integrator == Integrator::RK4) makeStepMatrix(m, d, Integrator::Euler);
  const Arena::Scope scope(d.work->arena);
  const double* a = stepAcceleration(m, d, d.work->arena.take<double>(m.nv));
  advance(m, d, d.act_dot.data(), a, nullptr);
  return d.actuator_length[m.actuator_outadr[u]];
}

struct Extremes {
  double lowest = 0, highest = 0;
};

/// The lengths seen in the last `interval` seconds of pulling in one direction. Empty if the simulation diverged.
std::optional<Extremes> simulate(const spec::LengthRange& settings, const Model& m, int u, double direction) {
  Data d(m);
  std::optional<Extremes> seen;
  while (d.time < settings.inttotal) {
    const double length = advanceOnce(settings, m, d, u, direction);
    const auto bad = [](double x) { return !(std::abs(x) <= kMaxVal); };
    if (std::any_of(d.qpos.begin(), d.qpos.end(), bad) || std::any_of(d.qvel.begin(), d.qvel.end(), bad)) return {};
    d.work->arena.settle();
    if (!(d.time > settings.inttotal - settings.interval)) continue;
    if (!seen) seen = Extremes{length, length};
    seen->lowest = std::min(seen->lowest, length);
    seen->highest = std::max(seen->highest, length);
  }
  return seen ? seen : Extremes{};
}

std::array<double, 2> lengthRange(const spec::LengthRange& settings, const Model& m, int u, const Place& place) {
  if (settings.uselimit) {
    if (const double* limits = targetLimits(m, u)) return {limits[0], limits[1]};
  }
  const char* hint = "give 'lengthrange', or <compiler><lengthrange uselimit=\"true\">";
  const std::optional<Extremes> low = simulate(settings, m, u, -1), high = simulate(settings, m, u, 1);
  if (!low || !high) place.fail(fmt::format("the simulation that finds its length range diverges: {}", hint));
  const double width = high->highest - low->lowest;
  if (!(width > 0)) {
    place.fail(fmt::format("its length range comes out as {} {}: {}", low->lowest, high->highest, hint));
  }
  for (const Extremes& side : {*low, *high}) {
    if (side.highest - side.lowest > settings.tolrange * width) {
      place.fail(
          fmt::format("the simulation that finds its length range does not settle, it still moves between {} and {}: "
                      "{}",
                      side.lowest, side.highest, hint));
    }
  }
  return {low->lowest, high->highest};
}

}  // namespace

void writeLengthRanges(const Draft& draft, Model& m) {
  const spec::LengthRange& settings = draft.compiler().lengthrange;
  std::vector<int> wanted;
  for (int u = 0; u < m.nactuator; ++u) {
    if (isWanted(settings, m, u)) wanted.push_back(u);
  }
  if (wanted.empty()) return;
  const Option saved = m.opt;
  m.opt.disableflags = disable::kFrictionLoss | disable::kContact | disable::kSpring | disable::kDamper |
                       disable::kGravity | disable::kActuation;
  m.opt.enableflags &= ~enable::kSleep;
  if (settings.timestep > 0) m.opt.timestep = settings.timestep;
  constexpr double kMaxSteps = 1e6;
  if (!(settings.inttotal <= kMaxSteps * m.opt.timestep)) {
    placeOf(settings).fail(fmt::format("inttotal = {} seconds with timestep = {} are more than {} steps",
                                       settings.inttotal, m.opt.timestep, kMaxSteps));
  }

  const std::size_t n = wanted.size();
  std::vector<std::array<double, 2>> ranges(n);
  std::vector<std::exception_ptr> failures(n);
  const auto find = [&](std::size_t i) {
    const spec::Actuator& actuator = draft.spec->actuators[wanted[i]];
    try {
      ranges[i] = lengthRange(settings, m, wanted[i], placeOf(actuator));
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  parallelFor(draft.compiler().usethread ? hardwareThreads() : 1, static_cast<int>(n),
              [&](int i, int) { find(static_cast<std::size_t>(i)); });
  m.opt = saved;
  for (std::size_t i = 0; i < n; ++i) {
    if (failures[i]) std::rethrow_exception(failures[i]);
    const int out = m.actuator_outadr[wanted[i]];
    m.actuator_lengthrange[2 * out] = ranges[i][0];
    m.actuator_lengthrange[2 * out + 1] = ranges[i][1];
  }
}

}  // namespace sinew::draft
