"""Whatever form a result is handed over in, it has the directed and the undirected edges that the terminal shows, and no number that does
not exist. handover.json has the results; tests/handover.R of the R package compares the forms of R with the same table."""

import json
import os
import re
import subprocess

import numpy as np
import pytest

import polydag

pd = pytest.importorskip("pandas", reason="pandas is not installed")

with open(os.path.join(os.path.dirname(__file__), "handover.json"), encoding="utf-8") as file:
    CASES = json.load(file)


def terminal(binary, path):
    """The edges of the table of the terminal: directed ones, undirected ones as sorted pairs, and those with other marks, all with lags."""
    text = subprocess.run([binary, "convert", path, "-", "--to=text"], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    lines = text[text.index("\n  from ") + 1 :].splitlines()
    lag = "lag" in lines[0].split()
    found = set()
    for line in lines[1:]:
        if not line.startswith("  "):
            break
        cause, mark, effect, *rest = line.split()
        found.add(edge(cause, {"→": "-->", "—": "---", "?": "-->" if lag and rest[0] != "0" else "---"}.get(mark, mark), effect, int(rest[0]) if lag else 0))
    return found


def edge(a, mark, b, lag=0):
    return (*sorted((a, b)), mark, lag) if mark in ("---", "<->", "o-o") else (a, b, mark, lag)


def turned(mark):
    return mark[::-1].translate(str.maketrans("<>", "><"))


def of_graph(graph):
    """The edges of a networkx graph: an edge in both directions is an undirected one, or one with other marks."""
    found = set()
    for a, b, have in graph.edges(data=True):
        mark = have["mark"]
        if mark != "-->":
            assert any(other["mark"] == turned(mark) for other in _between(graph, b, a)), "the edge is not there in both directions"
            if mark in ("<--", "<-o", "--o"):
                continue  # the other direction of the pair
        found.add(edge(a, mark, b, int(have.get("lag", 0))))
    return found


def _between(graph, a, b):
    have = graph.get_edge_data(a, b)
    return have.values() if graph.is_multigraph() else [have]


def of_matrix(names, matrix, values):
    """The edges of a matrix: an entry that is not 0 is directed, and two that are NaN are undirected."""
    found = set()
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if matrix[i, j] == 0:
                continue
            both = matrix[j, i] != 0
            if both:
                assert np.isnan(matrix[i, j]) or values == "ones"
            found.add(edge(a, "---" if both else "-->", b))
    return found


def joined(edges):
    """The same edges with all marks but --> as undirected ones, which is what a matrix can tell."""
    return {one if one[2] == "-->" else edge(one[0], "---", one[1], one[3]) for one in edges}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_forms_agree_with_the_terminal(case, binary, tmp_path):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    table, path = str(tmp_path / "table.csv"), str(tmp_path / "result.json")
    subprocess.run([binary, "simulate", *case["simulate"], "--output=" + table, "--quiet"], check=True)
    subprocess.run([binary, "learn", *case["learn"], table, "--output=" + path, "--quiet"], check=True)
    want = terminal(binary, path)
    assert len(want) >= 3
    result = polydag.Result.load(path)
    names, lagged = result.names, bool(result.json.get("lagged"))
    slope = {(row["source"], row["target"], int(row.get("lag", 0))): row["weight"] for _, row in result.edges.iterrows()}

    frame = result.edges
    assert {edge(row["source"], row["mark"], row["target"], int(row.get("lag", 0))) for _, row in frame.iterrows()} == want
    assert of_graph(result.graph) == want and of_graph(result.select().graph) == want
    shown = repr(result).splitlines()[2:]
    assert len(shown) == min(10, len(want)) + (len(want) > 10)
    if not lagged:
        assert of_matrix(names, result.matrix, "weights") == joined(want)
    model = polydag.PolyDAG()
    model.result_ = result
    if not lagged:
        assert of_matrix(names, model.causal_matrix_, "ones") == joined(want)
    for a, b, have in result.graph.edges(data=True):
        if "weight" in have:
            assert have["weight"] == slope[a, b, have.get("lag", 0)] and have["mark"] == "-->"
        else:
            assert have["mark"] != "-->" or np.isnan(slope[a, b, have.get("lag", 0)])
    if result.json["model"] == "discrete":
        assert not any("weight" in have for _, _, have in result.graph.edges(data=True)) and frame["weight"].isna().all()

    result.save(tmp_path / "r.csv")
    listed = pd.read_csv(tmp_path / "r.csv")
    assert {edge(row["from"], row["mark"], row["to"], int(row.get("lag", 0))) for _, row in listed.iterrows()} == want
    result.save(tmp_path / "r.nodelink.json")
    content = json.loads((tmp_path / "r.nodelink.json").read_text())
    graphs = [networkx.node_link_graph({**content, "links": content["edges"]})]
    result.save(tmp_path / "r.graphml")
    graphs.append(networkx.read_graphml(tmp_path / "r.graphml"))
    for graph in graphs:
        assert {(edge(a, have["mark"], b, int(have.get("lag", 0)))) for a, b, have in graph.edges(data=True) if have["mark"] not in ("<--", "<-o", "--o")} == want
    if not lagged and result.kind != "pag":
        result.save(tmp_path / "r.npy")
        assert np.array_equal(np.load(tmp_path / "r.npy"), result.matrix, equal_nan=True)
        result.save(tmp_path / "r.adjacency.csv")
        assert np.allclose(pd.read_csv(tmp_path / "r.adjacency.csv", index_col=0).to_numpy(), result.matrix, equal_nan=True)


def test_effects_agree_with_the_terminal(binary, tmp_path):
    """Estimates, their intervals and what is not stated are those of the terminal."""
    table, path = str(tmp_path / "table.csv"), str(tmp_path / "result.json")
    subprocess.run([binary, "simulate", "--nodes=5", "--rows=100", "--seed=1", "--output=" + table, "--quiet"], check=True)
    subprocess.run([binary, "learn", table, "--output=" + path, "--quiet"], check=True)
    result = polydag.Result.load(path)

    def cells(text, first):
        """The cells of the table whose header begins with this word, by the name of the row."""
        lines = text.splitlines()
        start = next(i for i, line in enumerate(lines) if line.split()[:1] == [first])
        rows = [re.split(r"\s{2,}", line.strip()) for line in lines[start + 1 :]]
        return {row[0]: row[1:] for row in rows[: next((i for i, row in enumerate(rows) if len(row) < 2), len(rows))]}

    wide = {name: value for name, value in os.environ.items() if name != "COLUMNS"}  # a notebook sets it, and text is then wrapped

    def printed(*args):
        return subprocess.run([binary, "effect", path, *args], check=True, stdout=subprocess.PIPE, env=wide).stdout.decode("utf-8")

    unstated = 0
    for on in result.names:
        ranked = result.drivers(on, data=table, replicates=20)
        text = printed("--on=" + on, "--data=" + table, "--set=replicates=20")
        assert ranked["says"] in text and ranked["says"] in ranked.summary()
        if ranked["drivers"]:
            want = {name: row[1:3] for name, row in cells(text, "column").items()}
            assert {name: row[1:3] for name, row in cells(ranked.summary(), "name").items()} == want
            unstated += sum(row[0].startswith("(") for row in want.values())
        for one in ranked["drivers"][:2]:
            effect = result.effect(one["name"], on, data=table, replicates=20)
            theirs = cells(printed("--of=" + one["name"], "--on=" + on, "--data=" + table, "--set=replicates=20"), "effect")
            assert cells(effect.summary(), "effect") == {name: row[:2] if row[0][0] != "[" else row[:1] for name, row in theirs.items()}
    assert unstated >= 2
