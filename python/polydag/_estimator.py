"""The estimator that users of lingam, gCastle and scikit-learn expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

import numpy as np

from . import _api
from ._errors import DataError, Error, NotFitted, UsageError
from ._result import Result

if TYPE_CHECKING:
    from ._commands import LearnSettings
else:
    LearnSettings = object

#: What fit sets; all other attributes are settings.
_FITTED = ("adjacency_matrix_", "causal_order_", "result_", "feature_names_in_", "n_features_in_")

#: What scikit-learn calls some faults of a table, by their code; its users and its checks look for these words.
_WORDS = {"missing": "X contains NaN", "not-finite": "X contains inf", "one-row": "n_samples=1", "one-column": "n_features=1"}


class PolyDAG(LearnSettings):
    """Learns a graph in ``fit``; settings are those of ``polydag.learn``, and each is an attribute too.

    After ``fit``:

    - ``adjacency_matrix_``: entry (i, j) is the effect of column j on column i, as in lingam, and the transpose of
      ``result_.matrix``. NaN both ways where a direction is not known; NaN one way where an effect has no slope.
    - ``causal_order_``: indices of the columns, causes first; None where the result has no order.
    - ``causal_matrix``: entry (i, j) is 1 where column i has an arrow to column j, as in gCastle.
    - ``result_``: the polydag.Result. ``n_features_in_`` and, for tables with names, ``feature_names_in_`` as in scikit-learn.
    """

    adjacency_matrix_: np.ndarray[Any, Any]
    causal_order_: Optional[List[int]]
    result_: Result
    feature_names_in_: np.ndarray[Any, Any]
    n_features_in_: int

    if not TYPE_CHECKING:  # LearnSettings has it with every setting

        def __init__(self, method: str = "auto", **settings: Any) -> None:
            self.method = method
            vars(self).update(settings)

    def fit(self, X: Any, y: Any = None, *, names: Optional[Sequence[str]] = None) -> "PolyDAG":
        """Learns from a table, as polydag.learn takes it. y is not looked at."""
        try:
            result = _api.learn(_dense(X), names=names, **self.get_params())
        except Error as fault:
            if fault.exit != 1:
                raise
            words = _WORDS.get(fault.code)
            raise DataError("%s (%s)" % (fault, words) if words else str(fault), fault.code, fault.place, fault.remedies, fault.exit) from None
        self.result_ = result
        self.adjacency_matrix_ = result.matrix.T
        place = {name: i for i, name in enumerate(result.names)}
        self.causal_order_ = None if result.order is None else [place[name] for name in result.order]
        vars(self).pop("feature_names_in_", None)
        if names is not None or not _is_plain(X):
            self.feature_names_in_ = np.array(result.names, dtype=object)
        self.n_features_in_ = len(result.names)
        return self

    @property
    def causal_matrix(self) -> np.ndarray[Any, Any]:
        """Entry (i, j) is 1 where column i has an arrow to column j, else 0."""
        result = self._result()
        place = {name: i for i, name in enumerate(result.names)}
        arrows = np.zeros((len(place), len(place)), int)
        for edge in result.json["edges"] or []:
            if edge["mark"] == "-->":
                arrows[place[edge["from"]], place[edge["to"]]] = 1
        return arrows

    def _result(self) -> Result:
        if "result_" not in vars(self):
            raise NotFitted("this PolyDAG is not fitted; call fit first", code="not-fitted")
        return self.result_

    def learn(self, data: Any, columns: Optional[Sequence[str]] = None) -> "PolyDAG":
        """fit by the name that it has in gCastle."""
        return self.fit(data, names=columns)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the rows of X, in nats, under the learned graph with linear Gaussian effects.

        X has the columns of the table that was learned from, as numbers. Weights, means and residual variances are
        those of the result, so a table that was held out measures how well the graph predicts. y is not looked at.
        It needs a DAG whose effects all have a slope; other results raise polydag.Error.
        """
        result = self._result()
        w = result.matrix
        nodes = {node["name"]: node for node in result.json.get("nodes") or []}
        if result.kind != "dag" or np.isnan(w).any() or set(nodes) != set(result.names):
            raise Error("score needs a DAG whose effects all have a slope; this result is a %s with %d edges that have none"
                        % (result.kind.upper(), int(np.isnan(w).sum())), code="no-likelihood")  # fmt: skip
        mean = np.array([nodes[name]["mean"] for name in result.names])
        variance = np.array([nodes[name]["residual_variance"] for name in result.names])
        x = _numbers(X, result.names) - mean
        if not (variance > 0).all():
            constant = [name for name, v in zip(result.names, variance) if not v > 0]
            raise Error("score needs columns with noise; the parents of %s determine it" % constant[0], code="no-likelihood")
        rest = x - x @ w
        return float(-0.5 * (np.log(2 * np.pi * variance).sum() + (rest**2 / variance).sum(axis=1).mean()))

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The settings, as scikit-learn asks for them."""
        return {key: value for key, value in vars(self).items() if key not in _FITTED}

    def set_params(self, **params: Any) -> "PolyDAG":
        """Changes settings."""
        vars(self).update(params)
        return self

    def __repr__(self) -> str:
        return "PolyDAG(%s)" % ", ".join("%s=%r" % item for item in self.get_params().items())

    def _more_tags(self) -> Dict[str, Any]:
        """What scikit-learn's checks should know (before its version 1.6)."""
        return {"allow_nan": vars(self).get("missing", "auto") != "error", "X_types": ["2darray", "string"]}

    def __sklearn_tags__(self) -> Any:
        """The same for its version 1.6 and later."""
        from sklearn.utils import InputTags, Tags, TargetTags  # type: ignore[import]

        old = self._more_tags()
        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags(string=True, allow_nan=old["allow_nan"]))


def _is_plain(X: Any) -> bool:
    """Whether a table is an array or lists, whose columns have no names."""
    return isinstance(X, (list, tuple)) or isinstance(X, np.ndarray) and X.dtype.names is None


def _dense(X: Any) -> Any:
    """The table. A sparse matrix and an array without columns are refused in the words of scikit-learn."""
    if type(X).__module__.startswith("scipy.sparse"):
        raise UsageError("a sparse matrix is no table; give X.toarray()", code="usage")
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 0:
        raise UsageError("0 feature(s) (shape=%s) while a minimum of 2 is required." % (X.shape,), code="usage")
    return X


def _numbers(X: Any, names: Sequence[str]) -> np.ndarray[Any, Any]:
    """The columns of a table as an array of numbers, in the order of the names where it has them."""
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        lacking = [name for name in names if name not in set(map(str, X.columns))]
        if lacking:
            raise UsageError("the table has no column %s, which the graph has" % lacking[0], code="usage")
        X = X[[column for name in names for column in X.columns if str(column) == name]].to_numpy()
    try:
        x = np.asarray(X, dtype=float)
    except (TypeError, ValueError) as fault:
        raise UsageError("score needs numbers: %s" % fault, code="usage") from None
    if x.ndim != 2 or x.shape[1] != len(names):
        raise UsageError("X has %s features, but PolyDAG is expecting %d features as input" % (x.shape[1] if x.ndim == 2 else "no", len(names)), code="usage")
    if not np.isfinite(x).all():
        raise UsageError("score needs finite numbers; the table has missing or infinite ones", code="usage")
    return x
