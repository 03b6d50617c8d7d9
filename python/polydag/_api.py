"""The commands of the program as functions. Nothing is computed here."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _columns, _process, _progress, _settings
from ._errors import Error, PolydagWarning, UsageError
from ._progress import Progress
from ._result import Result, frame, optional, read


class _Scratch:
    """A folder for what has to be a file and is not the table, made when it is first asked for."""

    def __init__(self) -> None:
        self.folder: Optional["tempfile.TemporaryDirectory[str]"] = None

    def __enter__(self) -> "_Scratch":
        return self

    def __exit__(self, *_: object) -> None:
        if self.folder is not None:
            self.folder.cleanup()

    def path(self) -> str:
        if self.folder is None:
            try:
                self.folder = tempfile.TemporaryDirectory(prefix="polydag-")
            except OSError as fault:
                raise Error("cannot make a temporary folder: %s; set TMPDIR to one with room" % fault, code="write") from fault
        return self.folder.name

    def file(self, name: str, text: Union[str, bytes]) -> str:
        path = os.path.join(self.path(), name)
        try:
            with open(path, "wb") as out:
                out.write(text.encode("utf-8") if isinstance(text, str) else text)
        except OSError as fault:
            raise Error("cannot write a temporary file: %s; set TMPDIR to a folder with room" % fault, code="write") from fault
        except UnicodeEncodeError as fault:
            raise UsageError("%r cannot be written as UTF-8" % fault.object, code="text") from None
        return path


def _source(data: Any, names: Optional[Sequence[str]] = None) -> Tuple[List[str], Optional[_process.Feed]]:
    """A table as arguments of the program and what goes through the pipe: paths as they are, all else as Arrow."""
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, os.PathLike)) for one in data):
        if names is not None:
            raise UsageError("names are for arrays; a file has its own", code="usage")
        return [_path(one) for one in data], None
    return ["-"], _columns.writer(data, names)


def _path(path: Any) -> str:
    """A path that is not taken for a flag or for standard input."""
    text = os.fsdecode(path)
    return os.path.join(".", text) if text.startswith("-") else text


def _run(args: List[str], feed: Optional[_process.Feed], progress: Progress) -> _process.Outcome:
    bar = _progress.make(progress)
    try:
        return _process.call(args, feed, bar.observe, bar.tick)
    finally:
        bar.end()


def _result(outcome: _process.Outcome) -> Result:
    said = outcome.said("WARN")
    if outcome.code == _process.STOPPED:
        said += outcome.said("ERROR")
    result = Result(outcome.output, said, outcome.said("INFO"))
    for sentence in said:
        warnings.warn(sentence, PolydagWarning, stacklevel=3)
    return result


def learn(data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Result:
    """Learn a graph from a table.

    data is a pandas or polars DataFrame, an array of two dimensions (with names, or x0, x1, …), a structured
    array, a mapping of columns, or the path of a file of any format that the program reads, or several.
    Settings are those of polydag learn, with _ for -; lists are given as lists. Ctrl-C stops the run and
    returns the best graph so far, with result.stopped true; a second Ctrl-C raises KeyboardInterrupt.
    """
    with _Scratch() as scratch:
        args = _settings.flags("learn", settings, scratch.path)
        source, feed = _source(data, names)
        return _result(_run(["learn", *args, "--output=-", "--", *source], feed, progress))


def check(data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Dict[str, Any]:
    """Look a table over before learning from it. Returns the JSON of polydag check: findings and columns."""
    return call("check", data=data, names=names, progress=progress, **settings)


def confidence(result: Any, data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Result:
    """Find how sure the edges of a result are, from the table that it was learned from."""
    with _Scratch() as scratch:
        args = _settings.flags("confidence", settings, scratch.path)
        source, feed = _source(data, names)
        path = scratch.file("result.json", _json(result))
        return _result(_run(["confidence", *args, *["--data=" + one for one in source], "--output=-", "--", path], feed, progress))


def effect(
    result: Any, of: str, on: str, data: Any = None, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any
) -> Dict[str, Any]:
    """Say what setting column ``of`` would do to column ``on``. Returns the JSON of polydag effect."""
    with _Scratch() as scratch:
        args = _settings.flags("effect", settings, scratch.path) + ["--of=%s" % of, "--on=%s" % on, "--json", "--output=-"]
        if data is None:
            text = _json(result)
            return _read(_run(["effect", *args, "-"], lambda out: _send(out, text), progress))
        source, feed = _source(data, names)
        path = scratch.file("result.json", _json(result))
        return _read(_run(["effect", *args, *["--data=" + one for one in source], "--", path], feed, progress))


def explain(result: Any, start: str, end: str, **settings: Any) -> Dict[str, Any]:
    """List the paths, confounders and mediators from one column to another. Returns the JSON of polydag explain."""
    with _Scratch() as scratch:
        args = _settings.flags("explain", settings, scratch.path)
        text = _json(result)
        return _read(_run(["explain", *args, "--from=%s" % start, "--to=%s" % end, "--json", "-"], lambda out: _send(out, text), False))


def evaluate(result: Any, truth: Any, **settings: Any) -> Dict[str, Any]:
    """Count how a graph differs from a known one. Returns the JSON of polydag evaluate.

    truth is a path, a DataFrame with the columns from and to, a networkx.DiGraph, or pairs of names.
    """
    with _Scratch() as scratch:
        args = _settings.flags("evaluate", settings, scratch.path)
        if isinstance(truth, (str, os.PathLike)):
            path = _path(truth)
        else:
            path = scratch.file("truth.csv", _edge_list(truth))
        text = _json(result)
        return _read(_run(["evaluate", *args, "--truth=" + path, "--json", "-"], lambda out: _send(out, text), False))


class Simulated(NamedTuple):
    """A simulated table, and the true edges with their weights."""

    data: Any
    truth: Any


def simulate(*, progress: Progress = None, **settings: Any) -> Simulated:
    """Draw a random graph and a table from it.

    Returns the table and the true edges: DataFrames where pandas is installed, else a mapping of arrays and
    a list of dicts.
    """
    with _Scratch() as scratch:
        args = _settings.flags("simulate", {key: value for key, value in settings.items() if key != "truth"}, scratch.path)
        truth = os.path.join(scratch.path(), "truth.csv")
        table = _run(["simulate", *args, "--output=-", "--truth=" + truth], None, progress).output.decode("utf-8")
        with open(truth, encoding="utf-8", newline="") as file:
            edges = [dict(row) for row in csv.DictReader(file)]
    for edge in edges:
        if "weight" in edge:
            edge["weight"] = float(edge["weight"])
    pandas = optional("pandas")
    if pandas is not None:
        data = pandas.read_csv(io.StringIO(table), float_precision="round_trip", keep_default_na=False)
        return Simulated(data, frame(edges, list(edges[0]) if edges else ["from", "to"]))
    rows = list(csv.reader(io.StringIO(table)))
    return Simulated({name: _numbers([row[i] for row in rows[1:]]) for i, name in enumerate(rows[0])}, edges)


def compare(data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Any:
    """Compare methods on a table. Returns the JSON of polydag compare. truth may be what evaluate takes."""
    with _Scratch() as scratch:
        truth = settings.get("truth")
        if truth is not None and not isinstance(truth, (str, os.PathLike)):
            settings["truth"] = scratch.file("truth.csv", _edge_list(truth))
        return call("compare", data=data, names=names, progress=progress, **settings)


def call(command: str, *args: str, data: Any = None, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Any:
    """Run any command that takes a table or files and prints JSON, with settings as keyword arguments."""
    with _Scratch() as scratch:
        made = _settings.flags(command, settings, scratch.path)
        source: List[str] = []
        feed = None
        if data is not None:
            source, feed = _source(data, names)
        return _read(_run([command, *made, *_settings.as_json(command), "--", *args, *source], feed, progress))


def _read(outcome: _process.Outcome) -> Any:
    for sentence in outcome.said("WARN"):
        warnings.warn(sentence, PolydagWarning, stacklevel=3)
    return _process.parse(outcome.output)


def _json(result: Any) -> bytes:
    """The text of a result: one of this package, a path, or what json.load read."""
    if isinstance(result, Result):
        return result.text
    if isinstance(result, (str, os.PathLike)):
        return read(result)
    if isinstance(result, dict):
        try:
            return json.dumps(result).encode("utf-8")
        except (TypeError, ValueError) as fault:
            raise UsageError("the result cannot be written as JSON: %s" % fault, code="usage") from None
    raise UsageError("%s is no result; give what learn returned, or the path of a result.json" % type(result).__name__, code="usage")


def _send(out: Callable[[bytes], object], text: bytes) -> None:
    out(text)


def _edge_list(truth: Any) -> str:
    try:
        if hasattr(truth, "columns") and hasattr(truth, "to_dict"):  # a DataFrame
            pairs: List[Any] = list(zip(truth["from"], truth["to"]))
        elif hasattr(truth, "edges") and hasattr(truth, "nodes"):  # a graph of networkx
            pairs = list(truth.edges())
        else:
            pairs = [(edge["from"], edge["to"]) if isinstance(edge, dict) else (edge[0], edge[1]) for edge in truth]
    except (IndexError, KeyError, TypeError):
        raise UsageError(
            "%s is no list of edges; give a path, a DataFrame with the columns from and to, a networkx.DiGraph, or pairs of names" % type(truth).__name__,
            code="usage",
        ) from None
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    rows.writerows([("from", "to"), *pairs])
    return out.getvalue()


def _numbers(texts: List[str]) -> np.ndarray[Any, Any]:
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        return np.array(texts)
