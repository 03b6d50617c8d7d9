package mechanism

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
)

// CPT is a conditional probability table: the probabilities of the levels of a column for each configuration of
// its parents, in the order of the graph.
type CPT struct {
	*cases
	P       []float64 // by configuration index, the levels fastest
	Overall []float64 // for a configuration without an index
}

// NewCPT counts the rows without an intervention on v. One additional row with the overall shares of the levels
// is spread over all configurations. So a configuration without rows has these shares, and one with many rows
// its own:
//
//	P(c | z) = (n(c, z) + p(c)/q) / (n(z) + 1/q), q configurations.
func NewCPT(d *Rows, v int, parents []int) (*CPT, error) {
	f, err := d.cases(v, parents)
	if err != nil {
		return nil, err
	}
	t := &CPT{cases: f, P: make([]float64, f.places*f.levels+1), Overall: make([]float64, f.levels)}
	if d.times == nil {
		for _, c := range f.cell {
			t.P[c]++
		}
	} else {
		for i, c := range f.cell {
			t.P[c] += d.times[i]
		}
	}
	t.P = t.P[:f.places*f.levels]
	total := 0.0
	for c, x := range t.P {
		t.Overall[c%f.levels] += x
		total += x
	}
	for c := range t.Overall {
		t.Overall[c] = (t.Overall[c] + 1/float64(f.levels)) / (total + 1)
	}
	share := 1 / float64(f.configs)
	for at := 0; at < len(t.P); at += f.levels {
		row := t.P[at : at+f.levels]
		n := 0.0
		for _, x := range row {
			n += x
		}
		for c := range row {
			row[c] = (row[c] + share*t.Overall[c]) / (n + share)
		}
	}
	return t, nil
}

// Row returns the probabilities for the configuration with this key.
func (t *CPT) Row(key int64) []float64 {
	if t.place != nil {
		k, ok := t.place[key]
		if !ok {
			return t.Overall
		}
		key = int64(k)
	}
	return t.P[int(key)*t.levels:][:t.levels]
}

// At returns the probabilities for these codes of the parents.
func (t *CPT) At(codes []int) []float64 {
	key := int64(0)
	for j, c := range codes {
		key += t.Stride[j] * int64(c)
	}
	return t.Row(key)
}

// cases has, for a column with some parents, the cell of its table for each row. It does not depend on row
// weights, so bootstrap samples share it.
type cases struct {
	levels  int
	Stride  []int64 // stride of each parent in the configuration key
	configs int64
	places  int             // number of configurations: all, or those that occur
	place   map[int64]int32 // index by configuration key if there are too many; otherwise nil
	cell    []int32         // by row; one past the last for an intervention on v
}

// mostPlaces is the largest number of cells of a table with an index for each configuration. A larger one has
// only those that occur.
const mostPlaces = 1 << 20

// mostCases limits the cached cells, at 4 bytes each: 128 MB.
const mostCases = 1 << 25

// cases returns the cases of v with these parents.
func (d *Rows) cases(v int, parents []int) (*cases, error) {
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
	if (len(d.held.cases)+1)*d.N <= mostCases {
		d.held.cases[name] = f
	}
	return f, nil
}

func (d *Rows) newCases(v int, parents []int) (*cases, error) {
	f := &cases{levels: len(d.Levels[v]), Stride: make([]int64, len(parents)), configs: 1, cell: make([]int32, d.N)}
	key := make([]int64, d.N)
	for j, p := range parents {
		f.Stride[j] = f.configs
		if f.configs > math.MaxInt64/int64(len(d.Levels[p])) {
			return nil, fault.New(ErrTooWide, fmt.Sprintf("a column has %d parents, with too many configurations", len(parents)), "learn a sparser graph")
		}
		f.configs *= int64(len(d.Levels[p]))
		for i, c := range d.codes(p) {
			key[i] += f.Stride[j] * int64(c)
		}
	}
	f.places = int(f.configs)
	if f.configs > int64(mostPlaces/f.levels) {
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

// Pick returns the level for u, uniform on [0, 1).
func Pick(p []float64, u float64) int {
	for c, x := range p {
		if u -= x; u < 0 {
			return c
		}
	}
	return len(p) - 1
}

// table is a CPT as a Function.
type table struct {
	*CPT
	levels [][]float64 // by parent
}

func fitTable(g *graph.Graph, d *Rows, v int) (Function, error) {
	t, err := NewCPT(d, v, g.Parents(v))
	if err != nil {
		return nil, err
	}
	out := &table{CPT: t}
	for _, p := range g.Parents(v) {
		out.levels = append(out.levels, d.Levels[p])
	}
	return out, nil
}

func (t *table) Clone() Function { return t }

func (t *table) At(parents []float64) []float64 {
	key := int64(0)
	for j, x := range parents {
		code, _ := slices.BinarySearch(t.levels[j], x)
		key += t.Stride[j] * int64(code)
	}
	return t.Row(key)
}
