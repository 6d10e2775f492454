"""PY_6, RENDER_1, VIEW_8: pictures and the viewer from Python."""

import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import sinew
from conftest import PENDULUM
from page import Page, wait

SCENE = """
<mujoco>
  <visual><headlight ambient=".4 .4 .4"/></visual>
  <asset><material name="green" rgba="0 1 0 1"/></asset>
  <worldbody>
    <camera name="above" pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 1" rgba="0 0 1 1"/>
    <body name="ball" pos="0 0 .5"><freejoint/><geom name="ball" size=".5" material="green"/></body>
  </worldbody>
</mujoco>"""

needs_renderer = pytest.mark.skipif(not sinew._core.has_renderer, reason="this build has no renderer: Embree 3 is absent")
needs_viewer = pytest.mark.skipif(not sinew._core.has_viewer()[0], reason="this build has no viewer")


@needs_renderer
def test_RENDER_1_colours_depth_and_objects():
    model = sinew.Model.from_text(SCENE)
    data = sinew.Data(model)
    data.forward()
    with sinew.Renderer(model, height=60, width=80) as renderer:
        renderer.update_scene(data, "above")
        picture = renderer.render()
        assert picture.shape == (60, 80, 3) and picture.dtype == np.uint8
        middle, corner = picture[30, 40].astype(int), picture[2, 2].astype(int)
        assert middle[1] > 100 > middle[0] and middle[1] > 2 * middle[2], middle  # the green ball
        assert corner[2] > 2 * corner[0] and corner[2] > 2 * corner[1], corner  # the blue floor
        renderer.enable_depth_rendering()
        depth = renderer.render()
        assert depth.dtype == np.float32 and depth[30, 40] == pytest.approx(2, abs=5e-3) and depth[2, 2] == pytest.approx(3, abs=1e-3)
        renderer.disable_depth_rendering()
        renderer.enable_segmentation_rendering()
        objects = renderer.render()
        assert objects[30, 40].tolist() == [1, 5] and objects[2, 2].tolist() == [0, 5]
        renderer.disable_segmentation_rendering()
        # what moves is seen where it is
        data.qpos[0] = 1.2
        data.forward()
        renderer.update_scene(data, camera="above")
        assert renderer.render()[30, 40][2] > 100
        # geoms of one's own, and a buffer of one's own
        renderer.scene.ngeom = 1
        sinew.mujoco.mjv_initGeom(renderer.scene.geoms[0], 2, [0.3, 0, 0], [0, 0, 1], np.eye(3).ravel(), [1, 0, 0, 1])
        out = np.empty((60, 80, 3), np.uint8)
        assert renderer.render(out=out) is out and out[30, 40][0] > 2 * max(out[30, 40][1], out[30, 40][2])


@needs_renderer
def test_RENDER_1_cameras_and_bad_input():
    model = sinew.Model.from_text(SCENE)
    data = sinew.Data(model)
    data.forward()
    renderer = sinew.Renderer(model, 32, 32)
    with pytest.raises(RuntimeError, match="update_scene"):
        renderer.render()
    free = sinew.mujoco.MjvCamera()
    free.lookat, free.distance, free.elevation = [0, 0, 0.5], 4, -90
    renderer.update_scene(data, free)
    from_free = renderer.render()
    track = sinew.mujoco.MjvCamera()
    track.type, track.trackbodyid, track.distance, track.elevation = 1, 1, 4, -90
    renderer.update_scene(data, track)
    assert np.array_equal(from_free, renderer.render())
    with pytest.raises(KeyError, match="above"):
        renderer.update_scene(data, "abov")
    with pytest.raises(ValueError, match="camera id 7"):
        renderer.update_scene(data, 7)
    with pytest.raises(ValueError, match="Expected `out.shape"):
        renderer.render(out=np.empty((3, 3, 3), np.uint8))
    with pytest.raises(ValueError, match="height"):
        sinew.Renderer(model, 0, 10)
    other = sinew.Data(sinew.Model.from_text(PENDULUM))
    with pytest.raises(ValueError, match="another Model"):
        renderer.update_scene(other)
    renderer.close()
    with pytest.raises(RuntimeError, match="after close"):
        renderer.render()


