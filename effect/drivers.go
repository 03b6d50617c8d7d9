package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/role"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// DriversSchema names the JSON layout of Drivers.
const DriversSchema = "polydag.drivers/1"

// Drivers are the columns of a table by the size of their total effect on one of them.
type Drivers struct {
	On    string        `json:"on"` // the outcome column
	Model score.Effects `json:"model"`
	Rows  int           `json:"rows"`
	// Figure says what the mean of On is if it is not the mean of its values, as for censored times.
	Figure string `json:"figure,omitempty"`
	// Caveat is what matters most for the use of the ranking.
	Caveat string `json:"caveat"`
	// Drivers has the columns that may affect On, the largest effect first; those that only may, since edges can be reversed, come last.
	Drivers []Driver `json:"drivers"`
	// Stated lists the columns that are stated to have an effect, as Driver.Stated says, and Says is the sentence on them.
	Stated []string `json:"stated"`
	Says   string   `json:"says"`
	// NoEffect lists the columns without a directed path to On in the graphs considered.
	NoEffect []string `json:"no_effect"`
	// Regression lists the columns that the outcome depends on given all others, the smallest p-value first.
	Regression []Regressed `json:"regression,omitempty"`
	leaf       bool        // On has no effects, as prior knowledge says
	// Compared is the number of tests whether effects differ between subgroups.
	Compared int `json:"compared,omitempty"`
	// Interval describes how the intervals were computed; nil without intervals.
	Interval *Interval `json:"interval,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
	Caution  string    `json:"caution"`
}

// Basis is what the effect of a driver rests on.
type Basis string

const (
	Randomized  Basis = "randomized"   // the column was assigned at random, or experiments set it
	Adjusted    Basis = "adjusted"     // adjustment, along edges with a stated direction
	Unsettled   Basis = "undirected"   // as adjusted if edges without a stated direction have that of the learned graph
	Ambiguous   Basis = "range"        // equally well fitting graphs have different effects
	NotExcluded Basis = "not-excluded" // no directed path in the learned graph, but one in other graphs
)

// Driver is a column that may affect the outcome.
type Driver struct {
	Name string `json:"name"`
	// Contrast has the two values of the column that are compared: of a number those one standard deviation apart.
	Contrast Contrast `json:"contrast"`
	// Outcome is "mean", or the category of On whose probability changes most. Effects on a probability are risk differences.
	Outcome string `json:"outcome"`
	// Total is the total effect in the learned graph. It is nil if a PAG does not identify it.
	Total *Quantity `json:"total,omitempty"`
	// IfExists is the interval of Total over the graphs in which it exists; nil if these are all. The interval of Total counts 0 for others.
	IfExists *Limits `json:"if_exists,omitempty"`
	// Zeros is the total effect on the share of zeros, if On is an amount that is 0 in many rows.
	Zeros *Quantity `json:"zeros,omitempty"`
	// Ratio is the risk ratio of Outcome in the learned graph, if On is binary.
	Ratio *Quantity `json:"ratio,omitempty"`
	// Direct is the part along the edge alone. It is nil in a PAG.
	Direct *Quantity `json:"direct,omitempty"`
	// Through lists the columns on directed paths.
	Through []string `json:"through"`
	// Low and High are the smallest and the largest total effect, if equally well fitting graphs have different ones.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`

	Basis Basis `json:"basis"`
	// Adjustment lists the columns to adjust for.
	Adjustment []string `json:"adjustment"`
	// DependsOn lists the edges without a stated direction that the effect depends on, as they must be. If all are weak, the direction of the
	// effect is settled, and Paths says how sure its existence is.
	DependsOn []Unstated `json:"depends_on,omitempty"`
	// Settled reports whether a path of edges with stated directions leads to On.
	Settled bool `json:"settled,omitempty"`
	// ByNames reports that the direction of an edge on the way rests mainly on the names of columns.
	ByNames bool `json:"by_names,omitempty"`
	// Paths is the share of the graphs behind the interval in which the column affects On.
	Paths *float64 `json:"paths,omitempty"`
	// Changeable is "yes" or "no" if the name says whether somebody could change the column, otherwise empty.
	Changeable string `json:"changeable"`
	// By has the effects in subgroups of the rows, by column.
	By []*Subgroups `json:"by,omitempty"`
}

