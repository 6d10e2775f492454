"""Exceptions of MuJoCo's names."""

from __future__ import annotations

from .._errors import FatalError

__all__ = ["FatalError", "UnexpectedError"]


class UnexpectedError(RuntimeError):
    """MuJoCo's error for bugs. Sinew never raises it."""
