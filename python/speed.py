"""How long polydag.learn takes of a DataFrame of 100 columns and 100,000 rows, beside the command on an NPY file of the same numbers.

    POLYDAG_BINARY=bin/polydag python3 python/speed.py 7

The two take turns. Medians of seconds by the clock and of the processors' time, of both processes together, and their ratios are printed.
"""

import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import polydag  # noqa: E402
from polydag import _binary  # noqa: E402


def spent():
    """Seconds by the clock and of the processors."""
    used = os.times()
    return np.array([time.monotonic(), used.user + used.system + used.children_user + used.children_system])


def timed(run):
    before = spent()
    run()
    return spent() - before


def main():
    warnings.simplefilter("ignore")
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    binary = _binary.find()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.npy")
        subprocess.run([binary, "simulate", "--nodes=100", "--rows=100000", "--output=" + path], check=True, stderr=subprocess.DEVNULL)
        rows = np.load(path)
        by_rows = pd.DataFrame(rows)
        by_columns = by_rows.copy()  # pandas keeps each column of a copy in one piece
        runs = {
            "the command on an NPY file": lambda: subprocess.run([binary, "learn", path, "--output=-", "--quiet"], check=True, stdout=subprocess.PIPE),
            "polydag.learn, DataFrame made of an array": lambda: polydag.learn(by_rows),
            "polydag.learn, its copy": lambda: polydag.learn(by_columns),
        }
        seconds = {name: [] for name in runs}
        for _ in range(turns):
            for name, run in runs.items():
                seconds[name].append(timed(run))
    first = None
    for name, taken in seconds.items():
        middle = np.median(taken, axis=0)
        first = middle if first is None else first
        print("%-42s %6.2f s  %6.2f s of the processors, ratios %.2f and %.2f" % (name, *middle, *(middle / first)))


if __name__ == "__main__":
    main()
