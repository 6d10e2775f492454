#pragma once

#include "mjcf/attribute_table.h"
#include "sinew/spec.h"

/// The parts the attribute table is put together from, one function per part of a model.
namespace sinew::mjcf {

inline constexpr bool kAtMostOne = true;
inline constexpr Keyword kTri[] = {{"false", 0}, {"true", 1}, {"auto", 2}};

/// Adds a new element type to the children of `parent`.
inline ElementType& addChild(ElementStore& store, ElementType& parent, std::string_view tag, bool atMostOne = false,
                             std::string_view context = {}) {
  ElementType& type = store.emplace_back();
  type.tag = tag, type.context = context;
  parent.children.push_back({&type, atMostOne});
  return type;
}

/// The attributes `quat`, `axisangle`, `xyaxes`, `zaxis`, `euler` of a record with a member `orientation`.
template <class R>
void declareOrientation(Declare<R>& d) {
  d.attr(
       "quat", [](auto& r) -> auto& { return r.orientation.quat; })
      .attr(
          "axisangle", [](auto& r) -> auto& { return r.orientation.axisangle; })
      .attr(
          "xyaxes", [](auto& r) -> auto& { return r.orientation.xyaxes; })
      .attr(
          "zaxis", [](auto& r) -> auto& { return r.orientation.zaxis; })
      .attr(
          "euler", [](auto& r) -> auto& { return r.orientation.euler; });
}

/// Names of object types, as used by tuples and user sensors.
Keywords objectTypes();

/// The attribute `class`, after `name`. The reader resolves it.
void declareClass(ElementType& type);

/// <skin>, which may be written under asset and under deformable.
void declareSkin(ElementStore& store, ElementType& parent);

/// <plugin> inside what may be part of a cable, whose plugin is understood.
void declareCablePlugin(ElementStore& store, ElementType& parent);

/// <plugin> as it appears inside other elements.
void declarePluginChild(ElementStore& store, ElementType& parent);

void declareSettings(ElementStore& store, ElementType& root);     ///< compiler, option, size, statistic, visual
void declareAssets(ElementStore& store, ElementType& root);       ///< asset, extension
void declareBodies(ElementStore& store, ElementType& root);       ///< worldbody, body, frame, replicate, ...
void declareFlex(ElementStore& store, ElementType& parent);       ///< flex
void declareFlexcomp(ElementStore& store, ElementType& parent);   ///< flexcomp
void declareComposite(ElementStore& store, ElementType& body);    ///< composite
void declareDeformables(ElementStore& store, ElementType& root);  ///< deformable
void declareSoftBodies(ElementStore& store, ElementType& body);   ///< composite, flexcomp inside a body
void declareRelations(ElementStore& store, ElementType& root);    ///< contact, tendon, equality
void declareActuators(ElementStore& store, ElementType& root);    ///< actuator
void declareSensors(ElementStore& store, ElementType& root);      ///< sensor
void declareCustom(ElementStore& store, ElementType& root);       ///< custom, keyframe
/// equality and tendon inside a default class.
void declareDefaultRelations(ElementStore& store, ElementType& defaults);
/// default: reduced forms of elements declared before.
void declareDefaults(ElementStore& store, ElementType& root);

}  // namespace sinew::mjcf
