package pictures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestPairsAgree checks the pairs of an effect against the table: they differ in the cause, agree on the set, and no picture is
// in two of them.
func TestPairsAgree(t *testing.T) {
	dir, columns := scenes(t, 200)
	rows := read(t, Columns{Names: attributes}, columns...)
	effects := []Effect{
		{Cause: "red", Outcome: "large", Set: []string{"third"}, After: []string{"large"}},
		{Cause: "third", Outcome: "red", Set: []string{}, After: []string{"red", "large"}},
		{Cause: "third", Outcome: "large", Set: []string{}, After: []string{"red", "large"}},
		{Cause: "gone", Outcome: "large"},
		{Cause: "large", Outcome: "red", Set: []string{"gone", "third"}, After: []string{"red"}},
	}
	set, _, err := Make(context.Background(), rows, opened(t, dir), nil, effects, DefaultSettings())
	must.Succeed(t, err)
	if len(set.Matches) != 3 || !slices.Equal(set.Matches[1].Outcomes, []string{"red", "large"}) || !slices.Equal(set.Matches[2].Unread, []string{"gone"}) {
		t.Fatalf("matches %+v", set.Matches)
	}
	value := func(name string, k int) float64 {
		return columns[1+slices.Index(attributes, name)].Numbers[slices.Index(columns[0].Text, set.Pictures[k].Name)]
	}
	said := map[float64]string{0: "no", 1: "yes"}
	for _, m := range set.Matches {
		seen := map[int]bool{}
		if len(m.Pairs) != mostPairs || m.Rows != 200 || m.Compared != 200 {
			t.Errorf("%s: %d pairs of %d rows", m.Cause, len(m.Pairs), m.Rows)
		}
		for _, p := range m.Pairs {
			a, b := p.Pictures[0], p.Pictures[1]
			if value(m.Cause, a) != 1 || value(m.Cause, b) != 0 || len(p.Differ) > 0 {
				t.Errorf("%s: a pair of %v and %v, differing in %v", m.Cause, value(m.Cause, a), value(m.Cause, b), p.Differ)
			}
			for k, name := range slices.Concat([]string{m.Cause}, m.Set, m.Outcomes) {
				want := [2]string{}
				if name != "gone" {
					want = [2]string{said[value(name, a)], said[value(name, b)]}
				}
				if got := [2]string{p.Values[0][k], p.Values[1][k]}; got != want {
					t.Errorf("%s: values of %s are %v, want %v", m.Cause, name, got, want)
				}
				if slices.Contains(m.Set, name) && want[0] != want[1] {
					t.Errorf("%s: the pair differs in %s", m.Cause, name)
				}
			}
			if seen[a] || seen[b] {
				t.Errorf("%s: a picture is in two pairs", m.Cause)
			}
			seen[a], seen[b] = true, true
		}
	}
	if pairs := set.Matches[0].Pairs; !isColour(pixel(t, set.Pictures[pairs[0].Pictures[0]], 0.5, 0.5), red) || !isColour(pixel(t, set.Pictures[pairs[0].Pictures[1]], 0.5, 0.5), blue) {
		t.Error("the first pair is not red and blue")
	}
}

// TestPairsDiffer has a cause that determines a column of the set, so that no pair agrees on all columns, and a constant cause.
func TestPairsDiffer(t *testing.T) {
	dir, columns := scenes(t, 60)
	same := slices.Clone(columns[1].Numbers)
	columns = append(columns, dataset.MemoryColumn{Name: "same", Numbers: same}, dataset.MemoryColumn{Name: "constant", Numbers: make([]float64, 60)})
	rows := read(t, Columns{Names: append(slices.Clone(attributes), "same", "constant")}, columns...)
	effects := []Effect{{Cause: "red", Outcome: "large", Set: []string{"same", "third"}}, {Cause: "constant", Outcome: "large"}}
	set, _, err := Make(context.Background(), rows, opened(t, dir), nil, effects, DefaultSettings())
	must.Succeed(t, err)
	for _, p := range set.Matches[0].Pairs {
		if !slices.Equal(p.Differ, []string{"same"}) {
			t.Errorf("a pair differs in %v", p.Differ)
		}
	}
	if len(set.Matches[0].Pairs) != mostPairs || len(set.Matches[1].Pairs) != 0 || set.Matches[1].Rows != 0 {
		t.Errorf("matches %+v %+v", set.Matches[0], set.Matches[1])
	}
}

