package counts

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// sample is a table with everything that may come with it, in the caller's order of rows.
type sample struct {
	columns [][]int
	o       Rows
}

// random draws a table whose columns depend on their neighbours.
func random(rng *rand.Rand, n int, levels []int, weighted, targeted bool) sample {
	s := sample{columns: make([][]int, len(levels))}
	for v, r := range levels {
		s.columns[v] = make([]int, n)
		for i := range n {
			k := rng.IntN(r)
			if v > 0 && rng.IntN(3) > 0 {
				k = s.columns[v-1][i] % r
			}
			s.columns[v][i] = k
		}
	}
	if weighted {
		s.o.Weights = make([]uint32, n)
		heavy := rng.IntN(2) == 0
		for i := range n {
			s.o.Weights[i] = uint32(rng.IntN(4))
			if heavy && rng.IntN(20) == 0 {
				s.o.Weights[i] = uint32(200 + rng.IntN(200))
			}
		}
	}
	if targeted {
		s.o.Targets = [][]int{nil, {0}, {1, 2}, {}}
		s.o.Environments = make([]int, n)
		for i := range n {
			s.o.Environments[i] = rng.IntN(len(s.o.Targets))
		}
	}
	return s
}

// slow counts configurations of the columns, in the rows that count for v, by a loop over the caller's rows.
func (s sample) slow(v int, set ...int) map[string]uint32 {
	out := make(map[string]uint32)
	var key []byte
	for i := range s.columns[0] {
		if s.o.Environments != nil && slices.Contains(s.o.Targets[s.o.Environments[i]], v) {
			continue
		}
		w := uint32(1)
		if s.o.Weights != nil {
			w = s.o.Weights[i]
		}
		key = key[:0]
		for _, u := range set {
			key = binary.AppendUvarint(key, uint64(s.columns[u][i]))
		}
		if w > 0 {
			out[string(key)] += w
		}
	}
	return out
}

// bag returns the counts that are not zero, sorted.
func bag(counts []uint32) []uint32 {
	out := slices.DeleteFunc(slices.Clone(counts), func(n uint32) bool { return n == 0 })
	slices.Sort(out)
	return out
}

func bagOf(m map[string]uint32) []uint32 { return bag(slices.Collect(maps.Values(m))) }

// TestAgainstLoop checks that every way to count agrees with the plain loop, and every one of them is reached.
func TestAgainstLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	two := []int{2, 2, 2, 2, 2, 2, 2}
	mixed := []int{2, 3, 2, 5, 1, 17, 2, 300}
	reached := make(map[way]int)
	repeated, multiplied := 0, 0
	for trial := range 96 {
		levels := two
		if trial%2 == 1 {
			levels = mixed
		}
		n := []int{1, 3, 64, 129, 700, 1500}[rng.IntN(6)]
		s := random(rng, n, levels, trial%4 > 1, trial%8 > 3)
		s.o.Merge = trial%16 > 7
		table := must.Get(New(s.columns, s.o))
		if table.repeats {
			repeated++
		} else if table.weights != nil {
			multiplied++
		}
		c := table.Counter()
		if trial%5 == 0 {
			c.limit = 8 // nearly everything is sparse
		}
		for range 8 {
			set := rng.Perm(len(levels))[:1+rng.IntN(6)]
			v, parents := set[0], set[1:]
			cells, configs := c.Family(v, parents)
			reached[c.way]++
			if got, want := bag(cells), bagOf(s.slow(v, set...)); !slices.Equal(got, want) {
				t.Fatalf("trial %d, way %d, v %d, parents %v: cells %v, want %v", trial, c.way, v, parents, got, want)
			}
			if got, want := bag(configs), bagOf(s.slow(v, parents...)); !slices.Equal(got, want) {
				t.Fatalf("trial %d, way %d, v %d, parents %v: configurations %v, want %v", trial, c.way, v, parents, got, want)
			}
			checkExtend(t, s, c, v, parents, reached)
		}
	}
	if repeated < 10 || multiplied < 10 {
		t.Errorf("%d tables with repeated rows and %d with weights", repeated, multiplied)
	}
	for w := byBits; w <= byLanes; w++ {
		if reached[w] < 20 {
			t.Errorf("way %d was reached %d times, want at least 20", w, reached[w])
		}
	}
}

