"""Renderer: pictures of a model without a display."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._model import Data, Model
from .._picture import scene_of, share_pixels
from ._enums import mjtRndFlag, mjtVisFlag
from ._load import share_visual
from ._cameras import fixed_id
from ._scenes import changes, list_geoms, shown_by
from ._structs import MjvCamera, MjvOption, MjvScene

_COLORS = ("material", "stress", "strain", "contact_force", "energy")


class CameraNotFound(KeyError, ValueError):
    """There is no camera of this name. A ValueError too, as MuJoCo raises."""

    def __str__(self) -> str:
        return str(self.args[0])


class Renderer:
    """Draws a model: colours, depth or which object is seen.

        with sinew.Renderer(model, 480, 640) as renderer:
            renderer.update_scene(data, "overview")
            pixels = renderer.render()           # (480, 640, 3), uint8

    Rays are traced on the processor: no display and no OpenGL are needed. samples: rays per pixel at edges; threads: 0 for
    all processors, the picture is the same for any number. font_scale has no effect.
    """

    def __init__(
        self,
        model: Model,
        height: int = 240,
        width: int = 320,
        max_geom: int = 10000,
        font_scale: Any = None,
        *,
        samples: int = 4,
        threads: int = 0,
    ) -> None:
        if not _core.has_renderer:
            raise NotImplementedError("this build of Sinew has no renderer: it needs Embree 3 (libembree-dev)")
        for name, value in (("height", height), ("width", width)):
            if not 1 <= int(value) <= 16384:
                raise ValueError(f"{name}: must be 1 to 16384, found {value}")
        self._scene = scene_of(model)
        share_pixels(model)
        self._base: Any = _core.RendererBase(self._scene, int(width), int(height), samples, threads)
        self._model = model
        self._height, self._width = int(height), int(width)
        self._mode = "rgb"
        self.scene = MjvScene(model, max_geom)
        self.flex_color = "material"
        self._textures = True

    @property
    def model(self) -> Model:
        """The model that is drawn."""
        return self._model

    @property
    def height(self) -> int:
        """Rows of pixels."""
        return self._height

    @property
    def width(self) -> int:
        """Columns of pixels."""
        return self._width

    def enable_depth_rendering(self) -> None:
        """render() gives distances, m."""
        self._mode = "depth"

    def disable_depth_rendering(self) -> None:
        """render() gives colours again, if it gave distances."""
        if self._mode == "depth":
            self._mode = "rgb"

    def enable_segmentation_rendering(self) -> None:
        """render() gives the number and mjtObj of the object seen, -1: none."""
        self._mode = "segmentation"

    def disable_segmentation_rendering(self) -> None:
        """render() gives colours again, if it gave objects."""
        if self._mode == "segmentation":
            self._mode = "rgb"

    def enable_normal_rendering(self) -> None:
        """render() gives unit normals of the surfaces, in the world, towards the camera; 0 where there is nothing."""
        self._mode = "normal"

    def disable_normal_rendering(self) -> None:
        """render() gives colours again, if it gave normals."""
        if self._mode == "normal":
            self._mode = "rgb"

    def _require(self) -> Any:
        if self._base is None:
            raise RuntimeError("update_scene and render cannot be called after close.")
        return self._base

    def update_scene(self, data: Data, camera: Any = -1, scene_option: Optional[MjvOption] = None) -> None:
        """What is drawn from now on. camera: a name, a number (-1: a free camera that shows all), or an MjvCamera."""
        base = self._require()
        if isinstance(camera, MjvCamera):
            if camera.type == 2:
                view: Any = int(camera.fixedcamid)
            else:
                fixed_id(self._model, camera)  # refuses a body that does not exist
                look = data.subtree_com[int(camera.trackbodyid)] if camera.type == 1 else camera.lookat
                view = ([float(x) for x in look], float(camera.distance), float(camera.azimuth), float(camera.elevation), -1)
        elif isinstance(camera, str):
            try:
                view = self._model.camera(camera).id
            except KeyError as error:
                raise CameraNotFound(f'The camera "{camera}" does not exist. {error.args[0]}') from None
        elif camera is None:
            view = -1
        else:
            view = int(camera)
        if isinstance(view, int) and not -1 <= view < self._model.ncam:
            raise ValueError(f"The camera id {view} is out of range [-1, {self._model.ncam})")
        option = MjvOption() if scene_option is None else scene_option
        groups, flags, frames = shown_by(option)
        self._textures = bool(option.flags[mjtVisFlag.mjVIS_TEXTURE])
        if self.flex_color not in _COLORS:
            raise ValueError(f"flex_color: must be one of {', '.join(_COLORS)}, found {self.flex_color!r}")
        share_visual(self._model, self._scene)
        base._update(self._model, data, view, groups, flags, frames, _COLORS.index(self.flex_color))
        list_geoms(self._model, self.scene, base._instances())
        self._place_camera(base._view(), view if isinstance(view, int) else -1)

    def _place_camera(self, view: Any, camera: int) -> None:
        """scene.camera: from where the picture is taken, as OpenGL has it: the eyes left and right of the middle. A width of 0
        follows from the size of the picture."""
        m: Any = self._model
        apart = float(m.cam_ipd[camera] if camera >= 0 else m.vis.global_.ipd)
        is_measured = camera >= 0 and bool(m.cam_sensorsize[camera].any())
        pos, right, up, forward, orthographic, left, side, bottom, top, near, far = view
        scale = 1.0 if orthographic else near  # sides of the image in the near plane
        for eye, offset in zip(self.scene.camera, (-apart / 2, apart / 2)):
            eye.pos, eye.forward, eye.up = np.asarray(pos) + offset * np.asarray(right), forward, up
            eye.orthographic = int(orthographic)
            eye.frustum_center = scale * (left + side) / 2
            eye.frustum_width = scale * (side - left) / 2 if is_measured else 0.0
            eye.frustum_bottom, eye.frustum_top, eye.frustum_near, eye.frustum_far = scale * bottom, scale * top, near, far

    def _pixel(self, place: Any) -> float:
        """How wide a pixel is at a place, m."""
        pos, _, _, forward, orthographic, _, _, bottom, top, near, _ = self._require()._view()
        away = 1.0 if orthographic else max(near, float(np.dot(np.asarray(place) - pos, forward)))
        return float(away * (top - bottom) / self._height)

    def render(self, *, out: Optional[NDArray[Any]] = None) -> NDArray[Any]:
        """The picture: (height, width, 3) uint8; depth (height, width) float32; objects (height, width, 2) int32; normals
        (height, width, 3) float32."""
        base = self._require()
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "rgb": ((self._height, self._width, 3), np.uint8),
            "depth": ((self._height, self._width), np.float32),
            "segmentation": ((self._height, self._width, 2), np.int32),
            "normal": ((self._height, self._width, 3), np.float32),
        }
        shape, dtype = shapes[self._mode]
        if out is None:
            out = np.empty(shape, dtype)
        elif out.shape != shape or out.dtype != dtype:
            raise ValueError(f"Expected `out.shape == {shape}` and {np.dtype(dtype)}, got {out.shape} {out.dtype}")
        extras, edits = changes(self.scene, self._pixel)
        if self._mode == "rgb":
            shown = self.scene.flags
            base._rgb(
                out, extras, edits, bool(shown[mjtRndFlag.mjRND_SHADOW]), bool(shown[mjtRndFlag.mjRND_REFLECTION]),
                bool(shown[mjtRndFlag.mjRND_HAZE]), self._textures,
            )  # fmt: skip
        elif self._mode == "depth":
            base._depth(out, extras, edits)
        elif self._mode == "normal":
            base._normals(out, extras, edits)
        else:
            base._segmentation(out, edits)
        return out

    def close(self) -> None:
        """Frees its memory."""
        self._base = None

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
