"""Converts tables in memory to the columns that are sent to the program.

A column has the values that the same table would have as CSV. Objects become text, and missing values stay missing.
Three things are better than in CSV: categories keep their type and order, 32-bit numbers keep their exact
value, and durations are sent in seconds.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import numpy as np

from . import _arrow, _process
from ._arrow import Column
from ._errors import ArgumentTypeError, UsageError


#: The name of the column of row weights.
WEIGHTS = "polydag.sample_weight"


def writer(data: Any, names: Optional[Sequence[str]] = None, more: Optional[Mapping[str, Any]] = None) -> Callable[[Callable[[bytes], object]], None]:
    """Returns a feed that writes the table, with the columns ``more`` after its own. It raises errors about the table before the program
    starts."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, (polars.DataFrame, polars.LazyFrame)):
        _no_names(names, "a polars DataFrame")
        frame = data.collect() if isinstance(data, polars.LazyFrame) else data
        for name, values in (more or {}).items():
            frame = frame.with_columns(polars.Series(name, np.asarray(values)))
        return _process.send(frame.write_ipc_stream(None).getbuffer())  # polars writes Arrow itself
    columns = _columns(data, names)
    if columns:
        columns += [_added(name, values) for name, values in (more or {}).items()]
    for column in columns:
        _utf8(column.name, "the name of a column")
    if not columns:
        raise UsageError("the table has no columns; give at least two", code="usage")
    lengths = {len(column.values) for column in columns}
    if len(lengths) > 1:
        raise UsageError("the columns have different lengths: %s" % ", ".join(map(str, sorted(lengths))), code="usage")
    write: Any = lambda out: _arrow.write(columns, out)  # noqa: E731
    write.size = sum(column.values.nbytes for column in columns)  # approximate
    return write


def _added(name: str, values: Any) -> Column:
    if name == WEIGHTS:
        return Column(name, np.array(values, "f8").reshape(-1))
    pandas = sys.modules.get("pandas")
    return _series(name, values, pandas) if pandas is not None and isinstance(values, pandas.Series) else _array(name, _as_array(values, name))


