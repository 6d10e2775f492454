"""VIEW_8: the handle of launch_passive, name by name as scripts written for MuJoCo use it. The page is played by a socket."""

import struct
import threading
import time

import numpy as np
import pytest

import sinew
import sinew.mujoco as mujoco
from conftest import CLOTH, PENDULUM
from page import Page, until

pytestmark = pytest.mark.skipif(not sinew._core.has_viewer()[0], reason="this build has no viewer")
GEOMS, LOOKS = 14, 15  # tags of blocks

SCENE = """
<mujoco model="scene">
  <worldbody>
    <camera name="above" pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="ball" pos="0 0 .5"><freejoint/><geom name="ball" size=".1" rgba="0 1 0 1"/><site name="top" pos="0 0 .1"/></body>
  </worldbody>
</mujoco>"""


@pytest.fixture
def viewed():
    """Model, data, viewer and a window that steers."""
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    with mujoco.viewer.launch_passive(model, data, port=0, browser=False) as viewer:
        page = Page(viewer.url)
        until(viewer, page, lambda: page.frames > 0, "a frame")
        yield model, data, viewer, page
        page.close()


def geoms_of(page):
    """Shapes (15 numbers each) and labels of the last frame."""
    block = page.blocks.get(GEOMS)
    if block is None:
        return np.zeros((0, 15)), []
    count, _ = struct.unpack("<II", block[:8])
    values = np.frombuffer(block, np.float32, 15 * count, 8).reshape(count, 15)
    at, labels = 8 + 60 * count, []
    for _ in range(count):
        (length,) = struct.unpack("<H", block[at : at + 2])
        labels.append(block[at + 2 : at + 2 + length].decode())
        at += 2 + length
    return values, labels


def test_VIEW_8_launch_evaluates_and_refuses_what_is_no_model():
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    for bad, text in (((data, data), "`model` is not a mujoco.MjModel"), ((model, model), "`data` is not a mujoco.MjData")):
        with pytest.raises(ValueError, match=text):
            mujoco.viewer.launch_passive(*bad, port=0, browser=False)
    with pytest.raises(ValueError, match="`key_callback` is not callable"):
        mujoco.viewer.launch_passive(model, data, key_callback=3, port=0, browser=False)
    assert not data.xpos[1].any()
    viewer = mujoco.viewer.launch_passive(model, data, port=0, browser=False)
    assert data.xpos[1, 2] == 0.5  # as after mj_forward
    assert viewer.m is model and viewer.d is data and viewer.is_running()
    viewer.close()
    viewer.close()
    assert not viewer.is_running() and viewer.m is None and viewer.d is None
    viewer.sync()  # as in MuJoCo: nothing happens
    with viewer.lock():
        pass
    with pytest.raises(NotImplementedError, match="needs a model"):
        mujoco.viewer.launch()
    with pytest.raises(ValueError, match="both"):
        mujoco.viewer.launch(model, loader=lambda: (model, data))


def test_VIEW_8_key_callback():
    """Keys of the window that steers are called back with GLFW's numbers, also while nobody calls sync()."""
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    keys, threads = [], []
    done = threading.Semaphore(0)

    def callback(code):
        keys.append(code)
        threads.append(threading.current_thread())
        done.release()
        if code == 66:
            raise RuntimeError("in the callback")

    with mujoco.viewer.launch_passive(model, data, key_callback=callback, port=0, browser=False) as viewer:
        page = Page(viewer.url)
        until(viewer, page, lambda: page.frames > 0, "a frame")
        other = Page(viewer.url)
        until(viewer, other, lambda: other.take("role"), "its role")
        assert other.take("role")[-1] == "watch"
        page.say("k32")
        assert done.acquire(timeout=20) and keys == [32]
        assert threads[0] is not threading.current_thread()
        other.say("k67")  # only watches
        page.say("k66")  # what a callback raises does not stop the next one
        page.say("k262")
        assert done.acquire(timeout=20) and done.acquire(timeout=20) and keys == [32, 66, 262]
        for bad in ("k", "kx", "k1x", "k-5"):
            page.say(bad)
        until(viewer, page, lambda: len(page.take("error")) == 4, "refusals")
        assert page.take("error")[0] == "a key is k and its number"
        page.say("k65")
        assert done.acquire(timeout=20) and keys[-1] == 65
        page.close()
        other.close()


