package chol_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/chol"
)

// rough is a Wide whose coarse entries are off by as much as Slack allows, in the direction that hides most columns.
type rough struct {
	r      []float64
	d      int
	slack  float64
	coarse [][]int16
}

func newRough(rng *rand.Rand, r []float64, d int, slack float64) *rough {
	w := &rough{r: r, d: d, slack: slack, coarse: make([][]int16, d)}
	for i := range w.coarse {
		w.coarse[i] = make([]int16, (d+63)/64*64)
		for j := range d {
			off := slack - 0.5/math.MaxInt16
			if rng.IntN(2) == 0 {
				off = -off
			}
			w.coarse[i][j] = int16(math.Round(max(-1, min(1, r[i*d+j]+off)) * math.MaxInt16))
		}
	}
	return w
}

func (w *rough) At(i, j int) float64  { return w.r[i*w.d+j] }
func (w *rough) Coarse(i int) []int16 { return w.coarse[i] }
func (w *rough) Slack() float64       { return w.slack }
func (w *rough) Column(x int) int32 {
	if x >= w.d {
		return -1
	}
	return int32(x)
}
func (w *rough) Fill(dst []float64, i int, places []int32) {
	for k, x := range places {
		if dst[k] = w.At(i, int(x)); x%2 == 1 {
			dst[k] = math.NaN()
		}
	}
}

// TestWideScreensLikeStored checks that the screen of coarse correlations loses no column, for errors as large as they may
// be, nearly collinear regressors and any threshold, and that all results have the same bits as those from a stored matrix.
func TestWideScreensLikeStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const d = 70
	for range 8 {
		r := standardized(covariances(rng, d, 12, 30, 31), d)
		for i := range 20 { // pairs that correlate by almost 1
			a, b := 2*i+20, 2*i+21
			rho := 1 - math.Pow(10, -1-3*rng.Float64())
			for j := range d {
				if j != a && j != b {
					r[b*d+j] = rho*r[a*d+j] + math.Sqrt(1-rho*rho)*r[b*d+j]*0.5
					r[j*d+b] = r[b*d+j]
				}
			}
			r[a*d+b], r[b*d+a] = rho, rho
		}
		for _, slack := range []float64{1.6e-5, 1e-3, 0.02} {
			stored, wide := chol.Scan{R: r, Columns: d, Stride: d}, chol.Scan{Wide: newRough(rng, r, d, slack)}
			for _, k := range []int{0, 1, 2, 3, 6, 12} {
				perm := rng.Perm(d)
				v, set := perm[0], perm[1:1+k]
				left := chol.RegressUnit(&stored, v, set)
				if got := chol.RegressUnit(&wide, v, set); got != left || !slices.Equal(wide.Rise, stored.Rise) {
					t.Fatalf("%d regressors: residual variance %v, want %v", k, got, left)
				}
				if left <= chol.Determined {
					continue
				}
				for _, threshold := range []float64{0, 1e-6, 1e-3, 0.02, 0.3} {
					want := slices.Clone(chol.Screen(&stored, v, set, threshold*left))
					if got := chol.Screen(&wide, v, set, threshold*left); !slices.Equal(got, want) {
						t.Fatalf("slack %v, %d regressors, threshold %v: %v, want %v", slack, k, threshold, got, want)
					}
				}
			}
		}
	}
}

// TestCoarseScreenExcludes checks that the coarse screen excludes nearly all columns that the exact one would.
func TestCoarseScreenExcludes(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const d = 640
	r := standardized(covariances(rng, d), d)
	w := &counting{rough: newRough(rng, r, d, 1.6e-5)}
	wide := chol.Scan{Wide: w}
	left := chol.RegressUnit(&wide, 0, []int{5, 9, 300})
	w.filled = 0
	hits := len(chol.Screen(&wide, 0, []int{5, 9, 300}, 0.01*left))
	if exact := w.filled / 4; exact > hits+5 || hits == 0 {
		t.Errorf("%d columns pass the coarse screen, and %d of them the exact one", exact, hits)
	}
	if n := testing.AllocsPerRun(10, func() {
		chol.RegressUnit(&wide, 0, []int{5, 9, 300})
		chol.Screen(&wide, 0, []int{5, 9, 300}, 0.01)
	}); n > 2 { // the two literals
		t.Errorf("%v allocations", n)
	}
}

type counting struct {
	*rough
	filled int
}

func (c *counting) Fill(dst []float64, i int, places []int32) {
	c.filled += len(places)
	c.rough.Fill(dst, i, places)
}
