"""An estimator with the interface of scikit-learn, lingam and gCastle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

import numpy as np

from . import _api
from ._errors import DataError, Error, UsageError, not_fitted
from ._result import Result

if TYPE_CHECKING:
    from ._commands import LearnSettings
else:
    LearnSettings = object

#: The attributes that fit sets. All other attributes are settings.
_FITTED = ("adjacency_matrix_", "adjacency_matrices_", "causal_order_", "result_", "feature_names_in_", "n_features_in_")

#: The words that scikit-learn and its estimator checks use for some errors, by error code.
_WORDS = {"missing": "X contains NaN", "not-finite": "X contains inf", "one-row": "n_samples=1", "one-column": "n_features=1"}


class PolyDAG(LearnSettings):
    """An estimator that learns a graph in ``fit``, with the interface of scikit-learn, lingam and gCastle.

    Parameters
    ----------
    method
        The method, as in ``polydag.learn``.
    **settings
        The other settings of ``polydag.learn``. Each is also an attribute.

    Attributes
    ----------
    adjacency_matrix_ : numpy.ndarray
        Entry (i, j) is the effect of column j on column i, as in lingam. It is the transpose of ``result_.matrix``, with NaN in both
        entries of an edge whose direction is not stated. A time series has ``adjacency_matrices_``, one per lag, instead.
    causal_matrix_ : numpy.ndarray
        The claimed graph as in gCastle: entry (i, j) is 1 for a stated edge from column i to column j. An edge whose direction is not
        stated has 1 in both entries.
    causal_order_ : list of int or None
        The indices of the columns in a topological order, parents before children. None if the result has no order.
    result_ : Result
        The result of ``polydag.learn``.
    n_features_in_ : int
        The number of columns in the graph.
    feature_names_in_ : numpy.ndarray
        The column names, if the table has names.

    Examples
    --------
    >>> import polydag
    >>> data, truth = polydag.simulate(nodes=5, rows=300, seed=1)
    >>> polydag.PolyDAG(seed=1).fit(data).causal_order_
    [0, 4, 2, 1, 3]
    """

    adjacency_matrix_: np.ndarray[Any, Any]
    adjacency_matrices_: np.ndarray[Any, Any]
    causal_order_: Optional[List[int]]
    result_: Result
    feature_names_in_: np.ndarray[Any, Any]
    n_features_in_: int

    if not TYPE_CHECKING:  # LearnSettings declares it with every setting

        def __init__(self, method: str = "auto", **settings: Any) -> None:
            self.method = method
            vars(self).update(settings)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, names: Optional[Sequence[str]] = None) -> "PolyDAG":
        """Learn a graph from a table.

        Parameters
        ----------
        X
            The table, as in ``polydag.learn``.
        y
            Ignored. It exists for scikit-learn.
        sample_weight
            The weight of each row, 0 or more.
        names
            The column names of an array.

        Returns
        -------
        PolyDAG
            The fitted estimator itself.
        """
        try:
            result = _api.learn(_dense(X), names=names, sample_weight=sample_weight, **self.get_params())
        except Error as fault:
            if fault.exit != 1:
                raise
            words = _WORDS.get(fault.code)
            raise DataError("%s (%s)" % (fault, words) if words else str(fault), fault.code, fault.place, fault.remedies, fault.exit) from None
        self.result_ = result
        weights = result.matrices.transpose(0, 2, 1)
        vars(self).pop("adjacency_matrices_", None)
        vars(self).pop("adjacency_matrix_", None)
        if result.json.get("lagged"):
            self.adjacency_matrices_ = weights
        else:
            self.adjacency_matrix_ = weights[0]
        place = {name: i for i, name in enumerate(result.names)}
        self.causal_order_ = None if result.order is None else [place[name] for name in result.order]
        vars(self).pop("feature_names_in_", None)
        if names is not None or not _is_plain(X):
            self.feature_names_in_ = np.array(result.names, dtype=object)
        self.n_features_in_ = len(result.names)
        return self

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if (name in _FITTED or name in ("causal_matrix_", "causal_matrix")) and "result_" not in vars(self):
                raise not_fitted("PolyDAG")
            if name == "adjacency_matrix_" and "adjacency_matrices_" in vars(self):
                raise UsageError("one matrix cannot hold edges with a lag; use adjacency_matrices_", code="usage")
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))

    @property
    def causal_matrix_(self) -> np.ndarray[Any, Any]:
        """The claimed graph as in gCastle. Entry (i, j) is 1 for a stated edge i → j; an edge without a stated direction has two."""
        weights = self._result().matrices
        return ((weights != 0) | self._claims(weights.shape)).any(axis=0).astype(int)

    causal_matrix = causal_matrix_  # its name in gCastle

    def _claims(self, shape: Any) -> np.ndarray[Any, Any]:
        """Returns where there are edges, also those with a weight of 0."""
        there, result = np.zeros(shape, bool), self._result()
        place = {name: i for i, name in enumerate(result.names)}
        for edge in result._claimed():
            there[edge.get("lag", 0), place[edge["source"]], place[edge["target"]]] = True
        return there

    def _result(self) -> Result:
        if "result_" not in vars(self):
            raise not_fitted("PolyDAG")
        return self.result_

    def learn(self, data: Any, columns: Optional[Sequence[str]] = None) -> "PolyDAG":
        """Learn a graph from a table. It is the name of ``fit`` in gCastle."""
        return self.fit(data, names=columns)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood per row of X, in nats, under the learned linear Gaussian model.

        Weights, means and residual variances come from the result, so a held-out table measures how well the graph
        predicts. The graph must be a DAG in which every edge has a slope; other results raise polydag.Error.

        Parameters
        ----------
        X
            A numeric table with the columns of the graph.
        y
            Ignored. It exists for scikit-learn.

        Returns
        -------
        float
            The mean log-likelihood per row.
        """
        result = self._result()
        w = result._dag_matrix()
        nodes = {node["name"]: node for node in result.json.get("nodes") or []}
        if result.kind != "dag" or np.isnan(w).any() or set(nodes) != set(result.names):
            raise Error("score needs a DAG in which all edges have a slope; this result is a %s and %d of its entries have none"
                        % (result.kind.upper(), int(np.isnan(w).sum())), code="no-likelihood")  # fmt: skip
        mean = np.array([nodes[name]["mean"] for name in result.names])
        variance = np.array([nodes[name]["residual_variance"] for name in result.names])
        x = _numbers(X, result.names) - mean
        if not (variance > 0).all():
            constant = [name for name, v in zip(result.names, variance) if not v > 0]
            raise Error("score needs noise in every column; the parents of %s determine it exactly" % constant[0], code="no-likelihood")
        rest = x - x @ w
        return float(-0.5 * (np.log(2 * np.pi * variance).sum() + (rest**2 / variance).sum(axis=1).mean()))

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """Return the settings as a dict, as scikit-learn requires."""
        return {key: value for key, value in vars(self).items() if key not in _FITTED}

    def set_params(self, **params: Any) -> "PolyDAG":
        """Change settings and return the estimator itself."""
        vars(self).update(params)
        return self

    def __repr__(self) -> str:
        return "PolyDAG(%s)" % ", ".join("%s=%r" % item for item in self.get_params().items())

    def _more_tags(self) -> Dict[str, Any]:
        """Returns the estimator tags for scikit-learn before version 1.6."""
        return {"allow_nan": vars(self).get("missing", "auto") != "error", "X_types": ["2darray", "string"]}

    def __sklearn_tags__(self) -> Any:
        """Returns the estimator tags for scikit-learn 1.6 and later."""
        from sklearn.utils import InputTags, Tags, TargetTags  # type: ignore[import]

        old = self._more_tags()
        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags(string=True, allow_nan=old["allow_nan"]))


