"""MjSpec: the elements, reading, writing, attaching, deleting, against native MuJoCo and against the engine's own reader."""

import pathlib

import numpy as np
import pytest

import sinew.mujoco as mujoco
from conftest import SCENES

ARM = """
<mujoco model="arm">
  <compiler angle="degree" eulerseq="zyx"/>
  <option timestep="0.004" integrator="implicitfast"><flag energy="enable"/></option>
  <default>
    <geom rgba="1 0 0 1"/>
    <default class="link"><geom size="0.05" density="500"/><joint damping="0.3" range="-30 60"/><position kp="7"/></default>
  </default>
  <asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/><material name="steel" rgba=".5 .5 .6 1"/></asset>
  <worldbody>
    <body name="upper" childclass="link" pos="0 0 1" euler="10 20 30">
      <joint name="shoulder" axis="0 1 0"/>
      <geom name="bone" type="capsule" fromto="0 0 0 .3 0 0" material="steel"/>
      <frame name="elbow" pos=".3 0 0">
        <body name="lower"><joint name="elbow" axis="0 1 0"/><geom type="mesh" mesh="wedge"/><site name="hand" pos=".2 0 0"/></body>
      </frame>
    </body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-.5"/></fixed></tendon>
  <actuator><position name="servo" joint="elbow" class="link"/><motor name="pull" tendon="both"/></actuator>
  <sensor><framepos objtype="site" objname="hand"/><jointpos joint="elbow"/></sensor>
  <keyframe><key name="bent" qpos=".3 .4"/></keyframe>
</mujoco>"""


def elements(module):
    spec = module.MjSpec()
    body = spec.worldbody.add_body()
    found = {kind: getattr(body, "add_" + kind)() for kind in ("body", "frame", "joint", "geom", "site", "camera", "light")}
    for kind in ("flex", "mesh", "hfield", "skin", "texture", "material", "pair", "exclude", "equality", "tendon", "actuator",
                 "sensor", "numeric", "text", "tuple", "key", "plugin"):  # fmt: skip
        found[kind] = getattr(spec, "add_" + kind)()
    return spec, {**found, "compiler": spec.compiler, "orientation": body.alt, "spec": spec, "default": spec.default}


def test_elements_have_the_attributes_and_defaults_of_native():
    native = pytest.importorskip("mujoco")
    (_, ours), (_, theirs) = elements(mujoco), elements(native)
    for kind, element in theirs.items():
        missing = [n for n in dir(element) if n[0] != "_" and n not in dir(type(ours[kind])) and n not in dir(ours[kind])]
        assert not missing, (kind, missing)
        if kind in ("spec", "default"):
            continue
        for name in dir(element):
            value = getattr(element, name)
            if name[0] == "_" or name in ("id", "signature", "childclass") or callable(value) and not hasattr(value, "__len__"):
                continue
            mine = getattr(ours[kind], name)
            if isinstance(value, (str, bytes)):
                assert mine == value, (kind, name)
            elif isinstance(value, np.ndarray):
                assert mine.dtype == value.dtype and np.array_equal(mine, value, equal_nan=True), (kind, name, mine, value)
            elif isinstance(value, (int, float)):
                assert type(mine).__name__ == type(value).__name__ or isinstance(value, (int, float)), (kind, name)
                assert mine == value or np.isnan(mine) and np.isnan(value), (kind, name, mine, value)
            elif hasattr(value, "__len__"):
                assert list(mine) == list(value), (kind, name)


def scenes():
    return sorted(p for p in SCENES.rglob("*.xml"))


def test_scenes_compile_to_the_same_model():
    """Read into elements and written again, conformance scenes are the models that the engine reads itself."""
    compared = 0
    for path in scenes()[::6]:
        try:
            direct = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue  # part of another scene
        spec = mujoco.MjSpec.from_file(str(path))
        assert spec.compile() == direct, path.name
        assert spec.copy().compile() == direct, path.name
        compared += 1
    assert compared > 30
    with pytest.raises(ValueError, match="makes inertia in another way"):
        mujoco.MjSpec.from_file(str(next(p for p in scenes() if p.name == "attach_inertia_settings.xml")))


