"""PolyDAG is an estimator as scikit-learn has them: its own checks, and score by hand."""

import warnings

import numpy as np
import pytest

import polydag

#: Checks of scikit-learn that do not apply, by name, with the reason. docs/guides/python.md lists the same.
SKIPPED: dict = {}


def test_score():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 3))
    x[:, 1] += 2 * x[:, 0]
    x[:, 2] -= x[:, 1]
    model = polydag.PolyDAG(method="order", model="linear", noise="gaussian", seed=3).fit(x[:300])
    assert model.causal_matrix.sum() == 2
    # A DAG of three columns in a chain has the likelihood of its own Gaussian: means and the covariance that the graph implies.
    nodes = {node["name"]: node for node in model.result_.json["nodes"]}
    mean = np.array([nodes[name]["mean"] for name in model.result_.names])
    total = np.linalg.inv(np.eye(3) - model.result_.matrix)
    cov = total.T @ np.diag([nodes[name]["residual_variance"] for name in model.result_.names]) @ total
    d = x[300:] - mean
    want = -0.5 * (3 * np.log(2 * np.pi) + np.linalg.slogdet(cov)[1] + np.einsum("ij,jk,ik->i", d, np.linalg.inv(cov), d).mean())
    assert abs(model.score(x[300:]) - want) < 1e-9
    worse = polydag.PolyDAG(method="order", model="linear", forbid=[("x0", "x1"), ("x1", "x0")], seed=3).fit(x[:300])
    assert worse.score(x[300:]) < model.score(x[300:])
    with pytest.raises(polydag.NotFitted, match="call fit first"):
        polydag.PolyDAG().score(x)
    for bad, says in ((x[:, :2], "expecting 3 features"), (x[0], "expecting 3"), (x * np.nan, "finite"), ([["a", "b", "c"]], "needs numbers")):
        with pytest.raises(polydag.UsageError, match=says):
            model.score(bad)
    with pytest.raises(polydag.Error, match="needs a DAG"):
        polydag.PolyDAG(method="pc").fit(x).score(x)


def test_score_takes_columns_by_name():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200, 2))
    x[:, 1] += x[:, 0]
    frame = pd.DataFrame(x, columns=["a", "b"])
    model = polydag.PolyDAG().fit(frame)
    assert model.score(frame[["b", "a"]]) == model.score(frame) == model.score(x)
    assert list(model.feature_names_in_) == ["a", "b"] and not hasattr(model.fit(x), "feature_names_in_")
    with pytest.raises(polydag.UsageError, match="no column b"):
        model.fit(frame).score(frame[["a"]])


def test_checks_of_scikit_learn():
    checks = pytest.importorskip("sklearn.utils.estimator_checks", reason="scikit-learn is not installed (Debian: python3-sklearn)")
    ran = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in checks.check_estimator(polydag.PolyDAG(), generate_only=True):
            name = getattr(check, "func", check).__name__
            if name not in SKIPPED:
                check(estimator)
                ran.append(name)
    assert len(ran) > 20


def test_search_of_settings():
    selection = pytest.importorskip("sklearn.model_selection", reason="scikit-learn is not installed (Debian: python3-sklearn)")
    rng = np.random.default_rng(3)
    x = rng.normal(size=(300, 4))
    x[:, 1] += x[:, 0]
    search = selection.GridSearchCV(polydag.PolyDAG(seed=1, penalty=1), {"penalty": [1, 100]}, cv=2).fit(x)
    assert search.best_params_ == {"penalty": 1} and search.best_estimator_.seed == 1


def test_sample_weight_and_missing_values():
    random = np.random.default_rng(3)
    x = random.normal(size=(400, 3))
    x[:, 1] += x[:, 0]
    x[random.random((400, 3)) < 0.1] = np.nan
    weights = random.integers(1, 4, 400)
    model = polydag.PolyDAG(method="order", model="linear").fit(x, sample_weight=weights)
    assert model.n_features_in_ == 3 and model.result_.json["table"]["missing"]["effective_rows"] < 400
    with pytest.raises(polydag.Error):
        polydag.PolyDAG().fit(x, sample_weight=-weights)
