"""Exceptions with the error code, the place in the table and the remedies that the program reports."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional


class Error(Exception):
    """Raised when a command fails.

    Attributes
    ----------
    code : str
        A short name of the error that does not change between versions.
    place : dict
        The place of the error in the table: file, line, row, column, name and value, as far as they are known.
    remedies : list of dict
        Settings that avoid the error, each with setting, value and columns.
    exit : int or None
        The exit code of the program, or None if the program was not started.

    Examples
    --------
    >>> import polydag
    >>> try:
    ...     polydag.learn("nosuch.csv")
    ... except polydag.Error as error:
    ...     print(error.exit)
    1
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
    """Raised for an invalid argument or setting, and for settings that contradict each other. It is also a ValueError.

    Examples
    --------
    >>> import polydag
    >>> try:
    ...     polydag.learn(3)
    ... except polydag.UsageError as error:
    ...     print(error.code)
    usage
    """


class ArgumentTypeError(UsageError, TypeError):
    """Raised for an argument of the wrong type and for an argument that does not exist. It is also a TypeError.

    Examples
    --------
    >>> import polydag
    >>> try:
    ...     polydag.learn(3)
    ... except TypeError as error:
    ...     print(error)
    int is not a table; pass a DataFrame, a path, a mapping of columns, or a two-dimensional array
    """


class FileNotFound(Error, FileNotFoundError):
    """Raised for a file that does not exist. It is also a FileNotFoundError.

    Examples
    --------
    >>> import polydag
    >>> try:
    ...     polydag.learn("nosuch.csv")
    ... except FileNotFoundError as error:
    ...     print(error)
    cannot read nosuch.csv: no such file or directory; check the path and its permissions
    """

    def __str__(self) -> str:
        return str(self.args[0])


class DataError(Error, ValueError):
    """Raised for a table that the method cannot learn from. It is also a ValueError, as scikit-learn expects.

    Examples
    --------
    >>> import polydag
    >>> try:
    ...     polydag.PolyDAG().fit([[1.0, 2.0]])
    ... except polydag.DataError as error:
    ...     print(error.code)
    one-row
    """


class NotFitted(UsageError, AttributeError):
    """Raised by a PolyDAG that is used before ``fit``. With scikit-learn loaded it is also its NotFittedError.

    Examples
    --------
    >>> import polydag
    >>> try:
    ...     polydag.PolyDAG().causal_matrix_
    ... except polydag.NotFitted as error:
    ...     print(error)
    this PolyDAG is not fitted; call fit first
    """


class BinaryNotFound(FileNotFound):
    """Raised when the program polydag is not found.

    Examples
    --------
    >>> import polydag
    >>> issubclass(polydag.BinaryNotFound, polydag.Error)
    True
    """


def not_fitted(name: str) -> NotFitted:
    """Returns the error of an estimator that is not fitted."""
    theirs = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    kind = NotFitted if theirs is None else type("NotFitted", (NotFitted, theirs), {"__module__": NotFitted.__module__})
    error: NotFitted = kind("this %s is not fitted; call fit first" % name, code="not-fitted")
    return error


class PolydagWarning(UserWarning):
    """The category of warnings about the table, about the settings, and about a run that stopped early.

    Examples
    --------
    >>> import polydag, warnings
    >>> warnings.simplefilter("error", polydag.PolydagWarning)  # raise warnings as errors
    >>> warnings.simplefilter("default", polydag.PolydagWarning)
    """


class StoppedWarning(PolydagWarning):
    """The category of the warning that a run stopped early: by Ctrl-C, by ``cancel``, by a deadline or a limit of steps.

    Examples
    --------
    >>> import polydag, warnings
    >>> warnings.simplefilter("error", polydag.StoppedWarning)  # a result that is not final is an error
    >>> warnings.simplefilter("default", polydag.StoppedWarning)
    """
