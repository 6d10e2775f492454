"""mjv_ and mjr_ functions: against native MuJoCo where that needs no OpenGL, pictures against those of the Renderer."""

import subprocess
import sys

import numpy as np
import pytest

import sinew
import sinew.mujoco as ours
from conftest import ROOT

native = pytest.importorskip("mujoco")
needs_renderer = pytest.mark.skipif(not sinew._core.has_renderer, reason="this build has no renderer")

XML = """
<mujoco><statistic extent="2.5" center=".1 .2 .3"/>
  <visual><global fovy="40" ipd=".1" offwidth="64" offheight="48"/><map stiffness="120" stiffnessrot="300"/></visual>
  <asset><material name="shiny" rgba=".2 .4 .6 .5" specular=".7" shininess=".3" reflectance=".1" emission=".2"/>
    <mesh name="first" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/><mesh name="tetra" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3"/></asset>
  <worldbody>
    <light name="lamp" pos="1 2 3" dir="0 1 -1" diffuse=".3 .4 .5" castshadow="false"/><light active="false"/>
    <camera name="on" pos="1 -2 1" xyaxes="1 0 0 0 1 1" fovy="30" ipd=".04"/>
    <camera name="flat" projection="orthographic" fovy="2" pos="1 2 3" euler="10 20 30"/>
    <camera name="lens" sensorsize=".02 .01" focal=".01 .02" principal=".001 .002" resolution="100 50" pos="0 0 1"/>
    <geom name="floor" type="plane" size="1 2 .1"/><geom name="ring" type="cylinder" size=".3 .01" pos="0 0 .01" rgba="1 0 0 1"/>
    <body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" material="shiny"/><site name="s" pos="0 0 .4" size=".05"/>
      <body name="ball" pos=".5 0 0"><joint axis="0 1 0"/><geom size=".1" group="1"/><geom size=".1" group="4"/>
        <geom type="capsule" size=".02 .2" rgba="0 1 0 .3"/><geom type="mesh" mesh="tetra"/></body></body>
    <body name="hand" mocap="true" pos="1 1 1"><geom type="ellipsoid" size=".1 .2 .3"/></body>
  </worldbody>
</mujoco>"""
POSE = [0.1, -0.2, 1, 0.8, 0.2, 0.3, 0.1, 0.4]


def pair(xml=XML):
    made = []
    for mj in (ours, native):
        m = mj.MjModel.from_xml_string(xml)
        d = mj.MjData(m)
        d.qpos[:] = POSE
        d.qvel[:] = 0.1 * np.arange(m.nv)
        d.qpos[3:7] /= np.linalg.norm(d.qpos[3:7])
        mj.mj_forward(m, d)
        made.append((mj, m, d))
    return made


def numbers(struct, names):
    return np.concatenate([np.ravel(np.asarray(getattr(struct, n), float)) for n in names])


EYE = ("pos", "forward", "up", "frustum_center", "frustum_width", "frustum_bottom", "frustum_top", "frustum_near", "frustum_far", "orthographic")  # fmt: skip


def agree(script, rtol=1e-6):
    """The script gives the same numbers with both."""
    results = [script(*made) for made in pair()]
    assert len(results[0]) == len(results[1])
    for i, (mine, its) in enumerate(zip(*results)):
        assert np.allclose(np.asarray(mine, float), np.asarray(its, float), rtol=rtol, atol=1e-6), (i, mine, its)


def cameras(mj):
    random = np.random.default_rng(3)
    for kind, index in ((0, -1), (0, -1), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)):
        cam = mj.MjvCamera()
        cam.type, cam.fixedcamid, cam.trackbodyid = kind, index if kind == 2 else -1, index if kind == 1 else -1
        cam.lookat, cam.distance = random.normal(size=3), random.uniform(0.5, 4)
        cam.azimuth, cam.elevation = random.uniform(-170, 170), random.uniform(-80, 80)
        yield cam


