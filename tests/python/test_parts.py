"""PY_5, PY_6: flexes, World, Spec, Batch, Recording."""

import numpy as np
import pytest

import sinew
from conftest import CLOTH, PENDULUM


def test_PY_5_flex_arrays(cloth):
    model, data = cloth
    flex = data.flex("cloth")
    assert len(flex) == 36 and flex.dim == 2 and flex.elements.shape == (50, 3)
    assert flex.positions.shape == (36, 3) and flex.positions[:, 2] == pytest.approx(1)
    sinew.forward(model, data)
    assert np.abs(flex.strain).max() < 1e-12 and flex.stress.shape == (50, 6)
    # uniform stretch by 1 % along x: Green's strain is 0.01 + 0.01^2 / 2
    middle = flex.positions.mean(axis=0)
    stretched = middle + (flex.positions - middle) * [1.01, 1, 1]
    flex.set_positions(stretched)
    flex.set_velocities(np.full((36, 3), 0.5))
    assert data.qvel[model.nv_rigid :] == pytest.approx(0.5)
    sinew.forward(model, data)
    assert flex.strain[:, 0] == pytest.approx(0.01 + 0.5e-4, rel=1e-6)
    assert flex.von_mises.min() > 0 and flex.energy > 0
    data.reset()
    sinew.step(model, data, 150)  # it lies on the floor
    assert flex.forces[:, 2].sum() > 0
    for bad in (np.zeros((35, 3)), np.full((36, 3), np.nan)):
        with pytest.raises(ValueError, match="cloth"):
            flex.set_positions(bad)
    with pytest.raises(KeyError, match="'cloth'"):
        data.flex("clot")


def test_PY_5_pin_holds_and_keeps_the_state(cloth):
    model, data = cloth
    data.step(10)
    flex = data.flex("cloth")
    before, speed, time = flex.positions.copy(), flex.velocities.copy(), data.time
    old = data.qpos
    flex.pin([0, 5])
    assert np.array_equal(flex.positions, before) and data.time == time
    assert np.array_equal(np.delete(flex.velocities, [0, 5], 0), np.delete(speed, [0, 5], 0))
    assert flex.pinned.sum() == 2 and not old.flags.writeable
    data.step(100)
    assert np.array_equal(flex.positions[[0, 5]], before[[0, 5]])
    assert flex.positions[30:, 2].max() < before[0, 2]
    assert flex.reactions[[0, 5], 2].sum() > 0
    flex.unpin()
    data.step(100)
    assert flex.positions[0, 2] < before[0, 2] - 0.05
    with pytest.raises(IndexError, match="vertex 99"):
        flex.pin(99)


def test_PY_5_attach_and_release(cloth):
    model, data = cloth
    data.step(5)
    flex = data.flex("cloth")
    before = flex.positions.copy()
    names = flex.attach("hand", [0])
    assert np.array_equal(flex.positions, before)
    data.forward()
    assert data.nefc == 3 and np.abs(data.efc_pos).max() < 1e-9  # held where it is, not where it was at rest
    place = model.eq_data[0, 3:6].copy()  # in the hand

    def gap():
        hand = data.body("hand")
        return np.linalg.norm(flex.positions[0] - hand.xpos - hand.xmat.reshape(3, 3) @ place)

    worst = 0.0
    for _ in range(100):
        data.step()
        data.forward()
        worst = max(worst, gap())
    # a cloth of 25 cm swings on a light hand; the gap is that of the stiffest solref, which goes with timestep^2
    assert worst < 4e-4
    assert model.neq == 1 and names == ["cloth_attach_0"]
    assert data.body("hand").xpos[2] < 1.2  # the cloth pulls
    flex.release()
    height = flex.positions[0, 2]
    data.step(30)
    assert flex.positions[0, 2] < height - 0.02
    nearest = flex.nearest([0.0, 0.0, 0.0])
    flex.attach("hand", point=[0, 0, 0])
    assert f"cloth_attach_{nearest}" in model.equality.names()[-1]
    with pytest.raises(KeyError, match="'hand'"):
        flex.attach("hnd")


