#pragma once

#include <span>

#include "geom/collide.h"
#include "sinew/contact.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Where colliders touch. A collider is a shape with a carrier; which colliders may meet is decided by filters, which
/// pairs are near by a broad phase, where they touch by geom/collide.h, and with which parameters by one function.
namespace sinew {

/// geom poses, flexvert_xpos -> d.contact, d.support_carrier, d.support_weight. Order: by pair of bodies (flexes come
/// after all bodies), then by geoms or elements, then as the pair collider gives them; last, flexes with themselves. No
/// contact is ever dropped.
void collide(const Model& m, Data& d);

/// Looks once more, along the motion that the solver has found: `qvel` are the velocities that take the step to its
/// end, `change` is what the solver made of those that collide() looked along. Appends contacts (with `swept` set)
/// where this motion would take colliders through each other; returns how many. What sleeps is left out.
int collidePassing(const Model& m, Data& d, std::span<const double> qvel, std::span<const double> change);

/// A geom where it is now, for geom/collide.h. Needs kinematics().
geom::Shape shapeOf(const Model& m, const Data& d, int geom);

/// Contact parameters of one collider, whatever it is.
struct ContactParameters {
  int condim = 3;
  int priority = 0;
  double solmix = 1;
  std::array<double, 2> solref{};
  std::array<double, 5> solimp{};
  std::array<double, 3> friction{};
  double margin = 0;
  double gap = 0;
  double adhesion = 0;
  double restitution = 0;
  double early = 0;  ///< how much earlier than its margin says it is in contact, see earlyDistance()
};

/// Parameters of a contact between two colliders: the higher priority decides alone; with equal priority condim and
/// friction are the larger ones, restitution is the geometric mean, solref and solimp are mixed by solmix; margins and
/// gaps always add up, and say from which distance the pair is a contact at all (detectionDistance) and from which it
/// has a force (forceDistance).
struct MixedParameters {
  int dim = 3;
  std::array<double, 5> friction{};
  std::array<double, 2> solref{}, solreffriction{};
  std::array<double, 5> solimp{};
  double margin = 0, gap = 0, adhesion = 0, restitution = 0;
  double early = 0;  ///< the smaller one
};
MixedParameters mixParameters(const Option& opt, const ContactParameters& a, const ContactParameters& b);

/// What every contact goes through last, explicit pairs included: the global override if it is switched on, and the
/// smallest friction there is.
void applyOverrides(const Option& opt, MixedParameters& p);

/// Distance below which a contact exists, and below which it has a force, by the reading of `gap`:
/// inside: margin and margin - gap; outside: margin + gap and margin. Contacts exist earlier by `early`.
double detectionDistance(const Option& opt, double margin, double gap, double early);
double forceDistance(const Option& opt, double margin, double gap);

}  // namespace sinew
