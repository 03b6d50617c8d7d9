package polydag

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/marginal"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/resample"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
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
// Rows are drawn within environments, so every environment keeps its number of rows. If the table has groups, whole groups are
// drawn.
type Resampler struct {
	table *Table
	rows  resample.Rows // with NaN for missing values
	bytes int64         // memory of the rows; 0 if they are read again in each pass
	sums  resample.Sums // of blocks of rows, for DrawMoments
}

// Resampler reads the rows of a table once. It keeps them in memory if they take at most mostBytes; otherwise each pass over
// a sample reads them again.
func (t *Table) Resampler(ctx context.Context, mostBytes int64) (*Resampler, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	rows := t.form().pass()
	if rows == nil {
		return nil, fault.New(ErrNotResampled, fmt.Sprintf("bootstrap confidence needs the rows: %s", t.form().unreadable()), "give the table itself, and use %s if values are missing", fault.Set("missing", "drop"))
	}
	r := &Resampler{table: t, rows: resample.Rows{Columns: t.Moments.Dim(), Read: rows, Sizes: []int{t.Rows()}}}
	own := &r.rows
	if b := t.Block(); b > 1 {
		own.Group = make([]int32, t.Rows())
		for i := range own.Group {
			own.Group[i] = int32(i / b)
		}
		own.Sizes = []int{(t.Rows() + b - 1) / b}
	}
	if c, ok := t.completed(); ok {
		if own.Read = c.Read; c.Weights == nil && len(c.Fit) == c.N*own.Columns {
			r.keep(dataset.RowBatch{Values: c.Fit})
		}
		return r, nil
	}
	if environments := t.Environments; environments != nil {
		own.Sizes = nil
		for _, m := range environments.Moments {
			own.Sizes = append(own.Sizes, m.N)
		}
	}
	keep := 8*int64(t.Moments.N)*int64(own.Columns) <= mostBytes
	g, grouped := t.rows.(groupedRows)
	var records []int // the first of these columns identifies the record of a row
	if own.Group == nil {
		records, _ = t.form().repeated(t)
	}
	if !keep && !grouped && records == nil {
		return r, nil
	}
	if grouped && g.labels != nil {
		rows = g.labels
	}
	place, kept := map[uint64]int32{}, dataset.RowBatch{}
	if keep {
		kept.Values = make([]float64, 0, t.Moments.N*own.Columns)
	}
	err := rows(ctx, func(b dataset.RowBatch) error {
		if keep {
			kept.Values, kept.Environments = append(kept.Values, b.Values...), append(kept.Environments, b.Environments...)
		}
		labels := b.Groups
		for at := 0; records != nil && at < len(b.Values); at += own.Columns {
			labels = append(labels, math.Float64bits(b.Values[at+records[0]]))
		}
		for _, label := range labels {
			k, ok := place[label]
			if !ok {
				k = int32(len(place))
				place[label] = k
			}
			own.Group = append(own.Group, k)
		}
		return nil
	})
	if grouped || records != nil {
		own.Sizes = []int{len(place)}
	}
	if keep {
		r.keep(kept)
	}
	return r, err
}

// keep keeps these rows, which are those of the table, in memory.
func (r *Resampler) keep(rows dataset.RowBatch) {
	r.bytes, r.rows.Read = 8*int64(len(rows.Values)), rows.Rows(r.rows.Columns)
}

// Bytes returns the memory that the kept rows take.
func (r *Resampler) Bytes() int64 { return r.bytes }

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
	if own, ok := r.table.completed(); ok {
		return r.drawIncomplete(ctx, own, d)
	}
	out, err := r.table.with(ctx, r.rows.Drawn(d.rows()))
	if err != nil {
		return nil, err
	}
	out.replicate.drawn = d.Kind == Bootstrap
	if columns, records := r.table.form().repeated(r.table); columns != nil {
		out.rows = plainRows{read: out.form().pass(), share: float64(records) / float64(r.table.Moments.N)}
	}
	return out, nil
}

