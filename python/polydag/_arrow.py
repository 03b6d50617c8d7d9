"""Writes tables as an Arrow IPC stream, which the program reads from its standard input.

The stream is written batch by batch, so that the program can read at the same time. The module supports numbers, booleans,
timestamps, durations, text and dictionary-encoded text.
Reference: https://arrow.apache.org/docs/format/Columnar.html.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._flatbuffer import Scalar, Structs, Table, serialize

Bytes = Union[bytes, memoryview]

#: Rows per record batch. A batch of 100 float columns has 13 MB.
BATCH = 16384

_SCHEMA, _DICTIONARY, _RECORDS = 1, 2, 3  # kinds of messages
_INT, _FLOAT, _UTF8, _BOOL, _TIMESTAMP, _DURATION = 2, 3, 5, 6, 10, 18  # types
_UNITS = {"s": 0, "ms": 1, "us": 2, "ns": 3}


class Column:
    """One column: its name, its values, and a mask of missing values.

    ``values`` is an array of numbers, booleans, datetime64 or timedelta64. With ``levels`` it is an array of indices into
    ``levels``. ``missing`` is a boolean array, or None. ``kind`` is categorical or ordinal if ``levels`` are the labels of
    categories; ordinal labels are in ascending order. It is field if they are read as the fields of a CSV file.
    """

    def __init__(
        self,
        name: str,
        values: np.ndarray[Any, Any],
        missing: Optional[np.ndarray[Any, Any]] = None,
        levels: Optional[Sequence[str]] = None,
        kind: Optional[str] = None,
    ) -> None:
        self.name, self.values, self.missing, self.levels, self.kind = name, values, missing, levels, kind
        self.piece: Optional[np.ndarray[Any, Any]] = None  # a contiguous copy of the rows of the next batch

    def field(self, number: int) -> Table:
        """Returns the schema field of the column. The number is the id of its dictionary."""
        kind, details = _type(self.values.dtype)
        coding = None
        if self.levels is not None:
            coding = Table(Scalar("<q", number), details)
            kind, details = _UTF8, Table()
        about = {} if self.kind is None else {"polydag.kind": self.kind}
        if self.kind == "ordinal":
            about["polydag.levels"] = json.dumps(self.levels)
        return Table(self.name, Scalar("<B", 1), Scalar("<B", kind), details, coding, [], [Table(*pair) for pair in about.items()])

    def buffers(self, first: int, last: int) -> Tuple[Tuple[int, int], List[Bytes]]:
        """Returns the numbers of rows and nulls, and the buffers: validity bitmap and values."""
        values, nulls, valid = self.values[first:last] if self.piece is None else self.piece[: last - first], 0, b""
        if self.missing is not None:
            missing = self.missing[first:last]
            nulls = int(np.count_nonzero(missing))
            if nulls:
                valid = np.packbits(~missing, bitorder="little").tobytes()
        if values.dtype.kind == "b":
            data: Bytes = np.packbits(values, bitorder="little").tobytes()
        else:
            whole = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
            data = whole.view("u1").data  # no copy if the array is contiguous
        return (len(values), nulls), [valid, data]


def _type(dtype: "np.dtype[Any]") -> Tuple[int, Table]:
    """Returns the Arrow type id of a dtype and the table with its parameters."""
    if dtype.kind in "iu":
        return _INT, Table(Scalar("<i", 8 * dtype.itemsize), Scalar("<B", int(dtype.kind == "i")))
    if dtype.kind == "f":
        return _FLOAT, Table(Scalar("<h", {2: 0, 4: 1, 8: 2}[dtype.itemsize]))
    if dtype.kind == "b":
        return _BOOL, Table()
    unit = Scalar("<h", _UNITS[np.datetime_data(dtype)[0]])
    return (_TIMESTAMP, Table(unit)) if dtype.kind == "M" else (_DURATION, Table(unit))


def write(columns: Sequence[Column], out: Callable[[Bytes], object]) -> None:
    """Writes columns of equal length as a stream. It neither changes nor keeps the arrays."""
    fields = [column.field(i) for i, column in enumerate(columns)]
    _message(out, _SCHEMA, Table(Scalar("<h", 0), fields), [])
    for i, column in enumerate(columns):
        if column.levels is not None:
            texts = [level.encode("utf-8") for level in column.levels]
            ends = np.zeros(len(texts) + 1, "<i4")
            np.cumsum([len(text) for text in texts], out=ends[1:])
            batch, body = _batch(len(texts), [((len(texts), 0), [b"", ends.tobytes(), b"".join(texts)])])
            _message(out, _DICTIONARY, Table(Scalar("<q", i), batch), body)
    rows = len(columns[0].values) if columns else 0
    for first in range(0, rows, BATCH):
        last = min(first + BATCH, rows)
        _together(columns, first, last)
        batch, body = _batch(last - first, [column.buffers(first, last) for column in columns])
        _message(out, _RECORDS, batch, body)
    out(struct.pack("<iI", -1, 0))


def _together(columns: Sequence[Column], first: int, last: int) -> None:
    """Copies the rows of strided columns, as in a row-major array, into contiguous buffers that all batches share.

    It copies a few rows of all columns at a time, so that each cache line is loaded once.
    """
    apart = [column for column in columns if column.values.strides[0] != column.values.itemsize]
    block = _block(apart)
    if block is not None:
        if apart[0].piece is None:
            whole: Any = np.empty((len(apart), last - first), block.dtype)
            for column, piece in zip(apart, whole):
                column.piece = piece
        whole = apart[0].piece.base  # type: ignore[union-attr]
        for begin in range(first, last, 128):
            end = min(begin + 128, last)
            whole[:, begin - first : end - first] = block[begin:end].T
        return
    for column in apart:
        if column.piece is None:
            column.piece = np.empty(last - first, column.values.dtype)
    step = max(64, (1 << 17) // max(1, len(apart)))
    for begin in range(first, last, step):
        end = min(begin + step, last)
        for column in apart:
            column.piece[begin - first : end - first] = column.values[begin:end]  # type: ignore[index]


def _block(columns: Sequence[Column]) -> Optional[np.ndarray[Any, Any]]:
    """Returns the row-major array that has these columns side by side, or None if there is no such array."""
    if len(columns) < 2:
        return None
    one = columns[0].values
    at = one.__array_interface__["data"][0]
    for i, column in enumerate(columns):
        v = column.values
        if v.dtype != one.dtype or v.strides != one.strides or v.__array_interface__["data"][0] != at + i * one.itemsize:
            return None
    return np.lib.stride_tricks.as_strided(one, (len(one), len(columns)), (one.strides[0], one.itemsize), writeable=False)


def _batch(rows: int, parts: Sequence[Tuple[Tuple[int, int], List[Bytes]]]) -> Tuple[Table, List[Bytes]]:
    """Returns the header and the body of a record batch. Each buffer is padded to eight bytes."""
    nodes, places, body, at = [], [], [], 0
    for node, buffers in parts:
        nodes.append(node)
        for data in buffers:
            places.append((at, len(data)))
            pad = -len(data) % 8
            body.append(data)
            if pad:
                body.append(bytes(pad))
            at += len(data) + pad
    return Table(Scalar("<q", rows), Structs(nodes), Structs(places)), body


def _message(out: Callable[[Bytes], object], kind: int, header: Table, body: List[Bytes]) -> None:
    size = sum(len(data) for data in body)
    head = serialize(Table(Scalar("<h", 4), Scalar("<B", kind), header, Scalar("<q", size)))
    out(struct.pack("<iI", -1, len(head)) + head)
    for data in body:
        if data:
            out(data)
