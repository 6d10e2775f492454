"""PY_1, PY_3, PY_6: lights, materials, textures and skins as arrays, names of native MuJoCo, pictures that follow the model."""

import copy
import pickle

import numpy as np
import pytest

import sinew
import sinew.mujoco as mujoco
from conftest import PENDULUM

needs_renderer = pytest.mark.skipif(not sinew._core.has_renderer, reason="this build has no renderer")

FULL = """
<mujoco model="full">
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="0.3 0.5 0.7" rgb2="0 0 0" width="16" height="96"/>
    <texture name="grid" type="2d" builtin="checker" rgb1=".1 .2 .3" rgb2=".2 .3 .4" width="10" height="12" mark="edge"/>
    <texture name="cube" type="cube" builtin="flat" rgb1=".1 .2 .3" rgb2=".2 .3 .4" width="8" height="48" mark="cross"/>
    <material name="grid" texture="grid" texrepeat="5 5" texuniform="true" reflectance=".2"/>
    <material name="self" rgba=".8 .6 .4 1" shininess="0.9" specular="0.1" emission="0.3"/>
    <mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="0.1 0.1 0.1"/>
  </asset>
  <worldbody>
    <light name="top" pos="0 0 3" dir="0 0 -1" type="directional" diffuse="1 0.5 0.2" castshadow="false"/>
    <geom name="floor" type="plane" size="1 1 .1" material="grid"/>
    <camera name="c" pos="0 -1 1"/>
    <body name="b" pos="0 0 1">
      <freejoint name="free"/>
      <light pos="0.1 0 1" dir="1 0 -2" mode="trackcom" attenuation="1 0.1 0.2"/>
      <light name="fixed" pos="0.1 0.3 1" dir="1 1 -2"/>
      <geom name="s" size=".1" material="self"/>
      <geom type="mesh" mesh="tet"/>
      <site name="si" material="self"/>
      <body name="c" pos="0.3 0 0"><joint name="h"/><geom size="0.05"/></body>
      <body name="e" pos="-0.3 0 0"><joint name="k" type="ball"/><geom name="last" size="0.05"/></body>
    </body>
    <body name="alone" pos="2 0 1"><joint name="s1" type="slide"/><geom size="0.1"/></body>
  </worldbody>
  <contact><exclude body1="c" body2="e"/><exclude body1="world" body2="c"/><pair geom1="floor" geom2="s"/></contact>
  <deformable>
    <skin name="sk" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2" rgba="1 0 0 1">
      <bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/>
    </skin>
  </deformable>
  <tendon><fixed name="t"><joint joint="h" coef="1"/><joint joint="s1" coef="2"/></fixed></tendon>
  <actuator><motor joint="h"/><motor tendon="t"/><position name="p" joint="s1" kp="2" damping="3"/></actuator>
  <sensor><jointpos joint="h"/></sensor>
</mujoco>"""

# arrays that say how MuJoCo searches for collisions and where names and files stand; normals as they are drawn
ELSEWHERE = ("bvh", "mesh_normal", "mesh_facenormal", "mesh_poly", "name_", "names", "path", "sameframe", "narena", "nbuffer")


def same(a, b, name):
    assert isinstance(b, np.ndarray), name
    assert a.shape == b.shape and a.dtype == b.dtype, (name, a.shape, b.shape, a.dtype, b.dtype)
    assert np.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True), (name, a, b)


def test_PY_1_arrays_of_native_models_have_the_same_values():
    native = pytest.importorskip("mujoco")
    M, m = native.MjModel.from_xml_string(FULL), mujoco.MjModel.from_xml_string(FULL)
    D, d = native.MjData(M), mujoco.MjData(m)
    D.qpos[3:7] = d.qpos[3:7] = [0.5, 0.5, 0.5, 0.5]
    native.mj_forward(M, D), mujoco.mj_forward(m, d)
    compared = 0
    for name in dir(M):
        value = getattr(M, name)
        if name.startswith("_") or any(part in name for part in ELSEWHERE) or not isinstance(value, np.ndarray):
            continue
        if name in ("flex_bending", "flex_passive"):  # of another type here; there is no flex
            continue
        same(value, getattr(m, name), name)
        compared += 1
    assert compared > 400
    for name in ("light_xpos", "light_xdir"):
        same(getattr(D, name), getattr(d, name), name)
    for name in ("nlight", "nmat", "ntex", "ntexdata", "nskin", "nskinvert", "nskinbone", "nB", "nnames_map"):
        assert getattr(m, name) == getattr(M, name), name
    for kind in ("light", "mat", "tex", "skin", "geom", "body"):
        for i in range(getattr(M, "n" + kind)):
            assert getattr(m, kind)(i).name == getattr(M, kind)(i).name
            type = mujoco.mju_str2Type({"mat": "material", "tex": "texture"}.get(kind, kind))
            name = getattr(M, kind)(i).name
            assert mujoco.mj_name2id(m, type, name) == native.mj_name2id(M, type, name) == (i if name else -1)
            assert mujoco.mj_id2name(m, type, i) == (name or None)
    # names stand where the addresses say
    for kind in ("light", "mat", "tex", "skin", "body", "actuator"):
        for i, start in enumerate(getattr(m, f"name_{kind}adr")):
            name = m.names[start : m.names.index(b"\0", start)].decode()
            assert name == getattr(m, {"actuator": "actuator"}.get(kind, kind))(i).name
    assert m.tex("grid").data.shape == (12, 10, 3)


