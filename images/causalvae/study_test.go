package causalvae_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/images/causalvae"
	"github.com/polydag/polydag/images/scene"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/metric"
)

// pendulums draws images with their true factors. Every fifth image is held out.
func pendulums(swing scene.Swing, n, side int, seed uint64) *causalvae.Images {
	rng := rand.New(rand.NewPCG(seed, 0x70656e))
	d := &causalvae.Images{Names: scene.PendulumFactors, Pixels: matrix.New[float64](n, side*side), Labels: matrix.New[float64](n, 4), Held: make([]bool, n)}
	for i := range n {
		f := scene.Pendulum(swing, rng)
		copy(d.Labels.Row(i), f)
		m := scene.DrawPendulum(f, side, rng)
		for k := range side * side {
			d.Pixels.Set(i, k, (float64(m.Pix[4*k])+float64(m.Pix[4*k+1])+float64(m.Pix[4*k+2]))/(3*255))
		}
		d.Held[i] = i%5 == 4
	}
	return d
}

func correlation(a, b []float64) float64 {
	var ma, mb, ab, aa, bb float64
	n := float64(len(a))
	for i := range a {
		ma, mb = ma+a[i]/n, mb+b[i]/n
	}
	for i := range a {
		ab, aa, bb = ab+(a[i]-ma)*(b[i]-mb), aa+(a[i]-ma)*(a[i]-ma), bb+(b[i]-mb)*(b[i]-mb)
	}
	return ab / math.Sqrt(aa*bb)
}

func column(x *matrix.Dense[float64], j int, own func(int) bool) (out []float64) {
	for i := range x.Rows {
		if own(i) {
			out = append(out, x.At(i, j))
		}
	}
	return out
}

// recovery returns the correlation of each latent variable with its factor on held-out images.
func recovery(f *causalvae.Fitted, d *causalvae.Images, truth *matrix.Dense[float64]) []float64 {
	out := make([]float64, len(d.Names))
	held := func(i int) bool { return d.Held[i] }
	for j := range out {
		out[j] = correlation(column(f.Latents, j, held), column(truth, j, held))
	}
	return out
}

// distance returns the structural Hamming distance of the learned graph of some rows to the truth. A nil method is the default.
func distance(t *testing.T, rows [][]float64, m method.Method) float64 {
	t.Helper()
	table, err := polydag.FromRows(scene.PendulumFactors, rows)
	must.Succeed(t, err)
	cfg := polydag.DefaultConfig()
	if cfg.CheckScale = polydag.CheckScaleNever; m != nil {
		cfg.Method, cfg.Standardize = m, true
	}
	res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
	if len(res.Names) != 4 {
		t.Fatalf("columns %v", res.Names)
	}
	truth := graph.New(4)
	for _, e := range scene.PendulumEdges {
		truth.AddEdge(e[0], e[1])
	}
	return float64(metric.Compare(truth, res.Graph).SHD)
}

// rowsOf returns the rows of x without missing values.
func rowsOf(x *matrix.Dense[float64]) (out [][]float64) {
	for i := range x.Rows {
		if row := x.Row(i); row[0]-row[0] == 0 {
			out = append(out, row)
		}
	}
	return out
}

// matched names the latent variables of an autoencoder without labels after the factors that they are most correlated with, each
// after another one, and returns the absolute correlations.
func matched(f *causalvae.Fitted, d *causalvae.Images, truth *matrix.Dense[float64]) (*causalvae.Fitted, []float64) {
	n := len(d.Names)
	held := func(i int) bool { return d.Held[i] }
	at := func(latent, factor int) float64 {
		return math.Abs(correlation(column(f.Latents, latent, held), column(truth, factor, held)))
	}
	var best []int
	most := -1.0
	var try func(chosen []int, sum float64)
	try = func(chosen []int, sum float64) {
		if len(chosen) == n && sum > most {
			best, most = append([]int(nil), chosen...), sum
		}
		for latent := range n {
			if j := len(chosen); j < n && !slices.Contains(chosen, latent) {
				try(append(chosen, latent), sum+at(latent, j))
			}
		}
	}
	try(nil, 0)
	out, found := *f, make([]float64, n)
	out.A, out.Latents = matrix.New[float64](n, n), matrix.New[float64](f.Latents.Rows, n)
	for j, latent := range best {
		found[j] = at(latent, j)
		for k, other := range best {
			out.A.Set(j, k, f.A.At(latent, other))
		}
		for i := range out.Latents.Rows {
			out.Latents.Set(i, j, f.Latents.At(i, latent))
		}
	}
	return &out, found
}

