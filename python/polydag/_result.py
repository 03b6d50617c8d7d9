"""The learned graph: the JSON of a result, as DataFrames, matrices, networkx graphs and pictures."""

from __future__ import annotations

import html
import json
import os
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _answers, _process
from ._errors import ArgumentTypeError, Error, FileNotFound, UsageError

if TYPE_CHECKING:
    import networkx  # type: ignore
    import pandas  # type: ignore

    from ._answers import Drivers
    from ._commands import ResultCommands
else:
    ResultCommands = object

Path = Union[str, "os.PathLike[str]"]

# The word of each basis of a direction, as in the table that the program prints.
_BASIS = {
    "knowledge": "you", "prior": "you", "knowledge_and_model": "model", "names": "names", "model": "model", "model_and_rule": "rules", "rule": "rules",
}


def optional(name: str) -> Any:
    """Returns the module of that name, or None if it is not installed."""
    try:
        return __import__(name)
    except ImportError:
        return None


def frame(rows: Sequence[Dict[str, Any]], columns: Sequence[str] = ()) -> Any:
    """Returns a DataFrame of the rows if pandas is installed, else a list."""
    pandas = optional("pandas")
    if pandas is None:
        return list(rows)
    return pandas.DataFrame(list(rows), columns=list(columns) or None)


class Picture:
    """A picture of a graph as SVG. A notebook shows it.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.learn(data).plot().svg[:4]
    '<svg'
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "polydag.Picture: %d bytes of SVG; save writes them, and a notebook shows them" % len(self.svg)

    def save(self, path: Path) -> None:
        """Write the picture to an SVG file. ``Result.plot(path)`` also writes PNG and PDF."""
        _write(os.fsdecode(path), self.svg.encode("utf-8"))


class Page:
    """The interactive page of a result. A notebook shows it in place.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.learn(data).page().html[:15].lower()
    '<!doctype html>'
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return '<iframe srcdoc="%s" style="width:100%%;height:640px;border:0" title="polydag result"></iframe>' % page


class Confidence:
    """The confidence of all pairs of columns, as matrices. Entry (i, j) is about ``names[i]`` → ``names[j]``.

    The matrices summarize the graphs that were learned from bootstrap samples, from subsamples, or drawn from the posterior.
    An entry is 0 if at most 1 % of these graphs have the edge or path.

    Attributes
    ----------
    names : list of str
        The columns.
    frequency : numpy.ndarray
        The share of the graphs that have the edge.
    confidence : numpy.ndarray
        The probability of the edge: calibrated after bootstrap samples, else the same as frequency.
    adjacency : numpy.ndarray
        The share of the graphs in which the two columns are adjacent.
    ancestor : numpy.ndarray
        The share of the graphs with a directed path.
    json : dict
        The part of result.json that the matrices come from.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.learn(data, bootstrap=10).confidence.frequency.shape
    (5, 5)
    """

    def __init__(self, names: Sequence[Any], content: Dict[str, Any]) -> None:
        self.names, self.json = list(names), content
        place = {str(name): i for i, name in enumerate(names)}
        self.frequency, self.confidence, self.adjacency, self.ancestor = np.zeros((4, len(place), len(place)))
        for pair in content.get("pairs") or []:
            at = place[pair["from"]], place[pair["to"]]
            for key in ("frequency", "confidence", "adjacency", "ancestor"):
                getattr(self, key)[at] = pair.get(key, 0.0)

    def __repr__(self) -> str:
        return "Confidence(%s, %d replicates)" % (self.json.get("resampling"), self.json.get("replicates", 0))