def close(a, b, what):
    for name in sorted(a.MODEL_FIELDS if hasattr(a, "MODEL_FIELDS") else sinew_fields()):
        x, y = getattr(a, name), getattr(b, name)
        assert x.shape == y.shape and np.allclose(x, y, rtol=1e-9, atol=1e-12, equal_nan=True), (what, name)


def sinew_fields():
    from sinew._model import MODEL_FIELDS

    return MODEL_FIELDS


def test_to_xml_says_the_same_in_radians():
    spec = mujoco.MjSpec.from_string(ARM)
    model = spec.compile()
    text = spec.to_xml()
    assert 'angle="radian"' in text and 'class="link"' in text and "euler" not in text
    close(mujoco.MjModel.from_xml_string(text), model, "arm")
    native = pytest.importorskip("mujoco")
    theirs = native.MjModel.from_xml_string(text)
    assert np.allclose(theirs.body_quat, model.body_quat) and np.allclose(theirs.jnt_range, model.jnt_range)


def test_classes_of_a_file_are_kept():
    spec = mujoco.MjSpec.from_string(ARM)
    link = spec.find_default("link")
    assert spec.joint("elbow").classname is link and spec.geom("bone").classname is link
    assert spec.default.geom.rgba.tolist() == [1, 0, 0, 1] and link.actuator.gainprm[0] == 7
    geom = spec.body("lower").add_geom()  # inherits the class of the body around it
    assert geom.classname is link and geom.size[0] == 0.05 and geom.density == 500
    assert spec.worldbody.add_geom().classname is spec.default
    joint = spec.worldbody.add_body().add_joint(link)
    assert joint.damping.tolist() == [0.3, 0, 0] and joint.range.tolist() == [-30, 60]


def test_the_same_script_gives_the_same_model_as_native():
    native = pytest.importorskip("mujoco")

    def build(m):
        spec = m.MjSpec()
        spec.option.timestep = 0.001
        spec.compiler.degree = False
        spec.add_material(name="m", rgba=[0, 1, 0, 1])
        body = spec.worldbody.add_body(name="a", pos=[0, 0, 1], euler=[0.1, 0.2, 0.3])
        body.add_joint(name="j", type=m.mjtJoint.mjJNT_HINGE, axis=[1, 0, 0], range=[-1, 2], damping=[0.5, 0, 0])
        body.add_geom(name="g", type=m.mjtGeom.mjGEOM_BOX, size=[0.1, 0.2, 0.3], material="m")
        frame = body.add_frame(pos=[0.5, 0, 0], axisangle=[0, 0, 1, 0.5])
        child = frame.add_body(name="b")
        child.add_freejoint() if False else child.add_joint(name="k", type=m.mjtJoint.mjJNT_BALL)
        child.add_geom(fromto=[0, 0, 0, 0, 0, 0.5], size=[0.05, 0, 0], type=m.mjtGeom.mjGEOM_CAPSULE)
        child.mass, child.inertia, child.ipos, child.explicitinertial = 2.0, [0.1, 0.2, 0.25], [0, 0, 0.1], True
        child.add_site(name="s", pos=[0, 0, 0.5])
        body.add_site(name="s0")
        child.add_camera(name="c", fovy=30)
        mesh = spec.add_mesh(name="tet")
        mesh.uservert = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
        spec.worldbody.add_geom(type=m.mjtGeom.mjGEOM_MESH, meshname="tet", pos=[3, 0, 0])
        hfield = spec.add_hfield(name="h", size=[1, 1, 0.5, 0.1], nrow=3, ncol=2)
        hfield.userdata = [0, 1, 2, 3, 4, 5]
        spec.worldbody.add_geom(type=m.mjtGeom.mjGEOM_HFIELD, hfieldname="h", pos=[0, 5, 0])
        actuator = spec.add_actuator(name="p", target="j", trntype=m.mjtTrn.mjTRN_JOINT, ctrlrange=[-1, 1])
        actuator.set_to_position(kp=20, kv=1)
        spec.add_actuator(name="mo", target="t", trntype=m.mjtTrn.mjTRN_TENDON).set_to_motor()
        spec.add_actuator(name="mu", target="j", trntype=m.mjtTrn.mjTRN_JOINT, lengthrange=[0.1, 2]).set_to_muscle(tausmooth=0.1, force=3)
        tendon = spec.add_tendon(name="t", stiffness=[3, 0, 0])
        tendon.wrap_site("s")
        tendon.wrap_site("s0")
        spec.add_sensor(name="q", type=m.mjtSensor.mjSENS_FRAMEQUAT, objtype=m.mjtObj.mjOBJ_SITE, objname="s")
        spec.add_sensor(name="x", type=m.mjtSensor.mjSENS_JOINTPOS, objtype=m.mjtObj.mjOBJ_JOINT, objname="j")
        equality = spec.add_equality(name="w", type=m.mjtEq.mjEQ_WELD, name1="a", name2="b", objtype=m.mjtObj.mjOBJ_BODY)
        equality.data[:3] = [0.1, 0, 0]
        spec.add_exclude(bodyname1="a", bodyname2="b")
        spec.add_key(name="key", qpos=[0.3, 1, 0, 0, 0])
        spec.add_numeric(name="n", data=[1, 2, 3])
        spec.add_text(name="txt", data="hello")
        return spec.compile()

    ours, theirs = build(mujoco), build(native)
    for size in ("nq", "nv", "nu", "nbody", "ngeom", "nsite", "ncam", "nsensor", "ntendon", "neq", "nkey", "nmesh", "nhfield"):
        assert getattr(ours, size) == getattr(theirs, size), size
    compared = 0
    for name in sinew_fields():
        if not hasattr(theirs, name) or name.startswith(("flex", "mesh_", "bvh", "oct", "name_", "M_", "D_", "map", "B_")):
            continue
        x, y = getattr(ours, name), getattr(theirs, name)
        if x.size == y.size and x.dtype.kind == "f":
            assert np.allclose(x.reshape(-1), y.reshape(-1), atol=1e-9), name
            compared += 1
    assert compared > 80, compared


