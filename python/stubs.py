"""Writes polydag/_commands.pyi: the commands with every setting as a typed keyword, from the output of polydag describe.

    POLYDAG_BINARY=bin/polydag python3 python/stubs.py

With --check it compares the file instead and exits with code 1 if it differs.
"""

from __future__ import annotations

import inspect
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from polydag import _api, _settings  # noqa: E402

PATH = os.path.join(HERE, "polydag", "_commands.pyi")

HEAD = '''# Written by python/stubs.py from polydag describe; make stubs writes it again.

import datetime
import os
from typing import Any, Dict, Iterable, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._answers import Drivers as Drivers
from ._answers import Effect as Effect
from ._api import Run as Run
from ._api import Simulated as Simulated
from ._api import call as call
from ._api import merge as merge
from ._progress import Progress
from ._result import Result

_Int = Union[int, "np.integer[Any]"]
_Float = Union[float, "np.floating[Any]", "np.integer[Any]"]
_Text = Union[str, float, "os.PathLike[str]"]
_List = Union[str, Iterable[Any]]
_Edges = Union[str, Iterable[Union[str, Tuple[Any, Any]]]]
_File = Union[str, "os.PathLike[str]", Sequence[Any], Mapping[str, Any]]
_Span = Union[str, float, datetime.timedelta]
'''

#: The commands, and those that are also methods of a result.
COMMANDS = ("check", "compare", "confidence", "effect", "evaluate", "explain", "learn", "questions", "simulate", "start", "test", "why")
OF_A_RESULT = ("effect", "evaluate", "explain")


def kind(flag):
    """Returns the type of a setting. None, the default, is added later."""
    name = flag["name"]
    if name in _settings.EDGES:
        return "_Edges"
    if name in _settings.FILES:
        return "_File"
    if name in _settings.SPANS:
        return "_Span"
    if name in ("prior", "kind", "knowledge", "order", "environments", "groups", "series", "targets", "time", "row-weights", "frequencies"):
        return "Any"
    words = flag.get("choices") or []
    if flag["type"] == "string" and flag["default"] in words and not flag["default"].isdigit():
        return "Literal[%s]" % ", ".join('"%s"' % word for word in words)
    plain = {"bool": "bool", "int": "_Int", "float": "_Float", "string": "_Text", "list": "_List"}[flag["type"]]
    return "Union[%s, str]" % plain if flag["type"] in ("int", "float") and isinstance(flag["default"], str) else plain


def by_name(name):
    return next(flag for flag in _settings.settings("learn") if flag["name"] == name)


def settings(command, taken, methods=False):
    """Returns the declarations of the settings of a command that are not taken."""
    lines = ["%s: Optional[%s] = ..." % (name, "Any" if name == "truth" else kind(flag)) for name, flag in _settings.keywords(command, taken, methods)]
    return [*lines, "settings: Optional[Mapping[str, Any]] = ..."]


def define(name, own, command, result, indent="", methods=False):
    """Returns the stub of a function: its own parameters, then the other settings of the command, in the order of its signature."""
    taken = {*(parameter.split(":")[0] for parameter in own), *_settings.TAKEN.get(command, ())}
    more = settings(command, taken, methods)
    first = len(_settings.FIRST) if command == "learn" and not methods else 0
    place = own.index("*") + 1
    lines = [*own[:place], *more[:first], *own[place:], *more[first:]]
    return "%sdef %s(\n%s%s) -> %s: ...\n" % (indent, name, "".join("%s    %s,\n" % (indent, line) for line in lines), indent, result)


def parameters(name):
    """Returns the declarations of a function's own parameters."""
    own = []
    for p in inspect.signature(getattr(_api, name)).parameters.values():
        if p.kind is p.VAR_KEYWORD:
            continue
        if p.kind is p.KEYWORD_ONLY and "*" not in own:
            own.append("*")
        own.append("%s: %s%s" % (p.name, p.annotation, "" if p.default is p.empty else " = ..."))
    if "*" not in own:
        own.append("*")
    return own


def returned(name):
    return inspect.signature(getattr(_api, name)).return_annotation


def text():
    """Returns the content of the stub."""
    parts = [HEAD]
    for name in COMMANDS:
        parts.append(define(name, parameters(name), "learn" if name == "start" else name, returned(name)))
    parts.append("class ResultCommands:\n" + "".join(
        define(name, ["self", *parameters(name)[1:]], name, returned(name), "    ")
        for name in OF_A_RESULT
    ))  # fmt: skip
    parts.append("class LearnSettings:\n" + define("__init__", ["self", "method: %s = ..." % kind(by_name("method")), "*"], "learn", "None", "    ", methods=True))
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        with open(PATH, encoding="utf-8") as file:
            sys.exit(0 if file.read() == text() else "the settings of the program changed; run make stubs")
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(text())
