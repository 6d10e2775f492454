"""Functions of MuJoCo under their names, with its order of arguments, keywords and outputs in place."""

from __future__ import annotations

import functools
import math
import os
import re
import time
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._errors import nearest
from .._model import Data, Model
from ._enums import MUJOCO_VERSION, MUJOCO_VERSION_NUMBER, mjtObj, mjtState, mjtWarning
from ._fatal import FatalError
from ._math import _in, _out, mju_quat2Mat

Array = NDArray[np.float64]

# ---------------------------------------------------------------------------------------------------- simulation

_NEEDS = re.compile(r" needs (\w+), which has not run")


def _ordered(stage: Any) -> Any:
    """A stage that first runs the earlier ones that it needs and that have not run since qpos, qvel or the order changed.

    MuJoCo leaves that to the caller, and computes with what is there.
    """

    def run(m: Model, d: Data) -> None:
        for _ in range(len(_STAGES)):
            try:
                stage(m, d)
                return
            except ValueError as error:
                missing = _NEEDS.search(str(error))
                if missing is None or missing[1] not in _STAGES:
                    raise
                _STAGES[missing[1]](m, d)
        stage(m, d)

    run.__doc__ = stage.__doc__.split("\n\n")[-1] + " Earlier stages that it needs are run, too."
    run.__name__ = stage.__name__
    return run


_STAGES: dict[str, Any] = {}
for _name, _stage in (
    ("kinematics", "kinematics"), ("comPos", "com_pos"), ("cameras", "cameras"), ("flexes", "flexes"),
    ("tendons", "tendons"), ("massMatrix", "mass_matrix"), ("collide", "collide"), ("wake", "collide"), ("rows", "rows"),
    ("transmissions", "transmissions"), ("positionSensors", "position_sensors"), ("velocities", "velocities"),
    ("passive", "passive"), ("bias", "bias"), ("rowReferences", "row_references"),
    ("velocitySensors", "velocity_sensors"), ("control", "control"), ("actuation", "actuation"),
    ("smoothAcceleration", "smooth_acceleration"), ("solve", "solve"),
    ("accelerationSensors", "acceleration_sensors"),
):  # fmt: skip
    _STAGES[_name] = _ordered(getattr(_core, "stage_" + _stage))

mj_step = _core.mj_step
mj_forward = _core.mj_forward
mj_inverse = _core.mj_inverse
mj_resetData = _core.mj_resetData
mj_step1 = _core.step1
mj_fwdPosition = _core.stage_position
mj_fwdVelocity = _ordered(_core.stage_velocity)
mj_fwdActuation = _ordered(_core.stage_actuation)
mj_fwdAcceleration = _ordered(_core.stage_smooth_acceleration)
mj_fwdConstraint = _ordered(_core.stage_solve)
mj_kinematics = _core.stage_kinematics
mj_comPos = _ordered(_core.stage_com_pos)
mj_camlight = _ordered(_core.stage_cameras)
mj_flex = _ordered(_core.stage_flexes)
mj_tendon = _ordered(_core.stage_tendons)
mj_transmission = _ordered(_core.stage_transmissions)
mj_crb = _ordered(_core.stage_mass_matrix)
mj_makeM = _ordered(_core.stage_mass_matrix)
mj_factorM = _ordered(_core.stage_mass_matrix)
mj_comVel = _ordered(_core.stage_velocities)
mj_passive = _ordered(_core.stage_passive)
mj_collision = _ordered(_core.stage_collide)
mj_makeConstraint = _ordered(_core.stage_rows)
mj_referenceConstraint = _ordered(_core.stage_row_references)
mj_sensorPos = _ordered(_core.stage_position_sensors)
mj_sensorVel = _ordered(_core.stage_velocity_sensors)
mj_sensorAcc = _ordered(_core.stage_acceleration_sensors)
mj_subtreeVel = _core.subtree_velocities
mj_rne = _core.rne
mj_rnePostConstraint = _core.rne_post_constraint
mj_copyState = _core.copy_state
mj_extractState = _core.extract_state
mj_invPosition = _core.stage_position
mj_invVelocity = _ordered(_core.stage_velocity)


def mj_step2(m: Model, d: Data) -> None:
    """Second half of a step: actuators, applied forces, constraints, integration. mj_step1 is run if it has not been.

    As in MuJoCo, halves of a step are not those of Runge-Kutta: with integrator="RK4" this is semi-implicit Euler.
    """
    try:
        _with_integrator(m, d, _core.step2, 0 if m.opt.integrator == 1 else None)
    except ValueError as error:
        if "without step1" not in str(error):
            raise
        _core.step1(m, d)
        _with_integrator(m, d, _core.step2, 0 if m.opt.integrator == 1 else None)


_STATES = 1 << int(mjtState.mjNSTATE)


def mj_stateSize(m: Model, sig: int) -> int:
    """How many numbers the parts of the state have that the bits of mjtState name."""
    if not 0 <= int(sig) < _STATES:
        raise FatalError(f"mj_stateSize: invalid state signature {int(sig)} >= 2^mjNSTATE")
    return int(_core.state_size(m, int(sig)))


def mj_getState(m: Model, d: Data, state: Array, sig: int) -> None:
    """Parts of the state into an array."""
    if np.size(state) != mj_stateSize(m, sig):
        raise TypeError("state size should equal mj_stateSize(m, sig)")
    _core.get_state(m, d, state, int(sig))


def mj_setState(m: Model, d: Data, state: ArrayLike, sig: int) -> None:
    """Parts of the state from an array."""
    if np.size(state) != mj_stateSize(m, sig):
        raise TypeError("state size should equal mj_stateSize(m, sig)")
    _core.set_state(m, d, state, int(sig))


def mj_fwdKinematics(m: Model, d: Data) -> None:
    """Poses of everything that follows from qpos."""
    for stage in (mj_kinematics, mj_comPos, mj_camlight, mj_flex, mj_tendon):
        stage(m, d)


