package sample

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/search"
)

// hashed is a pseudorandom score of a parent set that grows with the set.
type hashed int

func (s hashed) Variables() int              { return int(s) }
func (s hashed) Price() float64              { return 1 }
func (s hashed) Equivalent() bool            { return false }
func (s hashed) Evaluator() search.Evaluator { return s }

func (s hashed) Score(v int, parents []int) float64 {
	h := fnv.New64a()
	h.Write([]byte{byte(v)})
	for _, x := range slices.Sorted(slices.Values(parents)) {
		h.Write([]byte{byte(x)})
	}
	return float64(h.Sum64()%1000)/100 + 2*float64(len(parents))
}

func (s hashed) Additions(dst []float64, v int, parents []int) {
	search.AdditionsByScore(dst, s, v, parents)
}

// steep is a hashed score multiplied by a factor, as for a table with many rows.
type steep struct {
	hashed
	times float64
}

func (s steep) Evaluator() search.Evaluator { return s }

func (s steep) Score(v int, parents []int) float64 { return s.times * s.hashed.Score(v, parents) }

func (s steep) Additions(dst []float64, v int, parents []int) {
	s.hashed.Additions(dst, v, parents)
	for x := range dst {
		if x != v && !slices.Contains(parents, x) {
			dst[x] *= s.times
		}
	}
}

// sampler has few candidates, so that the one further parent matters.
func sampler(t *testing.T, k search.Knowledge) *Sampler { return steepSampler(t, k, 1) }

func steepSampler(t *testing.T, k search.Knowledge, times float64) *Sampler {
	s := DefaultSettings()
	s.Exact, s.Candidates, s.Seed = 0, 3, 4
	return must.Get(NewSampler(context.Background(), Problem{Score: steep{hashed(8), times}, Knowledge: k}, s))
}

// TestConditionAgainstCompletions compares the conditional probability of an edge with all completions of the
// graph.
func TestConditionAgainstCompletions(t *testing.T) {
	for _, times := range []float64{1, 1000, 1e5} { // with many rows weights are beyond what exponentials hold
		conditionAgainstCompletions(t, times)
	}
}

func conditionAgainstCompletions(t *testing.T, times float64) {
	t.Helper()
	const d = 8
	k := search.Knowledge{Required: [][2]int{{2, 5}}, Forbidden: func(i, j int) bool { return i == 1 && j == 6 }}
	m := steepSampler(t, k, times)
	source := rand.NewPCG(1, 2)
	never := math.Inf(-1)
	seen := map[int]int{} // by the number of completions
	for range 30 {
		c := newChain(m.sp.nodes, m.sp.random(rand.New(source)), source)
		if times == 1 { // otherwise no reversal would be better
			c.sweep()
		}
		got := make([]float64, d*d)
		c.condition(got)
		edges, _ := c.graph()
		for x := range d {
			for v := range x {
				var rest [][]int
				for y := range d {
					rest = append(rest, nil)
					for _, e := range edges {
						if e.To == y && !(e.From == x && y == v) && !(e.From == v && y == x) {
							rest[y] = append(rest[y], e.From)
						}
					}
				}
				weigh := func(change func([][]int)) float64 {
					own := make([][]int, d)
					for y := range own {
						own[y] = slices.Clone(rest[y])
					}
					if change(own); topological(d, own) == nil {
						return never
					}
					sum := 0.0
					for y, set := range own {
						outside := 0
						for _, p := range set {
							if !m.sp.r.may(p, y) {
								return never
							}
							if m.sp.nodes[y].slot[p] < 0 {
								outside++
							}
						}
						for _, p := range m.sp.r.required[y] {
							if !slices.Contains(set, p) {
								return never
							}
						}
						if outside > 1 {
							return never
						}
						sum -= times * hashed(d).Score(y, set) / 2
					}
					return sum
				}
				none := weigh(func([][]int) {})
				forth := weigh(func(p [][]int) { p[v] = append(p[v], x) })
				back := weigh(func(p [][]int) { p[x] = append(p[x], v) })
				n, top := 0, max(none, forth, back)
				for _, w := range []*float64{&none, &forth, &back} {
					if *w > never {
						n++
					}
					*w = math.Exp(*w - top)
				}
				seen[n]++
				all := none + forth + back
				if !(math.Abs(got[x*d+v]-forth/all) < 1e-9 && math.Abs(got[v*d+x]-back/all) < 1e-9) { // also for NaN
					t.Fatalf("%d → %d: %v and %v the other way, want %v and %v", x, v, got[x*d+v], got[v*d+x], forth/all, back/all)
				}
			}
		}
	}
	if seen[1] == 0 || seen[2] == 0 || seen[3] == 0 {
		t.Errorf("completions by their number: %v: the test does not see all cases", seen)
	}
}

