#include "mutate.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace sinew::fuzz {
namespace {

std::size_t upTo(std::size_t most, std::mt19937& random) { return random() % (most + 1); }

bool isPartOfNumber(std::uint8_t c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e'; }

void insert(Bytes& input, std::size_t at, std::string_view text) {
  input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), text.begin(), text.end());
}

void erase(Bytes& input, std::size_t at, std::size_t count) {
  const auto begin = input.begin() + static_cast<std::ptrdiff_t>(at);
  input.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, input.size() - at)));
}

/// Overwrites as much of a value as fits.
template <class T>
void overwrite(Bytes& input, std::size_t at, T value) {
  std::memcpy(input.data() + at, &value, std::min(sizeof(T), input.size() - at));
}

}  // namespace

Mutator::Mutator(const Target& target) : seeds_(target.seeds()), longest_(target.longest) {
  if (target.text) words_ = dictionary();
}

Bytes Mutator::next(std::mt19937& random) const {
  Bytes input = seeds_[random() % seeds_.size()];
  for (auto n = 1 + random() % 4; n > 0; --n) change(input, random);
  if (input.size() > longest_) input.resize(longest_);
  return input;
}

void Mutator::change(Bytes& input, std::mt19937& random) const {
  if (input.empty()) {
    input.push_back(static_cast<std::uint8_t>(random()));
    return;
  }
  const std::size_t at = random() % input.size();
  const bool text = !words_.empty();
  switch (random() % (text ? 8 : 6)) {
    case 0:
      input[at] = static_cast<std::uint8_t>(random());
      break;
    case 1:
      input[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
      break;
    case 2:
      erase(input, at, 1 + upTo(16, random));
      break;
    case 3: {  // a part of it or of another seed once more
      const Bytes& from = random() % 2 ? input : seeds_[random() % seeds_.size()];
      if (from.empty()) break;
      const std::size_t begin = random() % from.size(), count = std::min(from.size() - begin, 1 + upTo(64, random));
      const Bytes part(from.begin() + static_cast<std::ptrdiff_t>(begin),
                       from.begin() + static_cast<std::ptrdiff_t>(begin + count));
      input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), part.begin(), part.end());
      break;
    }
    case 4:
      if (text) {
        setNumber(input, random);
      } else {
        constexpr std::int32_t kInts[] = {
            0, 1, -1, 2, 65536, 1 << 24, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()};
        overwrite(input, at / 4 * 4, kInts[random() % std::size(kInts)]);
      }
      break;
    case 5:
      if (text) {
        input.resize(at);
      } else {
        constexpr double kReals[] = {0,
                                     -0.0,
                                     1,
                                     -1,
                                     1e300,
                                     1e-310,
                                     std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN()};
        overwrite(input, at / 8 * 8, kReals[random() % std::size(kReals)]);
      }
      break;
    default:
      insert(input, at, words_[random() % words_.size()]);
  }
}

void Mutator::setNumber(Bytes& input, std::mt19937& random) const {
  std::size_t begin = random() % input.size();
  while (begin < input.size() && !isPartOfNumber(input[begin])) ++begin;
  std::size_t end = begin;
  while (end < input.size() && isPartOfNumber(input[end])) ++end;
  constexpr std::string_view kNumbers[] = {"0",     "-1",         "1",           "2",          "3",     "7",      "100",
                                           "1e-9",  "1e9",        "-0.5",        "0.001",      "1e300", "1e-300", "nan",
                                           "65537", "2147483647", "-2147483648", "4294967297", "1 2"};
  erase(input, begin, end - begin);
  insert(input, std::min(begin, input.size()), kNumbers[random() % std::size(kNumbers)]);
}

}  // namespace sinew::fuzz
