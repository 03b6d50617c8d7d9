"""What the pages say runs: the blocks of docs/guides/python.md and the README, word for word, and the notebook."""

import contextlib
import io
import os
import re
import subprocess

import pytest

from conftest import ROOT

pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("networkx", reason="networkx is not installed")


def blocks(page):
    """The blocks of a page that are commands, Python or quote output, in order, with their kinds."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return re.findall(r"^```(python|sh|text)\n(.*?)^```$", file.read(), flags=re.M | re.S)


def run(page):
    """Runs the blocks of Python in one namespace, and finds the lines of a block of text in what the one before it printed. What commands of a shell print is for
    other tests."""
    names, output, ran = {}, None, 0
    for kind, text in blocks(page):
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, page, "exec"), names)
            output, ran = printed.getvalue(), ran + 1
        elif kind == "sh":
            output = None
        elif output is not None:
            for line in text.splitlines():
                assert line.rstrip("…") in output, "%s quotes %r of\n%s" % (page, line, output)
    return ran


def test_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("docs/guides/python.md") >= 6


def test_readme(tmp_path, monkeypatch, binary):
    monkeypatch.chdir(tmp_path)
    subprocess.run([binary, "demo", "--save", "data.csv"], check=True, stdout=subprocess.DEVNULL)
    if run("README.md") == 0:
        pytest.skip("the README has no Python")


def test_notebook(monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    import polydag

    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(polydag.__file__)))
    path = os.path.join(ROOT, "docs", "guides", "python.ipynb")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code"), "the notebook is kept without outputs"
    nbclient.NotebookClient(notebook, timeout=300).execute()
    shown = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs if "data" in out]
    pages = [out["data"]["text/html"] for out in shown if "text/html" in out["data"]]
    assert any(page.startswith("<iframe srcdoc=") for page in pages), "a result shows itself as the page"
