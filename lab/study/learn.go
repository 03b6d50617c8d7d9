package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/metric"
)

// learn does one run of kind learn and returns its record and the result, which is nil if learning failed. An
// error means that there is no record: missing data, a lost device, or the end of the context.
func (r *Run) learn(ctx context.Context, opt Execution) (*Record, *polydag.Result, error) {
	if on := device.Of(ctx); on != nil {
		ctx = device.Use(ctx, on) // records the device use of this run only
	}
	rec := r.blank(opt)
	config := r.checked()
	rec.Settings = usedOf(config)
	clock := newStopwatch()
	s, err := r.draw(ctx, opt.Load)
	if err != nil {
		return nil, nil, &dataError{err}
	}
	rec.Notes, rec.Rows, rec.Columns = s.notes, s.table.Rows.Rows, len(s.table.Names)
	clock.lap("data")
	moments, err := s.table.Moments(1)
	if err != nil {
		return nil, nil, &dataError{err}
	}
	clock.lap("moments")
	var observe polydag.Observer
	if r.Trace {
		observe = rec.watch
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if opt.Budget > 0 {
		limited, cancel = context.WithTimeoutCause(ctx, opt.Budget, fmt.Errorf("it had no graph after %v", opt.Budget))
	}
	defer cancel()
	var res *polydag.Result
	if r.Rows {
		res, err = learnRows(limited, s.table, r.Point.Targets, config, observe)
	} else {
		res, err = polydag.FromMoments(moments).Learn(limited, config, polydag.Run{Observe: observe})
	}
	if res == nil && err != nil && limited.Err() != nil {
		err = context.Cause(limited)
	}
	if limited.Err() != nil && (res == nil || res.Status == method.Canceled) {
		rec.BudgetSeconds = opt.Budget.Seconds()
	}
	clock.lap("solve")
	if r.Halves && err == nil && ctx.Err() == nil {
		rec.Halves, err = halves(ctx, s.table, r.Point.Targets, config)
		clock.lap("halves")
	}
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if errors.Is(err, device.ErrLost) {
		return nil, nil, err
	}
	if err != nil { // a failed solver is a result too and stays in the tables
		rec.Status, rec.Error = StatusError, err.Error()
	}
	if res != nil {
		if err := rec.take(res, s, r.Rows); err != nil {
			return nil, nil, err
		}
	}
	clock.lap("evaluate")
	rec.Seconds = clock.seconds
	if res != nil {
		rec.time(res.Timing)
		rec.Machine.Device = res.Timing.Device
	}
	return rec, res, nil
}

// time records the seconds of each stage. The scale check, which solves a second time, has a separate entry.
func (rec *Record) time(t polydag.Timing) {
	for stage, sec := range t.StageSeconds {
		if !strings.HasPrefix(stage, polydag.ScaleCheckPrefix) {
			rec.Seconds["solve: "+stage] = short(sec)
		}
	}
	check := 0.0
	for stage, sec := range t.StageSeconds {
		if strings.HasPrefix(stage, polydag.ScaleCheckPrefix) {
			check += sec
		}
	}
	if check > 0 {
		rec.Seconds["scale check"] = short(check)
		rec.Seconds["solve"] = short(rec.Seconds["solve"] - check)
	}
}

// dataError is an error of the data and not of a method.
type dataError struct{ err error }

func (e *dataError) Error() string { return e.err.Error() }
func (e *dataError) Unwrap() error { return e.err }

// blank returns the record of a run without measurements.
func (r *Run) blank(opt Execution) *Record {
	return &Record{
		Schema: RecordSchema, Key: r.Key, Experiment: r.Experiment, Kind: r.Kind, Point: r.Point, Protocol: r.Protocol,
		Method: r.MethodName, Seed: r.Seed, Status: StatusDone,
		Machine: opt.machine, Versions: opt.versions,
	}
}

// take copies the fields for tables from a result, which was learned from rows or from moments.
func (rec *Record) take(res *polydag.Result, s *sample, rows bool) error {
	if rec.Status != StatusError {
		rec.Status = string(res.Status)
	}
	rec.Score, rec.DAGValid = short(res.Score), true
	if r := res.Choice("model"); r != nil {
		rec.Model = r.Chosen
	}
	if v := res.Choice("variance"); v != nil {
		rec.Variance = v.Chosen
	}
	if c := res.Continuous; c != nil {
		rec.Steps, rec.DAGValid, rec.CyclicComponents, rec.Cut = c.Steps, c.CyclicComponents == 0, c.CyclicComponents, len(c.Cut)
		rec.HFinal, rec.HThreshold = shortPtr(&c.H), shortPtr(c.HThreshold)
	}
	thresholded, err := thresholdedGraph(res)
	if err != nil {
		return err
	}
	if wentOn(thresholded, res) {
		thresholded, rec.DAGValid, rec.CyclicComponents, rec.Cut = res.Graph, true, 0, 0
	}
	rec.Edges = thresholded.NumEdges()
	if s.truth != nil {
		m := rounded(metric.Compare(s.truth, thresholded))
		rec.Thresholded = &m
		if rec.Cut > 0 {
			m := rounded(metric.Compare(s.truth, res.Graph))
			rec.Answer = &m
		}
	}
	if rec.Point.Dataset != "" {
		rec.Names = res.Names
		for _, e := range res.Edges {
			w := WeightedEdge{Link: e.Link, Weight: short(e.Standardized), Gain: short(e.Gain), Compelled: e.Compelled}
			if rows {
				w.Verdict, w.Confidence = e.Verdict, short(e.Confidence)
			}
			rec.Graph = append(rec.Graph, w)
		}
	}
	return nil
}

// thresholdedGraph returns the graph after the threshold, before cycles are removed, as the paper evaluates it.
func thresholdedGraph(res *polydag.Result) (*graph.Graph, error) {
	if res.Continuous == nil || len(res.Continuous.Thresholded) == 0 {
		return res.Graph, nil
	}
	index := names.Index(res.Names)
	edges := make([]graph.Edge, len(res.Continuous.Thresholded))
	for k, e := range res.Continuous.Thresholded {
		edges[k] = graph.Edge{From: index[e.From], To: index[e.To]}
	}
	g, err := graph.FromEdges(len(res.Names), edges)
	if err != nil {
		return nil, fmt.Errorf("the thresholded edges of a result: %w", err)
	}
	return g, nil
}

// wentOn reports whether the method did more than remove cycles after the threshold, such as pruning or a
// search. Then its answer is evaluated.
func wentOn(thresholded *graph.Graph, res *polydag.Result) bool {
	if res.Continuous == nil {
		return false
	}
	index := names.Index(res.Names)
	left := map[graph.Edge]bool{}
	for _, e := range thresholded.Edges() {
		left[e] = true
	}
	for _, e := range res.Continuous.Cut {
		delete(left, graph.Edge{From: index[e.From], To: index[e.To]})
	}
	for _, e := range res.Graph.Edges() {
		if !left[e] {
			return true
		}
		delete(left, e)
	}
	return len(left) > 0
}

func rounded(m metric.Report) metric.Report {
	for _, v := range []*float64{&m.Precision, &m.TPR, &m.F1, &m.FPR, &m.FPRReleased, &m.SkeletonPrecision, &m.SkeletonRecall, &m.SkeletonF1} {
		*v = short(*v)
	}
	m.CPDAGF1 = shortPtr(m.CPDAGF1)
	return m
}

// watch records |h| at steps 0 to 20, every 10th, and the last, without the scale check.
func (rec *Record) watch(p polydag.Progress) {
	if p.Kind != stage.Solve || strings.HasPrefix(p.Stage, polydag.ScaleCheckPrefix) {
		return
	}
	if p.Step <= 20 || p.Step%10 == 0 || p.Step == p.Steps {
		rec.Trace = append(rec.Trace, TracePoint{p.Step, roundTo(math.Abs(p.H), 4)})
	}
}

// stopwatch measures consecutive phases.
type stopwatch struct {
	last    time.Time
	seconds map[string]float64
}

func newStopwatch() *stopwatch {
	return &stopwatch{last: time.Now(), seconds: map[string]float64{}}
}

func (s *stopwatch) lap(phase string) {
	now := time.Now()
	s.seconds[phase] = short(now.Sub(s.last).Seconds())
	s.last = now
}