def test_PY_1_arrays_of_looks_can_be_written_and_keep_their_owner():
    m = mujoco.MjModel.from_xml_string(FULL)
    rgba = m.mat("self").rgba
    rgba[:] = (0.1, 0.2, 0.3, 1)
    assert np.array_equal(m.mat_rgba[1], np.float32([0.1, 0.2, 0.3, 1]))
    m.light_diffuse = 0.5
    assert np.all(m.light_diffuse == 0.5)
    with pytest.raises(ValueError, match=r"mat_rgba: needs an array of shape \(2, 4\), found \(3, 3\)"):
        m.mat_rgba = np.zeros((3, 3))
    with pytest.raises(AttributeError, match="light_mode is read-only"):
        m.light_mode = 0
    with pytest.raises(KeyError, match="did you mean 'grid'"):
        m.mat("gird")
    view = m.light_pos
    del m
    assert view[0, 2] == 3
    flexes = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1"><edge equality="true"/></flexcomp></worldbody></mujoco>'
    )
    with pytest.raises(NotImplementedError, match="flex_vertbodyid"):
        flexes.flex_vertbodyid
    assert mujoco.MjModel.from_xml_string(FULL).flex_vertbodyid.shape == (0,)


LIT = """
<mujoco>
  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
  <asset><material name="paint" rgba="0 1 0 1" specular="0"/><material name="glow" rgba="1 1 1 1"/></asset>
  <worldbody>
    <light name="lamp" pos="0 0 5" dir="0 0 -1" type="directional" ambient="0 0 0" diffuse="0 0 0" specular="0 0 0"/>
    <camera name="above" pos="0 0 3"/>
    <geom name="left" type="box" size="1 1 .1" pos="-1 0 0" rgba="1 0 0 1"/>
    <geom name="right" type="box" size="1 1 .1" pos="1 0 0" material="paint"/>
  </worldbody>
</mujoco>"""


@needs_renderer
def test_PY_6_pictures_follow_the_model():
    """Ambient light alone: a pixel is the colour of what is seen."""
    m = mujoco.MjModel.from_xml_string(LIT)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    with mujoco.Renderer(m, 20, 40) as renderer:

        def seen():
            renderer.update_scene(d, "above")
            picture = renderer.render()
            return picture[10, 10].tolist(), picture[10, 30].tolist()

        assert seen() == ([255, 0, 0], [0, 255, 0])
        m.geom_rgba[0] = (0, 0, 1, 1)
        m.mat_rgba[0] = (1, 1, 0, 1)
        assert seen() == ([0, 0, 255], [255, 255, 0])
        m.geom("right").rgba = (1, 0, 1, 1)  # its own colour goes before that of its material
        assert seen()[1] == [255, 0, 255]
        m.vis.headlight.ambient = (0, 0, 0)
        assert seen() == ([0, 0, 0], [0, 0, 0])
        m.light("lamp").ambient = (1, 1, 1)
        assert seen() == ([0, 0, 255], [255, 0, 255])
        m.light_active[0] = False
        assert seen() == ([0, 0, 0], [0, 0, 0])
        m.light_active[0] = True
        m.geom_group[0] = 5  # groups from 3 on are hidden
        assert seen()[0] != [0, 0, 255] and seen()[1] == [255, 0, 255]
        m.geom_group[0] = 0
        m.geom_size[1] = 0.01
        assert seen()[1] != [255, 0, 255]