@needs_renderer
def test_RENDER_1_of_an_mjspec():
    """Materials and textures of an MjSpec that was never a file are drawn."""
    mujoco = sinew.mujoco
    spec = mujoco.MjSpec()
    texture = spec.add_texture(name="red", width=2, height=2, type=mujoco.mjtTexture.mjTEXTURE_2D)
    texture.data = bytes([255, 0, 0] * 4)
    material = spec.add_material(name="paint")
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "red"
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 1], material="paint")
    spec.worldbody.add_camera(name="above", pos=[0, 0, 1])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, 20, 20) as renderer:
        renderer.update_scene(data, "above")
        pixel = renderer.render()[10, 10].astype(int)
    assert pixel[0] > 100 and pixel[0] > 2 * pixel[1] and pixel[0] > 2 * pixel[2], pixel  # red, with the gloss of a headlight


BODIES = """
<mujoco>
  <visual><map znear=".01"/></visual><statistic extent="2" center="0 0 0"/>
  <worldbody>
    <camera name="above" pos="0 0 5"/>
    <camera name="flat" pos="0 0 5" projection="orthographic" fovy="4"/>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="ball" pos="-1 0 .7"><freejoint/><geom name="ball" type="sphere" size=".5"/></body>
    <body name="box" pos="1 0 .4"><freejoint/><geom name="box" type="box" size=".3 .4 .2"/><site name="mark" pos="0 0 .3" size=".05"/></body>
  </worldbody>
</mujoco>"""


@needs_renderer
def test_RENDER_2_depth_segmentation_and_normals():
    """Distances of plane, sphere and box in closed form, objects away from edges, normals."""
    model = sinew.Model.from_text(BODIES)
    data = sinew.Data(model)
    data.forward()
    height, width = 120, 160
    with sinew.Renderer(model, height, width) as renderer:
        renderer.update_scene(data, "above")
        renderer.enable_depth_rendering()
        depth = renderer.render()
        renderer.enable_segmentation_rendering()
        objects = renderer.render()
        renderer.enable_normal_rendering()
        normals = renderer.render()
        renderer.disable_normal_rendering()
        assert renderer.render().dtype == np.uint8
    # rays through the middle of the pixels, at depth 1
    step = 2 * np.tan(np.pi / 8) / height
    x = (np.arange(width) + 0.5 - width / 2) * step
    y = -(np.arange(height) + 0.5 - height / 2) * step
    direction = np.stack([*np.meshgrid(x, y), -np.ones((height, width))], -1)
    eye = np.array([0, 0, 5.0])
    # sphere
    centre = eye - data.body("ball").xpos
    a, b, c = (direction**2).sum(-1), direction @ centre, centre @ centre - 0.25
    root = b * b - a * c
    ball = np.where(root > 0, (-b - np.sqrt(np.maximum(root, 0))) / a, np.inf)
    # box: its top is all that is seen, but for the sides towards the middle
    lower, upper = data.body("box").xpos - [0.3, 0.4, 0.2], data.body("box").xpos + [0.3, 0.4, 0.2]
    with np.errstate(divide="ignore"):
        enter = np.minimum((lower - eye) / direction, (upper - eye) / direction).max(-1)
        leave = np.maximum((lower - eye) / direction, (upper - eye) / direction).min(-1)
    box = np.where(enter < leave, enter, np.inf)
    radius = 0.05
    site = eye - data.site("mark").xpos
    b, c = direction @ site, site @ site - radius**2
    root = b * b - a * c
    mark = np.where(root > 0, (-b - np.sqrt(np.maximum(root, 0))) / a, np.inf)
    everything = np.stack([np.full(ball.shape, 5.0), ball, box, mark])
    nearest = everything.min(0)
    assert np.abs(depth - nearest).max() < 1e-4
    which = everything.argmin(0)
    codes = np.array([[0, 5], [1, 5], [2, 5], [0, 6]])  # floor, ball, box: geoms; mark: a site
    assert np.array_equal(objects, codes[which])
    assert (which == 1).sum() > 300 and (which == 2).sum() > 100 and (which == 3).sum() >= 1
    up = which == 0
    assert np.allclose(normals[up], [0, 0, 1], atol=1e-6)
    there = eye + direction * nearest[..., None]
    assert np.abs(normals[which == 1] - (there[which == 1] - data.body("ball").xpos) / 0.5).max() < 1e-4
    assert np.allclose(np.linalg.norm(normals, axis=-1), 1, atol=1e-6)


@needs_renderer
def test_RENDER_2_the_same_picture_for_any_number_of_threads():
    model = sinew.Model.from_text(BODIES.replace("<worldbody>", '<worldbody><light pos="1 1 4" dir="-.2 -.2 -1"/>'))
    data = sinew.Data(model)
    data.step(20)
    pictures = []
    for threads in (1, 2, 3, 7, 0):
        with sinew.Renderer(model, 90, 120, threads=threads) as renderer:
            renderer.update_scene(data)
            pictures.append(renderer.render())
    assert all(np.array_equal(pictures[0], other) for other in pictures[1:])
    assert len(np.unique(pictures[0].reshape(-1, 3), axis=0)) > 50  # there is something to see


