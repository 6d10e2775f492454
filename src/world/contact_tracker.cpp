#include "world/contact_tracker.h"

#include <algorithm>
#include <numeric>

namespace sinew {

std::vector<std::uint64_t> ContactTracker::update(std::vector<ContactKey> keys,
                                                  const std::function<bool(std::uint64_t, std::uint64_t)>& keep) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return keys[i] < keys[j]; });
  for (std::size_t k = 1; k < order.size(); ++k) {
    const ContactKey& before = keys[order[k - 1]];
    ContactKey& key = keys[order[k]];
    if (before.a == key.a && before.b == key.b && before.feature == key.feature) key.rank = before.rank + 1;
  }

  std::vector<std::uint64_t> ids(keys.size());
  std::vector<Entry> entries;
  entries.reserve(keys.size());
  auto old = entries_.begin();
  const auto passOver = [&](auto until) {
    for (; old != entries_.end() && until(*old); ++old) {
      if (keep(old->key.a, old->key.b)) entries.push_back(*old);
    }
  };
  for (const std::size_t i : order) {
    passOver([&](const Entry& e) { return e.key < keys[i]; });
    const bool known = old != entries_.end() && old->key == keys[i];
    ids[i] = known ? old->id : next_++;
    if (known) ++old;
    entries.push_back({keys[i], ids[i]});
  }
  passOver([](const Entry&) { return true; });
  entries_ = std::move(entries);
  return ids;
}

}  // namespace sinew
