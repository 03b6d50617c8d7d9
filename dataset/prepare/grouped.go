package prepare

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// mostGroupedValues limits the rows that ByGroup keeps in memory: 512 MB.
const mostGroupedValues = 1 << 26

// ByGroup has the rows of a table in an order that depends on their values only: sorted by group, then by a hash of the row. The
// same rows in another order, or with another order of columns, give the same bytes.
type ByGroup struct {
	Names  []string
	Rows   []float64 // row after row
	Labels []uint64  // group of each row
	column chosenColumn
	file   string
}

// ByGroup reads the rows of a table with groups. It returns nil if they need too much memory.
func (g *Gathered) ByGroup(ctx context.Context) (*ByGroup, error) {
	d, values := g.Moments.Dim(), g.Moments.N*g.Moments.Dim()
	if most := g.replay.opt.MaxMemory; values > mostGroupedValues || most > 0 && 3*8*int64(values) > most {
		return nil, nil
	}
	read, err := dataset.Rows(g.ReplayGroups).Read(ctx, values)
	if err != nil {
		return nil, err
	}
	type place struct {
		label, hash uint64
		row         int
	}
	names := make([]uint64, d)
	for j, name := range g.Moments.Names {
		names[j] = hashOf('c', []byte(name))
	}
	order := make([]place, len(read.Groups))
	for i, label := range read.Groups {
		order[i] = place{label, 0, i}
		for j, x := range read.Values[i*d : (i+1)*d] {
			order[i].hash += fold(names[j], x)
		}
	}
	slices.SortFunc(order, func(a, b place) int { return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.hash, b.hash)) })
	b := &ByGroup{Names: g.Moments.Names, Rows: make([]float64, 0, values), Labels: make([]uint64, len(order)), column: *g.replay.plan.group, file: g.replay.opt.File}
	for i, at := range order {
		b.Rows = append(b.Rows, read.Values[at.row*d:(at.row+1)*d]...)
		b.Labels[i] = at.label
	}
	return b, nil
}

// each calls f with the rows lo … hi-1 of each group.
func (b *ByGroup) each(f func(lo, hi int)) {
	for lo := 0; lo < len(b.Labels); {
		hi := lo + 1
		for hi < len(b.Labels) && b.Labels[hi] == b.Labels[lo] {
			hi++
		}
		f(lo, hi)
		lo = hi
	}
}

// Varying reports for each column whether it varies within a group.
func (b *ByGroup) Varying() []bool {
	d := len(b.Names)
	out := make([]bool, d)
	b.each(func(lo, hi int) {
		for i := lo + 1; i < hi; i++ {
			for j := range d {
				out[j] = out[j] || b.Rows[i*d+j] != b.Rows[lo*d+j]
			}
		}
	})
	return out
}

// Select removes the columns that are not in keep.
func (b *ByGroup) Select(keep []int) {
	d, to, names := len(b.Names), 0, make([]string, len(keep))
	for k, j := range keep {
		names[k] = b.Names[j]
	}
	for i := range b.Labels {
		for _, j := range keep {
			b.Rows[to] = b.Rows[i*d+j] // to never overtakes the row, because keep is ascending
			to++
		}
	}
	b.Names, b.Rows = names, slices.Clip(b.Rows[:to])
}

// Centre replaces each value of the columns by its difference to the mean of its group plus the mean of all rows.
func (b *ByGroup) Centre(columns []bool) {
	d, n := len(b.Names), float64(len(b.Labels))
	for j, centred := range columns {
		if !centred {
			continue
		}
		all := 0.0
		for i := range b.Labels {
			all += b.Rows[i*d+j] / n
		}
		b.each(func(lo, hi int) {
			own := b.mean(j, lo, hi)
			for i := lo; i < hi; i++ {
				b.Rows[i*d+j] += all - own
			}
		})
	}
}

// mean returns the mean of column j in rows lo … hi-1.
func (b *ByGroup) mean(j, lo, hi int) float64 {
	d, shift, sum := len(b.Names), b.Rows[lo*len(b.Names)+j], 0.0
	for i := lo; i < hi; i++ {
		sum += b.Rows[i*d+j] - shift
	}
	return shift + sum/float64(hi-lo)
}

// Means replaces the rows by one row for each group, with the means of its rows.
func (b *ByGroup) Means() {
	d, groups := len(b.Names), 0
	b.each(func(lo, hi int) {
		for j := range d {
			b.Rows[groups*d+j] = b.mean(j, lo, hi) // rows before lo are no longer needed, and the mean of column j needs column j only
		}
		groups++
	})
	b.Rows, b.Labels = slices.Clip(b.Rows[:groups*d]), nil
}

// Groups returns the weight of the rows as they are now: without the degrees of freedom that the means of the groups took, if
// centred columns are among them.
func (b *ByGroup) Groups(centred int) (*dataset.Groups, error) {
	all := newGroups(b.column, len(b.Names), b.file)
	all.most, all.labels = math.MaxInt, b.Labels
	all.add(b.Rows, false)
	out, err := all.finish(b.Names)
	if err == nil && centred > 0 {
		out.Centred = centred
		out.EffectiveRows = max(1, min(out.EffectiveRows, out.Rows-out.Count))
	}
	return out, err
}

// Each reads the rows with their groups, nil for means of groups, as a dataset.Rows.
func (b *ByGroup) Each(ctx context.Context, each func(dataset.RowBatch) error) error {
	return dataset.RowBatch{Values: b.Rows, Groups: b.Labels}.Rows(len(b.Names))(ctx, each)
}
