#include "compile/flex_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compile/contacts.h"

namespace sinew::draft {
namespace {

using spec::Elastic2d;
using spec::FlexEquality;

/// One parameter that can be said in two places. Saying it twice is fine, saying two things is not.
template <class T>
std::optional<T> either(const std::optional<T>& own, const std::optional<T>& child, const char* attribute,
                        const char* tag, const Place& place) {
  if (own && child && *own != *child) {
    place.fail(fmt::format("'{0}' is given twice with different values, here and in <{1}>", attribute, tag));
  }
  return own ? own : child;
}

std::vector<double> eitherList(const std::vector<double>& own, const std::vector<double>& child, const char* attribute,
                               const Place& place) {
  if (!own.empty() && !child.empty() && own != child) {
    place.fail(fmt::format("'{}' is given twice with different values, here and in <contact>", attribute));
  }
  return own.empty() ? child : own;
}

/// The leading entries are replaced by what was written.
template <std::size_t N>
void overlay(const std::vector<double>& written, std::array<double, N>& values) {
  for (std::size_t k = 0; k < std::min(N, written.size()); ++k) values[k] = written[k];
}

void resolveContact(const spec::FlexBase& flex, const Place& place, FlexParameters& p) {
  const spec::FlexContact &own = flex.shortContact, &child = flex.contact;
  p.condim = either(own.condim, child.condim, "condim", "contact", place).value_or(p.condim);
  p.margin = either(own.margin, child.margin, "margin", "contact", place).value_or(p.margin);
  p.restitution = either(own.restitution, child.restitution, "restitution", "contact", place).value_or(p.restitution);
  p.selfcollide = either(own.selfcollide, child.selfcollide, "selfcollide", "contact", place).value_or(p.selfcollide);
  overlay(eitherList(own.friction, child.friction, "friction", place), p.friction);
  overlay(eitherList(own.solref, child.solref, "solref", place), p.solref);
  overlay(eitherList(own.solimp, child.solimp, "solimp", place), p.solimp);
  checkContactParameters(p.condim, p.friction, p.margin, child.gap, p.restitution, place);
  if (child.solmix < 0) place.fail(fmt::format("'solmix' must not be negative, found {}", child.solmix));
  if (child.activelayers < 0) {
    place.fail(fmt::format("'activelayers' must not be negative, found {}", child.activelayers));
  }
}

void resolveElasticity(const spec::FlexBase& flex, int dim, FlexDof dof, const Place& place, FlexParameters& p) {
  const spec::FlexElasticity &own = flex.shortElasticity, &child = flex.elasticity;
  const auto number = [&](const auto& a, const auto& b, const char* name, double missing) {
    return either(a, b, name, "elasticity", place).value_or(missing);
  };
  p.young = number(own.young, child.young, "young", 0);
  p.poisson = number(own.poisson, child.poisson, "poisson", 0);
  p.damping = number(own.damping, child.damping, "damping", 0);
  p.thickness = number(own.thickness, child.thickness, "thickness", -1);
  if (p.young < 0) place.fail(fmt::format("'young' must not be negative, found {}", p.young));
  if (p.poisson < 0 || p.poisson >= 0.5) {
    place.fail(fmt::format("'poisson' must be at least 0 and less than 0.5, found {}", p.poisson));
  }
  if (p.damping < 0) place.fail(fmt::format("'damping' must not be negative, found {}", p.damping));

  const bool interpolated = FlexParameters::isInterpolated(dof);
  const bool shortForm = own.young.has_value();
  const std::optional<Elastic2d> chosen = either(own.elastic2d, child.elastic2d, "elastic2d", "elasticity", place);
  const bool shortSheet = shortForm && dim == 2 && !interpolated && p.young > 0;
  p.elastic2d = chosen.value_or(shortSheet ? Elastic2d::Bend : Elastic2d::None);
  const bool twist = child.twist.value_or(false);  // the reference engine has no rods
  p.law = child.law.value_or(shortForm || twist ? FlexLaw::StVenantKirchhoff : FlexLaw::Reference);

  if (p.elastic2d != Elastic2d::None) {
    if (dim != 2 && !interpolated) {
      place.fail(fmt::format("'elastic2d' is for sheets: 'dim' must be 2, found {}", dim));
    }
    if (!(p.thickness > 0)) {
      place.fail(fmt::format("'thickness' must be positive where a sheet resists bending or stretching, found {}",
                             p.thickness));
    }
  }
  const bool bends = p.elastic2d == Elastic2d::Bend || p.elastic2d == Elastic2d::Both;
  const bool stretches = p.elastic2d == Elastic2d::Stretch || p.elastic2d == Elastic2d::Both;
  if (p.young > 0) {
    if (bends) {
      const bool textbook = p.law != FlexLaw::Reference && !interpolated;
      p.bending = child.bending.value_or(shortForm  ? FlexBending::Dihedral
                                         : textbook ? FlexBending::Shell
                                                    : FlexBending::Cotangent);
    }
    if (p.bending == FlexBending::Shell && interpolated) {
      place.fail(
          "bending=\"shell\" needs triangles between points that move on their own: with dof=\"trilinear\" and "
          "\"quadratic\" faces bend at their common edges; leave 'bending' out");
    }
    p.stretch = p.elastic2d != Elastic2d::None ? stretches
                : interpolated || dim == 3
                    ? true
                    : dim == 1 && p.law != FlexLaw::Reference;  // the reference engine has no rods
  }
}

/// Second moments and torsion constant by what `section` says: radius, widths, or the numbers themselves.
void resolveSection(const std::vector<double>& section, double radius, const Place& place, RodParameters& rod) {
  if (section.size() == 3) {
    place.fail(
        "'section' needs 1 number (radius), 2 (widths along both axes) or 4 (area, moments about both axes, torsion "
        "constant), found 3");
  }
  for (const double x : section) {
    if (!(x > 0)) place.fail(fmt::format("'section' needs positive numbers, found {}", x));
  }
  if (section.size() == 4) {
    rod.area = section[0], rod.moment1 = section[1], rod.moment2 = section[2], rod.torsion = section[3];
  } else if (section.size() == 2) {
    const double first = section[0], second = section[1];
    rod.area = first * second;
    rod.moment1 = first * second * second * second / 12;
    rod.moment2 = second * first * first * first / 12;
    rod.torsion = rectangleTorsion(first, second);
  } else {
    const double r = section.empty() ? radius : section[0], r2 = r * r;
    rod.area = std::numbers::pi * r2;
    rod.moment1 = rod.moment2 = std::numbers::pi * r2 * r2 / 4;
    rod.torsion = std::numbers::pi * r2 * r2 / 2;
  }
  if (!std::isnormal(rod.area) || !std::isnormal(rod.moment1) || !std::isnormal(rod.moment2) ||
      !std::isnormal(rod.torsion)) {
    place.fail(fmt::format(
        "the section of the rod has no finite area and moments: area {:.3g}, moments {:.3g} and {:.3g}, torsion "
        "constant {}",
        rod.area, rod.moment1, rod.moment2, rod.torsion));
  }
}

void resolveRod(const spec::FlexBase& flex, int dim, FlexDof dof, const Place& place, FlexParameters& p) {
  const spec::FlexElasticity& e = flex.elasticity;
  p.rod.twist = e.twist.value_or(false);
  if (!p.rod.twist) {
    const char* idle = !e.section.empty() ? "section" : !e.axis.empty() ? "axis" : e.pretwist ? "pretwist" : nullptr;
    if (!idle && e.flat.value_or(false)) idle = "flat";
    if (idle) place.fail(fmt::format("'{}' is for rods with twist: <elasticity twist=\"true\"> must be given", idle));
    for (const spec::FlexPin& pin : flex.pins) {
      if (!pin.clamp) continue;
      Place(pin.origin, "pin", "").fail("'clamp' is for rods with twist: <elasticity twist=\"true\"> must be given");
    }
    return;
  }
  if (dim != 1) place.fail(fmt::format("twist=\"true\" is for rods: 'dim' must be 1, found {}", dim));
  if (dof != FlexDof::Full) place.fail("twist=\"true\" needs dof=\"full\"");
  if (!(p.young > 0)) place.fail("twist=\"true\" needs 'young'");
  if (p.law == FlexLaw::Reference) {
    place.fail("twist=\"true\" needs law=\"stvk\", \"corotational\" or \"neohookean\": law=\"mujoco\" has no rods");
  }
  resolveSection(e.section, flex.radius, place, p.rod);
  if (!e.axis.empty()) {
    const double square = e.axis[0] * e.axis[0] + e.axis[1] * e.axis[1] + e.axis[2] * e.axis[2];
    if (!std::isnormal(square)) place.fail("'axis' must have a direction, found zero");
    p.rod.axis = {e.axis[0], e.axis[1], e.axis[2]};
  }
  p.rod.pretwist = e.pretwist.value_or(0);
  p.rod.flat = e.flat.value_or(false);
}

void checkOrder(const spec::FlexBase& flex, int dim, FlexDof dof, const Place& place, const FlexParameters& p) {
  const int order = orderOf(flex);
  if (order == 1) return;
  if (order != 2) place.fail(fmt::format("'order' must be 1 or 2, found {}", order));
  if (dim != 3) place.fail(fmt::format("order=\"2\" is for tetrahedra: 'dim' must be 3, found {}", dim));
  if (FlexParameters::isInterpolated(dof)) {
    place.fail("order=\"2\" is for tetrahedra; cells have dof=\"trilinear\" or dof=\"quadratic\"");
  }
  if (!(p.young > 0))
    place.fail("order=\"2\" needs 'young': without elasticity nothing would hold the middles of edges");
  if (p.law == FlexLaw::Reference) {
    place.fail(
        "order=\"2\" needs law=\"stvk\", \"corotational\" or \"neohookean\": law=\"mujoco\" has linear tetrahedra "
        "only");
  }
}

void resolveEdges(const spec::FlexBase& flex, int dim, FlexDof dof, double timestep, const Place& place,
                  FlexParameters& p) {
  const spec::FlexEdge& edge = flex.edge;
  if (edge.stiffness < 0) place.fail(fmt::format("'stiffness' must not be negative, found {}", edge.stiffness));
  if (edge.damping < 0) place.fail(fmt::format("'damping' must not be negative, found {}", edge.damping));
  if (edge.stiffness > 0 && dim > 1) {
    place.fail(fmt::format("'stiffness' of edges is for dim 1 only, found {} with dim {}; use <elasticity>",
                           edge.stiffness, dim));
  }
  p.equality = edge.equality.value_or(FlexEquality::None);
  if (p.equality != FlexEquality::None && p.young > 0 && p.elastic2d != Elastic2d::Bend) {
    place.fail("'equality' and 'young' both resist stretching; leave one out, or bend only with elastic2d=\"bend\"");
  }
  if (p.equality == FlexEquality::Strain && !FlexParameters::isInterpolated(dof)) {
    place.fail("equality=\"strain\" is for dof=\"trilinear\" and \"quadratic\"");
  }

  const bool shortSheet = flex.shortElasticity.young && dim == 2 && !p.stretch;
  const bool holds = p.stretch || p.bending != FlexBending::None || edge.stiffness > 0 || edge.damping > 0;
  p.impliedRows = !edge.equality && (shortSheet || !holds) && !FlexParameters::isInterpolated(dof);
  if (p.impliedRows) {
    if (!flex.elasticity.law) p.law = FlexLaw::StVenantKirchhoff;  // not a flex of the reference engine
    p.rowSolref = {2 * timestep, 1};
    p.rowSolimp = {0.99, 0.99, 0.001, 0.5, 2};
    overlay(flex.shortContact.solref, p.rowSolref);
    overlay(flex.shortContact.solimp, p.rowSolimp);
  }
  overlay(edge.solref, p.rowSolref);
  overlay(edge.solimp, p.rowSolimp);
}

}  // namespace

std::string idleElasticity(const FlexParameters& p, int dim) {
  if (p.young > 0 && !p.stretch && p.bending == FlexBending::None) {
    if (dim == 1) {
      return fmt::format(
          "'young' {} has no effect: under law=\"mujoco\" a flex of dim 1 is no rod; say <elasticity law=\"stvk\">, or "
          "young as an attribute of the flex itself",
          p.young);
    }
    return fmt::format(
        "'young' {} has no effect on a sheet with elastic2d=\"none\"; say <elasticity elastic2d=\"bend\">, \"stretch\" "
        "or "
        "\"both\"",
        p.young);
  }
  if (dim == 1 && p.stretch && p.poisson > 0 && !p.rod.twist) {
    return fmt::format(
        "'poisson' {} has no effect: a rod resists stretching and bending, and twisting only with <elasticity "
        "twist=\"true\">",
        p.poisson);
  }
  return {};
}

double rectangleTorsion(double width, double height) {
  using std::numbers::pi;
  const double wide = std::max(width, height), thin = std::min(width, height);
  double sum = 0;
  for (int n = 1; n < 200; n += 2) sum += std::tanh(0.5 * n * pi * wide / thin) / std::pow(n, 5);
  return wide * thin * thin * thin / 3 * (1 - 192 * thin / (std::pow(pi, 5) * wide) * sum);
}

int orderOf(const spec::FlexBase& flex) { return flex.elasticity.order.value_or(1); }

double marginOf(const spec::FlexBase& flex) {
  return flex.shortContact.margin.value_or(flex.contact.margin.value_or(0));
}

FlexParameters resolveParameters(const spec::FlexBase& flex, int dim, FlexDof dof, double timestep,
                                 const Place& place) {
  if (dim < 1 || dim > 3) place.fail(fmt::format("'dim' must be 1, 2 or 3, found {}", dim));
  if (flex.radius < 0 || (flex.radius == 0 && dim < 3)) {
    place.fail(fmt::format("'radius' must be positive, found {}", flex.radius));
  }
  if (flex.density && !(*flex.density > 0)) {
    place.fail(fmt::format("'density' must be positive, found {}", *flex.density));
  }
  FlexParameters p;
  resolveContact(flex, place, p);
  resolveElasticity(flex, dim, dof, place, p);
  resolveRod(flex, dim, dof, place, p);
  checkOrder(flex, dim, dof, place, p);
  resolveEdges(flex, dim, dof, timestep, place, p);
  if (FlexParameters::isInterpolated(dof)) {
    if (p.selfcollide != SelfCollide::None) {
      place.fail("an interpolated flex cannot collide with itself: <contact selfcollide=\"none\"> must be given");
    }
    if (flex.contact.internal) place.fail("an interpolated flex cannot have internal contacts");
  }
  return p;
}

}  // namespace sinew::draft
