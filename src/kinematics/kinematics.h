#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// First stage of a step: where everything is, and how fast.
namespace sinew {

/// qpos, mocap_pos, mocap_quat -> xpos, xquat, xmat, xipos, ximat, xanchor, xaxis, geom_x*, site_x*. This and all that
/// follows is about what is awake (model/awake.h); the rest keeps what it has.
void kinematics(const Model& m, Data& d);

/// Whether qpos puts a body elsewhere than xpos and xquat say, by a single bit, its parent being where it is. Writes
/// xanchor and xaxis of its joints.
bool hasMoved(const Model& m, Data& d, int body);

/// xipos, ximat, xanchor, xaxis -> subtree_com, cinert, cdof. All spatial quantities of a tree are expressed in world
/// axes at the centre of mass of its root's subtree. Needs kinematics().
void comPos(const Model& m, Data& d);

/// cam_xpos, cam_xmat. Needs comPos().
void cameras(const Model& m, Data& d);

/// ten_length, ten_J, ten_wrap*, wrap_*. Needs comPos().
void tendons(const Model& m, Data& d);

/// actuator_length, actuator_moment and its pattern. Needs tendons().
void transmissions(const Model& m, Data& d);

/// qvel, cdof -> cvel, cdof_dot. Needs comPos().
void comVel(const Model& m, Data& d);

/// qvel, ten_J, actuator_moment -> ten_velocity, actuator_velocity.
void velocities(const Model& m, Data& d);

/// subtree_linvel, subtree_angmom. Needs comVel(). Called when a sensor asks for it.
void subtreeVelocities(const Model& m, Data& d);

}  // namespace sinew
