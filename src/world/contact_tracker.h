#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sinew {

/// What makes a contact the same contact in the next update: two colliders, named by numbers that survive compilation,
/// the features that touch, and its rank among contacts that agree in all that.
struct ContactKey {
  std::uint64_t a = 0, b = 0;
  std::uint64_t feature = 0;
  int rank = 0;
  friend auto operator<=>(const ContactKey&, const ContactKey&) = default;
};

/// Gives contacts numbers that stay with them.
class ContactTracker {
 public:
  /// Ids of the contacts with these keys, whose ranks are filled in here. A key that was there in the last call keeps
  /// its id. Contacts that are missing now are forgotten, unless `keep(a, b)`: between sleepers nobody looks.
  std::vector<std::uint64_t> update(std::vector<ContactKey> keys,
                                    const std::function<bool(std::uint64_t, std::uint64_t)>& keep);

 private:
  struct Entry {
    ContactKey key;
    std::uint64_t id = 0;
  };
  std::vector<Entry> entries_;  // by growing key
  std::uint64_t next_ = 1;
};

}  // namespace sinew
