"""Arrays of MjModel and MjData that follow from others, under MuJoCo's names."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .._model import Data, Model
from .._picture import Lazy, scene_of

# ---------------------------------------------------------------------------------------------------- dofs and bodies


def _body_dofs(m: Any) -> list[list[int]]:
    """For each body the dofs of its ancestors, its own and those of its subtree, in rising order."""
    own: list[list[int]] = [[] for _ in range(m.nbody)]
    for dof in range(m.nv_rigid):
        own[int(m.dof_bodyid[dof])].append(dof)
    above: list[list[int]] = [[]]
    below = [list(o) for o in own]
    for body in range(1, m.nbody):
        above.append(above[int(m.body_parentid[body])] + own[int(m.body_parentid[body])])
    for body in range(m.nbody - 1, 0, -1):
        below[int(m.body_parentid[body])] += below[body]
    return [sorted(a + b) for a, b in zip(above, below)]


def _starts(counts: Any) -> Any:
    return np.concatenate(([0], np.cumsum(counts)))[: len(counts)].astype(np.int32)


def _rownnz(m: Any) -> Any:
    return np.array([len(r) for r in _body_dofs(m)], np.int32)


def _colind(m: Any) -> Any:
    return np.array([d for r in _body_dofs(m) for d in r], np.int32)


def _reversed_rows(m: Any) -> Any:
    """Entries of M row by row from the diagonal to the root, as places in M, whose rows end with the diagonal."""
    rows = [np.arange(a + n - 1, a - 1, -1) for a, n in zip(m.M_rowadr, m.M_rownnz)]
    return np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32)


def _signature(first: Any, second: Any) -> Any:
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second).astype(np.int64)
    return ((low << 16) + high).astype(np.int32)


def _acting(kind: int, count: str) -> Callable[[Any], Any]:
    """The actuator that adds damping or armature to a joint or tendon, -1: none."""

    def make(m: Any) -> Any:
        found = np.full(getattr(m, count), -1, np.int32)
        for i in range(m.nactuator):
            given = bool(m.actuator_damping[i] or np.any(m.actuator_dampingpoly[i]) or m.actuator_armature[i])
            if given and m.actuator_trntype[i] in ((0, 1) if kind == 0 else (kind,)):
                found[int(m.actuator_trnid[i, 0])] = i
        return found

    return make


def _tendon_trees(m: Any) -> list[list[int]]:
    trees = []
    for t in range(m.ntendon):
        dofs = m.ten_J_colind[m.ten_J_rowadr[t] : m.ten_J_rowadr[t] + m.ten_J_rownnz[t]]
        trees.append(sorted({int(m.dof_treeid[d]) for d in dofs}))
    return trees


def _tendon_treeid(m: Any) -> Any:
    return np.array([([*t, -1, -1])[:2] for t in _tendon_trees(m)], np.int32).reshape(-1, 2)


# ---------------------------------------------------------------------------------------------------- names

_ORDER = (
    "body", "jnt", "geom", "site", "cam", "light", "flex", "mesh", "skin", "hfield", "tex", "mat", "pair", "exclude", "eq",
    "tendon", "actuator", "sensor", "numeric", "text", "tuple", "key", "plugin",
)  # fmt: skip


def _names_map(m: Any) -> Any:
    """Where names are found: a table per kind of twice its size, by a hash of the name; -1: free."""
    tables = []
    text = m.names
    for kind in _ORDER:
        addresses = getattr(m, f"name_{kind}adr")
        table = np.full(2 * len(addresses), -1, np.int32)
        for number, address in enumerate(addresses):
            name = text[address : text.index(b"\0", address)]
            if not name:
                continue
            value = 5381
            for letter in name:
                value = (((value << 5) + value) ^ letter) & 0xFFFFFFFFFFFFFFFF
            place = value % len(table)
            while table[place] >= 0:
                place = (place + 1) % len(table)
            table[place] = number
        tables.append(table)
    return np.concatenate(tables)


# ---------------------------------------------------------------------------------------------------- meshes


def _meshes(m: Any) -> dict[str, Any]:
    """Normals and texture coordinates of all meshes as they are drawn."""
    found = m.__dict__.get("_scene_meshes")
    if found is not None:
        return found  # type: ignore[no-any-return]
    scene = scene_of(m)
    normals, faces, uvs, uvfaces = [np.zeros((0, 3), np.float32)], [np.zeros((0, 3), np.int32)], [np.zeros((0, 2), np.float32)], []
    for i in range(m.nmesh):
        _, normal, uv, triangles = scene.mesh_parts(i)
        normals.append(normal)
        faces.append(triangles)
        uvs.append(uv)
        uvfaces.append(triangles if len(uv) else np.zeros_like(triangles))
    nums, uvnums = [len(n) for n in normals[1:]], [len(u) for u in uvs[1:]]
    found = {
        "normal": np.concatenate(normals), "facenormal": np.concatenate(faces), "texcoord": np.concatenate(uvs),
        "facetexcoord": np.concatenate([np.zeros((0, 3), np.int32), *uvfaces]),
        "normalnum": np.array(nums, np.int32), "normaladr": _starts(nums), "texcoordnum": np.array(uvnums, np.int32),
        "texcoordadr": np.where(np.array(uvnums, int) > 0, _starts(uvnums), -1).astype(np.int32),
    }  # fmt: skip
    m.__dict__["_scene_meshes"] = found
    return found


def _mesh(part: str) -> Callable[[Any], Any]:
    return lambda m: _meshes(m)[part]


# ---------------------------------------------------------------------------------------------------- what is not there


def _fill(count: str, value: int, columns: int = 0, dtype: Any = np.int32) -> Callable[[Any], Any]:
    def make(m: Any) -> Any:
        rows = getattr(getattr(m, "model", m), count)
        return np.full((rows, columns) if columns else rows, value, dtype)

    return make


def _empty(dtype: Any, columns: int = 0) -> Callable[[Any], Any]:
    return lambda m: np.zeros((0, columns) if columns else 0, dtype)


class Unless:
    """An array that is empty in a model without flexes; with flexes Sinew does not have it, as its layout is another."""

    def __init__(self, owner: str, name: str, dtype: Any, columns: int) -> None:
        self.owner, self.name, self.dtype, self.columns = owner, name, dtype, columns
        self.__doc__ = "of MuJoCo's flexes: empty in a model without flexes, missing in others"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        if getattr(instance, "model", instance).nflex:
            from . import MissingName

            raise MissingName(
                f"{self.owner}.{self.name} is part of MuJoCo, but Sinew does not have it: its flexes have coordinates of their own"
            )
        made = instance.__dict__[self.name] = np.zeros((0, self.columns) if self.columns else 0, self.dtype)
        return made


_i, _f, _d, _b = np.int32, np.float32, np.float64, np.bool_
_MODEL: dict[str, tuple[Callable[[Any], Any], str]] = {
    "B_rownnz": (_rownnz, "dofs that move a body or something of its subtree"),
    "B_rowadr": (lambda m: _starts(m.B_rownnz), "first of them in B_colind"),
    "B_colind": (_colind, "these dofs"),
    "dof_Madr": (lambda m: np.array(m.M_rowadr), "first entry of a row of M that begins with the diagonal"),
    "mapM2M": (_reversed_rows, "from M with rows that begin with the diagonal to M"),
    "exclude_signature": (lambda m: _signature(m.exclude_bodyid[:, 0], m.exclude_bodyid[:, 1]), "body1 * 65536 + body2"),
    "pair_signature": (lambda m: _signature(m.pair_bodyid[:, 0], m.pair_bodyid[:, 1]), "body1 * 65536 + body2"),
    "jnt_actuatorid": (_acting(0, "njnt"), "actuator that adds damping or armature, -1: none"),
    "tendon_actuatorid": (_acting(3, "ntendon"), "actuator that adds damping or armature, -1: none"),
    "tendon_treenum": (lambda m: np.array([len(t) for t in _tendon_trees(m)], np.int32), "trees that a tendon moves"),
    "tendon_treeid": (_tendon_treeid, "the first two of them, -1: none"),
    "names_map": (_names_map, "hash tables of the names"),
    # plugins: Sinew has none
    "actuator_plugin": (_fill("nactuator", -1), "plugins: there are none"),
    "body_plugin": (_fill("nbody", -1), "plugins: there are none"),
    "geom_plugin": (_fill("ngeom", -1), "plugins: there are none"),
    "sensor_plugin": (_fill("nsensor", -1), "plugins: there are none"),
    "plugin": (_empty(_i), "plugins: there are none"), "plugin_attr": (_empty(np.int8), "plugins: there are none"),
    "plugin_attradr": (_empty(_i), "plugins: there are none"), "plugin_stateadr": (_empty(_i), "plugins: there are none"),
    "plugin_statenum": (_empty(_i), "plugins: there are none"), "name_pluginadr": (_empty(_i), "plugins: there are none"),
    # trees of boxes are found anew in each step, they are not part of the model
    "body_bvhadr": (_fill("nbody", -1), "trees of boxes: there are none in the model"),
    "body_bvhnum": (_fill("nbody", 0), "trees of boxes: there are none in the model"),
    "mesh_bvhadr": (_fill("nmesh", -1), "trees of boxes: there are none in the model"),
    "mesh_bvhnum": (_fill("nmesh", 0), "trees of boxes: there are none in the model"),
    "mesh_octadr": (_fill("nmesh", -1), "octrees: there are none"), "mesh_octnum": (_fill("nmesh", 0), "octrees: there are none"),
    "bvh_aabb": (_empty(_d, 6), "trees of boxes: there are none in the model"),
    "bvh_child": (_empty(_i, 2), "trees of boxes: there are none in the model"),
    "bvh_depth": (_empty(_i), "trees of boxes: there are none in the model"),
    "bvh_nodeid": (_empty(_i), "trees of boxes: there are none in the model"),
    "oct_aabb": (_empty(_d, 6), "octrees: there are none"), "oct_child": (_empty(_i, 8), "octrees: there are none"),
    "oct_coeff": (_empty(_d, 8), "octrees: there are none"), "oct_depth": (_empty(_i), "octrees: there are none"),
    # names of files are not kept
    "mesh_pathadr": (_fill("nmesh", -1), "names of files are not kept"), "hfield_pathadr": (_fill("nhfield", -1), "names of files are not kept"),
    "tex_pathadr": (_fill("ntex", -1), "names of files are not kept"), "skin_pathadr": (_fill("nskin", -1), "names of files are not kept"),
    # later versions of MuJoCo
    "site_dataid": (_fill("nsite", -1), "meshes of sites: there are none"),
    "tex_contenttypeadr": (_fill("ntex", -1), "names of formats are not kept"),
}  # fmt: skip
for _part in ("normal", "facenormal", "texcoord", "facetexcoord", "normalnum", "normaladr", "texcoordnum", "texcoordadr"):
    _MODEL["mesh_" + _part] = (_mesh(_part), "meshes as they are drawn")
_FLEX_MODEL = {
    "efm0_L": (_d, 0), "efm0_L_colind": (_i, 0), "efm0_L_rowadr": (_i, 0), "efm0_L_rownnz": (_i, 0), "efm0_dofid": (_i, 0),
    "flex_bendingadr": (_i, 0), "flex_bvhadr": (_i, 0), "flex_bvhnum": (_i, 0), "flex_centered": (_b, 0),
    "flex_edgeflap": (_i, 2), "flex_elemtexcoord": (_i, 0), "flex_flatskin": (_b, 0), "flex_node": (_d, 3),
    "flex_node0": (_d, 3), "flex_nodeadr": (_i, 0), "flex_nodebodyid": (_i, 0), "flex_nodenum": (_i, 0),
    "flex_stiffness": (_d, 0), "flex_stiffnessadr": (_i, 0), "flex_texcoord": (_f, 2), "flex_texcoordadr": (_i, 0),
    "flex_vert": (_d, 3), "flex_vertbodyid": (_i, 0), "flex_vertedge": (_i, 2), "flex_vertedgeadr": (_i, 0),
    "flex_vertedgenum": (_i, 0), "flex_vertmetric": (_d, 4), "flexedge_J_colind": (_i, 0), "flexedge_J_rowadr": (_i, 0),
    "flexedge_J_rownnz": (_i, 0), "flexvert_J_colind": (_i, 2), "flexvert_J_rowadr": (_i, 2), "flexvert_J_rownnz": (_i, 2),
    "efmC_perm": (_i, 0),
}  # fmt: skip
_FLEX_DATA = {
    "flexedge_J": (_d, 0), "flexelem_aabb": (_d, 6), "flexelem_krot": (_d, 0), "flexvert_J": (_d, 2), "flexvert_length": (_d, 2),
    "flex_hessian_valid": (_b, 0), "flexedge_hessian": (_d, 9), "flexvert_conage": (_i, 0), "flexvert_hessian": (_d, 6),
    "flexvert_lambda": (_d, 0),
}  # fmt: skip
_DATA: dict[str, tuple[Callable[[Any], Any], str]] = {
    "plugin": (_empty(_i), "plugins: there are none"), "plugin_data": (_empty(np.uint64), "plugins: there are none"),
    "plugin_state": (_empty(_d), "plugins: there are none"),
    "bvh_aabb_dyn": (_empty(_d, 6), "trees of boxes are not kept"), "bvh_active": (_empty(_b), "trees of boxes are not kept"),
}  # fmt: skip


def _size(array: str, doc: str) -> property:
    return property(lambda self: len(getattr(self, array)), doc=doc)


def _number(value: Any, doc: str) -> property:
    return property(lambda self: value, doc=doc)


class _NoFlexes:
    """A size of MuJoCo's flexes: 0 in a model without flexes, missing in others."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.__doc__ = "size of MuJoCo's flexes: 0 in a model without flexes, missing in others"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        if instance.nflex:
            from . import MissingName

            raise MissingName(f"MjModel.{self.name} is part of MuJoCo, but Sinew does not have it: its flexes have coordinates of their own")
        return 0


