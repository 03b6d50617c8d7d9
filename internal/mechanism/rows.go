package mechanism

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// ErrTooWide is returned if a question needs too much memory or time.
var ErrTooWide = fault.Kind("effect-too-wide", "the question exceeds a size limit; use fewer rows or a sparser graph")

// Rows are the rows of a table by column, for nonlinear models.
type Rows struct {
	N       int
	Columns [][]float64
	Levels  [][]float64 // by column, ascending; nil if numeric
	// Uncrossed leaves products of parents out of curves, as a search over many columns does (basis.Settings.CrossedColumns).
	Uncrossed bool

	categorical []bool    // nominal columns
	environment []int     // by row; nil for a single environment
	targets     [][]int   // by environment
	times       []float64 // weight of each row; nil means 1
	held        *held
}

// held caches values derived from the rows. Rows that differ only in weights share it.
type held struct {
	sync.Mutex
	cases    map[string]*cases
	codes    map[int][]int32   // by column
	order    map[int][]float64 // sorted values by column
	distinct *distinct         // nil if not yet known
}

func newHeld() *held {
	return &held{cases: map[string]*cases{}, codes: map[int][]int32{}, order: map[int][]float64{}}
}

// New returns rows by column. levels has the levels of each column, nil if numeric. Levels are treated as
// ordered.
func New(columns, levels [][]float64) *Rows {
	return &Rows{N: len(columns[0]), Columns: columns, Levels: levels, categorical: make([]bool, len(columns)), held: newHeld()}
}

// MostValues limits the values in memory, at 8 bytes each: 1 GB.
const MostValues = 1 << 27

