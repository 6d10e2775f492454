#include "mjcf/records.h"
#include "mjcf/table_sections.h"

namespace sinew::mjcf {
namespace {

constexpr Keyword kSensorInterp[] = {{"zoh", 0}, {"linear", 1}, {"cubic", 2}};
constexpr Keyword kFrameObject[] = {{"body", 1}, {"xbody", 2}, {"geom", 5}, {"site", 6}, {"camera", 7}};
constexpr Keyword kRayData[] = {{"dist", 1}, {"dir", 2}, {"origin", 4}, {"point", 8}, {"normal", 16}, {"depth", 32}};
constexpr Keyword kContactData[] = {{"found", 1}, {"force", 2},   {"torque", 4},  {"dist", 8},
                                    {"pos", 16},  {"normal", 32}, {"tangent", 64}};
constexpr Keyword kReduce[] = {{"none", 0}, {"mindist", 1}, {"maxforce", 2}, {"netforce", 3}};
constexpr Keyword kDataType[] = {{"real", 0}, {"positive", 1}, {"axis", 2}, {"quaternion", 3}};
constexpr Keyword kStage[] = {{"none", 0}, {"pos", 1}, {"vel", 2}, {"acc", 3}};

using S = SensorRecord;

Declare<S> addSensor(ElementStore& store, ElementType& sensor, std::string_view tag) {
  Declare<S> d(addChild(store, sensor, tag, false, "in sensor"));
  d.attr("name", &S::name)
      .attr("nsample", &S::nsample)
      .word("interp", &S::interp, kSensorInterp)
      .attr("delay", &S::delay)
      .attr("interval", &S::interval, kPartial)
      .attr("cutoff", &S::cutoff)
      .attr("noise", &S::noise)
      .attr("user", &S::user);
  return d;
}

void declareTargeted(ElementStore& store, ElementType& sensor) {
  for (const std::string_view tag :
       {"touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer"})
    addSensor(store, sensor, tag).attr("site", &S::site, kRequired);
  addSensor(store, sensor, "camprojection").attr("site", &S::site, kRequired).attr("camera", &S::camera, kRequired);
  addSensor(store, sensor, "rangefinder")
      .attr("site", &S::site)
      .attr("camera", &S::camera)
      .words("data", &S::raydata, kRayData, true)
      .exclusive({{"site"}, {"camera"}})
      .oneOf({{"site"}, {"camera"}});
  for (const std::string_view tag : {"jointpos", "jointvel", "jointactuatorfrc", "ballquat", "ballangvel",
                                     "jointlimitpos", "jointlimitvel", "jointlimitfrc"})
    addSensor(store, sensor, tag).attr("joint", &S::joint, kRequired);
  for (const std::string_view tag :
       {"tendonpos", "tendonvel", "tendonactuatorfrc", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc"})
    addSensor(store, sensor, tag).attr("tendon", &S::tendon, kRequired);
  for (const std::string_view tag : {"actuatorpos", "actuatorvel", "actuatorfrc"})
    addSensor(store, sensor, tag).attr("actuator", &S::actuator, kRequired);
  for (const std::string_view tag : {"subtreecom", "subtreelinvel", "subtreeangmom"})
    addSensor(store, sensor, tag).attr("body", &S::body, kRequired);
}

void declareFrames(ElementStore& store, ElementType& sensor) {
  for (const std::string_view tag : {"framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel",
                                     "frameangvel", "framelinacc", "frameangacc"}) {
    Declare<S> d = addSensor(store, sensor, tag);
    d.word("objtype", &S::objtype, kFrameObject, kRequired).defaultIs("").attr("objname", &S::objname, kRequired);
    if (tag == "framelinacc" || tag == "frameangacc") continue;
    d.word("reftype", &S::reftype, kFrameObject)
        .defaultIs("")
        .attr("refname", &S::refname)
        .together({{"reftype"}, {"refname"}});
  }
  addSensor(store, sensor, "insidesite")
      .attr("site", &S::site, kRequired)
      .word("objtype", &S::objtype, kFrameObject, kRequired)
      .defaultIs("")
      .attr("objname", &S::objname, kRequired);
}

void declareGeometry(ElementStore& store, ElementType& sensor) {
  for (const std::string_view tag : {"distance", "normal", "fromto"})
    addSensor(store, sensor, tag)
        .attr("geom1", &S::geom1)
        .attr("geom2", &S::geom2)
        .attr("body1", &S::body1)
        .attr("body2", &S::body2)
        .exclusive({{"geom1"}, {"body1"}})
        .oneOf({{"geom1"}, {"body1"}})
        .exclusive({{"geom2"}, {"body2"}})
        .oneOf({{"geom2"}, {"body2"}});
  addSensor(store, sensor, "contact")
      .attr("geom1", &S::geom1)
      .attr("geom2", &S::geom2)
      .attr("body1", &S::body1)
      .attr("body2", &S::body2)
      .attr("subtree1", &S::subtree1)
      .attr("subtree2", &S::subtree2)
      .attr("site", &S::site)
      .attr("num", &S::num)
      .words("data", &S::condata, kContactData, true)
      .word("reduce", &S::reduce, kReduce)
      .exclusive({{"geom1"}, {"body1"}, {"subtree1"}, {"site"}})
      .exclusive({{"geom2"}, {"body2"}, {"subtree2"}});
}

/// What flexes feel; Sinew's own.
void declareFlexSensors(ElementStore& store, ElementType& sensor) {
  const auto add = [&](std::string_view tag) {
    Declare<S> d = addSensor(store, sensor, tag);
    d.attr("flex", &S::flex, kRequired | kExtension);
    return d;
  };
  add("flexforce").attr("vertex", &S::vertex, kExtension);
  add("flexreaction").attr("node", &S::node, kExtension);
  for (const std::string_view tag : {"flexstrain", "flexstress", "flexmembrane", "flexmoment"})
    add(tag).attr("element", &S::element, kRequired | kExtension);
  for (const std::string_view tag : {"flexkinetic", "flexelastic"}) add(tag);
}

}  // namespace

void declareSensors(ElementStore& store, ElementType& root) {
  ElementType& sensor = addChild(store, root, "sensor");
  declareTargeted(store, sensor);
  declareFrames(store, sensor);
  declareGeometry(store, sensor);
  for (const std::string_view tag : {"e_potential", "e_kinetic", "clock"}) addSensor(store, sensor, tag);
  declareFlexSensors(store, sensor);

  ElementType& tactile = addChild(store, sensor, "tactile");
  tactile.unsupported = "a tactile sensor";
  DeclareText(tactile)
      .text("name")
      .text("geom", kRequired)
      .text("mesh", kRequired)
      .integer("nsample")
      .word("interp", kSensorInterp)
      .real("delay")
      .real("interval", 1, 2)
      .real("user", 0, kAnyCount);

  Declare<S>(addChild(store, sensor, "user", false, "in sensor"))
      .attr("name", &S::name)
      .word("objtype", &S::objtype, objectTypes())
      .defaultIs("")
      .attr("objname", &S::objname)
      .word("datatype", &S::datatype, kDataType)
      .word("needstage", &S::needstage, kStage)
      .attr("dim", &S::dim, kRequired)
      .attr("cutoff", &S::cutoff)
      .attr("noise", &S::noise)
      .attr("user", &S::user)
      .together({{"objtype"}, {"objname"}});

  ElementType& plugin = addChild(store, sensor, "plugin", false, "in sensor");
  plugin.unsupported = "an engine plugin";
  DeclareText(plugin)
      .text("name")
      .text("plugin")
      .text("instance")
      .real("cutoff")
      .text("objtype")
      .text("objname")
      .text("reftype")
      .text("refname")
      .real("user", 0, kAnyCount);
  DeclareText(addChild(store, plugin, "config")).text("key", kRequired).text("value");
}

}  // namespace sinew::mjcf
