#pragma once

#include <span>
#include <vector>

#include "compile/draft.h"

namespace sinew::draft {

/// A rigid distribution of mass: mass, pose of the principal frame, moments about its origin along its axes.
struct MassPart {
  double mass = 0;
  Pose pose;
  Vec3 inertia = Vec3::Zero();
};

/// Several parts as one: total mass M, centre of mass c = sum m_i p_i / M, tensor about it
///   T = sum R_i diag(I_i) R_i' + m_i (|d|^2 E - d d'),  d = p_i - c   (parallel axes)
/// and its principal axes. Throws LoadError at `place` when a principal moment is not positive.
MassPart combined(std::span<const MassPart> parts, const class Place& place);

/// Inertial frame, mass and moments of a body: from its <inertial>, or from its geoms (those with mass) as the
/// compiler's inertiafromgeom says. A body with neither gets its own pose in the parent as inertial frame, as in the
/// reference engine. Then applies boundmass and boundinertia and checks (or balances) the triangle inequality.
/// `ownPose` is the body's pose before its <frame>.
void draftInertia(const Draft& draft, const std::vector<Pose>& frames, const Pose& ownPose, Body& body);

/// Throws LoadError for the first body with joints that has no mass or inertia, neither its own nor that of bodies
/// fixed to it.
void requireMass(const Draft& draft);

}  // namespace sinew::draft
