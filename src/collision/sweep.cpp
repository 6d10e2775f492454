#include "collision/sweep.h"

#include <algorithm>
#include <cmath>

#include "collision/bounding_tree.h"
#include "collision/collide_memory.h"
#include "collision/colliders.h"
#include "collision/contact_maker.h"
#include "collision/elements.h"
#include "collision/filters.h"
#include "collision/thin.h"
#include "geom/element_distance.h"
#include "geom/support.h"
#include "kinematics/dof_chains.h"
#include "kinematics/interpolate.h"
#include "model/carrier.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// Advances of one search. Each ends at the place where two planes between the shapes would meet, so that few are
/// needed; a search that has not ended by then goes along the surface.
constexpr int kMostAdvances = 64;
/// Share of the depth that matters below which things touch.
constexpr double kTouching = 1e-3;
/// Share of it by which bounds on motions are wider: a search ends where things are still a little apart.
constexpr double kSlack = 1e-2;
/// How much deeper things may get from one look at their way to the next, as a share of it.
constexpr double kMarch = 0.4;
/// What moves farther than that many looks allow is looked at less closely.
constexpr int kMostLooks = 256;

/// Conservative advancement [Mirtich 1996a]: distance(t, cutoff, n) is how far apart the two are at time t (or not less
/// than cutoff), with the direction n from the first to the second; closing(n) is the fastest that they can come
/// together along n, for all that is beyond the planes across n at their nearest points.
template <class Distance, class Closing>
double advance(double horizon, double tolerance, double fastest, Distance&& distance, Closing&& closing) {
  double t = 0;
  for (int i = 0; i < kMostAdvances; ++i) {
    const double cutoff = fastest * (horizon - t) + tolerance;
    Vec3 n = Vec3::Zero();
    const double dist = distance(t, cutoff, n);
    if (!(dist < cutoff)) return horizon;
    if (dist <= tolerance) return t;
    const double speed = closing(n);
    if (!(speed > 0)) return horizon;
    t += (dist - 0.5 * tolerance) / speed;
    if (!(t < horizon)) return horizon;
  }
  return horizon;
}

/// Whether no point of the geoms of a group, whose body has the spatial velocity v, moves as far in a step as the
/// thinnest of them measures. Most are too slow by far: this bound spares looking at each geom.
bool isSlow(const Model& m, const Data& d, const double* v, const PassingBodies::Group& group) {
  constexpr double kRounding = 1 + 1e-9;
  const double *p = d.xpos.data() + 3 * group.body, *c = d.subtree_com.data() + 3 * m.body_rootid[group.body];
  const double x = p[0] - c[0], y = p[1] - c[1], z = p[2] - c[2];
  const double vx = v[3] + v[1] * z - v[2] * y, vy = v[4] + v[2] * x - v[0] * z, vz = v[5] + v[0] * y - v[1] * x;
  const double way = std::sqrt(vx * vx + vy * vy + vz * vz);
  const double turn = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return kRounding * m.opt.timestep * (way + turn * group.reach) < group.depth;
}

/// No vertex of a flex is carried by shares whose absolute values have a larger sum: those of a quadratic polynomial
/// have 5/4 at most in each of three directions, and nodes within a shell go with 3 faces, less 3 edges, and a corner.
double mostWeight(const Model& m, int flex) {
  constexpr double kRounding = 1 + 1e-9;
  if (m.flex_interp[flex] == 0) return 1;
  const double cell = std::abs(m.flex_interp[flex]) == 1 ? 1 : 1.25 * 1.25 * 1.25;
  return kRounding * (m.flex_interp[flex] < 0 ? 7 * cell : cell);
}

}  // namespace

