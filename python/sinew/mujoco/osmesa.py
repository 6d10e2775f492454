"""GLContext under the name of a backend that scripts ask for. All of them are the same here."""

from .gl_context import GLContext

__all__ = ["GLContext"]
