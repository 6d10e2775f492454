#include "mjcf/records.h"
#include "mjcf/table_sections.h"

namespace sinew::mjcf {
namespace {

constexpr Keyword kCoordinate[] = {{"local", 0}, {"global", 1}};
constexpr Keyword kAngle[] = {{"radian", 0}, {"degree", 1}};
constexpr Keyword kConflict[] = {{"warning", 0}, {"merge", 1}, {"error", 2}};
constexpr Keyword kGap[] = {{"inside", 0}, {"outside", 1}};
constexpr Keyword kLengthRangeMode[] = {{"none", 0}, {"muscle", 1}, {"muscleuser", 2}, {"all", 3}};
/// "discrete", of MJCF after 3.12, has the stiffness in the metric of the solve, as "implicitfast" does here.
constexpr Keyword kIntegrator[] = {{"Euler", 0},        {"RK4", 1},      {"implicit", 2},
                                   {"implicitfast", 3}, {"discrete", 3}, {"midpoint", 4}};
constexpr Keyword kCone[] = {{"pyramidal", 0}, {"elliptic", 1}};
constexpr Keyword kJacobian[] = {{"dense", 0}, {"sparse", 1}, {"auto", 2}};
constexpr Keyword kSpeculative[] = {{"none", 0}, {"thin", 1}};
constexpr Keyword kSolver[] = {{"PGS", 0}, {"CG", 1}, {"Newton", 2}, {"Impulse", 3}};
constexpr Keyword kMethod[] = {{"newton", 0}, {"sweep", 1}};

void declareCompiler(ElementStore& store, ElementType& root) {
  ElementType& compiler = addChild(store, root, "compiler");
  using C = CompilerRecord;
  Declare<C>(compiler)
      .attr("autolimits", &C::autolimits)
      .attr("boundmass", &C::boundmass)
      .attr("boundinertia", &C::boundinertia)
      .attr("settotalmass", &C::settotalmass)
      .attr("balanceinertia", &C::balanceinertia)
      .attr("strippath", &C::strippath, kReading)
      .word("coordinate", &C::coordinate, kCoordinate, kReading)
      .word("angle", &C::degree, kAngle)
      .attr("fitaabb", &C::fitaabb)
      .attr("eulerseq", &C::eulerseq)
      .attr("meshdir", &C::meshdir, kReading)
      .attr("texturedir", &C::texturedir, kReading)
      .attr("discardvisual", &C::discardvisual)
      .attr("usethread", &C::usethread)
      .attr("fusestatic", &C::fusestatic)
      .word("inertiafromgeom", &C::inertiafromgeom, kTri)
      .attr("inertiagrouprange", &C::inertiagrouprange)
      .attr("saveinertial", &C::saveinertial)
      .attr("assetdir", &C::assetdir, kReading)
      .attr("alignfree", &C::alignfree)
      .word("conflict", &C::conflict, kConflict)
      .attr("exactmeshinertia", &C::exactmeshinertia, kExtension)
      .word("gap", &C::gap, kGap, kExtension)
      .defaultIs("inside");

  ElementType& lengthrange = addChild(store, compiler, "lengthrange", kAtMostOne);
  using L = spec::LengthRange;
  Declare<L>(lengthrange)
      .word("mode", &L::mode, kLengthRangeMode)
      .attr("useexisting", &L::useexisting)
      .attr("uselimit", &L::uselimit)
      .attr("accel", &L::accel)
      .attr("maxforce", &L::maxforce)
      .attr("timeconst", &L::timeconst)
      .attr("timestep", &L::timestep)
      .attr("inttotal", &L::inttotal)
      .attr("interval", &L::interval)
      .attr("tolrange", &L::tolrange);
}

void declareOption(ElementStore& store, ElementType& root) {
  ElementType& option = addChild(store, root, "option");
  using O = OptionRecord;
  Declare<O>(option)
      .attr("timestep", &O::timestep)
      .attr("impratio", &O::impratio)
      .attr("tolerance", &O::tolerance)
      .attr("ls_tolerance", &O::ls_tolerance)
      .attr("noslip_tolerance", &O::noslip_tolerance)
      .attr("ccd_tolerance", &O::ccd_tolerance)
      .attr("sleep_tolerance", &O::sleep_tolerance)
      .attr("gravity", &O::gravity)
      .attr("wind", &O::wind)
      .attr("magnetic", &O::magnetic)
      .attr("density", &O::density)
      .attr("viscosity", &O::viscosity)
      .attr("o_margin", &O::o_margin)
      .attr("o_solref", &O::o_solref, kPartial)
      .attr("o_solimp", &O::o_solimp, kPartial)
      .attr("o_friction", &O::o_friction, kPartial)
      .word("integrator", &O::integrator, kIntegrator)
      .word("cone", &O::cone, kCone)
      .word("jacobian", &O::jacobian, kJacobian)
      .word("solver", &O::solver, kSolver)
      .attr("iterations", &O::iterations)
      .attr("ls_iterations", &O::ls_iterations)
      .attr("noslip_iterations", &O::noslip_iterations)
      .attr("ccd_iterations", &O::ccd_iterations)
      .attr("sdf_iterations", &O::sdf_iterations)
      .attr("sdf_initpoints", &O::sdf_initpoints)
      .attr("actuatorgroupdisable", &O::actuatorgroupdisable)
      .attr("erp", &O::erp, kExtension)
      .attr("slop", &O::slop, kExtension)
      .attr("restitution_threshold", &O::restitution_threshold, kExtension)
      .word("speculative", &O::speculative, kSpeculative, kExtension)
      .word("method", &O::method, kMethod, kExtension);

  ElementType& flag = addChild(store, option, "flag", kAtMostOne);
  Declare<O> flags(flag);
  // in the order of their bits
  for (int bit = 1; const std::string_view name :
                    {"constraint", "equality",  "frictionloss", "limit",        "contact",   "spring",  "damper",
                     "gravity",    "clampctrl", "warmstart",    "filterparent", "actuation", "refsafe", "sensor",
                     "midphase",   "eulerdamp", "autoreset",    "nativeccd",    "island",    "multiccd"}) {
    flags.bit(name, &O::disableflags, bit, true);
    bit <<= 1;
  }
  for (int bit = 1;
       const std::string_view name : {"override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact"}) {
    flags.bit(name, &O::enableflags, bit, false);
    bit <<= 1;
  }
}

void declareSizeAndStatistic(ElementStore& store, ElementType& root) {
  using S = spec::Size;
  Declare<S>(addChild(store, root, "size"))
      .attr("memory", &S::memory)
      .attr("njmax", &S::njmax)
      .attr("nconmax", &S::nconmax)
      .attr("nstack", &S::nstack)
      .attr("nuserdata", &S::nuserdata)
      .attr("nkey", &S::nkey)
      .attr("nuser_body", &S::nuser_body)
      .attr("nuser_jnt", &S::nuser_jnt)
      .attr("nuser_geom", &S::nuser_geom)
      .attr("nuser_site", &S::nuser_site)
      .attr("nuser_cam", &S::nuser_cam)
      .attr("nuser_tendon", &S::nuser_tendon)
      .attr("nuser_actuator", &S::nuser_actuator)
      .attr("nuser_sensor", &S::nuser_sensor)
      .exclusive({{"memory"}, {"nstack"}})
      .exclusive({{"memory"}, {"njmax"}});

  using T = spec::Statistic;
  Declare<T>(addChild(store, root, "statistic"))
      .attr("meaninertia", &T::meaninertia)
      .attr("meanmass", &T::meanmass)
      .attr("meansize", &T::meansize)
      .attr("extent", &T::extent)
      .attr("center", &T::center);
}

void declareVisual(ElementStore& store, ElementType& root) {
  ElementType& visual = addChild(store, root, "visual");
  visual.visual = true;
  const auto child = [&](std::string_view tag) -> ElementType& {
    ElementType& type = addChild(store, visual, tag, kAtMostOne);
    type.visual = true;
    return type;
  };
  DeclareText(child("global"))
      .integer("cameraid")
      .boolean("orthographic")
      .real("fovy")
      .real("ipd")
      .real("azimuth")
      .real("elevation")
      .real("linewidth")
      .real("glow")
      .integer("offwidth")
      .integer("offheight")
      .real("realtime")
      .boolean("ellipsoidinertia")
      .boolean("bvactive");
  DeclareText quality(child("quality"));
  for (const std::string_view name : {"shadowsize", "offsamples", "numslices", "numstacks", "numquads"})
    quality.integer(name);
  DeclareText(child("headlight")).real("ambient", 3).real("diffuse", 3).real("specular", 3).integer("active");
  DeclareText map(child("map"));
  for (const std::string_view name : {"stiffness", "stiffnessrot", "force", "torque", "alpha", "fogstart", "fogend",
                                      "znear", "zfar", "haze", "shadowclip", "shadowscale", "actuatortendon"})
    map.real(name);
  DeclareText scale(child("scale"));
  for (const std::string_view name :
       {"forcewidth", "contactwidth", "contactheight", "connect", "com", "camera", "light", "selectpoint",
        "jointlength", "jointwidth", "actuatorlength", "actuatorwidth", "framelength", "framewidth", "constraint",
        "slidercrank", "frustum"})
    scale.real(name);
  DeclareText rgba(child("rgba"));
  for (const std::string_view name : {"fog",
                                      "haze",
                                      "force",
                                      "inertia",
                                      "joint",
                                      "actuator",
                                      "actuatornegative",
                                      "actuatorpositive",
                                      "com",
                                      "camera",
                                      "light",
                                      "selectpoint",
                                      "connect",
                                      "contactpoint",
                                      "contactforce",
                                      "contactfriction",
                                      "contacttorque",
                                      "contactgap",
                                      "rangefinder",
                                      "constraint",
                                      "slidercrank",
                                      "crankbroken",
                                      "frustum",
                                      "bv",
                                      "bvactive"})
    rgba.real(name, 4);
}

}  // namespace

void declareSettings(ElementStore& store, ElementType& root) {
  declareCompiler(store, root);
  declareOption(store, root);
  declareSizeAndStatistic(store, root);
  declareVisual(store, root);
}

}  // namespace sinew::mjcf