def _with_integrator(m: Model, d: Data, function: Any, integrator: Optional[int]) -> None:
    """function(m, d) with another integrator than that of the model."""
    if integrator is None or integrator == m.opt.integrator:
        return function(m, d)  # type: ignore[no-any-return]
    before = m.opt.integrator
    m.opt.integrator = integrator
    try:
        function(m, d)
    finally:
        while True:
            try:
                m.opt.integrator = before
                break
            except RuntimeError:  # another thread makes a step with this Model
                time.sleep(1e-4)


def _advance_with(m: Model, d: Data, integrator: int) -> None:
    _with_integrator(m, d, _core.stage_advance, integrator)


def mj_Euler(m: Model, d: Data) -> None:
    """Moves the state on with the acceleration that mj_forward left, by semi-implicit Euler."""
    _advance_with(m, d, 0)


def mj_implicit(m: Model, d: Data) -> None:
    """The same by an implicit integrator, the one of the model if that is implicit."""
    _advance_with(m, d, m.opt.integrator if m.opt.integrator in (2, 3) else 2)


def mj_RungeKutta(m: Model, d: Data, N: int) -> None:
    """The same by Runge-Kutta's method of order 4."""
    if N != 4:
        raise NotImplementedError(f"mj_RungeKutta: N = 4 exists, found {N}")
    _advance_with(m, d, 1)


def mj_forwardSkip(m: Model, d: Data, skipstage: int, skipsensor: int) -> None:
    """mj_forward without the stages that are said to be up to date: mjtStage."""
    if skipsensor:
        before = m.opt.disableflags
        m.opt.disableflags = before | 1 << 13
    try:
        if skipstage < 1:
            mj_fwdPosition(m, d)
        if skipstage < 2:
            mj_fwdVelocity(m, d)
        _core.stage_control(m, d)
        _core.stage_acceleration(m, d)
    finally:
        if skipsensor:
            m.opt.disableflags = before


def mj_inverseSkip(m: Model, d: Data, skipstage: int, skipsensor: int) -> None:
    """mj_inverse; what is said to be up to date is computed all the same."""
    if skipsensor:
        before = m.opt.disableflags
        m.opt.disableflags = before | 1 << 13
    try:
        mj_inverse(m, d)
    finally:
        if skipsensor:
            m.opt.disableflags = before


def mj_compareFwdInv(m: Model, d: Data) -> None:
    """How far forward and inverse dynamics are apart, into d.solver_fwdinv: norms of the differences of the constraint force,
    and of the applied force. Needs mj_forward; qfrc_constraint stays as it was."""
    found: Array = getattr(d, "solver_fwdinv")
    if d.nefc == 0:
        found[:] = 0
        return
    other = d.__copy__()
    _core.mj_inverse(m, other)
    applied = d.qfrc_applied + d.qfrc_actuator
    for body in np.flatnonzero(d.xfrc_applied.any(axis=1)):
        _core.apply_ft(m, d, d.xfrc_applied[body, :3], d.xfrc_applied[body, 3:], d.xipos[body], int(body), applied)
    found[0] = np.linalg.norm(d.qfrc_constraint - other.qfrc_constraint)
    found[1] = np.linalg.norm(applied - other.qfrc_inverse)


def mj_invConstraint(m: Model, d: Data) -> None:
    """Constraint forces of the present qacc: part of mj_inverse."""
    mj_inverse(m, d)


def mj_resetDataKeyframe(m: Model, d: Data, key: int) -> None:
    """Back to a keyframe; for one that does not exist just mj_resetData."""
    if 0 <= key < m.nkey:
        _core.reset_to_key(m, d, key)
    else:
        _core.reset(m, d)


def mj_resetDataDebug(m: Model, d: Data, debug_value: int) -> None:
    """mj_resetData; there is no memory to fill with debug_value."""
    _core.reset(m, d)


def mj_resetCtrl(m: Model, d: Data) -> None:
    """ctrl = 0."""
    d.ctrl[:] = 0


def mj_setKeyframe(m: Model, d: Data, k: int) -> None:
    """Writes the state of d into keyframe k of the model."""
    if not 0 <= k < m.nkey:
        raise FatalError(f"mj_setKeyframe: index must be smaller than {m.nkey} (keyframes allocated in model)")
    m.key_time[k] = d.time
    m.key_qpos[k] = d.qpos
    m.key_qvel[k] = d.qvel
    m.key_act[k] = d.act
    m.key_mpos[k] = d.mocap_pos.reshape(-1)
    m.key_mquat[k] = d.mocap_quat.reshape(-1)
    m.key_ctrl[k] = d.ctrl


def mj_setConst(m: Model, d: Data) -> None:
    """Computes the constants of the model that follow from others, and resets d."""
    m.update_constants()
    _core.reset(m, d)


def mj_copyData(dest: Data, m: Model, src: Data) -> None:
    """dest = src."""
    dest._assign(src)


def mj_energyPos(m: Model, d: Data) -> None:
    """Potential energy into d.energy[0]."""
    kinetic = float(d.energy[1])
    _core.energy(m, d)
    d.energy[1] = kinetic


def mj_energyVel(m: Model, d: Data) -> None:
    """Kinetic energy into d.energy[1]."""
    potential = float(d.energy[0])
    _core.energy(m, d)
    d.energy[0] = potential


def _check(m: Model, d: Data, name: str, warning: int) -> bool:
    """Whether an array is not finite or beyond 1e10; if so it is told, and d is reset unless that is switched off."""
    bad = np.flatnonzero(~(np.abs(getattr(d, name)) <= 1e10))
    if not bad.size:
        return False
    time = d.time
    if not m.opt.disableflags & 1 << 16:
        _core.reset(m, d)
    mj_warning(d, warning, int(bad[0]), time)
    return True


def mj_checkPos(m: Model, d: Data) -> None:
    """Resets d if qpos is not finite or beyond 1e10."""
    _check(m, d, "qpos", int(mjtWarning.mjWARN_BADQPOS))


def mj_checkVel(m: Model, d: Data) -> None:
    """Resets d if qvel is not finite or beyond 1e10."""
    _check(m, d, "qvel", int(mjtWarning.mjWARN_BADQVEL))


