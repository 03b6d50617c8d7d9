"""Translates keyword arguments into flags and settings of the program, using the output of polydag describe."""

from __future__ import annotations

import inspect
import json
import keyword
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Tuple

from . import _binary, _process
from ._errors import UsageError

_known: Dict[Tuple[str, float], Dict[str, Any]] = {}


def description() -> Dict[str, Any]:
    """Returns the output of polydag describe: the commands with their flags and the methods with their settings."""
    path = _binary.find()
    key = (path, os.path.getmtime(path))
    if key not in _known:
        _known[key] = _process.parse(_process.call(["describe"]).output)
    return _known[key]


def settings(command: str = "learn") -> List[Dict[str, Any]]:
    """List the settings of a command.

    Parameters
    ----------
    command
        The name of the command.

    Returns
    -------
    list of dict
        One dict per setting, with name, type, default and help, and the allowed values or methods if they are limited.
        ``set`` is true for those that the command line takes as ``--set name=value``.

    Examples
    --------
    >>> import polydag
    >>> "bootstrap" in [setting["name"] for setting in polydag.settings("learn")]
    True
    """
    commands = {one["name"]: one for one in description()["commands"]}
    if command not in commands:
        raise UsageError("there is no command %r; polydag --help lists the commands" % command, code="usage")
    one = commands[command]
    return [*one["flags"], *({**setting, "set": True} for setting in one["settings"]), *description()["flags"]]


def as_json(command: str) -> List[str]:
    """Returns the arguments that make a command print JSON on its standard output."""
    names = [flag["name"] for flag in settings(command)]
    return ["--output=-"] if "json" not in names and "output" in names else ["--json"]


def methods() -> List[Dict[str, Any]]:
    """List the methods that learn a graph.

    Returns
    -------
    list of dict
        One dict per method, with its name, title, requirements, output and settings.

    Examples
    --------
    >>> import polydag
    >>> polydag.methods()[0]["name"]
    'auto'
    """
    return list(description()["methods"])


#: Settings that this package controls: the place of the output and the format of messages.
OURS = ("output", "json", "log-format", "quiet", "verbose", "config", "print-config", "progress-file", "set")

#: Settings that name a JSON file. They also accept lists and mappings.
FILES = ("tiers", "knowledge")

#: Settings whose values are edges, and prior, a mapping from edges to probabilities: text such as "a->b", or pairs of names.
EDGES = ("require", "forbid")

#: Settings that the Python functions take as their own arguments, by command.
TAKEN = {"effect": ("of", "on", "data"), "explain": ("from_", "to"), "confidence": ("data",), "simulate": ("truth",), "test": ("data",), "questions": ("ask", "ask_model", "ask_timeout", "descriptions", "dry_run", "output")}


def keywords(command: str, taken: Iterable[str]) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Yields the keyword argument and the description of each setting of a command that is not taken."""
    for flag in settings(command):
        name = flag["name"].replace("-", "_")
        name += "_" if keyword.iskeyword(name) else ""
        if flag["name"] not in OURS and name not in taken:
            yield name, flag


def merged(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns keyword arguments with those of the argument settings, a mapping from names to values."""
    out = dict(given)
    more = out.pop("settings", None) or {}
    if not isinstance(more, Mapping):
        raise UsageError('settings is a mapping from names to values, such as {"restarts": 5}', code="usage")
    for key, value in more.items():
        name = str(key).replace("-", "_")
        if name in out:
            raise UsageError("%s is also an argument; give one of them" % key, code="usage")
        out[name] = value
    return out


def flags(command: str, given: Mapping[str, Any], folder: Callable[[], str]) -> List[str]:
    """Translates keyword arguments into arguments of the command. The program rejects unknown names.

    ``folder`` returns a temporary folder for settings that the program reads from files.
    """
    given = merged(given)
    known = {flag["name"]: flag for flag in settings(command)} if given else {}
    args: List[str] = []
    for key, value in given.items():
        name = key.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if name in OURS:
            raise UsageError("%s is set by this package and cannot be changed; the returned result has all output" % key, code="usage")
        kind = known.get(name, {}).get("type")
        if name in FILES and not isinstance(value, (str, os.PathLike)):
            value = _file(key, value, os.path.join(folder(), name + ".json"))
        if name in EDGES:
            value = _edges(key, value)
        if name == "prior" and isinstance(value, Mapping):
            value = ["%s=%r" % (edge, float(value[pair])) for edge, pair in zip(_edges(key, value), value)]
        if isinstance(value, (list, tuple, set, frozenset)) or hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:
            if kind is not None and kind != "list":
                raise UsageError("%s takes one value, got %d" % (key, len(value)), code="usage")
            values = list(value)
        else:
            values = [value]
        form = "--set=%s=%s" if known.get(name, {}).get("set") else "--%s=%s"
        args += [form % (name, _word(one)) for one in values]
    return args


def _file(key: str, value: Any, path: str) -> str:
    """Writes lists and mappings to a JSON file and returns its path."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError) as fault:
        raise UsageError("%s cannot be written as JSON: %s" % (key, fault), code="usage") from None
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _edges(key: str, value: Any) -> List[str]:
    """Returns edges as texts that the program reads. A text or a pair of names is one edge."""
    if isinstance(value, str):
        return [value]
    edges = []
    for edge in value:
        if not isinstance(edge, str):
            try:
                cause, effect = edge
            except (TypeError, ValueError):
                raise UsageError('%s: %r is not an edge; write "cause->effect" or a pair of names' % (key, edge), code="usage") from None
            edge = _end(cause) + "->" + _end(effect)
        edges.append(edge)
    return edges


def _end(name: Any) -> str:
    """Quotes a name where the program would otherwise read a different one."""
    text = str(name)
    if "->" in text or "→" in text or text.startswith('"') or text != text.strip():
        return '"%s"' % text.replace('"', '""')
    return text


def _word(value: Any) -> str:
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()  # a numpy scalar
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


_TYPES = {"bool": bool, "int": int, "float": float, "string": str, "list": list}


def dress(function: Callable[..., Any], command: str) -> Callable[..., Any]:
    """Adds the settings of a command to the signature and the docstring of its function."""
    plain = inspect.signature(function)
    own = [p for p in plain.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    title = "Settings of polydag %s" % command
    lines = [inspect.getdoc(function) or "", "", title, "-" * len(title)]
    more = []
    for name, flag in keywords(command, {*(p.name for p in own), *TAKEN.get(command, ())}):
        kind, default = _TYPES[flag["type"]], flag["default"]
        annotation = kind if default is None or isinstance(default, kind) else Any
        more.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
        lines.append("%s: %s" % (name, flag["help"]))
    more.append(inspect.Parameter("settings", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Mapping[str, Any]))
    lines.append("settings: more settings by name, such as those of the method, as a mapping")
    function.__signature__ = plain.replace(parameters=own + more)  # type: ignore[attr-defined]
    function.__doc__ = "\n".join(lines)
    return function
