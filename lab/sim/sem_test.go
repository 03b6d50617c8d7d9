package sim

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// trueCovariance returns (I-W)^-T D (I-W)^-1 from the finite series (I-W)^-1 = Σ W^k, because W is nilpotent.
// It is a reference for sampling along the order.
func trueCovariance(m *Model) *matrix.Dense[float64] {
	d := m.Dim()
	w, total, power := m.W(), matrix.New[float64](d, d), matrix.New[float64](d, d)
	for i := range d {
		power.Set(i, i, 1)
	}
	for range d {
		for i, v := range power.Data {
			total.Data[i] += v
		}
		next := matrix.New[float64](d, d)
		matrix.Mul(next, power, w, 1)
		power = next
	}
	scaled := total.Clone()
	for i, sd := range m.SD() {
		for j := range d {
			scaled.Set(i, j, sd*sd*total.At(i, j))
		}
	}
	s := matrix.New[float64](d, d)
	matrix.MulTA(s, total, scaled, 1)
	return s
}

func TestSampleCovariance(t *testing.T) {
	for kind := Gaussian; kind <= Laplace; kind++ {
		cfg := Default()
		cfg.Nodes, cfg.Degree, cfg.Noise, cfg.Seed = 8, 3, kind, 5
		cfg.SDLow, cfg.SDHigh = 0.5, 2
		m := mustNew(t, cfg)
		const n = 60_000
		x := m.Sample(Stream(1, StreamNoise), n)
		want := trueCovariance(m)
		got := matrix.New[float64](8, 8)
		matrix.MulTA(got, x, x, 1)
		for i := range 8 {
			mean := 0.0
			for r := range n {
				mean += x.At(r, i) / n
			}
			if sd := math.Sqrt(want.At(i, i)); !(math.Abs(mean) <= 5*sd/math.Sqrt(n)) {
				t.Errorf("%v: mean of column %d is %v, standard deviation %v", kind, i, mean, sd)
			}
			for j := range 8 {
				size := math.Sqrt(want.At(i, i) * want.At(j, j))
				if diff := got.At(i, j)/n - want.At(i, j); !(math.Abs(diff) <= 0.035*size) {
					t.Errorf("%v: covariance %d, %d is %v, want %v", kind, i, j, got.At(i, j)/n, want.At(i, j))
				}
			}
		}
	}
}

// TestSampleObeysEquations checks that the residual after the parents is the noise of the stream.
func TestSampleObeysEquations(t *testing.T) {
	cfg := Default()
	cfg.Nodes, cfg.Seed = 12, 3
	cfg.SDLow, cfg.SDHigh = 1, 3
	m := mustNew(t, cfg)
	x, w, sd := m.Sample(Stream(9, StreamNoise), 20), m.W(), m.SD()
	rng := Stream(Stream(9, StreamNoise).Uint64(), StreamNoise)
	for r := range 20 {
		for _, j := range m.Order() {
			e := x.At(r, j)
			for i := range 12 {
				e -= w.At(i, j) * x.At(r, i)
			}
			if want := sd[j] * rng.NormFloat64(); !(math.Abs(e-want) <= 1e-10) {
				t.Fatalf("row %d, node %d: noise %v, want %v", r, j, e, want)
			}
		}
	}
}

func TestStandardizeIsExact(t *testing.T) {
	cfg := Default()
	cfg.Nodes, cfg.Degree = 30, 6
	raw := mustNew(t, cfg).Sample(Stream(2, StreamNoise), 500)
	cfg.Standardize = true
	x := mustNew(t, cfg).Sample(Stream(2, StreamNoise), 500)
	for j := range 30 {
		var mean, square, cross, rawMean float64
		for i := range 500 {
			mean += x.At(i, j) / 500
			square += x.At(i, j) * x.At(i, j) / 500
			rawMean += raw.At(i, j) / 500
		}
		var rawSquare float64
		for i := range 500 {
			r := raw.At(i, j) - rawMean
			rawSquare += r * r / 500
			cross += r * x.At(i, j) / 500
		}
		if !(math.Abs(mean) <= 1e-14) || !(math.Abs(square-1) <= 1e-13) {
			t.Errorf("column %d: mean %v, variance %v", j, mean, square)
		}
		if !(math.Abs(cross/math.Sqrt(rawSquare)-1) <= 1e-13) {
			t.Errorf("column %d is not the raw column rescaled: correlation %v", j, cross/math.Sqrt(rawSquare))
		}
	}
	one := mustNew(t, cfg).Sample(Stream(2, StreamNoise), 1)
	for j, v := range one.Data {
		if v != 0 {
			t.Errorf("one row, column %d: %v, want 0", j, v)
		}
	}
}

// TestStreamsAreSeparate checks that only the requested part changes.
func TestStreamsAreSeparate(t *testing.T) {
	base := Default()
	base.Nodes, base.Seed = 40, 17
	m := mustNew(t, base)
	for name, change := range map[string]func(*Settings){
		"noise":       func(c *Settings) { c.Noise = Laplace },
		"variances":   func(c *Settings) { c.SDHigh = 2 },
		"standardize": func(c *Settings) { c.Standardize = true },
	} {
		cfg := base
		change(&cfg)
		if other := mustNew(t, cfg); !reflect.DeepEqual(other.Edges(), m.Edges()) {
			t.Errorf("%s: another graph", name)
		}
	}
	cfg := base
	cfg.WeightLow, cfg.WeightHigh = 1, 1
	if other := mustNew(t, cfg); !other.Graph().Equal(m.Graph()) || reflect.DeepEqual(other.Edges(), m.Edges()) {
		t.Error("weights: another graph, or the same weights")
	}
	cfg = base
	cfg.Seed++
	if mustNew(t, cfg).Graph().Equal(m.Graph()) {
		t.Error("another seed, the same graph")
	}
	small, large := m.Sample(Stream(17, StreamNoise), 10), m.Sample(Stream(17, StreamNoise), 30)
	if !reflect.DeepEqual(small.Data, large.Data[:10*40]) {
		t.Error("the first rows of a larger sample are others")
	}
	rng, twin := Stream(17, StreamNoise), Stream(17, StreamNoise)
	m.Sample(rng, 3)
	m.Sample(twin, 1000)
	if rng.Uint64() != twin.Uint64() {
		t.Error("the caller's stream moved by another step for another n")
	}
}

