#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sinew/option.h"
#include "sinew/types.h"

/// The editable description of a model: what MJCF says, before anything is computed. Everything here is a plain value:
/// copying a Body copies its subtree. References are names. compile() turns a Spec into a Model.
///
/// A default class is applied when an element is made (the reader copies the class record and overwrites what the
/// element says), so an element always carries its final attributes and editing a class later changes nothing.
namespace sinew::spec {

using Vec2 = std::array<double, 2>;
using Vec3 = std::array<double, 3>;
using Vec4 = std::array<double, 4>;
using Vec5 = std::array<double, 5>;
using Vec6 = std::array<double, 6>;
using Vec10 = std::array<double, 10>;
using Rgba = std::array<float, 4>;

inline constexpr Vec2 kSolref{0.02, 1};
inline constexpr Vec5 kSolimp{0.9, 0.95, 0.001, 0.5, 2};

/// Where an element was written; empty for elements made by a program. Shown in front of error messages.
struct Origin {
  std::shared_ptr<const std::string> file;
  int line = 0;
};

/// Three-valued switch: `auto` decides from the presence of a range.
enum class Tri : int { False = 0, True, Auto };

/// Orientation as written. `quat` is used unless one of the others is present; at most one of those is.
/// Angles are in the unit of Compiler::degree; euler follows Compiler::eulerseq.
struct Orientation {
  Vec4 quat{1, 0, 0, 0};
  std::optional<Vec4> axisangle;
  std::optional<Vec6> xyaxes;
  std::optional<Vec3> zaxis;
  std::optional<Vec3> euler;
  /// True when an alternative to quat is present.
  bool hasAlternative() const { return axisangle || xyaxes || zaxis || euler; }
  void clearAlternatives() { axisangle.reset(), xyaxes.reset(), zaxis.reset(), euler.reset(); }
};

/// What every element has.
struct Element {
  std::string name;
  Origin origin;
};

/// An element that only matters for drawing. It is checked by the attribute table, kept and written back, not used.
struct VisualElement : Element {
  std::string tag;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<VisualElement> children;
};

// ---------------------------------------------------------------------------------------------- settings

enum class InertiaFromGeom : int { False = 0, True, Auto };
enum class Conflict : int { Warning = 0, Merge, Error };
enum class LengthRangeMode : int { None = 0, Muscle, MuscleUser, All };

struct LengthRange {
  LengthRangeMode mode = LengthRangeMode::Muscle;
  bool useexisting = true;
  bool uselimit = false;
  double accel = 20;
  double maxforce = 0;
  double timeconst = 1;
  double timestep = 0.01;
  double inttotal = 10;
  double interval = 2;
  double tolrange = 0.05;
  Origin origin;
};

/// The part of Compiler that says how bodies get their mass and inertia.
struct InertiaSettings {
  double boundmass = 0;
  double boundinertia = 0;
  bool balanceinertia = false;
  InertiaFromGeom inertiafromgeom = InertiaFromGeom::Auto;
  std::array<int, 2> inertiagrouprange{0, 5};
  bool operator==(const InertiaSettings&) const = default;
};

struct Compiler {
  bool autolimits = true;
  double boundmass = 0;
  double boundinertia = 0;
  double settotalmass = -1;
  bool balanceinertia = false;
  bool strippath = false;
  bool degree = true;  ///< angles are in degrees
  bool fitaabb = false;
  std::string eulerseq = "xyz";
  std::string meshdir;
  std::string texturedir;
  bool discardvisual = false;
  bool usethread = true;
  bool fusestatic = false;
  InertiaFromGeom inertiafromgeom = InertiaFromGeom::Auto;
  std::array<int, 2> inertiagrouprange{0, 5};
  bool saveinertial = false;
  bool alignfree = false;
  Conflict conflict = Conflict::Warning;
  LengthRange lengthrange;
  std::optional<bool>
      exactmeshinertia;           ///< present with either value: meshes without `inertia` use the exact algorithm
  std::optional<GapReading> gap;  ///< meaning of contact gaps; absent means Inside, with a warning if any gap > 0

