#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "mjcf/value.h"

/// The grammar of MJCF 3.12 with Sinew's extensions: every element, its attributes and children, and for what Sinew
/// uses a binding to the member that holds it. Reader, default classes, error messages, writer and docs/support.md are
/// all driven by this one table.
namespace sinew::mjcf {

/// Properties of an attribute.
enum AttributeFlags : unsigned {
  kNone = 0,
  kRequired = 1u << 0,      ///< must be present
  kNotInDefault = 1u << 1,  ///< not allowed in default classes
  kPartial = 1u << 2,       ///< a fixed-size list may be given in part: the leading entries
  kVisual = 1u << 3,        ///< changes no motion: checked, kept as text
  kExtension = 1u << 4,     ///< Sinew's own, not part of MJCF
  kReading = 1u << 5,       ///< a shorthand the writer never produces
  kNoEffect = 1u << 6,      ///< accepted by MJCF but never used: a warning
  kReference = 1u << 7,     ///< numbers may be the word "ref" (Sinew's own): the value in the reference configuration
};

struct Attribute {
  std::string_view name;
  ValueFormat format;
  unsigned flags = kNone;
  std::string_view unsupported = {};  ///< the missing feature: any value but the default is an error
  std::string defaultText;            ///< for documentation and for recognizing default values
  const ValueType* type = nullptr;    ///< of the member that holds the value, null if there is none
  std::ptrdiff_t offset = 0;          ///< of that member in the record, in bytes
  int mask = 0;                       ///< not 0: the value is whether these bits of an int are set
  bool inverted = false;              ///< set bits mean "disable"

  bool has(unsigned flag) const { return (flags & flag) != 0; }
  bool isBound() const { return type != nullptr; }
  /// For bound attributes. The record is of the type the element was declared with.
  void parse(void* record, std::string_view text) const;
  std::optional<std::string> print(const void* record) const;
};

/// A condition on which attributes appear together. A bundle is a set of attributes.
struct PresenceRule {
  enum class Kind {
    Exclusive,  ///< of at most one bundle, members may be present
    OneOf,      ///< at least one bundle must be complete
    Together    ///< all or none
  } kind = Kind::Exclusive;
  std::vector<std::vector<std::string_view>> bundles;
};

struct ElementType;

/// Which elements may appear inside an element, and how often.
struct ChildRule {
  const ElementType* type = nullptr;
  bool atMostOne = false;
};

struct ElementType {
  std::string_view tag;
  std::string_view context;           ///< distinguishes equal tags in documentation, for example "in sensor"
  bool inDefault = false;             ///< the reduced form used in default classes
  bool visual = false;                ///< changes no motion: kept as text
  std::string_view unsupported = {};  ///< the missing feature: using the element is an error
  std::vector<Attribute> attributes;
  std::vector<ChildRule> children;
  std::vector<PresenceRule> rules;
  const std::type_info* record = nullptr;  ///< type of the record the attributes are bound to

  const Attribute* find(std::string_view name) const;
  const ElementType* child(std::string_view tag) const;
};

/// The whole grammar, starting at <mujoco>. Built once, never changes.
const ElementType& grammar();

/// An element type by its tags from the root, for example {"worldbody", "body", "geom"}.
const ElementType& elementType(std::initializer_list<std::string_view> path);

// ------------------------------------------------------------------------------------------------ building the table

/// Owns the element types while the table is put together.
using ElementStore = std::deque<ElementType>;

inline constexpr Keyword kSwitch[] = {{"disable", 0}, {"enable", 1}};

/// Adds a bound attribute; what a fresh record holds is its default.
void addAttribute(ElementType& type, Attribute attribute, const void* freshRecord);

/// Declares the attributes of an element whose values live in a record of type R.
template <class R>
class Declare {
 public:
  explicit Declare(ElementType& type) : type_(type) { type_.record = &typeid(R); }

  /// An attribute held by `access`: a pointer to a member of R, or a generic function from R& or const R& to a
  /// reference to one, or to a part of one.
  template <class Access>
  Declare& attr(std::string_view name, Access access, unsigned flags = kNone, std::string_view unsupported = {}) {
    return bind(name, access, naturalFormat<Member<Access>>(), flags, unsupported);
  }

  /// A list of at least `min` and at most `max` numbers, held by a vector.
  template <class Access>
  Declare& list(std::string_view name, Access access, int min, int max, unsigned flags = kNone) {
    return bind(name, access, {naturalFormat<Member<Access>>().kind, min, max}, flags, {});
  }

