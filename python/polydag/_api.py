"""The commands of the program as functions. The program does all the computation."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
import threading
import warnings
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _columns, _process, _progress, _settings
from ._answers import Drivers, Effect
from ._errors import ArgumentTypeError, Error, PolydagWarning, StoppedWarning, UsageError
from ._progress import Progress
from ._result import Result, frame, optional, read


class _Scratch:
    """A temporary folder for results and edge lists that the program reads as files. It is created on first use."""

    def __init__(self) -> None:
        self.folder: Optional["tempfile.TemporaryDirectory[str]"] = None
        self.words: Dict[str, str] = {}  # what the caller gave, by the path of its file

    def __enter__(self) -> "_Scratch":
        return self

    def __exit__(self, kind: object, fault: Optional[BaseException], trace: object) -> None:
        if self.folder is None:
            return
        if isinstance(fault, Error):  # the caller has never seen the folder, and it is gone
            text = str(fault)
            for path, word in self.words.items():
                text = _EDGE.sub(r", edge \1", text) if text.startswith(path) else text
                text = text.replace(path, word).replace("%s: %s " % (word, word), word + " ")
            fault.args = (text.replace(self.folder.name + os.sep, ""),)
        self.folder.cleanup()

    def path(self) -> str:
        if self.folder is None:
            try:
                self.folder = tempfile.TemporaryDirectory(prefix="polydag-")
            except OSError as fault:
                raise Error("cannot create a temporary folder: %s; set TMPDIR to a folder with free space" % fault, code="write") from fault
            self.words.update({os.path.join(self.folder.name, name + ".json"): name for name in _settings.FILES})
        return self.folder.name

    def file(self, name: str, text: Union[str, bytes], word: str) -> str:
        """Writes a file. ``word`` stands for its path in messages."""
        path = os.path.join(self.path(), name)
        self.words[path] = word
        try:
            with open(path, "wb") as out:
                out.write(text.encode("utf-8") if isinstance(text, str) else text)
        except OSError as fault:
            raise Error("cannot write a temporary file: %s; set TMPDIR to a folder with free space" % fault, code="write") from fault
        except UnicodeEncodeError as fault:
            raise UsageError("%r cannot be written as UTF-8" % fault.object, code="text") from None
        return path


#: The place of an edge in the file of edges that the program reads.
_EDGE = re.compile(r": line \d+, row (\d+), column \d+ \((?:from|to)\)")

#: Settings that name a column of the table. They also accept the values of the column, one per row.
_VALUES = ("environments", "groups", "series", "targets", "time", "row_weights", "frequencies")


def _source(data: Any, names: Optional[Sequence[str]] = None, settings: Optional[Dict[str, Any]] = None) -> Tuple[List[str], Optional[_process.Feed]]:
    """Returns the arguments that name a table, and what writes it to the standard input. Paths are arguments; other tables are sent as Arrow.

    Values of a whole column among the settings become a column of the table.
    """
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    more = {}
    for key in _VALUES:
        values = (settings or {}).get(key)
        index = getattr(data, "index", None)
        if isinstance(values, str) and getattr(index, "name", None) == values and values not in getattr(data, "columns", (values,)):
            more[values] = index.to_series()  # type: ignore[union-attr]
        if settings is not None and values is not None and hasattr(values, "__len__") and not isinstance(values, str):
            name = getattr(values, "name", None)
            name = name if isinstance(name, str) and name not in getattr(data, "columns", ()) else key
            more[name], settings[key] = values, name
    if settings is not None and settings.get("sample_weight") is not None:
        if settings.get("row_weights") is not None:
            raise UsageError("sample_weight and row_weights are the same; give one of them", code="usage")
        more[_columns.WEIGHTS], settings["row_weights"] = settings["sample_weight"], _columns.WEIGHTS
    if settings is not None:
        settings.pop("sample_weight", None)
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, os.PathLike)) for one in data):
        if names is not None:
            raise UsageError("names cannot be given for a file, which has its own column names; remove the argument names", code="usage")
        if more:
            key = "sample_weight" if _columns.WEIGHTS in more else next(iter(more))
            raise UsageError("%s cannot be given as values for a file; give the name of its column" % key, code="usage")
        return [_path(one) for one in data], None
    return ["-"], _columns.writer(data, names, more)


def _path(path: Any) -> str:
    """Returns a path that the program cannot mistake for a flag or for standard input."""
    text = os.fsdecode(path)
    return os.path.join(".", text) if text.startswith("-") else text


def _run(args: List[str], feed: Optional[_process.Feed], progress: Progress, control: Optional[_process.Control] = None) -> _process.Outcome:
    bar = _progress.make(progress)
    try:
        return _process.call(args, feed, bar.observe, bar.tick, control)
    finally:
        bar.end()


#: Notes on what changed the result: settings without effect, and cells or columns that were not used because of a few cells. They are warnings.
_CHANGES = re.compile(r"\b(?:has|have) no effect\b|^Infinite values|^Column .* is not a number\. Correct")


def _result(outcome: _process.Outcome, labels: Optional[Dict[str, Any]] = None) -> Result:
    """Returns the result of a run and issues its warnings. What the caller's own function raised is raised, with the result so far."""
    notes = outcome.said("INFO")
    changes = [note for note in notes if _CHANGES.search(note)]
    ended = outcome.said("ERROR") if outcome.code == _process.STOPPED else []
    said = outcome.said("WARN") + changes
    result = Result(outcome.output, said + ended, [note for note in notes if note not in changes], labels)
    if outcome.fault is not None:
        _process.note(outcome.fault, result)
        raise outcome.fault
    for sentence in said:
        warnings.warn(sentence, PolydagWarning, stacklevel=3)
    for sentence in ended:
        warnings.warn(sentence, StoppedWarning, stacklevel=3)
    return result


