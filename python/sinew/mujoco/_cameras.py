"""Cameras of scenes: where a picture is taken from, in room and model coordinates, and how the mouse moves it."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._model import Data, Model
from ._enums import mjtCamera, mjtMouse
from ._fatal import FatalError
from ._math import _in, _out, mju_mulPose, mju_negPose, mju_rotVecQuat
from ._structs import MjvCamera, MjvGLCamera, MjvScene

Array = NDArray[np.float64]
_FREE, _TRACKING, _FIXED = (int(k) for k in (mjtCamera.mjCAMERA_FREE, mjtCamera.mjCAMERA_TRACKING, mjtCamera.mjCAMERA_FIXED))


def fixed_id(m: Model, cam: MjvCamera) -> int:
    """The camera of the model that cam stands for, -1: none."""
    if cam.type not in (_FREE, _TRACKING, _FIXED):
        raise FatalError(f"unknown camera type {int(cam.type)}")
    if cam.type == _TRACKING and not 0 <= cam.trackbodyid < m.nbody:
        raise FatalError(f"track body id is outside valid range: {int(cam.trackbodyid)} of {m.nbody}")
    if cam.type != _FIXED:
        return -1
    if not 0 <= cam.fixedcamid < m.ncam:
        raise FatalError(f"fixed camera id is outside valid range: {int(cam.fixedcamid)} of {m.ncam}")
    return int(cam.fixedcamid)


def _axes(m: Model, d: Data, cam: MjvCamera) -> tuple[Array, Array, Array, Array]:
    """Position, forward, up and right of a camera in the model."""
    fixed = fixed_id(m, cam)
    if fixed >= 0:
        R = d.cam_xmat[fixed].reshape(3, 3)
        return d.cam_xpos[fixed].copy(), -R[:, 2], R[:, 1].copy(), R[:, 0].copy()
    a, e = math.radians(cam.azimuth), math.radians(cam.elevation)
    forward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    up = np.array([-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e)])
    target = d.subtree_com[int(cam.trackbodyid)] if cam.type == _TRACKING else np.asarray(cam.lookat)
    return target - cam.distance * forward, forward, up, np.cross(forward, up)


def _is_orthographic(m: Any, cam: MjvCamera) -> bool:
    fixed = fixed_id(m, cam)
    return bool(m.vis.global_.orthographic if fixed < 0 else int(m.cam_projection[fixed]) == 1)


def _frustum(m: Any, cam: MjvCamera) -> tuple[Array, Array, Array]:
    """Half extents of the image in the near plane, upwards and downwards, to the left and to the right (0: they follow
    from the size of the picture), and the distances of the near and far plane."""
    fixed = fixed_id(m, cam)
    scales = m.vis.map
    near, far = scales.znear * m.stat.extent, scales.zfar * m.stat.extent
    orthographic = _is_orthographic(m, cam)
    fovy = float(m.vis.global_.fovy if fixed < 0 else m.cam_fovy[fixed])
    if fixed >= 0 and m.cam_sensorsize[fixed].any():
        width, height = m.cam_sensorsize[fixed]
        fx, fy, px, py = m.cam_intrinsic[fixed]
        vertical = near / fy * np.array([height / 2 - py, height / 2 + py])
        return vertical, near / fx * np.array([width / 2 - px, width / 2 + px]), np.array([near, far])
    half = fovy / 2 if orthographic else near * math.tan(math.radians(fovy) / 2)
    return np.array([half, half]), np.zeros(2), np.array([near, far])


def mjv_cameraFrame(headpos: Optional[Array], forward: Optional[Array], up: Optional[Array], right: Optional[Array], d: Data, cam: MjvCamera) -> None:
    """Position and axes of a camera in the model."""
    for name, out, value in zip(("headpos", "forward", "up", "right"), (headpos, forward, up, right), _axes(d.model, d, cam)):
        if out is not None:
            _out(out, 3, name)[...] = value.reshape(np.shape(out))


def mjv_cameraFrustum(zver: Optional[NDArray[np.float32]], zhor: Optional[NDArray[np.float32]], zclip: Optional[NDArray[np.float32]], m: Model, cam: MjvCamera) -> None:
    """Extents of the image in the near plane: upwards and downwards, left and right (0: by the size of the picture), near and far."""
    for name, out, value in zip(("zver", "zhor", "zclip"), (zver, zhor, zclip), _frustum(m, cam)):
        if out is None:
            continue
        if not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.size != 2 or not out.flags.writeable:
            raise TypeError(f"{name} should be a writable array of 2 float32, found {out!r}")
        out[...] = value.reshape(out.shape)


def mjv_camera2GLCamera(m: Model, d: Data, cam: MjvCamera) -> MjvGLCamera:
    """The middle of the two eyes of a camera, as OpenGL has it."""
    made = MjvGLCamera()
    made.pos, made.forward, made.up, _ = _axes(m, d, cam)
    vertical, horizontal, clip = _frustum(m, cam)
    made.orthographic = int(_is_orthographic(m, cam))
    made.frustum_bottom, made.frustum_top = -vertical[1], vertical[0]
    made.frustum_center, made.frustum_width = (horizontal[1] - horizontal[0]) / 2, horizontal.sum() / 2
    made.frustum_near, made.frustum_far = clip
    return made


def mjv_averageCamera(cam1: MjvGLCamera, cam2: MjvGLCamera) -> MjvGLCamera:
    """The camera between two."""
    made = MjvGLCamera()
    made.pos = (cam1.pos + cam2.pos) / 2
    for name in ("forward", "up"):
        total = np.asarray(getattr(cam1, name), float) + getattr(cam2, name)
        if name == "up":  # at a right angle to forward
            total = total - np.dot(total, made.forward) * np.asarray(made.forward, float)
        length = np.linalg.norm(total)
        setattr(made, name, total / length if length > 1e-15 else ((1, 0, 0) if name == "forward" else (0, 0, 1)))
    for name in MjvGLCamera._defaults:
        if name.startswith("frustum"):
            setattr(made, name, (getattr(cam1, name) + getattr(cam2, name)) / 2)
    made.orthographic = int(bool(cam1.orthographic) or bool(cam2.orthographic))
    return made


def mjv_updateCamera(m: Model, d: Data, cam: MjvCamera, scn: MjvScene) -> None:
    """Places the two eyes of a scene. A tracking camera looks at its body from now on."""
    middle = mjv_camera2GLCamera(m, d, cam)
    fixed = fixed_id(m, cam)
    right = _axes(m, d, cam)[3]
    apart = float(m.cam_ipd[fixed] if fixed >= 0 else m.vis.global_.ipd)  # type: ignore[attr-defined]
    if cam.type == _TRACKING:
        cam.lookat = d.subtree_com[int(cam.trackbodyid)]
    for eye, offset in zip(scn.camera, (-apart / 2, apart / 2)):
        for name in MjvGLCamera._defaults:
            setattr(eye, name, getattr(middle, name))
        eye.pos = np.asarray(middle.pos, float) + offset * right


# ---------------------------------------------------------------------------------------------- room and model


def _pose(scn: MjvScene) -> tuple[Array, Array, float]:
    if scn.scale < 1e-15:
        raise FatalError("mjvScene scale too small")
    return np.asarray(scn.translate, float), np.asarray(scn.rotate, float), float(scn.scale)


def mjv_room2model(modelpos: Array, modelquat: Array, roompos: ArrayLike, roomquat: ArrayLike, scn: MjvScene) -> None:
    """A pose in the room as one in the model. They differ if scn.enabletransform is set."""
    place, turn, scale = _pose(scn)
    pos, quat = _in(roompos, 3, "roompos"), _in(roomquat, 4, "roomquat")
    if scn.enabletransform:
        back, unturn = np.empty(3), np.empty(4)
        mju_negPose(back, unturn, place, turn)
        p, q = np.empty(3), np.empty(4)
        mju_mulPose(p, q, back, unturn, pos, quat)
        pos, quat = p / scale, q
    _out(modelpos, 3, "modelpos")[...] = pos.reshape(np.shape(modelpos))
    _out(modelquat, 4, "modelquat")[...] = quat.reshape(np.shape(modelquat))


def mjv_model2room(roompos: Array, roomquat: Array, modelpos: ArrayLike, modelquat: ArrayLike, scn: MjvScene) -> None:
    """A pose in the model as one in the room. As in MuJoCo it is scaled after it was moved, so that this is the reverse of
    mjv_room2model for scale = 1 only."""
    place, turn, scale = _pose(scn)
    pos, quat = _in(modelpos, 3, "modelpos"), _in(modelquat, 4, "modelquat")
    if scn.enabletransform:
        p, q = np.empty(3), np.empty(4)
        mju_mulPose(p, q, place, turn, pos, quat)
        pos, quat = scale * p, q
    _out(roompos, 3, "roompos")[...] = pos.reshape(np.shape(roompos))
    _out(roomquat, 4, "roomquat")[...] = quat.reshape(np.shape(roomquat))


def mjv_cameraInRoom(headpos: Array, forward: Array, up: Array, scn: MjvScene) -> None:
    """Middle of the eyes of a scene and their axes, in the room."""
    eye = mjv_averageCamera(*scn.camera)
    for name, out, value in (("headpos", headpos, eye.pos), ("forward", forward, eye.forward), ("up", up, eye.up)):
        _out(out, 3, name)[...] = np.asarray(value, float).reshape(np.shape(out))


def mjv_cameraInModel(headpos: Array, forward: Array, up: Array, scn: MjvScene) -> None:
    """Middle of the eyes of a scene and their axes, in the model."""
    pos, quat = np.empty(3), np.empty(4)
    mjv_cameraInRoom(headpos, forward, up, scn)
    mjv_room2model(pos, quat, np.reshape(headpos, 3), (1, 0, 0, 0), scn)
    headpos[...] = pos.reshape(headpos.shape)
    if scn.enabletransform:
        for axis in (forward, up):
            turned = np.empty(3)
            mju_rotVecQuat(turned, np.reshape(axis, 3), quat)
            axis[...] = turned.reshape(axis.shape)


def mjv_frustumHeight(scn: MjvScene) -> float:
    """Height of what is seen at distance 1, m; with parallel rays at every distance."""
    eye = mjv_averageCamera(*scn.camera)
    if eye.frustum_near < 1e-15:
        raise FatalError("mjvScene frustum_near too small")
    height = eye.frustum_top - eye.frustum_bottom
    return float(height if eye.orthographic else height / eye.frustum_near)


def mjv_alignToCamera(res: Array, vec: ArrayLike, forward: ArrayLike) -> None:
    """A vector whose second axis is the horizontal part of forward, in the axes that forward is given in."""
    v, f = _in(vec, 3, "vec"), _in(forward, 3, "forward")
    length = math.hypot(f[0], f[1])
    y = f[:2] / length if length > 1e-15 else np.array([1.0, 0.0])
    _out(res, 3, "res")[...] = np.array([v[0] * y[1] + v[1] * y[0], -v[0] * y[0] + v[1] * y[1], v[2]]).reshape(np.shape(res))


def mjv_moveCamera(m: Model, action: int, reldx: float, reldy: float, cam: MjvCamera) -> None:
    """Moves a camera as the mouse would: reldx, reldy in heights of the window, action of mjtMouse."""
    if cam.type == _FIXED:
        return
    kind = int(action)
    extent = float(m.stat.extent)
    a, e = math.radians(cam.azimuth), math.radians(cam.elevation)
    forward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.array([math.sin(a), -math.cos(a), 0.0])
    ahead = np.array([math.cos(a), math.sin(a), 0.0])
    up = np.cross(right, forward)
    moves = {  # along which axes of the camera
        mjtMouse.mjMOUSE_MOVE_V: (-right, np.array([0.0, 0.0, 1.0])), mjtMouse.mjMOUSE_MOVE_H: (-right, ahead),
        mjtMouse.mjMOUSE_MOVE_V_REL: (right, up), mjtMouse.mjMOUSE_MOVE_H_REL: (right, forward),
    }  # fmt: skip
    free = cam.type == _FREE
    head = np.asarray(cam.lookat) - cam.distance * forward
    if kind in (mjtMouse.mjMOUSE_ROTATE_V, mjtMouse.mjMOUSE_ROTATE_H):
        cam.azimuth -= 180 * reldx
        cam.elevation -= 180 * reldy
    elif kind in (mjtMouse.mjMOUSE_TURN_V, mjtMouse.mjMOUSE_TURN_H):  # about the eye
        if free and kind == mjtMouse.mjMOUSE_TURN_V:
            cam.elevation -= 180 * reldy
        elif free:
            cam.azimuth -= 180 * reldx
    elif kind in moves:
        if free:
            first, second = moves[mjtMouse(kind)]
            scale = 1.0
            if kind in (mjtMouse.mjMOUSE_MOVE_V, mjtMouse.mjMOUSE_MOVE_H):
                # what is looked at keeps its place under the mouse
                vertical, _, clip = _frustum(m, cam)
                scale = vertical.sum() if _is_orthographic(m, cam) else vertical.sum() / clip[0] * cam.distance
            cam.lookat = np.asarray(cam.lookat) + scale * (reldx * first + reldy * second)
    elif kind == mjtMouse.mjMOUSE_ZOOM:
        cam.distance -= math.log(1 + cam.distance / extent / 3) * reldy * 9 * extent
    else:
        raise FatalError(f"mjv_moveCamera: unexpected action {kind}")
    if free and kind in (mjtMouse.mjMOUSE_TURN_V, mjtMouse.mjMOUSE_TURN_H):
        a, e = math.radians(cam.azimuth), math.radians(cam.elevation)
        cam.lookat = head + cam.distance * np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    cam.azimuth = cam.azimuth + 360 if cam.azimuth < -180 else cam.azimuth - 360 if cam.azimuth > 180 else cam.azimuth
    cam.elevation = min(89.0, max(-89.0, cam.elevation))
    cam.distance = min(100 * extent, max(0.01 * extent, cam.distance))


__all__ = [n for n in dir() if n.startswith("mjv_")]
