package polydag

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
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
	return Run{Observe: observe}.Learn(ctx, data, cfg)
}

// Run says how a run is watched and kept. None of it changes the result. The zero value does neither.
type Run struct {
	Observe Observer // may be nil
	// Checkpoint keeps the state of the run; nil keeps none. Where it holds the state of an interrupted run with the same data and
	// settings, Learn goes on from there, on any number of threads, and ends in the same bytes (Timing aside) as if
	// nothing had happened; the state of another run is an error. A finished run leaves its last state: learning again from it
	// takes no time. The bytes are those of one machine: another processor may round differently.
	Checkpoint Checkpoint
	// Every is the least time between two saves; 0 saves at each opportunity. Besides, a state is saved at the beginning and
	// when the context ends.
	Every time.Duration
	// SaveFailed is told of each save that failed, except for the first, which ends the run with an error. The run goes on
	// and tries again. It may be nil.
	SaveFailed func(error)
}

// Learn is Learn with a checkpoint.
func (r Run) Learn(ctx context.Context, data *dataset.Moments, cfg Config) (*Result, error) {
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
	table := data
	var arranged []int
	if cfg.Method.arranges() {
		arranged = canonicalOrder(table)
		data = table.Arranged(arranged)
		if known, err = cfg.Knowledge.Resolve(data.Names); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	keep, err := newKeeper(ctx, r, data, cfg)
	if err != nil {
		return nil, err
	}
	l := &learner{ctx: ctx, data: data, cfg: cfg, known: known, observe: r.Observe, keep: keep, trace: &recorder{}, seconds: map[string]float64{}}
	if keep != nil {
		l.trace, l.seconds = &keep.state.Trace, keep.state.Seconds
	}
	before := sum(l.seconds)
	res, err := l.learn()
	if res == nil {
		return nil, err
	}
	if describeErr := l.describe(res); err == nil {
		err = describeErr
	}
	if err == nil && cfg.checksScale() && res.Status != solve.Canceled {
		err = l.checkScale(res)
	}
	if arranged != nil {
		res.restoreOrder(table.Names, arranged)
	}
	res.Schema, res.Method, res.Names, res.Rows = Schema, cfg.Method, table.Names, table.N
	res.Settings, res.Seed = cfg.used(), cfg.Seed
	if l.price > 0 {
		res.Settings["price"] = l.price
	}
	res.Trace = l.trace.traces()
	res.Timing = Timing{SolveSeconds: before + time.Since(start).Seconds(), StageSeconds: l.seconds, Threads: cfg.Threads}
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
	observe Observer // may be nil
	keep    *keeper  // nil without a checkpoint
	prefix  string   // of the names of stages in a checkpoint and in Timing
	trace   *recorder
	seconds map[string]float64
	price   float64 // of an edge in the search so far; 0 before it

	r *matrix.Dense[float64] // see correlation
}

// correlation returns the correlation matrix, made once. Nobody changes it.
func (l *learner) correlation() *matrix.Dense[float64] {
	if l.r == nil {
		l.r = l.data.Correlation()
	}
	return l.r
}

// tell passes progress on.
func (l *learner) tell(p Progress) {
	if l.observe != nil {
		p.Stage = l.prefix + p.Stage
		l.observe(p)
	}
}

// checkScale learns a second time, from standardized columns where the first was from raw ones and the other way round, and
// compares. An answer that fails there is no reason to lose this one.
func (l *learner) checkScale(res *Result) error {
	other := *l
	other.cfg.Standardize = !l.cfg.Standardize
	other.prefix, other.trace, other.price = "scale check: ", nil, 0
	second, err := other.learn()
	switch {
	case err != nil:
		res.Warnings = append(res.Warnings, fmt.Sprintf("the check in other units failed: %v", err))
	case second.Status == solve.Canceled:
		res.Status, res.Cause = second.Status, second.Cause
	case l.cfg.Standardize:
		res.ScaleCheck = compareScales(second.Graph, res.Graph, l.data.Names)
	default:
		res.ScaleCheck = compareScales(res.Graph, second.Graph, l.data.Names)
	}
	return nil
}

// why says what ended a run early.
func why(cause error) string {
	switch {
	case cause == nil:
		return ""
	case errors.Is(cause, context.DeadlineExceeded):
		return "the deadline passed"
	case errors.Is(cause, context.Canceled):
		return "interrupted"
	}
	return cause.Error()
}

func sum(parts map[string]float64) (total float64) {
	for _, p := range parts {
		total += p
	}
	return total
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
	start, before := time.Now(), l.seconds[name]
	run()
	l.seconds[name] = before + time.Since(start).Seconds()
}

// second returns the second moments that a method sees, with the divisors of the columns: the
// covariance matrix, or, standardized, the correlation matrix.
func (l *learner) second(standardize bool) (s *matrix.Dense[float64], scale []float64) {
	if standardize {
		return l.correlation(), l.data.Std()
	}
	scale = make([]float64, len(l.data.Names))
	for i := range scale {
		scale[i] = 1
	}
	return l.data.Covariance(), scale
}
