#include "compile/rods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/index.h"
#include "elastic/section.h"

namespace sinew::draft {
namespace {

/// One element, turned the way its rod runs.
struct Segment {
  int element = 0;
  int from = 0, to = 0;  ///< vertices
  double length = 0;
  Mat3 frame = Mat3::Identity();  ///< at rest: along the segment, first and second axis of the section
  int section = -1;               ///< first of its three points
  bool fixed = false;             ///< both ends ride on one body
};

/// Segments from end to end; the last one of a closed rod leads back to the first.
struct Chain {
  std::vector<Segment> segments;
  bool closed = false;
};

/// Which elements end at each vertex.
std::vector<std::vector<int>> elementsAt(const Flex& flex) {
  std::vector<std::vector<int>> at(flex.vertices.size());
  for (std::size_t i = 0; i < flex.elements.size(); ++i) {
    std::vector<int>& list = at[flex.elements[i]];
    list.push_back(static_cast<int>(i) / 2);
    if (list.size() > 2) {
      placeOf(flex).fail(fmt::format(
          "elements {}, {} and {} meet at vertex {}: a rod with twist cannot branch; make the branch a flex "
          "of its own and pin it to a body",
          list[0], list[1], list[2], flex.elements[i]));
    }
  }
  return at;
}

std::vector<Chain> chainsOf(const Flex& flex) {
  const std::vector<std::vector<int>> elements = elementsAt(flex);
  const auto end = [&](int element, int k) { return flex.elements[at(2 * element + k)]; };
  /// The other element at a vertex, -1 at an end.
  const auto beyond = [&](int vertex, int element) {
    for (const int other : elements[at(vertex)]) {
      if (other != element) return other;
    }
    return -1;
  };
  const int count = static_cast<int>(flex.elements.size()) / 2;
  std::vector<char> seen(at(count), 0);
  std::vector<Chain> chains;
  for (int e = 0; e < count; ++e) {
    if (seen[at(e)]) continue;
    // back to the beginning, or once around
    int first = e, from = end(e, 0);
    for (int next; (next = beyond(from, first)) >= 0 && next != e;) {
      from = end(next, 0) == from ? end(next, 1) : end(next, 0);
      first = next;
    }
    Chain& chain = chains.emplace_back();
    chain.closed = beyond(from, first) == e && first != e;
    if (chain.closed) first = e, from = end(e, 0);
    for (int now = first; now >= 0 && !seen[at(now)]; now = beyond(from, now)) {
      seen[at(now)] = 1;
      Segment& segment = chain.segments.emplace_back();
      segment.element = now;
      segment.from = from;
      segment.to = from = end(now, 0) == from ? end(now, 1) : end(now, 0);
    }
  }
  return chains;
}

Vec3 directionOf(const Flex& flex, const Segment& segment) {
  return (flex.vertex(segment.to) - flex.vertex(segment.from)) / segment.length;
}

Mat3 frameOf(const Vec3& t, const Vec3& d1) {
  Mat3 R;
  R << t, d1, t.cross(d1);
  return R;
}

/// The first axis of the section at the first segment: what the author says, or the direction nearest to z, to x for a
/// segment along z.
Vec3 firstAxis(const Flex& flex, const std::vector<Pose>& poses, const Segment& segment, const Vec3& t) {
  constexpr double kAlong = 1e-6, kNearly = 0.1;  // sines of angles
  const Quat turn = poses[at(flex.parent)].quat * flex.orientation;
  Vec3 axis = rotate(turn, Vec3::UnitZ());
  if (const auto& given = flex.parameters.rod.axis) {
    axis = rotate(turn, Vec3((*given)[0], (*given)[1], (*given)[2])).normalized();
    if (axis.cross(t).norm() < kAlong) {
      placeOf(flex).fail(fmt::format("'axis' lies along element {}: it must be across the rod", segment.element));
    }
  } else if (axis.cross(t).norm() < kNearly) {
    axis = rotate(turn, Vec3::UnitX());
  }
  return (axis - axis.dot(t) * t).normalized();
}

/// `t`: direction of the second segment.
void requireNoFold(const Flex& flex, const Segment& first, const Segment& second, const Vec3& t) {
  constexpr double kFold = 1e-6;  // of the sum of two unit vectors
  if (!((first.frame.col(0) + t).norm() < kFold)) return;
  placeOf(flex).fail(fmt::format(
      "elements {} and {} fold back on each other at vertex {}: a rod with twist cannot be bent by half a turn there",
      first.element, second.element, second.from));
}

/// Frames at rest, from segment to segment by the smallest rotation, and by the twist that the rod has at rest.
void layFrames(const Flex& flex, const std::vector<Pose>& poses, Chain& chain) {
  const double pretwist = flex.parameters.rod.pretwist;
  for (std::size_t i = 0; i < chain.segments.size(); ++i) {
    Segment& segment = chain.segments[i];
    segment.length = (flex.vertex(segment.to) - flex.vertex(segment.from)).norm();
    const Vec3 t = directionOf(flex, segment);
    if (i == 0) {
      segment.frame = frameOf(t, firstAxis(flex, poses, segment, t));
      continue;
    }
    const Segment& before = chain.segments[i - 1];
    const Vec3 t0 = before.frame.col(0), sum = t0 + t;
    requireNoFold(flex, before, segment, t);
    const double angle = 0.5 * pretwist * (before.length + segment.length);
    if (!(std::abs(angle) < std::numbers::pi)) {
      placeOf(flex).fail(
          fmt::format("'pretwist' turns the section by {:.3g} rad from element {} to element {}; it must "
                      "be less than half a turn: use shorter elements",
                      angle, before.element, segment.element));
    }
    // the smallest rotation from t0 to t is a half turn about t0, which turns d around, then one about their bisector n
    const Vec3 d = before.frame.col(1), n = sum / sum.norm();
    Vec3 d1 = d - 2 * n.dot(d) * n;
    d1 = (d1 - d1.dot(t) * t).normalized();
    if (angle != 0) d1 = rotate(fromAxisAngle(t, angle), d1);
    segment.frame = frameOf(t, d1);
  }
}

/// Rotation vector from one frame to another, in the axes of the first.
Vec3 rotationBetween(const Mat3& first, const Mat3& second) {
  return difference(fromMatrix(second), fromMatrix(first));
}

/// Builds the sections and joints of one flex.
class Builder {
 public:
  Builder(const std::vector<Pose>& poses, Flex& flex) : poses_(poses), flex_(flex), rod_(flex.parameters.rod) {
    double mass = 0, length = 0;
    for (const FlexPoint& point : flex.points) mass += point.mass;
    for (std::size_t e = 0; e < flex.elements.size(); e += 2) {
      length += (flex.vertex(flex.elements[e + 1]) - flex.vertex(flex.elements[e])).norm();
    }
    perLength_ = mass / length;
    // three points of the mass m/3 each have the second moments m/2 a^2 and m/2 b^2
    a_ = std::sqrt(2 * rod_.moment2 / (kSectionShare * rod_.area));
    b_ = std::sqrt(2 * rod_.moment1 / (kSectionShare * rod_.area));
  }

