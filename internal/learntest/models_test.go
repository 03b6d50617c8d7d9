package learntest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// written is a table as text, which counts how often it is opened.
type written struct {
	text   string
	opened *int
}

func (w written) Describe() (name, format string, bytes int64) {
	return "t.csv", "csv", int64(len(w.text))
}
func (w written) Saved() (*dataset.Moments, *dataset.Profile) { return nil, nil }
func (w written) SHA256(context.Context) (string, error)      { return "", nil }
func (w written) Source(context.Context) (dataset.Source, error) {
	if w.opened != nil {
		*w.opened++
	}
	return csv.Open(strings.NewReader(w.text), csv.DefaultSettings())
}

// sheet is columns of cells with their names.
type sheet struct {
	names []string
	cells [][]string // by column
}

func (s *sheet) add(name string, n int, cell func(i int) string) {
	column := make([]string, n)
	for i := range column {
		column[i] = cell(i)
	}
	s.names, s.cells = append(s.names, name), append(s.cells, column)
}

// csv writes the columns in the given order.
func (s *sheet) csv(order []int) string {
	var b strings.Builder
	for i := -1; i < len(s.cells[0]); i++ {
		for k, j := range order {
			if k > 0 {
				b.WriteByte(',')
			}
			if i < 0 {
				b.WriteString(s.names[j])
			} else {
				b.WriteString(s.cells[j][i])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *sheet) plain() string {
	order := intset.Range(0, len(s.names))
	return s.csv(order)
}

func prepared(t testing.TB, text string) *polydag.Table {
	t.Helper()
	table := must.Get(polydag.Prepare(context.Background(), written{text: text}, polydag.DefaultPreparation()))
	return table
}

func learnedFrom(t testing.TB, table *polydag.Table, m *order.Method) *polydag.Result {
	t.Helper()
	cfg := polydag.DefaultConfig()
	if m != nil {
		cfg.Method = m
	}
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	return res
}

// weather draws levels: a → b, a → c, (b, c) → e, in words that turn turns round.
func weather(rng *rand.Rand, n int, words func(column, level int) string) *sheet {
	s := &sheet{}
	a, b, c, e := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	draw := func(favoured, levels int, share float64) int {
		if rng.Float64() < share {
			return favoured
		}
		return rng.IntN(levels)
	}
	for i := range n {
		a[i] = rng.IntN(3)
		b[i] = draw(a[i]%2, 2, 0.6)
		c[i] = draw((a[i]*a[i]+1)%4, 4, 0.6)
		e[i] = draw((b[i]+c[i])%3, 3, 0.7)
	}
	for j, column := range [][]int{a, b, c, e} {
		s.add([]string{"season", "rain", "wind", "crop"}[j], n, func(i int) string { return words(j, column[i]) })
	}
	return s
}

func plainWords(column, level int) string { return fmt.Sprintf("w%d", level) }

// numbers draws a linear table of six columns, or with curve one of curved effects.
func numbers(rng *rand.Rand, n int, curve func(float64) float64) *sheet {
	s := &sheet{}
	const d = 6
	x := make([][]float64, d)
	for j := range x {
		x[j] = make([]float64, n)
		for i := range n {
			x[j][i] = (0.6 + 0.2*float64(j%3)) * rng.NormFloat64()
			for _, p := range []int{j - 1, j - 3} {
				if p >= 0 {
					x[j][i] += curve(x[p][i])
				}
			}
		}
	}
	for j := range x {
		s.add(fmt.Sprint("x", j), n, func(i int) string { return fmt.Sprintf("%.5f", x[j][i]) })
	}
	return s
}

func line(v float64) float64 { return 0.8 * v }

// TestModelIsChosenByKinds checks that the model follows from the column kinds, with its reason in the result.
func TestModelIsChosenByKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	levels, lines := weather(rng, 600, plainWords), numbers(rng, 600, line)
	both := &sheet{names: slices.Concat(levels.names, lines.names), cells: slices.Concat(levels.cells, lines.cells)}
	bent := numbers(rng, 600, func(v float64) float64 { return 1.5 * math.Cos(2*v) })
	for _, c := range []struct {
		what, model, reason string
		table               *polydag.Table
	}{
		{"levels", "discrete", "every column is categorical", prepared(t, levels.plain())},
		{"both", "mixed", "4 columns of 10 have categories", prepared(t, both.plain())},
		{"lines", "linear", "no significant nonlinear effect", prepared(t, lines.plain())},
		{"curves", "smooth", "nonlinear effects fit better", prepared(t, bent.plain())},
		{"moments", "linear", "only moments are known", polydag.FromMoments(prepared(t, lines.plain()).Moments)},
	} {
		res := learnedFrom(t, c.table, nil)
		got := res.Choice("model")
		if got == nil || got.Chosen != c.model || got.Requested != "auto" || !strings.Contains(got.Reason, c.reason) || string(res.Model) != c.model {
			t.Errorf("%s: %+v, model %s, want %s since %s", c.what, got, res.Model, c.model, c.reason)
		}
		names := map[string]bool{}
		for _, a := range res.Assumptions {
			names[a.Name] = true
		}
		if names[trust.GaussianNoise] == (c.model == "discrete") || names[trust.LinearEffects] != (c.model == "linear" || c.model == "mixed") || names[trust.SmoothEffects] != (c.model == "smooth") {
			t.Errorf("%s: assumptions %v", c.what, names)
		}
		for _, e := range res.Edges {
			if !(e.Gain > 0) || (c.model == "discrete") != (e.Weight == 0 && e.Standardized == 0) && c.model != "mixed" {
				t.Errorf("%s: %+v", c.what, e)
			}
		}
		if len(res.Edges) == 0 {
			t.Errorf("%s: no edge", c.what)
		}
		if b, err := json.Marshal(res); err != nil {
			t.Error(err)
		} else if back, err := polydag.ReadResult(bytes.NewReader(b)); err != nil || back.Model != res.Model || !reflect.DeepEqual(back.Edges[0], res.Edges[0]) || back.Nodes[0].Kind != res.Nodes[0].Kind {
			t.Errorf("%s: read back: %v", c.what, err)
		}
	}
}

// TestLinearTablesStayLinear checks that auto chooses linear effects on linear tables, at the cost of a test on
// the sample, and gives the graph of model linear.
func TestLinearTablesStayLinear(t *testing.T) {
	for seed := range uint64(20) {
		table := prepared(t, numbers(rand.New(rand.NewPCG(seed, 2)), 500, line).plain())
		m := order.New()
		m.Model = order.Linear
		auto, linear := learnedFrom(t, table, nil), learnedFrom(t, table, m)
		for i := range auto.Edges {
			auto.Edges[i].HiddenCause = "" // order does not look for them
		}
		if auto.Model != score.LinearEffects {
			t.Errorf("seed %d: %+v", seed, auto.Choice("model"))
		}
		if !reflect.DeepEqual(auto.Edges, linear.Edges) {
			t.Errorf("seed %d: %v, under model linear %v", seed, auto.Edges, linear.Edges)
		}
	}
}

// TestSkewedNoiseIsNoCurve checks that skewed noise, which makes a linear effect look nonlinear in the wrong
// direction, is detected from the residuals and the model stays linear.
func TestSkewedNoiseIsNoCurve(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 12))
		s := &sheet{}
		const n = 1000
		x := [4][]float64{}
		for j := range x {
			x[j] = make([]float64, n)
			s.add(fmt.Sprint("x", j), n, func(i int) string {
				x[j][i] = rng.ExpFloat64()
				if j == 1 || j == 2 { // one cause
					x[j][i] += 0.5 * x[0][i]
				} else if j == 3 { // and two
					x[j][i] += x[1][i] - 1.5*x[2][i]
				}
				return fmt.Sprintf("%.5f", x[j][i])
			})
		}
		res := learnedFrom(t, prepared(t, s.plain()), nil)
		if c := res.Choice("model"); res.Model != score.LinearEffects || c.Scores["smooth"] >= c.Scores["linear"] || !strings.Contains(c.Reason, "non-Gaussian noise") {
			t.Errorf("seed %d: %+v", seed, c)
		}
		m := order.New()
		m.Model = order.Smooth
		if smooth := learnedFrom(t, prepared(t, s.plain()), m); len(smooth.Edges) <= len(res.Edges) {
			t.Errorf("seed %d: curves have %d edges, lines %d", seed, len(smooth.Edges), len(res.Edges))
		}
	}
}