for _name in ("nJfe", "nJfv", "nefm0L", "nefm0dof", "nflexbending", "nflexstiffness", "nflextexcoord"):
    setattr(Model, _name, _NoFlexes(_name))
for _class, _label, _table, _flexes in ((Model, "MjModel", _MODEL, _FLEX_MODEL), (Data, "MjData", _DATA, _FLEX_DATA)):
    for _name, (_make, _doc) in _table.items():
        if not hasattr(_class, _name):
            setattr(_class, _name, Lazy(_name, _make, _doc))
    for _name, (_dtype, _columns) in _flexes.items():
        if not hasattr(_class, _name):
            setattr(_class, _name, Unless(_label, _name, _dtype, _columns))

for _name, _value in {
    "nB": _size("B_colind", "entries of B_colind"), "nnames_map": _size("names_map", "entries of names_map"),
    "nmeshnormal": _size("mesh_normal", "normals of all meshes"),
    "nmeshtexcoord": _size("mesh_texcoord", "texture coordinates of all meshes"),
    "nbvh": _number(0, "trees of boxes: there are none in the model"),
    "nbvhstatic": _number(0, "trees of boxes: there are none in the model"),
    "nbvhdynamic": _number(0, "trees of boxes: there are none in the model"), "noct": _number(0, "octrees: there are none"),
    "npaths": _number(1, "names of files are not kept"), "paths": _number(b"\0", "names of files are not kept"),
    "flg_gravcomp": property(lambda self: bool(np.any(self.body_gravcomp)), doc="whether gravity compensation acts on a body"),
    "flg_adhesion": property(lambda self: bool(np.any(self.geom_adhesion) or np.any(self.pair_adhesion)), doc="whether something adheres"),
    "flg_surfacevel": property(lambda self: bool(np.any(self.geom_surfacevel)), doc="whether a surface moves along itself"),
}.items():  # fmt: skip
    if not hasattr(Model, _name):
        setattr(Model, _name, _value)


