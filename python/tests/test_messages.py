"""Messages speak Python: no word of the command line, none of the files that the package writes for the program."""

import re
import warnings

import numpy as np
import pytest

import polydag
from polydag import _words

pd = pytest.importorskip("pandas", reason="pandas is not installed")

#: Words of the command line, and names of temporary files.
REFUSED = re.compile(r"--[a-z]|standard input|standard output|stdin|\bflags?\b|command line|\bpolydag [a-z]+ |exit code|truth\.csv|graph\.csv|(?<!\w)result\.json|\.arrow\b|tiers\.json|knowledge\.json|^-: |truth.*column \d|\bis written\b|the file has|deadline=\)|=\"(?:true|\d)")


def rows(seed=1, n=60, width=4):
    x = np.random.default_rng(seed).normal(size=(n, width))
    x[:, -1] += x[:, 0]
    return pd.DataFrame(x, columns=list("abcdefgh"[:width]))


def put(row, column, value):
    frame = rows().astype(object)
    frame.iloc[row, column] = value
    return frame


TABLES = {
    "one row": rows(n=1), "two rows": rows(n=2), "one column": rows(width=1), "no rows": rows(n=0), "constant": rows().assign(a=1.0),
    "all missing": rows().assign(a=np.nan), "a hole": put(3, 1, None), "infinite": put(3, 1, np.inf), "text": put(3, 1, "x"), "all text": rows().astype(str) + "x",
    "twice": pd.concat([rows(), rows()], axis=1), "copy": rows().assign(e=lambda t: t["a"]), "sum": rows().assign(e=lambda t: t["a"] + t["b"]),
    "identifier": rows().assign(e=range(60)), "dates": rows().assign(e=pd.date_range("2020-01-01", periods=60)), "long text": rows().assign(e=["w%d" % i for i in range(60)]),
    "numbers as names": rows().set_axis([1, 2, 3, 4], axis=1), "wide": pd.DataFrame(np.random.default_rng(1).normal(size=(8, 30))),
    "a slip": rows().assign(a=rows()["a"].round(3).astype(str).where(rows().index != 3, "about 1")), "amounts": rows().assign(a=["%d €" % i for i in range(60)]),
    "huge": rows() * 1e300, "sorted": rows().sort_values("a"), "scales": rows().assign(a=lambda t: t["a"] * 1e9), "rows that repeat": pd.concat([rows(n=20)] * 4),
}  # fmt: skip

