#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// What makes a contact the same contact in the next update: the identity that collision gives it
/// (collision/contact_identity.h), with colliders named by numbers that survive compilation, and its rank among
/// contacts that agree in all that.
struct ContactKey {
  std::uint64_t a = 0, b = 0;
  std::uint64_t feature = 0;
  int rank = 0;
  friend auto operator<=>(const ContactKey&, const ContactKey&) = default;
};

/// Gives contacts numbers that stay with them. Allocates nothing once it has had as many contacts.
class ContactTracker {
 public:
  struct Entry {
    ContactKey key;
    std::uint64_t id = 0;
  };

  /// Starts a list of the contacts there are now.
  void begin() { keys_.clear(); }
  void add(const ContactKey& key) { keys_.push_back(key); }

  /// Numbers the contacts that were added, in their order; ranks are filled in here. A key that was there the last time
  /// keeps its number. Contacts that are missing now are forgotten, unless `keep(a, b)`: between sleepers nobody looks.
  template <class Keep>
  void finish(Keep&& keep) {
    order();
    ids_.resize(keys_.size());
    next_entries_.clear();
    std::size_t old = 0;
    const auto passOver = [&](auto&& until) {
      for (; old < entries_.size() && until(entries_[old]); ++old) {
        if (keep(entries_[old].key.a, entries_[old].key.b)) next_entries_.push_back(entries_[old]);
      }
    };
    for (const std::size_t i : order_) {
      passOver([&](const Entry& e) { return e.key < keys_[i]; });
      const bool known = old < entries_.size() && entries_[old].key == keys_[i];
      ids_[i] = known ? entries_[old++].id : next_++;
      next_entries_.push_back({keys_[i], ids_[i]});
    }
    passOver([](const Entry&) { return true; });
    entries_.swap(next_entries_);
  }

  std::uint64_t id(int contact) const { return ids_[contact]; }
  std::vector<Entry>& entries() { return entries_; }
  std::uint64_t& next() { return next_; }

 private:
  void order();  ///< keys by growing order, ranks

  std::vector<Entry> entries_, next_entries_;  // by growing key
  std::vector<ContactKey> keys_;
  std::vector<std::size_t> order_;
  std::vector<std::uint64_t> ids_;
  std::uint64_t next_ = 1;
};

}  // namespace sinew
