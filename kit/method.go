package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// Method reports every law that a method breaks. fresh returns a new value with the same settings at each call; they
// should make it quick, since the method is run some dozens of times on small tables drawn from seed. A method that needs rows gets tables
// with rows, any other their moments.
//
//   - describes: name, title, reference and every setting are described, and defaults are valid
//   - costs: memory and work are estimated, and grow with the columns
//   - kind: the graph is of the kind that Info promises, its certificate holds, and no number is NaN or infinite
//   - threads: the same bytes on any number of threads, and when run again
//   - columns: shuffled columns give the same graph, byte for byte up to their order
//   - units: a method that says so gives the same graph in other units
//   - untouched: the data are not changed
//   - canceled: a context that has ended ends the run, with the best so far or an error
//   - resumed: a run that was killed at any saved state ends in the same bytes
//   - knowledge: required edges are there and forbidden ones are not, or knowledge is refused
//   - degenerate: few rows, more columns than rows, equal and constant columns give an answer or an error, never a panic
func Method(fresh func() method.Method, seed uint64) error {
	c := &methodCheck{fresh: fresh, rng: rand.New(rand.NewPCG(seed, 0x3e7)), rows: map[*dataset.Moments]*matrix.Dense[float64]{}}
	c.describes()
	c.costs()
	data := c.table(60, 6)
	first := c.learn("kind", data, 1)
	if first == nil {
		return c.verdict()
	}
	c.threads(data, first)
	c.columns(data, first)
	c.units(data, first)
	c.untouched(data)
	c.canceled(data)
	c.resumed(data, first)
	c.knowledge(data)
	c.degenerate()
	return c.verdict()
}

type methodCheck struct {
	laws
	fresh func() method.Method
	rng   *rand.Rand
	rows  map[*dataset.Moments]*matrix.Dense[float64] // that moments were made of
}

// table draws rows of a chain with one more cause each, with noise variances that differ.
func (c *methodCheck) table(rows, columns int) *dataset.Moments {
	x := matrix.New[float64](rows, columns)
	for i := range rows {
		for j := range columns {
			v := (0.5 + 0.25*float64(j%3)) * c.rng.NormFloat64()
			if j > 0 {
				v += 0.9 * x.At(i, j-1)
			}
			if j > 2 {
				v -= 0.6 * x.At(i, j-3)
			}
			x.Set(i, j, v)
		}
	}
	return c.moments(x)
}

func (c *methodCheck) moments(x *matrix.Dense[float64]) *dataset.Moments {
	names := make([]string, x.Cols)
	for j, k := range c.rng.Perm(x.Cols) {
		names[j] = fmt.Sprintf("c%02d", k) // the order of the names is not that of the causes
	}
	m, err := dataset.FromRows(names, x, 1)
	if err != nil {
		panic(err) // the tables above can all be summarized
	}
	c.rows[m] = x
	return m
}

func (c *methodCheck) config(threads int) polydag.Config {
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.Threads, cfg.CheckScale = c.fresh(), threads, polydag.CheckScaleNever
	return cfg
}

// learn runs the method and checks what every result must keep.
func (c *methodCheck) learn(law string, data *dataset.Moments, threads int) *polydag.Result {
	res, err := c.run(context.Background(), data, c.config(threads), polydag.Run{})
	if err != nil {
		c.broken(law, "%v", err)
		return nil
	}
	c.sound(law, res)
	return res
}

// run turns a panic into an error.
func (c *methodCheck) run(ctx context.Context, data *dataset.Moments, cfg polydag.Config, how polydag.Run) (res *polydag.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	table, err := c.prepared(data)
	if err != nil {
		return nil, err
	}
	return table.Learn(ctx, cfg, how)
}

// sound holds a result against what the method promises.
func (c *methodCheck) sound(law string, res *polydag.Result) {
	// Where tests contradict each other, or were cut short, no class of DAGs has what they say, and the result owns up to it.
	contradicts := res.Kind == graph.KindPDAG && (len(res.Warnings) > 0 || res.Status == method.Canceled)
	if want := c.fresh().Info().Gives; res.Kind != want && !(want == graph.KindCPDAG && contradicts) {
		c.broken("kind", "the graph is a %s, promised was a %s", res.Kind, want)
	}
	if !res.Certificate.Holds && res.Kind != graph.KindAverage {
		c.broken("kind", "the certificate does not hold")
	}
	if res.Score-res.Score != 0 {
		c.broken(law, "the score is %v", res.Score)
	}
	for _, e := range res.Edges {
		if e.Weight-e.Weight != 0 || e.Standardized-e.Standardized != 0 {
			c.broken(law, "the weight of %s → %s is %v", e.From, e.To, e.Weight)
		}
	}
}

