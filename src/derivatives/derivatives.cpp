#include "sinew/derivatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.h"
#include "kinematics/positions.h"
#include "model/arguments.h"
#include "sinew/state.h"
#include "sinew/step.h"

namespace sinew {
namespace {

using Numbers = std::vector<double>;

std::size_t count(int n) { return static_cast<std::size_t>(n); }

int checkedThreads(std::string_view function, const Model& m, const Data& d, const DerivativeOptions& options) {
  argument::pair(function, m, d);
  if (!(options.eps > 0) || !std::isfinite(options.eps)) {
    throw std::invalid_argument(fmt::format("{}: eps is {}, must be finite and above 0", function, options.eps));
  }
  if (options.threads < 0) {
    throw std::invalid_argument(fmt::format("{}: threads is {}, must be 0 (all) or more", function, options.threads));
  }
  return options.threads == 0 ? hardwareThreads() : options.threads;
}

/// q moved by `distance` along one dof.
void movePosition(const Model& m, Data& d, int dof, double distance, Numbers& tangent) {
  tangent[count(dof)] = distance;
  integratePositions(m, d.qpos.data(), tangent.data(), 1);
  tangent[count(dof)] = 0;
}

/// What one thread works with. Its Data goes back to the same state before every evaluation.
struct Worker {
  Data data;
  Numbers tangent;
  explicit Worker(const Data& d, const Model& m) : data(d), tangent(count(m.nv), 0.0) { data.threads = 1; }
};

/// What a step, or inverse dynamics, answers: coordinates (compared on their manifold), numbers, sensors.
struct Answer {
  Numbers qpos, values, sensors;
};

/// (b - a) / distance, the coordinates first. `column` has as many entries as tangent vector, values and sensors
/// together.
void difference(const Model& m, const Answer& a, const Answer& b, double distance, double* column) {
  if (!a.qpos.empty()) {
    differentiatePositions(m, column, distance, a.qpos.data(), b.qpos.data());
    column += m.nv;
  }
  for (std::size_t k = 0; k < a.values.size(); ++k) *column++ = (b.values[k] - a.values[k]) / distance;
  for (std::size_t k = 0; k < a.sensors.size(); ++k) *column++ = (b.sensors[k] - a.sensors[k]) / distance;
}

/// Which sides of a variable may be nudged to.
struct Sides {
  bool up = true, down = true;
};

/// Columns of differences: answer(worker, variable, distance) evaluates with one variable moved, sides(variable) says
/// where it may go. Returns a matrix of `variables` rows, each as long as an answer: the transpose of the derivative.
template <class Evaluate, class Allowed>
Numbers differences(const Model& m, const Data& d, const DerivativeOptions& options, int threads, int variables,
                    int length, Evaluate&& answer, Allowed&& sides) {
  Numbers rows(count(variables) * count(length), 0.0);
  std::vector<Worker> workers(count(std::max(1, std::min(threads, variables))), Worker(d, m));
  const Answer center = answer(workers[0], -1, 0.0);
  parallelFor(threads, variables, [&](int variable, int slot) {
    Worker& worker = workers[count(slot)];
    double* row = rows.data() + count(variable) * count(length);
    const Sides allowed = sides(variable);
    const double eps = options.eps;
    if (options.centered && allowed.up && allowed.down) {
      const Answer before = answer(worker, variable, -eps), after = answer(worker, variable, eps);
      difference(m, before, after, 2 * eps, row);
    } else if (allowed.up) {
      difference(m, center, answer(worker, variable, eps), eps, row);
    } else if (allowed.down) {
      difference(m, answer(worker, variable, -eps), center, eps, row);
    }
  });
  return rows;
}

/// Entries [column, column + columns) of rows [row, row + count) of the differences, transposed.
Numbers block(const Numbers& rows, int length, int row, int rowCount, int column, int columns) {
  Numbers matrix(count(rowCount) * count(columns));
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < rowCount; ++j) {
      matrix[count(i) * count(rowCount) + count(j)] = rows[count(row + j) * count(length) + count(column + i)];
    }
  }
  return matrix;
}