Sweep::Sweep(const Model& m, Data& d, std::span<const double> qvel)
    : m_(m), d_(d), scratch_(d.work->arena), qvel_(qvel), h_(m.opt.timestep) {
  const Array<int>& passing = d.work->nearPairs.plan.passing;
  if (m.opt.speculative == Speculative::None || passing.empty()) return;
  Arena& arena = d.work->arena;
  body_ = arena.take<double>(6 * m.nbody);
  zero6(body_.data());
  for (int b = 1; b < m.nbody; ++b) {
    double v[6];
    copy6(v, body_.data() + 6 * m.body_parentid[b]);
    for (int i = m.body_dofadr[b]; i < m.body_dofadr[b] + m.body_dofnum[b]; ++i) {
      addScaled6(v, &d.cdof[6 * i], qvel[i]);
    }
    copy6(body_.data() + 6 * b, v);
  }
  if (m.nflex > 0) {
    point_ = arena.take<double>(3 * m.nflexpoint);
    vertex_ = arena.take<double>(3 * m.nflexvert);
    flexSpeed_ = arena.take<double>(m.nflex);
  }
  for (int f = 0; f < m.nflex; ++f) {
    flexSpeed_[f] = -1;
    findPointVelocities(f);
  }
  active_ = anyFast();
  if (!active_) return;
  for (int f = 0; f < m.nflex; ++f) speedOfFlex(f);
  speed_ = arena.zeros<double>(m.ngeom + m.nflex);
  motion_ = arena.take<double>(kMotion * m.ngeom);
  for (const int c : passing) {
    const auto i = static_cast<std::size_t>(c);
    if (isFlex(m, c)) {
      speed_[i] = speedOfFlex(flexOf(m, c));
      continue;
    }
    const Motion motion = computeMotion(c);
    double* kept = motion_.data() + kMotion * c;
    setSpatial(kept, motion.angular, motion.linear);
    kept[6] = motion.spin;
    speed_[i] = speedOf(motion);
  }
}

double Sweep::speedOf(int collider) const {
  if (!speed_.empty()) return speed_[collider];
  if (isFlex(m_, collider)) return speedOfFlex(flexOf(m_, collider));
  return m_.geom_type[collider] == GeomType::Plane ? 0 : speedOf(motionOf(collider));
}

bool Sweep::isFast(int collider) const {
  const double far = kPassingShare * 0.5 * thicknessOf(m_, collider);
  if (!isFlex(m_, collider)) return h_ * speedOf(motionOf(collider)) > far;
  const int flex = flexOf(m_, collider);
  return h_ * boundOnFlex(flex) > far && h_ * speedOfFlex(flex) > far;
}

bool Sweep::anyFast() const {
  const PassingBodies& passing = d_.work->collideMemory->passing;
  for (const PassingBodies::Group& group : passing.group) {
    if (isSlow(m_, d_, body_.data() + 6 * group.body, group) || m_.body_treeid[group.body] < 0) continue;
    for (int i = group.begin; i < group.end; ++i) {
      if (isFast(passing.collider[i])) return true;
    }
  }
  for (std::ptrdiff_t i = passing.flexes; i < passing.collider.size(); ++i) {
    if (isFast(passing.collider[i])) return true;
  }
  return false;
}

void Sweep::findPointVelocities(int flex) {
  for (int p = m_.flex_pointadr[flex]; p < m_.flex_pointadr[flex] + m_.flex_pointnum[flex]; ++p) {
    const Carrier carrier = Carrier::ofPoint(m_, p);
    if (!carrier.isNode()) {
      const Vec3 arm = vec3(d_.flexpoint_xpos.data(), p) - treeCom(m_, d_, carrier.body());
      vec3(point_.data(), p) = velocityAt(body_.data() + 6 * carrier.body(), arm);
    } else if (m_.flexnode_pinned[carrier.node()]) {
      vec3(point_.data(), p) = Vec3::Zero();
    } else {
      vec3(point_.data(), p) = vec3(qvel_.data() + m_.nv_rigid, carrier.node());
    }
  }
}

double Sweep::boundOnFlex(int flex) const {
  double fastest = 0;
  for (int p = m_.flex_pointadr[flex]; p < m_.flex_pointadr[flex] + m_.flex_pointnum[flex]; ++p) {
    fastest = std::max(fastest, vec3(point_.data(), p).squaredNorm());
  }
  return mostWeight(m_, flex) * std::sqrt(fastest);
}