// DrawMoments is Draw for callers that need only the moments of the sample. From a large table it draws random blocks of rows, whose sums it
// keeps, so a sample costs no pass over the rows; other tables give the moments of Draw.
func (r *Resampler) DrawMoments(ctx context.Context, d Draw) (*Table, error) {
	t := r.table
	if t.Incomplete() || t.Environments != nil || !r.rows.Blocked(t.Moments.N) || d.Kind != Bootstrap {
		out, err := r.Draw(ctx, d)
		if err != nil || t.Environments != nil || r.rows.Group != nil { // rows of a group count less, which moments do not say
			return out, err
		}
		return r.summarized(out.Moments)
	}
	if err := cmp.Or(nilContext(ctx), d.Validate()); err != nil {
		return nil, err
	}
	m, err := r.sums.Moments(ctx, &r.rows, t.Moments, d.rows())
	if err != nil {
		return nil, err
	}
	return r.summarized(m)
}

// summarized returns a bootstrap sample of which only the moments are known.
func (r *Resampler) summarized(m *dataset.Moments) (*Table, error) {
	out := r.table.WithMoments(m)
	out.Kinds, out.replicate = r.table.Kinds, replicate{bare: true, drawn: true}
	return out, m.Validate()
}

// drawIncomplete is Draw from a table with missing values. The drawn rows are completed anew, so that the uncertainty of the missing
// values shows in the samples.
func (r *Resampler) drawIncomplete(ctx context.Context, from completedRows, d Draw) (*Table, error) {
	t := r.table
	out := &Table{Source: t.Source, Kinds: t.Kinds, asked: asked{kinds: t.asked.kinds}, replicate: replicate{bare: true, drawn: d.Kind == Bootstrap}}
	if t.Sample != nil {
		out.Sample = &dataset.Sample{}
	}
	own := missing.Rows{Threads: 1, Copies: 1, Seed: uint64(d.Replicate+1) << 32, Read: r.rows.Drawn(d.rows())}
	g := &missing.Completion{Rows: own, Names: t.Moments.Names, Parents: from.Parents}
	times := r.rows.Times(d.rows())
	for i := range from.N {
		for range times(0) {
			if g.N++; from.Weights != nil {
				g.Weights = append(g.Weights, from.Weights[i])
			}
		}
	}
	if err := out.complete(ctx, g, from.Gaussian); err != nil {
		return nil, err
	}
	return out, out.Moments.Validate()
}

// Like returns a table with the columns, kinds and environments of this one and other rows, which it keeps. Learning from it gives as
// much as learning from a bootstrap sample.
func (t *Table) Like(ctx context.Context, rows dataset.RowBatch) (*Table, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	return t.with(ctx, rows.Rows(t.Moments.Dim()))
}

// with returns a table with other rows.
func (t *Table) with(ctx context.Context, from dataset.Rows) (*Table, error) {
	names := t.Moments.Names
	out := &Table{Source: t.Source, Kinds: t.Kinds, rows: plainRows{read: from}, asked: asked{kinds: t.asked.kinds}, replicate: replicate{bare: true}}
	all, by := dataset.NewAccumulator(names, 1).OnDemand(), []environmentSum(nil)
	if t.Environments != nil {
		for _, m := range t.Environments.Moments {
			sum := environmentSum{names: names}
			if !m.OnDemand() {
				sum.all = dataset.NewAccumulator(names, 1)
			}
			by = append(by, sum)
		}
	}
	sample := prepare.NewRowSampler(len(names), len(by))
	err := from(ctx, func(b dataset.RowBatch) error {
		for i, k := range b.Environments {
			if err := by[k].add(b.Values[i*len(names) : (i+1)*len(names)]); err != nil {
				return err
			}
		}
		if err := sample.Add(b); err != nil {
			return err
		}
		return all.Add(b.Values)
	})
	if err != nil {
		return nil, err
	}
	if out.Moments, err = all.Moments(); err != nil {
		return nil, err
	}
	if t.lags.flat {
		t.lags.unbias(out)
	}
	if t.Sample != nil {
		out.Sample = sample.Sample()
	}
	if t.Environments != nil {
		own := *t.Environments
		own.Moments = make([]*dataset.Moments, len(by))
		for k := range by {
			if own.Moments[k], err = by[k].moments(); err != nil {
				return nil, err
			}
		}
		out.Environments = &own
	}
	if c := t.form().groups(); c != nil {
		own := *c
		own.Rows = out.Moments.N
		own.EffectiveRows = max(1, int(math.Round(float64(c.EffectiveRows)*float64(own.Rows)/float64(c.Rows))))
		out.rows = groupedRows{tableRows: out.rows, of: &own}
	}
	return out, out.Moments.Validate()
}

