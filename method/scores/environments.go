package scores

import (
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Rows with an intervention on a column carry no information about its parents. They are excluded from its local score and included
// in all others. So each column has its own score, from the moments, counts or functions of the rows without an intervention on it.
// Columns with interventions in the same environments share one.

// Groups returns the sets of environments that count for columns, and the index of the set for each column. A table without environments has
// one set.
func Groups(in *method.Input) (groups [][]int, of []int) {
	if in.Environments == nil {
		return [][]int{{0}}, make([]int, len(in.Names()))
	}
	return in.Environments.Groups(len(in.Names()))
}

// linear builds the score of the linear model from moments by environment.
func (s *Settings) linear(in *method.Input) (*ScoredTable, error) {
	pool, err := dataset.NewPool(in.Moments, in.Environments)
	if err != nil {
		return nil, err
	}
	d := len(in.Names())
	t := &ScoredTable{group: pool.Group}
	var scores []search.Score
	settings := s.Price.Apply(search.DefaultSettings())
	memory := score.NewRowMemory(keptRows)
	for _, m := range pool.By {
		price := settings.EdgePenalty(max(m.N, 3), d)
		var own *score.GaussianLocal
		if m.OnDemand() {
			own, err = score.GaussianLocalBy(m, m.N, price, memory)
		} else {
			own, err = score.NewGaussianLocal(m.Correlation(), m.N, price)
		}
		if err != nil {
			return nil, err
		}
		scores, t.rows = append(scores, own), append(t.rows, float64(m.N))
	}
	for v := range d {
		t.Order = append(t.Order, v) // already canonical
	}
	t.Score, err = score.NewByColumn(scores, pool.Group)
	return t, err
}

// keptRows limits the rows of correlations that the scores of groups keep together: 1 GB, or 128 rows of each of 1000 columns.
const keptRows = 128 << 20

// largestEnvironment returns the rows of the sample in its most frequent environment.
func largestEnvironment(in *method.Input) *dataset.Sample {
	if in.Environments == nil || in.Sample.Environments == nil {
		return in.Sample
	}
	rows := make([]int, len(in.Environments.Names))
	for _, k := range in.Sample.Environments {
		rows[k]++
	}
	most := slices.Index(rows, slices.Max(rows))
	out := &dataset.Sample{Columns: in.Sample.Columns}
	for i, k := range in.Sample.Environments {
		if k == most {
			out.Index, out.Values = append(out.Index, in.Sample.Index[i]), append(out.Values, in.Sample.Row(i)...)
		}
	}
	return out
}
