package prepare

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

func grouped(t testing.TB, text string, set func(*Settings)) (*Gathered, error) {
	t.Helper()
	opt := DefaultSettings()
	opt.Groups, opt.Threads = "person", 1
	if set != nil {
		set(&opt)
	}
	return Gather(t.Context(), openText(text), opt)
}

// families writes rows of three columns with the given share of variance between groups, of sizes 1 to 7, and returns the values
// by group. The label stands in the middle and the rows of a group are not neighbours.
func families(rng *rand.Rand, count int, share [3]float64, label func(int) string) (string, map[int][][3]float64) {
	type line struct {
		of int
		x  [3]float64
	}
	var lines []line
	by := map[int][][3]float64{}
	for k := range count {
		var common [3]float64
		for j := range common {
			common[j] = rng.NormFloat64()
		}
		for range 1 + rng.IntN(7) {
			l := line{of: k}
			for j := range l.x {
				l.x[j] = 1e6 + math.Sqrt(share[j])*common[j] + math.Sqrt(1-share[j])*rng.NormFloat64()
			}
			lines = append(lines, l)
			by[k] = append(by[k], l.x)
		}
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	var b strings.Builder
	b.WriteString("a,person,b,c\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "%v,%s,%v,%v\n", l.x[0], label(l.of), l.x[1], l.x[2])
	}
	return b.String(), by
}

// The intraclass correlations are those of the obvious analysis of variance, and near the true shares; whether labels are words or
// numbers does not matter.
func TestGroups(t *testing.T) {
	share := [3]float64{0.8, 0.1, 0.5}
	for _, label := range []func(int) string{func(k int) string { return fmt.Sprint("p", k) }, func(k int) string { return fmt.Sprint(k) }} {
		text, by := families(rand.New(rand.NewPCG(1, 1)), 600, share, label)
		g := must.Get(grouped(t, text, nil))
		c := g.Groups
		n, squares := 0.0, 0.0
		for _, rows := range by {
			n += float64(len(rows))
			squares += float64(len(rows) * len(rows))
		}
		var rho [3]float64
		for j := range rho {
			mean, within, between, k := 0.0, 0.0, 0.0, float64(len(by))
			for _, rows := range by {
				for _, r := range rows {
					mean += (r[j] - 1e6) / n
				}
			}
			for _, rows := range by {
				own := 0.0
				for _, r := range rows {
					own += (r[j] - 1e6) / float64(len(rows))
				}
				for _, r := range rows {
					within += (r[j] - 1e6 - own) * (r[j] - 1e6 - own)
				}
				between += float64(len(rows)) * (own - mean) * (own - mean)
			}
			between, within = between/(k-1), within/(n-k)
			rho[j] = (between - within) / (between + ((n-squares/n)/(k-1)-1)*within)
			if !(math.Abs(rho[j]-share[j]) <= 0.08) {
				t.Errorf("the twin has %v for a share of %v", rho[j], share[j])
			}
		}
		if len(g.Moments.Names) != 3 || c.Count != 600 || c.Part != 1 || c.Rows != int(n) || !(math.Abs(c.Size-squares/n) <= 1e-9) {
			t.Errorf("%+v of %v, want 600 groups of %v rows, size %v", c, g.Moments.Names, n, squares/n)
		}
		if len(c.Alike) != 2 || c.Alike[0].Column != "a" || c.Alike[1].Column != "c" || !(math.Abs(c.Alike[0].Rho-rho[0]) <= 1e-6) || !(math.Abs(c.Alike[1].Rho-rho[2]) <= 1e-6) {
			t.Errorf("%+v, want %v", c.Alike, rho)
		}
		effect := 1 + (squares/n-1)*rho[0]*rho[2]
		if !(math.Abs(c.DesignEffect-effect) <= 1e-6) || c.EffectiveRows != int(math.Round(n/effect)) {
			t.Errorf("%+v, want a design effect of %v", c, effect)
		}
		if !strings.Contains(strings.Join(g.Profile.Notes, " "), c.Sentence()) {
			t.Errorf("notes %q", g.Profile.Notes)
		}
	}
}

// A random part of many groups says about the same as all of them, in bounded memory.
func TestThinnedGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	whole, part := newGroups(chosenColumn{}, 2, ""), newGroups(chosenColumn{}, 2, "")
	part.most = 300
	for range 8000 {
		k := rng.IntN(4000)
		own := rand.New(rand.NewPCG(uint64(k), 3)).NormFloat64()
		row := []float64{own + rng.NormFloat64(), own*2 + rng.NormFloat64()}
		for _, c := range []*groups{whole, part} {
			c.labels = append(c.labels[:0], hashOf('n', fmt.Append(nil, k)))
			c.add(row, false)
			if len(c.sums) > c.most || len(c.at) != len(c.sums) || len(c.hash) != len(c.sums) {
				t.Fatalf("%d groups are kept, %d found", len(c.sums), len(c.at))
			}
		}
	}
	a := must.Get(whole.finish([]string{"a", "b"}))
	b := must.Get(part.finish([]string{"a", "b"}))
	if a.Part != 1 || b.Part != 1.0/16 || !(math.Abs(float64(b.Count)/float64(a.Count)-1) <= 0.2) || !(math.Abs(b.Size/a.Size-1) <= 0.1) || !(math.Abs(b.DesignEffect/a.DesignEffect-1) <= 0.15) || a.Rows != b.Rows {
		t.Errorf("all %+v, part %+v", a, b)
	}
}

