"""polydag learns causal graphs from tables.

    import polydag
    r = polydag.learn(df, bootstrap=100, forbid=["* -> age"])
    r.edges, r.graph  # directed where the direction is stated, undirected otherwise
    r.dag  # the complete DAG with the best score

This package runs the program polydag, which does all the computation. Settings, their help and errors are those of the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._answers import Drivers, Effect
from ._errors import (
    ArgumentTypeError, BinaryNotFound, DataError, Error, FileNotFound, NotFitted, PolydagWarning, StoppedWarning, UsageError,
)  # fmt: skip
from ._estimator import PolyDAG
from ._result import Confidence, Page, Picture, Result
from ._settings import methods, settings

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from ._commands import Run, Simulated, call, check, compare, confidence, effect, evaluate, explain, learn, merge, questions, simulate, start, test, why
else:

    def __getattr__(name: str) -> Any:
        """Loads a command on first use and adds the settings of the program and their help to it."""
        from . import _api, _settings

        if name not in _COMMANDS and name not in ("Run", "Simulated", "call", "merge"):
            raise AttributeError("module 'polydag' has no attribute %r" % name)
        value = getattr(_api, name)
        if name in _COMMANDS:
            try:
                value = _settings.dress(value, "learn" if name == "start" else name)
            except Error:
                return value  # the program is missing or lacks the command; calling the function raises the error
        globals()[name] = value
        return value


_COMMANDS = ("check", "compare", "confidence", "effect", "evaluate", "explain", "learn", "questions", "simulate", "start", "test", "why")

__all__ = [
    "ArgumentTypeError", "BinaryNotFound", "Confidence", "DataError", "Drivers", "Effect", "Error", "FileNotFound", "NotFitted", "Page", "Picture",
    "PolyDAG", "PolydagWarning", "Result", "Run", "Simulated", "StoppedWarning", "UsageError", "call", "check", "compare", "confidence", "effect",
    "evaluate", "explain", "learn", "merge", "methods", "questions", "settings", "simulate", "start", "test", "why",
]  # fmt: skip


def __dir__() -> Any:
    return sorted(__all__)
