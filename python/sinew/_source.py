"""Where the description of a model is, for pictures."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

from ._model import _SOURCES, Model, asset_folder


@contextlib.contextmanager
def described(model: Model) -> Iterator[tuple[str, str, str]]:
    """File, text and folder that the compiled module reads the description from; all empty if there is none."""
    from ._spec import _COMPILED

    compiled = _COMPILED.get(model)
    spec: Any = compiled[0]() if compiled else None
    if spec is not None:
        text = spec.to_xml()
        if spec.assets:
            with asset_folder(text, spec.assets) as folder:
                yield "", text, folder
        else:
            yield "", text, spec._directory
        return
    source = _SOURCES.get(model)
    if source is None:
        yield "", "", ""
    elif source[0] is not None:
        yield source[0], "", ""
    elif source[2]:
        with asset_folder(source[1], source[2]) as folder:
            yield "", source[1], folder
    else:
        yield "", source[1], ""
