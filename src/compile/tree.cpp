#include "compile/tree.h"

#include <fmt/format.h>

#include "compile/flexes.h"
#include "compile/geoms.h"
#include "compile/inertia.h"
#include "compile/joints.h"
#include "compile/orientation.h"
#include "compile/place.h"

namespace sinew::draft {
namespace {

struct Visit {
  const spec::Body* spec;
  int parent;
};

/// What is still to be visited: a body, or a flexcomp.
struct Pending {
  const spec::Body* body = nullptr;
  const spec::Flexcomp* flexcomp = nullptr;
  int parent = 0;
};

/// The content of a body for a stack, so that it is visited in document order.
void push(const spec::Body& body, int id, std::vector<Pending>& pending) {
  std::size_t flexcomp = body.flexcomps.size();
  const auto flexcompsFrom = [&](std::size_t place) {
    for (; flexcomp > 0 && static_cast<std::size_t>(body.flexcomps[flexcomp - 1].place) >= place; --flexcomp) {
      pending.push_back({nullptr, &body.flexcomps[flexcomp - 1], id});
    }
  };
  for (std::size_t i = body.bodies.size(); i-- > 0;) {
    flexcompsFrom(i + 1);
    pending.push_back({&body.bodies[i], nullptr, id});
  }
  flexcompsFrom(0);
}

/// The bodies in the order of their ids, those that stand for points of flexes included. Drafts the flexcomps on the
/// way.
std::vector<Visit> depthFirst(Draft& draft) {
  std::vector<Visit> order;
  visitTree(
      draft.spec->world,
      [&](const spec::Body& body, int parent) {
        order.push_back({&body, parent});
      },
      [&](const spec::Flexcomp& flexcomp, int parent) {
        Flex& flex = draftFlexcomp(draft, flexcomp, *order[parent].spec, parent);
        flex.place = static_cast<int>(order.size());
        for (std::size_t k = 0; k < flex.slideBodies.size(); ++k) {
          flex.points[flex.slidePoints[k]].body = static_cast<int>(order.size());
          order.push_back({&flex.slideBodies[k], parent});
        }
        return static_cast<int>(flex.slideBodies.size());
      });
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

// An explicit stack: the depth of a model is not ours to limit.
void visitTree(const spec::Body& world, const std::function<void(const spec::Body&, int)>& onBody,
               const std::function<int(const spec::Flexcomp&, int)>& onFlexcomp) {
  int next = 0;
  std::vector<Pending> pending{{&world, nullptr, 0}};
  while (!pending.empty()) {
    const Pending entry = pending.back();
    pending.pop_back();
    if (entry.flexcomp) {
      next += onFlexcomp(*entry.flexcomp, entry.parent);
      continue;
    }
    onBody(*entry.body, entry.parent);
    push(*entry.body, next++, pending);
  }
}

void draftTree(Draft& draft) {
  const spec::Compiler& compiler = draft.compiler();
  const std::vector<Visit> order = depthFirst(draft);

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

    const bool alwaysFromGeoms = draft.inertiaSettings(spec).inertiafromgeom == spec::InertiaFromGeom::True;
    const bool carriesMass = !isWorld && (!spec.inertial || alwaysFromGeoms);
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