  void add(Chain& chain) {
    layFrames(flex_, poses_, chain);
    for (Segment& segment : chain.segments) addSection(segment);
    const std::size_t count = chain.segments.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Segment& segment = chain.segments[i];
      const bool last = i + 1 == count;
      const bool first = i == 0 && !chain.closed;
      if (first && isClamped(segment.from)) addClamp(chain, i, true);
      if (last && !chain.closed) {
        if (isClamped(segment.to)) addClamp(chain, i, false);
        continue;
      }
      if (isClamped(segment.to)) {
        addClamp(chain, i, false);
        addClamp(chain, last ? 0 : i + 1, true);
      } else {
        addJoint(segment, chain.segments[last ? 0 : i + 1]);
      }
    }
  }

 private:
  bool isClamped(int vertex) const {
    const FlexPoint& point = flex_.point(vertex);
    return point.pin && point.pin->clamp;
  }

  /// A point that rides on the body of point `like`, or moves freely as that one does.
  int addPoint(const Vec3& rest, int body, bool free, double mass) {
    FlexPoint& point = flex_.points.emplace_back();
    const Pose& pose = poses_[at(body)];
    point.body = body;
    point.rest = rest;
    point.pos = rotate(pose.quat.conjugate(), Vec3(rest - pose.pos));
    point.free = free;
    point.mass = mass;
    point.section = true;
    return static_cast<int>(flex_.points.size()) - 1;
  }

  int addTriangle(const Vec3& middle, const Mat3& frame, int body, bool free, double mass) {
    const elastic::Nodes<3> g = elastic::sectionPoints(middle, frame.col(1), frame.col(2), a_, b_);
    const int first = addPoint(g.col(0), body, free, mass / 3);
    addPoint(g.col(1), body, free, mass / 3);
    addPoint(g.col(2), body, free, mass / 3);
    return first;
  }

  void addSection(Segment& segment) {
    const FlexPoint &from = flex_.point(segment.from), &to = flex_.point(segment.to);
    segment.fixed = !from.free && !to.free && from.body == to.body;
    const int body = segment.fixed ? from.body : flex_.parent;
    const double mass = perLength_ * segment.length;
    for (const int end : {segment.from, segment.to}) flex_.points[at(end)].mass -= 0.5 * kSectionShare * mass;
    const Vec3 middle = 0.5 * (flex_.vertex(segment.from) + flex_.vertex(segment.to));
    segment.section = addTriangle(middle, segment.frame, body, !segment.fixed, kSectionShare * mass);
    SectionDraft& section = flex_.sections.emplace_back();
    const int g = segment.section;
    section.points = {segment.from, segment.to, g, g + 1, g + 2};
    section.size = {a_, b_};
    // as stiff as the material of the segment, so that it sets no time scale of its own
    const double tension = flex_.parameters.young * rod_.area;
    section.stiffness = {tension * segment.length, tension / segment.length};
  }

