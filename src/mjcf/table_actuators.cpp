#include "mjcf/records.h"
#include "mjcf/table_sections.h"

namespace sinew::mjcf {
namespace {

constexpr std::string_view kUser = "a user-defined actuator callback";

constexpr Keyword kInterp[] = {{"zoh", 0}, {"linear", 1}, {"cubic", 2}};
constexpr Keyword kDynType[] = {{"none", 0},   {"integrator", 1}, {"filter", 2}, {"filterexact", 3},
                                {"muscle", 4}, {"dcmotor", 5},    {"pid", 6},    {"user", 7, kUser}};
constexpr Keyword kGainType[] = {{"fixed", 0}, {"affine", 1}, {"muscle", 2},     {"dcmotor", 3},
                                 {"so3", 4},   {"pid", 5},    {"user", 6, kUser}};
constexpr Keyword kBiasType[] = {{"none", 0},    {"affine", 1}, {"muscle", 2},
                                 {"dcmotor", 3}, {"so3", 4},    {"user", 5, kUser}};
constexpr Keyword kPidInput[] = {{"pos"}, {"vel"}, {"ff"}};
constexpr Keyword kMotorInput[] = {{"pos"}, {"vel"}, {"ff"}, {"voltage"}, {"none"}};
constexpr Keyword kOrientationInput[] = {{"expmap"}, {"quat"}};
constexpr Keyword kAnyInput[] = {{"expmap"}, {"quat"}, {"none"}, {"pos"}, {"vel"}, {"ff"}, {"voltage"}};

using A = ActuatorRecord;

void declareBase(ElementType& type) {
  Declare<A>(type)
      .attr("name", &A::name)
      .attr("group", &A::group)
      .attr("nsample", &A::nsample)
      .word("interp", &A::interp, kInterp)
      .attr("delay", &A::delay)
      .attr("ctrlrange", &A::ctrlrange)
      .attr("user", &A::user);
  declareClass(type);
}

void declareDynamics(ElementType& type) {
  Declare<A>(type)
      .attr("lengthrange", &A::lengthrange, kNotInDefault)
      .attr("gear", &A::gear, kPartial)
      .attr("damping", &A::damping, kPartial)
      .attr("armature", &A::armature)
      .attr("cranklength", &A::cranklength);
}

void declareTransmission(ElementType& type, bool sites = true) {
  Declare<A> d(type);
  d.attr("joint", &A::joint, kNotInDefault)
      .attr("jointinparent", &A::jointinparent, kNotInDefault)
      .attr("tendon", &A::tendon, kNotInDefault)
      .attr("slidersite", &A::slidersite, kNotInDefault)
      .attr("cranksite", &A::cranksite, kNotInDefault);
  if (sites) d.attr("site", &A::site, kNotInDefault).attr("refsite", &A::refsite, kNotInDefault);
}

/// What the controls are. The words are kept; lowerActuator() knows what they stand for.
void declareInput(Declare<A>& d, ElementType& type, Keywords words, std::string_view usual) {
  d.attr("input", &A::inputs).defaultIs(usual);
  type.attributes.back().format = {ValueFormat::Kind::Words, 1, 1, words};
}

void declareForce(Declare<A>& d, bool ctrllimited = true) {
  if (ctrllimited) d.word("ctrllimited", &A::ctrllimited, kTri);
  d.word("forcelimited", &A::forcelimited, kTri).attr("forcerange", &A::forcerange);
}

/// An actuator with a joint, tendon or site target and the given attributes of its own.
ElementType& addActuator(ElementStore& store, ElementType& actuator, std::string_view tag) {
  ElementType& type = addChild(store, actuator, tag);
  declareBase(type);
  Declare<A> d(type);
  if (tag == "dcmotor") {
    d.word("ctrllimited", &A::ctrllimited, kTri);  // its force has the limit 'saturation'
  } else {
    declareForce(d, tag != "damper");
  }
  declareDynamics(type);
  declareTransmission(type, tag != "muscle");
  return type;
}

void declareGeneral(ElementStore& store, ElementType& actuator) {
  ElementType& general = addActuator(store, actuator, "general");
  Declare<A>(general)
      .word("actlimited", &A::actlimited, kTri)
      .attr("actrange", &A::actrange)
      .attr("body", &A::body, kNotInDefault)
      .attr("actdim", &A::actdim)
      .word("dyntype", &A::dyntype, kDynType)
      .word("gaintype", &A::gaintype, kGainType)
      .word("biastype", &A::biastype, kBiasType)
      .attr("dynprm", &A::dynprm, kPartial)
      .attr("gainprm", &A::gainprm, kPartial)
      .attr("biasprm", &A::biasprm, kPartial)
      .attr("actearly", &A::actearly)
      .attr("inheritrange", &A::inheritrange, kExtension)
      .attr("velrange", &A::velrange)
      .attr("ffrange", &A::ffrange);
  Declare<A> d(general);
  declareInput(d, general, kAnyInput, "");
}

void declareServos(ElementStore& store, ElementType& actuator) {
  Declare<A>(addActuator(store, actuator, "position"))
      .attr("inheritrange", &A::inheritrange)
      .attr("kp", &A::kp)
      .defaultIs("1")
      .attr("kv", &A::kv)
      .attr("dampratio", &A::dampratio)
      .attr("timeconst", &A::timeconst);
  Declare<A>(addActuator(store, actuator, "velocity")).attr("kv", &A::kv).defaultIs("1");
  Declare<A>(addActuator(store, actuator, "intvelocity"))
      .word("actlimited", &A::actlimited, kTri)
      .attr("actrange", &A::actrange)
      .attr("inheritrange", &A::inheritrange)
      .attr("kp", &A::kp)
      .defaultIs("1")
      .attr("kv", &A::kv)
      .attr("dampratio", &A::dampratio);
}

/// Actuators with several controls.
void declareControllers(ElementStore& store, ElementType& actuator) {
  ElementType& orientation = addChild(store, actuator, "orientation");
  declareBase(orientation);
  Declare<A> o(orientation);
  declareForce(o, false);
  o.attr("joint", &A::joint, kNotInDefault)
      .attr("site", &A::site, kNotInDefault)
      .attr("refsite", &A::refsite, kNotInDefault)
      .attr("kp", &A::kp)
      .defaultIs("1")
      .attr("kv", &A::kv)
      .attr("dampratio", &A::dampratio);
  declareInput(o, orientation, kOrientationInput, "expmap");

  ElementType& pid = addActuator(store, actuator, "pid");
  Declare<A> p(pid);
  p.attr("posrange", &A::ctrlrange, kReading)
      .attr("velrange", &A::velrange)
      .attr("ffrange", &A::ffrange)
      .attr("inheritrange", &A::inheritrange)
      .attr("kp", &A::kp)
      .defaultIs("0")
      .attr("kv", &A::kv)
      .attr("dampratio", &A::dampratio)
      .attr("ki", &A::ki)
      .attr("imax", &A::imax)
      .attr("slewmax", &A::slewmax);
  declareInput(p, pid, kPidInput, "pos vel");

  ElementType& dcmotor = addActuator(store, actuator, "dcmotor");
  Declare<A> m(dcmotor);
  m.list("motorconst", &A::motorconst, 1, 2)
      .attr("resistance", &A::resistance)
      .list("nominal", &A::nominal, 1, 3)
      .list("saturation", &A::saturation, 1, 3)
      .list("inductance", &A::inductance, 1, 2)
      .list("cogging", &A::cogging, 1, 3)
      .list("controller", &A::controller, 1, 6)
      .list("thermal", &A::thermal, 1, 6)
      .list("lugre", &A::lugre, 1, 5);
  declareInput(m, dcmotor, kMotorInput, "voltage");
}

void declarePlugin(ElementStore& store, ElementType& actuator) {
  ElementType& plugin = addActuator(store, actuator, "plugin");
  DeclareText(plugin)
      .text("plugin")
      .text("instance")
      .word("actlimited", kTri)
      .real("actrange", 2)
      .integer("actdim")
      .word("dyntype", kDynType)
      .real("dynprm", 1, 10)
      .boolean("actearly");
  DeclareText(addChild(store, plugin, "config")).text("key", kRequired).text("value");
  plugin.context = "in actuator";
  plugin.unsupported = "an engine plugin";
}

}  // namespace

void declareActuators(ElementStore& store, ElementType& root) {
  ElementType& actuator = addChild(store, root, "actuator");
  declareGeneral(store, actuator);
  addActuator(store, actuator, "motor");
  declareServos(store, actuator);
  Declare<A>(addActuator(store, actuator, "damper")).attr("kv", &A::kv).defaultIs("0");
  Declare<A>(addActuator(store, actuator, "cylinder"))
      .attr("timeconst", &A::timeconst)
      .defaultIs("1")
      .attr("area", &A::area)
      .defaultIs("1")
      .attr("diameter", &A::diameter)
      .attr("bias", &A::bias)
      .defaultIs("0 0 0");
  Declare<A>(addActuator(store, actuator, "muscle"))
      .attr("timeconst", &A::muscle_timeconst)
      .defaultIs("0.01 0.04")
      .attr("tausmooth", &A::tausmooth, kNotInDefault)
      .defaultIs("0")
      .attr("range", &A::muscle_range)
      .defaultIs("0.75 1.05")
      .attr("force", &A::force)
      .defaultIs("-1")
      .attr("scale", &A::scale)
      .defaultIs("200")
      .attr("lmin", &A::lmin)
      .defaultIs("0.5")
      .attr("lmax", &A::lmax)
      .defaultIs("1.6")
      .attr("vmax", &A::vmax)
      .defaultIs("1.5")
      .attr("fpmax", &A::fpmax)
      .defaultIs("1.3")
      .attr("fvmax", &A::fvmax)
      .defaultIs("1.2");
  ElementType& adhesion = addChild(store, actuator, "adhesion");
  declareBase(adhesion);
  Declare<A> d(adhesion);
  declareForce(d, false);
  d.attr("body", &A::body, kNotInDefault).attr("gain", &A::gain).defaultIs("1");
  declareControllers(store, actuator);
  declarePlugin(store, actuator);
}

}  // namespace sinew::mjcf
