"""polydag.constraints against values and gradients of the program's own package acyclic, and as torch functions."""

import json
import os
import re
import sys
import types

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed")

from conftest import ROOT  # noqa: E402
from polydag import constraints  # noqa: E402

with open(os.path.join(os.path.dirname(__file__), "constraints.json"), encoding="utf-8") as file:
    CASES = json.load(file)["cases"]


def call(case, W):
    function = getattr(constraints, "h_" + case["constraint"])
    return function(W) if case["constraint"] == "exp" else function(W, case["k"] or None)


def equal(got, want):
    """Equal to rounding. h_exp of a cycle of 17 nodes is 5e-21, where the program leaves out terms below the rounding of 1."""
    np.testing.assert_allclose(got, np.array(want, dtype=float), rtol=1e-11, atol=1e-24)


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_equals_the_program(case):
    W = np.array(case["w"])
    before = W.copy()
    h, gradient = call(case, W)
    assert isinstance(h, float) and (W == before).all()
    equal(h, case["h"])
    equal(gradient, case["gradient"])


def test_gradient_is_the_derivative():
    W = np.random.default_rng(1).normal(size=(5, 5)) * 0.4
    for function in (constraints.h_exp, constraints.h_poly, constraints.h_geo):
        gradient = function(W)[1]
        for i, j in ((0, 1), (3, 2), (4, 4)):
            step = np.zeros_like(W)
            step[i, j] = 1e-6
            slope = (function(W + step)[0] - function(W - step)[0]) / 2e-6
            assert abs(slope - gradient[i, j]) < 1e-7 * (1 + abs(slope))


def test_precision_and_mistakes():
    W = np.random.default_rng(2).normal(size=(20, 20)).astype(np.float32) * 0.1
    for function in (constraints.h_exp, constraints.h_poly, constraints.h_geo):
        assert function(W)[1].dtype == np.float32
        assert abs(function(W)[0] - function(W.astype(float))[0]) < 1e-5
        assert function([[0, 1], [1, 0]])[0] > 0
        with pytest.raises(ValueError, match="needs a square matrix"):
            function(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="K = 0, want at least 1"):
        constraints.h_geo(W, 0)
    with pytest.raises(ValueError, match="not finite"):
        constraints.h_exp(np.full((2, 2), np.nan))


def test_notebook(monkeypatch):
    """The notebook runs, and h_geo in the place of the exponential finds as much on its two graphs."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("scipy", reason="scipy is not installed")
    monkeypatch.setenv("PYTHONPATH", os.path.join(ROOT, "python"))
    notebook = nbformat.read(os.path.join(ROOT, "docs", "guides", "constraint.ipynb"), as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs for cell in cells), "the notebook is kept without outputs"
    nbclient.NotebookClient(notebook, timeout=300).execute()
    printed = dict(re.findall(r"^(\w+) +F1 ([0-9.]+)", "".join(out.get("text", "") for out in cells[-1].outputs), flags=re.M))
    assert float(printed["exponential"]) > 0.7
    assert float(printed["h_geo"]) > 0.75


@pytest.fixture
def torch(monkeypatch):
    """PyTorch where it is installed, and otherwise the few parts of it that the module uses, on NumPy."""
    try:
        import torch as real

        monkeypatch.setattr(constraints, "_function", None)
        return real
    except ImportError:
        pass

    class Tensor(np.ndarray):
        device = "cpu"

    class Context:
        def save_for_backward(self, *tensors):
            self.saved_tensors = tensors

    class Function:
        @classmethod
        def apply(cls, *given):
            context = Context()
            out = np.asarray(cls.forward(context, *given)).view(Tensor)

            def backward():
                returned = cls.backward(context, 1.0)
                assert len(returned) == len(given), "one gradient for each argument"
                given[0].grad, others = returned[0], returned[1:]
                assert others == (None,) * len(others)

            out.backward = backward
            return out

    stub = types.ModuleType("torch")
    stub.Tensor = Tensor
    stub.eye = lambda d, dtype, device: np.eye(d, dtype=dtype).view(Tensor)
    stub.tensor = lambda x, dtype=None, requires_grad=False: np.array(x, dtype=float).view(Tensor)
    stub.float64 = float
    stub.autograd = types.SimpleNamespace(Function=Function, function=types.SimpleNamespace(once_differentiable=lambda f: f))
    monkeypatch.setitem(sys.modules, "torch", stub)
    monkeypatch.setattr(constraints, "_function", None)
    yield stub
    constraints._function = None


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_autograd(torch, case):
    W = torch.tensor(case["w"], dtype=torch.float64, requires_grad=True)
    h = call(case, W)
    h.backward()
    equal(float(h), case["h"])
    equal(np.asarray(W.grad), case["gradient"])
