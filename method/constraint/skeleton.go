// Package constraint learns graphs from independence tests with PC, FCI and RFCI.
//
//	s := constraint.New(test, false, constraint.Settings{Alpha: 0.01, MaxGiven: -1, Threads: 2})
//	err := s.Skeleton(ctx)
//	found, err := s.PC(ctx, constraint.BySepset)
//
// Edges are removed by increasing size of the condition, and all tests of one size use the graph from before that size (PC-stable:
// Colombo and Maathuis 2014), so the result depends neither on the order of the pairs nor on threads.
package constraint

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/parallel"
)

type Settings struct {
	// Alpha is the significance level: a pair counts as independent if P is larger.
	Alpha float64
	// MaxGiven is the largest number of columns in a condition; -1 sets no limit.
	MaxGiven int
	// MaxPath is the largest number of edges of the paths for possible d-separating sets and of discriminating paths; 0 sets no
	// limit.
	MaxPath int
	// Selection allows for selection bias.
	Selection bool
	Threads   int
	// Forbidden and Required are prior knowledge; nil for none. The reverse of a required edge is forbidden.
	Forbidden func(i, j int) bool
	Required  []graph.Edge
	// Given, if not nil, says which columns may be in a condition. The neighbours of the others are not used as conditions.
	Given func(v int) bool
	// Tell, if not nil, is called after each condition size with that size and the number of remaining edges.
	Tell func(given, edges int)
	// Pause, if not nil, is called after each condition size; state encodes the search.
	Pause func(state func() []byte)
}

// A Search is one run of a constraint-based search.
type Search struct {
	set   Settings
	test  *independence.Cache
	must  map[graph.Edge]bool // required edges, by From < To
	state state
}

// state is the saved state of a search.
type state struct {
	Near  [][]int              // neighbours, ascending; nil before the unconditional tests are done
	Sep   map[graph.Edge][]int // separating sets from conditional tests, ascending, by From < To
	Level int                  // next condition size of the skeleton search
	Asked int64
	Few   bool // some conditions were too large for the rows
	// Parents and Order belong to the initial DAG; nil if the search began with all pairs.
	Parents [][]int
	Order   []int
	// Gain has the results of Bidirected, by From < To.
	Gain map[graph.Edge]float64
}

// cacheBytes limits the memory of cached test results.
const cacheBytes = 64 << 20

// New returns a search with the complete graph. cached caches test results, for tests that cost more than a lookup.
func New(test independence.Test, cached bool, set Settings) *Search {
	most := int64(0)
	if cached {
		most = cacheBytes
	}
	s := &Search{set: set, test: independence.NewCache(test, most), must: map[graph.Edge]bool{}}
	if s.set.Forbidden == nil {
		s.set.Forbidden = func(int, int) bool { return false }
	}
	for _, e := range set.Required {
		s.must[pair(e.From, e.To)] = true
	}
	s.state.Sep = map[graph.Edge][]int{}
	return s
}

func pair(i, j int) graph.Edge { return graph.Edge{From: min(i, j), To: max(i, j)} }

// Resume restores a state that Pause received.
func (s *Search) Resume(b []byte) error {
	return gob.NewDecoder(bytes.NewReader(b)).Decode(&s.state)
}

// State encodes the search.
func (s *Search) State() []byte {
	var b bytes.Buffer
	at := s.state
	at.Asked = s.Tests()
	if err := gob.NewEncoder(&b).Encode(at); err != nil {
		panic("constraint: " + err.Error()) // a bug: the state has plain fields alone
	}
	return b.Bytes()
}

// Tests returns the number of tests.
func (s *Search) Tests() int64 { return s.state.Asked + s.test.Asked() }

// Few reports whether some conditions were too large for the rows; such pairs stay adjacent.
func (s *Search) Few() bool { return s.state.Few }

// Edges returns the number of edges left.
func (s *Search) Edges() int {
	n := 0
	for _, near := range s.state.Near {
		n += len(near)
	}
	return n / 2
}

