#pragma once

#include "mjcf/attribute_table.h"
#include "mjcf/document.h"

namespace sinew::mjcf {

/// Checks a whole document against the attribute table before anything is read: known elements and attributes, how
/// often and together with what they appear, the form of every value, and that no unsupported feature is used.
/// Throws LoadError at the first problem in document order; what MJCF accepts without effect is a warning. Attributes
/// that should hold numbers and are empty are removed: they say nothing, and no later check should see them.
void checkGrammar(Node& root, Warnings& warnings);

/// The same against another table, whose root element has been found.
void checkAgainst(const ElementType& grammar, Node& root, Warnings& warnings);

/// Moves the attributes of an element into its record. The document has passed checkGrammar.
template <class R>
void readAttributes(const Node& node, const ElementType& type, R& record);

void readAttributesInto(const Node& node, const ElementType& type, void* record);

template <class R>
void readAttributes(const Node& node, const ElementType& type, R& record) {
  if (!type.record || *type.record != typeid(R)) fail(node, "internal error: record of another type");
  readAttributesInto(node, type, &record);
}

}  // namespace sinew::mjcf