def test_VIEW_8_user_scn(viewed):
    model, data, viewer, page = viewed
    scene = viewer.user_scn
    assert isinstance(scene, mujoco.MjvScene) and scene.ngeom == 0 and scene.maxgeom == len(scene.geoms) >= 10000
    assert geoms_of(page)[0].shape == (0, 15)
    mujoco.mjv_initGeom(scene.geoms[0], mujoco.mjtGeom.mjGEOM_SPHERE, [0.1, 0, 0], [1, 2, 3], np.eye(3).flatten(), [1, 0, 0, 0.5])
    mujoco.mjv_initGeom(scene.geoms[1], mujoco.mjtGeom.mjGEOM_CAPSULE, np.zeros(3), np.zeros(3), np.zeros(9), [0, 1, 0, 1])
    mujoco.mjv_connector(scene.geoms[1], mujoco.mjtGeom.mjGEOM_CAPSULE, 0.02, np.array([0, 0, 0.0]), np.array([0, 0, 2.0]))
    mujoco.mjv_initGeom(scene.geoms[2], mujoco.mjtGeom.mjGEOM_ARROW, [0.01, 0.01, 0.7], [0, 0, 1], np.eye(3).flatten(), [0, 0, 1, 1])
    scene.geoms[2].label = "force \u00e9"
    mujoco.mjv_initGeom(scene.geoms[3], mujoco.mjtGeom.mjGEOM_LABEL, [0.1] * 3, [0, 0, 2], np.eye(3).flatten(), [1, 1, 1, 1])
    scene.geoms[3].label = "text alone"
    scene.ngeom = 4
    until(viewer, page, lambda: len(geoms_of(page)[1]) == 4, "four geoms")
    values, labels = geoms_of(page)
    # shape, size, position, quaternion, colour
    assert values[0] == pytest.approx([1, 0.1, 0.1, 0.1, 1, 2, 3, 1, 0, 0, 0, 1, 0, 0, 0.5])
    assert values[1] == pytest.approx([2, 0.02, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1])
    assert values[2] == pytest.approx([7, 0.01, 0.01, 0.7, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1])
    assert values[3][1] == 0 and values[3][4:7] == pytest.approx([0, 0, 2])  # draws nothing
    assert labels == ["", "", "force \u00e9", "text alone"]
    # a line is a rod, an arrow both ways two arrows, a box of lines its twelve edges
    mujoco.mjv_connector(scene.geoms[0], mujoco.mjtGeom.mjGEOM_LINE, 4, np.array([0, 0, 0.0]), np.array([2.0, 0, 0]))
    mujoco.mjv_connector(scene.geoms[1], mujoco.mjtGeom.mjGEOM_ARROW2, 0.1, np.array([0, 0, 0.0]), np.array([0, 0, 2.0]))
    mujoco.mjv_initGeom(scene.geoms[2], mujoco.mjtGeom.mjGEOM_LINEBOX, [1, 2, 3], [0, 0, 0], np.eye(3).flatten(), [0, 0, 1, 1])
    scene.ngeom = 3
    until(viewer, page, lambda: len(geoms_of(page)[1]) == 15, "fifteen shapes")
    values, _ = geoms_of(page)
    assert values[0][0] == 4 and values[0][2] == 1 and values[0][4:7] == pytest.approx([1, 0, 0])
    assert values[0][1] == pytest.approx(0.005 * model.stat.extent)  # four pixels wide, of 0.0025 extents
    assert values[1:3, 0].tolist() == [7, 7] and values[1:3, 3] == pytest.approx([1, 1]) and values[1:3, 6] == pytest.approx([1, 1])
    assert sorted(values[3:, 2].tolist()) == [1] * 4 + [2] * 4 + [3] * 4
    ends = np.abs(values[3:, 4:7])
    assert sorted(np.count_nonzero(ends, axis=1).tolist()) == [2] * 12
    scene.ngeom = 0
    until(viewer, page, lambda: GEOMS not in page.blocks, "no geoms")
    mujoco.mjv_initGeom(scene.geoms[0], mujoco.mjtGeom.mjGEOM_MESH, [1] * 3, [0] * 3, np.eye(3).flatten(), [1] * 4)
    scene.ngeom = 1
    with pytest.raises(NotImplementedError, match="mjGEOM_MESH"):
        until(viewer, page, lambda: False, "nothing")
    scene.ngeom = scene.maxgeom + 1
    with pytest.raises(ValueError, match="user_scn.ngeom"):
        until(viewer, page, lambda: False, "nothing")
    scene.ngeom = 0


