#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "sinew/spec.h"

/// Names as references: which names a Spec has, what an element refers to, and how both change when part of a model is
/// copied under other names.
namespace sinew::spec {

/// How names change in a copy. The empty name stays empty.
struct Naming {
  std::string prefix;
  std::string suffix;
  std::string operator()(const std::string& name) const { return name.empty() ? name : prefix + name + suffix; }
};

/// The names of objects, by kind. Body and XBody are one kind.
class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(const Spec& spec);
  void add(ObjType type, const std::string& name);
  /// Names of a body, what is placed in it, and everything below it.
  void addTree(const Body& body);
  bool has(ObjType type, const std::string& name) const;

 private:
  static std::size_t slot(ObjType type);
  std::array<std::set<std::string, std::less<>>, 26> names_;
};

/// Renames a body, what is placed in it and everything below it. `assets`: names of materials, meshes, height fields,
/// textures and default classes change too (the copy comes from another model). Targets of cameras and lights change
/// if `inside` has them, or if `assets`.
void renameTree(Body& body, const Naming& naming, bool assets, const NameIndex& inside);

/// True if the element refers to an object in `inside`.
bool refersTo(const Flex& flex, const NameIndex& inside);
bool refersTo(const Pair& pair, const NameIndex& inside);
bool refersTo(const Exclude& exclude, const NameIndex& inside);
bool refersTo(const Tendon& tendon, const NameIndex& inside);
bool refersTo(const Equality& equality, const NameIndex& inside);
bool refersTo(const Actuator& actuator, const NameIndex& inside);
bool refersTo(const Sensor& sensor, const NameIndex& inside);
bool refersTo(const Tuple& tuple, const NameIndex& inside);

/// Renames an element and its references so that all of them name objects in `names`. Where an element connects two
/// objects (or many: a tendon), those not copied keep their old names, as long as one is new. Returns false, with the
/// element in an unspecified state, if that is impossible. With an empty naming it tells whether all references exist.
bool rename(Flex& flex, const Naming& naming, const NameIndex& names);
bool rename(Pair& pair, const Naming& naming, const NameIndex& names);
bool rename(Exclude& exclude, const Naming& naming, const NameIndex& names);
bool rename(Tendon& tendon, const Naming& naming, const NameIndex& names);
bool rename(Equality& equality, const Naming& naming, const NameIndex& names);
bool rename(Actuator& actuator, const Naming& naming, const NameIndex& names);
bool rename(Sensor& sensor, const Naming& naming, const NameIndex& names);
bool rename(Tuple& tuple, const Naming& naming, const NameIndex& names);

/// What kind of object an element's names stand for.
ObjType targetType(const Equality& equality);
ObjType targetType(TransmissionType transmission);
ObjType targetType(WrapType wrap);

/// Renames the value of a textual attribute of a visual element.
void renameAttribute(VisualElement& element, std::string_view attribute, const Naming& naming);

}  // namespace sinew::spec
