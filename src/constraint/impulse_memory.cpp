#include <algorithm>
#include <optional>
#include <span>

#include "base/hash.h"
#include "constraint/constraint.h"
#include "constraint/contact_target.h"
#include "constraint/impulse_rows.h"
#include "constraint/impulse_transfer.h"

/// What is carried over from step to step: the impulses of every contact, limit, friction loss and equality, by a
/// number that says what they belong to. Both lists are in growing order of these numbers, so that finding them again
/// is one pass. Where numbers repeat (features that are not distinct), the order in which contacts were found decides.
namespace sinew {
namespace {

/// Kinds in the order of rows, then what the block is about.
enum Kind : std::uint64_t { kEquality = 0, kFriction, kLimit, kGeoms, kFlexes };

constexpr int kKindShift = 61;
constexpr int kIdBits = 20, kFeatureBits = 21;

std::uint64_t keyOf(Kind kind, std::uint64_t first, std::uint64_t second) {
  constexpr std::uint64_t kHalf = (std::uint64_t{1} << 30) - 1;
  return (std::uint64_t{kind} << kKindShift) | ((first & kHalf) << 31) | (second & ((kHalf << 1) | 1));
}

/// Two geoms and a feature fit into one number, if there are less than a million geoms; anything else is hashed.
std::uint64_t keyOfContact(const Model& m, const Contact& c) {
  constexpr std::uint64_t kIds = std::uint64_t{1} << kIdBits, kFeatures = std::uint64_t{1} << kFeatureBits;
  const auto feature = static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.feature));
  if (c.geom[0] >= 0 && c.geom[1] >= 0 && feature < kFeatures && static_cast<std::uint64_t>(m.ngeom) < kIds) {
    const auto low = static_cast<std::uint64_t>(std::min(c.geom[0], c.geom[1]));
    const auto high = static_cast<std::uint64_t>(std::max(c.geom[0], c.geom[1]));
    return (std::uint64_t{kGeoms} << kKindShift) | (low << (kIdBits + kFeatureBits)) | (high << kFeatureBits) | feature;
  }
  Hasher hasher;
  for (const auto& ids : {c.geom, c.flex, c.elem, c.vert}) hasher.add(ids.data(), sizeof(ids));
  hasher.add(&c.feature, sizeof(c.feature));
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

struct Entry {
  std::uint64_t key = 0;
  int block = 0;
};

/// Blocks by growing key, equal ones in their order. They mostly come that way.
std::span<Entry> sortedBlocks(const Model& m, const Data& d, Arena& arena) {
  const std::span<Entry> entries = arena.take<Entry>(d.row_block.size());
  const auto less = [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.block < b.block; };
  for (std::size_t b = 0; b < entries.size(); ++b) {
    entries[b] = {keyOfBlock(m, d, d.row_block[static_cast<std::ptrdiff_t>(b)]), static_cast<int>(b)};
  }
  if (!std::is_sorted(entries.begin(), entries.end(), less)) std::sort(entries.begin(), entries.end(), less);
  return entries;
}

/// An impact that bounces leaves nothing to expect of the next step.
bool bounced(const Model& m, const Data& d, const RowBlock& block) {
  if (!isContact(d.efc_type[block.row])) return false;
  const Contact& contact = d.contact[d.efc_id[block.row]];
  return effectiveRestitution(contact.restitution, d.efc_vel[block.row], m.opt.restitution_threshold) > 0;
}

}  // namespace

void recallImpulses(const Model& m, Data& d) {
  std::fill(d.efc_force.begin(), d.efc_force.end(), 0.0);
  if (m.opt.disabled(disable::kWarmStart) || d.row_memory.empty()) return;
  const Arena::Scope scope(d.arena);
  const RowMemory* memory = d.row_memory.data();
  const RowMemory* const end = memory + d.row_memory.size();
  for (const Entry& entry : sortedBlocks(m, d, d.arena)) {
    while (memory != end && memory->key < entry.key) ++memory;
    if (memory == end) return;
    if (memory->key != entry.key) continue;
    const RowBlock& block = d.row_block[entry.block];
    std::copy_n(memory->impulse.begin(), block.nrow, d.efc_force.data() + block.row);
    ++memory;
  }
}

void rememberImpulses(const Model& m, Data& d) {
  const Arena::Scope scope(d.arena);
  d.row_memory.clear();
  for (const Entry& entry : sortedBlocks(m, d, d.arena)) {
    const RowBlock& block = d.row_block[entry.block];
    const double* force = d.efc_force.data() + block.row;
    if (std::all_of(force, force + block.nrow, [](double f) { return f == 0; }) || bounced(m, d, block)) continue;
    RowMemory memory{.key = entry.key};
    for (int r = 0; r < block.nrow; ++r) memory.impulse[static_cast<std::size_t>(r)] = m.opt.timestep * force[r];
    d.row_memory.push_back(memory);
  }
}

namespace {

/// The number a thing has in the other model, -1: it is not there.
int numberOf(std::span<const int> numbers, int old) {
  return old < 0 || static_cast<std::size_t>(old) >= numbers.size() ? -1 : numbers[static_cast<std::size_t>(old)];
}

/// The dofs of a joint are found by the joint.
int dofNumber(const Model& m, const ModelRenumbering& numbers, const Model& to, int dof) {
  const int joint = numberOf(numbers.joint, m.dof_jntid[dof]);
  return joint < 0 ? -1 : to.jnt_dofadr[joint] + dof - m.jnt_dofadr[m.dof_jntid[dof]];
}

/// Key of the block in the other model; none if what it is about is not there.
std::optional<std::uint64_t> keyElsewhere(const Model& m, const Data& d, const ModelRenumbering& numbers,
                                          const Model& to, const RowBlock& block) {
  const RowType type = d.efc_type[block.row];
  const int id = d.efc_id[block.row];
  if (isContact(type)) {
    Contact contact = d.contact[id];
    for (std::size_t side = 0; side < 2; ++side) {
      int& number = contact.geom[side] >= 0 ? contact.geom[side] : contact.flex[side];
      number = numberOf(contact.geom[side] >= 0 ? numbers.geom : numbers.flex, number);
      if (number < 0) return std::nullopt;
    }
    return keyOfRows(to, type, -1, -1, &contact);
  }
  int number = -1;
  if (type == RowType::Equality) number = numberOf(numbers.equality, id);
  if (type == RowType::LimitJoint) number = numberOf(numbers.joint, id);
  if (type == RowType::FrictionDof && id < m.nv_rigid) number = dofNumber(m, numbers, to, id);
  if (type == RowType::FrictionTendon || type == RowType::LimitTendon) number = numberOf(numbers.tendon, id);
  if (number < 0) return std::nullopt;
  return keyOfRows(to, type, number, block.part, nullptr);
}

}  // namespace

void transferImpulses(const Model& m, const Data& d, const ModelRenumbering& numbers, const Model& to, Data& target) {
  target.row_memory.clear();
  Arena arena;
  const RowMemory* memory = d.row_memory.data();
  const RowMemory* const end = memory + d.row_memory.size();
  for (const Entry& entry : sortedBlocks(m, d, arena)) {
    while (memory != end && memory->key < entry.key) ++memory;
    if (memory == end) break;
    if (memory->key != entry.key) continue;
    const auto key = keyElsewhere(m, d, numbers, to, d.row_block[entry.block]);
    if (key) target.row_memory.push_back({*key, memory->impulse});
    ++memory;
  }
  std::stable_sort(target.row_memory.begin(), target.row_memory.end(),
                   [](const RowMemory& a, const RowMemory& b) { return a.key < b.key; });
}

}  // namespace sinew
