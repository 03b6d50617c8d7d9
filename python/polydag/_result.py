"""The learned graph: result.json of the program, as DataFrames, matrices and networkx graphs."""

from __future__ import annotations

import html
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

import numpy as np

from . import _process
from ._errors import Error, UsageError

if TYPE_CHECKING:
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

    def __init__(self, names: Sequence[str], content: Dict[str, Any]) -> None:
        self.names, self.json = list(names), content
        place = {name: i for i, name in enumerate(names)}
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

    def __init__(self, text: Union[bytes, str], warnings: Sequence[str] = (), notes: Sequence[str] = ()) -> None:
        self.text: bytes = text.encode("utf-8") if isinstance(text, str) else text
        self.json: Dict[str, Any] = _content(self.text)
        self.warnings: List[str] = list(warnings)
        self.notes: List[str] = list(notes)

    @property
    def names(self) -> List[str]:
        """The columns, in the order of the table."""
        return list(self.json["names"])

    @property
    def excluded(self) -> Any:
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

    @property
    def edges(self) -> Any:
        """The edges, the largest score gain first: a DataFrame if pandas is installed, else a list of dicts.

        ``verdict`` says what is claimed: directed (``from`` → ``to``), undirected (adjacent) or weak. In a DAG an edge has
        the mark ``-->`` and a weight also if its verdict is undirected or weak; its direction is then not claimed.
        ``confidence`` is the probability of the verdict, ``gain`` the score gain in bits per row. ``basis`` says what a
        stated direction mainly rests on: you (prior knowledge), names (of the columns), model (and the rows) or rules (about
        real tables). It is empty without a stated direction; ``json`` has all sources of evidence. ``weight`` is the change of ``to`` per unit of ``from`` with the other causes fixed. A
        binary column counts as a number; two words are 0 and 1. It is NaN, like ``standardized``, if a column has three or more categories, under
        a discrete model, and if the mark is not ``-->``, as in a CPDAG or a PAG.
        """
        keys = ["from", "to", "mark", "gain", "weight", "standardized", "verdict", "confidence", "basis", "p_adjacent", "p_direction", "compelled"]
        rows = []
        for edge in self.json["edges"] or []:
            row = {key: value for key, value in edge.items() if not isinstance(value, (dict, list))}
            row["basis"] = _BASIS.get(edge.get("basis"), "") if edge.get("verdict") == "directed" else ""
            if not self._has_slope(edge):
                row["weight"] = row["standardized"] = float("nan")
            keys += [key for key in row if key not in keys]
            rows.append(row)
        rows.sort(key=lambda row: -(row.get("gain") or 0.0))  # a stable sort keeps the program's order of ties
        if not any("confidence" in row for row in rows):
            keys = [key for key in keys if key not in ("confidence", "basis")]
        return frame(rows, keys)

    @property
    def order(self) -> Optional[List[str]]:
        """The columns in a topological order, parents before children, or None if the result has no order."""
        order = (self.json.get("certificate") or {}).get("order")
        return list(order) if order else None

    @property
    def matrix(self) -> np.ndarray[Any, Any]:
        """The weighted adjacency matrix. Entry (i, j) is the weight of the edge i → j, or 0 without an edge.

        An entry is NaN if a column has three or more categories, and under a discrete model: the effect has no slope. Both
        entries are NaN for an edge whose mark is not ``-->``, as in a CPDAG or a PAG. In a DAG the verdict of an edge does not
        change its entry.
        """
        place = {name: i for i, name in enumerate(self.names)}
        w = np.zeros((len(place), len(place)))
        for edge in self.json["edges"] or []:
            i, j = place[edge["from"]], place[edge["to"]]
            if edge["mark"] == "-->":
                w[i, j] = edge["weight"] if self._has_slope(edge) else np.nan
            else:
                w[i, j] = w[j, i] = np.nan
        return w

    def _has_slope(self, edge: Dict[str, Any]) -> bool:
        """Reports whether the weight of an edge is a slope. The program writes 0 for other effects."""
        if edge["mark"] != "-->" or edge.get("weight") is None:
            return False
        if edge["weight"] != 0:
            return True
        levels = {node["name"] for node in self.json.get("nodes") or [] if node.get("kind") == "categorical"}
        return not edge.get("effect") and self.json.get("model") != "discrete" and not levels & {edge["from"], edge["to"]}

    @property
    def graph(self) -> Any:
        """The graph as a networkx.DiGraph. Nodes and edges carry the fields of the result as attributes. An edge whose weight is
        NaN in ``edges`` has no attributes ``weight`` and ``standardized``.

        In a DAG every edge has one direction, also if its ``verdict`` is undirected or weak. An edge that is not a plain arrow,
        as in a CPDAG or a PAG, appears in both directions. Its attribute ``mark`` describes its two ends, starting at its
        source.
        """
        networkx = optional("networkx")
        if networkx is None:
            raise UsageError("networkx is not installed; install it, or use edges or matrix", code="no-networkx")
        graph = networkx.DiGraph(kind=self.kind, method=self.method)
        for node in self.json.get("nodes") or []:
            graph.add_node(node["name"], **{key: value for key, value in node.items() if key != "name"})
        graph.add_nodes_from(self.names)
        for edge in self.json["edges"] or []:
            without = ("from", "to") if self._has_slope(edge) else ("from", "to", "weight", "standardized")
            rest = {key: value for key, value in edge.items() if key not in without}
            graph.add_edge(edge["from"], edge["to"], **rest)
            if edge["mark"] != "-->":
                rest["mark"] = edge["mark"][::-1].translate(str.maketrans("<>", "><"))
                graph.add_edge(edge["to"], edge["from"], **rest)
        return graph

    @property
    def confidence(self) -> Optional[Confidence]:
        """The confidence of all pairs, or None for a run without bootstrap samples, subsamples or posterior samples."""
        content = self.json.get("confidence")
        return Confidence(self.names, content) if content else None

    @property
    def consensus(self) -> Any:
        """The graph if it is a consensus of the sampled graphs (setting consensus) or if they reversed an edge, else None."""
        content = self.json.get("confidence") or {}
        return self.graph if content.get("graph", "full") != "full" else None

    def drivers(self, of: str, data: Any = None, **settings: Any) -> Dict[str, Any]:
        """Rank the columns by their total effect on column ``of``. The settings are those of ``effect``, such as ``by``."""
        from . import _api

        return _api.drivers(self, of, data, **settings)

    if not TYPE_CHECKING:  # ResultCommands has these with every setting

        def explain(self, start: str, end: str, **settings: Any) -> Dict[str, Any]:
            """List the paths, confounders, mediators and colliders between two columns, as polydag.explain does."""
            from . import _api

            return _api.explain(self, start, end, **settings)

        def effect(self, of: str, on: str, data: Any = None, **settings: Any) -> Dict[str, Any]:
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

    def save(self, path: Path) -> None:
        """Write the result to a file. Its extension chooses the format: .json, .html, or any format of polydag convert."""
        path = os.fsdecode(path)
        if path.endswith(".json"):
            _write(path, self.text)
        elif path.endswith((".html", ".htm")):
            _process.call(["report", "-", "--output=" + path, "--set", "label=result"], feed=_process.send(self.text))
        else:
            _process.call(["convert", "-", path], feed=_process.send(self.text))

    @classmethod
    def load(cls, path: Path) -> "Result":
        """Read a result that polydag learn or save wrote."""
        return cls(read(path))

    def _repr_html_(self) -> str:
        page = html.escape(self.html(), quote=True)
        return '<iframe srcdoc="%s" style="width:100%%;height:640px;border:0" title="polydag result"></iframe>' % page

    def __repr__(self) -> str:
        early = ", stopped early" if self.stopped else ""
        return "polydag.Result(%s: %s of %d columns from %d rows, %d edges%s)" % (
            self.method,
            self.kind.upper() if self.kind != "average" else "average",
            len(self.json["names"]),
            self.json["rows"],
            len(self.json["edges"] or []),
            early,
        )


def read(path: Path) -> bytes:
    """Returns the bytes of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as fault:  # a NUL in the name is a ValueError
        raise Error("cannot read %s: %s" % (os.fsdecode(path), fault), code="read") from fault


def _content(text: bytes) -> Dict[str, Any]:
    """Parses a result and checks that it has the fields that every method writes."""
    try:
        content = json.loads(text)
    except ValueError as fault:
        raise Error("the file is not a result of polydag learn: %s" % fault, code="no-result") from None
    lacking = [key for key in ("names", "method", "edges") if not isinstance(content, dict) or key not in content]
    if lacking:
        raise Error("the file is not a result of polydag learn: it has no %s" % ", ".join(lacking), code="no-result")
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
