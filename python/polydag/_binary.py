"""Finds the program: in POLYDAG_BINARY, inside this package, or on the PATH, in this order."""

from __future__ import annotations

import os
import shutil
import sys
from typing import List

from ._errors import BinaryNotFound

_NAME = "polydag.exe" if os.name == "nt" else "polydag"
_INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bin", _NAME)


def find() -> str:
    """Returns the path of the program."""
    named = os.environ.get("POLYDAG_BINARY")
    if named:
        if os.path.isfile(named):
            return named
        raise BinaryNotFound("POLYDAG_BINARY names %s, which is not a file; set it to the path of the program, or unset it" % named, code="no-binary")
    if os.path.isfile(_INSIDE):
        return _INSIDE
    found = shutil.which("polydag", path=os.pathsep.join(_elsewhere()))
    if found:
        return found
    raise BinaryNotFound(
        "the program polydag is not on the PATH; install a wheel that includes it, add it to the PATH, or set POLYDAG_BINARY to its path", code="no-binary"
    )


def _elsewhere() -> List[str]:
    """Returns the folders of PATH without the one that has the script of this package, which would call itself."""
    own = os.path.realpath(os.path.dirname(sys.executable))
    path = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    return [folder for folder in path if os.path.realpath(folder) != own or not _is_script(os.path.join(folder, "polydag"))]


def _is_script(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def main() -> int:
    """Runs the program with the arguments of this process. It is the command polydag of an installed wheel."""
    try:
        path = find()
    except BinaryNotFound as fault:
        sys.stderr.write("polydag: %s\n" % fault)
        return 1
    if os.name == "nt":
        import subprocess

        return subprocess.call([path] + sys.argv[1:])
    os.execv(path, [path] + sys.argv[1:])
    return 1
