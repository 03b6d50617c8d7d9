package report

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/polydag/polydag"
)

// npy writes the matrix of adjacencyCSV as a NumPy array: version 1.0, little-endian float64, C order, rows and
// columns in the order of Names. The format does not store names.
//
// Rows are written one at a time, so that the d² entries are never in memory.
//
// Reference: numpy.org/doc/stable/reference/generated/numpy.lib.format.html
func npy(r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error {
		rows, err := matrixRows(r, "npy")
		if err != nil {
			return err
		}
		const magic, align = "\x93NUMPY\x01\x00", 64
		dict := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", len(r.Names), len(r.Names))
		unpadded := len(magic) + 2 + len(dict) + 1
		size := len(dict) + 1 + (align-unpadded%align)%align
		buf := binary.LittleEndian.AppendUint16([]byte(magic), uint16(size))
		buf = fmt.Appendf(buf, "%-*s\n", size-1, dict)
		for _, row := range rows {
			for _, v := range row {
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
		_, err = w.Write(buf) // the header, if there are no rows
		return err
	}
}