// TestWalksGoOn checks that a resumed walk continues as a single walk.
func TestWalksGoOn(t *testing.T) {
	ctx := context.Background()
	m := sampler(t, search.Knowledge{})
	one := func(w Walk) *Walked {
		return must.Get(m.One(ctx, w))
	}
	for chain := range 2 {
		whole := one(Walk{Chain: chain, Burn: 3, Samples: 20, Thin: 2})
		first := one(Walk{Chain: chain, Burn: 3, Samples: 12, Thin: 2})
		second := one(Walk{Chain: chain, From: first.To, Samples: 8, Thin: 2})
		if !reflect.DeepEqual(append(first.Graphs, second.Graphs...), whole.Graphs) || !reflect.DeepEqual(second.To, whole.To) {
			t.Errorf("chain %d does not go on as it was", chain)
		}
	}
	first := one(Walk{Chain: 0, Samples: 5, Thin: 1})
	own, other := one(Walk{Chain: 0, From: first.To, Samples: 5, Thin: 1}), one(Walk{Chain: 2, From: first.To, Samples: 5, Thin: 1})
	if reflect.DeepEqual(own.Graphs, other.Graphs) {
		t.Error("two chains go on from one state with the same random numbers")
	}
	last := len(first.To) - 1
	for name, w := range map[string]Walk{
		"no graphs":     {Thin: 1},
		"no sweeps":     {Samples: 1},
		"a wrong chain": {Chain: -1, Samples: 1, Thin: 1},
		"nothing":       {From: []byte{}, Samples: 1, Thin: 1},
		"a part":        {From: first.To[:last], Samples: 1, Thin: 1},
	} {
		if _, err := m.One(ctx, w); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// TestStatesAreChecked checks that an untrusted state is rejected for an invalid order or for parents that come
// later.
func TestStatesAreChecked(t *testing.T) {
	m := sampler(t, search.Knowledge{Required: [][2]int{{2, 5}}})
	fresh := func() *chain { return newChain(m.sp.nodes, m.sp.order, rand.NewPCG(1, 2)) }
	for name, spoil := range map[string]func(c *chain){
		"a variable twice":       func(c *chain) { c.order[0] = c.order[1] },
		"a child before parents": func(c *chain) { slices.Reverse(c.order) },
		"no required parent":     func(c *chain) { c.sets[5] = set{0, -1} },
		"an unknown candidate":   func(c *chain) { c.sets[0].mask = 1 << 20 },
		"an unknown other":       func(c *chain) { c.sets[0].other = 100 },
	} {
		c := fresh()
		for range 3 {
			c.sweep()
		}
		spoil(c)
		if _, err := m.One(context.Background(), Walk{From: c.state(0), Samples: 1, Thin: 1}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// told returns walks with given weights and records the requests.
type told struct {
	weights [][]float64
	asked   [][]Walk
}

func (b *told) Walk(_ context.Context, walks []Walk, each func(i int, w *Walked)) error {
	b.asked = append(b.asked, slices.Clone(walks))
	for i := range walks {
		w := &Walked{Edge: make([]float64, 64), To: []byte{byte(len(b.asked)), byte(i)}}
		for k := range walks[i].Samples {
			w.Graphs, w.LogW = append(w.Graphs, []graph.Edge{{From: 0, To: 1}}), append(w.LogW, b.weights[i][k%2])
		}
		each(i, w)
	}
	return nil
}

// TestChainsLeftBehind checks that a chain whose graphs all weigh less than each of the best chain continues
// from there, and that an overlapping one stays.
func TestChainsLeftBehind(t *testing.T) {
	s := DefaultSettings()
	s.Exact, s.Chains, s.Rounds, s.Samples = 0, 3, 1, 8
	by := &told{weights: [][]float64{{-6, -4}, {-50, -7}, {-5, -7}}}
	res := must.Get(RunBy(context.Background(), Problem{Score: hashed(8)}, s, by, nil))
	if len(by.asked) != 2 || res.Moved != 1 {
		t.Fatalf("%d rounds, %d chains moved: want 2 and 1", len(by.asked), res.Moved)
	}
	for i, want := range [][]byte{{1, 0}, {1, 0}, {1, 2}} {
		if got := by.asked[1][i].From; !slices.Equal(got, want) {
			t.Errorf("chain %d goes on from %v, want %v", i, got, want)
		}
	}
}

// TestRoundsDouble checks that chains which do not agree have no further burn-in and twice the distance between two graphs, and that the
// sweeps so far become the burn-in of the result.
func TestRoundsDouble(t *testing.T) {
	s := DefaultSettings()
	s.Exact, s.Chains, s.Rounds, s.Samples = 0, 2, 2, 8
	by := &told{weights: [][]float64{{-6, -4}, {-50, -7}}}
	var sweeps []int
	res := must.Get(RunBy(t.Context(), Problem{Score: hashed(8)}, s, by, func(r Round) { sweeps = append(sweeps, r.Sweeps) }))
	for round, want := range []Walk{{Burn: 8, Thin: 16}, {Thin: 32}, {Thin: 64}} { // 16 sweeps for eight variables
		for _, w := range by.asked[round] {
			if w.Burn != want.Burn || w.Thin != want.Thin || w.Samples != 8 {
				t.Errorf("round %d: %+v, want %+v", round, w, want)
			}
		}
	}
	const first, second, third = 8 + 16*8, 8 + 16*8 + 32*8, 8 + 16*8 + 32*8 + 64*8
	if !slices.Equal(sweeps, []int{first, second, third}) || res.BurnIn != second || res.Thin != 64 {
		t.Errorf("%v sweeps, a burn-in of %d and a distance of %d", sweeps, res.BurnIn, res.Thin)
	}
}

// TestWalkedAsBytes checks that the result of a walk survives encoding, and that damaged results and cycles are
// rejected.
func TestWalkedAsBytes(t *testing.T) {
	m := sampler(t, search.Knowledge{})
	w := must.Get(m.One(context.Background(), Walk{Chain: 1, Samples: 25, Thin: 1}))
	text := w.Encode()
	back, err := DecodeWalked(text, 8, 25)
	if err != nil || !reflect.DeepEqual(back, w) {
		t.Errorf("%v\n%+v\n%+v", err, back, w)
	}
	round := *w
	round.Graphs = slices.Clone(w.Graphs)
	round.Graphs[24] = []graph.Edge{{From: 0, To: 1}, {From: 1, To: 0}}
	unlikely := *w
	unlikely.Edge = slices.Clone(w.Edge)
	unlikely.Edge[3] = math.NaN()
	for name, b := range map[string][]byte{"a cycle": round.Encode(), "no probability": unlikely.Encode(), "a part": text[:len(text)-9], "nothing": nil} {
		if _, err := DecodeWalked(b, 8, 25); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := DecodeWalked(text, 8, 26); err == nil {
		t.Error("fewer graphs than asked for are taken")
	}
	if _, err := DecodeWalked(text, 7, 25); err == nil {
		t.Error("a walk over other variables is taken")
	}
}

// TestAnotherChainHasItsOwnNumbers restores the state of chain 0 as chain 2. Its random numbers must differ
// from those of chain 0 and from the initial ones of chain 2, and depend on the seed and the walk.
func TestAnotherChainHasItsOwnNumbers(t *testing.T) {
	next := func(seed uint64, w Walk) uint64 {
		t.Helper()
		s := DefaultSettings()
		s.Seed = seed
		m := must.Get(NewSampler(context.Background(), Problem{Score: hashed(6)}, s))
		first := must.Get(m.One(context.Background(), Walk{Burn: 3, Samples: 2, Thin: 1}))
		w.From = first.To
		source := rand.NewPCG(seed, uint64(w.Chain))
		must.Get(m.sp.restore(w, source))
		return source.Uint64()
	}
	seen := map[uint64]bool{rand.NewPCG(1, 2).Uint64(): true, rand.NewPCG(2, 2).Uint64(): true}
	for _, w := range []struct {
		seed uint64
		Walk
	}{{1, Walk{Chain: 0, Thin: 1}}, {1, Walk{Chain: 2, Thin: 1}}, {1, Walk{Chain: 2, Thin: 5}}, {1, Walk{Chain: 3, Thin: 5}}, {2, Walk{Chain: 2, Thin: 1}}} {
		n := next(w.seed, w.Walk)
		if seen[n] {
			t.Errorf("seed %d, chain %d, every %d sweeps: numbers that another walk has", w.seed, w.Chain, w.Thin)
		}
		seen[n] = true
	}
}

// ln q(order | G) is minus the sum of ln of the number of variables that could come next: those whose parents are all placed.
func TestProbabilityOfAnOrder(t *testing.T) {
	m := sampler(t, search.Knowledge{})
	source := rand.NewPCG(3, 5)
	for range 30 {
		c := newChain(m.sp.nodes, m.sp.random(rand.New(source)), source)
		for range 3 {
			parents := make([][]int, len(c.order))
			edges, _ := c.graph()
			for _, e := range edges {
				parents[e.To] = append(parents[e.To], e.From)
			}
			placed, want := map[int]bool{}, 0.0
			for _, v := range c.order {
				available := 0.0
				for u, set := range parents {
					if !placed[u] && !slices.ContainsFunc(set, func(p int) bool { return !placed[p] }) {
						available++
					}
				}
				want -= math.Log(available)
				placed[int(v)] = true
			}
			if got := c.extension(); !(math.Abs(got-want) <= 1e-9) || !(math.Abs(c.logq-want) <= 1e-9) {
				t.Fatalf("ln q is %v and %v, want %v", got, c.logq, want)
			}
			c.reorder()
		}
	}
}

// The candidates of a variable are the required ones and its neighbours in the initial graph, as far as they fit: parents before children.
func TestCandidatesOfAStart(t *testing.T) {
	const d = 8
	start := make([][]int, d)
	start[3], start[4], start[5] = []int{0, 1}, []int{3}, []int{3, 7}
	s := DefaultSettings()
	s.Exact, s.Candidates = 0, 4
	m := must.Get(NewSampler(context.Background(), Problem{Score: hashed(d), Start: start, Knowledge: search.Knowledge{Required: [][2]int{{6, 3}}}}, s))
	for v, set := range [][]int{0: {3}, 1: {3}, 3: {0, 1, 6}, 4: {3}, 5: {3, 7}, 7: {5}} {
		if got := m.sp.nodes[v].candidates; len(got) > 4 || slices.ContainsFunc(set, func(x int) bool { return !slices.Contains(got, x) }) {
			t.Errorf("candidates of %d are %v, want %v among them", v, got, set)
		}
	}
	if got := m.sp.nodes[3].candidates; !slices.Contains(got, 4) && !slices.Contains(got, 5) {
		t.Errorf("candidates of 3 are %v; a child fits too", got)
	}
}

// Parents are drawn with probability proportional to their weight, among the sets of earlier variables.
func TestDrawsOfParents(t *testing.T) {
	m := sampler(t, search.Knowledge{})
	n := m.sp.nodes[5]
	pos := make([]int32, len(n.slot))
	for v := range pos {
		pos[v] = int32(v)
	}
	pos[5], pos[7] = 7, 5 // after all others
	const at, draws = 7, 40000
	rng := rand.New(rand.NewPCG(6, 6))
	want, total := map[set]float64{}, 0.0
	for mask := range uint32(1 << len(n.candidates)) {
		for other := int32(-1); other < int32(len(n.others)); other++ {
			s := set{mask, other}
			want[s] = math.Exp(n.weight(s))
			total += want[s]
		}
	}
	got := map[set]float64{}
	for range draws {
		got[n.draw(rng, n.preceding(pos, at), pos, at)]++
	}
	for s, w := range want {
		p := w / total
		must.Near(t, got[s]/draws, p, 5*math.Sqrt(p*(1-p)/draws)+1e-4, "parents %+v are drawn with probability", s)
	}
}
