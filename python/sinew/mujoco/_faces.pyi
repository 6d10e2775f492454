"""What type checkers know of MjModel and MjData: written by python/tools/make_faces.py. Nothing imports it at run time."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from .._model import Data, Model
from ._structs import MjVisual


class MjModel(Model):
    """sinew.Model under MuJoCo's name."""

    @staticmethod
    def from_xml_path(filename: Union[str, os.PathLike[str]], assets: Optional[Mapping[str, bytes]] = None) -> MjModel: ...
    @staticmethod
    def from_xml_string(xml: str, assets: Optional[Mapping[str, Union[bytes, str]]] = None) -> MjModel: ...
    @staticmethod
    def from_binary_path(filename: str, assets: Optional[Mapping[str, bytes]] = None) -> MjModel: ...
    def bind(self, elements: Any) -> Any: ...
    @property
    def vis(self) -> MjVisual: ...

    B_colind: NDArray[np.int32]
    B_rowadr: NDArray[np.int32]
    B_rownnz: NDArray[np.int32]
    actuator_plugin: NDArray[np.int32]
    body_bvhadr: NDArray[np.int32]
    body_bvhnum: NDArray[np.int32]
    body_plugin: NDArray[np.int32]
    bvh_aabb: NDArray[np.float64]
    bvh_child: NDArray[np.int32]
    bvh_depth: NDArray[np.int32]
    bvh_nodeid: NDArray[np.int32]
    dof_Madr: NDArray[np.int32]
    efm0_L: NDArray[np.float64]
    efm0_L_colind: NDArray[np.int32]
    efm0_L_rowadr: NDArray[np.int32]
    efm0_L_rownnz: NDArray[np.int32]
    efm0_dofid: NDArray[np.int32]
    efmC_perm: NDArray[np.int32]
    exclude_signature: NDArray[np.int32]
    flex_bendingadr: NDArray[np.int32]
    flex_bvhadr: NDArray[np.int32]
    flex_bvhnum: NDArray[np.int32]
    flex_centered: NDArray[np.bool_]
    flex_edgeflap: NDArray[np.int32]
    flex_elemtexcoord: NDArray[np.int32]
    flex_flatskin: NDArray[np.bool_]
    flex_node: NDArray[np.float64]
    flex_node0: NDArray[np.float64]
    flex_nodeadr: NDArray[np.int32]
    flex_nodebodyid: NDArray[np.int32]
    flex_nodenum: NDArray[np.int32]
    flex_stiffness: NDArray[np.float64]
    flex_stiffnessadr: NDArray[np.int32]
    flex_texcoord: NDArray[np.float32]
    flex_texcoordadr: NDArray[np.int32]
    flex_vert: NDArray[np.float64]
    flex_vertbodyid: NDArray[np.int32]
    flex_vertedge: NDArray[np.int32]
    flex_vertedgeadr: NDArray[np.int32]
    flex_vertedgenum: NDArray[np.int32]
    flex_vertmetric: NDArray[np.float64]
    flexedge_J_colind: NDArray[np.int32]
    flexedge_J_rowadr: NDArray[np.int32]
    flexedge_J_rownnz: NDArray[np.int32]
    flexvert_J_colind: NDArray[np.int32]
    flexvert_J_rowadr: NDArray[np.int32]
    flexvert_J_rownnz: NDArray[np.int32]
    flg_adhesion: bool
    flg_gravcomp: bool
    flg_surfacevel: bool
    geom_plugin: NDArray[np.int32]
    hfield_pathadr: NDArray[np.int32]
    jnt_actuatorid: NDArray[np.int32]
    mapM2M: NDArray[np.int32]
    mesh_bvhadr: NDArray[np.int32]
    mesh_bvhnum: NDArray[np.int32]
    mesh_facenormal: NDArray[np.int32]
    mesh_facetexcoord: NDArray[np.int32]
    mesh_normal: NDArray[np.float32]
    mesh_normaladr: NDArray[np.int32]
    mesh_normalnum: NDArray[np.int32]
    mesh_octadr: NDArray[np.int32]
    mesh_octnum: NDArray[np.int32]
    mesh_pathadr: NDArray[np.int32]
    mesh_texcoord: NDArray[np.float32]
    mesh_texcoordadr: NDArray[np.int32]
    mesh_texcoordnum: NDArray[np.int32]
    nB: int
    nC: int
    nJfe: int
    nJfv: int
    name_pluginadr: NDArray[np.int32]
    names_map: NDArray[np.int32]
    nbvh: int
    nbvhdynamic: int
    nbvhstatic: int
    nconmax: int
    nefm0L: int
    nefm0dof: int
    nflexbending: int
    nflexstiffness: int
    nflextexcoord: int
    njmax: int
    nmeshnormal: int
    nmeshtexcoord: int
    nnames_map: int
    noct: int
    npaths: int
    nplugin: int
    npluginattr: int
    npluginstate: int
    oct_aabb: NDArray[np.float64]
    oct_child: NDArray[np.int32]
    oct_coeff: NDArray[np.float64]
    oct_depth: NDArray[np.int32]
    pair_signature: NDArray[np.int32]
    paths: bytes
    plugin: NDArray[np.int32]
    plugin_attr: NDArray[np.int8]
    plugin_attradr: NDArray[np.int32]
    plugin_stateadr: NDArray[np.int32]
    plugin_statenum: NDArray[np.int32]
    sensor_plugin: NDArray[np.int32]
    site_dataid: NDArray[np.int32]
    skin_pathadr: NDArray[np.int32]
    tendon_actuatorid: NDArray[np.int32]
    tendon_treeid: NDArray[np.int32]
    tendon_treenum: NDArray[np.int32]
    tex_contenttypeadr: NDArray[np.int32]
    tex_pathadr: NDArray[np.int32]


