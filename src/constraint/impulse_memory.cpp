#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "collision/contact_identity.h"
#include "collision/sides.h"
#include "constraint/constraint.h"
#include "constraint/contact_target.h"
#include "constraint/impulse_rows.h"
#include "constraint/impulse_transfer.h"
#include "model/awake.h"
#include "model/state.h"
#include "model/workspace.h"

/// What is carried over from step to step: the impulses of every contact, limit, friction loss and equality, by a
/// number that says what they belong to. Both lists are in growing order of these numbers, so that finding them again
/// is one pass. Where numbers repeat (features that are not distinct), the order in which contacts were found decides.
/// What sleeps has no rows; its impulses are kept until it wakes. They are kept as forces: the next step may be of
/// another length, and loads stay what they are.
namespace sinew {
namespace {

/// Kinds in the order of rows, then what the block is about.
enum Kind : std::uint64_t { kEquality = 0, kFriction, kLimit, kGeoms, kFlexes, kSides = kSideKind };

constexpr int kKindShift = kKeyKindShift;
constexpr int kIdBits = 20, kFeatureBits = 21;
constexpr std::uint64_t kIds = std::uint64_t{1} << kIdBits, kFeatures = std::uint64_t{1} << kFeatureBits;
constexpr int kFirstShift = 31;
constexpr std::uint64_t kFirst = (std::uint64_t{1} << 30) - 1, kSecond = (std::uint64_t{1} << kFirstShift) - 1;

std::uint64_t keyOf(Kind kind, std::uint64_t first, std::uint64_t second) {
  return (std::uint64_t{kind} << kKindShift) | ((first & kFirst) << kFirstShift) | (second & kSecond);
}

Kind kindOf(std::uint64_t key) { return static_cast<Kind>(key >> kKindShift); }
int firstOf(std::uint64_t key) { return static_cast<int>((key >> kFirstShift) & kFirst); }
int secondOf(std::uint64_t key) { return static_cast<int>(key & kSecond); }

std::uint64_t keyOfGeoms(int a, int b, std::uint64_t feature) {
  const auto low = static_cast<std::uint64_t>(std::min(a, b)), high = static_cast<std::uint64_t>(std::max(a, b));
  return (std::uint64_t{kGeoms} << kKindShift) | (low << (kIdBits + kFeatureBits)) | (high << kFeatureBits) | feature;
}
std::array<int, 2> geomsOf(std::uint64_t key) {
  return {static_cast<int>((key >> (kIdBits + kFeatureBits)) & (kIds - 1)),
          static_cast<int>((key >> kFeatureBits) & (kIds - 1))};
}

/// Time in which the length of a long step is forgotten, s.
constexpr double kForgotten = 10;

/// Two geoms and a feature fit into one number, if there are less than a million geoms; anything else is hashed.
std::uint64_t keyOfContact(const Model& m, const Contact& c) {
  const ContactIdentity id = identityOf(m, c);
  if (id.second < m.ngeom && id.feature < kFeatures && static_cast<std::uint64_t>(m.ngeom) < kIds) {
    return keyOfGeoms(id.first, id.second, id.feature);
  }
  Hasher hasher;
  for (const int collider : {id.first, id.second}) hasher.add(&collider, sizeof(collider));
  hasher.add(&id.feature, sizeof(id.feature));
  return (std::uint64_t{kFlexes} << kKindShift) | (hasher.value() >> (64 - kKindShift));
}

/// The key of rows about equality, dof, tendon or joint `number`, or about the contact.
std::uint64_t keyOfRows(const Model& m, RowType type, int number, int part, const Contact* contact) {
  const auto id = static_cast<std::uint64_t>(number);
  switch (type) {
    case RowType::Equality:
      return keyOf(kEquality, id, static_cast<std::uint64_t>(part + 1));
    case RowType::FrictionDof:
    case RowType::FrictionTendon:
      return keyOf(kFriction, type == RowType::FrictionTendon, id);
    case RowType::LimitJoint:
    case RowType::LimitTendon:
      return keyOf(kLimit, type == RowType::LimitTendon, id);
    case RowType::ContactFrictionless:
    case RowType::ContactPyramidal:
    case RowType::ContactElliptic:
      break;
  }
  return keyOfContact(m, *contact);
}

bool isContact(RowType type) { return type >= RowType::ContactFrictionless; }

std::uint64_t keyOfBlock(const Model& m, const Data& d, const RowBlock& block) {
  const RowType type = d.efc_type[block.row];
  const int id = d.efc_id[block.row];
  return keyOfRows(m, type, id, block.part, isContact(type) ? &d.contact[id] : nullptr);
}

/// The blocks by growing key, equal ones in their order. They mostly come that way.
void sortBlocks(const Model& m, const Data& d, std::span<RowRecall> blocks) {
  const auto less = [](const RowRecall& a, const RowRecall& b) {
    return a.key != b.key ? a.key < b.key : a.block < b.block;
  };
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b] = {keyOfBlock(m, d, d.row_block[static_cast<std::ptrdiff_t>(b)]), static_cast<int>(b)};
  }
  if (!std::is_sorted(blocks.begin(), blocks.end(), less)) std::sort(blocks.begin(), blocks.end(), less);
}

