package counts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// skewed draws binary columns, each dependent on the one before, whose rare level is 1 in some and 0 in others.
func skewed(rng *rand.Rand, n, d int) *Data {
	columns := make([][]int, d)
	for v := range columns {
		columns[v] = make([]int, n)
		share := 0.05 + 0.6*rng.Float64()
		for i := range columns[v] {
			p := share
			if v > 0 && columns[v-1][i] == 1 {
				p = min(0.95, 1.5*share)
			}
			if rng.Float64() < p {
				columns[v][i] = 1
			}
		}
		columns[v][0], columns[v][1] = 0, 1
	}
	t, err := New(columns, Rows{})
	if err != nil {
		panic(err)
	}
	return t
}

// TestRareJointsAgainstSorting compares joints from rare rows with joints from sorting. It covers any order of
// the sets, more columns than bits in a word, several goroutines, and a restarted tree.
func TestRareJointsAgainstSorting(t *testing.T) {
	for trial, d := range []int{7, 7, 40, 70} {
		rng := rand.New(rand.NewPCG(uint64(trial), 8))
		table := skewed(rng, []int{2, 65, 1500, 700}[trial], d)
		var all sync.WaitGroup
		for g := range 2 {
			rng := rand.New(rand.NewPCG(uint64(trial), uint64(g)))
			all.Go(func() {
				c := table.Counter()
				c.joint(nil) // finds the rare levels
				for range 60 {
					set := rng.Perm(d)[:1+rng.IntN(6)]
					slices.Sort(set)
					x := set[rng.IntN(len(set))]
					smaller := c.joint(slices.DeleteFunc(slices.Clone(set), func(y int) bool { return y == x }))
					if rng.IntN(10) == 0 {
						table.joints.treeSize.Store(rareMemory + 1)
					}
					got, want := c.joinRare(set, x, smaller), c.join(set, x, smaller)
					if !slices.Equal(got.rows, want.rows) || !slices.Equal(got.lanes, want.lanes) {
						t.Errorf("d %d, set %v, x %d: %v, want %v", d, set, x, got.rows, want.rows)
						return
					}
				}
			})
		}
		all.Wait()
	}
}

// TestWhereRareJointsPay checks that this method is used for large binary tables only.
func TestWhereRareJointsPay(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for _, k := range []struct {
		table *Data
		set   []int
		want  bool
	}{
		{skewed(rng, 3000, 6), []int{1, 2, 3}, true},
		{skewed(rng, 60, 6), []int{1, 2, 3, 4, 5}, false},
		{skewed(rng, 400, 320), []int{1, 2}, false},
		{skewed(rng, 400, 200), []int{1, 2}, true},
		{func() *Data {
			table, _ := New(random(rng, 3000, []int{2, 3, 2}, false, false).columns, Rows{})
			return table
		}(), []int{0, 1, 2}, false},
	} {
		c := k.table.Counter()
		c.joint(k.set)
		if got := k.table.joints.tree.Load() != nil && c.rarePays(k.set, k.set[0]); got != k.want {
			t.Errorf("%d rows, set %v: %v, want %v", k.table.rows, k.set, got, k.want)
		}
	}
}

// BenchmarkJoint grows sets by one column at a time, as a search does, and counts each for every child.
func BenchmarkJoint(b *testing.B) {
	t := skewed(rand.New(rand.NewPCG(9, 9)), 30000, 40)
	for _, size := range []int{3, 5, 7} {
		for name, join := range map[string]func(*Counter, []int, int, *joint) *joint{"sorting": (*Counter).join, "rare": (*Counter).joinRare} {
			b.Run(fmt.Sprintf("columns=%d/way=%s", size, name), func(b *testing.B) {
				c, rng := t.Counter(), rand.New(rand.NewPCG(1, 1))
				for b.Loop() {
					set := rng.Perm(12)[:size] // a search uses sets that overlap
					slices.Sort(set)
					join(c, set, set[0], c.joint(set[1:]))
				}
			})
		}
	}
}
