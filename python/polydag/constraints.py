"""The acyclicity constraints of the paper polyDAG, for a solver of your own.

    from polydag.constraints import h_geo
    h, gradient = h_geo(W, K=16)  # W is a NumPy array
    h = h_geo(W, K=16)            # W is a torch tensor: h has a gradient by autograd

Each constraint is a function of A = W * W that is 0 exactly if the graph of the nonzero entries of W has no cycle. Entry (i, j) of W is the edge
from i to j. This module needs only NumPy or PyTorch, and not the program polydag.
"""

from __future__ import annotations

import math
import sys
from typing import Any

__all__ = ["h_exp", "h_geo", "h_poly"]


def h_exp(W: Any) -> Any:
    """The constraint of NOTEARS, tr(exp(A)) - d, with the gradient 2 W * exp(A)ᵀ.

    It is computed as E = exp(A) - I by a Taylor polynomial, scaling and squaring. Every term is nonnegative, so it is exactly 0 for a DAG.
    """
    return _evaluate(_exp, W)


def h_poly(W: Any, K: int | None = None) -> Any:
    """The sum of tr(A^k) for k from 1 to K, term by term, with K = d by default. It takes K - 1 products."""
    return _evaluate(_poly, W, K)


def h_geo(W: Any, K: int | None = None) -> Any:
    """The same value as h_poly in at most 4 log2(K) products and without a linear solve, so that a singular I - A is no problem.

    With K below the number of nodes it does not see cycles of more than K nodes. The paper uses K = 16; the default is K = d.
    """
    return _evaluate(_geo, W, K)


def _evaluate(function: Any, W: Any, *more: Any) -> Any:
    """Returns the value and the gradient for an array, and a scalar tensor with a gradient by autograd for a tensor."""
    torch = sys.modules.get("torch")  # a tensor exists only if torch is imported
    if torch is not None and isinstance(W, torch.Tensor):
        _square(W)
        return _differentiable(torch).apply(W, function, *more)
    import numpy as np

    W = np.asarray(W)
    if W.dtype.kind != "f":
        W = W.astype(float)
    _square(W)
    value, half = function(W * W, np.eye(len(W), dtype=W.dtype), *more)
    return float(value), 2 * W * half.T


def _square(W: Any) -> None:
    if W.ndim != 2 or W.shape[0] != W.shape[1] or W.shape[0] == 0:
        raise ValueError("W has the shape %s; a constraint needs a square matrix" % (tuple(W.shape),))


def _differentiable(torch: Any) -> Any:
    """The autograd function whose gradient is the closed form. A second derivative is an error."""
    global _function
    if _function is None:

        class Constraint(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(ctx: Any, W: Any, function: Any, *more: Any) -> Any:
                value, half = function(W * W, torch.eye(len(W), dtype=W.dtype, device=W.device), *more)
                ctx.save_for_backward(2 * W * half.T)
                ctx.others = 1 + len(more)
                return value

            @staticmethod
            @torch.autograd.function.once_differentiable  # type: ignore[misc]
            def backward(ctx: Any, upstream: Any) -> Any:
                (gradient,) = ctx.saved_tensors
                return (upstream * gradient, *[None] * ctx.others)

        _function = Constraint
    return _function


_function: Any = None


# The functions below return h and the derivative P(A) = (∂h/∂A)ᵀ, for arrays and tensors alike.


def _exp(A: Any, identity: Any) -> Any:
    norm = float(abs(A).sum(0).max())
    if not math.isfinite(norm):
        raise ValueError("W has an entry that is not finite")
    squarings = max(0, math.ceil(math.log2(norm)) + 1) if norm > 0 else 0
    B = A / 2.0**squarings
    terms = 18  # ‖B‖ ≤ 1/2, so the first omitted term is below 1e-21
    E = B / terms
    for k in range(terms - 1, 0, -1):
        E = (B + B @ E) / k  # not B @ (identity + E): the long cycles would be lost beside 1
    for _ in range(squarings):
        E = E @ E + 2 * E
    return E.trace(), identity + E


def _order(K: int | None, d: int) -> int:
    if K is None:
        return d
    if K < 1:
        raise ValueError("K = %s, want at least 1, or None for the number of nodes" % K)
    return int(K)


def _poly(A: Any, identity: Any, K: int | None = None) -> Any:
    power, total, derivative = identity, 0, 0 * identity  # power is A^k
    for k in range(_order(K, len(A))):
        derivative = derivative + (k + 1) * power
        power = power @ A
        total = total + power.trace()
    return total, derivative


def _geo(A: Any, identity: Any, K: int | None = None) -> Any:
    # S = Σ A^j and D = Σ (j+1) A^j over j < m, with P = A^m, doubled along the binary digits of K.
    S, D, P, m = identity, identity, A, 1
    for digit in bin(_order(K, len(A)))[3:]:
        D, S = D + P @ (D + m * S), S + P @ S
        P, m = P @ P, 2 * m
        if digit == "1":
            S, D = S + P, D + (m + 1) * P
            P, m = P @ A, m + 1
    return (A * S.T).sum(), D