def test_VIEW_8_cam(viewed):
    """What the program sets the page is told, what users move comes back, and the later change wins."""
    model, data, viewer, page = viewed
    cam = viewer.cam
    assert cam.type == mujoco.mjtCamera.mjCAMERA_FREE and cam.lookat.tolist() == model.stat.center.tolist()
    assert cam.distance == pytest.approx(1.5 * model.stat.extent) and cam.azimuth == 90 and cam.elevation == -45
    assert page.take("camera") == []  # nobody has set one
    cam.lookat[:] = [1, 2, 3]
    cam.distance, cam.azimuth, cam.elevation = 4, 135, -20
    until(viewer, page, lambda: page.take("camera"), "the camera")
    told = page.take("camera")[-1]
    assert told == {"fixed": -1, "lookat": [1, 2, 3], "distance": 4, "azimuth": 135, "elevation": -20, "body": -1, "version": 1}
    # the mouse
    page.send(c="camera", version=1, fixed=-1, lookat=[0, 0, 1], distance=2.5, azimuth=10, elevation=-30, body=-1)
    until(viewer, page, lambda: cam.distance == 2.5, "the mouse")
    assert cam.lookat.tolist() == [0, 0, 1] and cam.azimuth == 10 and cam.elevation == -30
    # a message that was under way when the program changed it does not undo that
    cam.azimuth = 77
    page.send(c="camera", version=1, azimuth=11)
    until(viewer, page, lambda: page.take("camera")[-1]["version"] == 2, "the change")
    page.send(c="info")
    until(viewer, page, lambda: page.take("info"), "an answer")
    assert cam.azimuth == 77 and page.take("camera")[-1]["azimuth"] == 77
    # tracking, fixed
    cam.type, cam.trackbodyid = mujoco.mjtCamera.mjCAMERA_TRACKING, 1
    until(viewer, page, lambda: page.take("camera")[-1]["body"] == 1, "tracking")
    cam.type, cam.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    until(viewer, page, lambda: page.take("camera")[-1]["fixed"] == 0, "the camera of the model")
    page.send(c="camera", version=page.take("camera")[-1]["version"], fixed=-1, body=1)
    until(viewer, page, lambda: cam.type == mujoco.mjtCamera.mjCAMERA_TRACKING, "the choice of the user")
    # a window that opens later is told
    late = Page(viewer.url)
    until(viewer, late, lambda: late.take("camera"), "the camera in another window")
    assert late.take("camera")[-1]["body"] == 1
    late.close()
    for wrong in ({"fixed": 3}, {"body": 9}, {"lookat": [1, 2]}, {"distance": "far"}):
        page.send(c="camera", version=page.take("camera")[-1]["version"], **wrong)
    until(viewer, page, lambda: len(page.take("error")) == 4, "refusals")
    cam.type, cam.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 1
    with pytest.raises(ValueError, match="cam.fixedcamid: must be below 1, found 1"):
        viewer.sync()
    cam.type = mujoco.mjtCamera.mjCAMERA_USER
    with pytest.raises(NotImplementedError, match="mjCAMERA_USER"):
        viewer.sync()
    cam.type = mujoco.mjtCamera.mjCAMERA_FREE


