"""PY_3: sinew.mujoco against the native mujoco."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import sinew
import sinew.mujoco as ours
from conftest import PENDULUM, SCENES

native = pytest.importorskip("mujoco")

# the functions of the survey that physics needs
FUNCTIONS = """
mj_step mj_forward mj_name2id mj_resetData mj_id2name mj_resetDataKeyframe mj_jacSite mj_kinematics mju_mulQuat mju_mat2Quat
mj_integratePos mj_objectVelocity mj_fwdPosition mj_saveLastXML mj_contactForce mju_negQuat mj_fullM mju_quat2Vel
mju_quat2Mat mj_step1 mj_step2 mj_differentiatePos mj_saveModel mj_getState mj_setState mj_stateSize mj_inverse
mj_geomDistance mj_jac mj_jacBody mj_jacGeom mj_ray mj_rnePostConstraint mj_comPos mj_forwardSkip mj_fwdVelocity
mj_fwdActuation mj_fwdAcceleration mj_fwdConstraint mj_jacBodyCom mj_jacSubtreeCom mj_mulM mj_solveM mj_applyFT mj_rne
mj_collision mj_crb mj_comVel mj_sensorPos mj_energyPos mj_energyVel mj_subtreeVel mj_multiRay mj_copyData mj_setConst
mj_normalizeQuat mju_rotVecQuat mju_axisAngle2Quat mju_subQuat mju_euler2Quat mjd_transitionFD mj_version
mj_versionString mj_camlight mj_tendon mj_transmission mj_passive mj_objectAcceleration mj_local2Global mj_getTotalmass
""".split()


def parameters(function):
    """Names of the arguments, in their order."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        line = function.__doc__.splitlines()[0]
        inside = line[line.index("(") + 1 :]
        depth, names, word = 0, [], ""
        for c in inside:
            if c in "[(":
                depth += 1
            elif c in "])" and depth:
                depth -= 1
            elif c == ")" and not depth:
                break
            if c == "," and not depth:
                names.append(word)
                word = ""
            else:
                word += c
        if word.strip():
            names.append(word)
        return [n.split(":")[0].split("=")[0].strip() for n in names]


def test_PY_3_argument_order_and_keywords():
    for name in FUNCTIONS:
        assert parameters(getattr(ours, name)) == parameters(getattr(native, name)), name


def models(count):
    """Scenes that both read alike: rigid, of the same sizes, with the same principal axes."""
    found = 0
    for path in sorted(SCENES.rglob("*.xml")):
        if found == count:
            return
        try:
            theirs = native.MjModel.from_xml_path(str(path))
            mine = ours.MjModel.from_xml_path(str(path))
        except Exception:
            continue
        if theirs.nflex or (theirs.nq, theirs.nv, theirs.nbody, theirs.ngeom) != (mine.nq, mine.nv, mine.nbody, mine.ngeom):
            continue
        if theirs.nv == 0 or np.abs(theirs.body_iquat - mine.body_iquat).max() > 1e-12:
            continue
        found += 1
        yield path.stem, mine, theirs


def same(a, b, tolerance=1e-9):
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape
    scale = max(1.0, np.abs(b).max(initial=0))
    assert np.abs(a - b).max(initial=0) <= tolerance * scale, (a, b)


def random_state(m, d, M, D, seed):
    rng = np.random.default_rng(seed)
    move = 0.2 * rng.uniform(-1, 1, m.nv)
    ours.mj_resetData(m, d), native.mj_resetData(M, D)
    ours.mj_integratePos(m, d.qpos, move, 1), native.mj_integratePos(M, D.qpos, move, 1)
    d.qvel[:] = D.qvel[:] = rng.uniform(-1, 1, m.nv)
    d.ctrl[:] = D.ctrl[:] = 0.3 * rng.uniform(-1, 1, m.nu)
    d.act[:] = D.act[:] = 0.2 + 0.1 * rng.uniform(-1, 1, m.na)
    ours.mj_forward(m, d), native.mj_forward(M, D)


def pairs(*shapes):
    return [(np.zeros(s), np.zeros(s)) for s in shapes]


