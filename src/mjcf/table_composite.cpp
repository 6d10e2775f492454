#include "mjcf/records.h"
#include "mjcf/table_sections.h"

namespace sinew::mjcf {
namespace {

constexpr Keyword kType[] = {{"particle", 0}, {"grid", 1}, {"rope", 2}, {"loop", 3}, {"cable", 4}, {"cloth", 5}};
constexpr Keyword kKind[] = {{"main", 0}};
constexpr Keyword kCompositeJointType[] = {{"free", 0}, {"ball", 1}, {"slide", 2}, {"hinge", 3}};
constexpr Keyword kCompositeGeomType[] = {{"plane", 0},   {"hfield", 1},    {"sphere", 2},
                                          {"capsule", 3}, {"ellipsoid", 4}, {"cylinder", 5},
                                          {"box", 6},     {"mesh", 7},      {"sdf", 8}};

void declareCompositeJoint(ElementStore& store, ElementType& composite) {
  using J = CompositeJointRecord;
  Declare<J>(addChild(store, composite, "joint", false, "in composite"))
      .word("kind", &J::kind, kKind, kRequired | kReading)
      .attr("group", &J::group, kReading)
      .attr(
          "stiffness", [](auto& j) -> auto& { return j.stiffness[0]; }, kReading)
      .attr(
          "damping", [](auto& j) -> auto& { return j.damping[0]; }, kReading)
      .attr("armature", &J::armature, kReading)
      .attr("solreffix", &J::solreffix, kPartial | kReading | kNoEffect)
      .attr("solimpfix", &J::solimpfix, kPartial | kReading | kNoEffect)
      .word("type", &J::type, kCompositeJointType, kReading | kNoEffect)
      .attr("axis", &J::axis, kReading | kNoEffect)
      .word("limited", &J::limited, kTri, kReading)
      .attr("range", &J::range, kReading)
      .attr("margin", &J::margin, kReading)
      .attr("solreflimit", &J::solreflimit, kPartial | kReading)
      .attr("solimplimit", &J::solimplimit, kPartial | kReading)
      .attr("frictionloss", &J::frictionloss, kReading)
      .attr("solreffriction", &J::solreffriction, kPartial | kReading)
      .attr("solimpfriction", &J::solimpfriction, kPartial | kReading);
}

void declareCompositeGeom(ElementStore& store, ElementType& composite) {
  using G = spec::Geom;
  Declare<G>(addChild(store, composite, "geom", kAtMostOne, "in composite"))
      .word("type", &G::type, kCompositeGeomType, kReading)
      .attr("contype", &G::contype, kReading)
      .attr("conaffinity", &G::conaffinity, kReading)
      .attr("condim", &G::condim, kReading)
      .attr("group", &G::group, kReading)
      .attr("priority", &G::priority, kReading)
      .attr("size", &G::size, kPartial | kReading)
      .attr("material", &G::material, kReading)
      .attr("rgba", &G::rgba, kReading)
      .attr("friction", &G::friction, kPartial | kReading)
      .attr("mass", &G::mass, kReading)
      .attr("density", &G::density, kReading)
      .attr("solmix", &G::solmix, kReading)
      .attr("solref", &G::solref, kPartial | kReading)
      .attr("solimp", &G::solimp, kPartial | kReading)
      .attr("margin", &G::margin, kReading)
      .attr("gap", &G::gap, kReading)
      .attr("restitution", &G::restitution, kExtension | kReading)
      .attr("surfacevel", &G::surfacevel, kPartial | kReading)
      .attr("adhesion", &G::adhesion, kReading);
}

}  // namespace

void declareComposite(ElementStore& store, ElementType& body) {
  ElementType& composite = addChild(store, body, "composite");
  using C = CompositeRecord;
  Declare<C>(composite)
      .attr("prefix", &C::prefix, kReading)
      .word("type", &C::type, kType, kRequired | kReading)
      .attr("count", &C::count, kPartial | kReading)
      .attr("offset", &C::offset, kReading)
      .attr("vertex", &C::vertex, kReading)
      .attr("initial", &C::initial, kReading)
      .attr("curve", &C::curve, kReading)
      .attr("size", &C::size, kPartial | kReading)
      .attr("quat", &C::quat, kReading);
  declareCompositeJoint(store, composite);
  ElementType& skin = addChild(store, composite, "skin", kAtMostOne, "in composite");
  skin.visual = true;
  DeclareText(skin)
      .boolean("texcoord")
      .text("material")
      .integer("group")
      .real("rgba", 4)
      .real("inflate")
      .integer("subgrid");
  declareCompositeGeom(store, composite);
  using S = spec::Site;
  Declare<S>(addChild(store, composite, "site", kAtMostOne, "in composite"))
      .attr("group", &S::group, kReading)
      .attr("size", &S::size, kPartial | kReading)
      .attr("material", &S::material, kReading)
      .attr("rgba", &S::rgba, kReading);
  declareCablePlugin(store, composite);
}

}  // namespace sinew::mjcf