def test_attach_with_prefix_brings_everything_along():
    native = pytest.importorskip("mujoco")

    def build(m):
        parent, results = m.MjSpec(), []
        parent.compiler.conflict = m.mjtConflict.mjCONFLICT_MERGE
        for i in range(2):
            child = m.MjSpec.from_string(ARM)
            frame = parent.worldbody.add_frame(pos=[i, 0, 0])
            frame.attach_body(child.body("upper"), f"a{i}/", "")
        parent.worldbody.add_site(name="base", pos=[0, 3, 0], quat=[0, 0, 0, 1])
        parent.attach(m.MjSpec.from_string(ARM), site="base", prefix="c/")
        results.append(parent.compile())
        return results[0]

    ours, theirs = build(mujoco), build(native)
    for kind in ("body", "joint", "geom", "site", "actuator", "tendon", "sensor", "mesh"):
        mine = {mujoco.mj_id2name(ours, number(kind), i) for i in range(ours._count(number(kind)))}
        its = {native.mj_id2name(theirs, number(kind), i) for i in range(count(theirs, kind))}
        assert mine == its, kind
    for i in range(ours.nbody):
        name = mujoco.mj_id2name(ours, 1, i)
        other = native.mj_name2id(theirs, native.mjtObj.mjOBJ_BODY, name)
        assert np.allclose(ours.body_pos[i], theirs.body_pos[other]) and np.allclose(ours.body_quat[i], theirs.body_quat[other])
        assert np.isclose(ours.body_mass[i], theirs.body_mass[other])


def test_keyframes_of_attached_models_stay_with_their_joints():
    native = pytest.importorskip("mujoco")

    def build(m):
        parent = m.MjSpec()
        parent.compiler.conflict = m.mjtConflict.mjCONFLICT_MERGE
        body = parent.worldbody.add_body(name="first")
        body.add_joint(name="first", type=m.mjtJoint.mjJNT_BALL)
        body.add_geom(size=[0.1, 0, 0])
        for prefix in ("a-", "b-"):
            parent.attach(m.MjSpec.from_string(ARM), frame=parent.worldbody.add_frame(), prefix=prefix)
        return parent.compile()

    ours, theirs = build(mujoco), build(native)
    assert ours.nkey == theirs.nkey == 2 and np.allclose(ours.key_qpos, theirs.key_qpos)


def number(kind):
    return int(getattr(mujoco.mjtObj, "mjOBJ_" + kind.upper()))


def count(model, kind):
    return getattr(model, {"body": "nbody", "joint": "njnt", "geom": "ngeom", "site": "nsite", "actuator": "nu",
                           "tendon": "ntendon", "sensor": "nsensor", "mesh": "nmesh"}[kind])  # fmt: skip


