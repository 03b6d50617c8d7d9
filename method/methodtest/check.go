// Package methodtest checks that a method keeps its contract:
//
//	if err := methodtest.Check(func() method.Method { return mine.New() }, 1); err != nil { t.Error(err) }
//
// Experimental: the API of this package may change before 1.0.
package methodtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/method/param"
)

// Check reports every check that a method fails. fresh returns a new value with the same settings at each call. Choose settings
// that make the method fast: Check runs it about twenty times, on small tables drawn from seed. A method that needs rows gets
// rows, any other method gets moments.
//
//   - describes: name, title, reference (as "Authors (year), Title", several separated by semicolons) and settings are described, and
//     the defaults are valid
//   - costs: the estimates of memory and work are positive and grow with the number of columns
//   - kind: the graph is of the kind that Info promises, its certificate holds, and every number is finite
//   - progress: a run reports its progress at least twice, and each report names the stage
//   - threads: a second run, on another number of threads, gives the same bytes
//   - columns: reordered and renamed columns give the same edges, the same facts of each column and the same score
//   - units: a method with Info.UnitFree gives the same graph in other units
//   - untouched: the method does not change its input
//   - canceled: when the context ends, before the run or during it, the run ends early and returns its best answer with status
//     canceled and the cause of the context
//   - resumed: a run that was killed at a saved state ends in the same bytes
//   - edge: two columns with a correlation of 0.83 are adjacent
//   - noise: columns that are uncorrelated with all others have no edge, and at most a quarter of the pairs of independent columns have one
//   - weights: a method uses row weights, or Info.Unweighted says why it does not
//   - knowledge: required edges are in the graph and forbidden ones are not; a method without Info.Knowledge refuses both
//   - degenerate: three rows, two columns, more columns than rows and equal columns give an answer or an error, never a panic
func Check(fresh func() method.Method, seed uint64) error {
	c := &methodCheck{fresh: fresh, rng: rand.New(rand.NewPCG(seed, 0x3e7))}
	c.describes()
	c.costs()
	data := c.chain(60, 6)
	first := c.progress(data)
	if first == nil {
		return c.Verdict()
	}
	c.threads(data, first)
	c.columns(data, first)
	c.units(data, first)
	c.untouched(data)
	c.canceled(data)
	c.resumed(data, first)
	c.edges()
	c.noise()
	c.weights()
	c.knowledge(data)
	c.degenerate()
	return c.Verdict()
}

type methodCheck struct {
	kit.List
	fresh   func() method.Method
	rng     *rand.Rand
	reports int // of the first run
}

func (c *methodCheck) config(threads int) polydag.Config {
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.Threads, cfg.CheckScale = c.fresh(), threads, polydag.CheckScaleNever
	return cfg
}

// learn runs the method and checks its result.
func (c *methodCheck) learn(check string, data methodData, threads int) *polydag.Result {
	res, err := c.run(context.Background(), data, c.config(threads), polydag.Run{})
	if err != nil {
		c.Broken(check, "%v", err)
		return nil
	}
	c.sound(check, res)
	return res
}

// errPanic marks a panic of the method.
var errPanic = errors.New("panic")

// run learns from data and turns a panic into an error.
func (c *methodCheck) run(ctx context.Context, data methodData, cfg polydag.Config, how polydag.Run) (res *polydag.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	table, err := data.table(cfg.Method.Info().Needs)
	if err != nil {
		return nil, err
	}
	return polydag.BestSoFar(table.Learn(ctx, cfg, how))
}

// sound checks the kind of a result, its certificate and its numbers.
func (c *methodCheck) sound(check string, res *polydag.Result) {
	// Contradicting or interrupted independence tests may leave a graph that is not a CPDAG or not a legal PAG. The result says so.
	interrupted := res.Status == method.Canceled
	contradicts := res.Kind == graph.KindPDAG && (len(res.Warnings) > 0 || interrupted)
	if want := c.fresh().Info().Gives; res.Kind != want && !(want == graph.KindCPDAG && contradicts) {
		c.Broken("kind", "the graph is a %s, Info promises a %s", res.Kind, want)
	}
	if !res.Certificate.Holds && res.Kind != graph.KindAverage && !(res.Kind == graph.KindPAG && interrupted) {
		c.Broken("kind", "the certificate does not hold")
	}
	if res.Score-res.Score != 0 {
		c.Broken(check, "the score is %v", res.Score)
	}
	for _, e := range res.Edges {
		if e.Weight-e.Weight != 0 || e.Standardized-e.Standardized != 0 {
			c.Broken(check, "the weight of %s → %s is %v", e.From, e.To, e.Weight)
		}
	}
}

