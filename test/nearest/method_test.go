package nearest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/methodtest"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/test/nearest"
)

// region laws
func TestLaws(t *testing.T) {
	if err := methodtest.Check(func() method.Method { return nearest.New() }, 1); err != nil {
		t.Error(err)
	}
}

// endregion

// table has a chain of four columns.
func table(t *testing.T) *dataset.Moments {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	x := matrix.New[float64](300, 4)
	for i := range x.Rows {
		for j := range x.Cols {
			x.Set(i, j, rng.NormFloat64())
			if j > 0 {
				x.Set(i, j, x.At(i, j)+2*x.At(i, j-1))
			}
		}
	}
	m, err := dataset.MomentsOf([]string{"a", "b", "c", "d"}, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What the page says comes of its own: the forest, the record of settings, and bounds that are checked.
func TestWhatComesOfItself(t *testing.T) {
	cfg := polydag.DefaultConfig()
	cfg.Method = nearest.New()
	res, err := polydag.FromMoments(table(t)).Learn(context.Background(), cfg, polydag.Run{})
	if err != nil {
		t.Fatal(err)
	}
	joined := map[string]bool{}
	for _, e := range res.Edges {
		joined[min(e.From, e.To)+max(e.From, e.To)] = true
	}
	if res.Method != "nearest" || fmt.Sprint(joined) != "map[ab:true bc:true cd:true]" || res.Settings.Get("least") != 0.2 {
		t.Errorf("%s: %v, settings %v", res.Method, joined, res.Settings)
	}
	cfg.Method = &nearest.Method{Least: 2}
	var fault *param.Fault
	if err := cfg.Validate(); !errors.As(err, &fault) || fault.Setting != "least" {
		t.Errorf("%v", err)
	}
}

// Bootstrap samples and a result that was read take the method from the list of the configuration.
func TestMethodFromItsList(t *testing.T) {
	cfg, s := polydag.DefaultConfig(), confidence.DefaultSettings()
	cfg.Method, s.Replicates = nearest.New(), 4
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([][]float64, 100)
	for i := range rows {
		x := rng.NormFloat64()
		rows[i] = []float64{x, x + rng.NormFloat64()}
	}
	rowsOf, err := polydag.FromRows([]string{"a", "b"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := confidence.Learn(t.Context(), rowsOf, cfg, s, polydag.Run{}); err == nil || !strings.Contains(err.Error(), "Config.Methods") {
		t.Errorf("a method that is not in the list: %v", err)
	}
	cfg.Methods = func() []method.Method { return []method.Method{nearest.New()} }
	res, err := confidence.Learn(t.Context(), rowsOf, cfg, s, polydag.Run{})
	if err != nil || res.Confidence.Replicates != 4 {
		t.Fatal(err)
	}
	if own, err := confidence.Restore(res); err != nil || own.Method.Info().Name != "nearest" {
		t.Errorf("%v", err)
	}
}
