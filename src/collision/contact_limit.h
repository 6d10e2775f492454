#pragma once

#include <array>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Contacts of one step at most; as many pyramids of four rows take about half a gigabyte.
inline constexpr std::ptrdiff_t kMostContacts = 250000;

/// Keeps d.contact within kMostContacts, and twice that while contacts are added: the deepest ones stay, in their
/// order. What was left out, here or by a collider that thinned out its points, is noted as Trouble::ContactLimit, once
/// a step.
class ContactLimit {
 public:
  ContactLimit(const Model& m, Data& d) : m_(m), d_(d) {}

  /// To be called after a few contacts have been added.
  void check() {
    if (d_.contact.size() > 2 * kMostContacts) keepDeepest();
  }
  /// Two colliders touch in `found` points, not all of which became contacts.
  void thinned(int collider1, int collider2, std::ptrdiff_t found);
  /// After all contacts have been added.
  void finish();

 private:
  void keepDeepest();

  const Model& m_;
  Data& d_;
  std::ptrdiff_t dropped_ = 0;       ///< by keepDeepest()
  std::array<int, 2> pair_{-1, -1};  ///< of the first contact dropped
  std::ptrdiff_t most_ = 0;          ///< points of the pair that was thinned out most
  std::array<int, 2> thinnedPair_{-1, -1};
};

}  // namespace sinew