def test_PY_6_world():
    world = sinew.World()
    world.add_static("plane", name="floor")
    ball = world.add_body("sphere", 0.1, position=[0, 0, 1], restitution=0)
    touched = []
    world.on_contact_begin(lambda event: touched.append((event["a"], event["b"], event["approach_speed"])))
    while world.time < 0.4:
        world.update(1 / 240)
    # free fall
    assert world.position(ball)[2] == pytest.approx(1 - 9.81 * world.time**2 / 2, abs=0.01)
    assert world.velocity(ball)[2] == pytest.approx(-9.81 * world.time, rel=1e-9)
    box = world.add_body("box", [0.1, 0.1, 0.1], position=[1, 0, 0.5], name="box")
    cloth = world.add_soft(count=(5, 5, 1), position=[0, 2, 1], mass=0.1)
    z, v = world.position(ball)[2], world.velocity(ball)[2]
    assert ball in world and world.find_body("box") == box and world.mass(ball) == pytest.approx(1000 * 4 / 3 * np.pi * 1e-3)
    world.update(1 / 240)
    assert world.velocity(ball)[2] == pytest.approx(v - 9.81 / 240) and world.position(ball)[2] < z
    assert world.vertices(cloth).shape == (25, 3)
    while world.time < 1.5:
        world.update(1 / 240)
    assert touched and abs(world.velocity(ball)[2]) < 1e-2 and world.position(ball)[2] == pytest.approx(0.1, abs=2e-3)
    world.remove(box)
    assert box not in world
    with pytest.raises(IndexError):
        world.position(box)
    with pytest.raises(ValueError):
        world.update(-1)
    with pytest.raises(ValueError, match="sphere, box"):
        world.add_body("blob")
    assert sinew.Model.from_text(world.to_mjcf()).nkey == 1
    hinge = world.add_joint(world.ground, ball, "distance", anchor=[0, 0, 1], anchor2=[0, 0, 0.1])
    assert hinge in world


def test_PY_6_a_world_with_everything(tmp_path):
    world = sinew.World()
    world.add_static("heightfield", [5, 5, 1], heights=np.zeros((4, 6)), position=[0, 0, 0.2], user_data=7)
    bowl = world.add_static(
        "mesh", 0.01, vertices=[[-1, -1, 1], [1, -1, 1], [0, 1, 1], [0, 0, 0.6]], faces=[[0, 1, 3], [1, 2, 3], [2, 0, 3]]
    )
    lift = world.add_kinematic("box", [1, 1, 0.1], position=[5, 5, 0.9], velocity=[0, 0, 0.5])
    gate = world.add_static("box", [1, 1, 0.2], position=[5, 5, 1.7], sensor=True)
    box = world.add_body("box", [0.1, 0.1, 0.1], position=[5, 5, 1.1], user_data=3, linear_damping=0.1, angular_damping=0.1)
    ball = world.add_body("sphere", 0.1, position=[0, 0, 1.2], restitution=0)
    entered = []
    world.on_sensor_begin(lambda e: entered.append((e["sensor"], e["visitor"])))
    world.set_contact_filter(lambda a, b: True)
    for _ in range(60):
        world.update(1 / 60)
    assert world.position(lift)[2] == pytest.approx(1.4) and world.velocity(box)[2] == pytest.approx(0.5, abs=1e-3)
    assert (gate, box) in entered and world.user_data(box) == 3 and world.is_kinematic(lift)
    assert world.position(ball)[2] > 0.6
    hit = world.ray_cast([5, 5, 9], [0, 0, -1])
    assert hit["thing"] == box and hit["distance"] == pytest.approx(9 - world.position(box)[2] - 0.1, abs=1e-6)
    assert world.ray_cast([5, 5, 9], [0, 0, 1]) is None
    assert world.overlapping("sphere", 0.3, world.position(ball)) == [bowl, ball]
    then, file = world.snapshot(), tmp_path / "level.world"
    world.save(str(file))
    other = sinew.World.load(file)
    for _ in range(30):
        world.update(1 / 60)
        other.update(1 / 60)
    z = world.position(ball).tolist()
    assert other.position(ball).tolist() == z
    world.restore(then)
    for _ in range(30):
        world.update(1 / 60)
    assert world.position(ball)[2] == pytest.approx(z[2], abs=1e-6)
    with pytest.raises(ValueError, match="2-D array"):
        world.add_static("heightfield", [5, 5, 1], heights=[1, 2])


