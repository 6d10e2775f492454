#include "kinematics/kinematics.h"

namespace sinew {
namespace {

double sparseDot(const double* value, const int* column, int count, const double* x) {
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += value[k] * x[column[k]];
  return sum;
}

}  // namespace

void velocities(const Model& m, Data& d) {
  const double* v = d.qvel.data();
  for (int i = 0; i < m.ntendon; ++i) {
    const int adr = m.ten_J_rowadr[i];
    d.ten_velocity[i] = sparseDot(d.ten_J.data() + adr, m.ten_J_colind.data() + adr, m.ten_J_rownnz[i], v);
  }
  // with actuation switched off the reference engine reports actuators at rest, and so do we
  const bool off = m.opt.disabled(disable::kActuation);
  for (int u = 0; u < m.nout; ++u) {
    const int adr = d.moment_rowadr[u];
    d.actuator_velocity[u] =
        off ? 0 : sparseDot(d.actuator_moment.data() + adr, d.moment_colind.data() + adr, d.moment_rownnz[u], v);
  }
}

}  // namespace sinew
