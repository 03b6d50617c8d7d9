"""The types that checkers see: every setting by name, from what the program says of itself."""

import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

PACKAGE = os.path.join(ROOT, "python", "polydag")

GOOD = """
import numpy as np
import polydag

r: polydag.Result = polydag.learn(
    "data.csv", bootstrap=5, missing="drop", require=[("a", "b"), "c->d"], tiers=[["a"], ["b"]], seed=np.int64(3), deadline=2, order=["a", "b"], rows=100,
    settings={"lambda": 0.2}
)
columns: int = r.matrix.shape[0]
effect: polydag.Effect = r.effect("a", "b", replicates=10, given_graph=True)
text: str = effect.summary() + r.plot(edges=3).svg + r.page().html
run: polydag.Run = polydag.start("data.csv", bootstrap=5)
run.cancel()
strong: polydag.Result = run.result().select(min_confidence=0.9)
likelihood: float = polydag.PolyDAG("order", seed=3).fit(np.zeros((3, 2))).score(np.zeros((3, 2)))
polydag.evaluate(r, [("a", "b")], sid=True)
polydag.simulate(nodes=5).data
"""

BAD = """
import polydag
polydag.learn("data.csv", bootstrp=5)
polydag.learn("data.csv", bootstrap="many")
polydag.learn("data.csv", missing="dropp")
polydag.PolyDAG(bootstrp=5)
polydag.learn("data.csv").effect("a", "b", replicats=10)
polydag.learn("data.csv").matrx
polydag.start("data.csv").stop()
polydag.learn("data.csv", lambda_=0.2)
polydag.lern("data.csv")
"""


def test_stub_is_what_the_program_says(binary):
    done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "python", "stubs.py"), "--check"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    if shutil.which("mypy") is None:
        pytest.skip("mypy is not installed (Debian: mypy)")
    folder = tmp_path_factory.mktemp("mypy")

    def run(*args):
        env = dict(os.environ, MYPYPATH=os.path.dirname(PACKAGE))
        made = ["mypy", "--cache-dir", str(folder / "cache"), "--python-executable", sys.executable, "--ignore-missing-imports", *args]
        return subprocess.run(made, cwd=str(folder), env=env, stdout=subprocess.PIPE, text=True).stdout.splitlines()

    return folder, run


def test_mypy_finds_wrong_settings(mypy):
    folder, run = mypy
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)
    said = run("--strict", "--follow-imports=silent", "good.py", "bad.py")
    wrong = [line for line in said if ": error: " in line]
    lines = [number for number, line in enumerate(BAD.splitlines(), 1) if line.startswith("polydag.")]
    assert [line.split(":")[:2] for line in wrong] == [["bad.py", str(number)] for number in lines], said


def test_mypy_finds_nothing_in_the_package(mypy):
    _, run = mypy
    assert "Success" in run(PACKAGE)[-1]
