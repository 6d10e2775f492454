"""PY_4, and what must be an exception instead of a crash."""

import copy
import pickle
import threading

import numpy as np
import pytest

import sinew
from conftest import CLOTH, PENDULUM


def test_PY_4_load_errors_name_file_line_element(tmp_path):
    file = tmp_path / "bad.xml"
    file.write_text('<mujoco>\n <worldbody>\n  <body>\n   <joint name="knee" range="0 abc"/>\n  </body>\n </worldbody>\n</mujoco>')
    with pytest.raises(sinew.LoadError) as caught:
        sinew.Model.from_file(file)
    error = caught.value
    assert error.file.endswith("bad.xml") and error.line == 4 and error.element == "joint" and error.name == "knee"
    assert "range" in str(error) and "0 abc" in str(error) and isinstance(error, ValueError)
    with pytest.raises(sinew.LoadError, match="nowhere.xml"):
        sinew.Model.from_file(tmp_path / "nowhere.xml")


def test_PY_4_divergence_of_a_flex_names_element_vertex_term_cure():
    text = CLOTH.replace('integrator="implicitfast"', 'integrator="Euler"').replace('young="2e4"', 'young="2e9"')
    model = sinew.Model.from_text(text)
    data = sinew.Data(model)
    data.on_divergence = "raise"
    data.flex("cloth").velocities[3] = [0, 0, 5]
    with pytest.raises(sinew.DivergenceError) as caught:
        sinew.step(model, data, 2000)
    error = caught.value
    assert error.flex == "cloth" and error.vertex is not None and 0 <= error.vertex < 36
    assert error.element is None or error.element >= 0
    assert error.term in ("elasticity", "bending", "edge damper", "edge spring")
    assert error.stable_timestep and error.stable_timestep < model.opt.timestep and "timestep" in error.cure
    assert error.time > 0 and "cloth" in str(error)


def test_PY_4_divergence_of_a_joint(pendulum):
    model, data = pendulum
    data.on_divergence = "raise"
    data.qvel[0] = 1e12
    with pytest.raises(sinew.DivergenceError) as caught:
        sinew.step(model, data)
    assert caught.value.trouble == "bad_qvel" and caught.value.flex is None
    data.on_divergence = "reset"
    data.qvel[0] = np.nan
    sinew.step(model, data)
    assert not data.status and data.status["bad_qvel"] >= 1 and "hinge" in data.status.text
    with pytest.raises(ValueError, match="'reset' or 'raise'"):
        data.on_divergence = "explode"


def test_a_data_of_another_model(pendulum, cloth):
    with pytest.raises(ValueError, match="another Model"):
        sinew.step(pendulum[0], cloth[1])
    with pytest.raises(ValueError, match="another Model"):
        sinew.full_mass(pendulum[0], cloth[1])
    with pytest.raises(TypeError):
        sinew.step(pendulum[1], pendulum[0])
    with pytest.raises(TypeError, match="needs a Model"):
        sinew.Data(3)
    with pytest.raises(ValueError, match="negative"):
        sinew.step(*pendulum, -1)


def test_outputs_must_be_arrays_that_can_be_written(pendulum):
    m, d = pendulum
    mj = sinew.mujoco
    sinew.forward(m, d)
    good = np.zeros((3, 1))
    mj.mj_jacSite(m, d, good, None, 0)
    assert np.any(good)
    for bad in (np.zeros((3, 1), np.float32), np.zeros((3, 2)), np.zeros((6, 1))[::2], [[0], [0], [0]]):
        with pytest.raises((TypeError, ValueError)):
            mj.mj_jacSite(m, d, bad, None, 0)
    frozen = np.zeros((3, 1))
    frozen.flags.writeable = False
    with pytest.raises((TypeError, ValueError)):
        mj.mj_jacSite(m, d, frozen, None, 0)
    with pytest.raises((ValueError, IndexError)):
        mj.mj_jacSite(m, d, good, None, 7)
    with pytest.raises(TypeError):
        mj.mj_mulM(m, d, np.zeros(1, np.float32), np.ones(1))
    with pytest.raises((TypeError, ValueError)):
        mj.mju_mulQuat(np.zeros(3), [1, 0, 0, 0], [1, 0, 0, 0])
    with pytest.raises((TypeError, ValueError)):
        mj.mj_contactForce(m, d, 5, np.zeros(6))


