#include "mjcf/records.h"
#include "mjcf/table_sections.h"

namespace sinew::mjcf {
namespace {

void declareContact(ElementStore& store, ElementType& root) {
  ElementType& contact = addChild(store, root, "contact");
  ElementType& pair = addChild(store, contact, "pair");
  using P = spec::Pair;
  Declare<P>(pair)
      .attr("name", &P::name)
      .attr("geom1", &P::geom1, kNotInDefault)
      .attr("geom2", &P::geom2, kNotInDefault)
      .attr("condim", &P::condim)
      .attr("friction", &P::friction, kPartial)
      .attr("solref", &P::solref, kPartial)
      .attr("solreffriction", &P::solreffriction, kPartial)
      .attr("solimp", &P::solimp, kPartial)
      .attr("gap", &P::gap)
      .attr("margin", &P::margin)
      .attr("adhesion", &P::adhesion)
      .attr("restitution", &P::restitution, kExtension);
  declareClass(pair);
  using E = spec::Exclude;
  Declare<E>(addChild(store, contact, "exclude"))
      .attr("name", &E::name)
      .attr("body1", &E::body1, kRequired)
      .attr("body2", &E::body2, kRequired);
}

/// Attributes of <spatial>, <fixed> and of <tendon> in a default class.
void declareTendonAttributes(ElementType& type, bool fixed, bool inDefault) {
  using T = spec::Tendon;
  Declare<T> d(type);
  if (!inDefault) d.attr("name", &T::name);
  d.attr("group", &T::group).word("limited", &T::limited, kTri);
  if (!inDefault) d.word("actuatorfrclimited", &T::actuatorfrclimited, kTri);
  d.attr("range", &T::range);
  if (!inDefault) d.attr("actuatorfrcrange", &T::actuatorfrcrange);
  d.attr("solreflimit", &T::solreflimit, kPartial)
      .attr("solimplimit", &T::solimplimit, kPartial)
      .attr("solreffriction", &T::solreffriction, kPartial)
      .attr("solimpfriction", &T::solimpfriction, kPartial)
      .attr("frictionloss", &T::frictionloss)
      .attr("springlength", &T::springlength, kPartial);
  if (!fixed) d.attr("width", &T::width).attr("material", &T::material);
  d.attr("margin", &T::margin).attr("stiffness", &T::stiffness, kPartial).attr("damping", &T::damping, kPartial);
  if (!inDefault) d.attr("armature", &T::armature);
  if (!fixed) d.attr("rgba", &T::rgba);
  d.attr("user", &T::user);
  if (!inDefault) declareClass(type);
}

void declareTendon(ElementStore& store, ElementType& root) {
  ElementType& tendon = addChild(store, root, "tendon");
  using W = spec::Wrap;
  ElementType& spatial = addChild(store, tendon, "spatial");
  declareTendonAttributes(spatial, false, false);
  Declare<W>(addChild(store, spatial, "site", false, "in spatial")).attr("site", &W::target, kRequired);
  Declare<W>(addChild(store, spatial, "geom", false, "in spatial"))
      .attr("geom", &W::target, kRequired)
      .attr("sidesite", &W::sidesite);
  Declare<W>(addChild(store, spatial, "pulley")).attr("divisor", &W::value, kRequired);
  ElementType& fixed = addChild(store, tendon, "fixed");
  declareTendonAttributes(fixed, true, false);
  Declare<W>(addChild(store, fixed, "joint", false, "in fixed"))
      .attr("joint", &W::target, kRequired)
      .attr("coef", &W::value, kRequired);
}

using E = EqualityRecord;

ElementType& addEquality(ElementStore& store, ElementType& equality, std::string_view tag) {
  ElementType& type = addChild(store, equality, tag, false, "in equality");
  Declare<E>(type)
      .attr("name", &E::name)
      .attr("active", &E::active)
      .attr("solref", &E::solref, kPartial)
      .attr("solimp", &E::solimp, kPartial);
  declareClass(type);
  return type;
}

void declareEquality(ElementStore& store, ElementType& root) {
  ElementType& equality = addChild(store, root, "equality");
  Declare<E>(addEquality(store, equality, "connect"))
      .attr("body1", &E::body1)
      .attr("body2", &E::body2)
      .attr("anchor", &E::anchor)
      .attr("site1", &E::site1)
      .attr("site2", &E::site2)
      .exclusive({{"site1", "site2"}, {"body1", "body2", "anchor"}})
      .oneOf({{"site1", "site2"}, {"body1", "anchor"}})
      .together({{"site1"}, {"site2"}});
  Declare<E>(addEquality(store, equality, "weld"))
      .attr("body1", &E::body1)
      .attr("body2", &E::body2)
      .attr("relpose", &E::relpose)
      .attr("anchor", &E::anchor)
      .attr("site1", &E::site1)
      .attr("site2", &E::site2)
      .attr("torquescale", &E::torquescale)
      .exclusive({{"site1", "site2"}, {"body1", "body2", "anchor", "relpose"}})
      .oneOf({{"site1", "site2"}, {"body1"}})
      .together({{"site1"}, {"site2"}});
  Declare<E>(addEquality(store, equality, "joint"))
      .attr("joint1", &E::joint1, kRequired)
      .attr("joint2", &E::joint2)
      .attr("polycoef", &E::polycoef, kPartial);
  Declare<E>(addEquality(store, equality, "tendon"))
      .attr("tendon1", &E::tendon1, kRequired)
      .attr("tendon2", &E::tendon2)
      .attr("polycoef", &E::polycoef, kPartial);
  for (const std::string_view tag : {"flex", "flexvert", "flexstrain"}) {
    Declare<E> d(addEquality(store, equality, tag));
    d.attr("flex", &E::flex, kRequired);
    if (tag == "flexstrain") d.attr("cell", &E::cell);
  }
}

constexpr Keyword kKeyLayout[] = {{"auto", 0}, {"reference", 1}, {"sinew", 2}};
constexpr Keyword kObjType[] = {{"body", 1},     {"xbody", 2},     {"joint", 3},    {"dof", 4},       {"geom", 5},
                                {"site", 6},     {"camera", 7},    {"light", 8},    {"flex", 9},      {"mesh", 10},
                                {"skin", 11},    {"hfield", 12},   {"texture", 13}, {"material", 14}, {"pair", 15},
                                {"exclude", 16}, {"equality", 17}, {"tendon", 18},  {"actuator", 19}, {"sensor", 20},
                                {"numeric", 21}, {"text", 22},     {"tuple", 23},   {"key", 24},      {"plugin", 25}};

}  // namespace

Keywords objectTypes() { return kObjType; }

void declareRelations(ElementStore& store, ElementType& root) {
  declareContact(store, root);
  declareTendon(store, root);
  declareEquality(store, root);
}

void declareCustom(ElementStore& store, ElementType& root) {
  ElementType& custom = addChild(store, root, "custom");
  using N = NumericRecord;
  Declare<N>(addChild(store, custom, "numeric"))
      .attr("name", &N::name, kRequired)
      .attr("size", &N::length)
      .attr("data", &N::data);
  using T = spec::Text;
  Declare<T>(addChild(store, custom, "text")).attr("name", &T::name, kRequired).attr("data", &T::data, kRequired);
  ElementType& tuple = addChild(store, custom, "tuple");
  Declare<spec::Tuple>(tuple).attr("name", &spec::Tuple::name, kRequired);
  using P = spec::TupleEntry;
  Declare<P>(addChild(store, tuple, "element"))
      .word("objtype", &P::objtype, objectTypes(), kRequired)
      .attr("objname", &P::objname, kRequired)
      .attr("prm", &P::prm);

  ElementType& keyframe = addChild(store, root, "keyframe");
  using K = spec::Key;
  Declare<K>(addChild(store, keyframe, "key"))
      .attr("name", &K::name)
      .attr("time", &K::time)
      .word("layout", &K::layout, kKeyLayout, kExtension)
      .attr("qpos", &K::qpos, kReference)
      .attr("qvel", &K::qvel)
      .attr("act", &K::act)
      .attr("mpos", &K::mpos, kReference)
      .attr("mquat", &K::mquat, kReference)
      .attr("ctrl", &K::ctrl);
}

void declareDefaultRelations(ElementStore& store, ElementType& defaults) {
  ElementType& equality = addChild(store, defaults, "equality", kAtMostOne, "in default");
  equality.inDefault = true;
  using Q = spec::Equality;
  Declare<Q>(equality)
      .attr("active", &Q::active)
      .attr("solref", &Q::solref, kPartial)
      .attr("solimp", &Q::solimp, kPartial);
  ElementType& tendon = addChild(store, defaults, "tendon", kAtMostOne, "in default");
  tendon.inDefault = true;
  declareTendonAttributes(tendon, false, true);
}

}  // namespace sinew::mjcf
