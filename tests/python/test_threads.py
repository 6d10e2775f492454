"""What several threads, and callbacks of a step, may do with one Data. In processes of their own: they must not crash."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import sinew

PILE = """
<mujoco><option timestep="0.005"/><worldbody><geom name="floor" type="plane" size="3 3 1"/>
  <body name="a" pos="0 0 .2"><freejoint/><geom name="a" type="box" size=".1 .1 .1"/></body>
  <body name="b" pos="0 0 .5"><freejoint/><geom name="b" type="box" size=".1 .1 .1"/></body>
  <body name="c" pos=".1 0 .8"><freejoint/><geom name="c" type="box" size=".1 .1 .1"/></body>
  <body name="arm" pos="1 0 1"><joint name="hinge" axis="0 1 0"/><geom type="capsule" size=".03" fromto="0 0 0 .5 0 0"/></body>
</worldbody><actuator><motor joint="hinge"/></actuator></mujoco>"""


def run(code):
    """A program with PILE and two threads at hand."""
    head = f"""
        import threading, time, sys
        import numpy as np
        import sinew, sinew.mujoco as mujoco
        sys.setswitchinterval(1e-5)
        PILE = {PILE!r}
        model = sinew.Model.from_text(PILE)
        data = sinew.Data(model)
        outcomes = dict()
        def until(seconds, *works):
            # each work again and again in a thread of its own
            end = time.monotonic() + seconds
            def repeat(work):
                while time.monotonic() < end:
                    try:
                        work()
                        kind = 'done'
                    except Exception as error:
                        kind = type(error).__name__ + ': ' + str(error)
                    outcomes.setdefault(work.__name__, set()).add(kind)
            threads = [threading.Thread(target=repeat, args=(w,)) for w in works]
            for t in threads: t.start()
            for t in threads: t.join()
    """
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(head) + textwrap.dedent(code)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_PY_1_contacts_read_while_another_thread_steps():
    """Contacts and rows move in memory: reading them is an error while a step runs, and never reads what is gone."""
    run(
        """
        def fall():
            data.reset()
            data.step(60)
        def contacts():
            n = len(data.contact.dist)
            assert data.contact.pos.shape[1] == 3
        def rows():
            data.efc_force.sum(), data.constraint_jacobian().sum()
        def texts():
            data.describe_status(), data.islands, data.status
        def bytes_():
            data.save_state(), data._derived_bytes()
        def force():
            if data.ncon: mujoco.mj_contactForce(model, data, data.ncon - 1, np.zeros(6))
        until(3, fall, contacts, rows, texts, bytes_, force)
        busy = 'RuntimeError: this Data is in use by another thread; give each thread a Data of its own'
        for name in ('contacts', 'rows', 'texts', 'bytes_'):
            assert outcomes[name] <= {'done', busy}, outcomes[name]
        assert busy in set().union(*outcomes.values())
        """
    )


def test_PY_1_a_model_that_becomes_another_while_a_step_runs():
    """Recompiling replaces the memory of a Model; a step that runs keeps that of the old one."""
    run(
        """
        spec = sinew.Spec.from_text(PILE)
        model = spec.compile()
        data = sinew.Data(model)
        def step():
            data.step(30)
        def other():
            made = spec.compile()
            model._become(made)
        until(3, step, other)
        assert 'done' in outcomes['step'] and 'done' in outcomes['other'], outcomes
        """
    )


def test_PY_1_options_set_while_another_thread_steps():
    """Whole options, on which the layout of rows depends, cannot change while a step runs; numbers and arrays can."""
    run(
        """
        import random
        choice = random.Random(1)
        refused = "opt cannot be changed while a step of this Model runs"
        def step():
            data.reset()
            data.step(40)
        def whole():
            opt = model.opt
            opt.cone, opt.solver, opt.jacobian = choice.randrange(2), choice.randrange(3), choice.randrange(3)
            opt.integrator, opt.noslip_iterations = choice.randrange(4), choice.choice([0, 3])
            opt.disableflags, opt.enableflags = choice.choice([0, 1, 16, 32]), choice.randrange(8)
        def numbers():
            model.opt.timestep = choice.choice([0.002, 0.005])
            model.opt.gravity[2] = choice.choice([-9, 9])
            model.geom_margin[:] = choice.choice([0, 0.1])
        until(4, step, whole, numbers)
        assert outcomes['step'] == outcomes['numbers'] == {'done'}, outcomes
        assert outcomes['whole'] == {'done', 'RuntimeError: ' + refused}, outcomes
        def halves():
            for _ in range(20):
                mujoco.mj_step1(model, data)
                mujoco.mj_step2(model, data)
        other = sinew.Data(model)
        def beside():
            mujoco.mj_step(model, other)
        model.opt.integrator = 1
        until(2, halves, beside)
        assert model.opt.integrator == 1 and 'done' in outcomes['beside'], outcomes
        """
    )


def test_PY_6_a_world_changed_while_it_is_updated():
    run(
        """
        world = sinew.World()
        world.add_static("plane")
        for i in range(12):
            world.add_body("box", [.1, .1, .1], position=[0, 0, .15 + .25 * i])
        def update():
            world.update(0.2)
        def look():
            world.contacts, world.time, world.kinetic_energy, world.trouble, world.state_hash
            world.to_mjcf(), world.snapshot()
        def change():
            ball = world.add_body("sphere", 0.1, position=[1, 0, 1])
            world.position(ball)
            world.remove(ball)
        until(3, update, look, change)
        texts = set().union(*outcomes.values())
        busy = "RuntimeError: this World is being updated by another thread"
        assert all(t == "done" or t == busy or "ValueError" in t or "IndexError" in t for t in texts), texts
        assert busy in texts
        """
    )


def test_PY_7_programs_end_while_threads_step():
    """A thread that is still in a step, or in a callback of one, when the program ends, does not make that an error."""
    for _ in range(5):
        run(
            """
            def control(m, d):
                d.ctrl[0] = 0.1
            def work(with_callback):
                own = sinew.Data(model)
                if with_callback:
                    own.set_callbacks(control=control)
                while True:
                    own.step(20)
            for i in range(4):
                threading.Thread(target=work, args=(i % 2,), daemon=True).start()
            time.sleep(0.2)
            """
        )


def test_VIEW_8_programs_end_with_a_viewer_open():
    """With a function for keys, whose thread waits: after close(), and without it."""
    for end in ("viewer.close()", "pass"):
        run(
            f"""
            import sinew.mujoco.viewer
            if sinew._core.has_viewer()[0]:
                viewer = mujoco.viewer.launch_passive(model, data, key_callback=print, port=0, browser=False)
                viewer.sync()
                {end}
            """
        )


def test_PY_1_callbacks_may_ask_and_not_step():
    """Rays, distances, Jacobians, copies inside of callbacks; the motion is that without questions."""
    model = sinew.Model.from_text(PILE)
    quiet, asked = sinew.Data(model), sinew.Data(model)
    mj = sinew.mujoco
    hits = []

    def control(m, d):
        d.ctrl[0] = 0.3

    def questions(m, d):
        d.ctrl[0] = 0.3
        hits.append(sinew.ray(m, d, [0, 0, 5], [0, 0, -1]).distance)
        sinew.distance(m, d, ("geom", "a"), ("geom", "c"))
        sinew.rays(m, d, [[0, 0, 5]], np.random.default_rng(1).normal(size=(200, 3)))
        mj.mj_ray(m, d, [0, 0, 5], [0, 0, -1], None, 1, -1, None)
        jac = np.zeros((3, m.nv))
        mj.mj_jacBody(m, d, jac, None, 1)
        other = sinew.Data(m)
        mj.mj_copyData(other, m, d)
        sinew.step(m, other, 2)
        d.contact.dist, d.efc_pos, d.status

    quiet.set_callbacks(control=control)
    asked.set_callbacks(control=questions)
    for _ in range(150):
        sinew.step(model, quiet)
        sinew.step(model, asked)
        assert quiet.state_hash == asked.state_hash
    assert len(hits) == 150 and hits[0] == pytest.approx(4.1, abs=0.01)
    for name, forbidden in (("step", sinew.step), ("forward", sinew.forward), ("reset", sinew.reset)):

        def control(m, d, forbidden=forbidden):
            forbidden(m, d)

        asked.set_callbacks(control=control)
        with pytest.raises(RuntimeError, match="a callback cannot do this with the Data whose step called it"):
            sinew.step(model, asked)
    asked.set_callbacks()
    sinew.step(model, asked)


def test_PY_6_callbacks_of_a_world():
    """What a callback of a World raises, the caller of update() gets, and the World goes on."""

    def made():
        world = sinew.World()
        world.add_static("plane")
        world.add_body("sphere", 0.1, position=[0, 0, 0.3])
        return world

    def fail(*_):
        raise KeyError("mine")

    for register in ("on_contact_begin", "set_contact_filter"):
        world = made()
        getattr(world, register)(fail)
        with pytest.raises(KeyError, match="mine"):
            for _ in range(60):
                world.update(0.01)
        if register == "set_contact_filter":
            world.set_contact_filter(None)
        else:
            world.on_contact_begin(lambda event: None)
        for _ in range(60):
            world.update(0.01)
        assert world.kinetic_energy < 1
    world = made()
    world.on_contact_begin(lambda event: world.update(0.01))
    with pytest.raises(RuntimeError, match="a callback cannot update the World whose update called it"):
        for _ in range(60):
            world.update(0.01)
