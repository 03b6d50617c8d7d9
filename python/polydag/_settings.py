"""Translates keyword arguments into flags and settings of the program, using the output of polydag describe."""

from __future__ import annotations

import datetime
import inspect
import json
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Tuple

import numpy as np

from . import _binary, _process, _words
from ._errors import ArgumentTypeError, UsageError

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
        raise UsageError("there is no command %r" % command, code="usage")
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

#: Arguments of other packages, and their names here.
THEIRS = {"random_state": "seed", "n_jobs": "threads", "verbose": "progress", "n_bootstrap": "bootstrap", "n_sampling": "bootstrap"}

#: Settings that name a JSON file. They also accept lists and mappings.
FILES = ("tiers", "knowledge")

#: Settings that take edges. They also accept pairs of names.
EDGES = ("require", "forbid")

#: Settings that are spans of time. They also accept seconds and a timedelta.
SPANS = ("deadline", "checkpoint-every", "nats-wait", "ask-timeout")

#: The arguments of learn that most calls need. They come first in its signature.
FIRST = ("method", "model", "kind", "missing", "environments", "require", "forbid", "order", "bootstrap", "seed")

#: Settings that the Python functions take as their own arguments, by command.
TAKEN = {"effect": ("of", "on", "data"), "explain": ("from_", "to"), "confidence": ("data",), "simulate": ("truth",), "test": ("data",), "questions": ("ask", "ask_model", "ask_timeout", "descriptions", "dry_run", "output")}


def keywords(command: str, taken: Iterable[str], methods: bool = False) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Yields the keyword argument and the description of each setting of a command that is not taken, those that most calls need first.

    The settings of single methods are left out unless ``methods`` is true: they are given in the mapping ``settings``.
    """
    flags = [flag for flag in settings(command) if methods or not (flag.get("set") and flag.get("methods"))]
    if command == "learn":
        flags.sort(key=lambda flag: FIRST.index(flag["name"]) if flag["name"] in FIRST else len(FIRST))
    for flag in flags:
        name = _words.argument(flag["name"])
        if flag["name"] not in OURS and name not in taken:
            yield name, flag


def merged(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns keyword arguments with those of the argument settings, a mapping from names to values."""
    out = dict(given)
    more = out.pop("settings", None) or {}
    if not isinstance(more, Mapping):
        raise ArgumentTypeError('settings is a mapping from names to values, such as {"restarts": 5}', code="usage")
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
        if key in THEIRS and command in ("learn", "confidence", "compare"):
            raise ArgumentTypeError("unknown argument: %s; here it is %s" % (key, THEIRS[key]), code="usage")
        if name in OURS:
            raise UsageError("%s is set by this package and cannot be changed; the returned result has all output" % key, code="usage")
        if value is None:
            continue
        value = _natural(key, name, value)
        if name in FILES and not isinstance(value, (str, os.PathLike)):
            value = _file(key, value, os.path.join(folder(), name + ".json"))
        if isinstance(value, (list, tuple, set, frozenset)) or hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:
            if known.get(name, {}).get("type", "list") != "list":
                raise ArgumentTypeError("%s takes one value, got %d" % (key, len(value)), code="usage")
            values = list(value)
        else:
            values = [value]
        form = "--set=%s=%s" if known.get(name, {}).get("set") else "--%s=%s"
        whole = known.get(name, {}).get("type") == "int"
        args += [form % (name, _word(int(one) if whole and isinstance(one, (float, np.floating)) and one == one // 1 else one)) for one in values]
    return args


def _natural(key: str, name: str, value: Any) -> Any:
    """Returns a value of Python's own types in the form that the program takes."""
    if name in SPANS:
        if isinstance(value, datetime.timedelta):
            value = value.total_seconds()
        return "%.9gs" % value if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else value
    if name == "kind" and isinstance(value, Mapping):
        return ["%s=%s" % pair for pair in value.items()]
    if name == "order" and not isinstance(value, str):
        tiers = [[tier] if isinstance(tier, (str, int, np.integer)) else list(tier) for tier in value]
        odd = [one for tier in tiers for one in tier if any(mark in str(one) for mark in ",<")]
        if odd:
            raise UsageError("order cannot hold the name %r; give the list as tiers" % odd[0], code="usage")
        return " < ".join(",".join(map(str, tier)) for tier in tiers)
    if name == "tiers" and isinstance(value, (list, tuple)):
        return [[str(one) for one in tier] if isinstance(tier, (list, tuple, set, np.ndarray)) else tier for tier in value]
    if name == "knowledge" and is_graph(value):
        return {"require": edges(key, value)}
    if name == "knowledge" and isinstance(value, Mapping):
        return {part: edges(key, inner) if part in EDGES else inner for part, inner in value.items()}
    if name == "prior" and not isinstance(value, str):
        triples = [(edge, value[edge]) for edge in value] if isinstance(value, Mapping) else [(tuple(one[:2]), one[2]) if _is_triple(one) else (one, None) for one in value]
        texts = edges(key, [edge for edge, _ in triples])
        try:
            return [text if p is None else "%s=%r" % (text, float(p)) for text, (_, p) in zip(texts, triples)]
        except (TypeError, ValueError):
            raise ArgumentTypeError('%s: a probability is not a number; write ("cause", "effect", 0.8)' % key, code="usage") from None
    return edges(key, value) if name in EDGES else value


def _is_triple(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 3


def is_graph(value: Any) -> bool:
    """Reports whether a value is a graph of networkx."""
    return hasattr(value, "edges") and hasattr(value, "nodes")


def _file(key: str, value: Any, path: str) -> str:
    """Writes lists and mappings to a JSON file and returns its path."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError) as fault:
        raise ArgumentTypeError("%s cannot be written as JSON: %s" % (key, fault), code="usage") from None
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def edges(key: str, value: Any) -> List[str]:
    """Returns edges as texts that the program reads. A text or a pair of names is one edge."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple) and len(value) == 2 and not any(isinstance(one, (tuple, list)) or "->" in str(one) or "→" in str(one) for one in value):
        value = [value]  # one pair of names
    if is_graph(value):
        value = [edge[:2] for edge in value.edges]
    found = []
    for edge in value:
        if not isinstance(edge, str):
            try:
                cause, effect = edge
            except (TypeError, ValueError):
                raise ArgumentTypeError('%s: %r is not an edge; write "cause->effect" or a pair of names' % (key, edge), code="usage") from None
            edge = _end(cause) + "->" + _end(effect)
        found.append(edge)
    return found


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
    title = "Settings of polydag.%s" % command
    lines = [inspect.getdoc(function) or "", "", title, "-" * len(title)]
    first: List[inspect.Parameter] = []
    more: List[inspect.Parameter] = []
    for name, flag in keywords(command, {*(p.name for p in own), *TAKEN.get(command, ())}):
        kind, default = _TYPES[flag["type"]], flag["default"]
        annotation = kind if default is None or isinstance(default, kind) else Any
        parameter = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        (first if command == "learn" and flag["name"] in FIRST else more).append(parameter)
        lines.append("%s: %s" % (name, flag["help"]))
    more.append(inspect.Parameter("settings", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Mapping[str, Any]))
    lines.append("settings: the settings of the method by name, as a mapping; polydag.methods() lists them")
    given = [p for p in own if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    function.__signature__ = plain.replace(parameters=[*given, *first, *own[len(given) :], *more])  # type: ignore[attr-defined]
    function.__doc__ = "\n".join(lines)
    return function
