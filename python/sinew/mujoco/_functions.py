"""Functions of MuJoCo under their names, with its order of arguments, keywords and outputs in place."""

from __future__ import annotations

import math
import os
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._errors import nearest
from .._model import Data, Model
from ._enums import MUJOCO_VERSION, MUJOCO_VERSION_NUMBER, mjtObj
from ._math import _in, _out, mju_quat2Mat

Array = NDArray[np.float64]

# ---------------------------------------------------------------------------------------------------- simulation

mj_step = _core.mj_step
mj_forward = _core.mj_forward
mj_inverse = _core.mj_inverse
mj_resetData = _core.mj_resetData
mj_step1 = _core.step1
mj_step2 = _core.step2
mj_fwdPosition = _core.stage_position
mj_fwdVelocity = _core.stage_velocity
mj_fwdActuation = _core.stage_actuation
mj_fwdAcceleration = _core.stage_smooth_acceleration
mj_fwdConstraint = _core.stage_solve
mj_kinematics = _core.stage_kinematics
mj_comPos = _core.stage_com_pos
mj_camlight = _core.stage_cameras
mj_flex = _core.stage_flexes
mj_tendon = _core.stage_tendons
mj_transmission = _core.stage_transmissions
mj_crb = _core.stage_mass_matrix
mj_makeM = _core.stage_mass_matrix
mj_factorM = _core.stage_mass_matrix
mj_comVel = _core.stage_velocities
mj_passive = _core.stage_passive
mj_collision = _core.stage_collide
mj_makeConstraint = _core.stage_rows
mj_referenceConstraint = _core.stage_row_references
mj_sensorPos = _core.stage_position_sensors
mj_sensorVel = _core.stage_velocity_sensors
mj_sensorAcc = _core.stage_acceleration_sensors
mj_subtreeVel = _core.subtree_velocities
mj_rne = _core.rne
mj_rnePostConstraint = _core.rne_post_constraint
mj_stateSize = _core.state_size
mj_getState = _core.get_state
mj_setState = _core.set_state
mj_copyState = _core.copy_state
mj_extractState = _core.extract_state
mj_invPosition = _core.stage_position
mj_invVelocity = _core.stage_velocity


def mj_fwdKinematics(m: Model, d: Data) -> None:
    """Poses of everything that follows from qpos."""
    for stage in (mj_kinematics, mj_comPos, mj_camlight, mj_flex, mj_tendon):
        stage(m, d)


def _advance_with(m: Model, d: Data, integrator: int) -> None:
    before = m.opt.integrator
    m.opt.integrator = integrator
    try:
        _core.stage_advance(m, d)
    finally:
        m.opt.integrator = before


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
        raise ValueError(f"index must be smaller than {m.nkey} (keyframes allocated in model), found {k}")
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


def _bad(array: Array) -> bool:
    return bool(np.any(~(np.abs(array) <= 1e10)))


def mj_checkPos(m: Model, d: Data) -> None:
    """Resets d if qpos is not finite or beyond 1e10."""
    if _bad(d.qpos):
        _core.reset(m, d)


def mj_checkVel(m: Model, d: Data) -> None:
    """Resets d if qvel is not finite or beyond 1e10."""
    if _bad(d.qvel):
        _core.reset(m, d)


def mj_checkAcc(m: Model, d: Data) -> None:
    """Resets d if qacc is not finite or beyond 1e10, and evaluates it again."""
    if _bad(d.qacc):
        _core.reset(m, d)
        mj_forward(m, d)


# ---------------------------------------------------------------------------------------------------- dynamics


def _jacobian(a: Optional[Array], nv: int, name: str) -> None:
    if a is not None and (not isinstance(a, np.ndarray) or a.dtype != np.float64 or a.shape != (3, nv)):
        found = f"{a.dtype} {a.shape}" if isinstance(a, np.ndarray) else type(a).__name__
        raise TypeError(f"{name} should be of shape (3, nv) = (3, {nv}) and float64, found {found}")


def mj_jac(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], point: ArrayLike, body: int) -> None:
    """Jacobian of a point of a body: velocity = jacp qvel, angular velocity = jacr qvel."""
    _jacobian(jacp, m.nv, "jacp"), _jacobian(jacr, m.nv, "jacr")
    _core.jac(m, d, jacp, jacr, point, body)


def mj_jacBody(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], body: int) -> None:
    """Jacobian at the origin of a body."""
    _jacobian(jacp, m.nv, "jacp"), _jacobian(jacr, m.nv, "jacr")
    _core.jac_body(m, d, jacp, jacr, body)


def mj_jacBodyCom(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], body: int) -> None:
    """Jacobian at the centre of mass of a body."""
    _jacobian(jacp, m.nv, "jacp"), _jacobian(jacr, m.nv, "jacr")
    _core.jac_body_com(m, d, jacp, jacr, body)


