#include "mjcf/records.h"
#include "mjcf/table_sections.h"

/// <flex> and <flexcomp>, with Sinew's short form (attributes of the element itself) and laws of elasticity.
namespace sinew::mjcf {
namespace {

constexpr Keyword kFlexcompType[] = {{"grid", 0}, {"box", 1},    {"cylinder", 2}, {"ellipsoid", 3}, {"square", 4},
                                     {"disc", 5}, {"circle", 6}, {"mesh", 7},     {"gmsh", 8},      {"direct", 9}};
constexpr Keyword kFlexDof[] = {{"full", 0}, {"radial", 1}, {"trilinear", 2}, {"quadratic", 3}, {"2d", 4}};
constexpr Keyword kFlexEquality[] = {{"false", 0}, {"true", 1}, {"vert", 2}, {"strain", 3}};
// false and true are Sinew's own
constexpr Keyword kSelfCollide[] = {{"none", 0}, {"narrow", 1}, {"bvh", 2}, {"sap", 3},
                                    {"auto", 4}, {"false", 0},  {"true", 4}};
constexpr Keyword kElastic2d[] = {{"none", 0}, {"bend", 1}, {"stretch", 2}, {"both", 3}};
constexpr Keyword kLaw[] = {{"mujoco", 0}, {"stvk", 1}, {"corotational", 2}, {"neohookean", 3}};
constexpr Keyword kBending[] = {{"cotangent", 1}, {"dihedral", 2}, {"shell", 3}};

using C = spec::FlexContact;
using L = spec::FlexElasticity;
using G = spec::FlexEdge;
using P = spec::FlexPin;

void declareElasticity(ElementStore& store, ElementType& flex) {
  Declare<L>(addChild(store, flex, "elasticity", kAtMostOne))
      .attr("young", &L::young)
      .defaultIs("0")
      .attr("poisson", &L::poisson)
      .defaultIs("0")
      .attr("damping", &L::damping)
      .defaultIs("0")
      .attr("thickness", &L::thickness)
      .defaultIs("-1")
      .word("elastic2d", &L::elastic2d, kElastic2d)
      .defaultIs("none")
      .word("law", &L::law, kLaw, kExtension)
      .defaultIs("mujoco")
      .word("bending", &L::bending, kBending, kExtension)
      .defaultIs("cotangent")
      .attr("order", &L::order, kExtension)
      .defaultIs("1")
      .attr("twist", &L::twist, kExtension)
      .defaultIs("false")
      .list("section", &L::section, 1, 4, kExtension)
      .list("axis", &L::axis, 3, 3, kExtension)
      .attr("pretwist", &L::pretwist, kExtension)
      .defaultIs("0")
      .attr("flat", &L::flat, kExtension)
      .defaultIs("false");
}

void declareFlexContact(ElementStore& store, ElementType& flex) {
  Declare<C>(addChild(store, flex, "contact", kAtMostOne, "in flex"))
      .attr("contype", &C::contype)
      .attr("conaffinity", &C::conaffinity)
      .attr("condim", &C::condim)
      .defaultIs("3")
      .attr("priority", &C::priority)
      .list("friction", &C::friction, 1, 3)
      .defaultIs("1 0.005 0.0001")
      .attr("solmix", &C::solmix)
      .list("solref", &C::solref, 1, 2)
      .defaultIs("0.02 1")
      .list("solimp", &C::solimp, 1, 5)
      .defaultIs("0.9 0.95 0.001 0.5 2")
      .attr("margin", &C::margin)
      .defaultIs("0")
      .attr("gap", &C::gap)
      .attr("restitution", &C::restitution, kExtension)
      .defaultIs("0")
      .attr("internal", &C::internal)
      .word("selfcollide", &C::selfcollide, kSelfCollide)
      .defaultIs("auto")
      .attr("activelayers", &C::activelayers)
      .attr("passive", &C::passive);
}

/// `equality` on the edges of a plain flex is Sinew's own.
void declareEdge(ElementStore& store, ElementType& flex, bool generated) {
  const unsigned flags = generated ? kNone : kExtension;
  Declare<G>(addChild(store, flex, "edge", kAtMostOne, generated ? "in flexcomp" : "in flex"))
      .word("equality", &G::equality, kFlexEquality, flags)
      .defaultIs("false")
      .list("solref", &G::solref, 1, 2, flags)
      .defaultIs("0.02 1")
      .list("solimp", &G::solimp, 1, 5, flags)
      .defaultIs("0.9 0.95 0.001 0.5 2")
      .attr("stiffness", &G::stiffness)
      .attr("damping", &G::damping);
}

void declarePin(ElementStore& store, ElementType& flex, bool generated) {
  Declare<P> pin(addChild(store, flex, "pin", false, generated ? "in flexcomp" : "in flex"));
  const unsigned flags = generated ? kNone : kExtension;
  pin.attr("id", &P::id, flags).attr("range", &P::range, flags);
  if (generated) pin.attr("grid", &P::grid).attr("gridrange", &P::gridrange);
  pin.attr("body", &P::body, kExtension).attr("clamp", &P::clamp, kExtension);
}

template <class R>
void declareShortForm(Declare<R>& d) {
  d.attr("density", &R::density, kExtension)
      .attr(
          "young", [](auto& r) -> auto& { return r.shortElasticity.young; }, kExtension)
      .attr(
          "poisson", [](auto& r) -> auto& { return r.shortElasticity.poisson; }, kExtension)
      .attr(
          "damping", [](auto& r) -> auto& { return r.shortElasticity.damping; }, kExtension)
      .attr(
          "thickness", [](auto& r) -> auto& { return r.shortElasticity.thickness; }, kExtension)
      .word(
          "elastic2d", [](auto& r) -> auto& { return r.shortElasticity.elastic2d; }, kElastic2d, kExtension)
      .attr(
          "condim", [](auto& r) -> auto& { return r.shortContact.condim; }, kExtension)
      .list(
          "friction", [](auto& r) -> auto& { return r.shortContact.friction; }, 1, 3, kExtension)
      .list(
          "solref", [](auto& r) -> auto& { return r.shortContact.solref; }, 1, 2, kExtension)
      .list(
          "solimp", [](auto& r) -> auto& { return r.shortContact.solimp; }, 1, 5, kExtension)
      .attr(
          "margin", [](auto& r) -> auto& { return r.shortContact.margin; }, kExtension)
      .attr(
          "restitution", [](auto& r) -> auto& { return r.shortContact.restitution; }, kExtension)
      .word(
          "selfcollide", [](auto& r) -> auto& { return r.shortContact.selfcollide; }, kSelfCollide, kExtension);
}

}  // namespace

void declareFlex(ElementStore& store, ElementType& parent) {
  using F = FlexRecord;
  ElementType& flex = addChild(store, parent, "flex");
  Declare<F> d(flex);
  d.attr("name", &F::name)
      .attr("group", &F::group)
      .attr("dim", &F::dim)
      .attr("radius", &F::radius)
      .attr("material", &F::material)
      .attr("rgba", &F::rgba)
      .attr("flatskin", &F::flatskin)
      .attr("body", &F::body)
      .attr("vertex", &F::vertex)
      .attr("element", &F::element)
      .attr("texcoord", &F::texcoord)
      .attr("elemtexcoord", &F::elemtexcoord)
      .attr("node", &F::node)
      .attr("nodecoord", &F::nodecoord)
      .attr("cellcount", &F::cellcount)
      .word("dof", &F::dof, kFlexDof);
  declareShortForm(d);
  declareFlexContact(store, flex);
  declareEdge(store, flex, false);
  declareElasticity(store, flex);
  declarePin(store, flex, false);
  Declare<FlexVertexRecord>(addChild(store, flex, "vertex"))
      .attr("pos", &FlexVertexRecord::pos, kRequired | kExtension);
  Declare<FlexElementRecord>(addChild(store, flex, "element", false, "in flex"))
      .attr("vertex", &FlexElementRecord::vertex, kRequired | kExtension);
}

void declareFlexcomp(ElementStore& store, ElementType& parent) {
  using F = spec::Flexcomp;
  ElementType& flexcomp = addChild(store, parent, "flexcomp");
  Declare<F> d(flexcomp);
  d.attr("name", &F::name, kRequired)
      .word("type", &F::type, kFlexcompType)
      .attr("group", &F::group)
      .attr("dim", &F::dim)
      .word("dof", &F::dof, kFlexDof)
      .list("count", &F::count, 1, 3)
      .defaultIs("10 10 10")
      .attr("cellcount", &F::cellcount)
      .list("spacing", &F::spacing, 1, 3)
      .defaultIs("0.02 0.02 0.02")
      .attr("radius", &F::radius)
      .attr("rigid", &F::rigid)
      .attr("mass", &F::mass)
      .defaultIs("1")
      .attr("inertiabox", &F::inertiabox)
      .attr("scale", &F::scale)
      .attr("file", &F::file)
      .attr("point", &F::point)
      .attr("element", &F::element)
      .attr("texcoord", &F::texcoord)
      .attr("material", &F::material)
      .attr("rgba", &F::rgba)
      .attr("flatskin", &F::flatskin)
      .attr("pos", &F::pos)
      .attr("inframe", &F::inframe, kExtension);
  declareOrientation(d);
  d.attr("origin", &F::center).attr("fill", &F::fill, kExtension);
  declareShortForm(d);
  declareEdge(store, flexcomp, true);
  declareElasticity(store, flexcomp);
  declareFlexContact(store, flexcomp);
  declarePin(store, flexcomp, true);
  declarePluginChild(store, flexcomp);
}

}  // namespace sinew::mjcf