class Result(ResultCommands):
    """A learned graph.

    Parameters
    ----------
    text
        The content of a result.json.
    warnings, notes
        Messages of the run.
    labels
        The names of columns that are no text, such as numbers, by their text.

    Attributes
    ----------
    json : dict
        The content of result.json. docs/reference/result.md describes its fields.
    text : bytes
        The same content as the program wrote it.
    warnings : list of str
        Warnings of the run. They are also issued as PolydagWarning.
    notes : list of str
        Informational messages of the run.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> r = polydag.learn(data)
    >>> r.names, r.kind, len(r.edges)
    (['x0', 'x1', 'x2', 'x3', 'x4'], 'dag', 7)
    """

    def __init__(
        self, text: Union[bytes, str], warnings: Sequence[str] = (), notes: Sequence[str] = (), labels: Optional[Mapping[str, Any]] = None
    ) -> None:
        self.text: bytes = text.encode("utf-8") if isinstance(text, str) else text
        self.json: Dict[str, Any] = _content(self.text)
        self.warnings: List[str] = list(warnings)
        self.notes: List[str] = list(notes)
        self.labels: Dict[str, Any] = dict(labels or {})

    def _label(self, name: str) -> Any:
        return self.labels.get(name, name)

    @property
    def names(self) -> List[Any]:
        """The columns, in the order of the table. A DataFrame with numbers as column names keeps them."""
        return [self._label(name) for name in self.json["names"]]

    @property
    def excluded(self) -> "pandas.DataFrame":
        """The columns excluded from the graph, each with a reason: a DataFrame if pandas is installed, else a list of dicts."""
        return frame((self.json.get("table") or {}).get("excluded") or [], ["name", "reason", "detail"])

    @property
    def method(self) -> str:
        """The method that learned the graph."""
        return str(self.json["method"])

    @property
    def kind(self) -> str:
        """The kind of graph: dag, cpdag, pdag, pag or average."""
        return str(self.json["kind"])

    @property
    def status(self) -> str:
        """How the run ended: converged, completed, step_limit or canceled. The last two mean that it stopped early."""
        return str(self.json["status"])

    @property
    def stopped(self) -> bool:
        """Whether the run stopped early. The result is then the best graph so far."""
        return self.status in ("canceled", "step_limit")

    def _claimed(self) -> List[Dict[str, Any]]:
        """Returns the edges as they are claimed: one whose direction is not stated has the mark ``---``. A lag is an order of time."""
        edges = []
        for edge in [*(self.json["edges"] or []), *(self.json.get("lagged") or [])]:
            row = dict(edge, source=self._label(edge["from"]), target=self._label(edge["to"]))
            if edge["mark"] == "-->" and not edge.get("lag") and edge.get("verdict", "directed") != "directed":
                row["mark"] = "---"
            stated = row["mark"] == "-->" and edge.get("verdict") == "directed"
            row["basis"] = "" if not stated else "time" if edge.get("lag") else _BASIS.get(edge.get("basis"), "")
            if not self._has_slope(edge):
                row["weight"] = row["standardized"] = float("nan")
            edges.append(row)
        return edges

    @property
    def edges(self) -> "pandas.DataFrame":
        """The edges, the largest score gain first: a DataFrame if pandas is installed, else a list of dicts.

        ``mark`` and ``verdict`` say what is claimed: ``-->`` and directed (``source`` → ``target``), ``---`` and undirected
        (adjacent), or ``---`` and weak. A PAG has other marks. ``confidence`` is the probability of the verdict, ``gain`` the score
        gain in bits per row. ``basis`` says what a stated direction mainly rests on: you (prior knowledge), names (of the columns),
        model (and the rows), rules (about real tables) or time (a lag). It is empty without a stated direction; ``json`` has all
        sources of evidence. ``weight`` is the change of ``target`` per unit of ``source`` with the other causes fixed, if ``source``
        acts on ``target``. A binary column counts as a number; two words are 0 and 1. It is NaN, like ``standardized``, if a column
        has three or more categories, under a discrete model, and if the method gave the edge no direction. A time series has also
        the column ``lag``.
        """
        keys = ["source", "target"] + (["lag"] if self.json.get("lagged") else [])
        keys += ["mark", "gain", "weight", "standardized", "verdict", "confidence", "basis", "p_adjacent", "p_direction", "compelled"]
        rows = []
        for edge in self._claimed():
            row = {key: value for key, value in edge.items() if key not in ("from", "to") and not isinstance(value, (dict, list))}
            if "lag" in keys:
                row.setdefault("lag", 0)
            keys += [key for key in row if key not in keys]
            rows.append(row)
        rows.sort(key=lambda row: -(row.get("gain") or 0.0))  # a stable sort keeps the program's order of ties
        if not any("confidence" in row for row in rows):
            keys = [key for key in keys if key not in ("confidence", "basis")]
        return frame(rows, keys)

    @property
    def order(self) -> Optional[List[Any]]:
        """The columns in a topological order, parents before children, or None if the result has no order."""
        order = (self.json.get("certificate") or {}).get("order")
        return [self._label(name) for name in order] if order else None

    @property
    def matrix(self) -> np.ndarray[Any, Any]:
        """The weights of the claimed graph. Entry (i, j) is the weight of the edge i → j, or 0 without an edge.

        Both entries of an edge whose direction is not stated are NaN. An entry is also NaN if the effect has no slope: if a column
        has three or more categories, and under a discrete model. A time series has ``matrices``, one per lag, instead.
        """
        if self.json.get("lagged"):
            raise UsageError("one matrix cannot hold edges with a lag; use matrices, edges or graph", code="usage")
        return self.matrices[0]

    @property
    def matrices(self) -> np.ndarray[Any, Any]:
        """The matrices of all lags, 0 first, each as in ``matrix``: entry [k, i, j] is about column i, k steps before, and column j."""
        return self._weights([(edge, edge["mark"] == "-->") for edge in self._claimed()])

    def _weights(self, edges: Sequence[Any]) -> np.ndarray[Any, Any]:
        place = {name: i for i, name in enumerate(self.json["names"])}
        w = np.zeros((1 + max([edge.get("lag", 0) for edge, _ in edges], default=0), len(place), len(place)))
        for edge, directed in edges:
            lag, i, j = edge.get("lag", 0), place[edge["from"]], place[edge["to"]]
            w[lag, i, j] = edge["weight"] if directed else np.nan
            if not directed:
                w[lag, j, i] = np.nan
        return w

    def _dag_matrix(self) -> np.ndarray[Any, Any]:
        """Returns the weights of all edges in the direction that the method gave them, whatever their verdicts."""
        marks = [edge["mark"] for edge in self.json["edges"] or []]
        return self._weights([(edge, mark == "-->") for edge, mark in zip(self._claimed(), marks)])[0]

    def _has_slope(self, edge: Dict[str, Any]) -> bool:
        """Reports whether the weight of an edge is a slope. The program writes 0 for other effects."""
        if edge["mark"] != "-->" or edge.get("weight") is None:
            return False
        if edge["weight"] != 0:
            return True
        levels = {node["name"] for node in self.json.get("nodes") or [] if node.get("kind") == "categorical"}
        return not edge.get("effect") and self.json.get("model") != "discrete" and not levels & {edge["from"], edge["to"]}

    @property
    def graph(self) -> "networkx.DiGraph":
        """The claimed graph, as a networkx.DiGraph: a stated direction is one edge, and any other edge appears in both directions.

        Nodes and edges carry the fields of the result as attributes. ``mark`` describes the two ends of an edge, starting at its
        source: ``-->``, ``---``, or the marks of a PAG. An edge without a stated direction, or whose effect has no slope, has no
        attributes ``weight`` and ``standardized``. A time series has a networkx.MultiDiGraph, whose edges have a ``lag``.
        """
        return self._networkx(self._claimed())

    @property
    def dag(self) -> "networkx.DiGraph":
        """The complete DAG with the best score, as a networkx.DiGraph: every edge in one direction, stated or not.

        ``verdict`` says which. Methods that learn a CPDAG or a PAG give no DAG.
        """
        open_edges = [edge for edge in self.json["edges"] or [] if edge["mark"] != "-->"]
        if open_edges or self.kind not in ("dag", "average"):
            raise UsageError("the method gave a %s, not a DAG; use graph, or learn with a method that gives a DAG" % self.kind.upper(), code="usage")
        return self._networkx([dict(edge, mark="-->") for edge in self._claimed()])

    def _networkx(self, edges: Iterable[Dict[str, Any]]) -> "networkx.DiGraph":
        networkx = optional("networkx")
        if networkx is None:
            raise UsageError("networkx is not installed; install it, or use edges or matrix", code="no-networkx")
        lagged = bool(self.json.get("lagged"))
        graph = (networkx.MultiDiGraph if lagged else networkx.DiGraph)(kind=self.kind, method=self.method)
        for node in self.json.get("nodes") or []:
            graph.add_node(self._label(node["name"]), **{key: value for key, value in node.items() if key != "name"})
        graph.add_nodes_from(self.names)
        for edge in edges:
            without = {"from", "to", "source", "target"}
            if edge["mark"] != "-->" or edge["weight"] != edge["weight"]:
                without |= {"weight", "standardized"}
            rest = {key: value for key, value in edge.items() if key not in without}
            if lagged:
                rest.setdefault("lag", 0)
            graph.add_edge(edge["source"], edge["target"], **rest)
            if edge["mark"] != "-->":
                rest["mark"] = edge["mark"][::-1].translate(str.maketrans("<>", "><"))
                graph.add_edge(edge["target"], edge["source"], **rest)
        return graph

    def select(self, min_confidence: float = 0.0, basis: Union[str, Iterable[str], None] = None) -> "Result":
        """Return the result with a part of its edges and directions, in all its views.

        Parameters
        ----------
        min_confidence
            The smallest confidence: a direction below it becomes undirected, and an edge below it is left out.
        basis
            What a direction may rest on, such as ``["you", "model"]``: other directions become undirected, and other edges with a
            lag are left out.
        """
        wanted = None if basis is None else {basis} if isinstance(basis, str) else set(basis)
        unknown = sorted((wanted or set()) - {*_BASIS.values(), "time"})
        if unknown:
            raise UsageError("basis %r is unknown; choose you, names, model, rules or time" % unknown[0], code="usage")
        if not 0 <= min_confidence <= 1:
            raise UsageError("min_confidence is %r; give a number from 0 to 1" % min_confidence, code="usage")
        claims, content = iter(self._claimed()), dict(self.json)
        for key in ("edges", "lagged"):
            if not content.get(key):
                continue
            kept = []
            for edge, claim in zip(content[key], claims):
                edge = dict(edge)
                based = wanted is None or edge.get("verdict") != "directed" or claim["basis"] in wanted
                if edge.get("verdict") == "directed" and not edge.get("lag") and not (based and edge["confidence"] >= min_confidence):
                    edge["verdict"], edge["confidence"], based = "undirected", edge["p_adjacent"], True
                if based and edge.get("confidence", 1.0) >= min_confidence:
                    kept.append(edge)
            content[key] = kept
        return Result(json.dumps(content), self.warnings, self.notes, self.labels)

    @property
    def confidence(self) -> Optional[Confidence]:
        """The confidence of all pairs, or None for a run without bootstrap samples, subsamples or posterior samples."""
        content = self.json.get("confidence")
        return Confidence(self.names, content) if content else None

    @property
    def consensus(self) -> Optional["networkx.DiGraph"]:
        """The graph if it is a consensus of the sampled graphs (setting consensus) or if they reversed an edge, else None."""
        content = self.json.get("confidence") or {}
        return self.graph if content.get("graph", "full") != "full" else None

    def drivers(self, of: Any, data: Any = None, **settings: Any) -> "Drivers":
        """Rank the columns by their total effect on column ``of``. The settings are those of ``effect``, such as ``by``."""
        from . import _api

        return _api.drivers(self, of, data, **settings)

    if not TYPE_CHECKING:  # ResultCommands has these with every setting

        def explain(self, start: Any, end: Any, **settings: Any) -> Dict[str, Any]:
            """List the paths, confounders, mediators and colliders between two columns, as polydag.explain does."""
            from . import _api

            return _api.explain(self, start, end, **settings)

        def effect(self, of: Any, on: Any, data: Any = None, **settings: Any) -> Any:
            """Estimate the causal effect of column ``of`` on column ``on``, as polydag.effect does."""
            from . import _api

            return _api.effect(self, of, on, data, **settings)

        def evaluate(self, truth: Any, **settings: Any) -> Dict[str, Any]:
            """Compare the graph with a known one, as polydag.evaluate does."""
            from . import _api

            return _api.evaluate(self, truth, **settings)

    def html(self) -> str:
        """Return the interactive report as one HTML document that needs no server and no network."""
        return _process.call(["report", "-", "--output=-", "--set", "label=result"], feed=_process.send(self.text)).output.decode("utf-8")

    def page(self) -> Page:
        """Return the interactive report for a notebook, which shows it in place."""
        return Page(self.html())

    def plot(self, path: Optional[Path] = None, **settings: Any) -> Picture:
        """Return a picture of the claimed graph, which a notebook shows, and write it to a file if a path is given.

        Parameters
        ----------
        path
            A file that ends in .svg, .png or .pdf.
        **settings
            The settings of the picture, which ``polydag.settings("draw")`` lists, such as ``edges=20`` and ``title="Sales"``.
        """
        from . import _settings

        args = _settings.flags("draw", settings, os.getcwd)
        if path is not None:
            _process.call(["draw", *args, "--", "-", _path(path)], feed=_process.send(self.text))
        return Picture(_process.call(["draw", *args, "--set=format=svg", "--", "-", "-"], feed=_process.send(self.text)).output.decode("utf-8"))

    def save(self, path: Path, to: Optional[str] = None) -> None:
        """Write the result to a file. Its extension chooses the format: .json, .html, or any format of polydag convert, or ``to`` names it."""
        name = _path(path)
        if to is not None:
            _process.call(["convert", "--to=" + to, "--", "-", name], feed=_process.send(self.text))
        elif name.endswith(".json") and not name.endswith((".nodelink.json", ".node-link.json")):
            _write(name, self.text)
        elif name.endswith((".html", ".htm")):
            _process.call(["report", "-", "--output=" + name, "--set", "label=result"], feed=_process.send(self.text))
        else:
            _process.call(["convert", "--", "-", name], feed=_process.send(self.text))

    @classmethod
    def load(cls, path: Path) -> "Result":
        """Read a result that ``save`` or the program wrote."""
        return cls(read(path))

    def _repr_svg_(self) -> Optional[str]:
        try:
            return self.plot().svg
        except Error:
            return None  # the notebook shows the text

    def __repr__(self) -> str:
        early = ", stopped early" if self.stopped else ""
        kind = self.kind.upper() if self.kind != "average" else "average"
        edges = sorted(self._claimed(), key=lambda edge: -(edge.get("gain") or 0.0))
        left = len((self.json.get("table") or {}).get("excluded") or [])
        without = ", %d column%s excluded" % (left, "s" * (left > 1)) if left else ""
        lines = [
            "polydag.Result: %s of %d columns from %d rows, method %s, %d edges%s%s"
            % (kind, len(self.json["names"]), self.json["rows"], self.method, len(edges), without, early)
        ]
        lagged = bool(self.json.get("lagged"))
        rows = [["source", "", "target", *(["lag"] if lagged else []), "confidence", "basis"]]
        for edge in edges[:_SHOWN]:
            sign = "?" if edge["mark"] in _SIGNS and edge.get("verdict") == "weak" else _SIGNS.get(edge["mark"], edge["mark"])
            confidence = "%.2f" % edge["confidence"] if "confidence" in edge else ""
            rows.append([str(edge["source"]), sign, str(edge["target"]), *([str(edge.get("lag", 0))] if lagged else []), confidence, edge["basis"]])
        if len(rows) > 1:
            lines += _answers.table(rows)
        if len(edges) > _SHOWN:
            lines.append("and %d more: edges has all" % (len(edges) - _SHOWN))
        return "\n".join(lines)


