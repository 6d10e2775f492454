#include "mjcf/table_sections.h"

/// Flexes and composites: part of the grammar, not yet of the engine. Using one is an error that says so.
namespace sinew::mjcf {
namespace {

constexpr Keyword kBool3[] = {{"false"}, {"true"}, {"auto"}};
constexpr Keyword kCompositeType[] = {{"particle"}, {"grid"}, {"rope"}, {"loop"}, {"cable"}, {"cloth"}};
constexpr Keyword kKind[] = {{"main"}};
constexpr Keyword kJointType[] = {{"free"}, {"ball"}, {"slide"}, {"hinge"}};
constexpr Keyword kGeomType[] = {{"plane"},    {"hfield"}, {"sphere"}, {"capsule"}, {"ellipsoid"},
                                 {"cylinder"}, {"box"},    {"mesh"},   {"sdf"}};
constexpr Keyword kFlexcompType[] = {{"grid"}, {"box"},    {"cylinder"}, {"ellipsoid"}, {"square"},
                                     {"disc"}, {"circle"}, {"mesh"},     {"gmsh"},      {"direct"}};
constexpr Keyword kFlexDof[] = {{"full"}, {"radial"}, {"trilinear"}, {"quadratic"}, {"2d"}};
constexpr Keyword kFlexEquality[] = {{"false"}, {"true"}, {"vert"}, {"strain"}};
constexpr Keyword kSelfCollide[] = {{"none"}, {"narrow"}, {"bvh"}, {"sap"}, {"auto"}};
constexpr Keyword kElastic2d[] = {{"none"}, {"bend"}, {"stretch"}, {"both"}};

void declareElasticity(ElementStore& store, ElementType& flex) {
  DeclareText(addChild(store, flex, "elasticity", kAtMostOne))
      .real("young")
      .real("poisson")
      .real("damping")
      .real("thickness")
      .word("elastic2d", kElastic2d);
}

void declareFlexContact(ElementStore& store, ElementType& flex) {
  DeclareText(addChild(store, flex, "contact", kAtMostOne, "in flex"))
      .integer("contype")
      .integer("conaffinity")
      .integer("condim")
      .integer("priority")
      .real("friction", 1, 3)
      .real("solmix")
      .real("solref", 1, 2)
      .real("solimp", 1, 5)
      .real("margin")
      .real("gap")
      .boolean("internal")
      .word("selfcollide", kSelfCollide)
      .integer("activelayers")
      .boolean("passive");
}

void declareComposite(ElementStore& store, ElementType& body) {
  ElementType& composite = addChild(store, body, "composite");
  composite.unsupported = "a composite";
  DeclareText(composite)
      .text("prefix")
      .word("type", kCompositeType, kRequired)
      .integer("count", 1, 3)
      .real("offset", 3)
      .real("vertex", 0, kAnyCount)
      .text("initial")
      .text("curve")
      .real("size", 1, 3)
      .real("quat", 4);
  DeclareText(addChild(store, composite, "joint", false, "in composite"))
      .word("kind", kKind, kRequired)
      .integer("group")
      .real("stiffness")
      .real("damping")
      .real("armature")
      .real("solreffix", 1, 2)
      .real("solimpfix", 1, 5)
      .word("type", kJointType)
      .real("axis", 3)
      .word("limited", kBool3)
      .real("range", 2)
      .real("margin")
      .real("solreflimit", 1, 2)
      .real("solimplimit", 1, 5)
      .real("frictionloss")
      .real("solreffriction", 1, 2)
      .real("solimpfriction", 1, 5);
  DeclareText(addChild(store, composite, "skin", kAtMostOne, "in composite"))
      .boolean("texcoord")
      .text("material")
      .integer("group")
      .real("rgba", 4)
      .real("inflate")
      .integer("subgrid");
  DeclareText(addChild(store, composite, "geom", kAtMostOne, "in composite"))
      .word("type", kGeomType)
      .integer("contype")
      .integer("conaffinity")
      .integer("condim")
      .integer("group")
      .integer("priority")
      .real("size", 1, 3)
      .text("material")
      .real("rgba", 4)
      .real("friction", 1, 3)
      .real("mass")
      .real("density")
      .real("solmix")
      .real("solref", 1, 2)
      .real("solimp", 1, 5)
      .real("margin")
      .real("gap")
      .real("surfacevel", 1, 6)
      .real("adhesion");
  DeclareText(addChild(store, composite, "site", kAtMostOne, "in composite"))
      .integer("group")
      .real("size", 1, 3)
      .text("material")
      .real("rgba", 4);
  declarePluginChild(store, composite);
}

void declareFlexcomp(ElementStore& store, ElementType& body) {
  ElementType& flexcomp = addChild(store, body, "flexcomp");
  flexcomp.unsupported = "a flex";
  DeclareText(flexcomp)
      .text("name", kRequired)
      .word("type", kFlexcompType)
      .integer("group")
      .integer("dim")
      .word("dof", kFlexDof)
      .integer("count", 3)
      .integer("cellcount", 3)
      .real("spacing", 3)
      .real("radius")
      .boolean("rigid")
      .real("mass")
      .real("inertiabox")
      .real("scale", 3)
      .text("file")
      .real("point", 0, kAnyCount)
      .real("element", 0, kAnyCount)
      .real("texcoord", 0, kAnyCount)
      .text("material")
      .real("rgba", 4)
      .boolean("flatskin")
      .real("pos", 3)
      .real("quat", 4)
      .real("axisangle", 4)
      .real("xyaxes", 6)
      .real("zaxis", 3)
      .real("euler", 3)
      .real("origin", 3);
  DeclareText(addChild(store, flexcomp, "edge", kAtMostOne, "in flexcomp"))
      .word("equality", kFlexEquality)
      .real("solref", 1, 2)
      .real("solimp", 1, 5)
      .real("stiffness")
      .real("damping");
  declareElasticity(store, flexcomp);
  declareFlexContact(store, flexcomp);
  DeclareText(addChild(store, flexcomp, "pin"))
      .real("id", 0, kAnyCount)
      .real("range", 0, kAnyCount)
      .real("grid", 0, kAnyCount)
      .real("gridrange", 0, kAnyCount);
  declarePluginChild(store, flexcomp);
}

}  // namespace

void declareSoftBodies(ElementStore& store, ElementType& body) {
  declareComposite(store, body);
  declareFlexcomp(store, body);
}

void declareDeformables(ElementStore& store, ElementType& root) {
  ElementType& deformable = addChild(store, root, "deformable");
  ElementType& flex = addChild(store, deformable, "flex");
  flex.unsupported = "a flex";
  DeclareText(flex)
      .text("name")
      .integer("group")
      .integer("dim")
      .real("radius")
      .text("material")
      .real("rgba", 4)
      .boolean("flatskin")
      .text("body", kRequired)
      .real("vertex", 0, kAnyCount)
      .integer("element", 1, kAnyCount, kRequired)
      .real("texcoord", 0, kAnyCount)
      .integer("elemtexcoord", 0, kAnyCount)
      .text("node")
      .real("nodecoord", 0, kAnyCount)
      .integer("cellcount", 3)
      .word("dof", kFlexDof);
  declareFlexContact(store, flex);
  DeclareText(addChild(store, flex, "edge", kAtMostOne, "in flex")).real("stiffness").real("damping");
  declareElasticity(store, flex);
  declareSkin(store, deformable);
}

}  // namespace sinew::mjcf