  /// With both frames fixed there is nothing to bend.
  void push(const std::array<int, 3>& ends, int section1, int section2, double length, const Vec3& relaxed) {
    JointDraft& joint = flex_.joints.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      joint.points[k] = ends[k];
      joint.points[3 + k] = section1 + static_cast<int>(k);
      joint.points[6 + k] = section2 + static_cast<int>(k);
    }
    const double E = flex_.parameters.young, G = E / (2 * (1 + flex_.parameters.poisson));
    joint.stiffness = Vec3(G * rod_.torsion, E * rod_.moment1, E * rod_.moment2) / length;
    joint.relaxed = rod_.flat ? Vec3(rod_.pretwist * length, 0, 0) : relaxed;
  }

  void addJoint(const Segment& first, const Segment& second) {
    requireNoFold(flex_, first, second, second.frame.col(0));  // where a closed rod meets itself
    push({first.from, first.to, second.to}, first.section, second.section, 0.5 * (first.length + second.length),
         elastic::turnBetween(first.frame, second.frame));
  }

  /// The frame of the rod at the clamped end of segment i: half a segment away from the middle, so half of the turn to
  /// the neighbour on the other side beyond it. It rides on the body of the pin, and the half segment bends against it.
  void addClamp(const Chain& chain, std::size_t i, bool atStart) {
    const Segment& segment = chain.segments[i];
    if (segment.fixed) return;
    const std::size_t count = chain.segments.size();
    const std::size_t next = atStart ? (i + 1) % count : (i + count - 1) % count;
    const bool alone = next == i || (!chain.closed && (atStart ? next < i : next > i));
    // along the rod: how the frame turns over half of this segment
    Vec3 half = Vec3::Zero();
    if (!alone) {
      const Segment& other = chain.segments[next];
      const Vec3 turn =
          atStart ? rotationBetween(segment.frame, other.frame) : rotationBetween(other.frame, segment.frame);
      half = turn * segment.length / (segment.length + other.length);
    }
    const double angle = half.norm();
    const Vec3 axis = angle > 0 ? Vec3(half / angle) : Vec3::UnitX();
    const Mat3 frame = segment.frame * toMatrix(fromAxisAngle(axis, atStart ? -angle : angle));
    const int vertex = atStart ? segment.from : segment.to;
    const int body = flex_.point(vertex).body;
    const Vec3 x = flex_.vertex(vertex), step = (atStart ? -1 : 1) * segment.length * frame.col(0);
    const int beyond = addPoint(x + step, body, false, 0);
    const int section = addTriangle(x + 0.5 * step, frame, body, false, 0);
    if (atStart) {
      push({beyond, vertex, segment.to}, section, segment.section, 0.5 * segment.length,
           elastic::turnBetween(frame, segment.frame));
    } else {
      push({segment.from, vertex, beyond}, segment.section, section, 0.5 * segment.length,
           elastic::turnBetween(segment.frame, frame));
    }
  }

  const std::vector<Pose>& poses_;
  Flex& flex_;
  const RodParameters& rod_;
  double perLength_ = 0, a_ = 0, b_ = 0;
};

}  // namespace

void addSections(const std::vector<Pose>& poses, Flex& flex) {
  if (flex.listed && !flex.listed->bodies.empty()) {
    placeOf(flex).fail(
        "twist=\"true\" is for a flex without 'body': its sections would have no mass; hold vertices by <pin body>");
  }
  std::vector<Chain> chains = chainsOf(flex);
  Builder builder(poses, flex);
  for (Chain& chain : chains) builder.add(chain);
}

void writeSections(const Flex& flex, int f, Model& m) {
  m.flex_jointadr[f] = static_cast<int>(m.flexjoint_point.size()) / 9;
  m.flex_jointnum[f] = static_cast<int>(flex.joints.size());
  for (const JointDraft& joint : flex.joints) {
    for (const int point : joint.points) m.flexjoint_point.push_back(point);
    for (const double x : joint.stiffness) m.flexjoint_stiffness.push_back(x);
    for (const double x : joint.relaxed) m.flexjoint_relaxed.push_back(x);
  }
  m.flex_sectionadr[f] = static_cast<int>(m.flexsection_point.size()) / 5;
  m.flex_sectionnum[f] = static_cast<int>(flex.sections.size());
  for (const SectionDraft& section : flex.sections) {
    for (const int point : section.points) m.flexsection_point.push_back(point);
    for (const double x : section.size) m.flexsection_size.push_back(x);
    for (const double x : section.stiffness) m.flexsection_stiffness.push_back(x);
  }
}

}  // namespace sinew::draft
