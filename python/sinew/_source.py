"""Where the description of a model is, for pictures."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

from ._model import _SOURCES, Model, asset_folder


@contextlib.contextmanager
def described(model: Model) -> Iterator[tuple[str, str, str]]:
    """File, text and folder that the compiled module reads the description from; all empty if there is none."""
    source = _SOURCES.get(model)
    if source is None:
        yield "", "", ""
        return
    path, text, assets, directory = source
    if path is not None:
        yield path, "", ""
    elif assets:
        with asset_folder(text, assets, directory) as folder:
            yield "", text, folder
    else:
        yield "", text, directory
