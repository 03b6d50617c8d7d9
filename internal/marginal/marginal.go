// Package marginal makes marginal likelihoods of tables: the scores that a posterior over graphs is taken under.
package marginal

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Linear returns the BGe score of a table's moments, with the scale of the prior under which a graph is most likely; parents lists the
// parents of each column in it, and nil leaves the scale at its default. Rows in which a column was set do not count for it.
func Linear(m *dataset.Moments, environments *dataset.Environments, parents [][]int) (search.Score, error) {
	s := score.DefaultBGe()
	if parents != nil {
		var err error
		if s, err = score.FitBGe(m.Correlation(), m.N, parents, s); err != nil {
			return nil, err
		}
	}
	pool, err := dataset.NewPool(m, environments)
	if err != nil {
		return nil, err
	}
	scores, memory := make([]search.Score, len(pool.By)), score.NewRowMemory(keptRows)
	for k, own := range pool.By {
		if own.N < 3 {
			continue // these columns follow from the others
		}
		if own.OnDemand() {
			scores[k], err = score.BGeBy(own, own.N, s, memory)
		} else {
			scores[k], err = score.NewBGe(own.Correlation(), own.N, s)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(scores) == 1 && scores[0] != nil {
		return scores[0], nil
	}
	return score.NewByColumn(scores, pool.Group)
}

// keptRows limits the rows of correlations that the scores of columns with different rows keep together: 256 MB.
const keptRows = 32 << 20

// ErrLevels is returned if a column has too many values to be counted.
var ErrLevels = fault.Kind("too-many-levels", "a column has too many categories for the posterior of a discrete model; discretize numeric columns")

// mostLevels is how many values a column may have.
const mostLevels = 64

// Discrete returns the BDeu score of a table with these columns. Its equivalent sample size maximizes the
// likelihood of the graph given by parents; nil leaves the default size. weight is the weight of a row, where 0
// means 1.
func Discrete(ctx context.Context, names []string, rows dataset.Rows, environments *dataset.Environments, weight float64, parents [][]int) (search.Score, error) {
	d := len(names)
	coded, codes := counts.NewJoiner(d, 0, false), make([]map[float64]uint16, d)
	for j := range codes {
		codes[j] = map[float64]uint16{}
	}
	var o counts.Rows
	err := rows(ctx, func(b dataset.RowBatch) error {
		if environments != nil {
			o.Environments = append(o.Environments, b.Environments...)
		}
		for j := range coded.Columns {
			for i := j; i < len(b.Values); i += d {
				code, known := codes[j][b.Values[i]]
				if !known {
					code = uint16(len(codes[j]))
					codes[j][b.Values[i]] = code
				}
				coded.Columns[j] = append(coded.Columns[j], code)
			}
			if len(codes[j]) > mostLevels {
				return fault.New(ErrLevels, fmt.Sprintf("column %s has more than %d distinct values, too many for the posterior of a discrete model", names[j], mostLevels),
					"discretize numeric columns with %s", fault.Set("discretize", "3"))
			}
		}
		if environments == nil {
			coded.Join()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if environments != nil {
		o.Targets = environments.Targets
	}
	table, err := coded.Table(o)
	if err != nil {
		return nil, err
	}
	s := score.DefaultDiscrete()
	s.Weight = weight
	if parents == nil {
		return score.NewDiscrete(table, s)
	}
	var best search.Score
	least := math.Inf(1)
	for k := -2; k <= 4; k++ {
		s.Ess = math.Pow(10, float64(k)/2)
		own, err := score.NewDiscrete(table, s)
		if err != nil {
			return nil, err
		}
		eval, sum := own.Evaluator(), 0.0
		for v, set := range parents {
			sum += eval.Score(v, set)
		}
		if best == nil || sum < least {
			best, least = own, sum
		}
	}
	return best, ctx.Err()
}