def test_PY_3_cameras_of_scenes_equal_native():
    def script(mj, m, d):
        found = []
        scene = mj.MjvScene(m, 100)
        for cam in cameras(mj):
            axes = [np.zeros(3) for _ in range(4)]
            mj.mjv_cameraFrame(*axes, d, cam)
            parts = [np.zeros(2, np.float32) for _ in range(3)]
            mj.mjv_cameraFrustum(*parts, m, cam)
            mj.mjv_updateCamera(m, d, cam, scene)
            found += [*axes, *parts, *(numbers(eye, EYE) for eye in scene.camera), cam.lookat]
            found.append(numbers(mj.mjv_averageCamera(*scene.camera), EYE))
            if cam.type != 2 or cam.fixedcamid != 1:  # native calls a fixed orthographic camera so in camera2GLCamera, too
                found.append(numbers(mj.mjv_camera2GLCamera(m, d, cam), EYE))
            for is_moved in (0, 1):
                scene.enabletransform = is_moved
                scene.translate[:], scene.rotate[:], scene.scale = [1, 2, 3], [0.8, 0.6, 0, 0], 2.0
                axes = [np.zeros(3) for _ in range(3)]
                mj.mjv_cameraInRoom(*axes, scene)
                found += [a.copy() for a in axes]
                mj.mjv_cameraInModel(*axes, scene)
                pos, quat = np.zeros(3), np.zeros(4)
                mj.mjv_room2model(pos, quat, np.array([1.0, 2, 3]), np.array([0.5, 0.5, -0.5, 0.5]), scene)
                found += [*axes, pos.copy(), quat.copy()]
                mj.mjv_model2room(pos, quat, np.array([1.0, 2, 3]), np.array([0.5, 0.5, -0.5, 0.5]), scene)
                found += [pos, quat, mj.mjv_frustumHeight(scene)]
            scene.enabletransform = 0
            aligned = np.zeros(3)
            mj.mjv_alignToCamera(aligned, np.array([1.0, 2, 3]), np.array([0.3, 0.4, -0.5]))
            found.append(aligned)
        return found

    agree(script)


def test_PY_3_the_mouse_moves_cameras_as_native_does():
    def script(mj, m, d):
        random = np.random.default_rng(8)
        found = []
        for cam in cameras(mj):
            for action in mj.mjtMouse.__members__.values() if hasattr(mj.mjtMouse, "__members__") else mj.mjtMouse:
                if int(action) == 0:
                    continue
                for scale in (0.1, 3.0):
                    mj.mjv_moveCamera(m, action, scale * random.normal(), scale * random.normal(), cam)
                    found.append(np.r_[cam.azimuth, cam.elevation, cam.distance, cam.lookat])
        return found

    agree(script)
    with pytest.raises(ours.FatalError, match="unexpected action 0"):
        ours.mjv_moveCamera(pair()[0][1], 0, 0.1, 0.1, ours.MjvCamera())


def test_PY_3_the_mouse_spring_pulls_as_native_does():
    def script(mj, m, d):
        found = []
        scene, cam = mj.MjvScene(m, 100), next(cameras(mj))
        mj.mjv_updateCamera(m, d, cam, scene)
        for body in (1, 2, 3):
            pert = mj.MjvPerturb()
            pert.select, pert.localpos = body, [0.05, 0.1, 0.1]
            mj.mjv_initPerturb(m, d, scene, pert)
            found.append(numbers(pert, ("refpos", "refquat", "refselpos", "localmass", "scale")))
            for active, active2 in ((0, 0), (1, 0), (2, 0), (3, 0), (0, 1)):
                pert.active, pert.active2 = active, active2
                pert.refselpos, pert.refpos = d.xpos[body] + [0.2, 0.1, 0.3], d.xipos[body] + [0.1, 0.2, 0.3]
                pert.refquat = [0.8, 0.6, 0, 0]
                d.xfrc_applied[:] = 5
                mj.mjv_applyPerturbForce(m, d, pert)
                found.append(d.xfrc_applied.copy())
                kept = d.qpos.copy(), d.mocap_pos.copy(), d.mocap_quat.copy()
                for is_paused in (1, 0):
                    mj.mjv_applyPerturbPose(m, d, pert, is_paused)
                    found += [d.qpos.copy(), d.mocap_pos.copy(), d.mocap_quat.copy()]
                    d.qpos[:], d.mocap_pos[:], d.mocap_quat[:] = kept
        return found

    agree(script)


