"""What goes wrong, as exceptions with the code, the place and the remedies that the program gives."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class Error(Exception):
    """A command that failed.

    ``code`` names the fault for programs. ``place`` has file, line, row, column, name and value of where
    it lies in the table, as far as they are known. ``remedies`` are settings that would help, each with
    setting, value and columns. ``exit`` is the exit code of the program, or None before it was started.
    """

    def __init__(
        self,
        message: str,
        code: str = "failure",
        place: Optional[Dict[str, Any]] = None,
        remedies: Optional[List[Dict[str, Any]]] = None,
        exit: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.code, self.place, self.remedies, self.exit = code, place or {}, remedies or [], exit


class UsageError(Error, ValueError):
    """Settings that cannot be, or that contradict each other."""


class DataError(Error, ValueError):
    """A table that an estimator cannot be fitted to."""


class NotFitted(UsageError, AttributeError):
    """An estimator that is asked for what only a fitted one has."""


class BinaryNotFound(Error):
    """There is no program to run."""


class PolydagWarning(UserWarning):
    """What the program found in a table or in the settings, and what stopped a run early."""