var methodName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*\+?$`)

// publication is the form of a reference, which the methods text of a result cites. A work without a date has no year.
var publication = regexp.MustCompile(`^\p{L}[^();]+( \((19|20)\d\d\))?, [\p{L}\p{N}].{15,}$`)

func (c *methodCheck) describes() {
	info := c.fresh().Info()
	switch {
	case !methodName.MatchString(info.Name):
		c.Broken("describes", "the name is %q, want lower case letters, digits, hyphens and +", info.Name)
	case info.Title == "" || info.About == "" || info.Reference == "":
		c.Broken("describes", "title, about or reference is empty: %+v", info)
	case slices.ContainsFunc(strings.Split(info.Reference, "; "), func(r string) bool { return !publication.MatchString(r) }):
		c.Broken("describes", "the reference is %q, want Authors (year), Title", info.Reference)
	case !slices.Contains(graph.Kinds(), info.Gives):
		c.Broken("describes", "Gives is %q, want one of %v", info.Gives, graph.Kinds())
	}
	s := param.Of(c.fresh())
	for _, it := range s.Items() {
		if it.Help == "" || !methodName.MatchString(it.Name) {
			c.Broken("describes", "the setting %q has the help %q", it.Name, it.Help)
		}
		if err := s.Set(it.Name, it.Default); err != nil {
			c.Broken("describes", "the default of %s: %v", it.Name, err)
		}
	}
	if err := s.Finish(); err != nil {
		c.Broken("describes", "the defaults: %v", err)
	}
}

func (c *methodCheck) costs() {
	small, large := c.fresh().Cost(1000, 10, 1), c.fresh().Cost(1000, 200, 1)
	if small.Bytes <= 0 || small.Flops <= 0 || large.Bytes <= small.Bytes || large.Flops <= small.Flops {
		c.Broken("costs", "10 columns: %+v, 200 columns: %+v", small, large)
	}
}

// progress makes the first run and counts its reports.
func (c *methodCheck) progress(data methodData) *polydag.Result {
	res, err := c.run(context.Background(), data, c.config(1), polydag.Run{Observe: func(p polydag.Progress) {
		if c.reports++; p.Stage == "" {
			c.Broken("progress", "report %d names no stage", c.reports)
		}
	}})
	if err != nil {
		c.Broken("kind", "%v", err)
		return nil
	}
	if c.reports < 2 {
		c.Broken("progress", "the run reported its progress %d times, want at least 2: call run.Tell in the main loop", c.reports)
	}
	c.sound("kind", res)
	return res
}

func (c *methodCheck) threads(data methodData, first *polydag.Result) {
	for _, n := range []int{1, 4} {
		if again := c.learn("threads", data, n); again != nil && !bytes.Equal(text(first), text(again)) {
			c.Broken("threads", "a second run, on %d threads, gives another result", n)
		}
	}
}

func (c *methodCheck) columns(data methodData, first *polydag.Result) {
	reversed := slices.Clone(data.names)
	slices.Sort(reversed)
	slices.Reverse(reversed)
	rename := map[string]string{}
	for k, name := range slices.Sorted(slices.Values(data.names)) {
		rename[name] = reversed[k]
	}
	same := func(name string) string { return name }
	other := func(name string) string { return rename[name] }
	for _, name := range []func(string) string{same, other} {
		order := c.rng.Perm(len(data.names))
		res := c.learn("columns", data.changed(order, nil, name), 1)
		if res == nil {
			return
		}
		if got, want := edgeList(res, same), edgeList(first, name); !slices.Equal(got, want) || res.Score != first.Score {
			c.Broken("columns", "in the order %v: score %v and edges %v, before %v and %v", order, res.Score, got, first.Score, want)
		}
		if got, want := nodeList(res, same), nodeList(first, name); !slices.Equal(got, want) {
			c.Broken("columns", "in the order %v: columns %v, before %v", order, got, want)
		}
	}
}

// units multiplies the columns by powers of two, which changes no digit of a correlation.
func (c *methodCheck) units(data methodData, first *polydag.Result) {
	if !c.fresh().Info().UnitFree {
		return
	}
	scale := make([]float64, len(data.names))
	for j := range scale {
		scale[j] = math.Ldexp(1, j%5-2)
	}
	res := c.learn("units", data.changed(nil, scale, nil), 1)
	if res == nil {
		return
	}
	pairs := func(r *polydag.Result) (out []string) {
		for _, e := range r.Edges {
			out = append(out, e.From+e.Mark+e.To)
		}
		return out
	}
	if !slices.Equal(pairs(res), pairs(first)) {
		c.Broken("units", "the graph differs in other units")
	}
}

// untouched calls the method itself: Table.Learn passes it a copy of the moments.
func (c *methodCheck) untouched(data methodData) {
	in, changed, err := data.input(c.fresh().Info().Needs)
	if err == nil {
		_, err = c.fresh().Learn(context.Background(), in, nil)
	}
	if err != nil {
		c.Broken("untouched", "with a nil run: %v", err)
	} else if what := changed(); what != "" {
		c.Broken("untouched", "the method changed the %s", what)
	}
}

// edges checks a table with one strong effect and two columns of noise.
func (c *methodCheck) edges() {
	data := c.oneEffect(200)
	res := c.learn("edge", data, 1)
	if res == nil {
		return
	}
	for a := range data.names {
		for b := range a {
			_, adjacent := res.Marked.Between(a, b)
			strong := a == 1 && b == 0
			switch {
			case strong && !adjacent:
				c.Broken("edge", "two columns with a correlation of 0.83 in 200 rows are not adjacent")
			case !strong && adjacent:
				c.Broken("noise", "columns with a correlation of 0 are adjacent")
			}
		}
	}
}

// noise checks a table of independent columns, whose sample correlations are not 0.
func (c *methodCheck) noise() {
	rows := make([][]float64, 200)
	for i := range rows {
		rows[i] = make([]float64, 6)
		for j := range rows[i] {
			rows[i][j] = c.rng.NormFloat64()
		}
	}
	data := c.named(rows)
	if res := c.learn("noise", data, 1); res != nil {
		if d := len(data.names); 4*len(res.Edges) > d*(d-1)/2 {
			c.Broken("noise", "%d of %d pairs of independent columns are adjacent in 200 rows", len(res.Edges), d*(d-1)/2)
		}
	}
}

func (c *methodCheck) knowledge(data methodData) {
	names := data.names
	cfg := c.config(1)
	last := len(names) - 1
	cfg.Knowledge = knowledge.Spec{
		Require: []string{names[last] + "->" + names[0]},
		Forbid:  []string{names[0] + "->" + names[1], names[1] + "->" + names[0]},
	}
	res, err := c.run(context.Background(), data, cfg, polydag.Run{})
	if !cfg.Method.Info().Knowledge {
		if !errors.Is(err, polydag.ErrConfig) {
			c.Broken("knowledge", "Info.Knowledge is false, and the error is %v", err)
		}
		return
	}
	if err != nil {
		c.Broken("knowledge", "%v", err)
		return
	}
	_, joined := res.Marked.Between(0, 1)
	if !res.Graph.HasEdge(last, 0) || joined {
		c.Broken("knowledge", "a required edge is missing or a forbidden edge is in the graph")
	}
}

// weights checks a table in which half of the rows show an effect and the others, with small weights, its opposite. Without the weights,
// the columns are uncorrelated.
func (c *methodCheck) weights() {
	columns := polydag.Columns{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "w"}}
	for i := range 80 {
		slope, weight := 2.0, 1.0
		if i%2 == 1 {
			slope, weight = -2, 0.001
		}
		a := c.rng.NormFloat64()
		for j, v := range []float64{a, slope*a + c.rng.NormFloat64(), c.rng.NormFloat64(), weight} {
			columns[j].Numbers = append(columns[j].Numbers, v)
		}
	}
	p := polydag.DefaultPreparation()
	p.RowWeights = "w"
	table, err := polydag.Prepare(context.Background(), columns, p)
	if err != nil {
		c.Broken("weights", "%v", err)
		return
	}
	res, err := table.Learn(context.Background(), c.config(1), polydag.Run{})
	switch why := c.fresh().Info().Unweighted; {
	case why != "" && !errors.Is(err, polydag.ErrWeights):
		c.Broken("weights", "Info.Unweighted is %q, and the error is %v", why, err)
	case why == "" && err != nil:
		c.Broken("weights", "%v", err)
	case why == "":
		if _, adjacent := res.Marked.Between(0, 1); !adjacent {
			c.Broken("weights", "two columns are not adjacent, as if all rows had the same weight: use Input.Moments or Input.RowWeights, or set Info.Unweighted")
		}
	}
}

func (c *methodCheck) degenerate() {
	equal := c.chain(30, 4)
	for _, row := range equal.rows {
		row[1], row[3] = row[0], row[0]+row[2]
	}
	for what, data := range map[string]methodData{
		"3 rows": c.chain(3, 3), "2 columns": c.chain(30, 2), "more columns than rows": c.chain(8, 12), "equal columns": equal,
	} {
		res, err := c.run(context.Background(), data, c.config(1), polydag.Run{})
		switch {
		case errors.Is(err, errPanic):
			c.Broken("degenerate", "%s: %v", what, err)
		case err == nil:
			c.sound("degenerate", res)
		}
	}
}

// text returns a result as JSON, without its timing.
func text(r *polydag.Result) []byte {
	s := *r
	s.Timing = polydag.Timing{}
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}

// edgeList returns the edges with all their figures, in an order that does not depend on that of the columns. The names of an
// undirected edge are sorted.
func edgeList(r *polydag.Result, name func(string) string) []string {
	out := make([]string, len(r.Edges))
	for i, e := range r.Edges {
		e.From, e.To = name(e.From), name(e.To)
		if !e.Directed() && e.From > e.To && (e.Mark == "---" || e.Mark == "<->" || e.Mark == "o-o") {
			e.From, e.To = e.To, e.From
		}
		b, _ := json.Marshal(e)
		out[i] = string(b)
	}
	slices.Sort(out)
	return out
}

// nodeList returns the facts of the columns, sorted by name.
func nodeList(r *polydag.Result, name func(string) string) []string {
	out := make([]string, len(r.Nodes))
	for i, n := range r.Nodes {
		n.Name = name(n.Name)
		b, _ := json.Marshal(n)
		out[i] = string(b)
	}
	slices.Sort(out)
	return out
}