var methodName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func (c *methodCheck) describes() {
	info := c.fresh().Info()
	switch {
	case !methodName.MatchString(info.Name):
		c.broken("describes", "the name %q: want lower case letters, digits and hyphens", info.Name)
	case info.Title == "" || info.About == "" || info.Reference == "":
		c.broken("describes", "title, about or reference are missing: %+v", info)
	case !slices.Contains(graph.Kinds(), info.Gives):
		c.broken("describes", "it gives a graph of kind %q, which there is not", info.Gives)
	}
	s := param.Of(c.fresh())
	for _, it := range s.Items() {
		if it.Help == "" || !methodName.MatchString(it.Name) {
			c.broken("describes", "the setting %q has help %q", it.Name, it.Help)
		}
		if err := s.Set(it.Name, it.Default); err != nil {
			c.broken("describes", "the default of %s: %v", it.Name, err)
		}
	}
	if err := s.Finish(); err != nil {
		c.broken("describes", "the defaults: %v", err)
	}
}

func (c *methodCheck) costs() {
	small, large := c.fresh().Cost(1000, 10, 1), c.fresh().Cost(1000, 200, 1)
	if small.Bytes <= 0 || small.Flops <= 0 || large.Bytes <= small.Bytes || large.Flops <= small.Flops {
		c.broken("costs", "10 columns: %+v, 200 columns: %+v", small, large)
	}
}

func (c *methodCheck) threads(data *dataset.Moments, first *polydag.Result) {
	for _, n := range []int{1, 2, 5} {
		if again := c.learn("threads", data, n); again != nil && !bytes.Equal(text(first), text(again)) {
			c.broken("threads", "run again on %d threads the result is another", n)
		}
	}
}

func (c *methodCheck) columns(data *dataset.Moments, first *polydag.Result) {
	want := edges(first)
	for range 3 {
		order := c.rng.Perm(len(data.Names))
		other := permuted(data, order)
		c.derived(other, data, order, nil)
		res := c.learn("columns", other, 1)
		if res == nil {
			return
		}
		if got := edges(res); !slices.Equal(got, want) || res.Score != first.Score {
			c.broken("columns", "in the order %v: score %v and edges %v, before %v and %v", order, res.Score, got, first.Score, want)
		}
	}
}

// units multiplies the columns by powers of two, which changes no digit of a correlation.
func (c *methodCheck) units(data *dataset.Moments, first *polydag.Result) {
	if !c.fresh().Info().UnitFree {
		return
	}
	scaled := copyOf(data)
	d, scale := len(data.Names), make([]float64, len(data.Names))
	for i := range d {
		f := math.Ldexp(1, i%5-2)
		scale[i] = f
		scaled.Mean[i], scaled.Min[i], scaled.Max[i] = f*scaled.Mean[i], f*scaled.Min[i], f*scaled.Max[i]
		for j := range d {
			scaled.Scatter[i*d+j] *= f
			scaled.Scatter[j*d+i] *= f
		}
	}
	c.derived(scaled, data, nil, scale)
	res := c.learn("units", scaled, 1)
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
		c.broken("units", "the graph is another in other units")
	}
}

// untouched calls the method itself: Learn of the root package hands it a copy.
func (c *methodCheck) untouched(data *dataset.Moments) {
	in := c.input(data)
	var rows []float64
	if x := c.rows[data]; x != nil {
		rows = slices.Clone(x.Data)
	}
	if _, err := c.fresh().Learn(context.Background(), in, nil); err != nil {
		c.broken("untouched", "without a run to report to: %v", err)
	}
	if !reflect.DeepEqual(copyOf(data), in.Moments) {
		c.broken("untouched", "the moments are not what they were")
	}
	if x := c.rows[data]; x != nil && !slices.Equal(rows, x.Data) {
		c.broken("untouched", "the rows are not what they were")
	}
}

func (c *methodCheck) canceled(data *dataset.Moments) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, err := c.run(ctx, data, c.config(1), polydag.Run{})
	switch {
	case err != nil && res == nil:
	case err != nil:
		c.broken("canceled", "a result and the error %v", err)
	case res.Status.Finished() && len(res.Trace) > 0:
		c.broken("canceled", "the context had ended, and the status is %s", res.Status)
	default:
		c.sound("canceled", res)
	}
}

// memoryStore keeps a state in memory, and a copy of every one that was saved.
type memoryStore struct{ saved [][]byte }

func (m *memoryStore) Save(state []byte) error {
	m.saved = append(m.saved, bytes.Clone(state))
	return nil
}

func (m *memoryStore) Load() ([]byte, error) {
	if len(m.saved) == 0 {
		return nil, nil
	}
	return m.saved[len(m.saved)-1], nil
}