def more_functions(m, d, M, D):
    """The other functions of the survey: stages by what they compute, queries by what they return."""
    nv, rng = m.nv, np.random.default_rng(5)
    random_state(m, d, M, D, 2)
    # stages, called one by one
    for stage, fields in (
        ("mj_kinematics", "xpos xquat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat"),
        ("mj_comPos", "subtree_com cinert cdof"), ("mj_camlight", "cam_xpos cam_xmat"), ("mj_tendon", "ten_length"),
        ("mj_crb", "crb"), ("mj_collision", ""), ("mj_makeConstraint", ""), ("mj_transmission", "actuator_length"),
        ("mj_fwdPosition", "xpos subtree_com"),
        ("mj_comVel", "cvel cdof_dot"), ("mj_passive", "qfrc_passive"), ("mj_fwdVelocity", "qfrc_bias actuator_velocity"),
        ("mj_fwdActuation", "actuator_force qfrc_actuator act_dot"), ("mj_fwdAcceleration", "qacc_smooth qfrc_smooth"),
        ("mj_subtreeVel", "subtree_linvel subtree_angmom"), ("mj_energyPos", "energy"), ("mj_energyVel", "energy"),
    ):  # fmt: skip
        getattr(ours, stage)(m, d), getattr(native, stage)(M, D)
        for field in fields.split():
            same(getattr(d, field), getattr(D, field))
    # Jacobians of geoms, sites and subtrees
    for geom in range(min(m.ngeom, 4)):
        (a, c), (b, e) = pairs((3, nv), (3, nv))
        ours.mj_jacGeom(m, d, a, b, geom), native.mj_jacGeom(M, D, c, e, geom)
        same(a, c), same(b, e)
    for body in range(min(m.nbody, 4)):
        ((a, c),) = pairs((3, nv))
        ours.mj_jacSubtreeCom(m, d, a, body), native.mj_jacSubtreeCom(M, D, c, body)
        same(a, c)
        (a, c), (b, e) = pairs(3, 9)
        pose = rng.uniform(-1, 1, 3), np.array([0.5, 0.5, -0.5, 0.5])
        ours.mj_local2Global(d, a, b, *pose, body, 0), native.mj_local2Global(D, c, e, *pose, body, 0)
        same(a, c), same(b, e)
    # the free motion: inverse dynamics and what follows from accelerations, without the solver in between
    ours.mj_forward(m, d), native.mj_forward(M, D)
    d.qacc[:] = D.qacc[:] = rng.uniform(-1, 1, nv)
    if D.nefc == 0:
        ours.mj_inverse(m, d), native.mj_inverse(M, D)
        same(d.qfrc_inverse, D.qfrc_inverse)
        ours.mj_rnePostConstraint(m, d), native.mj_rnePostConstraint(M, D)
        for field in ("cacc", "cfrc_int", "cfrc_ext"):
            same(getattr(d, field), getattr(D, field))
        ((a, c),) = pairs(6)
        ours.mj_objectAcceleration(m, d, 1, m.nbody - 1, a, 0), native.mj_objectAcceleration(M, D, 1, m.nbody - 1, c, 0)
        same(a, c)
    assert ours.mj_getTotalmass(m) == pytest.approx(native.mj_getTotalmass(M), rel=1e-12)
    q = m.qpos0 + 0.3
    p = q.copy()
    ours.mj_normalizeQuat(m, q), native.mj_normalizeQuat(M, p)
    same(q, p)
    # rays
    for _ in range(3):
        start, way = rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 3)
        g, h = np.zeros(1, np.int32), np.zeros(1, np.int32)
        x = ours.mj_ray(m, d, start, way, None, 1, -1, g)
        y = native.mj_ray(M, D, start, way, None, 1, -1, h)
        assert x == pytest.approx(y, rel=1e-9, abs=1e-9) and g[0] == h[0]
    # a step: as near as the solver's tolerance lets two Newton iterations come
    random_state(m, d, M, D, 3)
    ours.mj_step(m, d), native.mj_step(M, D)
    free = D.nefc == 0
    same(d.qpos, D.qpos, 1e-9 if free else 1e-7), same(d.qvel, D.qvel, 1e-9 if free else 1e-6)
    random_state(m, d, M, D, 1)


