#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/errors.h"
#include "sinew/spec.h"

/// Names in a Spec. Each kind of object has its own namespace; the empty name may occur any number of times.
namespace sinew::spec {

/// Throws LoadError, naming both places, if two objects of one kind share a name.
void requireUniqueNames(const Spec& spec);

/// Calls visit(body) for a body and everything below it, parents first, in document order. An explicit stack: cables
/// are deep.
template <class BodyType, class Visit>
void forEachBody(BodyType& root, Visit&& visit) {
  std::vector<BodyType*> pending{&root};
  while (!pending.empty()) {
    BodyType& body = *pending.back();
    pending.pop_back();
    visit(body);
    for (auto child = body.bodies.rbegin(); child != body.bodies.rend(); ++child) pending.push_back(&*child);
  }
}

/// The object of that name, or null. Pointers stay valid until the Spec is changed.
Body* findBody(Spec& spec, std::string_view name);
const Body* findBody(const Spec& spec, std::string_view name);

}  // namespace sinew::spec
