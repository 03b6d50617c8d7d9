// Package marginal makes marginal likelihoods of tables: the scores that a posterior over graphs is taken under.
package marginal

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Linear returns the BGe score of a table's moments. Rows in which a column was set do not count for it.
func Linear(m *dataset.Moments, regimes *dataset.Regimes) (search.Score, error) {
	pool, err := dataset.NewPool(m, regimes)
	if err != nil {
		return nil, err
	}
	scores := make([]search.Score, len(pool.By))
	for k, own := range pool.By {
		if own.N < 3 {
			continue // nothing is known of these columns but what follows from the others
		}
		if scores[k], err = score.NewBGe(own.Correlation(), own.N, score.DefaultBGe()); err != nil {
			return nil, err
		}
	}
	if len(scores) == 1 && scores[0] != nil {
		return scores[0], nil
	}
	return score.NewByColumn(scores, pool.Group)
}

// ErrLevels is matched where a column has too many values to be counted.
var ErrLevels = fault.Kind("too-many-levels", "the posterior of a discrete model counts levels, and a column has too many values; put numbers into classes")

// mostLevels is how many values a column may have.
const mostLevels = 64

// Discrete returns the BDeu score of a table whose rows each hands out, with the regime of each row where there are several. A row
// counts as weight, where 0 stands for 1.
func Discrete(ctx context.Context, names []string, each func(context.Context, func(rows []float64, regimes []int) error) error, regimes *dataset.Regimes, weight float64) (search.Score, error) {
	d := len(names)
	columns, codes := make([][]int, d), make([]map[float64]int, d)
	for j := range codes {
		codes[j] = map[float64]int{}
	}
	var o score.CountOptions
	err := each(ctx, func(rows []float64, of []int) error {
		if regimes != nil {
			o.Regimes = append(o.Regimes, of...)
		}
		for j := range columns {
			for i := j; i < len(rows); i += d {
				code, known := codes[j][rows[i]]
				if !known {
					code = len(codes[j])
					codes[j][rows[i]] = code
				}
				columns[j] = append(columns[j], code)
			}
			if len(codes[j]) > mostLevels {
				return fault.New(ErrLevels, fmt.Sprintf("column %s has more than %d different values, and the posterior of a discrete model counts levels", names[j], mostLevels),
					"put numbers into classes with %s", fault.Set("discretize", "3"))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := score.DefaultDiscrete()
	s.Weight = weight
	if regimes != nil {
		o.Targets = regimes.Targets
		s.Ess = score.TargetsEss
	}
	table, err := score.Count(columns, o)
	if err != nil {
		return nil, err
	}
	return score.NewDiscrete(table, s)
}
