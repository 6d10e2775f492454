#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinew {

/// Places that handles name. A place is used again after its thing is gone, with the next generation, so that an old
/// handle never names the new thing.
template <class Id>
class Slots {
 public:
  Id add(std::size_t index) {
    std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
    if (free_.empty()) {
      slots_.push_back({});
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    slots_[slot].index = index;
    slots_[slot].taken = true;
    Id id;
    id.slot = slot;
    id.generation = slots_[slot].generation;
    return id;
  }

  /// Index of what the handle names, none if that is gone.
  std::optional<std::size_t> find(Id id) const {
    if (id.slot >= slots_.size()) return std::nullopt;
    const Slot& slot = slots_[id.slot];
    if (!slot.taken || slot.generation != id.generation) return std::nullopt;
    return slot.index;
  }

  void move(Id id, std::size_t index) { slots_[id.slot].index = index; }

  void remove(Id id) {
    Slot& slot = slots_[id.slot];
    slot.taken = false;
    if (++slot.generation == 0) slot.generation = 1;  // 0 names nothing
    free_.push_back(id.slot);
  }

 private:
  struct Slot {
    std::size_t index = 0;
    std::uint32_t generation = 1;
    bool taken = false;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace sinew
