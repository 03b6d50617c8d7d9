package scores

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
func (t *Table) effects(edges []method.EdgeFacts, g *graph.Graph) {
	describe := t.moments
	switch t.Model {
	case Discrete:
		describe = t.tables
	case Smooth:
		describe = t.curves
	}
	known := map[int]map[int]*method.Effect{}
	for i, e := range edges {
		if known[e.To] == nil {
			known[e.To] = describe(e.To, g.Parents(e.To))
		}
		edges[i].Effect = known[e.To][e.From]
	}
}

// ownBlocks returns the functions of the rows that count for column v, nil where there are none.
func (t *Table) ownBlocks(v int) *score.Blocks { return t.Blocks[t.group[v]] }

// rowsBehind is how many rows are behind the functions, also where rows that belong together count as fewer.
func (t *Table) rowsBehind(b *score.Blocks) int {
	if t.In.Regimes == nil {
		return t.In.RowCount()
	}
	return b.N
}

// kind is that of a column in the order of the score.
func (t *Table) kind(v int) kind.Kind {
	if t.In.Kinds == nil {
		return kind.Continuous
	}
	return t.In.Kinds[t.Order[v]].Kind
}

// label is what the value x of column v is called: a word of a text, else the number.
func (t *Table) label(v int, x float64) string {
	if t.In.Kinds != nil {
		if words := t.In.Kinds[t.Order[v]].Words; x >= 0 && int(x) < len(words) && x == float64(int(x)) {
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
func (t *Table) scale(v int, values []float64, rows []int) scale {
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
		s.labels = append(s.labels, t.label(v, values[c]))
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
