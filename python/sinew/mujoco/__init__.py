"""MuJoCo's names on Sinew: `import sinew.mujoco as mujoco` is the one line that a script changes.

The objects are those of `sinew`: MjModel is sinew.Model, MjData is sinew.Data. What MuJoCo has and Sinew has not raises
an error that says so. docs/python-mujoco.md lists what there is and what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as _np

from .. import _model
from .._errors import DivergenceError, nearest
from . import _derived, _enums, _load, _structs
from ._enums import *  # noqa: F403
from ._enums import DATA_NAMES, MODEL_NAMES, MUJOCO_VERSION, NAMES
from ._fatal import FatalError as FatalError
from ._fatal import UnexpectedError as UnexpectedError
from ._functions import *  # noqa: F403
from ._cameras import *  # noqa: F403
from ._math import *  # noqa: F403
from ._render import *  # noqa: F403
from ._render import MjrContext as MjrContext
from ._scenes import *  # noqa: F403
from .gl_context import GLContext as GLContext
from ._structs import (
    MjLROpt as MjLROpt,
    MjSolverStat as MjSolverStat,
    MjTimerStat as MjTimerStat,
    MjWarningStat as MjWarningStat,
    MjrRect as MjrRect,
    MjvCamera as MjvCamera,
    MjvFigure as MjvFigure,
    MjvGeom as MjvGeom,
    MjvGLCamera as MjvGLCamera,
    MjvLight as MjvLight,
    MjVisual as MjVisual,
    MjvOption as MjvOption,
    MjvPerturb as MjvPerturb,
    MjvScene as MjvScene,
    mjv_connector as mjv_connector,
    mjv_defaultCamera as mjv_defaultCamera,
    mjv_defaultFreeCamera as mjv_defaultFreeCamera,
    mjv_defaultOption as mjv_defaultOption,
    mjv_defaultPerturb as mjv_defaultPerturb,
    mjv_initGeom as mjv_initGeom,
)

MjContact = _model.Contact
MjOption = _model.Option
MjStatistic = _model.Statistic
if TYPE_CHECKING:
    from . import egl as egl
    from . import glfw as glfw
    from . import osmesa as osmesa
    from . import rollout as rollout
    from . import viewer as viewer
    from ._faces import MjData as MjData
    from ._faces import MjModel as MjModel
    from ._spec_elements import *  # noqa: F403
    from ._specs import MjSpec as MjSpec
    from .renderer import Renderer as Renderer
else:
    MjModel = _model.Model
    MjData = _model.Data

__version__ = MUJOCO_VERSION  # what scripts compare with
MJTNUM_BYTES = 8
MJTNUM_DTYPE = _np.float64


class MissingName(NotImplementedError, AttributeError):
    """A name of MuJoCo that Sinew does not have."""


# what to use instead of what is missing
_INSTEAD = {
    "mjr_": "mjr_render and mjr_readPixels, or sinew.mujoco.Renderer, draw pictures",
    "mjv_": "mjv_updateScene, sinew.mujoco.Renderer and sinew.mujoco.viewer draw the model",
    "mjui_": "sinew.mujoco.viewer has its own panels",
    "mj_loadPlugin": "Sinew has no plugins; cables are built in",
    "mj_loadAllPlugin": "Sinew has no plugins; cables are built in",
    "mjx": "sinew.Batch steps many runs on the processor",
    "mj_constraintUpdate": "mj_fwdConstraint solves the constraints",
    "mj_addContact": "contacts come from collisions; sinew.Data.set_callbacks(contact_filter=) leaves some out",
    "mju_rayGeom": "mj_ray",
    "mj_setLengthRange": "lengthrange is computed when the model is compiled",
}


def _missing(name: str) -> str:
    for start, instead in _INSTEAD.items():
        if name.startswith(start):
            return instead
    known = [n for n in globals() if n.startswith(("mj", "Mj", "set_", "get_")) or n in ("Renderer", "viewer", "rollout")]
    return "the nearest that exists: " + ", ".join(__import__("difflib").get_close_matches(name, known, 3, 0.3) or ["none"])


def _struct_union() -> Any:
    """All structures, for annotations."""
    from typing import Union

    from . import _specs

    kinds = [v for n, v in sorted({**vars(_specs), **globals()}.items()) if n.startswith("Mj") and isinstance(v, type)]
    return Union[tuple(dict.fromkeys(kinds))]  # type: ignore[return-value]


def __getattr__(name: str) -> Any:
    import importlib

    if name == "MjStruct":
        return _struct_union()
    if name in ("MjSpec", "MjVfs") or name.startswith("Mjs"):
        spec = importlib.import_module("sinew.mujoco._specs")
        if hasattr(spec, name):
            return getattr(spec, name)
    if name == "Renderer":
        from .renderer import Renderer

        return Renderer
    if name in ("viewer", "rollout", "renderer", "_specs", "batch", "egl", "osmesa", "glfw"):
        try:
            return importlib.import_module(f"sinew.mujoco.{name}")
        except ModuleNotFoundError:
            pass
    if name.startswith("__"):
        raise AttributeError(name)
    if name in NAMES or name.startswith(("mj", "Mj")):
        known = "is part of MuJoCo, but Sinew does not have it" if name in NAMES else "does not exist"
        raise MissingName(f"sinew.mujoco.{name} {known}; {_missing(name)}")
    raise AttributeError(f"sinew.mujoco has no {name!r}; {nearest(name, globals())}")


def alias_mujoco() -> None:
    """Makes `import mujoco` give this module from now on, for packages that import it. Call it before anything does."""
    import importlib
    import sys

    module = sys.modules[__name__]
    present = sys.modules.get("mujoco")
    if present is not None and present is not module:
        raise RuntimeError("mujoco was imported already: call alias_mujoco() before")
    sys.modules["mujoco"] = module
    for part in ("rollout", "viewer", "renderer", "gl_context", "egl", "osmesa", "glfw", "_enums", "_structs", "_functions", "_specs"):
        sys.modules[f"mujoco.{part}"] = importlib.import_module(f"{__name__}.{part}")


class _MissingAttribute:
    """An attribute of MuJoCo's that Sinew does not have."""

    def __init__(self, owner: str, name: str) -> None:
        self.text = f"{owner}.{name} is part of MuJoCo, but Sinew does not have it"
        self.__doc__ = self.text

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        raise MissingName(self.text)

    def __set__(self, instance: Any, value: Any) -> None:
        raise MissingName(self.text)


def _vis(self: Any) -> MjVisual:
    found = self.__dict__.get("_vis")
    if found is None:
        found = self.__dict__["_vis"] = _load.visual_of(self)
    return found  # type: ignore[no-any-return]


def _bind(self: Any, elements: Any) -> Any:
    """The arrays of one element of an MjSpec, or of several of a kind together."""
    from . import _specs

    return _specs._bind(self, elements)


for _class in (MjModel, MjData):
    setattr(_class, "bind", _bind)
setattr(MjModel, "vis", property(_vis, doc="Settings of drawing, as <visual> gives them."))
for _class, _label, _every in ((MjModel, "MjModel", MODEL_NAMES), (MjData, "MjData", DATA_NAMES)):
    for _attribute in _every:
        if not hasattr(_class, _attribute):
            setattr(_class, _attribute, _MissingAttribute(_label, _attribute))
_ = (DivergenceError, _derived, _load, _structs)