double Sweep::speedOfFlex(int flex) const {
  double& speed = flexSpeed_[flex];
  if (speed >= 0) return speed;
  interpolate(m_, flex, point_.data(), vertex_.data(), scratch_);
  double fastest = 0;
  for (int v = m_.flex_vertadr[flex]; v < m_.flex_vertadr[flex] + m_.flex_vertnum[flex]; ++v) {
    fastest = std::max(fastest, vec3(vertex_.data(), v).squaredNorm());
  }
  return speed = std::sqrt(fastest);
}

Sweep::Approach Sweep::approachOf(const Motion& seer, const Motion& other, const Vec3& apart, double reach) const {
  // Along the line between the nearest points of two things it makes no difference if both turn about whatever point,
  // so the other is looked at from axes that turn with the first. Their centres go straight on, which is not what
  // things at rest in these axes do.
  const Vec3 drift = other.linear - seer.linear;
  Approach approach;
  approach.velocity = drift - seer.angular.cross(apart);
  approach.bend = h_ * seer.angular.cross(drift).norm();
  approach.spin = (other.angular - seer.angular).norm() * reach;
  return approach;
}

double Sweep::way(int c1, int c2) const {
  const double most = ways(c1, c2);
  if (most == 0 || isFlex(m_, c1) || isFlex(m_, c2)) return most;
  const Motion a = motionOf(c1), b = motionOf(c2);
  const Vec3 apart = vec3(d_.geom_xpos.data(), c2) - vec3(d_.geom_xpos.data(), c1);
  const auto speed = [](const Approach& approach) { return approach.velocity.norm() + approach.bend + approach.spin; };
  return std::min(
      {most, h_ * speed(approachOf(a, b, apart, spinReach(c2))), h_ * speed(approachOf(b, a, -apart, spinReach(c1)))});
}

double Sweep::latestMeeting(int g1, int g2) const {
  const double distance = way(g1, g2), needed = (1 - kSlack) * passingDepth(m_, g1, g2);
  return distance > needed ? h_ * (1 - needed / distance) : 0;
}

bool Sweep::mayEnter(int seer, int other, double horizon, double more) const {
  const Motion a = motionOf(seer), b = motionOf(other);
  const Vec3 apart = vec3(d_.geom_xpos.data(), other) - vec3(d_.geom_xpos.data(), seer);
  const Approach approach = approachOf(a, b, apart, spinReach(other));
  const double turn = h_ * a.angular.norm();  // of the axes within the step
  const double across = approach.bend + turn * (approach.velocity.norm() + approach.bend) + approach.spin;

  const ConstMapMat3 R1 = mat3(d_.geom_xmat.data(), seer), R2 = mat3(d_.geom_xmat.data(), other);
  const double *box1 = m_.geom_aabb.data() + 6 * seer, *box2 = m_.geom_aabb.data() + 6 * other;
  const Mat3 R = R1.transpose() * R2;
  const Vec3 between = R1.transpose() * apart + R * ConstMapVec3(box2) - ConstMapVec3(box1);
  const Vec3 reach = ConstMapVec3(box1 + 3) + R.cwiseAbs() * ConstMapVec3(box2 + 3);
  const Vec3 velocity = R1.transpose() * approach.velocity;
  for (int k = 0; k < 3; ++k) {
    const double closing = between[k] > 0 ? -velocity[k] : velocity[k];
    if (std::abs(between[k]) - reach[k] > horizon * std::max(0.0, closing + across) + more) return false;
  }
  return true;
}

bool Sweep::mayPass(int c1, int c2) const {
  if (!active_) return false;
  const double depth = passingDepth(m_, c1, c2);
  if (!(ways(c1, c2) > depth)) return false;
  if (isFlex(m_, c1) || isFlex(m_, c2)) return true;
  const double horizon = latestMeeting(c1, c2), more = kSlack * depth;
  return horizon > 0 && mayEnter(c1, c2, horizon, more) && mayEnter(c2, c1, horizon, more);
}