def test_VIEW_8_opt(viewed):
    model, data, viewer, page = viewed
    opt = viewer.opt
    assert page.take("show") == []
    opt.flags[mujoco.mjtVisFlag.mjVIS_CONTACTPOINT] = True
    opt.flags[mujoco.mjtVisFlag.mjVIS_TENDON] = False
    opt.geomgroup[3] = 1
    opt.frame, opt.label = mujoco.mjtFrame.mjFRAME_SITE, mujoco.mjtLabel.mjLABEL_BODY
    until(viewer, page, lambda: page.take("show"), "what is shown")
    show = page.take("show")[-1]
    assert show["contactPoints"] and not show["contactForces"] and not show["tendons"] and show["skins"]
    assert show["geomGroups"] == [True, True, True, True, False, False] and show["frames"] == "site" and show["labels"] == "bodies"
    page.send(c="shown", version=1, contactForces=True, geomGroups=[False] * 6, frames="body", labels="joints", com=True)
    until(viewer, page, lambda: opt.flags[mujoco.mjtVisFlag.mjVIS_CONTACTFORCE], "the choice of the user")
    assert not opt.geomgroup.any() and opt.frame == mujoco.mjtFrame.mjFRAME_BODY and opt.label == mujoco.mjtLabel.mjLABEL_JOINT
    assert opt.flags[mujoco.mjtVisFlag.mjVIS_COM] and opt.flags[mujoco.mjtVisFlag.mjVIS_CONTACTPOINT]
    for wrong in ({"geomGroups": [True]}, {"frames": "cameras"}, {"joints": 1}, {"labels": "all"}):
        page.send(c="shown", version=1, **wrong)
    until(viewer, page, lambda: len(page.take("error")) == 4, "refusals")
    opt.frame = mujoco.mjtFrame.mjFRAME_CONTACT
    with pytest.raises(NotImplementedError, match="mjFRAME_CONTACT"):
        viewer.sync()
    opt.frame, opt.label = 0, mujoco.mjtLabel.mjLABEL_TENDON
    with pytest.raises(NotImplementedError, match="mjLABEL_TENDON"):
        viewer.sync()
    opt.label = 0


def test_VIEW_8_perturb(viewed):
    model, data, viewer, page = viewed
    assert viewer.perturb.select == 0 and viewer.perturb.active == 0
    page.send(c="select", body=1, local=[0, 0, 0.1])
    until(viewer, page, lambda: viewer.perturb.select == 1, "the selection")
    assert viewer.perturb.localpos.tolist() == [0, 0, 0.1] and viewer.perturb.active == 0
    page.send(c="drag", kind="force", body=1, local=[0, 0, 0], target=[0.5, 0, 1])
    until(viewer, page, lambda: viewer.perturb.active == mujoco.mjtPertBit.mjPERT_TRANSLATE, "the pull")
    assert viewer.perturb.refselpos.tolist() == [0.5, 0, 1]
    page.send(c="drag", kind="torque", body=1, local=[0, 0, 0], turn=[0, 1, 0, 0])
    until(viewer, page, lambda: viewer.perturb.active == mujoco.mjtPertBit.mjPERT_ROTATE, "the turn")
    assert viewer.perturb.refquat.tolist() == [0, 1, 0, 0]
    page.send(c="drag", kind="none")
    page.send(c="select")
    until(viewer, page, lambda: viewer.perturb.select == 0 and viewer.perturb.active == 0, "nothing selected")


def test_VIEW_8_selection_of_a_flex():
    model = mujoco.MjModel.from_xml_string(CLOTH)
    data = mujoco.MjData(model)
    with mujoco.viewer.launch_passive(model, data, port=0, browser=False) as viewer:
        page = Page(viewer.url)
        until(viewer, page, lambda: page.frames > 0, "a frame")
        assert viewer.perturb.flexselect == -1
        page.send(c="select", flex=0)
        until(viewer, page, lambda: viewer.perturb.flexselect == 0, "the selection")
        page.close()


