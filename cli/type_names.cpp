#include "type_names.h"

#include <array>
#include <string_view>

namespace sinew::cli {
namespace {

template <class Enum, std::size_t n>
std::string pick(const std::array<std::string_view, n>& words, Enum type) {
  const auto i = static_cast<std::size_t>(type);
  return i < n ? std::string(words[i]) : "type " + std::to_string(i);
}

// each in the order of its enumeration
constexpr std::array<std::string_view, 4> kJoints{"free", "ball", "slide", "hinge"};
constexpr std::array<std::string_view, 9> kGeoms{"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                                 "cylinder", "box",    "mesh",   "sdf"};
constexpr std::array<std::string_view, 6> kWraps{"none", "joint", "pulley", "site", "sphere", "cylinder"};
constexpr std::array<std::string_view, 7> kTransmissions{"joint", "jointinparent", "slidercrank", "tendon",
                                                         "site",  "body",          "so3"};
constexpr std::array<std::string_view, 8> kDynamics{"none",   "integrator", "filter", "filterexact",
                                                    "muscle", "dcmotor",    "pid",    "user"};
constexpr std::array<std::string_view, 7> kGains{"fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user"};
constexpr std::array<std::string_view, 6> kBiases{"none", "affine", "muscle", "dcmotor", "so3", "user"};
constexpr std::array<std::string_view, 7> kEqualities{"connect", "weld",     "joint",     "tendon",
                                                      "flex",    "flexvert", "flexstrain"};
constexpr std::array<std::string_view, 49> kSensors{"touch",
                                                    "accelerometer",
                                                    "velocimeter",
                                                    "gyro",
                                                    "force",
                                                    "torque",
                                                    "magnetometer",
                                                    "rangefinder",
                                                    "camprojection",
                                                    "jointpos",
                                                    "jointvel",
                                                    "tendonpos",
                                                    "tendonvel",
                                                    "actuatorpos",
                                                    "actuatorvel",
                                                    "actuatorfrc",
                                                    "jointactuatorfrc",
                                                    "tendonactuatorfrc",
                                                    "ballquat",
                                                    "ballangvel",
                                                    "jointlimitpos",
                                                    "jointlimitvel",
                                                    "jointlimitfrc",
                                                    "tendonlimitpos",
                                                    "tendonlimitvel",
                                                    "tendonlimitfrc",
                                                    "framepos",
                                                    "framequat",
                                                    "framexaxis",
                                                    "frameyaxis",
                                                    "framezaxis",
                                                    "framelinvel",
                                                    "frameangvel",
                                                    "framelinacc",
                                                    "frameangacc",
                                                    "subtreecom",
                                                    "subtreelinvel",
                                                    "subtreeangmom",
                                                    "insidesite",
                                                    "distance",
                                                    "normal",
                                                    "fromto",
                                                    "contact",
                                                    "e_potential",
                                                    "e_kinetic",
                                                    "clock",
                                                    "tactile",
                                                    "plugin",
                                                    "user"};

}  // namespace

std::string wordFor(JointType type) { return pick(kJoints, type); }
std::string wordFor(GeomType type) { return pick(kGeoms, type); }
std::string wordFor(WrapType type) { return pick(kWraps, type); }
std::string wordFor(TransmissionType type) { return pick(kTransmissions, type); }
std::string wordFor(DynType type) { return pick(kDynamics, type); }
std::string wordFor(GainType type) { return pick(kGains, type); }
std::string wordFor(BiasType type) { return pick(kBiases, type); }
std::string wordFor(SensorType type) { return pick(kSensors, type); }
std::string wordFor(EqualityType type) { return pick(kEqualities, type); }

}  // namespace sinew::cli
