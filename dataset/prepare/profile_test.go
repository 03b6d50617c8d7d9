package prepare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

// profileTwin describes a column in the obvious way.
func profileTwin(name string, x []float64) dataset.ColumnProfile {
	p := dataset.ColumnProfile{Name: name, Kind: "integer"}
	var v []float64
	for _, a := range x {
		if a == a {
			v = append(v, a)
		} else {
			p.Missing++
		}
	}
	n := float64(len(v))
	counts := map[float64]int{}
	rising, falling := true, true
	for i, a := range v {
		counts[a]++
		if a != math.Floor(a) {
			p.Kind = "number"
		}
		if i > 0 {
			rising, falling = rising && a > v[i-1], falling && a < v[i-1]
		}
	}
	p.Monotone = len(v) > 1 && (rising || falling)
	back := slices.Clone(v)
	slices.Reverse(back)
	p.Sorted = len(counts) > 1 && (slices.IsSorted(v) || slices.IsSorted(back))
	p.Distinct = min(len(counts), 4096)
	p.Min, p.Max, p.Mean = slices.Min(v)+0, slices.Max(v)+0, tabletest.Sum(v)/n
	centred := make([]float64, len(v)) // in two steps: a large mean has no digits left for the fraction
	for i, a := range v {
		centred[i] = a - v[0]
	}
	mean := tabletest.Sum(centred) / n
	power := func(k int) float64 {
		terms := make([]float64, len(v))
		for i, a := range centred {
			terms[i] = math.Pow(a-mean, float64(k))
		}
		return tabletest.Sum(terms) / n
	}
	if p.Min < p.Max {
		p.Std = math.Sqrt(power(2))
		p.Skewness = power(3) / math.Pow(p.Std, 3)
		p.Kurtosis = power(4)/math.Pow(p.Std, 4) - 3
	}
	for a, k := range counts {
		if 2*k > len(v) {
			p.Top, p.TopShare = a, float64(k)/n
		}
	}
	return p
}

// checkProfile compares with the twin. Where the values are too many to count, TopShare may be less than it is, and
// of the majority only a bound is known.
func checkProfile(t *testing.T, got, want dataset.ColumnProfile) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
	if !near(got.Mean, want.Mean) || !near(got.Std, want.Std) || !near(got.Skewness, want.Skewness) || !near(got.Kurtosis, want.Kurtosis) {
		t.Errorf("%s: got %+v, want %+v", want.Name, got, want)
	}
	if got.Distinct == dataset.DistinctLimit {
		if got.TopShare > want.TopShare+1e-12 || got.TopShare > 0 && got.Top != want.Top {
			t.Errorf("%s: top %v with %v, is %v with %v", want.Name, got.Top, got.TopShare, want.Top, want.TopShare)
		}
		got.Top, got.TopShare = want.Top, want.TopShare
	}
	got.Mean, got.Std, got.Skewness, got.Kurtosis = want.Mean, want.Std, want.Skewness, want.Kurtosis
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestGatherProfile(t *testing.T) {
	const n = 3 * 4096
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		name  string
		value func(i int) float64
	}{
		{"normal", func(int) float64 { return rng.NormFloat64() }},
		{"far", func(int) float64 { return 1e8 + rng.NormFloat64() }},
		{"skewed", func(int) float64 { return math.Exp(rng.NormFloat64()) }},
		{"id", func(i int) float64 { return float64(i) }},
		{"falling", func(i int) float64 { return -1.5 * float64(i) }},
		{"almost rising", func(i int) float64 { return float64(i - i/(n-1)) }},
		{"constant", func(int) float64 { return 0.1 }},
		{"binary", func(int) float64 { return float64(rng.IntN(2)) }},
		{"rare", func(i int) float64 { return float64(i / (n - 1)) }},
		{"grades", func(int) float64 { return float64(rng.IntN(7)) }},
		{"at the limit", func(i int) float64 { return float64(i % 4096) }},
		{"below the limit", func(i int) float64 { return float64(i % 4095) }},
		{"zeros with a tail", func(int) float64 { return max(0, rng.NormFloat64()-0.5) }},
		{"late majority", func(i int) float64 { return max(0, float64(n/3-i)) }},
		{"signed zeros", func(i int) float64 { return math.Copysign(0, float64(i%2)-0.5) }},
		{"half integers", func(i int) float64 { return float64(i) / 2 }},
		{"holes", func(i int) float64 {
			if rng.IntN(3) == 0 {
				return math.NaN()
			}
			return float64(i)
		}},
		{"late hole", func(i int) float64 {
			if i == n-1 {
				return math.NaN()
			}
			return math.Sqrt(float64(i))
		}},
		{"one value", func(i int) float64 {
			if i == 700 {
				return 3
			}
			return math.NaN()
		}},
	} {
		x := matrix.New[float64](n, 2)
		for i := range n {
			x.Set(i, 0, c.value(i))
			x.Set(i, 1, rng.NormFloat64())
		}
		column := make([]float64, n)
		for i := range column {
			column[i] = x.At(i, 0)
		}
		g, err := gather(t, memNumbers(x), func(o *Settings) { o.Missing = "auto" })
		if err != nil {
			t.Fatal(c.name, err)
		}
		want := profileTwin("v0", column)
		got := g.Profile.Columns[0]
		if c.name == "zeros with a tail" && (want.TopShare < 0.6 || got.TopShare < want.TopShare-0.01) {
			t.Errorf("zeros: share %v, is %v", got.TopShare, want.TopShare)
		}
		checkProfile(t, got, want)
		if t.Failed() {
			t.Fatalf("above: %s", c.name)
		}
	}
}

