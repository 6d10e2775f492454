#include "mjcf/records.h"
#include "mjcf/table_sections.h"

namespace sinew::mjcf {
namespace {

constexpr Keyword kSimple[] = {{"false", 0}, {"auto", 1}};
constexpr Keyword kSleep[] = {{"auto", 0}, {"never", 1}, {"allowed", 2}, {"init", 3}};
constexpr Keyword kJointType[] = {{"free", 0}, {"ball", 1}, {"slide", 2}, {"hinge", 3}};
constexpr std::string_view kSdf = "a geom of type sdf";
constexpr Keyword kGeomType[] = {{"plane", 0},    {"hfield", 1}, {"sphere", 2}, {"capsule", 3},  {"ellipsoid", 4},
                                 {"cylinder", 5}, {"box", 6},    {"mesh", 7},   {"sdf", 8, kSdf}};
constexpr Keyword kFluidShape[] = {{"none", 0}, {"ellipsoid", 1}};
constexpr Keyword kProjection[] = {{"perspective", 0}, {"orthographic", 1}};
constexpr Keyword kCameraOutput[] = {{"rgb", 1}, {"depth", 2}, {"distance", 4}, {"normal", 8}, {"segmentation", 16}};
constexpr Keyword kTracking[] = {{"fixed", 0}, {"track", 1}, {"trackcom", 2}, {"targetbody", 3}, {"targetbodycom", 4}};
constexpr Keyword kLightType[] = {{"spot"}, {"directional"}, {"point"}, {"image"}};

void declareInertial(ElementStore& store, ElementType& body) {
  using I = spec::Inertial;
  Declare<I> d(addChild(store, body, "inertial", kAtMostOne));
  d.attr("pos", &I::pos, kRequired).attr("mass", &I::mass, kRequired).attr("diaginertia", &I::diaginertia);
  declareOrientation(d);
  d.attr("fullinertia", &I::fullinertia);
  d.exclusive({{"fullinertia"}, {"quat"}, {"axisangle"}, {"xyaxes"}, {"zaxis"}, {"euler"}});
}

void declareJoints(ElementStore& store, ElementType& body) {
  ElementType& joint = addChild(store, body, "joint");
  using J = spec::Joint;
  Declare<J>(joint)
      .attr("name", &J::name)
      .word("type", &J::type, kJointType)
      .attr("group", &J::group)
      .attr("pos", &J::pos)
      .attr("axis", &J::axis)
      .attr("springdamper", &J::springdamper)
      .word("limited", &J::limited, kTri)
      .word("actuatorfrclimited", &J::actuatorfrclimited, kTri)
      .attr("solreflimit", &J::solreflimit, kPartial)
      .attr("solimplimit", &J::solimplimit, kPartial)
      .attr("solreffriction", &J::solreffriction, kPartial)
      .attr("solimpfriction", &J::solimpfriction, kPartial)
      .attr("stiffness", &J::stiffness, kPartial)
      .attr("range", &J::range)
      .attr("actuatorfrcrange", &J::actuatorfrcrange)
      .attr("actuatorgravcomp", &J::actuatorgravcomp)
      .attr("margin", &J::margin)
      .attr("ref", &J::ref)
      .attr("springref", &J::springref)
      .attr("armature", &J::armature)
      .attr("damping", &J::damping, kPartial)
      .attr("frictionloss", &J::frictionloss)
      .attr("frictionvel", &J::frictionvel, kExtension)
      .attr("user", &J::user)
      .word("align", &J::align, kTri, kExtension | kNotInDefault);
  declareClass(joint);
  Declare<J>(addChild(store, body, "freejoint"))
      .attr("name", &J::name)
      .attr("group", &J::group)
      .word("align", &J::align, kTri);
}

void declareGeom(ElementStore& store, ElementType& body) {
  ElementType& geom = addChild(store, body, "geom");
  using G = spec::Geom;
  Declare<G> d(geom);
  d.attr("name", &G::name)
      .word("type", &G::type, kGeomType)
      .attr("contype", &G::contype)
      .attr("conaffinity", &G::conaffinity)
      .attr("condim", &G::condim)
      .attr("group", &G::group)
      .attr("priority", &G::priority)
      .attr("size", &G::size, kPartial)
      .attr("material", &G::material)
      .attr("friction", &G::friction, kPartial)
      .attr("mass", &G::mass)
      .attr("density", &G::density)
      .attr("shellinertia", &G::shellinertia)
      .attr("solmix", &G::solmix)
      .attr("solref", &G::solref, kPartial)
      .attr("solimp", &G::solimp, kPartial)
      .attr("margin", &G::margin)
      .attr("gap", &G::gap)
      .attr("restitution", &G::restitution, kExtension)
      .attr("surfacevel", &G::surfacevel, kPartial)
      .attr("adhesion", &G::adhesion)
      .attr("fromto", &G::fromto)
      .attr("pos", &G::pos);
  declareOrientation(d);
  d.attr("hfield", &G::hfield)
      .attr("mesh", &G::mesh)
      .attr("fitscale", &G::fitscale)
      .attr("rgba", &G::rgba)
      .word("fluidshape", &G::fluidellipsoid, kFluidShape)
      .attr("fluidcoef", &G::fluidcoef, kPartial)
      .attr("user", &G::user);
  declareClass(geom);
  declarePluginChild(store, geom);
}

void declareSite(ElementStore& store, ElementType& body) {
  ElementType& site = addChild(store, body, "site");
  using S = spec::Site;
  Declare<S> d(site);
  d.attr("name", &S::name).word("type", &S::type, kGeomType).attr("group", &S::group).attr("pos", &S::pos);
  declareOrientation(d);
  d.attr("material", &S::material)
      .attr("size", &S::size, kPartial)
      .attr("fromto", &S::fromto)
      .attr("rgba", &S::rgba)
      .attr("user", &S::user);
  declareClass(site);
}

void declareCamera(ElementStore& store, ElementType& body) {
  ElementType& camera = addChild(store, body, "camera");
  using C = spec::Camera;
  Declare<C> d(camera);
  d.attr("name", &C::name)
      .word("projection", &C::projection, kProjection)
      .attr("fovy", &C::fovy)
      .attr("ipd", &C::ipd)
      .attr("resolution", &C::resolution)
      .words("output", &C::output, kCameraOutput)
      .attr("pos", &C::pos);
  declareOrientation(d);
  d.word("mode", &C::mode, kTracking)
      .attr("target", &C::target, kNotInDefault)
      .attr("focal", &C::focal)
      .attr("focalpixel", &C::focalpixel)
      .attr("principal", &C::principal)
      .attr("principalpixel", &C::principalpixel)
      .attr("sensorsize", &C::sensorsize)
      .attr("user", &C::user)
      .exclusive({{"fovy"}, {"sensorsize"}});
  declareClass(camera);
}

void declareLight(ElementStore& store, ElementType& body) {
  ElementType& light = addChild(store, body, "light");
  light.visual = true;
  DeclareText(light)
      .text("name")
      .text("class")
      .boolean("directional")
      .word("type", kLightType)
      .boolean("castshadow")
      .boolean("active")
      .real("pos", 3)
      .real("dir", 3)
      .real("bulbradius")
      .real("intensity")
      .real("range")
      .real("attenuation", 3)
      .real("cutoff")
      .real("softness")
      .real("exponent")
      .real("ambient", 3)
      .real("diffuse", 3)
      .real("specular", 3)
      .word("mode", kTracking)
      .text("target", kNotInDefault)
      .text("texture", kNotInDefault)
      .exclusive({{"directional"}, {"type"}});
}

void declareFrameAttributes(ElementType& frame) {
  using F = FrameRecord;
  Declare<F> d(frame);
  d.attr("name", &F::name).attr("childclass", &F::childclass, kReading).attr("pos", &F::pos);
  declareOrientation(d);
}

void declareReplicateAttributes(ElementType& replicate) {
  using R = ReplicateRecord;
  Declare<R>(replicate)
      .attr("count", &R::count, kRequired | kReading)
      .attr("offset", &R::offset, kReading)
      .attr("euler", &R::euler, kReading)
      .attr("sep", &R::sep, kReading)
      .attr("childclass", &R::childclass, kReading)
      .attr("prefix", &R::prefix, kReading | kNoEffect);
}

}  // namespace

void declareBodies(ElementStore& store, ElementType& root) {
  ElementType& world = addChild(store, root, "worldbody");
  ElementType& body = addChild(store, world, "body");
  using B = spec::Body;
  Declare<B> d(body);
  d.attr("name", &B::name).attr("childclass", &B::childclass, kReading).attr("pos", &B::pos);
  declareOrientation(d);
  d.attr("mocap", &B::mocap)
      .attr("gravcomp", &B::gravcomp)
      .word("sleep", &B::sleep, kSleep)
      .word("simple", &B::simpleAllowed, kSimple)
      .attr("user", &B::user);

  ElementType& frame = addChild(store, world, "frame");
  declareFrameAttributes(frame);
  ElementType& replicate = addChild(store, world, "replicate");
  declareReplicateAttributes(replicate);

  // what may be placed in a body, once; the containers share it
  declareInertial(store, body);
  declareJoints(store, body);
  declareGeom(store, body);
  using A = AttachRecord;
  Declare<A>(addChild(store, body, "attach"))
      .attr("model", &A::model, kReading)
      .attr("body", &A::body, kReading)
      .attr("frame", &A::frame, kReading)
      .attr("prefix", &A::prefix, kRequired | kReading)
      .exclusive({{"body"}, {"frame"}});
  declareSite(store, body);
  declareCamera(store, body);
  declareLight(store, body);
  declareCablePlugin(store, body);
  declareSoftBodies(store, body);

  const std::vector<ChildRule> placed = body.children;
  const std::vector<ChildRule> containers = world.children;
  body.children.insert(body.children.begin(), containers.begin(), containers.end());
  frame.children = body.children;
  for (const ChildRule& rule : placed) {
    const std::string_view tag = rule.type->tag;
    if (tag != "inertial" && tag != "joint" && tag != "freejoint") world.children.push_back(rule);
  }
  for (const ChildRule& rule : body.children) {
    const std::string_view tag = rule.type->tag;
    if (tag != "freejoint" && tag != "flexcomp") replicate.children.push_back(rule);
  }
}

}  // namespace sinew::mjcf
