"""PY_9: Gymnasium."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("gymnasium")

TASKS = (
    "Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "InvertedDoublePendulum", "InvertedPendulum", "Pusher",
    "Reacher", "Swimmer", "Walker2d",
)  # fmt: skip

RUN = """
import sys, json
if sys.argv[1] == "sinew":
    import sinew.gym
    sinew.gym.alias_mujoco()
import gymnasium, numpy
import mujoco
assert (mujoco.__name__ == "sinew.mujoco") == (sys.argv[1] == "sinew")
result = {}
for task in sys.argv[2].split(","):
    env = gymnasium.make(task + "-v5")
    observation, _ = env.reset(seed=1)
    noise = numpy.random.default_rng(int(sys.argv[1][5:])) if sys.argv[1].startswith("noise") else None
    data = env.unwrapped.data
    env.action_space.seed(2)
    rows = [observation.tolist()]
    for i in range(100):
        if noise is not None:
            for x in (data.qpos, data.qvel):
                x += numpy.spacing(x) * noise.integers(-1, 2, x.shape)
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        rows.append([*observation.tolist(), float(reward)])
    result[task] = rows
json.dump(result, open(sys.argv[3], "w"))
"""


def test_PY_9_every_step_equals_native():
    """From the same state, every step of the eleven tasks ends where the native one does: to 1e-10, two orders below the
    tolerance at which the solver stops. (Most agree to 1e-14; nearly singular contacts amplify rounding.)"""
    import gymnasium

    native = pytest.importorskip("mujoco")
    import sinew.mujoco as ours

    everything = int(native.mjtState.mjSTATE_INTEGRATION)
    for task in TASKS:
        env = gymnasium.make(task + "-v5")
        env.reset(seed=1)
        env.action_space.seed(2)
        M, D, skip = env.unwrapped.model, env.unwrapped.data, env.unwrapped.frame_skip
        m = ours.MjModel.from_xml_path(env.unwrapped.fullpath)
        d = ours.MjData(m)
        state = np.empty(native.mj_stateSize(M, everything))
        for i in range(100):
            D.ctrl[:] = env.action_space.sample()
            for _ in range(skip):
                native.mj_getState(M, D, state, everything), ours.mj_setState(m, d, state, everything)
                native.mj_step(M, D), ours.mj_step(m, d)
                for name in ("qpos", "qvel"):
                    a, b = getattr(d, name), getattr(D, name)
                    assert np.abs(a - b).max() < 1e-10 * max(1, np.abs(b).max()), (task, i, name)
            native.mj_rnePostConstraint(M, D), ours.mj_rnePostConstraint(m, d)
            assert np.abs(d.cfrc_ext - D.cfrc_ext).max() < 1e-9 * max(1, np.abs(D.cfrc_ext).max()), (task, i)


def test_PY_9_eleven_tasks_equal_native(tmp_path):
    """Over 100 steps to 1e-6, wherever rounding does not grow to more than that in the native engine itself: there the
    difference is at most what a change of the last bit of qpos and qvel before each step does to it. (The first thing that
    differs is the last bit of qacc_smooth in the first step, as sums are taken in another order.)"""
    results = {}
    for engine in ("sinew", "native", "noise1", "noise2"):
        out = tmp_path / engine
        done = subprocess.run([sys.executable, "-c", RUN, engine, ",".join(TASKS), str(out)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        results[engine] = json.loads(out.read_text())

    def difference(engine, task):
        """The worst so far, as rounding grows with time."""
        worst = []
        for a, b in zip(results[engine][task], results["native"][task]):
            worst.append(max([np.abs(np.subtract(a, b)).max() / max(1, np.abs(b).max()), *worst[-1:]]))
        return np.array(worst)

    equal = []
    for task in TASKS:
        error = difference("sinew", task)
        growth = np.max([difference(f"noise{k}", task) for k in (1, 2)], axis=0)
        print(f"{task}: {error[-1]:.1e}; noise in the last bit grows to {growth[-1]:.1e}")
        assert np.all(error < np.maximum(1e-6, 3 * growth)), (task, error[-1], growth[-1])
        if error[-1] < 1e-6:
            equal.append(task)
        else:
            # not a matter of the engine: the native one cannot repeat itself to 1e-6 either
            assert growth[-1] > 1e-6 / 3, (task, error[-1], growth[-1])
    assert len(equal) >= 9, equal


@pytest.mark.parametrize("task", ["HangCloth", "SqueezeBall", "RouteCable"])
def test_PY_9_soft_tasks(task):
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    import sinew.gym

    env = gymnasium.make(f"Sinew/{task}-v0")
    check_env(env.unwrapped, skip_render_check=True)
    first, _ = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    assert np.array_equal(first, again)
    env.action_space.seed(0)
    rewards = []
    for _ in range(50):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert np.all(np.isfinite(observation)) and not terminated, info
        rewards.append(reward)
    assert np.std(rewards) > 0 and "success" in info
    env.close()
    assert issubclass(type(env.unwrapped), sinew.gym.SinewEnv)


def test_PY_9_tasks_can_be_solved_by_hand():
    """The squeeze task: closing the pads deforms the ball; the hang task: moving to the hook raises the reward."""
    import sinew.gym

    env = sinew.gym.SqueezeBall()
    env.reset(seed=0)
    for _ in range(150):
        *_, info = env.step([0.09, 0.09])
    assert info["width"] < 0.95 and info["force"] > 0
    hang = sinew.gym.HangCloth()
    hang.reset(seed=0)
    _, first, *_ = hang.step([0, 0, 0])
    for _ in range(150):
        _, last, _, _, info = hang.step([0.3, 0, 0.3])
    # the servo gives way to the weight of the cloth (1 N / 400 N/m), and so does the constraint that holds its corner
    assert last > first + 0.2 and info["distance"] < 0.02 and info["success"]


def test_PY_9_sinew_env_with_a_model_of_ones_own(tmp_path):
    import sinew.gym
    from conftest import PENDULUM

    class Swing(sinew.gym.SinewEnv):
        def __init__(self):
            super().__init__(PENDULUM, 5)

        def reward(self, action):
            return float(-np.cos(self.data.qpos[0])), False, {}

    env = Swing()
    observation, _ = env.reset(seed=0)
    assert observation.shape == (2,) and env.action_space.shape == (1,) and env.dt == pytest.approx(0.01)
    assert env.step(np.ones(1))[1] == pytest.approx(-1, abs=1e-3)
    with pytest.raises(ValueError, match="action"):
        env.step(np.ones(2))
    with pytest.raises(ValueError, match="render_mode"):
        sinew.gym.SinewEnv(PENDULUM, render_mode="hologram")


def test_PY_9_sinew_without_gymnasium():
    code = "import sys; sys.modules['gymnasium'] = None\nimport sinew\ntry:\n import sinew.gym\nexcept ImportError as e:\n assert 'pip install gymnasium' in str(e)\nelse:\n raise SystemExit('imported')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert pathlib.Path(__file__).exists()


def test_PY_9_alias_gives_packages_sinew():
    code = """
import sinew.mujoco
sinew.mujoco.alias_mujoco()
import mujoco, mujoco.viewer, mujoco.rollout
from mujoco import viewer
from mujoco.renderer import Renderer
assert mujoco is sinew.mujoco and viewer is sinew.mujoco.viewer and mujoco.rollout is sinew.mujoco.rollout
assert mujoco.MjModel is sinew.Model and mujoco.Renderer is Renderer
sinew.mujoco.alias_mujoco()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    late = "import sys, types; sys.modules['mujoco'] = types.ModuleType('mujoco')\nimport sinew.mujoco as m\nm.alias_mujoco()"
    done = subprocess.run([sys.executable, "-c", late], capture_output=True, text=True)
    assert "mujoco was imported already: call alias_mujoco() before" in done.stderr