  InertiaSettings inertia() const {
    return {boundmass, boundinertia, balanceinertia, inertiafromgeom, inertiagrouprange};
  }
};

struct Size {
  std::string memory;
  int njmax = -1;
  int nconmax = -1;
  int nstack = -1;
  int nuserdata = 0;
  int nkey = 0;
  int nuser_body = -1;
  int nuser_jnt = -1;
  int nuser_geom = -1;
  int nuser_site = -1;
  int nuser_cam = -1;
  int nuser_tendon = -1;
  int nuser_actuator = -1;
  int nuser_sensor = -1;
  Origin origin;
};

struct Statistic {
  std::optional<double> meaninertia, meanmass, meansize, extent;
  std::optional<Vec3> center;
};

// ---------------------------------------------------------------------------------------------- assets

enum class MeshInertia : int { Convex = 0, Exact, Legacy, Shell };
enum class MeshBuiltin : int { None = 0, Sphere, Hemisphere, Cone, Supersphere, Supertorus, Wedge, Plate };

struct Mesh : Element {
  std::string content_type;
  std::string file;       ///< as written; empty if given inline or builtin
  std::string directory;  ///< directory the path is relative to (that of the file which names it, plus meshdir)
  std::vector<float> vertex, normal, texcoord;
  std::vector<int> face;
  Vec3 refpos{0, 0, 0};
  Vec4 refquat{1, 0, 0, 0};
  Vec3 scale{1, 1, 1};
  bool smoothnormal = false;
  int maxhullvert = -1;
  std::optional<MeshInertia> inertia;  ///< absent: Legacy, or Exact when the compiler mentions exactmeshinertia
  MeshBuiltin builtin = MeshBuiltin::None;
  std::vector<double> params;
  std::string material;
};

struct HField : Element {
  std::string content_type;
  std::string file;
  std::string directory;
  int nrow = 0;
  int ncol = 0;
  Vec4 size{0, 0, 0, 0};
  std::vector<double> elevation;  ///< rows from top to bottom, as written
};

// ---------------------------------------------------------------------------------------------- the tree

/// A coordinate frame inside a body; transparent in the compiled model. Elements name it by its index in Body::frames.
struct Frame : Element {
  int parent = -1;  ///< index of the enclosing frame, -1: the body itself
  Vec3 pos{0, 0, 0};
  Orientation orientation;
};

/// What elements placed in a body share.
struct Placed : Element {
  int frame = -1;  ///< index into the body's frames (for a body: the parent's), -1: none
  Vec3 pos{0, 0, 0};
};

struct Inertial {
  Origin origin;
  int frame = -1;
  Vec3 pos{0, 0, 0};
  Orientation orientation;
  double mass = 0;
  Vec3 diaginertia{0, 0, 0};
  std::optional<Vec6> fullinertia;  ///< xx yy zz xy xz yz
};

struct Joint : Placed {
  JointType type = JointType::Hinge;
  Tri align = Tri::Auto;  ///< freejoint only: put the body frame into the inertial frame
  int group = 0;
  Vec3 axis{0, 0, 1};
  Vec2 springdamper{0, 0};
  Tri limited = Tri::Auto;
  Tri actuatorfrclimited = Tri::Auto;
  Vec2 solreflimit = kSolref;
  Vec5 solimplimit = kSolimp;
  Vec2 solreffriction = kSolref;
  Vec5 solimpfriction = kSolimp;
  Vec3 stiffness{0, 0, 0};
  Vec2 range{0, 0};
  Vec2 actuatorfrcrange{0, 0};
  bool actuatorgravcomp = false;
  double margin = 0;
  double ref = 0;
  double springref = 0;
  double armature = 0;
  Vec3 damping{0, 0, 0};
  double frictionloss = 0;
  double frictionvel = 0;
  std::vector<double> user;
};

struct Geom : Placed {
  Orientation orientation;
  GeomType type = GeomType::Sphere;
  int contype = 1;
  int conaffinity = 1;
  int condim = 3;
  int group = 0;
  int priority = 0;
  Vec3 size{0, 0, 0};
  std::string material;
  Vec3 friction{1, 0.005, 0.0001};
  std::optional<double> mass;
  double density = 1000;
  bool shellinertia = false;
  double solmix = 1;
  Vec2 solref = kSolref;
  Vec5 solimp = kSolimp;
  double margin = 0;
  double gap = 0;
  double restitution = 0;
  Vec6 surfacevel{0, 0, 0, 0, 0, 0};
  double adhesion = 0;
  std::optional<Vec6> fromto;
  std::string hfield;
  std::string mesh;
  double fitscale = 1;
  Rgba rgba{0.5f, 0.5f, 0.5f, 1};
  bool fluidellipsoid = false;  ///< fluidshape="ellipsoid"
  Vec5 fluidcoef{0.5, 0.25, 1.5, 1, 1};
  std::vector<double> user;
};

struct Site : Placed {
  Orientation orientation;
  GeomType type = GeomType::Sphere;
  int group = 0;
  std::string material;
  Vec3 size{0.005, 0.005, 0.005};
  std::optional<Vec6> fromto;
  Rgba rgba{0.5f, 0.5f, 0.5f, 1};
  std::vector<double> user;
};

struct Camera : Placed {
  Orientation orientation;
  Projection projection = Projection::Perspective;
  double fovy = 45;
  double ipd = 0.068;
  std::array<int, 2> resolution{1, 1};
  int output = 1;  ///< bit set: rgb, depth, distance, normal, segmentation
  CameraMode mode = CameraMode::Fixed;
  std::string target;
  std::array<float, 2> focal{0, 0}, focalpixel{0, 0}, principal{0, 0}, principalpixel{0, 0}, sensorsize{0, 0};
  std::vector<double> user;
};

/// A light changes no motion; only its place in the tree is kept.
struct Light : VisualElement {
  int frame = -1;
};

// ---------------------------------------------------------------------------------------------- flexes

enum class Elastic2d : int { None = 0, Bend, Stretch, Both };
enum class FlexEquality : int { None = 0, Edge, Vert, Strain };
enum class FlexcompType : int { Grid = 0, Box, Cylinder, Ellipsoid, Square, Disc, Circle, Mesh, Gmsh, Direct };

/// What a flex says about its contacts. Absent numbers, and those at the end of a shorter list, have their defaults.
struct FlexContact {
  int contype = 1;
  int conaffinity = 1;
  std::optional<int> condim;
  int priority = 0;
  std::vector<double> friction;  ///< up to 3 numbers
  double solmix = 1;
  std::vector<double> solref;  ///< up to 2 numbers
  std::vector<double> solimp;  ///< up to 5 numbers
  std::optional<double> margin;
  double gap = 0;
  std::optional<double> restitution;
  bool internal = false;
  std::optional<SelfCollide> selfcollide;
  int activelayers = 1;
  bool passive = false;
};

struct FlexElasticity {
  std::optional<double> young, poisson, damping, thickness;
  std::optional<Elastic2d> elastic2d;
  std::optional<FlexLaw> law;
  std::optional<FlexBending> bending;
  std::optional<int> order;  ///< of tetrahedra: 1, or 2 for points in the middle of edges
  // rods
  std::optional<bool> twist;    ///< resist twisting, and bend about the two axes of a section
  std::vector<double> section;  ///< radius; widths along both axes; or area, moments about both axes, torsion constant
  std::vector<double> axis;     ///< first axis of the section at the first segment, 3 numbers
  std::optional<double> pretwist;  ///< turn of the section along the rod at rest, rad/m
  std::optional<bool> flat;        ///< straight at rest, whatever its shape is
};

struct FlexEdge {
  std::optional<FlexEquality> equality;  ///< None: nothing is to hold the edges; absent: see compile/flex_parameters.h
  std::vector<double> solref;            ///< up to 2 numbers
  std::vector<double> solimp;            ///< up to 5 numbers
  double stiffness = 0;
  double damping = 0;
};

/// Points that do not move against a body.
struct FlexPin {
  Origin origin;
  std::vector<int> id, range, grid, gridrange;
  std::string body;    ///< that holds them; empty: the parent body, or the world
  bool clamp = false;  ///< rods with twist: the direction and the section are held, too
};

/// What <flex> and <flexcomp> share. Elasticity and contact can be said in children or (`short...`) in attributes of
/// the element itself.
struct FlexBase : Element {
  int dim = 2;
  double radius = 0.005;
  int group = 0;
  std::string material;
  Rgba rgba{0.5f, 0.5f, 0.5f, 1};
  bool flatskin = false;
  std::optional<double> density;  ///< kg/m for dim 1, else kg/m^3
  std::vector<float> texcoord;
  std::array<int, 3> cellcount{1, 1, 1};
  FlexContact contact;
  FlexElasticity elasticity;
  FlexEdge edge;
  std::vector<FlexPin> pins;
  FlexElasticity shortElasticity;
  FlexContact shortContact;  ///< friction, condim, margin, selfcollide, solref, solimp
};

/// A flex given vertex by vertex. Without bodies its vertices are free nodes.
struct Flex : FlexBase {
  std::vector<std::string> bodies;  ///< one per vertex, or one for all
  std::vector<double> vertex;       ///< 3 per vertex, in its body (without bodies: in the world)
  std::vector<int> element;         ///< dim + 1 vertices each
  std::vector<int> elemtexcoord;
  std::vector<std::string> nodes;  ///< bodies of the nodes of an interpolated flex
  std::vector<double> nodecoord;
  std::optional<FlexDof> dof;
};

/// A flex made by a generator, in a body. Its free points become nodes with three coordinates, or with dof radial and
/// 2d bodies with slides.
struct Flexcomp : FlexBase {
  int place = 0;         ///< number of child bodies that come before it in its body
  bool inframe = false;  ///< the frame moves it; without this a frame around it has no effect
  int frame = -1;        ///< frame of the body that moves it, -1: none
  FlexcompType type = FlexcompType::Grid;
  FlexDof dof = FlexDof::Full;
  std::vector<int> count;       ///< up to 3 numbers
  std::vector<double> spacing;  ///< 1 number for all axes, or 3
  Vec3 scale{1, 1, 1};
  std::optional<double> mass;
  double inertiabox = 0.005;
  bool rigid = false;
  Vec3 pos{0, 0, 0};
  Orientation orientation;
  std::optional<Vec3> center;  ///< `origin`: point 0 of a solid made from a surface
  std::optional<int> fill;     ///< a solid made from a surface: lattice cells along its longest side
  std::vector<double> point;
  std::vector<int> element;
  std::string file;
  std::string directory;
  Joint joint;  ///< default class its points take damping, armature and friction loss from
};

// ---------------------------------------------------------------------------------------------- bodies

enum class SleepRequest : int { Auto = 0, Never, Allowed, Init };

/// What the bodies of a cable are made of. In MJCF: an instance of the engine plugin mujoco.elasticity.cable.
struct Cable : Element {
  double twist = 0;   ///< shear modulus, Pa
  double bend = 0;    ///< Young's modulus, Pa
  bool flat = false;  ///< relaxed when straight, whatever shape it starts in
  double vmax = 0;    ///< stress that is drawn red; changes no motion
};

struct Body : Placed {
  Orientation orientation;
  std::string childclass;
  std::string cable;  ///< the Cable it is part of; its ball joint bends against a parent that is part of the same
  bool mocap = false;
  double gravcomp = 0;
  SleepRequest sleep = SleepRequest::Auto;
  bool simpleAllowed = true;  ///< simple="false" forbids the constant-diagonal shortcut
  std::vector<double> user;
  std::optional<Inertial> inertial;
  std::optional<InertiaSettings> inertiaSettings;  ///< of the model it was attached from, instead of the compiler's
  std::vector<Frame> frames;
  // in document order, those inside frames included
  std::vector<Joint> joints;
  std::vector<Geom> geoms;
  std::vector<Site> sites;
  std::vector<Camera> cameras;
  std::vector<Light> lights;
  std::vector<Body> bodies;
  std::vector<Flexcomp> flexcomps;  ///< their `place` never falls