@needs_renderer
def test_RENDER_1_modes_and_names_as_in_mujoco():
    """Switching between kinds of pictures, errors, and what scene holds, as scripts written for MuJoCo expect."""
    mujoco = sinew.mujoco
    model = mujoco.MjModel.from_xml_string(BODIES)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert sinew.Renderer is mujoco.Renderer
    renderer = mujoco.Renderer(model, 24, 32, 50)
    assert (renderer.height, renderer.width, renderer.model) == (24, 32, model) and renderer.scene.maxgeom == 50
    renderer.update_scene(data, camera=0)
    by_number = renderer.render()
    renderer.update_scene(data, "above")
    assert np.array_equal(by_number, renderer.render())
    camera = mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    renderer.update_scene(data, camera)
    assert np.array_equal(by_number, renderer.render())
    renderer.enable_depth_rendering()
    renderer.disable_segmentation_rendering()  # leaves depth on
    assert renderer.render().shape == (24, 32)
    renderer.enable_segmentation_rendering()  # takes its place
    renderer.disable_depth_rendering()
    assert renderer.render().shape == (24, 32, 2)
    renderer.disable_segmentation_rendering()
    assert renderer.render().shape == (24, 32, 3)
    with pytest.raises(ValueError, match='The camera "abov" does not exist.*above'):
        renderer.update_scene(data, "abov")
    with pytest.raises(TypeError):
        mujoco.Renderer(model, 24, 32, wdth=3)
    option = mujoco.MjvOption()
    option.geomgroup[:] = 0
    option.sitegroup[:] = 0
    renderer.update_scene(data, "above", option)
    renderer.enable_segmentation_rendering()
    assert (renderer.render() == -1).all()
    renderer.close()
    renderer.close()
    with pytest.raises(RuntimeError, match="after close"):
        renderer.update_scene(data)


@needs_renderer
def test_RENDER_1_geoms_of_the_program():
    """Capsules and lines between points are as long as MuJoCo has them, and land in colours alone."""
    mujoco = sinew.mujoco
    model = mujoco.MjModel.from_xml_string('<mujoco><statistic extent="1"/><worldbody><camera name="c" pos="0 0 4"/></worldbody></mujoco>')
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)

    def seen(kind, start, end, width):
        renderer.update_scene(data, "c")
        geom = renderer.scene.geoms[renderer.scene.ngeom]
        mujoco.mjv_initGeom(geom, kind, np.zeros(3), np.zeros(3), np.zeros(9), np.array([1, 0, 0, 1], np.float32))
        mujoco.mjv_connector(geom, kind, width, np.array(start, float), np.array(end, float))
        renderer.scene.ngeom += 1
        red = renderer.render().astype(int)
        mask = red[..., 0] - red[..., 1] > 40
        rows, columns = np.nonzero(mask)
        return (columns.min(), columns.max(), rows.min(), rows.max()) if len(rows) else None

    with mujoco.Renderer(model, 100, 100) as renderer:
        metre = 100 / (2 * 4 * np.tan(np.pi / 8))  # pixels, 4 m away
        for kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_LINE, mujoco.mjtGeom.mjGEOM_ARROW):
            width = 3 if kind == mujoco.mjtGeom.mjGEOM_LINE else 0.05
            left, right, top, bottom = seen(kind, [-1, 0.5, 0], [1, 0.5, 0], width)
            extra = 0.05 * metre if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0
            tip = 3.5 if kind == mujoco.mjtGeom.mjGEOM_ARROW else 0  # where it is thinner than a pixel: 0.6 m long, 0.1 m half wide
            assert left == pytest.approx(50 - metre - extra, abs=1.5) and right == pytest.approx(49 + metre + extra - tip, abs=1.5), kind
            assert (top + bottom) / 2 == pytest.approx(49.5 - 0.5 * metre, abs=1), kind
        renderer.enable_segmentation_rendering()
        assert (renderer.render() == -1).all()
        renderer.disable_segmentation_rendering()
        mujoco.mjv_initGeom(renderer.scene.geoms[0], mujoco.mjtGeom.mjGEOM_MESH, [1] * 3, [0] * 3, np.eye(3).flatten(), [1] * 4)
        with pytest.raises(NotImplementedError, match="mjGEOM_MESH"):
            renderer.render()


