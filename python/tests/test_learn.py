"""Results, settings, errors and the other commands."""

import inspect
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import polydag

pd = pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture(scope="module")
def frame(demo):
    return pd.read_csv(demo)


@pytest.fixture(scope="module")
def sure(frame):
    return polydag.learn(frame, bootstrap=20, forbid=["* -> mist"])


def test_edges(sure):
    assert list(sure.edges.columns[:10]) == ["source", "target", "mark", "gain", "weight", "standardized", "verdict", "confidence", "basis", "p_adjacent"]
    assert len(sure.edges) == len(sure.json["edges"]) > 0
    assert "mist" not in set(sure.edges["target"])
    ranked = sorted(sure.json["edges"], key=lambda edge: -edge["gain"])
    assert list(sure.edges["weight"]) == [edge["weight"] for edge in ranked]


def test_basis():
    rng = np.random.default_rng(2)
    age = rng.normal(50, 10, 500)
    blood = 0.1 * age + rng.normal(size=500)
    x = blood + rng.normal(size=500)
    edges = polydag.learn(pd.DataFrame({"age": age, "b": blood, "c": x}), require=["b -> c"]).edges
    by = {(row["source"], row["target"]): row["basis"] for _, row in edges.iterrows()}
    assert by[("age", "b")] == "names" and by[("b", "c")] == "you"
    undirected = polydag.learn(pd.DataFrame({"a": age, "b": blood}), names="off").edges
    assert list(undirected["verdict"]) == ["undirected"] and list(undirected["basis"]) == [""]


def mixed():
    """A table in which one effect is no slope."""
    rng = np.random.default_rng(1)
    group, x = rng.choice(["a", "b", "c"], 400), rng.normal(size=400)
    y = 2.0 * (group == "b") + x + rng.normal(size=400)
    return pd.DataFrame({"group": group, "x": x, "y": y, "z": 3 * y + rng.normal(size=400)})


def test_edges_are_sorted_by_strength_and_have_no_slope_of_categories():
    result = polydag.learn(mixed(), forbid=["* -> group"])
    edges = result.edges
    assert len(edges) >= 3 and list(edges["gain"]) == sorted(edges["gain"], reverse=True)
    assert list(edges["gain"]) != [edge["gain"] for edge in result.json["edges"]], "the program has another order"
    of_group = edges[edges["source"] == "group"]
    assert len(of_group) and of_group["weight"].isna().all() and of_group["standardized"].isna().all()
    assert edges[edges["source"] != "group"]["weight"].notna().all()
    i, j = result.names.index("group"), result.names.index(of_group.iloc[0]["target"])
    assert np.isnan(result.matrix[i, j]) and result.matrix[j, i] == 0
    with pytest.raises(polydag.Error, match="have a slope"):
        polydag.PolyDAG(forbid=["* -> group"]).fit(mixed()).score(mixed())


def test_files_and_graphs_have_no_weight_of_categories(tmp_path):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    result = polydag.learn(mixed(), order=["group", "x", "y", "z"])
    assert list(result.edges["verdict"]) == ["directed"] * len(result.edges) and np.isnan(result.matrix).any() and np.nansum(np.abs(result.matrix)) > 0
    for name in ("r.npy", "r.adjacency.csv", "r.csv", "r.graphml"):
        result.save(tmp_path / name)
    np.testing.assert_array_equal(np.load(tmp_path / "r.npy"), result.matrix)
    table = pd.read_csv(tmp_path / "r.adjacency.csv", index_col=0, float_precision="round_trip")
    assert list(table.index) == list(table.columns) == result.names
    np.testing.assert_array_equal(table.to_numpy(), result.matrix)
    listed = pd.read_csv(tmp_path / "r.csv", float_precision="round_trip").rename(columns={"from": "source", "to": "target"}).set_index(["source", "target"]).sort_index()
    for key in ("weight", "standardized"):
        np.testing.assert_array_equal(listed[key], result.edges.set_index(["source", "target"]).sort_index()[key])
    for graph in (result.graph, networkx.read_graphml(tmp_path / "r.graphml")):
        assert graph.number_of_edges() == len(result.edges)
        for _, edge in result.edges.iterrows():
            attributes = graph.edges[edge["source"], edge["target"]]
            for key in ("weight", "standardized"):
                assert (key not in attributes) if np.isnan(edge[key]) else attributes[key] == edge[key]
    assert polydag.evaluate(result, tmp_path / "r.adjacency.csv")["shd"] == 0