def mj_checkAcc(m: Model, d: Data) -> None:
    """Resets d if qacc is not finite or beyond 1e10, and evaluates it again."""
    if _check(m, d, "qacc", int(mjtWarning.mjWARN_BADQACC)):
        mj_forward(m, d)


_WARNING_TEXTS = {
    int(mjtWarning.mjWARN_INERTIA): "Inertia matrix is too close to singular at DOF {}. Check model.",
    int(mjtWarning.mjWARN_CONTACTFULL): "Too many contacts. The arena memory is full, increase arena memory allocation.(ncon = {})",
    int(mjtWarning.mjWARN_CNSTRFULL): "Insufficient arena memory for the number of constraints generated. "
    "Increase arena memory allocation above {} bytes.",
    int(mjtWarning.mjWARN_BADQPOS): "Nan, Inf or huge value in QPOS at DOF {}. The simulation is unstable.",
    int(mjtWarning.mjWARN_BADQVEL): "Nan, Inf or huge value in QVEL at DOF {}. The simulation is unstable.",
    int(mjtWarning.mjWARN_BADQACC): "Nan, Inf or huge value in QACC at DOF {}. The simulation is unstable.",
    int(mjtWarning.mjWARN_BADCTRL): "Nan, Inf or huge value in CTRL at ACTUATOR {}. The simulation is unstable.",
}


def mju_warningText(warning: int, info: int) -> str:
    """What a warning says."""
    return _WARNING_TEXTS.get(int(warning), "Warning {}.").format(info)


def mj_warning(d: Data, warning: int, info: int, time: Optional[float] = None) -> None:
    """Counts a warning of d, and tells it the first time."""
    counts = d.__dict__.setdefault("_warnings", {})
    number, _ = counts.get(int(warning), (0, 0))
    counts[int(warning)] = (number + 1, int(info))
    if number == 0:
        mju_warning(f"{mju_warningText(warning, info)} Time = {d.time if time is None else time:.4f}.")


_user_warning: Any = None


def mju_warning(msg: str) -> None:
    """Tells a warning: to the function of set_mju_user_warning, else by Python's warnings."""
    if _user_warning is not None:
        _user_warning(msg)
    else:
        import warnings

        warnings.warn(msg, UserWarning, stacklevel=3)


def set_mju_user_warning(function: Any) -> None:
    """function(text) is told warnings. None: Python's warnings are."""
    global _user_warning
    if function is not None and not callable(function):
        raise TypeError("callback is not an Optional[Callable]")
    _user_warning = function


def get_mju_user_warning() -> Any:
    """The function that set_mju_user_warning was given."""
    return _user_warning


# ---------------------------------------------------------------------------------------------------- delays


def _ring(m: Model, d: Data, kind: str, id: int, width: int) -> tuple[Array, Array, Array]:
    """Head, times and values of the past of an actuator or sensor: views of d.history."""
    count = getattr(m, "n" + kind)
    if not 0 <= id < count:
        raise FatalError(f"{kind} {id} does not exist: there are {count}")
    samples, start = int(getattr(m, kind + "_history")[id, 0]), int(getattr(m, kind + "_historyadr")[id])
    if samples == 0 or start < 0:
        raise FatalError(f"{kind} {id} keeps no samples: it has no nsample")
    part = d.history[start : start + 2 + samples * (1 + width)]
    return part[:2], part[2 : 2 + samples], part[2 + samples :].reshape(samples, width)


def _past(m: Model, d: Data, kind: str, id: int, width: int, time: float, interp: int) -> Array:
    head, times, values = _ring(m, d, kind, id, width)
    order = int(getattr(m, kind + "_history")[id, 1]) if interp < 0 else int(interp)
    turn = (np.arange(len(times)) + int(head[1]) + 1) % len(times)  # from the oldest to the newest
    t, v = times[turn], values[turn]
    at = time - float(getattr(m, kind + "_delay")[id])
    if at <= t[0] + 1e-15:
        return np.array(v[0])
    if at >= t[-1] - 1e-15:
        return np.array(v[-1])
    i = int(np.searchsorted(t, at))
    if abs(at - t[i]) < 1e-15:
        return np.array(v[i])
    if order == 0:
        return np.array(v[i - 1])
    dt = t[i] - t[i - 1]
    x = (at - t[i - 1]) / dt
    if order == 1:
        return np.array(v[i - 1] + x * (v[i] - v[i - 1]))

    def slope(k: int) -> Any:
        return 0.0 if k in (0, len(t) - 1) else (v[k + 1] - v[k - 1]) / (t[k + 1] - t[k - 1])

    return np.array(
        (2 * x**3 - 3 * x**2 + 1) * v[i - 1] + (x**3 - 2 * x**2 + x) * dt * slope(i - 1)
        + (-2 * x**3 + 3 * x**2) * v[i] + (x**3 - x**2) * dt * slope(i)
    )  # fmt: skip


def _set_past(m: Model, d: Data, kind: str, id: int, width: int, times: Optional[ArrayLike], values: Any) -> Array:
    head, t, v = _ring(m, d, kind, id, width)
    if times is not None and np.shape(times) != t.shape:
        raise TypeError(f"times should be of size nsample = {len(t)}, found {np.shape(times)}")
    if np.size(values) != v.size or np.ndim(values) > 1 and np.shape(values) != v.shape:
        raise TypeError(f"values should be of shape {v.shape}, found {np.shape(values)}")
    if times is None:
        turn = (np.arange(len(t)) + int(head[1]) + 1) % len(t)
        t[:] = t[turn]
    else:
        t[:] = times
    v[:] = np.reshape(values, v.shape)
    head[1] = len(t) - 1
    return head


def mj_readCtrl(m: Model, d: Data, id: int, time: float, interp: int = -1) -> float:
    """The control of an actuator that acts at a time, delayed; interp 0: no interpolation, 1: linear, 2: cubic."""
    if 0 <= id < m.nactuator and not m.actuator_history[id, 0]:
        return float(d.ctrl[m.actuator_ctrladr[id]])
    return float(_past(m, d, "actuator", id, 1, time, interp)[0])


