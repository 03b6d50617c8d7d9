package prepare

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// What can be wrong with the column that tells clusters apart.
var (
	ErrOneCluster     = fault.Kind("one-cluster", "all rows are in one group; name a column with several groups")
	ErrClusterMissing = fault.Kind("cluster-missing", "a row has no group; fill in the column or remove the row")
)

// mostClusterValues bounds what is kept of clusters: three numbers for each cluster and column, 48 MB. leastClusters are always
// kept.
const (
	mostClusterValues = 1 << 21
	leastClusters     = 256
)

// clusters adds up the values of each cluster, whatever the order of the rows. Clusters are told apart by a 64-bit hash of their
// label. When there are too many to keep, half of them are forgotten, those whose hash has a 1 as its next bit, and their
// rows are passed over from then on: what is left is a random part of all clusters with all their rows. Memory is O(d).
type clusters struct {
	column chosenColumn
	file   string
	d      int
	labels []uint64 // of the rows of the view under way
	at     map[uint64]int
	sums   [][]float64 // of each cluster: its rows, then for each column number, sum and sum of squares
	hash   []uint64    // of each cluster
	shift  []float64   // of each column, a value of it: squares are taken from there
	bits   int         // of the hash that must be 0
	most   int
	rows   int // all of them
}

func newClusters(column chosenColumn, d int, file string) *clusters {
	c := &clusters{column: column, file: file, d: d, at: map[uint64]int{}, shift: make([]float64, d), most: max(leastClusters, mostClusterValues/max(d, 1))}
	for j := range c.shift {
		c.shift[j] = math.NaN()
	}
	return c
}

// clusterColumn takes the column of that name out of the chosen ones.
func clusterColumn(name string, all []dataset.Column, chosen []chosenColumn) (chosenColumn, []chosenColumn, error) {
	names := make([]string, len(all))
	for j, c := range all {
		if names[j] = c.Name; c.Name == name {
			left := slices.DeleteFunc(slices.Clone(chosen), func(c chosenColumn) bool { return c.index == j })
			return chosenColumn{Column: c, index: j}, left, nil
		}
	}
	return chosenColumn{}, nil, unknownColumn("groups", name, names)
}

// take removes the last of d+1 columns from a view and keeps the labels in it.
func (c *clusters) take(v *view, d int) error {
	c.labels = c.labels[:0]
	wide, cells := d+1, v.cells[:0]
	for i := range v.rows {
		label, missing := uint64(0), true
		if x := v.values[i*wide+d]; x == x {
			label, missing = hashOf('n', fmt.Append(nil, dataset.FormatFloat(x+0))), false
		}
		c.labels = append(c.labels, label)
		if missing {
			c.labels[i] = noLabel
		}
		copy(v.values[i*d:(i+1)*d], v.values[i*wide:i*wide+d])
	}
	for _, cell := range v.cells {
		if cell.Column == d {
			c.labels[cell.Row] = hashOf('t', v.text[cell.Start:cell.End])
		} else {
			cells = append(cells, cell)
		}
	}
	v.values, v.cells = v.values[:v.rows*d], cells
	v.clean = len(cells) == 0 && finite(v.values)
	if i := slices.Index(c.labels, noLabel); i >= 0 {
		return &dataset.ParseError{File: c.file, Row: v.first + i + 1, Column: c.column.index + 1, Name: c.column.Name,
			Err: fault.New(ErrClusterMissing, "is empty, and every row needs a group", "fill it in, or remove the row")}
	}
	return nil
}

const noLabel = ^uint64(0)

// hashOf is FNV-1a, mixed so that every bit depends on all of it.
func hashOf(kind byte, text []byte) uint64 {
	h := fnv.New64a()
	h.Write([]byte{kind})
	h.Write(text)
	z := h.Sum64()
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	if z ^= z >> 31; z == noLabel {
		z--
	}
	return z
}