# ---------------------------------------------------------------------------------------------------- islands


def _islands(d: Any) -> dict[str, Any]:
    """Which trees, dofs and rows hang together by constraints, in MuJoCo's numbering."""
    m = d.model
    if m.nflex:
        from . import MissingName

        raise MissingName("islands of models with flexes have no arrays here; sinew.Data.islands tells what the solver did")
    touched = d.constraint_jacobian() != 0
    above = list(range(m.ntree))  # a tree of the same island, itself if it is the first

    def first(tree: int) -> int:
        while above[tree] != tree:
            tree = above[tree]
        return tree

    # rows of one constraint belong together, also one whose own Jacobian happens to be zero
    constraint: dict[tuple[int, int], Any] = {}
    keys = [(min(int(k), 5), int(i)) for k, i in zip(d.efc_type, d.efc_id)]
    for key, row in zip(keys, touched):
        constraint[key] = constraint[key] | row if key in constraint else row
    rows = [np.unique(m.dof_treeid[constraint[key]]) for key in keys]
    seen = np.zeros(m.ntree, bool)
    for trees in rows:
        seen[trees] = True
        for tree in trees[1:]:
            a, b = sorted((first(int(trees[0])), first(int(tree))))
            above[b] = a
    roots = [t for t in range(m.ntree) if seen[t] and first(t) == t]
    number = {t: i for i, t in enumerate(roots)}
    count = len(roots)
    tree_island = np.array([number[first(t)] if seen[t] else -1 for t in range(m.ntree)], np.int32)
    dof_island = tree_island[m.dof_treeid] if m.nv else np.zeros(0, np.int32)
    efc_island = np.array([tree_island[t[0]] if len(t) else -1 for t in rows], np.int32)

    def order(island: Any) -> Any:  # by island, those without one at the end
        return np.argsort(np.where(island < 0, count, island), kind="stable").astype(np.int32)

    def counts(island: Any) -> Any:
        return np.bincount(island[island >= 0], minlength=count)[:count].astype(np.int32)

    def inverse(map: Any) -> Any:
        back = np.empty_like(map)
        back[map] = np.arange(len(map), dtype=np.int32)
        return back

    kinds = np.asarray(d.efc_type)
    idof2dof, iefc2efc = order(dof_island), order(efc_island)
    nidof = int(np.sum(dof_island >= 0))
    found = {
        "tree_island": tree_island, "island_ntree": counts(tree_island), "map_itree2tree": order(tree_island),
        "island_itreeadr": _starts(counts(tree_island)), "dof_island": dof_island, "island_nv": counts(dof_island),
        "island_idofadr": _starts(counts(dof_island)), "map_idof2dof": idof2dof, "map_dof2idof": inverse(idof2dof),
        "island_dofadr": np.array([np.flatnonzero(dof_island == i)[0] for i in range(count)], np.int32),
        "efc_island": efc_island, "island_nefc": counts(efc_island), "island_iefcadr": _starts(counts(efc_island)),
        "island_ne": counts(efc_island[kinds == 0]), "island_nf": counts(efc_island[(kinds == 1) | (kinds == 2)]),
        "map_iefc2efc": iefc2efc, "map_efc2iefc": inverse(iefc2efc), "nidof": nidof,
    }  # fmt: skip
    for name in ("type", "id", "frictionloss", "D", "R", "aref", "state", "force"):
        values = np.asarray(getattr(d, "efc_" + name))
        found["iefc_" + name] = values[iefc2efc] if len(values) else values  # hard rows have no D, R and aref
    dofs = idof2dof[:nidof]
    for name, of in (("ifrc_smooth", "qfrc_smooth"), ("iacc_smooth", "qacc_smooth"), ("iacc", "qacc"), ("ifrc_constraint", "qfrc_constraint")):
        found[name] = getattr(d, of)[dofs]
    return found


