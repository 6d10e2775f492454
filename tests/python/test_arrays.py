"""PY_1, PY_2: arrays as numpy views, named access."""

import gc

import numpy as np
import pytest

import sinew
from conftest import PENDULUM, SCENES

mujoco = pytest.importorskip("mujoco")


def test_PY_1_every_array_is_a_view_with_its_shape():
    for file in ("flex_sheet.xml", "actuator_ctrlrange.xml"):
        path = SCENES / file
        if not path.exists():
            path = sorted(SCENES.glob("*.xml"))[0]
        model = sinew.Model.from_file(path)
        data = sinew.Data(model)
        for owner, fields in ((model, sinew._model.MODEL_FIELDS), (data, sinew._model.DATA_FIELDS)):
            assert len(fields) > 90
            for name, field in fields.items():
                array = getattr(owner, name)
                assert isinstance(array, np.ndarray) and array.dtype == field.dtype, name
                assert getattr(owner, name) is array, name  # made once
                assert field.__doc__ and field.name in repr(field)
                if array.size:
                    assert not array.flags.owndata, name


def test_PY_1_shapes_are_those_of_mujoco():
    compared = 0
    for path in sorted(SCENES.glob("*.xml"))[::12]:
        try:
            theirs = mujoco.MjModel.from_xml_path(str(path))
            ours = sinew.mujoco.MjModel.from_xml_path(path)
        except Exception:
            continue
        if theirs.nflex or (theirs.nq, theirs.nbody) != (ours.nq, ours.nbody):
            continue
        data, reference = sinew.Data(ours), mujoco.MjData(theirs)
        for mine, its, fields in (
            (ours, theirs, sinew._model.MODEL_FIELDS),
            (data, reference, sinew._model.DATA_FIELDS),
        ):
            for name in fields:
                if not hasattr(its, name) or name.startswith(("flex", "mesh_", "K_", "mapD2M", "wrap_", "ten_J")):
                    continue
                value = getattr(its, name)
                if isinstance(value, np.ndarray):
                    assert getattr(mine, name).shape == value.shape, (path.name, name)
                    compared += 1
    assert compared > 1000


def test_PY_1_writing_acts(pendulum):
    model, data = pendulum
    data.qpos[0] = 0.3
    data.ctrl[:] = [0.5]
    sinew.forward(model, data)
    before = data.qacc[0]
    model.body_mass[1] *= 2
    model.body_inertia[1] *= 2
    sinew.forward(model, data)
    assert data.qacc[0] != before
    data.qvel = [2.0]
    assert data.qvel[0] == 2.0
    model.opt.gravity[2] = 0
    model.opt.timestep = 0.01
    assert model.opt.gravity.tolist() == [0, 0, 0]
    data.reset()
    sinew.step(model, data)
    assert data.time == 0.01 and data.qpos[0] == 0  # no gravity, no motion


def test_PY_1_a_view_keeps_its_owner_alive(pendulum):
    model, data = pendulum
    sinew.step(model, data)
    view, expected = data.qpos, data.qpos.copy()
    mass, masses = model.body_mass, model.body_mass.copy()
    del model, data, pendulum
    gc.collect()
    junk = [np.ones(1000) for _ in range(100)]
    assert view.tolist() == expected.tolist() and mass.tolist() == masses.tolist() and len(junk) == 100
    view[0] = 7


@pytest.mark.parametrize(
    "bad, error",
    [
        ([1.0, 2.0], ValueError),
        ([[1.0]], ValueError),
        ("text", (TypeError, ValueError)),
        ([1 + 2j], TypeError),
        (None, (TypeError, ValueError)),
    ],
)
def test_PY_1_wrong_shape_or_dtype_is_an_error(pendulum, bad, error):
    _, data = pendulum
    before = data.qpos.copy()
    with pytest.raises(error, match="qpos|float|complex"):
        data.qpos = bad
    assert data.qpos.tolist() == before.tolist()


def test_PY_1_read_only_arrays_say_so(pendulum):
    model, data = pendulum
    with pytest.raises(ValueError, match="read-only"):
        model.body_parentid[0] = 99
    with pytest.raises(AttributeError, match="read-only"):
        model.jnt_type = 2
    with pytest.raises(TypeError, match="geom_contype"):
        model.geom_contype = 1.5
    with pytest.raises(AttributeError, match="did you mean 'qpos'"):
        data.qposs = 1
    with pytest.raises(AttributeError, match="Data.ncon cannot be set"):
        data.ncon = 3


def test_PY_2_named_access(pendulum):
    model, data = pendulum
    sinew.forward(model, data)
    assert model.body("arm").id == 1 and model.body(1).name == "arm"
    assert model.body("arm").mass == model.body_mass[1]
    assert model.geom("rod").size.tolist() == model.geom_size[1].tolist()
    assert model.joint("hinge").damping == model.dof_damping[0]
    data.joint("hinge").qpos = 0.4
    assert data.qpos[0] == 0.4
    data.actuator("motor").ctrl[:] = 0.2
    assert data.ctrl[0] == 0.2
    assert np.shares_memory(data.body("arm").xpos, data.xpos)
    sinew.forward(model, data)
    assert data.sensor("angle").data == 0.4
    assert data.site("tip").xpos == pytest.approx([-0.5 * np.sin(0.4), 0, -0.5 * np.cos(0.4)])
    assert model.body.names() == ["world", "arm"] and len(model.geom) == 2
    assert "rod" in model.geom and "rodd" not in model.geom
    assert {"qpos", "qvel", "xanchor"} <= set(dir(data.joint("hinge")))
    assert model.geom._ipython_key_completions_() == ["floor", "rod"]
    assert "mass" in repr(model.body("arm"))


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda m, d: m.body("arn"), "'arm'"),
        (lambda m, d: d.joint("hinges"), "'hinge'"),
        (lambda m, d: d.sensor("Angle"), "'angle'"),
        (lambda m, d: m.key("upp"), "'up'"),
    ],
)
def test_PY_2_misspelt_names_raise_with_the_nearest(pendulum, call, text):
    with pytest.raises(KeyError, match=text):
        call(*pendulum)


def test_PY_2_wrong_numbers_and_fields(pendulum):
    model, data = pendulum
    with pytest.raises(IndexError, match="there are 2"):
        model.body(2)
    with pytest.raises(AttributeError, match="'xpos'"):
        data.body("arm").xposs
    with pytest.raises(AttributeError, match="has no"):
        data.body("arm").mass = 3


def test_sizes_options_statistics(pendulum):
    model, _ = pendulum
    assert (model.nq, model.nv, model.nu, model.nbody) == (1, 1, 1, 2)
    assert model.stat.extent > 0 and model.stat.center.shape == (3,)
    model.opt.iterations = 7
    assert model.opt.iterations == 7
    with pytest.raises(AttributeError):
        model.opt.iteration = 3
    assert model.opt.check() == ""
    model.opt.timestep = -1
    assert "timestep" in model.opt.check()
    other = sinew.Model.from_text(PENDULUM)
    assert other != model and "timestep" in model.first_difference(other) or other.hash != model.hash
