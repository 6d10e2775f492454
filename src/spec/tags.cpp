#include "spec/tags.h"

namespace sinew::spec {

const std::vector<SensorTag>& sensorTags() {
  using T = SensorType;
  static const std::vector<SensorTag> tags = {{"touch", T::Touch},
                                              {"accelerometer", T::Accelerometer},
                                              {"velocimeter", T::Velocimeter},
                                              {"gyro", T::Gyro},
                                              {"force", T::Force},
                                              {"torque", T::Torque},
                                              {"magnetometer", T::Magnetometer},
                                              {"rangefinder", T::Rangefinder},
                                              {"camprojection", T::CamProjection},
                                              {"jointpos", T::JointPos},
                                              {"jointvel", T::JointVel},
                                              {"tendonpos", T::TendonPos},
                                              {"tendonvel", T::TendonVel},
                                              {"actuatorpos", T::ActuatorPos},
                                              {"actuatorvel", T::ActuatorVel},
                                              {"actuatorfrc", T::ActuatorFrc},
                                              {"jointactuatorfrc", T::JointActFrc},
                                              {"tendonactuatorfrc", T::TendonActFrc},
                                              {"ballquat", T::BallQuat},
                                              {"ballangvel", T::BallAngVel},
                                              {"jointlimitpos", T::JointLimitPos},
                                              {"jointlimitvel", T::JointLimitVel},
                                              {"jointlimitfrc", T::JointLimitFrc},
                                              {"tendonlimitpos", T::TendonLimitPos},
                                              {"tendonlimitvel", T::TendonLimitVel},
                                              {"tendonlimitfrc", T::TendonLimitFrc},
                                              {"framepos", T::FramePos},
                                              {"framequat", T::FrameQuat},
                                              {"framexaxis", T::FrameXAxis},
                                              {"frameyaxis", T::FrameYAxis},
                                              {"framezaxis", T::FrameZAxis},
                                              {"framelinvel", T::FrameLinVel},
                                              {"frameangvel", T::FrameAngVel},
                                              {"framelinacc", T::FrameLinAcc},
                                              {"frameangacc", T::FrameAngAcc},
                                              {"subtreecom", T::SubtreeCom},
                                              {"subtreelinvel", T::SubtreeLinVel},
                                              {"subtreeangmom", T::SubtreeAngMom},
                                              {"insidesite", T::InsideSite},
                                              {"distance", T::GeomDist},
                                              {"normal", T::GeomNormal},
                                              {"fromto", T::GeomFromTo},
                                              {"contact", T::Contact},
                                              {"e_potential", T::EPotential},
                                              {"e_kinetic", T::EKinetic},
                                              {"clock", T::Clock},
                                              {"user", T::User},
                                              {"flexforce", T::FlexForce},
                                              {"flexreaction", T::FlexReaction},
                                              {"flexstrain", T::FlexStrain},
                                              {"flexstress", T::FlexStress},
                                              {"flexkinetic", T::FlexKinetic},
                                              {"flexelastic", T::FlexElastic},
                                              {"flexmembrane", T::FlexMembrane},
                                              {"flexmoment", T::FlexMoment},
                                              {"tactile", T::Tactile},
                                              {"plugin", T::Plugin}};
  return tags;
}

std::string_view sensorTag(SensorType type) {
  for (const SensorTag& t : sensorTags())
    if (t.type == type) return t.tag;
  return {};
}

std::string_view equalityTag(EqualityType type) {
  switch (type) {
    case EqualityType::Connect:
      return "connect";
    case EqualityType::Weld:
      return "weld";
    case EqualityType::Joint:
      return "joint";
    case EqualityType::Tendon:
      return "tendon";
    case EqualityType::Flex:
      return "flex";
    case EqualityType::FlexVert:
      return "flexvert";
    case EqualityType::FlexStrain:
      return "flexstrain";
  }
  return {};
}

}  // namespace sinew::spec