def _island(name: str) -> property:
    return property(lambda self: _islands(self)[name], doc="islands of the last evaluation, found when this is asked for: a copy")


for _name in (
    "tree_island", "island_ntree", "map_itree2tree", "island_itreeadr", "dof_island", "island_nv", "island_idofadr", "map_idof2dof",
    "map_dof2idof", "island_dofadr", "efc_island", "island_nefc", "island_iefcadr", "island_ne", "island_nf", "map_iefc2efc",
    "map_efc2iefc", "nidof", "iefc_type", "iefc_id", "iefc_frictionloss", "iefc_D", "iefc_R", "iefc_aref", "iefc_state",
    "iefc_force", "ifrc_smooth", "iacc_smooth", "iacc", "ifrc_constraint",
):  # fmt: skip
    setattr(Data, _name, _island(_name))


# ---------------------------------------------------------------------------------------------------- constraint rows


def _pattern(part: int) -> Callable[[Any], Any]:
    """Part of the pattern of efc_J, which is zero where efc_J is dense."""

    def make(d: Any) -> Any:
        if d.model._is_sparse():
            return d._sparse_J()[part]
        return np.zeros(d.nefc * d.model.nv if part == 2 else d.nefc, np.int32)

    return make


def _is_dual(m: Any) -> bool:
    return bool(m.opt.solver == 0 or m.opt.noslip_iterations > 0)


