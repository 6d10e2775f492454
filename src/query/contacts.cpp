#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "constraint/constraint.h"
#include "math/types.h"
#include "model/arguments.h"
#include "sinew/query.h"

namespace sinew {
namespace {

bool isOnBody(const Model& m, const Data& d, const ContactSide& side, int geom, int body) {
  if (geom >= 0) return m.geom_bodyid[geom] == body;
  const int* carriers = d.support_carrier.data() + side.begin;
  return std::find(carriers, carriers + side.count, body) != carriers + side.count;
}

}  // namespace

std::array<double, 6> contactForce(const Model& m, const Data& d, int contact) {
  argument::pair("contactForce", m, d);
  argument::id("contactForce", "contact", contact, d.ncon());
  return forceOfContact(m, d, contact);
}

ContactWrench contactWrench(const Model& m, const Data& d, int contact) {
  argument::pair("contactWrench", m, d);
  argument::id("contactWrench", "contact", contact, d.ncon());
  const std::array<double, 6> local = forceOfContact(m, d, contact);
  const Mat3 frame = mat3(d.contact[contact].frame.data(), 0);
  const Vec3 force = frame.transpose() * ConstMapVec3(local.data());
  const Vec3 torque = frame.transpose() * ConstMapVec3(local.data() + 3);
  return {{force.x(), force.y(), force.z()}, {torque.x(), torque.y(), torque.z()}};
}

std::vector<int> contactsOf(const Model& m, const Data& d, const Collider& thing) {
  argument::pair("contactsOf", m, d);
  if (thing.type != ObjType::Geom && thing.type != ObjType::Flex && thing.type != ObjType::Body) {
    throw std::invalid_argument(fmt::format("contactsOf: objects of type {} do not touch; expected Geom, Flex or Body",
                                            static_cast<int>(thing.type)));
  }
  argument::id("contactsOf", "id", thing.id, countOf(m, thing.type));
  std::vector<int> found;
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& c = d.contact[i];
    const auto concerns = [&](std::size_t side) {
      if (thing.type == ObjType::Geom) return c.geom[side] == thing.id;
      if (thing.type == ObjType::Flex) return c.flex[side] == thing.id;
      return isOnBody(m, d, c.side[side], c.geom[side], thing.id);
    };
    if (concerns(0) || concerns(1)) found.push_back(i);
  }
  return found;
}

bool overlap(const Model& m, Data& d, const Collider& first, const Collider& second) {
  const Distance between = distance(m, d, first, second, 0);
  return between.found && between.distance < 0;
}

}  // namespace sinew
