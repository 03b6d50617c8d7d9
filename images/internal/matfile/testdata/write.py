"""Writes plain.mat and packed.mat with SciPy, whose reader and writer are independent of ours."""
import numpy as np
import scipy.io


def cells(values):
    out = np.empty((len(values), 1), dtype=object)
    for i, value in enumerate(values):
        out[i, 0] = value
    return out


content = {
    "labels_cv": np.array([[0, 1 / 3, 1], [2 / 3, 1, 0]]),
    "small": np.array([[1, 2], [3, 4]], dtype=np.uint8),
    "single": np.array([[-1.5]], dtype=np.float32),
    "deep": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
    "wide": np.array([[2**40]], dtype=np.int64),
    "words": cells(["sailing/ boating", "ärgerlich", "猫", ""]),
    "nested": cells([cells(["a/sun_x.jpg"])]),
    "record": {"a": 1},
    "many": np.array(["ab", "cd"]),
    "flag": np.array([[True, False]]),
}
scipy.io.savemat("plain.mat", content)
scipy.io.savemat("packed.mat", content, do_compression=True)