Numbers numbersOf(const Array<double>& array) { return {array.begin(), array.end()}; }

/// Whether a control may go up and down by eps without leaving its range.
Sides sidesOfControl(const Model& m, const Data& d, int control, double eps) {
  if (!m.actuator_ctrllimited[control] || m.opt.disabled(disable::kClampCtrl)) return {};
  const double low = m.actuator_ctrlrange[2 * control], high = m.actuator_ctrlrange[2 * control + 1];
  const double x = d.ctrl[control];
  return {.up = x >= low && x + eps <= high, .down = x - eps >= low && x <= high};
}

}  // namespace

TransitionDerivatives transitionDerivatives(const Model& m, const Data& d, const DerivativeOptions& options) {
  const int threads = checkedThreads("transitionDerivatives", m, d, options);
  const int states = 2 * m.nv + m.na, variables = states + m.nu, length = states + m.nsensordata;
  const auto answer = [&](Worker& w, int variable, double distance) {
    Data& x = w.data;
    copyState(m, d, x);
    if (variable < 0) {
    } else if (variable < m.nv) {
      movePosition(m, x, variable, distance, w.tangent);
    } else if (variable < 2 * m.nv) {
      x.qvel[variable - m.nv] += distance;
    } else if (variable < states) {
      x.act[variable - 2 * m.nv] += distance;
    } else {
      x.ctrl[variable - states] += distance;
    }
    step(m, x);
    Answer result{numbersOf(x.qpos), numbersOf(x.qvel), numbersOf(x.sensordata)};
    result.values.insert(result.values.end(), x.act.begin(), x.act.end());
    return result;
  };
  const auto sides = [&](int variable) {
    return variable < states ? Sides{} : sidesOfControl(m, d, variable - states, options.eps);
  };
  const Numbers rows = differences(m, d, options, threads, variables, length, answer, sides);
  return {.states = states,
          .controls = m.nu,
          .sensors = m.nsensordata,
          .A = block(rows, length, 0, states, 0, states),
          .B = block(rows, length, states, m.nu, 0, states),
          .C = block(rows, length, 0, states, states, m.nsensordata),
          .D = block(rows, length, states, m.nu, states, m.nsensordata)};
}

InverseDerivatives inverseDerivatives(const Model& m, const Data& d, const DerivativeOptions& options) {
  const int threads = checkedThreads("inverseDerivatives", m, d, options);
  const int length = m.nv + m.nsensordata, variables = 3 * m.nv;
  const auto answer = [&](Worker& w, int variable, double distance) {
    Data& x = w.data;
    copyState(m, d, x);
    x.qacc = d.qacc;
    if (variable < 0) {
    } else if (variable < m.nv) {
      movePosition(m, x, variable, distance, w.tangent);
    } else if (variable < 2 * m.nv) {
      x.qvel[variable - m.nv] += distance;
    } else {
      x.qacc[variable - 2 * m.nv] += distance;
    }
    inverse(m, x);
    return Answer{{}, numbersOf(x.qfrc_inverse), numbersOf(x.sensordata)};
  };
  const Numbers rows = differences(m, d, options, threads, variables, length, answer, [](int) { return Sides{}; });
  const auto part = [&](int row, int column, int columns) { return block(rows, length, row, m.nv, column, columns); };
  return {.dofs = m.nv,
          .sensors = m.nsensordata,
          .DfDq = part(0, 0, m.nv),
          .DfDv = part(m.nv, 0, m.nv),
          .DfDa = part(2 * m.nv, 0, m.nv),
          .DsDq = part(0, m.nv, m.nsensordata),
          .DsDv = part(m.nv, m.nv, m.nsensordata),
          .DsDa = part(2 * m.nv, m.nv, m.nsensordata)};
}

}  // namespace sinew
