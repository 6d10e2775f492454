#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sinew/spec.h"

/// Memory that a model generates: copies, grids, user data. A few lines can ask for any amount of it, so whoever makes
/// such a thing first charges its bytes to a budget. Numbers of bytes are doubles: a product of counts cannot overflow.
namespace sinew::spec {

/// "3.6 GB", "48 kB": powers of 1024, two or three digits.
std::string readableBytes(double bytes);

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t most) : most_(static_cast<double>(most)) {}

  /// Takes `bytes` for `what` ("'count' 60 60 60: 216000 points"). If they are not there, takes nothing and returns the
  /// text of the refusal: `what`, how much it needs, how much is allowed and who can allow more.
  std::optional<std::string> take(double bytes, const std::string& what);
  double used() const { return used_; }
  /// "the limit is 2 GB (...)", the end of every refusal.
  std::string limitText() const;
  double left() const { return most_ - used_; }

 private:
  double most_;
  double used_ = 0;
};

/// Memory of a body and everything below it, bytes.
double bytesOf(const Body& root);
/// Memory of a whole description.
double bytesOf(const Spec& spec);
/// What it adds to a model it is attached to: everything but its settings.
double bytesAttached(const Spec& spec);

/// Number of bodies on the longest way down from `root`, itself included.
int depthOf(const Body& root);
/// Bodies may be nested this deep, by whatever means: copying and writing them is recursive.
inline constexpr int kMaxBodyDepth = 5000;

/// Memory that the inertia matrices of a chain of `dofs` dofs take in Model and Data: every dof is coupled to all dofs
/// above it.
double chainBytes(double dofs);

}  // namespace sinew::spec