def test_PY_6_a_callback_of_a_world_that_raises():
    world = sinew.World()
    world.add_static("plane")
    world.add_body("sphere", 0.1, position=[0, 0, 0.09])

    def fail(event):
        raise KeyError("touch")

    world.on_contact_begin(fail)
    with pytest.raises(KeyError, match="touch"):
        for _ in range(10):
            world.update(0.01)


def test_PY_6_spec_add_remove_compile():
    spec = sinew.Spec()
    spec.option.timestep = 0.001
    ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 1])
    ball.add_freejoint(name="free")
    geom = ball.add_geom(name="g", type="box", size=[0.1, 0.2, 0.3], rgba=[1, 0, 0, 1])
    assert geom.type == "box" and geom.type == 6 and geom.friction.tolist() == [1, 0.005, 0.0001]
    geom.size[0] = 0.4
    arm = ball.add_body(name="arm", pos=[0.5, 0, 0])
    arm.add_joint(name="hinge", axis=[0, 1, 0])
    arm.add_geom(size=[0.1])
    spec.add_actuator(name="a", joint="hinge")
    spec.add_sensor(type="jointpos", name="s", objname="hinge")
    model = spec.compile()
    assert (model.nq, model.nu, model.nsensor) == (8, 1, 1) and model.geom("g").size.tolist() == [0.4, 0.2, 0.3]
    assert model.opt.timestep == 0.001
    again = sinew.Spec.from_text(spec.to_xml()).compile()
    assert again.nq == 8 and np.array_equal(again.body_mass, model.body_mass)
    arm.delete()
    model = spec.compile()
    assert (model.nq, model.nu, model.nsensor) == (7, 0, 0)  # what referred to it is gone, too
    with pytest.raises(ValueError, match="no longer part"):
        arm.add_geom(size=[1])
    with pytest.raises(ValueError, match="repeated name"):
        ball.add_geom(name="g", size=[1])
    bad = spec.worldbody.add_geom(type="box", size=[-1, 1, 1])
    with pytest.raises(sinew.LoadError, match="geom"):
        spec.compile()
    bad.delete()
    spec.compile()


def test_PY_6_recompile_keeps_the_state_bit_for_bit():
    for solver in ("Newton", "Impulse"):
        spec = sinew.Spec.from_text(f"""<mujoco><option solver="{solver}" cone="elliptic"/><worldbody>
          <geom type="plane" size="3 3 1"/>
          <body pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
          <body pos="0 0 0.6"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>""")
        model = spec.compile()
        data = sinew.Data(model)
        data.step(200)
        # nothing changed: the same bits, now and later
        same_model, same = spec.recompile(model, data)
        assert same.state_hash == data.state_hash
        # something far away is added: what was there goes on as before
        extra = spec.worldbody.add_body(pos=[2, 0, 1])
        extra.add_freejoint()
        extra.add_geom(size=[0.1])
        bigger, more = spec.recompile(model, data)
        assert np.array_equal(more.qpos[:14], data.qpos) and np.array_equal(more.qvel[:12], data.qvel)
        assert more.qpos[14:17].tolist() == [2, 0, 1] and more.time == data.time
        data.step(20), same.step(20)
        assert same.state_hash == data.state_hash
        extra.delete()
        smaller, less = spec.recompile(bigger, more)
        less.step(20)
        assert less.state_hash == data.state_hash


def test_PY_6_attach():
    arm = sinew.Spec.from_text(PENDULUM)
    scene = sinew.Spec()
    scene.worldbody.add_site(name="left", pos=[1, 0, 0])
    frame = scene.worldbody.add_frame(pos=[-1, 0, 0])
    scene.attach(arm, prefix="l_", site="left")
    scene.attach(arm, prefix="r_", frame=frame)
    model = scene.compile()
    assert model.nq == 2 and model.nu == 2 and model.body("l_arm").pos.tolist() == [1, 0, 0]
    assert model.body("r_arm").pos.tolist() == [-1, 0, 0]
    with pytest.raises(ValueError, match="repeated name"):
        scene.attach(arm, prefix="l_", site="left")
    part = scene.worldbody.add_body(name="post")
    copied = part.attach_body(arm.body("arm"), prefix="p_")
    assert copied.name == "p_arm" and scene.compile().nu == 3


