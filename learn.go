package polydag

import (
	"context"
	"fmt"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
)

// Progress is told to an Observer while Learn runs.
type Progress struct {
	Stage       string
	Step, Steps int     // gradient steps, or rounds of a search
	Score, H    float64 // H is 0 in a search
	Edges       int     // of a search; 0 in a continuous stage
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
	if data.N < 3 {
		return nil, fmt.Errorf("polydag: %d rows, want at least 3: two points fit any line", data.N)
	}
	for j, std := range data.Std() {
		if !(std > 0) {
			return nil, fmt.Errorf("polydag: column %d (%s): its values are so small that their variance is 0; multiply the column by a power of ten", j+1, data.Names[j])
		}
	}
	known, err := cfg.Knowledge.Resolve(data.Names)
	if err != nil {
		return nil, err
	}
	if observe == nil {
		observe = func(Progress) {}
	}
	l := &learner{ctx: ctx, data: data, cfg: cfg, known: known, observe: observe, seconds: map[string]float64{}}
	start := time.Now()
	res, err := l.learn()
	if res == nil {
		return nil, err
	}
	res.Schema, res.Method, res.Names, res.Rows = Schema, cfg.Method, data.Names, data.N
	res.Settings, res.Seed = cfg.used(), cfg.Seed
	res.Timing = Timing{SolveSeconds: time.Since(start).Seconds(), StageSeconds: l.seconds, Threads: cfg.Threads}
	if err == nil {
		err = res.finite()
	}
	return res, err
}

// learner is one call of Learn.
type learner struct {
	ctx     context.Context
	data    *dataset.Moments
	cfg     Config
	known   *knowledge.Knowledge
	observe Observer
	seconds map[string]float64
}

func (l *learner) learn() (*Result, error) {
	switch m := l.cfg.Method; {
	case m.ofPaper() && l.cfg.Paper.Precision == 32:
		return learnPaper[float32](l)
	case m.ofPaper():
		return learnPaper[float64](l)
	case m == Polydag:
		return l.learnPolydag()
	default:
		return l.learnSearch()
	}
}

// timed runs one stage and notes its seconds.
func (l *learner) timed(name string, run func()) {
	start := time.Now()
	run()
	l.seconds[name] += time.Since(start).Seconds()
}

// second returns the second moments that a method sees, with the divisors of the columns: the
// covariance matrix, or, standardized, the correlation matrix.
func (l *learner) second(standardize bool) (s *matrix.Dense[float64], scale []float64) {
	if standardize {
		return l.data.Correlation(), l.data.Std()
	}
	scale = make([]float64, len(l.data.Names))
	for i := range scale {
		scale[i] = 1
	}
	return l.data.Covariance(), scale
}
