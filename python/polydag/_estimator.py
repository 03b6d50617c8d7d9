"""The estimator that users of lingam, gCastle and scikit-learn expect."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from . import _api
from ._result import Result


class PolyDAG:
    """Learns a graph in ``fit``; settings are those of ``polydag.learn``.

    After ``fit``:

    - ``adjacency_matrix_``: entry (i, j) is the effect of column j on column i, as in lingam, and the transpose of
      ``result_.matrix``. NaN both ways where a direction is not known; 1 where an effect is no slope.
    - ``causal_order_``: indices of the columns, causes first; None where the result has no order.
    - ``causal_matrix``: entry (i, j) is 1 where column i has an arrow to column j, as in gCastle.
    - ``result_``: the polydag.Result. ``feature_names_in_`` and ``n_features_in_`` as in scikit-learn.
    """

    adjacency_matrix_: np.ndarray
    causal_order_: Optional[List[int]]
    causal_matrix: np.ndarray
    result_: Result
    feature_names_in_: np.ndarray
    n_features_in_: int

    def __init__(self, method: str = "auto", **settings: Any) -> None:
        self.method, self.settings = method, settings

    def fit(self, X: Any, y: Any = None, *, names: Optional[Sequence[str]] = None) -> "PolyDAG":
        """Learns from a table, as polydag.learn takes it. y is not looked at."""
        result = _api.learn(X, names=names, method=self.method, **self.settings)
        self.result_ = result
        self.adjacency_matrix_ = result.matrix.T
        place = {name: i for i, name in enumerate(result.names)}
        self.causal_order_ = None if result.order is None else [place[name] for name in result.order]
        self.causal_matrix = np.zeros((len(place), len(place)), int)
        for edge in result.json["edges"] or []:
            if edge["mark"] == "-->":
                self.causal_matrix[place[edge["from"]], place[edge["to"]]] = 1
        self.feature_names_in_ = np.array(result.names, dtype=object)
        self.n_features_in_ = len(result.names)
        return self

    def learn(self, data: Any, columns: Optional[Sequence[str]] = None) -> "PolyDAG":
        """fit by the name that it has in gCastle."""
        return self.fit(data, names=columns)

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The settings, as scikit-learn asks for them."""
        return dict(self.settings, method=self.method)

    def set_params(self, **params: Any) -> "PolyDAG":
        """Changes settings."""
        self.method = params.pop("method", self.method)
        self.settings = dict(self.settings, **params)
        return self

    def __repr__(self) -> str:
        rest = "".join(", %s=%r" % item for item in self.settings.items())
        return "PolyDAG(method=%r%s)" % (self.method, rest)
