package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/score"
)

// asked has the state of one call of Ask.
type asked struct {
	Question
	res    *polydag.Result
	table  *polydag.Table // nil without a table
	source *source
	words  [][]string
	study  study
	open   []int    // neighbours of a whose direction is not identified
	class  []member // graphs of the class, the learned graph first
	// adjustments say how the effect follows in the graphs of a PAG, which has no class.
	adjustments []graph.Adjustment
	start       []float64  // figures of b at the start of the contrast, in the learned graph
	risk        float64    // risk ratio in the learned graph
	extent      ends       // over the class
	figuresOf   []*figures // by graph of the class
	answer      *Answer
	// survey marks a question of a survey; the following fields are its group, its additional cost, whether it has intervals, and the
	// error of its last step.
	survey bool
	// joint marks a question of a ranking, which has no mediators.
	joint *joint
	root  bool // Of is a root with an effect; see joined
	// stated are the edges that keep their direction in all graphs of the class.
	stated map[polydag.Link]bool
	group  *group
	work   float64
	sure   bool
	failed error
}

// Ask answers a question from a result and the table that it was learned from; it changes neither. Without a table (nil), a linear
// result is answered from its weights, with intervals that assume a known graph; other results give an error. Errors that are not
// caused by the data match one of the errors of Question. When ctx ends Ask returns its error.
func Ask(ctx context.Context, res *polydag.Result, table *polydag.Table, q Question) (*Answer, error) {
	q = q.filled()
	if err := q.Validate(); err != nil {
		return nil, err
	}
	switch {
	case res == nil:
		return nil, fmt.Errorf("%w: the result; pass what Learn or ReadResult returned", polydag.ErrNil)
	case table != nil && table.Moments == nil:
		return nil, fmt.Errorf("%w: the moments of the table; make a table with FromRows, FromColumns, Prepare or FromMoments", polydag.ErrNil)
	case ctx == nil:
		return nil, fmt.Errorf("%w: the context; pass context.Background()", polydag.ErrNil)
	}
	if q.Of == q.On && res.Time == nil {
		return nil, askf("%q is both the cause and the outcome; name two different columns", q.Of)
	}
	k := newAsked(res, table, q)
	if res.Time != nil {
		if err := k.resolve(ctx); err != nil {
			return nil, err
		}
		if err := k.impulses(ctx); err != nil {
			return nil, err
		}
		return k.answer, k.answer.finite()
	}
	steps := []func(context.Context) error{k.resolve, k.read, k.choose, k.estimate, k.intervals, k.distributions, k.whatIf}
	if res.Kind == graph.KindPAG {
		steps = []func(context.Context) error{k.resolve, k.read, k.choose, k.bounds, k.boundIntervals}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return k.answer, k.answer.finite()
}

// newAsked returns the state of a question before its first step.
func newAsked(res *polydag.Result, table *polydag.Table, q Question) *asked {
	stated := map[polydag.Link]bool{}
	for _, e := range res.Edges {
		stated[e.Link] = e.Verdict == polydag.Directed
	}
	return &asked{Question: q, res: res, table: table, stated: stated, answer: &Answer{
		Schema: Schema, Of: q.Of, On: q.On, Model: cmp.Or(res.Model, score.LinearEffects), Rows: res.Rows, Figure: meanOf(res, q.On), Caution: explain.Caution,
	}}
}

// resolve finds the two columns and the graphs.
func (k *asked) resolve(context.Context) error {
	at := names.Index(k.res.Names)
	var errs []error
	find := func(name string) int {
		v, ok := at[name]
		if !ok {
			near := "; its columns are " + names.List(k.res.Names, 10)
			if n, found := names.Nearest(name, false, k.res.Names); found {
				near = fmt.Sprintf("; did you mean %s?", n)
			}
			errs = append(errs, askf("the result has no column %q%s", name, near))
		}
		return v
	}
	k.study.a, k.study.b = find(k.Of), find(k.On)
	for _, g := range k.Given {
		find(g.Name)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	var err error
	if k.res.Kind == graph.KindPAG {
		k.adjustments, err = adjustments(k.res, k.study.a, k.study.b)
		return err
	}
	k.open, k.class, err = members(k.res, k.study.a, k.stated)
	return err
}

// read loads the table.
func (k *asked) read(ctx context.Context) error {
	t := k.table
	var kinds []kind.Column
	if t != nil {
		if !slices.Equal(t.Moments.Names, k.res.Names) {
			return fault.New(ErrOtherTable, fmt.Sprintf("the table has %d columns (%s), and the result has %d (%s)", t.Moments.Dim(), few(t.Moments.Names), len(k.res.Names), few(k.res.Names)),
				"give the table that the result was learned from, with the settings that chose its columns")
		}
		kinds = t.Kinds
		if was := k.res.Table.Moments; was != "" && was != t.Fingerprint() {
			k.note("the table differs from the one that the result was learned from; the weights are fitted to this table")
		}
		k.answer.Rows = t.Rows()
	}
	k.words = words(k.res, kinds)
	var err error
	if t, err = t.Completed(ctx, k.res); err != nil {
		return err
	}
	k.table = t
	k.source, err = newSource(ctx, k.res, t, k.Seed, nil)
	return err
}

func few(names []string) string {
	if len(names) > 4 {
		return strings.Join(names[:3], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

func (k *asked) note(text string) { k.answer.Notes = append(k.answer.Notes, text) }

// value parses a value of a column: a category in the table's notation, or a number.
func (k *asked) value(v int, text string) (float64, error) {
	name := k.res.Names[v]
	levels := k.source.levels(v)
	if c := slices.Index(k.words[v], text); c >= 0 {
		if levels == nil || slices.Contains(levels, float64(c)) {
			return float64(c), nil
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if levels != nil {
		if err == nil && len(k.words[v]) == 0 && slices.Contains(levels, x) {
			return x, nil
		}
		var known []string
		for _, l := range levels {
			known = append(known, kind.Label(k.words[v], l))
		}
		return 0, askf("%s has no value %q; choose one of %s", name, text, strings.Join(known, ", "))
	}
	if err != nil || x-x != 0 {
		if words := k.words[v]; len(words) > 0 {
			return 0, askf("%s has no value %q; choose one of %s", name, text, strings.Join(words, ", "))
		}
		return 0, askf("%s = %q: want a number", name, text)
	}
	if low, high, ok := k.source.bounds(v); ok && (x < low || x > high) {
		k.note(fmt.Sprintf("%s = %s is outside the range of the table, %s to %s; the effect is extrapolated", name, text, kind.Label(nil, low), kind.Label(nil, high)))
	}
	return x, nil
}

// choose sets the contrast, the values of do and the outcomes.
func (k *asked) choose(context.Context) error {
	s, a := &k.study, k.study.a
	s.shown = newOutcomes(k.source.levels(s.b), k.words[s.b])
	if !k.survey && k.source.zeroInflated(s.b, kinds(k.table)) {
		s.shown.names, k.source.zeros = append(s.shown.names, "0"), []int{s.b}
	}
	s.ratio = len(s.shown.levels) == 2
	levels := k.source.levels(a)
	c := &k.answer.Contrast
	switch {
	case k.Start != "":
		var err0, err1 error
		s.x0, err0 = k.value(a, k.Start)
		s.x1, err1 = k.value(a, k.End)
		if err := errors.Join(err0, err1); err != nil {
			return err
		}
		if s.x0 == s.x1 {
			return askf("both values to compare are %s; give two different values", k.Start)
		}
	case k.joint != nil && levels == nil:
		s.x0, s.x1, c.Deviation = k.deviation()
	case levels != nil && k.table.Kinds != nil && k.table.Kinds[a].Kind == kind.Categorical && len(levels) > 2:
		s.x0, s.x1 = k.source.data.MostFrequent(a)
		if !k.survey && k.joint == nil {
			k.note(fmt.Sprintf("%s is the most frequent of %d categories of %s, and %s the second; set from and to for other values", kind.Label(k.words[a], s.x0), len(levels), k.Of, kind.Label(k.words[a], s.x1)))
		}
	case levels != nil:
		s.x0, s.x1 = levels[0], levels[len(levels)-1]
	case k.source.data == nil:
		s.x0, c.Unit = k.source.moments.Mean[a], true
		s.x1 = s.x0 + 1
	default:
		if s.x0, s.x1 = k.source.between(a); s.x0 == s.x1 {
			s.x0, s.x1, _ = k.source.bounds(a)
		} else {
			c.Quartiles = true
		}
	}
	c.Start, c.End = kind.Label(k.words[a], s.x0), kind.Label(k.words[a], s.x1)
	for _, text := range k.Do {
		x, err := k.value(a, text)
		if err != nil {
			return err
		}
		s.do = append(s.do, x)
	}
	return nil
}

// deviation returns two values of a number that are one standard deviation apart, around the mean but inside the range. Of a column with
// two values it returns these, and ok is false.
func (k *asked) deviation() (low, high float64, ok bool) {
	v, m := k.study.a, k.source.moments
	if k.source.data != nil {
		m = k.table.Moments
	}
	least, most, bounded := k.source.bounds(v)
	if bounded && k.table != nil && k.table.Kinds != nil && k.table.Kinds[v].Levels == 2 {
		return least, most, false
	}
	std := m.Std()[v]
	low = m.Mean[v] - std/2
	if bounded {
		low = min(max(low, least), most-std)
	}
	return low, low + std, true
}

// estimate computes the figures of all graphs of the class, and the identification.
func (k *asked) estimate(context.Context) error {
	s := &k.study
	if !k.survey && k.joint == nil {
		s.mediators = k.between()
	}
	var all []*figures
	var err error
	if k.extent, all, err = s.over(k.source, k.class); err != nil {
		return err
	}
	k.figuresOf = all
	k.identify(all)
	k.start, k.risk = all[0].start, all[0].ratio
	for o, name := range s.shown.names {
		direct := k.quantity(all[0].direct[o])
		k.answer.Effects = append(k.answer.Effects, Effect{Outcome: name, Total: k.quantity(all[0].total[o]), Direct: &direct, Through: []Through{}})
	}
	k.tell(s.mediators, all[0].through)
	if k.survey {
		return nil
	}
	k.rest()
	k.failedChecks()
	return k.adjust(k.class[0].dag)
}

// between lists the columns on directed paths in the learned graph.
func (k *asked) between() (out []int) {
	g, a, b := k.class[0].dag, k.study.a, k.study.b
	after, before := g.Descendants([]int{a}), g.Ancestors([]int{b})
	for v := range g.N() {
		if v != a && v != b && after[v] && before[v] {
			out = append(out, v)
		}
	}
	return out
}

// tell adds the effects through mediators, by outcome.
func (k *asked) tell(columns []int, parts [][]float64) {
	for i, v := range columns {
		for o := range k.answer.Effects {
			e := &k.answer.Effects[o]
			e.Through = append(e.Through, Through{Name: k.res.Names[v], Quantity: k.quantity(parts[i][o])})
		}
	}
}

// quantity returns a figure, with its standardized value if it is a slope.
func (k *asked) quantity(x float64) Quantity {
	q := Quantity{Value: x}
	if k.source.data == nil {
		std := k.source.moments.Std()
		if z := x / (k.study.x1 - k.study.x0) * std[k.study.a] / std[k.study.b]; z-z == 0 {
			q.Standardized = &z
		}
	}
	return q
}

// identify sets the identification of the total effect, and the class if a direction at the column is not identified.
func (k *asked) identify(all []*figures) {
	out, of, on, low, high := k.answer, k.Of, k.On, k.extent.low, k.extent.high
	reaches := slices.ContainsFunc(k.class, func(m member) bool { return m.dag.HasPath(k.study.a, k.study.b) })
	switch {
	case !reaches && k.class[0].dag.HasPath(k.study.b, k.study.a):
		out.Identification = None
		out.Reason = fmt.Sprintf("the learned graph has no directed path from %s to %s, but one from %s to %s", of, on, on, of)
	case !reaches:
		out.Identification = None
		out.Reason = fmt.Sprintf("the learned graph has no directed path from %s to %s", of, on)
	case !alike(low.total, high.total):
		out.Identification = Open
		out.Reason = fmt.Sprintf("undirected edges at %s allow %d parent sets with different effects; the range is given", of, len(k.class))
	default:
		out.Identification = Identified
		out.Reason = "by adjustment, assuming no hidden confounders (untestable)"
	}
	if len(k.open) == 0 {
		return
	}
	c := &Class{Low: low.total, High: high.total}
	for _, v := range k.open {
		c.Neighbors = append(c.Neighbors, k.res.Names[v])
	}
	for _, e := range k.res.Edges {
		other := e.To
		if e.To == k.Of {
			other = e.From
		}
		if e.Verdict == polydag.Undirected && (e.From == k.Of || e.To == k.Of) && !slices.Contains(c.Neighbors, other) {
			c.Fixed = append(c.Fixed, other)
		}
	}
	c.LeastAbsolute = slices.Repeat([]float64{math.Inf(1)}, len(low.total))
	for i, m := range k.class {
		e := Member{Parents: []string{}, Totals: all[i].total}
		for _, p := range m.parents {
			e.Parents = append(e.Parents, k.res.Names[p])
		}
		c.Members = append(c.Members, e)
		for o, x := range all[i].total {
			c.LeastAbsolute[o] = min(c.LeastAbsolute[o], math.Abs(x))
		}
	}
	out.Class = c
}

// adjust finds the adjustment set, checks it against the graph, and computes the sensitivity to a hidden confounder.
func (k *asked) adjust(g *graph.Graph) error {
	var edges []explain.Edge
	for _, e := range g.Edges() {
		edges = append(edges, explain.Edge{Link: e.Named(k.res.Names)})
	}
	m, err := explain.NewModel(k.res.Names, edges)
	if err != nil {
		return err
	}
	e, err := m.Between(k.Of, k.On, explain.Settings{})
	if err != nil {
		return err
	}
	out := &k.answer.Adjustment
	out.Exists, out.Set = e.Adjustment.Exists, e.Adjustment.Set
	if !out.Exists {
		return nil
	}
	if out.Valid, err = m.IsAdjustment(k.Of, k.On, out.Set); err != nil || k.source.data != nil || !g.HasPath(k.study.a, k.study.b) {
		return err
	}
	at := names.Index(k.res.Names)
	var z []int
	for _, name := range out.Set {
		z = append(z, at[name])
	}
	// Rows with an intervention on On do not count.
	if s, slope, ok := hidden(k.source.pool.Of(k.study.b), k.study.a, k.study.b, z, k.Level); ok {
		k.answer.Sensitivity, out.Slope, out.Implied = s, &slope, k.table == nil
	}
	return nil
}

// finite returns an error if the answer contains a NaN or Inf.
func (a *Answer) finite() error {
	bad := false
	a.each(func(x *float64) { bad = bad || *x-*x != 0 })
	if bad {
		return fmt.Errorf("the effect of %s on %s overflows; rescale the columns and learn again", a.Of, a.On)
	}
	return nil
}
