#pragma once

#include "elastic/element.h"

/// Six times the signed volume of a tetrahedron, V = ((x1 - x0) x (x2 - x0)) . (x3 - x0), and its derivatives.
namespace sinew::elastic {

double volume6(const Nodes<4>& x);
Nodes<4> volume6Gradient(const Nodes<4>& x);
/// Block (i, j) is the cross product with the edge opposite to both.
Stiffness<4> volume6Hessian(const Nodes<4>& x);

}  // namespace sinew::elastic