def _column_names(names: Optional[Sequence[str]], settings: Dict[str, Any]) -> Optional[Sequence[str]]:
    """Returns the names of columns. A text is the setting of the same name instead."""
    if isinstance(names, str):
        settings["names"] = names
        return None
    return names


def learn(data: Any, *, names: Optional[Sequence[str]] = None, sample_weight: Any = None, progress: Progress = None, **settings: Any) -> Result:
    """Learn a causal graph from a table.

    Parameters
    ----------
    data
        A pandas or polars DataFrame, a two-dimensional array, a structured array, a mapping of column names to values,
        a list of dicts, a sparse matrix, or the path of a file in any format that polydag reads. A list of paths is read as one table.
    names
        The column names of an array. The default names are x0, x1, and so on. ``"off"`` is a setting: the names of columns are no
        evidence on directions.
    sample_weight
        The weight of each row, 0 or more, such as survey weights. A file has the column ``row_weights`` instead.
    progress
        None draws a progress bar on a terminal and in a notebook, True draws it anywhere, and False draws none. A function
        is called with every event of the run.
    **settings
        More arguments, listed below. ``environments``, ``groups``, ``series``, ``targets`` and ``time`` are the name of a column
        or its values. Settings of a method are given in the mapping ``settings``.

    Returns
    -------
    Result
        The learned graph. Ctrl-C stops the run and returns the best graph so far, with ``stopped`` true and a StoppedWarning. A
        second Ctrl-C raises KeyboardInterrupt. An exception in the function ``progress`` stops the run too. It is raised, and its
        attribute ``result`` is the best graph so far, or None.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.learn(data, forbid=["x3 -> x1"])
    polydag.Result: DAG of 5 columns from 300 rows, method auto, 7 edges
    source     target  confidence  basis
    x1      →  x3      0.98        you
    x1      —  x2      0.98
    x4      —  x0      0.98
    x0      →  x3      0.80        model
    x1      —  x4      0.98
    x4      —  x2      0.98
    x4      →  x3      0.80        model
    """
    return _result(*_learn(data, names, sample_weight, progress, settings))


