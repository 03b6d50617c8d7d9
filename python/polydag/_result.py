"""What was learned: the program's result.json, with the views that Python users expect."""

from __future__ import annotations

import html
import json
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from . import _process
from ._errors import Error, UsageError

if TYPE_CHECKING:
    from ._commands import ResultCommands
else:
    ResultCommands = object

Path = Union[str, "os.PathLike[str]"]


def optional(name: str) -> Any:
    """The module of that name, or None where it is not installed."""
    try:
        return __import__(name)
    except ImportError:
        return None


def frame(rows: Sequence[Dict[str, Any]], columns: Sequence[str] = ()) -> Any:
    """A DataFrame of the rows where pandas is installed, the list itself otherwise."""
    pandas = optional("pandas")
    if pandas is None:
        return list(rows)
    return pandas.DataFrame(list(rows), columns=list(columns) or None)


class Confidence:
    """How sure the edges are, as matrices whose entry (i, j) is about ``names[i]`` → ``names[j]``.

    ``frequency`` is the share of the drawn graphs that have the edge, ``confidence`` the probability made
    of it, ``adjacency`` the share that join the pair, ``ancestor`` the share that have a path.
    Pairs that at most 0.01 of the graphs have are 0.
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

    ``json`` is the result as the program wrote it, and docs/reference/result.md says what its fields mean.
    ``warnings`` are the sentences of the run that a reader of the graph should know, ``notes`` what was done.
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
        """The columns that are not in the graph, with the reason of each: a DataFrame where pandas is installed, else a list of dicts."""
        return frame((self.json.get("table") or {}).get("excluded") or [], ["name", "reason", "detail"])

    @property
    def method(self) -> str:
        return str(self.json["method"])

    @property
    def kind(self) -> str:
        """What the edges stand for: dag, cpdag, pdag, pag or average."""
        return str(self.json["kind"])

    @property
    def status(self) -> str:
        """converged or completed; step_limit or canceled where the run was stopped early."""
        return str(self.json["status"])

    @property
    def stopped(self) -> bool:
        """Whether this is the best graph so far of a run that was stopped early."""
        return self.status in ("canceled", "step_limit")

    @property
    def edges(self) -> Any:
        """The edges, the strongest first: a DataFrame where pandas is installed, else a list of dicts.

        ``weight`` and ``standardized`` are NaN where an edge has no slope: its direction is not known, or a column is
        categorical.
        """
        keys = ["from", "to", "mark", "strength", "weight", "standardized", "verdict", "confidence", "p_adjacent", "p_direction", "compelled"]
        rows = []
        for edge in self.json["edges"] or []:
            row = {key: value for key, value in edge.items() if not isinstance(value, (dict, list))}
            if not self._has_slope(edge):
                row["weight"] = row["standardized"] = float("nan")
            keys += [key for key in row if key not in keys]
            rows.append(row)
        rows.sort(key=lambda row: -(row.get("strength") or 0.0))  # equal ones stay in the order of the program
        if not any("confidence" in row for row in rows):
            keys.remove("confidence")
        return frame(rows, keys)

    @property
    def order(self) -> Optional[List[str]]:
        """The columns in an order in which every arrow goes forward, or None where the result has none."""
        order = (self.json.get("certificate") or {}).get("order")
        return list(order) if order else None

    @property
    def matrix(self) -> np.ndarray[Any, Any]:
        """Entry (i, j) is the weight of the edge i → j, 0 where there is no edge.

        It is NaN where the effect of i on j is no slope, because a column is categorical, and NaN both ways where the
        direction is not known.
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
        """Whether the weight of an edge is a slope. The program writes 0 where it is none."""
        if edge["mark"] != "-->" or edge.get("weight") is None:
            return False
        if edge["weight"] != 0:
            return True
        levels = {node["name"] for node in self.json.get("nodes") or [] if node.get("kind") == "categorical"}
        return not edge.get("effect") and self.json.get("model") != "discrete" and not levels & {edge["from"], edge["to"]}

    @property
    def graph(self) -> Any:
        """The graph as a networkx.DiGraph; nodes and edges have what the result says of them as attributes.

        An edge whose ends are not an arrow's, as in a CPDAG or a PAG, is there both ways; its attribute ``mark``
        has the ends as they are seen from its source.
        """
        networkx = optional("networkx")
        if networkx is None:
            raise UsageError("networkx is not installed; edges and matrix have the graph without it", code="no-networkx")
        graph = networkx.DiGraph(kind=self.kind, method=self.method)
        for node in self.json.get("nodes") or []:
            graph.add_node(node["name"], **{key: value for key, value in node.items() if key != "name"})
        graph.add_nodes_from(self.names)
        for edge in self.json["edges"] or []:
            rest = {key: value for key, value in edge.items() if key not in ("from", "to")}
            graph.add_edge(edge["from"], edge["to"], **rest)
            if edge["mark"] != "-->":
                rest["mark"] = edge["mark"][::-1].translate(str.maketrans("<>", "><"))
                graph.add_edge(edge["to"], edge["from"], **rest)
        return graph

    @property
    def confidence(self) -> Optional[Confidence]:
        """How sure all pairs are; None where no graphs were drawn (bootstrap, stability, posterior)."""
        content = self.json.get("confidence")
        return Confidence(self.names, content) if content else None

    @property
    def consensus(self) -> Any:
        """The graph, where it is the consensus of the drawn ones (consensus=0.5); None otherwise."""
        content = self.json.get("confidence") or {}
        return self.graph if content.get("graph", "full") != "full" else None

    if not TYPE_CHECKING:  # ResultCommands has these with every setting

        def explain(self, start: str, end: str, **settings: Any) -> Dict[str, Any]:
            """Paths, confounders and what to adjust for between two columns: polydag.explain."""
            from . import _api

            return _api.explain(self, start, end, **settings)

        def effect(self, of: str, on: str, data: Any = None, **settings: Any) -> Dict[str, Any]:
            """What setting one column does to another: polydag.effect."""
            from . import _api

            return _api.effect(self, of, on, data, **settings)

        def evaluate(self, truth: Any, **settings: Any) -> Dict[str, Any]:
            """How the graph differs from a known one: polydag.evaluate."""
            from . import _api

            return _api.evaluate(self, truth, **settings)

    def html(self) -> str:
        """The interactive page of the result: one document that needs no server and no network."""
        return _process.call(["report", "-", "--output=-", "--label=result"], feed=self._send).output.decode("utf-8")

    def save(self, path: Path) -> None:
        """Writes the result in the format that the name ends with: .json, .html, or one of polydag convert."""
        path = os.fsdecode(path)
        if path.endswith(".json"):
            _write(path, self.text)
        elif path.endswith((".html", ".htm")):
            _process.call(["report", "-", "--output=" + path, "--label=result"], feed=self._send)
        else:
            _process.call(["convert", "-", path], feed=self._send)

    @classmethod
    def load(cls, path: Path) -> "Result":
        """Reads a result that polydag learn or save wrote."""
        return cls(read(path))

    def _send(self, out: Callable[[bytes], object]) -> None:
        out(self.text)

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
    """The bytes of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as fault:  # a NUL in the name is a ValueError
        raise Error("cannot read %s: %s" % (os.fsdecode(path), fault), code="read") from fault


def _content(text: bytes) -> Dict[str, Any]:
    """The JSON of a result, which has at least the fields that every method writes."""
    try:
        content = json.loads(text)
    except ValueError as fault:
        raise Error("this is no result of polydag learn: %s" % fault, code="no-result") from None
    lacking = [key for key in ("names", "method", "edges") if not isinstance(content, dict) or key not in content]
    if lacking:
        raise Error("this is no result of polydag learn: it has no %s" % ", ".join(lacking), code="no-result")
    return content  # type: ignore[no-any-return]


def _write(path: str, text: bytes) -> None:
    """Writes a file beside its place and renames it, so that it is whole or not there."""
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