def mj_readSensor(m: Model, d: Data, id: int, time: float, result: Array, interp: int = -1) -> None:
    """The value that a sensor shows at a time, delayed."""
    if not 0 <= id < m.nsensor:
        raise FatalError(f"sensor {id} does not exist: there are {m.nsensor}")
    width = int(m.sensor_dim[id])
    if np.size(result) != width:
        raise TypeError(f"result should be of size sensor_dim = {width}, found {np.size(result)}")
    if not m.sensor_history[id, 0]:
        result[...] = np.reshape(d.sensordata[m.sensor_adr[id] : m.sensor_adr[id] + width], np.shape(result))
    else:
        result[...] = np.reshape(_past(m, d, "sensor", id, width, time, interp), np.shape(result))


def mj_initCtrlHistory(m: Model, d: Data, id: int, times: Optional[ArrayLike], values: ArrayLike) -> None:
    """Sets the past controls of an actuator, oldest first; times None: those it has."""
    _set_past(m, d, "actuator", id, 1, times, values)


def mj_initSensorHistory(m: Model, d: Data, id: int, times: Optional[ArrayLike], values: ArrayLike, phase: float) -> None:
    """Sets the past values of a sensor, oldest first; phase: time of its last regular sample."""
    width = int(m.sensor_dim[id]) if 0 <= id < m.nsensor else 1
    _set_past(m, d, "sensor", id, width, times, values)[0] = phase


# ---------------------------------------------------------------------------------------------------- dynamics


def _jacobian(a: Optional[Array], nv: int, name: str) -> None:
    if a is not None and (not isinstance(a, np.ndarray) or a.dtype != np.float64 or a.shape != (3, nv)):
        found = f"{a.dtype} {a.shape}" if isinstance(a, np.ndarray) else type(a).__name__
        raise TypeError(f"{name} should be of shape (3, nv) = (3, {nv}) and float64, found {found}")
    if a is not None and not (a.flags.c_contiguous and a.flags.writeable):
        raise TypeError(f"{name} should be writable and C-contiguous: it is an output")


def mj_jac(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], point: ArrayLike, body: int) -> None:
    """Jacobian of a point of a body: velocity = jacp qvel, angular velocity = jacr qvel."""
    _jacobian(jacp, m.nv, "jacp")
    _jacobian(jacr, m.nv, "jacr")
    _core.jac(m, d, jacp, jacr, point, body)


def mj_jacBody(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], body: int) -> None:
    """Jacobian at the origin of a body."""
    _jacobian(jacp, m.nv, "jacp")
    _jacobian(jacr, m.nv, "jacr")
    _core.jac_body(m, d, jacp, jacr, body)


def mj_jacBodyCom(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], body: int) -> None:
    """Jacobian at the centre of mass of a body."""
    _jacobian(jacp, m.nv, "jacp")
    _jacobian(jacr, m.nv, "jacr")
    _core.jac_body_com(m, d, jacp, jacr, body)


def mj_jacGeom(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], geom: int) -> None:
    """Jacobian at the centre of a geom."""
    _jacobian(jacp, m.nv, "jacp")
    _jacobian(jacr, m.nv, "jacr")
    _core.jac_geom(m, d, jacp, jacr, geom)


def mj_jacSite(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], site: int) -> None:
    """Jacobian at a site."""
    _jacobian(jacp, m.nv, "jacp")
    _jacobian(jacr, m.nv, "jacr")
    _core.jac_site(m, d, jacp, jacr, site)


def mj_jacSubtreeCom(m: Model, d: Data, jacp: Optional[Array], body: int) -> None:
    """Jacobian of the centre of mass of a subtree."""
    if jacp is not None:
        _jacobian(jacp, m.nv, "jacp")
        _core.jac_subtree_com(m, d, jacp, body)


def mj_jacDot(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], point: ArrayLike, body: int) -> None:
    """Time derivative of mj_jac."""
    _jacobian(jacp, m.nv, "jacp")
    _jacobian(jacr, m.nv, "jacr")
    _core.jac_dot(m, d, jacp, jacr, point, body)


def mj_jacPointAxis(
    m: Model, d: Data, jacPoint: Optional[Array], jacAxis: Optional[Array], point: ArrayLike, axis: ArrayLike, body: int
) -> None:
    """Jacobian of a point of a body, and of an axis that is fixed to it."""
    _jacobian(jacPoint, m.nv, "jacPoint")
    _jacobian(jacAxis, m.nv, "jacAxis")
    jacr = np.zeros((3, m.nv))
    _core.jac(m, d, jacPoint, jacr, point, body)
    if jacAxis is not None:
        jacAxis[:] = np.cross(jacr, _in(axis, 3, "axis"), axisa=0, axisb=0, axisc=0)


def mj_angmomMat(m: Model, d: Data, mat: Array, body: int) -> None:
    """Matrix that takes qvel to the angular momentum of a subtree."""
    _jacobian(mat, m.nv, "mat")
    _core.angmom_mat(m, d, mat, body)


mj_applyFT = _core.apply_ft
mj_mulM = _core.mul_m
mj_objectVelocity = _core.object_velocity
mj_objectAcceleration = _core.object_acceleration
mj_contactForce = _core.contact_force
mj_integratePos = _core.integrate_pos
mj_differentiatePos = _core.differentiate_pos


def mj_solveM(m: Model, d: Data, x: Array, y: ArrayLike) -> None:
    """x = inv(M) y, for one vector or several rows."""
    given = np.asarray(y, np.float64)
    if np.shape(x) != given.shape:
        raise TypeError(f"x and y should have the same shape, found {np.shape(x)} and {given.shape}")
    if given.shape[-1] != m.nv:
        raise TypeError(f"the last dimension of x and y should be of size nv = {m.nv}, found {given.shape[-1]}")
    _core.solve_m(m, d, x, given)