/// An impact that bounces leaves nothing to expect of the next step.
bool bounced(const Model& m, const Data& d, const RowBlock& block) {
  if (!isContact(d.efc_type[block.row])) return false;
  const Contact& contact = d.contact[d.efc_id[block.row]];
  return effectiveRestitution(contact.restitution, d.efc_vel[block.row], m.opt.restitution_threshold) > 0;
}

/// What the key is about sleeps: it moves, and nothing that could move it is awake. Of flexes a key does not say it.
bool sleeps(const Model& m, const Data& d, std::uint64_t key) {
  switch (kindOf(key)) {
    case kEquality:
      return equalityAsleep(m, d, firstOf(key));
    case kFriction:
      return firstOf(key) ? tendonAsleep(m, d, secondOf(key)) : dofAsleep(m, d, secondOf(key));
    case kLimit:
      return firstOf(key) ? tendonAsleep(m, d, secondOf(key)) : jointAsleep(m, d, secondOf(key));
    case kGeoms: {
      const auto [a, b] = geomsOf(key);
      const int awakeA = d.body_awake[m.geom_bodyid[a]], awakeB = d.body_awake[m.geom_bodyid[b]];
      return std::max(awakeA, awakeB) == 0;
    }
    case kFlexes:
    case kSides:  // collision/sides.h
      break;
  }
  return false;
}

/// Memories of what sleeps and has no rows, in their order.
std::span<RowMemory> dormantMemories(const Model& m, const Data& d, std::span<const RowRecall> present, Arena& arena) {
  if (!someAsleep(m, d)) return {};
  const std::span<RowMemory> kept = arena.take<RowMemory>(d.row_memory.size());
  std::size_t count = 0, next = 0;
  for (const RowMemory& memory : d.row_memory) {
    while (next < present.size() && present[next].key < memory.key) ++next;
    const bool hasRows = next < present.size() && present[next].key == memory.key;
    if (!hasRows && sleeps(m, d, memory.key)) kept[count++] = memory;
  }
  return kept.first(count);
}

}  // namespace

void recallImpulses(const Model& m, Data& d) {
  std::fill(d.work->row_impulse.begin(), d.work->row_impulse.end(), 0.0);
  d.work->row_recall.resize(d.row_block.size());
  d.work->block_length.resize(d.row_block.size());
  std::fill(d.work->block_length.begin(), d.work->block_length.end(), m.opt.timestep);
  sortBlocks(m, d, d.work->row_recall);
  const bool warm = !m.opt.disabled(disable::kWarmStart);
  std::ptrdiff_t at = 0;
  for (const RowRecall& recall : d.work->row_recall) {
    while (at < d.row_memory.size() && d.row_memory[at].key < recall.key) ++at;
    if (at == d.row_memory.size()) return;
    if (d.row_memory[at].key != recall.key) continue;
    const RowBlock& block = d.row_block[recall.block];
    const RowMemory& memory = d.row_memory[at];
    for (int r = 0; warm && r < block.nrow; ++r) {
      d.work->row_impulse[block.row + r] = m.opt.timestep * memory.force[r];
    }
    // the longest step not long ago; it decays with the time constant kForgotten
    const double h = m.opt.timestep;
    d.work->block_length[recall.block] = std::max(h, memory.length * (1 - std::min(1.0, h / kForgotten)));
    ++at;
  }
}

void rememberImpulses(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<const RowMemory> dormant = dormantMemories(m, d, d.work->row_recall, d.work->arena);
  const std::ptrdiff_t most = d.work->row_recall.size() + static_cast<std::ptrdiff_t>(dormant.size());
  if (d.work->row_memory_next.size() < most) d.work->row_memory_next.resize(most);
  RowMemory* end = d.work->row_memory_next.data();
  std::size_t next = 0;
  const auto addDormantBelow = [&](std::uint64_t key) {
    while (next < dormant.size() && dormant[next].key < key) *end++ = dormant[next++];
  };
  for (const RowRecall& recall : d.work->row_recall) {
    const RowBlock& block = d.row_block[recall.block];
    const double* force = d.work->row_last.data() + block.row;
    if (std::all_of(force, force + block.nrow, [](double f) { return f == 0; }) || bounced(m, d, block)) continue;
    addDormantBelow(recall.key);
    RowMemory& memory = *end++ = {.key = recall.key};
    const auto rows = static_cast<std::size_t>(block.nrow);
    std::copy_n(force, rows, memory.force.begin());
    memory.length = d.work->block_length[recall.block];
  }
  addDormantBelow(~std::uint64_t{0});
  d.work->row_memory_next.resize(end - d.work->row_memory_next.data());
  std::swap(d.row_memory, d.work->row_memory_next);
}

