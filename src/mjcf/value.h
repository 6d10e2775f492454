#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Attribute values: text to C++ values and back. Numbers are read and printed without regard to the locale, and
/// printed so that reading them again gives the same bits.
namespace sinew::mjcf {

/// A word that stands for a number. A word may be part of MJCF and yet name something Sinew does not have.
struct Keyword {
  std::string_view word;
  int value = 0;
  std::string_view unsupported = {};  ///< the missing feature; empty when supported
};
using Keywords = std::span<const Keyword>;

inline constexpr int kAnyCount = -1;

/// What the text of an attribute looks like.
struct ValueFormat {
  enum class Kind { Text, Bool, Word, Words, Int, Real, Float } kind = Kind::Text;
  int min = 1;  ///< numbers: least and greatest count
  int max = 1;
  Keywords keywords = {};
  bool ordered = false;    ///< several words must come in the order of the keywords
  bool reference = false;  ///< reals: the word "ref" stands for a reference value and is stored as NaN
};

/// Thrown by the parse functions; the reader adds the place. The message starts with what follows the attribute name.
struct ValueError {
  std::string message;
};

/// "2 numbers", "1 to 3 integers", "any number of numbers".
std::string describeCount(const ValueFormat& format);
/// For documentation: "double[1..3]", "one of: a, b".
std::string describeFormat(const ValueFormat& format);
/// The text in quotes, shortened if long.
std::string quoted(std::string_view text);
/// Of `candidates`, the one most like `word`, or empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// All numbers of the text. Throws ValueError unless every word is a finite number and the count is allowed.
std::vector<double> parseReals(std::string_view text, const ValueFormat& format);
std::vector<float> parseFloats(std::string_view text, const ValueFormat& format);
std::vector<int> parseInts(std::string_view text, const ValueFormat& format);
/// The value of one word, or the union of several bits.
int parseWord(std::string_view text, Keywords keywords);
int parseWords(std::string_view text, Keywords keywords, bool ordered);
bool parseBool(std::string_view text);
/// Checks text against a format without keeping the value.
void checkValue(std::string_view text, const ValueFormat& format);

/// The shortest text that reads back as the same number.
std::string formatNumber(double value);
std::string formatNumber(float value);
std::string formatNumber(int value);
inline constexpr std::string_view kReferenceWord = "ref";
/// The word that stands for the value, if there is one.
std::optional<std::string> formatWord(int value, Keywords keywords);
std::string formatWords(int value, Keywords keywords);

// ---------------------------------------------------------------------------------- typed values, used by the table

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {
  static constexpr int kSize = static_cast<int>(N);
};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
constexpr ValueFormat::Kind numberKind() {
  if constexpr (std::is_same_v<T, double>) return ValueFormat::Kind::Real;
  if constexpr (std::is_same_v<T, float>) return ValueFormat::Kind::Float;
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, int>);
  return ValueFormat::Kind::Int;
}

/// The format a member of type T has when nothing else is said.
template <class T>
constexpr ValueFormat naturalFormat() {
  if constexpr (IsOptional<T>::value) {
    return naturalFormat<typename T::value_type>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {ValueFormat::Kind::Text};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {ValueFormat::Kind::Bool};
  } else if constexpr (IsArray<T>::value) {
    return {numberKind<typename T::value_type>(), IsArray<T>::kSize, IsArray<T>::kSize};
  } else if constexpr (IsVector<T>::value) {
    return {numberKind<typename T::value_type>(), 0, kAnyCount};
  } else if constexpr (std::is_enum_v<T>) {
    return {ValueFormat::Kind::Word};
  } else {
    return {numberKind<T>()};
  }
}

template <class T>
std::vector<T> parseNumbers(std::string_view text, const ValueFormat& format) {
  if constexpr (std::is_same_v<T, double>)
    return parseReals(text, format);
  else if constexpr (std::is_same_v<T, float>)
    return parseFloats(text, format);
  else
    return parseInts(text, format);
}

/// Reads text into a member. Arrays given in part keep their other entries. Throws ValueError.
template <class T>
void parseValue(std::string_view text, const ValueFormat& format, T& value) {
  if constexpr (IsOptional<T>::value) {
    typename T::value_type inner{};
    parseValue(text, format, inner);
    if constexpr (IsVector<typename T::value_type>::value) {
      if (inner.empty()) return;  // an empty list is as good as none
    }
    value = std::move(inner);
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = std::string(text);
  } else if constexpr (IsArray<T>::value) {
    const auto numbers = parseNumbers<typename T::value_type>(text, format);
    for (std::size_t i = 0; i < numbers.size(); ++i) value[i] = numbers[i];
  } else if constexpr (IsVector<T>::value) {
    value = parseNumbers<typename T::value_type>(text, format);
  } else if (format.kind == ValueFormat::Kind::Words) {
    if constexpr (std::is_same_v<T, int>) value = parseWords(text, format.keywords, format.ordered);
  } else if (format.kind == ValueFormat::Kind::Word) {
    value = static_cast<T>(parseWord(text, format.keywords));
  } else if constexpr (std::is_same_v<T, bool>) {
    value = parseBool(text);
  } else if constexpr (!std::is_enum_v<T>) {
    value = parseNumbers<T>(text, format)[0];
  }
}

/// Text that parseValue turns into the same value; nothing for an empty optional.
template <class T>
std::optional<std::string> formatValue(const T& value, const ValueFormat& format) {
  if constexpr (IsOptional<T>::value) {
    return value ? formatValue(*value, format) : std::nullopt;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (IsArray<T>::value || IsVector<T>::value) {
    std::string text;
    for (const auto& entry : value) {
      if (!text.empty()) text += ' ';
      if (format.reference && entry != entry)
        text += kReferenceWord;
      else
        text += formatNumber(entry);
    }
    return text;
  } else if constexpr (std::is_enum_v<T>) {
    return formatWord(static_cast<int>(value), format.keywords);
  } else {
    if (format.kind == ValueFormat::Kind::Words) return formatWords(static_cast<int>(value), format.keywords);
    if (format.kind == ValueFormat::Kind::Word) return formatWord(static_cast<int>(value), format.keywords);
    if constexpr (std::is_same_v<T, bool>)
      return value ? "true" : "false";
    else
      return formatNumber(value);
  }
}

/// parseValue and formatValue of a type that is known by address.
struct ValueType {
  void (*parse)(std::string_view text, const ValueFormat& format, void* value);
  std::optional<std::string> (*print)(const void* value, const ValueFormat& format);
};
template <class T>
inline constexpr ValueType kValueType{
    [](std::string_view text, const ValueFormat& format, void* value) {
      parseValue(text, format, *static_cast<T*>(value));
    },
    [](const void* value, const ValueFormat& format) { return formatValue(*static_cast<const T*>(value), format); }};

}  // namespace sinew::mjcf
