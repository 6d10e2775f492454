"""MjrContext and mjr_*: pictures of a scene as MuJoCo's own interface draws them, in memory."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._model import Model
from .._picture import scene_of, share_pixels
from ._cameras import mjv_averageCamera
from ._enums import mjtDepthMap, mjtFramebuffer, mjtRndFlag
from ._fatal import FatalError
from ._scenes import changes
from ._structs import MjrRect, MjvScene


class MjrContext:
    """A picture in memory that mjr_render draws into. There is no window and no OpenGL.

    offWidth, offHeight: its size, first that of <visual><global offwidth offheight>; mjr_resizeOffscreen changes it.
    """

    def __init__(self, model: Optional[Model] = None, fontscale: int = 150) -> None:
        if model is not None and not isinstance(model, Model):
            raise TypeError(f"MjrContext needs an MjModel, found {type(model).__name__}")
        if model is not None and not _core.has_renderer:
            raise NotImplementedError("this build of Sinew has no renderer: it needs Embree 3 (libembree-dev)")
        size: Any = model.vis.global_ if model is not None else None  # type: ignore[attr-defined]
        self._model = model
        self.fontScale = int(fontscale)
        self.currentBuffer = int(mjtFramebuffer.mjFB_OFFSCREEN)
        self.windowAvailable = self.windowSamples = self.windowStereo = self.windowDoublebuffer = 0
        self.glInitialized = int(model is not None)
        self.readDepthMap = int(mjtDepthMap.mjDEPTH_ZERONEAR)
        self.offWidth, self.offHeight = (int(size.offwidth), int(size.offheight)) if size is not None else (0, 0)
        self.offSamples = int(model.vis.quality.offsamples) if model is not None else 0  # type: ignore[attr-defined]
        self._clear()

    def _clear(self) -> None:
        self._bases: dict[tuple[int, int], Any] = {}
        self._rgb = np.zeros((self.offHeight, self.offWidth, 3), np.uint8)  # rows from bottom to top, as in OpenGL
        self._far = np.ones((self.offHeight, self.offWidth), np.float32)  # 0 at the near plane, 1 at the far plane
        self._pending: Any = None

    def free(self) -> None:
        """Frees its memory."""
        self._model = None
        self.offWidth = self.offHeight = self.glInitialized = 0
        self._clear()

    def _base(self, width: int, height: int) -> Any:
        if self._model is None:
            raise FatalError("this MjrContext was made without a model, or it is free")
        found = self._bases.get((width, height))
        if found is None:
            share_pixels(self._model)
            if len(self._bases) >= 4:  # windows that were dragged to other sizes
                self._bases.clear()
                self._pending = None
            found = self._bases[width, height] = _core.RendererBase(scene_of(self._model), width, height, 4, 0)
        return found

    def _depths(self) -> None:
        """Depths of what was drawn last. They are found when they are asked for."""
        if self._pending is None:
            return
        base, extras, edits, rect, near, far, is_parallel = self._pending
        self._pending = None
        away = np.empty((rect.height, rect.width), np.float32)
        base._depth(away, extras, edits)
        z = np.clip(away[::-1].astype(float), near, far)
        part = (z - near) / (far - near)
        if not is_parallel:
            part *= far / z
        self._far[rect.bottom : rect.bottom + rect.height, rect.left : rect.left + rect.width] = part


def _inside(viewport: MjrRect, con: MjrContext, what: str) -> tuple[slice, slice]:
    """Rows and columns of a rectangle, which must lie in the picture."""
    left, bottom, width, height = (int(getattr(viewport, n)) for n in ("left", "bottom", "width", "height"))
    if width < 1 or height < 1 or left < 0 or bottom < 0 or left + width > con.offWidth or bottom + height > con.offHeight:
        raise FatalError(
            f"{what}: viewport {width} x {height} at {left}, {bottom} does not lie in the buffer of {con.offWidth} x "
            f"{con.offHeight}; <visual><global offwidth offheight> and mjr_resizeOffscreen set its size"
        )
    return slice(bottom, bottom + height), slice(left, left + width)


def mjr_maxViewport(con: MjrContext) -> MjrRect:
    """The whole picture."""
    return MjrRect(0, 0, con.offWidth, con.offHeight)


def mjr_setBuffer(framebuffer: int, con: MjrContext) -> None:
    """Which buffer is drawn into. There is one: that of a window is the same."""
    if int(framebuffer) not in (0, 1):
        raise FatalError(f"mjr_setBuffer: framebuffer must be 0 or 1, found {int(framebuffer)}")
    con.currentBuffer = int(framebuffer)


def mjr_restoreBuffer(con: MjrContext) -> None:
    """Nothing: there is one buffer, and nothing else draws into it."""


def mjr_resizeOffscreen(width: int, height: int, con: MjrContext) -> None:
    """Another size of the picture; it is black then."""
    if not (1 <= int(width) <= 16384 and 1 <= int(height) <= 16384):
        raise FatalError(f"mjr_resizeOffscreen: width and height must be 1 to 16384, found {width} x {height}")
    con.offWidth, con.offHeight = int(width), int(height)
    con._clear()


def mjr_render(viewport: MjrRect, scn: MjvScene, con: MjrContext) -> None:
    """Draws a scene into a part of the picture. With mjRND_SEGMENT and mjRND_IDCOLOR: segid + 1 as red, green, blue."""
    if scn._frame is None:
        raise FatalError("mjr_render: the scene is empty: call mjv_updateScene first")
    if scn.stereo:
        raise NotImplementedError("mjr_render: stereo pictures are not drawn; place scn.camera and draw two pictures")
    rows, columns = _inside(viewport, con, "mjr_render")
    width, height = int(viewport.width), int(viewport.height)
    base = con._base(width, height)
    rect = MjrRect(viewport.left, viewport.bottom, width, height)
    if con._pending is not None and con._pending[3] != rect:
        con._depths()
    eye = mjv_averageCamera(*scn.camera)
    near, far = float(eye.frustum_near), float(eye.frustum_far)
    unit = 1.0 if eye.orthographic else near
    if not (0 < near < far and eye.frustum_top > eye.frustum_bottom):
        raise FatalError("mjr_render: the frustum of scn.camera is empty")
    bottom, top = eye.frustum_bottom / unit, eye.frustum_top / unit
    half = eye.frustum_width / unit if eye.frustum_width > 0 else (top - bottom) / 2 * width / height
    middle = eye.frustum_center / unit
    forward, up = np.asarray(eye.forward, float), np.asarray(eye.up, float)
    right = np.cross(forward, up)
    base._show(
        scn._frame,
        (
            *([float(x) for x in v] for v in (eye.pos, right, up, forward)), bool(eye.orthographic),
            float(middle - half), float(middle + half), float(bottom), float(top), near, far,
        ),  # fmt: skip
    )

    def pixel(place: Any) -> float:
        away = 1.0 if eye.orthographic else max(near, float(np.dot(forward, np.asarray(place) - eye.pos)))
        return float(away * (top - bottom) / height)

    extras, edits = changes(scn, pixel)
    shown = scn.flags
    if shown[mjtRndFlag.mjRND_SEGMENT]:
        if not shown[mjtRndFlag.mjRND_IDCOLOR]:
            raise NotImplementedError("mjr_render: mjRND_SEGMENT is drawn together with mjRND_IDCOLOR only")
        picture = _ids(base, scn, width, height, edits)
    else:
        picture = np.empty((height, width, 3), np.uint8)
        base._rgb(
            picture, extras, edits, bool(shown[mjtRndFlag.mjRND_SHADOW]), bool(shown[mjtRndFlag.mjRND_REFLECTION]),
            bool(shown[mjtRndFlag.mjRND_HAZE]), scn._textures,
        )  # fmt: skip
    con._rgb[rows, columns] = picture[::-1]
    con._pending = (base, extras, edits, rect, near, far, bool(eye.orthographic))


def _ids(base: Any, scn: MjvScene, width: int, height: int, edits: Any) -> NDArray[np.uint8]:
    """segid + 1 of the geoms of a scene, as colours."""
    seen = np.empty((height, width, 2), np.int32)
    base._segmentation(seen, edits)
    number = np.zeros((height, width), np.int32)
    own = np.asarray(scn.geoms._own[: int(scn.ngeom)], np.int64)
    if own.size:
        geoms = int(scn._model.ngeom)
        places = np.zeros(geoms + int(scn._model.nsite) + 1, np.int32)  # the last one: nothing
        places[own] = 1 + np.arange(len(own))
        ids, kinds = seen[..., 0], seen[..., 1]
        number = places[np.where(kinds == 5, ids, np.where(kinds == 6, geoms + ids, len(places) - 1))]
    return np.stack([(number >> shift & 255) for shift in (0, 8, 16)], axis=-1).astype(np.uint8)


def mjr_readPixels(rgb: Optional[NDArray[np.uint8]], depth: Optional[NDArray[np.float32]], viewport: MjrRect, con: MjrContext) -> None:
    """Copies a part of the picture: rows from bottom to top. depth: 0 at the near plane, 1 at the far plane."""
    rows, columns = _inside(viewport, con, "mjr_readPixels")
    count = int(viewport.width) * int(viewport.height)
    for name, array, dtype, size in (("rgb", rgb, np.uint8, 3 * count), ("depth", depth, np.float32, count)):
        if array is None:
            continue
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.size != size:
            found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise TypeError(f"{name} should be an array of {size} {np.dtype(dtype)}, found {found}")
        if not (array.flags.writeable and array.flags.c_contiguous):
            raise TypeError(f"{name} should be writable and C-contiguous: it is an output")
    if rgb is not None:
        rgb[...] = con._rgb[rows, columns].reshape(rgb.shape)
    if depth is not None:
        con._depths()
        part = con._far[rows, columns]
        if con.readDepthMap == mjtDepthMap.mjDEPTH_ZEROFAR:
            part = 1 - part
        depth[...] = part.reshape(depth.shape)


def mjr_drawPixels(rgb: Optional[NDArray[np.uint8]], depth: Optional[NDArray[np.float32]], viewport: MjrRect, con: MjrContext) -> None:
    """Writes a part of the picture: rows from bottom to top."""
    rows, columns = _inside(viewport, con, "mjr_drawPixels")
    con._depths()
    for name, given, into in (("rgb", rgb, con._rgb), ("depth", depth, con._far)):
        if given is None:
            continue
        part = into[rows, columns]
        values = np.asarray(given)
        if values.size != part.size or values.dtype != into.dtype:
            raise TypeError(f"{name} should have {part.size} numbers of {into.dtype}, found {values.size} of {values.dtype}")
        into[rows, columns] = values.reshape(part.shape)


def mjr_findRect(x: int, y: int, nrect: int, rect: Any) -> int:
    """The first rectangle that holds a place, -1: none."""
    rects = [rect] if isinstance(rect, MjrRect) else list(rect)
    for i, one in enumerate(rects[: int(nrect)]):
        if one.left <= x < one.left + one.width and one.bottom <= y < one.bottom + one.height:
            return i
    return -1


def _renew(m: Model, con: MjrContext) -> None:
    con._depths()
    con._bases.clear()


def mjr_uploadTexture(m: Model, con: MjrContext, texid: int) -> None:
    """Pixels that a program changed in m.tex_data show from now on."""
    if not 0 <= int(texid) < m.ntex:  # type: ignore[attr-defined]
        raise FatalError(f"mjr_uploadTexture: invalid texture id {int(texid)}")
    _renew(m, con)


def mjr_finish() -> None:
    """Nothing: pictures are complete when a function returns."""


def mjr_getError() -> int:
    """0: there is no OpenGL that could fail."""
    return 0


__all__ = [n for n in dir() if n.startswith("mjr_")]
