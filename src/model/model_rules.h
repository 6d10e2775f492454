#pragma once

#include <limits>

/// What the integers of a Model may be, beside the table of its fields: which array counts or indexes what. A saved
/// file is checked against these tables, entry by entry, before anything uses its numbers. Every array of integers or
/// enumerations of SINEW_MODEL_ARRAYS is in exactly one of the first two tables; a test holds us to it.
namespace sinew {

/// No bound: bits, groups, priorities, and numbers that a later check compares with what they must be.
inline constexpr long long kAnyLow = std::numeric_limits<int>::min(), kAnyEnd = 1LL + std::numeric_limits<int>::max();

/// X(array, lowest value, first value that is too high), in terms of the sizes.
#define SINEW_MODEL_BOUNDS(X)                       \
  X(body_parentid, 0, nbody)                        \
  X(body_rootid, 0, nbody)                          \
  X(body_weldid, 0, nbody)                          \
  X(body_mocapid, -1, nmocap)                       \
  X(body_jntnum, 0, njnt + 1)                       \
  X(body_jntadr, -1, njnt)                          \
  X(body_dofnum, 0, nv_rigid + 1)                   \
  X(body_dofadr, -1, nv_rigid)                      \
  X(body_treeid, -1, ntree)                         \
  X(body_geomnum, 0, ngeom + 1)                     \
  X(body_geomadr, -1, ngeom)                        \
  X(body_simple, 0, 3)                              \
  X(body_sameframe, 0, 5)                           \
  X(body_contype, kAnyLow, kAnyEnd)                 \
  X(body_conaffinity, kAnyLow, kAnyEnd)             \
  X(jnt_type, 0, 4)                                 \
  X(jnt_qposadr, 0, nq_rigid)                       \
  X(jnt_dofadr, 0, nv_rigid)                        \
  X(jnt_bodyid, 0, nbody)                           \
  X(jnt_group, kAnyLow, kAnyEnd)                    \
  X(jnt_limited, 0, 2)                              \
  X(jnt_actfrclimited, 0, 2)                        \
  X(jnt_actgravcomp, 0, 2)                          \
  X(dof_bodyid, 0, nbody)                           \
  X(dof_jntid, -1, njnt)                            \
  X(dof_parentid, -1, nv_rigid)                     \
  X(dof_treeid, -1, ntree)                          \
  X(dof_simplenum, 0, nv + 1)                       \
  X(tree_bodyadr, -1, nbody)                        \
  X(tree_bodynum, 0, nbody + 1)                     \
  X(tree_dofadr, 0, nv)                             \
  X(tree_dofnum, 0, nv + 1)                         \
  X(tree_sleep_policy, 0, 6)                        \
  X(M_rownnz, 1, nM + 1)                            \
  X(M_rowadr, 0, nM)                                \
  X(M_colind, 0, nv)                                \
  X(D_rownnz, 1, nD + 1)                            \
  X(D_rowadr, 0, nD)                                \
  X(D_diag, 0, nD)                                  \
  X(D_colind, 0, nv)                                \
  X(mapM2D, -1, nM)                                 \
  X(mapD2M, 0, nD)                                  \
  X(geom_type, 0, 8)                                \
  X(geom_contype, kAnyLow, kAnyEnd)                 \
  X(geom_conaffinity, kAnyLow, kAnyEnd)             \
  X(geom_condim, 1, 7)                              \
  X(geom_bodyid, 0, nbody)                          \
  X(geom_dataid, -1, std::max(nmesh, nhfield))      \
  X(geom_group, kAnyLow, kAnyEnd)                   \
  X(geom_priority, kAnyLow, kAnyEnd)                \
  X(geom_sameframe, 0, 5)                           \
  X(site_type, 0, 9)                                \
  X(site_bodyid, 0, nbody)                          \
  X(site_group, kAnyLow, kAnyEnd)                   \
  X(site_sameframe, 0, 5)                           \
  X(cam_mode, 0, 5)                                 \
  X(cam_bodyid, 0, nbody)                           \
  X(cam_targetbodyid, -1, nbody)                    \
  X(cam_projection, 0, 2)                           \
  X(cam_resolution, 0, kAnyEnd)                     \
  X(cam_output, kAnyLow, kAnyEnd)                   \
  X(mesh_vertadr, 0, nmeshvert + 1)                 \
  X(mesh_vertnum, 0, nmeshvert + 1)                 \
  X(mesh_faceadr, 0, nmeshface + 1)                 \
  X(mesh_facenum, 0, nmeshface + 1)                 \
  X(mesh_graphadr, -1, nmeshgraph)                  \
  X(mesh_face, 0, nmeshvert)                        \
  X(mesh_graph, -1, nmeshgraph + nmeshvert)         \
  X(mesh_extrema, 0, nmeshvert + 1)                 \
  X(mesh_polynum, 0, nmeshpoly + 1)                 \
  X(mesh_polyadr, 0, nmeshpoly + 1)                 \
  X(mesh_polyvertadr, 0, nmeshpolyvert)             \
  X(mesh_polyvertnum, 0, nmeshpolyvert + 1)         \
  X(mesh_polyvert, 0, nmeshvert)                    \
  X(mesh_polymapadr, 0, nmeshpolymap + 1)           \
  X(mesh_polymapnum, 0, nmeshpolymap + 1)           \
  X(mesh_polymap, 0, nmeshpoly)                     \
  X(hfield_nrow, 1, nhfielddata + 1)                \
  X(hfield_ncol, 1, nhfielddata + 1)                \
  X(hfield_adr, 0, nhfielddata)                     \
  X(pair_dim, 1, 7)                                 \
  X(pair_geom1, 0, ngeom)                           \
  X(pair_geom2, 0, ngeom)                           \
  X(pair_bodyid, 0, nbody)                          \
  X(exclude_bodyid, 0, nbody)                       \
  X(cable_jntid, 0, njnt)                           \
  X(eq_type, 0, 7)                                  \
  X(eq_obj1id, 0, kAnyEnd)                          \
  X(eq_obj2id, -1, kAnyEnd)                         \
  X(eq_objtype, 0, 26)                              \
  X(eq_active0, 0, 2)                               \
  X(tendon_adr, 0, nwrap)                           \
  X(tendon_num, 1, nwrap + 1)                       \
  X(tendon_group, kAnyLow, kAnyEnd)                 \
  X(ten_J_rownnz, 0, nJten + 1)                     \
  X(ten_J_rowadr, 0, nJten + 1)                     \
  X(ten_J_colind, 0, nv_rigid)                      \
  X(tendon_limited, 0, 2)                           \
  X(tendon_actfrclimited, 0, 2)                     \
  X(wrap_type, 1, 6)                                \
  X(wrap_objid, -1, kAnyEnd)                        \
  X(actuator_trntype, 0, 7)                         \
  X(actuator_dyntype, 0, 7)                         \
  X(actuator_gaintype, 0, 6)                        \
  X(actuator_biastype, 0, 5)                        \
  X(actuator_ctrladr, 0, nu + 1)                    \
  X(actuator_ctrlnum, 0, nu + 1)                    \
  X(actuator_ctrlspec, 0, 32)                       \
  X(actuator_outadr, 0, nout)                       \
  X(actuator_outnum, 1, 4)                          \
  X(actuator_trnid, -1, kAnyEnd)                    \
  X(actuator_actadr, -1, na)                        \
  X(actuator_actnum, 0, na + 1)                     \
  X(actuator_group, kAnyLow, kAnyEnd)               \
  X(actuator_ctrllimited, 0, 2)                     \
  X(actuator_forcelimited, 0, 2)                    \
  X(actuator_actlimited, 0, 2)                      \
  X(actuator_actearly, 0, 2)                        \
  X(actuator_history, 0, kAnyEnd)                   \
  X(actuator_historyadr, -1, nhistory)              \
  X(sensor_type, 0, 55)                             \
  X(sensor_datatype, 0, 4)                          \
  X(sensor_needstage, 0, 4)                         \
  X(sensor_objtype, 0, 26)                          \
  X(sensor_objid, -1, kAnyEnd)                      \
  X(sensor_reftype, 0, 26)                          \
  X(sensor_refid, -1, kAnyEnd)                      \
  X(sensor_intprm, kAnyLow, kAnyEnd)                \
  X(sensor_dim, 0, nsensordata + 1)                 \
  X(sensor_adr, 0, nsensordata + 1)                 \
  X(sensor_history, 0, kAnyEnd)                     \
  X(sensor_historyadr, -1, nhistory)                \
  X(numeric_adr, 0, nnumericdata + 1)               \
  X(numeric_size, 0, nnumericdata + 1)              \
  X(text_adr, 0, ntextdata)                         \
  X(text_size, 1, ntextdata + 1)                    \
  X(text_data, -128, 256)                           \
  X(tuple_adr, 0, ntupledata)                       \
  X(tuple_size, 1, ntupledata + 1)                  \
  X(tuple_objtype, 0, 26)                           \
  X(tuple_objid, -1, kAnyEnd)                       \
  X(flex_dim, 1, 4)                                 \
  X(flex_dof, 0, 5)                                 \
  X(flex_interp, -2, 3)                             \
  X(flex_rigid, 0, 2)                               \
  X(flex_place, 0, nbody + 1)                       \
  X(flex_group, kAnyLow, kAnyEnd)                   \
  X(flex_vertadr, 0, nflexvert + 1)                 \
  X(flex_vertnum, 1, nflexvert + 1)                 \
  X(flex_pointadr, 0, nflexpoint + 1)               \
  X(flex_pointnum, 1, nflexpoint + 1)               \
  X(flex_edgeadr, 0, nflexedge + 1)                 \
  X(flex_edgenum, 0, nflexedge + 1)                 \
  X(flex_elemadr, 0, nflexelem + 1)                 \
  X(flex_elemnum, 1, nflexelem + 1)                 \
  X(flex_elemdataadr, 0, nflexelemdata + 1)         \
  X(flex_elemedgeadr, 0, nflexelemedge + 1)         \
  X(flex_hingeadr, 0, nflexhinge + 1)               \
  X(flex_hingenum, 0, nflexhinge + 1)               \
  X(flex_shelldataadr, -1, nflexshelldata)          \
  X(flex_shellnum, 0, nflexshelldata + 1)           \
  X(flex_evpairadr, -1, nflexevpair)                \
  X(flex_evpairnum, 0, nflexevpair + 1)             \
  X(flex_cellnum, 1, kAnyEnd)                       \
  X(flex_contype, kAnyLow, kAnyEnd)                 \
  X(flex_conaffinity, kAnyLow, kAnyEnd)             \
  X(flex_condim, 1, 7)                              \
  X(flex_priority, kAnyLow, kAnyEnd)                \
  X(flex_internal, 0, 2)                            \
  X(flex_selfcollide, 0, 5)                         \
  X(flex_activelayers, 0, kAnyEnd)                  \
  X(flex_passive, 0, 2)                             \
  X(flex_law, 0, 4)                                 \
  X(flex_stretch, 0, 2)                             \
  X(flex_bending, 0, 4)                             \
  X(flex_edgeequality, 0, 4)                        \
  X(flexnode_flexid, 0, nflex)                      \
  X(flexnode_pointid, 0, nflexpoint)                \
  X(flexnode_bodyid, 0, nbody)                      \
  X(flexnode_pinned, 0, 2)                          \
  X(flexpoint_flexid, 0, nflex)                     \
  X(flexpoint_nodeid, -1, nflexnode)                \
  X(flexpoint_bodyid, 0, nbody)                     \
  X(flexvert_flexid, 0, nflex)                      \
  X(flexvert_supportadr, -1, nflexsupport)          \
  X(flexvert_supportnum, 0, nflexsupport + 1)       \
  X(flexsupport_pointid, 0, nflexpoint)             \
  X(flex_edge, 0, nflexvert)                        \
  X(flexedge_flexid, 0, nflex)                      \
  X(flexedge_rigid, 0, 2)                           \
  X(flexelem_flexid, 0, nflex)                      \
  X(flex_elem, 0, nflexvert)                        \
  X(flex_elemedge, 0, nflexedge)                    \
  X(flex_elemlayer, 0, kAnyEnd)                     \
  X(flexhinge_flexid, 0, nflex)                     \
  X(flexhinge_vert, 0, nflexvert)                   \
  X(flex_shell, 0, nflexvert)                       \
  X(flex_evpair, 0, std::max(nflexelem, nflexvert)) \
  X(flex_elasticadr, -1, nflexelastic)              \
  X(flexelem_curvadr, 0, nflexcurv + 1)             \
  X(flexelem_curvnum, 0, nflexcurv + 1)             \
  X(flexcurv_hinge, 0, nflexhinge)                  \
  X(flex_bendadr, 0, nflexbend + 1)                 \
  X(flex_bendnum, 0, nflexbend + 1)                 \
  X(flexbend_vert, 0, nflexvert)                    \
  X(flex_jointadr, 0, nflexjoint + 1)               \
  X(flex_jointnum, 0, nflexjoint + 1)               \
  X(flexjoint_point, 0, nflexpoint)                 \
  X(flex_sectionadr, 0, nflexsection + 1)           \
  X(flex_sectionnum, 0, nflexsection + 1)           \
  X(flexsection_point, 0, nflexpoint)               \
  X(flex_celladr, 0, nflexcell + 1)                 \
  X(flex_cellcount, 0, nflexcell + 1)               \
  X(flex_celldataadr, 0, nflexcelldata + 1)         \
  X(flexcell_point, 0, nflexpoint)                  \
  X(flex_cellstiffadr, -1, nflexcellstiff)          \
  X(flex_modeadr, -1, nflexmode)                    \
  X(flex_modenum, 0, nflexmode + 1)                 \
  X(flex_foldadr, 0, nflexfold + 1)                 \
  X(flex_foldnum, 0, nflexfold + 1)                 \
  X(flexfold_face, 0, nflexcell)                    \
  X(flexfold_side, 0, 4)                            \
  X(flex_stiffpart, -1, nstiffpart)                 \
  X(flex_placeadr, 0, nKplace + 1)                  \
  X(stiffpart_dofadr, 0, nstiffdof)                 \
  X(stiffpart_dofnum, 1, nstiffdof + 1)             \
  X(stiff_dof, 0, nv)                               \
  X(dof_stiffrow, -1, nstiffdof)                    \
  X(K_rownnz, 1, nK + 1)                            \
  X(K_rowadr, 0, nK)                                \
  X(K_colind, 0, nstiffdof)                         \
  X(K_place, -1, nK)                                \
  X(name_bodyadr, 0, nnames)                        \
  X(name_jntadr, 0, nnames)                         \
  X(name_geomadr, 0, nnames)                        \
  X(name_siteadr, 0, nnames)                        \
  X(name_camadr, 0, nnames)                         \
  X(name_meshadr, 0, nnames)                        \
  X(name_hfieldadr, 0, nnames)                      \
  X(name_flexadr, 0, nnames)                        \
  X(name_pairadr, 0, nnames)                        \
  X(name_excludeadr, 0, nnames)                     \
  X(name_eqadr, 0, nnames)                          \
  X(name_tendonadr, 0, nnames)                      \
  X(name_actuatoradr, 0, nnames)                    \
  X(name_sensoradr, 0, nnames)                      \
  X(name_numericadr, 0, nnames)                     \
  X(name_textadr, 0, nnames)                        \
  X(name_tupleadr, 0, nnames)                       \
  X(name_keyadr, 0, nnames)                         \
  X(names, -128, 256)

/// X(first, number, total): entries first[i] .. first[i] + number[i] - 1 of arrays with `total` rows. A negative first
/// stands for none.
#define SINEW_MODEL_RANGES(X)                               \
  X(body_jntadr, body_jntnum, njnt)                         \
  X(body_dofadr, body_dofnum, nv_rigid)                     \
  X(body_geomadr, body_geomnum, ngeom)                      \
  X(tree_bodyadr, tree_bodynum, nbody)                      \
  X(tree_dofadr, tree_dofnum, nv)                           \
  X(M_rowadr, M_rownnz, nM)                                 \
  X(D_rowadr, D_rownnz, nD)                                 \
  X(mesh_vertadr, mesh_vertnum, nmeshvert)                  \
  X(mesh_faceadr, mesh_facenum, nmeshface)                  \
  X(mesh_polyadr, mesh_polynum, nmeshpoly)                  \
  X(mesh_polyvertadr, mesh_polyvertnum, nmeshpolyvert)      \
  X(mesh_polymapadr, mesh_polymapnum, nmeshpolymap)         \
  X(tendon_adr, tendon_num, nwrap)                          \
  X(ten_J_rowadr, ten_J_rownnz, nJten)                      \
  X(actuator_ctrladr, actuator_ctrlnum, nu)                 \
  X(actuator_outadr, actuator_outnum, nout)                 \
  X(actuator_actadr, actuator_actnum, na)                   \
  X(sensor_adr, sensor_dim, nsensordata)                    \
  X(numeric_adr, numeric_size, nnumericdata)                \
  X(text_adr, text_size, ntextdata)                         \
  X(tuple_adr, tuple_size, ntupledata)                      \
  X(flex_vertadr, flex_vertnum, nflexvert)                  \
  X(flex_pointadr, flex_pointnum, nflexpoint)               \
  X(flex_edgeadr, flex_edgenum, nflexedge)                  \
  X(flex_elemadr, flex_elemnum, nflexelem)                  \
  X(flex_hingeadr, flex_hingenum, nflexhinge)               \
  X(flex_shelldataadr, flex_shellnum, nflexshelldata)       \
  X(flex_evpairadr, flex_evpairnum, nflexevpair)            \
  X(flexvert_supportadr, flexvert_supportnum, nflexsupport) \
  X(flexelem_curvadr, flexelem_curvnum, nflexcurv)          \
  X(flex_bendadr, flex_bendnum, nflexbend)                  \
  X(flex_jointadr, flex_jointnum, nflexjoint)               \
  X(flex_sectionadr, flex_sectionnum, nflexsection)         \
  X(flex_celladr, flex_cellcount, nflexcell)                \
  X(flex_foldadr, flex_foldnum, nflexfold)                  \
  X(stiffpart_dofadr, stiffpart_dofnum, nstiffdof)          \
  X(K_rowadr, K_rownnz, nK)

/// X(owner, first, number): the arrays of owners (flex of an edge, ...) repeat what the ranges say, range after range.
#define SINEW_MODEL_OWNERS(X)                       \
  X(flexvert_flexid, flex_vertadr, flex_vertnum)    \
  X(flexpoint_flexid, flex_pointadr, flex_pointnum) \
  X(flexedge_flexid, flex_edgeadr, flex_edgenum)    \
  X(flexelem_flexid, flex_elemadr, flex_elemnum)    \
  X(flexhinge_flexid, flex_hingeadr, flex_hingenum)

/// X(array, columns, first row, number of rows, limit): indices that count within their owner, of which there are
/// `limit` each. The first three columns of the table are arrays by owner, the last one too.
#define SINEW_MODEL_LOCALS(X)                                              \
  X(mesh_face, 3, mesh_faceadr, mesh_facenum, mesh_vertnum)                \
  X(flex_edge, 2, flex_edgeadr, flex_edgenum, flex_vertnum)                \
  X(flexhinge_vert, 4, flex_hingeadr, flex_hingenum, flex_vertnum)         \
  X(flexbend_vert, 3, flex_bendadr, flex_bendnum, flex_vertnum)            \
  X(flexjoint_point, 9, flex_jointadr, flex_jointnum, flex_pointnum)       \
  X(flexsection_point, 5, flex_sectionadr, flex_sectionnum, flex_pointnum) \
  X(flexfold_face, 2, flex_foldadr, flex_foldnum, flex_cellcount)

/// X(array): numbers that must be positive where compiling a model demands it.
#define SINEW_MODEL_POSITIVES(X) X(hfield_size)

/// X(array): numbers that must not be negative.
#define SINEW_MODEL_NOT_NEGATIVES(X) \
  X(body_mass)                       \
  X(body_subtreemass)                \
  X(body_inertia)                    \
  X(body_invweight0)                 \
  X(dof_invweight0)                  \
  X(geom_friction)                   \
  X(geom_gap)                        \
  X(geom_restitution)                \
  X(geom_rbound)                     \
  X(pair_friction)                   \
  X(pair_gap)                        \
  X(pair_restitution)                \
  X(flex_radius)                     \
  X(flex_friction)                   \
  X(flex_gap)                        \
  X(flex_restitution)                \
  X(flex_solmix)                     \
  X(flex_young)                      \
  X(flex_poisson)                    \
  X(flex_damping)                    \
  X(flex_edgestiffness)              \
  X(flex_edgedamping)                \
  X(flexnode_mass)                   \
  X(flexedge_length0)                \
  X(dof_M0)                          \
  X(flexnode_invmass)                \
  X(flexnode_stiffness)              \
  X(flexedge_stiffness)              \
  X(flexjoint_stiffness)             \
  X(flexsection_stiffness)           \
  X(flexedge_damping)                \
  X(flexedge_invweight0)             \
  X(tendon_invweight0)               \
  X(tendon_armature)                 \
  X(tendon_frictionloss)

}  // namespace sinew
