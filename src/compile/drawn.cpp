#include "compile/drawn.h"

#include <fmt/format.h>

#include <stdexcept>

#include "compile/assets.h"
#include "compile/fuse_static.h"
#include "compile/orientation.h"
#include "compile/tree.h"

namespace sinew::draft {
namespace {

/// Bodies of the Model that stand for the points of flex f. The bodies of its points that were declared in the file
/// come before its place.
int slideBodies(const Model& m, int f) {
  if (m.flex_dof[f] != FlexDof::Radial && m.flex_dof[f] != FlexDof::Planar) return 0;
  int count = 0;
  for (int p = m.flex_pointadr[f]; p < m.flex_pointadr[f] + m.flex_pointnum[f]; ++p) {
    count += m.flexpoint_nodeid[p] < 0 && m.flexpoint_bodyid[p] >= m.flex_place[f];
  }
  return count;
}

Body drawnBody(const Spec& spec, const spec::Body& body, int parent, const std::vector<Pose>& ownFrames,
               const std::vector<std::vector<Pose>>& frames) {
  Body out;
  out.spec = &body;
  out.parent = parent;
  out.pose = {toVec3(body.pos), orientationOf(body.orientation, spec.compiler, placeOf(body))};
  if (body.frame >= 0) {
    out.pose = compose(frames[parent].at(static_cast<std::size_t>(body.frame)), out.pose);
  }
  for (const spec::Joint& joint : body.joints) out.joints.emplace_back().spec = &joint;
  for (const spec::Geom& geom : body.geoms) out.geoms.emplace_back().spec = &geom;
  for (const spec::Site& site : body.sites) out.sites.emplace_back().spec = &site;
  for (const spec::Camera& camera : body.cameras) out.cameras.emplace_back().spec = &camera;
  for (const spec::Light& light : body.lights) {
    Light& added = out.lights.emplace_back();
    added.spec = &light;
    if (light.frame >= 0) added.pose = ownFrames.at(static_cast<std::size_t>(light.frame));
  }
  return out;
}

void requireSameCounts(const Draft& draft, const Model& m) {
  int geoms = 0, sites = 0, cameras = 0;
  for (const Body& body : draft.bodies) {
    geoms += static_cast<int>(body.geoms.size());
    sites += static_cast<int>(body.sites.size());
    cameras += static_cast<int>(body.cameras.size());
  }
  const auto require = [](const char* what, int inSpec, int inModel) {
    if (inSpec == inModel) return;
    throw std::invalid_argument(fmt::format(
        "the model was not compiled from this description: it has {} {}, the description {}", inModel, what, inSpec));
  };
  require("bodies", static_cast<int>(draft.bodies.size()), m.nbody);
  require("geoms", geoms, m.ngeom);
  require("sites", sites, m.nsite);
  require("cameras", cameras, m.ncam);
}

}  // namespace

Draft draftDrawn(const Spec& spec, const Model& m) {
  Draft draft;
  draft.spec = &spec;
  static const spec::Body kSlideBody = [] {
    spec::Body body;
    body.joints.resize(1);  // it moves, so it is never fused
    return body;
  }();
  std::vector<std::vector<Pose>> frames;
  int flex = static_cast<int>(spec.flexes.size());
  visitTree(
      spec.world,
      [&](const spec::Body& body, int parent) {
        frames.push_back(framePoses(body, spec.compiler));
        draft.bodies.push_back(drawnBody(spec, body, parent, frames.back(), frames));
      },
      [&](const spec::Flexcomp&, int parent) {
        const int count = flex < m.nflex ? slideBodies(m, flex) : 0;
        ++flex;
        for (int k = 0; k < count; ++k) {
          frames.emplace_back();
          draft.bodies.push_back(drawnBody(spec, kSlideBody, parent, frames.back(), frames));
        }
        return count;
      });
  if (flex != m.nflex) {
    throw std::invalid_argument(fmt::format(
        "the model was not compiled from this description: it has {} flexes, the description {}", m.nflex, flex));
  }
  if (spec.compiler.fusestatic) fuseStatic(draft);
  if (spec.compiler.discardvisual) discardVisuals(draft);
  requireSameCounts(draft, m);
  return draft;
}

}  // namespace sinew::draft
