"""What the tests share. They need the program: POLYDAG_BINARY names it, as make pythontest does."""

import os
import subprocess
import sys

import pytest

# Skips for something that is not installed. They fail the tests if REQUIRE_PROGRAMS is set, as in a gate that installs everything.
missing = []


def pytest_runtest_logreport(report):
    if report.skipped and "is not installed" in str(report.longrepr):
        missing.append(report.nodeid)


pytest_collectreport = pytest_runtest_logreport


def pytest_sessionfinish(session):
    if missing and os.environ.get("REQUIRE_PROGRAMS"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


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