// Stated reports whether the column is stated to have an effect: the result states the directions, and no equally good graph has none.
func (d *Driver) Stated() bool {
	switch d.Basis {
	case Randomized, Adjusted:
		return len(d.DependsOn) == 0 || value(d.Paths) >= trust.StatedLevel
	case Unsettled, Ambiguous:
		return d.Settled && (d.Low == nil || value(d.Low)*value(d.High) > 0)
	}
	return false
}

// size is the absolute effect by which drivers are ranked.
func (d *Driver) size() float64 {
	if d.Total == nil || d.Low != nil {
		return math.Max(math.Abs(value(d.Low)), math.Abs(value(d.High)))
	}
	return math.Abs(d.Total.Value)
}

func value(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// RankDrivers ranks the columns of a result by their total effect on q.On. The settings are those of Ask; q.Of, the values and the row
// must be empty. All columns share the bootstrap samples, so it is much faster than one Ask for each.
func RankDrivers(ctx context.Context, res *polydag.Result, table *polydag.Table, q Question) (*Drivers, error) {
	q = q.filled()
	q.Of = q.On // so that a missing outcome is the only error about columns
	if err := q.Validate(); err != nil {
		return nil, err
	}
	switch {
	case res.Time != nil:
		return nil, askf("the result has lags, and columns have no single total effect; ask for one pair of columns")
	case q.Start != "" || len(q.Do) > 0:
		return nil, askf("values are those of one cause; name it, or leave them out")
	}
	r := &ranking{Question: q, res: res, table: table, joint: &joint{drawn: map[bool]map[*asked][]replicate{}}, named: map[polydag.Link]bool{}}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	r.limit()
	return r.rank(ctx)
}

// ranking has the state of one call of RankDrivers.
type ranking struct {
	Question
	res    *polydag.Result
	table  *polydag.Table
	joint  *joint
	stated *graph.Graph          // edges with a stated direction
	named  map[polydag.Link]bool // edges whose direction rests mainly on names
	source *source
	words  [][]string
	ends   map[string][2]float64 // compared values, by driver
	out    Drivers
}

// mostRowsEvaluated limits the rows that the graphs of all bootstrap samples are evaluated on, under a nonlinear model: about a minute on
// two cores.
const mostRowsEvaluated = 5e6

// limit reduces the number of bootstrap samples for a large table.
func (r *ranking) limit() {
	graphs := 0
	for _, k := range r.joint.asks {
		graphs += len(k.class)
	}
	for _, k := range r.joint.asks {
		if text := k.limit(graphs); text != "" && !slices.Contains(r.out.Notes, text) {
			r.out.Notes = append(r.out.Notes, text)
		}
	}
}

// limit reduces the number of bootstrap samples for a large table, if each is evaluated on this number of graphs, and says so.
func (k *asked) limit(graphs int) string {
	most := max(leastReplicates, int(mostRowsEvaluated/float64(max(k.answer.Rows*graphs, 1))))
	if k.source.data == nil || most >= k.Replicates {
		return ""
	}
	text := fmt.Sprintf("the table is large, so the intervals come from %d bootstrap samples instead of %d", most, k.Replicates)
	k.Replicates = most
	return text
}

// prepare makes a question for each column and computes its figures.
func (r *ranking) prepare(ctx context.Context) error {
	first := newAsked(r.res, r.table, r.Question)
	if err := cmp.Or(first.resolve(ctx), r.checkBy()); err != nil {
		return err
	}
	if err := first.read(ctx); err != nil {
		return err
	}
	r.table, r.source, r.words, r.ends = first.table, first.source, first.words, map[string][2]float64{}
	first.source.keep()
	at := names.Index(r.res.Names)
	r.stated = graph.New(len(at))
	for _, e := range r.res.Edges {
		if e.Verdict == polydag.Directed {
			r.stated.AddEdge(at[e.From], at[e.To])
		}
		r.named[e.Link] = e.Verdict == polydag.Directed && e.Basis == trust.ByNames
	}
	r.out = Drivers{On: r.On, Model: first.answer.Model, Figure: first.answer.Figure, Rows: first.answer.Rows, Drivers: []Driver{}, NoEffect: []string{}, Notes: first.answer.Notes, Caution: explain.Caution}
	for a, name := range r.res.Names {
		if a == first.study.b {
			continue
		}
		q := r.Question
		q.Of = name
		k := newAsked(r.res, r.table, q)
		k.joint, k.source, k.words, k.answer.Rows = r.joint, first.source, first.words, first.answer.Rows
		steps := []func(context.Context) error{k.resolve, k.choose, k.estimate}
		if r.res.Kind == graph.KindPAG {
			steps[2] = k.bounds
		}
		var err error
		for _, step := range steps {
			if err == nil {
				err = step(ctx)
			}
		}
		first.source.forget(r.res.Graph)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrTooWide):
			r.out.Notes = append(r.out.Notes, fmt.Sprintf("%s is left out: %v", name, err))
		case err != nil:
			return err
		default:
			r.joint.asks = append(r.joint.asks, k)
		}
	}
	return nil
}

