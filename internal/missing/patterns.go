package missing

import (
	"bytes"
	"slices"
)

// pattern is a set of rows that lack the same columns.
type pattern struct {
	lacks       []int32 // missing columns, ascending
	first, rows int     // in the sorted rows
}

// sortedRows are rows in standard units, sorted by the columns that they lack. A missing value is 0.
type sortedRows struct {
	d        int
	values   []float64
	patterns []pattern
}

// sortRows returns the rows with column order[k] in place k, centred and scaled, sorted by pattern. Rows with the same pattern keep
// their order.
func sortRows(rows []float64, columns []columnFacts, order []int) *sortedRows {
	d := len(order)
	n, width := len(rows)/d, (d+7)/8
	keys := make([]byte, n*width)
	for i := range n {
		row, key := rows[i*d:(i+1)*d], keys[i*width:(i+1)*width]
		for k, j := range order {
			if v := row[j]; v != v {
				key[k/8] |= 0x80 >> (k % 8)
			}
		}
	}
	key := func(i int) []byte { return keys[i*width : (i+1)*width] }
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return bytes.Compare(key(a), key(b)) })
	s := &sortedRows{d: d, values: make([]float64, n*d)}
	for at, i := range index {
		if at == 0 || !bytes.Equal(key(i), key(index[at-1])) {
			s.patterns = append(s.patterns, pattern{first: at})
		}
		p := &s.patterns[len(s.patterns)-1]
		p.rows++
		to := s.values[at*d : (at+1)*d]
		for k, j := range order {
			c := &columns[j]
			if v := rows[i*d+j]; v == v {
				to[k] = (v - c.mean) / c.std
			} else if p.rows == 1 {
				p.lacks = append(p.lacks, int32(k))
			}
		}
	}
	return s
}

// thinned returns every step-th row of each pattern.
func (s *sortedRows) thinned(step int) *sortedRows {
	out := &sortedRows{d: s.d}
	at := 0
	for _, p := range s.patterns {
		own := pattern{lacks: p.lacks, first: at}
		for i := p.first; i < p.first+p.rows; i++ {
			if i%step == 0 {
				out.values = append(out.values, s.values[i*s.d:(i+1)*s.d]...)
				own.rows++
			}
		}
		if at += own.rows; own.rows > 0 {
			out.patterns = append(out.patterns, own)
		}
	}
	return out
}

// rows returns the number of rows.
func (s *sortedRows) rows() int { return len(s.values) / s.d }