def test_a_weight_of_zero_is_zero(sure):
    first = dict(sure.json["edges"][0], weight=0, standardized=0)
    result = polydag.Result(json.dumps(dict(sure.json, edges=[first])))
    i, j = result.names.index(first["from"]), result.names.index(first["to"])
    assert result.matrix[i, j] == 0 and result.edges.iloc[0]["weight"] == 0


def test_matrix_and_order(sure):
    place = {name: i for i, name in enumerate(sure.names)}
    w = sure.matrix
    for edge in sure.json["edges"]:
        assert w[place[edge["from"]], place[edge["to"]]] == edge["weight"]
        assert sure.order.index(edge["from"]) < sure.order.index(edge["to"])
    assert np.count_nonzero(w) == len(sure.json["edges"])


def test_graph(sure):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph = sure.graph
    assert networkx.is_directed_acyclic_graph(graph) and graph.number_of_edges() == len(sure.edges)
    assert list(graph.nodes) == sure.names and "r2" in graph.nodes[sure.names[0]]
    first = sure.json["edges"][0]
    assert graph.edges[first["from"], first["to"]]["weight"] == first["weight"]


def test_classes_are_there_both_ways(frame):
    pytest.importorskip("networkx", reason="networkx is not installed")
    result = polydag.learn(frame, method="pc")
    assert result.kind == "cpdag" and any(edge["mark"] == "---" for edge in result.json["edges"])
    graph = result.graph
    for edge in result.json["edges"]:
        stated = edge["mark"] == "-->" and edge["verdict"] == "directed"
        assert graph.edges[edge["from"], edge["to"]]["mark"] == ("-->" if stated else "---")
        assert graph.has_edge(edge["to"], edge["from"]) == (not stated)
    with pytest.raises(polydag.UsageError, match="not a DAG"):
        result.dag
    pag = polydag.Result(json.dumps(dict(result.json, kind="pag", edges=[{"from": "mist", "to": "moss", "mark": "o->"}])))
    assert pag.graph.edges["moss", "mist"]["mark"] == "<-o"
    i, j = pag.names.index("mist"), pag.names.index("moss")
    assert np.isnan(pag.matrix[i, j]) and np.isnan(pag.matrix[j, i])


def unstated(frame):
    """A result whose strongest edge has no stated direction."""
    result = polydag.learn(frame)
    edges = [dict(edge) for edge in result.json["edges"]]
    strongest = max(edges, key=lambda edge: edge["gain"])
    strongest.update(verdict="undirected", confidence=strongest["p_adjacent"])
    return polydag.Result(json.dumps(dict(result.json, edges=edges))), strongest


def test_the_claim_and_the_dag(frame):
    """A direction that is not stated is none in the graph, the matrix, the table and the print; the DAG has it."""
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    result, edge = unstated(frame)
    a, b = edge["from"], edge["to"]
    graph, dag = result.graph, result.dag
    assert graph.edges[a, b]["mark"] == graph.edges[b, a]["mark"] == "---" and "weight" not in graph.edges[a, b]
    assert networkx.is_directed_acyclic_graph(dag) and dag.edges[a, b]["weight"] == edge["weight"] and not dag.has_edge(b, a)
    i, j = result.names.index(a), result.names.index(b)
    assert np.isnan(result.matrix[i, j]) and np.isnan(result.matrix[j, i])
    assert result.edges.iloc[0]["mark"] == "---" and result.edges.query("source == @a and target == @b")["basis"].tolist() == [""]
    assert [line.split()[1] for line in repr(result).splitlines()[2:]].count("—") == 1
    model = polydag.PolyDAG()
    model.result_ = result
    claimed = model.causal_matrix_
    assert claimed[i, j] == claimed[j, i] == 1 and claimed.sum() == len(result.edges) + 1 and (model.causal_matrix == claimed).all()