// add takes the rows of the view whose labels were taken; NaN is missing. whole says that rows which miss a value are left out.
func (c *clusters) add(rows []float64, whole bool) {
	for i, label := range c.labels {
		row := rows[i*c.d : (i+1)*c.d]
		if whole && anyMissing(row) {
			continue
		}
		c.rows++
		if label&(1<<c.bits-1) != 0 {
			continue
		}
		k, ok := c.at[label]
		if !ok {
			k = len(c.sums)
			c.at[label] = k
			c.sums, c.hash = append(c.sums, make([]float64, 1+3*c.d)), append(c.hash, label)
		}
		s := c.sums[k]
		s[0]++
		for j, x := range row {
			if x != x || x-x != 0 {
				continue
			}
			if c.shift[j] != c.shift[j] {
				c.shift[j] = x
			}
			x -= c.shift[j]
			s[1+3*j]++
			s[2+3*j] += x
			s[3+3*j] += x * x
		}
		if len(c.sums) > c.most {
			c.thin()
		}
	}
}

// append adds the labels of the rows of the view whose labels were taken to a list. whole says that rows which miss a value are left
// out.
func (c *clusters) append(list []uint64, rows []float64, whole bool) []uint64 {
	for i, label := range c.labels {
		if !whole || !anyMissing(rows[i*c.d:(i+1)*c.d]) {
			list = append(list, label)
		}
	}
	return list
}

// thin forgets the clusters whose hash has a 1 as its next bit.
func (c *clusters) thin() {
	for len(c.sums) > c.most && c.bits < 63 {
		c.bits++
		kept := 0
		clear(c.at)
		for k, h := range c.hash {
			if h&(1<<c.bits-1) == 0 {
				c.sums[kept], c.hash[kept] = c.sums[k], h
				c.at[h] = kept
				kept++
			}
		}
		clear(c.sums[kept:])
		c.sums, c.hash = c.sums[:kept], c.hash[:kept]
	}
}

// finish returns how the rows count. names are those of the columns.
func (c *clusters) finish(names []string) (*dataset.Clusters, error) {
	if c.bits == 0 && len(c.sums) == 1 {
		return nil, &dataset.ParseError{File: c.file, Column: c.column.index + 1, Name: c.column.Name,
			Err: fault.New(ErrOneCluster, "has the same value in every row", "name a column with several groups with %s, or omit it", fault.Use("groups"))}
	}
	out := &dataset.Clusters{Column: c.column.Name, Rows: c.rows, Count: len(c.sums) << c.bits, Part: math.Ldexp(1, -c.bits)}
	n, squares := 0.0, 0.0
	for _, s := range c.sums {
		n += s[0]
		squares += s[0] * s[0]
	}
	out.Size = 1
	if n > 0 {
		out.Size = squares / n
	}
	for j, name := range names {
		out.Alike = append(out.Alike, dataset.Alike{Column: name, Rho: c.rho(j)})
	}
	slices.SortStableFunc(out.Alike, func(a, b dataset.Alike) int {
		switch {
		case a.Rho > b.Rho:
			return -1
		case a.Rho < b.Rho:
			return 1
		}
		return 0
	})
	out.Alike = slices.Clip(out.Alike[:min(2, len(out.Alike))])
	out.Judge()
	return out, nil
}

// rho is the intraclass correlation of a column by the analysis of variance: with k clusters of n_c rows, n rows in all, B the mean
// square between clusters and W the one within,
//
//	ρ = (B - W) / (B + (n₀ - 1)·W),   n₀ = (n - Σ n_c²/n) / (k - 1),
//
// no less than 0 (Fisher 1925; for unequal sizes Snedecor 1956). Where no cluster has two rows it is not known, and 0.
func (c *clusters) rho(j int) float64 {
	k, n, squares, total, within, between := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for _, s := range c.sums {
		count, sum, square := s[1+3*j], s[2+3*j], s[3+3*j]
		if count == 0 {
			continue
		}
		k++
		n += count
		squares += count * count
		total += sum
		within += max(0, square-sum*sum/count)
		between += sum * sum / count
	}
	if k < 2 || n <= k {
		return 0
	}
	between = max(0, between-total*total/n) / (k - 1)
	within /= n - k
	n0 := (n - squares/n) / (k - 1)
	if bottom := between + (n0-1)*within; bottom > 0 {
		return min(1, max(0, (between-within)/bottom))
	}
	return 0
}