#: The number of edges that repr prints, and the signs of stated and of other directions, as the program prints them.
_SHOWN = 10
_SIGNS = {"-->": "→", "---": "—"}


def _path(path: Path) -> str:
    """Returns a path that the program cannot mistake for a flag or for its standard output."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise ArgumentTypeError("%s is not a path" % type(path).__name__, code="usage") from None
    return os.path.join(".", text) if text.startswith("-") else text


def read(path: Path) -> bytes:
    """Returns the bytes of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise FileNotFound("cannot read %s: no such file or directory" % os.fsdecode(path), code="read") from None
    except (OSError, ValueError) as fault:  # a NUL in the name is a ValueError
        raise Error("cannot read %s: %s" % (os.fsdecode(path), fault), code="read") from fault


def _content(text: bytes) -> Dict[str, Any]:
    """Parses a result and checks that it has the fields that every method writes."""
    try:
        content = json.loads(text)
    except ValueError as fault:
        raise Error("the file is not a result of polydag.learn: %s" % fault, code="no-result") from None
    lacking = [key for key in ("names", "method", "edges") if not isinstance(content, dict) or key not in content]
    if lacking:
        raise Error("the file is not a result of polydag.learn: it has no %s" % ", ".join(lacking), code="no-result")
    return content  # type: ignore[no-any-return]


def _write(path: str, text: bytes) -> None:
    """Writes a temporary file and renames it, so that the file at path is always complete."""
    beside = "%s.%d.tmp" % (path, os.getpid())
    try:
        with open(beside, "wb") as file:
            file.write(text)
        os.replace(beside, path)
    except BaseException as fault:
        if os.path.exists(beside):
            os.remove(beside)
        if isinstance(fault, (OSError, ValueError)):
            raise Error("cannot write %s: %s" % (path, fault), code="write") from fault
        raise
