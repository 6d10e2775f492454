"""Jacobians, masses, rays, distances, derivatives: what controllers and planners ask between steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._model import Data, Model
from ._named import KINDS, find

Array = NDArray[np.float64]
_STATE = {
    "time": 1, "qpos": 2, "qvel": 4, "act": 8, "history": 16, "qacc_warmstart": 32, "ctrl": 64, "qfrc_applied": 128,
    "xfrc_applied": 256, "eq_active": 512, "mocap_pos": 1024, "mocap_quat": 2048, "userdata": 4096, "tree_asleep": 1 << 24,
    "physics": 2 | 4 | 8 | 16, "full_physics": 1 | 2 | 4 | 8 | 16 | 8192, "integration": 16383,
}  # fmt: skip


def _mask(parts: Union[str, int, list[str], tuple[str, ...]]) -> int:
    if isinstance(parts, int):
        return int(parts)
    mask = 0
    for part in [parts] if isinstance(parts, str) else parts:
        if part not in _STATE:
            raise ValueError(f"{part!r} is no part of the state; there are {', '.join(_STATE)}")
        mask |= _STATE[part]
    return mask


def state_size(model: Model, parts: Any = "full_physics") -> int:
    """How many numbers these parts of the state have. parts: names of arrays, "physics", "full_physics", "integration"."""
    return int(_core.state_size(model, _mask(parts)))


def get_state(model: Model, data: Data, parts: Any = "full_physics") -> Array:
    """Parts of the state as one array, in MuJoCo's order."""
    mask = _mask(parts)
    state = np.empty(_core.state_size(model, mask))
    _core.get_state(model, data, state, mask)
    return state


def set_state(model: Model, data: Data, state: ArrayLike, parts: Any = "full_physics") -> None:
    """The reverse of get_state()."""
    _core.set_state(model, data, state, _mask(parts))


def jacobian(
    model: Model,
    data: Data,
    *,
    body: Any = None,
    site: Any = None,
    geom: Any = None,
    point: Optional[ArrayLike] = None,
) -> tuple[Array, Array]:
    """Jacobians (3, nv) of position and of rotation: of a body's frame, a site, a geom, or a point of a body."""
    chosen = [(k, v) for k, v in (("body", body), ("site", site), ("geom", geom)) if v is not None]
    if len(chosen) != 1:
        raise ValueError("jacobian: say one of body=, site=, geom=")
    kind, key = chosen[0]
    number = find(model, model, kind, key)
    jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    if point is not None:
        if kind != "body":
            raise ValueError("jacobian: a point belongs to a body=")
        _core.jac(model, data, jacp, jacr, point, number)
    else:
        {"body": _core.jac_body, "site": _core.jac_site, "geom": _core.jac_geom}[kind](model, data, jacp, jacr, number)
    return jacp, jacr


def full_mass(model: Model, data: Data) -> Array:
    """The inertia matrix, dense: (nv, nv)."""
    M = np.empty((model.nv, model.nv))
    _core.full_m(model, data, M)
    return M


def multiply_mass(model: Model, data: Data, x: ArrayLike) -> Array:
    """M x."""
    y = np.empty(model.nv)
    _core.mul_m(model, data, y, x)
    return y


def solve_mass(model: Model, data: Data, b: ArrayLike) -> Array:
    """inv(M) b."""
    x = np.empty(model.nv)
    _core.solve_m(model, data, x, b)
    return x


def newton_euler(model: Model, data: Data, with_acceleration: bool = False) -> Array:
    """Force of gravity and motion, plus M qacc if asked for."""
    result = np.empty(model.nv)
    _core.rne(model, data, int(with_acceleration), result)
    return result


def body_forces(model: Model, data: Data) -> None:
    """Computes data.cacc, cfrc_int and cfrc_ext."""
    _core.rne_post_constraint(model, data)


