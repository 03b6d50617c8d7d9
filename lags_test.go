package polydag_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/notears"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

// seriesColumns draws a process, and the column series in front of its columns.
func seriesColumns(cfg sim.SeriesSettings, n int) (*sim.Process, polydag.Columns) {
	p := must.Get(sim.NewProcess(cfg))
	columns := polydag.Columns{{Name: "series"}}
	for j := range cfg.Nodes {
		columns = append(columns, polydag.Column{Name: fmt.Sprintf("x%d", j)})
	}
	_ = p.Sample(n, func(series int, row []float64) error {
		columns[0].Numbers = append(columns[0].Numbers, float64(series))
		for j, x := range row {
			columns[j+1].Numbers = append(columns[j+1].Numbers, x)
		}
		return nil
	})
	return p, columns
}

// seriesTable draws a process and prepares its table.
func seriesTable(t *testing.T, cfg sim.SeriesSettings, n int, set dataset.TimeSettings) (*polydag.Table, *sim.Process) {
	t.Helper()
	p, columns := seriesColumns(cfg, n)
	if cfg.Series == 1 {
		columns = columns[1:]
	} else {
		set.Series = "series"
	}
	if set.Column == "" {
		set.Column = "."
	}
	prep := polydag.DefaultPreparation()
	prep.Time = set
	return must.Get(polydag.Prepare(t.Context(), columns, prep)), p
}

// edgesWithLags lists edges as from,to,lag.
func edgesWithLags(res *polydag.Result) []string {
	var out []string
	for _, e := range res.AllEdges() {
		out = append(out, fmt.Sprintf("%s,%s,%d", e.From, e.To, e.Lag))
	}
	slices.Sort(out)
	return out
}

func trueLags(p *sim.Process) []string {
	var out []string
	for _, e := range p.Edges() {
		out = append(out, fmt.Sprintf("x%d,x%d,%d", e.From, e.To, e.Lag))
	}
	slices.Sort(out)
	return out
}

// wrong counts the edges that only one of two lists has. Edges without a lag may have either direction.
func wrong(a, b []string) int {
	set := map[string]int{}
	add := func(list []string, k int) {
		for _, e := range list {
			f := strings.Split(e, ",")
			if f[2] == "0" && f[0] > f[1] {
				f[0], f[1] = f[1], f[0]
			}
			set[strings.Join(f, ",")] += k
		}
	}
	add(a, 1)
	add(b, -1)
	n := 0
	for _, k := range set {
		if k != 0 {
			n++
		}
	}
	return n
}

// TestLagsAreRecovered checks that the graph of a simulated series has the true edges with their lags, that the number of lags is chosen,
// and that the result survives JSON.
func TestLagsAreRecovered(t *testing.T) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Seed = 6, 3
	table, p := seriesTable(t, cfg, 1000, dataset.TimeSettings{})
	res := must.Get(table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
	if n := wrong(edgesWithLags(res), trueLags(p)); n > 1 {
		t.Errorf("%d edges differ:\n%v\n%v", n, edgesWithLags(res), trueLags(p))
	}
	if res.Time == nil || res.Time.Lags != 2 || res.Rows != 998 || len(res.Names) != 6 || len(res.Nodes) != 6 || res.Graph.N() != 6 {
		t.Errorf("time %+v, %d rows, names %v, %d nodes", res.Time, res.Rows, res.Names, len(res.Nodes))
	}
	if got := table.TimeSeries(); got == nil || *got != *res.Time {
		t.Errorf("the table has %+v, the result %+v", got, res.Time)
	}
	for _, e := range res.Lagged {
		if e.Lag < 1 || e.Mark != "-->" || e.PDirection != 1 || e.Verdict == polydag.Undirected || e.Gain <= 0 {
			t.Errorf("lagged edge %+v", e)
		}
	}
	for _, a := range res.Assumptions {
		if a.Name == "independent_rows" && (a.Outcome != "passed" || !strings.Contains(a.Statement, "given earlier values")) {
			t.Errorf("%+v", a)
		}
	}
	text := must.Get(json.Marshal(res))
	back := must.Get(polydag.ReadResult(bytes.NewReader(text)))
	if again, _ := json.Marshal(back); !bytes.Equal(text, again) {
		t.Error("the result changed on its way through JSON")
	}
	for _, bad := range [][2]string{{`"lag":1,`, `"lag":9,`}, {`"lag":1,`, `"lag":0,`}, {`"lags":2`, `"lags":0`}} {
		if _, err := polydag.ReadResult(strings.NewReader(strings.Replace(string(text), bad[0], bad[1], 1))); err == nil {
			t.Errorf("%s in the place of %s was accepted", bad[1], bad[0])
		}
	}
}

