"""Cost of calls from Python: what a step, an attribute and a Batch cost beyond the engine itself."""

import timeit

import sinew

MODEL = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/></body>
</worldbody></mujoco>"""


def best(code: str, number: int, **names: object) -> float:
    """Seconds per execution, the least of seven tries."""
    return min(timeit.repeat(code, globals=names, number=number, repeat=7)) / number


model = sinew.Model.from_text(MODEL)
data = sinew.Data(model)
inside = best("step(m, d, 20000)", 1, step=sinew.step, m=model, d=data) / 20000
single = best("step(m, d)", 20000, step=sinew.step, m=model, d=data)
print(f"step of a pendulum: {1e6 * single:.3f} us from Python, {1e6 * inside:.3f} us in C++, {1e6 * (single - inside):.3f} us for the call (bound 0.5)")
attribute = best("d.qpos", 1_000_000, d=data) - best("pass", 1_000_000)
print(f"attribute after the first access: {1e6 * attribute:.4f} us (bound 0.1)")
batch = sinew.Batch(model, 256, threads=1)
one, many = best("b.step(1)", 20, b=batch), best("b.step(50)", 2, b=batch) / 50
print(f"Batch of 256 pendulums: {1e6 * one:.1f} us per step one by one, {1e6 * many:.1f} us in one call: {100 * (one / many - 1):.2f} % for the call (bound 1)")