// What is wrong with a column of groups is said with its place.
func TestGroupFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		want error
		said string
	}{
		{"a,person,b\n1,x,2\n2,x,1\n3,x,3\n", ErrOneGroup, "column 2 (person)"},
		{"a,person,b\n1,x,2\n2,,1\n3,y,3\n", ErrGroupMissing, "row 2, column 2 (person)"},
		{"people,a,b\nx,1,2\ny,2,1\n", ErrUnknownColumn, "people"},
		{"person,a\nx,1\ny,2\n", dataset.ErrOneColumn, "a"},
	} {
		if _, err := grouped(t, c.text, nil); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.said) {
			t.Errorf("%q: %v, want %v with %s", c.text, err, c.want, c.said)
		}
	}
}

// Rows that are dropped for a missing value are in no group, and with --columns the label need not be named.
func TestGroupsOfWholeRows(t *testing.T) {
	const text = "person,a,b,word\nx,1,2,p\nx,2,,q\ny,3,3,p\ny,4,1,q\nz,0,5,q\n"
	g := must.Get(grouped(t, text, func(o *Settings) { o.Missing, o.Columns = "drop", []string{"a", "b"} }))
	if c := g.Groups; c.Rows != 4 || c.Count != 3 || g.Moments.N != 4 || c.Size != 1.5 {
		t.Errorf("%+v", c)
	}
	g = must.Get(grouped(t, text, func(o *Settings) { o.Missing, o.Encode = "pairwise", "levels" }))
	if c := g.Groups; c.Rows != 5 || len(g.Moments.Names) != 3 {
		t.Errorf("%+v of %v", c, g.Moments.Names)
	}
}

// The groups and the labels of a second pass do not depend on how many rows come at a time.
func TestGroupsOfBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	table := memOf("a person b")
	var people []int
	for i := range 200 {
		k := rng.IntN(40)
		people = append(people, k)
		table.rows = append(table.rows, []any{float64(k) + rng.NormFloat64(), fmt.Sprint("p", k), float64(i%7) + 0.3*float64(k)})
	}
	var want *dataset.Groups
	for _, batch := range []int{0, 7, 64} {
		table.batch = batch
		g := must.Get(gather(t, table, func(s *Settings) { s.Groups = "person" }))
		if want == nil {
			want = g.Groups
		}
		if !reflect.DeepEqual(g.Groups, want) || g.Groups.Count != 40 || g.Groups.Rows != 200 {
			t.Errorf("%d rows at a time: %+v, want %+v", batch, g.Groups, want)
		}
		var labels []uint64
		if err := g.ReplayGroups(t.Context(), func(b dataset.RowBatch) error {
			some, own := b.Values, b.Groups
			if len(own)*2 != len(some) {
				t.Fatalf("%d labels for %d values of two columns", len(own), len(some))
			}
			labels = append(labels, own...)
			return nil
		}); err != nil || len(labels) != 200 {
			t.Fatalf("%d rows, %v", len(labels), err)
		}
		for i, a := range labels {
			for j, b := range labels[:i] {
				if (a == b) != (people[i] == people[j]) {
					t.Fatalf("rows %d and %d have the labels %d and %d of people %d and %d", i, j, a, b, people[i], people[j])
				}
			}
		}
	}
}