func TestGatherProfileOnlyIfAsked(t *testing.T) {
	g, err := gather(t, memOf("a b", []any{1, 2}, []any{1, 2}, []any{nil, 3}), func(o *Settings) { o.Profile, o.Missing = false, "drop" })
	if err != nil || g.Profile == nil || g.Profile.Columns != nil || g.Profile.RepeatedOf != 0 || len(g.Profile.Notes) != 1 || g.Profile.RowsUsed != 2 || g.Profile.File != "data.csv" {
		t.Errorf("%+v, %v", g.Profile, err)
	}
}

func TestGatherProfileKinds(t *testing.T) {
	table := &memTable{columns: []dataset.Column{{Name: "number", Kind: dataset.Number}, {Name: "whole", Kind: dataset.Number}, {Name: "integer", Kind: dataset.Integer}, {Name: "bool", Kind: dataset.Bool}, {Name: "time", Kind: dataset.Time}, {Name: "text", Kind: dataset.Text}}}
	for i := range 4 {
		table.rows = append(table.rows, []any{0.5 * float64(i), i, i, i % 2, 1.7e9 + float64(i), []string{"x", "y"}[i%2]})
	}
	g := must.Get(gather(t, table, func(o *Settings) { o.Encode = "ordinal" }))
	for j, want := range []string{"number", "integer", "integer", "bool", "time", "text"} {
		if got := g.Profile.Columns[j].Kind; got != want {
			t.Errorf("%s: kind %s, want %s", table.columns[j].Name, got, want)
		}
	}
}

// A majority is always found where it is more than a count of values can miss, and never one that is not there.
func TestMajorityVote(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for trial := range 200 {
		n := 200 + rng.IntN(400)
		share := rng.Float64()
		x := make([]float64, n)
		for i := range x {
			if x[i] = rng.Float64(); rng.Float64() < share {
				x[i] = 7
			}
		}
		if trial%3 == 0 {
			slices.Sort(x)
		}
		s := columnStats{distinct: distinct{limit: 1 + rng.IntN(100)}, integer: true}
		for rest := slices.Clone(x); len(rest) > 0; {
			k := min(len(rest), 1+rng.IntN(profileRows))
			s.add(rest[:k], make([]float64, k))
			rest = rest[k:]
		}
		times := 0
		for _, v := range x {
			if v == 7 {
				times++
			}
		}
		p := s.profile()
		switch {
		case p.TopShare > 0 && (p.Top != 7 || p.TopShare > float64(times)/float64(n)+1e-12 || 2*times <= n):
			t.Fatalf("trial %d: top %v with %v; 7 comes %d times in %d", trial, p.Top, p.TopShare, times, n)
		case 2*times > n && s.distinct.slots == nil && s.candidate != 7:
			t.Fatalf("trial %d: candidate %v, but 7 comes %d times in %d", trial, s.candidate, times, n)
		case trial%3 != 0 && float64(times) > 0.6*float64(n) && p.TopShare < 0.5:
			t.Fatalf("trial %d: share %v of %d in %d not found", trial, p.TopShare, times, n)
		}
	}
}

