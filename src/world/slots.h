#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinew {

/// Places that handles name. A place is used again after its thing is gone, with a generation it never had, so that an
/// old handle never names the new thing.
template <class Id>
class Slots {
 public:
  struct Slot {
    std::size_t index = 0;
    std::uint32_t generation = 1;  ///< of what is there; of what comes, if it is free
    std::uint32_t next = 2;        ///< that it has never had
    bool taken = false;
  };

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
    renew(slot);
    free_.push_back(id.slot);
  }

  /// After going back to these slots from `later`: no handle that was given out then will name something again, unless
  /// it names something here.
  void outlive(const Slots& later) {
    for (std::size_t i = 0; i < later.slots_.size(); ++i) {
      if (i == slots_.size()) {
        slots_.push_back({});
        free_.push_back(static_cast<std::uint32_t>(i));
      }
      Slot& slot = slots_[i];
      slot.next = std::max(slot.next, later.slots_[i].next);
      if (!slot.taken) renew(slot);
    }
  }

  std::vector<Slot>& slots() { return slots_; }
  std::vector<std::uint32_t>& free() { return free_; }

 private:
  static void renew(Slot& slot) {
    slot.generation = slot.next++;
    if (slot.next == 0) slot.next = 1;  // 0 names nothing
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace sinew
