"""PY_6, RENDER_1, VIEW_8: pictures and the viewer from Python."""

import base64
import json
import os
import socket
import struct
import time
import urllib.parse
import urllib.request

import numpy as np
import pytest

import sinew
from conftest import PENDULUM

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


class Page:
    """What the page of the viewer is to the server: a WebSocket."""

    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        token = urllib.parse.parse_qs(parts.query)["token"][0]
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /ws?token={token} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def send(self, **message):
        content = json.dumps(message).encode()
        mask = os.urandom(4)
        size = bytes([0x80 | len(content)]) if len(content) < 126 else b"\xfe" + struct.pack(">H", len(content))
        self.socket.sendall(b"\x81" + size + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(content)))

    def _take(self, count):
        while len(self.buffer) < count:
            self.buffer += self.socket.recv(1 << 16)
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def texts(self, wanted):
        """Reads until a text message has this key."""
        while True:
            first, size = self._take(2)
            length = size & 127
            if length == 126:
                length = struct.unpack(">H", self._take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._take(8))[0]
            content = self._take(length)
            if first & 15 == 1 and wanted in (message := json.loads(content)):
                return message[wanted]

    def close(self):
        self.socket.close()


def wait(viewer, data, model, condition, what):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        sinew.step(model, data)
        viewer.sync()
        if condition():
            return
        time.sleep(0.002)
    raise AssertionError(f"never saw {what}")


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
        time.sleep(0.05)
        viewer.sync()
        assert browser.texts("info")["windows"] == 1
        browser.close()
        wait(viewer, data, model, lambda: not viewer.is_running(), "the end of the last window")
    assert not viewer.is_running()
    with pytest.raises(RuntimeError, match="closed"):
        viewer.sync()


@needs_viewer
def test_VIEW_8_what_does_not_exist_says_so():
    model = sinew.Model.from_text(PENDULUM)
    data = sinew.Data(model)
    with pytest.raises(NotImplementedError, match="key_callback"):
        sinew.mujoco.viewer.launch_passive(model, data, key_callback=print, port=0, browser=False)
    with sinew.mujoco.viewer.launch_passive(model, data, port=0, browser=False) as viewer:
        with pytest.raises(NotImplementedError, match="Renderer.scene"):
            viewer.user_scn
    with pytest.raises(NotImplementedError, match="needs a model"):
        sinew.mujoco.viewer.launch()
