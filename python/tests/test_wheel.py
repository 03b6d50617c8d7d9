"""The wheel installs without a network into a virtual environment, and the pages' Python runs there."""

import os
import shutil
import subprocess
import sys
import venv

import pytest

from conftest import ROOT

pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture(scope="module")
def environment(tmp_path_factory, binary):
    """The Python of an environment into which the wheel of this machine was installed, numpy and pandas from the system."""
    if shutil.which("go") is None:
        pytest.skip("go is not installed, which writes the wheel")
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        pytest.skip("the wheel is written for Linux on amd64, which this machine is not")
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "programs").mkdir()
    shutil.copy(binary, folder / "programs" / "polydag_linux_amd64")
    made = ["go", "run", "-C", "packaging", "./wheels", "-out", str(folder), "-binaries", str(folder / "programs"), "-only", "here"]
    subprocess.run(made, cwd=ROOT, check=True)
    (wheel,) = folder.glob("*.whl")
    try:
        venv.create(str(folder / "venv"), system_site_packages=True, with_pip=True)
    except subprocess.CalledProcessError:
        pytest.skip("venv is not installed (Debian: python3-venv)")
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", str(wheel)], check=True)
    return python


def inside(python, *args):
    """Runs Python in the environment with nothing that could lead to another copy of the package or the program."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "POLYDAG_BINARY")}
    env["PATH"] = os.path.dirname(python) + os.pathsep + "/usr/bin" + os.pathsep + "/bin"
    return subprocess.run([python, *args], env=env, stdout=subprocess.PIPE, check=True, text=True, cwd=os.path.dirname(python)).stdout


def test_package_and_program_are_the_wheels(environment):
    said = inside(environment, "-c", "import polydag, polydag._binary as b; print(polydag.__file__); print(b.find())")
    package, program = said.splitlines()
    root = os.path.dirname(os.path.dirname(environment))
    assert package.startswith(root) and program.startswith(root)
    assert os.access(program, os.X_OK)
    installed = subprocess.run([os.path.join(os.path.dirname(environment), "polydag"), "version"], stdout=subprocess.PIPE, check=True).stdout
    assert installed.startswith(b"polydag ") and inside(environment, "-m", "polydag", "version").startswith("polydag ")


def test_pages_run_in_the_environment(environment, tmp_path):
    tests = os.path.join(ROOT, "python", "tests")
    program = "import polydag._binary as b; print(b.find())"
    script = (
        "import sys, os; import polydag; sys.path.append(%r); import test_pages; os.chdir(%r);"
        "import subprocess; subprocess.run([polydag._binary.find(), 'demo', '--save', 'data.csv'], check=True, stdout=subprocess.DEVNULL);"
        "print(test_pages.run('docs/guides/python.md') + test_pages.run('README.md'), polydag.__file__)"
    ) % (tests, str(tmp_path))
    count, package = inside(environment, "-W", "ignore", "-c", script).split()
    assert int(count) >= 6 and os.path.dirname(inside(environment, "-c", program).strip()).startswith(os.path.dirname(package))