// drawnColumns draws a cause with three groups, a set of two levels and a number, both with missing values, and another column.
func drawnColumns(rng *rand.Rand, n int) (rows []int32, cause *grouping, set []*covariate, others []*grouping) {
	cause = &grouping{labels: []string{"a", "b", "c"}, codes: make([]uint8, n)}
	other := &grouping{labels: []string{"a", "b"}, codes: make([]uint8, n)}
	levels, numbers := &covariate{codes: make([]int32, n)}, &covariate{numbers: make([]float64, n), std: 1}
	for i := range n {
		rows = append(rows, int32(i))
		cause.codes[i], other.codes[i] = uint8(rng.IntN(3)), uint8(rng.IntN(2))
		levels.codes[i] = int32(rng.IntN(4)) - 1
		if numbers.numbers[i] = math.Round(10*rng.NormFloat64()) / 10; rng.IntN(9) == 0 {
			numbers.numbers[i] = math.NaN()
		}
	}
	return rows, cause, []*covariate{levels, numbers}, []*grouping{other}
}

// TestNearestSlowly compares the nearest pair with that of all pairs, and checks each pair by the definition.
func TestNearestSlowly(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 60 {
		rows, cause, set, others := drawnColumns(rng, 2+rng.IntN(40))
		if round%2 == 0 { // without bytes
			set[0].levels = mostInByte + 1
		}
		want := []float64{math.Inf(1), 0, 0}
		score := func(i, j int32) []float64 {
			count, distance, unlike := 0.0, 0.0, 0.0
			if set[0].codes[i] != set[0].codes[j] || set[0].codes[i] == -1 {
				count++
			}
			switch d := math.Abs(set[1].numbers[i] - set[1].numbers[j]); {
			case d != d:
				count++
			case d > 0.2:
				count, distance = count+1, d
			default:
				distance = d
			}
			if others[0].codes[i] != others[0].codes[j] {
				unlike++
			}
			return []float64{count, distance, unlike}
		}
		for i := range rows {
			for j := range i {
				if s := score(int32(i), int32(j)); cause.codes[i] != cause.codes[j] && slices.Compare(s, want) < 0 {
					want = s
				}
			}
		}
		got := nearest(rows, cause, set, others)
		if len(got) == 0 {
			if !math.IsInf(want[0], 1) {
				t.Fatal("no pair")
			}
			continue
		}
		if first := score(got[0].a, got[0].b); slices.Compare(first, want) != 0 {
			t.Fatalf("the nearest pair has %v, want %v", first, want)
		}
		used := map[int32]bool{}
		last := want
		for _, p := range got {
			s := score(p.a, p.b)
			if slices.Compare(s, last) < 0 || float64(len(p.differ)) != s[0] || cause.codes[p.a] >= cause.codes[p.b] || used[p.a] || used[p.b] {
				t.Fatalf("pair %+v with %v after %v", p, s, last)
			}
			last, used[p.a], used[p.b] = s, true, true
		}
	}
}

// TestThinKeepsAgreement has many rows of which few agree with a row of another group. These are among the chosen ones.
func TestThinKeepsAgreement(t *testing.T) {
	const n = 5000
	cause, key := &grouping{labels: []string{"a", "b"}, codes: make([]uint8, n)}, &covariate{codes: make([]int32, n)}
	var rows []int32
	for i := range n {
		rows = append(rows, int32(i))
		cause.codes[i], key.codes[i] = uint8(i%2), int32(i) // each row has a value of its own
	}
	for k := range 10 {
		key.codes[4000+2*k] = key.codes[401+2*k]
	}
	chosen := thin(rows, cause, []*covariate{key}, 500)
	if len(chosen) != 500 || !slices.IsSorted(chosen) || len(slices.Compact(slices.Clone(chosen))) != 500 {
		t.Fatalf("%d rows", len(chosen))
	}
	agree := 0
	for _, p := range nearest(chosen, cause, []*covariate{key}, nil) {
		if p.count == 0 {
			agree++
		}
	}
	if agree != 10 {
		t.Errorf("%d pairs agree, want 10", agree)
	}
	if all := thin(rows, cause, nil, 500); len(all) != 500 {
		t.Errorf("%d rows without a set", len(all))
	}
	if x := uint64(0x00ff010000800001); differing(x) != 4 || differing(0) != 0 {
		t.Errorf("%d bytes differ", differing(x))
	}
}

