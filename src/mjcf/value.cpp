#include "mjcf/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "base/nearest_word.h"

namespace sinew::mjcf {
namespace {

constexpr std::string_view kSpaces = " \t\n\r\v\f";

/// Calls use(word) for each word of the text.
template <class Use>
void forEachWord(std::string_view text, Use use) {
  for (std::size_t begin = text.find_first_not_of(kSpaces); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
    use(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpaces, end);
  }
}

[[noreturn]] void failCount(std::string_view text, const ValueFormat& format) {
  throw ValueError{fmt::format("needs {}, found {}", describeCount(format), quoted(text))};
}

bool isSpecial(std::string_view word) {
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(c | 0x20); });
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

template <class T>
std::vector<T> parseAll(std::string_view text, const ValueFormat& format) {
  std::vector<T> numbers;
  forEachWord(text, [&](std::string_view word) {
    if constexpr (std::is_same_v<T, double>) {
      if (format.reference && word == kReferenceWord) {
        numbers.push_back(std::numeric_limits<double>::quiet_NaN());
        return;
      }
    }
    std::string_view digits = word;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    if constexpr (std::is_floating_point_v<T>) {
      if (isSpecial(digits)) throw ValueError{fmt::format("must be finite, found {}", quoted(text))};
    }
    T number{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc::result_out_of_range) {
      // a number too small to represent is as good as zero; one too large has no meaning
      if constexpr (std::is_floating_point_v<T>)
        number = static_cast<T>(std::strtod(std::string(digits).c_str(), nullptr));
      if (!std::is_floating_point_v<T> || std::isinf(static_cast<double>(number)))
        throw ValueError{fmt::format("has a number out of range, found {}", quoted(text))};
    } else if (error != std::errc() || end != digits.data() + digits.size()) {
      failCount(text, format);
    }
    numbers.push_back(number);
  });
  const int count = static_cast<int>(numbers.size());
  if (count < format.min || (format.max != kAnyCount && count > format.max)) failCount(text, format);
  return numbers;
}

template <class T>
std::string shortest(T value) {
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end);
}

std::string listWords(Keywords keywords) {
  std::string text;
  for (const Keyword& k : keywords) text.append(text.empty() ? "" : ", ").append(k.word);
  return text;
}

int valueOfWord(std::string_view word, Keywords keywords) {
  for (const Keyword& k : keywords) {
    if (k.word != word) continue;
    if (!k.unsupported.empty()) throw ValueError{fmt::format("is \"{}\": {} is not supported", word, k.unsupported)};
    return k.value;
  }
  std::vector<std::string_view> words;
  for (const Keyword& k : keywords) words.push_back(k.word);
  const std::string near = nearest(word, words);
  throw ValueError{fmt::format("must be one of {}; found {}{}", listWords(keywords), quoted(word),
                               near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near))};
}

}  // namespace

std::string describeCount(const ValueFormat& f) {
  const bool integer = f.kind == ValueFormat::Kind::Int;
  const std::string_view one = integer ? "integer" : "number", many = integer ? "integers" : "numbers";
  if (f.max == kAnyCount) return std::string(many);
  if (f.min == f.max) return f.min == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", f.min, many);
  return fmt::format("{} to {} {}", f.min, f.max, many);
}

std::string describeFormat(const ValueFormat& f) {
  using Kind = ValueFormat::Kind;
  if (f.kind == Kind::Text) return "text";
  if (f.kind == Kind::Bool) return "true, false";
  if (f.kind == Kind::Word || f.kind == Kind::Words) {
    std::string text = f.kind == Kind::Words ? "any of " : "";
    bool first = true;
    for (const Keyword& k : f.keywords) {
      text.append(first ? "" : ", ").append(k.word).append(k.unsupported.empty() ? "" : " (not supported)");
      first = false;
    }
    return text;
  }
  const std::string type = f.kind == Kind::Int ? "int" : f.kind == Kind::Float ? "float" : "double";
  if (f.max == kAnyCount) return type + "[]";
  if (f.max == 1) return type;
  return f.min == f.max ? fmt::format("{}[{}]", type, f.max) : fmt::format("{}[{}..{}]", type, f.min, f.max);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return text.size() > kShown ? fmt::format("\"{}...\"", text.substr(0, kShown)) : fmt::format("\"{}\"", text);
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  return std::string(nearestWord(word, candidates));
}

std::vector<double> parseReals(std::string_view text, const ValueFormat& format) {
  return parseAll<double>(text, format);
}
std::vector<float> parseFloats(std::string_view text, const ValueFormat& format) {
  return parseAll<float>(text, format);
}
std::vector<int> parseInts(std::string_view text, const ValueFormat& format) { return parseAll<int>(text, format); }

int parseWord(std::string_view text, Keywords keywords) { return valueOfWord(text, keywords); }

int parseWords(std::string_view text, Keywords keywords, bool ordered) {
  int bits = 0;
  forEachWord(text, [&](std::string_view word) {
    const int bit = valueOfWord(word, keywords);
    if (bits & bit) throw ValueError{fmt::format("has \"{}\" twice", word)};
    if (ordered && bit < bits)
      throw ValueError{fmt::format("must keep the order {}; found {}", listWords(keywords), quoted(text))};
    bits |= bit;
  });
  return bits;
}

bool parseBool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw ValueError{fmt::format("must be true or false, found {}", quoted(text))};
}

void checkValue(std::string_view text, const ValueFormat& format) {
  switch (format.kind) {
    case ValueFormat::Kind::Text:
      return;
    case ValueFormat::Kind::Bool:
      parseBool(text);
      return;
    case ValueFormat::Kind::Word:
      parseWord(text, format.keywords);
      return;
    case ValueFormat::Kind::Words:
      parseWords(text, format.keywords, format.ordered);
      return;
    case ValueFormat::Kind::Int:
      parseInts(text, format);
      return;
    case ValueFormat::Kind::Real:
      parseReals(text, format);
      return;
    case ValueFormat::Kind::Float:
      parseFloats(text, format);
      return;
  }
}

std::string formatNumber(double value) { return shortest(value); }
std::string formatNumber(float value) { return shortest(value); }
std::string formatNumber(int value) { return shortest(value); }

std::optional<std::string> formatWord(int value, Keywords keywords) {
  for (const Keyword& k : keywords)
    if (k.value == value) return std::string(k.word);
  return std::nullopt;
}

std::string formatWords(int value, Keywords keywords) {
  std::string text;
  for (const Keyword& k : keywords)
    if (value & k.value) text.append(text.empty() ? "" : " ").append(k.word);
  return text;
}

}  // namespace sinew::mjcf
