#include "sinew/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/hash.h"
#include "model/history.h"
#include "model/inputs.h"
#include "model/state.h"
#include "model/workspace.h"

namespace sinew {

void placeMocapBodies(const Model& m, Data& d) {
  for (int body = 0; body < m.nbody; ++body) {
    const int id = m.body_mocapid[body];
    if (id < 0) continue;
    const double *pos = &d.mocap_pos[3 * id], *quat = &d.mocap_quat[4 * id];
    std::copy_n(isUsablePosition(pos) ? pos : &m.body_pos[3 * body], 3, &d.xpos[3 * body]);
    std::copy_n(isUsableQuat(quat) ? quat : &m.body_quat[4 * body], 4, &d.xquat[4 * body]);
  }
}

void requireSameModel(const Model& m, const Data& d, const char* function) {
  if (d.signature == m.signature) return;
  throw std::invalid_argument(fmt::format("{}: the Data was made for another Model", function));
}

void allocate(const Model& m, Data& d) {
  d.signature = m.signature;
  d.forEachArray(m, [](const char*, auto& array, int rows, int cols, const char*) {
    using T = std::remove_reference_t<decltype(array[0])>;
    array.assign(static_cast<std::ptrdiff_t>(rows) * cols, T{});
  });
}

void Data::clearRows() {
  ne = nf = nl = 0;
  row_block.clear();
  row_column.clear();
  row_value.clear();
  row_cone.clear();
  work->row_recall.clear();
  efc_type.clear();
  efc_id.clear();
  efc_state.clear();
  island.clear();
  for (Array<double>* column : {&efc_pos, &efc_margin, &efc_frictionloss, &efc_diagA, &efc_KBIP, &efc_D, &efc_R,
                                &efc_vel, &efc_aref, &efc_target, &efc_force}) {
    column->clear();
  }
}

void clearState(const Model& m, Data& d) {
  d.time = 0;
  d.energy = {0, 0};
  d.status = {};
  d.work->watch = {};
  d.callbackError.clear();
  d.work->stagesRun = 0;
  d.work->halfway = 0;
  d.forEachArray(m, [](const char*, auto& array, int, int, const char*) {
    using T = std::remove_reference_t<decltype(array[0])>;
    std::fill(array.begin(), array.end(), T{});
  });
  d.clearRows();
  d.work->queryTrees.forget();
  d.contact.clear();
  d.support_carrier.clear();
  d.support_weight.clear();
  d.row_memory.clear();
  d.qpos = m.qpos0;
  d.eq_active = m.eq_active0;
  history::reset(m, d);
  for (int u = 0; u < m.nactuator; ++u) {  // a quaternion that asks for no rotation
    const bool quaternion = m.actuator_gaintype[u] == GainType::So3 && m.actuator_ctrlspec[u] == input::kQuaternion;
    if (quaternion) d.ctrl[m.actuator_ctrladr[u]] = 1;
  }
  for (int body = 0; body < m.nbody; ++body) {
    const int id = m.body_mocapid[body];
    if (id < 0) continue;
    std::copy_n(m.body_pos.data() + 3 * body, 3, d.mocap_pos.data() + 3 * id);
    std::copy_n(m.body_quat.data() + 4 * body, 4, d.mocap_quat.data() + 4 * id);
  }
  placeMocapBodies(m, d);
}

std::uint64_t stateHash(const Model& m, const Data& d) {
  requireSameModel(m, d, "stateHash");
  Hasher hasher;
  hasher.add(&d.time, sizeof(d.time));
  d.forEachStateArray(m, [&](const char*, const auto& array, int, int, const char*) {
    hasher.add(array.data(), static_cast<std::size_t>(array.size()) * sizeof(*array.data()));
  });
  hasher.add(d.row_memory.data(), static_cast<std::size_t>(d.row_memory.size()) * sizeof(RowMemory));
  return hasher.value();
}

}  // namespace sinew
