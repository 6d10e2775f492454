"""Cost of calls from Python: what a step, an attribute and a Batch cost beyond the engine itself.

Processor time, the least of many short tries that take turns, so that other programs on the machine matter little."""

import threading
import time
import timeit

import sinew

MODEL = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/></body>
</worldbody></mujoco>"""


def best(number: int, *codes: str, repeat: int = 60, **names: object) -> list[float]:
    """Seconds of processor time per execution of each code."""
    timers = [timeit.Timer(code, timer=time.process_time, globals=names) for code in codes]
    least = [float("inf")] * len(codes)
    for _ in range(repeat):
        for i, timer in enumerate(timers):
            least[i] = min(least[i], timer.timeit(number) / number)
    return least


model = sinew.Model.from_text(MODEL)
data = sinew.Data(model)
inside, single = best(4, "step(m, d, 1000)", "for _ in range(1000): step(m, d)", step=sinew.step, m=model, d=data)
inside, single = inside / 1000, single / 1000
print(f"step of a pendulum: {1e6 * single:.3f} us from Python, {1e6 * inside:.3f} us in C++, {1e6 * (single - inside):.3f} us for the call (bound 0.5)")
attribute, nothing = best(20_000, "d.qpos", "pass", d=data)
print(f"attribute after the first access: {1e6 * (attribute - nothing):.4f} us (bound 0.1)")
batch = sinew.Batch(model, 256, threads=1)
one, none, call = best(20, "b.step(1)", "b.step(0)", "b.runs", b=batch)
print(f"Batch of 256 pendulums: {1e6 * one:.1f} us per step; a call takes {1e6 * call:.3f} us of it, {100 * call / one:.2f} % (bound 1); "
      f"handing out 256 runs takes {1e6 * none:.1f} us, {100 * none / one:.1f} %, in C++ too")


CLOTH = """<mujoco><worldbody><flexcomp name="cloth" type="grid" count="16 16 1" spacing="0.05 0.05 0.05" radius="0.005"
mass="0.2"><edge equality="true"/><pin id="0 15"/></flexcomp></worldbody></mujoco>"""
model = sinew.Model.from_text(CLOTH)
datas = [sinew.Data(model) for _ in range(2)]
ratios = []
for _ in range(20):
    start = time.perf_counter()
    for d in datas:
        sinew.step(model, d, 200)
    alone = time.perf_counter() - start
    threads = [threading.Thread(target=sinew.step, args=(model, d, 200)) for d in datas]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ratios.append(alone / (time.perf_counter() - start))
ratios.sort()
print(f"two threads step two Data {ratios[len(ratios) // 2]:.2f} times as fast as one, by the clock, median of {len(ratios)}; "
      f"{ratios[0]:.2f} to {ratios[-1]:.2f} (bound 1.8)")
