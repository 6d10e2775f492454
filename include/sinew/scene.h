#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/data.h"
#include "sinew/errors.h"
#include "sinew/model.h"
#include "sinew/spec.h"
#include "sinew/types.h"

/// What is to be drawn, without drawing it. A Scene holds everything about the picture of a model that does not change:
/// shapes, meshes, materials, textures, lights, cameras, flex surfaces, skins, visual settings. A Frame holds what
/// changes from one picture to the next: poses, vertices, colours, tendon paths, contacts, decorations. The renderer,
/// the viewer and the replay file all draw from these two.
///
/// Units are SI, angles radians unless a name says degrees. Quaternions are w x y z, matrices 3 x 3 row-major. Colours
/// are red, green, blue, alpha in 0..1, as written in MJCF: they are sRGB-encoded like the pixels of a picture, and
/// lighting is computed with these numbers as they are, as MuJoCo does.
namespace sinew {

using Color = std::array<float, 4>;
using Float2 = std::array<float, 2>;
using Float3 = std::array<float, 3>;

/// Which object of the model something drawn belongs to. `id` counts objects of that type as the Model does; for types
/// the Model has no table of (Light, Material, Texture, Skin) it is the index in the Scene.
struct SceneObject {
  ObjType type = ObjType::Unknown;
  int id = -1;
  std::string name;  ///< empty: it has none
};

// ---------------------------------------------------------------------------------------------- pictures

enum class TextureType : int { Flat = 0, Cube, Skybox };

/// Pixels, one byte per channel, rows from top to bottom. A 2d texture ("Flat") has one picture of width x height. Cube
/// maps and skyboxes have six square ones (width = height), one after the other, in the order right (+x), left (-x),
/// up (+y), down (-y), front (+z), back (-z), as OpenGL has cube maps: see sampleCube().
struct SceneTexture {
  SceneObject object;
  TextureType type = TextureType::Cube;
  int width = 0;
  int height = 0;     ///< of one face
  int channels = 3;   ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
  bool srgb = false;  ///< colorspace="sRGB", or "auto" and the picture says so
  std::vector<std::uint8_t> pixels;
  int faces() const { return type == TextureType::Flat ? 1 : 6; }
};

struct SceneMaterial {
  SceneObject object;
  Color rgba{1, 1, 1, 1};
  int texture = -1;  ///< of role rgb or rgba, -1: none
  Float2 texrepeat{1, 1};
  bool texuniform = false;
  float emission = 0;
  float specular = 0.5f;   ///< 0..1
  float shininess = 0.5f;  ///< 0..1; the exponent of the Blinn-Phong lobe is 128 times this
  float reflectance = 0;   ///< 0..1
  float metallic = -1;     ///< physically based shading: negative when not given
  float roughness = -1;    ///< likewise
  std::array<int, 9> layers{-1, -1, -1, -1, -1, -1, -1, -1, -1};  ///< textures by role, see MaterialLayer
};

/// Roles of the textures of a material, indices into SceneMaterial::layers.
enum class MaterialLayer : int { Rgb = 0, Occlusion, Roughness, Metallic, Normal, Opacity, Emissive, Rgba, Orm };

// ---------------------------------------------------------------------------------------------- shapes

/// Triangles with normals and texture coordinates, shared by all instances that show them. Corners that differ in
/// normal or texture coordinate are different vertices here.
struct SceneMesh {
  SceneObject object;                     ///< Mesh or HField
  std::vector<float> positions;           ///< 3 per vertex, in the frame of the instance
  std::vector<float> normals;             ///< 3 per vertex, unit length, outward
  std::vector<float> uv;                  ///< 2 per vertex; v grows downwards as rows of pixels do; empty: none
  std::vector<std::uint32_t> indices;     ///< 3 per triangle, counter-clockwise from outside
  Float3 lower{0, 0, 0}, upper{0, 0, 0};  ///< bounding box
};

/// Shapes of instances and decorations. Sizes as in MJCF:
///   Plane      half sizes along x and y (0: infinite), normal +z
///   Sphere     radius
///   Capsule    radius, half length of the cylindrical part along z
///   Ellipsoid  semi-axes
///   Cylinder   radius, half length along z
///   Box        half sizes
///   Mesh       none, see SceneInstance::mesh
///   Arrow      radius of the shaft, unused, length along +z from the origin; the head is part of the length
///   Cone       radius of the base, unused, height along +z from the origin
enum class SceneShape : int { Plane = 0, Sphere, Capsule, Ellipsoid, Cylinder, Box, Mesh, Arrow, Cone };

/// How a texture lies on a shape, for a point p of the shape in its own frame (meshes: that of the mesh):
///   None    no texture
///   Uv      2d texture at the vertex's uv, times texscale
///   Planar  2d texture at u = texscale[0] p_x + 0.5, v = 0.5 - texscale[1] p_y
///   Cube    cube texture in the direction (texscale[k] p_k)
enum class TextureMap : int { None = 0, Uv, Planar, Cube };

/// Something rigid that is drawn: a geom or a site.
struct SceneInstance {
  SceneObject object;  ///< Geom or Site
  int body = 0;        ///< it moves with
  int group = 0;       ///< 0..5
  SceneShape shape = SceneShape::Sphere;
  Float3 size{0, 0, 0};
  int mesh = -1;                    ///< in Scene::meshes, for SceneShape::Mesh
  int material = -1;                ///< in Scene::materials, -1: none
  Color rgba{0.5f, 0.5f, 0.5f, 1};  ///< final: that of the object, or of its material
  TextureMap map = TextureMap::None;
  Float3 texscale{1, 1, 1};
  std::array<double, 3> pos{0, 0, 0};      ///< in the body
  std::array<double, 4> quat{1, 0, 0, 0};  ///< in the body
};

// ---------------------------------------------------------------------------------------------- lights and cameras

enum class LightType : int { Spot = 0, Directional, Point, Image };

struct SceneLight {
  SceneObject object;
  int body = 0;
  LightType type = LightType::Spot;
  CameraMode mode = CameraMode::Fixed;
  int target = -1;                      ///< body, for the target modes
  std::array<double, 3> pos{0, 0, 0};   ///< in the body
  std::array<double, 3> dir{0, 0, -1};  ///< in the body, unit length
  // of the tracking modes: against the body, against its subtree's centre of mass, in the world; all at qpos0
  std::array<double, 3> pos0{0, 0, 0}, poscom0{0, 0, 0}, dir0{0, 0, -1};
  bool active = true;
  bool castshadow = true;
  Float3 attenuation{1, 0, 0};  ///< constant, linear, quadratic
  float cutoff = 45;            ///< degrees, spot lights
  float exponent = 10;          ///< spot lights
  Float3 ambient{0, 0, 0}, diffuse{0.7f, 0.7f, 0.7f}, specular{0.3f, 0.3f, 0.3f};
  float range = 10;
  float bulbradius = 0.02f;  ///< m, of soft shadows
  float intensity = 0;       ///< candela; 0: use diffuse
  float softness = 0.2f;     ///< of the edge of a spot; kept for programs that draw it, the renderer uses `exponent`
  int texture = -1;          ///< image lights
};

struct SceneCamera {
  SceneObject object;
  int body = 0;
  CameraMode mode = CameraMode::Fixed;
  Projection projection = Projection::Perspective;
  double fovy = 45;  ///< vertical field of view, degrees; orthographic: vertical extent, m
  double ipd = 0.068;
  std::array<int, 2> resolution{1, 1};
  Float2 sensorsize{0, 0};                 ///< m; 0: the intrinsics are those of fovy
  std::array<float, 4> intrinsic{};        ///< focal length x, y, principal point x, y (from the centre), m
  std::array<double, 3> pos{0, 0, 0};      ///< in the body
  std::array<double, 4> quat{1, 0, 0, 0};  ///< in the body; the camera looks along -z, y is up
};

// ---------------------------------------------------------------------------------------------- soft things

/// A tendon is drawn as capsules between the points of its path.
struct SceneTendon {
  SceneObject object;
  int group = 0;
  int material = -1;
  Color rgba{0.5f, 0.5f, 0.5f, 1};
  float radius = 0.003f;  ///< half its width is what MJCF calls `width`
};

/// The surface of a flex. Its vertices in a Frame are Frame::flexPosition from vertexAdr on; they are corners of the
/// surface with their own normal and uv, so there may be more of them than the flex has vertices.
///   dim 1  tubes: segments are capsules of `radius` (lines below) between vertices; no triangles
///   dim 2  both sides, apart by the thickness (2 radius), with a rim along the boundary; radius 0: one side, which is
///          seen from both
///   dim 3  the boundary of the solid, moved outwards by the radius
struct SceneFlex {
  SceneObject object;
  int group = 0;
  int dim = 2;
  int material = -1;
  Color rgba{0.5f, 0.5f, 0.5f, 1};
  TextureMap map = TextureMap::None;  ///< Uv or None
  float radius = 0;                   ///< of tubes; for others half the thickness that is drawn, m
  bool flat = false;                  ///< flatskin: one normal per triangle
  int vertexAdr = 0;                  ///< first drawn vertex in Frame::flexPosition
  int vertexNum = 0;
  std::vector<int> source;             ///< flex vertex (within its flex) that each drawn vertex follows
  std::vector<float> offset;           ///< how far it is moved along the normal of the surface, m
  std::vector<float> uv;               ///< 2 per drawn vertex; empty: none
  std::vector<std::uint32_t> indices;  ///< 3 per triangle, counter-clockwise from outside
  std::vector<std::uint32_t> lines;    ///< dim 1: 2 per segment
  std::vector<int> element;            ///< element (within its flex) that each triangle or segment belongs to
  int surfaceTriangles = 0;  ///< the leading triangles are the surface itself: the front of a sheet, all of a solid
  int rimTriangle = 0;       ///< triangles from here on close the boundary of a sheet and shape no normals
};

/// A surface that follows bodies: each vertex is a weighted mean of what its bones (bodies, or points of flexes that
/// the reference engine has as bodies) would make of it. Vertices in a Frame: Frame::skinPosition from vertexAdr on.
struct SceneSkin {
  SceneObject object;
  int group = 0;
  int material = -1;
  Color rgba{0.5f, 0.5f, 0.5f, 1};
  TextureMap map = TextureMap::None;
  float inflate = 0;
  int vertexAdr = 0;
  int vertexNum = 0;
  std::vector<float> positions;  ///< 3 per vertex, as bound
  std::vector<float> uv;         ///< 2 per vertex; empty: none
  std::vector<std::uint32_t> indices;
  struct Bone {
    int body = -1;       ///< -1: a point of a flex
    int flexpoint = -1;  ///< in Data::flexpoint_xpos
    std::array<double, 3> bindpos{0, 0, 0};
    std::array<double, 4> bindquat{1, 0, 0, 0};
    std::vector<int> vertices;
    std::vector<float> weights;
  };
  std::vector<Bone> bones;
};

// ---------------------------------------------------------------------------------------------- settings

/// <visual>, with MuJoCo's defaults.
struct SceneVisual {
  // global
  int cameraid = -1;
  bool orthographic = false;
  double fovy = 45;                      ///< degrees, of the free camera (orthographic: extent)
  double azimuth = 90, elevation = -45;  ///< degrees, of the free camera at the start
  int offwidth = 640, offheight = 480;   ///< pixels: the default size of pictures
  double realtime = 1;
  bool ellipsoidinertia = false;
  // quality
  int shadowsize = 4096, offsamples = 4;
  // headlight
  Float3 headAmbient{0.1f, 0.1f, 0.1f}, headDiffuse{0.4f, 0.4f, 0.4f}, headSpecular{0.5f, 0.5f, 0.5f};
  bool headActive = true;
  // map
  double stiffness = 100, stiffnessrot = 500;  ///< of the mouse spring
  double force = 0.005, torque = 0.1;          ///< m per N of arrows, m per N m
  double alpha = 0.3;
  double fogstart = 3, fogend = 10;  ///< in extents
  double znear = 0.01, zfar = 50;    ///< in extents
  double haze = 0.3, shadowclip = 1, shadowscale = 0.6, actuatortendon = 2;
  // scale: of decorations, in mean sizes
  double forcewidth = 0.1, contactwidth = 0.3, contactheight = 0.1, connect = 0.2, com = 0.4, camera = 0.3, light = 0.3,
         selectpoint = 0.2, jointlength = 1, jointwidth = 0.1, actuatorlength = 0.7, actuatorwidth = 0.2,
         framelength = 1, framewidth = 0.1, constraint = 0.1, slidercrank = 0.2, frustum = 10;
  // rgba
  Color fog{0, 0, 0, 1}, hazeColor{1, 1, 1, 1}, forceColor{1, 0.5f, 0.5f, 1}, inertia{0.8f, 0.2f, 0.2f, 0.6f},
      joint{0.2f, 0.6f, 0.8f, 1}, actuator{0.2f, 0.25f, 0.2f, 1}, actuatornegative{0.2f, 0.6f, 0.9f, 1},
      actuatorpositive{0.9f, 0.4f, 0.2f, 1}, comColor{0.9f, 0.9f, 0.9f, 1}, cameraColor{0.6f, 0.9f, 0.6f, 1},
      lightColor{0.6f, 0.6f, 0.9f, 1}, selectpointColor{0.9f, 0.9f, 0.1f, 1}, connectColor{0.2f, 0.2f, 0.8f, 1},
      contactpoint{0.9f, 0.6f, 0.2f, 1}, contactforce{0.7f, 0.9f, 0.9f, 1}, contactfriction{0.9f, 0.8f, 0.4f, 1},
      contacttorque{0.9f, 0.7f, 0.9f, 1}, contactgap{0.5f, 0.8f, 0.9f, 1}, rangefinder{1, 1, 0.1f, 1},
      constraintColor{0.9f, 0, 0, 1}, slidercrankColor{0.5f, 0.3f, 0.8f, 1}, crankbroken{0.9f, 0, 0, 1},
      frustumColor{1, 1, 0, 0.2f}, bv{0, 1, 0, 0.5f}, bvactive{1, 0, 0, 0.5f};
};

/// Everything about the picture of a model that does not change.
struct Scene {
  std::string modelname;
  std::uint64_t signature = 0;  ///< of the Model it was made for
  int nbody = 0;
  std::vector<std::string> bodyNames;
  std::vector<SceneTexture> textures;
  std::vector<SceneMaterial> materials;
  std::vector<SceneMesh> meshes;
  std::vector<SceneInstance> instances;  ///< geoms in the order of their ids, then sites in theirs
  int numGeoms = 0;                      ///< instances that are geoms
  std::vector<SceneLight> lights;        ///< of the model; the headlight is in `visual`
  std::vector<SceneCamera> cameras;      ///< in the order of the Model's
  std::vector<SceneTendon> tendons;      ///< in the order of the Model's
  std::vector<SceneFlex> flexes;         ///< in the order of the Model's
  std::vector<SceneSkin> skins;
  int numFlexVertices = 0;  ///< in Frame::flexPosition
  int numSkinVertices = 0;
  int skybox = -1;  ///< in `textures`: the first of type skybox, -1: none
  SceneVisual visual;
  double extent = 1;    ///< size of the model, m
  double meansize = 1;  ///< of its parts, m: decorations are this times their scale
  std::array<double, 3> center{0, 0, 0};
};

/// Resolves what `spec` says about appearance for the Model that was compiled from it. Reads pictures and meshes from
/// their files. A picture or skin file that is missing or cannot be read is a warning with file and line, and the thing
/// that wears it is drawn without; so is a picture for which `maxMemory` does not suffice. Throws LoadError if a
/// builtin texture is larger than 16384 pixels in a direction, or all textures together, with what a Renderer makes of
/// them, would need more than `maxMemory` bytes, and std::invalid_argument if the Model was not compiled from this
/// Spec.
Scene makeScene(const Spec& spec, const Model& m, Warnings* warnings = nullptr,
                std::uint64_t maxMemory = std::uint64_t{2} << 30);

/// The same for a Model without its Spec (one that was loaded from a binary file): shapes and colours as the Model has
/// them, no materials, textures or skins; one light overhead.
Scene makeScene(const Model& m);

/// <visual> of a Spec over MuJoCo's defaults, as makeScene() sets Scene::visual.
SceneVisual visualOf(const Spec& spec);

/// Takes over what a program may have changed in `m` since the scene was made: sizes, colours and groups of geoms and
/// sites, colours, groups and widths of tendons, colours and groups of flexes, lenses of cameras, extent and centre.
/// Colours of materials, which a program may change in the scene itself, are applied anew. Throws std::invalid_argument
/// if the scene was made for another model.
void refreshScene(const Model& m, Scene& scene);

// ---------------------------------------------------------------------------------------------- what changes

/// What flexes are coloured by.
enum class FlexColor : int {
  Material = 0,  ///< as the model says
  Stress,        ///< von Mises equivalent of flexelem_stress, Pa
  Strain,        ///< von Mises equivalent of flexelem_strain
  ContactForce,  ///< |flexvert_force|, N
  Energy         ///< elastic stress power: stress : strain / 2, J/m^3
};

/// Frames of which kind of object are drawn as decorations.
enum class FrameKind : int { None = 0, World, Body, Geom, Site, Camera };

struct FrameOptions {
  // which groups are drawn
  std::array<bool, 6> geomGroups{true, true, true, false, false, false};
  std::array<bool, 6> siteGroups{true, true, true, false, false, false};
  std::array<bool, 6> jointGroups{true, true, true, false, false, false};
  std::array<bool, 6> tendonGroups{true, true, true, false, false, false};
  std::array<bool, 6> actuatorGroups{true, true, true, false, false, false};
  std::array<bool, 6> flexGroups{true, true, true, false, false, false};
  std::array<bool, 6> skinGroups{true, true, true, false, false, false};
  // kinds of objects
  bool sites = true, tendons = true, flexes = true, skins = true;
  // decorations
  bool contactPoints = false;  ///< a flat cylinder at each contact
  bool contactForces = false;  ///< an arrow along the force on the second side
  bool contactSplit = false;   ///< normal and friction force as two arrows
  bool joints = false, actuators = false, centersOfMass = false, inertias = false, constraints = false, cameras = false,
       lights = false, perturbation = false, slidercranks = false;
  FrameKind frames = FrameKind::None;
  bool transparent = false;  ///< moving geoms are drawn with alpha times visual.alpha
  // colours of flexes
  FlexColor flexColor = FlexColor::Material;
  std::array<double, 2> colorRange{0, 0};  ///< values of the two ends of the colour bar; equal: from 0 to the largest
  bool operator==(const FrameOptions&) const = default;
};

/// A contact that is in force or near it.
struct FrameContact {
  std::array<double, 3> pos{};
  std::array<double, 9> frame{};   ///< rows: normal from the first side to the second, two tangents
  std::array<double, 3> force{};   ///< on the second side, world axes, N
  std::array<double, 3> torque{};  ///< on the second side (condim 4 and 6), world axes, N m
  double dist = 0;
  int dim = 3;
  bool active = false;              ///< it carries rows
  bool sliding = false;             ///< friction is at its limit
  std::array<SceneObject, 2> side;  ///< Geom or Flex; names are left empty
};

/// Something drawn to explain the state.
struct Decoration {
  SceneShape shape = SceneShape::Sphere;
  Float3 size{0, 0, 0};
  std::array<double, 3> pos{0, 0, 0};
  std::array<double, 9> mat{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Color rgba{0.5f, 0.5f, 0.5f, 1};
  float emission = 0;
  ObjType type = ObjType::Unknown;  ///< of the object it explains; Unknown with id: contact
  int id = -1;
};

/// What changes from picture to picture. Arrays keep their memory from one update to the next.
struct Frame {
  double time = 0;
  /// False: the state holds something that is not finite; everything below is that of the last good state, and
  /// `trouble` says what is wrong.
  bool finite = true;
  std::string trouble;