SETTINGS = [
    {"botstrap": 3}, {"missing": "all"}, {"missing": "drop"}, {"missing": "pairwise"}, {"missing": "error"}, {"method": "magic"}, {"method": "var-lingam"}, {"method": "order", "alpha": 0.1},
    {"method": "pc", "settings": {"restarts": 3}}, {"settings": {"season": 12}}, {"settings": {"seasn": 12}}, {"settings": {"steps": 10}}, {"model": "cubic"}, {"model": "discrete"},
    {"bootstrap": -1}, {"bootstrap": 10**7}, {"bootstrap": "many"}, {"bootstrap": 5, "stability": 5}, {"stability": 1}, {"posterior": True, "bootstrap": 5}, {"calibrate": 3},
    {"seed": "x"}, {"seed": -1}, {"threads": 0}, {"threads": 10**6}, {"penalty": -1}, {"alpha": 2, "method": "pc"}, {"deadline": -1}, {"deadline": "soon"}, {"device": "tpu"},
    {"drop": "nothing"}, {"drop": ["a", "b", "c"]}, {"columns": "a"}, {"columns": ["a", "zz"]}, {"keep": "zz"}, {"rows": "x"}, {"rows": 1}, {"kind": {"a": "round"}}, {"kind": {"zz": "count"}},
    {"require": ["a->zz"]}, {"require": ["a->b", "b->a"]}, {"require": ["a->b"], "forbid": ["a->b"]}, {"forbid": ["a"]}, {"prior": ["a->b=2"]}, {"prior": [("a", "b", "x")]},
    {"order": ["a"]}, {"order": ["a", "zz"]}, {"tiers": [["a"], ["a"]]}, {"tiers": [["a"], ["zz"]]}, {"tiers": 7}, {"knowledge": {"require": [7]}}, {"knowledge": {"wish": []}}, {"knowledge": "no.json"},
    {"environments": "zz"}, {"environments": "a"}, {"environments": "a", "targets": "b"}, {"targets": "zz"}, {"groups": "zz"}, {"time": "zz"}, {"time": "a", "lags": 500}, {"lags": 2}, {"series": "a"},
    {"resume": True}, {"checkpoint": "/proc/none"}, {"sensitive": "zz"}, {"validation": "no.csv"}, {"roots": "zz"}, {"leaves": "zz"}, {"names": "perhaps"}, {"max_memory": "1K"}, {"max_memory": "x"},
    {"encode": "error"}, {"encode": "x"}, {"row_weights": "zz"}, {"frequencies": "a"}, {"log": "a"}, {"discretize": 99}, {"discretize": 3}, {"consensus": 0.5}, {"standardize": True, "method": "order"},
    {"R": 20}, {"bootstrap": True}, {"bootstrap": 1.5}, {"random_state": 1}, {"n_jobs": 2}, {"verbose": True}, {"require": ("a", "zz")}, {"require": ["a", "b"]}, {"knowledge": {"require": [("a", "zz")]}},
    {"bootstrap": 10**5, "deadline": 0.3}, {"time": "index"}, {"progress": "yes"}, {"format": "xls"}, {"gaps": "break"}, {"difference": True}, {"nats": "nowhere:1", "bootstrap": 2}, {"output": "x"}, {"config": "x.yaml"}, {"max_edges": -3}, {"min_gain": -1}, {"tier_odds": 3},
]  # fmt: skip


def said(work):
    """The warnings, the notes and the error of one call, and the sentences of its answer."""
    messages = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = work()
            messages += getattr(answer, "warnings", []) + getattr(answer, "notes", [])
            if isinstance(answer, dict):
                messages += sentences(answer)
            if isinstance(answer, polydag.Effect):
                messages.append(answer.summary())
        except polydag.Error as fault:
            messages.append(str(fault))
    return messages + [str(one.message) for one in caught if issubclass(one.category, polydag.PolydagWarning)]


