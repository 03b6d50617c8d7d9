package polydag

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/resample"
	"github.com/polydag/polydag/method"
)

// Draw names one resampled table by its kind, a seed and a number. It is a plain value: another process with the same table makes the
// same resampled table from it.
type Draw = resample.Draw

// Resampling is how rows are drawn.
type Resampling = resample.Kind

// The ways to draw rows.
const (
	Bootstrap = resample.Bootstrap // as many rows as there are, with replacement
	Halves    = resample.Half      // half of them, in pairs that have no row in common
)

// PosteriorGraphs stands in Confidence.Resampling where no rows were drawn but graphs, from the posterior.
const PosteriorGraphs Resampling = "posterior"

// ErrNotResampled is the fault of a table whose rows cannot be drawn again.
var ErrNotResampled = fault.Kind("no-resampling", "rows are drawn again for a confidence, and there are none; give the table itself")

// A Resampler makes resampled tables of one table, which it neither copies nor changes: a row is repeated on the way as often as it
// was drawn. Several goroutines may use it at the same time.
//
// Rows are drawn within the regimes of the table, of each as many as it has, and where rows belong together in clusters whole clusters
// are drawn.
type Resampler struct {
	table   *Table
	rows    []float64 // the whole table; nil where it is read again for each pass
	regimes []int     // of the rows kept; nil where there is one only
	cluster []int32   // of each row; nil where rows are drawn
	sizes   []int     // rows of each stratum, or the number of clusters
}