// Independent series whose means change at the same time have no edges that are more likely than not.
func TestMeansThatChangeTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	columns := polydag.Columns{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for i := range 400 {
		for j := range columns {
			columns[j].Numbers = append(columns[j].Numbers, 3*float64(i/200)+rng.NormFloat64())
		}
	}
	prep := polydag.DefaultPreparation()
	prep.Time = dataset.TimeSettings{Column: ".", Lags: 2}
	res := must.Get(must.Get(polydag.Prepare(t.Context(), columns, prep)).Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
	between := 0
	for _, e := range slices.Concat(res.Edges, res.Lagged) {
		if e.From != e.To {
			if between++; e.PAdjacent > 0.5 {
				t.Errorf("%s → %s has the probability %v", e.From, e.To, e.PAdjacent)
			}
		}
	}
	if between == 0 {
		t.Error("no edges between columns, so that nothing was tested")
	}
}

// seriesMethods are the methods for time series, and the default method.
func seriesMethods() (out []string) {
	for i, m := range polydag.Methods() {
		if i == 0 || m.Info().Time {
			out = append(out, m.Info().Name)
		}
	}
	return out
}

// TestSameBytesForPermutedColumns checks that neither threads nor the order of the columns change the edges.
func TestSameBytesForPermutedColumns(t *testing.T) {
	for _, name := range seriesMethods() {
		t.Run(name, func(t *testing.T) { sameBytesForPermutedColumns(t, name) })
	}
}

func sameBytesForPermutedColumns(t *testing.T, name string) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Seed = 5, 8
	_, columns := seriesColumns(cfg, 300)
	columns = columns[1:]
	learn := func(columns polydag.Columns, threads int) string {
		prep := polydag.DefaultPreparation()
		prep.Time, prep.Threads = dataset.TimeSettings{Column: ".", Lags: 2}, threads
		table := must.Get(polydag.Prepare(context.Background(), columns, prep))
		c := polydag.DefaultConfig()
		c.Method = must.Get(polydag.FindMethod(name))
		c.Threads = threads
		res := must.Get(table.Learn(context.Background(), c, polydag.Run{}))
		edges := res.AllEdges()
		slices.SortFunc(edges, func(a, b polydag.Edge) int {
			return strings.Compare(fmt.Sprint(a.From, a.To, a.Lag), fmt.Sprint(b.From, b.To, b.Lag))
		})
		text := must.Get(json.Marshal(edges))
		return string(text)
	}
	want := learn(columns, 1)
	if got := learn(columns, 3); got != want {
		t.Error("three threads give other edges")
	}
	turned := slices.Clone(columns)
	slices.Reverse(turned)
	if got := learn(turned, 1); got != want {
		t.Errorf("reversed columns give other edges:\n%s\n%s", got, want)
	}
}

// TestMethodsForSeries checks the methods for time series on a process with Laplace noise, whose edges and directions are all
// identified.
func TestMethodsForSeries(t *testing.T) {
	for _, name := range seriesMethods() {
		right, wrong, missing := 0, 0, 0
		for seed := range uint64(3) {
			cfg := sim.DefaultSeries()
			cfg.Nodes, cfg.Seed, cfg.Noise = 5, 20+seed, sim.Laplace
			table, p := seriesTable(t, cfg, 1000, dataset.TimeSettings{Lags: 2})
			c := polydag.DefaultConfig()
			c.Method, _ = polydag.FindMethod(name)
			res := must.Get(table.Learn(context.Background(), c, polydag.Run{}))
			got := edgesWithLags(res)
			for _, e := range p.Edges() {
				if k := slices.Index(got, fmt.Sprintf("x%d,x%d,%d", e.From, e.To, e.Lag)); k >= 0 {
					got = slices.Delete(got, k, k+1)
					right++
				} else {
					missing++
				}
			}
			wrong += len(got)
		}
		if f1 := 2 * float64(right) / float64(2*right+wrong+missing); f1 < 0.9 {
			t.Errorf("%s: F1 %.2f (%d right, %d wrong, %d missing)", name, f1, right, wrong, missing)
		}
	}
}

