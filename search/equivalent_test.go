package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// vStructures lists the colliders a → c ← b with a and b not adjacent, which together with
// the adjacencies determine the equivalence class (Verma and Pearl 1990).
func vStructures(parents [][]int32) (list [][3]int32, adjacent [][2]int32) {
	joined := func(a, b int32) bool { return slices.Contains(parents[a], b) || slices.Contains(parents[b], a) }
	for c, ps := range parents {
		for i, a := range ps {
			adjacent = append(adjacent, [2]int32{min(a, int32(c)), max(a, int32(c))})
			for _, b := range ps[i+1:] {
				if !joined(a, b) {
					list = append(list, [3]int32{a, int32(c), b})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b [3]int32) int { return slices.Compare(a[:], b[:]) })
	slices.SortFunc(adjacent, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	return list, adjacent
}

// TestEquivalent checks that equivalent and prefer stay in the class and keep the score.
func TestEquivalent(t *testing.T) {
	moved := false
	for seed := range uint64(6) {
		sm := randomSample(30, 45, 300, 1, seed)
		p := sm.problem()
		p.Knowledge.Forbidden = func(i, j int) bool { return i == 3 && j%2 == 0 }
		e := testEngine(p, Unequal)
		never := func() bool { return false }
		e.start(nil, never)
		e.queueAll()
		e.descend(never)
		score := e.total()
		before := e.class().parents
		wantV, wantA := vStructures(before)
		rank := slices.Clone(e.pos)
		rng := rand.New(rand.NewPCG(seed, 0))
		for range 5 {
			c := e.class()
			for range 100 {
				v := int32(rng.IntN(e.d))
				if k := len(c.parents[v]); k > 0 && c.reverse(v, rng.IntN(k)) {
					moved = true
				}
			}
			c.adopt(randomRank(e.d, rng))
			gotV, gotA := vStructures(e.class().parents)
			if !slices.Equal(gotV, wantV) || !slices.Equal(gotA, wantA) {
				t.Fatalf("seed %d: left the equivalence class", seed)
			}
			if got := e.total(); math.Abs(got-score) > 1e-9*math.Abs(score) {
				t.Fatalf("seed %d: score %v, was %v", seed, got, score)
			}
			checkState(t, e, 1e-9)
		}
		against := func() (n int) {
			for v, ps := range e.class().parents {
				for _, q := range ps {
					if rank[q] > rank[v] {
						n++
					}
				}
			}
			return n
		}
		n := against()
		e.prefer(rank)
		if against() > n {
			t.Errorf("seed %d: prefer went from %d edges against the order to %d", seed, n, against())
		}
		gotV, gotA := vStructures(e.class().parents)
		if !slices.Equal(gotV, wantV) || !slices.Equal(gotA, wantA) {
			t.Fatalf("seed %d: prefer left the equivalence class", seed)
		}
		for v, ps := range e.class().parents {
			if v%2 == 0 && slices.Contains(ps, 3) {
				t.Fatalf("seed %d: forbidden edge 3 → %d", seed, v)
			}
		}
	}
	if !moved {
		t.Error("no edge was ever reversed")
	}
}

// TestTopological compares the order with the rule that it states.
func TestTopological(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		d := 1 + rng.IntN(12)
		order := rng.Perm(d)
		parents := make([][]int32, d)
		for i, v := range order {
			for _, u := range order[:i] {
				if rng.IntN(3) == 0 {
					parents[v] = append(parents[v], int32(u))
				}
			}
		}
		rank := randomRank(d, rng)
		placed := make([]bool, d)
		for _, v := range topological(parents, rank) {
			ready := func(v int) bool {
				return !placed[v] && !slices.ContainsFunc(parents[v], func(p int32) bool { return !placed[p] })
			}
			if !ready(int(v)) {
				t.Fatalf("%d is not ready", v)
			}
			for u := range d {
				if ready(u) && rank[u] < rank[v] {
					t.Fatalf("%d came before %d, which has less rank", v, u)
				}
			}
			placed[v] = true
		}
		if slices.Contains(placed, false) {
			t.Fatal("the order is not complete")
		}
	}
	if got := topological([][]int32{{1}, {0}, nil}, nil); !slices.Equal(got, []int32{2}) {
		t.Errorf("with a cycle: %v, want the variables before it, [2]", got)
	}
}
