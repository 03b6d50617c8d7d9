package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// testEngine returns an engine at the default penalty with no state yet.
func testEngine(p Problem, variance Variance) *engine {
	s := DefaultSettings()
	s.Variance = variance
	d := p.R.Rows
	e := newEngine(p, s, newModel(p, variance), p.Knowledge.compile(d))
	penalty := s.EdgePenalty(p.N, d)
	if variance == Equal {
		penalty /= float64(p.N)
	}
	e.setBase(penalty * loose)
	e.setPenalty(penalty)
	return e
}

func ints(xs []uint32) []int {
	out := make([]int, len(xs))
	for i, x := range xs {
		out[i] = int(x)
	}
	return out
}

// TestNode compares nodes with regressions from scratch: the loss, the cost of each removal, the candidates and
// their gains.
func TestNode(t *testing.T) {
	for _, variance := range []Variance{Unequal, Equal} {
		for _, d := range []int{3, 31, 32, 33, 70, 300} {
			sm := randomSample(d, min(2*d, d*(d-1)/2), 300, 1, uint64(d))
			p := sm.problem()
			banned := [2]int{0, 1}
			p.Knowledge.Forbidden = func(i, j int) bool { return i == banned[0] && j == banned[1] }
			e := testEngine(p, variance)
			w := e.workers[0]
			rng := rand.New(rand.NewPCG(uint64(d), 0))
			unit := e.model.unit()
			for range 20 {
				v := rng.IntN(d)
				var parents []uint32
				for _, x := range rng.Perm(d)[:rng.IntN(min(d, 12))] {
					if x != v {
						parents = append(parents, uint32(x))
					}
				}
				slices.Sort(parents)
				nd := e.cache.at(w.nodeOf(int32(v), parents))
				loss := func(set []int) float64 { return e.model.loss(int32(v), residualByRegression(p.R, v, set)) }
				want := loss(ints(parents))
				must.Near(t, nd.loss(), want, 1e-9*unit, "loss")
				for j := range parents {
					cost := loss(slices.Delete(ints(parents), j, j+1)) - want
					drop := float64(nd.drop(j))
					if variance == Unequal {
						drop = e.model.n * math.Log1p(drop)
					}
					must.Near(t, drop, cost, 1e-5*(unit+cost), "removal")
				}
				xs, keys := nd.candidates()
				if !slices.IsSorted(xs) {
					t.Fatalf("candidates %v are not ascending", xs)
				}
				for x := range d {
					if x == v || slices.Contains(parents, uint32(x)) {
						continue
					}
					gain := want - loss(append(ints(parents), x))
					i, found := slices.BinarySearch(xs, uint32(x))
					switch {
					case x == banned[0] && v == banned[1]:
						if found {
							t.Errorf("%d is a candidate of %d, but forbidden", x, v)
						}
					case found:
						must.Near(t, e.model.gain(float64(keyOf(keys[i]))), gain, 1e-4*(unit+gain), "gain")
					case gain > e.basePenalty+1e-6*unit:
						t.Errorf("%v d = %d: %d would gain %v at a penalty of %v but is no candidate", variance, d, x, gain, e.basePenalty)
					}
					if found && gain < e.basePenalty-1e-6*unit {
						t.Errorf("%v d = %d: candidate %d gains %v at a penalty of %v", variance, d, x, gain, e.basePenalty)
					}
				}
			}
		}
	}
}

// TestCache checks that a node is found for any order of the request, and that no two sets share one.
func TestCache(t *testing.T) {
	sm := randomSample(12, 24, 200, 1, 3)
	e := testEngine(sm.problem(), Unequal)
	w := e.workers[0]
	seen := make(map[nodeID]uint32)
	for set := range uint32(1) << 11 {
		id := w.nodeOf(11, members(set))
		if other, ok := seen[id]; ok {
			t.Fatalf("sets %b and %b have the same node", other, set)
		}
		seen[id] = set
	}
	for id, set := range seen {
		nd := e.cache.at(id)
		if again := w.nodeOf(11, members(set)); again != id {
			t.Fatalf("set %b has nodes %d and %d", set, id, again)
		}
		for j, p := range nd.parents() {
			if got := seen[w.remove(nd, j)]; got != set&^(1<<p) {
				t.Fatalf("set %b without %d gave %b", set, p, got)
			}
		}
		xs, _ := nd.candidates()
		for _, x := range xs {
			if got := seen[w.add(nd, x)]; got != set|1<<x {
				t.Fatalf("set %b with %d gave %b", set, x, got)
			}
		}
	}
	if w.expansions != 1<<11 {
		t.Errorf("%d expansions for %d sets", w.expansions, 1<<11)
	}
}

// TestShard checks that every node is found if all keys start at one position or wrap around the end. The keys
// in TestCache hardly ever collide.
func TestShard(t *testing.T) {
	sm := randomSample(12, 24, 200, 1, 3)
	e := testEngine(sm.problem(), Unequal)
	for _, low := range []uint64{0, 5, 15} {
		var s shard
		ids := map[uint32]nodeID{}
		key := func(set uint32) uint64 { return uint64(set%7)<<40 | low }
		for set := range uint32(100) {
			ids[set] = e.workers[0].nodeOf(11, members(set))
			s.insert(key(set), ids[set])
			for old, id := range ids {
				if got := e.cache.find(&s, key(old), 11, members(old)); got != id {
					t.Fatalf("low bits %d, %d nodes: set %b has node %d, found %d", low, set+1, old, id, got)
				}
			}
		}
		if got := e.cache.find(&s, key(100), 11, members(100)); got != 0 {
			t.Errorf("low bits %d: a set that is not there has node %d", low, got)
		}
	}
}

// TestNodeIs checks that a node matches its variable and parents only: hashes of different sets may collide.
func TestNodeIs(t *testing.T) {
	e := testEngine(randomSample(6, 10, 200, 1, 3).problem(), Unequal)
	nd := e.cache.at(e.workers[0].nodeOf(5, []uint32{1, 3}))
	for _, c := range []struct {
		v       int32
		parents []uint32
		want    bool
	}{{5, []uint32{1, 3}, true}, {4, []uint32{1, 3}, false}, {5, []uint32{1, 3, 4}, false}, {5, []uint32{1, 2}, false}, {5, []uint32{0, 3}, false}} {
		if got := nd.is(c.v, c.parents); got != c.want {
			t.Errorf("the node of 5 with parents 1 and 3 is that of %d with parents %v: %v", c.v, c.parents, got)
		}
	}
	if nd.is(5, []uint32{1}) {
		t.Error("the node of 5 with parents 1 and 3 is that of 5 with parent 1")
	}
}