// rank computes the intervals and ranks the columns.
func (r *ranking) rank(ctx context.Context) (*Drivers, error) {
	readings := role.Read(role.Columns(r.res.Names, kinds(r.table)))
	for _, k := range r.joint.asks {
		intervals := k.intervals
		if r.res.Kind == graph.KindPAG {
			intervals = k.boundIntervals
		}
		if err := cmp.Or(intervals(ctx), k.answer.finite()); err != nil {
			return nil, err
		}
		if i := k.answer.Interval; i != nil && r.out.Interval == nil {
			told := *i
			told.Paths, told.OpenShare, told.Root = nil, nil, false
			r.out.Interval = &told
		}
		if d := k.driver(readings[k.study.a]); d != nil {
			d.ByNames, d.Settled = r.byNames(d), r.stated.HasPath(k.study.a, k.study.b)
			r.out.Drivers, r.ends[k.Of] = append(r.out.Drivers, *d), [2]float64{k.study.x0, k.study.x1}
		} else {
			r.out.NoEffect = append(r.out.NoEffect, k.Of)
		}
		for _, n := range k.answer.Notes {
			if !slices.Contains(r.out.Notes, n) {
				r.out.Notes = append(r.out.Notes, n)
			}
		}
	}
	slices.SortStableFunc(r.out.Drivers, func(x, y Driver) int {
		if out := map[bool]int{true: 1}; (x.Basis == NotExcluded) != (y.Basis == NotExcluded) {
			return out[x.Basis == NotExcluded] - out[y.Basis == NotExcluded]
		}
		return cmp.Compare(y.size(), x.size())
	})
	r.noteEnds()
	if err := r.byRegression(ctx); err != nil {
		return nil, err
	}
	if err := r.bySubgroups(ctx); err != nil {
		return nil, err
	}
	r.out.Caveat, r.out.Says, r.out.Stated = r.caveat(), r.out.said(), []string{}
	for _, d := range r.out.Drivers {
		if d.Stated() {
			r.out.Stated = append(r.out.Stated, d.Name)
		}
	}
	return &r.out, nil
}

// noteEnds says which estimates are ends of their intervals, and why.
func (r *ranking) noteEnds() {
	var ends []string
	for _, d := range r.out.Drivers {
		if t := d.Total; t != nil && t.Low != nil && d.Basis != NotExcluded && d.IfExists == nil && (t.Value <= *t.Low || t.Value >= *t.High) {
			ends = append(ends, d.Name)
		}
	}
	if len(ends) > 0 {
		r.out.Notes = append(r.out.Notes, fmt.Sprintf("the estimate is an end of its interval for %s: bootstrap samples repeat rows, which makes weak and nonlinear effects look stronger", names.List(ends, 5)))
	}
}

// byNames reports whether the direction of an edge between the columns of the paths rests mainly on names.
func (r *ranking) byNames(d *Driver) bool {
	on := append([]string{d.Name, r.On}, d.Through...)
	for e, named := range r.named {
		if named && slices.Contains(on, e.From) && slices.Contains(on, e.To) {
			return true
		}
	}
	return false
}

func kinds(t *polydag.Table) []kind.Column {
	if t == nil {
		return nil
	}
	return t.Kinds
}

