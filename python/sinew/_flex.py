"""Flexes as objects: data.flex("cloth")."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import nearest

Array = NDArray[np.float64]


class Flex:
    """A cable, cloth or solid in a Data. Vertices and elements are counted within the flex."""

    __slots__ = ("_data", "id", "name")

    def __init__(self, data: Any, index: int) -> None:
        self._data = data
        self.id = index
        self.name: str = data.model._name(9, index) or ""

    # ---- where things are

    @property
    def _vertices(self) -> slice:
        m = self._data.model
        start = int(m.flex_vertadr[self.id])
        return slice(start, start + int(m.flex_vertnum[self.id]))

    @property
    def _elements(self) -> slice:
        m = self._data.model
        start = int(m.flex_elemadr[self.id])
        return slice(start, start + int(m.flex_elemnum[self.id]))

    @property
    def _nodes(self) -> Optional[slice]:
        """Its nodes, if each vertex is one."""
        m = self._data.model
        nodes = np.flatnonzero(m.flexnode_flexid == self.id)
        if m.flex_interp[self.id] or len(nodes) != m.flex_vertnum[self.id]:
            return None
        return slice(int(nodes[0]), int(nodes[0]) + len(nodes))

    def __len__(self) -> int:
        """Number of vertices."""
        return int(self._data.model.flex_vertnum[self.id])

    @property
    def dim(self) -> int:
        """1: cable, 2: cloth, 3: solid."""
        return int(self._data.model.flex_dim[self.id])

    @property
    def elements(self) -> NDArray[np.int32]:
        """Vertices of each element: (number, dim + 1)."""
        m = self._data.model
        start, dim = int(m.flex_elemdataadr[self.id]), self.dim
        return np.array(m.flex_elem[start : start + int(m.flex_elemnum[self.id]) * (dim + 1)]).reshape(-1, dim + 1)

    @property
    def positions(self) -> Array:
        """Positions of the vertices, m: (n, 3).

        Where vertices have coordinates of their own, a view of the present ones, and writing to it moves them. Else those
        of the last evaluation, read-only.
        """
        d, nodes = self._data, self._nodes
        if nodes is None:
            copy = np.array(d.flexvert_xpos[self._vertices])
            copy.flags.writeable = False
            return copy
        start = d.model.nq_rigid
        return d.qpos[start + 3 * nodes.start : start + 3 * nodes.stop].reshape(-1, 3)  # type: ignore[no-any-return]

    @property
    def velocities(self) -> Array:
        """Velocities of the vertices, m/s: (n, 3); a view or a copy as positions."""
        d, nodes = self._data, self._nodes
        if nodes is None:
            m = d.model
            first = self._vertices.start
            made = np.array([_core.flex_vertex_velocity(m, d, first + i) for i in range(len(self))]).reshape(-1, 3)
            made.flags.writeable = False
            return made
        start = d.model.nv_rigid
        return d.qvel[start + 3 * nodes.start : start + 3 * nodes.stop].reshape(-1, 3)  # type: ignore[no-any-return]

    def set_positions(self, positions: ArrayLike) -> None:
        """Moves all vertices: (n, 3)."""
        self._set("positions", self.positions, positions)

    def set_velocities(self, velocities: ArrayLike) -> None:
        """Sets all velocities: (n, 3)."""
        self._set("velocities", self.velocities, velocities)

    def _set(self, name: str, array: Array, values: ArrayLike) -> None:
        given = np.asarray(values, np.float64)
        if given.shape != array.shape:
            raise ValueError(f"{name} of flex {self.name!r}: needs shape {array.shape}, found {given.shape}")
        if not np.all(np.isfinite(given)):
            raise ValueError(f"{name} of flex {self.name!r}: all numbers must be finite")
        if not array.flags.writeable:
            raise ValueError(f"flex {self.name!r} has no coordinates for its vertices: set those of its bodies or nodes")
        array[...] = given

    # ---- what it feels

    def _measured(self, name: str, rows: slice) -> Array:
        d = self._data
        _core.measure_flexes(d.model, d)
        return np.array(getattr(d, name)[rows])

    @property
    def forces(self) -> Array:
        """Contact force on each vertex, N: (n, 3), of the last evaluation."""
        return self._measured("flexvert_force", self._vertices)

    @property
    def strain(self) -> Array:
        """Green's strain of each element, xx yy zz xy yz zx: (elements, 6), of the last evaluation."""
        return self._measured("flexelem_strain", self._elements)

    @property
    def stress(self) -> Array:
        """Cauchy's stress of each element, Pa, in the same order, of the last evaluation."""
        return self._measured("flexelem_stress", self._elements)

    @property
    def von_mises(self) -> Array:
        """Von Mises' stress of each element, Pa."""
        s = self.stress
        xx, yy, zz, xy, yz, zx = s.T
        return np.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * (xy**2 + yz**2 + zx**2))  # type: ignore[no-any-return]

    @property
    def reactions(self) -> Array:
        """Force that holds each point that is pinned or rides on a body, N: (points, 3)."""
        m = self._data.model
        start = int(m.flex_pointadr[self.id])
        return self._measured("flexpoint_reaction", slice(start, start + int(m.flex_pointnum[self.id])))

    @property
    def energy(self) -> float:
        """Elastic energy, J."""
        _core.measure_flexes(self._data.model, self._data)
        return float(self._data.flex_energy[self.id])

    @property
    def pinned(self) -> NDArray[np.bool_]:
        """Whether each vertex never moves."""
        nodes = self._nodes
        if nodes is None:
            raise ValueError(f"flex {self.name!r} has no coordinates for its vertices")
        return np.array(self._data.model.flexnode_pinned[nodes])

    def apply_force(self, vertex: int, force: ArrayLike) -> None:
        """Adds a force on a vertex, N, to data.qfrc_applied."""
        d = self._data
        if not 0 <= vertex < len(self):
            raise IndexError(f"vertex {vertex}: flex {self.name!r} has {len(self)}")
        _core.apply_flex_force(d.model, d, force, self._vertices.start + vertex, d.qfrc_applied)

    # ---- holding and letting go

    def _ids(self, vertices: Union[int, Iterable[int], Any]) -> list[int]:
        array = np.atleast_1d(np.asarray(vertices))
        if array.dtype == bool:
            if array.shape != (len(self),):
                raise ValueError(f"a mask of vertices needs {len(self)} entries, found {array.size}")
            array = np.flatnonzero(array)
        found = [int(i) for i in array.reshape(-1)]
        for i in found:
            if not 0 <= i < len(self):
                raise IndexError(f"vertex {i}: flex {self.name!r} has {len(self)}")
        if self._nodes is None:
            raise ValueError(f"flex {self.name!r} has no coordinates for its vertices: these cannot be held one by one")
        return found

    def nearest(self, point: ArrayLike) -> int:
        """The vertex nearest to a point."""
        return int(np.argmin(np.linalg.norm(self.positions - np.asarray(point, float), axis=1)))

    def _spec(self) -> Any:
        return self._data.model._spec()

    def _element(self, spec: Any) -> Any:
        for kind in ("flexcomp", "flex"):
            found = spec.find(kind, self.name)
            if found is not None:
                return found
        raise ValueError(f"flex {self.name!r} is not in the description of the model")

    def _replace(self, spec: Any) -> None:
        """The model and this Data become those of the changed description; the state stays."""
        from ._model import _SOURCES
        from ._spec import _COMPILED

        d, m = self._data, self._data.model
        model, data = spec.recompile(m, d)
        entry = _COMPILED[model]
        m._become(model)
        d._become(data)
        _COMPILED[m] = entry
        _SOURCES[m] = _SOURCES[model]
        self.id = m._find(9, self.name)

    def pin(self, vertices: Union[int, Iterable[int], Any]) -> None:
        """From now on these vertices (numbers, or a mask) stay where they are. Moving them is by set_positions().

        The model is compiled anew and the state kept bit for bit. Views of arrays that were made before belong to the
        past; data.qpos and the like give new ones.
        """
        ids = self._ids(vertices)
        spec = self._spec()
        element = self._element(spec)
        element.add("pin", id=ids)
        self._replace(spec)
        self.velocities[ids] = 0

    def attach(
        self,
        body: str,
        vertices: Union[int, Iterable[int], Any, None] = None,
        *,
        point: Optional[ArrayLike] = None,
        solref: Optional[ArrayLike] = None,
        solimp: Optional[ArrayLike] = None,
    ) -> list[str]:
        """Holds vertices at a body, where they are now: those given, or the one nearest to a point, or to the body.

        solref, solimp: how stiff the constraints are. They are as stiff as the timestep allows unless given: a vertex is
        light, and with MuJoCo's usual values the weight of a cloth that hangs on one moves it by a centimetre.
        Returns the names of the constraints, for release(). As with pin(), the model is compiled anew.
        """
        d, m = self._data, self._data.model
        stiffness = {
            "solref": np.asarray((2 * m.opt.timestep, 1) if solref is None else solref, float),
            "solimp": np.asarray((0.99, 0.999, 0.001) if solimp is None else solimp, float),
        }
        for key, value in stiffness.items():
            if value.ndim != 1 or not 1 <= value.size <= (2 if key == "solref" else 5) or not np.all(np.isfinite(value)):
                raise ValueError(f"{key}: needs up to {2 if key == 'solref' else 5} numbers, found {value.tolist()}")
        number = m._find(1, body)
        if number < 0:
            names = [m._name(1, i) or "" for i in range(m.nbody)]
            raise KeyError(f"Invalid name {body!r}: there is no body of this name; {nearest(body, names)}")
        if vertices is None:
            _core.forward(m, d)
            vertices = [self.nearest(d.xpos[number] if point is None else point)]
        ids = self._ids(vertices)
        spec = self._spec()
        self._element(spec)
        taken = {e.name for e in spec.all("equality")}
        made = []
        for vertex in ids:
            name = next(n for k in range(10**6) if (n := f"{self.name}_attach_{vertex}" + (f"_{k}" if k else "")) not in taken)
            taken.add(name)
            spec.add_equality(
                type="connect", name=name, body1=f"{self.name}_{vertex}", body2=body, anchor=[0, 0, 0], **stiffness
            )
            made.append(name)
        points = self.positions[ids].copy()
        self._replace(spec)
        body_id = m._find(1, body)
        _core.forward(m, d)
        R = d.xmat[body_id].reshape(3, 3)
        for name, place in zip(made, points):
            equality = m._find(17, name)
            m.eq_data[equality, 3:6] = R.T @ (place - d.xpos[body_id])
        return made

    def release(self, names: Union[str, Iterable[str], None] = None) -> None:
        """Lets go what attach() holds: constraints by name, or all of this flex."""
        d, m = self._data, self._data.model
        if names is None:
            start = f"{self.name}_attach_"
            chosen = [i for i in range(m.neq) if (m._name(17, i) or "").startswith(start)]
            if not chosen:
                raise ValueError(f"nothing holds flex {self.name!r}: attach() does")
        else:
            chosen = [d.equality(n).id for n in ([names] if isinstance(names, str) else names)]
        d.eq_active[chosen] = False

    def unpin(self) -> None:
        """Lets go all pinned vertices."""
        spec = self._spec()
        element = self._element(spec)
        for child in list(element._node):
            if child.tag == "pin":
                element._node.remove(child)
        self._replace(spec)

    def __repr__(self) -> str:
        return f"<Flex {self.name!r}: {len(self)} vertices, {self._elements.stop - self._elements.start} elements>"
