"""The viewer: a page in the browser, served by this program on this machine alone."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from .. import _core
from .._model import Data, Model, Path
from .._source import described
from ._enums import mjtCamera, mjtFrame, mjtGridPos, mjtLabel, mjtPertBit, mjtVisFlag
from ._structs import MjrRect, MjvCamera, MjvOption, MjvPerturb, MjvScene, drawn, mjv_defaultFreeCamera


def _require() -> None:
    has, why = _core.has_viewer()
    if not has:
        raise NotImplementedError(f"this build of Sinew has no viewer: {why}")


_LABELS = {
    mjtLabel.mjLABEL_NONE: "none", mjtLabel.mjLABEL_BODY: "bodies", mjtLabel.mjLABEL_JOINT: "joints",
    mjtLabel.mjLABEL_GEOM: "geoms", mjtLabel.mjLABEL_SITE: "sites", mjtLabel.mjLABEL_FLEX: "flexes",
    mjtLabel.mjLABEL_SELECTION: "selection",
}  # fmt: skip
_PAGE_FRAMES = (mjtFrame.mjFRAME_NONE, mjtFrame.mjFRAME_WORLD, mjtFrame.mjFRAME_BODY, mjtFrame.mjFRAME_GEOM, mjtFrame.mjFRAME_SITE)
# flags of mjtVisFlag that the page has, by their names in FrameOptions
_PAGE_FLAGS = {
    "contactPoints": mjtVisFlag.mjVIS_CONTACTPOINT, "contactForces": mjtVisFlag.mjVIS_CONTACTFORCE,
    "transparent": mjtVisFlag.mjVIS_TRANSPARENT, "tendons": mjtVisFlag.mjVIS_TENDON, "skins": mjtVisFlag.mjVIS_SKIN,
    "joints": mjtVisFlag.mjVIS_JOINT, "actuators": mjtVisFlag.mjVIS_ACTUATOR, "centersOfMass": mjtVisFlag.mjVIS_COM,
    "inertias": mjtVisFlag.mjVIS_INERTIA, "constraints": mjtVisFlag.mjVIS_CONSTRAINT, "cameras": mjtVisFlag.mjVIS_CAMERA,
    "lights": mjtVisFlag.mjVIS_LIGHT,
}  # fmt: skip
_PAGE_GROUPS = ("geom", "site", "joint", "tendon", "actuator", "flex", "skin")
_MOST_GEOMS = 100000  # of user_scn
_PIXEL = 0.0025  # extents: about what a pixel of 480 rows shows of a scene that fills them

Camera = Tuple[int, List[float], float, float, float, int]  # of the model, lookat, distance, azimuth, elevation, body
Shown = Tuple[List[List[bool]], Dict[str, bool], int, str]  # groups, flags, frames, labels


def _camera_of(cam: MjvCamera) -> Camera:
    kind = mjtCamera(int(cam.type))
    if kind == mjtCamera.mjCAMERA_USER:
        raise NotImplementedError("cam.type: mjCAMERA_USER is not drawn; free, tracking and fixed cameras are")
    tracked = int(cam.trackbodyid) if kind == mjtCamera.mjCAMERA_TRACKING else -1
    look = [0.0, 0.0, 0.0] if tracked >= 0 else [float(x) for x in cam.lookat]
    fixed = int(cam.fixedcamid) if kind == mjtCamera.mjCAMERA_FIXED else -1
    return fixed, look, float(cam.distance), float(cam.azimuth), float(cam.elevation), tracked


def _set_camera(cam: MjvCamera, seen: Camera) -> None:
    fixed, look, cam.distance, cam.azimuth, cam.elevation, tracked = seen
    if fixed >= 0:
        cam.type, cam.fixedcamid = int(mjtCamera.mjCAMERA_FIXED), fixed
    elif tracked >= 0:
        cam.type, cam.trackbodyid = int(mjtCamera.mjCAMERA_TRACKING), tracked
    else:
        cam.type, cam.lookat = int(mjtCamera.mjCAMERA_FREE), look


def _shown_of(opt: MjvOption) -> Shown:
    frame, label = mjtFrame(int(opt.frame)), mjtLabel(int(opt.label))
    if frame not in _PAGE_FRAMES:
        raise NotImplementedError(f"opt.frame: {frame.name} is not drawn by the page; world, body, geom and site are")
    if label not in _LABELS:
        raise NotImplementedError(f"opt.label: {label.name} is not drawn by the page; " + ", ".join(k.name for k in _LABELS) + " are")
    groups = [[bool(g) for g in getattr(opt, name + "group")] for name in _PAGE_GROUPS]
    flags = {name: bool(opt.flags[flag]) for name, flag in _PAGE_FLAGS.items()}
    return groups, flags, _PAGE_FRAMES.index(frame), _LABELS[label]


def _set_shown(opt: MjvOption, seen: Shown) -> None:
    groups, flags, frame, label = seen
    for name, values in zip(_PAGE_GROUPS, groups):
        setattr(opt, name + "group", values)
    for name, flag in _PAGE_FLAGS.items():
        opt.flags[flag] = flags[name]
    opt.frame = int(_PAGE_FRAMES[frame])
    opt.label = int(next(k for k, v in _LABELS.items() if v == label))


def _call_keys(base: Any, closed: threading.Event, callback: Callable[[int], None]) -> None:
    """Calls back for each key, until the viewer is closed."""
    while not closed.is_set():
        for code in base._take_keys(0.1):
            try:
                callback(code)
            except Exception:  # the window stays open, as when a callback of a GUI fails
                sys.excepthook(*sys.exc_info())


class Handle:
    """A viewer of a program that makes the steps itself. A context manager.

        with sinew.mujoco.viewer.launch_passive(model, data) as viewer:
            print(viewer.url)
            while viewer.is_running():
                sinew.step(model, data)
                viewer.sync()
    """

    def __init__(
        self, model: Model, data: Data, host: str, port: int, browser: bool,
        key_callback: Optional[Callable[[int], None]] = None, left: bool = True, right: bool = True,
    ) -> None:  # fmt: skip
        _require()
        with described(model) as (file, text, folder):
            self._base: Any = _core.ViewerBase(model, data, file, text, folder, host, port, browser, left, right)
        self._model, self._data = model, data
        self._url = str(self._base.url)
        self._cam, self._opt, self._pert = MjvCamera(), MjvOption(), MjvPerturb()
        mjv_defaultFreeCamera(model, self._cam)
        _set_camera(self._cam, self._base._camera())
        self._user_scn = MjvScene(model, _MOST_GEOMS)
        # what the page knows: what differs from it was changed by the program
        self._known_camera = _camera_of(self._cam)
        self._known_shown = _shown_of(self._opt)
        self._lock = threading.RLock()
        self._closed = threading.Event()
        if key_callback is not None:
            self._keys = threading.Thread(target=_call_keys, args=(self._base, self._closed, key_callback), daemon=True)
            self._keys.start()

    @property
    def url(self) -> str:
        """Address of the page, with a token: whoever knows it may watch and steer."""
        return self._url

    @property
    def m(self) -> Optional[Model]:
        """The model; None after close()."""
        return None if self._base is None else self._model

    @property
    def d(self) -> Optional[Data]:
        """The data; None after close()."""
        return None if self._base is None else self._data

    @property
    def cam(self) -> MjvCamera:
        """Where the windows look from. What the program sets they follow at the next sync(), which also brings here what
        users moved."""
        return self._cam

    @property
    def opt(self) -> MjvOption:
        """What is drawn: groups, frame, label, and the flags of contacts, joints, actuators, centres of mass, inertias,
        constraints, cameras, lights, tendons, skins and transparency. Goes both ways with sync(), as cam does."""
        return self._opt

    @property
    def perturb(self) -> MjvPerturb:
        """What is selected and pulled in the window that steers, as of the last sync(). Writing to it has no effect."""
        return self._pert

    @property
    def user_scn(self) -> MjvScene:
        """Geoms that the program adds to the picture: the first `ngeom` of `geoms`, taken over by sync()."""
        return self._user_scn

    @property
    def viewport(self) -> MjrRect:
        """Not there: the size of a window is known to its browser alone."""
        raise NotImplementedError("viewport: the size of a window is known to its browser alone; set_texts takes corners")

    def sync(self, state_only: bool = False) -> None:
        """Shows the state, and brings pulls, sliders and changed settings from the page into data and model, its camera
        and what it shows into cam and opt. Does nothing after close()."""
        with self._lock:
            base = self._base
            if base is None:
                return
            camera, shown = _camera_of(self._cam), _shown_of(self._opt)
            if camera != self._known_camera:
                self._check_camera(camera)
                base._set_camera(*camera)
                self._known_camera = camera
            if shown != self._known_shown:
                base._set_shown(*shown)
                self._known_shown = shown
            if base._is_due():
                self._send_geoms()
            base._sync(state_only)
            seen_camera, seen_shown = base._camera(), base._shown()
            if seen_camera != self._known_camera:
                _set_camera(self._cam, seen_camera)
                self._known_camera = _camera_of(self._cam)
            if seen_shown != self._known_shown:
                _set_shown(self._opt, seen_shown)
                self._known_shown = _shown_of(self._opt)
            self._take_selection()

    def _check_camera(self, camera: Camera) -> None:
        if camera[0] >= self._model.ncam:
            raise ValueError(f"cam.fixedcamid: must be below {self._model.ncam}, found {camera[0]}")
        if camera[5] >= self._model.nbody:
            raise ValueError(f"cam.trackbodyid: must be below {self._model.nbody}, found {camera[5]}")

    def _send_geoms(self) -> None:
        scene, pixel = self._user_scn, _PIXEL * float(self._model.stat.extent)
        if not 0 <= scene.ngeom <= scene.maxgeom:
            raise ValueError(f"user_scn.ngeom: must be 0 to {scene.maxgeom}, found {scene.ngeom}")
        shapes, labels = [], []
        for geom in scene.geoms[: scene.ngeom]:
            parts = list(drawn(geom, lambda _: pixel))
            if geom.label and not parts:  # a text alone
                parts = [(1, [0.0, 0.0, 0.0], geom.pos.tolist(), np.eye(3).reshape(-1).tolist(), geom.rgba.tolist())]
            shapes += parts
            labels += [str(geom.label)] * bool(parts) + [""] * (len(parts) - 1)
        self._base._set_geoms(shapes, labels)

    def _take_selection(self) -> None:
        body, flex, local, pulls, turns, target, turn = self._base._selection()
        pert = self._pert
        pert.select, pert.flexselect = max(0, body), flex
        pert.active = int(mjtPertBit.mjPERT_TRANSLATE) * pulls + int(mjtPertBit.mjPERT_ROTATE) * turns
        pert.localpos = local
        if pulls:
            pert.refselpos = pert.refpos = target
        if turns:
            pert.refquat = turn

    def is_running(self) -> bool:
        """False after close(), and when the last window was closed."""
        base = self._base
        return base is not None and bool(base._is_running())

    @property
    def paused(self) -> bool:
        """Whether a user asked for a pause."""
        base = self._base
        return base is not None and bool(base._is_paused())

    def lock(self) -> Any:
        """Held during sync(); `with viewer.lock():` around steps on another thread."""
        return self._lock

    def set_texts(self, texts: Any) -> None:
        """Texts over the picture: tuples (font, gridpos, text1, text2), or one of them. The font has no effect."""
        entries = [texts] if isinstance(texts, tuple) else list(texts)
        made = []
        for _font, corner, left, right in entries:
            made.append((int(mjtGridPos.mjGRID_TOPLEFT if corner is None else corner), left or "", right or ""))
            if not 0 <= made[-1][0] <= 7:
                raise ValueError(f"gridpos: must be one of mjtGridPos, found {corner!r}")
        with self._lock:
            if self._base is not None:
                self._base._set_texts(made)

    def clear_texts(self) -> None:
        """Takes the texts away."""
        self.set_texts([])

    def set_figures(self, viewports_figures: Any) -> None:
        """Not there: the page plots entries of arrays."""
        raise NotImplementedError("set_figures: the page has its own plots of any entry of any array")

    def set_images(self, viewports_images: Any) -> None:
        """Not there."""
        raise NotImplementedError("set_images: the page draws the scene alone")

    def clear_figures(self) -> None:
        """There are none."""

    def clear_images(self) -> None:
        """There are none."""

    def _update_scene(self) -> None:
        with self._lock:
            if self._base is not None:
                self._base._send_scene()

    def update_hfield(self, hfieldid: int) -> None:
        """Shows the changed data of a height field."""
        self._require_index("hfieldid", hfieldid, self._model.nhfield)
        self._update_scene()

    def update_mesh(self, meshid: int) -> None:
        """Shows the changed data of a mesh."""
        self._require_index("meshid", meshid, self._model.nmesh)
        self._update_scene()

    def update_texture(self, texid: int) -> None:
        """Not there: the page has the pixels of the file."""
        raise NotImplementedError("update_texture: the page has the pixels of the file; a new sinew.Renderer shows tex_data")

    @staticmethod
    def _require_index(name: str, value: int, count: int) -> None:
        if not 0 <= int(value) < count:
            raise ValueError(f"{name}: must be 0 to {count - 1}, found {value}")

    def close(self) -> None:
        """Ends it."""
        self._closed.set()
        keys = self.__dict__.pop("_keys", None)
        if keys is not None and keys is not threading.current_thread():
            keys.join()
        with self._lock:
            if self._base is not None:
                self._base._close()
                self._base = None

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def launch_passive(
    model: Model,
    data: Data,
    *,
    key_callback: Optional[Callable[[int], None]] = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
    host: str = "127.0.0.1",
    port: int = 7878,
    browser: bool = True,
) -> Handle:
    """Opens a viewer and returns at once; the program steps and calls sync().

    key_callback is called with the number of each key that is pressed in the page (GLFW's numbers, as in MuJoCo), on a thread
    of its own, also while the program does not call sync(). show_left_ui: the cards at the left; show_right_ui: the panel.
    """
    if not isinstance(model, Model):
        raise ValueError(f"`model` is not a mujoco.MjModel: got {model!r}")
    if not isinstance(data, Data):
        raise ValueError(f"`data` is not a mujoco.MjData: got {data!r}")
    if key_callback is not None and not callable(key_callback):
        raise ValueError(f"`key_callback` is not callable: got {key_callback!r}")
    data.forward()
    return Handle(model, data, host, port, browser, key_callback, show_left_ui, show_right_ui)


def launch(
    model: Optional[Model] = None, data: Optional[Data] = None, *, loader: Optional[Callable[[], Any]] = None, **options: Any
) -> None:
    """Shows a model and steps it in real time until the window is closed. loader: gives model and data."""
    if loader is not None:
        if model is not None:
            raise ValueError("model and loader are both specified")
        model, data = loader()[:2]
    if model is None:
        raise NotImplementedError("launch() needs a model: the page cannot load one; `sinew view FILE` can")
    state = data if data is not None else Data(model)
    with launch_passive(model, state, **options) as viewer:
        print(viewer.url, flush=True)
        start, begin = time.perf_counter(), state.time
        while viewer.is_running():
            if viewer.paused:
                start, begin = time.perf_counter(), state.time
            else:
                behind = time.perf_counter() - start - (state.time - begin)
                if behind > 0.2:
                    start, begin = time.perf_counter(), state.time
                steps = max(0, min(100, int(behind / model.opt.timestep)))
                if steps:
                    _core.step(model, state, steps)
            viewer.sync()
            time.sleep(0.002)


def launch_from_path(path: Path, **options: Any) -> None:
    """launch() for a file."""
    from ._load import from_xml_path

    launch(from_xml_path(path), **options)


def save_replay(recording: Any, file: Path, frames_per_second: float = 30) -> None:
    """A page that replays a Recording, which must hold qpos (and what else the picture depends on)."""
    import os

    _require()
    if "qpos" not in recording.fields:
        raise ValueError("a page needs qpos in the Recording")
    model = recording.data.model
    with described(model) as (source, text, folder):
        replay = _core.ReplayBase(model, source, text, folder, frames_per_second, model.modelname)
    data = Data(model)
    times = recording["time"]
    values = {name: recording[name] for name in recording.fields if name in _core.state_fields() and name != "tree_asleep"}
    due = -np.inf
    for i, now in enumerate(times):
        if now < due - 1e-9:
            continue
        due = (due if np.isfinite(due) else now) + 1 / frames_per_second
        data.time = now
        for name, frames in values.items():
            getattr(data, name)[...] = frames[i]
        replay.record(data)
    replay.save(os.fspath(file))