def test_PY_3_small_maths_equal():
    rng = np.random.default_rng(7)
    for _ in range(20):
        q, r = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 4)))
        v, R = rng.normal(size=3), np.zeros(9)
        native.mju_quat2Mat(R, q)
        for name, out, arguments in (
            ("mju_mulQuat", 4, (q, r)), ("mju_negQuat", 4, (q,)), ("mju_quat2Mat", 9, (q,)), ("mju_mat2Quat", 4, (R,)),
            ("mju_quat2Vel", 3, (q, 0.5)), ("mju_rotVecQuat", 3, (v, q)), ("mju_axisAngle2Quat", 4, (v / np.linalg.norm(v), 0.7)),
            ("mju_subQuat", 3, (q, r)), ("mju_euler2Quat", 4, (v, "xZy")), ("mju_quatZ2Vec", 4, (v,)),
            ("mju_derivQuat", 4, (q, v)), ("mju_trnVecPose", 3, (v, q, v + 1)), ("mju_cross", 3, (v, v[::-1].copy())),
        ):  # fmt: skip
            a, c = np.zeros(out), np.zeros(out)
            getattr(ours, name)(a, *arguments), getattr(native, name)(c, *arguments)
            same(a, c, 1e-12)


def test_PY_3_values_equal_on_30_models():
    compared = 0
    for name, m, M in models(36):
        d, D = ours.MjData(m), native.MjData(M)
        random_state(m, d, M, D, 1)
        try:
            for field in ("qpos", "xpos", "xquat", "xmat", "xipos", "geom_xpos", "site_xpos", "subtree_com", "qfrc_bias",
                          "qfrc_passive", "actuator_length", "ten_length", "cvel", "actuator_velocity"):  # fmt: skip
                same(getattr(d, field), getattr(D, field))
            nv = m.nv
            for body in range(m.nbody):
                for function in ("mj_jacBody", "mj_jacBodyCom"):
                    a, b, c, e = (np.zeros((3, nv)) for _ in range(4))
                    getattr(ours, function)(m, d, a, b, body), getattr(native, function)(M, D, c, e, body)
                    same(a, c), same(b, e)
                a, c = np.zeros((3, nv)), np.zeros((3, nv))
                ours.mj_jac(m, d, a, None, [0.1, 0.2, 0.3], body), native.mj_jac(M, D, c, None, [0.1, 0.2, 0.3], body)
                same(a, c)
                a, c = np.zeros(6), np.zeros(6)
                for local in (0, 1):
                    ours.mj_objectVelocity(m, d, ours.mjtObj.mjOBJ_BODY, body, a, local)
                    native.mj_objectVelocity(M, D, native.mjtObj.mjOBJ_BODY, body, c, local)
                    same(a, c)
                a, c = np.zeros(nv), np.zeros(nv)
                ours.mj_applyFT(m, d, [1, 2, 3], [4, 5, 6], [0.1, 0, 0], body, a)
                native.mj_applyFT(M, D, [1, 2, 3], [4, 5, 6], [0.1, 0, 0], body, c)
                same(a, c)
            for site in range(m.nsite):
                a, c = np.zeros((3, nv)), np.zeros((3, nv))
                ours.mj_jacSite(m, d, a, None, site), native.mj_jacSite(M, D, c, None, site)
                same(a, c)
            a, c = np.zeros((nv, nv)), np.zeros((nv, nv))
            ours.mj_fullM(m, d, a), native.mj_fullM(M, D, c)
            same(a, c)
            x = np.sin(1 + np.arange(nv))
            for function in ("mj_mulM",):
                a, c = np.zeros(nv), np.zeros(nv)
                getattr(ours, function)(m, d, a, x), getattr(native, function)(M, D, c, x)
                same(a, c)
            a, c = np.zeros((2, nv)), np.zeros((2, nv))
            ours.mj_solveM(m, d, a, np.array([x, 2 * x])), native.mj_solveM(M, D, c, np.array([x, 2 * x]))
            same(a, c)
            a, c = np.zeros(nv), np.zeros(nv)
            ours.mj_rne(m, d, 0, a), native.mj_rne(M, D, 0, c)
            same(a, c)
            a, c = np.zeros(nv), np.zeros(nv)
            ours.mj_differentiatePos(m, a, 0.1, m.qpos0, d.qpos), native.mj_differentiatePos(M, c, 0.1, M.qpos0, D.qpos)
            same(a, c)
            spec = int(native.mjtState.mjSTATE_INTEGRATION)
            assert ours.mj_stateSize(m, spec) == native.mj_stateSize(M, spec)
            a, c = np.zeros(ours.mj_stateSize(m, spec)), np.zeros(native.mj_stateSize(M, spec))
            physics = int(native.mjtState.mjSTATE_FULLPHYSICS)
            a, c = a[: ours.mj_stateSize(m, physics)].copy(), c[: native.mj_stateSize(M, physics)].copy()
            ours.mj_getState(m, d, a, physics), native.mj_getState(M, D, c, physics)
            same(a, c)
            a[1:] *= 0.5
            ours.mj_setState(m, d, a, physics), native.mj_setState(M, D, a, physics)
            same(d.qpos, D.qpos), same(d.qvel, D.qvel)
            more_functions(m, d, M, D)
            ids = [int(native.mj_name2id(M, t, native.mj_id2name(M, t, 0) or "")) for t in (1, 3, 5)]
            assert ids == [ours.mj_name2id(m, t, ours.mj_id2name(m, t, 0) or "") for t in (1, 3, 5)]
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
        compared += 1
    assert compared >= 30


