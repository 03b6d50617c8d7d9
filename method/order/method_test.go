package order

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/noise"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
)

// TestRowsOfALinearModel checks that a linear model uses rows if it has them, unless the noise is Gaussian, and that other models need rows.
func TestRowsOfALinearModel(t *testing.T) {
	for _, c := range []struct {
		model Model
		noise Noise
		want  method.Needs
	}{
		{Linear, AutoNoise, method.Either}, {Linear, FreeNoise, method.Either}, {Linear, GaussianNoise, method.Moments},
		{Mixed, AutoNoise, method.Rows}, {Mixed, GaussianNoise, method.Rows},
	} {
		m := New()
		m.Model, m.Noise = c.model, c.noise
		if got := m.Info().Needs; got != c.want {
			t.Errorf("model %s with noise %s needs %v, want %v", c.model, c.noise, got, c.want)
		}
	}
}

// TestSettings checks the limits of the prior weight, that a given one is not adapted, and which settings are recorded.
func TestSettings(t *testing.T) {
	for text, ok := range map[string]bool{"1e-6": true, "0.9e-6": false, "1e9": true, "1.1e9": false} {
		m := New()
		set := param.Of(m)
		err := set.Set("ess", text)
		if err == nil {
			err = set.Finish()
		}
		if (err == nil) != ok {
			t.Errorf("ess %s: %v, want no error: %v", text, err, ok)
		}
	}
	for _, c := range []struct{ adapt, given bool }{{true, false}, {true, true}, {false, false}, {false, true}} {
		m := New()
		m.AdaptEss = c.adapt
		set := param.Of(m)
		if c.given {
			must.Succeed(t, set.Set("ess", "1"))
		}
		if err := set.Finish(); err != nil || m.AdaptEss != (c.adapt && !c.given) {
			t.Errorf("adaptive %v, given %v: adaptive afterwards %v, %v", c.adapt, c.given, m.AdaptEss, err)
		}
	}
	for _, c := range []struct {
		model  Model
		tables scores.Tables
		values TargetValues
		want   []string
	}{
		{Discrete, AutoTables, Measured, nil},
		{Discrete, FullTables, Measured, []string{"tables"}},
		{Discrete, AutoTables, Own, []string{"target-values"}},
		{AutoModel, AdditiveTables, Own, []string{"tables", "target-values"}},
		{Linear, FullTables, Own, nil},
	} {
		m := New()
		m.Model, m.Tables, m.TargetValues = c.model, c.tables, c.values
		var got []string
		for _, name := range []string{"tables", "target-values"} {
			if param.Of(m).Lookup(name).Used() {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("model %s, tables %s, target values %s: records %v, want %v", c.model, c.tables, c.values, got, c.want)
		}
	}
}

// TestCostOfWideTables compares the estimate of memory of a wide table with half of its parts: the moments on demand, a bit per pair of
// columns, and 9/8 of the cache.
func TestCostOfWideTables(t *testing.T) {
	const columns = 20_000
	rows := dataset.WideRows(columns)
	m := New()
	m.Model, m.Noise = Linear, GaussianNoise
	n, d := int64(rows), int64(columns)
	if got, want := m.Cost(rows, columns, 1).Bytes, (2*d*d+14*n*d+d*d/8+scores.CacheBytes(columns)*9/8)/2; rows < 10 || got != want {
		t.Errorf("%d rows: %d bytes, want %d", rows, got, want)
	}
	if got, want := m.Cost(rows+1, columns, 1).Bytes, 5*8*d*d+scores.CacheBytes(columns)*9/8; got != want {
		t.Errorf("%d rows: %d bytes, want %d", rows+1, got, want)
	}
}

// TestMemoryOfTheNoise compares the estimate with its parts: two copies of a sample of at most 2^20 values, or 256 rows, and 100 bytes for
// each remembered score.
func TestMemoryOfTheNoise(t *testing.T) {
	for _, c := range []struct {
		what          string
		model         Model
		noise         Noise
		rows, columns int
		values        int64 // 0 for no search of the noise
	}{
		{"a short table", Linear, AutoNoise, 1000, 50, 1000 * 50},
		{"a long table", Linear, AutoNoise, 1 << 20, 50, 1 << 20},
		{"a wide table", Linear, AutoNoise, 1 << 20, 1 << 13, 256 << 13},
		{"any model", AutoModel, FreeNoise, 1000, 50, 1000 * 50},
		{"Gaussian noise", Linear, GaussianNoise, 1000, 50, 0},
		{"no linear model", Smooth, AutoNoise, 1000, 50, 0},
		{"the fewest rows", Linear, AutoNoise, score.LeastNoiseRows, 50, 50 * score.LeastNoiseRows},
		{"too few rows", Linear, AutoNoise, score.LeastNoiseRows - 1, 50, 0},
	} {
		m := New()
		m.Model, m.Noise = c.model, c.noise
		want := 16*c.values + 100*int64(noise.Remembered(c.columns))
		if c.values == 0 {
			want = 0
		}
		if got := m.noiseBytes(c.rows, c.columns); got != want {
			t.Errorf("%s: %d bytes, want %d", c.what, got, want)
		}
	}
}