def sentences(value):
    """The texts of several words in an answer."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in sentences(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in sentences(inner)]
    return [value] if isinstance(value, str) and value.count(" ") >= 2 else []


def test_no_message_speaks_of_the_command_line(tmp_path):
    good = rows(n=200)
    result = polydag.learn(good, bootstrap=5)
    pag = polydag.learn(good, method="fci")
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n2,?!\n3,4\n")
    (tmp_path / "cut.csv").write_text("a,b\n1,2\n2\n3,4\n")
    calls = [lambda table=table: polydag.learn(table, threads=1) for table in TABLES.values()]
    calls += [lambda table=table: polydag.check(table) for table in TABLES.values()]
    calls += [lambda settings=settings: polydag.learn(good, **settings) for settings in SETTINGS]
    calls += [
        lambda: polydag.learn("nosuch.csv"), lambda: polydag.learn(tmp_path / "bad.csv"), lambda: polydag.learn(tmp_path / "bad.csv", encode="error"),
        lambda: polydag.learn(tmp_path / "cut.csv"), lambda: polydag.learn(tmp_path), lambda: polydag.learn([]), lambda: polydag.learn(7), lambda: polydag.learn(None),
        lambda: polydag.learn([tmp_path / "bad.csv", tmp_path / "cut.csv"]), lambda: polydag.learn(good, sample_weight=-np.ones(200)), lambda: polydag.learn(good, sample_weight=[1]),
        lambda: result.effect("a", "zz"), lambda: result.effect("a", "a"), lambda: result.effect("a", "b", data=rows(seed=9)), lambda: result.effect("a", "b", data=good, level=3),
        lambda: result.effect("a", "b", do="x"), lambda: result.effect("a", "b", given="zz=1"), lambda: result.effect("a", "b"), lambda: pag.effect("a", "b"), lambda: result.drivers("zz"),
        lambda: result.drivers("b", by="zz", data=good), lambda: result.drivers("b"), lambda: pag.drivers("b"), lambda: result.explain("a", "zz"), lambda: pag.explain("a", "b"),
        lambda: result.evaluate([("a", "zz")]), lambda: result.evaluate([("a", "b"), ("b", "a")]), lambda: result.evaluate("no.csv"), lambda: result.evaluate([("a", "a")]), lambda: result.evaluate([]), lambda: polydag.merge([], good), lambda: polydag.learn(good["a"]),
        lambda: pag.evaluate([("a", "b")], sid=True), lambda: polydag.confidence(result, rows(seed=9), bootstrap=5), lambda: polydag.confidence(result, good, bootstrap=0), lambda: polydag.questions(pag),
        lambda: polydag.questions(result), lambda: polydag.test([("a", "zz")], good), lambda: polydag.test(pag, good), lambda: polydag.why(good, good, graph=result, target="zz"),
        lambda: polydag.why(good, graph=result, target="b", row=10**6), lambda: polydag.why(good, graph=result, target="b"), lambda: polydag.why(good, rows(width=2), graph=result, target="b", replicates=0),
        lambda: polydag.simulate(nodes=0), lambda: polydag.simulate(rows=-1), lambda: polydag.simulate(model="x"), lambda: polydag.compare(good, methods=["magic"]), lambda: polydag.settings("nothing"),
        lambda: polydag.compare(good, methods=["order"], truth=[("a", "zz")]), lambda: polydag.call("nothing"), lambda: polydag.call("path", data=good, splits=0), lambda: polydag.Result("{}"),
        lambda: result.save(tmp_path / "no" / "r.html"), lambda: result.save(tmp_path / "r.nothing"), lambda: pag.save(tmp_path / "r.bnlearn"), lambda: result.save(tmp_path / "r.bif"),
        lambda: result.plot(tmp_path / "r.txt"), lambda: result.plot(edges="x"), lambda: result.plot(threshold=99), lambda: pag.dag, lambda: polydag.PolyDAG().causal_matrix_,
        lambda: polydag.PolyDAG(method="pc").fit(good).score(good), lambda: polydag.PolyDAG(method="magic").fit(good),
    ]  # fmt: skip
    heard = {message for call in calls for message in said(call)}
    assert len(heard) > 150
    assert [message for message in sorted(heard) if REFUSED.search(message)] == []


def test_help_speaks_python():
    for name in ("learn", "effect", "check", "evaluate", "compare", "simulate", "why", "test"):
        for flag in polydag.settings(name):
            assert not re.search(r"--[a-z]", flag["help"]), flag
    assert not re.search(r"--[a-z]", polydag.learn.__doc__)


@pytest.mark.parametrize(
    "program, package",
    [
        ("--bootstrap -3: want at least 0", "bootstrap=-3: want at least 0"),
        ('--missing "all" is unknown', 'missing="all" is unknown'),
        ("--alpha has no effect with --method order; it is a setting of", 'alpha= has no effect with method="order"; it is a setting of'),
        ("add --set step=1h", "add step=1h"),
        ("it was taken for a header: --set no-header", "it was taken for a header: no_header=True"),
        ("give --data TABLE.csv, or --lambda 0.5", "give data=..., or lambda_=0.5"),
        ("use --keep a --keep b to keep them", 'use keep=["a", "b"] to keep them'),
        ("fewer columns (--columns, --drop) or --time .", 'fewer columns (columns=, drop=) or time="."'),
        ("with --drop or --time e, so that", 'with drop= or time="e", so that'),
        ("max-edges = -3, want", "max_edges = -3, want"),
        ("see polydag learn --help", "see help(polydag.learn)"),
        ("standard input: the file is empty", "the table: the file is empty"),
        ("a column '--odd' and x--y", "a column '--odd' and x--y"),
    ],
)
def test_translation(program, package):
    assert _words.python(program) == package
