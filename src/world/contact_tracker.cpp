#include "world/contact_tracker.h"

#include <algorithm>
#include <numeric>

namespace sinew {

void ContactTracker::order() {
  order_.resize(keys_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // by their place where keys agree: std::stable_sort would allocate
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t i, std::size_t j) { return keys_[i] != keys_[j] ? keys_[i] < keys_[j] : i < j; });
  for (std::size_t k = 1; k < order_.size(); ++k) {
    const ContactKey& before = keys_[order_[k - 1]];
    ContactKey& key = keys_[order_[k]];
    if (before.a == key.a && before.b == key.b && before.feature == key.feature) key.rank = before.rank + 1;
  }
}

}  // namespace sinew
