#include "sinew/spec.h"

// Copying and moving the elements that hold all others: much to compile, so once, instead of wherever a Spec is used.
namespace sinew::spec {

Body::Body() = default;
Body::Body(const Body&) = default;
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(const Body&) = default;
Body& Body::operator=(Body&&) noexcept = default;
Body::~Body() = default;

DefaultClass::DefaultClass() = default;
DefaultClass::DefaultClass(const DefaultClass&) = default;
DefaultClass::DefaultClass(DefaultClass&&) noexcept = default;
DefaultClass& DefaultClass::operator=(const DefaultClass&) = default;
DefaultClass& DefaultClass::operator=(DefaultClass&&) noexcept = default;
DefaultClass::~DefaultClass() = default;

Spec::Spec() { world.name = "world"; }
Spec::Spec(const Spec&) = default;
Spec::Spec(Spec&&) noexcept = default;
Spec& Spec::operator=(const Spec&) = default;
Spec& Spec::operator=(Spec&&) noexcept = default;
Spec::~Spec() = default;

}  // namespace sinew::spec
