"""The F1 of the notebook's NOTEARS on the paper's ten graphs, with the matrix exponential and with h_geo.

    python3 python/notears.py        d = 100, seeds 0 to 9: two minutes
    python3 python/notears.py 30 2   d = 30, seeds 0 and 1

It runs the code of docs/guides/constraint.ipynb with another size.
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def main():
    d, seeds = (int(v) for v in sys.argv[1:] or (100, 10))
    with open(os.path.join(HERE, "..", "docs", "guides", "constraint.ipynb"), encoding="utf-8") as file:
        cells = ["".join(cell["source"]) for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    size = "d, seeds = 30, [0, 1]"
    assert size in cells[0], "the notebook has another line for the size"
    exec("\n\n".join(cells).replace(size, "d, seeds = %d, range(%d)" % (d, seeds)), {})


main()
