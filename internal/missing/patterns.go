package missing

import (
	"bytes"
	"math"
	"math/bits"
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

// pairCorrelations returns the correlations of the rows that have both values, d×d, with means and variances of the same rows. Pairs
// with fewer than three common rows have correlation 0.
func pairCorrelations(rows *sortedRows) []float64 {
	d := rows.d
	type sums struct{ n, x, y, xx, yy, xy float64 }
	all := make([]sums, d*d)
	there := make([]int, 0, d)
	for _, p := range rows.patterns {
		there = there[:0]
		for j, k := 0, 0; j < d; j++ {
			if k < len(p.lacks) && int(p.lacks[k]) == j {
				k++
				continue
			}
			there = append(there, j)
		}
		for i := p.first; i < p.first+p.rows; i++ {
			row := rows.values[i*d : (i+1)*d]
			for a, u := range there {
				x := row[u]
				for _, v := range there[:a] {
					y, s := row[v], &all[u*d+v]
					s.n++
					s.x += x
					s.y += y
					s.xx += x * x
					s.yy += y * y
					s.xy += x * y
				}
			}
		}
	}
	r := make([]float64, d*d)
	for i := range d {
		r[i*d+i] = 1
		for j := range i {
			s := all[i*d+j]
			if s.n < 3 {
				continue
			}
			vx, vy := s.xx-s.x*s.x/s.n, s.yy-s.y*s.y/s.n
			if c := (s.xy - s.x*s.y/s.n) / math.Sqrt(vx*vy); vx > 0 && vy > 0 && c-c == 0 {
				c = max(-1, min(1, c))
				r[i*d+j], r[j*d+i] = c, c
			}
		}
	}
	return r
}

// A PairCount counts the rows that have both of two columns.
type PairCount struct {
	d, n  int
	there [][]uint64 // a bit for each row
}

// CountPairs reads which values of rows with d columns are there.
func CountPairs(rows []float64, d int) *PairCount {
	n := len(rows) / d
	c := &PairCount{d: d, n: n, there: make([][]uint64, d)}
	for j := range c.there {
		c.there[j] = make([]uint64, (n+63)/64)
		for i := range n {
			if v := rows[i*d+j]; v == v {
				c.there[j][i/64] |= 1 << (i % 64)
			}
		}
	}
	return c
}

// Of returns the number of rows that have columns i and j.
func (c *PairCount) Of(i, j int) int {
	n := 0
	for k, w := range c.there[i] {
		n += bits.OnesCount64(w & c.there[j][k])
	}
	return n
}

// MostMissing returns the largest share of missing values in a column.
func (c *PairCount) MostMissing() float64 {
	least := c.n
	for j := range c.there {
		least = min(least, c.Of(j, j))
	}
	return 1 - float64(least)/float64(max(c.n, 1))
}

// absent lists the rows that lack column j.
func (c *PairCount) absent(j int) []int32 {
	var out []int32
	for i := range c.n {
		if c.there[j][i/64]>>(i%64)&1 == 0 {
			out = append(out, int32(i))
		}
	}
	return out
}

// Complete reports whether no value is missing.
func (c *PairCount) Complete() bool {
	for j := range c.there {
		if c.Of(j, j) < c.n {
			return false
		}
	}
	return true
}

// Share returns a function that divides the number of rows that have both of two columns by Effective.
func (c *PairCount) Share() func(i, j int) float64 {
	all := c.Effective()
	return func(i, j int) float64 { return float64(c.Of(i, j)) / all }
}

// Conditional returns the number of complete rows that carry as much information on two columns given a third: of columns that lack values
// independently of each other, the number of rows that have all three.
func (c *PairCount) Conditional() float64 {
	return float64(c.n) * math.Pow(c.Effective()/float64(max(1, c.n)), 1.5)
}

// Effective returns the number of complete rows that carry as much information on the pairs of columns as these rows: the harmonic
// mean of the numbers of rows that have both columns of a pair. A pair without common rows counts as one.
func (c *PairCount) Effective() float64 {
	sum, pairs := 0.0, 0.0
	for i := range c.d {
		for j := range i {
			sum += 1 / float64(max(1, c.Of(i, j)))
			pairs++
		}
	}
	if pairs == 0 {
		return float64(c.n)
	}
	return pairs / sum
}
