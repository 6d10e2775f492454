#include "base/nearest_word.h"

#include <algorithm>
#include <vector>

namespace sinew {
namespace {

/// Number of edits (insert, delete, replace, swap of neighbours) between two words.
int editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64;  // nobody misspells a longer word; bounds the work
  if (word.size() > kLongest) return {};
  std::string_view best;
  int bestDistance = static_cast<int>(std::min<std::size_t>(word.size() / 2, 3)) + 1;
  for (const std::string_view candidate : candidates) {
    const int distance = editDistance(word, candidate);
    if (distance < bestDistance) best = candidate, bestDistance = distance;
  }
  return best;
}

}  // namespace sinew