GEOM = ("type", "dataid", "objtype", "objid", "category", "matid", "segid", "size", "pos", "mat", "rgba", "emission", "specular", "shininess", "reflectance", "modelrbound", "texid")  # fmt: skip
LIGHT = ("id", "type", "pos", "dir", "ambient", "diffuse", "specular", "headlight", "castshadow", "attenuation", "cutoff", "exponent")  # fmt: skip


def test_PY_3_scenes_list_the_geoms_and_lights_of_native():
    def script(mj, m, d):
        found = []
        scene, option = mj.MjvScene(m, 100), mj.MjvOption()
        for cam in cameras(mj):
            option.geomgroup[4], option.sitegroup[0] = cam.type == 0, cam.type != 1
            for mask in (1, 2, 7):
                mj.mjv_updateScene(m, d, option, None, cam, mask, scene)
                geoms = scene.geoms[: scene.ngeom]
                found += [scene.ngeom, scene.status, scene.nlight, *(numbers(g, GEOM) for g in geoms)]
                found += [numbers(light, LIGHT) for light in scene.lights[: scene.nlight]]
                found += [numbers(eye, EYE) for eye in scene.camera]
        small = mj.MjvScene(m, 3)
        mj.mjv_updateScene(m, d, option, None, cam, 7, small)
        return [*found, small.ngeom, small.status]

    agree(script)


def test_PY_3_a_click_selects_what_native_selects():
    def script(mj, m, d):
        scene, option, found = mj.MjvScene(m, 100), mj.MjvOption(), []
        cam = mj.MjvCamera()
        cam.lookat, cam.distance = [0.2, 0, 0.8], 3
        mj.mjv_updateScene(m, d, option, None, cam, 7, scene)
        for x in np.linspace(0.05, 0.95, 9):
            for y in np.linspace(0.05, 0.95, 7):
                point, ids = np.zeros(3), [np.full(1, -7, np.int32) for _ in range(3)]
                body = mj.mjv_select(m, d, option, 1.5, x, y, scene, point, *ids)
                found += [body, *ids[:2], point if body >= 0 else 0]
        assert len({int(f) for f in found[::4]}) > 3
        return found

    agree(script)


# ---------------------------------------------------------------------------------------------- pictures


def drawn(m, d, cam, width=64, height=48, edit=None, flags=()):
    scene, context = ours.MjvScene(m, 100), ours.MjrContext(m, ours.mjtFontScale.mjFONTSCALE_150)
    ours.mjr_setBuffer(ours.mjtFramebuffer.mjFB_OFFSCREEN, context)
    whole = ours.mjr_maxViewport(context)
    assert (whole.width, whole.height) == (64, 48)
    ours.mjv_updateScene(m, d, ours.MjvOption(), ours.MjvPerturb(), cam, ours.mjtCatBit.mjCAT_ALL, scene)
    if edit:
        edit(scene)
    for flag in flags:
        scene.flags[flag] = 1
    view = ours.MjrRect(0, 0, width, height)
    ours.mjr_render(view, scene, context)
    rgb, depth = np.empty((height, width, 3), np.uint8), np.empty((height, width), np.float32)
    ours.mjr_readPixels(rgb, depth, view, context)
    return rgb[::-1], depth[::-1], scene


@needs_renderer
def test_RENDER_1_mjr_render_draws_what_the_renderer_draws():
    _, m, d = pair()[0]
    for cam in cameras(ours):
        cam.lookat, cam.distance = [0.3, -0.2, 0.8], max(2, cam.distance)
        with sinew.Renderer(m, 48, 64) as renderer:
            renderer.update_scene(d, cam)
            expected = renderer.render()
            renderer.enable_depth_rendering()
            away = renderer.render()
        rgb, depth, scene = drawn(m, d, cam)
        # the eyes of a scene are single precision: edges of a pixel's width may differ
        assert np.mean(np.any(np.abs(rgb.astype(int) - expected) > 2, axis=2)) < 0.01, cam
        near, far = scene.camera[0].frustum_near, scene.camera[0].frustum_far
        if scene.camera[0].orthographic:
            found = near + depth * (far - near)
        else:
            found = near * far / (far - depth.astype(float) * (far - near))
        hit = away < 0.9 * far
        assert hit.any() and (depth[~hit] > 0.99).all()
        assert np.mean(np.abs(found[hit] / away[hit] - 1) > 1e-3) < 0.02, cam


