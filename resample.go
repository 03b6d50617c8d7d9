package polydag

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/resample"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// Draw identifies one bootstrap sample. It is a plain value: every process that has the table derives the same sample from
// it.
type Draw struct {
	Kind      Resampling `json:"kind"`
	Seed      uint64     `json:"seed"`
	Replicate int        `json:"replicate"` // from 0
}

// Validate reports an unknown kind and a negative replicate.
func (d Draw) Validate() error { return d.rows().Validate() }

// rows converts the draw to package resample's type.
func (d Draw) rows() resample.Draw {
	return resample.Draw{Kind: string(d.Kind), Seed: d.Seed, Replicate: d.Replicate}
}

// Resampling is the way rows are drawn: Bootstrap or Halves.
type Resampling = trust.Resampling

const (
	Bootstrap = trust.Bootstrap // as many rows as the table has, with replacement
	Halves    = trust.Halves    // half of the rows, in complementary pairs
)

// ErrNotResampled is matched if the rows of a table cannot be drawn again.
var ErrNotResampled = fault.Kind("no-resampling", "bootstrap confidence needs the rows; give the table instead of its moments")

// A Resampler draws bootstrap samples from one table, which it neither copies nor changes: a row is repeated as often as it
// was drawn. Several goroutines may use it at the same time.
//
// Rows are drawn within regimes, so every regime keeps its number of rows. If the table has clusters, whole clusters are
// drawn.
type Resampler struct {
	table   *Table
	rows    []float64 // the whole table, with NaN for missing values, or nil if it is read again in each pass
	regimes []int     // regime of each kept row; nil for a single regime
	cluster []int32   // cluster of each row; nil without clusters
	sizes   []int     // rows per stratum, or the number of clusters
}

// Resampler reads the rows of a table once. It keeps them in memory if they take at most mostBytes; otherwise each pass over
// a sample reads them again.
func (t *Table) Resampler(ctx context.Context, mostBytes int64) (*Resampler, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	if t.replay == nil {
		return nil, fault.New(ErrNotResampled, fmt.Sprintf("bootstrap confidence needs the rows: %s", t.noRows), "give the table itself, and use %s if values are missing", fault.Set("missing", "drop"))
	}
	r := &Resampler{table: t, sizes: []int{t.Rows()}}
	if b := t.Block(); b > 1 {
		r.cluster = make([]int32, t.Rows())
		for i := range r.cluster {
			r.cluster[i] = int32(i / b)
		}
		r.sizes = []int{(t.Rows() + b - 1) / b}
	}
	if g := t.gaps; g != nil {
		if g.Weights == nil && len(g.fit) == g.N*t.Moments.Dim() {
			r.rows = g.fit
		}
		return r, nil
	}
	if regimes := t.Regimes; regimes != nil {
		r.sizes = nil
		for _, m := range regimes.Moments {
			r.sizes = append(r.sizes, m.N)
		}
	}
	keep := 8*int64(t.Moments.N)*int64(t.Moments.Dim()) <= mostBytes
	if !keep && t.clusters == nil {
		return r, nil
	}
	place := map[uint64]int32{}
	err := t.labelled(ctx, func(rows []float64, regimes []int, clusters []uint64) error {
		if keep {
			r.rows, r.regimes = append(r.rows, rows...), append(r.regimes, regimes...)
		}
		for _, label := range clusters {
			k, ok := place[label]
			if !ok {
				k = int32(len(place))
				place[label] = k
			}
			r.cluster = append(r.cluster, k)
		}
		return nil
	})
	if t.clusters != nil {
		r.sizes = []int{len(place)}
	}
	return r, err
}

// labelled reads the rows with their cluster labels, nil without clusters.
func (t *Table) labelled(ctx context.Context, each func(rows []float64, regimes []int, clusters []uint64) error) error {
	if t.clusters != nil && t.gathered != nil {
		return t.gathered.ReplayClusters(ctx, each)
	}
	return t.replay(ctx, func(rows []float64, regimes []int) error { return each(rows, regimes, nil) })
}

// Bytes returns the memory that the kept rows take.
func (r *Resampler) Bytes() int64 { return 8 * int64(len(r.rows)) }

// Table returns the table that samples are drawn from.
func (r *Resampler) Table() *Table { return r.table }