// Start begins with the edges of a DAG instead of all pairs. Nonadjacent nodes count as separated by the parents of the later one.
func (s *Search) Start(g *graph.Graph) error {
	if s.state.Near != nil { // a resumed search
		return nil
	}
	order, err := g.Order()
	if err != nil {
		return err
	}
	n := g.N()
	s.state.Near, s.state.Parents, s.state.Order = make([][]int, n), make([][]int, n), make([]int, n)
	for at, v := range order {
		s.state.Order[v] = at
		s.state.Parents[v] = slices.Clone(g.Parents(v))
		s.state.Near[v] = slices.Sorted(slices.Values(slices.Concat(g.Parents(v), g.Children(v))))
	}
	return nil
}

// Begin begins with these neighbours of each node, ascending, instead of all pairs. The others count as separated by the empty set.
func (s *Search) Begin(near [][]int) {
	if s.state.Near == nil { // otherwise a resumed search
		for _, list := range near {
			s.state.Near = append(s.state.Near, slices.Clone(list))
		}
	}
}

// givens returns the neighbours of v that conditions are taken from.
func (s *Search) givens(v int) []int {
	if s.set.Given == nil {
		return s.state.Near[v]
	}
	var out []int
	for _, u := range s.state.Near[v] {
		if s.set.Given(v) && s.set.Given(u) {
			out = append(out, u)
		}
	}
	return out
}

// separate stores a separating set of x and y.
func (s *Search) separate(x, y int, set []int) { s.state.Sep[pair(x, y)] = slices.Clone(set) }

// sepset returns the separating set of the nonadjacent nodes x and y. ok is false if no test separated them, because prior
// knowledge forbids the edge both ways.
func (s *Search) sepset(x, y int) (set []int, ok bool) {
	if set, ok = s.state.Sep[pair(x, y)]; ok {
		return set, true
	}
	if s.state.Parents != nil {
		if s.state.Order[x] > s.state.Order[y] {
			y = x
		}
		return s.state.Parents[y], true
	}
	return nil, !s.apart(x, y) // sets of the unconditional tests are not stored
}

// apart reports whether prior knowledge forbids an edge both ways.
func (s *Search) apart(x, y int) bool { return s.set.Forbidden(x, y) && s.set.Forbidden(y, x) }

func (s *Search) adjacent(x, y int) bool {
	_, ok := slices.BinarySearch(s.state.Near[x], y)
	return ok
}

func (s *Search) remove(x, y int) {
	for range 2 {
		if k, ok := slices.BinarySearch(s.state.Near[x], y); ok {
			s.state.Near[x] = slices.Delete(s.state.Near[x], k, k+1)
		}
		x, y = y, x
	}
}

// independent tests x and y with a worker. A condition that is too large for the rows counts as dependence.
func (s *Search) independent(w independence.Test, x, y int, given []int, few *bool) (bool, error) {
	r, err := w.Independent(x, y, given)
	if errors.Is(err, independence.ErrRows) {
		*few = true
		return false, nil
	}
	return r.P > s.set.Alpha, err
}

// Skeleton removes every edge whose ends are separated by a subset of the neighbours of one end. When the context ends, the result
// of the last complete condition size stays, and the error is the context's.
func (s *Search) Skeleton(ctx context.Context) error {
	if s.state.Near == nil {
		if err := s.all(ctx); err != nil {
			return err
		}
		s.state.Level = 1
		s.pause(0)
	}
	for s.set.MaxGiven < 0 || s.state.Level <= s.set.MaxGiven {
		more, err := s.level(ctx, s.state.Level, func(x, y int) [2][]int {
			return [2][]int{intset.Without(s.givens(x), y), intset.Without(s.givens(y), x)}
		}, nil)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		s.state.Level++
		s.pause(s.state.Level - 1)
	}
	return nil
}

func (s *Search) pause(given int) {
	if s.set.Tell != nil {
		s.set.Tell(given, s.Edges())
	}
	if s.set.Pause != nil {
		s.set.Pause(s.State)
	}
}