void Sweep::extend(int collider, BoundingTree::Box& box) const {
  if (!active_) return;
  if (isFlex(m_, collider)) {
    const double way = h_ * speed_[collider];
    for (int k = 0; k < 3; ++k) box.lower[k] -= way, box.upper[k] += way;
    return;
  }
  if (speed_[collider] == 0) return;
  const Motion motion = motionOf(collider);
  for (int k = 0; k < 3; ++k) {
    box.lower[k] += h_ * (std::min(0.0, motion.linear[k]) - motion.spin);
    box.upper[k] += h_ * (std::max(0.0, motion.linear[k]) + motion.spin);
  }
}

Sweep::Motion Sweep::motionOf(int g) const {
  if (motion_.empty()) return computeMotion(g);
  const double* kept = motion_.data() + kMotion * g;
  return {linear(kept), angular(kept), kept[6]};
}

Sweep::Motion Sweep::computeMotion(int g) const {
  const int body = m_.geom_bodyid[g];
  const double* v = body_.data() + 6 * body;
  Motion motion;
  motion.linear = velocityAt(v, vec3(d_.geom_xpos.data(), g) - treeCom(m_, d_, body));
  if (m_.geom_type[g] == GeomType::Sphere) return motion;
  motion.angular = angular(v);
  motion.spin = motion.angular.norm() * m_.geom_rbound[g];
  return motion;
}

geom::Shape Sweep::shapeAt(int g, const Motion& motion, double t) const {
  geom::Shape shape = shapeOf(m_, d_, g);
  shape.pos += t * motion.linear;
  const double speed = motion.angular.norm();
  if (t * speed > 0) shape.rot = Eigen::AngleAxisd(t * speed, motion.angular / speed).toRotationMatrix() * shape.rot;
  return shape;
}

geom::Element Sweep::elementAt(int elem, double t) const {
  geom::Element element = sinew::elementAt(m_, d_, elem);
  const ElementVertices e(m_, elem);
  for (int i = 0; i < e.count; ++i) {
    element.corner[i] += t * vec3(vertex_.data(), e.first + e.local[i]);
  }
  return element;
}

double Sweep::timeOfMeeting(int g1, int g2, double horizon, double tolerance,
                            const geom::CollideOptions& options) const {
  const Motion a = motionOf(g1), b = motionOf(g2);
  const Vec3 approach = a.linear - b.linear;
  const double spin = a.spin + b.spin, fastest = approach.norm() + spin;
  const bool convex = m_.geom_type[g1] != GeomType::HField && m_.geom_type[g2] != GeomType::HField;
  return advance(
      horizon, tolerance, fastest,
      [&](double t, double cutoff, Vec3& n) {
        Vec3 onA = Vec3::Zero(), onB = Vec3::Zero();
        const double dist = geom::distance(shapeAt(g1, a, t), shapeAt(g2, b, t), cutoff, options, &onA, &onB);
        n = normalizedOrX(onB - onA);
        return dist;
      },
      [&](const Vec3& n) { return convex ? n.dot(approach) + spin : fastest; });
}

double Sweep::timeOfMeetingElement(int g, int elem, double horizon, double tolerance,
                                   const geom::CollideOptions& options) const {
  const Motion motion = motionOf(g);
  const ElementVertices e(m_, elem);
  const auto velocity = [&](int i) -> Vec3 { return vec3(vertex_.data(), e.first + e.local[i]); };
  double fastest = 0;
  for (int i = 0; i < e.count; ++i) fastest = std::max(fastest, (motion.linear - velocity(i)).norm());
  fastest += motion.spin;
  const bool convex = m_.geom_type[g] != GeomType::HField;
  return advance(
      horizon, tolerance, fastest,
      [&](double t, double cutoff, Vec3& n) {
        Vec3 onA = Vec3::Zero(), onB = Vec3::Zero();
        const double dist = geom::distance(shapeAt(g, motion, t), elementAt(elem, t), cutoff, options, &onA, &onB);
        n = normalizedOrX(onB - onA);
        return dist;
      },
      [&](const Vec3& n) {
        if (!convex) return fastest;
        double closing = n.dot(motion.linear - velocity(0));
        for (int i = 1; i < e.count; ++i) closing = std::max(closing, n.dot(motion.linear - velocity(i)));
        return closing + motion.spin;
      });
}