// Draw returns a bootstrap sample as a table. Learning from it gives only the graph, its weights and the compelled
// directions, without gains, node descriptions or assumption checks. The error matches dataset.ErrConstant if a column is
// constant in the sample.
func (r *Resampler) Draw(ctx context.Context, d Draw) (*Table, error) {
	if err := nilContext(ctx); err != nil {
		return nil, err
	}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if r.table.gaps != nil {
		return r.drawIncomplete(ctx, d)
	}
	out, err := r.table.with(ctx, func(ctx context.Context, each func([]float64, []int) error) error { return r.pass(ctx, d, each) })
	if err != nil {
		return nil, err
	}
	out.drawn = d.Kind == Bootstrap
	return out, nil
}

// drawIncomplete is Draw from a table with missing values. The drawn rows are completed anew, so that the uncertainty of the missing
// values shows in the samples.
func (r *Resampler) drawIncomplete(ctx context.Context, d Draw) (*Table, error) {
	t := r.table
	out := &Table{Source: t.Source, Kinds: t.Kinds, rules: t.rules, bare: true, drawn: d.Kind == Bootstrap}
	if t.Sample != nil {
		out.Sample = &dataset.Sample{}
	}
	own := missing.Rows{Threads: 1, Copies: 1, Seed: uint64(d.Replicate+1) << 32, Read: func(ctx context.Context, each func([]float64) error) error {
		return r.pass(ctx, d, func(rows []float64, _ []int) error { return each(rows) })
	}}
	g := &gaps{Rows: own, parents: t.gaps.parents}
	times := r.times(d)
	for i := range t.gaps.N {
		for range times(0) {
			if g.N++; t.gaps.Weights != nil {
				g.Weights = append(g.Weights, t.gaps.Weights[i])
			}
		}
	}
	if err := out.complete(ctx, g, t.Moments.Names, t.gaps.gaussian); err != nil {
		return nil, err
	}
	return out, out.Moments.Validate()
}

// Like returns a table with the columns, kinds and regimes of this one and other rows, stored row after row, with the regime
// of each row (nil for a single regime). It keeps both slices. Learning from it gives as much as learning from a bootstrap
// sample.
func (t *Table) Like(ctx context.Context, rows []float64, regimes []int) (*Table, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	r := &Resampler{table: t, rows: rows, regimes: regimes}
	return t.with(ctx, r.eachDrawn)
}

// with returns a table with other rows.
func (t *Table) with(ctx context.Context, from replay) (*Table, error) {
	names := t.Moments.Names
	out := &Table{Source: t.Source, Kinds: t.Kinds, rules: t.rules, clusters: t.clusters, replay: from, bare: true}
	all, by := dataset.NewAccumulator(names, 1).OnDemand(), []regimeSum(nil)
	if t.Regimes != nil {
		for _, m := range t.Regimes.Moments {
			sum := regimeSum{names: names}
			if !m.Lean() {
				sum.all = dataset.NewAccumulator(names, 1)
			}
			by = append(by, sum)
		}
	}
	sample := prepare.NewRowSampler(len(names), len(by))
	err := out.replay(ctx, func(rows []float64, regimes []int) error {
		for i, k := range regimes {
			if err := by[k].add(rows[i*len(names) : (i+1)*len(names)]); err != nil {
				return err
			}
		}
		if err := sample.Add(rows, regimes); err != nil {
			return err
		}
		return all.Add(rows)
	})
	if err != nil {
		return nil, err
	}
	if out.Moments, err = all.Moments(); err != nil {
		return nil, err
	}
	t.unrolled.unbias(out)
	if t.Sample != nil {
		out.Sample = sample.Sample()
	}
	if t.Regimes != nil {
		own := *t.Regimes
		own.Moments = make([]*dataset.Moments, len(by))
		for k := range by {
			if own.Moments[k], err = by[k].moments(); err != nil {
				return nil, err
			}
		}
		out.Regimes = &own
	}
	if c := t.clusters; c != nil {
		own := *c
		own.Rows = out.Moments.N
		own.EffectiveRows = max(1, int(math.Round(float64(c.EffectiveRows)*float64(own.Rows)/float64(c.Rows))))
		out.clusters = &own
	}
	return out, out.Moments.Validate()
}

// regimeSum gathers the rows of a regime: in an accumulator, or as they are if all is nil.
type regimeSum struct {
	names []string
	all   *dataset.Accumulator
	rows  []float64
}

func (s *regimeSum) add(row []float64) error {
	if s.all != nil {
		return s.all.Add(row)
	}
	s.rows = append(s.rows, row...)
	return nil
}

