#pragma once

#include <random>

#include "targets.h"

namespace sinew::fuzz {

/// Changes an input a little, at random: for runs without libFuzzer. The same generator gives the same changes.
class Mutator {
 public:
  explicit Mutator(const Target& target);

  /// A seed with one to four changes.
  Bytes next(std::mt19937& random) const;

 private:
  void change(Bytes& input, std::mt19937& random) const;
  void setNumber(Bytes& input, std::mt19937& random) const;

  std::vector<Bytes> seeds_;
  std::vector<std::string> words_;
  std::size_t longest_;
};

}  // namespace sinew::fuzz
