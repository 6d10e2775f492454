"""Small mathematics under MuJoCo's names: outputs first, written in place."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._fatal import FatalError

Array = NDArray[np.float64]
_MINVAL = 1e-15


def _out(res: Any, size: Optional[int] = None, name: str = "res") -> Array:
    """An output: a writable array of float64, with this many numbers."""
    if not isinstance(res, np.ndarray) or res.dtype != np.float64:
        kind = f"array of {res.dtype}" if isinstance(res, np.ndarray) else type(res).__name__
        raise TypeError(f"{name}: needs a numpy array of float64, found {kind}")
    if not res.flags.writeable:
        raise TypeError(f"{name}: is read-only")
    if size is not None and res.size != size:
        raise TypeError(f"{name}: needs {size} numbers, found {res.size}")
    return res


def _in(value: ArrayLike, size: Optional[int] = None, name: str = "argument") -> Array:
    array = np.asarray(value, np.float64)
    if size is not None and array.size != size:
        raise TypeError(f"{name}: needs {size} numbers, found {array.size}")
    return array.reshape(-1)


def _same(res: Any, *vectors: Any) -> None:
    for v in vectors:
        if np.size(v) != np.size(res):
            raise TypeError(f"all arguments must have the same size, found {np.size(res)} and {np.size(v)}")


def _put(res: Array, values: Any) -> None:
    res[...] = np.reshape(values, res.shape)


# ---------------------------------------------------------------------------------------------------- vectors


def mju_zero3(res: Array) -> None:
    """res = 0."""
    _out(res, 3)[...] = 0


def mju_zero4(res: Array) -> None:
    """res = 0."""
    _out(res, 4)[...] = 0


def mju_unit4(res: Array) -> None:
    """res = (1, 0, 0, 0)."""
    _put(_out(res, 4), (1, 0, 0, 0))


def mju_zero(res: Array) -> None:
    """res = 0."""
    _out(res)[...] = 0


def mju_fill(res: Array, val: float) -> None:
    """res = val."""
    _out(res)[...] = val


def mju_copy3(res: Array, data: ArrayLike) -> None:
    """res = data."""
    _put(_out(res, 3), _in(data, 3))


def mju_copy4(res: Array, data: ArrayLike) -> None:
    """res = data."""
    _put(_out(res, 4), _in(data, 4))


def mju_copy(res: Array, vec: ArrayLike) -> None:
    """res = vec."""
    _same(res, vec)
    _put(_out(res), _in(vec))


def mju_scl3(res: Array, vec: ArrayLike, scl: float) -> None:
    """res = scl vec."""
    _put(_out(res, 3), _in(vec, 3) * scl)


def mju_scl(res: Array, vec: ArrayLike, scl: float) -> None:
    """res = scl vec."""
    _same(res, vec)
    _put(_out(res), _in(vec) * scl)


def mju_add3(res: Array, vec1: ArrayLike, vec2: ArrayLike) -> None:
    """res = vec1 + vec2."""
    _put(_out(res, 3), _in(vec1, 3) + _in(vec2, 3))


def mju_add(res: Array, vec1: ArrayLike, vec2: ArrayLike) -> None:
    """res = vec1 + vec2."""
    _same(res, vec1, vec2)
    _put(_out(res), _in(vec1) + _in(vec2))


def mju_sub3(res: Array, vec1: ArrayLike, vec2: ArrayLike) -> None:
    """res = vec1 - vec2."""
    _put(_out(res, 3), _in(vec1, 3) - _in(vec2, 3))


def mju_sub(res: Array, vec1: ArrayLike, vec2: ArrayLike) -> None:
    """res = vec1 - vec2."""
    _same(res, vec1, vec2)
    _put(_out(res), _in(vec1) - _in(vec2))


def mju_addTo3(res: Array, vec: ArrayLike) -> None:
    """res += vec."""
    mju_add3(res, res, vec)


def mju_addTo(res: Array, vec: ArrayLike) -> None:
    """res += vec."""
    mju_add(res, res, vec)


def mju_subFrom3(res: Array, vec: ArrayLike) -> None:
    """res -= vec."""
    mju_sub3(res, res, vec)


def mju_subFrom(res: Array, vec: ArrayLike) -> None:
    """res -= vec."""
    mju_sub(res, res, vec)


def mju_addScl3(res: Array, vec1: ArrayLike, vec2: ArrayLike, scl: float) -> None:
    """res = vec1 + scl vec2."""
    _put(_out(res, 3), _in(vec1, 3) + _in(vec2, 3) * scl)


def mju_addScl(res: Array, vec1: ArrayLike, vec2: ArrayLike, scl: float) -> None:
    """res = vec1 + scl vec2."""
    _same(res, vec1, vec2)
    _put(_out(res), _in(vec1) + _in(vec2) * scl)


def mju_addToScl3(res: Array, vec: ArrayLike, scl: float) -> None:
    """res += scl vec."""
    mju_addScl3(res, res, vec, scl)


def mju_addToScl(res: Array, vec: ArrayLike, scl: float) -> None:
    """res += scl vec."""
    mju_addScl(res, res, vec, scl)


def mju_sum(vec: ArrayLike) -> float:
    """Sum of the numbers."""
    return float(_in(vec).sum())


def mju_L1(vec: ArrayLike) -> float:
    """Sum of the absolute values."""
    return float(np.abs(_in(vec)).sum())


def mju_norm3(vec: ArrayLike) -> float:
    """Euclidean length."""
    return float(np.linalg.norm(_in(vec, 3)))


def mju_norm(res: ArrayLike) -> float:
    """Euclidean length."""
    return float(np.linalg.norm(_in(res)))


def _normalize(res: Array, first: float = 1.0) -> float:
    length = float(np.linalg.norm(res))
    if length < _MINVAL:
        res[...] = 0
        res.reshape(-1)[0] = first
    else:
        res /= length
    return length


def mju_normalize3(vec: Array) -> float:
    """To unit length; returns the length before. A zero vector becomes (1, 0, 0)."""
    return _normalize(_out(vec, 3))


def mju_normalize4(vec: Array) -> float:
    """To unit length; returns the length before. Zero becomes (1, 0, 0, 0); what has unit length stays as it is."""
    length = float(np.linalg.norm(_out(vec, 4)))
    if length < _MINVAL or abs(length - 1) > _MINVAL:
        return _normalize(vec)
    return length


def mju_normalize(res: Array) -> float:
    """To unit length; returns the length before."""
    return _normalize(_out(res))


def mju_dot3(vec1: ArrayLike, vec2: ArrayLike) -> float:
    """Dot product."""
    return float(_in(vec1, 3) @ _in(vec2, 3))


def mju_dot(vec1: ArrayLike, vec2: ArrayLike) -> float:
    """Dot product."""
    _same(vec1, vec2)
    return float(_in(vec1) @ _in(vec2))


def mju_dist3(pos1: ArrayLike, pos2: ArrayLike) -> float:
    """Distance of two points."""
    return float(np.linalg.norm(_in(pos1, 3) - _in(pos2, 3)))


def mju_cross(res: Array, a: ArrayLike, b: ArrayLike) -> None:
    """res = a x b."""
    (ax, ay, az), (bx, by, bz) = _in(a, 3), _in(b, 3)
    _put(_out(res, 3), (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def mju_isZero(vec: ArrayLike) -> int:
    """Whether all numbers are zero."""
    return int(not np.any(_in(vec)))


# ---------------------------------------------------------------------------------------------------- matrices


def _matrix(mat: ArrayLike, name: str = "mat") -> Array:
    array = np.asarray(mat, np.float64)
    if array.ndim != 2:
        raise TypeError(f"{name}: needs two dimensions, found {array.ndim}")
    return array


def _fit(res: Array, value: Array, name: str = "res") -> None:
    _out(res, None, name)
    if res.shape != value.shape:
        raise TypeError(f"{name}: needs shape {value.shape}, found {res.shape}")
    res[...] = value


def _product(a: Array, b: Array) -> Array:
    if a.shape[-1] != b.shape[0]:
        raise TypeError(f"shapes {a.shape} and {b.shape} cannot be multiplied")
    return np.asarray(a @ b)


def mju_mulMatVec3(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = mat vec, mat 3 x 3."""
    _put(_out(res, 3), _in(mat, 9).reshape(3, 3) @ _in(vec, 3))