@needs_renderer
def test_PY_6_a_model_is_drawn_as_it_was_compiled(tmp_path):
    """Whatever becomes of the Spec; after copies and pickles; with files beside the text."""

    def color(model):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        with mujoco.Renderer(model, 20, 40) as renderer:
            renderer.update_scene(data, "above")
            return renderer.render()[10, 30].tolist()

    for kind in (mujoco.MjSpec.from_string, sinew.Spec.from_text):
        spec = kind(LIT)
        model = spec.compile()
        spec.worldbody.add_body(name="more").add_geom(size=[1, 1, 1])
        del spec
        assert model.nmat == 2 and color(model) == [0, 255, 0]
        for other in (copy.copy(model), pickle.loads(pickle.dumps(model))):
            assert color(other) == [0, 255, 0] and other.light("lamp").type == 1
    from PIL import Image

    Image.new("RGB", (4, 4), (0, 0, 255)).save(tmp_path / "blue.png")
    text = LIT.replace("<asset>", '<asset><texture name="t" type="2d" file="blue.png"/>').replace(
        'name="paint" rgba="0 1 0 1"', 'name="paint" texture="t"'
    )
    assert color(sinew.Model.from_text(text, directory=tmp_path)) == [0, 0, 255]
    assert color(mujoco.MjModel.from_xml_string(text, {"blue.png": (tmp_path / "blue.png").read_bytes()})) == [0, 0, 255]
    (tmp_path / "model.xml").write_text(text)
    (tmp_path / "inner.xml").write_text("<mujoco/>")
    # some files given, others on the disk
    assert color(mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"), {"inner.xml": b"<mujoco/>"})) == [0, 0, 255]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    model.tex_data[:] = np.tile(np.uint8([255, 0, 0]), 16)
    assert color(model) == [255, 0, 0]


def test_PY_3_pickles_of_data_keep_contacts_and_rows():
    m = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>'
    )
    d = mujoco.MjData(m)
    mujoco.mj_step(m, d, 20)
    again = pickle.loads(pickle.dumps(d))
    assert again.ncon == d.ncon == 4 and again.contact == d.contact
    for name in ("efc_type", "efc_force", "efc_J", "efc_aref", "efc_target", "efc_state", "qacc", "xpos"):
        assert np.array_equal(getattr(again, name), getattr(d, name)), name
    assert d.efc_aref.size == d.nefc and d.efc_target.size == 0
    force, other = np.zeros(6), np.zeros(6)
    mujoco.mj_contactForce(m, d, 2, force), mujoco.mj_contactForce(again.model, again, 2, other)
    assert force[0] > 0 and np.array_equal(force, other)
    mujoco.mj_step(m, d), mujoco.mj_step(again.model, again)
    assert np.array_equal(d.qpos, again.qpos)
    with pytest.raises(ValueError, match="pickle of a Data of another model"):
        d._set_derived_bytes(d._derived_bytes()[:-50])


def test_rows_of_hard_contacts_have_targets():
    """... and neither D nor R nor a reference acceleration; islands are found all the same."""
    m = mujoco.MjModel.from_xml_string(
        '<mujoco><option solver="Impulse"/><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>'
    )
    d = mujoco.MjData(m)
    mujoco.mj_step(m, d, 20)
    assert d.nefc == 12 and d.efc_target.size == 12 and d.efc_aref.size == 0 and d.efc_D.size == 0
    assert d.iefc_force.size == 12 and d.iefc_D.size == 0 and np.all(d.dof_island == 0)


def test_PY_3_the_second_half_of_a_step(pendulum):
    """mj_forward may stand for mj_step1; alone it is an error, and mj_step2 makes up for it."""
    model, data = pendulum
    other = sinew.Data(model)
    data.qpos[0] = other.qpos[0] = 0.5
    mujoco.mj_step(model, data)
    mujoco.mj_forward(model, other)
    mujoco.mj_step2(model, other)
    assert other.time == data.time and np.array_equal(other.qpos, data.qpos)
    with pytest.raises(ValueError, match="step2 came without step1"):
        sinew.step2(model, other)
    mujoco.mj_step2(model, other), mujoco.mj_step(model, data)
    assert np.array_equal(other.qpos, data.qpos) and other.time == data.time


