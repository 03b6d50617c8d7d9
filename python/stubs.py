"""Writes polydag/_commands.pyi: the commands with every setting as a typed keyword, by what polydag describe prints.

    POLYDAG_BINARY=bin/polydag python3 python/stubs.py

With --check it compares the file instead, and ends with exit code 1 where it differs.
"""

from __future__ import annotations

import inspect
import keyword
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from polydag import _api, _settings  # noqa: E402

PATH = os.path.join(HERE, "polydag", "_commands.pyi")

HEAD = '''# Written by python/stubs.py from polydag describe; make stubs writes it again.

import os
from typing import Any, Dict, Iterable, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._api import Simulated as Simulated
from ._api import call as call
from ._progress import Progress
from ._result import Result

_Int = Union[int, "np.integer[Any]"]
_Float = Union[float, "np.floating[Any]", "np.integer[Any]"]
_Text = Union[str, float, "os.PathLike[str]"]
_List = Union[str, Iterable[Any]]
_Edges = Union[str, Iterable[Union[str, Tuple[Any, Any]]]]
_File = Union[str, "os.PathLike[str]", Sequence[Any], Mapping[str, Any]]
'''

#: The commands, and for the methods of a result those without their first argument.
COMMANDS = ("check", "compare", "confidence", "effect", "evaluate", "explain", "learn", "simulate")
OF_A_RESULT = ("effect", "evaluate", "explain")


def kind(flag):
    """The type of the values of a setting, besides None for the default."""
    name = flag["name"]
    if name in _settings.EDGES:
        return "_Edges"
    if name in _settings.FILES:
        return "_File"
    words = flag.get("choices") or []
    if flag["type"] == "string" and flag["default"] in words and not flag["default"].isdigit():
        return "Literal[%s]" % ", ".join('"%s"' % word for word in words)
    plain = {"bool": "bool", "int": "_Int", "float": "_Float", "string": "_Text", "list": "_List"}[flag["type"]]
    return "Union[%s, str]" % plain if flag["type"] in ("int", "float") and isinstance(flag["default"], str) else plain


def by_name(name):
    return next(flag for flag in _settings.settings("learn") if flag["name"] == name)


def settings(command, taken):
    for flag in _settings.settings(command):
        name = flag["name"].replace("-", "_")
        name += "_" if keyword.iskeyword(name) else ""
        if flag["name"] not in _settings.OURS and name not in taken:
            yield name, "%s: Optional[%s] = ..." % (name, "Any" if name == "truth" else kind(flag))


def define(name, own, command, result, indent="", taken=()):
    """The stub of a function: its own parameters, then the settings of a command that it does not have already."""
    taken = {parameter.split(":")[0] for parameter in own} | set(taken)
    lines = [*own, *(line for _, line in settings(command, taken))]
    return "%sdef %s(\n%s%s) -> %s: ...\n" % (indent, name, "".join("%s    %s,\n" % (indent, line) for line in lines), indent, result)


def parameters(name):
    """The parameters that a function has itself, as they stand in its source."""
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


def text():
    """The stub as it should be."""
    parts = [HEAD]
    for name in COMMANDS:
        returned = inspect.signature(getattr(_api, name)).return_annotation
        # The values that a function takes by its own arguments are no settings of it.
        taken = {"effect": ("of", "on", "data"), "explain": ("from_", "to"), "confidence": ("data",), "simulate": ("truth",)}.get(name, ())
        parts.append(define(name, parameters(name), name, returned, taken=taken))
    parts.append("class ResultCommands:\n" + "".join(
        define(name, ["self", *parameters(name)[1:]], name, inspect.signature(getattr(_api, name)).return_annotation, "    ",
               {"effect": ("of", "on", "data"), "explain": ("from_", "to")}.get(name, ()))
        for name in OF_A_RESULT
    ))  # fmt: skip
    parts.append("class LearnSettings:\n" + define("__init__", ["self", "method: %s = ..." % kind(by_name("method")), "*"], "learn", "None", "    "))
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        with open(PATH, encoding="utf-8") as file:
            sys.exit(0 if file.read() == text() else "the settings of the program changed; run make stubs")
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(text())
