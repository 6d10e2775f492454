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
    if sys.argv[1] == "nudged":
        env.unwrapped.data.qpos[0] += 1e-15
    env.action_space.seed(2)
    rows = [observation.tolist()]
    for i in range(100):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        rows.append([*observation.tolist(), float(reward)])
    result[task] = rows
json.dump(result, open(sys.argv[3], "w"))
"""


def test_PY_9_eleven_tasks_equal_native(tmp_path):
    """To 1e-6, or, where contacts amplify rounding more than that, to ten times what 1e-15 m does to the native engine."""
    results = []
    for engine in ("sinew", "native", "nudged"):
        out = tmp_path / engine
        done = subprocess.run([sys.executable, "-c", RUN, engine, ",".join(TASKS), str(out)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        results.append(json.loads(out.read_text()))
    equal = 0
    for task in TASKS:
        ours, native, nudged = (r[task] for r in results)
        # the worst so far, as rounding grows with time
        error = chaos = 0.0
        for a, b, c in zip(ours, native, nudged):
            scale = max(1, np.abs(b).max())
            error = max(error, np.abs(np.subtract(a, b)).max() / scale)
            chaos = max(chaos, np.abs(np.subtract(c, b)).max() / scale)
            assert error < max(1e-6, 10 * chaos), (task, error, chaos)
        equal += error < 1e-6
    assert equal >= 9


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
    assert last > first + 0.2 and info["distance"] < 0.2


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
