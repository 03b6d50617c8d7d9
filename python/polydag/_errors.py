"""Exceptions with the error code, the place in the table and the remedies that the program reports."""

from __future__ import annotations

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


class DataError(Error, ValueError):
    """Raised by PolyDAG.fit for a table that it cannot learn from. It is also a ValueError, as scikit-learn expects.

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
    """Raised by a PolyDAG that is used before ``fit``.

    Examples
    --------
    >>> import polydag
    >>> try:
    ...     polydag.PolyDAG().causal_matrix
    ... except polydag.NotFitted as error:
    ...     print(error)
    this PolyDAG is not fitted; call fit first
    """


class BinaryNotFound(Error):
    """Raised when the program polydag is not found.

    Examples
    --------
    >>> import polydag
    >>> issubclass(polydag.BinaryNotFound, polydag.Error)
    True
    """


class PolydagWarning(UserWarning):
    """The category of warnings about the table, about the settings, and about a run that stopped early.

    Examples
    --------
    >>> import polydag, warnings
    >>> warnings.simplefilter("error", polydag.PolydagWarning)  # raise warnings as errors
    >>> warnings.simplefilter("default", polydag.PolydagWarning)
    """
