#include "compile/custom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "compile/place.h"
#include "math/quat.h"
#include "sinew/reference_layout.h"

namespace sinew::draft {
namespace {

/// A bound on lists whose length is a number in the file, so that a typing error does not exhaust the memory.
constexpr std::int64_t kMaxNumbers = 100'000'000;

int numericSize(const spec::Numeric& numeric) {
  const Place place = placeOf(numeric);
  const int given = static_cast<int>(numeric.data.size());
  if (numeric.size != 0 && numeric.size < given) {
    place.fail(fmt::format("'size' is {}, but there are {} numbers", numeric.size, given));
  }
  const int size = std::max(numeric.size, given);
  if (size == 0) place.fail("'size' is 0 and there are no numbers");
  return size;
}

/// Where a keyframe stands. Its lists may be shorter than the model unless the layout of the model depends on their
/// length.
struct KeyPlace {
  const Draft& draft;
  Place place;
  bool mayBeShort;
};

/// Row `key` of a keyframe array, which holds the reference configuration: the list that was given, if any, written
/// over it. NaN entries leave the reference, and so do those that a short list lacks.
void putList(const std::optional<std::vector<double>>& list, const char* name, int expected, int key,
             const KeyPlace& at, Array<double>& rows) {
  if (!list || list->empty()) return;
  const int given = static_cast<int>(list->size());
  if (given > expected || (given < expected && !at.mayBeShort)) {
    at.place.fail(fmt::format("'{}' needs {} numbers, found {}", name, expected, given));
  }
  if (given < expected) {
    at.draft.warn(at.place.message(fmt::format(
        "'{}' has {} of {} numbers: the others are those of the reference configuration", name, given, expected)));
  }
  double* row = rows.data() + static_cast<std::ptrdiff_t>(key) * expected;
  for (const double number : *list) {
    if (!std::isnan(number)) *row = number;
    ++row;
  }
}

/// True if the numbers of positions (or else velocities) in a keyframe are to be read as the reference engine counts
/// them: the keyframe says so, or says nothing and their number fits.
bool countsAsReference(const spec::Key& key, const ReferenceLayout& layout) {
  if (key.layout != spec::KeyLayout::Auto) return key.layout == spec::KeyLayout::Reference;
  if (key.qpos && !key.qpos->empty()) return static_cast<int>(key.qpos->size()) == layout.nq();
  return key.qvel && static_cast<int>(key.qvel->size()) == layout.nv();
}

/// Positions and velocities of a keyframe with the flex nodes as the reference engine counts them.
void putReferenceState(const spec::Key& key, int id, const KeyPlace& at, ReferenceLayout& layout, Model& m) {
  double* qpos = m.key_qpos.data() + static_cast<std::ptrdiff_t>(id) * m.nq;
  double* qvel = m.key_qvel.data() + static_cast<std::ptrdiff_t>(id) * m.nv;
  Array<double> numbers;
  numbers.assign(layout.nq(), 0.0);
  layout.positionsToReference(m.qpos0.data(), numbers.data());
  putList(key.qpos, "qpos", layout.nq(), 0, at, numbers);
  if (key.qpos && !key.qpos->empty()) layout.positionsFromReference(numbers.data(), qpos);
  numbers.assign(layout.nv(), 0.0);
  putList(key.qvel, "qvel", layout.nv(), 0, at, numbers);
  if (key.qvel && !key.qvel->empty()) layout.velocitiesFromReference(qpos, numbers.data(), qvel);
}

/// A list that counts the joints alone, as keyframes of attached models do, says nothing about flex nodes.
std::optional<std::vector<double>> ofJoints(const std::optional<std::vector<double>>& list, int rigid, int all) {
  if (!list || rigid == all || static_cast<int>(list->size()) != rigid) return list;
  std::vector<double> longer = *list;
  longer.resize(static_cast<std::size_t>(all), std::nan(""));
  return longer;
}

void writeKey(const Draft& draft, const spec::Key& key, int id, ReferenceLayout* layout, Model& m) {
  const KeyPlace at{draft, placeOf(key), layout == nullptr};
  m.key_time[id] = key.time;
  std::copy(m.qpos0.begin(), m.qpos0.end(), m.key_qpos.begin() + static_cast<std::ptrdiff_t>(id) * m.nq);
  if (layout && countsAsReference(key, *layout)) {
    putReferenceState(key, id, at, *layout, m);
  } else {
    putList(ofJoints(key.qpos, m.nq_rigid, m.nq), "qpos", m.nq, id, at, m.key_qpos);
    putList(ofJoints(key.qvel, m.nv_rigid, m.nv), "qvel", m.nv, id, at, m.key_qvel);
  }
  putList(key.act, "act", m.na, id, at, m.key_act);
  putList(key.ctrl, "ctrl", m.nu, id, at, m.key_ctrl);

  double* pos = m.key_mpos.data() + static_cast<std::ptrdiff_t>(id) * 3 * m.nmocap;
  double* quat = m.key_mquat.data() + static_cast<std::ptrdiff_t>(id) * 4 * m.nmocap;
  for (int b = 0; b < m.nbody; ++b) {
    const int mocap = m.body_mocapid[b];
    if (mocap < 0) continue;
    std::copy_n(m.body_pos.data() + 3 * b, 3, pos + 3 * mocap);
    std::copy_n(m.body_quat.data() + 4 * b, 4, quat + 4 * mocap);
  }
  putList(key.mpos, "mpos", 3 * m.nmocap, id, at, m.key_mpos);
  putList(key.mquat, "mquat", 4 * m.nmocap, id, at, m.key_mquat);
  for (int i = 0; i < m.nmocap; ++i) normalized(Quat::load(quat + 4 * i)).store(quat + 4 * i);

  double* qpos = m.key_qpos.data() + static_cast<std::ptrdiff_t>(id) * m.nq;
  for (int j = 0; j < m.njnt; ++j) {
    const JointType type = m.jnt_type[j];
    if (type != JointType::Free && type != JointType::Ball) continue;
    double* q = qpos + m.jnt_qposadr[j] + (type == JointType::Free ? 3 : 0);
    normalized(Quat::load(q)).store(q);
  }
}

}  // namespace

void setCustomSizes(const Spec& spec, Model& m) {
  std::int64_t numbers = 0, characters = 0;
  for (const spec::Numeric& numeric : spec.numerics) {
    numbers += numericSize(numeric);
    if (numbers > kMaxNumbers)
      placeOf(numeric).fail(
          fmt::format("all <numeric> up to here have {} numbers, {} is the limit", numbers, kMaxNumbers));
  }
  for (const spec::Text& text : spec.texts) {
    if (text.data.empty()) placeOf(text).fail("'data' is empty");
    characters += static_cast<std::int64_t>(text.data.size()) + 1;
    if (characters > kMaxNumbers)
      placeOf(text).fail(
          fmt::format("all <text> up to here have {} characters, {} is the limit", characters, kMaxNumbers));
  }
  m.nnumeric = static_cast<int>(spec.numerics.size());
  m.nnumericdata = static_cast<int>(numbers);
  m.ntext = static_cast<int>(spec.texts.size());
  m.ntextdata = static_cast<int>(characters);
  m.ntuple = static_cast<int>(spec.tuples.size());
  for (const spec::Tuple& tuple : spec.tuples) {
    if (tuple.entries.empty()) placeOf(tuple).fail("the tuple is empty");
    m.ntupledata += static_cast<int>(tuple.entries.size());
  }
  m.nkey = std::max(static_cast<int>(spec.keys.size()), spec.size.nkey);
  m.nuserdata = std::max(0, spec.size.nuserdata);
}

void writeCustom(const Spec& spec, const Names& names, Model& m) {
  int address = 0;
  for (int i = 0; i < m.nnumeric; ++i) {
    const spec::Numeric& numeric = spec.numerics[i];
    m.numeric_adr[i] = address;
    m.numeric_size[i] = numericSize(numeric);
    std::copy(numeric.data.begin(), numeric.data.end(), m.numeric_data.begin() + address);
    address += m.numeric_size[i];
  }
  address = 0;
  for (int i = 0; i < m.ntext; ++i) {
    const std::string& data = spec.texts[i].data;
    m.text_adr[i] = address;
    m.text_size[i] = static_cast<int>(data.size()) + 1;
    std::copy(data.begin(), data.end(), m.text_data.begin() + address);
    address += m.text_size[i];
  }
  address = 0;
  for (int i = 0; i < m.ntuple; ++i) {
    const spec::Tuple& tuple = spec.tuples[i];
    m.tuple_adr[i] = address;
    m.tuple_size[i] = static_cast<int>(tuple.entries.size());
    for (const spec::TupleEntry& entry : tuple.entries) {
      m.tuple_objtype[address] = entry.objtype;
      m.tuple_objid[address] = names.need(entry.objtype, entry.objname, placeOf(tuple));
      m.tuple_objprm[address] = entry.prm;
      ++address;
    }
  }
}

void writeKeyframes(const Draft& draft, Model& m) {
  const Spec& spec = *draft.spec;
  const spec::Key empty;
  std::optional<ReferenceLayout> layout;
  if (m.nflexnode > 0 && m.nkey > 0) layout.emplace(m);
  for (int i = 0; i < m.nkey; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    writeKey(draft, k < spec.keys.size() ? spec.keys[k] : empty, i, layout ? &*layout : nullptr, m);
  }
}

}  // namespace sinew::draft
