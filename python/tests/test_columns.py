"""A table in memory gives what the command gives for the same table as CSV, byte for byte but for where it came from."""

import datetime
import decimal
import json
import re
import subprocess

import numpy as np
import pytest

import polydag

pd = pytest.importorskip("pandas", reason="pandas is not installed")


def text(result):
    """The bytes of a result without the seconds that it took and where the table came from.

    A note that the text of a column was read as dates, or as 1 and 0, belongs to a file of text: in memory the column has
    its type.
    """
    out = re.sub(rb'\n  "timing": \{.*?\n  \},?', b"", result, flags=re.S)
    out = re.sub(rb'\n      "Columns? [\w, ]+ (?:was|were) read as (1 for true and 0 for false|seconds since 1970-01-01 UTC, from its dates)\.",?(?=\n)', b"", out)
    return re.sub(rb'\n    "(name|format|bytes|sha256)": .*?,(?=\n)', b"", out, count=4)


def by_command(binary, frame, folder, *flags):
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return subprocess.run([binary, "learn", str(path), "--output", "-", "--quiet", *flags], check=True, stdout=subprocess.PIPE).stdout


def table(n=300, seed=1):
    rng = np.random.default_rng(seed)

    def objects(make):
        return pd.Series([make() for _ in range(n)], dtype=object)

    def words(*of):
        return np.array(of, dtype=object)[rng.integers(0, len(of), n)]

    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "float64": x,
            "float32": np.round(8 * (x + rng.normal(size=n))).astype("f4") / 8,
            "int64": rng.integers(-5, 5, n) * 10**12,
            "uint8": rng.integers(0, 200, n).astype("u1"),
            "bool": rng.random(n) < 0.5,
            "Int64": pd.array(rng.integers(0, 50, n), dtype="Int64"),
            "Int8": pd.array(rng.integers(-9, 9, n), dtype="Int8"),
            "Float64": pd.array(rng.normal(size=n), dtype="Float64"),
            "boolean": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "string": pd.array(words("u", "v", "w w"), dtype="string"),
            "object": words("red", "grün", '"q",'),
            "category": pd.Categorical(words("low", "middle", "high"), categories=["low", "middle", "high"]),
            "instant": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**9, n), unit="s"),
            "day": pd.Timestamp("1960-01-01") + pd.to_timedelta(rng.integers(0, 9000, n), unit="D"),
            "zoned": pd.Timestamp("2024-03-01", tz="Europe/Berlin") + pd.to_timedelta(rng.integers(0, 10**7, n), unit="s"),
            "date": objects(lambda: datetime.date(2020, 1, 1) + datetime.timedelta(int(rng.integers(0, 900)))),
            "decimal": objects(lambda: decimal.Decimal(int(rng.integers(0, 900))) / 8),
            "truth": objects(lambda: bool(rng.random() < 0.4)),
            "digits": objects(lambda: str(int(rng.integers(0, 900)))),
            "answer": words("yes", "no"),
        }
    )


def test_every_type_gives_what_its_csv_gives(binary, tmp_path):
    frame = table()
    assert text(polydag.learn(frame).text) == text(by_command(binary, frame, tmp_path))


def test_missing_values_of_every_type(binary, tmp_path):
    frame, rng = table(), np.random.default_rng(2)
    for name in frame.columns:
        if name in ("int64", "uint8", "bool", "float64"):
            continue  # these types cannot have a missing value, or have it as the others
        column = frame[name].copy()
        column[rng.random(len(column)) < 0.03] = None
        frame[name] = column
    frame.loc[rng.random(len(frame)) < 0.03, "float64"] = np.nan
    assert frame.isna().any().sum() == len(frame.columns) - 3
    with pytest.warns(polydag.PolydagWarning, match="values are missing"):
        got = polydag.learn(frame, missing="drop")
    assert got.json["rows"] < len(frame)
    assert text(got.text) == text(by_command(binary, frame, tmp_path, "--missing", "drop"))