def mj_jacGeom(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], geom: int) -> None:
    """Jacobian at the centre of a geom."""
    _jacobian(jacp, m.nv, "jacp"), _jacobian(jacr, m.nv, "jacr")
    _core.jac_geom(m, d, jacp, jacr, geom)


def mj_jacSite(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], site: int) -> None:
    """Jacobian at a site."""
    _jacobian(jacp, m.nv, "jacp"), _jacobian(jacr, m.nv, "jacr")
    _core.jac_site(m, d, jacp, jacr, site)


def mj_jacSubtreeCom(m: Model, d: Data, jacp: Optional[Array], body: int) -> None:
    """Jacobian of the centre of mass of a subtree."""
    if jacp is not None:
        _jacobian(jacp, m.nv, "jacp")
        _core.jac_subtree_com(m, d, jacp, body)


def mj_jacDot(m: Model, d: Data, jacp: Optional[Array], jacr: Optional[Array], point: ArrayLike, body: int) -> None:
    """Time derivative of mj_jac."""
    _jacobian(jacp, m.nv, "jacp"), _jacobian(jacr, m.nv, "jacr")
    _core.jac_dot(m, d, jacp, jacr, point, body)


def mj_jacPointAxis(
    m: Model, d: Data, jacPoint: Optional[Array], jacAxis: Optional[Array], point: ArrayLike, axis: ArrayLike, body: int
) -> None:
    """Jacobian of a point of a body, and of an axis that is fixed to it."""
    _jacobian(jacPoint, m.nv, "jacPoint"), _jacobian(jacAxis, m.nv, "jacAxis")
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
    return int(m.opt.jacobian == 1 or (m.opt.jacobian == 2 and m.nv >= 60))


def mj_isDual(m: Model) -> int:
    """Whether the solver works on forces."""
    return int(m.opt.solver == 0)


def mj_mulJacVec(m: Model, d: Data, res: Array, vec: ArrayLike) -> None:
    """res = J vec."""
    if np.size(res) != d.nefc:
        raise TypeError(f"res should be of size nefc = {d.nefc}, found {np.size(res)}")
    _out(res)[...] = d.efc_J.reshape(d.nefc, m.nv) @ _in(vec, m.nv, "vec")


def mj_mulJacTVec(m: Model, d: Data, res: Array, vec: ArrayLike) -> None:
    """res = J' vec."""
    if np.size(vec) != d.nefc:
        raise TypeError(f"vec should be of size nefc = {d.nefc}, found {np.size(vec)}")
    _out(res, m.nv)[...] = d.efc_J.reshape(d.nefc, m.nv).T @ _in(vec)


def mj_getTotalmass(m: Model) -> float:
    """Sum of all masses."""
    return float(m.body_mass.sum() + m.flexnode_mass[m.flexnode_mass < 1e19].sum())


def mj_setTotalmass(m: Model, newmass: float) -> None:
    """Scales all masses and inertias."""
    scale = max(1e-15, newmass / max(1e-15, mj_getTotalmass(m)))
    m.body_mass *= scale
    m.body_inertia *= scale
    m.flexnode_mass[m.flexnode_mass < 1e19] *= scale
    m.update_constants()


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
    number = int(type)
    return 1 if number == mjtObj.mjOBJ_XBODY else number


_NAMED = frozenset((1, 3, 5, 6, 7, 9, 10, 12, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24))


def mj_name2id(m: Model, type: int, name: str) -> int:
    """Number of the object with this name, -1: there is none."""
    kind = _kind(type)
    return int(m._find(kind, name)) if kind in _NAMED and name else -1


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
    """Nothing: islands are found by the solver."""


def mj_projectConstraint(m: Model, d: Data) -> None:
    """Nothing: the solver projects constraints itself."""


def mju_threadpool(d: Data, nthread: int) -> None:
    """How many threads a step of d may use."""
    d.threads = nthread


_TYPES = {n: k for k, (names) in {
    1: ("body",), 2: ("xbody",), 3: ("joint",), 4: ("dof",), 5: ("geom",), 6: ("site",), 7: ("camera",), 8: ("light",),
    9: ("flex",), 10: ("mesh",), 11: ("skin",), 12: ("hfield",), 13: ("texture",), 14: ("material",), 15: ("pair",),
    16: ("exclude",), 17: ("equality",), 18: ("tendon",), 19: ("actuator",), 20: ("sensor",), 21: ("numeric",),
    22: ("text",), 23: ("tuple",), 24: ("key",), 25: ("plugin",),
}.items() for n in names}  # fmt: skip


def mju_str2Type(str: str) -> int:
    """mjtObj of a name, 0: unknown."""
    return _TYPES.get(str, 0)


def mju_type2Str(type: int) -> Optional[str]:
    """Name of an mjtObj."""
    return {v: k for k, v in _TYPES.items()}.get(int(type))


# ---------------------------------------------------------------------------------------------------- callbacks


def _set(name: str, function: Any) -> None:
    if function is not None and not callable(function):
        raise TypeError(f"callback is not callable: {function!r}")
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