// TestRowsAreReadOnlyWhereNeeded checks that model linear reads only moments, and that a table longer than the
// sample is read again only to count categories.
func TestRowsAreReadOnlyWhereNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	binary := &sheet{}
	for j := range 3 {
		binary.add(fmt.Sprint("b", j), 5000, func(int) string { return fmt.Sprint(rng.IntN(2)) })
	}
	for _, c := range []struct {
		model order.Model
		again int
	}{{order.Linear, 0}, {order.Discrete, 1}, {order.AutoModel, 1}, {order.Mixed, 1}} {
		opened := 0
		table := must.Get(polydag.Prepare(context.Background(), written{binary.plain(), &opened}, polydag.DefaultPreparation()))
		before := opened
		m := order.New()
		m.Model = c.model
		learnedFrom(t, table, m)
		if opened-before != c.again {
			t.Errorf("model %s opened the table %d times, want %d", c.model, opened-before, c.again)
		}
	}
}

// cellsOf lists the cells of a table, whatever its levels are called.
func cellsOf(e *polydag.Effect) string {
	var cells []string
	for i, row := range e.P {
		for j, p := range row {
			cells = append(cells, fmt.Sprintf("%d:%.5f", e.Counts[i][j], p))
		}
	}
	slices.Sort(cells)
	return strings.Join(cells, " ")
}