def _factor(m: Model, d: Data) -> tuple[Array, Array]:
    """Unit lower triangular L and the diagonal D of M = L' D L."""
    L = np.eye(m.nv)
    D = np.empty(m.nv)
    for i in range(m.nv):
        start, count = m.M_rowadr[i], m.M_rownnz[i]
        L[i, m.M_colind[start : start + count - 1]] = d.qLD[start : start + count - 1]
        D[i] = d.qLD[start + count - 1]
    return L, D


def mj_solveM2(m: Model, d: Data, x: Array, y: ArrayLike, sqrtInvD: ArrayLike) -> None:
    """Half of inv(M): x = sqrt(inv(D)) inv(L') y."""
    L, _ = _factor(m, d)
    rows = np.asarray(y, np.float64)
    _out(x, rows.size, "x")[...] = (np.linalg.solve(L.T, rows.reshape(-1, m.nv).T).T * _in(sqrtInvD, m.nv)).reshape(x.shape)


def mj_mulM2(m: Model, d: Data, res: Array, vec: ArrayLike) -> None:
    """res = M^(1/2) vec, that is sqrt(D) L vec."""
    L, D = _factor(m, d)
    _out(res, m.nv)[...] = np.sqrt(D) * (L @ _in(vec, m.nv, "vec"))


def mj_fullM(m: Model, d: Data, dst: Array) -> None:
    """The inertia matrix, dense."""
    if not isinstance(d, Data):
        raise TypeError("mj_fullM takes (m, d, dst) since MuJoCo 3.12; before it was (m, dst, M)")
    if np.shape(dst) != (m.nv, m.nv):
        raise TypeError(f"dst should be of shape (nv, nv) = ({m.nv}, {m.nv}), found {np.shape(dst)}")
    _core.full_m(m, d, dst)


def mj_addM(m: Model, d: Data, dst: Array, rownnz: Any, rowadr: Any, colind: Any) -> None:
    """dst += M, dst in the pattern of M."""
    if np.size(dst) != m.nM:
        raise TypeError(f"dst should have nM = {m.nM} numbers, found {np.size(dst)}")
    dst += d.M


def mj_isPyramidal(m: Model) -> int:
    """Whether friction cones are pyramids."""
    return int(m.opt.cone == 0)


def mj_isSparse(m: Model) -> int:
    """Whether MuJoCo would store the constraint Jacobian of this model as a sparse matrix."""
    return int(m._is_sparse())


def mj_isDual(m: Model) -> int:
    """Whether MuJoCo's solver would work on forces: PGS, or iterations without slip."""
    return int(m.opt.solver == 0 or m.opt.noslip_iterations > 0)


def mj_mulJacVec(m: Model, d: Data, res: Array, vec: ArrayLike) -> None:
    """res = J vec."""
    if np.size(res) != d.nefc:
        raise TypeError(f"res should be of size nefc = {d.nefc}, found {np.size(res)}")
    _out(res)[...] = d.constraint_jacobian() @ _in(vec, m.nv, "vec")


def mj_mulJacTVec(m: Model, d: Data, res: Array, vec: ArrayLike) -> None:
    """res = J' vec."""
    if np.size(vec) != d.nefc:
        raise TypeError(f"vec should be of size nefc = {d.nefc}, found {np.size(vec)}")
    _out(res, m.nv)[...] = d.constraint_jacobian().T @ _in(vec)


def mj_getTotalmass(m: Model) -> float:
    """Sum of all masses."""
    return float(m.body_mass.sum() + m.flexnode_mass[m.flexnode_mass < 1e19].sum())


def mj_setTotalmass(m: Model, newmass: float) -> None:
    """Scales all masses and inertias. What follows from them mj_setConst computes."""
    scale = max(1e-15, newmass / max(1e-15, mj_getTotalmass(m)))
    m.body_mass *= scale
    m.body_inertia *= scale
    m.flexnode_mass[m.flexnode_mass < 1e19] *= scale


def mj_normalizeQuat(m: Model, qpos: Array) -> None:
    """Normalizes the quaternions in qpos."""
    _out(qpos, m.nq, "qpos")
    for joint in range(m.njnt):
        kind = m.jnt_type[joint]
        if kind <= 1:
            start = m.jnt_qposadr[joint] + (3 if kind == 0 else 0)
            q = qpos[start : start + 4]
            length = np.linalg.norm(q)
            q[:] = (1, 0, 0, 0) if length < 1e-15 else q / length


def mj_local2Global(d: Data, xpos: Array, xmat: Array, pos: ArrayLike, quat: ArrayLike, body: int, sameframe: int) -> None:
    """A pose given in a body, in the world."""
    if not 0 <= body < d.model.nbody:
        raise ValueError(f"body {body} does not exist: there are {d.model.nbody}")
    frame = np.empty(9)
    mju_quat2Mat(frame, quat)
    R = d.xmat[body].reshape(3, 3)
    if sameframe in (1, 3):  # as the body
        place = d.xpos[body] if sameframe == 1 else d.xpos[body] + R @ _in(pos, 3)
        rotation = R
    elif sameframe in (2, 4):  # as its inertia
        place = d.xipos[body] if sameframe == 2 else d.xpos[body] + R @ _in(pos, 3)
        rotation = d.ximat[body].reshape(3, 3)
    else:
        place, rotation = d.xpos[body] + R @ _in(pos, 3), R @ frame.reshape(3, 3)
    _out(xpos, 3, "xpos")[...] = place
    _out(xmat, 9, "xmat")[...] = rotation.reshape(xmat.shape)


# ---------------------------------------------------------------------------------------------------- queries


def _groups(geomgroup: Optional[ArrayLike]) -> Any:
    if geomgroup is None:
        return None
    groups = np.asarray(geomgroup).reshape(-1)
    if groups.size != 6:
        raise TypeError(f"geomgroup: needs 6 numbers, found {groups.size}")
    return [bool(g) for g in groups]


