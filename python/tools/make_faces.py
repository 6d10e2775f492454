"""make_faces.py: writes python/sinew/mujoco/_faces.pyi, what type checkers know of MjModel and MjData beyond Model and Data.

Run with the Python of build/venv and PYTHONPATH=build/release/python."""

import ast
import pathlib

import numpy as np

import sinew
import sinew.mujoco as mujoco

FOLDER = pathlib.Path(sinew.__file__).parent
SAMPLE = """<mujoco><worldbody><light/><camera/><geom type="plane" size="1 1 1"/><body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
</worldbody></mujoco>"""


def declared(*classes: tuple[str, str]) -> set[str]:
    """Names that the bodies of classes declare."""
    names = set()
    for file, name in classes:
        for node in ast.parse((FOLDER / file).read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                for item in node.body:
                    if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                        names.add(item.target.id)
                    elif isinstance(item, (ast.FunctionDef, ast.ClassDef)):
                        names.add(item.name)
                    elif isinstance(item, ast.Assign):
                        names.update(t.id for t in item.targets if isinstance(t, ast.Name))
    return names


def kind(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"NDArray[np.{value.dtype.name.replace('bool', 'bool_')}]"
    return type(value).__name__ if isinstance(value, (bool, int, float, bytes, str)) else "Any"


def lines(owner: object, known: set[str]) -> list[str]:
    made = []
    for name in sorted(n for n in dir(type(owner)) if not n.startswith("_") and n not in known):
        try:
            value = getattr(owner, name)
        except AttributeError:
            continue  # MuJoCo has it, Sinew has not
        if not callable(value) or isinstance(value, np.ndarray):
            made.append(f"    {name}: {kind(value)}")
    return made


def text() -> str:
    model = mujoco.MjModel.from_xml_string(SAMPLE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    of_model = declared(("_core.pyi", "ModelBase"), ("_model.py", "Model"), ("_model.py", "_Lookups"), ("_picture.py", "Looks"))
    of_data = declared(("_core.pyi", "DataBase"), ("_model.py", "Data"), ("_model.py", "_Lookups"), ("_model.py", "_LightPoses"))
    head = '''"""What type checkers know of MjModel and MjData: written by python/tools/make_faces.py. Nothing imports it at run time."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from .._model import Data, Model
from ._structs import MjVisual


class MjModel(Model):
    """sinew.Model under MuJoCo's name."""

    @staticmethod
    def from_xml_path(filename: Union[str, os.PathLike[str]], assets: Optional[Mapping[str, bytes]] = None) -> MjModel: ...
    @staticmethod
    def from_xml_string(xml: str, assets: Optional[Mapping[str, Union[bytes, str]]] = None) -> MjModel: ...
    @staticmethod
    def from_binary_path(filename: str, assets: Optional[Mapping[str, bytes]] = None) -> MjModel: ...
    def bind(self, elements: Any) -> Any: ...
    @property
    def vis(self) -> MjVisual: ...

'''
    middle = '''

class MjData(Data):
    """sinew.Data under MuJoCo's name."""

    def bind(self, elements: Any) -> Any: ...

'''
    return head + "\n".join(n for n in lines(model, of_model) if not n.startswith("    vis:")) + "\n" + middle + "\n".join(lines(data, of_data)) + "\n"


if __name__ == "__main__":
    (pathlib.Path(__file__).resolve().parents[1] / "sinew" / "mujoco" / "_faces.pyi").write_text(text())