func TestSampleRows(t *testing.T) {
	for _, standardize := range []bool{false, true} {
		cfg := Default()
		cfg.Nodes, cfg.Standardize = 6, standardize
		m := mustNew(t, cfg)
		want := m.Sample(Stream(4, StreamNoise), 50)
		var got []float64
		if err := m.SampleRows(context.Background(), Stream(4, StreamNoise), 50, 1, func(_ int, row []float64) error {
			got = append(got, row...)
			return nil
		}); err != nil || !reflect.DeepEqual(got, want.Data) {
			t.Errorf("standardize %v: other rows, or %v", standardize, err)
		}
		stop, calls := errors.New("enough"), 0
		err := m.SampleRows(context.Background(), Stream(4, StreamNoise), 50, 1, func(int, []float64) error {
			if calls++; calls == 3 {
				return stop
			}
			return nil
		})
		if err != stop || calls != 3 {
			t.Errorf("stopped after %d rows with %v", calls, err)
		}
	}
}

// TestSampleRowsMayBeOverwritten checks that a caller may write into a row.
func TestSampleRowsMayBeOverwritten(t *testing.T) {
	cfg := Default()
	cfg.Nodes = 6
	m := mustNew(t, cfg)
	want := m.Sample(Stream(4, StreamNoise), 5)
	i := 0
	_ = m.SampleRows(context.Background(), Stream(4, StreamNoise), 5, 1, func(_ int, row []float64) error {
		if !reflect.DeepEqual(row, want.Row(i)) {
			t.Errorf("row %d: %v, want %v", i, row, want.Row(i))
		}
		clear(row)
		i++
		return nil
	})
}

// TestModelsAreFrozen checks frozen models and samples; see TestStreamsAreFrozen. Weights and samples are
// hashed after rounding to 10 digits, because some processors fuse multiplication and addition.
func TestModelsAreFrozen(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Settings)
		want   string
	}{
		{"default", func(*Settings) {}, "adc5b5db00453328"},
		{"scale-free", func(c *Settings) { c.Graph = ScaleFree }, "cd275c72dc4147ff"},
		{"causal order", func(c *Settings) { c.CausalOrder = true }, "e7d5a6a7e31fb723"},
		{"exponential", func(c *Settings) { c.Noise = Exponential }, "1c90d77706dd8f5d"},
		{"gumbel", func(c *Settings) { c.Noise = Gumbel }, "9d585609ecdc20aa"},
		{"uniform", func(c *Settings) { c.Noise = Uniform }, "082717ef6d2c1db7"},
		{"laplace", func(c *Settings) { c.Noise = Laplace }, "bf70bb11c66e9cd2"},
		{"unequal variances", func(c *Settings) { c.SDHigh = 2 }, "de441a9ef4970922"},
		{"standardized", func(c *Settings) { c.Standardize = true }, "500bbc8432d24a7d"},
		{"mixed", func(c *Settings) { c.Mechanism = Mixed }, "750ece07bd1822b7"},
	} {
		cfg := Default()
		cfg.Nodes, cfg.Seed = 20, 42
		c.change(&cfg)
		m := mustNew(t, cfg)
		h := sha256.New()
		for _, e := range m.Edges() {
			fmt.Fprintf(h, "%d %d %.10g\n", e.From, e.To, e.Weight)
		}
		fmt.Fprintf(h, "%v %.10g\n", m.Order(), m.SD())
		fmt.Fprintf(h, "%.10g", m.Sample(Stream(cfg.Seed, StreamNoise), 20).Data)
		if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestModelKeepsItsState(t *testing.T) {
	cfg := Default()
	cfg.Nodes = 5
	m := mustNew(t, cfg)
	w, order, sd, names := m.W(), m.Order(), m.SD(), m.Names()
	m.W().Set(0, 1, 99)
	m.Order()[0] = 99
	m.SD()[0] = 99
	if !reflect.DeepEqual(w, m.W()) || !reflect.DeepEqual(order, m.Order()) || !reflect.DeepEqual(sd, m.SD()) {
		t.Error("a result shares memory with the model")
	}
	if !reflect.DeepEqual(names, []string{"x0", "x1", "x2", "x3", "x4"}) || m.Config() != cfg || m.Dim() != 5 {
		t.Errorf("names %v, config %+v", names, m.Config())
	}
	for _, e := range m.Edges() {
		if w.At(e.From, e.To) != e.Weight {
			t.Errorf("edge %+v, but W has %v", e, w.At(e.From, e.To))
		}
		w.Set(e.From, e.To, 0)
	}
	for _, v := range w.Data {
		if v != 0 {
			t.Error("W has an entry that is no edge")
		}
	}
}

func BenchmarkSample(b *testing.B) {
	m := mustNew(b, Default())
	for b.Loop() {
		m.Sample(Stream(1, StreamNoise), 1000)
	}
}

func BenchmarkNew(b *testing.B) {
	cfg := Default()
	cfg.Nodes = 10_000
	for b.Loop() {
		mustNew(b, cfg)
	}
}