namespace {

/// The number a thing has in the other model, -1: it is not there.
int numberOf(std::span<const int> numbers, int old) {
  return old < 0 || static_cast<std::size_t>(old) >= numbers.size() ? -1 : numbers[old];
}

/// The dofs of a joint are found by the joint.
int dofNumber(const Model& m, const ModelRenumbering& numbers, const Model& to, int dof) {
  const int joint = numberOf(numbers.joint, m.dof_jntid[dof]);
  return joint < 0 ? -1 : to.jnt_dofadr[joint] + dof - m.jnt_dofadr[m.dof_jntid[dof]];
}

/// Key in the other model; none if what it is about is not there. Keys of flexes are hashes and are made anew.
std::optional<std::uint64_t> keyElsewhere(const Model& m, const ModelRenumbering& numbers, const Model& to,
                                          std::uint64_t key) {
  const bool tendon = firstOf(key) != 0;
  const int id = secondOf(key);
  int number = -1;
  switch (kindOf(key)) {
    case kEquality:
      number = numberOf(numbers.equality, firstOf(key));
      return number < 0 ? std::nullopt
                        : std::optional(keyOf(kEquality, static_cast<std::uint64_t>(number), key & kSecond));
    case kFriction:
      if (tendon) number = numberOf(numbers.tendon, id);
      if (!tendon && id < m.nv_rigid) number = dofNumber(m, numbers, to, id);
      break;
    case kLimit:
      number = numberOf(tendon ? numbers.tendon : numbers.joint, id);
      break;
    case kGeoms: {
      const auto [a, b] = geomsOf(key);
      const int newA = numberOf(numbers.geom, a), newB = numberOf(numbers.geom, b);
      if (newA < 0 || newB < 0 || static_cast<std::uint64_t>(to.ngeom) >= kIds) return std::nullopt;
      return keyOfGeoms(newA, newB, key & (kFeatures - 1));
    }
    case kSides: {
      const int elem = elemOfSide(key);
      if (elem >= m.nflexelem) return std::nullopt;
      const int flex = m.flexelem_flexid[elem];
      const int geom = numberOf(numbers.geom, geomOfSide(key)), newFlex = numberOf(numbers.flex, flex);
      if (geom < 0 || newFlex < 0) return std::nullopt;
      return sideKey(geom, to.flex_elemadr[newFlex] + elem - m.flex_elemadr[flex]);
    }
    case kFlexes:
      return std::nullopt;
  }
  if (number < 0) return std::nullopt;
  return keyOf(kindOf(key), tendon, static_cast<std::uint64_t>(number));
}

/// The same for a contact of a flex.
std::optional<std::uint64_t> flexKeyElsewhere(const ModelRenumbering& numbers, const Model& to, Contact contact) {
  for (std::size_t side = 0; side < 2; ++side) {
    int& number = contact.geom[side] >= 0 ? contact.geom[side] : contact.flex[side];
    number = numberOf(contact.geom[side] >= 0 ? numbers.geom : numbers.flex, number);
    if (number < 0) return std::nullopt;
  }
  return keyOfContact(to, contact);
}

}  // namespace

void transferImpulses(const Model& m, const Data& d, const ModelRenumbering& numbers, const Model& to, Data& target) {
  requireSameModel(m, d, "transferImpulses");
  requireSameModel(to, target, "transferImpulses");
  target.row_memory.clear();
  target.work->row_recall.clear();
  std::vector<RowRecall> present(static_cast<std::size_t>(d.row_block.size()));
  sortBlocks(m, d, present);
  std::size_t next = 0;
  for (const RowMemory& memory : d.row_memory) {
    std::optional<std::uint64_t> key = keyElsewhere(m, numbers, to, memory.key);
    if (kindOf(memory.key) == kFlexes) {
      while (next < present.size() && present[next].key < memory.key) ++next;
      if (next == present.size() || present[next].key != memory.key) continue;
      const RowBlock& block = d.row_block[present[next++].block];
      key = flexKeyElsewhere(numbers, to, d.contact[d.efc_id[block.row]]);
    }
    if (!key) continue;
    target.row_memory.push_back(memory);
    target.row_memory.back().key = *key;
  }
  std::stable_sort(target.row_memory.begin(), target.row_memory.end(),
                   [](const RowMemory& a, const RowMemory& b) { return a.key < b.key; });
}

}  // namespace sinew