@needs_renderer
def test_RENDER_1_programs_change_what_a_scene_lists():
    _, m, d = pair()[0]
    cam = ours.MjvCamera()
    cam.lookat, cam.distance, cam.elevation = [0.1, -0.2, 1], 2.5, -20
    before, depth, scene = drawn(m, d, cam)
    box = next(i for i in range(scene.ngeom) if scene.geoms[i].type == ours.mjtGeom.mjGEOM_BOX)

    def red(scene):
        scene.geoms[box].rgba = [1, 0, 0, 1]

    def moved(scene):
        scene.geoms[box].pos[2] += 5

    def thinner(scene):
        scene.geoms[box].size *= 0.3

    def shorter(scene):
        scene.ngeom = box

    def added(scene):
        scene.ngeom += 1
        ours.mjv_initGeom(scene.geoms[scene.ngeom - 1], ours.mjtGeom.mjGEOM_SPHERE, [0.5, 0, 0], [0.1, -0.2, 1], np.eye(3).ravel(), [0, 0, 1, 1])

    middle = before[24, 32].astype(int)
    found = {edit.__name__: drawn(m, d, cam, edit=edit) for edit in (red, moved, thinner, shorter, added)}
    colour = found["red"][0][24, 32].astype(int)
    assert colour[0] > 2 * colour[1] and middle[0] < 1.5 * middle[1]
    seen = depth < 0.999
    for name, less in (("moved", 0.8), ("thinner", 0.95), ("shorter", 0.8)):
        assert np.count_nonzero((found[name][1] > depth + 1e-4) & seen) > 20, name
    assert found["added"][1][24, 32] < depth[24, 32] and found["added"][0][24, 32].argmax() == 2
    # and a new update forgets it
    again, _, _ = drawn(m, d, cam)
    assert np.array_equal(again, before)
    # the same with a Renderer
    with sinew.Renderer(m, 48, 64) as renderer:
        renderer.update_scene(d, cam)
        assert renderer.scene.ngeom == scene.ngeom
        red(renderer.scene)
        colour = renderer.render()[24, 32].astype(int)
        assert colour[0] > 2 * colour[1]


@needs_renderer
def test_RENDER_1_segmentation_as_colours():
    _, m, d = pair()[0]
    cam = ours.MjvCamera()
    cam.lookat, cam.distance, cam.elevation = [0.1, -0.2, 1], 2.5, -20
    flags = (ours.mjtRndFlag.mjRND_SEGMENT, ours.mjtRndFlag.mjRND_IDCOLOR)
    rgb, _, scene = drawn(m, d, cam, flags=flags)
    number = rgb[..., 0].astype(int) + 256 * rgb[..., 1].astype(int) + 65536 * rgb[..., 2].astype(int)
    with sinew.Renderer(m, 48, 64) as renderer:
        renderer.update_scene(d, cam)
        renderer.enable_segmentation_rendering()
        seen = renderer.render()
    assert number.max() <= scene.ngeom and len(np.unique(number)) > 4
    ids = np.full((scene.ngeom + 1, 2), -1)
    for i in range(scene.ngeom):
        ids[scene.geoms[i].segid + 1] = scene.geoms[i].objid, scene.geoms[i].objtype
    assert np.mean(np.any(ids[number] != seen, axis=2)) < 0.01