void Sweep::keepPassing(int g1, int g2, double t, double deepest, std::ptrdiff_t begin,
                        Array<geom::ContactPoint>& points) const {
  const Motion a = motionOf(g1), b = motionOf(g2);
  const Vec3 first = shapeAt(g1, a, t).pos, second = shapeAt(g2, b, t).pos;
  std::ptrdiff_t kept = begin;
  for (std::ptrdiff_t i = begin; i < points.size(); ++i) {
    geom::ContactPoint point = points[i];
    const Vec3 va = a.linear + a.angular.cross(point.pos - first);
    const Vec3 vb = b.linear + b.angular.cross(point.pos - second);
    const double approach = point.normal.dot(vb - va);
    if (!(point.dist + approach * (h_ - t) < -deepest)) continue;
    points[kept++] = point;
  }
  points.resize(kept);
  bringBack(g1, g2, t, begin, points);
}

void Sweep::bringBack(int g1, int g2, double t, std::ptrdiff_t begin, Array<geom::ContactPoint>& points) const {
  struct Way {
    Vec3 sum;   // since the start of the step
    Vec3 from;  // place at which the velocity at the start of the step has that for its mean: chord over arc
  };
  const auto wayTo = [&](int g, const Vec3& place) -> Way {
    const Motion motion = motionOf(g);
    const double turn = t * motion.angular.norm();
    const Vec3 before = shapeOf(m_, d_, g).pos, arm = place - (before + t * motion.linear);
    if (!(turn > 0)) return {t * motion.linear, before + arm};
    const Vec3 axis = motion.angular.normalized();
    const Vec3 half = Eigen::AngleAxisd(-0.5 * turn, axis) * arm, along = axis * axis.dot(half);
    const Vec3 first = Eigen::AngleAxisd(-turn, axis) * arm;
    return {t * motion.linear + arm - first, before + along + std::sin(0.5 * turn) / (0.5 * turn) * (half - along)};
  };
  for (std::ptrdiff_t i = begin; i < points.size(); ++i) {
    geom::ContactPoint& point = points[i];
    const Way a = wayTo(g1, point.pos), b = wayTo(g2, point.pos);
    point.dist = std::max(0.0, point.dist) - point.normal.dot(b.sum - a.sum);
    point.pos = a.sum.squaredNorm() > b.sum.squaredNorm() ? a.from : b.from;  // of the faster one
    point.swept = true;
  }
}

void Sweep::meet(int g1, int g2, const geom::CollideOptions& options, Array<geom::ContactPoint>& points) const {
  const double deepest = passingDepth(m_, g1, g2), tolerance = kTouching * deepest;
  const double latest = latestMeeting(g1, g2);
  if (!(latest > 0)) return;
  const double t = timeOfMeeting(g1, g2, latest, tolerance, options);
  if (!(t < latest)) return;
  const Motion a = motionOf(g1), b = motionOf(g2);
  const std::ptrdiff_t begin = points.size();
  const double distance = way(g1, g2);
  // what turns comes in with other points next; the prisms of a height field have sides there that nothing touches
  const bool convex = m_.geom_type[g1] != GeomType::HField && m_.geom_type[g2] != GeomType::HField;
  const double reach = std::max(2 * tolerance, convex ? (1 - t / h_) * distance : 0.0);
  geom::collide(shapeAt(g1, a, t), shapeAt(g2, b, t), reach, options, points);
  keepPassing(g1, g2, t, deepest, begin, points);
}

