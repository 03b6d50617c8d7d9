package counts

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestJointsAgainstLoop compares counting by joints with a plain loop: all further columns, the family itself,
// and the family without each parent, for any order of the sets and after smaller joints were dropped.
func TestJointsAgainstLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	many := make([]int, 70) // more than one word of lanes
	for v := range many {
		many[v] = 2 + v%3
	}
	asked, turned := 0, 0
	for trial := range 36 {
		levels := [][]int{{2, 2, 2, 2, 2, 2, 2}, {2, 3, 2, 5, 1, MostLevels + 1, 2, 16}, many}[trial%3]
		n := []int{1, 3, 64, 129, 700, 1500}[rng.IntN(6)]
		s := random(rng, n, levels, false, false)
		table := must.Get(New(s.columns, s.o))
		c := table.Counter()
		for range 12 {
			if rng.IntN(3) == 0 { // full: the elder generation goes
				table.joints.bySet.size = jointMemory + 1
				turned++
			}
			set := rng.Perm(min(len(levels), 12))[:1+rng.IntN(5)]
			v, parents := set[0], set[1:]
			slices.Sort(parents)
			if !checkJoint(t, s, c, v, parents) {
				continue
			}
			asked++
		}
	}
	if asked < 300 || turned < 100 {
		t.Errorf("%d sets were compared, want at least 400; the cache was full %d times", asked, turned)
	}
}

// checkJoint returns false if the set has a column with too many levels.
func checkJoint(t *testing.T, s sample, c *Counter, v int, parents []int) bool {
	t.Helper()
	if known := c.Joinable(v, parents) && c.t.joints.get(c.family) != nil; !known {
		checkLess(t, s, c, v, parents)
	}
	got := make([][]uint32, len(s.columns))
	ok := c.Joined(v, parents, func(y *Tally) {
		for x, counts := range y.Levels {
			got[x] = append(got[x], counts...)
		}
	})
	family := append([]int{v}, parents...)
	if wide := slices.ContainsFunc(family, func(x int) bool { return c.t.Levels(x) > MostLevels }); wide == ok {
		t.Fatalf("v %d, parents %v: answered %v", v, parents, ok)
	}
	if !ok {
		return false
	}
	for x := range s.columns {
		if c.t.Levels(x) > MostLevels || x > 12 && x%9 != v { // the loop is slow
			continue
		}
		if want := bagOf(s.slow(v, append([]int{x}, family...)...)); !slices.Equal(bag(got[x]), want) {
			t.Fatalf("v %d, parents %v, x %d: %v, want %v", v, parents, x, bag(got[x]), want)
		}
	}
	cells, configs, ok := c.Known(v, parents)
	if !ok || !slices.Equal(bag(cells), bagOf(s.slow(v, family...))) || !slices.Equal(bag(configs), bagOf(s.slow(v, parents...))) {
		t.Fatalf("v %d, parents %v: family %v and %v, known %v", v, parents, cells, configs, ok)
	}
	checkLess(t, s, c, v, parents)
	return true
}

// checkLess compares the family without each parent with a loop.
func checkLess(t *testing.T, s sample, c *Counter, v int, parents []int) {
	t.Helper()
	for i := range parents {
		less := slices.Delete(slices.Clone(parents), i, i+1)
		cells, configs, ok := c.Less(v, parents, i)
		if ok != c.Joinable(v, parents) || ok && !slices.Equal(bag(cells), bagOf(s.slow(v, append([]int{v}, less...)...))) || ok && !slices.Equal(bag(configs), bagOf(s.slow(v, less...))) {
			t.Fatalf("v %d, parents %v without %d: %v and %v, ok %v", v, parents, parents[i], cells, configs, ok)
		}
	}
}

// TestJointsRefuse checks that joints are used only for plain rows and for sets that are not too large.
func TestJointsRefuse(t *testing.T) {
	s := random(rand.New(rand.NewPCG(3, 1)), 50, []int{2, 2, 2}, true, false)
	weighted, _ := New(s.columns, s.o)
	targeted := random(rand.New(rand.NewPCG(3, 1)), 50, []int{2, 2, 2}, false, true)
	under, _ := New(targeted.columns, targeted.o)
	large, _ := New(random(rand.New(rand.NewPCG(3, 1)), 200, []int{16, 16, 16, 16, 16}, false, false).columns, Rows{})
	never := func(*Tally) { t.Error("visited") }
	if weighted.Counter().Joined(0, []int{1}, never) || under.Counter().Joined(0, []int{1}, never) || large.Counter().Joined(0, []int{1, 2, 3}, never) {
		t.Error("counted what joints are not for")
	}
	if _, _, ok := large.Counter().Known(0, []int{1}); ok {
		t.Error("known before anybody asked")
	}
	plain, _ := New(s.columns, Rows{})
	if !plain.Counter().Joined(0, []int{1}, func(*Tally) {}) || weighted.Counter().Joined(0, []int{1}, never) {
		t.Error("weights decide")
	}
}

// TestJointsAreShared checks that counters of several goroutines share the joints of a table.
func TestJointsAreShared(t *testing.T) {
	s := random(rand.New(rand.NewPCG(4, 1)), 500, []int{2, 3, 2, 2, 3, 2}, false, false)
	table, _ := New(s.columns, s.o)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			c := table.Counter()
			for k := range 24 {
				v := (k + g) % 6
				parents := slices.DeleteFunc([]int{0, 1, 2, 3, 4, 5}, func(x int) bool { return x == v || x == (k/6+g)%6 })
				if !checkJoint(t, s, c, v, parents) {
					t.Error("refused")
				}
			}
		})
	}
	all.Wait()
}

// TestKnownWithinHeld compares the counts of subsets of a set that was counted before with those of the rows. A set with more than one
// configuration for two rows is not counted.
func TestKnownWithinHeld(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for range 20 {
		s := random(rng, 400, []int{2, 3, 2, 4, 2, 3}, false, false)
		table := must.Get(New(s.columns, s.o))
		c, slow := table.Counter(), table.Counter()
		held := rng.Perm(6)[:4]
		slices.Sort(held)
		size := 1
		for _, x := range held {
			size *= table.Levels(x)
		}
		c.Hold(held)
		for range 20 {
			set := rng.Perm(6)[:1+rng.IntN(4)]
			v, parents := set[0], set[1:]
			slices.Sort(parents)
			within := !slices.ContainsFunc(set, func(x int) bool { return !slices.Contains(held, x) })
			cells, configs, ok := c.Known(v, parents)
			if ok != (within && 2*size <= 400) {
				t.Fatalf("held %v with %d configurations: %d given %v is known %v", held, size, v, parents, ok)
			}
			if !ok {
				continue
			}
			want := slow.latest(slices.Sorted(slices.Values(set)))
			if !slices.Equal(cells, want.rows) {
				t.Errorf("held %v, %d given %v: %v, want %v", held, v, parents, cells, want.rows)
			}
			if sums := want.without(slow, &slow.configs, v, want.rows); !slices.Equal(configs, sums) {
				t.Errorf("held %v, %d given %v: configurations %v, want %v", held, v, parents, configs, sums)
			}
		}
		if c.Hold(nil); c.within(held[:1]) != nil {
			t.Error("an empty set is held")
		}
	}
}