// Read reads the rows of a table. A column has levels under a discrete model, and under a mixed or a flexible one
// if it is categorical or binary. like has the rows of the original table of a bootstrap sample, whose levels are
// used, or nil.
func Read(ctx context.Context, t *polydag.Table, model score.Effects, like *Rows) (*Rows, error) {
	d := t.Moments.Dim()
	if t.Moments.N > MostValues/max(d, 1) {
		return nil, fault.New(ErrTooWide, fmt.Sprintf("%d rows × %d columns exceed the limit of %d values for nonlinear effects", t.Moments.N, d, MostValues),
			"use fewer rows with %s", fault.Use("rows"))
	}
	out := &Rows{Columns: make([][]float64, d), Levels: make([][]float64, d), categorical: make([]bool, d), held: newHeld()}
	for j := range out.Columns {
		out.Columns[j] = make([]float64, 0, t.Moments.N)
	}
	if r := t.Environments; r != nil && r.HasTargets() {
		out.targets = r.Targets
	}
	err := t.EachRow(ctx, func(b dataset.RowBatch) error {
		for at := 0; at < len(b.Values); at += d {
			for j := range d {
				out.Columns[j] = append(out.Columns[j], b.Values[at+j])
			}
		}
		if out.targets != nil {
			out.environment = append(out.environment, b.Environments...)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	out.N = len(out.Columns[0])
	if like != nil {
		out.Levels, out.categorical = like.Levels, like.categorical
		return out, nil
	}
	for j, c := range out.Columns {
		k := kind.Continuous
		if t.Kinds != nil {
			k = t.Kinds[j].Kind
		}
		out.categorical[j] = k == kind.Categorical
		if model == score.TableEffects || (model == score.MixedEffects || model == score.FlexibleEffects) && (k == kind.Categorical || k == kind.Binary) {
			levels := slices.Clone(c)
			slices.Sort(levels)
			out.Levels[j] = slices.Compact(levels)
		}
	}
	return out, nil
}

// tells reports whether row i has no intervention on column v.
func (d *Rows) tells(v, i int) bool {
	return d.environment == nil || !slices.Contains(d.targets[d.environment[i]], v)
}

// MostFrequent returns the most and the second most frequent level of column v; ties go to the smaller one.
func (d *Rows) MostFrequent(v int) (first, second float64) {
	count := make([]float64, len(d.Levels[v]))
	for i, c := range d.codes(v) {
		if d.times == nil {
			count[c]++
		} else {
			count[c] += d.times[i]
		}
	}
	order := intset.Range(0, len(count))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	if len(order) < 2 {
		return d.Levels[v][0], d.Levels[v][0]
	}
	return d.Levels[v][order[0]], d.Levels[v][order[1]]
}

// codes returns the codes of all values of column v.
func (d *Rows) codes(v int) []int32 {
	d.held.Lock()
	defer d.held.Unlock()
	if d.held.codes[v] == nil {
		out := make([]int32, d.N)
		for i, x := range d.Columns[v] {
			out[i] = int32(d.Code(v, x))
		}
		d.held.codes[v] = out
	}
	return d.held.codes[v]
}

// Sorted returns the values of column v, ascending.
func (d *Rows) Sorted(v int) []float64 {
	d.held.Lock()
	defer d.held.Unlock()
	if d.held.order[v] == nil {
		d.held.order[v] = slices.Sorted(slices.Values(d.Columns[v]))
	}
	return d.held.order[v]
}

// Counted returns the same rows with weights times. It returns an error if a column then has one level. Rows of categories are joined to
// distinct rows if these are few.
func (d *Rows) Counted(times []int) (*Rows, error) {
	if own := d.distinct(); own.rows != nil {
		sums := make([]int, own.rows.N)
		for i, k := range own.of {
			sums[k] += times[i]
		}
		return own.rows.counted(sums)
	}
	return d.counted(times)
}

func (d *Rows) counted(times []int) (*Rows, error) {
	out := *d
	out.times = make([]float64, d.N)
	for i, x := range times {
		out.times[i] = float64(x)
	}
	for v := range d.Columns {
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

// Code returns the index of a value in the levels of column v, or -1.
func (d *Rows) Code(v int, x float64) int {
	if k, ok := slices.BinarySearch(d.Levels[v], x); ok {
		return k
	}
	return -1
}

// Untouched lists the rows without an intervention, or all rows if each has one.
func (d *Rows) Untouched() []int {
	var out []int
	for i := range d.N {
		if d.environment == nil || len(d.targets[d.environment[i]]) == 0 {
			out = append(out, i)
		}
	}
	if out == nil {
		out = intset.Range(0, d.N)
	}
	return out
}

// Family returns the rows without an intervention on column v: v itself, then its parents.
func (d *Rows) Family(g *graph.Graph, v int) *matrix.Dense[float64] {
	parents := g.Parents(v)
	var rows []int
	for i := range d.N {
		if d.tells(v, i) {
			rows = append(rows, i)
		}
	}
	x := matrix.New[float64](len(rows), 1+len(parents))
	for k, i := range rows {
		x.Set(k, 0, d.Columns[v][i])
		for j, p := range parents {
			x.Set(k, j+1, d.Columns[p][i])
		}
	}
	return x
}

// Select returns these columns and rows in this order; nil selects all. A row may repeat. The levels stay those of all rows.
func (d *Rows) Select(columns, rows []int) *Rows {
	if columns == nil {
		columns = intset.Range(0, len(d.Columns))
	}
	if rows == nil {
		rows = intset.Range(0, d.N)
	}
	out := &Rows{N: len(rows), held: newHeld()}
	for _, j := range columns {
		values := make([]float64, len(rows))
		for k, i := range rows {
			values[k] = d.Columns[j][i]
		}
		out.Columns, out.Levels, out.categorical = append(out.Columns, values), append(out.Levels, d.Levels[j]), append(out.categorical, d.categorical[j])
	}
	if d.environment == nil {
		return out
	}
	for _, set := range d.targets {
		var own []int
		for _, v := range set {
			if k := slices.Index(columns, v); k >= 0 {
				own = append(own, k)
			}
		}
		out.targets = append(out.targets, own)
	}
	for _, i := range rows {
		out.environment = append(out.environment, d.environment[i])
	}
	return out
}

// join returns the rows of d followed by those of e, which has the same columns.
func (d *Rows) join(e *Rows) *Rows {
	out := &Rows{N: d.N + e.N, Levels: d.Levels, categorical: d.categorical, targets: d.targets, held: newHeld()}
	for j := range d.Columns {
		out.Columns = append(out.Columns, slices.Concat(d.Columns[j], e.Columns[j]))
	}
	if d.environment != nil {
		out.environment = slices.Concat(d.environment, e.environment)
	}
	return out
}

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
		if d.environment != nil {
			key = binary.LittleEndian.AppendUint32(key, uint32(d.environment[i]))
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
	if d.environment != nil {
		for _, i := range first {
			out.environment = append(out.environment, d.environment[i])
		}
	}
	return &distinct{rows: out, of: of}
}
