#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/check.h"
#include "collision/contact_identity.h"
#include "constraint/constraint.h"
#include "kinematics/side.h"
#include "sinew/constraints/contact_constraint_factory.h"
#include "world/world_impl.h"

/// Contacts as a World reports them: with handles, as constraints made by the factory, and as events.
namespace sinew {
namespace {

Vec3 normalOf(const Contact& contact) { return ConstMapVec3(contact.frame.data()); }

int colliderOf(const Model& m, const Contact& contact, std::size_t side) {
  return contact.geom[side] >= 0 ? contact.geom[side] : m.ngeom + contact.flex[side];
}

bool samePair(const ContactEvent& x, const ContactEvent& y) { return x.a == y.a && x.b == y.b; }
bool before(const ContactEvent& x, const ContactEvent& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }

}  // namespace

ContactBody World::Impl::sideOf(int collider) const {
  SINEW_CHECK(collider >= 0 && collider < model.ngeom + model.nflex, "there is no such collider");
  if (collider >= model.ngeom) return thingOfFlex[collider - model.ngeom];
  return {bodyOfModel[model.geom_bodyid[collider]], {}};
}

std::uint64_t World::Impl::uidOf(int collider) const {
  if (collider >= model.ngeom) return uidOfFlex[collider - model.ngeom];
  const int body = model.geom_bodyid[collider];
  const BodyRecord& record = bodies[indexOf(bodyOfModel[body])];
  return (record.uid << kPartBits) | static_cast<std::uint64_t>(collider - model.body_geomadr[body]);
}

/// At the start of the last update. A soft thing is seen as the point that touches.
BodyState World::Impl::startStateOf(const Contact& contact, std::size_t side) const {
  if (contact.geom[side] >= 0) return startState[model.geom_bodyid[contact.geom[side]]];
  const double reach = (side == 0 ? -0.5 : 0.5) * contact.dist;
  BodyState state;
  state.position = fromEigen(ConstMapVec3(contact.pos.data()) + reach * normalOf(contact));
  Vec3 v = Vec3::Zero();
  Side(model, *data, contact, side).forEachCarrier([&](Carrier carrier, double weight) {
    if (carrier.isBody()) {
      const BodyState& body = startState[carrier.body()];
      const Vec3 arm = toEigen(state.position) - toEigen(body.position);
      v += weight * (toEigen(body.velocity) + toEigen(body.angularVelocity).cross(arm));
    } else {  // as the velocity stage of that update left it
      v += weight * vec3(data->flexpoint_xvel.data(), model.flexnode_pointid[carrier.node()]);
    }
  });
  state.velocity = fromEigen(v);
  return state;
}

bool World::Impl::isDormant(const ContactBody& side) const {
  if (side.soft) return false;
  const auto index = bodySlots.find(side.body);
  if (!index) return false;
  const BodyRecord& record = bodies[*index];
  if (record.isStatic()) return true;
  if (record.isKinematic()) return false;
  return options.sleeping && record.inData && data->tree_asleep[model.body_treeid[record.modelBody]] >= 0;
}

void World::Impl::trackContacts() {
  tracker.begin();
  for (const Contact& contact : data->contact) {
    const ContactIdentity identity = identityOf(model, contact);
    tracker.add({uidOf(identity.first), uidOf(identity.second), identity.feature, 0});
  }
  const auto isDormantUid = [&](std::uint64_t collider) {  // records are in growing order of their numbers
    if (collider & kSoftUid) return false;
    const std::uint64_t uid = collider >> kPartBits;
    const auto record = std::lower_bound(bodies.begin(), bodies.end(), uid,
                                         [](const BodyRecord& r, std::uint64_t value) { return r.uid < value; });
    return record != bodies.end() && record->uid == uid && isDormant({record->id, {}});
  };
  tracker.finish(
      [&](std::uint64_t a, std::uint64_t b) { return options.sleeping && isDormantUid(a) && isDormantUid(b); });
}

void World::Impl::cacheContacts() {
  if (contactsCached) return;
  contactsCached = true;
  contactCache.clear();
  keepStart();
  const Option& opt = model.opt;
  for (int i = 0; i < data->ncon(); ++i) {
    const Contact& contact = data->contact[i];
    const auto index = [&](std::size_t side) {
      return contact.geom[side] >= 0 ? model.geom_bodyid[contact.geom[side]] : model.nbody + contact.flex[side];
    };
    if (index(0) == index(1)) continue;  // a soft thing that touches itself
    const CollisionResult found{fromEigen(normalOf(contact)), {{contact.pos, contact.dist - contact.includemargin}}};
    const std::vector<ContactConstraint> made = contact_constraint_factory::createFromCollision(
        index(0), index(1), found, startStateOf(contact, 0), startStateOf(contact, 1),
        {contact.restitution, opt.erp, opt.slop, opt.restitution_threshold});
    WorldContact reported{.constraint = made.front()};
    reported.id = tracker.id(i);
    reported.a = sideOf(colliderOf(model, contact, 0));
    reported.b = sideOf(colliderOf(model, contact, 1));
    reported.distance = contact.dist;
    const std::array<double, 6> force = forceOfContact(model, *data, i);
    reported.normalImpulse = force[0] * lastStep;
    reported.impulse =
        fromEigen(ConstMapMat3(contact.frame.data()).transpose() * ConstMapVec3(force.data()) * lastStep);
    reported.friction = contact.dim > 1 ? contact.friction[0] : 0;
    contactCache.push_back(reported);
  }
}

/// One entry per pair of things that touch, by growing pair.
void World::Impl::findTouching() {
  std::vector<ContactEvent>& found = began;  // as scratch
  found.clear();
  for (int i = 0; i < data->ncon(); ++i) {
    const Contact& contact = data->contact[i];
    const double impulse = forceOfContact(model, *data, i)[0] * lastStep;
    if (contact.dist > 0 && impulse <= 0) continue;
    // the first row of an elliptic contact is its normal, and efc_vel that of the start of the update
    const double approach = contact.efc_address >= 0 ? -data->efc_vel[contact.efc_address] : 0;
    ContactEvent event{sideOf(colliderOf(model, contact, 0)),
                       sideOf(colliderOf(model, contact, 1)),
                       contact.pos,
                       fromEigen(normalOf(contact)),
                       std::max(0.0, approach),
                       impulse};
    if (event.a == event.b) continue;  // a soft thing that touches itself
    if (event.b < event.a) {
      std::swap(event.a, event.b);
      for (double& x : event.normal) x = -x;
    }
    found.push_back(event);
  }
  // within a pair in the order of the contacts; std::stable_sort would allocate
  touchOrder.resize(found.size());
  std::iota(touchOrder.begin(), touchOrder.end(), std::size_t{0});
  std::sort(touchOrder.begin(), touchOrder.end(), [&](std::size_t x, std::size_t y) {
    return samePair(found[x], found[y]) ? x < y : before(found[x], found[y]);
  });
  nowTouching.clear();
  for (const std::size_t i : touchOrder) {
    if (!nowTouching.empty() && samePair(nowTouching.back(), found[i])) {
      nowTouching.back().normalImpulse += found[i].normalImpulse;
    } else {
      nowTouching.push_back(found[i]);
    }
  }
}

void World::Impl::reportEvents() {
  if (!onBegin && !onEnd) return;
  findTouching();
  began.clear();
  ended.clear();
  dormant.clear();
  std::set_difference(nowTouching.begin(), nowTouching.end(), touching.begin(), touching.end(),
                      std::back_inserter(began), before);
  std::set_difference(touching.begin(), touching.end(), nowTouching.begin(), nowTouching.end(),
                      std::back_inserter(ended), before);
  // between sleepers nobody looks for contacts: what touched before still does
  std::erase_if(ended, [&](const ContactEvent& event) {
    const bool asleep = isDormant(event.a) && isDormant(event.b);
    if (asleep) dormant.push_back(event);
    return asleep;
  });
  touching.clear();
  std::merge(nowTouching.begin(), nowTouching.end(), dormant.begin(), dormant.end(), std::back_inserter(touching),
             before);
  if (began.empty() && ended.empty()) return;

  // callbacks may change the world, and themselves
  const auto begin = onBegin, end = onEnd;
  std::vector<ContactEvent> starts, stops;
  starts.swap(began);
  stops.swap(ended);
  for (const ContactEvent& event : stops) {
    if (end) end(event);
  }
  for (const ContactEvent& event : starts) {
    if (begin) begin(event);
  }
  starts.swap(began);
  stops.swap(ended);
}

std::vector<WorldContact> World::contacts() const {
  impl_->cacheContacts();
  std::vector<WorldContact> present;
  const auto gone = [&](const ContactBody& side) { return side.soft ? !contains(side.soft) : !contains(side.body); };
  for (const WorldContact& contact : impl_->contactCache) {
    if (!gone(contact.a) && !gone(contact.b)) present.push_back(contact);
  }
  return present;
}

}  // namespace sinew