void Sweep::turnInto(int g1, int g2, const geom::CollideOptions& options, Array<geom::ContactPoint>& points) const {
  const Motion a = motionOf(g1), b = motionOf(g2);
  if (a.spin == 0 && b.spin == 0) return;
  const double deepest = passingDepth(m_, g1, g2), distance = way(g1, g2);
  const double ahead = std::max(kMarch * deepest / distance, 1.0 / kMostLooks) * h_;
  const std::ptrdiff_t begin = points.size();
  // the prisms of a height field have sides that nothing touches, and are deep in each other there
  const bool convex = m_.geom_type[g1] != GeomType::HField && m_.geom_type[g2] != GeomType::HField;
  std::ptrdiff_t end = begin;  // of the points of the last look at which it was known which way is out
  double then = 0;
  for (double t = std::min(ahead, h_);; t = std::min(t + ahead, h_)) {
    geom::collide(shapeAt(g1, a, t), shapeAt(g2, b, t), 0, options, points);
    double depth = 0;
    for (std::ptrdiff_t i = end; i < points.size(); ++i) depth = std::max(depth, -points[i].dist);
    if (depth > deepest) {
      points.resize(end);
      return bringBack(g1, g2, then, begin, points);
    }
    if (depth < kMarch * deepest) {
      points.resize(end);
    } else if (!convex) {
      keepPassing(g1, g2, t, deepest, begin, points);
      if (points.size() > begin) return;
    } else {
      std::copy(points.begin() + end, points.end(), points.begin() + begin);
      points.resize(begin + points.size() - end);
      end = points.size();
      then = t;
    }
    if (!(t < h_)) break;
  }
  points.resize(begin);
}

bool Sweep::miss(int g1, int g2, double early, const geom::CollideOptions& options) const {
  if (!(ways(g1, g2) > early)) return false;
  if (m_.geom_type[g1] == GeomType::Plane || m_.geom_type[g2] == GeomType::Plane) return false;
  // velocities are those before the step, in which at least gravity acts
  const double fall = h_ * h_ * ConstMapVec3(m_.opt.gravity.data()).norm();
  const double tolerance = std::max(kTouching * std::min(early, passingDepth(m_, g1, g2)), fall);
  return !(timeOfMeeting(g1, g2, h_, tolerance, options) < h_);
}

void Sweep::meetMiddle(int g, int elem, Data& d, const MixedParameters& p) const {
  const ElementVertices e(m_, elem);
  if (e.count != 3) return;
  const double tolerance = kTouching * m_.flex_radius[e.flex];
  const Motion motion = motionOf(g);
  const Vec3 centre = vec3(d_.geom_xpos.data(), g);
  const auto velocityAt = [&](const std::array<double, 4>& weight) {
    Vec3 v = Vec3::Zero();
    for (int i = 0; i < 3; ++i) v += weight[i] * vec3(vertex_.data(), e.first + e.local[i]);
    return v;
  };
  double fastest = 0;
  for (int i = 0; i < 3; ++i) {
    fastest = std::max(fastest, (motion.linear - vec3(vertex_.data(), e.first + e.local[i])).norm());
  }
  const auto between = [&](double t, std::array<double, 4>& weight) -> Vec3 {
    const geom::Element then = elementAt(elem, t);
    const Vec3 from = centre + t * motion.linear;
    weight = geom::nearestWeights(then, from);
    return then.at(weight) - from;
  };
  std::array<double, 4> weight{};
  const double t = advance(
      h_, tolerance, fastest,
      [&](double at, double, Vec3& n) {
        const Vec3 gap = between(at, weight);
        n = normalizedOrX(gap);
        return gap.norm();
      },
      [&](const Vec3& n) {
        double closing = n.dot(motion.linear - vec3(vertex_.data(), e.first + e.local[0]));
        for (int i = 1; i < 3; ++i) {
          closing = std::max(closing, n.dot(motion.linear - vec3(vertex_.data(), e.first + e.local[i])));
        }
        return closing;
      });
  if (!(t > 0 && t < h_)) return;
  geom::ContactPoint point;
  point.normal = normalizedOrX(between(t, weight));
  const double approach = point.normal.dot(velocityAt(weight) - motion.linear);
  if (!(approach < 0)) return;
  const geom::Element now = sinew::elementAt(m_, d_, elem);
  geom::ConvexBody body(shapeOf(m_, d_, g), 0);
  const double extent = point.normal.dot(body.support(point.normal) - centre);
  point.dist = -approach * t - extent - now.radius;
  point.pos = now.at(weight) - now.radius * point.normal;
  point.swept = true;
  addContactAt(m_, d, p, point, {.geom = g}, {.flex = e.flex, .elem = elem - m_.flex_elemadr[e.flex]}, point.pos,
               point.pos);
}

