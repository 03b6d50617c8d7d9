package score_test

import (
	"fmt"
	"github.com/polydag/polydag/search"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A local is what a search over orders needs of a score.
type local interface {
	Score(v int, parents []int) float64
	Additions(dst []float64, v int, parents []int)
}

// A plain is a plain search over orders, to judge scores by: parents by growing and shrinking among
// the predecessors, one variable moved to its best place until nothing improves, all evaluations kept.
type plain struct {
	score local
	d     int
	extra float64 // an extra penalty per edge
	known map[string]*family
}

// A family is an evaluated set of parents.
type family struct{ score, additions []float64 }

func (s *plain) family(v int, parents []int) *family {
	key := fmt.Sprint(v, parents)
	f, ok := s.known[key]
	if !ok {
		f = &family{score: []float64{s.score.Score(v, parents)}}
		s.known[key] = f
	}
	return f
}

func (s *plain) at(v int, parents []int) float64 {
	return s.family(v, parents).score[0] + s.extra*float64(len(parents))
}

func (s *plain) additions(v int, parents []int) []float64 {
	f := s.family(v, parents)
	if f.additions == nil {
		f.additions = make([]float64, s.d)
		for x := range f.additions {
			f.additions[x] = math.Inf(1)
		}
		s.score.Additions(f.additions, v, parents)
	}
	return f.additions
}

func with(parents []int, x int) []int {
	i, _ := slices.BinarySearch(parents, x)
	return slices.Insert(slices.Clone(parents), i, x)
}

func without(parents []int, x int) []int {
	i, _ := slices.BinarySearch(parents, x)
	return slices.Delete(slices.Clone(parents), i, i+1)
}

// least is the gain below which a change counts as rounding.
const least = 1e-6

// fit grows and shrinks the parents of v inside allowed.
func (s *plain) fit(v int, start []int, allowed []bool) ([]int, float64) {
	var parents []int
	for _, p := range start {
		if allowed[p] {
			parents = append(parents, p)
		}
	}
	now := s.at(v, parents)
	for changed := true; changed; {
		changed = false
		for {
			best, at := now-least, -1
			for x, f := range s.additions(v, parents) {
				if f += s.extra * float64(len(parents)+1); allowed[x] && x != v && f < best {
					best, at = f, x
				}
			}
			if at < 0 || s.at(v, with(parents, at)) > now-least/2 {
				break
			}
			parents = with(parents, at)
			now, changed = s.at(v, parents), true
		}
		for {
			best, at := now-least, -1
			for _, p := range parents {
				if f := s.at(v, without(parents, p)); f < best {
					best, at = f, p
				}
			}
			if at < 0 {
				break
			}
			parents, now, changed = without(parents, at), best, true
		}
	}
	return parents, now
}

// A solution is an order with the parents and scores of all variables.
type solution struct {
	order   []int
	parents [][]int
	score   []float64
}

func (s *solution) total() float64 {
	sum := 0.0
	for _, f := range s.score {
		sum += f
	}
	return sum
}

// move is what a new place of one variable changes.
type move struct {
	delta   float64
	place   int
	parents map[int][]int
}

// descend moves single variables to their best places until none improves.
func (s *plain) descend(now *solution) {
	before := make([]bool, s.d)
	for _, v := range now.order {
		now.parents[v], now.score[v] = s.fit(v, now.parents[v], before)
		before[v] = true
	}
	for turn, idle := 0, 0; idle < s.d; turn++ {
		v := turn % s.d
		best := move{delta: -least}
		for _, step := range []int{-1, 1} {
			s.walk(now, v, step, &best)
		}
		if best.parents == nil {
			idle++
			continue
		}
		idle = 0
		now.order = slices.Insert(slices.DeleteFunc(now.order, func(u int) bool { return u == v }), best.place, v)
		for u, p := range best.parents {
			now.parents[u], now.score[u] = p, s.at(u, p)
		}
	}
}

// walk tries all places of v on one side.
func (s *plain) walk(now *solution, v, step int, best *move) {
	at := slices.Index(now.order, v)
	before := make([]bool, s.d) // before v
	for _, u := range now.order[:at] {
		before[u] = true
	}
	changed := map[int][]int{v: now.parents[v]}
	others := 0.0
	for i := at + step; i >= 0 && i < s.d; i += step {
		z := now.order[i]
		before[z] = step > 0
		if step < 0 || slices.Contains(now.parents[z], v) {
			// Before z are now all before v and, on the way left, v itself.
			before[v] = step < 0
			mine := before[z]
			before[z] = false
			p, f := s.fit(z, now.parents[z], before)
			before[z], before[v] = mine, false
			if f != now.score[z] {
				changed[z] = p
				others += f - now.score[z]
			}
		}
		p, f := s.fit(v, changed[v], before)
		changed[v] = p
		if delta := others + f - now.score[v]; delta < best.delta {
			*best = move{delta, i, map[int][]int{}}
			for u, p := range changed {
				best.parents[u] = p
			}
		}
	}
}

// plainly returns the parents of the best graph of several random starts, with edges dearer at first.
func plainly(score local, d int, price float64, starts int) ([][]int, float64) {
	s := &plain{score: score, d: d, known: map[string]*family{}}
	rng := rand.New(rand.NewPCG(1, 77))
	var best *solution
	for range starts {
		now := &solution{rng.Perm(d), make([][]int, d), make([]float64, d)}
		for _, times := range []float64{4, 1, 0} {
			s.extra = times * price
			s.descend(now)
		}
		if best == nil || now.total() < best.total() {
			best = now
		}
	}
	return best.parents, best.total()
}

// The search finds the best of all orders of four variables under a score that is a table.
func TestPlainSearchAgainstAllOrders(t *testing.T) {
	for seed := range uint64(20) {
		table := newRandomScore(seed)
		_, got := plainly(table, 4, 1, 8)
		want := math.Inf(1)
		permute([]int{0, 1, 2, 3}, 0, func(order []int) {
			total := 0.0
			for i, v := range order {
				best := math.Inf(1)
				for set := range 1 << i {
					var parents []int
					for k := range i {
						if set>>k&1 == 1 {
							parents = append(parents, order[k])
						}
					}
					slices.Sort(parents)
					best = min(best, table.Score(v, parents))
				}
				total += best
			}
			want = min(want, total)
		})
		if got > want+1e-9 {
			t.Errorf("seed %d: the search ends at %v, the best of all is %v", seed, got, want)
		}
	}
}

// randomScore has gains of single parents and small ones of pairs, so that growing and shrinking is safe.
type randomScore struct{ one, two [4][4]float64 }

func newRandomScore(seed uint64) *randomScore {
	rng := rand.New(rand.NewPCG(seed, 3))
	s := &randomScore{}
	for v := range 4 {
		for p := range 4 {
			s.one[v][p], s.two[v][p] = rng.NormFloat64(), rng.NormFloat64()/50
		}
	}
	return s
}

func (s *randomScore) Score(v int, parents []int) float64 {
	sum := 0.0
	for i, p := range parents {
		sum += s.one[v][p]
		for _, q := range parents[:i] {
			sum += s.two[v][(p+q)%4]
		}
	}
	return sum
}

func (s *randomScore) Additions(dst []float64, v int, parents []int) {
	search.AdditionsByScore(dst, s, v, parents)
}

func permute(a []int, k int, visit func([]int)) {
	if k == len(a) {
		visit(a)
		return
	}
	for i := k; i < len(a); i++ {
		a[k], a[i] = a[i], a[k]
		permute(a, k+1, visit)
		a[k], a[i] = a[i], a[k]
	}
}