// TestThinIsEven checks that blocks with rows of both groups have equal numbers of the chosen rows, up to their sizes, and that with more blocks
// than rows to choose each has one row of a group at most.
func TestThinIsEven(t *testing.T) {
	chosen := func(sizes []int, single, most int) (count []int) {
		cause, key := &grouping{labels: []string{"a", "b"}}, &covariate{}
		var rows []int32
		add := func(block, group int) {
			rows = append(rows, int32(len(rows)))
			cause.codes, key.codes = append(cause.codes, uint8(group)), append(key.codes, int32(block))
		}
		for b, n := range sizes {
			for k := range n {
				add(b, k%2)
			}
		}
		for k := range single { // rows of one group in blocks of their own
			add(len(sizes)+k, 0)
		}
		count = make([]int, len(sizes)+1)
		for _, row := range thin(rows, cause, []*covariate{key}, most) {
			count[min(int(key.codes[row]), len(sizes))]++
		}
		return count
	}
	for _, c := range []struct {
		sizes        []int
		single, most int
		want         []int
	}{
		{[]int{400, 60}, 0, 40, []int{20, 20, 0}},         // 10 of each group and block
		{[]int{400, 60, 50}, 0, 36, []int{12, 12, 12, 0}}, // 6 of each
		{[]int{400, 6}, 100, 106, []int{52, 6, 48}},       // 26 of each at most; the rest is evenly spaced over 348 + 100 rows
	} {
		got := chosen(c.sizes, c.single, c.most)
		if c.single == 0 && !slices.Equal(got, c.want) {
			t.Errorf("blocks of %v rows: %v chosen, want %v", c.sizes, got, c.want)
		}
		if c.single > 0 && (got[0] < c.want[0] || got[1] != c.want[1] || got[0]+got[1]+got[2] != c.most) {
			t.Errorf("blocks of %v rows: %v chosen, want at least %v", c.sizes, got, c.want)
		}
	}
	many := make([]int, 300)
	for b := range many {
		many[b] = 4
	}
	got := chosen(many, 0, 100)
	var pairs, late, more int
	for b, n := range got[:300] {
		switch {
		case n > 2:
			more++
		case n == 2 && b >= 150:
			late++
			fallthrough
		case n == 2:
			pairs++
		}
	}
	if pairs < 30 || pairs > 60 || late < 10 || more > 3 {
		t.Errorf("%d of 300 blocks have two of the 100 chosen rows, %d of them in the second half, and %d have more; want about 50, 25 and none", pairs, late, more)
	}
}

// BenchmarkMatches pairs the rows of a table like CelebA: 200,000 rows, 40 attributes, 300 adjustment sets.
func BenchmarkMatches(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d = 200_000, 40
	var columns []dataset.MemoryColumn
	var names []string
	for j := range d {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(rng.IntN(2))
		}
		names = append(names, fmt.Sprint("x", j))
		columns = append(columns, dataset.MemoryColumn{Name: names[j], Numbers: x})
	}
	rows := &Rows{Every: 1, images: make([]string, n)}
	for _, c := range columns {
		rows.variables = append(rows.variables, variable{name: c.Name, values: c.Numbers})
	}
	var effects []Effect
	for k := range 300 {
		e := Effect{Cause: names[k%d], Outcome: names[(k+1)%d]}
		for s := range 2 + k%7 {
			e.Set = append(e.Set, names[(k+2+s*(1+k/d))%d])
		}
		effects = append(effects, e)
	}
	for b.Loop() {
		w := &builder{maker: maker{set: Settings{Threads: 1}}, rows: rows, paths: slices.Repeat([]string{"x"}, n)}
		alone, grid := make([]*grouping, d), make([]*grouping, d)
		for j := range d {
			alone[j], grid[j] = rows.variables[j].groups()
		}
		w.matches(effects, alone, grid)
	}
}