def test_PY_3_contacts_and_rays():
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body name="box" pos="0 0 0.09"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1"/></body>
      <body name="ball" pos="0.5 0 0.5"><freejoint/><geom name="ball" size="0.1"/></body></worldbody></mujoco>"""
    m, M = ours.MjModel.from_xml_string(text), native.MjModel.from_xml_string(text)
    d, D = ours.MjData(m), native.MjData(M)
    ours.mj_forward(m, d), native.mj_forward(M, D)
    assert d.ncon == D.ncon == 4 and d.nefc == D.nefc
    same(d.contact.dist, D.contact.dist, 1e-9), same(d.contact.geom, D.contact.geom)
    same(np.sort(d.contact.pos, axis=0), np.sort(D.contact.pos, axis=0))
    assert d.contact[0].geom1 == D.contact[0].geom1 and d.contact[0].dim == 3
    with pytest.raises(IndexError):
        d.contact[4]
    force = np.zeros(6)
    total = 0.0
    for i in range(d.ncon):
        ours.mj_contactForce(m, d, i, force)
        total += force[0]
    reference = 0.0
    for i in range(D.ncon):
        native.mj_contactForce(M, D, i, force)
        reference += force[0]
    assert total == pytest.approx(reference, rel=1e-6)
    same(d.efc_J.reshape(d.nefc, m.nv).sum(axis=0), D.efc_J.reshape(D.nefc, M.nv).sum(axis=0), 1e-9)
    a, b = np.zeros(1, np.int32), np.zeros(1, np.int32)
    for start, way in (([0.5, 0, 2], [0, 0, -1]), ([0.5, 0, 0.2], [-1, 0.1, -0.1]), ([0, 0, 3], [0, 0, 1])):
        x = ours.mj_ray(m, d, start, way, None, 1, -1, a)
        y = native.mj_ray(M, D, np.array(start, float), np.array(way, float), None, True, -1, b)
        assert x == pytest.approx(y) and a[0] == b[0]
    p, q = np.zeros(6), np.zeros((6, 1))
    assert ours.mj_geomDistance(m, d, 1, 2, 5, p) == pytest.approx(native.mj_geomDistance(M, D, 1, 2, 5, q), abs=1e-6)
    same(p, q.reshape(-1), 1e-5)


def test_PY_3_load_copy_pickle(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text(PENDULUM)
    m = ours.MjModel.from_xml_path(str(file))
    d = ours.MjData(m)
    ours.mj_step(m, d, nstep=5)
    for twin in (copy.copy(d), copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert twin.qpos.tolist() == d.qpos.tolist() and twin.time == d.time
    assert pickle.loads(pickle.dumps(m)) == m
    ours.mj_saveModel(m, str(tmp_path / "m.mjb"))
    assert ours.MjModel.from_binary_path(str(tmp_path / "m.mjb")) == m
    ours.mj_saveLastXML(str(tmp_path / "saved.xml"), m)
    assert ours.MjModel.from_xml_path(str(tmp_path / "saved.xml")).nq == 1
    ours.mj_resetDataKeyframe(m, d, 0)
    assert d.qpos[0] == pytest.approx(3.1)
    text = '<mujoco><include file="part.xml"/></mujoco>'
    part = b"<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"
    assert ours.MjModel.from_xml_string(text, {"part.xml": part}).ngeom == 1
    with pytest.raises(ValueError):
        ours.MjModel.from_xml_string("<mujoco><nonsense/></mujoco>")


def test_PY_3_halves_and_stages(pendulum):
    m, d = pendulum
    whole, other = ours.MjData(m), d
    for _ in range(10):
        ours.mj_step(m, whole)
        ours.mj_step1(m, other)
        ours.mj_step2(m, other)
    assert whole.state_hash == other.state_hash
    d.qpos[0] = 0.5
    ours.mj_kinematics(m, d)
    assert d.site("tip").xpos[0] == pytest.approx(-0.5 * np.sin(0.5))


def test_PY_3_missing_names_say_so():
    for name in ("mjr_text", "mj_loadPluginLibrary", "mjv_moveModel", "MjVfs"):
        assert not hasattr(ours, name)
        with pytest.raises(NotImplementedError, match=name):
            getattr(ours, name)
    with pytest.raises(NotImplementedError, match="mj_step"):
        ours.mj_stepp
    with pytest.raises(AttributeError):
        ours.something


def test_PY_3_enums_equal():
    for name in ("mjtObj", "mjtJoint", "mjtGeom", "mjtState", "mjtIntegrator", "mjtSensor", "mjtDisableBit", "mjtEnableBit"):
        mine, its = getattr(ours, name), getattr(native, name)
        assert {k: int(v) for k, v in its.__members__.items()} == {k: int(v) for k, v in mine.__members__.items()}, name


def test_global_callbacks(pendulum):
    m, d = pendulum

    def control(model, data):
        data.ctrl[0] = 0.75

    ours.set_mjcb_control(control)
    try:
        ours.mj_step(m, d)
        assert d.ctrl[0] == 0.75 and ours.get_mjcb_control() is control
    finally:
        ours.set_mjcb_control(None)
    d.ctrl[0] = 0
    ours.mj_step(m, d)
    assert d.ctrl[0] == 0


def test_rollout_equals_a_loop_and_native(pendulum):
    from sinew.mujoco import rollout

    m, d = pendulum
    M = native.MjModel.from_xml_string(PENDULUM)
    rng = np.random.default_rng(0)
    start = np.zeros((5, ours.mj_stateSize(m, ours.mjtState.mjSTATE_FULLPHYSICS)))
    start[:, 1] = rng.uniform(-1, 1, 5)
    control = rng.uniform(-1, 1, (5, 20, 1))
    state, sensor = rollout.rollout(m, [ours.MjData(m) for _ in range(2)], start, control)
    single, _ = rollout.rollout(m, d, start, control)
    assert np.array_equal(state, single) and state.shape == (5, 20, start.shape[1]) and sensor.shape == (5, 20, 1)
    import mujoco.rollout as theirs

    reference, its_sensor = theirs.rollout(M, native.MjData(M), start, control)
    same(state, reference), same(sensor, its_sensor)
    with pytest.raises(ValueError, match="initial_state"):
        rollout.rollout(m, d, start[:, :-1], control)
    again, _ = sinew.rollout(m, start, control, threads=2)
    assert np.array_equal(again, state)
