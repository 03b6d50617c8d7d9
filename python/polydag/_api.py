"""The commands of the program as functions. The program does all the computation."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _columns, _process, _progress, _settings
from ._errors import Error, PolydagWarning, UsageError
from ._progress import Progress
from ._result import Result, frame, optional, read


class _Scratch:
    """A temporary folder for results and edge lists that the program reads as files. It is created on first use."""

    def __init__(self) -> None:
        self.folder: Optional["tempfile.TemporaryDirectory[str]"] = None

    def __enter__(self) -> "_Scratch":
        return self

    def __exit__(self, kind: object, fault: Optional[BaseException], trace: object) -> None:
        if self.folder is None:
            return
        if isinstance(fault, Error):  # the user has never seen the folder, and it is gone
            fault.args = (str(fault).replace(self.folder.name + os.sep, ""),)
        self.folder.cleanup()

    def path(self) -> str:
        if self.folder is None:
            try:
                self.folder = tempfile.TemporaryDirectory(prefix="polydag-")
            except OSError as fault:
                raise Error("cannot create a temporary folder: %s; set TMPDIR to a folder with free space" % fault, code="write") from fault
        return self.folder.name

    def file(self, name: str, text: Union[str, bytes]) -> str:
        path = os.path.join(self.path(), name)
        try:
            with open(path, "wb") as out:
                out.write(text.encode("utf-8") if isinstance(text, str) else text)
        except OSError as fault:
            raise Error("cannot write a temporary file: %s; set TMPDIR to a folder with free space" % fault, code="write") from fault
        except UnicodeEncodeError as fault:
            raise UsageError("%r cannot be written as UTF-8" % fault.object, code="text") from None
        return path


def _source(data: Any, names: Optional[Sequence[str]] = None, weights: Any = None) -> Tuple[List[str], Optional[_process.Feed]]:
    """Returns the arguments that name a table, and what writes it to the standard input. Paths are arguments; other tables are sent as Arrow."""
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, os.PathLike)) for one in data):
        if names is not None:
            raise UsageError("names cannot be given for a file, which has its own column names; remove the argument names", code="usage")
        if weights is not None:
            raise UsageError("sample_weight cannot be given for a file; name its column of weights with row_weights", code="usage")
        return [_path(one) for one in data], None
    return ["-"], _columns.writer(data, names, weights)


def _path(path: Any) -> str:
    """Returns a path that the program cannot mistake for a flag or for standard input."""
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
        or the path of a file in any format that polydag reads. A list of paths is read as one table.
    names
        The column names of an array. The default names are x0, x1, and so on. ``"off"`` is a setting: the names of columns are no
        evidence on directions.
    sample_weight
        The weight of each row, 0 or more, such as survey weights. A file has the column ``row_weights`` instead.
    progress
        None draws a progress bar on a terminal and in a notebook, True draws it anywhere, and False draws none. A function
        is called with every event of the run.
    **settings
        The settings of ``polydag learn``, with ``_`` instead of ``-``. Lists are passed as lists.

    Returns
    -------
    Result
        The learned graph. Ctrl-C stops the run and returns the best graph so far, with ``stopped`` true. A second Ctrl-C
        raises KeyboardInterrupt.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.learn(data, forbid=["x3 -> x1"])
    polydag.Result(auto: DAG of 5 columns from 300 rows, 7 edges)
    """
    names = _column_names(names, settings)
    with _Scratch() as scratch:
        args = _settings.flags("learn", settings, scratch.path)
        source, feed = _source(data, names, sample_weight)
        if sample_weight is not None:
            args.append("--set=row-weights=" + _columns.WEIGHTS)
        return _result(_run(["learn", *args, "--output=-", "--", *source], feed, progress))


def check(data: Any, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any) -> Dict[str, Any]:
    """Check a table for problems before learning from it.

    Parameters
    ----------
    data, names, progress
        The table, as in ``learn``.
    **settings
        The settings of ``polydag check``.

    Returns
    -------
    dict
        The JSON of ``polydag check``, with a list of ``findings`` and a list of ``columns``.

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
        The settings of ``polydag confidence``.

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
        path = scratch.file("result.json", _json(result))
        return _result(_run(["confidence", *args, *["--data=" + one for one in source], "--output=-", "--", path], feed, progress))


def effect(
    result: Any, of: str, on: str, data: Any = None, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any
) -> Dict[str, Any]:
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
        The settings of ``polydag effect``.

    Returns
    -------
    dict
        The JSON of ``polydag effect``: whether the effect is identified, its estimate, interval and sensitivity.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> answer = polydag.effect(polydag.learn(data), "x1", "x3")
    >>> answer["of"], answer["on"], answer["model"]
    ('x1', 'x3', 'linear')
    """
    return _effect(result, ["--of=%s" % of, "--on=%s" % on], data, names, progress, settings)


