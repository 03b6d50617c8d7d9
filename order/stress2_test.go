package order

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

func perms(d int, f func([]int32)) {
	a := make([]int32, d)
	for i := range a {
		a[i] = int32(i)
	}
	var rec func(i int)
	rec = func(i int) {
		if i == d {
			f(a)
			return
		}
		for j := i; j < d; j++ {
			a[i], a[j] = a[j], a[i]
			rec(i + 1)
			a[i], a[j] = a[j], a[i]
		}
	}
	rec(0)
}

func TestStress2(t *testing.T) {
	k, _ := strconv.Atoi(os.Getenv("STRESS"))
	for d := 4; d <= 6; d++ {
		miss, missLoose := 0, 0
		for seed := range uint64(k) {
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			n := 20 + rng.IntN(300)
			sm := randomSample(d, d*(d-1)*3/8, n, 0.2+0.8*rng.Float64(), 100*seed+uint64(d))
			p := sm.problem()
			s := DefaultSettings()
			want := dpBest(p, s)
			pen := s.EdgePenalty(p.N, d)
			e := newEngine(p, newModel(p, Unequal), p.Knowledge.compile(d), parentLimit(p.N, d, s.MaxParents), 1)
			e.setBase(pen * looseFactor)
			e.setPenalty(pen)
			got, gotL := math.Inf(1), math.Inf(1)
			perms(d, func(o []int32) {
				clear(e.node)
				e.load(o)
				got = min(got, e.total())
				e.setPenalty(pen * looseFactor)
				e.load(o)
				e.setPenalty(pen)
				e.load(o)
				gotL = min(gotL, e.total())
			})
			if got > want+1e-6*math.Abs(want) {
				miss++
			}
			if gotL > want+1e-6*math.Abs(want) {
				missLoose++
			}
		}
		t.Logf("d=%d miss %d loose %d of %d", d, miss, missLoose, k)
	}
}