def test_selection(frame):
    result, edge = unstated(frame)
    least = sorted(result.edges["confidence"])[2]
    some = result.select(min_confidence=least)
    assert len(some.edges) < len(result.edges) or (some.edges["confidence"] >= least).all()
    assert set(result.select(basis=["you"]).edges["verdict"]) == {"undirected"} and len(result.select(basis="you").edges) == len(result.edges)
    assert list(result.select(basis="model").edges["verdict"]) == list(result.edges["verdict"])
    for bad in ({"basis": "faith"}, {"min_confidence": 2}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            result.select(**bad)


def test_time_series():
    """Edges with a lag are in every view, or the view refuses them."""
    pytest.importorskip("networkx", reason="networkx is not installed")
    series = polydag.simulate(lags=1, nodes=4, rows=300).data.drop(columns="time")
    result = polydag.learn(series, time=".")
    lagged = result.json["lagged"]
    assert lagged and len(result.edges) == len(result.json["edges"] or []) + len(lagged) and (result.edges["lag"] > 0).sum() == len(lagged)
    assert result.graph.is_multigraph() and sum(edge["lag"] > 0 for _, _, edge in result.graph.edges(data=True)) == len(lagged)
    first = lagged[0]
    i, j = result.names.index(first["from"]), result.names.index(first["to"])
    assert result.matrices[first["lag"], i, j] == first["weight"] and "lag" in repr(result).splitlines()[1]
    effect = result.effect(first["from"], first["to"])
    assert [row["step"] for _, row in effect.to_frame().iterrows()] == list(range(11)) and effect.estimate is None
    assert "%.4g" % effect["impulse"][1]["value"] in effect.summary() and "that lasts one step" in effect.summary()
    with pytest.raises(polydag.UsageError, match="use matrices"):
        result.matrix
    model = polydag.PolyDAG(time=".").fit(series)
    assert model.adjacency_matrices_[first["lag"], j, i] == first["weight"]
    with pytest.raises(polydag.UsageError, match="use adjacency_matrices_"):
        model.adjacency_matrix_


def test_confidence(sure, frame):
    c = sure.confidence
    place = {name: i for i, name in enumerate(sure.names)}
    assert len(sure.json["confidence"]["pairs"]) > 0
    for pair in sure.json["confidence"]["pairs"]:
        assert c.frequency[place[pair["from"]], place[pair["to"]]] == pair["frequency"]
        assert c.ancestor[place[pair["from"]], place[pair["to"]]] == pair["ancestor"]
    assert sure.consensus is None
    assert polydag.learn(frame).confidence is None
    agreed = polydag.learn(frame, bootstrap=20, consensus=0.5)
    assert agreed.consensus.number_of_edges() == len(agreed.edges)
    later = polydag.confidence(polydag.learn(frame), frame, bootstrap=20)
    assert later.json["confidence"]["replicates"] == 20


def test_page_needs_no_network(sure):
    shown = sure.page()._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and shown.count("<") == 2, "the page stands in an attribute"
    page = sure.html()
    assert page.lower().startswith("<!doctype html") and "http://" not in page.replace("http://www.w3.org/", "")
    assert "ice_cream_scoops" in page and "default-src 'none'" in page


def test_picture(sure, tmp_path):
    shown = sure._repr_svg_()
    assert shown.startswith("<svg") and len(shown) < 50_000 and not hasattr(sure, "_repr_html_"), "a notebook shows the picture"
    picture = sure.plot(tmp_path / "r.pdf", edges=3, title="Three edges")
    assert picture._repr_svg_() == picture.svg and "Three edges" in picture.svg and (tmp_path / "r.pdf").read_bytes()[:4] == b"%PDF"
    picture.save(tmp_path / "r.svg")
    assert (tmp_path / "r.svg").read_text() == picture.svg
    with pytest.raises(TypeError, match="unknown argument: egdes=; did you mean edges="):
        sure.plot(egdes=3)


def test_save(sure, tmp_path):
    sure.save(tmp_path / "r.nodelink.json")
    assert {"nodes", "edges"} <= set(json.loads((tmp_path / "r.nodelink.json").read_text()))
    for name in ("r.json", "r.html", "r.dot", "r.svg", "r.graphml"):
        sure.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    assert polydag.Result.load(tmp_path / "r.json").text == sure.text
    with pytest.raises(polydag.UsageError):
        sure.save(tmp_path / "r.nothing")


def test_estimator(frame):
    model = polydag.PolyDAG(method="order", seed=3).fit(frame)
    w = model.adjacency_matrix_
    assert np.array_equal(w.T, model.result_.matrix)
    first = model.result_.json["edges"][0]
    i, j = model.result_.names.index(first["from"]), model.result_.names.index(first["to"])
    assert w[j, i] == first["weight"] and model.causal_matrix[i, j] == 1 and model.causal_matrix[j, i] == 0
    order = model.causal_order_
    assert np.allclose(np.triu(w[np.ix_(order, order)]), 0), "causes come first"
    assert model.get_params() == {"method": "order", "seed": 3} and repr(model) == "PolyDAG(method='order', seed=3)"
    assert model.set_params(seed=4).get_params()["seed"] == 4
    assert list(polydag.PolyDAG().learn(frame.to_numpy(), columns=list(frame.columns)).feature_names_in_) == list(frame.columns)


def test_paths(demo, tmp_path, monkeypatch):
    whole = polydag.learn(demo)
    monkeypatch.chdir(tmp_path)
    lines = open(demo).read().splitlines(True)
    (tmp_path / "-a.csv").write_text("".join(lines[:200]))
    (tmp_path / "b.csv").write_text("".join(lines[:1] + lines[200:]))
    parts = polydag.learn(["-a.csv", "b.csv"])
    assert parts.json["table"]["moments_sha256"] == whole.json["table"]["moments_sha256"]
    with pytest.raises(polydag.Error, match="cannot read nosuch.csv"):
        polydag.learn("nosuch.csv")


def test_settings_are_the_programs(frame, binary):
    known = {flag["name"]: flag for flag in polydag.settings("learn")}
    signature = inspect.signature(polydag.learn)
    assert signature.parameters["bootstrap"].default == known["bootstrap"]["default"] == 0
    assert signature.parameters["missing"].default == "auto" and signature.parameters["forbid"].annotation is list
    assert "output" not in signature.parameters and known["missing"]["help"] in polydag.learn.__doc__
    names = [method["name"] for method in polydag.methods()]
    said = subprocess.run([binary, "methods", "--json"], check=True, stdout=subprocess.PIPE).stdout
    assert names == [method["name"] for method in json.loads(said)]
    assert polydag.settings("simulate") and "learn" in dir(polydag)
    with pytest.raises(polydag.UsageError):
        polydag.settings("nothing")
    with pytest.raises(AttributeError):
        polydag.nothing


@pytest.mark.parametrize(
    "settings, says",
    [
        ({"botstrap": 3}, "unknown argument: botstrap=; did you mean bootstrap="),
        ({"missing": "all"}, 'missing="all" is unknown; choose auto, drop, pairwise, error'),
        ({"method": "magic"}, 'method "magic" is unknown'),
        ({"seed": [1, 2]}, "seed takes one value, got 2"),
        ({"season": "x"}, 'season="x": want a whole number'),
        ({"settings": ["restarts"]}, "settings is a mapping"),
        ({"settings": {"restarts": 2}, "restarts": 3}, "restarts is also an argument"),
        ({"output": "r.json"}, "output is set by this package"),
        ({"columns": "a\0b"}, "cannot be passed to the program"),
        ({"require": ["mist->moss"], "forbid": ["mist->moss"]}, "mist"),
        ({"require": [("mist", "moss", "light")]}, "not an edge"),
        ({"require": [7]}, "not an edge"),
        ({"knowledge": {"require": {1, 2}}}, "knowledge: 1 is not an edge"),
        ({"knowledge": {"tiers": {1, 2}}}, "cannot be written as JSON"),
        ({"columns": "a\ud800b"}, "cannot be passed to the program"),
    ],
)
def test_wrong_settings(frame, settings, says):
    with pytest.raises(polydag.UsageError, match=says) as fault:
        polydag.learn(frame, **settings)
    assert fault.value.exit in (2, None) and fault.value.code


def test_values_of_settings(frame, tmp_path):
    later = [name for name in frame.columns if name != "mist"]
    result = polydag.learn(frame, tiers=[["mist"], later], seed=np.int64(7), standardize=True, threads=None)
    assert "mist" not in set(result.edges["target"]) and result.json["seed"] == 7 and result.json["settings"]["standardize"] is True
    known = polydag.learn(frame, knowledge={"require": ["moss->mist"]})
    assert ("moss", "mist") in set(zip(known.edges["source"], known.edges["target"]))
    lasso = polydag.learn(frame, method="polydag", lambda_=0.25)
    assert lasso.json["settings"]["lambda"] == 0.25


def test_settings_by_name(frame):
    from polydag import _settings

    args = _settings.flags("learn", {"settings": {"restarts": 3, "lambda": 0.5, "method": "polydag"}, "no_header": True, "bootstrap": 5, "max_memory": "2G"}, str)
    assert args == ["--set=no-header=true", "--bootstrap=5", "--max-memory=2G", "--set=restarts=3", "--set=lambda=0.5", "--method=polydag"]
    result = polydag.learn(frame, settings={"restarts": 2}, variance="unequal")
    assert result.json["settings"]["restarts"] == 2 and result.json["settings"]["variance"] == "unequal"


def test_edges_as_pairs(frame):
    result = polydag.learn(frame, require=[("moss", "mist")], forbid=[("*", "light"), "mist->mushroom"])
    edges = set(zip(result.edges["source"], result.edges["target"]))
    assert ("moss", "mist") in edges and "light" not in set(result.edges["target"])
    odd = frame.rename(columns={"moss": "a->b", "mist": ' "c" '})
    edges = polydag.learn(odd, require=[("a->b", ' "c" ')]).edges
    assert ("a->b", ' "c" ') in set(zip(edges["source"], edges["target"]))
    numbered = frame.set_axis(range(frame.shape[1]), axis=1)
    edges = polydag.learn(numbered, require=[(3, 0)]).edges
    assert (3, 0) in set(zip(edges["source"], edges["target"]))


def test_every_error_is_the_packages(frame, sure, tmp_path, monkeypatch):
    (tmp_path / "text").write_bytes(b"\xff\xfe no JSON")
    (tmp_path / "list.json").write_text("[1, 2]")
    for work in (
        lambda: polydag.Result.load(tmp_path / "nothing.json"),
        lambda: polydag.Result.load(tmp_path),
        lambda: polydag.Result.load("a\0b"),
        lambda: polydag.Result.load(tmp_path / "text"),
        lambda: polydag.Result.load(tmp_path / "list.json"),
        lambda: polydag.Result("{}"),
        lambda: polydag.explain(tmp_path / "nothing.json", "mist", "moss"),
        lambda: polydag.explain({"a": object()}, "mist", "moss"),
        lambda: polydag.explain(tmp_path / "text", "mist", "moss"),
        lambda: sure.explain("\ud800", "moss"),
        lambda: sure.effect(7, "moss"),
        lambda: sure.save(tmp_path / "no" / "folder.json"),
        lambda: sure.save(tmp_path / "no" / "folder.html"),
        lambda: sure.evaluate(frame),
        lambda: sure.evaluate(7),
        lambda: sure.evaluate([("a",)]),
        lambda: sure.evaluate([("\ud800", "b")]),
        lambda: polydag.learn(tmp_path / "text"),
        lambda: polydag.learn(str(tmp_path / "text").encode()),
    ):
        with pytest.raises(polydag.Error):
            work()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "no"))
    assert polydag.learn(frame).names == sure.names, "a table alone needs no temporary file"
    with pytest.raises(polydag.Error, match="temporary folder"):
        polydag.confidence(sure, frame, bootstrap=5)