// driver returns the answer as a driver; nil if no graph has an effect.
func (k *asked) driver(name role.Reading) *Driver {
	a := k.answer
	d := &Driver{Name: k.Of, Contrast: a.Contrast, Outcome: "mean", Through: []string{}, Adjustment: a.Adjustment.Set, DependsOn: a.DependsOn, Changeable: string(name.Change())}
	if a.Interval != nil {
		d.Paths = a.Interval.Paths
	}
	if a.Identification == None {
		d.Basis, d.DependsOn = NotExcluded, a.Reversed
		if len(a.Reversed) == 0 && value(d.Paths) < leastPaths {
			return nil
		}
	}
	most := 0
	if k.source.zeros != nil && len(a.Effects) == 2 {
		d.Zeros, a.Effects = &a.Effects[1].Total, a.Effects[:1]
	}
	for o := range a.Effects {
		if math.Abs(a.Effects[o].Total.Value) > math.Abs(a.Effects[most].Total.Value) {
			most = o
		}
	}
	if len(a.Effects) > 0 {
		e := a.Effects[most]
		d.Outcome, d.Total, d.Direct, d.IfExists = e.Outcome, &e.Total, e.Direct, e.IfExists
	}
	if k.study.ratio && d.Basis != NotExcluded && k.risk > 0 && len(a.Effects) > 0 {
		d.Ratio = &Quantity{Value: k.risk}
		if e := k.study.ends; e.low != nil {
			put(d.Ratio, e.low.ratio, e.high.ratio)
		}
	}
	if b := a.Bounds; b != nil && a.Identification == Open {
		d.Low, d.High = b.Low, b.High
	}
	if a.Bounds == nil {
		d.Through = k.named(k.between())
	}
	if c := a.Class; c != nil && a.Identification == Open {
		d.Low, d.High = &c.Low[most], &c.High[most]
	}
	switch {
	case d.Basis != "":
	case a.Identification == Open:
		d.Basis = Ambiguous
	case slices.ContainsFunc(d.DependsOn, func(u Unstated) bool { return !u.Weak }):
		d.Basis = Unsettled
	case k.randomized(name):
		d.Basis = Randomized
	default:
		d.Basis = Adjusted
	}
	return d
}

// rootColumns lists the columns without a cause: randomized by their name, or given as roots. A bootstrap sample must not give them one.
func (k *asked) rootColumns() (out []string) {
	known := k.knowledge()
	for v, name := range role.Read(role.Columns(k.res.Names, kinds(k.table))) {
		_, given := end(known, v)
		if k.res.Graph != nil && (given || name.Randomized()) && len(k.res.Graph.Parents(v)) == 0 {
			out = append(out, k.res.Names[v])
		}
	}
	return out
}

// knowledge returns the prior knowledge of the result, nil if there is none.
func (k *asked) knowledge() *knowledge.Knowledge {
	cfg, err := confidence.Restore(k.res)
	if err != nil {
		return nil
	}
	known, err := cfg.Knowledge.Resolve(k.res.Names)
	if err != nil {
		return nil
	}
	return known
}

// randomized reports whether experiments set the column, or its name says that it was assigned at random and the graph has no cause of it.
func (k *asked) randomized(name role.Reading) bool {
	if k.table != nil && k.table.Environments != nil && slices.ContainsFunc(k.table.Environments.Targets, func(t []int) bool { return slices.Contains(t, k.study.a) }) {
		return true
	}
	return name.Randomized() && k.res.Kind == graph.KindDAG && len(k.res.Graph.Parents(k.study.a)) == 0
}

func areOrIs(count int) string {
	if count == 1 {
		return "is"
	}
	return "are"
}

// caveat says what matters most for the use of the ranking.
func (r *ranking) caveat() string {
	effects, open, weak, named := 0, 0, 0, 0
	for _, d := range r.out.Drivers {
		if d.Basis != NotExcluded {
			effects++
			if !d.Stated() {
				if open++; d.Basis == Adjusted || d.Basis == Randomized {
					weak++
				}
			} else if d.ByNames {
				named++
			}
		}
	}
	switch {
	case effects == 0:
		return fmt.Sprintf("the learned graph has no column that affects %s; that is no proof that none does", r.On)
	case open == effects && weak == open:
		return fmt.Sprintf("no effect on %s is sure to exist: the graphs of too many bootstrap samples have none; more rows would help", r.On)
	case open == effects:
		return fmt.Sprintf("no effect on %s is settled: each depends on edges whose direction the table does not identify, so it may run the other way or be zero", r.On)
	case named > 0:
		return fmt.Sprintf("%d of %s run in directions that rest mainly on the names of columns, and %d %s not stated; check these directions first. Hidden common causes are assumed not to exist (untestable)", named, counted(effects, "effect"), open, areOrIs(open))
	case open > 0:
		return fmt.Sprintf("%d of %s %s not stated, since a direction or the existence is not settled; the others assume that no hidden common cause exists (untestable)", open, counted(effects, "effect"), areOrIs(open))
	}
	return "the effects assume that no two columns have a hidden common cause, which the table cannot test"
}
