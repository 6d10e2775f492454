"""PY_3: what users write in scripts, on the native engine and on sinew.mujoco."""

import copy

import numpy as np
import pytest

import sinew.mujoco as ours

ARM = """
<mujoco>
  <option><flag energy="enable"/></option>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" axis="0 1 0" damping=".2" range="-2 2"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
      <body name="lower" pos=".4 0 0">
        <joint name="elbow" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/><site name="tip" pos=".3 0 0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="motor" joint="shoulder" gear="5" ctrlrange="-1 1"/><position name="servo" joint="elbow" kp="10"/>
    <intvelocity name="drift" joint="shoulder" kp="3" actrange="-1 1"/>
  </actuator>
  <sensor><jointpos joint="shoulder"/><jointvel joint="elbow"/><accelerometer name="acc" site="tip"/></sensor>
  <keyframe><key name="home" qpos=".3 -.5" act="0.1"/></keyframe>
</mujoco>"""
FREE = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="box" pos="0 0 .3"><freejoint name="free"/><geom name="box" type="box" size=".1 .15 .2" friction="0.5"/></body>
    <body name="ball" pos="0.05 0 .7"><freejoint/><geom name="ball" size=".1" condim="6"/></body>
    <body name="hand" mocap="true" pos="1 0 1"><geom size=".05" contype="0" conaffinity="0"/></body>
    <body name="rod" pos="1 0 0.8"><freejoint/><geom size=".05 .1" type="capsule"/></body>
  </worldbody>
  <equality><weld name="grab" body1="hand" body2="rod"/></equality>
