package effect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
)

// data are the rows of a table by column, as models that are no straight lines need them.
type data struct {
	n       int
	columns [][]float64
	regime  []int   // of each row; nil where there is one
	targets [][]int // of each regime
	levels  [][]float64
	times   []float64 // how often each row counts; nil where each counts once
	held    *held
}

// held is what is worked out of the rows once, for whoever counts them. Data that differ in how often rows count share it.
type held struct {
	sync.Mutex
	cases map[string]*cases
	codes map[int][]int32   // of columns
	order map[int][]float64 // the values of columns, rising
	cells sync.Pool         // memory for eliminations, *cells
}

func newHeld() *held {
	h := &held{cases: map[string]*cases{}, codes: map[int][]int32{}, order: map[int][]float64{}}
	h.cells.New = func() any { return &cells{} }
	return h
}

// mostValues bounds the rows that are held, at 8 bytes a value: 1 GB.
const mostValues = 1 << 27

// readData reads the rows of a table. like are the rows of the table that it was drawn from, whose levels it has, or nil: then the
// columns that leveled names have the levels that occur.
func readData(ctx context.Context, t *polydag.Table, leveled []bool, like *data) (*data, error) {
	d := t.Moments.Dim()
	if t.Moments.N > mostValues/max(d, 1) {
		return nil, fault.New(ErrTooWide, fmt.Sprintf("%d rows × %d columns are more values than the %d that are held in memory for effects that are no straight lines", t.Moments.N, d, mostValues),
			"take some of them with %s", fault.Use("rows"))
	}
	out := &data{columns: make([][]float64, d), levels: make([][]float64, d), held: newHeld()}
	for j := range out.columns {
		out.columns[j] = make([]float64, 0, t.Moments.N)
	}
	if r := t.Regimes; r != nil && r.HasTargets() {
		out.targets = r.Targets
	}
	err := t.EachRow(ctx, func(rows []float64, regimes []int) error {
		for at := 0; at < len(rows); at += d {
			for j := range d {
				out.columns[j] = append(out.columns[j], rows[at+j])
			}
		}
		if out.targets != nil {
			out.regime = append(out.regime, regimes...)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	out.n = len(out.columns[0])
	if like != nil {
		out.levels = like.levels
		return out, nil
	}
	for j, c := range out.columns {
		if leveled[j] {
			levels := slices.Clone(c)
			slices.Sort(levels)
			out.levels[j] = slices.Compact(levels)
		}
	}
	return out, nil
}

// tells reports whether row i says something of what column v depends on: it was not set there.
func (d *data) tells(v, i int) bool {
	return d.regime == nil || !slices.Contains(d.targets[d.regime[i]], v)
}

// mostFrequent returns the most frequent level of column v and the second, of equals the smaller.
func (d *data) mostFrequent(v int) (first, second float64) {
	count := make([]float64, len(d.levels[v]))
	for i, c := range d.codes(v) {
		if d.times == nil {
			count[c]++
		} else {
			count[c] += d.times[i]
		}
	}
	order := make([]int, len(count))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	if len(order) < 2 {
		return d.levels[v][0], d.levels[v][0]
	}
	return d.levels[v][order[0]], d.levels[v][order[1]]
}

// codes returns the places of all values of column v among its levels.
func (d *data) codes(v int) []int32 {
	d.held.Lock()
	defer d.held.Unlock()
	if d.held.codes[v] == nil {
		out := make([]int32, d.n)
		for i, x := range d.columns[v] {
			out[i] = int32(d.code(v, x))
		}
		d.held.codes[v] = out
	}
	return d.held.codes[v]
}

// sorted returns the values of column v, rising.
func (d *data) sorted(v int) []float64 {
	d.held.Lock()
	defer d.held.Unlock()
	if d.held.order[v] == nil {
		d.held.order[v] = slices.Sorted(slices.Values(d.columns[v]))
	}
	return d.held.order[v]
}

// counted returns the same rows, each of which counts so often. Its error is that of a resampled table: a column with one level only.
func (d *data) counted(times []int) (*data, error) {
	out := *d
	out.times = make([]float64, d.n)
	for i, x := range times {
		out.times[i] = float64(x)
	}
	for v := range d.columns {
		first, differs := int32(-1), false
		for i, c := range d.codes(v) {
			if times[i] > 0 && first < 0 {
				first = c
			}
			if differs = times[i] > 0 && c != first; differs {
				break
			}
		}
		if !differs {
			return nil, dataset.ErrConstant
		}
	}
	return &out, nil
}

// code returns the place of a value among the levels of column v, -1 where there is no such level.
func (d *data) code(v int, x float64) int {
	if k, ok := slices.BinarySearch(d.levels[v], x); ok {
		return k
	}
	return -1
}

// untouched lists the rows in which nothing was set, or all where there are none: what a column is like by itself.
func (d *data) untouched() []int {
	var out []int
	for i := range d.n {
		if d.regime == nil || len(d.targets[d.regime[i]]) == 0 {
			out = append(out, i)
		}
	}
	if out == nil {
		for i := range d.n {
			out = append(out, i)
		}
	}
	return out
}

// label is what the value x of a column is called.
func label(words []string, x float64) string {
	if x >= 0 && int(x) < len(words) && x == float64(int(x)) {
		return words[int(x)]
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// words are what the codes of each column stand for.
func words(res *polydag.Result, kinds []kind.Column) [][]string {
	out := make([][]string, len(res.Names))
	for v := range out {
		switch {
		case kinds != nil:
			out[v] = kinds[v].Words
		case len(res.Nodes) > 0:
			out[v] = res.Nodes[v].Levels
		}
	}
	return out
}
