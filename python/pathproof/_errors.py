"""What pathproof raises. The messages are those of the command line."""

from __future__ import annotations


class PathproofError(Exception):
    """Anything that pathproof raises on its own account."""


class InputError(PathproofError, ValueError):
    """An argument is not what the call needs: a shape, a dtype, a NaN, a joint outside its limits."""


class SceneError(PathproofError, ValueError):
    """Parts that make no scene: a name that nothing has, two bodies of one name, no pair to check."""


class FileError(PathproofError, ValueError):
    """A file that cannot be read or written, or does not say what it should."""

    def __init__(self, message: str, file: str = "", place: str = "", problem: str = "", remedy: str = "") -> None:
        super().__init__(message, file, place, problem, remedy)
        self.file = file
        """The file, as it was named."""
        self.place = place
        """Where in it; empty where it is the file as a whole."""
        self.problem = problem
        """What is wrong."""
        self.remedy = remedy
        """What to do about it; may be empty."""

    def __str__(self) -> str:
        return str(self.args[0])


class NotFreeError(PathproofError):
    """What must be free is not: a path to certify or to smooth, the start or the goal of a plan."""


class RefusedError(PathproofError):
    """A certificate does not prove that the path is free in the scene."""

    def __init__(
        self,
        message: str,
        fault: str = "",
        segment: int | None = None,
        interval: tuple[float, float] | None = None,
        bodies: tuple[str, str] | None = None,
    ) -> None:
        super().__init__(message, fault, segment, interval, bodies)
        self.fault = fault
        """other_scene, other_path, not_tiled, missing_pair, clearance, inside, not_shown or too_much_work."""
        self.segment = segment
        self.interval = interval
        self.bodies = bodies

    def __str__(self) -> str:
        return str(self.args[0])
