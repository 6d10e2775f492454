#pragma once

#include "sinew/sleep.h"

/// Who sleeps. tree_asleep is part of the state: below 0 the tree is awake, and -1 - tree_asleep is how many more steps
/// it must be at rest; from 0 on it sleeps and holds the next tree of a ring of trees that fell asleep together and
/// wake together. All other arrays about sleep follow from it (model/awake.h).
///
/// A tree is at rest if dof_length |qvel| < sleep_tolerance for all its dofs, nothing is applied to it and its policy
/// allows it to sleep. Trees that rows couple, or that carry the same flex, fall asleep when all of them are ready.
namespace sinew {

/// Part of reset(): everything is awake but the trees with the policy Init, which are put to sleep where they are,
/// unless they are coupled to others. Such a tree stays awake: compile() refuses models in which that happens.
void startAsleep(const Model& m, Data& d);

/// Part of restoreState(): computes what sleeping trees keep between steps. Wakes everything if tree_asleep makes no
/// sense.
void resumeAsleep(const Model& m, Data& d);

/// Wakes trees that a user has moved, pushed or given a velocity; if there are none, those that what is awake touches,
/// pulls by a tendon or is tied to. True if there were any: then everything up to the contacts must be found again.
/// Needs collide().
bool wakeTrees(const Model& m, Data& d);

/// Puts trees to sleep that have been at rest long enough: their velocity becomes zero and what follows from it is
/// computed anew, for the last time. Needs the state to be evaluated; comes before it is integrated.
void fallAsleep(const Model& m, Data& d);

}  // namespace sinew