class MjData(Data):
    """sinew.Data under MuJoCo's name."""

    def bind(self, elements: Any) -> Any: ...

    bvh_aabb_dyn: NDArray[np.float64]
    bvh_active: NDArray[np.bool_]
    dof_island: NDArray[np.int32]
    efc_AR: NDArray[np.float64]
    efc_AR_colind: NDArray[np.int32]
    efc_AR_rowadr: NDArray[np.int32]
    efc_AR_rownnz: NDArray[np.int32]
    efc_J_colind: NDArray[np.int32]
    efc_J_rowadr: NDArray[np.int32]
    efc_J_rownnz: NDArray[np.int32]
    efc_b: NDArray[np.float64]
    efc_diagA: NDArray[np.float64]
    efc_island: NDArray[np.int32]
    flex_hessian_valid: NDArray[np.bool_]
    flexedge_J: NDArray[np.float64]
    flexedge_hessian: NDArray[np.float64]
    flexelem_aabb: NDArray[np.float64]
    flexelem_krot: NDArray[np.float64]
    flexvert_J: NDArray[np.float64]
    flexvert_conage: NDArray[np.int32]
    flexvert_hessian: NDArray[np.float64]
    flexvert_lambda: NDArray[np.float64]
    flexvert_length: NDArray[np.float64]
    iacc: NDArray[np.float64]
    iacc_smooth: NDArray[np.float64]
    iefc_D: NDArray[np.float64]
    iefc_R: NDArray[np.float64]
    iefc_aref: NDArray[np.float64]
    iefc_force: NDArray[np.float64]
    iefc_frictionloss: NDArray[np.float64]
    iefc_id: NDArray[np.int32]
    iefc_state: NDArray[np.int32]
    iefc_type: NDArray[np.int32]
    ifrc_constraint: NDArray[np.float64]
    ifrc_smooth: NDArray[np.float64]
    island_dofadr: NDArray[np.int32]
    island_idofadr: NDArray[np.int32]
    island_iefcadr: NDArray[np.int32]
    island_itreeadr: NDArray[np.int32]
    island_ne: NDArray[np.int32]
    island_nefc: NDArray[np.int32]
    island_nf: NDArray[np.int32]
    island_ntree: NDArray[np.int32]
    island_nv: NDArray[np.int32]
    map_dof2idof: NDArray[np.int32]
    map_efc2iefc: NDArray[np.int32]
    map_idof2dof: NDArray[np.int32]
    map_iefc2efc: NDArray[np.int32]
    map_itree2tree: NDArray[np.int32]
    nA: int
    nJ: int
    nidof: int
    nplugin: int
    plugin: NDArray[np.int32]
    plugin_data: NDArray[np.uint64]
    plugin_state: NDArray[np.float64]
    signature: int
    solver_fwdinv: NDArray[np.float64]
    solver_niter: NDArray[np.int32]
    timer: Any
    tree_island: NDArray[np.int32]
    warning: Any