// Resampler reads the rows of a table once. Where they take no more than mostBytes they are kept in memory, else they are read
// again for each pass over a resampled table.
func (t *Table) Resampler(ctx context.Context, mostBytes int64) (*Resampler, error) {
	if t.replay == nil {
		return nil, fault.New(ErrNotResampled, fmt.Sprintf("a confidence rests on tables that are drawn from the rows, and %s", t.noRows), "give the table itself, with %s where values are missing", fault.Set("missing", "drop"))
	}
	r := &Resampler{table: t, sizes: []int{t.Moments.N}}
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

// labelled reads the rows with the labels of their clusters, nil where there are none.
func (t *Table) labelled(ctx context.Context, each func(rows []float64, regimes []int, clusters []uint64) error) error {
	if t.clusters != nil && t.gathered != nil {
		return t.gathered.ReplayClusters(ctx, each)
	}
	return t.replay(ctx, func(rows []float64, regimes []int) error { return each(rows, regimes, nil) })
}

// Bytes is how much memory the rows take that are kept.
func (r *Resampler) Bytes() int64 { return 8 * int64(len(r.rows)) }

// Table is what the resampled tables are made of.
func (r *Resampler) Table() *Table { return r.table }

// Draw makes a resampled table. Learning from it gives nothing but the graph, its weights and which directions are settled: no
// strengths, descriptions, or assumptions. Its error matches dataset.ErrConstant where a column has one value in all rows drawn.
func (r *Resampler) Draw(ctx context.Context, d Draw) (*Table, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	out, err := r.table.with(ctx, func(ctx context.Context, each func([]float64, []int) error) error { return r.pass(ctx, d, each) })
	if err != nil {
		return nil, err
	}
	out.drawn = d.Kind == Bootstrap
	return out, nil
}

// Like makes a table with the columns, kinds and regimes of this one and other rows, one after the other in rows, with the regime of
// each, nil where there is one only. It keeps both. What can be learned from it is what can be learned from a resampled table.
func (t *Table) Like(ctx context.Context, rows []float64, regimes []int) (*Table, error) {
	r := &Resampler{table: t, rows: rows, regimes: regimes}
	return t.with(ctx, r.read)
}

// with makes a table of other rows.
func (t *Table) with(ctx context.Context, from replay) (*Table, error) {
	names := t.Moments.Names
	out := &Table{Source: t.Source, Kinds: t.Kinds, rules: t.rules, clusters: t.clusters, replay: from, bare: true}
	all, by := dataset.NewAccumulator(names, 1), []*dataset.Accumulator(nil)
	if t.Regimes != nil {
		for range t.Regimes.Names {
			by = append(by, dataset.NewAccumulator(names, 1))
		}
	}
	sample := prepare.NewRowSampler(len(names), len(by))
	err := out.replay(ctx, func(rows []float64, regimes []int) error {
		for i, k := range regimes {
			if err := by[k].Add(rows[i*len(names) : (i+1)*len(names)]); err != nil {
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
	if t.Sample != nil {
		out.Sample = sample.Sample()
	}
	if t.Regimes != nil {
		own := *t.Regimes
		own.Moments = make([]*dataset.Moments, len(by))
		for k, a := range by {
			if own.Moments[k], err = a.Moments(); err != nil {
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

// pass hands out the rows of a resampled table, those that were drawn several times one after the other.
func (r *Resampler) pass(ctx context.Context, d Draw, each func(rows []float64, regimes []int) error) error {
	columns := r.table.Moments.Dim()
	times := r.times(d)
	const step = 1024 // rows that are handed out at a time, about
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
	err := r.read(ctx, func(from []float64, of []int) error {
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

// times returns a function that says of one row after the other, each of the given stratum, how often it is drawn.
func (r *Resampler) times(d Draw) func(stratum int) int {
	stream := d.Start(r.sizes)
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

// read hands out the rows of the table itself.
func (r *Resampler) read(ctx context.Context, each func(rows []float64, regimes []int) error) error {
	if r.rows == nil {
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

// Confidence says how sure the edges of a result are, by the graphs of many tables that were drawn from the rows of one.
type Confidence struct {
	// Resampling is how rows were drawn, Unit what was drawn: rows, or the clusters or rows within regimes of a column.
	Resampling Resampling `json:"resampling"`
	Unit       string     `json:"unit"`
	// Replicates are the tables that the frequencies are of, Asked how many there were to be: less where the run was stopped, or
	// where a table could not be learned from, which Failed lists.
	Replicates int       `json:"replicates"`
	Asked      int       `json:"asked"`
	Failed     []Failure `json:"failed,omitempty"`
	Seed       uint64    `json:"seed"`
	// Calibration names what makes confidences of frequencies: none, where they are the frequencies.
	Calibration string `json:"calibration"`
	// Recalibration is there where Calibration was learned for this table.
	Recalibration *Recalibration `json:"recalibration,omitempty"`
	// Graph says what the edges of the result are: those learned from the whole table, or a consensus of the replicates at Level. Turned
	// lists the edges that point the other way than in the graph of the whole table, as they are now, where Graph is TurnedGraph.
	Graph  ConsensusForm `json:"graph"`
	Level  float64       `json:"level,omitempty"`
	Turned []Link        `json:"turned,omitempty"`
	// Posterior is there where graphs were drawn from the posterior: which it is, and how far the chains agree.
	Posterior *PosteriorSummary `json:"posterior,omitempty"`
	// Stability is there for halves: a bound on false edges.
	Stability *Stability `json:"stability,omitempty"`
	// Pairs lists every ordered pair whose edge, adjacency or path was found in more than LeastFrequency of the replicates, by name.
	Pairs []Pair `json:"pairs"`
}

// Recalibration says what simulated tables a map from frequencies to confidences was learned on.
type Recalibration struct {
	// Tables were simulated from graphs that were found, fitted to the table, and Replicates of each were learned from; 0 where graphs
	// were drawn from the posterior instead. Seed is that of the simulation.
	Tables     int    `json:"tables"`
	Replicates int    `json:"replicates,omitempty"`
	Seed       uint64 `json:"seed"`
	// Pairs are the ordered pairs of the simulated tables with a confidence above 0.1.
	Pairs int `json:"pairs"`
	// Before and After are the mean of |confidence - share that is right| over these pairs, by tenths: with the confidences that are
	// given without, and with those of maps that were learned on the other simulated tables.
	Before float64 `json:"error_before"`
	After  float64 `json:"error_after"`
}

// PosteriorSummary says how the posterior over graphs was found.
type PosteriorSummary struct {
	// Score names the marginal likelihood: BGe or BDeu.
	Score string `json:"score"`
	// EdgeOdds are the odds of each edge before the table was seen.
	EdgeOdds float64 `json:"edge_odds,omitempty"`
	// Exact says that probabilities of edges were computed, from all graphs; those of ancestors are shares of independent draws.
	Exact bool `json:"exact"`
	// Chains and Samples are how many chains there were and how many graphs were kept of each.
	Chains  int `json:"chains"`
	Samples int `json:"samples"`
	// RHat is the largest R-hat and ESS the smallest effective sample size over the edges in doubt. Converged says that they
	// are at most 1.05 and at least 200. BurnIn is how many sweeps went before, and Thin how many are between two graphs.
	RHat      float64 `json:"rhat"`
	ESS       float64 `json:"ess"`
	Converged bool    `json:"converged"`
	BurnIn    int     `json:"burn_in,omitempty"`
	Thin      int     `json:"thin,omitempty"`
}

// LeastFrequency is what a pair needs to be listed.
const LeastFrequency = 0.01

// ConsensusForm says what graph a result with confidences has.
type ConsensusForm string

// The forms.
const (
	NoConsensus    ConsensusForm = "full"   // learned from the whole table
	TurnedGraph    ConsensusForm = "turned" // the same, with the edges turned round that most replicates hold the other way
	ConsensusDAG   ConsensusForm = "dag"    // the DAG that agrees best with the replicates
	ConsensusClass ConsensusForm = "cpdag"  // the Markov equivalence class of that DAG
)

// Failure is a replicate that could not be learned from.
type Failure struct {
	Replicate int    `json:"replicate"`
	Why       string `json:"why"`
}

// Pair is what the replicates say of two columns. A replicate in which the direction of an edge is open counts half for each.
type Pair struct {
	Link
	// Frequency is the share of replicates with the edge in this direction, Confidence the probability that follows from it.
	Frequency  float64 `json:"frequency"`
	Confidence float64 `json:"confidence"`
	// Adjacency is the share of replicates with an edge between the two, and Ancestor that with a directed path from the one to the
	// other.
	Adjacency float64 `json:"adjacency"`
	Ancestor  float64 `json:"ancestor"`
}

// Stability is the bound of stability selection on the edges between columns that have none.
type Stability struct {
	// Threshold is the share of halves that a pair must be adjacent in to be Selected, Selected how many pairs are.
	Threshold float64 `json:"threshold"`
	Selected  int     `json:"selected"`
	// Edges is the mean number of edges of a half, q, and Pairs the number of pairs of columns, p.
	Edges float64 `json:"mean_edges"`
	Pairs int     `json:"pairs"`
	// Bound is q²/((2·Threshold - 1)·p): at most so many of the selected pairs are false, in expectation, if pairs without an edge are
	// exchangeable and the choice is better than chance (Meinshausen and Bühlmann 2010, Theorem 1).
	Bound float64 `json:"expected_false"`
}

// DirectionLevel is the confidence below which a direction that the model fixes is called doubtful all the same.
const DirectionLevel = 0.8

// SetConfidence puts confidences into a result: on its edges, and into what is said of their directions.
func (r *Result) SetConfidence(c *Confidence) error {
	pairs := make(map[Link]Pair, len(c.Pairs))
	for _, p := range c.Pairs {
		pairs[p.Link] = p
	}
	r.Confidence = c
	for k := range r.Edges {
		e := &r.Edges[k]
		p := pairs[e.Link]
		e.Confidence = &p.Confidence
		if !e.Directed() {
			both := min(1, p.Confidence+pairs[Link{From: e.To, To: e.From}].Confidence)
			e.Confidence = &both
		}
	}
	for k, d := range r.directions() {
		r.Edges[k].Direction = d
	}
	return c.check(names.Index(r.Names))
}

// check reports what keeps confidences from being those of a result with these names.
func (c *Confidence) check(index map[string]int) error {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("%w: confidence: %s; learn the result again", ErrResultEdges, fmt.Sprintf(format, args...))
	}
	share := func(v float64) bool { return v >= 0 && v <= 1 }
	switch {
	case c.Resampling != Bootstrap && c.Resampling != Halves && c.Resampling != PosteriorGraphs:
		return fault("resampling is %q, want %s, %s or %s", c.Resampling, Bootstrap, Halves, PosteriorGraphs)
	case (c.Resampling == PosteriorGraphs) != (c.Posterior != nil):
		return fault("resampling is %q, and what is said of the posterior does not go with it", c.Resampling)
	case c.Posterior != nil && (!(c.Posterior.RHat >= 1) || !(c.Posterior.ESS >= 0) || !(c.Posterior.EdgeOdds >= 0) || c.Posterior.Chains < 1 || c.Posterior.Samples < 1):
		return fault("R-hat %v and an effective sample size of %v", c.Posterior.RHat, c.Posterior.ESS)
	case c.Graph != NoConsensus && c.Graph != TurnedGraph && c.Graph != ConsensusDAG && c.Graph != ConsensusClass:
		return fault("graph is %q, want %s, %s, %s or %s", c.Graph, NoConsensus, TurnedGraph, ConsensusDAG, ConsensusClass)
	case (c.Graph == TurnedGraph) != (len(c.Turned) > 0):
		return fault("graph is %q, and %d edges were turned", c.Graph, len(c.Turned))
	case c.Recalibration != nil && (c.Recalibration.Tables < 1 || c.Recalibration.Pairs < 0 || !share(c.Recalibration.Before) || !share(c.Recalibration.After)):
		return fault("what is said of the recalibration is not right")
	case c.Replicates < 0 || c.Asked < c.Replicates+len(c.Failed) || !share(c.Level):
		return fault("%d replicates and %d that failed of %d, at level %v", c.Replicates, len(c.Failed), c.Asked, c.Level)
	}
	seen := make(map[Link]bool, len(c.Pairs))
	for _, p := range c.Pairs {
		from, okFrom := index[p.From]
		to, okTo := index[p.To]
		if !okFrom || !okTo || from == to || seen[p.Link] {
			return fault("the pair %s and %s is none, or there twice", p.From, p.To)
		}
		seen[p.Link] = true
		if !share(p.Frequency) || !share(p.Confidence) || !share(p.Adjacency) || !share(p.Ancestor) {
			return fault("a share of %s → %s is outside of 0 to 1", p.From, p.To)
		}
	}
	for _, e := range c.Turned {
		if _, ok := index[e.From]; !ok || !seen[e] {
			return fault("%s → %s was turned, and is no pair", e.From, e.To)
		}
	}
	if s := c.Stability; s != nil && (!(s.Threshold > 0.5 && s.Threshold <= 1) || !(s.Edges >= 0) || !(s.Bound >= 0) || s.Selected < 0 || s.Pairs < s.Selected) {
		return fault("the bound of stability selection is not one")
	}
	return nil
}

// Refit describes a DAG over the columns of the table as if it had been learned with cfg: weights, strengths, effects and what its
// directions rest on. like is the result of learning with cfg, whose choices are kept.
func (t *Table) Refit(ctx context.Context, cfg Config, like *Result, g *graph.Graph) (*Result, error) {
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
	res.judge(t, l.told)
	return res, res.finite()
}

// Score returns what the method of cfg minimizes, for a DAG over the columns of the table that it need not have found: graphs of several
// methods on one scale. The method is one that refits graphs (method.Refitter), with a model that is not left to it.
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

// refitted returns what the method of cfg says of a graph, with the settings as they are.
func (t *Table) refitted(ctx context.Context, cfg Config, g *graph.Graph) (*learner, *method.Answer, error) {
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
