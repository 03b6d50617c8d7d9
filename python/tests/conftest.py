"""What the tests share. They need the program: POLYDAG_BINARY names it, as make pythontest does."""

import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))


@pytest.fixture(scope="session")
def binary():
    path = os.environ.get("POLYDAG_BINARY")
    if not path:
        pytest.fail("POLYDAG_BINARY is not set; run make pythontest")
    return os.path.abspath(path)


@pytest.fixture(scope="session")
def demo(binary, tmp_path_factory):
    """The embedded table, as a CSV file."""
    path = str(tmp_path_factory.mktemp("demo") / "demo.csv")
    subprocess.run([binary, "demo", "--save", path], check=True, stdout=subprocess.DEVNULL)
    return path
