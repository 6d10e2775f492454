#include "collision/contact_maker.h"

#include <algorithm>

#include "collision/elements.h"
#include "collision/restitution.h"
#include "math/types.h"
#include "model/carrier.h"

namespace sinew {
namespace {

/// Completes normal and preferred tangent to a right-handed frame, rows of the matrix.
void setFrame(const geom::ContactPoint& point, std::array<double, 9>& frame) {
  const Vec3 n = normalizedOrX(point.normal);
  Vec3 t = point.tangent;
  if (t.squaredNorm() < 0.25) t = std::abs(n.y()) < 0.5 ? Vec3(0, 1, 0) : Vec3(0, 0, 1);
  t = normalizedOrX(t - n * n.dot(t));
  MapMat3 rows(frame.data());
  rows.row(0) = n;
  rows.row(1) = t;
  rows.row(2) = n.cross(t);
}

/// Collects the carriers of one side at the end of the lists; each occurs once.
class SideBuilder {
 public:
  SideBuilder(const Model& m, Data& d) : m_(m), d_(d), side_{static_cast<int>(d.support_carrier.size()), 0} {}

  void addCarrier(int carrier, double weight) {
    if (weight == 0) return;
    for (int i = side_.begin; i < side_.begin + side_.count; ++i) {
      if (d_.support_carrier[i] != carrier) continue;
      d_.support_weight[i] += weight;
      return;
    }
    d_.support_carrier.push_back(carrier);
    d_.support_weight.push_back(weight);
    ++side_.count;
  }

  void addVertex(int vert, double weight) {
    const int adr = m_.flexvert_supportadr[vert];
    if (adr < 0) {
      const int flex = m_.flexvert_flexid[vert];
      addPoint(m_.flex_pointadr[flex] + vert - m_.flex_vertadr[flex], weight);
      return;
    }
    for (int i = adr; i < adr + m_.flexvert_supportnum[vert]; ++i) {
      addPoint(m_.flexsupport_pointid[i], weight * m_.flexsupport_weight[i]);
    }
  }

  const ContactSide& side() const { return side_; }

 private:
  void addPoint(int point, double weight) { addCarrier(Carrier::ofPoint(m_, point).code(m_), weight); }