// TestPanel checks short series with different means: without fixed effects the means look like effects.
func TestPanel(t *testing.T) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Series, cfg.Seed, cfg.MeanSpread = 5, 60, 2, 4
	errs := map[bool]int{}
	for _, pooled := range []bool{false, true} {
		table, p := seriesTable(t, cfg, 20, dataset.TimeSettings{Lags: 2, PooledMeans: pooled})
		res := must.Get(table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
		if res.Time.FixedEffects == pooled || res.Rows != 60*18 || res.Time.SeriesCount != 60 {
			t.Errorf("%+v, %d rows", res.Time, res.Rows)
		}
		errs[pooled] = wrong(edgesWithLags(res), trueLags(p))
	}
	if errs[false] > 2 || errs[true] <= errs[false] {
		t.Errorf("%d edges differ with fixed effects, %d without", errs[false], errs[true])
	}
}

// TestDifferencesOfAPanel checks that differences have the same moments with and without the means of the series: the difference cancels
// the means, so no correction for estimated means may follow.
func TestDifferencesOfAPanel(t *testing.T) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Series, cfg.Seed = 5, 30, 4
	fixed, _ := seriesTable(t, cfg, 20, dataset.TimeSettings{Lags: 1, Difference: true})
	pooled, _ := seriesTable(t, cfg, 20, dataset.TimeSettings{Lags: 1, Difference: true, PooledMeans: true})
	for i, v := range pooled.Moments.Scatter {
		if w := fixed.Moments.Scatter[i]; math.Abs(v-w) > 1e-9*math.Abs(v)+1e-6 {
			t.Fatalf("entry %d of the scatter is %v with fixed effects and %v without", i, w, v)
		}
	}
}

// TestKnowledgeWithLags checks that knowledge may name lags, and what it means without one.
func TestKnowledgeWithLags(t *testing.T) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Seed = 4, 5
	table, _ := seriesTable(t, cfg, 400, dataset.TimeSettings{Lags: 2})
	learn := func(change func(*polydag.Config)) ([]string, error) {
		c := polydag.DefaultConfig()
		change(&c)
		res, err := table.Learn(context.Background(), c, polydag.Run{})
		if err != nil {
			return nil, err
		}
		return edgesWithLags(res), nil
	}
	plain, err := learn(func(*polydag.Config) {})
	if err != nil || !slices.Contains(plain, "x0,x0,1") {
		t.Fatalf("%v, %v", plain, err)
	}
	got, err := learn(func(c *polydag.Config) {
		c.Knowledge.Forbid = []string{"x0(t-1)->x0(t)"}
		c.Knowledge.Require = []string{"x3(t-2)->x1(t)"}
		c.Knowledge.Tiers = [][]string{{"x1"}, {"x0"}}
	})
	if err != nil || slices.Contains(got, "x0,x0,1") || !slices.Contains(got, "x3,x1,2") || slices.Contains(got, "x0,x1,0") {
		t.Errorf("%v, %v", got, err)
	}
	if _, err = learn(func(c *polydag.Config) { c.Knowledge.Require = []string{"x0->x1(t-1)"} }); err == nil {
		t.Error("an edge into the past was accepted")
	}
	c := polydag.DefaultConfig()
	c.Method = notears.New()
	if _, err := table.Learn(context.Background(), c, polydag.Run{}); !errors.Is(err, polydag.ErrLags) {
		t.Errorf("a method without prior knowledge: %v", err)
	}
}

// TestLagsWithMissingValues checks that gaps in the values are completed from the lagged columns, or dropped on request.
func TestLagsWithMissingValues(t *testing.T) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Seed = 4, 6
	p, columns := seriesColumns(cfg, 800)
	columns = columns[1:]
	for i := 22; i < 4*800; i += 23 {
		columns[i%4].Numbers[i/4] = math.NaN()
	}
	for _, missing := range []dataset.Missing{dataset.MissingAuto, dataset.MissingDrop} {
		prep := polydag.DefaultPreparation()
		prep.Time, prep.Missing = dataset.TimeSettings{Column: ".", Lags: 2}, missing
		table := must.Get(polydag.Prepare(context.Background(), columns, prep))
		res := must.Get(table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
		if n := wrong(edgesWithLags(res), trueLags(p)); n > 2 {
			t.Errorf("%s: %d edges differ: %v, want %v", missing, n, edgesWithLags(res), trueLags(p))
		}
		if whole := missing == dataset.MissingDrop; whole != (res.Rows < 798) {
			t.Errorf("%s: %d rows", missing, res.Rows)
		}
	}
}