// groupsOf adds rows of d columns with the given labels.
func groupsOf(d int, labels []uint64, rows []float64, whole bool) *groups {
	c := newGroups(chosenColumn{}, d, "")
	c.labels = labels
	c.add(rows, whole)
	return c
}

// TestGroupMemory checks that the sums of the groups take 48 MiB, three numbers for each group and column, but that at least
// 256 groups are kept.
func TestGroupMemory(t *testing.T) {
	for d, want := range map[int]int{0: 48 << 20 / 24, 1: 48 << 20 / 24, 2: 48 << 20 / 48, 5: 48 << 20 / 120, 8191: 256, 8192: 256, 10_000: 256} {
		if got := newGroups(chosenColumn{}, d, "").most; got != want {
			t.Errorf("%d columns: %d groups are kept, want %d", d, got, want)
		}
	}
}

// TestAlikeOfMissingValues checks that missing and infinite values, and groups that have only those, do not count, and that two
// groups are enough.
func TestAlikeOfMissingValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	labels := []uint64{1, 1, 2, 2, 2, 2, 3, 3, 4, 4}
	c := groupsOf(2, labels, []float64{1, 5, 3, 5, 6, 5, 8, 5, nan, 5, inf, 5, nan, 5, nan, 5, -inf, 5, nan, 5}, false)
	// The means are 2 and 7: B = 25, W = (2 + 2)/2 = 2, n0 = (4 - 8/4)/1 = 2.
	if got, want := c.rho(0), (25.0-2)/(25+2); math.Abs(got-want) > 1e-12 {
		t.Errorf("the intraclass correlation is %v, want %v", got, want)
	}
	got := must.Get(c.finish([]string{"a", "b"}))
	// The sizes 2, 4, 2, 2 have the mean size of a row (4 + 16 + 4 + 4)/10.
	if got.Rows != 10 || got.Count != 4 || math.Abs(got.Size-2.8) > 1e-12 || got.Part != 1 {
		t.Errorf("%+v, want 10 rows in 4 groups of size 2.8", got)
	}
	if c := groupsOf(2, labels[:4], []float64{1, 5, 3, nan, 6, 5, 8, 5}, true); c.rows != 3 {
		t.Errorf("%d complete rows, want 3", c.rows)
	}
	one := groupsOf(1, labels[:4], []float64{1, 1, 2, 2}, false)
	if got, err := one.finish([]string{"a"}); err != nil || len(got.Alike) != 1 || got.Alike[0].Rho != 1 {
		t.Errorf("equal values in each group of one column: %+v, %v, want a correlation of 1", got, err)
	}
	none := newGroups(chosenColumn{}, 1, "")
	if got, err := none.finish([]string{"a"}); err != nil || got.Size != 1 || got.Rows != 0 || got.Alike[0].Rho != 0 {
		t.Errorf("no rows: %+v, %v, want size 1", got, err)
	}
}

// TestOneGroupLeft checks that one group that is left of several is no error and stands for all of them.
func TestOneGroupLeft(t *testing.T) {
	c := newGroups(chosenColumn{}, 1, "")
	c.most, c.labels = 1, []uint64{0b100, 0b101, 0b100}
	c.add([]float64{1, 2, 3}, false)
	got, err := c.finish([]string{"a"})
	if err != nil || got.Count != 2 || got.Part != 0.5 || got.Rows != 3 || got.Size != 2 {
		t.Errorf("%+v, %v, want one of two groups", got, err)
	}
}

// TestLabelsOfCompleteRows checks which labels are appended.
func TestLabelsOfCompleteRows(t *testing.T) {
	c := newGroups(chosenColumn{}, 2, "")
	c.labels = []uint64{7, 8, 9}
	rows := []float64{1, 2, 3, math.NaN(), 4, 5}
	if got := c.append([]uint64{6}, rows, true); !reflect.DeepEqual(got, []uint64{6, 7, 9}) {
		t.Errorf("labels %v of complete rows, want 6, 7, 9", got)
	}
	if got := c.append(nil, rows, false); !reflect.DeepEqual(got, []uint64{7, 8, 9}) {
		t.Errorf("labels %v of all rows, want 7, 8, 9", got)
	}
}