// TestStudyPendulum compares CausalVAE with learning from the labels. POLYDAG_STUDY is the number of seeds; a training takes half a
// minute. lab/docs/evidence.md has the figures.
func TestStudyPendulum(t *testing.T) {
	seeds, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if seeds < 1 {
		t.Skip("it takes half an hour: set POLYDAG_STUDY to the number of seeds, such as 5")
	}
	notears := must.Get(polydag.FindMethod("notears"))
	const all = 1000
	for _, swing := range []struct {
		name string
		of   scene.Swing
	}{{"half", scene.HalfSwing()}, {"full", scene.FullSwing()}} {
		for _, c := range []struct {
			name       string
			every      int     // every so many images has labels; 0 for none
			noise      float64 // of a label, in standard deviations
			constraint causalvae.Constraint
			pixels     float64 // --pixel-noise
			weight     float64 // --label-weight
		}{
			{"labels", 1, 0, causalvae.Geometric, 1, 1},
			{"noisy", 1, 0.5, causalvae.Geometric, 1, 1},
			{"tenth", 10, 0, causalvae.Geometric, 1, 1},
			{"none", 0, 0, causalvae.Geometric, 0.1, 1},
			{"poly", 1, 0, causalvae.PowerSum, 1, 1},
			{"exp", 1, 0, causalvae.Exponential, 1, 1},
			{"weight", 1, 0, causalvae.Geometric, 1, 10},
			// With so much noise of the pixels the decoder has no effect, and the encoder is a regression on the pixels.
			{"tenth-regression", 10, 0, causalvae.Geometric, 1000, 1},
			{"noisy-regression", 1, 0.5, causalvae.Geometric, 1000, 1},
		} {
			t.Run(swing.name+"/"+c.name, func(t *testing.T) {
				sums := map[string]float64{}
				factors := make([]float64, 4)
				for seed := range uint64(seeds) {
					d := pendulums(swing.of, all, 32, seed+1)
					truth := d.Labels
					d.Labels = labelled(truth, c.every, c.noise, seed)
					s := causalvae.New()
					s.Passes, s.Every, s.Constraint, s.PixelNoise, s.LabelWeight = 60, 6, c.constraint, c.pixels, c.weight
					f := must.Get(s.Fit(t.Context(), d, seed+1, 2, nil))
					found := recovery(f, d, truth)
					if c.every == 0 {
						f, found = matched(f, d, truth)
					} else {
						sums["learn, labels"] += distance(t, rowsOf(d.Labels), nil)
						sums["notears, labels"] += distance(t, rowsOf(d.Labels), notears)
					}
					own := distance(t, f.Rows(), f)
					sums["learn, true factors"] += distance(t, rowsOf(truth), nil)
					sums["CausalVAE"] += own
					sums["learn, latents"] += distance(t, f.Rows(), nil)
					for j, r := range found {
						factors[j] += r / float64(seeds)
					}
					t.Logf("seed %d: SHD %v, correlations %.3f, A %.2f", seed+1, own, found, f.A.Data)
				}
				for name, sum := range sums {
					t.Logf("%s: mean SHD %.1f", name, sum/float64(seeds))
				}
				t.Logf("correlations of %s: %.2f", strings.Join(scene.PendulumFactors, ", "), factors)
			})
		}
	}
}

// labelled returns the labels of some images, with noise.
func labelled(truth *matrix.Dense[float64], every int, noise float64, seed uint64) *matrix.Dense[float64] {
	if every == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, 0x6c6162))
	out := truth.Clone()
	for j := range out.Cols {
		x := column(truth, j, func(int) bool { return true })
		mean, square := 0.0, 0.0
		for _, v := range x {
			mean += v / float64(len(x))
		}
		for _, v := range x {
			square += (v - mean) * (v - mean) / float64(len(x))
		}
		for i := range out.Rows {
			if out.Set(i, j, out.At(i, j)+noise*math.Sqrt(square)*rng.NormFloat64()); i%every != 0 {
				out.Set(i, j, math.NaN())
			}
		}
	}
	return out
}