def test_delete_takes_what_refers_to_it():
    spec = mujoco.MjSpec.from_string(ARM)
    spec.delete(spec.body("lower"))
    assert spec.joint("elbow") is None and not spec.sensors and not spec.tendons and not spec.actuators
    spec.keys[0].qpos = [0.3]
    assert spec.compile().nq == 1
    with pytest.raises(ValueError, match="world"):
        spec.delete(spec.worldbody)
    gone = spec.geom("bone")
    spec.delete(gone)
    with pytest.raises(ValueError, match="deleted"):
        gone.size = [1]


def test_recompile_keeps_the_state_bit_for_bit():
    spec = mujoco.MjSpec.from_string(ARM)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.3
    mujoco.mj_step(model, data, 50)
    new = spec.worldbody.add_body(name="ball", pos=[0, 2, 0])
    new.add_freejoint()
    new.add_geom(size=[0.1])
    spec.body("lower").add_joint(name="first", type=mujoco.mjtJoint.mjJNT_SLIDE)
    spec.keys[0].qpos = []
    model2, data2 = spec.recompile(model, data)
    for name in ("shoulder", "elbow"):
        assert data2.joint(name).qpos == data.joint(name).qpos and data2.joint(name).qvel == data.joint(name).qvel
    assert data2.time == data.time and np.array_equal(data2.ctrl, data.ctrl)
    assert np.array_equal(data2.bind(spec.joint("elbow")).qpos, data.joint("elbow").qpos)
    bound = data2.bind([spec.joint("shoulder"), spec.joint("elbow")])
    bound.qvel = [1, 2]
    assert data2.joint("elbow").qvel == 2 and model2.bind(spec.joints).id.tolist() == list(range(4))


def test_bad_input_says_what_was_expected():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="b")
    for call, error, text in (
        (lambda: body.add_geom(pos=[1, 2]), ValueError, "pos should be a list/array of size 3"),
        (lambda: body.add_geom(pos="x"), TypeError, "pos should be"),
        (lambda: body.add_geom(type="box"), TypeError, "mjtGeom"),
        (lambda: body.add_geom(posi=[1, 2, 3]), TypeError, "posi"),
        (lambda: setattr(body, "poss", [1]), AttributeError, "pos"),
        (lambda: setattr(spec, "modelnam", "x"), AttributeError, "modelname"),
        (lambda: spec.worldbody.add_body(name="b"), ValueError, "repeated name 'b' in body"),
        (lambda: body.add_geom(euler=[1, 2, 3], zaxis=[0, 0, 1]), ValueError, "Only one of"),
        (lambda: spec.attach(mujoco.MjSpec(), frame="nowhere"), ValueError, "Frame not found"),
        (lambda: spec.add_default("main", spec.default), ValueError, "repeated default class"),
        (lambda: spec.activate_plugin("mujoco.pid"), ValueError, "plugin"),
        (lambda: mujoco.MjSpec.from_string("<mujoco><worldbody><geom siz='1'/></worldbody></mujoco>"), ValueError, "siz"),
        (lambda: mujoco.MjSpec.from_file("/nowhere.xml"), FileNotFoundError, "nowhere"),
    ):
        with pytest.raises(error, match=text):
            call()
    assert [g for g in spec.geoms] == [] and len(spec.bodies) == 2
    geom = body.add_geom(name="flat", info="made here")
    with pytest.raises(ValueError, match=r"(?s)Error: .*size.*\nElement name 'flat', id 0, made here"):
        spec.compile()
    geom.size = [0.1]
    assert spec.compile().ngeom == 1


def test_flexcomp_stays_and_make_flex_makes_one():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="b", pos=[0, 0, 1])
    flex = body.make_flex(name="cloth", type="grid", dim=2, count=[4, 4, 1], spacing=[0.1, 0.1, 0.1], mass=0.2, elastic2d=3)
    flex.young, flex.thickness = 1e4, 0.01
    model = spec.compile()
    assert model.nflex == 1 and model.nflexvert == 16 and pathlib.Path(__file__).exists()
    again = mujoco.MjSpec.from_string(spec.to_xml())
    again.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    assert again.compile().nflexvert == 16