def _learn(
    data: Any, names: Optional[Sequence[str]], sample_weight: Any, progress: Progress, settings: Dict[str, Any], control: Optional[_process.Control] = None
) -> Tuple[_process.Outcome, Dict[str, Any]]:
    """Runs learn and returns its outcome and the names of columns that are no text."""
    settings = _settings.merged(settings)
    names = _column_names(names, settings)
    settings["sample_weight"] = sample_weight
    with _Scratch() as scratch:
        source, feed = _source(data, names, settings)
        args = _settings.flags("learn", settings, scratch.path)
        return _run(["learn", *args, "--output=-", "--", *source], feed, progress, control), _columns.labels(data)


class Run:
    """A run of ``learn`` in the background, as ``start`` returns it.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> run = polydag.start(data)
    >>> run.result().names
    ['x0', 'x1', 'x2', 'x3', 'x4']
    >>> run.done()
    True
    """

    def __init__(self, work: Callable[[_process.Control], Tuple[_process.Outcome, Dict[str, Any]]]) -> None:
        self._control = _process.Control()
        self._ended = threading.Event()
        self._outcome: Optional[Tuple[_process.Outcome, Dict[str, Any]]] = None
        self._fault: Optional[BaseException] = None

        def run() -> None:
            try:
                self._outcome = work(self._control)
            except BaseException as fault:
                self._fault = fault
            finally:
                self._ended.set()

        threading.Thread(target=run, daemon=True).start()

    def cancel(self) -> None:
        """Stop the run. ``result`` then returns the best graph so far, with a StoppedWarning, or raises Error if there is none."""
        self._control.stop()

    def done(self) -> bool:
        """Whether the run has ended."""
        return self._ended.is_set()

    def result(self, timeout: Optional[float] = None) -> Result:
        """Wait for the end of the run and return its result, as ``learn`` does. TimeoutError after ``timeout`` seconds."""
        if not self._ended.wait(timeout):
            raise TimeoutError("the run has not ended; call cancel to stop it")
        if self._fault is not None:
            raise self._fault
        assert self._outcome is not None
        return _result(*self._outcome)


def start(data: Any, *, names: Optional[Sequence[str]] = None, sample_weight: Any = None, progress: Progress = False, **settings: Any) -> Run:
    """Learn in the background: ``learn`` without waiting for its result.

    Parameters
    ----------
    data, names, sample_weight, progress
        As in ``learn``. A function given as ``progress`` is called on another thread. There is no bar by default.
    **settings
        The settings of ``polydag.learn``.

    Returns
    -------
    Run
        A handle with ``result()``, ``done()`` and ``cancel()``.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> run = polydag.start(data, bootstrap=10)
    >>> run.result(timeout=60).confidence
    Confidence(bootstrap, 10 replicates)
    """
    return Run(lambda control: _learn(data, names, sample_weight, progress, settings, control))