  const Model& m_;
  Data& d_;
  ContactSide side_;
};

/// Share of a corner below which an element is touched beside it: what the convex collider finds is as exact.
constexpr double kLeastShare = 1e-6;

void dropSmallShares(TouchedVertices& touched) {
  double sum = 0;
  for (double& weight : touched.weight) {
    if (weight < kLeastShare) weight = 0;
    sum += weight;
  }
  for (double& weight : touched.weight) weight /= sum;
}

/// As touchedVertices(), for a side that may be an element whose own vertex is on the other side.
TouchedVertices verticesOf(const Model& m, const Data& d, const Touching& t, const Touching& other, const Vec3& touch,
                           const Vec3& inward) {
  TouchedVertices touched;
  if (t.flex < 0) return touched;
  if (t.elem < 0) return {1, {m.flex_vertadr[t.flex] + t.vert}, {1}};
  const int elem = m.flex_elemadr[t.flex] + t.elem;
  const ElementVertices vertices(m, elem);
  geom::Element core = elementAt(m, d, elem);
  std::array<int, 4> local{};
  std::copy_n(vertices.local, vertices.count, local.begin());
  const auto end = local.begin() + vertices.count;
  const auto own = other.flex == t.flex && other.vert >= 0 ? std::find(local.begin(), end, other.vert) : end;
  if (own != end) {  // its own vertex is on the other side: the opposite face remains
    std::copy(own + 1, end, own);
    const auto corner = core.corner.begin() + (own - local.begin());
    std::copy(corner + 1, core.corner.begin() + core.count, corner);
    --core.count;
  }
  touched.count = core.count;
  touched.weight = geom::nearestWeights(core, touch + inward * core.radius);
  for (std::size_t i = 0; i < static_cast<std::size_t>(core.count); ++i) touched.vertex[i] = vertices.first + local[i];
  if (m.flex_law[t.flex] != FlexLaw::Reference) dropSmallShares(touched);
  return touched;
}

ContactSide makeSide(const Model& m, Data& d, const Touching& t, const Touching& other, const Vec3& touch,
                     const Vec3& inward) {
  SideBuilder side(m, d);
  if (t.geom >= 0) side.addCarrier(m.geom_bodyid[t.geom], 1);
  const TouchedVertices touched = verticesOf(m, d, t, other, touch, inward);
  for (std::size_t i = 0; i < static_cast<std::size_t>(touched.count); ++i) {
    side.addVertex(touched.vertex[i], touched.weight[i]);
  }
  return side.side();
}

/// Contacts of a flex that asks for it act as springs, unless something rigid that moves is on the other side.
bool isPassive(const Model& m, const Touching& a, const Touching& b) {
  const auto wants = [&](const Touching& t) { return t.flex >= 0 && m.flex_passive[t.flex]; };
  const auto isRigidAndMoves = [&](const Touching& t) {
    return t.geom >= 0 && m.body_weldid[m.geom_bodyid[t.geom]] != 0;
  };
  return (wants(a) || wants(b)) && !isRigidAndMoves(a) && !isRigidAndMoves(b);
}

/// What contacts between the same two colliders have in common.
Contact contactBetween(const Model& m, const MixedParameters& p, const Touching& a, const Touching& b) {
  Contact contact;
  contact.includemargin = forceDistance(m.opt, p.margin, p.gap);
  contact.friction = p.friction;
  contact.solref = p.solref;
  contact.solreffriction = p.solreffriction;
  contact.solimp = p.solimp;
  contact.adhesion = p.adhesion;
  contact.restitution = p.restitution;
  contact.dim = p.dim;
  contact.geom = {a.geom, b.geom};
  contact.flex = {a.flex, b.flex};
  contact.elem = {a.elem, b.elem};
  contact.vert = {a.vert, b.vert};
  if (isPassive(m, a, b)) contact.exclude = ContactExclude::Passive;
  return contact;
}

/// All but the frame. Too far for a force: excluded; an adhesive contact still pulls there, but has no friction.
void placeAt(const geom::ContactPoint& point, double early, Contact& contact) {
  contact.dist = point.dist;
  MapVec3(contact.pos.data()) = point.pos;
  contact.feature = point.feature;
  contact.swept = point.swept;
  if (contact.swept) return;
  if (contact.dist < contact.includemargin + early) return;
  if (contact.adhesion != 0) {
    contact.dim = 1;
  } else if (contact.exclude == ContactExclude::None) {
    contact.exclude = ContactExclude::InGap;
  }
}

}  // namespace

void addContact(const Model& m, Data& d, const MixedParameters& p, const geom::ContactPoint& point, const Touching& a,
                const Touching& b) {
  const Vec3 half = (0.5 * point.dist) * point.normal;
  addContactAt(m, d, p, point, a, b, point.pos - half, point.pos + half);
}

void addContactAt(const Model& m, Data& d, const MixedParameters& p, const geom::ContactPoint& point, const Touching& a,
                  const Touching& b, const Vec3& onA, const Vec3& onB) {
  Contact contact = contactBetween(m, p, a, b);
  placeAt(point, p.early, contact);
  setFrame(point, contact.frame);
  contact.side[0] = makeSide(m, d, a, b, onA, -point.normal);
  contact.side[1] = makeSide(m, d, b, a, onB, point.normal);
  d.contact.push_back(contact);
}

void addContacts(const Model& m, Data& d, const MixedParameters& p, std::span<const geom::ContactPoint> points,
                 int geom1, int geom2) {
  if (points.empty()) return;
  Contact common = contactBetween(m, p, {.geom = geom1}, {.geom = geom2});
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    SideBuilder carriers(m, d);
    carriers.addCarrier(m.geom_bodyid[common.geom[side]], 1);
    common.side[side] = carriers.side();
  }
  const geom::ContactPoint* before = nullptr;
  for (const geom::ContactPoint& point : points) {
    const bool sameFrame = before && before->normal == point.normal && before->tangent == point.tangent;
    if (!sameFrame) setFrame(point, common.frame);
    before = &point;
    d.contact.push_back(common);
    placeAt(point, p.early, d.contact.back());
  }
}

bool hasForce(std::span<const geom::ContactPoint> points, const MixedParameters& p, const Option& opt) {
  const double distance = forceDistance(opt, p.margin, p.gap) + p.early;
  return std::any_of(points.begin(), points.end(),
                     [&](const geom::ContactPoint& point) { return point.dist < distance; });
}

TouchedVertices touchedVertices(const Model& m, const Data& d, const Touching& t, const Vec3& touch,
                                const Vec3& inward) {
  return verticesOf(m, d, t, {}, touch, inward);
}

TouchedVertices touchedVertices(const Model& m, const Data& d, const Contact& contact, std::size_t side) {
  const auto touching = [&](std::size_t s) -> Touching {
    return {contact.geom[s], contact.flex[s], contact.elem[s], contact.vert[s]};
  };
  const double sign = side == 0 ? -1 : 1;
  const Vec3 inward = sign * ConstMapVec3(contact.frame.data());
  const Vec3 touch = ConstMapVec3(contact.pos.data()) + 0.5 * contact.dist * inward;
  return verticesOf(m, d, touching(side), touching(1 - side), touch, inward);
}

}  // namespace sinew
