#pragma once

#include <string>
#include <string_view>

#include "sinew/errors.h"
#include "sinew/spec.h"

/// Names in a Spec. Each kind of object has its own namespace; the empty name may occur any number of times.
namespace sinew::spec {

/// Throws LoadError, naming both places, if two objects of one kind share a name.
void requireUniqueNames(const Spec& spec);

/// Calls visit(body) for a body and everything below it, parents first, in document order.
template <class BodyType, class Visit>
void forEachBody(BodyType& body, Visit&& visit) {
  visit(body);
  for (auto& child : body.bodies) forEachBody(child, visit);
}

/// The object of that name, or null. Pointers stay valid until the Spec is changed.
Body* findBody(Spec& spec, std::string_view name);
const Body* findBody(const Spec& spec, std::string_view name);

}  // namespace sinew::spec