  std::vector<double> bodyPos, bodyQuat;         ///< 3 and 4 per body
  std::vector<double> instancePos, instanceMat;  ///< 3 and 9 per instance, world
  std::vector<std::uint8_t> instanceVisible;     ///< by groups and kinds
  std::vector<Color> instanceRgba;               ///< final colours
  std::vector<double> lightPos, lightDir;        ///< 3 and 3 per light, world
  std::vector<double> cameraPos, cameraMat;      ///< 3 and 9 per camera, world

  std::vector<float> flexPosition, flexNormal;  ///< 3 per drawn vertex, world
  std::vector<float> flexValue;                 ///< per drawn vertex, in the unit of options.flexColor; or empty
  std::array<double, 2> flexRange{0, 0};        ///< values at the ends of the colour bar
  FlexColor flexColor = FlexColor::Material;    ///< what flexValue is
  std::vector<std::uint8_t> flexVisible;        ///< per flex

  std::vector<float> skinPosition, skinNormal;  ///< 3 per vertex of all skins, world
  std::vector<std::uint8_t> skinVisible;        ///< per skin

  std::vector<int> tendonAdr;               ///< first segment of each tendon; one entry more than tendons
  std::vector<float> tendonSegment;         ///< 6 per segment: from, to; world
  std::vector<std::uint8_t> tendonVisible;  ///< per tendon
  std::vector<float> tendonRadius;          ///< per tendon, m
  std::vector<Color> tendonRgba;            ///< per tendon