def mj_ray(
    m: Model,
    d: Data,
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: Optional[ArrayLike],
    flg_static: int,
    bodyexclude: int,
    geomid: Any = None,
    normal: Optional[Array] = None,
) -> float:
    """Distance along a ray to the first geom, in units of vec; -1: none. Flexes are not asked: see sinew.ray."""
    distance, _, direction, geom, _, _ = _core.ray(m, d, pnt, vec, _groups(geomgroup), bool(flg_static), False, bodyexclude)
    if geomid is not None:
        geomid[0] = geom
    if normal is not None:
        _out(normal, 3, "normal")[...] = direction
    return float(distance)


def mj_multiRay(
    m: Model,
    d: Data,
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: Optional[ArrayLike],
    flg_static: int,
    bodyexclude: int,
    geomid: Any,
    dist: Array,
    normal: Optional[Array],
    nray: int,
    cutoff: float,
) -> None:
    """mj_ray for nray rays from one point."""
    for name, array, size in (("geomid", geomid, nray), ("dist", dist, nray), ("vec", vec, 3 * nray)):
        if np.size(array) != size:
            raise TypeError(f"{name} should be of size {size}, found {np.size(array)}")
    limit = cutoff if cutoff < 1e10 else math.inf
    distances, normals, geoms, _, _ = _core.rays(
        m, d, pnt, vec, _groups(geomgroup), bool(flg_static), False, bodyexclude, limit
    )
    dist[...] = distances
    geomid[...] = geoms
    if normal is not None:
        _out(normal, 3 * nray, "normal")[...] = normals.reshape(normal.shape)


def _ray_at(m: Model, d: Data, kind: int, index: int, pnt: ArrayLike, vec: ArrayLike, normal: Optional[Array]) -> tuple[float, Any]:
    distance, point, direction, *_ = _core.ray_at(m, d, kind, index, pnt, vec)
    if normal is not None:
        _out(normal, 3, "normal")[...] = np.reshape(direction, np.shape(normal))
    return float(distance), point


def _typed_geom(m: Model, geomid: int, kind: int, name: str) -> int:
    if not 0 <= int(geomid) < m.ngeom:
        raise FatalError(f"{name}: geom {int(geomid)} does not exist: there are {m.ngeom}")
    if m.geom_type[int(geomid)] != kind:
        raise FatalError(f"{name}: geom {int(geomid)} has another type: {int(m.geom_type[int(geomid)])}, expected {kind}")
    return int(geomid)


def mj_rayMesh(m: Model, d: Data, geomid: int, pnt: ArrayLike, vec: ArrayLike, normal: Optional[Array] = None) -> float:
    """Distance along a ray to a geom that is a mesh, in units of vec; -1: it misses."""
    return _ray_at(m, d, 5, _typed_geom(m, geomid, 7, "mj_rayMesh"), pnt, vec, normal)[0]


def mj_rayHfield(m: Model, d: Data, geomid: int, pnt: ArrayLike, vec: ArrayLike, normal: Optional[Array] = None) -> float:
    """Distance along a ray to a geom that is a height field, in units of vec; -1: it misses."""
    return _ray_at(m, d, 5, _typed_geom(m, geomid, 1, "mj_rayHfield"), pnt, vec, normal)[0]


def mj_rayFlex(
    m: Model,
    d: Data,
    flex_layer: int,
    flg_vert: bool,
    flg_edge: bool,
    flg_face: bool,
    flg_skin: bool,
    flexid: int,
    pnt: ArrayLike,
    vec: ArrayLike,
    vertid: Any = None,
    normal: Optional[Array] = None,
) -> float:
    """Distance along a ray to the surface of a flex (flg_face or flg_skin), in units of vec; -1: it misses. vertid: the
    vertex nearest to where it meets."""
    if not 0 <= int(flexid) < m.nflex:
        raise FatalError(f"mj_rayFlex: flex {int(flexid)} does not exist: there are {m.nflex}")
    if flg_vert or flg_edge or int(flex_layer) != 0:
        raise NotImplementedError("mj_rayFlex: vertices, edges and inner layers are not asked; flg_face and flg_skin are the surface")
    found, point = -1.0, np.zeros(3)
    if flg_face or flg_skin:
        found, point = _ray_at(m, d, 9, int(flexid), pnt, vec, normal)
    if vertid is not None:
        start, count = int(m.flex_vertadr[int(flexid)]), int(m.flex_vertnum[int(flexid)])
        places = d.flexvert_xpos[start : start + count]
        vertid[0] = -1 if found < 0 else int(np.argmin(np.sum((places - point) ** 2, axis=1)))
    return found


def mj_geomDistance(m: Model, d: Data, geom1: int, geom2: int, distmax: float, fromto: Optional[Array]) -> float:
    """Signed distance of two geoms, at most distmax; fromto receives the nearest points."""
    for geom in (geom1, geom2):
        if not 0 <= geom < m.ngeom:
            raise ValueError(f"geom {geom} does not exist: there are {m.ngeom}")
    if fromto is not None:
        _out(fromto, 6, "fromto")[...] = 0
    distance, found, start, end, _, _ = _core.distance(m, d, 5, geom1, 5, geom2, distmax)
    if not found:
        return float(distmax)
    if fromto is not None:
        fromto[...] = np.concatenate((start, end)).reshape(fromto.shape)
    return float(distance)


# ---------------------------------------------------------------------------------------------------- names


def _kind(type: int) -> int:
    try:
        number = int(type)
    except (TypeError, ValueError):
        raise TypeError(f"type: needs an mjtObj, found {type!r}") from None
    return 1 if number == mjtObj.mjOBJ_XBODY else number


_NAMED = frozenset((1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24))


def mj_name2id(m: Model, type: int, name: str) -> int:
    """Number of the object with this name, -1: there is none."""
    kind = _kind(type)
    return int(m._find(kind, _text(name))) if kind in _NAMED and name else -1


def mj_id2name(m: Model, type: int, id: int) -> Optional[str]:
    """Name of an object, None if it has none."""
    kind = _kind(type)
    return (m._name(kind, id) or None) if kind in _NAMED else None


# ---------------------------------------------------------------------------------------------------- derivatives


