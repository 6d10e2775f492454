"""What is drawn: lists of geoms and lights of a scene, and what a program has changed in them."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from .. import _core
from .._model import Data, Model
from .._picture import scene_of, share_pixels
from ._cameras import mjv_cameraFrame, mjv_cameraInModel, mjv_frustumHeight, mjv_updateCamera
from ._enums import mjtCatBit, mjtFrame, mjtGeom, mjtObj, mjtVisFlag
from ._load import share_visual
from ._math import _in, _out, mju_mulQuat, mju_negQuat, mju_quat2Vel
from ._structs import MjvCamera, MjvGeom, MjvLight, MjvOption, MjvPerturb, MjvScene, drawn

# what the flags of mjtVisFlag switch; others have no effect
_FLAGS = {
    "joints": mjtVisFlag.mjVIS_JOINT, "cameras": mjtVisFlag.mjVIS_CAMERA, "actuators": mjtVisFlag.mjVIS_ACTUATOR,
    "lights": mjtVisFlag.mjVIS_LIGHT, "tendons": mjtVisFlag.mjVIS_TENDON, "constraints": mjtVisFlag.mjVIS_CONSTRAINT,
    "inertias": mjtVisFlag.mjVIS_INERTIA, "perturbation": mjtVisFlag.mjVIS_PERTFORCE,
    "contactPoints": mjtVisFlag.mjVIS_CONTACTPOINT, "contactForces": mjtVisFlag.mjVIS_CONTACTFORCE,
    "contactSplit": mjtVisFlag.mjVIS_CONTACTSPLIT, "transparent": mjtVisFlag.mjVIS_TRANSPARENT,
    "centersOfMass": mjtVisFlag.mjVIS_COM, "skins": mjtVisFlag.mjVIS_SKIN,
}  # fmt: skip
_FLEX_FLAGS = (mjtVisFlag.mjVIS_FLEXVERT, mjtVisFlag.mjVIS_FLEXEDGE, mjtVisFlag.mjVIS_FLEXFACE, mjtVisFlag.mjVIS_FLEXSKIN)
_FRAMES = {
    mjtFrame.mjFRAME_NONE: 0, mjtFrame.mjFRAME_WORLD: 1, mjtFrame.mjFRAME_BODY: 2, mjtFrame.mjFRAME_GEOM: 3,
    mjtFrame.mjFRAME_SITE: 4, mjtFrame.mjFRAME_CAMERA: 5,
}  # fmt: skip


def shown_by(option: MjvOption) -> tuple[list[list[bool]], dict[str, bool], int]:
    """Groups, kinds and frames that an MjvOption asks for, as FrameOptions has them."""
    groups = [
        [bool(g) for g in getattr(option, name + "group")]
        for name in ("geom", "site", "joint", "tendon", "actuator", "flex", "skin")
    ]
    if option.frame not in _FRAMES:
        raise NotImplementedError(f"frame: {mjtFrame(option.frame).name} is not drawn; world, body, geom, site and camera are")
    flags = {name: bool(option.flags[flag]) for name, flag in _FLAGS.items()}
    flags["flexes"] = any(bool(option.flags[flag]) for flag in _FLEX_FLAGS)
    return groups, flags, _FRAMES[mjtFrame(option.frame)]


def list_geoms(m: Any, scn: MjvScene, instances: Any, catmask: int = int(mjtCatBit.mjCAT_ALL)) -> None:
    """Lists the geoms and sites that are drawn."""
    visible, pos, mat, rgba, geoms = instances
    bodies = np.concatenate((m.geom_bodyid, m.site_bodyid))
    category = np.where(m.body_weldid[bodies] == 0, int(mjtCatBit.mjCAT_STATIC), int(mjtCatBit.mjCAT_DYNAMIC))
    wanted = (category & catmask) != 0
    seen = np.flatnonzero(visible.astype(bool) & wanted)
    scn.status = int(len(seen) > scn.maxgeom)
    scn._poses = pos, mat, rgba
    scn._hidden = np.concatenate((np.flatnonzero(visible.astype(bool) & ~wanted), seen[scn.maxgeom :]))
    planes = np.cumsum(m.geom_type == int(mjtGeom.mjGEOM_PLANE)) - 1

    def make(i: int) -> MjvGeom:
        is_geom = i < geoms
        k, of = (i, "geom") if is_geom else (i - geoms, "site")
        g = MjvGeom()
        g.type = int(getattr(m, of + "_type")[k])
        size = np.array(getattr(m, of + "_size")[k], np.float32)
        if g.type == mjtGeom.mjGEOM_SPHERE:
            size = size[[0, 0, 0]]
        elif g.type in (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER):
            size = size[[0, 0, 1]]
        g.size, g.pos, g.mat, g.rgba = size, pos[i], mat[i].reshape(3, 3), rgba[i]
        g.objtype, g.objid = int(mjtObj.mjOBJ_GEOM if is_geom else mjtObj.mjOBJ_SITE), k
        g.category, g.transparent = int(category[i]), int(rgba[i][3] < 1)
        if is_geom:
            data = int(m.geom_dataid[k])
            is_mesh = g.type in (mjtGeom.mjGEOM_MESH, mjtGeom.mjGEOM_SDF)
            g.dataid = int(planes[k]) if g.type == mjtGeom.mjGEOM_PLANE else 2 * data if is_mesh else data
            g.modelrbound = float(m.geom_rbound[k])
        material = int(getattr(m, of + "_matid")[k])
        g.matid = material
        if material >= 0:
            g.emission, g.specular = float(m.mat_emission[material]), float(m.mat_specular[material])
            g.shininess, g.reflectance = float(m.mat_shininess[material]), float(m.mat_reflectance[material])
            g.texid, g.texuniform = int(m.mat_texid[material, 1]), int(m.mat_texuniform[material])
            g.texrepeat = m.mat_texrepeat[material]
        return g

    own = seen[: scn.maxgeom].tolist()
    scn.geoms._refill(own, make)
    scn.ngeom = len(own)


_SHAPE = ("type", "size", "dataid")
_LOOK = ("pos", "mat", "rgba")


def changes(scn: MjvScene, pixel: Callable[[Any], float]) -> tuple[list[Any], list[Any]]:
    """What is drawn in addition to the model, and which of its geoms and sites are drawn otherwise."""
    own, count = scn.geoms._own, int(scn.ngeom)
    if not 0 <= count <= scn.maxgeom:
        raise ValueError(f"ngeom: must be 0 to maxgeom = {scn.maxgeom}, found {count}")
    extras: list[Any] = []
    edits: list[Any] = []

    def edit(instance: int, visible: bool, geom: Optional[MjvGeom] = None) -> None:
        pos, mat, rgba = scn._poses
        values = (pos[instance], mat[instance], rgba[instance]) if geom is None else (geom.pos, geom.mat, geom.rgba)
        edits.append((int(instance), visible, *([float(x) for x in np.ravel(v)] for v in values)))

    for i in range(min(count, len(own))):
        first = scn.geoms._first.get(i)
        if first is None:  # nobody has asked for it
            continue
        geom = scn.geoms[i]
        if all(np.array_equal(getattr(geom, n), getattr(first, n)) for n in _SHAPE):
            if not all(np.array_equal(getattr(geom, n), getattr(first, n)) for n in _LOOK):
                edit(own[i], True, geom)
        else:
            edit(own[i], False)
            extras += drawn(geom, pixel)
    for i in range(len(own), count):
        extras += drawn(scn.geoms[i], pixel)
    for instance in [*own[count:], *scn._hidden]:
        edit(instance, False)
    return extras, edits


def mjv_makeLights(m: Any, d: Any, scn: MjvScene) -> None:
    """Lists the headlight and the lights of the model."""
    made = []
    head = m.vis.headlight
    if head.active:
        light = MjvLight()
        eyes = [np.asarray(eye.pos, float) for eye in scn.camera]
        light.id, light.type, light.headlight = -1, 1, 1
        light.pos, light.dir = sum(eyes) / 2, scn.camera[0].forward
        light.ambient, light.diffuse, light.specular = head.ambient, head.diffuse, head.specular
        light.range, light.bulbradius, light.texid = 10.0, 0.02, -1
        made.append(light)
    for i in range(m.nlight):
        if not m.light_active[i]:
            continue
        light = MjvLight()
        light.id, light.type, light.texid = i, int(m.light_type[i]), int(m.light_texid[i])
        light.pos, light.dir = d.light_xpos[i], d.light_xdir[i]
        light.castshadow = int(m.light_castshadow[i])
        for name in ("attenuation", "cutoff", "exponent", "ambient", "diffuse", "specular", "bulbradius", "intensity", "range"):
            value = getattr(m, "light_" + name)[i]
            setattr(light, name, value if np.ndim(value) else float(value))
        made.append(light)
    scn.lights = tuple(made[:100]) + tuple(MjvLight() for _ in range(100 - len(made)))
    scn.nlight = min(100, len(made))


def mjv_updateScene(
    m: Model, d: Data, opt: MjvOption, pert: Optional[MjvPerturb], cam: MjvCamera, catmask: int, scn: MjvScene
) -> None:
    """What is drawn from now on, seen from cam: lists geoms and sites, lights, cameras. catmask: mjtCatBit.

    Tendons, flexes, skins and what explains the state are drawn as opt says, without being listed.
    """
    if not isinstance(scn, MjvScene):
        raise TypeError(f"scn: needs an MjvScene, found {type(scn).__name__}")
    share_visual(m, scene_of(m))
    if scn._frame is None or scn._model is not m:
        scn._frame, scn._model = _core.FrameBase(scene_of(m)), m
    groups, flags, frames = shown_by(opt)
    scn._frame._update(m, d, groups, flags, frames, 0)
    scn._textures = bool(opt.flags[mjtVisFlag.mjVIS_TEXTURE])
    list_geoms(m, scn, scn._frame._instances(), int(catmask))
    mjv_updateCamera(m, d, cam, scn)
    mjv_makeLights(m, d, scn)


# ---------------------------------------------------------------------------------------------- the mouse spring


def mjv_initPerturb(m: Any, d: Any, scn: MjvScene, pert: MjvPerturb) -> None:
    """Begins to pull at the body pert.select, at pert.localpos."""
    body = int(pert.select)
    if not 0 < body < m.nbody:
        raise ValueError(f"pert.select: must be a body from 1 to {m.nbody - 1}, found {body}")
    R = d.xmat[body].reshape(3, 3)
    place = d.xpos[body] + R @ pert.localpos
    jac = np.zeros((3, m.nv))
    _core.jac(m, d, jac, None, place, body)
    response = np.zeros_like(jac)
    if m.nv:
        _core.solve_m(m, d, response, jac)
    mobility = float(np.sum(jac * response))
    pert.localmass = 3 / mobility if mobility > 1e-15 else 1.0
    head, forward, up = np.empty(3), np.empty(3), np.empty(3)
    mjv_cameraInModel(head, forward, up, scn)
    pert.scale = float(np.dot(forward, place - head)) * mjv_frustumHeight(scn)
    quat = np.empty(4)
    mju_mulQuat(quat, d.xquat[body], m.body_iquat[body])
    pert.refpos, pert.refquat, pert.refselpos = d.xipos[body], quat, place


def mjv_applyPerturbPose(m: Any, d: Any, pert: MjvPerturb, flg_paused: int) -> None:
    """Moves the mocap body that is pulled at to its place; in a pause also a body with a free joint."""
    body = int(pert.select)
    if not 0 < body < m.nbody or not int(pert.active) | int(pert.active2):
        return
    back, quat = np.empty(4), np.empty(4)
    mju_negQuat(back, m.body_iquat[body])
    mju_mulQuat(quat, pert.refquat, back)
    place = np.asarray(pert.refpos) - _turned(quat, m.body_ipos[body])
    mocap, root = int(m.body_mocapid[body]), int(m.body_rootid[body])
    if mocap >= 0:
        d.mocap_pos[mocap], d.mocap_quat[mocap] = place, quat
    elif flg_paused and m.body_jntnum[root] == 1 and m.jnt_type[m.body_jntadr[root]] == 0:
        # the tree moves as a whole
        turn, undo, made = np.empty(4), np.empty(4), np.empty(4)
        mju_negQuat(undo, d.xquat[body])
        mju_mulQuat(turn, quat, undo)
        mju_mulQuat(made, turn, d.xquat[root])
        start = int(m.jnt_qposadr[m.body_jntadr[root]])
        d.qpos[start : start + 3] = place + _turned(turn, d.xpos[root] - d.xpos[body])
        d.qpos[start + 3 : start + 7] = made


def _turned(quat: Any, vec: Any) -> Any:
    w, v = quat[0], np.asarray(quat[1:])
    t = 2 * np.cross(v, vec)
    return vec + w * t + np.cross(v, t)


def mjv_applyPerturbForce(m: Any, d: Any, pert: MjvPerturb) -> None:
    """Writes the force of the mouse spring on the body pert.select to d.xfrc_applied, if pert.active says so."""
    body = int(pert.select)
    active = int(pert.active) | int(pert.active2)
    if not active or not 0 < body < m.nbody:
        return
    R = d.xmat[body].reshape(3, 3)
    place = d.xpos[body] + R @ pert.localpos
    twist = np.empty(6)
    _core.object_velocity(m, d, int(mjtObj.mjOBJ_XBODY), body, twist, 0)
    turning, moving = twist[:3], twist[3:] + np.cross(twist[:3], place - d.xpos[body])
    inverse = float(m.body_invweight0[body, 1])
    inertia = 1 / inverse if inverse > 1e-15 else 1.0
    scale = m.vis.map
    if active & 1:
        pull = np.asarray(pert.refselpos) - place
        force = pert.localmass * (scale.stiffness * pull - np.sqrt(scale.stiffness) * moving)
        length = np.linalg.norm(pull)
        axis = pull / length if length > 1e-15 else np.zeros(3)
        # what spins about the spring is damped, too
        spin = inertia * np.sqrt(scale.stiffnessrot) * np.dot(turning, axis) * axis
        d.xfrc_applied[body] = np.concatenate((force, np.cross(place - d.xipos[body], force) - spin))
    if active & 2:
        now, back, apart, angle = np.empty(4), np.empty(4), np.empty(4), np.empty(3)
        mju_mulQuat(now, d.xquat[body], m.body_iquat[body])
        mju_negQuat(back, now)
        mju_mulQuat(apart, pert.refquat, back)
        mju_quat2Vel(angle, apart, 1.0)
        d.xfrc_applied[body, 3:] = inertia * (scale.stiffnessrot * angle - np.sqrt(scale.stiffnessrot) * turning)


def mjv_select(
    m: Any, d: Any, vopt: MjvOption, aspectratio: float, relx: float, rely: float, scn: MjvScene, selpnt: Any,
    geomid: Any, flexid: Any, skinid: Any,
) -> int:
    """The body at a place of the picture (relx, rely from 0 at the left and bottom to 1), -1: none; the point and the geom
    or flex that is seen there. Skins are not asked."""
    for name, out in (("geomid", geomid), ("flexid", flexid), ("skinid", skinid)):
        if not isinstance(out, np.ndarray) or out.dtype != np.int32 or out.size != 1 or not out.flags.writeable:
            raise TypeError(f"{name} should be a writable array of 1 int32, found {out!r}")
    head, forward, up = np.empty(3), np.empty(3), np.empty(3)
    mjv_cameraInModel(head, forward, up, scn)
    height = mjv_frustumHeight(scn)
    right = np.cross(forward, up)
    across = (rely - 0.5) * height * up + (relx - 0.5) * height * aspectratio * right
    is_parallel = bool(scn.camera[0].orthographic)
    start, way = (head + across, forward) if is_parallel else (head, forward + across)
    groups = [bool(g) for g in vopt.geomgroup]
    is_static_shown = bool(vopt.flags[mjtVisFlag.mjVIS_STATIC])
    distance, point, _, geom, flex, _ = _core.ray(m, d, start, way, groups, is_static_shown, True, -1)
    geomid[...], flexid[...], skinid[...] = geom, flex, -1
    if distance < 0:
        return -1
    _out(selpnt, 3, "selpnt")[...] = np.reshape(point, np.shape(selpnt))
    return int(m.geom_bodyid[geom]) if geom >= 0 else -1


__all__ = [n for n in dir() if n.startswith("mjv_")]
_ = (mjv_cameraFrame, share_pixels, _in)
