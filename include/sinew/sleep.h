#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Sleeping: with the flag `sleep` (enable::kSleep) kinematic trees that have come to rest are not simulated until
/// something wakes them. Writing to qpos, qvel, qfrc_applied or xfrc_applied of a sleeping tree wakes it in the next
/// step by itself; these functions are for everything else, such as a change of the Model. They throw
/// std::invalid_argument for numbers that do not exist and a Data of another Model.
namespace sinew {

/// Whether the tree of `body` sleeps; false for a body that cannot move.
bool isAsleep(const Model& m, const Data& d, int body);

/// Wakes a tree (Model::body_treeid) and all that fell asleep together with it. They stay awake for ten steps at least.
void wake(const Model& m, Data& d, int tree);

/// Wakes everything.
void wakeAll(const Model& m, Data& d);

}  // namespace sinew