def mjd_transitionFD(
    m: Model,
    d: Data,
    eps: float,
    flg_centered: bool,
    A: Optional[Array],
    B: Optional[Array],
    C: Optional[Array],
    D: Optional[Array],
) -> None:
    """Derivatives of a step by finite differences: A, B of the next state, C, D of the sensors."""
    n = 2 * m.nv + m.na
    shapes = {"A": (n, n), "B": (n, m.nu), "C": (m.nsensordata, n), "D": (m.nsensordata, m.nu)}
    wanted = {"A": A, "B": B, "C": C, "D": D}
    for name, array in wanted.items():
        if array is not None and array.shape != shapes[name]:
            raise TypeError(f"{name} should be of shape {shapes[name]}, found {array.shape}")
    for array, value in zip(wanted.values(), _core.transition_derivatives(m, d, eps, bool(flg_centered))):
        if array is not None:
            array[...] = value


def mjd_inverseFD(
    m: Model,
    d: Data,
    eps: float,
    flg_actuation: bool,
    DfDq: Optional[Array],
    DfDv: Optional[Array],
    DfDa: Optional[Array],
    DsDq: Optional[Array],
    DsDv: Optional[Array],
    DsDa: Optional[Array],
    DmDq: Optional[Array],
) -> None:
    """Derivatives of inverse dynamics by finite differences, transposed as MuJoCo has them: rows by what is nudged."""
    if flg_actuation:
        raise NotImplementedError("mjd_inverseFD: flg_actuation does not exist; sinew.inverse_derivatives is without it")
    if DmDq is not None:
        nM = m.nM
        if DmDq.shape != (m.nv, nM):
            raise TypeError(f"DmDq should be of shape (nv, nM) = ({m.nv}, {nM}), found {DmDq.shape}")
        probe = d.__copy__()
        base = d.M.copy()
        for i in range(m.nv):
            probe.qpos[:] = d.qpos
            step = np.zeros(m.nv)
            step[i] = 1
            _core.integrate_pos(m, probe.qpos, step, eps)
            mj_fwdPosition(m, probe)
            DmDq[i] = (probe.M - base) / eps
    for array, value in zip((DfDq, DfDv, DfDa, DsDq, DsDv, DsDa), _core.inverse_derivatives(m, d, eps)):
        if array is not None:
            if array.shape != value.T.shape:
                raise TypeError(f"an output should be of shape {value.T.shape}, found {array.shape}")
            array[...] = value.T


# ---------------------------------------------------------------------------------------------------- files, other


def mj_saveModel(m: Model, filename: Optional[str] = None, buffer: Any = None) -> None:
    """The compiled model into a file or a buffer, in Sinew's own format."""
    content = m._bytes()
    if filename is not None:
        with open(filename, "wb") as file:
            file.write(content)
    if buffer is not None:
        if len(buffer) < len(content):
            raise ValueError(f"buffer: needs {len(content)} bytes, has {len(buffer)}")
        buffer[: len(content)] = np.frombuffer(content, np.uint8)


def mj_sizeModel(m: Model) -> int:
    """Bytes that mj_saveModel writes."""
    return len(m._bytes())


def mj_saveLastXML(filename: str, m: Model) -> None:
    """The model as MJCF, as it was read; with masses, sizes and other numbers as they were then."""
    from ._load import xml_of

    with open(filename, "w", encoding="utf-8") as file:
        file.write(xml_of(m))


