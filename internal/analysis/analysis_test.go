package analysis

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// weather is a table of 120 rows in which street depends on rain. Column one is constant.
func weather() polydag.Input {
	rows := make([][]float64, 120)
	for i := range rows {
		rain, street := float64(i%2), float64(i%2)
		if i%7 == 0 {
			street = 1 - street
		}
		rows[i] = []float64{rain, street, 1}
	}
	return must.Get(polydag.RowColumns([]string{"rain", "street", "one"}, rows))
}

// TestSteps takes all steps, and checks that confidences are those of the settings.
func TestSteps(t *testing.T) {
	ctx := context.Background()
	samples := confidence.DefaultSettings()
	samples.Replicates = 4
	posterior := confidence.DefaultPosterior()
	for name, c := range map[string]Confidence{"": {}, "bootstrap": {Samples: samples}, "posterior": {Posterior: &posterior}} {
		a := Analysis{Preparation: polydag.DefaultPreparation(), Kinds: []string{"street=categorical"}, Config: polydag.DefaultConfig(), Confidence: c}
		table := must.Get(a.Gather(ctx, weather()))
		must.Same(t, table.Kinds[1].Kind, dataset.Categorical, name)
		must.Get(a.Examine(table))
		res := must.Get(a.Learn(ctx, table, polydag.Run{}))
		got := ""
		switch s := res.Confidence; {
		case s == nil:
		case s.Posterior != nil:
			got = "posterior"
		case s.Replicates == 4:
			got = "bootstrap"
		}
		must.Same(t, got, name, "the confidences")
		must.Same(t, c.On(), name != "", "confidences")
		if effects := must.Get(Survey(ctx, res, table, effect.DefaultSurvey())); len(res.Edges) != 1 || effects == nil || effects.Pairs != 1 {
			t.Errorf("%s: %d edges and effects %+v", name, len(res.Edges), effects)
		}
		res.Kind = graph.KindPAG
		if effects, err := Survey(ctx, res, table, effect.DefaultSurvey()); effects != nil || err != nil {
			t.Errorf("a PAG has effects %+v, %v", effects, err)
		}
	}
}

// TestKindOfAnExcludedColumn checks the error for a rule on a column that is not in the graph.
func TestKindOfAnExcludedColumn(t *testing.T) {
	a := Analysis{Preparation: polydag.DefaultPreparation(), Kinds: []string{"one=count"}}
	if _, err := a.Gather(context.Background(), weather()); !errors.Is(err, polydag.ErrKind) || !strings.Contains(err.Error(), "column one is excluded (constant") || !strings.Contains(err.Error(), "keep=one") {
		t.Error(err)
	}
}

// TestExamineOfUselessMoments checks that moments without a valid number have an error and no findings, and a constant column both.
func TestExamineOfUselessMoments(t *testing.T) {
	for rows, want := range map[int]error{0: dataset.ErrNoRows, 2: dataset.ErrConstant} {
		m := dataset.NewMoments([]string{"a", "b"})
		m.N = rows
		clear(m.Min)
		clear(m.Max)
		if _, err := (&Analysis{}).Examine(polydag.FromMoments(m)); !errors.Is(err, want) {
			t.Errorf("%d rows: %v, want %v", rows, err, want)
		}
	}
}

// TestMemory checks the estimates of memory: a calibration holds the rows of two tables twice, and each worker a run of its own.
func TestMemory(t *testing.T) {
	const rows, columns = 10_000, 20
	const table = 8 * rows * columns
	cfg := polydag.DefaultConfig()
	cfg.Threads = 3
	one := cfg
	one.Threads = 1
	data := &polydag.Table{Moments: dataset.NewMoments(make([]string, columns))}
	data.Moments.N = rows
	plain, alone := cfg.Memory(rows, columns), one.Memory(rows, columns)
	const graphs = 20 * (sampleBytes + edgeBytes*columns)
	samples := func(replicates, calibrate int) confidence.Settings {
		return confidence.Settings{Replicates: replicates, Calibrate: calibrate}
	}
	posterior := confidence.DefaultPosterior()
	for _, c := range []struct {
		how  Confidence
		want int64
	}{
		{Confidence{}, plain},
		{Confidence{Samples: samples(20, 0)}, graphs + max(plain, 3*alone+2*table)},
		{Confidence{Samples: samples(20, 3)}, graphs + max(plain+4*table, 3*alone+2*table)},
		{Confidence{Samples: samples(0, 3), Posterior: &posterior}, plain + 4*table + 2*confidence.PosteriorMemory(rows, columns)},
		{Confidence{Posterior: &posterior}, plain + 2*confidence.PosteriorMemory(rows, columns)},
	} {
		must.Same(t, (&Analysis{Config: cfg, Confidence: c.how}).Memory(data), c.want)
	}
}
