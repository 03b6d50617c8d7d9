package prepare

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// These are the errors of the group column.
var (
	ErrOneGroup     = fault.Kind("one-group", "all rows are in one group; name a column with several groups")
	ErrGroupMissing = fault.Kind("group-missing", "a row has no group; fill in the column or remove the row")
)

// mostGroupValues limits the memory of groups: three numbers per group and column, 48 MB. At least fewestKept are kept.
const (
	mostGroupValues = 1 << 21
	fewestKept      = 256
)

// groups sums the values of each group, for any order of the rows. A group is identified by a 64-bit hash of its label. If
// there are too many, the groups whose next hash bit is 1 are dropped, and their rows are ignored from then on. The rest is a
// random subset of the groups with all of their rows. Memory is O(d).
type groups struct {
	column chosenColumn
	file   string
	d      int
	labels []uint64 // labels of the rows of the present view
	at     map[uint64]int
	sums   [][]float64 // by group: number of rows, then for each column number, sum and sum of squares
	hash   []uint64    // hash of each group
	shift  []float64   // a value of each column, which squares are computed relative to
	bits   int         // number of hash bits that must be 0
	most   int
	rows   int // number of all rows
}

func newGroups(column chosenColumn, d int, file string) *groups {
	c := &groups{column: column, file: file, d: d, at: map[uint64]int{}, shift: make([]float64, d), most: max(fewestKept, mostGroupValues/max(d, 1))}
	for j := range c.shift {
		c.shift[j] = math.NaN()
	}
	return c
}

// groupColumn removes the column with this name from the chosen ones and returns it.
func groupColumn(name string, all []dataset.Column, chosen []chosenColumn) (chosenColumn, []chosenColumn, error) {
	names := make([]string, len(all))
	for j, c := range all {
		if names[j] = c.Name; c.Name == name {
			left := slices.DeleteFunc(slices.Clone(chosen), func(c chosenColumn) bool { return c.index == j })
			return chosenColumn{Column: c, index: j}, left, nil
		}
	}
	return chosenColumn{}, nil, unknownColumn("groups", name, names)
}

// take removes the last of d+1 columns from a view and stores its labels.
func (c *groups) take(v *view, d int) error {
	c.labels = c.labels[:0]
	wide, cells := d+1, v.cells[:0]
	for i := range v.rows {
		label := noLabel
		if x := v.values[i*wide+d]; x == x {
			label = hashOf('n', fmt.Append(nil, dataset.FormatFloat(x+0)))
		}
		c.labels = append(c.labels, label)
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
			Err: fault.New(ErrGroupMissing, "is empty, and every row needs a group", "fill it in, or remove the row")}
	}
	return nil
}

// copiedRho is the intraclass correlation of a column that is constant within groups, less rounding: the number of groups counts it exactly.
const copiedRho = 1 - 1e-9

const noLabel = ^uint64(0)

// hashOf is FNV-1a with a final mix, so that every bit depends on the whole text.
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

// add adds the rows of the view whose labels were taken. NaN is a missing value. With whole, incomplete rows are skipped.
func (c *groups) add(rows []float64, whole bool) {
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
			if x-x != 0 { // NaN or infinite
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

// append appends the labels of the rows of the view whose labels were taken. With whole, incomplete rows are skipped.
func (c *groups) append(list []uint64, rows []float64, whole bool) []uint64 {
	for i, label := range c.labels {
		if !whole || !anyMissing(rows[i*c.d:(i+1)*c.d]) {
			list = append(list, label)
		}
	}
	return list
}

// thin drops the groups whose next hash bit is 1.
func (c *groups) thin() {
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

// finish returns the weight of the rows. names are the names of the columns.
func (c *groups) finish(names []string) (*dataset.Groups, error) {
	if c.bits == 0 && len(c.sums) == 1 {
		return nil, &dataset.ParseError{File: c.file, Column: c.column.index + 1, Name: c.column.Name,
			Err: fault.New(ErrOneGroup, "has the same value in every row", "name a column with several groups with %s, or omit it", fault.Use("groups"))}
	}
	out := &dataset.Groups{Column: c.column.Name, Rows: c.rows, Count: len(c.sums) << c.bits, Part: math.Ldexp(1, -c.bits)}
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
	slices.SortStableFunc(out.Alike, func(a, b dataset.Alike) int { return cmp.Compare(b.Rho, a.Rho) })
	for _, a := range out.Alike {
		if a.Rho >= leastAlike && a.Rho < copiedRho {
			out.Dependent = append(out.Dependent, a)
		}
	}
	out.Alike = slices.Clip(out.Alike[:min(2, len(out.Alike))])
	out.Judge()
	return out, nil
}

// rho returns the intraclass correlation of a column by analysis of variance. With k groups of n_c rows, n rows in all, B the
// mean square between and W the mean square within groups, it is
//
//	ρ = (B - W) / (B + (n₀ - 1)·W),   n₀ = (n - Σ n_c²/n) / (k - 1),
//
// but at least 0 (Fisher 1925; for unequal sizes Snedecor 1956). It is 0 if no group has two rows.
func (c *groups) rho(j int) float64 {
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
		return max(0, (between-within)/bottom)
	}
	return 0
}
