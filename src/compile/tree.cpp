#include "compile/tree.h"

#include <fmt/format.h>

#include "compile/geoms.h"
#include "compile/inertia.h"
#include "compile/joints.h"
#include "compile/orientation.h"
#include "compile/place.h"

namespace sinew::draft {
namespace {

/// Body ids are packed in pairs of 16 bits where contacts are filtered.
constexpr std::size_t kMaxBodies = 65534;

struct Visit {
  const spec::Body* spec;
  int parent;
};

/// The bodies in the order of their ids. An explicit stack: the depth of a model is not ours to limit.
std::vector<Visit> depthFirst(const spec::Body& world) {
  std::vector<Visit> order;
  std::vector<Visit> pending{{&world, 0}};
  while (!pending.empty()) {
    const Visit visit = pending.back();
    pending.pop_back();
    const int id = static_cast<int>(order.size());
    order.push_back(visit);
    const std::vector<spec::Body>& children = visit.spec->bodies;
    for (std::size_t i = children.size(); i-- > 0;) pending.push_back({&children[i], id});
  }
  return order;
}

bool isAligned(const spec::Body& spec, const spec::Compiler& compiler) {
  if (spec.joints.size() != 1 || spec.joints[0].type != JointType::Free || !spec.bodies.empty()) return false;
  const spec::Tri align = spec.joints[0].align;
  return align == spec::Tri::True || (align == spec::Tri::Auto && compiler.alignfree);
}

/// Moves the body frame into the inertial frame; what is in the body stays where it is in the world.
void alignWithInertia(Body& body) {
  const Pose back = inverse(body.inertial);
  body.pose = compose(body.pose, body.inertial);
  body.inertial = {};
  for (Geom& geom : body.geoms) geom.pose = compose(back, geom.pose);
  for (Site& site : body.sites) site.pose = compose(back, site.pose);
  for (Camera& camera : body.cameras) camera.pose = compose(back, camera.pose);
}

}  // namespace

void draftTree(Draft& draft) {
  const spec::Compiler& compiler = draft.compiler();
  const std::vector<Visit> order = depthFirst(draft.spec->world);
  if (order.size() >= kMaxBodies) {
    throw LoadError(fmt::format("the model has {} bodies: it must be fewer than {}", order.size(), kMaxBodies));
  }

  draft.bodies.reserve(order.size());
  std::vector<std::vector<Pose>> frames;  // of every body, because a body may lie in a frame of its parent
  std::vector<char> moving;
  for (const Visit& visit : order) {
    const spec::Body& spec = *visit.spec;
    const bool isWorld = &spec == &draft.spec->world;
    frames.push_back(framePoses(spec, compiler));
    const std::vector<Pose>& ownFrames = frames.back();
    const std::size_t parent = static_cast<std::size_t>(visit.parent);

    Body body;
    body.spec = &spec;
    body.parent = visit.parent;
    const Pose ownPose{toVec3(spec.pos), orientationOf(spec.orientation, compiler, placeOf(spec))};
    draftJoints(draft, ownFrames, body);
    moving.push_back(!body.joints.empty() || (!isWorld && !spec.mocap && moving[parent]));

    const bool carriesMass = !isWorld && (!spec.inertial || compiler.inertiafromgeom == spec::InertiaFromGeom::True);
    draftGeoms(draft, ownFrames, moving.back() != 0, carriesMass, body);
    draftInertia(draft, ownFrames, ownPose, body);
    draftSites(draft, ownFrames, body);
    draftCameras(draft, ownFrames, body);

    body.pose = spec.frame >= 0 ? compose(frames[parent].at(static_cast<std::size_t>(spec.frame)), ownPose) : ownPose;
    if (isAligned(spec, compiler)) alignWithInertia(body);
    draft.bodies.push_back(std::move(body));
  }
}

}  // namespace sinew::draft
