package scores

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// levelled returns a table of categorical columns, row by row from draw.
func levelled(t *testing.T, names []string, levels, rows int, draw func(rng *rand.Rand, row []float64)) *method.Input {
	t.Helper()
	d := len(names)
	rng := rand.New(rand.NewPCG(11, 12))
	values := make([]float64, rows*d)
	for i := range rows {
		draw(rng, values[i*d:(i+1)*d])
	}
	in := inputtest.Of(t, names, matrix.Of(rows, d, values))
	in.Threads = 2
	for _, name := range names {
		in.Kinds = append(in.Kinds, dataset.Variable{Name: name, Kind: kind.Categorical, Levels: levels})
	}
	return in
}

// soft draws a level with logits that are sums of one effect per parent: each draws the level towards its own value.
func soft(rng *rand.Rand, levels int, strength float64, parents ...float64) float64 {
	best, most := 0, math.Inf(-1)
	for k := range levels {
		logit := -math.Log(-math.Log(rng.Float64()))
		for _, p := range parents {
			if int(p) == k {
				logit += strength
			}
		}
		if logit > most {
			best, most = k, logit
		}
	}
	return float64(best)
}

// With many categories and additive effects the mixed model finds parents that full tables miss. With an effect that only two parents
// together have, the mixed model does not find it, and full tables are kept. Few categories are not compared.
func TestManyCategories(t *testing.T) {
	additive := func(levels int) func(rng *rand.Rand, row []float64) {
		return func(rng *rand.Rand, row []float64) {
			for j := range 4 {
				row[j] = float64(rng.IntN(levels))
			}
			row[4] = soft(rng, levels, 2, row[0], row[1], row[2], row[3])
		}
	}
	together := func(rng *rand.Rand, row []float64) {
		row[0], row[1] = float64(rng.IntN(5)), float64(rng.IntN(5))
		row[2] = math.Mod(row[0]+row[1], 5)
		if rng.Float64() < 0.3 {
			row[2] = float64(rng.IntN(5))
		}
		row[3] = soft(rng, 5, 3, row[2])
		row[4] = soft(rng, 5, 3, row[3])
	}
	for _, c := range []struct {
		name   string
		levels int
		draw   func(rng *rand.Rand, row []float64)
		want   Model
		reason string
	}{
		{"additive, 6 categories", 6, additive(6), Mixed, "median of 6 categories"},
		{"additive, 4 categories", 4, additive(4), Discrete, "every column is categorical"},
		{"together", 5, together, Discrete, "every column is categorical"},
	} {
		in := levelled(t, []string{"a", "b", "c", "d", "e"}, c.levels, 1500, c.draw)
		s := Default()
		got, err := s.Choose(t.Context(), in)
		must.Succeed(t, err)
		if Model(got.Chosen) != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: %s (%s), want %s", c.name, got.Chosen, got.Reason, c.want)
		}
		table := must.Get(s.Table(t.Context(), in))
		if table.Model != c.want {
			t.Errorf("%s: the table of other methods has the model %s, want %s", c.name, table.Model, c.want)
		}
		s.Model = Discrete
		if got, err := s.Choose(t.Context(), in); err != nil || Model(got.Chosen) != Discrete {
			t.Errorf("%s: the requested model is not kept: %v, %v", c.name, got, err)
		}
	}
}

// The two fits count pairs that both graphs have, whatever their direction.
func TestPairOfFits(t *testing.T) {
	in := levelled(t, []string{"a", "b", "c"}, 6, 2000, func(rng *rand.Rand, row []float64) {
		row[0] = float64(rng.IntN(6))
		row[1] = soft(rng, 6, 2.5, row[0])
		row[2] = float64(rng.IntN(6))
	})
	s := Default()
	got, err := s.pairOfFits(t.Context(), in)
	if err != nil || got.edges != 1 || got.kept != 1 || got.lost != 0 || math.Abs(got.tables-got.additive) > 1e-6*got.tables {
		t.Errorf("%+v, %v: one edge, on which both models agree", got, err)
	}
}

// The graph of additive effects finds more if it has more edges and 95 % of the pairs of the other one.
func TestFindsMore(t *testing.T) {
	for f, want := range map[fits]bool{
		{edges: 22, kept: 19, lost: 1}: true,
		{edges: 22, kept: 18, lost: 2}: false,
		{edges: 20, kept: 20}:          false,
		{edges: 21, kept: 20}:          true,
		{edges: 1}:                     true,
	} {
		if f.findsMore() != want {
			t.Errorf("%+v: %v", f, !want)
		}
	}
}

// The comparison is with full tables, whatever form the settings ask for, and with rows of known interventions too.
func TestComparedWithFullTables(t *testing.T) {
	in := levelled(t, []string{"a", "b", "c", "d", "e"}, 6, 1500, func(rng *rand.Rand, row []float64) {
		for j := range 4 {
			row[j] = float64(rng.IntN(6))
		}
		row[4] = soft(rng, 6, 2, row[0], row[1], row[2], row[3])
	})
	full := Default()
	want := must.Get(full.pairOfFits(t.Context(), in))
	additive := Default()
	additive.Tables = AdditiveTables
	if got, err := additive.pairOfFits(t.Context(), in); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	plain := in.Rows
	for unknown, model := range map[bool]Model{false: Mixed, true: Discrete} {
		in.Environments = &dataset.Environments{Names: []string{"", "a"}, Targets: [][]int{nil, {0}}, Moments: []*dataset.Moments{in.Moments, in.Moments}, Unknown: unknown}
		in.Rows = func(ctx context.Context, each func(dataset.RowBatch) error) error {
			return plain(ctx, func(b dataset.RowBatch) error {
				b.Environments = make([]int, len(b.Values)/5)
				for i := range b.Environments {
					b.Environments[i] = i % 2
				}
				return each(b)
			})
		}
		c := &method.Choice{Chosen: string(Discrete)}
		if err := full.compareLevels(t.Context(), in, c); err != nil || Model(c.Chosen) != model {
			t.Errorf("targets unknown %v: %s, %v, want %s", unknown, c.Chosen, err, model)
		}
	}
}
