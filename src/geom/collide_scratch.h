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

  /// Calls f(list, list of the other) for every list that grows with the problems met.
  template <class F>
  void forEachList(CollideScratch& other, F&& f) {
    polytope.forEachList(other.polytope, f);
    const auto ofSide = [&](ClipScratch::Side& s, ClipScratch::Side& t) {
      f(s.normal, t.normal);
      f(s.face, t.face);
      f(s.edgeEnd, t.edgeEnd);
      f(s.polygon, t.polygon);
    };
    ofSide(clip.a, other.clip.a);
    ofSide(clip.b, other.clip.b);
    f(clip.planes, other.clip.planes);
    f(clip.clipped, other.clip.clipped);
    f(clip.swap, other.clip.swap);
    f(faces.reference, other.faces.reference);
    f(faces.incident, other.faces.incident);
    f(faces.clipped, other.faces.clipped);
    f(faces.swap, other.faces.swap);
    f(points, other.points);
  }
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
