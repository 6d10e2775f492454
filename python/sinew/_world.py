"""World: the engine without XML."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import Thing
from ._model import Model

_SOLVERS = {"PGS": 0, "CG": 1, "Newton": 2, "Impulse": 3}
_METHODS = {"newton": 0, "sweep": 1}
_INTEGRATORS = {"Euler": 0, "RK4": 1, "implicit": 2, "implicitfast": 3, "midpoint": 4}
_SOFTS = ("grid", "box", "cylinder", "ellipsoid", "square", "disc", "circle")


def _numbers(value: Union[float, ArrayLike]) -> list[float]:
    return [float(x) for x in np.atleast_1d(np.asarray(value, float)).reshape(-1)]


def _choice(name: str, value: str, table: dict[str, int]) -> int:
    if value not in table:
        raise ValueError(f"{name}: must be one of {', '.join(table)}, found {value!r}")
    return table[value]


class World(_core.WorldBase):
    """Bodies come and go, forces are applied, update(dt) moves time on. What was there keeps its state bit for bit.

        world = sinew.World()
        floor = world.add_static("plane")
        ball = world.add_body("sphere", 0.1, position=[0, 0, 1])
        for _ in range(60):
            world.update(1 / 60)
        print(world.position(ball))

    Shapes: "sphere" (radius), "box" (half sizes), "capsule" and "cylinder" (radius, half length), "ellipsoid" (radii),
    "plane", "mesh" (vertices=, faces=; the size is the thickness of triangles that collide one by one), "heightfield"
    (heights=, an array of rows along y and columns along x; sizes: half sizes in x and y, base below the lowest point).
    """

    def __init__(
        self,
        gravity: Sequence[float] = (0, 0, -9.81),
        *,
        solver: str = "Impulse",
        method: str = "sweep",
        iterations: int = 100,
        tolerance: float = 1e-8,
        erp: float = 0.2,
        slop: float = 0,
        restitution_threshold: float = 0.5,
        integrator: Optional[str] = None,
        sleeping: bool = False,
        threads: int = 1,
    ) -> None:
        super().__init__(
            list(gravity), _choice("solver", solver, _SOLVERS), _choice("method", method, _METHODS), iterations, tolerance,
            erp, slop, restitution_threshold,
            None if integrator is None else _choice("integrator", integrator, _INTEGRATORS), sleeping, threads,
        )  # fmt: skip

    def add_body(
        self,
        shape: str,
        size: Union[float, ArrayLike] = (),
        *,
        name: str = "",
        position: Sequence[float] = (0, 0, 0),
        orientation: Sequence[float] = (1, 0, 0, 0),
        velocity: Sequence[float] = (0, 0, 0),
        angular_velocity: Sequence[float] = (0, 0, 0),
        mass: Optional[float] = None,
        density: float = 1000,
        restitution: float = 0.5,
        friction: float = 0.5,
        torsional_friction: float = 0,
        rolling_friction: float = 0,
        contype: int = 1,
        conaffinity: int = 1,
        linear_damping: float = 0,
        angular_damping: float = 0,
        gravity_factor: float = 1,
        sensor: bool = False,
        user_data: int = 0,
        vertices: Any = (),
        faces: Any = (),
    ) -> Thing:
        """A movable body."""
        return self._add_body(
            shape, _numbers(size), [list(v) for v in vertices], [list(f) for f in faces], name, list(position),
            list(orientation), list(velocity), list(angular_velocity), mass, density, restitution, friction,
            torsional_friction, rolling_friction, contype, conaffinity, linear_damping, angular_damping, gravity_factor,
            sensor, user_data,
        )  # fmt: skip

    def add_static(
        self,
        shape: str,
        size: Union[float, ArrayLike] = (),
        *,
        name: str = "",
        position: Sequence[float] = (0, 0, 0),
        orientation: Sequence[float] = (1, 0, 0, 0),
        restitution: float = 0.5,
        friction: float = 0.5,
        contype: int = 1,
        conaffinity: int = 1,
        surface_velocity: Sequence[float] = (0, 0, 0),
        sensor: bool = False,
        user_data: int = 0,
        vertices: Any = (),
        faces: Any = (),
        heights: Any = None,
    ) -> Thing:
        """Something that never moves. Open and concave meshes collide triangle by triangle, from both sides."""
        sizes = _numbers(size)
        if heights is not None:
            field = np.asarray(heights, float)
            if shape != "heightfield" or field.ndim != 2 or len(sizes) != 3:
                raise ValueError("heights: a heightfield needs a 2-D array, and half sizes in x and y and a base as size")
            sizes += [float(field.shape[0]), float(field.shape[1]), *field.reshape(-1).tolist()]
        return self._add_static(
            shape, sizes, [list(v) for v in vertices], [list(f) for f in faces], name, list(position), list(orientation),
            restitution, friction, contype, conaffinity, list(surface_velocity), sensor, user_data,
        )  # fmt: skip

    def add_kinematic(
        self,
        shape: str,
        size: Union[float, ArrayLike] = (),
        *,
        name: str = "",
        position: Sequence[float] = (0, 0, 0),
        orientation: Sequence[float] = (1, 0, 0, 0),
        velocity: Sequence[float] = (0, 0, 0),
        angular_velocity: Sequence[float] = (0, 0, 0),
        restitution: float = 0.5,
        friction: float = 0.5,
        contype: int = 1,
        conaffinity: int = 1,
        surface_velocity: Sequence[float] = (0, 0, 0),
        sensor: bool = False,
        user_data: int = 0,
        vertices: Any = (),
        faces: Any = (),
    ) -> Thing:
        """Something that moves as it is told; contacts and joints feel its velocity."""
        return self._add_kinematic(
            shape, _numbers(size), [list(v) for v in vertices], [list(f) for f in faces], name, list(position),
            list(orientation), list(velocity), list(angular_velocity), restitution, friction, contype, conaffinity,
            list(surface_velocity), sensor, user_data,
        )  # fmt: skip

    def overlapping(
        self,
        shape: str,
        size: Union[float, ArrayLike],
        position: Sequence[float],
        orientation: Sequence[float] = (1, 0, 0, 0),
    ) -> list[Thing]:
        """What overlaps a sphere, box, capsule, cylinder or ellipsoid at a place; sensors are not seen."""
        return list(self._overlapping(shape, _numbers(size), list(position), list(orientation)))

    @classmethod
    def load(cls, file: Union[str, os.PathLike[str]]) -> World:
        """The World that save() wrote; it goes on bit for bit."""
        world = cls()
        world._load(os.fspath(file))
        return world

    def add_soft(
        self,
        type: str = "grid",
        *,
        name: str = "",
        dim: int = 2,
        count: Sequence[int] = (10, 10, 1),
        spacing: Sequence[float] = (0.05, 0.05, 0.05),
        position: Sequence[float] = (0, 0, 0),
        radius: float = 0.005,
        mass: float = 1,
        young: float = 1e4,
        poisson: float = 0.3,
        damping: float = 0.001,
        thickness: Optional[float] = None,
        velocity: Sequence[float] = (0, 0, 0),
    ) -> Thing:
        """A cable (dim 1), cloth (2) or solid (3)."""
        if type not in _SOFTS:
            raise ValueError(f"type: must be one of {', '.join(_SOFTS)}, found {type!r}")
        if not name:
            name = f"soft{id(object()) % 10**9}"
        return self._add_soft(
            name, _SOFTS.index(type), dim, [int(c) for c in count], [float(s) for s in spacing], list(position), radius, mass,
            young, poisson, damping, thickness if thickness is not None or dim != 2 else 2 * radius, list(velocity),
        )  # fmt: skip

    def add_joint(
        self,
        first: Thing,
        second: Thing,
        kind: str,
        *,
        anchor: Sequence[float] = (0, 0, 0),
        anchor2: Sequence[float] = (0, 0, 0),
        axis: Sequence[float] = (0, 0, 1),
        range: Optional[Sequence[float]] = None,
        spring: Optional[Sequence[float]] = None,
        motor: Optional[Sequence[float]] = None,
        name: str = "",
        collide: bool = False,
    ) -> Thing:
        """Joins two bodies: "fixed", "ball", "hinge", "slide" or "distance". Anchors and axes are in world coordinates.

        spring: stiffness, damping, rest. motor: speed, largest force.
        """
        return self._add_joint(
            first, second, kind, list(anchor), list(anchor2), list(axis), None if range is None else list(range),
            None if spring is None else list(spring), None if motor is None else list(motor), name, collide,
        )  # fmt: skip

    @property
    def model(self) -> Model:
        """A copy of the compiled model."""
        return Model(self._model())
