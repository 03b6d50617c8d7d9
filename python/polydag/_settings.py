"""Keyword arguments as flags of the program, by what the program says of itself (polydag describe)."""

from __future__ import annotations

import inspect
import json
import keyword
import os
from typing import Any, Callable, Dict, List, Mapping, Tuple

from . import _binary, _process
from ._errors import UsageError

_known: Dict[Tuple[str, float], Dict[str, Any]] = {}


def description() -> Dict[str, Any]:
    """What the program can be told: its commands with their flags, and its methods with their settings."""
    path = _binary.find()
    key = (path, os.path.getmtime(path))
    if key not in _known:
        _known[key] = _process.parse(_process.call(["describe"]).output)
    return _known[key]


def settings(command: str = "learn") -> List[Dict[str, Any]]:
    """The settings of a command: each with name, type, default, help, and the words or methods that it is for."""
    for one in description()["commands"]:
        if one["name"] == command:
            return list(one["flags"])
    raise UsageError("there is no command %r" % command, code="usage")


def as_json(command: str) -> List[str]:
    """The arguments that make a command print JSON: --json, or where its output is JSON anyway a place for it."""
    for one in description()["commands"]:
        names = [flag["name"] for flag in one["flags"]]
        if one["name"] == command and "json" not in names and "output" in names:
            return ["--output=-"]
    return ["--json"]


def methods() -> List[Dict[str, Any]]:
    """The methods, each with what it needs and gives, and its settings."""
    return list(description()["methods"])


#: What this package sets itself: where results go, and how the program speaks.
OURS = ("output", "json", "log-format", "quiet", "verbose", "config", "print-config", "progress-file")

#: Settings that name a file of JSON, which may be given as lists and mappings.
FILES = ("tiers", "knowledge")

#: Settings whose values are edges: text such as "a->b", or pairs of names.
EDGES = ("require", "forbid")


def flags(command: str, given: Mapping[str, Any], folder: Callable[[], str]) -> List[str]:
    """Turns keyword arguments into arguments of the command. What it does not know is for the program to refuse.

    ``folder`` makes a folder for what has to be a file and is not the table.
    """
    known = {flag["name"]: flag for flag in settings(command)} if given else {}
    args: List[str] = []
    for key, value in given.items():
        name = key.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if name in OURS:
            raise UsageError("%s is set by this package; the result has what it would write" % key, code="usage")
        kind = known.get(name, {}).get("type")
        if name in FILES and not isinstance(value, (str, os.PathLike)):
            value = _file(key, value, os.path.join(folder(), name + ".json"))
        if name in EDGES:
            value = _edges(key, value)
        if isinstance(value, (list, tuple, set, frozenset)) or hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:
            if kind is not None and kind != "list":
                raise UsageError("%s takes one value, got %d" % (key, len(value)), code="usage")
            values = list(value)
        else:
            values = [value]
        args += ["--%s=%s" % (name, _word(one)) for one in values]
    return args


def _file(key: str, value: Any, path: str) -> str:
    """Writes lists and mappings as a file of JSON."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError) as fault:
        raise UsageError("%s cannot be written as JSON: %s" % (key, fault), code="usage") from None
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _edges(key: str, value: Any) -> List[str]:
    """Edges as the program reads them. A pair of names is one edge; an iterable of edges is several."""
    if isinstance(value, str):
        return [value]
    edges = []
    for edge in value:
        if not isinstance(edge, str):
            try:
                cause, effect = edge
            except (TypeError, ValueError):
                raise UsageError('%s: %r is no edge; give "cause->effect" or a pair of names' % (key, edge), code="usage") from None
            edge = _end(cause) + "->" + _end(effect)
        edges.append(edge)
    return edges


def _end(name: Any) -> str:
    """A name as an end of an edge: in quotes where the program would read another name."""
    text = str(name)
    if "->" in text or "→" in text or text.startswith('"') or text != text.strip():
        return '"%s"' % text.replace('"', '""')
    return text


def _word(value: Any) -> str:
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()  # a number of numpy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


_TYPES = {"bool": bool, "int": int, "float": float, "string": str, "list": list}


def dress(function: Callable[..., Any], command: str) -> Callable[..., Any]:
    """Gives a function the settings of its command as keyword arguments with defaults, and their help."""
    plain = inspect.signature(function)
    own = [p for p in plain.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    taken = {p.name for p in own}
    lines = [inspect.getdoc(function) or "", "", "Settings, as polydag %s has them:" % command, ""]
    more = []
    for flag in settings(command):
        name = flag["name"].replace("-", "_")
        name += "_" if keyword.iskeyword(name) else ""
        if flag["name"] in OURS or name in taken:
            continue
        kind, default = _TYPES[flag["type"]], flag["default"]
        annotation = kind if default is None or isinstance(default, kind) else Any
        more.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
        lines.append("%s: %s" % (name, flag["help"]))
    function.__signature__ = plain.replace(parameters=own + more)  # type: ignore[attr-defined]
    function.__doc__ = "\n".join(lines)
    return function