func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		limit := 1 + rng.IntN(60)
		d := distinct{limit: limit}
		counts := map[float64]int{}
		var x []float64
		for range rng.IntN(200) {
			v := math.Round(rng.NormFloat64() * 10)
			if rng.IntN(2) == 0 {
				v = -v // zeros of both signs
			}
			x = append(x, v)
		}
		at := d.add(x[:len(x)/2])
		if at == len(x)/2 {
			at += d.add(x[at:])
		}
		for i, v := range x[:at] {
			if len(counts) == limit && counts[v] == 0 {
				t.Fatalf("value %d came after the limit", i)
			}
			counts[v+0]++
		}
		if at < len(x) && len(counts) < limit {
			t.Fatalf("stopped at %d of %d with %d values of %d", at, len(x), len(counts), limit)
		}
		got := map[float64]int{}
		d.each(func(v float64, n int) {
			if v == 0 && math.Signbit(v) {
				t.Fatal("-0 is a value of its own")
			}
			got[v] = n
		})
		if fmt.Sprint(got) != fmt.Sprint(counts) || d.count() != len(counts) || d.total != at {
			t.Fatalf("got %v, want %v", got, counts)
		}
	}
}

func TestRepeatedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for _, d := range []int{1, 2, 3, 4, 5, 9} {
		var r repeats
		seen := map[string]bool{}
		want := 0
		for range 3000 {
			row := make([]float64, d)
			for j := range row {
				switch rng.IntN(4) {
				case 0:
					row[j] = math.Copysign(0, rng.Float64()-0.5)
				case 1:
					row[j] = math.Float64frombits(0x7ff8000000000000 + uint64(rng.IntN(3))) // NaN of several kinds
				default:
					row[j] = float64(rng.IntN(3))
				}
			}
			key := ""
			for _, v := range row {
				key += fmt.Sprint(v+0, " ")
			}
			if seen[key] {
				want++
			}
			seen[key] = true
			r.add(row, d, false)
		}
		if r.found != want || r.rows != 3000 {
			t.Errorf("d = %d: %d of %d, want %d", d, r.found, r.rows, want)
		}
	}
	// No collision among many rows that differ little, and no more are taken than the limit.
	var r repeats
	rows := make([]float64, 6*profileRows)
	row := make([]float64, 6)
	for i := range dataset.RepeatedLimit + 3*profileRows {
		row[i%6] = float64(i)
		copy(rows[i%profileRows*6:], row)
		if i%profileRows == profileRows-1 {
			r.add(rows, 6, true)
		}
	}
	if r.found != 0 || r.rows != dataset.RepeatedLimit || r.slots != nil {
		t.Errorf("%d of %d", r.found, r.rows)
	}
	g, err := gather(t, memOf("a b", []any{1, 2}, []any{2, 1}, []any{1, 2}, []any{1, 2}, []any{2, 2}), nil)
	if err != nil || g.Profile.RepeatedRows != 2 || g.Profile.RepeatedOf != 5 {
		t.Errorf("%+v, %v", g, err)
	}
}

// An extreme such as -999 is counted however the rows are cut, and an extreme beyond it ends that.
func TestProfileSuspects(t *testing.T) {
	for _, c := range []struct {
		name    string
		beyond  float64
		suspect float64
		count   int
	}{{"smallest", 0, -999, 0}, {"not the smallest", -1000, 0, 0}} {
		var rows [][]any
		want := 0
		for i := range 5000 { // more different values than are counted, over several blocks
			v := float64(i%4999) + 0.25
			if i%13 == 5 {
				v = -999
				want++
			}
			rows = append(rows, []any{v, float64(i % 7)})
		}
		rows[4900][0] = c.beyond
		g := must.Get(gather(t, memOf("a b", rows...), func(o *Settings) { o.Profile = true }))
		if c.suspect == 0 {
			want = 0
		} else if 4900%13 == 5 {
			want--
		}
		if p := g.Profile.Columns[0]; p.Suspect != c.suspect || p.Suspects != want {
			t.Errorf("%s: %v %d times, want %v %d times", c.name, p.Suspect, p.Suspects, c.suspect, want)
		}
	}
}
