#include <algorithm>

#include "constraint/constraint.h"
#include "kinematics/side.h"
#include "sinew/constraints/contact_constraint_factory.h"
#include "world/world_impl.h"

/// Contacts as a World reports them: with handles, as constraints made by the factory, and as events.
namespace sinew {
namespace {

/// The numbers of colliders: a body's shape, or a soft thing.
constexpr int kPartBits = 16;
constexpr std::uint64_t kSoft = std::uint64_t{1} << 63;

Vec3 normalOf(const Contact& contact) { return ConstMapVec3(contact.frame.data()); }

std::uint64_t featureOf(const Contact& contact) {
  const auto number = [](int i) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(i + 1)); };
  std::uint64_t feature = static_cast<std::uint32_t>(contact.feature);
  for (std::size_t side = 0; side < 2; ++side) {  // mixed, so that elements and vertices of both sides count
    feature = (feature ^ number(contact.elem[side])) * 0x9E3779B97F4A7C15ull;
    feature = (feature ^ number(contact.vert[side])) * 0x9E3779B97F4A7C15ull;
  }
  return feature;
}

bool samePair(const ContactEvent& x, const ContactEvent& y) { return x.a == y.a && x.b == y.b; }
bool before(const ContactEvent& x, const ContactEvent& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }

}  // namespace

ContactBody World::Impl::sideOf(const Contact& contact, std::size_t side) const {
  if (contact.geom[side] < 0) return {{}, softOfModel[static_cast<std::size_t>(contact.flex[side])]};
  return {bodyOfModel[static_cast<std::size_t>(model.geom_bodyid[contact.geom[side]])], {}};
}

std::uint64_t World::Impl::colliderOf(const Contact& contact, std::size_t side) const {
  const ContactBody who = sideOf(contact, side);
  if (who.soft) return kSoft | softs[*softSlots.find(who.soft)].uid;
  const BodyRecord& record = bodies[*bodySlots.find(who.body)];
  const int part = contact.geom[side] - model.body_geomadr[record.modelBody];
  return (record.uid << kPartBits) | static_cast<std::uint64_t>(part);
}

/// At the start of the last update. A soft thing is seen as the point that touches.
BodyState World::Impl::startStateOf(const Contact& contact, std::size_t side) const {
  if (contact.geom[side] >= 0) return startState[static_cast<std::size_t>(model.geom_bodyid[contact.geom[side]])];
  const double reach = (side == 0 ? -0.5 : 0.5) * contact.dist;
  BodyState state;
  state.position = fromEigen(ConstMapVec3(contact.pos.data()) + reach * normalOf(contact));
  Vec3 v = Vec3::Zero();
  Side(model, *data, contact, side).forEachCarrier([&](Carrier carrier, double weight) {
    // velocities of nodes are those at the end of the step, less what the step added
    if (carrier.isBody()) {
      const BodyState& body = startState[static_cast<std::size_t>(carrier.body())];
      const Vec3 arm = toEigen(state.position) - toEigen(body.position);
      v += weight * (toEigen(body.velocity) + toEigen(body.angularVelocity).cross(arm));
    } else {
      const int dof = model.nv_rigid + 3 * carrier.node();
      v += weight * (ConstMapVec3(data->qvel.data() + dof) - lastStep * ConstMapVec3(data->qacc.data() + dof));
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
  if (record.isStatic) return true;
  return options.sleeping && record.inData && data->tree_asleep[model.body_treeid[record.modelBody]] >= 0;
}

void World::Impl::trackContacts() {
  std::vector<ContactKey> keys;
  keys.reserve(static_cast<std::size_t>(data->ncon()));
  for (const Contact& contact : data->contact) {
    keys.push_back({colliderOf(contact, 0), colliderOf(contact, 1), featureOf(contact), 0});
  }
  const auto dormant = [&](std::uint64_t collider) {  // records are in growing order of their numbers
    const std::uint64_t uid = collider >> kPartBits;
    const auto record = std::lower_bound(bodies.begin(), bodies.end(), uid,
                                         [](const BodyRecord& r, std::uint64_t value) { return r.uid < value; });
    return record != bodies.end() && record->uid == uid && isDormant({record->id, {}});
  };
  contactIds = tracker.update(
      std::move(keys), [&](std::uint64_t a, std::uint64_t b) { return options.sleeping && dormant(a) && dormant(b); });
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
    reported.id = contactIds[static_cast<std::size_t>(i)];
    reported.a = sideOf(contact, 0);
    reported.b = sideOf(contact, 1);
    reported.distance = contact.dist;
    const std::array<double, 6> force = forceOfContact(model, *data, i);
    reported.normalImpulse = force[0] * lastStep;
    reported.impulse =
        fromEigen(ConstMapMat3(contact.frame.data()).transpose() * ConstMapVec3(force.data()) * lastStep);
    reported.friction = contact.dim > 1 ? contact.friction[0] : 0;
    contactCache.push_back(reported);
  }
}

void World::Impl::reportEvents() {
  if (!onBegin && !onEnd) return;
  cacheContacts();
  // one entry per pair of things that touch, by growing pair
  std::vector<ContactEvent> now;
  for (const WorldContact& contact : contactCache) {
    if (contact.distance > 0 && contact.normalImpulse <= 0) continue;
    ContactEvent event{contact.a,
                       contact.b,
                       contact.constraint.getContactPoint(),
                       contact.constraint.getContactNormal(),
                       std::max(0.0, -contact.constraint.getPreImpactVelocity()),
                       contact.normalImpulse};
    if (event.b < event.a) {
      std::swap(event.a, event.b);
      for (double& x : event.normal) x = -x;
    }
    now.push_back(event);
  }
  std::stable_sort(now.begin(), now.end(), before);
  std::size_t count = 0;
  for (const ContactEvent& event : now) {
    if (count > 0 && samePair(now[count - 1], event)) {
      now[count - 1].normalImpulse += event.normalImpulse;
    } else {
      now[count++] = event;
    }
  }
  now.resize(count);

  // between sleepers nobody looks for contacts: what touched before still does
  std::vector<ContactEvent> began, ended, sleeping;
  std::set_difference(now.begin(), now.end(), touching.begin(), touching.end(), std::back_inserter(began), before);
  std::set_difference(touching.begin(), touching.end(), now.begin(), now.end(), std::back_inserter(ended), before);
  std::erase_if(ended, [&](const ContactEvent& event) {
    const bool dormant = isDormant(event.a) && isDormant(event.b);
    if (dormant) sleeping.push_back(event);
    return dormant;
  });
  touching.clear();
  std::merge(now.begin(), now.end(), sleeping.begin(), sleeping.end(), std::back_inserter(touching), before);

  // callbacks may change the world, and themselves
  const auto begin = onBegin, end = onEnd;
  for (const ContactEvent& event : ended) {
    if (end) end(event);
  }
  for (const ContactEvent& event : began) {
    if (begin) begin(event);
  }
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
