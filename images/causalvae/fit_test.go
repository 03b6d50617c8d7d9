package causalvae_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/images/causalvae"
	"github.com/polydag/polydag/images/scene"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// tiny returns settings for a training of a moment.
func tiny() *causalvae.Settings {
	s := causalvae.New()
	s.Hidden, s.Mask, s.Passes, s.Every, s.Batch, s.Rate = 24, 4, 60, 6, 32, 5e-3
	return s
}

// learn returns the result of a trained autoencoder.
func learn(t *testing.T, f *causalvae.Fitted) *polydag.Result {
	t.Helper()
	table, err := polydag.FromRows(f.Names, f.Rows())
	must.Succeed(t, err)
	cfg := polydag.DefaultConfig()
	cfg.Method = f
	res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
	return res
}

// store keeps the last state in memory, and calls saved after each save.
type store struct {
	state []byte
	saved func()
}

func (s *store) Load() ([]byte, error) { return s.state, nil }
func (s *store) Save(b []byte) error {
	s.state = slices.Clone(b)
	s.saved()
	return nil
}

// TestFit trains on small images. It recovers the factors on images that it was not trained on, does not depend on the number of
// threads, and an interrupted training resumes to the same bytes.
func TestFit(t *testing.T) {
	d, s := pendulums(scene.HalfSwing(), 200, 16, 1), tiny()
	whole, err := s.Fit(t.Context(), d, 1, 1, nil)
	must.Succeed(t, err)
	for j, r := range recovery(whole, d, d.Labels) {
		if r < 0.8 {
			t.Errorf("%s: correlation %.2f with its label", d.Names[j], r)
		}
	}
	if res := learn(t, whole); res.Status != solve.Completed || res.Method != "causal-vae" || len(res.Edges) == 0 || res.Settings.Get("constraint") != "geo" {
		t.Errorf("status %s of %s with %d edges", res.Status, res.Method, len(res.Edges))
	}

	ctx, stop := context.WithCancel(t.Context())
	saves := 0
	kept := &store{saved: func() {
		if saves++; saves == 100 {
			stop()
		}
	}}
	key := must.Get(s.Key(d, 1))
	fit := func(ctx context.Context) *causalvae.Fitted {
		run, err := stage.New(key, stage.Settings{Store: kept})
		must.Succeed(t, err)
		f := must.Get(s.Fit(ctx, d, 1, 3, run))
		return f
	}
	if part := fit(ctx); learn(t, part).Status != solve.Canceled || slices.Equal(part.A.Data, whole.A.Data) {
		t.Error("an interrupted training is complete")
	}
	if again := fit(t.Context()); !slices.Equal(again.Latents.Data, whole.Latents.Data) || !slices.Equal(again.A.Data, whole.A.Data) {
		t.Error("a resumed training on three threads differs")
	}
}

// TestFitWithoutLabels checks that labels of held-out images are not read, and that a row without a label counts as one without labels.
func TestFitWithoutLabels(t *testing.T) {
	d, s := pendulums(scene.HalfSwing(), 60, 8, 1), tiny()
	s.Passes = 2
	fit := func() *causalvae.Fitted {
		f := must.Get(s.Fit(t.Context(), d, 1, 1, nil))
		return f
	}
	a := fit()
	for i, held := range d.Held {
		if held {
			d.Labels.Set(i, 0, 1e6)
		}
	}
	b := fit()
	d.Labels.Set(0, 1, math.NaN())
	if labelled := d.Labelled(); labelled != 47 {
		t.Errorf("%d labelled images, want 47", labelled)
	}
	c := fit()
	if !slices.Equal(a.A.Data, b.A.Data) || slices.Equal(a.A.Data, c.A.Data) {
		t.Error("labels of held-out images are read, or a missing label has no effect")
	}
	d.Labels = nil
	for _, v := range fit().Latents.Data {
		if v-v != 0 {
			t.Fatal("a latent variable is not finite")
		}
	}
}

// TestFaults checks the errors.
func TestFaults(t *testing.T) {
	d := pendulums(scene.FullSwing(), 10, 8, 1)
	fault := func(want string, change func(s *causalvae.Settings, d *causalvae.Images)) {
		t.Helper()
		s, own := tiny(), *d
		change(s, &own)
		if _, err := s.Fit(t.Context(), &own, 1, 1, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	fault("at least 2 of each", func(_ *causalvae.Settings, d *causalvae.Images) { d.Names = d.Names[:1] })
	fault("a number of more than 0", func(s *causalvae.Settings, _ *causalvae.Images) { s.Rate = 0 })
	fault("label pendulum_angle does not vary", func(_ *causalvae.Settings, d *causalvae.Images) { d.Labels = matrix.New[float64](10, 4) })
	f, err := tiny().Fit(t.Context(), d, 1, 1, nil)
	must.Succeed(t, err)
	table := must.Get(polydag.FromRows([]string{"a", "b"}, [][]float64{{1, 2}, {2, 1}, {3, 5}, {4, 4}, {0, 1}}))
	cfg := polydag.DefaultConfig()
	cfg.Method = f
	if _, err := table.Learn(t.Context(), cfg, polydag.Run{}); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("another table: %v", err)
	}
}
