"""GLContext: what scripts make current before they draw. Pictures are traced on the processor, so it holds nothing."""

from __future__ import annotations


class GLContext:
    """Stands for a context of OpenGL. None is needed: no display, no graphics card and no environment variable."""

    def __init__(self, max_width: int = 0, max_height: int = 0) -> None:
        self.max_width, self.max_height = int(max_width), int(max_height)

    def make_current(self) -> None:
        """Nothing: there is no state to switch to."""

    def free(self) -> None:
        """Nothing: it holds nothing."""