// TestBlockBootstrap checks that confidence of lagged edges comes from blocks of rows.
func TestBlockBootstrap(t *testing.T) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Seed = 4, 7
	table, p := seriesTable(t, cfg, 300, dataset.TimeSettings{Lags: 2})
	s := confidence.DefaultSettings()
	s.Replicates = 20
	res := must.Get(confidence.Learn(context.Background(), table, polydag.DefaultConfig(), s, polydag.Run{}))
	if res.Confidence == nil || !strings.HasPrefix(res.Confidence.Unit, "blocks of ") || res.Time == nil {
		t.Fatalf("%+v", res.Confidence)
	}
	if n := wrong(edgesWithLags(res), trueLags(p)); n > 2 {
		t.Errorf("%d edges differ", n)
	}
	for _, e := range res.Lagged {
		if e.PAdjacent <= 0 || e.PDirection != 1 {
			t.Errorf("%+v", e)
		}
	}
	var b bytes.Buffer
	if err := report.Text(res)(&b); err != nil || !strings.Contains(b.String(), "lag") {
		t.Errorf("%v\n%s", err, b.String())
	}
	for _, f := range report.Formats() {
		err := f.Write(res)(&bytes.Buffer{})
		if f.Marks != (err == nil) {
			t.Errorf("format %s: %v", f.Name, err)
		}
	}
}

