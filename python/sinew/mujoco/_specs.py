"""MjSpec: sinew.Spec under MuJoCo's name."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .._spec import Element, Spec


class MjSpec(Spec):
    """The editable description of a model. All elements are of one class, whose attributes are those of MJCF."""

    _mujoco_gap = True

    @staticmethod
    def from_string(xml: str, include: Any = None, assets: Optional[Mapping[str, bytes]] = None) -> "MjSpec":  # type: ignore[override]
        """Reads MJCF text."""
        return MjSpec.from_text(xml, {**(include or {}), **(assets or {})})  # type: ignore[return-value]

    @staticmethod
    def from_file(filename: Any, include: Any = None, assets: Optional[Mapping[str, bytes]] = None) -> "MjSpec":  # type: ignore[override]
        """Reads an MJCF file."""
        if include or assets:
            with open(filename, encoding="utf-8") as file:
                return MjSpec.from_string(file.read(), include, assets)
        return Spec.from_file.__func__(MjSpec, filename)  # type: ignore[attr-defined, no-any-return]


MjsBody = MjsGeom = MjsJoint = MjsSite = MjsCamera = MjsLight = MjsFrame = MjsMesh = MjsMaterial = MjsTexture = Element
MjsActuator = MjsSensor = MjsTendon = MjsEquality = MjsPair = MjsExclude = MjsKey = MjsNumeric = MjsText = MjsTuple = Element
MjsHField = MjsFlex = MjsElement = Element
