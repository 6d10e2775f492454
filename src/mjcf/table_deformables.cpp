#include "mjcf/table_sections.h"

/// Composites (part of the grammar, not of the engine: using one is an error that says so) and where flexes stand.
namespace sinew::mjcf {
namespace {

constexpr Keyword kBool3[] = {{"false"}, {"true"}, {"auto"}};
constexpr Keyword kCompositeType[] = {{"particle"}, {"grid"}, {"rope"}, {"loop"}, {"cable"}, {"cloth"}};
constexpr Keyword kKind[] = {{"main"}};
constexpr Keyword kJointType[] = {{"free"}, {"ball"}, {"slide"}, {"hinge"}};
constexpr Keyword kGeomType[] = {{"plane"},    {"hfield"}, {"sphere"}, {"capsule"}, {"ellipsoid"},
                                 {"cylinder"}, {"box"},    {"mesh"},   {"sdf"}};
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

}  // namespace

void declareSoftBodies(ElementStore& store, ElementType& body) {
  declareComposite(store, body);
  declareFlexcomp(store, body);
}

void declareDeformables(ElementStore& store, ElementType& root) {
  ElementType& deformable = addChild(store, root, "deformable");
  declareFlex(store, deformable);
  declareFlexcomp(store, deformable);
  declareSkin(store, deformable);
}

}  // namespace sinew::mjcf