def drivers(
    result: Any, of: str, data: Any = None, *, names: Optional[Sequence[str]] = None, progress: Progress = None, **settings: Any
) -> Dict[str, Any]:
    """Rank the columns of a learned graph by their total effect on column ``of``. The settings are those of ``effect``."""
    return _effect(result, ["--on=%s" % of], data, names, progress, settings)


def _effect(
    result: Any, question: List[str], data: Any, names: Optional[Sequence[str]], progress: Progress, settings: Dict[str, Any]
) -> Dict[str, Any]:
    with _Scratch() as scratch:
        args = _settings.flags("effect", settings, scratch.path) + question + ["--json", "--output=-"]
        if data is None:
            return _read(_run(["effect", *args, "-"], _process.send(_json(result)), progress))
        source, feed = _source(data, names)
        path = scratch.file("result.json", _json(result))
        return _read(_run(["effect", *args, *["--data=" + one for one in source], "--", path], feed, progress))


def explain(result: Any, start: str, end: str, **settings: Any) -> Dict[str, Any]:
    """List the paths, confounders, mediators and colliders between two columns.

    Parameters
    ----------
    result
        A Result, or the path of a result.json.
    start, end
        The columns at which the paths start and end.
    **settings
        The settings of ``polydag explain``.

    Returns
    -------
    dict
        The JSON of ``polydag explain``.

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
        The settings of ``polydag questions``.

    Returns
    -------
    dict
        The JSON of ``polydag questions``: a list of ``questions``, the best first, and likely ``roots``.

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
        A Result, the path of a result or of a graph, a DataFrame with the columns from and to, a networkx.DiGraph, or pairs of names.
    data, names, progress
        The table, as in ``learn``.
    **settings
        The settings of ``polydag test``.

    Returns
    -------
    dict
        The JSON of ``polydag test``: the ``verdict``, the refuted independences and the edges without support.

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
        return _read(_run(["test", *args, *["--data=" + one for one in source], "--json", "--", _graph(graph, scratch)], feed, progress))


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
        The settings of ``polydag why``.

    Returns
    -------
    dict
        The JSON of ``polydag why``: ``changes`` with the mechanisms and the contributions to the target, or ``row``.

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
        args += ["--graph=" + _graph(graph, scratch), "--json", "--"]
        if after is None:
            source, feed = _source(before, names)
            return _read(_run(["why", *args, *source], feed, progress))
        return _read(_run(["why", *args, _table(before, names, scratch, "before"), _table(after, names, scratch, "after")], None, progress))


def _graph(graph: Any, scratch: _Scratch) -> str:
    """Returns the path of a graph: a file, a result, or edges."""
    if isinstance(graph, (str, os.PathLike)):
        return _path(graph)
    if isinstance(graph, Result):
        return scratch.file("graph.json", _json(graph))
    return scratch.file("graph.csv", _edge_list(graph))


def _table(data: Any, names: Optional[Sequence[str]], scratch: _Scratch, name: str) -> str:
    """Returns the path of a table, which is written to a file if it is in memory."""
    source, feed = _source(data, names)
    if feed is None:
        if len(source) > 1:
            raise UsageError("each of the two tables is one file or one table in memory", code="usage")
        return source[0]
    parts: List[bytes] = []
    feed(lambda part: parts.append(bytes(part)))
    return scratch.file(name + ".arrow", b"".join(parts))


def evaluate(result: Any, truth: Any, **settings: Any) -> Dict[str, Any]:
    """Compare a learned graph with a known one.

    Parameters
    ----------
    result
        A Result, or the path of a result.json.
    truth
        The known edges: a path, a DataFrame with the columns from and to, a networkx.DiGraph, or pairs of names.
    **settings
        The settings of ``polydag evaluate``.

    Returns
    -------
    dict
        The JSON of ``polydag evaluate``: structural Hamming distance (shd), precision, recall (tpr), F1 and more.

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
            path = scratch.file("truth.csv", _edge_list(truth))
        return _read(_run(["evaluate", *args, "--truth=" + path, "--json", "-"], _process.send(_json(result)), False))


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
        The settings of ``polydag simulate``, such as ``nodes``, ``rows`` and ``seed``.

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
    """Run several methods on one table and compare their graphs.

    Parameters
    ----------
    data, names, progress
        The table, as in ``learn``.
    **settings
        The settings of ``polydag compare``. ``truth`` may be anything that ``evaluate`` accepts.

    Returns
    -------
    dict
        The JSON of ``polydag compare``.

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
            settings["truth"] = scratch.file("truth.csv", _edge_list(truth))
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
            raise UsageError("the result cannot be written as JSON: %s" % fault, code="usage") from None
    raise UsageError("%s is not a result; pass what learn returned, or the path of a result.json" % type(result).__name__, code="usage")


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
            "%s is not a list of edges; pass a path, a DataFrame with the columns from and to, a networkx.DiGraph, or pairs of names" % type(truth).__name__,
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
