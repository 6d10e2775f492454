#include "sinew/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "model/history.h"
#include "model/inputs.h"
#include "model/state.h"

namespace sinew {

namespace {

/// Where mocap bodies are until the first step: where a pose that is no pose leaves them.
void placeMocapBodies(const Model& m, Data& d) {
  for (int body = 0; body < m.nbody; ++body) {
    const int id = m.body_mocapid[body];
    if (id < 0) continue;
    const double *pos = &d.mocap_pos[3 * id], *quat = &d.mocap_quat[4 * id];
    std::copy_n(isUsablePosition(pos) ? pos : &m.body_pos[3 * body], 3, &d.xpos[3 * body]);
    std::copy_n(isUsableQuat(quat) ? quat : &m.body_quat[4 * body], 4, &d.xquat[4 * body]);
  }
}

}  // namespace

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
  row_recall.clear();
  efc_type.clear();
  efc_id.clear();
  efc_state.clear();
  island.clear();
  for (Array<double>* column : {&efc_pos, &efc_margin, &efc_frictionloss, &efc_diagA, &efc_KBIP, &efc_D, &efc_R,
                                &efc_vel, &efc_aref, &efc_force}) {
    column->clear();
  }
}

void clearState(const Model& m, Data& d) {
  d.time = 0;
  d.energy = {0, 0};
  d.status = {};
  d.watch = {};
  d.forEachArray(m, [](const char*, auto& array, int, int, const char*) {
    using T = std::remove_reference_t<decltype(array[0])>;
    std::fill(array.begin(), array.end(), T{});
  });
  d.clearRows();
  d.queryTrees.forget();
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

std::vector<std::byte> saveState(const Model& m, const Data& d) {
  requireSameModel(m, d, "saveState");
  std::vector<std::byte> state;
  const auto append = [&](const void* bytes, std::size_t count) {
    const auto* p = static_cast<const std::byte*>(bytes);
    state.insert(state.end(), p, p + count);
  };
  append(&d.time, sizeof(d.time));
  d.forEachStateArray(m, [&](const char*, const auto& array, int, int, const char*) {
    append(array.data(), static_cast<std::size_t>(array.size()) * sizeof(*array.data()));
  });
  // there are as many as there were rows: they come last
  append(d.row_memory.data(), static_cast<std::size_t>(d.row_memory.size()) * sizeof(RowMemory));
  return state;
}

namespace {

/// Throws std::invalid_argument unless tree_asleep in the bytes of a state is made of rings of trees.
void requireRings(const Model& m, const Data& d, std::span<const std::byte> state) {
  std::size_t at = sizeof(d.time);
  std::vector<int> next(static_cast<std::size_t>(m.ntree));
  d.forEachStateArray(m, [&](const char* name, const auto& array, int, int, const char*) {
    const std::size_t bytes = static_cast<std::size_t>(array.size()) * sizeof(*array.data());
    if (std::string_view(name) == "tree_asleep" && bytes > 0) std::memcpy(next.data(), state.data() + at, bytes);
    at += bytes;
  });
  std::vector<char> reached(next.size(), 0);
  for (std::size_t tree = 0; tree < next.size(); ++tree) {
    const int other = next[tree];
    if (other < 0) continue;
    const bool sleeps = other < m.ntree && next[static_cast<std::size_t>(other)] >= 0;
    if (!sleeps || std::exchange(reached[static_cast<std::size_t>(other)], 1)) {
      throw std::invalid_argument(
          fmt::format("tree_asleep[{}] of the given state is {}: trees that sleep must form rings", tree, other));
    }
  }
}

}  // namespace

void readState(const Model& m, Data& d, std::span<const std::byte> state) {
  std::size_t expected = sizeof(d.time);
  d.forEachStateArray(m, [&](const char*, const auto& array, int, int, const char*) {
    expected += static_cast<std::size_t>(array.size()) * sizeof(*array.data());
  });
  static_assert(sizeof(RowMemory) == 14 * sizeof(double), "no bytes between its fields");
  if (state.size() < expected || (state.size() - expected) % sizeof(RowMemory) != 0) {
    throw std::invalid_argument(fmt::format("a state of this model has {} bytes and a multiple of {}, the given one {}",
                                            expected, sizeof(RowMemory), state.size()));
  }
  requireRings(m, d, state);
  const std::byte* p = state.data();
  const auto take = [&](void* target, std::size_t count) {
    if (count > 0) std::memcpy(target, p, count);
    p += count;
  };
  take(&d.time, sizeof(d.time));
  d.forEachStateArray(m, [&](const char*, auto& array, int, int, const char*) {
    take(array.data(), static_cast<std::size_t>(array.size()) * sizeof(*array.data()));
  });
  d.row_recall.clear();
  d.row_memory.resize(static_cast<std::ptrdiff_t>((state.size() - expected) / sizeof(RowMemory)));
  take(d.row_memory.data(), state.size() - expected);
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
