#include "mjcf/table_sections.h"

/// Where flexes and composites stand.
namespace sinew::mjcf {

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