  // Compiled once, in the library.
  Body();
  Body(const Body& other);
  Body(Body&& other) noexcept;
  Body& operator=(const Body& other);
  Body& operator=(Body&& other) noexcept;
  ~Body();
};

// ---------------------------------------------------------------------------------------------- between bodies

struct Pair : Element {
  std::string geom1, geom2;
  int condim = 3;
  Vec5 friction{1, 1, 0.005, 0.0001, 0.0001};
  Vec2 solref = kSolref;
  Vec2 solreffriction{0, 0};
  Vec5 solimp = kSolimp;
  double gap = 0;
  double margin = 0;
  double adhesion = 0;
  double restitution = 0;
};

struct Exclude : Element {
  std::string body1, body2;
};

struct Equality : Element {
  EqualityType type = EqualityType::Connect;
  bool sites = false;        ///< connect, weld: the two names are sites, not bodies
  std::string name1, name2;  ///< name2 empty: the world, or no second object
  bool active = true;
  Vec2 solref = kSolref;
  Vec5 solimp = kSolimp;
  Vec3 anchor{0, 0, 0};
  std::array<double, 7> relpose{0, 0, 0, 0, 0, 0, 0};  ///< zero quaternion: the pose at qpos0
  double torquescale = 1;
  Vec5 polycoef{0, 1, 0, 0, 0};
  Vec3 cell{0, 0, 0};  ///< flexstrain: cell of the interpolation grid
};

/// One element of a tendon's path.
struct Wrap {
  Origin origin;
  WrapType type = WrapType::None;  ///< Joint, Site, Pulley; Sphere stands for any wrapping geom until compilation
  std::string target;              ///< joint, site or geom
  std::string sidesite;            ///< geoms only
  double value = 0;                ///< joint coefficient or pulley divisor
};

struct Tendon : Element {
  bool spatial = false;
  int group = 0;
  Tri limited = Tri::Auto;
  Tri actuatorfrclimited = Tri::False;
  Vec2 range{0, 0};
  Vec2 actuatorfrcrange{0, 0};
  Vec2 solreflimit = kSolref;
  Vec5 solimplimit = kSolimp;
  Vec2 solreffriction = kSolref;
  Vec5 solimpfriction = kSolimp;
  double frictionloss = 0;
  Vec2 springlength{-1, -1};
  double width = 0.003;
  std::string material;
  double margin = 0;
  Vec3 stiffness{0, 0, 0};
  Vec3 damping{0, 0, 0};
  double armature = 0;
  Rgba rgba{0.5f, 0.5f, 0.5f, 1};
  std::vector<double> user;
  std::vector<Wrap> path;
};

/// All actuator elements of MJCF (motor, position, muscle, ...) are shorthands that fill this one record.
struct Actuator : Element {
  int group = 0;
  int nsample = 0;
  int interp = 0;  ///< 0 zero-order hold, 1 linear, 2 cubic
  double delay = 0;
  Tri ctrllimited = Tri::Auto;
  Tri forcelimited = Tri::Auto;
  Tri actlimited = Tri::Auto;
  Vec2 ctrlrange{0, 0};
  Vec2 forcerange{0, 0};
  Vec2 actrange{0, 0};
  Vec2 lengthrange{0, 0};
  Vec6 gear{1, 0, 0, 0, 0, 0};
  Vec3 damping{0, 0, 0};
  double armature = 0;
  double cranklength = 0;
  double inheritrange = 0;  ///< > 0: ctrlrange (actrange for integrators) from the target's range, scaled by this
  TransmissionType trntype = TransmissionType::Undefined;
  std::string target;  ///< joint, tendon, site (crank site for slider-cranks) or body
  std::string slidersite;
  std::string refsite;
  int actdim = -1;
  DynType dyntype = DynType::None;
  GainType gaintype = GainType::Fixed;
  BiasType biastype = BiasType::None;
  Vec10 dynprm{1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  Vec10 gainprm{1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  Vec10 biasprm{0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  bool actearly = false;
  int input = 0;        ///< bits of namespace input for pid, dcmotor and so3; 0: what is usual for them
  Vec2 velrange{0, 0};  ///< pid: range of the velocity setpoint
  Vec2 ffrange{0, 0};   ///< pid: range of the feedforward force
  std::vector<double> user;
};

struct Sensor : Element {
  SensorType type = SensorType::Touch;
  ObjType objtype = ObjType::Unknown;
  std::string objname;
  ObjType reftype = ObjType::Unknown;  ///< also the second object of distance, normal, fromto, contact, camprojection
  std::string refname;
  int nsample = 0;
  int interp = 0;
  double delay = 0;
  Vec2 interval{0, 0};
  double cutoff = 0;
  double noise = 0;
  std::vector<double> user;
  /// contact: data bits, reduction, number; rangefinder: data bits; flexes: vertex, node or element, -1: all together
  std::array<int, 3> intprm{0, 0, 0};
  DataType datatype = DataType::Real;  ///< user sensors
  Stage needstage = Stage::Acc;        ///< user sensors
  int dim = 0;                         ///< user sensors
};

// ---------------------------------------------------------------------------------------------- custom, keys

struct Numeric : Element {
  int size = 0;  ///< at least data.size(); the rest is zero
  std::vector<double> data;
};
struct Text : Element {
  std::string data;
};
struct TupleEntry {
  ObjType objtype = ObjType::Unknown;
  std::string objname;
  double prm = 0;
};
struct Tuple : Element {
  std::vector<TupleEntry> entries;
};
enum class KeyLayout : int { Auto = 0, Reference, Sinew };

/// A NaN in qpos, mpos or mquat stands for the reference configuration (qpos0, the body's pose): a keyframe that came
/// with an attached model says nothing about the rest.
struct Key : Element {
  double time = 0;
  /// How qpos and qvel count the points of flexes: as the reference engine does (displacements, free points only, among
  /// the joints), or as Sinew does (world positions of all nodes, after the joints). Auto: Reference if the number of
  /// values fits it. With values for the joints only, the nodes are at rest.
  KeyLayout layout = KeyLayout::Auto;
  std::optional<std::vector<double>> qpos, qvel, act, mpos, mquat, ctrl;
};

// ---------------------------------------------------------------------------------------------- everything

/// One default class: a complete record per kind of element. Nested classes start as copies of their parent.
struct DefaultClass {
  std::string name = "main";
  Mesh mesh;
  Joint joint;
  Geom geom;
  Site site;
  Camera camera;
  Pair pair;
  Equality equality;
  Tendon tendon;
  Actuator actuator;
  VisualElement material, light;
  std::vector<DefaultClass> children;

  // Compiled once, in the library.
  DefaultClass();
  DefaultClass(const DefaultClass& other);
  DefaultClass(DefaultClass&& other) noexcept;
  DefaultClass& operator=(const DefaultClass& other);
  DefaultClass& operator=(DefaultClass&& other) noexcept;
  ~DefaultClass();
};

struct Spec {
  std::string modelname = "MuJoCo Model";
  std::string directory;           ///< of the main file; asset paths are relative to it
  std::vector<std::string> files;  ///< paths of the MJCF files it was read from: main file, includes, attached models
  Compiler compiler;
  Option option;
  Origin optionOrigin;  ///< of <option>
  Size size;
  Statistic statistic;
  std::set<std::string> stated;       ///< attributes of <option> and <flag> that were written; settles attach conflicts
  std::vector<VisualElement> visual;  ///< children of <visual>
  DefaultClass defaults;

  std::vector<Mesh> meshes;
  std::vector<HField> hfields;
  std::vector<VisualElement> textures, materials, skins;

  Body world;  ///< named "world"
  std::vector<Flex> flexes;

  std::vector<Pair> pairs;
  std::vector<Exclude> excludes;
  std::vector<Cable> cables;
  std::vector<Equality> equalities;
  std::vector<Tendon> tendons;
  std::vector<Actuator> actuators;
  std::vector<Sensor> sensors;
  std::vector<Numeric> numerics;
  std::vector<Text> texts;
  std::vector<Tuple> tuples;
  std::vector<Key> keys;

  // Compiled once, in the library.
  Spec();
  Spec(const Spec& other);
  Spec(Spec&& other) noexcept;
  Spec& operator=(const Spec& other);
  Spec& operator=(Spec&& other) noexcept;
  ~Spec();
};

}  // namespace sinew::spec

namespace sinew {
using spec::Spec;
}