// TestColumnsAndLevelNamesMeanNothing checks that neither the column order nor the names of categories change a
// graph or its figures.
func TestColumnsAndLevelNamesMeanNothing(t *testing.T) {
	for _, model := range []order.Model{order.Discrete, order.Mixed} {
		for seed := range uint64(5) {
			edges := func(words func(column, level int) string, turn bool) []string {
				rng := rand.New(rand.NewPCG(seed, 4))
				s := weather(rng, 300, words)
				for j := range 3 {
					s.add(fmt.Sprint("coin", j), 300, func(i int) string { return words(4+j, rng.IntN(3)) })
				}
				m := order.New()
				m.Model = model
				columns := []int{0, 1, 2, 3, 4, 5, 6}
				if turn {
					columns = rng.Perm(7)
				}
				res := learnedFrom(t, prepared(t, s.csv(columns)), m)
				var out []string
				for _, e := range res.Edges {
					cells := cellsOf(e.Effect)
					e.Effect = nil // its levels have their names, and stand in the order of those
					b, _ := json.Marshal(e)
					out = append(out, string(b)+cells)
				}
				slices.Sort(out)
				return append(out, fmt.Sprintf("%.9g", res.Score))
			}
			first := edges(plainWords, false)
			other := edges(func(column, level int) string {
				return []string{"ruby", "amber", "zinc", "coal", "iron"}[(level*3+column)%5]
			}, true)
			if !slices.Equal(first, other) {
				t.Errorf("%s, seed %d:\n%v\n%v", model, seed, first, other)
			}
		}
	}
}