func (c *methodCheck) resumed(data *dataset.Moments, first *polydag.Result) {
	all := &memoryStore{}
	if _, err := c.run(context.Background(), data, c.config(1), polydag.Run{Store: all}); err != nil {
		c.broken("resumed", "with a checkpoint: %v", err)
		return
	}
	stride := max(1, len(all.saved)/6)
	for i := range all.saved {
		if i > 3 && i%stride != 0 {
			continue
		}
		res, err := c.run(context.Background(), data, c.config(1+i%2), polydag.Run{Store: &memoryStore{saved: all.saved[i : i+1 : i+1]}})
		if err != nil {
			c.broken("resumed", "from state %d of %d: %v", i+1, len(all.saved), err)
			return
		}
		if !bytes.Equal(text(res), text(first)) {
			c.broken("resumed", "from state %d of %d the result is another", i+1, len(all.saved))
		}
	}
}

func (c *methodCheck) knowledge(data *dataset.Moments) {
	names := data.Names
	cfg := c.config(1)
	last := len(names) - 1
	cfg.Knowledge = knowledge.Spec{
		Require: []string{names[last] + "->" + names[0]},
		Forbid:  []string{names[0] + "->" + names[1], names[1] + "->" + names[0]},
	}
	res, err := c.run(context.Background(), data, cfg, polydag.Run{})
	if !cfg.Method.Info().Knowledge {
		if !errors.Is(err, polydag.ErrConfig) {
			c.broken("knowledge", "it takes none, and the error is %v", err)
		}
		return
	}
	if err != nil {
		c.broken("knowledge", "%v", err)
		return
	}
	_, joined := res.Marked.Between(0, 1)
	if !res.Graph.HasEdge(last, 0) || joined {
		c.broken("knowledge", "a required edge is missing or a forbidden one is there")
	}
}

func (c *methodCheck) degenerate() {
	equal := matrix.New[float64](30, 4)
	for i := range 30 {
		a, b := c.rng.NormFloat64(), c.rng.NormFloat64()
		for j, v := range []float64{a, a, b, a + b} {
			equal.Set(i, j, v)
		}
	}
	constant := c.table(30, 3)
	d := len(constant.Names)
	for j := range d {
		constant.Scatter[j*d] = 0
		constant.Scatter[j] = 0
	}
	constant.Min[0], constant.Max[0] = constant.Mean[0], constant.Mean[0]
	for i := range 30 {
		c.rows[constant].Set(i, 0, 1)
	}
	nan := c.table(30, 3)
	c.rows[nan].Set(3, 1, math.NaN())
	nan.Scatter[1], nan.Scatter[3] = math.NaN(), math.NaN()
	for _, t := range []struct {
		what string
		data *dataset.Moments
		bad  bool // no graph can be learned
	}{
		{"3 rows", c.table(3, 3), false},
		{"1 row", c.table(1, 3), true},
		{"1 column", c.table(30, 1), true},
		{"2 columns", c.table(30, 2), false},
		{"more columns than rows", c.table(8, 12), false},
		{"equal columns", c.moments(equal), false},
		{"a constant column", constant, true},
		{"a moment that is NaN", nan, true},
	} {
		res, err := c.run(context.Background(), t.data, c.config(1), polydag.Run{})
		switch {
		case err != nil && bytes.HasPrefix([]byte(err.Error()), []byte("panic")):
			c.broken("degenerate", "%s: %v", t.what, err)
		case err == nil && t.bad:
			c.broken("degenerate", "%s: no error", t.what)
		case err == nil:
			c.sound("degenerate", res)
		}
	}
}

// text is a result without what may differ between two runs.
func text(r *polydag.Result) []byte {
	s := *r
	s.Timing = polydag.Timing{}
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}

// edges lists the edges with all their figures, whatever the order of the columns. An undirected edge has its names in
// alphabetical order.
func edges(r *polydag.Result) []string {
	out := make([]string, len(r.Edges))
	for i, e := range r.Edges {
		if !e.Directed() && e.From > e.To && (e.Mark == "---" || e.Mark == "<->" || e.Mark == "o-o") {
			e.From, e.To = e.To, e.From
		}
		b, _ := json.Marshal(e)
		out[i] = string(b)
	}
	slices.Sort(out)
	return out
}

// permuted returns the moments with the columns in another order.
func permuted(m *dataset.Moments, order []int) *dataset.Moments {
	out := copyOf(m)
	d := len(order)
	for i, a := range order {
		out.Names[i], out.Mean[i], out.Min[i], out.Max[i] = m.Names[a], m.Mean[a], m.Min[a], m.Max[a]
		for j, b := range order {
			out.Scatter[i*d+j] = m.Scatter[a*d+b]
		}
	}
	return out
}

// copyOf copies what is exported of moments.
func copyOf(m *dataset.Moments) *dataset.Moments {
	out := dataset.NewMoments(m.Names)
	out.N = m.N
	copy(out.Mean, m.Mean)
	copy(out.Min, m.Min)
	copy(out.Max, m.Max)
	copy(out.Scatter, m.Scatter)
	return out
}
