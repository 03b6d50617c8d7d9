"""Writes the subset of FlatBuffers that the metadata of Arrow needs.

A table is written as its vtable, its inline part and then its children, so that every offset is
positive. Reference: the FlatBuffers internals page, https://flatbuffers.dev/internals/.
"""

from __future__ import annotations

import struct
from typing import List, Optional, Sequence, Tuple, Union


class Scalar:
    """A number in the inline part of a table. ``form`` is its struct format, such as "<q"."""

    def __init__(self, form: str, value: int) -> None:
        self.form, self.value = form, value


class Structs:
    """A vector of structs of 64-bit integers."""

    def __init__(self, rows: Sequence[Tuple[int, ...]]) -> None:
        self.rows = rows


class Table:
    """A table: its fields in the order of the schema. None omits a field."""

    def __init__(self, *fields: "Field") -> None:
        self.fields = fields


Field = Optional[Union[Scalar, Structs, Table, str, List[Table]]]


def serialize(root: Table) -> bytes:
    """Returns the buffer whose root is the table, padded to a multiple of eight bytes."""
    out = bytearray(4)
    struct.pack_into("<I", out, 0, _write(out, root))
    _align(out, 8)
    return bytes(out)


def _align(out: bytearray, to: int, rest: int = 0) -> None:
    """Pads out until its length modulo ``to`` is ``rest``."""
    out.extend(bytes((rest - len(out)) % to))


def _write(out: bytearray, value: Union[Structs, Table, str, List[Table]]) -> int:
    """Appends a value and returns its offset."""
    if isinstance(value, str):
        _align(out, 4)
        start, text = len(out), value.encode("utf-8")
        out += struct.pack("<I", len(text)) + text + b"\0"
        return start
    if isinstance(value, Structs):
        _align(out, 8, 4)
        start = len(out)
        out += struct.pack("<I", len(value.rows))
        for row in value.rows:
            out += struct.pack("<%dq" % len(row), *row)
        return start
    if isinstance(value, list):
        _align(out, 4)
        start = len(out)
        out += struct.pack("<I", len(value)) + bytes(4 * len(value))
        for i, table in enumerate(value):
            at = start + 4 + 4 * i
            struct.pack_into("<I", out, at, _write(out, table) - at)
        return start
    return _table(out, value)


def _table(out: bytearray, table: Table) -> int:
    offsets, size = [], 4  # the inline part begins with the offset of the vtable
    for field in table.fields:
        width = struct.calcsize(field.form) if isinstance(field, Scalar) else 4
        if field is None:
            offsets.append(0)
            continue
        size += -size % width
        offsets.append(size)
        size += width
    _align(out, 2)
    vtable = len(out)
    out += struct.pack("<%dH" % (2 + len(offsets)), 4 + 2 * len(offsets), size, *offsets)
    _align(out, 8)
    start = len(out)
    out += struct.pack("<i", start - vtable) + bytes(size - 4)
    for field, offset in zip(table.fields, offsets):
        if isinstance(field, Scalar):
            struct.pack_into(field.form, out, start + offset, field.value)
        elif field is not None:
            at = start + offset
            struct.pack_into("<I", out, at, _write(out, field) - at)
    return start