def test_words_that_stand_for_missing_values(binary, tmp_path):
    """None is a category among words; NA and ? are missing, and * as far as it is rare. The table is the same in both forms."""
    rng = np.random.default_rng(3)
    n = 500

    def words(*of):
        return np.array(of, dtype=object)[rng.integers(0, len(of), n)]

    accident = words("None", "None", "None", "Mild", "Severe")
    cost = np.where(accident == "None", words("low", "low", "NA", "*", "?"), words("high", "high", "low", "NA", "high"))
    frame = pd.DataFrame({"accident": accident, "cost": cost, "member": words("yes", "no", "NA"), "star": words("*", "**", "*"), "x": rng.normal(size=n)})
    frame["category"] = pd.Categorical(words("a", "NA", "None", "b"))
    by_file = by_command(binary, frame, tmp_path)
    with pytest.warns(polydag.PolydagWarning, match="values are missing"):
        got = polydag.learn(frame)
    assert text(got.text) == text(by_file)
    levels = {node["name"]: node.get("levels") for node in json.loads(by_file)["nodes"]}
    assert levels["accident"] == ["Mild", "None", "Severe"] and levels["cost"] == ["high", "low"] and levels["star"] == ["*", "**"]


def test_text_is_read_as_in_a_file(binary, tmp_path):
    """Amounts, dates, percentages, other decimal marks and words among numbers, in columns of text, are read as in CSV."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=200)

    def near():
        return x + rng.normal(size=200)

    frame = pd.DataFrame(
        {
            "day": ["%02d.%02d.2024" % (1 + i % 28, 1 + i % 12) for i in range(200)],
            "time": pd.date_range("2020-01-01", periods=200).strftime("%Y-%m-%d"),
            "price": ["%.2f €" % (20 + v) for v in near()],
            "share": ["%.1f%%" % (50 + 5 * v) for v in near()],
            "amount": [("%.1f" % (1000 + 100 * v)).replace(".", ",") for v in near()],
            "hole": [str(i) if i != 7 else "n/a" for i in rng.integers(0, 1000, 200)],
            "slip": [str(round(v, 3)) if i != 9 else "12.5 approx" for i, v in enumerate(near())],
            "account": [str(10**17 + i) for i in range(200)],
            "code": np.array(["A1", "B2", "C3"])[rng.integers(0, 3, 200)],
            "region": pd.Categorical(np.array(["1 €", "2 €", "3 €"])[rng.integers(0, 3, 200)]),
            "plain": near(),
        }
    )
    with pytest.warns(polydag.PolydagWarning, match=r'Column slip: "12.5 approx" \(row 10\) is not a number'):
        got = polydag.learn(frame)
    want = json.loads(by_command(binary, frame.assign(region=frame["region"].cat.codes.map({0: "one", 1: "two", 2: "three"})), tmp_path))
    for one in want["nodes"]:
        if one["name"] == "region":
            one["levels"], one["kind"] = ["1 €", "2 €", "3 €"], "categorical"
    assert [list(row) for row in got.excluded[["name", "reason"]].to_numpy()] == [[one["name"], one["reason"]] for one in want["table"]["excluded"]]
    assert {"slip"} <= set(got.excluded["name"]) and "columns excluded" in repr(got).splitlines()[0]
    for mine, theirs in zip(got.json["nodes"], want["nodes"]):
        assert {key: mine.get(key) for key in ("name", "kind", "mean", "std")} == {key: theirs.get(key) for key in ("name", "kind", "mean", "std")}
    kinds = {node["name"]: node["kind"] for node in got.json["nodes"]}
    assert kinds["price"] == kinds["share"] == kinds["amount"] == "continuous" and kinds["code"] == kinds["region"] == "categorical"
    assert [(e["from"], e["to"]) for e in got.json["edges"]] == [(e["from"], e["to"]) for e in want["edges"]]


def test_text_that_differs_is_noticed(binary, tmp_path):
    """The comparison of these tests can fail."""
    frame = table()
    other = frame.copy()
    other.loc[0, "float64"] += 1e-9
    assert text(polydag.learn(frame).text) != text(by_command(binary, other, tmp_path))


HOSTILE = ["a b", "größe", "名前", "<script>alert(1)</script>", 'quo"te', "semi;colon", "new\nline", "-flag", "--output", "%s", "🦊", "{json}"]


def test_hostile_names_survive(tmp_path):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, len(HOSTILE)))
    for j in range(1, len(HOSTILE)):
        x[:, j] += x[:, j - 1]
    result = polydag.learn(pd.DataFrame(x, columns=HOSTILE), forbid=["-flag->--output"])
    assert result.names == HOSTILE
    assert set(result.edges["source"]) <= set(HOSTILE) and len(result.edges) >= len(HOSTILE) - 2
    assert "<script>alert(1)</script>" not in result.page()._repr_html_() and "<script" not in result._repr_svg_()
    edges = list(zip(result.edges["source"], result.edges["target"]))
    assert polydag.evaluate(result, edges)["shd"] == 0
    start, end = edges[0]
    assert result.explain(start, end)["from"] == start
    result.save(tmp_path / "r.json")
    assert polydag.Result.load(tmp_path / "r.json").text == result.text


def test_arrays_and_mappings_are_the_same_table():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(20_000, 4))  # more rows than a record batch has
    x[:, 1] += x[:, 0]
    names = ["a", "b", "c", "d"]
    want = text(polydag.learn(pd.DataFrame(x, columns=names)).text)
    structured = np.array([tuple(row) for row in x], dtype=[(name, "f8") for name in names])
    for other in (
        polydag.learn(x, names=names),
        polydag.learn(np.asfortranarray(x), names=names),
        polydag.learn(x.astype(">f8"), names=names),
        polydag.learn(structured),
        polydag.learn({name: x[:, j] for j, name in enumerate(names)}),
        polydag.learn([list(row) for row in x], names=names),
    ):
        assert text(other.text) == want
    assert polydag.learn(x).names == ["x0", "x1", "x2", "x3"]


def test_input_is_not_changed():
    frame = table()
    copy = frame.copy(deep=True)
    polydag.learn(frame)
    pd.testing.assert_frame_equal(frame, copy)


def test_masked_and_odd_numbers():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(100, 3))
    masked = np.ma.array(x, mask=x > 2.2)
    with pytest.raises(polydag.Error) as fault:
        polydag.learn(masked, missing="error")
    assert fault.value.code == "missing" and fault.value.remedies[0] == {"setting": "missing", "value": "auto"}
    assert polydag.learn(x.astype("f2")).json["rows"] == 100
    assert polydag.learn(x.astype(np.longdouble)).names == ["x0", "x1", "x2"]
    x[3, 1] = np.inf
    with pytest.raises(polydag.Error, match="not a finite number"):
        polydag.learn(x, missing="error")
    assert "missing" in polydag.learn(x).json["table"]  # an infinite value counts as missing
    spans = pd.DataFrame({"t": pd.to_timedelta(rng.integers(0, 10**6, 100), unit="s"), "x": x[:, 0]})
    assert polydag.check(spans)["columns"][0]["max"] <= 10**6


@pytest.mark.parametrize(
    "data, names, says",
    [
        (np.zeros(3), None, "an array of 1 dimension is not a table"),
        (7, None, "int is not a table"),
        (np.zeros((3, 2)), ["a"], "1 names for 2 columns"),
        (pd.DataFrame({"a": [1, 2]}), ["a"], "a DataFrame, which has its own"),
        ("table.csv", ["a"], "a file, which has its own"),
        (np.zeros((3, 2), complex), None, "type complex128"),
        (pd.DataFrame(np.zeros((2, 2)), columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])), None, "MultiIndex"),
        (pd.DataFrame({"a": ["\ud800", "b"], "c": [1, 2]}), None, "UTF-8"),
        ({"a": [1, 2], "b": [1]}, None, "different lengths"),
        ({}, None, "no columns"),
        ([[1, 2], [3]], None, "the table cannot be converted to an array|not a table"),
        (pd.DataFrame({"a\udc80": [1, 2], "c": [1, 2]}), None, "the name of a column.*UTF-8"),
        ({"\ud800": [1, 2], "c": [1, 2]}, None, "the name of a column.*UTF-8"),
        (pd.DataFrame({"a": [b"\xff", b"b"], "c": [1, 2]}), None, "not UTF-8"),
        (pd.DataFrame({"a": pd.Categorical([b"\xff", b"b"]), "c": [1, 2]}), None, "not UTF-8"),
        (pd.DataFrame({"a": pd.Categorical(["\ud800", "b"]), "c": [1, 2]}), None, "UTF-8"),
    ],
)
def test_invalid_tables(data, names, says):
    with pytest.raises(polydag.UsageError, match=says):
        polydag.learn(data, names=names)


def test_same_name_twice():
    frame = pd.DataFrame(np.random.default_rng(6).normal(size=(50, 2)), columns=["a", "a"])
    with pytest.raises(polydag.Error, match="the name is taken") as fault:
        polydag.learn(frame)
    assert fault.value.place["name"] == "a" and fault.value.place["column"] == 2


def test_polars(binary, tmp_path):
    pl = pytest.importorskip("polars", reason="there is no polars here, and none in Debian 12")
    frame = table().drop(columns=["decimal", "zoned", "truth", "digits", "date"])
    other = pl.DataFrame({name: frame[name].tolist() for name in frame.columns})
    want = json.loads(by_command(binary, frame, tmp_path))["table"]["moments_sha256"]
    assert polydag.learn(other).json["table"]["moments_sha256"] == want
    assert polydag.learn(other.lazy()).json["table"]["moments_sha256"] == want


def test_polars_writes_its_stream_itself(monkeypatch, demo):
    """Where polars is not installed, a stand-in holds the package to the one function of it that is used."""
    import io
    import sys
    import types

    from polydag import _arrow, _columns

    class DataFrame:
        def write_ipc_stream(self, file):
            assert file is None
            out = io.BytesIO()
            _arrow.write(_columns._columns(pd.read_csv(demo), None), out.write)
            return out

    class LazyFrame:
        def collect(self):
            return DataFrame()

    monkeypatch.setitem(sys.modules, "polars", types.SimpleNamespace(DataFrame=DataFrame, LazyFrame=LazyFrame))
    want = polydag.learn(demo).json["table"]["moments_sha256"]
    assert polydag.learn(DataFrame()).json["table"]["moments_sha256"] == want
    assert polydag.learn(LazyFrame()).json["table"]["moments_sha256"] == want
    with pytest.raises(polydag.UsageError, match="has its own"):
        polydag.learn(DataFrame(), names=["a"])


def test_columns_side_by_side_are_copied_together():
    """An array by rows arrives as its columns one by one do, whatever the type, and so do parts of it."""
    from polydag import _arrow, _columns

    def stream(columns):
        out = []
        _arrow.write(columns, lambda piece: out.append(bytes(piece)))
        return b"".join(out)

    rng = np.random.default_rng(1)
    for dtype in ("f8", "f4", "i4"):
        rows = (100 * rng.normal(size=(40000, 5))).astype(dtype)
        for part, block in ((rows, True), (rows[:, 1:4], True), (rows[:, ::2], False), (rows[:, ::-1], False)):
            columns = _columns._columns(part, None)
            assert (_arrow._block(columns) is not None) == block
            apart = _columns._columns({"x%d" % i: part[:, i].copy() for i in range(part.shape[1])}, None)
            assert stream(columns) == stream(apart)


def nodes(result):
    return {node["name"]: node for node in result.json["nodes"]}


def test_categories_stay_categorical_whatever_their_labels_look_like():
    rng = np.random.default_rng(7)
    n = 400
    zips = rng.integers(10_000, 99_999, 30)
    days = np.array(["2024-01-01", "2024-02-01", "2024-03-01"])
    frame = pd.DataFrame(
        {
            "zip": pd.Categorical(zips[rng.integers(0, 30, n)]),
            "digits": pd.Categorical(rng.integers(0, 4, n).astype(str)),
            "half": pd.Categorical(rng.integers(0, 4, n) / 2),
            "day": pd.Categorical(days[rng.integers(0, 3, n)]),
            "instant": pd.Categorical(pd.to_datetime(days[rng.integers(0, 3, n)])),
            "answer": pd.Categorical(np.array(["yes", "no"])[rng.integers(0, 2, n)]),
            "count": rng.integers(0, 30, n),
            "x": rng.normal(size=n),
        }
    )
    got = nodes(polydag.learn(frame))
    assert {name: node["kind"] for name, node in got.items()} == {
        "zip": "categorical", "digits": "categorical", "half": "categorical", "day": "categorical", "instant": "categorical", "answer": "binary",
        "count": "count", "x": "continuous",
    }  # fmt: skip
    assert got["zip"]["levels"] == [str(code) for code in sorted(set(frame["zip"]))]
    assert got["half"]["levels"] == ["0.0", "0.5", "1.0", "1.5"] and got["day"]["levels"] == list(days)


@pytest.mark.parametrize("labels", [["low", "middle", "high"], [30, 5, 100], ["2024-03-01", "2024-01-01", "2024-02-01"]])
def test_ordered_categories_are_ordinal_in_their_order(labels):
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 3, 500)
    dose = pd.Categorical.from_codes(codes, categories=[*labels, "unused"], ordered=True)
    frame = pd.DataFrame({"dose": dose, "y": 3.0 * codes + rng.normal(size=500), "z": rng.normal(size=500)})
    result = polydag.learn(frame)
    node = nodes(result)["dose"]
    assert node["kind"] == "ordinal" and node["levels"] == [str(label) for label in labels]
    edge = next(edge for edge in result.json["edges"] if {edge["from"], edge["to"]} == {"dose", "y"})
    assert edge["weight"] > 0, "the order is that of the categories"
    frame.loc[3, "dose"] = None
    assert nodes(polydag.learn(frame, missing="drop"))["dose"]["levels"] == [str(label) for label in labels]
