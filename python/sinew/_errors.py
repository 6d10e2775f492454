"""Exceptions of Sinew."""

from __future__ import annotations

import difflib
import re
from typing import Any, Iterable, NoReturn, Optional

_PLACE = re.compile(r"^(?P<file>[^\n:]*?):(?P<line>\d+): (?P<rest>.*)$", re.S)
_ELEMENT = re.compile(r"<(?P<element>[\w]+)(?P<attributes>[^>]*)>")
_NAME = re.compile(r'name="([^"]*)"')


class LoadError(ValueError):
    """A model could not be read, compiled or written. The text says where, what was found and what was expected.

    Attributes:
        file: the file, or what stands for it; None if the text names none.
        line: the line in it; None if the element was made by a program.
        element: the tag of the element, such as "joint"; None if the text names none.
        name: the name of the element; None if it has none.
    """

    file: Optional[str]
    line: Optional[int]
    element: Optional[str]
    name: Optional[str]

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        place = _PLACE.match(message)
        self.file = place["file"] if place else None
        self.line = int(place["line"]) if place else None
        element = _ELEMENT.search(message)
        self.element = element["element"] if element else None
        name = _NAME.search(element["attributes"]) if element else None
        self.name = name[1] if name else None


class FatalError(RuntimeError):
    """MuJoCo's error for misuse of a function. Where MuJoCo has none, Sinew raises ValueError, TypeError and LoadError."""


class OptionError(FatalError, ValueError):
    """A step cannot work with model.opt; the text says which value is wrong. Nothing was computed."""


def _raise_option(text: str) -> NoReturn:
    raise OptionError(f"model.opt: {text}; nothing was computed")


class DivergenceError(RuntimeError):
    """The state is no longer finite. Raised by step() if Data.on_divergence is "raise".

    Attributes:
        time: when it happened, s.
        trouble: "bad_qpos", "bad_qvel" or "bad_qacc".
        joint: the joint that it happened to; None if it was a flex.
        flex: the flex that it happened to; None if it was a joint.
        element: the element of that flex (counted within it), None if none has a part in it.
        vertex: its vertex, likewise.
        term: what pushed: "elasticity", "contact", "edge spring", "actuator", ...
        stable_timestep: largest timestep for which that term is stable, s; None if not known.
        cure: what to do about it.
    """

    time: float
    trouble: str
    joint: Optional[str]
    flex: Optional[str]
    element: Optional[int]
    vertex: Optional[int]
    term: str
    stable_timestep: Optional[float]
    cure: str


def _raise_divergence(data: Any) -> NoReturn:
    status = data._status
    trouble = max(("bad_qpos", "bad_qvel", "bad_qacc"), key=lambda t: status[t]["count"] > 0)
    report = status[trouble]
    text = data.describe_status()
    error = DivergenceError(text)
    error.time = report["time"]
    error.trouble = trouble
    error.flex = error.joint = error.element = error.vertex = error.stable_timestep = None
    model = data.model
    if report["flex"] >= 0:
        error.flex = model._name(9, report["flex"]) or f"#{report['flex']}"
        error.element = report["element"] if report["element"] >= 0 else None
        error.vertex = report["vertex"] if report["vertex"] >= 0 else None
        error.term = report["flex_term"]
        error.stable_timestep = report["stable_timestep"] or None
    else:
        error.term = report["force_term"]
        dof = report["dof"] if report["dof"] >= 0 else report["first"]
        if 0 <= dof < len(model.dof_jntid):
            joint = int(model.dof_jntid[dof])
            if joint >= 0:
                error.joint = model._name(3, joint) or f"#{joint}"
    if error.stable_timestep:
        error.cure = (
            f"a timestep below {error.stable_timestep:.3g} s, or integrator implicitfast, which takes stiffness implicitly"
        )
    else:
        error.cure = "a smaller timestep, integrator implicitfast, more damping, or smaller forces"
    raise error


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: what is near to it."""
    names = [k for k in known if k]
    close = difflib.get_close_matches(name, names, 4, 0.5)
    if not close:
        lower = name.lower()
        close = [k for k in names if lower and (lower in k.lower() or k.lower() in lower)][:4]
    if close:
        return "did you mean " + " or ".join(repr(c) for c in close) + "?"
    if names:
        shown = ", ".join(repr(n) for n in names[:6])
        return f"known: {shown}" + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    return "there are none with names"