def integrate(model: Model, qpos: ArrayLike, qvel: ArrayLike, dt: float) -> Array:
    """qpos moved by qvel for the time dt, on the manifold of the joints."""
    moved = np.array(qpos, np.float64)
    _core.integrate_pos(model, moved, qvel, dt)
    return moved


def differentiate(model: Model, qpos1: ArrayLike, qpos2: ArrayLike, dt: float = 1) -> Array:
    """The velocity that takes qpos1 to qpos2 in the time dt."""
    qvel = np.empty(model.nv)
    _core.differentiate_pos(model, qvel, dt, qpos1, qpos2)
    return qvel


def contact_force(model: Model, data: Data, contact: int) -> Array:
    """Force and torque of a contact in its own frame, normal first: 6 numbers."""
    result = np.empty(6)
    _core.contact_force(model, data, contact, result)
    return result


def _object(model: Model, kind: str, key: Any) -> tuple[int, int]:
    return KINDS[kind][0], find(model, model, kind, key)


def object_velocity(model: Model, data: Data, kind: str, key: Any, local: bool = False) -> Array:
    """Angular and linear velocity of a body (centre of mass), geom, site or camera: 6 numbers."""
    result = np.empty(6)
    _core.object_velocity(model, data, *_object(model, kind, key), result, int(local))
    return result


def object_acceleration(model: Model, data: Data, kind: str, key: Any, local: bool = False) -> Array:
    """The same for accelerations, gravity included; needs body_forces()."""
    result = np.empty(6)
    _core.object_acceleration(model, data, *_object(model, kind, key), result, int(local))
    return result


@dataclass(frozen=True)
class Hit:
    """The first surface that a ray meets. distance is in units of the direction's length; -1: nothing."""

    distance: float
    point: Array
    normal: Array
    geom: int
    flex: int
    element: int

    def __bool__(self) -> bool:
        return self.distance >= 0


def ray(
    model: Model,
    data: Data,
    origin: ArrayLike,
    direction: ArrayLike,
    *,
    groups: Any = None,
    statics: bool = True,
    flexes: bool = True,
    exclude_body: int = -1,
    cutoff: float = math.inf,
) -> Hit:
    """What a ray meets first: geoms and flexes."""
    return Hit(*_core.ray(model, data, origin, direction, groups, statics, flexes, exclude_body, cutoff))


def rays(model: Model, data: Data, origins: ArrayLike, directions: ArrayLike, **options: Any) -> dict[str, Any]:
    """Many rays at once: arrays distance, normal, geom, flex, element."""
    found = _core.rays(model, data, origins, directions, **options)
    return dict(zip(("distance", "normal", "geom", "flex", "element"), found))


@dataclass(frozen=True)
class Collision:
    """The shortest segment between two colliders; a negative distance is an overlap."""

    distance: float
    found: bool
    start: Array
    end: Array
    element1: int
    element2: int


def distance(
    model: Model,
    data: Data,
    first: tuple[str, Any],
    second: tuple[str, Any],
    cutoff: float = math.inf,
) -> Collision:
    """Signed distance of two colliders, each ("geom", name) or ("flex", name)."""
    return Collision(*_core.distance(model, data, *_object(model, *first), *_object(model, *second), cutoff))


def transition_derivatives(
    model: Model, data: Data, eps: float = 1e-6, centered: bool = False, threads: int = 1
) -> tuple[Array, Array, Array, Array]:
    """A, B, C, D of one step: dx' = A dx + B du, ds = C dx + D du, x = (dq, qvel, act)."""
    return _core.transition_derivatives(model, data, eps, centered, threads)  # type: ignore[no-any-return]


def inverse_derivatives(
    model: Model, data: Data, eps: float = 1e-6, centered: bool = False, threads: int = 1
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """DfDq, DfDv, DfDa, DsDq, DsDv, DsDa of inverse dynamics."""
    return _core.inverse_derivatives(model, data, eps, centered, threads)  # type: ignore[no-any-return]