def _is_plain(X: Any) -> bool:
    """Reports whether a table is an array or a list, which has no column names."""
    return isinstance(X, (list, tuple)) or isinstance(X, np.ndarray) and X.dtype.names is None


def _dense(X: Any) -> Any:
    """Returns the table. It rejects arrays without columns with the words of scikit-learn."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 0:
        raise UsageError("0 feature(s) (shape=%s) while a minimum of 2 is required." % (X.shape,), code="usage")
    return X


def _numbers(X: Any, names: Sequence[str]) -> np.ndarray[Any, Any]:
    """Returns the columns of a table as an array of numbers. Columns with names are put in the order of names."""
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        lacking = [name for name in names if name not in set(map(str, X.columns))]
        if lacking:
            raise UsageError("the table has no column %s, which is in the graph" % lacking[0], code="usage")
        X = X[[column for name in names for column in X.columns if str(column) == name]].to_numpy()
    try:
        x = np.asarray(X, dtype=float)
    except (TypeError, ValueError) as fault:
        raise UsageError("score needs numbers: %s" % fault, code="usage") from None
    if x.ndim != 2 or x.shape[1] != len(names):
        raise UsageError("X has %s features, but PolyDAG is expecting %d features as input" % (x.shape[1] if x.ndim == 2 else "no", len(names)), code="usage")
    if not np.isfinite(x).all():
        raise UsageError("score needs finite numbers; the table has missing or infinite values", code="usage")
    return x
