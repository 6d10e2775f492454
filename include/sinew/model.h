#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/fields.h"
#include "sinew/option.h"
#include "sinew/types.h"

namespace sinew {

/// Sizes of a Model: X(name, "what it counts").
#define SINEW_MODEL_SIZES(X)                                                         \
  X(nq, "generalized coordinates")                                                   \
  X(nv, "degrees of freedom")                                                        \
  X(nq_rigid, "coordinates of joints; those of flex nodes follow")                   \
  X(nv_rigid, "dofs of joints; those of flex nodes follow")                          \
  X(nu, "controls")                                                                  \
  X(nactuator, "actuators")                                                          \
  X(nout, "scalar actuator forces: one per actuator, three for orientations")        \
  X(na, "activation variables")                                                      \
  X(nbody, "bodies, the world included")                                             \
  X(njnt, "joints")                                                                  \
  X(ntree, "kinematic trees")                                                        \
  X(nM, "entries of the lower triangle of the inertia matrix M")                     \
  X(nD, "entries of the symmetric pattern D (derivatives)")                          \
  X(ngeom, "geoms")                                                                  \
  X(nsite, "sites")                                                                  \
  X(ncam, "cameras")                                                                 \
  X(nmesh, "meshes")                                                                 \
  X(nmeshvert, "vertices of all meshes")                                             \
  X(nmeshface, "triangles of all meshes")                                            \
  X(nmeshgraph, "ints in the hull graphs of all meshes")                             \
  X(nmeshpoly, "hull polygons of all meshes")                                        \
  X(nmeshpolyvert, "vertices of all hull polygons")                                  \
  X(nmeshpolymap, "polygons per vertex, all meshes")                                 \
  X(nhfield, "height fields")                                                        \
  X(nhfielddata, "elevations of all height fields")                                  \
  X(nflex, "flexes")                                                                 \
  X(nflexnode, "flex nodes: points with three coordinates of their own")             \
  X(nflexpoint, "points that carry flexes: nodes, or points of bodies")              \
  X(nflexvert, "vertices of all flexes")                                             \
  X(nflexsupport, "points that carry the vertices of interpolated flexes")           \
  X(nflexedge, "edges of all flexes")                                                \
  X(nflexelem, "elements of all flexes")                                             \
  X(nflexelemdata, "vertex ids of all elements")                                     \
  X(nflexelemedge, "edge ids of all elements")                                       \
  X(nflexhinge, "pairs of triangles that share an edge")                             \
  X(nflexshelldata, "vertex ids of all boundary fragments")                          \
  X(nflexevpair, "element-vertex pairs that may collide inside a flex")              \
  X(nflexelastic, "constants of the elements that resist strain")                    \
  X(nflexbend, "consecutive segments of rods that resist bending")                   \
  X(nflexjoint, "joints of rods with twist: of two segments, or at a clamp")         \
  X(nflexsection, "segments of rods with twist, three points each")                  \
  X(nflexcurv, "shares of fold angles in the curvature of triangles")                \
  X(nflexfold, "folds of interpolated shells")                                       \
  X(nflexcell, "cells of interpolated flexes that resist strain")                    \
  X(nflexcelldata, "point ids of all cells")                                         \
  X(nflexcellstiff, "entries of the cells' stiffness matrices")                      \
  X(nflexmode, "numbers in the strain modes of all flexes")                          \
  X(nstiffpart, "sets of dofs that are coupled by the implicit stiffness of flexes") \
  X(nstiffdof, "dofs of all these sets")                                             \
  X(nK, "entries of the lower triangles of the matrices that couple them")           \
  X(nKplace, "pairs of points of all elastic elements")                              \
  X(npair, "explicit contact pairs")                                                 \
  X(nexclude, "excluded body pairs")                                                 \
  X(ncable, "joints that bend and twist elastically, as those of cables do")         \
  X(neq, "equality constraints")                                                     \
  X(nhistory, "numbers in the buffers of delayed controls and sensors")              \
  X(ntendon, "tendons")                                                              \
  X(nwrap, "path elements of all tendons")                                           \
  X(nJten, "entries of all tendon Jacobians")                                        \
  X(nJmom, "most entries the actuator moments can have")                             \
  X(nsensor, "sensors")                                                              \
  X(nsensordata, "numbers in the sensor vector")                                     \
  X(nnumeric, "custom numeric fields")                                               \
  X(nnumericdata, "numbers in all of them")                                          \
  X(ntext, "custom text fields")                                                     \
  X(ntextdata, "characters in all of them, terminating zeros included")              \
  X(ntuple, "custom tuples")                                                         \
  X(ntupledata, "entries of all tuples")                                             \
  X(nkey, "keyframes")                                                               \
  X(nmocap, "mocap bodies")                                                          \
  X(nuserdata, "user numbers in Data")                                               \
  X(nuser_body, "user numbers per body")                                             \
  X(nuser_jnt, "user numbers per joint")                                             \
  X(nuser_geom, "user numbers per geom")                                             \
  X(nuser_site, "user numbers per site")                                             \
  X(nuser_cam, "user numbers per camera")                                            \
  X(nuser_tendon, "user numbers per tendon")                                         \
  X(nuser_actuator, "user numbers per actuator")                                     \
  X(nuser_sensor, "user numbers per sensor")                                         \
  X(ngravcomp, "bodies with gravity compensation")                                   \
  X(nnames, "characters in `names`")

/// Arrays of a Model: X(element type, name, rows, columns, "what it is, units"). This table is the one source for the
/// members below, printing, comparing, hashing, saving and the bindings. Rows and columns are in terms of the sizes.
#define SINEW_MODEL_ARRAYS(X)                                                                                          \
  X(double, qpos0, nq, 1, "coordinates of the reference configuration")                                                \
  X(double, qpos_spring, nq, 1, "coordinates at which springs are relaxed")                                            \
  /* bodies: depth first, body 0 is the world */                                                                       \
  X(int, body_parentid, nbody, 1, "parent body")                                                                       \
  X(int, body_rootid, nbody, 1, "topmost ancestor below the world")                                                    \
  X(int, body_weldid, nbody, 1, "nearest ancestor-or-self with joints (or mocap root), else 0")                        \
  X(int, body_mocapid, nbody, 1, "mocap index, -1: none")                                                              \
  X(int, body_jntnum, nbody, 1, "number of joints")                                                                    \
  X(int, body_jntadr, nbody, 1, "first joint, -1: none")                                                               \
  X(int, body_dofnum, nbody, 1, "number of dofs")                                                                      \
  X(int, body_dofadr, nbody, 1, "first dof, -1: none")                                                                 \
  X(int, body_treeid, nbody, 1, "kinematic tree, -1: static")                                                          \
  X(int, body_geomnum, nbody, 1, "number of geoms")                                                                    \
  X(int, body_geomadr, nbody, 1, "first geom, -1: none")                                                               \
  X(std::uint8_t, body_simple, nbody, 1, "1: M is diagonal for this body's dofs, 2: slides only")                      \
  X(SameFrame, body_sameframe, nbody, 1, "inertial frame against body frame")                                          \
  X(double, body_pos, nbody, 3, "position in the parent")                                                              \
  X(double, body_quat, nbody, 4, "orientation in the parent")                                                          \
  X(double, body_ipos, nbody, 3, "centre of mass in the body frame")                                                   \
  X(double, body_iquat, nbody, 4, "orientation of the principal axes of inertia")                                      \
  X(double, body_mass, nbody, 1, "mass, kg")                                                                           \
  X(double, body_subtreemass, nbody, 1, "mass of the body and its descendants")                                        \
  X(double, body_inertia, nbody, 3, "principal moments of inertia, kg m^2")                                            \
  X(double, body_invweight0, nbody, 2, "mean inverse inertia at qpos0: translation, rotation")                         \
  X(double, body_gravcomp, nbody, 1, "share of the weight that is compensated")                                        \
  X(double, body_margin, nbody, 1, "largest margin + gap of its geoms")                                                \
  X(double, body_user, nbody, nuser_body, "user data")                                                                 \
  X(int, body_contype, nbody, 1, "or of its geoms' contype")                                                           \
  X(int, body_conaffinity, nbody, 1, "or of its geoms' conaffinity")                                                   \
  /* joints */                                                                                                         \
  X(JointType, jnt_type, njnt, 1, "type")                                                                              \
  X(int, jnt_qposadr, njnt, 1, "first coordinate in qpos")                                                             \
  X(int, jnt_dofadr, njnt, 1, "first dof in qvel")                                                                     \
  X(int, jnt_bodyid, njnt, 1, "body")                                                                                  \
  X(int, jnt_group, njnt, 1, "group")                                                                                  \
  X(std::uint8_t, jnt_limited, njnt, 1, "has limits")                                                                  \
  X(std::uint8_t, jnt_actfrclimited, njnt, 1, "total actuator force is limited")                                       \
  X(std::uint8_t, jnt_actgravcomp, njnt, 1, "gravity compensation counts as actuator force")                           \
  X(double, jnt_solref, njnt, 2, "limit: solref")                                                                      \
  X(double, jnt_solimp, njnt, 5, "limit: solimp")                                                                      \
  X(double, jnt_pos, njnt, 3, "anchor in the body frame")                                                              \
  X(double, jnt_axis, njnt, 3, "axis in the body frame")                                                               \
  X(double, jnt_stiffness, njnt, 1, "spring stiffness k, force -(k + k1 x + k2 x^2) x")                                \
  X(double, jnt_stiffnesspoly, njnt, 2, "k1, k2")                                                                      \
  X(double, jnt_range, njnt, 2, "limits (ball: largest angle in the second number), rad or m")                         \
  X(double, jnt_actfrcrange, njnt, 2, "range of the total actuator force")                                             \
  X(double, jnt_margin, njnt, 1, "distance from the limit at which it becomes active")                                 \
  X(double, jnt_user, njnt, nuser_jnt, "user data")                                                                    \
  /* dofs */                                                                                                           \
  X(int, dof_bodyid, nv, 1, "body")                                                                                    \
  X(int, dof_jntid, nv, 1, "joint")                                                                                    \
  X(int, dof_parentid, nv, 1, "nearest dof towards the root, -1: none")                                                \
  X(int, dof_treeid, nv, 1, "kinematic tree")                                                                          \
  X(int, dof_simplenum, nv, 1, "number of consecutive simple dofs starting here")                                      \
  X(double, dof_solref, nv, 2, "friction loss: solref")                                                                \
  X(double, dof_solimp, nv, 5, "friction loss: solimp")                                                                \
  X(double, dof_frictionloss, nv, 1, "friction loss, N or N m")                                                        \
  X(double, dof_frictionvel, nv, 1, "velocity that friction loss draws the dof to")                                    \
  X(double, dof_armature, nv, 1, "inertia added to the diagonal of M")                                                 \
  X(double, dof_damping, nv, 1, "damping b, force -(b + b1 |v| + b2 v^2) v")                                           \
  X(double, dof_dampingpoly, nv, 2, "b1, b2")                                                                          \
  X(double, dof_invweight0, nv, 1, "diagonal of inv(M) at qpos0, averaged over the joint")                             \
  X(double, dof_M0, nv, 1, "diagonal of M at qpos0")                                                                   \
  X(double, dof_length, nv, 1, "length scale: 1 for translations, distance scale of a rotation's effect")              \
  /* kinematic trees */                                                                                                \
  X(int, tree_bodyadr, ntree, 1, "first body")                                                                         \
  X(int, tree_bodynum, ntree, 1, "number of bodies")                                                                   \
  X(int, tree_dofadr, ntree, 1, "first dof")                                                                           \
  X(int, tree_dofnum, ntree, 1, "number of dofs")                                                                      \
  X(SleepPolicy, tree_sleep_policy, ntree, 1, "may it sleep")                                                          \
  /* sparsity. M: row i holds the ancestor dofs of i in growing order, the diagonal last. D: ancestors and descendants \
   */                                                                                                                  \
  X(int, M_rownnz, nv, 1, "entries in row i of M")                                                                     \
  X(int, M_rowadr, nv, 1, "first entry of row i")                                                                      \
  X(int, M_colind, nM, 1, "column of each entry")                                                                      \
  X(int, D_rownnz, nv, 1, "entries in row i of D")                                                                     \
  X(int, D_rowadr, nv, 1, "first entry of row i")                                                                      \
  X(int, D_diag, nv, 1, "position of the diagonal within row i")                                                       \
  X(int, D_colind, nD, 1, "column of each entry")                                                                      \
  X(int, mapM2D, nD, 1, "entry of M (lower triangle, mirrored) for each entry of D; -1: not in M")                     \
  X(int, mapD2M, nM, 1, "entry of D for each entry of M")                                                              \
  /* geoms */                                                                                                          \
  X(GeomType, geom_type, ngeom, 1, "shape")                                                                            \
  X(int, geom_contype, ngeom, 1, "contact type bits")                                                                  \
  X(int, geom_conaffinity, ngeom, 1, "contact affinity bits")                                                          \
  X(int, geom_condim, ngeom, 1, "contact dimension: 1, 3, 4, 6")                                                       \
  X(int, geom_bodyid, ngeom, 1, "body")                                                                                \
  X(int, geom_dataid, ngeom, 1, "mesh or height field, -1: none")                                                      \
  X(int, geom_group, ngeom, 1, "group")                                                                                \
  X(int, geom_priority, ngeom, 1, "contact priority")                                                                  \
  X(SameFrame, geom_sameframe, ngeom, 1, "geom frame against body frame")                                              \
  X(double, geom_solmix, ngeom, 1, "weight when mixing solref and solimp")                                             \
  X(double, geom_solref, ngeom, 2, "contact: solref")                                                                  \
  X(double, geom_solimp, ngeom, 5, "contact: solimp")                                                                  \
  X(double, geom_size, ngeom, 3, "type-specific sizes, m")                                                             \
  X(double, geom_aabb, ngeom, 6, "bounding box in the geom frame: centre, half sizes")                                 \
  X(double, geom_rbound, ngeom, 1, "radius of the bounding sphere; 0: unbounded (plane)")                              \
  X(double, geom_pos, ngeom, 3, "position in the body")                                                                \
  X(double, geom_quat, ngeom, 4, "orientation in the body")                                                            \
  X(double, geom_friction, ngeom, 3, "sliding, spinning, rolling friction")                                            \
  X(double, geom_margin, ngeom, 1, "contact margin, m")                                                                \
  X(double, geom_gap, ngeom, 1, "contact gap, m")                                                                      \
  X(double, geom_restitution, ngeom, 1, "share of the normal velocity that an impact returns, 0 to 1")                 \
  X(double, geom_surfacevel, ngeom, 6, "surface velocity in the geom frame: linear, angular")                          \
  X(double, geom_adhesion, ngeom, 1, "adhesive force of contacts, N")                                                  \
  X(double, geom_fluid, ngeom, 12, "ellipsoid fluid model: on, 5 coefficients, virtual mass 3, virtual inertia 3")     \
  X(float, geom_rgba, ngeom, 4, "colour")                                                                              \
  X(double, geom_user, ngeom, nuser_geom, "user data")                                                                 \
  /* sites */                                                                                                          \
  X(GeomType, site_type, nsite, 1, "shape")                                                                            \
  X(int, site_bodyid, nsite, 1, "body")                                                                                \
  X(int, site_group, nsite, 1, "group")                                                                                \
  X(SameFrame, site_sameframe, nsite, 1, "site frame against body frame")                                              \
  X(double, site_size, nsite, 3, "sizes")                                                                              \
  X(double, site_pos, nsite, 3, "position in the body")                                                                \
  X(double, site_quat, nsite, 4, "orientation in the body")                                                            \
  X(float, site_rgba, nsite, 4, "colour")                                                                              \
  X(double, site_user, nsite, nuser_site, "user data")                                                                 \
  /* cameras */                                                                                                        \
  X(CameraMode, cam_mode, ncam, 1, "tracking mode")                                                                    \
  X(int, cam_bodyid, ncam, 1, "body")                                                                                  \
  X(int, cam_targetbodyid, ncam, 1, "target body, -1: none")                                                           \
  X(double, cam_pos, ncam, 3, "position in the body")                                                                  \
  X(double, cam_quat, ncam, 4, "orientation in the body")                                                              \
  X(double, cam_poscom0, ncam, 3, "world position relative to the subtree's centre of mass at qpos0")                  \
  X(double, cam_pos0, ncam, 3, "world position relative to the body at qpos0")                                         \
  X(double, cam_mat0, ncam, 9, "world orientation at qpos0")                                                           \
  X(Projection, cam_projection, ncam, 1, "projection")                                                                 \
  X(double, cam_fovy, ncam, 1, "vertical field of view, degrees (orthographic: extent)")                               \
  X(double, cam_ipd, ncam, 1, "inter-pupillary distance")                                                              \
  X(int, cam_resolution, ncam, 2, "pixels")                                                                            \
  X(int, cam_output, ncam, 1, "output bits")                                                                           \
  X(float, cam_sensorsize, ncam, 2, "sensor size, m")                                                                  \
  X(float, cam_intrinsic, ncam, 4, "focal lengths, principal point, m")                                                \
  X(double, cam_user, ncam, nuser_cam, "user data")                                                                    \
  /* meshes, recentred and aligned with their principal axes */                                                        \
  X(int, mesh_vertadr, nmesh, 1, "first vertex")                                                                       \
  X(int, mesh_vertnum, nmesh, 1, "number of vertices")                                                                 \
  X(int, mesh_faceadr, nmesh, 1, "first triangle")                                                                     \
  X(int, mesh_facenum, nmesh, 1, "number of triangles")                                                                \
  X(int, mesh_graphadr, nmesh, 1, "first int of the hull graph, -1: no hull")                                          \
  X(float, mesh_vert, nmeshvert, 3, "vertices in the mesh's principal frame")                                          \
  X(int, mesh_face, nmeshface, 3, "triangles, vertex indices local to the mesh")                                       \
  X(int, mesh_graph, nmeshgraph, 1, "hull graphs, see geom/convex_hull.h")                                             \
  X(int, mesh_extrema, nmesh, 27, "hull vertices farthest along 27 directions, see geom/support.h")                    \
  X(double, mesh_scale, nmesh, 3, "scale applied on loading")                                                          \
  X(double, mesh_pos, nmesh, 3, "translation applied to the mesh")                                                     \
  X(double, mesh_quat, nmesh, 4, "rotation applied to the mesh")                                                       \
  X(int, mesh_polynum, nmesh, 1, "number of hull polygons")                                                            \
  X(int, mesh_polyadr, nmesh, 1, "first hull polygon")                                                                 \
  X(double, mesh_polynormal, nmeshpoly, 3, "outward normal of each polygon")                                           \
  X(int, mesh_polyvertadr, nmeshpoly, 1, "first vertex of each polygon")                                               \
  X(int, mesh_polyvertnum, nmeshpoly, 1, "number of vertices of each polygon")                                         \
  X(int, mesh_polyvert, nmeshpolyvert, 1, "vertices of the polygons, local to the mesh")                               \
  X(int, mesh_polymapadr, nmeshvert, 1, "first polygon of each vertex")                                                \
  X(int, mesh_polymapnum, nmeshvert, 1, "number of polygons of each vertex")                                           \
  X(int, mesh_polymap, nmeshpolymap, 1, "polygons of the vertices, local to the mesh")                                 \
  /* height fields */                                                                                                  \
  X(double, hfield_size, nhfield, 4, "half x, half y, height of 1, depth of the base")                                 \
  X(int, hfield_nrow, nhfield, 1, "rows")                                                                              \
  X(int, hfield_ncol, nhfield, 1, "columns")                                                                           \
  X(int, hfield_adr, nhfield, 1, "first elevation")                                                                    \
  X(float, hfield_data, nhfielddata, 1, "elevations in [0, 1], rows by growing y")                                     \
  /* contact pairs and exclusions, sorted by body pair */                                                              \
  X(int, pair_dim, npair, 1, "contact dimension")                                                                      \
  X(int, pair_geom1, npair, 1, "first geom")                                                                           \
  X(int, pair_geom2, npair, 1, "second geom")                                                                          \
  X(int, pair_bodyid, npair, 2, "bodies of the geoms, the smaller id first; the pairs are sorted by them")             \
  X(double, pair_solref, npair, 2, "solref of the normal")                                                             \
  X(double, pair_solreffriction, npair, 2, "solref of friction; zero: as the normal")                                  \
  X(double, pair_solimp, npair, 5, "solimp")                                                                           \
  X(double, pair_margin, npair, 1, "margin")                                                                           \
  X(double, pair_gap, npair, 1, "gap")                                                                                 \
  X(double, pair_adhesion, npair, 1, "adhesive force")                                                                 \
  X(double, pair_restitution, npair, 1, "restitution")                                                                 \
  X(double, pair_friction, npair, 5, "friction")                                                                       \
  X(int, exclude_bodyid, nexclude, 2, "two bodies, the smaller id first; the exclusions are sorted by them")           \
  /* cables */                                                                                                         \
  X(int, cable_jntid, ncable, 1, "ball joint between two bodies of a cable")                                           \
  X(double, cable_stiffness, ncable, 3, "torque per angle about the axes of the parent's frame: twist, bend, bend")    \
  X(double, cable_relaxed, ncable, 3, "rotation vector from the parent to the body without torque")                    \
  /* equality constraints */                                                                                           \
  X(EqualityType, eq_type, neq, 1, "type")                                                                             \
  X(int, eq_obj1id, neq, 1, "first object; a body of a connect may be nbody + flex node")                              \
  X(int, eq_obj2id, neq, 1, "second object, -1: none")                                                                 \
  X(ObjType, eq_objtype, neq, 1, "connect, weld: whether the objects are bodies or sites")                             \
  X(std::uint8_t, eq_active0, neq, 1, "active at reset")                                                               \
  X(double, eq_solref, neq, 2, "solref")                                                                               \
  X(double, eq_solimp, neq, 5, "solimp")                                                                               \
  X(double, eq_data, neq, 11, "anchors, relative pose, polynomial")                                                    \
  /* tendons */                                                                                                        \
  X(int, tendon_adr, ntendon, 1, "first path element")                                                                 \
  X(int, tendon_num, ntendon, 1, "number of path elements")                                                            \
  X(int, tendon_group, ntendon, 1, "group")                                                                            \
  X(int, ten_J_rownnz, ntendon, 1, "entries of the Jacobian row")                                                      \
  X(int, ten_J_rowadr, ntendon, 1, "first entry of the Jacobian row")                                                  \
  X(int, ten_J_colind, nJten, 1, "dof of each entry")                                                                  \
  X(std::uint8_t, tendon_limited, ntendon, 1, "has limits")                                                            \
  X(std::uint8_t, tendon_actfrclimited, ntendon, 1, "total actuator force is limited")                                 \
  X(double, tendon_width, ntendon, 1, "width for drawing")                                                             \
  X(double, tendon_solref_lim, ntendon, 2, "limit: solref")                                                            \
  X(double, tendon_solimp_lim, ntendon, 5, "limit: solimp")                                                            \
  X(double, tendon_solref_fri, ntendon, 2, "friction loss: solref")                                                    \
  X(double, tendon_solimp_fri, ntendon, 5, "friction loss: solimp")                                                    \
  X(double, tendon_range, ntendon, 2, "length limits, m")                                                              \
  X(double, tendon_actfrcrange, ntendon, 2, "range of the total actuator force")                                       \
  X(double, tendon_margin, ntendon, 1, "distance from the limit at which it becomes active")                           \
  X(double, tendon_stiffness, ntendon, 1, "spring stiffness")                                                          \
  X(double, tendon_stiffnesspoly, ntendon, 2, "higher stiffness coefficients")                                         \
  X(double, tendon_damping, ntendon, 1, "damping")                                                                     \
  X(double, tendon_dampingpoly, ntendon, 2, "higher damping coefficients")                                             \
  X(double, tendon_armature, ntendon, 1, "inertia along the tendon")                                                   \
  X(double, tendon_frictionloss, ntendon, 1, "friction loss")                                                          \
  X(double, tendon_lengthspring, ntendon, 2, "lengths between which the spring is relaxed")                            \
  X(double, tendon_length0, ntendon, 1, "length at qpos0")                                                             \
  X(double, tendon_invweight0, ntendon, 1, "J inv(M) J' at qpos0")                                                     \
  X(double, tendon_user, ntendon, nuser_tendon, "user data")                                                           \
  X(float, tendon_rgba, ntendon, 4, "colour")                                                                          \
  X(WrapType, wrap_type, nwrap, 1, "kind of path element")                                                             \
  X(int, wrap_objid, nwrap, 1, "joint, site or geom")                                                                  \
  X(double, wrap_prm, nwrap, 1, "pulley divisor, joint coefficient, or side site id (-1: none)")                       \
  /* actuators */                                                                                                      \
  X(TransmissionType, actuator_trntype, nactuator, 1, "transmission")                                                  \
  X(DynType, actuator_dyntype, nactuator, 1, "activation dynamics")                                                    \
  X(GainType, actuator_gaintype, nactuator, 1, "gain")                                                                 \
  X(BiasType, actuator_biastype, nactuator, 1, "bias")                                                                 \
  X(int, actuator_ctrladr, nactuator, 1, "first control")                                                              \
  X(int, actuator_ctrlnum, nactuator, 1, "number of controls")                                                         \
  X(int, actuator_ctrlspec, nactuator, 1, "bits of namespace input; 0: one control of the usual kind")                 \
  X(int, actuator_outadr, nactuator, 1, "first scalar force")                                                          \
  X(int, actuator_outnum, nactuator, 1, "number of scalar forces")                                                     \
  X(int, actuator_trnid, nactuator, 2, "transmission targets: joint, tendon, site (and refsite or slider site), body") \
  X(int, actuator_actadr, nactuator, 1, "first activation, -1: none")                                                  \
  X(int, actuator_actnum, nactuator, 1, "number of activations")                                                       \
  X(int, actuator_group, nactuator, 1, "group")                                                                        \
  X(std::uint8_t, actuator_ctrllimited, nu, 1, "control is clamped")                                                   \
  X(std::uint8_t, actuator_forcelimited, nactuator, 1, "force is clamped")                                             \
  X(std::uint8_t, actuator_actlimited, nactuator, 1, "activation is clamped")                                          \
  X(double, actuator_dynprm, nactuator, 10, "dynamics parameters")                                                     \
  X(double, actuator_gainprm, nactuator, 10, "gain parameters")                                                        \
  X(double, actuator_biasprm, nactuator, 10, "bias parameters")                                                        \
  X(std::uint8_t, actuator_actearly, nactuator, 1, "force uses the activation of the next step")                       \
  X(double, actuator_ctrlrange, nu, 2, "control range")                                                                \
  X(double, actuator_forcerange, nactuator, 2, "force range")                                                          \
  X(double, actuator_actrange, nactuator, 2, "activation range")                                                       \
  X(double, actuator_gear, nout, 6, "gear")                                                                            \
  X(double, actuator_cranklength, nactuator, 1, "crank rod length")                                                    \
  X(double, actuator_damping, nactuator, 1, "damping added to the target, times gear^2")                               \
  X(double, actuator_dampingpoly, nactuator, 2, "higher damping coefficients")                                         \
  X(double, actuator_armature, nactuator, 1, "inertia added to the target, times gear^2")                              \
  X(double, actuator_acc0, nout, 1, "|inv(M) moment| at qpos0")                                                        \
  X(double, actuator_length0, nout, 1, "length at qpos0")                                                              \
  X(double, actuator_lengthrange, nout, 2, "feasible length range")                                                    \
  X(int, actuator_history, nactuator, 2, "samples kept of the control; order of interpolation between them")           \
  X(int, actuator_historyadr, nactuator, 1, "first number in history, -1: none")                                       \
  X(double, actuator_delay, nactuator, 1, "delay of the control, s")                                                   \
  X(double, actuator_user, nactuator, nuser_actuator, "user data")                                                     \
  /* sensors */                                                                                                        \
  X(SensorType, sensor_type, nsensor, 1, "type")                                                                       \
  X(DataType, sensor_datatype, nsensor, 1, "kind of number")                                                           \
  X(Stage, sensor_needstage, nsensor, 1, "stage after which it can be computed")                                       \
  X(ObjType, sensor_objtype, nsensor, 1, "kind of sensed object")                                                      \
  X(int, sensor_objid, nsensor, 1, "sensed object, -1: none")                                                          \
  X(ObjType, sensor_reftype, nsensor, 1, "kind of reference object")                                                   \
  X(int, sensor_refid, nsensor, 1, "reference object, -1: none")                                                       \
  X(int, sensor_intprm, nsensor, 3, "integer parameters")                                                              \
  X(int, sensor_dim, nsensor, 1, "numbers in the output")                                                              \
  X(int, sensor_adr, nsensor, 1, "first number in sensordata")                                                         \
  X(double, sensor_cutoff, nsensor, 1, "clipping bound, 0: none")                                                      \
  X(double, sensor_noise, nsensor, 1, "noise level; information only")                                                 \
  X(int, sensor_history, nsensor, 2, "samples kept of the value; order of interpolation between them")                 \
  X(int, sensor_historyadr, nsensor, 1, "first number in history, -1: none")                                           \
  X(double, sensor_delay, nsensor, 1, "delay of the value, s")                                                         \
  X(double, sensor_interval, nsensor, 2, "period and phase of its samples, s; 0: every step")                          \
  X(double, sensor_user, nsensor, nuser_sensor, "user data")                                                           \
  /* custom fields */                                                                                                  \
  X(int, numeric_adr, nnumeric, 1, "first number")                                                                     \
  X(int, numeric_size, nnumeric, 1, "number of numbers")                                                               \
  X(double, numeric_data, nnumericdata, 1, "numbers")                                                                  \
  X(int, text_adr, ntext, 1, "first character")                                                                        \
  X(int, text_size, ntext, 1, "number of characters, terminating zero included")                                       \
  X(char, text_data, ntextdata, 1, "characters")                                                                       \
  X(int, tuple_adr, ntuple, 1, "first entry")                                                                          \
  X(int, tuple_size, ntuple, 1, "number of entries")                                                                   \
  X(ObjType, tuple_objtype, ntupledata, 1, "kind of object")                                                           \
  X(int, tuple_objid, ntupledata, 1, "object")                                                                         \
  X(double, tuple_objprm, ntupledata, 1, "parameter")                                                                  \
  /* keyframes */                                                                                                      \
  X(double, key_time, nkey, 1, "time")                                                                                 \
  X(double, key_qpos, nkey, nq, "qpos")                                                                                \
  X(double, key_qvel, nkey, nv, "qvel")                                                                                \
  X(double, key_act, nkey, na, "act")                                                                                  \
  X(double, key_mpos, nkey, 3 * nmocap, "mocap_pos")                                                                   \
  X(double, key_mquat, nkey, 4 * nmocap, "mocap_quat")                                                                 \
  X(double, key_ctrl, nkey, nu, "ctrl")                                                                                \
  /* flexes. Vertex ids in flex_elem, flex_edge, flexhinge_vert, flex_shell, flex_evpair count within their flex */    \
  X(int, flex_dim, nflex, 1, "1 segments, 2 triangles, 3 tetrahedra")                                                  \
  X(FlexDof, flex_dof, nflex, 1, "how its points move")                                                                \
  X(int, flex_interp, nflex, 1, "0: vertices are points; order of interpolation, negative for a shell")                \
  X(std::uint8_t, flex_rigid, nflex, 1, "all vertices are fixed to one body")                                          \
  X(int, flex_place, nflex, 1, "bodies before its points in the order of the reference engine")                        \
  X(int, flex_group, nflex, 1, "group")                                                                                \
  X(int, flex_vertadr, nflex, 1, "first vertex")                                                                       \
  X(int, flex_vertnum, nflex, 1, "number of vertices")                                                                 \
  X(int, flex_pointadr, nflex, 1, "first point; without interpolation point k carries vertex k")                       \
  X(int, flex_pointnum, nflex, 1, "number of points")                                                                  \
  X(int, flex_edgeadr, nflex, 1, "first edge")                                                                         \
  X(int, flex_edgenum, nflex, 1, "number of edges")                                                                    \
  X(int, flex_elemadr, nflex, 1, "first element")                                                                      \
  X(int, flex_elemnum, nflex, 1, "number of elements")                                                                 \
  X(int, flex_elemdataadr, nflex, 1, "first entry in flex_elem")                                                       \
  X(int, flex_elemedgeadr, nflex, 1, "first entry in flex_elemedge")                                                   \
  X(int, flex_hingeadr, nflex, 1, "first hinge")                                                                       \
  X(int, flex_hingenum, nflex, 1, "number of hinges")                                                                  \
  X(int, flex_shelldataadr, nflex, 1, "first entry in flex_shell")                                                     \
  X(int, flex_shellnum, nflex, 1, "number of boundary fragments")                                                      \
  X(int, flex_evpairadr, nflex, 1, "first element-vertex pair")                                                        \
  X(int, flex_evpairnum, nflex, 1, "number of element-vertex pairs")                                                   \
  X(int, flex_cellnum, nflex, 3, "cells of the interpolation grid")                                                    \
  X(double, flex_radius, nflex, 1, "its elements are inflated by this, m")                                             \
  X(double, flex_size, nflex, 3, "half sizes of the bounding box at rest")                                             \
  X(float, flex_rgba, nflex, 4, "colour")                                                                              \
  X(int, flex_contype, nflex, 1, "contact type bits")                                                                  \
  X(int, flex_conaffinity, nflex, 1, "contact affinity bits")                                                          \
  X(int, flex_condim, nflex, 1, "contact dimension: 1, 3, 4, 6")                                                       \
  X(int, flex_priority, nflex, 1, "contact priority")                                                                  \
  X(double, flex_solmix, nflex, 1, "weight when mixing solref and solimp")                                             \
  X(double, flex_solref, nflex, 2, "contact: solref")                                                                  \
  X(double, flex_solimp, nflex, 5, "contact: solimp")                                                                  \
  X(double, flex_friction, nflex, 3, "sliding, spinning, rolling friction")                                            \
  X(double, flex_restitution, nflex, 1, "restitution of contacts")                                                     \
  X(double, flex_margin, nflex, 1, "contact margin, m")                                                                \
  X(double, flex_gap, nflex, 1, "contact gap, m")                                                                      \
  X(std::uint8_t, flex_internal, nflex, 1, "neighbouring elements and vertices collide")                               \
  X(SelfCollide, flex_selfcollide, nflex, 1, "how pairs of its own elements are found")                                \
  X(int, flex_activelayers, nflex, 1, "dim 3: layers of elements that collide")                                        \
  X(std::uint8_t, flex_passive, nflex, 1, "contacts are springs that only push: one row each, without friction")       \
  X(FlexLaw, flex_law, nflex, 1, "law of elasticity")                                                                  \
  X(std::uint8_t, flex_stretch, nflex, 1, "elements resist strain (dim 1: edges do, E A / L)")                         \
  X(FlexBending, flex_bending, nflex, 1, "what resists bending")                                                       \
  X(double, flex_young, nflex, 1, "Young's modulus, Pa")                                                               \
  X(double, flex_poisson, nflex, 1, "Poisson's ratio")                                                                 \
  X(double, flex_thickness, nflex, 1, "thickness of a sheet, m")                                                       \
  X(double, flex_damping, nflex, 1, "stiffness-proportional damping, s")                                               \
  X(double, flex_edgestiffness, nflex, 1, "edge springs, N/m")                                                         \
  X(double, flex_edgedamping, nflex, 1, "edge dampers, N s/m")                                                         \
  X(int, flex_edgeequality, nflex, 1, "0 none, 1 edge, 2 vert, 3 strain: the first equality that names it")            \
  /* flex nodes: node i has the dofs nv_rigid + 3 i + (0, 1, 2), its coordinates are its world position */             \
  X(int, flexnode_flexid, nflexnode, 1, "flex")                                                                        \
  X(int, flexnode_pointid, nflexnode, 1, "point")                                                                      \
  X(int, flexnode_bodyid, nflexnode, 1, "body it was declared under")                                                  \
  X(std::uint8_t, flexnode_pinned, nflexnode, 1, "never moves")                                                        \
  X(double, flexnode_mass, nflexnode, 1, "mass, kg; 1e20 if pinned")                                                   \
  X(double, flexnode_invmass, nflexnode, 1, "1 / mass; 0 if pinned")                                                   \
  X(double, flexnode_stiffness, nflexnode, 1, "what holds it at rest, N/m; 0 under MuJoCo's law: rows weigh its mass") \
  X(double, flexnode_boxsize, nflexnode, 1, "edge of the cube that stands for it in a fluid, m; 0: no drag")           \
  /* flex points: where the mass is. A point is a node, or rides on a body */                                          \
  X(int, flexpoint_flexid, nflexpoint, 1, "flex")                                                                      \
  X(int, flexpoint_nodeid, nflexpoint, 1, "node, -1: it rides on a body")                                              \
  X(int, flexpoint_bodyid, nflexpoint, 1, "body it rides on or was declared under")                                    \
  X(double, flexpoint_pos, nflexpoint, 3, "position in that body at rest")                                             \
  /* flex vertices: where the surface is */                                                                            \
  X(int, flexvert_flexid, nflexvert, 1, "flex")                                                                        \
  X(double, flex_vert0, nflexvert, 3, "position at rest, scaled to the unit cube")                                     \
  X(int, flexvert_supportadr, nflexvert, 1, "first entry of its weights; -1: the vertex is a point")                   \
  X(int, flexvert_supportnum, nflexvert, 1, "number of weights")                                                       \
  X(int, flexsupport_pointid, nflexsupport, 1, "point")                                                                \
  X(double, flexsupport_weight, nflexsupport, 1, "its share; the shares of a vertex sum to 1")                         \
  /* flex edges, elements, hinges */                                                                                   \
  X(int, flex_edge, nflexedge, 2, "vertices, the smaller id first")                                                    \
  X(int, flexedge_flexid, nflexedge, 1, "flex")                                                                        \
  X(double, flexedge_length0, nflexedge, 1, "length at rest, m")                                                       \
  X(double, flexedge_invweight0, nflexedge, 1, "J inv(M) J' at qpos0; half of it between two free nodes")              \
  X(std::uint8_t, flexedge_rigid, nflexedge, 1, "neither end can move against the other")                              \
  X(double, flexedge_stiffness, nflexedge, 1, "spring, N/m: that of the flex or E A / L of a rod")                     \
  X(double, flexedge_damping, nflexedge, 1, "damper, N s/m")                                                           \
  X(int, flexelem_flexid, nflexelem, 1, "flex")                                                                        \
  X(int, flex_elem, nflexelemdata, 1, "dim + 1 vertices per element")                                                  \
  X(int, flex_elemedge, nflexelemedge, 1, "1, 3 or 6 edges per element")                                               \
  X(int, flex_elemlayer, nflexelem, 1, "dim 3: steps from the surface")                                                \
  X(double, flexelem_size0, nflexelem, 1, "length, area or volume at rest")                                            \
  X(int, flexhinge_flexid, nflexhinge, 1, "flex")                                                                      \
  X(int, flexhinge_vert, nflexhinge, 4, "edge in the order of the first triangle, its opposite vertex, the other one") \
  X(double, flexhinge_angle0, nflexhinge, 1, "fold angle at rest, 0: flat, rad")                                       \
  X(double, flexhinge_stiffness, nflexhinge, 1, "torque per angle near rest, N m; 0: it does not resist")              \
  X(int, flex_shell, nflexshelldata, 1, "dim vertices per boundary fragment")                                          \
  X(int, flex_evpair, nflexevpair, 2, "element, vertex")                                                               \
  /* elasticity of flexes. Layout of the constants: src/forces/elastic_constants.h */                                  \
  X(int, flex_elasticadr, nflex, 1, "first of its elements' constants; -1: they do not resist strain")                 \
  X(double, flex_elastic, nflexelastic, 1, "constants of the elements, four elements side by side")                    \
  X(double, flexhinge_cotangent, nflexhinge, 16, "cotangent bending: B (10), sqrt(kappa) c (4), beta, energy at rest") \
  X(int, flexelem_curvadr, nflexelem, 1, "shell bending: first share of a fold angle in its curvature")                \
  X(int, flexelem_curvnum, nflexelem, 1, "number of such shares; 0: it does not resist bending that way")              \
  X(double, flexelem_plate, nflexelem, 6, "moment per curvature, N m: 11 12 13 22 23 33 of D; see flexcurv_weight")    \
  X(int, flexcurv_hinge, nflexcurv, 1, "hinge, counted over the whole model")                                          \
  X(double, flexcurv_weight, nflexcurv, 3, "curvature 11, 22, twice 12 per angle; 1: along the first edge; 1/m")       \
  X(int, flex_bendadr, nflex, 1, "first bend of a rod")                                                                \
  X(int, flex_bendnum, nflex, 1, "number of bends")                                                                    \
  X(int, flexbend_vert, nflexbend, 3, "vertices of two consecutive segments")                                          \
  X(double, flexbend_stiffness, nflexbend, 1, "torque per angle, E I / length, N m")                                   \
  X(double, flexbend_angle0, nflexbend, 1, "angle between the segments at rest, 0: straight, rad")                     \
  /* rods with twist: a section is three points (src/elastic/section.h). Points count within their flex */             \
  X(int, flex_jointadr, nflex, 1, "first joint of a rod with twist")                                                   \
  X(int, flex_jointnum, nflex, 1, "number of joints")                                                                  \
  X(int, flexjoint_point, nflexjoint, 9, "the ends of both segments, the common one in the middle; both sections")     \
  X(double, flexjoint_stiffness, nflexjoint, 3, "twist and two bends: G J, E I1, E I2 per length, N m")                \
  X(double, flexjoint_relaxed, nflexjoint, 3, "twist and two bends between the segments at rest, rad")                 \
  X(int, flex_sectionadr, nflex, 1, "first section of a rod with twist")                                               \
  X(int, flex_sectionnum, nflex, 1, "number of sections")                                                              \
  X(int, flexsection_point, nflexsection, 5, "ends of the segment along the rod; three points of its section")         \
  X(double, flexsection_size, nflexsection, 2, "how far these are from the axis along its first and second axis, m")   \
  X(double, flexsection_stiffness, nflexsection, 2, "what keeps it rigid and across the rod, J; in the middle, N/m")   \
  X(int, flex_celladr, nflex, 1, "first cell that resists strain")                                                     \
  X(int, flex_cellcount, nflex, 1, "number of such cells")                                                             \
  X(int, flex_celldataadr, nflex, 1, "first entry in flexcell_point")                                                  \
  X(int, flexcell_point, nflexcelldata, 1, "8 or 27 points per cell; shells: 4 or 9 per face")                         \
  X(double, flex_cellsize, nflex, 3, "edges of a cell at rest, m")                                                     \
  X(int, flex_cellstiffadr, nflex, 1, "first entry in flex_cellstiff; -1: none")                                       \
  X(double, flex_cellstiff, nflexcellstiff, 1, "law of the reference: stiffness matrix of one cell, N/m")              \
  X(int, flex_modeadr, nflex, 1, "first number of its strain modes; -1: none")                                         \
  X(int, flex_modenum, nflex, 1, "number of modes of a cell; shells: of a face, for the three normals in turn")        \
  X(double, flexmode, nflexmode, 1, "modes of a cell that strain equalities hold at zero, 3 numbers per point")        \
  X(int, flex_foldadr, nflex, 1, "first fold of an interpolated shell")                                                \
  X(int, flex_foldnum, nflex, 1, "number of its folds")                                                                \
  X(int, flexfold_face, nflexfold, 2, "the faces that meet in a fold, counted among the cells of the flex")            \
  X(int, flexfold_side, nflexfold, 2, "where in each: 0, 1: low and high end of its first axis, 2, 3: second axis")    \
  X(double, flexfold_stiffness, nflexfold, 1, "k of the energy k/2 |r|^2, r the change of the jump of normals, J")     \
  X(double, flexfold_jump0, nflexfold, 3, "normal of the first less that of the second at rest, axes of the grid")     \
  /* stiffness of flexes in the metric: a part is the free nodes of some flexes and the kinematic trees that points of \
     theirs ride on. Its matrix is symmetric, over its dofs in growing order; row i holds the columns it is coupled to \
     in growing order, the diagonal last */                                                                            \
  X(int, flex_stiffpart, nflex, 1, "part that its stiffness is in, -1: it has none")                                   \
  X(int, flex_placeadr, nflex, 1, "first entry of its elements in K_place")                                            \
  X(int, stiffpart_dofadr, nstiffpart, 1, "first entry in stiff_dof, and first row")                                   \
  X(int, stiffpart_dofnum, nstiffpart, 1, "number of dofs")                                                            \
  X(int, stiff_dof, nstiffdof, 1, "dofs of the parts, growing in each")                                                \
  X(int, dof_stiffrow, nv, 1, "row of a dof, counted from the first of its part; -1: in no part")                      \
  X(int, K_rownnz, nstiffdof, 1, "entries in row i")                                                                   \
  X(int, K_rowadr, nstiffdof, 1, "first entry of row i")                                                               \
  X(int, K_colind, nK, 1, "column of each entry, counted from the first row of the part")                              \
  X(int, K_place, nKplace, 1, "first entry of the block of points a >= b of an element; -1: not two free nodes")       \
  /* names: offsets into one buffer of zero-terminated strings */                                                      \
  X(int, name_bodyadr, nbody, 1, "offset of the name")                                                                 \
  X(int, name_jntadr, njnt, 1, "offset of the name")                                                                   \
  X(int, name_geomadr, ngeom, 1, "offset of the name")                                                                 \
  X(int, name_siteadr, nsite, 1, "offset of the name")                                                                 \
  X(int, name_camadr, ncam, 1, "offset of the name")                                                                   \
  X(int, name_meshadr, nmesh, 1, "offset of the name")                                                                 \
  X(int, name_hfieldadr, nhfield, 1, "offset of the name")                                                             \
  X(int, name_flexadr, nflex, 1, "offset of the name")                                                                 \
  X(int, name_pairadr, npair, 1, "offset of the name")                                                                 \
  X(int, name_excludeadr, nexclude, 1, "offset of the name")                                                           \
  X(int, name_eqadr, neq, 1, "offset of the name")                                                                     \
  X(int, name_tendonadr, ntendon, 1, "offset of the name")                                                             \
  X(int, name_actuatoradr, nactuator, 1, "offset of the name")                                                         \
  X(int, name_sensoradr, nsensor, 1, "offset of the name")                                                             \
  X(int, name_numericadr, nnumeric, 1, "offset of the name")                                                           \
  X(int, name_textadr, ntext, 1, "offset of the name")                                                                 \
  X(int, name_tupleadr, ntuple, 1, "offset of the name")                                                               \
  X(int, name_keyadr, nkey, 1, "offset of the name")                                                                   \
  X(char, names, nnames, 1, "all names, zero-terminated; the model's own name first")

/// Scales of a model, for tolerances and drawing.
struct Statistic {
  double meaninertia = 1;  ///< mean diagonal of M at qpos0
  double meanmass = 1;
  double meansize = 0.2;
  double extent = 2;
  std::array<double, 3> center{0, 0, 0};
  friend bool operator==(const Statistic&, const Statistic&) = default;
};

/// Where names are found, in a time that does not grow with the model: a hash table per kind of object, made by
/// compile() and loadModel(). It follows from the names, so it counts neither in comparisons nor in files.
class NameIndex {
 public:
  /// The table of kind `type` has slots [first[type], first[type + 1]); a slot holds an id, or -1.
  std::vector<int> slots;
  std::vector<int> first;
  friend bool operator==(const NameIndex&, const NameIndex&) { return true; }
};

/// The compiled, constant description of a system. Every array of the table above is a member of type Array<T>, flat
/// and row-major. Only `opt` is meant to be changed after compilation.
struct Model {
#define SINEW_X(name, doc) int name = 0;
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  Option opt;
  Statistic stat;
  /// Hash of the sizes and of all arrays of indices, set by compile() and loadModel(). Models with equal signatures
  /// have the same layout of Data.
  std::uint64_t signature = 0;
  NameIndex nameIndex;
#define SINEW_X(type, name, rows, cols, doc) Array<type> name;
  SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X

