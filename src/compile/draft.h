#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "compile/flex_draft.h"
#include "geom/height_field.h"
#include "geom/mesh.h"
#include "geom/shape.h"
#include "math/quat.h"
#include "math/types.h"
#include "sinew/errors.h"
#include "sinew/load.h"
#include "sinew/spec.h"
#include "spec/memory_budget.h"

/// Between Spec and Model: the tree as flat lists in the order of the Model, with poses, sizes and masses worked out
/// but no ids fixed yet. Steps that change the tree (free joint alignment, fusing of static bodies, discarding of what
/// is only drawn) work here; layout then writes the Model.
namespace sinew::draft {

struct Joint {
  const spec::Joint* spec = nullptr;
  Vec3 pos = Vec3::Zero();  ///< anchor in the body frame
  Vec3 axis = Vec3::UnitZ();
  bool limited = false;
  bool actuatorForceLimited = false;
  std::array<double, 2> range{0, 0};  ///< radians for rotations
  double ref = 0;
  double springref = 0;

  int numCoordinates() const;
  int numDofs() const;
  bool isRotation() const { return spec->type == JointType::Ball || spec->type == JointType::Hinge; }
};

struct Geom {
  const spec::Geom* spec = nullptr;
  GeomType type = GeomType::Sphere;
  Pose pose;  ///< in the body frame; a mesh's own frame is folded in
  Vec3 size = Vec3::Zero();
  geom::Aabb aabb;
  double boundingRadius = 0;
  int mesh = -1;        ///< index into Draft::meshes: this is the shape
  int fittedMesh = -1;  ///< the same for a primitive fitted to a mesh
  int hfield = -1;      ///< index into Draft::hfields
  double mass = 0;
  Vec3 inertia = Vec3::Zero();  ///< about the geom's centre, along its axes
  std::array<double, 6> surfacevel{};
  std::array<double, 12> fluid{};
};

struct Site {
  const spec::Site* spec = nullptr;
  Pose pose;
  Vec3 size = Vec3::Zero();
};

struct Camera {
  const spec::Camera* spec = nullptr;
  Pose pose;
  double fovy = 0;
  std::array<float, 4> intrinsic{};
};

/// Only in the draft of what is drawn, see compile/drawn.h.
struct Light {
  const spec::Light* spec = nullptr;
  Pose pose;
};

struct Body {
  const spec::Body* spec = nullptr;
  int parent = 0;
  Pose pose;      ///< in the parent
  Pose inertial;  ///< centre of mass and principal axes, in the body frame
  double mass = 0;
  Vec3 inertia = Vec3::Zero();
  double margin = 0;
  std::vector<Joint> joints;
  std::vector<Geom> geoms;
  std::vector<Site> sites;
  std::vector<Camera> cameras;
  std::vector<Light> lights;

  int numDofs() const;
};

struct Mesh {
  const spec::Mesh* spec = nullptr;
  std::shared_ptr<const geom::Mesh> mesh;
};

struct HField {
  const spec::HField* spec = nullptr;
  geom::HeightField field;
};

struct Draft {
  const Spec* spec = nullptr;
  Warnings* warnings = nullptr;
  LoadOptions options;
  mutable spec::MemoryBudget budget{0};

  std::vector<Body> bodies;  ///< depth first, the world first: a parent comes before its children
  std::vector<Mesh> meshes;
  std::vector<HField> hfields;
  std::deque<Flex> flexes;                 ///< those given vertex by vertex first, then in document order
  std::vector<spec::Equality> equalities;  ///< those of the Spec, then those that flexes ask for
  std::vector<int> equalityFlexes;         ///< the flexes that ask

  const spec::Compiler& compiler() const { return spec->compiler; }
  spec::InertiaSettings inertiaSettings(const spec::Body& body) const {
    return body.inertiaSettings.value_or(spec->compiler.inertia());
  }
  Body& body(int i) { return bodies[i]; }
  const Body& body(int i) const { return bodies[i]; }
  /// Takes memory for something that is about to be made for the element at `place`; throws LoadError if there is not
  /// enough.
  void charge(const class Place& place, double bytes, const std::string& what) const;
  void warn(const std::string& text) const {
    if (warnings) warnings->push_back(text);
  }
};

/// "limited" after autolimits: as written, or for `auto` whether there is a range. Throws LoadError at `place` when the
/// compiler forbids that guess. `attribute` is the name of the range attribute without "range".
bool isLimited(spec::Tri limited, const std::array<double, 2>& range, const spec::Compiler& compiler,
               const class Place& place, const std::string& attribute = "");

}  // namespace sinew::draft