def test_VIEW_8_looks_of_the_model_follow(viewed):
    """Colours, sizes and groups that a program writes to the model are seen without a call."""
    model, data, viewer, page = viewed
    assert LOOKS not in page.blocks
    green = model.geom_rgba[1].copy()
    model.geom_rgba[1] = [1, 0, 0, 0.5]
    model.geom_size[1, 0] = 0.2
    until(viewer, page, lambda: LOOKS in page.blocks, "the change")
    found = np.frombuffer(page.blocks[LOOKS], np.float32).reshape(-1, 9)
    assert found.shape == (1, 9) and found[0] == pytest.approx([1, 0, 1, 0, 0, 0.5, 0.2, *model.geom_size[1, 1:]])
    model.geom_rgba[1], model.geom_size[1, 0] = green, 0.1
    until(viewer, page, lambda: LOOKS not in page.blocks, "the old look")


def test_VIEW_8_texts_panels_and_what_is_not_there():
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    with mujoco.viewer.launch_passive(model, data, show_left_ui=False, show_right_ui=True, port=0, browser=False) as viewer:
        viewer.set_texts((None, mujoco.mjtGridPos.mjGRID_TOPRIGHT, "time", "1.5"))
        page = Page(viewer.url)
        until(viewer, page, lambda: page.take("texts") and page.scene, "the text")
        assert page.take("texts")[-1] == [{"corner": 1, "left": "time", "right": "1.5"}]
        assert page.scene["panels"] == {"left": False, "right": True}
        viewer.set_texts([(None, None, "a", None), (None, mujoco.mjtGridPos.mjGRID_BOTTOMLEFT, None, "b")])
        until(viewer, page, lambda: len(page.take("texts")) == 2, "two texts")
        assert [t["corner"] for t in page.take("texts")[-1]] == [0, 2]
        viewer.clear_texts()
        until(viewer, page, lambda: page.take("texts")[-1] == [], "no texts")
        with pytest.raises(ValueError, match="gridpos"):
            viewer.set_texts((None, 9, "", ""))
        for call, text in (
            (lambda: viewer.set_figures([]), "plots"),
            (lambda: viewer.set_images([]), "set_images"),
            (lambda: viewer.update_texture(0), "update_texture"),
            (lambda: viewer.viewport, "viewport"),
        ):
            with pytest.raises(NotImplementedError, match=text):
                call()
        viewer.clear_figures()
        viewer.clear_images()
        with pytest.raises(ValueError, match="meshid"):
            viewer.update_mesh(0)
        page.close()


def test_VIEW_8_update_hfield_sends_the_scene_again():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><asset><hfield name='h' nrow='4' ncol='4' size='1 1 1 .1'/></asset>"
        "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    with mujoco.viewer.launch_passive(model, data, port=0, browser=False) as viewer:
        page = Page(viewer.url)
        until(viewer, page, lambda: page.scene, "the scene")
        first = page.scene["id"]
        model.hfield_data[:] = 0.5
        viewer.update_hfield(0)
        until(viewer, page, lambda: page.scene["id"] != first, "the scene again")
        with pytest.raises(ValueError, match="hfieldid: must be 0 to 0, found 1"):
            viewer.update_hfield(1)
        page.close()


def test_VIEW_8_lock_keeps_sync_out():
    """`with viewer.lock()` on another thread: sync() waits for it."""
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    data = mujoco.MjData(model)
    with mujoco.viewer.launch_passive(model, data, port=0, browser=False) as viewer:
        held, free, order = threading.Event(), threading.Event(), []

        def stepper():
            with viewer.lock():
                held.set()
                free.wait(20)
                order.append("stepped")

        thread = threading.Thread(target=stepper)
        thread.start()
        assert held.wait(20)
        syncing = threading.Thread(target=lambda: (viewer.sync(), order.append("synced")))
        syncing.start()
        time.sleep(0.05)
        assert order == []
        free.set()
        thread.join(20)
        syncing.join(20)
        assert order == ["stepped", "synced"]