</mujoco>"""


def made(mj, text):
    m = mj.MjModel.from_xml_string(text)
    d = mj.MjData(m)
    mj.mj_forward(m, d)
    return m, d


def inverse_kinematics(mj):
    m, d = made(mj, ARM)
    J = np.zeros((3, m.nv))
    for _ in range(30):
        mj.mj_jacSite(m, d, J, None, m.site("tip").id)
        error = np.array([0.4, 0, 0.3]) - d.site("tip").xpos
        mj.mj_integratePos(m, d.qpos, J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(3), error), 1)
        mj.mj_fwdPosition(m, d)
    return d.qpos


def computed_torque(mj):
    m, d = made(mj, ARM)
    for _ in range(200):
        d.qfrc_applied[:] = 5 * (np.array([0.5, -0.3]) - d.qpos) - 0.5 * d.qvel + d.qfrc_bias
        mj.mj_step(m, d)
    return np.r_[d.qpos, d.energy]


def pushed(mj):
    m, d = made(mj, FREE)
    d.xfrc_applied[m.body("ball").id] = [1, 2, 3, 0.1, 0.2, 0.3]
    mj.mj_step(m, d, 100)
    return d.qpos


def led_by_mocap_then_released(mj):
    m, d = made(mj, FREE)
    for i in range(100):
        d.mocap_pos[m.body("hand").mocapid[0]] = [1 + 0.002 * i, 0, 1]
        mj.mj_step(m, d)
    held = d.body("rod").xpos.copy()
    d.eq_active[m.eq("grab").id] = 0
    mj.mj_step(m, d, 50)
    return np.r_[held, d.body("rod").xpos]


def without_gravity_and_contacts(mj):
    m, d = made(mj, FREE)
    m.opt.disableflags = mj.mjtDisableBit.mjDSBL_GRAVITY | mj.mjtDisableBit.mjDSBL_CONTACT
    mj.mj_step(m, d, 50)
    return d.qpos


def every_integrator(mj):
    ends = []
    for integrator in range(4):
        m, d = made(mj, ARM)
        m.opt.integrator = integrator
        d.ctrl[:] = 0.2
        mj.mj_step(m, d, 100)
        ends.append(d.qpos.copy())
    return np.array(ends)


def every_solver_and_cone(mj):
    ends = []
    for solver in range(3):
        for cone in range(2):
            m, d = made(mj, FREE)
            m.opt.solver, m.opt.cone, m.opt.tolerance, m.opt.iterations = solver, cone, 1e-12, 500
            mj.mj_step(m, d, 60)
            ends.append(d.qpos.copy())
    return np.array(ends)


def another_mass(mj):
    m, d = made(mj, ARM)
    m.body("lower").mass = 3
    m.body_inertia[2] *= 2
    mj.mj_setConst(m, d)
    mj.mj_forward(m, d)
    total = mj.mj_getTotalmass(m)
    mj.mj_setTotalmass(m, 10)
    return np.r_[d.qacc, m.body_subtreemass, m.dof_invweight0, total, m.body_mass]


def other_parameters(mj):
    m, d = made(mj, FREE)
    m.geom("box").friction = [0.1, 0.01, 0.001]
    m.dof_damping[:] = 0.5
    m.geom("ball").size = [0.12, 0, 0]
    d.qvel[0] = 1
    mj.mj_step(m, d, 100)
    n, e = made(mj, ARM)
    n.jnt_range[0] = [-0.1, 0.1]
    n.jnt_stiffness[:] = 2
    n.qpos_spring[:] = 0.3
    n.actuator_gainprm[1, 0] = 30
    n.actuator_biasprm[1, 1] = -30
    e.actuator("servo").ctrl = 0.4
    mj.mj_step(n, e, 100)
    return np.r_[d.qpos, e.qpos]


def copies_and_states(mj):
    m, d = made(mj, FREE)
    mj.mj_step(m, d, 10)
    other, third = mj.MjData(m), copy.copy(d)
    mj.mj_copyData(other, m, d)
    state = np.zeros(mj.mj_stateSize(m, mj.mjtState.mjSTATE_INTEGRATION))
    mj.mj_getState(m, d, state, mj.mjtState.mjSTATE_INTEGRATION)
    for data in (d, other, third):
        mj.mj_step(m, data, 5)
    fourth = mj.MjData(m)
    mj.mj_setState(m, fourth, state, mj.mjtState.mjSTATE_INTEGRATION)
    mj.mj_step(m, fourth, 5)
    assert np.array_equal(d.qpos, other.qpos) and np.array_equal(d.qpos, third.qpos) and np.array_equal(d.qpos, fourth.qpos)
    return d.qpos


def questions(mj):
    m, d = made(mj, FREE)
    mj.mj_step(m, d, 40)
    mj.mj_forward(m, d)
    mj.mj_subtreeVel(m, d)
    mj.mj_rnePostConstraint(m, d)
    found = [d.subtree_angmom.ravel(), d.cfrc_ext.ravel(), d.cvel.ravel(), [d.ncon, d.nefc]]
    six = np.zeros(6)
    for body in range(1, m.nbody):
        for local in (0, 1):
            mj.mj_objectVelocity(m, d, mj.mjtObj.mjOBJ_BODY, body, six, local)
            found.append(six.copy())
    total = np.zeros(3)
    for i, contact in enumerate(d.contact):
        mj.mj_contactForce(m, d, i, six)
        total += contact.frame.reshape(3, 3).T @ six[:3]
    found.append(total)
    found.append([mj.mj_geomDistance(m, d, a, b, 5, None) for a in range(1, 5) for b in range(a + 1, 5)])
    geom = np.zeros(1, np.int32)
    found.append([mj.mj_ray(m, d, [0, 0, 3], [0, 0, -1], None, 1, -1, geom), geom[0]])
    return np.concatenate([np.ravel(f) for f in found])


def derivatives(mj):
    m, d = made(mj, ARM)
    mj.mj_resetDataKeyframe(m, d, m.key("home").id)
    n = 2 * m.nv + m.na
    A, B = np.zeros((n, n)), np.zeros((n, m.nu))
    mj.mjd_transitionFD(m, d, 1e-6, True, A, B, None, None)
    return np.round(np.hstack((A, B)), 6)


@pytest.mark.parametrize(
    "script",
    [inverse_kinematics, computed_torque, pushed, led_by_mocap_then_released, without_gravity_and_contacts, every_integrator,
     every_solver_and_cone, another_mass, other_parameters, copies_and_states, questions, derivatives],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_PY_3_scripts_end_as_on_native(script):
    native = pytest.importorskip("mujoco")
    expected, found = np.array(script(native)), np.array(script(ours))
    assert expected.shape == found.shape
    # 1e-7: the solvers that are not exact stop at a tolerance
    assert np.allclose(expected, found, rtol=1e-7, atol=1e-7), np.abs(expected - found).max()


def test_PY_3_small_functions_equal_native():
    """Signs and order of eigenvectors, texts of warnings, numbers of bytes."""
    native = pytest.importorskip("mujoco")
    random = np.random.default_rng(5)
    matrices = [random.normal(size=(3, 3)) for _ in range(20)]
    matrices = [a + a.T for a in matrices] + [np.eye(3), np.diag([1.0, 3, 2]), np.diag([1.0, 1, 2]), np.zeros((3, 3))]
    for matrix in matrices:
        found = []
        for mj in (native, ours):
            values, vectors, quat = np.zeros(3), np.zeros(9), np.zeros(4)
            mj.mju_eig3(values, vectors, quat, matrix.flatten())
            found.append(np.r_[values, vectors, quat])
        assert np.allclose(*found, rtol=0, atol=1e-9), matrix
    for warning in range(int(native.mjtWarning.mjNWARNING)):
        assert native.mju_warningText(warning, 3) == ours.mju_warningText(warning, 3)
    for count in (0, 1, 1023, 1024, 1025, 3 << 20, (3 << 20) + 1, 1 << 30, 5 << 40):
        assert native.mju_writeNumBytes(count) == ours.mju_writeNumBytes(count)


def test_PY_3_rollout_without_controls_keeps_those_of_the_data():
    native = pytest.importorskip("mujoco")
    from mujoco import rollout as native_rollout

    from sinew.mujoco import rollout

    found = []
    for mj, module in ((native, native_rollout), (ours, rollout)):
        m, d = made(mj, ARM)
        start = np.zeros(mj.mj_stateSize(m, mj.mjtState.mjSTATE_FULLPHYSICS))
        mj.mj_getState(m, d, start, mj.mjtState.mjSTATE_FULLPHYSICS)
        d.ctrl[:] = [0.4, -0.3, 0.2]
        d.qfrc_applied[:] = 1  # not part of control_spec: cleared
        state, _ = module.rollout(m, d, start, nstep=5)
        assert d.ctrl.tolist() == [0.4, -0.3, 0.2] and not d.qfrc_applied.any()
        given, _ = module.rollout(m, d, start, np.tile([0.1, 0.2, 0.3], (5, 1)))
        again, _ = module.rollout(m, d, start, nstep=5)
        assert np.array_equal(given, again)
        found.append(np.r_[state.ravel(), given.ravel()])
    assert np.allclose(*found, rtol=0, atol=1e-12)


def test_PY_3_a_step_whose_callback_raises_does_not_take_place():
    native = pytest.importorskip("mujoco")
    for mj in (native, ours):
        m, d = made(mj, ARM)
        mj.mj_step(m, d, 3)
        before = np.r_[d.time, d.qpos, d.qvel, d.act]

        def control(m_, d_):
            raise ValueError("mine")

        mj.set_mjcb_control(control)
        try:
            with pytest.raises(ValueError, match="mine"):
                mj.mj_step(m, d)
        finally:
            mj.set_mjcb_control(None)
        assert np.array_equal(before, np.r_[d.time, d.qpos, d.qvel, d.act])


def test_PY_2_named_parts_look_as_on_native():
    """repr() of named access: the same lines for what both have."""
    native = pytest.importorskip("mujoco")
    pair = [made(mj, ARM) for mj in (native, ours)]
    for kind, name in (("body", "upper"), ("joint", "elbow"), ("site", "tip"), ("actuator", "servo"), ("sensor", "acc"), ("key", "home")):
        texts = [repr(getattr(m, kind)(name)) for m, _ in pair]
        first, *lines = texts[0].splitlines()
        assert texts[1].splitlines()[0] == first and texts[1].splitlines()[-1] == lines[-1] == ">"
        keys = [line.split(":")[0] for line in texts[1].splitlines()[1:-1]]
        assert keys == sorted(keys)
        assert f"  name: {name!r}" in texts[1].splitlines()
    m, d = pair[1]
    assert f"  xpos: {d.body('lower').xpos!r}" in repr(d.body("lower"))
    for owner in (m, d):
        with pytest.raises(TypeError, match="needs elements of an MjSpec, found 'x'"):
            owner.bind("x")


def test_PY_3_halves_of_a_step_are_those_of_native_with_every_integrator():
    """Controls between mj_step1 and mj_step2. With RK4 MuJoCo's halves are semi-implicit Euler."""
    native = pytest.importorskip("mujoco")
    for integrator in range(4):
        found = []
        for mj in (native, ours):
            m, d = made(mj, ARM)
            m.opt.integrator = integrator
            for _ in range(30):
                mj.mj_step1(m, d)
                d.ctrl[:] = [0.4 - d.qpos[0], -0.3 * d.qvel[1], 0.2]
                mj.mj_step2(m, d)
            assert m.opt.integrator == integrator
            found.append(np.r_[d.time, d.qpos, d.qvel, d.sensordata])
        assert np.allclose(*found, rtol=1e-9, atol=1e-9), integrator


