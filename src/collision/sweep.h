#pragma once

#include <span>

#include "base/arena.h"
#include "collision/collision.h"
#include "collision/element_contacts.h"
#include "geom/collide.h"
#include "math/types.h"
#include "model/bounding_tree.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// How colliders move within a step at given velocities of the dofs: what may pass through what, and where it would be
/// met first. Everything lives in the arena. Needs comPos(), flexes(), updatePlan() and
/// updatePassing().
class Sweep {
 public:
  /// `qvel`: what moves them from the start of the step to its end; it must outlive the sweep.
  Sweep(const Model& m, Data& d, std::span<const double> qvel);

  /// Whether anything moves so far in a step that it may pass through something. If not, no box is larger and no pair
  /// is looked at twice.
  bool active() const { return active_; }
  /// How far two colliders may come nearer to each other within the step, m; 0 if nothing is to be stopped. What moves
  /// and turns together does not come nearer.
  double way(int collider1, int collider2) const;
  /// The sum of how far both move, which is not less.
  double ways(int collider1, int collider2) const {
    return body_.empty() ? 0 : h_ * (speedOf(collider1) + speedOf(collider2));
  }
  /// Whether the motion of two colliders within the step could take them through each other.
  bool mayPass(int collider1, int collider2) const;
  /// Grows the box of a collider over its motion.
  void extend(int collider, BoundingTree::Box& box) const;

  /// Where two geoms that do not touch yet meet on their way, if the rest of the way would take them through each
  /// other: points with `swept` set. Finds nothing if they miss each other, however near.
  void meet(int geom1, int geom2, const geom::CollideOptions& options, Array<geom::ContactPoint>& points) const;

  /// The same for two geoms of which at least one turns, with other points than those they touch or meet with first:
  /// where they are first so deep in each other that it matters, if their motion ends deeper than that.
  void turnInto(int geom1, int geom2, const geom::CollideOptions& options, Array<geom::ContactPoint>& points) const;

  /// Whether two geoms that are near, and move farther than `early` in the step, pass by without touching.
  bool miss(int geom1, int geom2, double early, const geom::CollideOptions& options) const;

  /// Where a geom and a flex meet, as for two geoms; adds the contacts.
  void meetFlex(int geom, int flex, Data& d, ElementTrees& trees, const geom::CollideOptions& options,
                const MixedParameters& p, ContactLimit& limit) const;

 private:
  struct Motion {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // of the centre
    double spin = 0;                                     // fastest speed by turning
  };
  Motion motionOf(int geom) const;
  Motion computeMotion(int geom) const;
  /// How something moves in the axes of something else, m/s.
  struct Approach {
    Vec3 velocity = Vec3::Zero();  // of its centre at the start of the step, in the axes of the world
    double bend = 0;               // by how much that may change within the step
    double spin = 0;               // fastest speed by turning
  };
  /// Of `other`, whose centre is `apart` from that of `seer` and whose points are within `reach` of it.
  Approach approachOf(const Motion& seer, const Motion& other, const Vec3& apart, double reach) const;
  /// How far from its centre a geom has points that turning moves: which way a sphere is turned does not matter.
  double spinReach(int geom) const { return m_.geom_type[geom] == GeomType::Sphere ? 0 : m_.geom_rbound[geom]; }
  /// Time within the step before which two geoms must meet for the rest of it to take them through each other; not
  /// above 0: they will not.
  double latestMeeting(int geom1, int geom2) const;
  /// False only if the box around `other`, seen from that around `seer`, surely stays farther from it than `more` for
  /// the time `horizon`.
  bool mayEnter(int seer, int other, double horizon, double more) const;
  static double speedOf(const Motion& motion) { return motion.linear.norm() + motion.spin; }
  /// Of the fastest point of a collider.
  double speedOf(int collider) const;
  /// Whether a collider of the plan moves so far that it may pass through something.
  bool anyFast() const;
  bool isFast(int collider) const;
  geom::Shape shapeAt(int geom, const Motion& motion, double t) const;
  /// Makes swept contacts of the present of the points from `begin` on, found at the time t.
  void bringBack(int geom1, int geom2, double t, std::ptrdiff_t begin, Array<geom::ContactPoint>& points) const;
  /// The same for those of them that end the step deeper than `deepest`; the others are dropped.
  void keepPassing(int geom1, int geom2, double t, double deepest, std::ptrdiff_t begin,
                   Array<geom::ContactPoint>& points) const;
  geom::Element elementAt(int elem, double t) const;
  /// When the two come as near as `tolerance`, if before `horizon`; otherwise `horizon`.
  double timeOfMeeting(int geom1, int geom2, double horizon, double tolerance,
                       const geom::CollideOptions& options) const;
  double timeOfMeetingElement(int geom, int elem, double horizon, double tolerance,
                              const geom::CollideOptions& options) const;
  /// Of all points of a flex.
  void findPointVelocities(int flex);
  /// Not below the speed of any vertex of a flex, from its points alone.
  double boundOnFlex(int flex) const;
  /// Of its fastest vertex. The first call finds the velocities of all of its vertices.
  double speedOfFlex(int flex) const;
  /// A geom touches a triangle, and the rest of the step would take its centre through it: adds a contact along the way
  /// that the centre takes. The one that it has may point elsewhere, as at the walls of a narrow pocket.
  void meetMiddle(int geom, int elem, Data& d, const MixedParameters& p) const;

  static constexpr int kMotion = 7;
  const Model& m_;
  const Data& d_;
  Arena& scratch_;
  std::span<const double> qvel_;
  double h_;
  bool active_ = false;
  std::span<double> body_;       // 6 per body: angular, linear at the tree's centre; empty: nothing is to be stopped
  std::span<double> point_;      // velocity, 3 per point of a flex
  std::span<double> vertex_;     // 3 per vertex, of flexes that have been looked at
  std::span<double> flexSpeed_;  // of the fastest vertex of each flex; negative: it has not been looked at
  std::span<double> motion_;     // of each of them, kMotion numbers per geom: angular, linear, spin
  std::span<double> speed_;      // of each collider that the plan has as passing, if anything is fast
};

}  // namespace sinew
