package order

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

func dpBest(p Problem, s Settings) float64 {
	d := p.R.Rows
	pen := s.EdgePenalty(p.N, d)
	best := make([][]float64, d)
	for v := range d {
		best[v] = make([]float64, 1<<d)
		for set := range uint(1) << d {
			if set>>v&1 != 0 {
				continue
			}
			var ps []int
			for x := range d {
				if set>>x&1 != 0 {
					ps = append(ps, x)
				}
			}
			b := float64(p.N)*math.Log(residualByRegression(p.R, v, ps)) + pen*float64(bits.OnesCount(set))
			for x := range d {
				if set>>x&1 != 0 {
					b = min(b, best[v][set&^(1<<x)])
				}
			}
			best[v][set] = b
		}
	}
	f := make([]float64, 1<<d)
	for set := uint(1); set < 1<<d; set++ {
		f[set] = math.Inf(1)
		for v := range d {
			if set>>v&1 != 0 {
				f[set] = min(f[set], f[set&^(1<<v)]+best[v][set&^(1<<v)])
			}
		}
	}
	return f[1<<d-1]
}

func TestStress(t *testing.T) {
	k, _ := strconv.Atoi(os.Getenv("STRESS"))
	for d := 4; d <= 7; d++ {
		for _, rs := range []int{0, 5, 10, 30, 60} {
			miss := 0
			for seed := range uint64(k) {
				rng := rand.New(rand.NewPCG(seed, uint64(d)))
				n := 20 + rng.IntN(300)
				sm := randomSample(d, d*(d-1)*3/8, n, 0.2+0.8*rng.Float64(), 100*seed+uint64(d))
				p := sm.problem()
				s := DefaultSettings()
				s.Restarts = rs
				s.Exact = 0
				if rs == 60 {
					s.Exact = 16
				}
				s.Seed = seed
				want := dpBest(p, s)
				res, err := Search(context.Background(), p, s, nil)
				if err != nil {
					t.Fatal(err)
				}
				if res.Score > want+1e-6*math.Abs(want) {
					miss++
				}
			}
			t.Logf("d=%d restarts=%d miss %d of %d", d, rs, miss, k)
		}
	}
}