def test_errors_have_code_place_and_remedies(tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n2,?!\n3,4\n")
    with pytest.raises(polydag.Error) as fault:
        polydag.learn(tmp_path / "bad.csv", encode="error")
    e = fault.value
    assert (e.code, e.exit, e.place["line"], e.place["name"], e.place["value"]) == ("not-number", 1, 3, "b", "?!")
    assert {"setting": "drop", "columns": ["b"]} in e.remedies
    assert not isinstance(e, polydag.UsageError) and isinstance(polydag.UsageError("x"), ValueError)


def test_commands(frame, sure):
    looked = polydag.check(frame)
    assert looked["schema"] == "polydag.check/1" and len(looked["columns"]) == 8
    assert sure.effect("mist", "moss")["of"] == "mist"
    wide = sure.effect("mist", "moss", data=frame, replicates=10, given_graph=True)
    assert wide["schema"] == "polydag.effect/1" and wide["interval"]
    total = wide["effects"][0]["total"]
    assert wide.identified and wide.estimate == total["value"] and wide.interval == (total["low"], total["high"])
    assert list(wide.to_frame()["effect"][:2]) == ["total", "direct"] and wide.to_frame()["estimate"][0] == wide.estimate
    assert "Effect of mist on moss" in wide.summary() == repr(wide) and "90 % interval" in wide.summary()
    ranked = sure.drivers(of="moss", data=frame, by="light", replicates=10)
    assert ranked["schema"] == "polydag.drivers/1" and ranked["on"] == "moss" and len(ranked.to_frame()) == len(ranked["drivers"]) > 0
    assert repr(ranked).splitlines()[0].startswith("Columns by their effect on moss") and ranked["says"] in repr(ranked)
    drawn = polydag.simulate(nodes=6, rows=200, seed=2)
    again = polydag.simulate(nodes=6, rows=200, seed=2)
    assert drawn.data.shape == (200, 6) and drawn.data.equals(again.data) and drawn.truth.equals(again.truth)
    found = polydag.learn(drawn.data)
    counts = polydag.evaluate(found, drawn.truth, sid=True)
    assert counts["edges_true"] == len(drawn.truth) and counts["shd"] <= 2 and "sid" in counts
    assert found.evaluate([(a, b) for a, b in zip(drawn.truth["source"], drawn.truth["target"])])["shd"] == counts["shd"]
    assert polydag.evaluate(found.json, found.dag)["shd"] == 0
    there = pd.DataFrame(0, index=found.names, columns=found.names)
    for a, b in zip(drawn.truth["source"], drawn.truth["target"]):
        there.loc[a, b] = 1
    for matrix in (there, there.to_numpy()):
        assert found.evaluate(matrix)["shd"] == counts["shd"]
        assert polydag.test(matrix, drawn.data)["schema"] == "polydag.test/1"
    with pytest.raises(ValueError, match="the matrix has 2 rows, and the graph has 6 columns"):
        found.evaluate(np.zeros((2, 2)))
    mixed = polydag.simulate(model="mixed", nodes=6, rows=50)
    assert mixed.data.shape == (50, 6)
    assert polydag.call("path", data=frame, splits=2)["schema"] == "polydag.path/1"
    with pytest.raises(polydag.UsageError, match="not a result"):
        polydag.explain(7, "a", "b")


def test_compare():
    from polydag._settings import description

    if "compare" not in [command["name"] for command in description()["commands"]]:
        pytest.skip("this program has no command compare")
    drawn = polydag.simulate(nodes=6, rows=300, seed=1)
    sides = polydag.compare(drawn.data, methods=["order", "pc"], truth=drawn.truth, splits=1)
    assert sides["schema"] == "polydag.compare/1" and sides["names"] == list(drawn.data.columns)


def test_stopped_early(frame):
    with pytest.warns(polydag.StoppedWarning, match="stopped after 50 steps"):
        result = polydag.learn(frame, method="polydag-geo", schedule="paper", steps=50)
    assert result.stopped and result.status == "step_limit" and "stopped early" in repr(result)
    assert any("stopped after 50 steps" in said for said in result.warnings)


def test_numpy_alone(demo):
    """Without pandas, networkx and polars all is there but what needs them."""
    script = """
import sys
for name in ("pandas", "networkx", "polars"):
    sys.modules[name] = None
import numpy as np, polydag
r = polydag.learn(%r)
assert isinstance(r.edges, list) and r.edges[0]["source"] in r.names
assert np.count_nonzero(r.matrix) == len(r.edges)
drawn = polydag.simulate(nodes=5, rows=60)
assert drawn.data["x0"].shape == (60,) and isinstance(drawn.truth[0]["weight"], float)
assert polydag.evaluate(polydag.learn(drawn.data), drawn.truth)["nodes"] == 5
try:
    r.graph
except polydag.UsageError as fault:
    assert "networkx is not installed" in str(fault)
    print("fine")
""" % demo
    env = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(polydag.__file__)))
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", script], env=env, stdout=subprocess.PIPE, check=True).stdout
    assert out.strip() == b"fine"