void Sweep::meetFlex(int g, int flex, Data& d, ElementTrees& trees, const geom::CollideOptions& options,
                     const MixedParameters& parameters, ContactLimit& limit) const {
  // Before they touch there is no friction: it would throw about the light points of a flex.
  MixedParameters p = parameters;
  p.dim = 1;
  const BoundingTree& tree = trees.of(flex);
  const Arena::Scope scope(d.work->arena);
  const double deepest = stopDepth(m_, g, m_.ngeom + flex), tolerance = kTouching * deepest;
  BoundingTree::Box box = geomBox(m_, d_, g, h_ * speed_[m_.ngeom + flex] + tolerance);
  extend(g, box);
  Array<int>& elements = d.work->collideMemory->elements;
  elements.clear();
  forEachInside(tree, box, [&](int item) { elements.push_back(trees.element(flex, item)); });
  std::sort(elements.begin(), elements.end());
  Array<geom::ContactPoint>& points = d.work->collideMemory->slot(0).points;
  const geom::Shape present = shapeOf(m_, d_, g);
  const double distance = detectionDistance(m_.opt, p.margin, p.gap, p.early);
  const auto touches = [&](int elem) {  // and has its contact
    points.clear();
    geom::collide(present, sinew::elementAt(m_, d_, elem), distance, options, points);
    return hasForce(points, p, m_.opt);
  };
  double first = h_;
  for (const int elem : elements) {
    if (hasVertexOn(m_, elem, m_.geom_bodyid[g])) continue;
    meetMiddle(g, elem, d, p);
    if (!touches(elem)) first = std::min(first, timeOfMeetingElement(g, elem, first, tolerance, options));
  }
  limit.check();
  if (!(first < h_)) return;

  // what is met next to it counts as well
  const double reach = 2 * tolerance + 0.5 * m_.flex_radius[flex];
  const Motion motion = motionOf(g);
  const geom::Shape shape = shapeAt(g, motion, first);
  for (const int elem : elements) {
    if (hasVertexOn(m_, elem, m_.geom_bodyid[g]) || touches(elem)) continue;
    const geom::Element now = sinew::elementAt(m_, d_, elem), then = elementAt(elem, first);
    points.clear();
    geom::collide(shape, then, reach, options, points);
    const ElementVertices e(m_, elem);
    for (geom::ContactPoint& point : points) {
      const auto weight = geom::nearestWeights(then, point.pos);
      Vec3 velocity = Vec3::Zero();
      for (int i = 0; i < e.count; ++i) {
        velocity += weight[i] * vec3(vertex_.data(), e.first + e.local[i]);
      }
      const Vec3 own = motion.linear + motion.angular.cross(point.pos - shape.pos);
      const double approach = point.normal.dot(velocity - own);
      if (!(point.dist + approach * (h_ - first) < -deepest)) continue;
      point.dist = std::max(0.0, point.dist) - approach * first;
      point.pos -= first * own;
      point.swept = true;
      addContactAt(m_, d, p, point, {.geom = g}, {.flex = flex, .elem = elem - m_.flex_elemadr[flex]}, point.pos,
                   now.at(weight) - now.radius * point.normal);
    }
    limit.check();
  }
}

}  // namespace sinew