// checkExtend compares the tallies with loops over the rows.
func checkExtend(t *testing.T, s sample, c *Counter, v int, parents []int, reached map[way]int) {
	t.Helper()
	d := len(s.columns)
	got := make([][]uint32, d) // with v, for each x
	var child []uint32
	ok := c.Extend(v, parents, func(y *Tally) {
		child = append(child, y.Child...)
		for x, counts := range y.Levels {
			got[x] = append(got[x], counts...)
		}
	})
	if !ok {
		if c.t.rows*c.t.Levels(v) <= c.limit {
			t.Fatalf("v %d, parents %v: refused with %d rows", v, parents, c.t.rows)
		}
		return
	}
	reached[c.way]++
	if want := bagOf(s.slow(v, append([]int{v}, parents...)...)); !slices.Equal(bag(child), want) {
		t.Fatalf("way %d, v %d, parents %v: child %v, want %v", c.way, v, parents, bag(child), want)
	}
	for x := range d {
		if c.t.Levels(x) > MostLevels {
			if got[x] != nil {
				t.Fatalf("column %d with %d levels was counted", x, c.t.Levels(x))
			}
			continue
		}
		if want := bagOf(s.slow(v, append([]int{v, x}, parents...)...)); !slices.Equal(bag(got[x]), want) {
			t.Fatalf("way %d, v %d, parents %v, x %d: %v, want %v", c.way, v, parents, x, bag(got[x]), want)
		}
	}
}

// TestTallyLayout checks the documented positions of the entries of a tally by hand.
func TestTallyLayout(t *testing.T) {
	table := must.Get(New([][]uint8{{0, 0, 0, 1, 1}, {0, 1, 2, 2, 2}, {7, 7, 7, 7, 7}}, Rows{Weights: []uint32{1, 2, 3, 4, 5}}))
	visits := 0
	table.Counter().Extend(0, nil, func(y *Tally) {
		visits++
		if !slices.Equal(y.Child, []uint32{6, 9}) || !slices.Equal(y.Levels[1], []uint32{1, 0, 2, 0, 3, 9}) || !slices.Equal(y.Levels[2], []uint32{6, 9}) {
			t.Errorf("%v", *y)
		}
	})
	if visits != 1 {
		t.Errorf("%d configurations of no parents, want 1", visits)
	}
}

func TestMergeKeepsTheTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	s := random(rng, 2000, []int{2, 3, 2}, false, true)
	plain, _ := New(s.columns, s.o)
	s.o.Merge = true
	merged, _ := New(s.columns, s.o)
	if merged.Rows() > 12*4 || merged.Rows() < 12 {
		t.Errorf("%d rows after merging 12 configurations in 4 environments", merged.Rows())
	}
	for v := range 3 {
		if plain.Total(v) != merged.Total(v) || plain.Total(v) == 0 {
			t.Errorf("total of %d: %d, merged %d", v, plain.Total(v), merged.Total(v))
		}
	}
	if plain.Total(0) == 2000 || plain.Total(1) != plain.Total(2) || !plain.HasTargets() {
		t.Errorf("totals %d %d %d", plain.Total(0), plain.Total(1), plain.Total(2))
	}
	left := 0
	for i := range plain.Rows() {
		if !plain.Excluded(0, i) {
			left++
		}
	}
	if uint64(left) != plain.Total(0) {
		t.Errorf("%d rows are not excluded, the total is %d", left, plain.Total(0))
	}
}