def test_PY_6_batch(pendulum):
    model, _ = pendulum
    batch = sinew.Batch(model, 8, threads=2)
    qpos, ctrl, angle = batch.bind("qpos"), batch.bind("ctrl"), batch.watch("sensordata")
    damping = batch.expand("dof_damping")
    assert qpos.shape == (8, 1) and ctrl.shape == (8, 1) and angle.shape == (8, 1) and damping.shape == (8, 1)
    rng = np.random.default_rng(0)
    qpos[:] = rng.uniform(-1, 1, (8, 1))
    ctrl[:] = rng.uniform(-1, 1, (8, 1))
    damping[:, 0] = np.linspace(0, 1, 8)
    singles = []
    for i in range(8):
        m = sinew.Model.from_text(PENDULUM)
        m.dof_damping[0] = damping[i, 0]
        m.update_constants()
        d = sinew.Data(m)
        d.qpos[:], d.ctrl[:] = qpos[i], ctrl[i]
        d.step(50)
        singles.append(d)
    batch.step(50)
    for i, d in enumerate(singles):
        assert qpos[i] == d.qpos and batch.hash(i) == d.state_hash
    batch.reset(3, key="up")
    assert qpos[3, 0] == pytest.approx(3.1) and batch.bind("time")[3] == 0
    batch.reset()
    assert not qpos.any()
    for call in (lambda: batch.bind("qpo"), lambda: batch.watch("sensordat"), lambda: batch.expand("geom_frictio")):
        with pytest.raises(KeyError, match="did you mean"):
            call()
    with pytest.raises(ValueError):
        batch.expand("body_parentid")
    with pytest.raises(ValueError):
        sinew.Batch(model, 0)
    with pytest.raises(IndexError):
        batch.hash(8)


def test_recording(pendulum, tmp_path):
    model, data = pendulum
    recording = sinew.Recording(data, ["qpos", "xpos"])
    for _ in range(5):
        data.step()
        recording.record()
    recording.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        assert file["qpos"].shape == (5, 1) and file["xpos"].shape == (5, 2, 3) and file["time"][-1] == data.time
    with pytest.raises(KeyError, match="'qpos'"):
        sinew.Recording(data, ["qpoz"])
    with pytest.raises(ValueError, match=".npz"):
        recording.save(tmp_path / "run.txt")


def test_queries(pendulum):
    model, data = pendulum
    data.qpos[0], data.qvel[0] = 0.3, 1.0
    sinew.forward(model, data)
    jacp, jacr = sinew.jacobian(model, data, site="tip")
    eps = 1e-6
    other = sinew.Data(model)
    other.qpos[0] = 0.3 + eps
    sinew.forward(model, other)
    assert jacp[:, 0] == pytest.approx((other.site_xpos[0] - data.site_xpos[0]) / eps, abs=1e-5)
    assert jacr[:, 0].tolist() == [0, 1, 0]
    M = sinew.full_mass(model, data)
    assert sinew.multiply_mass(model, data, [2.0]) == pytest.approx(2 * M[0])
    assert sinew.solve_mass(model, data, [2.0]) == pytest.approx(2 / M[0, 0])
    assert sinew.integrate(model, [0.3], [2.0], 0.1) == pytest.approx([0.5])
    assert sinew.differentiate(model, [0.3], [0.5], 0.1) == pytest.approx([2])
    hit = sinew.ray(model, data, [0.8, 0, 1], [0, 0, -1])
    assert hit and hit.distance == pytest.approx(3) and hit.geom == model.geom("floor").id
    assert sinew.distance(model, data, ("geom", "floor"), ("geom", "rod")).distance == pytest.approx(2 - 0.5 * np.cos(0.3) - 0.02)
    state = sinew.get_state(model, data)
    sinew.set_state(model, other, state)
    assert other.qpos[0] == 0.3 and other.qvel[0] == 1.0
    assert sinew.state_size(model, ["qpos", "qvel"]) == 2
    with pytest.raises(ValueError, match="no part of the state"):
        sinew.get_state(model, data, "velocity")
    A, B, C, D = sinew.transition_derivatives(model, data, centered=True)
    h = model.opt.timestep
    assert A[0, 1] == pytest.approx(h, rel=1e-2) and B[1, 0] == pytest.approx(h / M[0, 0], rel=1e-2)