def _print(what: Any, filename: str, names: Any, float_format: str = "%.4g") -> None:
    lines = []
    for name in names:
        value = getattr(what, name)
        if isinstance(value, np.ndarray) and value.size:
            text = np.array2string(value, formatter={"float_kind": lambda x: float_format % x}, threshold=10**9)
            lines.append(f"{name}\n{text}\n")
        elif not isinstance(value, np.ndarray):
            lines.append(f"{name}  {value}")
    with open(filename, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def mj_printFormattedModel(m: Model, filename: str, float_format: str) -> None:
    """All sizes and arrays of a model as text."""
    from .._model import MODEL_FIELDS

    _print(m, filename, [n for n, _ in _core.model_sizes()] + list(MODEL_FIELDS), float_format)


def mj_printModel(m: Model, filename: str) -> None:
    """All sizes and arrays of a model as text."""
    mj_printFormattedModel(m, filename, "%.4g")


def mj_printFormattedData(m: Model, d: Data, filename: str, float_format: str) -> None:
    """All arrays of a Data as text."""
    from .._model import DATA_FIELDS

    _print(d, filename, ["time", "energy", "ncon", "nefc"] + list(DATA_FIELDS), float_format)


def mj_printData(m: Model, d: Data, filename: str) -> None:
    """All arrays of a Data as text."""
    mj_printFormattedData(m, d, filename, "%.4g")


def mj_version() -> int:
    """Version of MuJoCo that this module stands for."""
    return MUJOCO_VERSION_NUMBER


def mj_versionString() -> str:
    """Version of MuJoCo that this module stands for."""
    return MUJOCO_VERSION


def mj_resetCallbacks() -> None:
    """Forgets all callbacks of set_mjcb_*."""
    _core._global_callbacks.clear()


def mj_island(m: Model, d: Data) -> None:
    """Nothing: the solver finds islands itself, and d.dof_island and the like when they are asked for."""


def mj_projectConstraint(m: Model, d: Data) -> None:
    """Nothing: the solver projects constraints itself."""


def mju_rayGeom(pos: ArrayLike, mat: ArrayLike, size: ArrayLike, pnt: ArrayLike, vec: ArrayLike, geomtype: int, normal: Any = None) -> float:
    """Distance along a ray to a geom of a given kind, size and pose, in units of vec; -1: it misses."""
    kind = int(geomtype)
    words = {0: "plane", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box"}
    if kind not in words:
        raise FatalError(f"mju_rayGeom: unexpected geom type {kind}")
    R = _in(mat, 9).reshape(3, 3)
    model = _single_geom(words[kind], tuple(float(x) for x in _in(size, 3)))
    d = Data(model)
    _core.forward(model, d)
    # the geom stays at the origin: the ray is moved into its axes
    start, direction = R.T @ (_in(pnt, 3) - _in(pos, 3)), R.T @ _in(vec, 3)
    distance, _, n, *_ = _core.ray(model, d, start, direction, None, True, False, -1)
    if normal is not None:
        _out(normal, 3, "normal")[...] = R @ np.asarray(n)
    return float(distance)


@functools.lru_cache(maxsize=64)
def _single_geom(word: str, size: tuple[float, ...]) -> Model:
    text = f'<mujoco><worldbody><geom type="{word}" size="{size[0]!r} {size[1]!r} {size[2]!r}"/></worldbody></mujoco>'
    return Model(_core.load_text(text, "mju_rayGeom", "", None, None, True))


def mju_getXMLDependencies(filename: str) -> list[str]:
    """The files that a model is made of, with the model itself: includes, meshes, textures, height fields, skins."""
    import xml.etree.ElementTree as ET

    found = [str(filename)]
    top = os.path.dirname(str(filename))
    folders = {"mesh": "", "texture": ""}
    todo = [str(filename)]
    parts: list[Any] = []
    while todo:
        root = ET.parse(todo.pop()).getroot()
        for node in root.iter("include"):
            path = os.path.join(top, node.get("file", ""))
            if path not in found:
                found.append(path)
                todo.append(path)
        for node in root.iter("compiler"):
            folders["mesh"] = node.get("meshdir", node.get("assetdir", folders["mesh"]))
            folders["texture"] = node.get("texturedir", node.get("assetdir", folders["texture"]))
        parts += [n for n in root.iter() if n.tag in ("mesh", "hfield", "skin", "texture", "model", "flexcomp")]
    for node in parts:
        folder = folders["texture" if node.tag == "texture" else "mesh"] if node.tag != "model" else ""
        for name, value in node.attrib.items():
            if name.startswith("file") and value:
                path = os.path.join(top, folder, value)
                if path not in found:
                    found.append(path)
                if node.tag == "model":
                    found += [p for p in mju_getXMLDependencies(path) if p not in found]
    return found


def mj_defaultOption(opt: Any) -> None:
    """All options as at first."""
    opt.assign(type(opt)())


def mj_defaultVisual(vis: Any) -> None:
    """All settings of drawing as at first."""
    vis.__init__()


def mj_defaultLROpt(opt: Any) -> None:
    """All settings of the search for length ranges as at first."""
    opt.__init__()


def mj_defaultSolRefImp(solref: Array, solimp: Array) -> None:
    """The usual parameters of constraints."""
    _out(solref, 2, "solref")[...] = (0.02, 1)
    _out(solimp, 5, "solimp")[...] = (0.9, 0.95, 0.001, 0.5, 2)


def mju_threadpool(d: Data, nthread: int) -> None:
    """How many threads a step of d may use."""
    d.threads = nthread


_TYPES = {n: k for k, (names) in {
    1: ("body",), 2: ("xbody",), 3: ("joint",), 4: ("dof",), 5: ("geom",), 6: ("site",), 7: ("camera",), 8: ("light",),
    9: ("flex",), 10: ("mesh",), 11: ("skin",), 12: ("hfield",), 13: ("texture",), 14: ("material",), 15: ("pair",),
    16: ("exclude",), 17: ("equality",), 18: ("tendon",), 19: ("actuator",), 20: ("sensor",), 21: ("numeric",),
    22: ("text",), 23: ("tuple",), 24: ("key",), 25: ("plugin",),
}.items() for n in names}  # fmt: skip


def _text(value: Any) -> str:
    """A name, which may be given as bytes."""
    return value.decode() if isinstance(value, bytes) else value  # type: ignore[no-any-return]


def mju_str2Type(str: Any) -> int:
    """mjtObj of a name, 0: unknown."""
    return _TYPES.get(_text(str), 0)


def mju_type2Str(type: int) -> Optional[str]:
    """Name of an mjtObj."""
    return {v: k for k, v in _TYPES.items()}.get(int(type))


# ---------------------------------------------------------------------------------------------------- callbacks


def _set(name: str, function: Any) -> None:
    if function is not None and not callable(function):
        raise TypeError("callback is not an Optional[Callable]")
    if function is None:
        _core._global_callbacks.pop(name, None)
    else:
        _core._global_callbacks[name] = function


def set_mjcb_control(function: Any) -> None:
    """function(m, d) writes to d.ctrl; called in every evaluation of every Data. None: no such function."""
    _set("control", function)


def set_mjcb_passive(function: Any) -> None:
    """function(m, d) adds to d.qfrc_passive."""
    _set("passive", function)


def set_mjcb_contactfilter(function: Any) -> None:
    """function(m, d, geom1, geom2) is true if the two shall not touch. (Here it is given the Data, too.)"""
    _set("contact_filter", None if function is None else lambda m, d, a, b: function(m, d, a, b))


def set_mjcb_sensor(function: Any) -> None:
    """function(m, d, stage) writes the values of user sensors to d.sensordata."""
    _set("sensor", function)


def set_mjcb_time(function: Any) -> None:
    """function() tells the time; called in every evaluation. Sinew's own timers keep the clock of the machine."""
    _set("time", function)


def get_mjcb_time() -> Any:
    """The function that set_mjcb_time was given."""
    return _core._global_callbacks.get("time")


def get_mjcb_control() -> Any:
    """The function that set_mjcb_control was given."""
    return _core._global_callbacks.get("control")


def get_mjcb_passive() -> Any:
    """The function that set_mjcb_passive was given."""
    return _core._global_callbacks.get("passive")


def get_mjcb_contactfilter() -> Any:
    """The function that set_mjcb_contactfilter was given."""
    return _core._global_callbacks.get("contact_filter")


def get_mjcb_sensor() -> Any:
    """The function that set_mjcb_sensor was given."""
    return _core._global_callbacks.get("sensor")


__all__ = [n for n in dir() if n.startswith(("mj_", "mju_", "mjd_", "set_mj", "get_mj"))]
_ = (nearest, os)