def _weighted(d: Any) -> Any:
    """J inv(M) J' + diag(R), which the solvers that work on forces invert; without rows, or with another solver: None."""
    if not _is_dual(d.model) or not d.nefc:
        return None
    from .. import _core

    J = d.constraint_jacobian()
    X = np.zeros_like(J)
    _core.solve_m(d.model, d, X, J)
    return J @ X.T + np.diag(d.efc_R)


def _weighted_entries(d: Any) -> tuple[Any, Any, Any, Any]:
    """rownnz, rowadr, colind, values of efc_AR: rows that share a tree meet."""
    if not _is_dual(d.model):
        return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0)
    A = _weighted(d)
    if A is None:
        A = np.zeros((0, 0))
    if not d.model._is_sparse():
        n = len(A)
        return np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(0, np.int32), A.reshape(-1)
    meet = A != 0
    rows, columns = np.nonzero(meet)
    counts = np.bincount(rows, minlength=len(A)).astype(np.int32)
    return counts, _starts(counts), columns.astype(np.int32), A[meet]


def _bias(d: Any) -> Any:
    """J qacc_smooth - aref."""
    return d.constraint_jacobian() @ d.qacc_smooth - d.efc_aref


_COPY = ", found when this is asked for: a copy"
for _name, _make_rows, _doc in (
    ("efc_J_rownnz", _pattern(0), "entries of each row of efc_J"), ("efc_J_rowadr", _pattern(1), "first entry of each row of efc_J"),
    ("efc_J_colind", _pattern(2), "dofs of the entries of efc_J"), ("nJ", lambda d: len(d.efc_J), "entries of efc_J"),
    ("efc_b", _bias, "J qacc_smooth - aref: acceleration of the rows without forces, less what they aim at"),
    ("efc_AR", lambda d: _weighted_entries(d)[3], "J inv(M) J' + diag(R), where mj_isDual says so"),
    ("efc_AR_rownnz", lambda d: _weighted_entries(d)[0], "entries of each row of efc_AR"),
    ("efc_AR_rowadr", lambda d: _weighted_entries(d)[1], "first entry of each row of efc_AR"),
    ("efc_AR_colind", lambda d: _weighted_entries(d)[2], "columns of the entries of efc_AR"),
    ("nA", lambda d: len(d.efc_AR), "entries of efc_AR"),
    ("efc_diagA", lambda d: d.efc_diagApprox, "approximate diagonal of J inv(M) J'"),
):  # fmt: skip
    setattr(Data, _name, property(_make_rows, doc=_doc + _COPY))


def _fwdinv(self: Any) -> Any:
    found = self.__dict__.get("_solver_fwdinv")
    if found is None:
        found = self.__dict__["_solver_fwdinv"] = np.zeros(2)
    return found


setattr(Data, "solver_fwdinv", property(_fwdinv, doc="What mj_compareFwdInv found: norms of differences of forces."))