def check(data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Dict[str, Any]:
    """Check a table for problems before learning from it.

    Parameters
    ----------
    data, names, progress
        The table, as in ``learn``.
    **settings
        The settings of ``polydag.check``.

    Returns
    -------
    dict
        The answer of ``polydag.check``, with a list of ``findings`` and a list of ``columns``.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> [column["name"] for column in polydag.check(data)["columns"]]
    ['x0', 'x1', 'x2', 'x3', 'x4']
    """
    return call("check", data=data, names=names, progress=progress, **settings)


def confidence(result: Any, data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Result:
    """Compute the confidence of every edge of a result by learning again from bootstrap samples.

    Parameters
    ----------
    result
        A Result, or the path of a result.json.
    data, names, progress
        The table that the result was learned from, as in ``learn``.
    **settings
        The settings of ``polydag.confidence``.

    Returns
    -------
    Result
        The same graph with ``confidence`` filled in.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.confidence(polydag.learn(data), data, bootstrap=10).confidence
    Confidence(bootstrap, 10 replicates)
    """
    with _Scratch() as scratch:
        args = _settings.flags("confidence", settings, scratch.path)
        source, feed = _source(data, names)
        path = scratch.file("result.json", _json(result), "the result")
        args = ["confidence", *args, *["--data=" + one for one in source], "--output=-", "--", path]
        return _result(_run(args, feed, progress), _labels(result))


def merge(
    parts: Iterable[Any], data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any
) -> Result:
    """Merge parts of the bootstrap samples of a table to a result with the confidence of every edge.

    Parameters
    ----------
    parts
        The results of ``learn`` with ``replicates="0:50"`` and so on, or paths of such results. Together they have all samples.
    data, names, progress
        The table, as in ``learn``.
    **settings
        The settings of ``polydag confidence``.

    Returns
    -------
    Result
        The same result as that of ``learn`` with all samples.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> parts = [polydag.learn(data, bootstrap=10, replicates=part) for part in ["0:5", "5:10"]]
    >>> polydag.merge(parts, data).confidence
    Confidence(bootstrap, 10 replicates)
    """
    with _Scratch() as scratch:
        args = _settings.flags("confidence", settings, scratch.path)
        source, feed = _source(data, names)
        parts = list(parts)
        if not parts:
            raise UsageError("there are no parts; pass the results of learn with replicates=", code="usage")
        paths = [scratch.file("part%d.json" % i, _json(part), "part %d" % (i + 1)) for i, part in enumerate(parts)]
        args = ["confidence", *args, "--merge", *["--data=" + one for one in source], "--output=-", "--", *paths]
        return _result(_run(args, feed, progress), _labels(parts[0]) if parts else {})


def effect(
    result: Any, of: Any, on: Any, data: Any = None, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any
) -> Effect:
    """Estimate the causal effect of one column on another in a learned graph.

    Parameters
    ----------
    result
        A Result, or the path of a result.json.
    of
        The column that is intervened on.
    on
        The column whose change is estimated.
    data, names, progress
        The table that the result was learned from, as in ``learn``. Without it, polydag uses the weights in the result,
        which requires a linear model.
    **settings
        The settings of ``polydag.effect``.

    Returns
    -------
    Effect
        The answer, with ``estimate``, ``interval``, ``summary()`` and ``to_frame()``. It is also a dict with all fields.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> answer = polydag.effect(polydag.learn(data), "x1", "x3")
    >>> answer["identification"], answer["model"]
    ('open', 'linear')
    >>> low, high = answer.interval
    >>> low < answer.estimate < high
    True
    """
    return Effect(_effect(result, ["--of=%s" % of, "--on=%s" % on], data, names, progress, settings))


def drivers(
    result: Any, of: Any, data: Any = None, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any
) -> Drivers:
    """Rank the columns of a learned graph by their total effect on column ``of``. The settings are those of ``effect``."""
    return Drivers(_effect(result, ["--on=%s" % of], data, names, progress, settings))


def _effect(
    result: Any, question: List[str], data: Any, names: Optional[Sequence[str]], progress: Progress, settings: Dict[str, Any]
) -> Dict[str, Any]:
    with _Scratch() as scratch:
        args = _settings.flags("effect", settings, scratch.path) + question + ["--json", "--output=-"]
        if data is None:
            return _read(_run(["effect", *args, "-"], _process.send(_json(result)), progress))
        source, feed = _source(data, names)
        path = scratch.file("result.json", _json(result), "the result")
        return _read(_run(["effect", *args, *["--data=" + one for one in source], "--", path], feed, progress))


def explain(result: Any, start: Any, end: Any, **settings: Any) -> Dict[str, Any]:
    """List the paths, confounders, mediators and colliders between two columns.

    Parameters
    ----------
    result
        A Result, or the path of a result.json.
    start, end
        The columns at which the paths start and end.
    **settings
        The settings of ``polydag.explain``.

    Returns
    -------
    dict
        The answer of ``polydag.explain``.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.explain(polydag.learn(data), "x1", "x3")["relation"]
    'ancestor'
    """
    with _Scratch() as scratch:
        args = _settings.flags("explain", settings, scratch.path)
        return _read(_run(["explain", *args, "--from=%s" % start, "--to=%s" % end, "--json", "-"], _process.send(_json(result)), False))


def questions(result: Any, **settings: Any) -> Dict[str, Any]:
    """List the questions whose answers would settle most directions of a learned graph.

    Parameters
    ----------
    result
        A Result, or the path of a result.json.
    **settings
        The settings of ``polydag.questions``.

    Returns
    -------
    dict
        The answer of ``polydag.questions``: a list of ``questions``, the best first, and likely ``roots``.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.questions(polydag.learn(data))["edges"]
    7
    """
    with _Scratch() as scratch:
        args = _settings.flags("questions", settings, scratch.path)
        return _read(_run(["questions", *args, "--json", "-"], _process.send(_json(result)), False))


def test(graph: Any, data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Dict[str, Any]:
    """Test whether a table is compatible with a graph.

    Parameters
    ----------
    graph
        A Result, the path of a result or of a graph, or edges, as in ``evaluate``.
    data, names, progress
        The table, as in ``learn``.
    **settings
        The settings of ``polydag.test``.

    Returns
    -------
    dict
        The answer of ``polydag.test``: the ``verdict``, the refuted independences and the edges without support.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.test([("x0", "x1"), ("x2", "x3")], data)["verdict"]
    'refuted'
    """
    with _Scratch() as scratch:
        args = _settings.flags("test", settings, scratch.path)
        source, feed = _source(data, names)
        return _read(_run(["test", *args, *["--data=" + one for one in source], "--json", "--", _graph(graph, scratch, data, names)], feed, progress))


def why(
    before: Any, after: Any = None, *, graph: Any, target: Optional[str] = None, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any
) -> Dict[str, Any]:
    """Find what changed between two tables, or why a row is unusual.

    Parameters
    ----------
    before, after, names, progress
        Two tables, as in ``learn``; or one table and ``row``, the number of the unusual row, counted from 1.
    graph
        The graph, as in ``test``.
    target
        The column whose change or value is attributed.
    **settings
        The settings of ``polydag.why``.

    Returns
    -------
    dict
        The answer of ``polydag.why``: ``changes`` with the mechanisms and the contributions to the target, or ``row``.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.why(data, data, graph=truth, target="x3", replicates=0)["changes"]["changed"]
    0
    """
    with _Scratch() as scratch:
        args = _settings.flags("why", settings, scratch.path)
        if target is not None:
            args.append("--target=%s" % target)
        args += ["--graph=" + _graph(graph, scratch, before, names), "--json", "--"]
        if after is None:
            source, feed = _source(before, names)
            return _read(_run(["why", *args, *source], feed, progress))
        return _read(_run(["why", *args, _table(before, names, scratch, "before"), _table(after, names, scratch, "after")], None, progress))


def _graph(graph: Any, scratch: _Scratch, data: Any, names: Optional[Sequence[str]]) -> str:
    """Returns the path of a graph: a file, a result, or edges. The columns of a matrix are those of the table."""
    if isinstance(graph, (str, os.PathLike)):
        return _path(graph)
    if isinstance(graph, Result):
        return scratch.file("graph.json", _json(graph), "the graph")
    return scratch.file("graph.csv", _edge_list(graph, _names_of(data, names)), "the graph")


def _names_of(data: Any, names: Optional[Sequence[str]]) -> Optional[List[Any]]:
    """Returns the column names of a table in memory, or None for a file."""
    if names is not None:
        return list(names)
    if isinstance(data, (str, os.PathLike)):
        return None
    if hasattr(data, "columns") or isinstance(data, dict):
        return list(getattr(data, "columns", data))
    width = getattr(data, "shape", (0, 0))
    return ["x%d" % i for i in range(width[1])] if len(width) == 2 else None


def _table(data: Any, names: Optional[Sequence[str]], scratch: _Scratch, name: str) -> str:
    """Returns the path of a table, which is written to a file if it is in memory."""
    source, feed = _source(data, names)
    if feed is None:
        if len(source) > 1:
            raise UsageError("each of the two tables is one file or one table in memory", code="usage")
        return source[0]
    parts: List[bytes] = []
    feed(lambda part: parts.append(bytes(part)))
    return scratch.file(name + ".arrow", b"".join(parts), name)


def evaluate(result: Any, truth: Any, **settings: Any) -> Dict[str, Any]:
    """Compare a learned graph with a known one.

    Parameters
    ----------
    result
        A Result, or the path of a result.json.
    truth
        The known edges: a path, a DataFrame with the columns source and target (or from and to), a networkx.DiGraph, pairs of names,
        or a matrix whose entry (i, j) is not 0 for an edge from column i to column j.
    **settings
        The settings of ``polydag.evaluate``.

    Returns
    -------
    dict
        The answer of ``polydag.evaluate``: structural Hamming distance (shd), precision, recall (tpr), F1 and more.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.evaluate(polydag.learn(data), truth)["edges_true"]
    10
    """
    with _Scratch() as scratch:
        args = _settings.flags("evaluate", settings, scratch.path)
        if isinstance(truth, (str, os.PathLike)):
            path = _path(truth)
        else:
            known = list(Result(_json(result)).names) if _is_matrix(truth) else None
            path = scratch.file("truth.csv", _edge_list(truth, known), "truth")
        return _read(_run(["evaluate", *args, "--truth=" + path, "--json", "-"], _process.send(_json(result)), False))


#: The names of the two ends of an edge in a DataFrame, which query can use. "from" is a word of Python.
_ENDS = {"from": "source", "to": "target"}


class Simulated(NamedTuple):
    """A simulated table and its true graph, as ``simulate`` returns them.

    Attributes
    ----------
    data
        The table: a DataFrame if pandas is installed, else a mapping of column names to arrays.
    truth
        The true edges with their weights: a DataFrame if pandas is installed, else a list of dicts.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> list(data)
    ['x0', 'x1', 'x2', 'x3', 'x4']
    """

    data: Any
    truth: Any


def simulate(*, progress: Progress = None, **settings: Any) -> Simulated:
    """Generate a random graph and a table that follows it.

    Parameters
    ----------
    progress
        Whether to draw a progress bar, as in ``learn``.
    **settings
        The settings of ``polydag.simulate``, such as ``nodes``, ``rows`` and ``seed``.

    Returns
    -------
    Simulated
        The table ``data`` and the true edges ``truth``.

    Examples
    --------
    >>> import polydag
    >>> len(polydag.simulate(nodes=5, rows=300, seed=1).truth)
    10
    """
    with _Scratch() as scratch:
        args = _settings.flags("simulate", {key: value for key, value in settings.items() if key != "truth"}, scratch.path)
        truth = os.path.join(scratch.path(), "truth.csv")
        table = _run(["simulate", *args, "--output=-", "--truth=" + truth], None, progress).output.decode("utf-8")
        with open(truth, encoding="utf-8", newline="") as file:
            edges = [{_ENDS.get(key, key): value for key, value in row.items()} for row in csv.DictReader(file)]
    for edge in edges:
        if "weight" in edge:
            edge["weight"] = float(edge["weight"])
    pandas = optional("pandas")
    if pandas is not None:
        data = pandas.read_csv(io.StringIO(table), float_precision="round_trip", keep_default_na=False)
        return Simulated(data, frame(edges, list(edges[0]) if edges else ["source", "target"]))
    rows = list(csv.reader(io.StringIO(table)))
    return Simulated({name: _numbers([row[i] for row in rows[1:]]) for i, name in enumerate(rows[0])}, edges)


def compare(data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Any:
    """Run several methods on one table and compare their graphs.

    Parameters
    ----------
    data, names, progress
        The table, as in ``learn``.
    **settings
        The settings of ``polydag.compare``. ``truth`` may be anything that ``evaluate`` accepts.

    Returns
    -------
    dict
        The answer of ``polydag.compare``.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.compare(data, methods=["order", "ges"], truth=truth)["rows"]
    300
    """
    with _Scratch() as scratch:
        truth = settings.get("truth")
        if truth is not None and not isinstance(truth, (str, os.PathLike)):
            settings["truth"] = scratch.file("truth.csv", _edge_list(truth, _names_of(data, names)), "truth")
        return call("compare", data=data, names=names, progress=progress, **settings)


def call(command: str, *args: str, data: Any = None, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Any:
    """Run any command that prints JSON.

    Parameters
    ----------
    command
        The name of the command, such as ``"path"``.
    *args
        The arguments of the command, such as files.
    data, names, progress
        A table, as in ``learn``.
    **settings
        The settings of the command.

    Returns
    -------
    dict or list
        The JSON that the command printed.

    Examples
    --------
    >>> import polydag
    >>> polydag.call("methods")[0]["name"]
    'auto'
    """
    names = _column_names(names, settings)
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


def _labels(result: Any) -> Dict[str, Any]:
    return result.labels if isinstance(result, Result) else {}


def _json(result: Any) -> bytes:
    """Returns the text of a result, which is a Result, a path, or a dict that json.load read."""
    if isinstance(result, Result):
        return result.text
    if isinstance(result, (str, os.PathLike)):
        return read(result)
    if isinstance(result, dict):
        try:
            return json.dumps(result).encode("utf-8")
        except (TypeError, ValueError) as fault:
            raise ArgumentTypeError("the result cannot be written as JSON: %s" % fault, code="usage") from None
    raise ArgumentTypeError("%s is not a result; pass what learn returned, or the path of a result.json" % type(result).__name__, code="usage")


def _is_matrix(graph: Any) -> bool:
    """Reports whether a graph is given as a square matrix: an array, a sparse matrix, or a DataFrame with the same names on both sides."""
    if hasattr(graph, "columns") and hasattr(graph, "index"):
        return len(graph) == len(graph.columns) and list(graph.index) == list(graph.columns) and not {"from", "source"} & set(graph.columns)
    shape: Tuple[int, ...] = getattr(graph, "shape", ())
    return len(shape) == 2 and shape[0] == shape[1] and not isinstance(graph, list)


def _edge_list(truth: Any, names: Optional[Sequence[Any]] = None) -> str:
    """Returns edges as CSV. ``names`` are the columns of a matrix without names."""
    try:
        if _is_matrix(truth):
            names = list(truth.columns) if hasattr(truth, "columns") else names
            matrix = truth.toarray() if hasattr(truth, "toarray") else np.asarray(truth)
            if names is None or len(names) != len(matrix):
                raise UsageError("the matrix has %d rows, and the graph has %s columns" % (len(matrix), len(names or []) or "unknown"), code="usage")
            pairs: List[Any] = [(names[i], names[j]) for i, j in zip(*np.nonzero(np.nan_to_num(np.asarray(matrix, "f8"), nan=1.0)))]
        elif hasattr(truth, "columns") and hasattr(truth, "to_dict"):  # a DataFrame
            ends = ("source", "target") if "source" in truth else ("from", "to")
            pairs = list(zip(truth[ends[0]], truth[ends[1]]))
        elif _settings.is_graph(truth):
            pairs = [edge[:2] for edge in truth.edges]
        else:
            pairs = [
                (edge.get("source", edge.get("from")), edge.get("target", edge.get("to"))) if isinstance(edge, dict) else (edge[0], edge[1]) for edge in truth
            ]
    except (IndexError, KeyError, TypeError):
        raise ArgumentTypeError(
            "%s is not a list of edges; pass a path, a DataFrame with the columns source and target, a networkx.DiGraph, a matrix, or pairs of names"
            % type(truth).__name__,
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