def test_PY_4_options_that_cannot_work_are_errors(pendulum):
    model, data = pendulum
    model.opt.solver = 10
    for call in (mujoco.mj_step, mujoco.mj_forward, sinew.step):
        with pytest.raises(sinew.OptionError, match="'solver' must be one of PGS, CG, Newton, Impulse, found the number 10"):
            call(model, data)
        with pytest.raises(mujoco.FatalError):
            call(model, data)
    assert data.time == 0
    model.opt.solver = 2
    sinew.step(model, data)
    with pytest.raises(AttributeError, match="did you mean 'timestep'"):
        model.opt.timestp = 1
    with pytest.raises(AttributeError, match="did you mean 'timestep'"):
        model.opt.timestp
    with pytest.raises(ValueError, match=r"opt.gravity: needs 3 numbers, found \[1, 2\]"):
        model.opt.gravity = [1, 2]
    with pytest.raises(TypeError, match="opt.timestep: needs a number, found 'a'"):
        model.opt.timestep = "a"
    with pytest.raises(AttributeError, match="Data has no 'qposs'; did you mean 'qpos'"):
        data.qposs
    with pytest.raises(AttributeError, match="Model has no 'body_masss'; did you mean 'body_mass'"):
        model.body_masss
    with pytest.raises(TypeError, match="from_xml_path"):
        mujoco.MjModel()
    with pytest.raises(TypeError, match="mjtObj"):
        mujoco.mj_name2id(model, "body", "arm")
    with pytest.raises(TypeError, match="C-contiguous"):
        mujoco.mj_jacSite(model, data, np.zeros((3, 2))[:, ::2], None, 0)


def test_PY_6_rollouts_that_diverge_or_do_not_fit():
    from sinew.mujoco import rollout

    m = mujoco.MjModel.from_xml_string(PENDULUM.replace("<worldbody>", '<option timestep="0.01"/><worldbody>', 1))
    d = mujoco.MjData(m)
    full = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((2, mujoco.mj_stateSize(m, full)))
    start[1, 2] = 1e11  # a speed that counts as diverged
    state, _ = rollout.rollout(m, d, start, nstep=5)
    assert np.all(state[1, 1:] == state[1, 0]) and np.all(np.diff(state[0, :, 0]) > 0)
    for arguments, text in (
        (dict(control="fast"), "control must be a numpy array or float"),
        (dict(control=np.zeros((1, 1, 1, 1))), "control can have at most 3 dimensions"),
        (dict(control=np.zeros((2, 3, 1)), nstep=4), "dimension 1 inferred as 4 but control has 3"),
        (dict(control=np.zeros((3, 3, 1))), "dimension 0 inferred as 2 but control has 3"),
    ):
        with pytest.raises(ValueError, match=text):
            rollout.rollout(m, d, start, **arguments)
    with pytest.raises(ValueError, match="list of data instances is empty"):
        rollout.rollout(m, [], start)
    with rollout.Rollout(nthread=2) as two, pytest.raises(ValueError, match="Length of data: 1 not equal to nthread: 2"):
        two.rollout(m, [d], start)
    # more models than rows: as many rows as there are initial states
    models = [copy.copy(m) for _ in range(5)]
    out = np.zeros((2, 3, start.shape[1]))
    rollout.rollout(models, [d], start, np.zeros((2, 3, 1)), skip_checks=True, nstep=3, state=out)
    assert out[0, -1, 0] == pytest.approx(0.03)


