package mechanism

import (
	"encoding/binary"
)

// distinct has the distinct rows of a table of categories: rows is nil if a column is numeric or most rows differ, and of is the distinct
// row of each row.
type distinct struct {
	rows *Rows
	of   []int32
}

// distinct returns the distinct rows.
func (d *Rows) distinct() *distinct {
	codes := make([][]int32, len(d.Columns))
	for v := range d.Columns {
		if d.Levels[v] == nil {
			return &distinct{}
		}
		codes[v] = d.codes(v)
	}
	d.held.Lock()
	defer d.held.Unlock()
	if d.held.distinct == nil {
		d.held.distinct = d.distinctOf(codes)
	}
	return d.held.distinct
}

// distinctOf finds the distinct rows with these codes.
func (d *Rows) distinctOf(codes [][]int32) *distinct {
	place := map[string]int32{}
	of, first := make([]int32, d.N), []int(nil)
	key := make([]byte, 0, 4*len(codes)+4)
	for i := range d.N {
		key = key[:0]
		for _, c := range codes {
			key = binary.LittleEndian.AppendUint32(key, uint32(c[i]))
		}
		if d.regime != nil {
			key = binary.LittleEndian.AppendUint32(key, uint32(d.regime[i]))
		}
		k, ok := place[string(key)]
		if !ok {
			if k = int32(len(first)); 2*len(first) > d.N {
				return &distinct{}
			}
			place[string(key)] = k
			first = append(first, i)
		}
		of[i] = k
	}
	out := &Rows{N: len(first), Columns: make([][]float64, len(d.Columns)), Levels: d.Levels, categorical: d.categorical, targets: d.targets, held: newHeld()}
	for v, c := range d.Columns {
		for _, i := range first {
			out.Columns[v] = append(out.Columns[v], c[i])
		}
	}
	if d.regime != nil {
		for _, i := range first {
			out.regime = append(out.regime, d.regime[i])
		}
	}
	return &distinct{rows: out, of: of}
}