// all tests every pair unconditionally.
func (s *Search) all(ctx context.Context) error {
	d := s.test.Columns()
	above := make([][]int, d)
	err := s.parallel(ctx, d, func(w independence.Test, x int, few *bool) error {
		var near []int
		for y := x + 1; y < d; y++ {
			if s.apart(x, y) {
				continue
			}
			if y%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			independent := false
			if !s.must[graph.Edge{From: x, To: y}] {
				var err error
				if independent, err = s.independent(w, x, y, nil, few); err != nil {
					return err
				}
			}
			if !independent {
				near = append(near, y)
			}
		}
		above[x] = near
		return nil
	})
	if err != nil {
		return err
	}
	s.state.Near = make([][]int, d)
	for x, near := range above {
		for _, y := range near {
			s.state.Near[y] = append(s.state.Near[y], x)
		}
	}
	for x, near := range above {
		s.state.Near[x] = append(s.state.Near[x], near...)
	}
	return nil
}

// level tests every adjacent pair given the sets of one size from each of two lists, and removes separated pairs. Subsets of known
// were tested before; nil for none. It reports whether there were sets of that size.
func (s *Search) level(ctx context.Context, size int, lists func(x, y int) [2][]int, known func(x, y int) [2][]int) (more bool, err error) {
	var pairs []graph.Edge
	for x, near := range s.state.Near {
		for _, y := range near {
			if x < y && !s.must[graph.Edge{From: x, To: y}] {
				pairs = append(pairs, graph.Edge{From: x, To: y})
			}
		}
	}
	found := make([][]int, len(pairs))
	var some atomic.Bool
	err = s.parallel(ctx, len(pairs), func(w independence.Test, k int, few *bool) error {
		x, y := pairs[k].From, pairs[k].To
		both := lists(x, y)
		var before [][]int
		if known != nil {
			b := known(x, y)
			before = b[:]
		}
		asked := 0
		for _, list := range both {
			if len(list) >= size {
				some.Store(true)
			}
			var failed error
			subsets(list, size, func(set []int) bool {
				if slices.ContainsFunc(before, func(b []int) bool { return within(set, b) }) {
					return true
				}
				if asked++; asked%256 == 0 && ctx.Err() != nil {
					failed = ctx.Err()
					return false
				}
				independent, err := s.independent(w, x, y, set, few)
				if independent {
					found[k] = slices.Clone(set)
					if found[k] == nil {
						found[k] = []int{}
					}
				}
				failed = err
				return !independent && err == nil
			})
			if failed != nil || found[k] != nil {
				return failed
			}
			before = append(before, list)
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	for k, e := range pairs {
		if found[k] != nil {
			s.remove(e.From, e.To)
			s.separate(e.From, e.To, found[k])
		}
	}
	return some.Load(), nil
}

// parallel calls each for 0 … n-1 on several threads, and returns the first error in that order. each sets few if a condition was too large
// for the rows.
func (s *Search) parallel(ctx context.Context, n int, each func(w independence.Test, k int, few *bool) error) error {
	workers := max(1, s.set.Threads)
	errs, fews := make([]error, workers), make([]bool, workers)
	parallel.Each(ctx, n, workers, func(t int) func(int) {
		w := independence.WorkerOf(s.test)
		return func(k int) {
			if errs[t] == nil {
				errs[t] = each(w, k, &fews[t])
			}
		}
	})
	s.state.Few = s.state.Few || slices.Contains(fews, true)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(errs...)
}

// within reports whether an ascending set is a subset of an ascending list.
func within(set, list []int) bool {
	for _, v := range set {
		if _, ok := slices.BinarySearch(list, v); !ok {
			return false
		}
	}
	return true
}

// subsets calls visit with every subset of the given size, in lexicographic order, until it returns false. The set is valid only
// during the call.
func subsets(list []int, size int, visit func(set []int) bool) {
	if size > len(list) {
		return
	}
	at, set := make([]int, size), make([]int, size)
	for i := range at {
		at[i], set[i] = i, list[i]
	}
	for visit(set) {
		i := size - 1
		for i >= 0 && at[i] == len(list)-size+i {
			i--
		}
		if i < 0 {
			return
		}
		at[i]++
		for j := i + 1; j < size; j++ {
			at[j] = at[j-1] + 1
		}
		for j := i; j < size; j++ {
			set[j] = list[at[j]]
		}
	}
}