  /// An attribute whose value is one of `keywords`.
  template <class Access>
  Declare& word(std::string_view name, Access access, Keywords keywords, unsigned flags = kNone,
                std::string_view unsupported = {}) {
    return bind(name, access, {ValueFormat::Kind::Word, 1, 1, keywords}, flags, unsupported);
  }

  /// An attribute whose value is a set of `keywords`, each standing for a bit; `ordered`: in increasing order of bits.
  template <class Access>
  Declare& words(std::string_view name, Access access, Keywords keywords, bool ordered = false) {
    return bind(name, access, {ValueFormat::Kind::Words, 1, 1, keywords, ordered}, kNone, {});
  }

  /// An attribute with values enable and disable, held as the bits `mask` of an int. `inverted`: set means disabled.
  template <class Access>
  Declare& bit(std::string_view name, Access access, int mask, bool inverted) {
    static_assert(std::is_same_v<Member<Access>, int>);
    Attribute a = attribute<int>(name, access);
    a.format = {ValueFormat::Kind::Word, 1, 1, kSwitch};
    a.mask = mask, a.inverted = inverted;
    addAttribute(type_, std::move(a), &fresh());
    return *this;
  }

  /// What documentation should say about the default of the last attribute, where the record cannot tell.
  Declare& defaultIs(std::string_view text) {
    type_.attributes.back().defaultText = text;
    return *this;
  }

  Declare& rule(PresenceRule::Kind kind, std::vector<std::vector<std::string_view>> bundles) {
    type_.rules.push_back({kind, std::move(bundles)});
    return *this;
  }
  Declare& exclusive(std::vector<std::vector<std::string_view>> bundles) {
    return rule(PresenceRule::Kind::Exclusive, std::move(bundles));
  }
  Declare& oneOf(std::vector<std::vector<std::string_view>> bundles) {
    return rule(PresenceRule::Kind::OneOf, std::move(bundles));
  }
  Declare& together(std::vector<std::vector<std::string_view>> bundles) {
    return rule(PresenceRule::Kind::Together, std::move(bundles));
  }

 private:
  template <class Access>
  using Member = std::remove_cvref_t<std::invoke_result_t<Access, R&>>;

  /// A record as it is before anything is read.
  static const R& fresh() {
    static const R record{};
    return record;
  }

  /// Members are known by type and place, so that this is all there is to compile for each pair of record and type.
  template <class T, class Access>
  Attribute attribute(std::string_view name, Access access) {
    const T& member = std::invoke(access, fresh());
    Attribute a;
    a.name = name;
    a.type = &kValueType<T>;
    a.offset = reinterpret_cast<const std::byte*>(&member) - reinterpret_cast<const std::byte*>(&fresh());
    return a;
  }

  template <class Access>
  Declare& bind(std::string_view name, Access access, const ValueFormat& format, unsigned flags,
                std::string_view unsupported) {
    Attribute a = attribute<Member<Access>>(name, access);
    a.format = format, a.flags = flags, a.unsupported = unsupported;
    addAttribute(type_, std::move(a), &fresh());
    return *this;
  }

  ElementType& type_;
};

/// Declares the attributes of an element that is kept as text (visual) or refused (unsupported).
class DeclareText {
 public:
  explicit DeclareText(ElementType& type) : type_(type) {}
  DeclareText& text(std::string_view name, unsigned flags = kNone) { return add(name, {}, flags); }
  DeclareText& real(std::string_view name, int min = 1, int max = 0, unsigned flags = kNone) {
    return add(name, {ValueFormat::Kind::Real, min, max == 0 ? min : max}, flags);
  }
  DeclareText& integer(std::string_view name, int min = 1, int max = 0, unsigned flags = kNone) {
    return add(name, {ValueFormat::Kind::Int, min, max == 0 ? min : max}, flags);
  }
  DeclareText& boolean(std::string_view name) { return add(name, {ValueFormat::Kind::Bool}, kNone); }
  DeclareText& word(std::string_view name, Keywords keywords, unsigned flags = kNone) {
    return add(name, {ValueFormat::Kind::Word, 1, 1, keywords}, flags);
  }
  DeclareText& words(std::string_view name, Keywords keywords) {
    return add(name, {ValueFormat::Kind::Words, 1, 1, keywords}, kNone);
  }
  DeclareText& exclusive(std::vector<std::vector<std::string_view>> bundles) {
    type_.rules.push_back({PresenceRule::Kind::Exclusive, std::move(bundles)});
    return *this;
  }

 private:
  DeclareText& add(std::string_view name, const ValueFormat& format, unsigned flags) {
    Attribute& a = type_.attributes.emplace_back();
    a.name = name, a.format = format, a.flags = flags | kVisual;
    return *this;
  }
  ElementType& type_;
};

}  // namespace sinew::mjcf