// TestSummary checks that several lags of a pair are one line, and that an edge without a lag stays apart.
func TestSummary(t *testing.T) {
	edge := func(from, to string, lag int, gain float64) polydag.Edge {
		return polydag.Edge{Link: polydag.Link{From: from, To: to}, Lag: lag, Mark: "-->", Gain: gain}
	}
	res := &polydag.Result{Names: []string{"a", "b"}, Edges: []polydag.Edge{edge("a", "b", 0, 1)}, Lagged: []polydag.Edge{edge("a", "b", 3, 1), edge("a", "b", 1, 2), edge("b", "b", 2, 1)}}
	var got []string
	for _, l := range res.Summary() {
		got = append(got, fmt.Sprintf("%s %s %g %s|%s", l.From, l.To, l.Gain, l.Label("0.5"), l.Label("")))
	}
	if want := []string{"a b 1 0.5|", "a b 2 lags 1, 3|lags 1, 3", "b b 1 0.5, lag 2|lag 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only a stated direction rests on something, and that of an edge with a lag on time.
func TestRestsOn(t *testing.T) {
	by := func(v polydag.Verdict, lag int) string {
		return polydag.Edge{Lag: lag, Judgement: trust.Judgement{Verdict: v, Basis: trust.ByKnowledge}}.RestsOn()
	}
	got := []string{by(polydag.Directed, 0), by(polydag.Directed, 1), by(polydag.Undirected, 0), by(polydag.Weak, 1), by("", 0)}
	if want := []string{"you", "time", "", "", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Blocks of the bootstrap have the length (√6·ρ/(1-ρ²))^(2/3)·n^(1/3) for the median correlation ρ (Carlstein 1986): 13.9 for ρ = 0.5 and
// n = 1000.
func TestBlockLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var columns polydag.Columns
	for name, rho := range []float64{0.8, 0.5, 0.2} {
		x := make([]float64, 1001)
		for t := 1; t < len(x); t++ {
			x[t] = rho*x[t-1] + rng.NormFloat64()
		}
		columns = append(columns, polydag.Column{Name: fmt.Sprint("x", name), Numbers: x})
	}
	prep := polydag.DefaultPreparation()
	prep.Time = dataset.TimeSettings{Column: ".", Lags: 1}
	table := must.Get(polydag.Prepare(context.Background(), columns, prep))
	flat, _, err := table.Unrolled(polydag.DefaultConfig())
	must.Succeed(t, err)
	rho := flat.Moments.Correlation().At(1, 4)
	want := math.Ceil(math.Cbrt(1000 * 6 * rho * rho / (1 - rho*rho) / (1 - rho*rho)))
	if got := flat.Block(); !(math.Abs(rho-0.5) <= 0.1) || float64(got) != want {
		t.Errorf("blocks of %d rows at a correlation of %v, want %v", got, rho, want)
	}
	if got := table.Block(); got != 1 {
		t.Errorf("blocks of %d rows of a table that is not unrolled, want 1", got)
	}
}

// TestRepeatedRowsOfSeries checks that equal rows and a sorted time column are reported for a table without an order in time only.
func TestRepeatedRowsOfSeries(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	columns := polydag.Columns{{Name: "year"}, {Name: "a"}, {Name: "b"}}
	for i := range 300 {
		x, y := random.NormFloat64(), random.NormFloat64()
		if i%10 == 9 {
			x, y = columns[1].Numbers[i-1], columns[2].Numbers[i-1]
		}
		for j, v := range []float64{float64(1900 + i/10), x, y} {
			columns[j].Numbers = append(columns[j].Numbers, v)
		}
	}
	for _, time := range []string{"", "."} {
		p := polydag.DefaultPreparation()
		p.Time.Column, p.Time.Lags = time, 1
		table := must.Get(polydag.Prepare(t.Context(), columns, p))
		var codes []string
		found := table.Examine(polydag.DefaultConfig())
		for _, a := range must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{})).Assumptions {
			found = append(found, a.Evidence...)
		}
		for _, f := range found {
			if f.Code == trust.RepeatedRows || f.Code == trust.TimeOrder {
				codes = append(codes, f.Code)
			}
		}
		if want := []string{trust.TimeOrder, trust.RepeatedRows, trust.RepeatedRows}; time == "" && !slices.Equal(codes, want) || time != "" && codes != nil {
			t.Errorf("time %q: %v", time, codes)
		}
	}
}

// A season longer than the table, or lags that no row has before it, are refused before anything of that size is allocated.
func TestAbsurdTimes(t *testing.T) {
	columns := polydag.Columns{{Name: "a", Numbers: make([]float64, 20)}, {Name: "b", Numbers: make([]float64, 20)}}
	for i := range 20 {
		columns[0].Numbers[i], columns[1].Numbers[i] = math.Sin(float64(i)), math.Sqrt(float64(i))
	}
	for want, set := range map[string]dataset.TimeSettings{
		"a season of 1000000000000 steps is longer than the table of 20 rows": {Column: ".", Lags: 1, Season: 1e12},
		"2 columns with 1000000000000 lags are 2000000000002 columns":         {Column: ".", Lags: 1e12},
	} {
		p := polydag.DefaultPreparation()
		p.Time = set
		if _, err := polydag.Prepare(t.Context(), columns, p); !errors.Is(err, polydag.ErrLags) && !errors.Is(err, dataset.ErrTooWide) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A table with lags needs eight rows, and two rows for each lag.
func TestLeastRowsOfLags(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct{ lags, points int }{{1, 8}, {1, 9}, {4, 11}, {4, 12}, {5, 14}, {5, 15}} {
		columns := polydag.Columns{{Name: "a"}, {Name: "b"}}
		for range c.points {
			columns[0].Numbers = append(columns[0].Numbers, random.NormFloat64())
			columns[1].Numbers = append(columns[1].Numbers, random.NormFloat64())
		}
		p := polydag.DefaultPreparation()
		p.Time.Column, p.Time.Lags = ".", c.lags
		table, err := polydag.Prepare(t.Context(), columns, p)
		rows := c.points - c.lags
		if want := rows >= max(8, 2*c.lags); (err == nil) != want || err != nil && !errors.Is(err, polydag.ErrLags) {
			t.Errorf("%d points with %d lags: %v", c.points, c.lags, err)
		}
		if err == nil && table.Rows() != rows {
			t.Errorf("%d points with %d lags: %d rows", c.points, c.lags, table.Rows())
		}
	}
}

// TestPosteriorOfLags checks that the posterior of a table with lags refuses the result over its columns at one time, and that the
// unrolled table has one.
func TestPosteriorOfLags(t *testing.T) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Series, cfg.Links, cfg.Seed = 3, 1, 0.5, 4
	table, _ := seriesTable(t, cfg, 200, dataset.TimeSettings{Lags: 1})
	own := polydag.DefaultConfig()
	res := must.Get(table.Learn(t.Context(), own, polydag.Run{}))
	if _, _, err := table.Posterior(t.Context(), own, res); !errors.Is(err, polydag.ErrConfig) {
		t.Errorf("a result with fewer columns: %v", err)
	}
	flat, flatConfig, err := table.Unrolled(own)
	must.Succeed(t, err)
	res = must.Get(flat.Learn(t.Context(), flatConfig, polydag.Run{}))
	if _, order, err := flat.Posterior(t.Context(), flatConfig, res); err != nil || len(order) != 6 {
		t.Errorf("the unrolled table: %v, %v", order, err)
	}
}