PRESSED = """<mujoco><option jacobian="{jacobian}" solver="{solver}" cone="{cone}"/><worldbody><geom type="plane" size="1 1 1"/>
  <body pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/>
    <body pos=".3 0 0"><joint name="j" axis="0 1 0" limited="true" range="-.1 .1" frictionloss=".1"/><geom size=".1"/></body></body>
  <body pos="0 2 .04"><freejoint/><geom size=".05"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("solver", ["PGS", "Newton"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_PY_3_constraint_rows_equal_native(jacobian, solver, cone):
    """Patterns, values and sizes of efc_J, efc_AR, efc_b; sums that do not depend on the order of contacts."""
    native = pytest.importorskip("mujoco")
    found = []
    for mj in (native, ours):
        m = mj.MjModel.from_xml_string(PRESSED.format(jacobian=jacobian, solver=solver, cone=cone))
        d = mj.MjData(m)
        d.qpos[7] = 0.12
        d.qvel[:] = np.sin(np.arange(m.nv))
        mj.mj_forward(m, d)
        n = d.nefc
        assert d.efc_J.shape == (d.nJ,) and d.efc_J_rownnz.shape == d.efc_J_rowadr.shape == (n,)
        dense = np.zeros((n, m.nv))
        if mj.mj_isSparse(m):
            mj.mju_sparse2dense(dense, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
        else:
            dense[:] = d.efc_J.reshape(n, m.nv)
        order = np.lexsort(np.round(np.c_[dense, d.efc_id], 9).T)  # contacts of the box may come in another order
        A = np.zeros((n, n))
        if mj.mj_isDual(m):
            if mj.mj_isSparse(m):
                mj.mju_sparse2dense(A, d.efc_AR, d.efc_AR_rownnz, d.efc_AR_rowadr, d.efc_AR_colind)
            else:
                A[:] = d.efc_AR.reshape(n, n)
        else:
            assert d.efc_AR.size == d.nA == 0
        mj.mj_compareFwdInv(m, d)
        forward_inverse = d.solver_fwdinv.copy() if solver == "Newton" else np.zeros(2)  # PGS stops long before the end
        found.append((n, d.nJ, dense[order], A[order][:, order], np.asarray(d.efc_b)[order], np.asarray(d.efc_diagA)[order], forward_inverse))
        m.opt.noslip_iterations = 3
        assert mj.mj_isDual(m) == 1
        if mj is ours:
            assert np.array_equal(d.constraint_jacobian(), dense)
            result = np.zeros(m.nv)
            mj.mj_mulJacTVec(m, d, result, np.ones(n))
            assert np.allclose(result, dense.sum(axis=0))
    for mine, its in zip(found[1], found[0]):
        assert np.allclose(mine, its, rtol=1e-9, atol=1e-9), (mine, its)


def test_PY_3_rays_at_one_geom_equal_native():
    native = pytest.importorskip("mujoco")
    xml = """<mujoco><asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><hfield name="h" nrow="3" ncol="4" size="1 1 .5 .1"/></asset>
      <worldbody><geom type="mesh" mesh="t" euler="10 20 30" rgba="1 1 1 0" group="5"/><geom type="hfield" hfield="h" pos="3 0 0"/>
        <geom size=".1"/></worldbody></mujoco>"""
    found = []
    for mj in (native, ours):
        m = mj.MjModel.from_xml_string(xml)
        m.hfield_data[:] = np.linspace(0, 1, 12)
        d = mj.MjData(m)
        mj.mj_forward(m, d)
        random, results = np.random.default_rng(2), []
        for _ in range(200):
            start, way, normal = 3 * random.normal(size=3), random.normal(size=3), np.zeros(3)
            results.append(mj.mj_rayMesh(m, d, 0, start, d.geom_xpos[0] - start + 0.1 * way, normal))
            results += [*normal, mj.mj_rayHfield(m, d, 1, start, np.array([3, 0, 0.2]) - start + 0.3 * way, normal), *normal]
        found.append(results)
    with pytest.raises(ours.FatalError, match="mj_rayMesh: geom 2 has another type: 2, expected 7"):
        ours.mj_rayMesh(m, d, 2, np.zeros(3), np.ones(3))
    assert np.allclose(*found, rtol=1e-9, atol=1e-9) and np.mean(np.array(found[0][::8]) >= 0) > 0.3


def test_PY_3_missing_attributes_say_so():
    m, d = made(ours, ARM)
    for name in ("nY", "efm_L", "threadpool"):
        assert not hasattr(d, name)
        with pytest.raises(NotImplementedError, match=f"MjData.{name} is part of MuJoCo"):
            getattr(d, name)
    with pytest.raises(AttributeError, match="Data has no 'qpo'; did you mean 'qpos'"):
        d.qpo
