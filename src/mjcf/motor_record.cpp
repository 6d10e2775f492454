#include "mjcf/motor_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mjcf/value.h"
#include "model/actuator_states.h"

namespace sinew::mjcf {
namespace {

/// `values` with the leading entries replaced by those given.
template <std::size_t N>
std::array<double, N> overlaid(std::array<double, N> values, const std::optional<std::vector<double>>& given) {
  if (given) std::copy(given->begin(), given->end(), values.begin());
  return values;
}

/// Voltage, torque at standstill and speed without load.
struct NominalPoint {
  double voltage, torque, speed;
};

/// The voltage constant Ke that gives the nominal speed. Without load the current overcomes viscous damping B alone:
///   w = V Ke / (Ke^2 + R B),   and the torque at standstill is Ke V / R.
double voltageConstant(const NominalPoint& nominal, double R, double B) {
  const auto [V, torque, w] = nominal;
  if (B > 0 && R > 0) {
    const double square = V * V - 4 * R * B * w * w;
    if (square > 0) return (V + std::sqrt(square)) / (2 * w);
  } else if (B > 0 && torque > 0) {
    const double Ke = V / w - V * B / torque;  // R = Ke V / torque
    if (Ke > 0) return Ke;
  }
  return V / w;
}

/// R and K, from what is given of them and the nominal point.
void lowerWinding(ActuatorRecord& r, bool inherited) {
  auto [Kt, Ke] = overlaid<2>({inherited ? r.gainprm[1] : 0, 0}, r.motorconst);
  const auto [V, torque, speed] = overlaid<3>({0, 0, 0}, r.nominal);
  double R = r.resistance.value_or(inherited ? r.gainprm[0] : 0);
  if (V > 0 && Ke <= 0 && speed > 0) Ke = voltageConstant({V, torque, speed}, R, r.damping[0]);
  const double K = Kt > 0 && Ke > 0 ? std::sqrt(Kt * Ke) : Kt > 0 ? Kt : Ke;
  if (R == 0 && V > 0 && torque > 0 && K > 0) R = K * V / torque;
  if (!(K > 0))
    throw ValueError{"a positive motor constant is missing: give 'motorconst', or 'nominal' to find it from"};
  if (!(R > 0)) throw ValueError{"a positive resistance is missing: give 'resistance', or 'nominal' to find it from"};
  r.gainprm[0] = R;
  r.gainprm[1] = K;
}

/// Largest torque, or largest current in its place, and largest rate of the current.
void lowerSaturation(ActuatorRecord& r, bool inherited) {
  const auto [torque, current, rate] = overlaid<3>({0, 0, inherited ? r.dynprm[1] : 0}, r.saturation);
  if (torque > 0 || current > 0) {
    const double most = torque == 0 ? r.gainprm[1] * current : torque;
    r.forcerange = {-most, most};
    r.forcelimited = spec::Tri::True;
  }
  if (rate > 0) r.dynprm[1] = rate;
}

void lowerInductance(ActuatorRecord& r, bool inherited) {
  const auto [L, te] = overlaid<2>({0, inherited ? r.dynprm[0] : 0}, r.inductance);
  if (L < 0 || te < 0) throw ValueError{fmt::format("'inductance' must not be negative, found {} {}", L, te)};
  r.dynprm[0] = L > 0 ? L / r.gainprm[0] : te;
}

/// Thermal resistance, capacity, their product the time constant (two of the three are enough), growth of the
/// resistance per degree above a reference temperature, temperature of the surroundings.
void lowerThermal(ActuatorRecord& r, bool inherited) {
  const std::array<double, 6> before = {r.dynprm[2], r.dynprm[3], 0, r.gainprm[2], r.gainprm[3], r.dynprm[4]};
  auto [RT, C, time, growth, T0, Ta] = overlaid<6>(inherited ? before : std::array<double, 6>{}, r.thermal);
  if (!(RT > 0 || C > 0 || time > 0)) return;
  if (time > 0 && RT > 0 && C == 0) C = time / RT;
  if (time > 0 && C > 0 && RT == 0) RT = time / C;
  if (!(RT > 0 && C > 0)) {
    throw ValueError{"'thermal' needs two of thermal resistance, thermal capacity and time constant, positive"};
  }
  r.dynprm[2] = RT, r.dynprm[3] = C, r.dynprm[4] = Ta;
  r.gainprm[2] = growth, r.gainprm[3] = T0;
}

void lowerController(ActuatorRecord& r, bool inherited) {
  const std::array<double, 6> before = {r.gainprm[4], r.gainprm[5], r.gainprm[6],
                                        r.dynprm[7],  r.dynprm[8],  r.gainprm[7]};
  const auto [kp, ki, kd, slewRate, integralLimit, maxVoltage] =
      overlaid<6>(inherited ? before : std::array<double, 6>{}, r.controller);
  r.gainprm[4] = kp, r.gainprm[5] = ki, r.gainprm[6] = kd;
  r.dynprm[7] = slewRate, r.dynprm[8] = integralLimit;
  if (maxVoltage > 0) r.gainprm[7] = maxVoltage;
}

void lowerCogging(ActuatorRecord& r, bool inherited) {
  const std::array<double, 3> before = {r.biasprm[0], r.biasprm[1], r.biasprm[2]};
  const std::array<double, 3> cogging = overlaid<3>(inherited ? before : std::array<double, 3>{}, r.cogging);
  std::copy(cogging.begin(), cogging.end(), r.biasprm.begin());
}

void lowerFriction(ActuatorRecord& r, bool inherited) {
  const std::array<double, 5> before = {r.dynprm[5], r.dynprm[6], r.biasprm[3], r.biasprm[4], r.biasprm[5]};
  const auto [stiffness, damping, coulomb, stiction, stribeck] =
      overlaid<5>(inherited ? before : std::array<double, 5>{}, r.lugre);
  if (!(stiffness > 0)) return;
  r.dynprm[5] = stiffness, r.dynprm[6] = damping;
  r.biasprm[3] = coulomb, r.biasprm[4] = stiction, r.biasprm[5] = stribeck;
}

}  // namespace

void lowerMotor(ActuatorRecord& r) {
  const bool inherited = r.gaintype == GainType::DcMotor;
  lowerWinding(r, inherited);
  lowerController(r, inherited);
  lowerSaturation(r, inherited);
  lowerCogging(r, inherited);
  lowerInductance(r, inherited);
  lowerThermal(r, inherited);
  lowerFriction(r, inherited);
  r.dyntype = DynType::DcMotor, r.gaintype = GainType::DcMotor, r.biastype = BiasType::DcMotor;
  r.gainprm[8] = 0;
  r.actdim = motorStates(r.dynprm.data(), r.gainprm.data()).count;
  r.actlimited = spec::Tri::False;  // one range would not suit states of different kinds
  r.actearly = true;
}

}  // namespace sinew::mjcf
