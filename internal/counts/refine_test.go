package counts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestRefineAgainstLoop compares the counts of Refine with a plain loop: each configuration with each level of each column, for tables
// with one and with several words of lanes, weights and targets, and cells of any size.
func TestRefineAgainstLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	many := make([]int, 90)
	for v := range many {
		many[v] = 2 + v%4
	}
	singles, small, large, refused := 0, 0, 0, 0
	for trial := range 45 {
		levels := [][]int{{2, 3, 2, 5, 1, MostLevels + 1, 2, 16}, {3, 3, 3, 3}, many}[trial%3]
		n := []int{1, 5, 64, 700, 2000}[rng.IntN(5)]
		if trial == 1 {
			n = 70000 // counts of more than 16 bits
		}
		s := random(rng, n, levels, trial%4 > 1, trial%8 > 3)
		table := must.Get(New(s.columns, s.o))
		c := table.Counter()
		if trial%10 == 0 {
			c.limit = 2
		}
		for range 3 {
			set := rng.Perm(min(len(levels), 9))[:1+rng.IntN(4)]
			v, parents := set[0], set[1:]
			slices.Sort(parents)
			cells, configs := newRefined(table), newRefined(table)
			if !c.Refine(v, parents, cells.add, configs.add) {
				refused++
				if c.limit > 2 {
					t.Fatalf("v %d, parents %v: refused", v, parents)
				}
				continue
			}
			cells.check(t, s, v, append([]int{v}, parents...))
			configs.check(t, s, v, parents)
			for _, k := range cells.rows {
				switch {
				case k == 1:
					singles++
				case k <= mostFew:
					small++
				default:
					large++
				}
			}
			alone := newRefined(table)
			c.Refine(v, parents, alone.add, nil)
			alone.check(t, s, v, append([]int{v}, parents...))
			alone = newRefined(table)
			c.Refine(v, parents, nil, alone.add)
			alone.check(t, s, v, parents)
		}
	}
	if singles < 100 || small < 1000 || large < 100 || refused == 0 {
		t.Errorf("%d cells with one row, %d with few, %d with many; %d sets refused", singles, small, large, refused)
	}
}

// refined collects what Refine says.
type refined struct {
	t    *Data
	rows []uint32
	with [][]uint32 // by column: the counts of its levels in each configuration with more than one row
}

func newRefined(t *Data) *refined { return &refined{t: t, with: make([][]uint32, t.Variables())} }

func (f *refined) add(rows uint32, few []uint8, many []uint32) {
	f.rows = append(f.rows, rows)
	for _, g := range f.t.Groups() {
		for i, x := range g.Columns {
			if rows == 1 {
				f.with[x] = append(f.with[x], 1)
				continue
			}
			last, lane := rows, g.First+i*(g.Levels-1)
			for range g.Levels - 1 {
				n := uint32(0)
				if rows <= mostFew {
					n = uint32(few[lane])
				} else {
					n = many[lane]
				}
				f.with[x] = append(f.with[x], n)
				last -= n
				lane++
			}
			f.with[x] = append(f.with[x], last)
		}
	}
}

func (f *refined) check(t *testing.T, s sample, v int, set []int) {
	t.Helper()
	if got, want := bag(f.rows), bagOf(s.slow(v, set...)); !slices.Equal(got, want) {
		t.Fatalf("v %d, set %v: %v, want %v", v, set, got, want)
	}
	for x := range s.columns {
		if f.t.Levels(x) > MostLevels {
			if f.with[x] != nil {
				t.Fatalf("column %d with %d levels was counted", x, f.t.Levels(x))
			}
			continue
		}
		if x > 12 && x%29 != v%29 { // the loop is slow
			continue
		}
		if got, want := bag(f.with[x]), bagOf(s.slow(v, append([]int{x}, set...)...)); !slices.Equal(got, want) {
			t.Fatalf("v %d, set %v, column %d: %v, want %v", v, set, x, got, want)
		}
	}
}

// TestBySet checks that a value is found until two generations have passed, and that sets with the same hash are not confused.
func TestBySet(t *testing.T) {
	b := BySet[string]{Most: 2}
	b.Put([]int{1, 2}, "a", 1)
	b.Put([]int{1}, "b", 2)
	b.Put([]int{2}, "c", 1) // a new generation
	if got, ok := b.Get([]int{1, 2}); !ok || got != "a" {
		t.Errorf("got %q, %v from the older generation, want a", got, ok)
	}
	b.Put([]int{3}, "d", 3)
	b.Put([]int{4}, "e", 1) // the second new generation: {1, 2} was used and stays, {1} goes
	if _, ok := b.Get([]int{1, 2}); !ok {
		t.Error("a used value was dropped")
	}
	if _, ok := b.Get([]int{1}); ok {
		t.Error("an unused value outlived two generations")
	}
	if _, ok := b.Get(nil); ok {
		t.Error("found the empty set")
	}
	b.young[keyOf([]int{7})] = setEntry[string]{set: []int{8}, value: "wrong"}
	b.elder[keyOf([]int{9})] = setEntry[string]{set: []int{8}, value: "wrong"}
	for _, v := range []int{7, 9} {
		if got, ok := b.Get([]int{v}); ok {
			t.Errorf("got %q for another set with the same hash", got)
		}
	}
}