  // Compiled once, in the library: there are hundreds of members.
  Model();
  Model(const Model& other);
  Model(Model&& other) noexcept;
  Model& operator=(const Model& other);
  Model& operator=(Model&& other) noexcept;
  ~Model();

  /// The arrays, in the order of the table.
#define SINEW_X(type, name, rows, cols, doc) +1
  static constexpr std::size_t kFields = 0 SINEW_MODEL_ARRAYS(SINEW_X);
#undef SINEW_X
  using Types = FieldTypes<double, int, float, std::uint8_t, char, ObjType, SameFrame, GeomType, JointType, SleepPolicy,
                           CameraMode, Projection, EqualityType, WrapType, TransmissionType, DynType, GainType,
                           BiasType, SensorType, DataType, Stage, FlexDof, SelfCollide, FlexLaw, FlexBending>;
  std::array<Field, kFields> fields() const;

  /// Calls f(name, array, rows, columns, doc) for every array, in the order of the table.
  template <class F>
  void forEachArray(F&& f) {
    Types::visit(fields(), f);
  }
  template <class F>
  void forEachArray(F&& f) const {
    Types::visitConst(fields(), f);
  }

  /// Gives every array the size that the sizes above demand, filled with zeros.
  void allocate();

  friend bool operator==(const Model&, const Model&) = default;
};

/// Value of Model::signature for this model.
std::uint64_t layoutSignature(const Model& m);

/// Name of an object, empty if it has none. `type` must be one of those that have names.
std::string_view nameOf(const Model& m, ObjType type, int id);

/// Id of the object with this name, -1 if there is none. Takes the same time in models of any size.
int findId(const Model& m, ObjType type, std::string_view name);

/// The same for names that must exist: throws std::invalid_argument that names the kind, the name, and the most similar
/// one if there is a similar one: no joint is named "ankel"; did you mean "ankle"?
int requireId(const Model& m, ObjType type, std::string_view name);

/// What a kind of object is called in MJCF ("joint"), empty for kinds that have no names.
std::string_view kindName(ObjType type);

/// Makes Model::nameIndex again; for programs that make or rename a compiled Model themselves.
void indexNames(Model& m);

/// Number of objects of a type.
int countOf(const Model& m, ObjType type);

/// Hash over every size, option and array: equal models have equal hashes.
std::uint64_t hashOf(const Model& m);

/// First difference between two models as text ("body_mass[12]: 1 against 2"), empty if they are equal.
std::string firstDifference(const Model& a, const Model& b);

/// Binary save and load of a compiled model, bit exact, for the same version of Sinew. Throw LoadError.
void saveModel(const Model& m, const std::filesystem::path& file);
Model loadModel(const std::filesystem::path& file);

}  // namespace sinew