def test_threads_on_one_data_are_an_error():
    model = sinew.Model.from_text(CLOTH)
    data = sinew.Data(model)
    errors = []

    def work():
        try:
            for _ in range(20):
                sinew.step(model, data, 20)
        except RuntimeError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all("another thread" in e for e in errors)
    sinew.step(model, data)  # and it is free again


def test_exceptions_in_callbacks_reach_the_caller(pendulum):
    model, data = pendulum
    seen = []

    def control(m, d):
        seen.append(d.time)
        if len(seen) == 3:
            raise KeyError("third call")
        d.ctrl[0] = 0.5

    data.set_callbacks(control=control)
    with pytest.raises(KeyError, match="third call"):
        sinew.step(model, data, 10)
    assert len(seen) == 3
    assert data.time == seen[2] == pytest.approx(2 * model.opt.timestep)  # the third step did not take place
    other = sinew.Data(model)
    other.ctrl[0] = 0.5
    other.step(2)
    assert data.qpos[0] == other.qpos[0] and data.qvel[0] == other.qvel[0]
    sinew.step(model, data)
    assert data.ctrl[0] == 0.5
    data.set_callbacks()
    sinew.step(model, data)
    assert len(seen) == 4
    with pytest.raises(TypeError, match="function"):
        data.set_callbacks(control=3)


def test_passive_and_sensor_callbacks():
    text = PENDULUM.replace("</sensor>", '<user name="u" dim="2" needstage="pos"/></sensor>')
    model = sinew.Model.from_text(text)
    data = sinew.Data(model)

    def passive(m, d, qfrc):
        qfrc[0] += 3.0

    def sensor(m, d, index, values):
        values[:] = [index, d.qpos[0]]

    data.set_callbacks(passive=passive, sensor=sensor)
    data.qpos[0] = 0.25
    sinew.forward(model, data)
    assert data.qfrc_passive[0] == pytest.approx(3.0)
    assert data.sensor("u").data.tolist() == [1, 0.25]
    A, B, C, D = sinew.transition_derivatives(model, data)  # calls them on copies
    assert A.shape == (2, 2) and B.shape == (2, 1)


def test_copy_and_pickle(cloth):
    model, data = cloth
    sinew.step(model, data, 20)
    again = copy.copy(data)
    thawed = pickle.loads(pickle.dumps(data))
    assert thawed.model == model and again.model is model
    assert np.array_equal(thawed.flexvert_xpos, data.flexvert_xpos)
    for d in (data, again, thawed):
        d.step(20)
    assert data.state_hash == again.state_hash == thawed.state_hash
    deep = copy.deepcopy(data)
    assert deep.model is not model and deep.model == model
    state = data.save_state()
    data.step(3)
    data.load_state(state)
    assert data.state_hash == deep.state_hash
    with pytest.raises(ValueError):
        data.load_state(state[:-3])
    with pytest.raises(ValueError, match="Sinew 0.0.0"):
        sinew._model._unpickle_model("0.0.0", b"")
    with pytest.raises(ValueError, match="Sinew 0.0.0"):
        sinew._model._unpickle_data("0.0.0", model, state, b"")
    with pytest.raises(sinew.LoadError):
        sinew._model._unpickle_model(sinew.__version__, b"rubbish")


def test_assets(tmp_path):
    text = '<mujoco><asset><hfield name="h" file="h.bin" size="1 1 1 1"/></asset><worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>'
    content = np.array([3, 3], np.int32).tobytes() + np.arange(9, dtype=np.float32).tobytes()
    model = sinew.Model.from_text(text, {"h.bin": content})
    assert model.nhfielddata == 9
    with pytest.raises(sinew.LoadError, match="h.bin"):
        sinew.Model.from_text(text, {"other.bin": content})
    with pytest.raises(ValueError, match="folder"):
        sinew.Model.from_text(text, {"../h.bin": content})