def labels(data: Any) -> Dict[str, Any]:
    """Returns the names of columns that are no text, such as numbers, by the text that the program knows them by."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame) and data.columns.nlevels == 1:
        names = list(data.columns)
    elif isinstance(data, Mapping):
        names = list(data)
    else:
        return {}
    return {str(name): name for name in names if not isinstance(name, str)}


def _columns(data: Any, names: Optional[Sequence[str]]) -> List[Column]:
    if type(data).__module__.startswith("scipy.sparse"):
        data = data.toarray()
    if isinstance(data, (list, tuple)) and data and all(isinstance(row, Mapping) for row in data):
        data = {key: [row.get(key) for row in data] for key in dict.fromkeys(key for row in data for key in row)}
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        _no_names(names, "a DataFrame")
        if data.columns.nlevels > 1:
            raise UsageError("the DataFrame has a MultiIndex of columns; join the names of each column into one text first", code="usage")
        return [_series(str(name), data.iloc[:, i], pandas) for i, name in enumerate(data.columns)]
    if isinstance(data, Mapping):
        _no_names(names, "a mapping")
        return [_array(str(name), _as_array(values, "column %s" % name)) for name, values in data.items()]
    array = _as_array(data, "the table")
    if array.dtype.names is not None:
        _no_names(names, "a structured array")
        return [_array(name, array[name]) for name in array.dtype.names]
    if array.ndim != 2:
        raise ArgumentTypeError(
            "%s is not a table; pass a DataFrame, a path, a mapping of columns, or a two-dimensional array"
            % (type(data).__name__ if array.ndim == 0 or not isinstance(data, np.ndarray) else "an array of %d dimension%s" % (array.ndim, "s" * (array.ndim > 1))),
            code="usage",
        )
    if names is None:
        names = ["x%d" % i for i in range(array.shape[1])]
    if len(names) != array.shape[1]:
        raise UsageError("%d names for %d columns; pass one name per column" % (len(names), array.shape[1]), code="usage")
    return [_array(str(name), array[:, i]) for i, name in enumerate(names)]


def _as_array(values: Any, what: str) -> np.ndarray[Any, Any]:
    try:
        return np.asanyarray(values)  # a masked array keeps its mask
    except (TypeError, ValueError) as fault:  # rows of different lengths
        raise UsageError("%s cannot be converted to an array: %s" % (what, fault), code="usage") from None


def _no_names(names: Optional[Sequence[str]], what: str) -> None:
    if names is not None:
        raise UsageError("names cannot be given for %s, which has its own column names; remove the argument names" % what, code="usage")


def _series(name: str, series: Any, pandas: Any) -> Column:
    """Converts a column of a DataFrame. Nullable types store values and a mask separately."""
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return _categories(name, series.cat.codes.to_numpy(), series.cat.categories, bool(dtype.ordered))
    if getattr(dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _array(name, series.to_numpy())
    kind = getattr(dtype, "kind", "O")
    if kind in "iufb" and not isinstance(dtype, pandas.SparseDtype):
        missing = series.isna().to_numpy(bool)
        plain = np.dtype(getattr(dtype, "numpy_dtype", "f8"))
        return Column(name, series.to_numpy(plain, na_value=plain.type(0)), _some(missing))
    if isinstance(dtype, pandas.SparseDtype):
        return _array(name, np.asarray(series))
    return _objects(name, series.astype(object).to_numpy())


def _categories(name: str, codes: np.ndarray[Any, Any], categories: Any, ordered: bool) -> Column:
    """Converts a categorical column. The text of each category is its label."""
    missing = codes < 0
    if not len(categories):  # every value is missing
        return Column(name, np.zeros(len(codes)), missing)
    labels: Dict[str, int] = {}
    place = np.array([labels.setdefault(_word(name, one), len(labels)) for one in categories], "i4")
    for label in labels:
        _utf8(label, "column %s" % name)
    return Column(name, place[np.where(missing, 0, codes)], _some(missing), list(labels), "ordinal" if ordered else "categorical")


def _array(name: str, values: np.ndarray[Any, Any]) -> Column:
    if values.ndim != 1:
        raise UsageError("column %s has %d dimensions; pass a one-dimensional column" % (name, values.ndim), code="usage")
    if isinstance(values, np.ma.MaskedArray):
        inner = _array(name, values.data)
        mask = np.ma.getmaskarray(values)
        inner.missing = _some(mask if inner.missing is None else mask | inner.missing)
        return inner
    kind = values.dtype.kind
    if kind == "f" and values.dtype.itemsize not in (2, 4, 8):
        values = values.astype("f8")
    if kind in "iufb":
        return Column(name, values)
    if kind in "mM":
        unit = np.datetime_data(values.dtype)
        if unit[1] != 1 or unit[0] not in ("s", "ms", "us", "ns"):
            values = values.astype("%s8[s]" % kind)
        missing = np.isnat(values)
        return Column(name, values.astype("i8").view(values.dtype), _some(missing))
    if kind in "US":
        return _objects(name, values.astype(object))
    if kind == "O":
        return _objects(name, values)
    if kind == "c":
        raise ArgumentTypeError("Complex data not supported: column %s has the type %s; use its real and imaginary parts" % (name, values.dtype), code="type")
    raise ArgumentTypeError("column %s has the unsupported type %s; convert it to numbers or text, or remove it" % (name, values.dtype), code="type")


def _objects(name: str, values: np.ndarray[Any, Any]) -> Column:
    """Converts objects to their text in CSV. None, NaN and pandas's NA and NaT are missing values."""
    index: Dict[str, int] = {}
    codes = np.zeros(len(values), "i4")
    missing = np.zeros(len(values), bool)
    for i, value in enumerate(values):
        if _absent(value):
            missing[i] = True
            continue
        codes[i] = index.setdefault(_word(name, value), len(index))
    return _text(name, codes, missing, list(index))


def _word(name: str, value: Any) -> str:
    """Returns the text of a value in CSV."""
    if not isinstance(value, bytes):
        return value if type(value) is str else str(value)
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("column %s: %r is not UTF-8; decode the column first" % (name, value), code="text") from None


def _utf8(text: str, where: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("%s: %r cannot be written as UTF-8" % (where, text), code="text") from None


#: A number in a CSV file that a float holds exactly. Python's float also accepts texts such as 1_000, which are not numbers in CSV.
_NUMBER = re.compile(r"[ \t]*[+-]?([0-9]{1,15}(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*\Z")

_DIGIT = re.compile("[0-9]")


def _absent(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, str):
        return False
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas's NA compares as NA; an array is not a single value
        return type(value).__name__ == "NAType"


def _text(name: str, codes: np.ndarray[Any, Any], missing: np.ndarray[Any, Any], levels: Sequence[str]) -> Column:
    """Makes a column of text from indices and words, or of numbers if every word is a number, as in CSV."""
    if levels and all(_NUMBER.match(level) for level in levels):
        return Column(name, np.array([float(level) for level in levels])[codes], _some(missing))
    for level in levels:
        _utf8(level, "column %s" % name)
    kind = "field" if any(map(_DIGIT.search, levels)) else None  # amounts, dates, or numbers with a few words
    return Column(name, codes.astype("i4"), _some(missing), list(levels), kind)


def _some(missing: np.ndarray[Any, Any]) -> Optional[np.ndarray[Any, Any]]:
    return missing if missing.any() else None