def test_excluded_columns(tmp_path):
    rng = np.random.default_rng(3)
    x = rng.normal(size=50)
    frame = pd.DataFrame({"id": range(50), "x": x, "y": x + rng.normal(size=50), "site": "here"})
    result = polydag.learn(frame)
    assert result.names == ["x", "y"]
    assert [(row["name"], row["reason"]) for row in result.json["table"]["excluded"]] == [("id", "identifier"), ("site", "constant")]
    assert list(result.excluded["name"]) == ["id", "site"]
    assert "id" in polydag.learn(frame, keep="id").names


def test_errors_do_not_name_temporary_files(sure):
    for ask in (lambda: sure.evaluate([("mist", "soil")]), lambda: polydag.learn({"a": np.arange(9.0), "b": np.arange(9.0) ** 2}, tiers=[["a"], ["c"]])):
        with pytest.raises(polydag.Error) as caught:
            ask()
        assert "polydag-" not in str(caught.value)


def test_natural_values(frame):
    import datetime

    from polydag import _settings

    def flags(**settings):
        return _settings.flags("learn", settings, str)

    assert flags(deadline=1) == flags(deadline=datetime.timedelta(seconds=1)) == ["--deadline=1s"] and flags(deadline="2m") == ["--deadline=2m"]
    assert flags(order=["a", ["b", "c"]]) == ["--order=a < b,c"] and flags(kind={"a": "count", "b": "ordinal"}) == ["--kind=a=count", "--kind=b=ordinal"]
    assert flags(prior=[("a", "b", 0.7), "b->c=0.2"]) == ["--prior=a->b=0.7", "--prior=b->c=0.2"] and flags(prior={("a", "b"): 0.7}) == ["--prior=a->b=0.7"]
    with pytest.raises(ValueError, match="give the list as tiers"):
        flags(order=["a,b", "c"])
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 3))
    x[:, 1] += x[:, 0]
    rows = [dict(zip("abc", row)) for row in x.tolist()]
    assert polydag.learn(rows).names == ["a", "b", "c"] and polydag.learn([{"a": 1.0, "b": 2.0}, *rows]).json["table"]["missing"]
    numbered = polydag.learn(pd.DataFrame(x, columns=[7, 8, "c"]), require=[(7, 8)])
    assert numbered.names == [7, 8, "c"] and (numbered.edges.iloc[0]["source"], numbered.edges.iloc[0]["target"]) == (7, 8)
    assert numbered.effect(7, 8).identified and numbered.dag.has_edge(7, 8) and polydag.confidence(numbered, pd.DataFrame(x, columns=[7, 8, "c"]), bootstrap=5).names[0] == 7
    where = np.repeat(["north", "south"], 200)
    by_array = polydag.learn(x, environments=where)
    named = polydag.learn(pd.DataFrame(x), environments=pd.Series(where, name="site"))
    assert by_array.names == ["x0", "x1", "x2"] and named.names == [0, 1, 2]
    assert by_array.json["edges"] and len(by_array.json["edges"]) == len(named.json["edges"])
    with pytest.raises(ValueError, match="environments cannot be given as values for a file"):
        polydag.learn("x.csv", environments=where)