def mju_mulMatTVec3(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = mat' vec, mat 3 x 3."""
    _put(_out(res, 3), _in(mat, 9).reshape(3, 3).T @ _in(vec, 3))


def mju_mulMatVec(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = mat vec."""
    _fit(res, _product(_matrix(mat), _in(vec)))


def mju_mulMatTVec(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = mat' vec."""
    _fit(res, _product(_matrix(mat).T, _in(vec)))


def mju_mulVecMatVec(vec1: ArrayLike, mat: ArrayLike, vec2: ArrayLike) -> float:
    """vec1' mat vec2."""
    return float(_product(_product(_in(vec1).reshape(1, -1), _matrix(mat)), _in(vec2))[0])


def mju_mulMatMat(res: Array, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1 mat2."""
    _fit(res, _product(_matrix(mat1), _matrix(mat2)))


def mju_mulMatMatT(res: Array, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1 mat2'."""
    _fit(res, _product(_matrix(mat1), _matrix(mat2).T))


def mju_mulMatTMat(res: Array, mat1: ArrayLike, mat2: ArrayLike) -> None:
    """res = mat1' mat2."""
    _fit(res, _product(_matrix(mat1).T, _matrix(mat2)))


def mju_sqrMatTD(res: Array, mat: ArrayLike, diag: Optional[ArrayLike]) -> None:
    """res = mat' diag(diag) mat; without diag: mat' mat."""
    m = _matrix(mat)
    if diag is None:
        _fit(res, m.T @ m)
    else:
        _fit(res, m.T @ (_in(diag, m.shape[0], "diag")[:, None] * m))


def mju_transpose(res: Array, mat: ArrayLike) -> None:
    """res = mat'."""
    _fit(res, _matrix(mat).T)


def mju_symmetrize(res: Array, mat: ArrayLike) -> None:
    """res = (mat + mat') / 2."""
    m = _matrix(mat)
    if m.shape[0] != m.shape[1]:
        raise TypeError(f"mat: needs to be square, found {m.shape}")
    _fit(res, (m + m.T) / 2)


def mju_eye(mat: Array) -> None:
    """mat = unit matrix."""
    _fit(mat, np.eye(*_matrix(mat).shape))


def mju_printMat(mat: ArrayLike) -> None:
    """Prints a matrix."""
    print(np.asarray(mat))


def mju_transformSpatial(
    res: Array, vec: ArrayLike, flg_force: int, newpos: ArrayLike, oldpos: ArrayLike, rotnew2old: ArrayLike
) -> None:
    """A spatial vector (angular, linear) seen from another point and, if rotnew2old is given, in other axes."""
    v = _in(vec, 6)
    shift = _in(newpos, 3) - _in(oldpos, 3)
    angular, linear = v[:3].copy(), v[3:].copy()
    if flg_force:
        angular -= np.cross(shift, linear)
    else:
        linear -= np.cross(shift, angular)
    if rotnew2old is not None:
        R = _in(rotnew2old, 9).reshape(3, 3)
        angular, linear = R.T @ angular, R.T @ linear
    _put(_out(res, 6), np.concatenate((angular, linear)))


def mju_dense2sparse(res: Array, mat: ArrayLike, rownnz: Any, rowadr: Any, colind: Any) -> int:
    """A dense matrix as rows of nonzero entries. Returns 0, or 1 if res or colind is too short."""
    m = _matrix(mat)
    at = 0
    for r, row in enumerate(m):
        columns = np.flatnonzero(row)
        if at + len(columns) > len(res) or at + len(columns) > len(colind):
            return 1
        rowadr[r], rownnz[r] = at, len(columns)
        res[at : at + len(columns)] = row[columns]
        colind[at : at + len(columns)] = columns
        at += len(columns)
    return 0


def mju_sparse2dense(res: Array, mat: ArrayLike, rownnz: Any, rowadr: Any, colind: Any) -> None:
    """The reverse of mju_dense2sparse."""
    values = _in(mat)
    _out(res)[...] = 0
    for r, (n, a) in enumerate(zip(rownnz, rowadr)):
        res[r, colind[a : a + n]] = values[a : a + n]


def mju_sym2dense(res: Array, mat: ArrayLike, rownnz: Any, rowadr: Any, colind: Any) -> None:
    """The lower triangle of a symmetric matrix, in rows of nonzero entries, as a full matrix."""
    mju_sparse2dense(res, mat, rownnz, rowadr, colind)
    lower = np.tril(res)
    res[...] = lower + np.tril(lower, -1).T


# ---------------------------------------------------------------------------------------------------- quaternions


def _mul(a: Array, b: Array) -> tuple[float, float, float, float]:
    aw, ax, ay, az = a.tolist()
    bw, bx, by, bz = b.tolist()
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def _rotate(vec: Array, quat: Array) -> Array:
    w, x, y, z = quat.tolist()
    v0, v1, v2 = vec.tolist()
    # v + 2 w (q x v) + 2 q x (q x v)
    t0, t1, t2 = w * v0 + y * v2 - z * v1, w * v1 + z * v0 - x * v2, w * v2 + x * v1 - y * v0
    return np.array(
        (v0 + 2 * (y * t2 - z * t1), v1 + 2 * (z * t0 - x * t2), v2 + 2 * (x * t1 - y * t0)), np.float64
    )


def mju_rotVecQuat(res: Array, vec: ArrayLike, quat: ArrayLike) -> None:
    """res = vec turned by quat."""
    _put(_out(res, 3), _rotate(_in(vec, 3), _in(quat, 4)))


def mju_negQuat(res: Array, quat: ArrayLike) -> None:
    """The inverse rotation."""
    w, x, y, z = _in(quat, 4)
    _put(_out(res, 4), (w, -x, -y, -z))


def mju_mulQuat(res: Array, quat1: ArrayLike, quat2: ArrayLike) -> None:
    """res = quat1 quat2: first turned by quat2, then by quat1."""
    _put(_out(res, 4), _mul(_in(quat1, 4), _in(quat2, 4)))


def mju_mulQuatAxis(res: Array, quat: ArrayLike, axis: ArrayLike) -> None:
    """res = quat (0, axis)."""
    _put(_out(res, 4), _mul(_in(quat, 4), np.concatenate(([0.0], _in(axis, 3)))))


def _axis_angle(axis: Array, angle: float) -> tuple[float, float, float, float]:
    if angle == 0:
        return (1.0, 0.0, 0.0, 0.0)
    s = math.sin(angle / 2)
    return (math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s)


def mju_axisAngle2Quat(res: Array, axis: ArrayLike, angle: float) -> None:
    """Rotation by an angle about an axis of unit length."""
    _put(_out(res, 4), _axis_angle(_in(axis, 3), float(angle)))


def _to_velocity(quat: Array, dt: float) -> Array:
    axis = quat[1:].copy()
    sine = float(np.linalg.norm(axis))
    axis = axis / sine if sine >= _MINVAL else np.array((1.0, 0.0, 0.0))
    angle = 2 * math.atan2(sine, float(quat[0]))
    if angle > math.pi:
        angle -= 2 * math.pi
    return axis * (angle / dt)


def mju_quat2Vel(res: Array, quat: ArrayLike, dt: float) -> None:
    """The angular velocity that turns by quat in the time dt."""
    _put(_out(res, 3), _to_velocity(_in(quat, 4), float(dt)))


def mju_subQuat(res: Array, qa: ArrayLike, qb: ArrayLike) -> None:
    """The rotation vector that takes qb to qa."""
    w, x, y, z = _in(qb, 4)
    _put(_out(res, 3), _to_velocity(np.array(_mul(np.array((w, -x, -y, -z)), _in(qa, 4))), 1.0))


def mju_quat2Mat(res: Array, quat: ArrayLike) -> None:
    """The rotation matrix, row by row."""
    w, x, y, z = _in(quat, 4).tolist()
    _put(_out(res, 9), (
        w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z,
    ))  # fmt: skip


def _from_matrix(m: list[float]) -> Array:
    # the largest of the four squares is divided by
    trace = m[0] + m[4] + m[8]
    if trace > 0:
        s = 2 * math.sqrt(1 + trace)
        q = (s / 4, (m[7] - m[5]) / s, (m[2] - m[6]) / s, (m[3] - m[1]) / s)
    elif m[0] > m[4] and m[0] > m[8]:
        s = 2 * math.sqrt(1 + m[0] - m[4] - m[8])
        q = ((m[7] - m[5]) / s, s / 4, (m[1] + m[3]) / s, (m[2] + m[6]) / s)
    elif m[4] > m[8]:
        s = 2 * math.sqrt(1 - m[0] + m[4] - m[8])
        q = ((m[2] - m[6]) / s, (m[1] + m[3]) / s, s / 4, (m[5] + m[7]) / s)
    else:
        s = 2 * math.sqrt(1 - m[0] - m[4] + m[8])
        q = ((m[3] - m[1]) / s, (m[2] + m[6]) / s, (m[5] + m[7]) / s, s / 4)
    quat = np.array(q)
    return np.asarray(quat / np.linalg.norm(quat))


def mju_mat2Quat(quat: Array, mat: ArrayLike) -> None:
    """The quaternion of a rotation matrix."""
    _put(_out(quat, 4, "quat"), _from_matrix(_in(mat, 9).tolist()))


def mju_mat2Rot(quat: Array, mat: ArrayLike) -> int:
    """Rotational part of any 3 x 3 matrix, found from the guess in quat. Returns the number of iterations."""
    q = _out(quat, 4, "quat")
    columns = _in(mat, 9).reshape(3, 3).T
    for iteration in range(500):
        R = np.empty(9)
        mju_quat2Mat(R, q)
        r = R.reshape(3, 3).T
        omega = sum(np.cross(r[i], columns[i]) for i in range(3))
        omega = omega / (abs(sum(r[i] @ columns[i] for i in range(3))) + _MINVAL)
        w = float(np.linalg.norm(omega))
        if w < 1e-9:
            return iteration
        _put(q, _mul(np.array(_axis_angle(omega / w, w)), q))
        _normalize(q)
    return 500


def mju_derivQuat(res: Array, quat: ArrayLike, vel: ArrayLike) -> None:
    """Rate of quat at an angular velocity in global axes."""
    _put(_out(res, 4), 0.5 * np.array(_mul(np.concatenate(([0.0], _in(vel, 3))), _in(quat, 4))))


def mju_quatIntegrate(quat: Array, vel: ArrayLike, scale: float) -> None:
    """Turns quat by the angular velocity vel (local axes) for the time scale."""
    v = _in(vel, 3)
    speed = float(np.linalg.norm(v))
    axis = v / speed if speed >= _MINVAL else np.array((1.0, 0.0, 0.0))
    turned = np.array(_mul(_out(quat, 4, "quat").reshape(-1), np.array(_axis_angle(axis, speed * scale))))
    _put(quat, turned / np.linalg.norm(turned))


def mju_quatZ2Vec(quat: Array, vec: ArrayLike) -> None:
    """The shortest rotation that takes the z axis to vec."""
    v = _in(vec, 3)
    length = float(np.linalg.norm(v))
    _put(_out(quat, 4, "quat"), (1, 0, 0, 0))
    if length < _MINVAL:
        return
    v = v / length
    axis = np.array((-v[1], v[0], 0.0))
    sine = float(np.linalg.norm(axis))
    if abs(sine) < 1e-10:
        if v[2] < 0:
            _put(quat, (0, 1, 0, 0))
        return
    _put(quat, _axis_angle(axis / sine, math.atan2(sine, v[2])))


def mju_euler2Quat(quat: Array, euler: ArrayLike, seq: str) -> None:
    """Rotations about three axes in turn: lower case about axes that turn along, upper case about fixed ones."""
    if len(seq) != 3:
        raise FatalError("mju_euler2Quat: seq must contain exactly 3 characters")
    total = np.array((1.0, 0.0, 0.0, 0.0))
    for i, (angle, axis) in enumerate(zip(_in(euler, 3), seq)):
        if axis not in "xyzXYZ":
            raise FatalError(f"mju_euler2Quat: seq[{i}] is '{axis}', should be one of x, y, z, X, Y, Z")
        turn = np.zeros(3)
        turn["xyz".index(axis.lower())] = 1
        q = np.array(_axis_angle(turn, float(angle)))
        total = np.array(_mul(total, q) if axis.islower() else _mul(q, total))
    _put(_out(quat, 4, "quat"), total)


def mju_mulPose(
    posres: Array, quatres: Array, pos1: ArrayLike, quat1: ArrayLike, pos2: ArrayLike, quat2: ArrayLike
) -> None:
    """Pose 2 seen in pose 1."""
    q = np.array(_mul(_in(quat1, 4), _in(quat2, 4)))
    p = _rotate(_in(pos2, 3), _in(quat1, 4)) + _in(pos1, 3)
    _put(_out(posres, 3, "posres"), p)
    _put(_out(quatres, 4, "quatres"), q / np.linalg.norm(q))


def mju_negPose(posres: Array, quatres: Array, pos: ArrayLike, quat: ArrayLike) -> None:
    """The inverse pose."""
    w, x, y, z = _in(quat, 4)
    inverse = np.array((w, -x, -y, -z))
    p = -_rotate(_in(pos, 3), inverse)
    _put(_out(quatres, 4, "quatres"), inverse)
    _put(_out(posres, 3, "posres"), p)


def mju_trnVecPose(res: Array, pos: ArrayLike, quat: ArrayLike, vec: ArrayLike) -> None:
    """A point given in a pose, in the surroundings."""
    _put(_out(res, 3), _rotate(_in(vec, 3), _in(quat, 4)) + _in(pos, 3))


def mjd_subQuat(qa: ArrayLike, qb: ArrayLike, Da: Optional[Array], Db: Optional[Array]) -> None:
    """Derivatives of mju_subQuat by rotations of qa and qb."""
    axis = np.empty(3)
    mju_subQuat(axis, qa, qb)
    angle = float(np.linalg.norm(axis))
    half = angle / 2
    c = 1 - half / math.tan(half) if angle >= 6e-8 else angle * angle / 12
    n = axis / angle if angle >= _MINVAL else np.array((1.0, 0.0, 0.0))
    K = np.array(((0, -n[2], n[1]), (n[2], 0, -n[0]), (-n[1], n[0], 0)))
    D = np.eye(3) + half * K + c * K @ K
    if Da is not None:
        _put(_out(Da, 9, "Da"), D)
    if Db is not None:
        _put(_out(Db, 9, "Db"), -D.T)


def mjd_quatIntegrate(vel: ArrayLike, scale: float, Dquat: Array, Dvel: Array, Dscale: Array) -> None:
    """Derivatives of mju_quatIntegrate, in 3-dimensional tangents."""
    v = _in(vel, 3) * scale
    angle = float(np.linalg.norm(v))
    if angle < _MINVAL:
        n, sinc, cosc = v, 1.0, angle / 2
    else:
        n, sinc, cosc = v / angle, math.sin(angle) / angle, (1 - math.cos(angle)) / angle
    K = np.array(((0, -n[2], n[1]), (n[2], 0, -n[0]), (-n[1], n[0], 0)))
    exp = np.eye(3) - math.sin(angle) * K + (1 - math.cos(angle)) * K @ K
    right = np.eye(3) - cosc * K + (1 - sinc) * K @ K
    if Dquat is not None:
        _put(_out(Dquat, 9, "Dquat"), exp)
    if Dvel is not None:
        _put(_out(Dvel, 9, "Dvel"), right)
    if Dscale is not None:
        _put(_out(Dscale, 3, "Dscale"), right @ _in(vel, 3))


# ---------------------------------------------------------------------------------------------------- decompositions


def mju_cholFactor(mat: Array, mindiag: float) -> int:
    """mat = L L' in place (the upper triangle stays); returns the rank."""
    m = _matrix(_out(mat, None, "mat"))
    n = m.shape[0]
    rank = n
    for j in range(n):
        value = m[j, j] - m[j, :j] @ m[j, :j]
        if value < mindiag:
            value, rank = mindiag, rank - 1
        m[j, j] = math.sqrt(value)
        m[j + 1 :, j] = (m[j + 1 :, j] - m[j + 1 :, :j] @ m[j, :j]) / m[j, j]
    return rank


def mju_cholSolve(res: Array, mat: ArrayLike, vec: ArrayLike) -> None:
    """res = inv(L L') vec."""
    L = np.tril(_matrix(mat))
    _put(_out(res, L.shape[0]), np.linalg.solve(L.T, np.linalg.solve(L, _in(vec, L.shape[0], "vec"))))


def mju_cholUpdate(mat: Array, x: Array, flg_plus: int) -> int:
    """L L' +- x x' in place; returns the rank."""
    m, v = _matrix(_out(mat, None, "mat")), _out(x, None, "x")
    n, rank = m.shape[0], m.shape[0]
    sign = 1 if flg_plus else -1
    for k in range(n):
        if not v[k]:
            continue
        square = m[k, k] ** 2 + sign * v[k] ** 2
        if square < _MINVAL:
            square, rank = _MINVAL, rank - 1
        root = math.sqrt(square)
        c, s = root / m[k, k], v[k] / m[k, k]
        m[k, k] = root
        m[k + 1 :, k] = (m[k + 1 :, k] + sign * s * v[k + 1 :]) / c
        v[k + 1 :] = c * v[k + 1 :] - s * m[k + 1 :, k]
    return rank


def mju_eig3(eigval: Array, eigvec: Array, quat: Array, mat: ArrayLike) -> int:
    """Eigenvalues of a symmetric 3 x 3 matrix in falling order, eigenvectors as columns, and their rotation.

    By Jacobi's rotations of the largest entry off the diagonal, so that signs and order of the vectors are MuJoCo's. Returns how
    many there were.
    """
    A = _in(mat, 9).reshape(3, 3)
    q, part, R = np.array([1.0, 0, 0, 0]), np.zeros(4), np.zeros(9)

    def rotate(axis: int, half: float) -> None:
        nonlocal q
        part[:] = 0
        part[axis + 1] = half
        part[0] = np.sqrt(1 - half * half)
        product = np.zeros(4)
        mju_mulQuat(product, q, part)
        q = product / np.linalg.norm(product)

    rotations = 0
    while True:
        mju_quat2Mat(R, q)
        vectors = R.reshape(3, 3)
        D = vectors.T @ A @ vectors
        values = np.diag(D).copy()
        row, column, axis = max(((0, 1, 2), (0, 2, 1), (1, 2, 0)), key=lambda p: abs(D[p[0], p[1]]))
        if rotations == 500 or abs(D[row, column]) < 1e-12:
            break
        tau = (D[column, column] - D[row, row]) / (2 * D[row, column])
        t = (1 if tau >= 0 else -1) / (abs(tau) + np.sqrt(1 + tau * tau))
        c = 1 / np.sqrt(1 + t * t)
        if c > 1 - 1e-12:
            break
        half = np.sqrt(0.5 - 0.5 * c) * (-1 if tau >= 0 else 1)
        rotate(axis, -half if axis == 1 else half)
        rotations += 1
    for j in (0, 1, 0):
        if values[j] + 1e-12 < values[j + 1]:
            values[[j, j + 1]] = values[[j + 1, j]]
            rotate((j + 2) % 3, np.sqrt(0.5))
    _put(_out(eigval, 3, "eigval"), values)
    mju_quat2Mat(R, q)
    _put(_out(eigvec, 9, "eigvec"), R)
    _put(_out(quat, 4, "quat"), q)
    return rotations


def mju_boxQP(
    res: Array,
    R: Array,
    index: Any,
    H: ArrayLike,
    g: ArrayLike,
    lower: Optional[ArrayLike],
    upper: Optional[ArrayLike],
) -> int:
    """min x'Hx/2 + x'g with bounds, by projected Newton steps from res. Returns the number of free coordinates, -1: failed.

    R receives the Cholesky factor of the free part of H, index (if given) the free coordinates.
    """
    H_, g_ = _matrix(H, "H"), _in(g)
    n = g_.size
    _out(res, n)
    low = np.full(n, -np.inf) if lower is None else _in(lower, n, "lower")
    high = np.full(n, np.inf) if upper is None else _in(upper, n, "upper")
    x = np.clip(res, low, high)
    free = np.ones(n, bool)
    for _ in range(100):
        gradient = H_ @ x + g_
        clamped = ((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0))
        free = ~clamped
        if not free.any() or np.linalg.norm(gradient[free]) < 1e-12 * (1 + np.linalg.norm(g_)):
            break
        try:
            L = np.linalg.cholesky(H_[np.ix_(free, free)])
        except np.linalg.LinAlgError:
            return -1
        step = np.zeros(n)
        step[free] = -np.linalg.solve(L.T, np.linalg.solve(L, gradient[free]))
        value = x @ H_ @ x / 2 + x @ g_
        scale = 1.0
        while scale > 1e-20:
            candidate = np.clip(x + scale * step, low, high)
            if candidate @ H_ @ candidate / 2 + candidate @ g_ <= value + 0.1 * gradient @ (candidate - x):
                break
            scale *= 0.6
        if np.array_equal(candidate, x):
            break
        x = candidate
    count = int(free.sum())
    res[...] = x
    if count:
        factor = np.linalg.cholesky(H_[np.ix_(free, free)])
        R.reshape(-1)[: count * count] = factor.reshape(-1)
    if index is not None:
        index[:count] = np.flatnonzero(free)
    return count


def _band(nband: int, ndense: int, ntotal: int, i: int) -> tuple[int, int, int]:
    """Row i of a band-dense matrix: where its numbers begin, the first column, how many."""
    nsparse = ntotal - ndense
    if i < nsparse:
        first = max(0, i - nband + 1)
        return i * nband + nband - 1 - (i - first), first, i - first + 1
    return nsparse * nband + (i - nsparse) * ntotal, 0, i + 1


def mju_bandDiag(i: int, ntotal: int, nband: int, ndense: int) -> int:
    """Where the diagonal of row i is."""
    start, _, count = _band(nband, ndense, ntotal, i)
    return start + count - 1


def mju_band2Dense(res: Array, mat: ArrayLike, ntotal: int, nband: int, ndense: int, flg_sym: bool) -> None:
    """A band-dense matrix as a full one; with flg_sym both triangles."""
    values = _in(mat, (ntotal - ndense) * nband + ndense * ntotal, "mat")
    full = np.zeros((ntotal, ntotal))
    for i in range(ntotal):
        start, first, count = _band(nband, ndense, ntotal, i)
        full[i, first : first + count] = values[start : start + count]
    if flg_sym:
        full += np.tril(full, -1).T
    _fit(res, full)


def mju_dense2Band(res: Array, mat: ArrayLike, ntotal: int, nband: int, ndense: int) -> None:
    """The lower triangle of a full matrix as a band-dense one."""
    m = _matrix(mat)
    _out(res, (ntotal - ndense) * nband + ndense * ntotal)[...] = 0
    for i in range(ntotal):
        start, first, count = _band(nband, ndense, ntotal, i)
        res[start : start + count] = m[i, first : first + count]


def mju_bandMulMatVec(
    res: Array, mat: ArrayLike, vec: ArrayLike, ntotal: int, nband: int, ndense: int, nvec: int, flg_sym: bool
) -> None:
    """Products of a band-dense matrix with vectors."""
    full = np.empty((ntotal, ntotal))
    mju_band2Dense(full, mat, ntotal, nband, ndense, flg_sym)
    _put(_out(res), (full @ _in(vec, ntotal * nvec, "vec").reshape(nvec, ntotal).T).T)


def mju_cholFactorBand(mat: Array, ntotal: int, nband: int, ndense: int, diagadd: float, diagmul: float) -> float:
    """Cholesky factor of a band-dense matrix in place; returns the least diagonal, 0 if it is not positive."""
    full = np.empty((ntotal, ntotal))
    mju_band2Dense(full, mat, ntotal, nband, ndense, True)
    full[np.diag_indices(ntotal)] += diagadd + diagmul * full.diagonal()
    try:
        L = np.linalg.cholesky(full)
    except np.linalg.LinAlgError:
        return 0.0
    mju_dense2Band(mat, L, ntotal, nband, ndense)
    return float(L.diagonal().min() ** 2)


def mju_cholSolveBand(res: Array, mat: ArrayLike, vec: ArrayLike, ntotal: int, nband: int, ndense: int) -> None:
    """Solves with a factor of mju_cholFactorBand."""
    L = np.empty((ntotal, ntotal))
    mju_band2Dense(L, mat, ntotal, nband, ndense, False)
    mju_cholSolve(res, L, vec)


# ---------------------------------------------------------------------------------------------------- other


def mju_encodePyramid(pyramid: Array, force: ArrayLike, mu: ArrayLike) -> None:
    """Contact force as forces along the edges of a friction pyramid."""
    f, m = _in(force), _in(mu)
    n = f.size - 1
    for k in range(n):
        pyramid[2 * k] = 0.5 * (f[0] / n + f[k + 1] / m[k])
        pyramid[2 * k + 1] = 0.5 * (f[0] / n - f[k + 1] / m[k])


def mju_decodePyramid(force: Array, pyramid: ArrayLike, mu: ArrayLike) -> None:
    """The reverse of mju_encodePyramid."""
    p, m = _in(pyramid), _in(mu)
    _out(force, None, "force")[0] = p.sum()
    for k in range(force.size - 1):
        force[k + 1] = (p[2 * k] - p[2 * k + 1]) * m[k]


def mju_springDamper(pos0: float, vel0: float, Kp: float, Kv: float, dt: float) -> float:
    """Where a mass on a spring and damper is after the time dt."""
    det = Kv * Kv / 4 - Kp
    if det > _MINVAL:
        root = math.sqrt(det)
        r1, r2 = -Kv / 2 + root, -Kv / 2 - root
        c1 = (pos0 * r2 - vel0) / (r2 - r1)
        return c1 * math.exp(r1 * dt) + (pos0 - c1) * math.exp(r2 * dt)
    if det < -_MINVAL:
        w = math.sqrt(-det)
        return math.exp(-Kv * dt / 2) * (pos0 * math.cos(w * dt) + (vel0 + Kv * pos0 / 2) / w * math.sin(w * dt))
    return math.exp(-Kv * dt / 2) * (pos0 + dt * (vel0 + Kv * pos0 / 2))


def mju_min(a: float, b: float) -> float:
    """The smaller one."""
    return float(min(a, b))


def mju_max(a: float, b: float) -> float:
    """The larger one."""
    return float(max(a, b))


def mju_clip(x: float, min: float, max: float) -> float:
    """x within bounds."""
    return float(min if x < min else max if x > max else x)


def mju_sign(x: float) -> float:
    """-1, 0 or 1."""
    return float((x > 0) - (x < 0))


def mju_round(x: float) -> int:
    """The nearest integer; halves away from zero."""
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


def mju_isBad(x: float) -> int:
    """Whether x is not a number or beyond 1e10."""
    return int(not -1e10 <= x <= 1e10)


def mju_sigmoid(x: float) -> float:
    """Twice differentiable step from 0 to 1."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    return x * x * x * (3 * x * (2 * x - 5) + 10)


def mju_Halton(index: int, base: int) -> float:
    """Element of the Halton sequence."""
    if base < 2:
        raise ValueError(f"base: must be at least 2, found {base}")
    value, scale = 0.0, 1.0 / base
    while index > 0:
        index, digit = divmod(index, base)
        value += scale * digit
        scale /= base
    return value


def mju_standardNormal(num2: Optional[Array] = None) -> float:
    """A normal random number; a second one goes to num2."""
    if num2 is not None:
        np.asarray(num2).reshape(-1)[0] = np.random.standard_normal()
    return float(np.random.standard_normal())


def mju_f2n(res: Array, vec: Any) -> None:
    """float32 to float64."""
    mju_copy(res, vec)


def mju_n2f(res: Any, vec: ArrayLike) -> None:
    """float64 to float32."""
    _same(res, vec)
    res[...] = np.reshape(vec, res.shape)


def mju_d2n(res: Array, vec: ArrayLike) -> None:
    """res = vec."""
    mju_copy(res, vec)


def mju_n2d(res: Array, vec: ArrayLike) -> None:
    """res = vec."""
    mju_copy(res, vec)


def mju_insertionSort(list: Array) -> None:
    """Sorts in place."""
    list.sort(kind="stable")


def mju_insertionSortInt(list: Any) -> None:
    """Sorts in place."""
    list.sort(kind="stable")


def mju_muscleGain(len: float, vel: float, lengthrange: ArrayLike, acc0: float, prm: ArrayLike) -> float:
    """Active force of a muscle per activation."""
    r0, r1, force, scale, lmin, lmax, vmax, _, fvmax = _in(prm, 9, "prm")
    low, high = _in(lengthrange, 2, "lengthrange")
    if force < 0:
        force = scale / max(_MINVAL, acc0)
    L0 = (high - low) / max(_MINVAL, r1 - r0)
    L = r0 + (len - low) / max(_MINVAL, L0)
    V = vel / max(_MINVAL, L0 * vmax)
    a, b = (lmin + 1) / 2, (1 + lmax) / 2
    if L < lmin or L > lmax:
        FL = 0.0
    elif L <= a:
        FL = 0.5 * ((L - lmin) / max(_MINVAL, a - lmin)) ** 2
    elif L <= 1:
        FL = 1 - 0.5 * ((1 - L) / max(_MINVAL, 1 - a)) ** 2
    elif L <= b:
        FL = 1 - 0.5 * ((L - 1) / max(_MINVAL, b - 1)) ** 2
    else:
        FL = 0.5 * ((lmax - L) / max(_MINVAL, lmax - b)) ** 2
    y = fvmax - 1
    if V <= -1:
        FV = 0.0
    elif V <= 0:
        FV = (V + 1) ** 2
    elif V <= y:
        FV = fvmax - (y - V) ** 2 / max(_MINVAL, y)
    else:
        FV = fvmax
    return float(-force * FL * FV)


def mju_muscleBias(len: float, lengthrange: ArrayLike, acc0: float, prm: ArrayLike) -> float:
    """Passive force of a muscle."""
    r0, r1, force, scale, _, lmax, _, fpmax, _ = _in(prm, 9, "prm")
    low, high = _in(lengthrange, 2, "lengthrange")
    if force < 0:
        force = scale / max(_MINVAL, acc0)
    L0 = (high - low) / max(_MINVAL, r1 - r0)
    L = r0 + (len - low) / max(_MINVAL, L0)
    b = (1 + lmax) / 2
    if L <= 1:
        return 0.0
    if L <= b:
        return float(-force * fpmax * 0.5 * ((L - 1) / max(_MINVAL, b - 1)) ** 2)
    return float(-force * fpmax * (0.5 + (L - b) / max(_MINVAL, b - 1)))


def mju_muscleDynamics(ctrl: float, act: float, prm: ArrayLike) -> float:
    """Rate of a muscle's activation."""
    tau_act, tau_deact, smooth = _in(prm, 3, "prm")
    ctrl, clamped = min(1.0, max(0.0, ctrl)), min(1.0, max(0.0, act))
    rise, fall = tau_act * (0.5 + 1.5 * clamped), tau_deact / (0.5 + 1.5 * clamped)
    difference = ctrl - act
    if smooth < _MINVAL:
        tau = rise if difference > 0 else fall
    else:
        tau = fall + (rise - fall) * mju_sigmoid(difference / smooth + 0.5)
    return float(difference / max(_MINVAL, tau))


def mju_writeNumBytes(nbytes: int) -> str:
    """A number of bytes, with a unit if it is a multiple of one."""
    for shift, unit in ((60, "E"), (50, "P"), (40, "T"), (30, "G"), (20, "M"), (10, "K")):
        if nbytes >= 1 << shift and nbytes % (1 << shift) == 0:
            return f"{nbytes >> shift}{unit}"
    return str(nbytes)