@needs_renderer
def test_RENDER_1_parts_of_the_buffer_and_bad_input():
    _, m, d = pair()[0]
    cam = ours.MjvCamera()
    scene, context = ours.MjvScene(m, 100), ours.MjrContext(m, 150)
    with pytest.raises(ours.FatalError, match="mjv_updateScene"):
        ours.mjr_render(ours.mjr_maxViewport(context), scene, context)
    ours.mjv_updateScene(m, d, ours.MjvOption(), None, cam, 7, scene)
    left, right = ours.MjrRect(0, 0, 32, 48), ours.MjrRect(32, 0, 32, 48)
    ours.mjr_render(left, scene, context)
    cam.azimuth += 60
    ours.mjv_updateScene(m, d, ours.MjvOption(), None, cam, 7, scene)
    ours.mjr_render(right, scene, context)
    rgb, depth = np.empty((48, 64, 3), np.uint8), np.empty((48, 64), np.float32)
    ours.mjr_readPixels(rgb, depth, ours.mjr_maxViewport(context), context)
    for name, part in (("rgb", rgb), ("depth", depth)):
        assert part[:, :32].std() > 0 and part[:, 32:].std() > 0 and not np.array_equal(part[:, :32], part[:, 32:]), name
    one = np.empty((48, 32), np.float32)
    ours.mjr_readPixels(None, one, left, context)
    assert np.array_equal(one, depth[:, :32])
    context.readDepthMap = ours.mjtDepthMap.mjDEPTH_ZEROFAR
    ours.mjr_readPixels(None, one, left, context)
    assert np.allclose(one, 1 - depth[:, :32])
    ours.mjr_drawPixels(np.full((48, 32, 3), 7, np.uint8), None, left, context)
    ours.mjr_readPixels(rgb, None, ours.mjr_maxViewport(context), context)
    assert (rgb[:, :32] == 7).all() and rgb[:, 32:].std() > 0
    with pytest.raises(ours.FatalError, match="does not lie in the buffer of 64 x 48"):
        ours.mjr_render(ours.MjrRect(1, 0, 64, 48), scene, context)
    for bad in (np.empty((48, 64, 3), np.float32), np.empty((48, 64), np.uint8), [[1]]):
        with pytest.raises(TypeError, match="rgb should be an array of 9216 uint8"):
            ours.mjr_readPixels(bad, None, ours.mjr_maxViewport(context), context)
    frozen = np.empty((48, 64, 3), np.uint8)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match="writable"):
        ours.mjr_readPixels(frozen, None, ours.mjr_maxViewport(context), context)
    ours.mjr_resizeOffscreen(128, 96, context)
    ours.mjr_render(ours.MjrRect(0, 0, 128, 96), scene, context)
    scene.ngeom = 1000
    with pytest.raises(ValueError, match="ngeom: must be 0 to maxgeom = 100, found 1000"):
        ours.mjr_render(left, scene, context)
    scene.ngeom = 0
    with pytest.raises(ValueError, match="another model"):
        ours.mjr_render(left, scene, ours.MjrContext(sinew.Model.from_text("<mujoco/>"), 150))
    context.free()
    with pytest.raises(ours.FatalError):
        ours.mjr_render(left, scene, context)
    with pytest.raises(TypeError, match="MjrContext needs an MjModel, found int"):
        ours.MjrContext(3)


@needs_renderer
def test_PY_9_gymnasium_draws_without_a_display(tmp_path):
    """render_mode of the unmodified tasks: colours, depth, without OpenGL and without environment variables."""
    pytest.importorskip("gymnasium")
    pytest.importorskip("glfw")
    pytest.importorskip("imageio")
    script = tmp_path / "draw.py"
    script.write_text(
        "import sinew.gym, numpy as np\nsinew.gym.alias_mujoco()\nimport gymnasium\n"
        "for mode in ('rgb_array', 'depth_array'):\n"
        "    env = gymnasium.make('HalfCheetah-v5', render_mode=mode, width=80, height=60)\n"
        "    env.reset(seed=1)\n    first = env.render()\n"
        "    for _ in range(30): env.step(env.action_space.sample())\n"
        "    later = env.render()\n"
        "    assert first.shape[:2] == (60, 80) and first.std() > 0 and np.any(first != later), mode\n    env.close()\n"
        "print('drawn')\n"
    )
    import os

    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "MUJOCO_GL")}
    done = subprocess.run([sys.executable, "-W", "ignore", str(script)], capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0 and "drawn" in done.stdout, done.stderr[-2000:]


