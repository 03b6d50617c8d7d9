"""Writes the three files of the SUN attribute database, as small ones, with SciPy."""
import numpy as np
import scipy.io


def cells(values):
    out = np.empty((len(values), 1), dtype=object)
    for i, value in enumerate(values):
        out[i, 0] = value
    return out


for name, content in {
    "attributes": {"attributes": cells(["sailing/ boating", "natural light", "rusty"])},
    "images": {"images": cells(["a/abbey/sun_aa.jpg", "a/abbey/sun_ab.jpg", "b/beach/sun_ba.jpg"])},
    "attributeLabels_continuous": {"labels_cv": np.array([[0, 1, 1 / 3], [1 / 3, 2 / 3, 0], [1, 1, 2 / 3]])},
}.items():
    scipy.io.savemat(name + ".mat", content, do_compression=True)
