#include "forces/adhesion.h"

#include "kinematics/jacobian.h"

namespace sinew {

void addContactAdhesion(const Model& m, Data& d) {
  for (const Contact& contact : d.contact) {
    if (contact.adhesion == 0 || contact.exclude == ContactExclude::NoDofs) continue;
    const Vec3 pos = ConstMapVec3(contact.pos.data());
    const Vec3 pull = contact.adhesion * ConstMapVec3(contact.frame.data());  // the normal leads to the second side
    for (int side = 0; side < 2; ++side) {
      const ContactSide carriers = contact.side[static_cast<std::size_t>(side)];
      for (int k = carriers.begin; k < carriers.begin + carriers.count; ++k) {
        const double share = (side == 0 ? 1 : -1) * d.support_weight[k];
        addForce(m, d, d.support_carrier[k], pos, share * pull, Vec3::Zero(), d.qfrc_adhesion.data());
      }
    }
  }
}

}  // namespace sinew