// TestStrengthIsInformation checks that with two columns and BIC the score gain is their mutual information in
// bits minus the penalty.
func TestStrengthIsInformation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n = 400
	s := &sheet{}
	x := make([]int, n)
	s.add("x", n, func(i int) string { x[i] = rng.IntN(2); return fmt.Sprint(x[i]) })
	y := make([]int, n)
	s.add("y", n, func(i int) string {
		if y[i] = x[i]; rng.Float64() < 0.2 {
			y[i] = 1 - x[i]
		}
		return fmt.Sprint(y[i])
	})
	m := order.New()
	m.Model, m.Criterion, m.Price.Gamma = order.Discrete, order.BIC, 0
	res := learnedFrom(t, prepared(t, s.plain()), m)
	if len(res.Edges) != 1 {
		t.Fatalf("edges %v", res.Edges)
	}
	var joint [2][2]float64
	for i := range n {
		joint[x[i]][y[i]] += 1.0 / n
	}
	information := 0.0
	for a := range 2 {
		for b := range 2 {
			information += joint[a][b] * math.Log2(joint[a][b]/(joint[a][0]+joint[a][1])/(joint[0][b]+joint[1][b]))
		}
	}
	want := information - math.Log2(n)/(2*n)
	if got := res.Edges[0].Gain; !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("strength %v, want %v", got, want)
	}
	if res.Edges[0].Compelled || res.Edges[0].Weight != 0 {
		t.Errorf("%+v", res.Edges[0])
	}
}

// TestSmoothDirections checks that a smooth model identifies directions of nonlinear effects and not of linear
// ones.
func TestSmoothDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const n = 800
	s := &sheet{}
	a, c := make([]float64, n), make([]float64, n)
	s.add("a", n, func(i int) string { a[i] = rng.NormFloat64(); return fmt.Sprintf("%.5f", a[i]) })
	s.add("b", n, func(i int) string { return fmt.Sprintf("%.5f", 2*math.Cos(1.5*a[i])+0.4*rng.NormFloat64()) })
	s.add("c", n, func(i int) string { c[i] = rng.NormFloat64(); return fmt.Sprintf("%.5f", c[i]) })
	s.add("d", n, func(i int) string { return fmt.Sprintf("%.5f", 0.9*c[i]+0.6*rng.NormFloat64()) })
	m := order.New()
	m.Model = order.Smooth
	for _, e := range learnedFrom(t, prepared(t, s.plain()), m).Edges {
		curved := e.From == "a" && e.To == "b"
		straight := e.From+e.To == "cd" || e.From+e.To == "dc"
		if !curved && !straight || e.Compelled != curved {
			t.Errorf("%+v", e)
		}
	}
}

// TestCategoriesAndKinds checks that a categorical column is refused by numeric methods and without rows, and
// that kinds can be overridden.
func TestCategoriesAndKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	table := prepared(t, weather(rng, 200, plainWords).plain())
	m := order.New()
	m.Model = order.Linear
	cfg := polydag.DefaultConfig()
	cfg.Method = m
	if _, err := table.Learn(context.Background(), cfg, polydag.Run{}); !errors.Is(err, polydag.ErrNotNumbers) || !strings.Contains(err.Error(), "season is categorical") || len(fault.Remedies(err)) != 2 {
		t.Errorf("lines through codes: %v", err)
	}
	must.Succeed(t, table.Overrule([]string{"*=ordinal"}))
	if res := learnedFrom(t, table, m); res.Settings.Get("kind") == nil || res.Nodes[0].Kind != kind.Ordinal || res.Nodes[0].KindReason != "as asked for" {
		t.Errorf("%+v, %v", res.Nodes[0], res.Settings)
	}
	m.Model = order.Discrete
	cfg.Method = m
	if _, err := polydag.FromMoments(table.Moments).Learn(context.Background(), cfg, polydag.Run{}); err == nil || !strings.Contains(err.Error(), "needs the rows") {
		t.Errorf("levels from moments: %v", err)
	}
	table = prepared(t, numbers(rng, 200, line).plain())
	if _, err := table.Learn(context.Background(), cfg, polydag.Run{}); err == nil || !strings.Contains(err.Error(), "model=mixed") {
		t.Errorf("counting numbers: %v", err)
	}
}