@needs_renderer
def test_PY_6_options_of_pictures():
    """Each flag that has a meaning changes the picture of a model that has what it shows, and flags have MuJoCo's defaults."""
    m = mujoco.MjModel.from_xml_string("""
    <mujoco>
      <asset>
        <texture name="check" type="2d" builtin="checker" rgb1="1 1 1" rgb2="0 0 0" width="20" height="20"/>
        <material name="check" texture="check" texrepeat="3 3"/><material name="mirror" reflectance="0.8"/>
      </asset>
      <worldbody>
        <light name="lamp" pos="0.3 0.3 2" dir="-.1 -.1 -1"/><light name="low" pos="-0.3 0.4 0.4" diffuse="0 0 0"/>
        <camera name="above" pos="0 -1.2 1.5" xyaxes="1 0 0 0 .75 .6"/><camera name="other" pos="0.4 0 0.3"/>
        <geom name="floor" type="plane" size="1 1 .1" material="mirror"/>
        <geom type="box" size=".2 .2 .02" pos="-.5 0 0" material="check"/>
        <body name="ball" pos="0 0 .01"><freejoint/><geom type="box" size=".1 .1 .01"/><site name="a" pos="0.1 0 0"/></body>
        <body name="arm" pos=".5 0 .3"><joint name="hinge" axis="0 1 0"/><geom type="box" size=".05 .02 .02" pos=".15 0 0"/><site name="b"/></body>
      </worldbody>
      <tendon><spatial name="wire" width="0.02"><site site="a"/><site site="b"/></spatial></tendon>
      <equality><connect body1="ball" body2="arm" anchor="0.2 0 0"/></equality>
      <actuator><motor joint="hinge"/></actuator>
    </mujoco>""")
    d = mujoco.MjData(m)
    mujoco.mj_step(m, d, 5)
    mujoco.mj_forward(m, d)
    assert d.ncon > 0
    with mujoco.Renderer(m, 60, 80) as renderer:

        def picture(option=None):
            renderer.update_scene(d, "above", option)
            return renderer.render().astype(int)

        usual = picture()
        assert np.array_equal(usual, picture(mujoco.MjvOption()))
        for name in ("JOINT", "CAMERA", "ACTUATOR", "LIGHT", "TENDON", "INERTIA", "CONTACTPOINT", "TRANSPARENT", "COM", "TEXTURE"):
            option = mujoco.MjvOption()
            flag = getattr(mujoco.mjtVisFlag, "mjVIS_" + name)
            option.flags[flag] = not option.flags[flag]
            assert np.abs(picture(option) - usual).max() > 10, name
        for frame in ("WORLD", "BODY", "GEOM", "SITE", "CAMERA"):
            option = mujoco.MjvOption()
            option.frame = getattr(mujoco.mjtFrame, "mjFRAME_" + frame)
            assert np.abs(picture(option) - usual).max() > 10, frame
        option.frame = mujoco.mjtFrame.mjFRAME_CONTACT
        with pytest.raises(NotImplementedError, match="mjFRAME_CONTACT is not drawn"):
            picture(option)
        for name in ("SHADOW", "REFLECTION"):
            renderer.scene.flags[getattr(mujoco.mjtRndFlag, "mjRND_" + name)] = 0
            assert np.abs(picture() - usual).max() > 10, name
            renderer.scene.flags[getattr(mujoco.mjtRndFlag, "mjRND_" + name)] = 1
    native = pytest.importorskip("mujoco")
    for name in ("flags", "geomgroup", "flexgroup", "frame", "label"):
        assert np.array_equal(getattr(native.MjvOption(), name), getattr(mujoco.MjvOption(), name)), name
    M = native.MjModel.from_xml_string("<mujoco/>")
    assert np.array_equal(native.MjvScene(M, 10).flags, mujoco.MjvScene(mujoco.MjModel.from_xml_string("<mujoco/>"), 10).flags)


def test_PY_3_islands_equal_native():
    native = pytest.importorskip("mujoco")
    text = """
    <mujoco><worldbody><geom type="plane" size="9 9 1"/>
      <body pos="0 0 .1"><freejoint/><geom size=".1"/></body>
      <body pos="1 0 .1"><freejoint/><geom size=".1"/></body>
      <body pos="5 0 5"><joint/><geom size=".1"/></body>
      <body pos="1 0 .29"><freejoint/><geom size=".1"/></body>
      <body name="a" pos="2 0 3"><joint type="slide" axis="0 0 1" frictionloss="1"/><geom size=".05"/></body>
      <body name="b" pos="3 0 3"><joint name="q" type="ball"/><geom size=".05" pos=".2 0 0"/></body>
      <body name="c" pos="-3 0 3"><joint name="l" range="0 1"/><geom size=".05" pos=".2 0 0"/></body></worldbody>
      <equality><connect body1="a" body2="b" anchor="0.5 0 0"/></equality></mujoco>"""
    M, m = native.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    D, d = native.MjData(M), mujoco.MjData(m)
    for steps in (0, 5, 40):
        native.mj_step(M, D, steps), mujoco.mj_step(m, d, steps)
        native.mj_forward(M, D), mujoco.mj_forward(m, d)
        assert D.nisland == d.nisland and D.nisland >= 2
        for name in dir(D):
            if "island" in name or name.startswith(("iefc_", "iacc", "ifrc_", "map_")) or name == "nidof":
                value = np.asarray(getattr(D, name))
                assert np.allclose(value, getattr(d, name), rtol=1e-6, atol=1e-8), (steps, name, value, getattr(d, name))


def test_PY_3_enumerations_show_their_names():
    assert str(mujoco.mjtGeom.mjGEOM_BOX) == "mjtGeom.mjGEOM_BOX" and mujoco.mjtGeom.mjGEOM_BOX == 6
    assert repr(mujoco.mjtGeom(6)) == "<mjtGeom.mjGEOM_BOX: 6>"
