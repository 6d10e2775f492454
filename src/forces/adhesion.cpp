#include "forces/adhesion.h"

#include "kinematics/side.h"

namespace sinew {

void addContactAdhesion(const Model& m, Data& d) {
  for (const Contact& contact : d.contact) {
    if (contact.adhesion == 0 || contact.exclude == ContactExclude::NoDofs) continue;
    const Vec3 pos = ConstMapVec3(contact.pos.data());
    const Vec3 pull = contact.adhesion * ConstMapVec3(contact.frame.data());  // the normal leads to the second side
    Side(m, d, contact, 0).addForce(pos, pull, Vec3::Zero(), d.qfrc_adhesion.data());
    Side(m, d, contact, 1).addForce(pos, -pull, Vec3::Zero(), d.qfrc_adhesion.data());
  }
}

}  // namespace sinew
