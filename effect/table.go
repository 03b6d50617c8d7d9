package effect

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
)

// table has the probabilities of a column's levels for each configuration of its parents, which are those of the graph in its order.
type table struct {
	*cases
	p       []float64 // by place of the configuration, the levels fastest
	overall []float64 // of a configuration that has no place
}

// newTable counts the rows in which v was not set. One row more with the overall shares of the levels is spread over all
// configurations, so that one which does not occur has these shares and one with many rows its own:
//
//	P(c | z) = (n(c, z) + p(c)/q) / (n(z) + 1/q), q configurations.
func newTable(d *data, v int, parents []int) (*table, error) {
	f, err := d.cases(v, parents)
	if err != nil {
		return nil, err
	}
	t := &table{cases: f, p: make([]float64, f.places*f.levels+1), overall: make([]float64, f.levels)}
	if d.times == nil {
		for _, c := range f.cell {
			t.p[c]++
		}
	} else {
		for i, c := range f.cell {
			t.p[c] += d.times[i]
		}
	}
	t.p = t.p[:f.places*f.levels]
	total := 0.0
	for c, x := range t.p {
		t.overall[c%f.levels] += x
		total += x
	}
	for c := range t.overall {
		t.overall[c] = (t.overall[c] + 1/float64(f.levels)) / (total + 1)
	}
	share := 1 / float64(f.configs)
	for at := 0; at < len(t.p); at += f.levels {
		row := t.p[at : at+f.levels]
		n := 0.0
		for _, x := range row {
			n += x
		}
		for c := range row {
			row[c] = (row[c] + share*t.overall[c]) / (n + share)
		}
	}
	return t, nil
}

// row returns the probabilities where the parents have the configuration with this number.
func (t *table) row(key int64) []float64 {
	if t.place != nil {
		k, ok := t.place[key]
		if !ok {
			return t.overall
		}
		key = int64(k)
	}
	return t.p[int(key)*t.levels:][:t.levels]
}

// at returns the probabilities where the parents have these codes.
func (t *table) at(codes []int) []float64 {
	key := int64(0)
	for j, c := range codes {
		key += t.stride[j] * int64(c)
	}
	return t.row(key)
}

// cases are a column with some parents: the cell of its table that each row is in. It does not depend on how often rows count, so
// that tables which are resampled share it.
type cases struct {
	levels  int
	stride  []int64 // of each parent in the number of a configuration
	configs int64
	places  int             // of configurations: all, or those that occur
	place   map[int64]int32 // of configurations, where they are too many to have one each; else nil
	cell    []int32         // of each row; the one after the last where v was set
}

// mostCases bounds the cells that are held to be counted again, at 4 bytes: 128 MB.
const mostCases = 1 << 25

// cases returns those of v with these parents.
func (d *data) cases(v int, parents []int) (*cases, error) {
	name := fmt.Sprint(v, parents)
	d.held.Lock()
	f := d.held.cases[name]
	d.held.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := d.newCases(v, parents)
	if err != nil {
		return nil, err
	}
	d.held.Lock()
	defer d.held.Unlock()
	if (len(d.held.cases)+1)*d.n <= mostCases {
		d.held.cases[name] = f
	}
	return f, nil
}

func (d *data) newCases(v int, parents []int) (*cases, error) {
	f := &cases{levels: len(d.levels[v]), stride: make([]int64, len(parents)), configs: 1, cell: make([]int32, d.n)}
	key := make([]int64, d.n)
	for j, p := range parents {
		f.stride[j] = f.configs
		if f.configs > math.MaxInt64/int64(len(d.levels[p])) {
			return nil, fault.New(ErrTooWide, fmt.Sprintf("a column has %d parents, more than their configurations can be numbered", len(parents)), "learn a sparser graph")
		}
		f.configs *= int64(len(d.levels[p]))
		for i, c := range d.codes(p) {
			key[i] += f.stride[j] * int64(c)
		}
	}
	f.places = int(min(f.configs, mostCells))
	if f.configs > int64(mostCells/f.levels) {
		f.place = map[int64]int32{}
		for i, k := range key {
			at, ok := f.place[k]
			if !ok {
				at = int32(len(f.place))
				f.place[k] = at
			}
			key[i] = int64(at)
		}
		f.places = len(f.place)
	}
	for i, c := range d.codes(v) {
		f.cell[i] = int32(key[i])*int32(f.levels) + c
		if !d.tells(v, i) {
			f.cell[i] = int32(f.places * f.levels)
		}
	}
	return f, nil
}
