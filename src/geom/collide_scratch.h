#pragma once

#include <optional>

#include "geom/epa.h"
#include "geom/face_manifold.h"
#include "geom/gjk.h"
#include "geom/multi_contact.h"

namespace sinew::geom {

/// Memory that outlives calls of the colliders, so that stepping does not allocate. Every call overwrites what it
/// reads; calls at the same time need one each.
struct CollideScratch {
  GjkResult gjk;
  Polytope polytope;
  ClipScratch clip;
  FaceScratch faces;
  Array<ContactPoint> points;
};

/// The scratch memory that the options name, or else one of its own for as long as this lives.
class ScratchOf {
 public:
  explicit ScratchOf(const CollideOptions& options) : scratch_(options.scratch) {
    if (scratch_ == nullptr) scratch_ = &own_.emplace();
  }
  ScratchOf(const ScratchOf&) = delete;
  ScratchOf& operator=(const ScratchOf&) = delete;
  CollideScratch* operator->() { return scratch_; }

 private:
  std::optional<CollideScratch> own_;
  CollideScratch* scratch_;
};

}  // namespace sinew::geom
