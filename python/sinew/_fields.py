"""Arrays of Model and Data as attributes.

A field is a descriptor without __set__: the first access makes the numpy view and leaves it in the object's own
dictionary, where all later ones find it. Views keep the memory alive, not the object.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np


class ArrayField:
    """An array of Model or Data. `sinew.Data.qpos.__doc__` tells what it is; `.shape` and `.dtype` how it looks."""

    def __init__(self, name: str, dtype: str, rows: str, columns: str, doc: str, writable: bool) -> None:
        self.name = name
        self.dtype = np.dtype(dtype)
        clean = [s.replace("m.", "") for s in (rows, columns)]
        self.shape = f"({clean[0]},)" if columns == "1" else f"({clean[0]}, {clean[1]})"
        self.rows = clean[0]
        self.columns = clean[1]
        self.writable = writable
        self.__doc__ = f"{doc}. {dtype} {self.shape}{'' if writable else ', read-only'}"

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Any:
        if instance is None:
            return self
        array = instance._array(self.name)
        instance.__dict__[self.name] = array
        return array

    def __repr__(self) -> str:
        return f"<array {self.name}: {self.__doc__}>"


def assign(name: str, array: np.ndarray, value: Any) -> None:
    """array[...] = value, for a value of the same shape or a single number."""
    given = np.asarray(value)
    if given.shape != array.shape and given.ndim > 0:
        raise ValueError(f"{name}: needs an array of shape {array.shape}, found {given.shape}")
    if not array.flags.writeable:
        raise AttributeError(f"{name} is read-only: it says how the model is built; edit a Spec and compile it instead")
    try:
        np.copyto(array, given, casting="same_kind")
    except TypeError as error:
        raise TypeError(f"{name}: needs {array.dtype}, found {given.dtype}") from error


def define(cls: type, fields: list[tuple[str, str, str, str, str, bool]]) -> dict[str, ArrayField]:
    """Gives a class its fields."""
    made = {}
    for name, dtype, rows, columns, doc, writable in fields:
        field = ArrayField(name, dtype, rows, columns, doc, writable)
        setattr(cls, name, field)
        made[name] = field
    return made


Maker = Callable[[Any], Any]
