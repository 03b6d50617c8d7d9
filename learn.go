package polydag

import (
	"context"
	"fmt"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// Progress is told to an Observer while Learn runs.
type Progress struct {
	Stage       string
	Step, Steps int
	Score, H    float64
	Rho, Alpha  float64
}

// Observer watches a run. It is called from the goroutine of Learn, once a step, and must be quick.
type Observer func(Progress)

// Learn finds a graph over the columns of data. It reads the moments only and changes nothing. observe
// may be nil.
//
// When ctx ends early, or the solver runs out of steps, Learn returns the best result so far with
// its Status and no error. An error comes with a nil Result, or, when the solver failed on the way, with
// the result at its last finite point.
func Learn(ctx context.Context, data *dataset.Moments, cfg Config, observe Observer) (*Result, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := data.Validate(); err != nil {
		return nil, err
	}
	if len(data.Names) < 2 {
		return nil, fmt.Errorf("polydag: %d columns, want at least 2", len(data.Names))
	}
	start := time.Now()
	var res *Result
	var err error
	if cfg.Precision == 32 {
		res, err = learnContinuous[float32](ctx, data, cfg, observe)
	} else {
		res, err = learnContinuous[float64](ctx, data, cfg, observe)
	}
	if res == nil {
		return nil, err
	}
	res.Schema, res.Method, res.Names, res.Rows = Schema, cfg.Method, data.Names, data.N
	res.Settings, res.Seed = cfg.used(), cfg.Seed
	res.Timing.SolveSeconds, res.Timing.Threads = time.Since(start).Seconds(), cfg.Threads
	if err == nil {
		err = res.finite()
	}
	return res, err
}

// second returns the matrix that the least-squares methods see, with the divisors of the columns: the
// covariance matrix, or with Standardize the correlation matrix.
func second(data *dataset.Moments, standardize bool) (s *matrix.Dense[float64], scale []float64) {
	if standardize {
		return data.Correlation(), data.Std()
	}
	scale = make([]float64, len(data.Names))
	for i := range scale {
		scale[i] = 1
	}
	return data.Covariance(), scale
}
