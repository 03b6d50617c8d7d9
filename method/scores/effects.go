package scores

import (
	"cmp"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// effects adds descriptions of the effects of g, which is in the order of the score. It does not read the rows again.
func (t *ScoredTable) effects(edges []method.EdgeRecord, g *graph.Graph) {
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

// ownBlocks returns the functions of the rows that count for column v, or nil without rows.
func (t *ScoredTable) ownBlocks(v int) *score.Blocks { return t.Blocks[t.group[v]] }

// rowsBehind returns the number of rows of the functions, without weights for grouped rows.
func (t *ScoredTable) rowsBehind(b *score.Blocks) int {
	if t.In.Environments == nil {
		return t.In.RowCount()
	}
	return b.N
}

// kind returns the kind of a column of the score.
func (t *ScoredTable) kind(v int) kind.Kind {
	if t.In.Kinds == nil {
		return kind.Continuous
	}
	return t.In.Kinds[t.Order[v]].Kind
}

// label returns the name of value x of column v: a word for text, otherwise the number.
func (t *ScoredTable) label(v int, x float64) string {
	if t.In.Kinds == nil {
		return kind.Label(nil, x)
	}
	return kind.Label(t.In.Kinds[t.Order[v]].Words, x)
}

// A scale defines the display of the levels of a column: in the order of their values, with the rarest merged at the end if there
// are too many.
type scale struct {
	labels []string
	place  []int // index of the label of each code
}

// scale returns the scale of a column with these values by code and the number of rows of each.
func (t *ScoredTable) scale(v int, values []float64, rows []int) scale {
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

// grid returns a rows × columns slice of zeros.
func grid[T any](rows, columns int) [][]T {
	out := make([][]T, rows)
	for i := range out {
		out[i] = make([]T, columns)
	}
	return out
}

// rounded rounds all numbers of rows in place.
func rounded(rows [][]float64) [][]float64 {
	for _, row := range rows {
		for j, v := range row {
			row[j] = method.RoundEffect(v)
		}
	}
	return rows
}