// environmentSum gathers the rows of an environment: in an accumulator, or as they are if all is nil.
type environmentSum struct {
	names []string
	all   *dataset.Accumulator
	rows  []float64
}

func (s *environmentSum) add(row []float64) error {
	if s.all != nil {
		return s.all.Add(row)
	}
	s.rows = append(s.rows, row...)
	return nil
}

// moments returns the moments of the rows and releases them.
func (s *environmentSum) moments() (*dataset.Moments, error) {
	if s.all != nil {
		return s.all.Moments()
	}
	rows := s.rows
	s.rows = nil
	return dataset.OnDemandMoments(s.names, rows)
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
	g, incomplete := r.table.completed()
	if !incomplete {
		return r.rows.Count(ctx, d.rows())
	}
	drawn, times := make([]int, g.N), r.rows.Times(d.rows()) // all copies of a row are drawn together
	for i := range drawn {
		drawn[i] = times(0)
	}
	out := make([]int, 0, r.table.Moments.N)
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

// EachRow calls each with the rows of the table itself, like Table.EachRow, from memory if they are kept.
func (r *Resampler) EachRow(ctx context.Context, each func(dataset.RowBatch) error) error {
	if err := nilContext(ctx); err != nil {
		return err
	}
	if each == nil {
		return nilArgument("the function for the rows", "pass one")
	}
	if r.table.Incomplete() {
		return r.table.EachRow(ctx, each)
	}
	return r.rows.Read(ctx, each)
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
	share, doubts := r.shares(), trust.DoubtsOf(r.Assumptions, r.DataChecks)
	for k := range r.Edges {
		e := &r.Edges[k]
		ahead, back := pairs[e.Link].Confidence, pairs[Link{From: e.To, To: e.From}].Confidence
		direction := 0.0
		if e.Directed() && ahead > 0 {
			direction = ahead / (ahead + back)
		}
		by := c.Sentence(pairs[e.Link].Share(pairs[Link{From: e.To, To: e.From}]))
		if !e.Compelled && c.Resampling != trust.PosteriorGraphs { // samples count an open direction as one half, whatever its share of the class
			direction = trust.WithShare(direction, share[k])
			by += fmt.Sprintf(", combined with the share of the graphs of the equivalence class that have it, %.2f", share[k])
		}
		e.Judgement = e.Judgement.Resampled(min(1, ahead+back), direction, by, doubts(e.Link))
	}
	r.updatePriors()
	return r.checkConfidence(names.Index(r.Names))
}

// Cancel marks a result whose run was stopped after its search. Only the directions that prior knowledge determines remain stated.
func (r *Result) Cancel(cause string) {
	r.Status, r.Cause = method.Canceled, cause
	r.Edges, r.Lagged = slices.Clone(r.Edges), slices.Clone(r.Lagged)
	for _, list := range [][]Edge{r.Edges, r.Lagged} {
		for k := range list {
			list[k].Judgement = list[k].Judgement.Stopped()
		}
	}
	r.updatePriors()
}

// checkConfidence reports why the confidences do not fit a result with these names.
func (r *Result) checkConfidence(index map[string]int) error {
	if err := r.Confidence.Check(index); err != nil {
		return fmt.Errorf("%w: confidence: %w; learn the result again", ErrResultEdges, err)
	}
	return nil
}

// ErrPosterior is matched if the model has no posterior over graphs.
var ErrPosterior = fault.Kind("no-posterior", "a posterior needs a linear or discrete model and no environment column; use the bootstrap instead")

// A GraphPosterior is a posterior over DAGs: the probability of a graph is proportional to exp(-½ Σ_v Score(v, parents of v)).
type GraphPosterior struct {
	// Score is minus twice the logarithm of the marginal likelihood and prior of a parent set.
	Score search.Score
	// Odds are the prior odds of an edge in Score.
	Odds float64
	// Knowledge is enforced: graphs that violate it have probability 0.
	Knowledge search.Knowledge
	// Start lists the parents of each variable in an initial graph, or is nil.
	Start [][]int
}

// Posterior returns the posterior over graphs, under the model of a result that was learned from this
// table with cfg, and the table column of each of its variables. Linear models use the BGe score and discrete models BDeu,
// both with the effect scale under which the graph of res is most likely. The prior odds of an edge are 1 to the number of
// columns. Under linear models without enforced prior knowledge the odds are fitted to the table, unless res has odds from an earlier
// posterior. Prior probabilities of edges multiply them. Rows in which a column was intervened on do not count for it.
func (t *Table) Posterior(ctx context.Context, cfg Config, res *Result) (*GraphPosterior, []int, error) {
	refuse := func(format string, args ...any) (*GraphPosterior, []int, error) {
		return nil, nil, fault.New(ErrPosterior, fmt.Sprintf(format, args...), "use %s instead of %s", fault.Set("bootstrap", "200"), fault.Use("posterior"))
	}
	if err := t.usable(ctx); err != nil {
		return nil, nil, err
	}
	if res == nil || res.Kind == graph.KindDAG && res.Graph == nil {
		return nil, nil, nilArgument("the result or its graph", "pass what Learn or ReadResult returned")
	}
	if want := t.Moments.Dim(); res.Kind == graph.KindDAG && res.Graph.N() != want {
		return nil, nil, configf("the result has %d columns and the table has %d; pass a result of this table, and for a time series the unrolled table with its own result", res.Graph.N(), want)
	}
	environments := t.environments()
	if environments != nil && environments.Unknown {
		return refuse("it is not known what the environments of column %s change, and a posterior over graphs would have to be one over the changes, too", environments.Column)
	}
	data, err := t.form().counted(t)
	if err != nil {
		return nil, nil, err
	}
	known, err := cfg.Knowledge.Resolve(data.Names)
	if err != nil {
		return nil, nil, err
	}
	order := method.Canonical(data)
	p := marginal.Posterior{Moments: data, Environments: environments, Order: order, Known: known, Effects: res.Model, Seed: cfg.Seed, Threads: cfg.Threads}
	if res.Kind == graph.KindDAG {
		p.Graph = res.Graph
	}
	switch {
	case res.Model == score.TableEffects && t.form().pass() == nil:
		return nil, nil, t.without("levels are counted in the rows")
	case res.Model == score.TableEffects:
		own, err := t.Completed(ctx, res)
		if err != nil {
			return nil, nil, err
		}
		p.Rows, p.Weight = own.form().pass().Arranged(order), own.form().weight(own)
	case !res.Sloped():
		return refuse("the model of the graph is %s, and there is a posterior for linear and discrete models only", res.Model)
	}
	if c := res.Confidence; c != nil && c.Posterior != nil {
		p.EdgeOdds = max(0, c.Posterior.EdgeOdds)
	}
	problem, err := p.Problem(ctx)
	return (*GraphPosterior)(problem), order, err
}
