#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "model/state.h"
#include "sinew/data.h"
#include "step/sleep.h"

// Where a simulation begins: at the reference pose or at a keyframe. Trees that sleep there
// keep what a step would have computed, so these functions stand after the stages, not with the rest of Data.
namespace sinew {

Data::Data(const Model& m) {
  allocate(m, *this);
  reset(m, *this);
}

void reset(const Model& m, Data& d) {
  requireSameModel(m, d, "reset");
  clearState(m, d);
  startAsleep(m, d);
}

void resetToKey(const Model& m, Data& d, int key) {
  requireSameModel(m, d, "resetToKey");
  if (key < 0 || key >= m.nkey) {
    throw std::out_of_range(fmt::format("keyframe {} does not exist: the model has {}", key, m.nkey));
  }
  reset(m, d);
  const auto take = [key](const Array<double>& keys, Array<double>& target) {
    std::copy_n(keys.data() + key * target.size(), target.size(), target.data());
  };
  d.time = m.key_time[key];
  take(m.key_qpos, d.qpos);
  take(m.key_qvel, d.qvel);
  take(m.key_act, d.act);
  take(m.key_mpos, d.mocap_pos);
  take(m.key_mquat, d.mocap_quat);
  take(m.key_ctrl, d.ctrl);
}

}  // namespace sinew
