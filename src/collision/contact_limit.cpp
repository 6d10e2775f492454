#include "collision/contact_limit.h"

#include <algorithm>
#include <numeric>

#include "model/workspace.h"

namespace sinew {
namespace {

int colliderOf(const Model& m, const Contact& contact, std::size_t side) {
  return contact.geom[side] >= 0 ? contact.geom[side] : m.ngeom + contact.flex[side];
}

/// Moves the carriers of the contacts to the front of their lists. Contacts of a pair of geoms share theirs, and sides
/// follow each other in the lists as they do in the contacts.
void packSupports(Data& d) {
  int from = -1, to = 0, end = 0;  // the last sides that were moved
  for (Contact& contact : d.contact) {
    const int begin = contact.side[0].begin, count = contact.side[0].count + contact.side[1].count;
    if (begin != from) {
      from = begin;
      to = end;
      for (int k = 0; k < count; ++k, ++end) {
        d.support_carrier[end] = d.support_carrier[begin + k];
        d.support_weight[end] = d.support_weight[begin + k];
      }
    }
    contact.side[0].begin = to;
    contact.side[1].begin = to + contact.side[0].count;
  }
  d.support_carrier.resize(end);
  d.support_weight.resize(end);
}

}  // namespace

void ContactLimit::thinned(int collider1, int collider2, std::ptrdiff_t found) {
  if (found <= most_) return;
  most_ = found;
  thinnedPair_ = {collider1, collider2};
}

void ContactLimit::keepDeepest() {
  const Arena::Scope scope(d_.work->arena);
  const std::ptrdiff_t count = d_.contact.size();
  const std::span<int> order = d_.work->arena.take<int>(count);
  std::iota(order.begin(), order.end(), 0);
  const auto overlap = [&](int i) { return d_.contact[i].dist - d_.contact[i].includemargin; };
  const auto kept = order.first(static_cast<std::size_t>(kMostContacts));
  std::nth_element(order.begin(), order.begin() + kMostContacts, order.end(),
                   [&](int i, int j) { return overlap(i) != overlap(j) ? overlap(i) < overlap(j) : i < j; });
  if (dropped_ == 0) {
    const Contact& first = d_.contact[*std::min_element(order.begin() + kMostContacts, order.end())];
    pair_ = {colliderOf(m_, first, 0), colliderOf(m_, first, 1)};
  }
  dropped_ += count - kMostContacts;
  std::sort(kept.begin(), kept.end());
  for (std::ptrdiff_t i = 0; i < kMostContacts; ++i) d_.contact[i] = d_.contact[kept[i]];
  d_.contact.resize(kMostContacts);
  packSupports(d_);
}

void ContactLimit::finish() {
  if (d_.contact.size() > kMostContacts) keepDeepest();
  if (dropped_ == 0 && most_ == 0) return;
  const bool first = d_.status[Trouble::ContactLimit].count == 0;
  d_.status.note(Trouble::ContactLimit, -1, d_.time);
  if (!first) return;
  TroubleReport& report = d_.status[Trouble::ContactLimit];
  report.collider = dropped_ > 0 ? pair_ : thinnedPair_;
  report.first = dropped_ > 0 ? -1 : 0;
  report.value = static_cast<double>(dropped_ > 0 ? dropped_ + d_.contact.size() : most_);
}

}  // namespace sinew