// TestMergeComparesLevels checks that rows with equal hashes and different levels are not merged.
func TestMergeComparesLevels(t *testing.T) {
	table, _ := New([][]int{{1, 2, 1, 2, 3}}, Rows{})
	rows, _, weights := table.distinct([]int{0, 5}, nil)
	if len(rows) != 3 || !slices.Equal(weights, []uint32{2, 2, 1}) {
		t.Fatalf("rows %v, weights %v", rows, weights)
	}
	if table.same(0, 1) || !table.same(0, 2) {
		t.Error("same")
	}
}

// TestCodesAreNames checks that only the equality of codes matters.
func TestCodesAreNames(t *testing.T) {
	a, _ := New([][]int64{{-5, 1 << 60, -5, 0}, {3, 3, 3, 3}}, Rows{})
	if a.Levels(0) != 3 || a.Levels(1) != 1 {
		t.Fatalf("levels %d, %d", a.Levels(0), a.Levels(1))
	}
	for i, want := range []int{0, 2, 0, 1} {
		if got := a.Level(0, i); got != want {
			t.Errorf("row %d: level %d, want %d", i, got, want)
		}
	}
}

// TestManyLevels checks that columns of up to 256, 65,536 and more levels are stored in three ways.
func TestManyLevels(t *testing.T) {
	const n = 70000
	ids, half := make([]int, n), make([]int, n)
	for i := range n {
		ids[i], half[i] = n-i, i%2
	}
	table := must.Get(New([][]int{ids, half}, Rows{}))
	if table.Levels(0) != n || table.columns[0].wide == nil {
		t.Fatalf("%d levels", table.Levels(0))
	}
	cells, configs := table.Counter().Family(1, []int{0})
	if b := bag(cells); len(b) != n || b[n-1] != 1 || len(bag(configs)) != n {
		t.Errorf("%d cells", len(b))
	}
}

// TestNoAllocations checks that calls after the first with a variable of the same number of levels allocate
// nothing.
func TestNoAllocations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, levels := range [][]int{{2, 2, 2, 2}, {2, 3, 4, 5}} {
		s := random(rng, 1000, levels, false, false)
		table, _ := New(s.columns, s.o)
		c := table.Counter()
		visit := func(*Tally) {}
		parents := []int{1, 2}
		for _, limit := range []int{8, 1 << 16} {
			c.limit = limit
			if a := testing.AllocsPerRun(5, func() {
				c.Family(0, parents)
				c.Family(3, parents)
				c.Extend(0, parents, visit)
				c.Extend(3, parents, visit)
				c.Extend(0, nil, visit)
			}); a != 0 {
				t.Errorf("levels %v, limit %d: %v allocations", levels, limit, a)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	col := [][]int{{0, 1}}
	for want, make := range map[string]func() (*Data, error){
		"a table without columns; give at least one": func() (*Data, error) { return New[int](nil, Rows{}) },
		"a table without rows; give at least one":    func() (*Data, error) { return New([][]int{{}}, Rows{}) },
		"column 2 has 1 rows, column 1 has 2":        func() (*Data, error) { return New([][]int{{0, 1}, {1}}, Rows{}) },
		"1 weights for 2 rows":                       func() (*Data, error) { return New(col, Rows{Weights: []uint32{1}}) },
		"the weights sum to 4294967296, want at most 4294967295; divide them by a common factor": func() (*Data, error) { return New(col, Rows{Weights: []uint32{1<<32 - 1, 1}}) },
		"options Environments and Targets go together; one of them is nil":                       func() (*Data, error) { return New(col, Rows{Environments: []int{0, 0}}) },
		"row 2: environment 1, but Targets has 0 to 0":                                           func() (*Data, error) { return New(col, Rows{Environments: []int{0, 1}, Targets: [][]int{{}}}) },
		"1 environments for 2 rows":                                                              func() (*Data, error) { return New(col, Rows{Environments: []int{0}, Targets: [][]int{{}}}) },
		"environment 0: target 1, want a column from 0 to 0":                                     func() (*Data, error) { return New(col, Rows{Environments: []int{0, 0}, Targets: [][]int{{1}}}) },
	} {
		if _, err := make(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