def test_knowledge_is_a_graph(frame):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    result = polydag.learn(frame, knowledge=networkx.DiGraph([("moss", "mist")]))
    assert result.dag.has_edge("moss", "mist")


def test_sparse_matrix():
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed (Debian: python3-scipy)")
    x = np.random.default_rng(1).poisson(0.5, size=(200, 3))
    assert polydag.learn(sparse.csr_matrix(x)).json["edges"] == polydag.learn(x).json["edges"]


def test_the_signature_begins_with_what_matters():
    names = list(inspect.signature(polydag.learn).parameters)
    assert names[:11] == ["data", "method", "model", "kind", "missing", "environments", "require", "forbid", "order", "bootstrap", "seed"]
    assert names[-1] == "settings" and "restarts" not in names and "deadline" in names


def test_exceptions_have_the_bases_of_python(frame, tmp_path):
    for base, work in (
        (FileNotFoundError, lambda: polydag.learn("nosuch.csv")),
        (FileNotFoundError, lambda: polydag.Result.load(tmp_path / "nothing.json")),
        (TypeError, lambda: polydag.learn(7)),
        (TypeError, lambda: polydag.learn(frame, botstrap=3)),
        (TypeError, lambda: polydag.learn(frame, seed=[1, 2])),
        (ValueError, lambda: polydag.learn(frame, missing="all")),
        (ValueError, lambda: polydag.learn({"a": [1.0], "b": [2.0]})),
        (ValueError, lambda: polydag.learn(frame, drop="nothing")),
    ):
        with pytest.raises(base) as fault:
            work()
        assert isinstance(fault.value, polydag.Error) and str(fault.value)


def test_notes_that_change_the_result_are_warnings(frame):
    with pytest.warns(polydag.PolydagWarning, match='alpha=.* has no effect with method="order"'):
        polydag.learn(frame, method="order", alpha=0.1)
    cells = frame.copy()
    cells.iloc[3, 1] = np.inf
    with pytest.warns(polydag.PolydagWarning, match="Infinite values count as missing"):
        polydag.learn(cells)