@needs_renderer
def test_RENDER_1_the_camera_of_the_scene_equals_native():
    """Renderer.scene.camera, which scripts read the pose from."""
    native = pytest.importorskip("mujoco")
    xml = """
    <mujoco><statistic extent="1.7" center="0.1 0.2 0.3"/><visual><global ipd="0.1" fovy="50" azimuth="30"/></visual>
      <worldbody>
        <camera name="flat" projection="orthographic" fovy="2" pos="1 2 3" euler="10 20 30"/>
        <camera name="lens" sensorsize=".02 .01" focal=".01 .02" principal=".001 .002" resolution="100 50" pos="0 0 1" ipd=".02"/>
        <body name="b" pos="0 0 1"><freejoint/><geom size=".1"/><camera name="on" pos="0 0 .1" euler="50 0 0"/></body>
      </worldbody>
    </mujoco>"""
    pair = []
    for module in (native, sinew.mujoco):
        model = module.MjModel.from_xml_string(xml)
        data = module.MjData(model)
        data.qpos[3:7] = [0.8, 0, 0.6, 0]
        module.mj_forward(model, data)
        pair.append((model, data))
    scene, option = native.MjvScene(pair[0][0], 100), native.MjvOption()
    with sinew.Renderer(pair[1][0], 30, 40) as renderer:
        for kind, index in ((0, -1), (1, 1), (2, 0), (2, 1), (2, 2)):
            eyes = []
            for module in (native, sinew.mujoco):
                cam = module.MjvCamera()
                module.mjv_defaultFreeCamera(pair[0][0] if module is native else pair[1][0], cam)
                cam.type = kind
                if kind == 2:
                    cam.fixedcamid = index
                elif kind == 1:
                    cam.trackbodyid, cam.lookat = index, pair[0][1].subtree_com[1]
                eyes.append(cam)
            native.mjv_updateScene(*pair[0], option, None, eyes[0], native.mjtCatBit.mjCAT_ALL.value, scene)
            renderer.update_scene(pair[1][1], eyes[1])
            for a, b in zip(scene.camera, renderer.scene.camera):
                for name in ("pos", "forward", "up", "frustum_center", "frustum_width", "frustum_bottom", "frustum_top",
                             "frustum_near", "frustum_far", "orthographic"):  # fmt: skip
                    assert np.allclose(getattr(a, name), getattr(b, name), rtol=1e-5, atol=1e-6), (kind, index, name)


@needs_viewer
def test_VIEW_8_launch_passive():
    """sync, is_running, lock; drags, sliders and settings come back."""
    model = sinew.Model.from_text(PENDULUM)
    data = sinew.Data(model)
    with sinew.mujoco.viewer.launch_passive(model, data, port=0, browser=False) as viewer:
        assert viewer.is_running() and not viewer.paused
        page = urllib.request.urlopen(viewer.url, timeout=20).read()
        assert b"<html" in page.lower()
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(viewer.url.split("?")[0], timeout=20)
        browser = Page(viewer.url)
        wait(viewer, data, model, lambda: viewer._base._windows() == 1, "a window")
        browser.send(c="ctrl", i=0, v=0.25)
        wait(viewer, data, model, lambda: data.ctrl[0] == 0.25, "the slider")
        browser.send(c="drag", kind="force", body=1, local=[0, 0, -0.5], target=[1, 0, 0])
        wait(viewer, data, model, lambda: np.linalg.norm(data.xfrc_applied[1]) > 0.1, "the pull")
        browser.send(c="drag", kind="none")
        wait(viewer, data, model, lambda: not data.xfrc_applied.any(), "the end of the pull")
        browser.send(c="opt", name="timestep", value=0.001)
        wait(viewer, data, model, lambda: model.opt.timestep == 0.001, "the timestep")
        browser.send(c="pause", on=True)
        wait(viewer, data, model, lambda: viewer.paused, "the pause")
        # with state_only what users do is thrown away
        browser.send(c="ctrl", i=0, v=0.75)
        time.sleep(0.1)
        viewer.sync(state_only=True)
        assert data.ctrl[0] == 0.25
        with viewer.lock():
            before = data.time
        assert before == data.time
        browser.send(c="info")
        wait(viewer, data, model, lambda: browser.take("info"), "an answer")
        assert browser.take("info")[-1]["windows"] == 1
        browser.close()
        wait(viewer, data, model, lambda: not viewer.is_running(), "the end of the last window")
    assert not viewer.is_running()
