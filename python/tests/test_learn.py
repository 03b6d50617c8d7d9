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
    assert list(sure.edges.columns[:10]) == ["from", "to", "mark", "gain", "weight", "standardized", "verdict", "confidence", "basis", "p_adjacent"]
    assert len(sure.edges) == len(sure.json["edges"]) > 0
    assert "mist" not in set(sure.edges["to"])
    ranked = sorted(sure.json["edges"], key=lambda edge: -edge["gain"])
    assert list(sure.edges["weight"]) == [edge["weight"] for edge in ranked]


def test_basis():
    rng = np.random.default_rng(2)
    age = rng.normal(50, 10, 500)
    blood = 0.1 * age + rng.normal(size=500)
    x = blood + rng.normal(size=500)
    edges = polydag.learn(pd.DataFrame({"age": age, "b": blood, "c": x}), require=["b -> c"]).edges
    by = {(row["from"], row["to"]): row["basis"] for _, row in edges.iterrows()}
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
    of_group = edges[edges["from"] == "group"]
    assert len(of_group) and of_group["weight"].isna().all() and of_group["standardized"].isna().all()
    assert edges[edges["from"] != "group"]["weight"].notna().all()
    i, j = result.names.index("group"), result.names.index(of_group.iloc[0]["to"])
    assert np.isnan(result.matrix[i, j]) and result.matrix[j, i] == 0
    with pytest.raises(polydag.Error, match="have a slope"):
        polydag.PolyDAG(forbid=["* -> group"]).fit(mixed()).score(mixed())


def test_files_and_graphs_have_no_weight_of_categories(tmp_path):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    result = polydag.learn(mixed(), forbid=["* -> group"])
    assert np.isnan(result.matrix).any() and np.nansum(np.abs(result.matrix)) > 0
    for name in ("r.npy", "r.adjacency.csv", "r.csv", "r.graphml", "r.gml"):
        result.save(tmp_path / name)
    np.testing.assert_array_equal(np.load(tmp_path / "r.npy"), result.matrix)
    table = pd.read_csv(tmp_path / "r.adjacency.csv", index_col=0, float_precision="round_trip")
    assert list(table.index) == list(table.columns) == result.names
    np.testing.assert_array_equal(table.to_numpy(), result.matrix)
    listed = pd.read_csv(tmp_path / "r.csv", float_precision="round_trip").set_index(["from", "to"]).sort_index()
    for key in ("weight", "standardized"):
        np.testing.assert_array_equal(listed[key], result.edges.set_index(["from", "to"]).sort_index()[key])
    for graph in (result.graph, networkx.read_graphml(tmp_path / "r.graphml"), networkx.read_gml(tmp_path / "r.gml")):
        assert graph.number_of_edges() == len(result.edges)
        for _, edge in result.edges.iterrows():
            attributes = graph.edges[edge["from"], edge["to"]]
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
    for edge in result.json["edges"]:
        assert result.graph.edges[edge["from"], edge["to"]]["mark"] == edge["mark"]
        both = result.graph.has_edge(edge["to"], edge["from"])
        assert both == (edge["mark"] != "-->")
    pag = polydag.Result(json.dumps(dict(result.json, kind="pag", edges=[{"from": "mist", "to": "moss", "mark": "o->"}])))
    assert pag.graph.edges["moss", "mist"]["mark"] == "<-o"
    i, j = pag.names.index("mist"), pag.names.index("moss")
    assert np.isnan(pag.matrix[i, j]) and np.isnan(pag.matrix[j, i])


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
    shown = sure._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and shown.count("<") == 2, "the page stands in an attribute"
    page = sure.html()
    assert page.lower().startswith("<!doctype html") and "http://" not in page.replace("http://www.w3.org/", "")
    assert "ice_cream_scoops" in page and "default-src 'none'" in page


def test_save(sure, tmp_path):
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
        ({"botstrap": 3}, "unknown flag: --botstrap; did you mean --bootstrap"),
        ({"missing": "all"}, '--missing "all" is unknown; choose auto, drop, pairwise, error'),
        ({"method": "magic"}, 'method "magic" is unknown'),
        ({"seed": [1, 2]}, "seed takes one value, got 2"),
        ({"season": "x"}, '--set season="x": want a whole number'),
        ({"settings": ["restarts"]}, "settings is a mapping"),
        ({"settings": {"restarts": 2}, "restarts": 3}, "restarts is also an argument"),
        ({"output": "r.json"}, "output is set by this package"),
        ({"columns": "a\0b"}, "cannot be passed to the program"),
        ({"require": ["mist->moss"], "forbid": ["mist->moss"]}, "mist"),
        ({"require": [("mist", "moss", "light")]}, "not an edge"),
        ({"require": [7]}, "not an edge"),
        ({"knowledge": {"require": {1, 2}}}, "cannot be written as JSON"),
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
    assert "mist" not in set(result.edges["to"]) and result.json["seed"] == 7 and result.json["settings"]["standardize"] is True
    known = polydag.learn(frame, knowledge={"require": ["moss->mist"]})
    assert ("moss", "mist") in set(zip(known.edges["from"], known.edges["to"]))
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
    edges = set(zip(result.edges["from"], result.edges["to"]))
    assert ("moss", "mist") in edges and "light" not in set(result.edges["to"])
    odd = frame.rename(columns={"moss": "a->b", "mist": ' "c" '})
    edges = polydag.learn(odd, require=[("a->b", ' "c" ')]).edges
    assert ("a->b", ' "c" ') in set(zip(edges["from"], edges["to"]))
    numbered = frame.set_axis(range(frame.shape[1]), axis=1)
    edges = polydag.learn(numbered, require=[(3, 0)]).edges
    assert ("3", "0") in set(zip(edges["from"], edges["to"]))


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
    ranked = sure.drivers(of="moss", data=frame, by="light", replicates=10)
    assert ranked["schema"] == "polydag.drivers/1" and ranked["on"] == "moss" and ranked["drivers"]
    drawn = polydag.simulate(nodes=6, rows=200, seed=2)
    again = polydag.simulate(nodes=6, rows=200, seed=2)
    assert drawn.data.shape == (200, 6) and drawn.data.equals(again.data) and drawn.truth.equals(again.truth)
    found = polydag.learn(drawn.data)
    counts = polydag.evaluate(found, drawn.truth, sid=True)
    assert counts["edges_true"] == len(drawn.truth) and counts["shd"] <= 2 and "sid" in counts
    assert found.evaluate([(a, b) for a, b in zip(drawn.truth["from"], drawn.truth["to"])])["shd"] == counts["shd"]
    assert polydag.evaluate(found.json, found.graph)["shd"] == 0
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
    with pytest.warns(polydag.PolydagWarning, match="stopped after 50 steps"):
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
assert isinstance(r.edges, list) and r.edges[0]["from"] in r.names
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
