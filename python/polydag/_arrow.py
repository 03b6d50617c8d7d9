"""Tables as an Arrow IPC stream, which is what the program reads from its standard input.

The stream is written batch by batch, so that the program reads while it is written. Only what tables
from memory need is here: numbers, booleans, instants, durations, text, and text by dictionary.
Reference: https://arrow.apache.org/docs/format/Columnar.html.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._flatbuffer import Scalar, Structs, Table, serialize

Bytes = Union[bytes, memoryview]

#: Rows of a record batch. A batch of 100 columns of numbers has 13 MB.
BATCH = 16384

_SCHEMA, _DICTIONARY, _RECORDS = 1, 2, 3  # kinds of messages
_INT, _FLOAT, _UTF8, _BOOL, _TIMESTAMP, _DURATION = 2, 3, 5, 6, 10, 18  # types
_UNITS = {"s": 0, "ms": 1, "us": 2, "ns": 3}


class Column:
    """One column: a name, its values, and which of them are missing.

    ``values`` is an array of numbers, booleans, datetime64 or timedelta64, or, where ``levels`` is
    given, of the indices of its texts. ``missing`` is an array of booleans, or None. ``kind`` is categorical or
    ordinal where the texts are the labels of categories; those of an ordinal column are in their order.
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
        self.piece: Optional[np.ndarray[Any, Any]] = None  # the rows that are written next, where they were copied together

    def field(self, number: int) -> Table:
        """The column in the schema. Its number is the id of its dictionary."""
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
        """The number of rows and of missing ones, the bitmap of those that are there, and the values."""
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
            data = whole.view("u1").data  # of the array itself where it lies in one piece
        return (len(values), nulls), [valid, data]


def _type(dtype: "np.dtype[Any]") -> Tuple[int, Table]:
    """The number of a type in the schema of Arrow, and its details."""
    if dtype.kind in "iu":
        return _INT, Table(Scalar("<i", 8 * dtype.itemsize), Scalar("<B", int(dtype.kind == "i")))
    if dtype.kind == "f":
        return _FLOAT, Table(Scalar("<h", {2: 0, 4: 1, 8: 2}[dtype.itemsize]))
    if dtype.kind == "b":
        return _BOOL, Table()
    unit = Scalar("<h", _UNITS[np.datetime_data(dtype)[0]])
    return (_TIMESTAMP, Table(unit)) if dtype.kind == "M" else (_DURATION, Table(unit))


def write(columns: Sequence[Column], out: Callable[[Bytes], object]) -> None:
    """Writes the columns, all of one length, as a stream. The arrays are neither changed nor kept."""
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
    """Copies the rows of columns that do not lie in one piece, as those of an array by rows, into pieces, the same for every batch.

    A few rows of all columns go first, then the next ones: what the processor has loaded of a row serves its other columns too.
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
    """The array by rows of which these are the columns, side by side, or None where they are not."""
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
    """The table of a record batch, and its body, each buffer padded to eight bytes."""
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