// moments returns the moments of the rows and releases them.
func (s *regimeSum) moments() (*dataset.Moments, error) {
	if s.all != nil {
		return s.all.Moments()
	}
	rows := s.rows
	s.rows = nil
	return dataset.LeanMoments(s.names, rows)
}

// pass calls each with the rows of a bootstrap sample; repeated rows follow each other.
func (r *Resampler) pass(ctx context.Context, d Draw, each func(rows []float64, regimes []int) error) error {
	columns := r.table.Moments.Dim()
	times := r.times(d)
	const step = 1024 // approximate rows per call
	var rows []float64
	var regimes []int
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		err := each(rows, regimes)
		rows, regimes = rows[:0], regimes[:0]
		return err
	}
	err := r.eachDrawn(ctx, func(from []float64, of []int) error {
		for i := 0; i*columns < len(from); i++ {
			stratum := 0
			if of != nil {
				stratum = of[i]
			}
			for range times(stratum) {
				rows = append(rows, from[i*columns:(i+1)*columns]...)
				if of != nil {
					regimes = append(regimes, of[i])
				}
			}
			if len(rows) >= step*columns {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// Times returns how often each row of the table is in a bootstrap sample, for callers that weight rows instead of reading
// them again.
func (r *Resampler) Times(ctx context.Context, d Draw) ([]int, error) {
	if err := nilContext(ctx); err != nil {
		return nil, err
	}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	out := make([]int, 0, r.table.Moments.N)
	times := r.times(d)
	if g := r.table.gaps; g != nil { // all copies of a row are drawn together
		drawn := make([]int, g.N)
		for i := range drawn {
			drawn[i] = times(0)
		}
		for c := range g.Copies {
			count := func(int) int { return 1 }
			if g.Weights != nil {
				count = g.Systematic(c, g.Copies)
			}
			for i, k := range drawn {
				for range count(i) {
					out = append(out, k)
				}
			}
		}
		return out, nil
	}
	err := r.EachRow(ctx, func(rows []float64, of []int) error {
		for i := range len(rows) / r.table.Moments.Dim() {
			stratum := 0
			if of != nil {
				stratum = of[i]
			}
			out = append(out, times(stratum))
		}
		return nil
	})
	return out, err
}

// times returns a function that is called for one row after the other with its stratum and returns how often the row is
// drawn.
func (r *Resampler) times(d Draw) func(stratum int) int {
	stream := d.rows().Start(r.sizes)
	if r.cluster == nil {
		return stream.Next
	}
	drawn := make([]int, r.sizes[0])
	for k := range drawn {
		drawn[k] = stream.Next(0)
	}
	row := 0
	return func(int) int {
		row++
		return drawn[r.cluster[row-1]]
	}
}

// EachRow calls each with the rows of the table itself, like Table.EachRow, from memory if they are kept.
func (r *Resampler) EachRow(ctx context.Context, each func(rows []float64, regimes []int) error) error {
	if err := nilContext(ctx); err != nil {
		return err
	}
	if each == nil {
		return nilArgument("the function for the rows", "pass one")
	}
	if r.table.gaps != nil {
		return r.table.replay(ctx, each)
	}
	return r.eachDrawn(ctx, each)
}

// eachDrawn calls each with the rows that samples are drawn from, in which values may be missing. each must not change them.
func (r *Resampler) eachDrawn(ctx context.Context, each func(rows []float64, regimes []int) error) error {
	switch g := r.table.gaps; {
	case r.rows == nil && g != nil:
		return g.Read(ctx, func(rows []float64) error { return each(rows, nil) })
	case r.rows == nil:
		return r.table.replay(ctx, each)
	}
	const step = 1024
	columns := r.table.Moments.Dim()
	for at := 0; at < len(r.rows); at += step * columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := r.rows[at:min(at+step*columns, len(r.rows))]
		var regimes []int
		if r.regimes != nil {
			regimes = r.regimes[at/columns:][:len(rows)/columns]
		}
		if err := each(rows, regimes); err != nil {
			return err
		}
	}
	return nil
}

// SetConfidence stores the confidences in the result and its edges and updates the edge verdicts.
func (r *Result) SetConfidence(c *trust.Confidence) error {
	if c == nil {
		return nilArgument("the confidences", "pass those of a result of package confidence")
	}
	pairs := make(map[Link]trust.Pair, len(c.Pairs))
	for _, p := range c.Pairs {
		pairs[p.Link] = p
	}
	r.Confidence = c
	share, dependent := r.shares(), trust.Dependent(r.Assumptions)
	for k := range r.Edges {
		e := &r.Edges[k]
		ahead, back := pairs[e.Link].Confidence, pairs[Link{From: e.To, To: e.From}].Confidence
		direction := 0.0
		if e.Directed() && ahead > 0 {
			direction = ahead / (ahead + back)
		}
		by := c.Said(pairs[e.Link].Share(pairs[Link{From: e.To, To: e.From}]))
		if !e.Compelled && c.Resampling != trust.PosteriorGraphs { // samples count an open direction as one half, whatever its share of the class
			direction = trust.WithShare(direction, share[k])
			by += fmt.Sprintf(", combined with the share of the graphs of the equivalence class that have it, %.2f", share[k])
		}
		e.Judgement = e.Judgement.Resampled(min(1, ahead+back), direction, by, dependent(e.Link))
	}
	r.updatePriors()
	return r.checkConfidence(names.Index(r.Names))
}

// checkConfidence reports why the confidences do not fit a result with these names.
func (r *Result) checkConfidence(index map[string]int) error {
	if err := r.Confidence.Check(index); err != nil {
		return fmt.Errorf("%w: confidence: %w; learn the result again", ErrResultEdges, err)
	}
	return nil
}

// Refit describes a DAG over the columns of the table as if it had been learned with cfg: weights, gains, effects and the
// evidence for directions. like is a result learned with cfg; its choices are kept.
func (t *Table) Refit(ctx context.Context, cfg Config, like *Result, g *graph.Graph) (*Result, error) {
	if like == nil {
		return nil, nilArgument("the result", "pass what Learn returned")
	}
	if s, ok := cfg.Method.(method.Settler); ok {
		cfg.Method = s.Settled(like.Choices)
	}
	l, answer, err := t.refitted(ctx, cfg, g)
	if err != nil {
		return nil, err
	}
	answer.Choices = like.Choices
	res, err := l.result(answer)
	if err != nil {
		return nil, err
	}
	res.Method, res.Settings = like.Method, like.Settings
	res.Table, res.Program, res.Preflight, res.Timing, res.Warnings = like.Table, like.Program, like.Preflight, like.Timing, like.Warnings
	res.Priors = append([]trust.PriorOutcome(nil), like.Priors...)
	if err := l.judge(res, answer); err != nil {
		return nil, err
	}
	res.updatePriors()
	return res, res.finite()
}

// Score returns the score that the method of cfg minimizes for any DAG over the columns of the table, so that the graphs of
// several methods can be compared. The method must implement method.Refitter and its model must be set explicitly.
func (t *Table) Score(ctx context.Context, cfg Config, g *graph.Graph) (float64, error) {
	if err := cfg.Validate(); err != nil {
		return 0, err
	}
	if _, ok := cfg.Method.(method.Refitter); !ok {
		return 0, configf("method %s scores no graphs but its own; take the default method", cfg.Method.Info().Name)
	}
	_, answer, err := t.refitted(ctx, cfg, g)
	switch {
	case err != nil:
		return 0, err
	case math.IsNaN(answer.Score) || math.IsInf(answer.Score, 0):
		return 0, fmt.Errorf("the score of the graph is %v", answer.Score)
	}
	return answer.Score, nil
}

// refitted returns the method's answer for a given graph under the settings of cfg.
func (t *Table) refitted(ctx context.Context, cfg Config, g *graph.Graph) (*learner, *method.Answer, error) {
	if err := t.usable(ctx); err != nil {
		return nil, nil, err
	}
	if cfg.Method == nil {
		return nil, nil, cfg.Validate()
	}
	if g == nil {
		return nil, nil, nilArgument("the graph", "make one with graph.New")
	}
	data, err := t.counted()
	if err != nil {
		return nil, nil, err
	}
	known, err := cfg.Knowledge.Resolve(data.Names)
	if err != nil {
		return nil, nil, err
	}
	l := newLearner(t, cfg, data, known, nil)
	answer, err := l.answerBy(cfg.Standardize, func(in *method.Input) (*method.Answer, error) {
		own := g.Mixed().Relabel(l.place).Directed()
		if r, ok := cfg.Method.(method.Refitter); ok {
			return r.Refit(ctx, in, own)
		}
		return &method.Answer{Graph: own.Mixed(), Status: method.Completed}, nil
	})
	return l, answer, err
}
