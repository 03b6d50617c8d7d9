package order

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// effects adds descriptions of the effects of g, which is in the order of the score. It does not read the rows again.
func (at *local) effects(edges []method.EdgeFacts, in *method.Input, g *graph.Graph, model Model) {
	d := &describer{local: at, in: in}
	describe := d.moments
	switch model {
	case Discrete:
		describe = d.tables
	case Smooth:
		describe = d.curves
	}
	known := map[int]map[int]*method.Effect{}
	for i, e := range edges {
		if known[e.To] == nil {
			known[e.To] = describe(e.To, g.Parents(e.To))
		}
		edges[i].Effect = known[e.To][e.From]
	}
}

// A describer describes what edges do.
type describer struct {
	*local
	in *method.Input
}

// own returns the functions of the rows that count for column v, nil where there are none.
func (d *describer) own(v int) *score.Blocks { return d.blocks[d.group[v]] }

// counted is how many rows are behind the functions, also where rows that belong together count as fewer.
func (d *describer) counted(b *score.Blocks) int {
	if d.in.Regimes == nil {
		return d.in.RowCount()
	}
	return b.N
}

// kind is that of a column in the order of the score.
func (d *describer) kind(v int) kind.Kind {
	if d.in.Kinds == nil {
		return kind.Continuous
	}
	return d.in.Kinds[d.order[v]].Kind
}

// label is what the value x of column v is called: a word of a text, else the number.
func (d *describer) label(v int, x float64) string {
	if d.in.Kinds != nil {
		if words := d.in.Kinds[d.order[v]].Words; x >= 0 && int(x) < len(words) && x == float64(int(x)) {
			return words[int(x)]
		}
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// A scale says how the levels of a column are shown: in the order of their values and, where there are too many, the rarest
// as one at the end.
type scale struct {
	labels []string
	place  []int // of each code
}

// scale makes one of the values that codes stand for, and the rows with each.
func (d *describer) scale(v int, values []float64, rows []int) scale {
	codes := make([]int, len(values))
	for k := range codes {
		codes[k] = k
	}
	if len(codes) > method.MostEffectLevels {
		slices.SortFunc(codes, func(a, b int) int { return cmp.Or(cmp.Compare(rows[b], rows[a]), cmp.Compare(values[a], values[b])) })
		codes = codes[:method.MostEffectLevels-1]
	}
	slices.SortFunc(codes, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	s := scale{place: make([]int, len(values))}
	for k := range s.place {
		s.place[k] = len(codes)
	}
	for i, c := range codes {
		s.labels = append(s.labels, d.label(v, values[c]))
		s.place[c] = i
	}
	if len(codes) < len(values) {
		s.labels = append(s.labels, method.OtherLevels)
	}
	return s
}

// grid returns rows × columns zeros.
func grid[T any](rows, columns int) [][]T {
	out := make([][]T, rows)
	for i := range out {
		out[i] = make([]T, columns)
	}
	return out
}