  std::vector<FrameContact> contacts;
  std::vector<Decoration> decorations;
  std::vector<float> flexScratch;  ///< of updateFrame()
};

/// Fills `frame` from the derived arrays of `d`, which are those of the last forward() or step() (after step() they
/// belong to the state before it moved on, as in MuJoCo). With options.flexColor other than Material it calls
/// measureFlexes(), the only change to `d`. Allocates nothing once `frame` has been used for this scene, decorations
/// aside. A state that is not finite leaves the frame as it was and sets finite and trouble. Throws
/// std::invalid_argument if scene, model and data do not belong together.
void updateFrame(const Scene& scene, const Model& m, Data& d, Frame& frame, const FrameOptions& options = {});

// ---------------------------------------------------------------------------------------------- cameras

/// From where a picture is taken, at one time.
struct View {
  std::array<double, 3> pos{0, 0, 0};
  std::array<double, 9> mat{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< columns: right, up, back (it looks along minus the third)
  bool orthographic = false;
  /// Sides of the image at distance 1 (orthographic: of the image), right and up positive, m.
  double left = -1, right = 1, bottom = -1, top = 1;
  double znear = 0.01, zfar = 100;  ///< m
};

/// A camera that a user moves: it looks at `lookat` from `distance` away. Angles in degrees, as in MuJoCo.
struct FreeCamera {
  std::array<double, 3> lookat{0, 0, 0};
  double distance = 2;
  double azimuth = 90;     ///< about the vertical; 90: looks along +y
  double elevation = -45;  ///< above the horizon, negative: from above
  int trackBody = -1;      ///< `lookat` is then relative to the centre of mass of this body's subtree
  bool operator==(const FreeCamera&) const = default;
};

/// The camera a viewer starts with: looks at the centre of the scene from 1.5 extents away, angles of <visual>.
FreeCamera defaultFreeCamera(const Scene& scene);

/// View of a camera of the model, of a free one, and of the camera called `name` ("free", a name, or a number).
/// `aspect` is width / height of the picture. The last throws std::invalid_argument listing the names that exist.
View viewOf(const Scene& scene, const Frame& frame, int camera, double aspect);
View viewOf(const Scene& scene, const Frame& frame, const FreeCamera& camera, double aspect);
View viewOf(const Scene& scene, const Frame& frame, std::string_view name, double aspect);

// ---------------------------------------------------------------------------------------------- colours

/// Colour of a value for heat maps: 0 dark blue, over green, to 1 yellow; even in lightness. `t` is clamped to 0..1.
Color heatColor(double t);

/// RGBA (0..1) of a texture. Flat: at (u, v), repeated, bilinear. Cube: in direction (x, y, z). Missing channels: grey
/// is RGB, alpha is 1.
Color sampleFlat(const SceneTexture& texture, double u, double v);
Color sampleCube(const SceneTexture& texture, double x, double y, double z);

}  // namespace sinew
