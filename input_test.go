package polydag_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/score"
)

// inMemory draws n rows of columns for each model: numbers with linear effects, categories, both, and numbers with a curved effect.
func inMemory(n int) map[score.Effects]polydag.Columns {
	rng := rand.New(rand.NewPCG(3, 4))
	x, line, curve := make([]float64, n), make([]float64, n), make([]float64, n)
	city, weather, price := make([]string, n), make([]string, n), make([]float64, n)
	for i := range n {
		x[i] = rng.NormFloat64()
		line[i] = 0.8*x[i] + rng.NormFloat64()
		curve[i] = x[i]*x[i] + 0.3*rng.NormFloat64()
		k := rng.IntN(3)
		city[i] = []string{"Graz", "Linz", "Wien"}[k]
		if rng.Float64() < 0.3 {
			k = rng.IntN(3)
		}
		weather[i] = []string{"1", "2", "3"}[k] // numerals in a text column are categories
		price[i] = 2*float64(k) + rng.NormFloat64()
	}
	return map[score.Effects]polydag.Columns{
		score.LinearEffects: {{Name: "x", Numbers: x}, {Name: "y", Numbers: line}},
		score.TableEffects:  {{Name: "city", Text: city}, {Name: "weather", Text: weather}},
		score.MixedEffects:  {{Name: "city", Text: city}, {Name: "price", Numbers: price}, {Name: "x", Numbers: x}},
		score.SmoothEffects: {{Name: "x", Numbers: x}, {Name: "y", Numbers: curve}},
	}
}

// A table in memory serves every model, the data checks and the bootstrap.
func TestInMemoryServesEveryModel(t *testing.T) {
	ctx := context.Background()
	for model, columns := range inMemory(300) {
		table, err := polydag.FromColumns(columns...)
		if err != nil {
			t.Errorf("%s: %v", model, err)
			continue
		}
		cfg, s, search := polydag.DefaultConfig(), confidence.DefaultSettings(), order.New()
		s.Replicates, search.Model, cfg.Method = 10, order.Model(model), search
		res, err := confidence.Learn(ctx, table, cfg, s, polydag.Run{})
		if err != nil {
			t.Errorf("%s: %v", model, err)
			continue
		}
		if res.Model != model {
			t.Errorf("the model is %s, want %s", res.Model, model)
		}
		if len(res.Edges) == 0 || res.Edges[0].Confidence == 0 || len(res.Assumptions) == 0 || table.Profile == nil || table.Sample == nil {
			t.Errorf("%s: edges %v, %d assumptions, profile %v", model, res.Edges, len(res.Assumptions), table.Profile)
		}
		if res.Table.Name != "memory" || res.Table.Format != "memory" {
			t.Errorf("%s: the table is called %q, format %q", model, res.Table.Name, res.Table.Format)
		}
	}
}

// csvText is an input that reads its own text as CSV.
type csvText string

func (s csvText) Describe() (name, format string, bytes int64) { return "t.csv", "csv", int64(len(s)) }
func (s csvText) Saved() (*dataset.Moments, *dataset.Profile)  { return nil, nil }
func (s csvText) SHA256(context.Context) (string, error)       { return "", nil }
func (s csvText) Source(context.Context) (dataset.Source, error) {
	return csv.Open(strings.NewReader(string(s)), csv.DefaultSettings())
}

// A table in memory is the table that the same cells make in a CSV file, byte for byte.
func TestInMemoryEqualsCSV(t *testing.T) {
	columns := inMemory(200)[score.MixedEffects]
	var b strings.Builder
	b.WriteString("city,price,x\n")
	rows := make([][]float64, 200)
	for i := range rows {
		fmt.Fprintf(&b, "%s,%v,%v\n", columns[0].Text[i], columns[1].Numbers[i], columns[2].Numbers[i])
		rows[i] = []float64{columns[1].Numbers[i], columns[2].Numbers[i]}
	}
	want := must.Get(polydag.Prepare(context.Background(), csvText(b.String()), polydag.DefaultPreparation()))
	got := must.Get(polydag.FromColumns(columns...))
	if got.Fingerprint() != want.Fingerprint() || fmt.Sprint(got.Kinds) != fmt.Sprint(want.Kinds) {
		t.Errorf("kinds %v, want %v", got.Kinds, want.Kinds)
	}
	numbers := must.Get(polydag.FromRows([]string{"price", "x"}, rows))
	part, err := polydag.FromColumns(columns[1:]...)
	if err != nil || numbers.Fingerprint() != part.Fingerprint() {
		t.Errorf("rows and columns make different tables, %v", err)
	}
}

// What is wrong with a table in memory is an error that names the place.
func TestInMemoryFaults(t *testing.T) {
	_, ragged := polydag.FromRows([]string{"a", "b"}, [][]float64{{1, 2}, {3}})
	_, twice := polydag.FromRows([]string{"a", "a"}, [][]float64{{1, 2}, {3, 4}, {4, 4}})
	_, none := polydag.FromRows(nil, nil)
	_, rowless := polydag.FromRows([]string{"a", "b"}, nil)
	_, short := polydag.FromColumns(polydag.Column{Name: "a", Numbers: []float64{1, 2}}, polydag.Column{Name: "b", Text: []string{"x"}})
	_, both := polydag.FromColumns(polydag.Column{Name: "a", Numbers: []float64{1, 2}, Text: []string{"x", "y"}}, polydag.Column{Name: "b", Numbers: []float64{1, 2}})
	for what, c := range map[string]struct {
		err  error
		says string
	}{
		"a short row": {ragged, "row 2 has 1 values, want 2"}, "a name twice": {twice, "column 2 (a)"},
		"no columns": {none, "0 columns and no rows"}, "no rows": {rowless, "2 columns and no rows"}, "columns of two lengths": {short, "column 2 (b) has 1 values"}, "numbers and text": {both, "column 1 (a)"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", what, c.err, c.says)
		}
	}
	if !errors.Is(twice, dataset.ErrSameName) {
		t.Errorf("a name twice: %v", twice)
	}
	p := polydag.DefaultPreparation()
	p.Missing = "drop"
	columns := must.Get(polydag.RowColumns([]string{"a", "b"}, [][]float64{{1, 2}, {3, math.NaN()}, {4, 4}, {5, 9}}))
	table, err := polydag.Prepare(context.Background(), columns, p)
	if err != nil || table.Moments.N != 3 {
		t.Errorf("missing values dropped: %v, %v", table, err)
	}
}
