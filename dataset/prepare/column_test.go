package prepare

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// profileOf returns the profile of blocks of a column of which at most limit distinct values are counted.
func profileOf(limit int, blocks ...[]float64) dataset.ColumnProfile {
	p := newProfiler(1, 1)
	s := &p.columns[0]
	s.distinct.limit = limit
	for _, x := range blocks {
		s.add(slices.Clone(x), make([]float64, len(x)))
	}
	return s.profile()
}

// TestOrderOfColumn checks whether a column is sorted, with or without ties, in one block and in blocks of every size.
func TestOrderOfColumn(t *testing.T) {
	for _, c := range []struct {
		x                []float64
		sorted, monotone bool
	}{
		{[]float64{1, 2, 3, 4}, true, true},
		{[]float64{4, 3, 2, 1}, true, true},
		{[]float64{1, 2, 2, 3}, true, false},
		{[]float64{3, 2, 2, 1}, true, false},
		{[]float64{3, 2, 2, 5}, false, false},
		{[]float64{1, 2, 2, 0}, false, false},
		{[]float64{3, 2, 5, 1}, false, false},
		{[]float64{1, 2, 0, 3}, false, false},
		{[]float64{2, 2, 2, 2}, false, false},
		{[]float64{2, 2, 3, 4}, true, false},
		{[]float64{2, 2, 1, 0}, true, false},
		{[]float64{2}, false, false},
	} {
		for size := 1; size <= len(c.x); size++ {
			p := profileOf(10, slices.Collect(slices.Chunk(c.x, size))...)
			if p.Sorted != c.sorted || p.Monotone != c.monotone {
				t.Errorf("%v, %d at a time: sorted %v, monotone %v, want %v, %v", c.x, size, p.Sorted, p.Monotone, c.sorted, c.monotone)
			}
		}
	}
}

// TestMajority checks the most frequent value, beyond the limit of distinct values by a majority vote. Its count starts where it becomes
// the candidate.
func TestMajority(t *testing.T) {
	sevens := slices.Repeat([]float64{7}, 30)
	for _, c := range []struct {
		name   string
		limit  int
		blocks [][]float64
		top    float64
		times  int
		of     float64
	}{
		{"counted", 5, [][]float64{{3, 1, 3, 2, 3}}, 3, 3, 5},
		{"counted, just half", 5, [][]float64{{3, 1, 3, 2}}, 0, 0, 4},
		{"a constant", 2, [][]float64{{2, 2}, {2, 2}}, 2, 4, 4},
		{"one value", 2, [][]float64{{2}}, 2, 1, 1},
		{"counted, negative zeros", 5, [][]float64{{math.Copysign(0, -1), 0, 2}}, 0, 2, 3},
		{"no votes are left of the counts", 2, [][]float64{{1, 2, 7, 7, 7, 7, 7, 7, 7}}, 7, 7, 9},
		{"a third of the counts leaves no negative votes", 3, [][]float64{{1, 2, 3}, {7, 8, 1, 9, 1, 1, 1, 1, 1}}, 1, 7, 12},
		{"five votes are left of the counts", 2, [][]float64{{1, 1, 1, 1, 1, 1, 2}, sevens}, 7, 25, 37},
		{"votes of a block with enough votes for all of its values", 2, [][]float64{{1, 1, 1, 1, 2, 3}, {1, 2}, sevens}, 7, 28, 38},
		{"two other values cancel each other", 2, [][]float64{{1, 1, 2, 8, 9, 1, 1, 1}}, 1, 5, 8},
		{"the last two values of a block", 2, [][]float64{{1, 1, 2, 1, 8, 9}, {1, 1, 1, 1}}, 1, 7, 10},
		{"two others, once the candidate", 2, [][]float64{{1, 2, 1, 8, 1, 9, 1, 1, 1}}, 1, 6, 9},
		{"the first 8 cancels the 7", 2, [][]float64{{1, 2, 7, 8, 8, 8, 8, 8, 8, 8}}, 8, 6, 10},
		{"a new candidate has one vote", 2, [][]float64{{1, 2, 7}, {8, 8, 8, 8, 8, 8, 8}}, 8, 6, 10},
	} {
		p := profileOf(c.limit, c.blocks...)
		if p.Top != c.top || p.TopShare != float64(c.times)/c.of {
			t.Errorf("%s: %v has the share %v, want %v with %d/%v", c.name, p.Top, p.TopShare, c.top, c.times, c.of)
		}
	}
}

// TestMostFrequent checks that the smallest of equally frequent values counts, wherever it stands in the table.
func TestMostFrequent(t *testing.T) {
	for _, x := range [][]float64{{5, 3, 9, 7}, {1, 2, 3, 4, 5, 6, 7, 8}, {-1, -2, 0.5}, {8, 1e9, 3e-5, 77}, {0.1, 0.2, 0.3, 0.4, 0.5}} {
		d := distinct{limit: 10}
		d.add(slices.Concat(x, []float64{1e12}, x))
		if top, times := d.top(); top != slices.Min(x) || times != 2 {
			t.Errorf("%v, each twice: %v is the most frequent, %d times, want %v", x, top, times, slices.Min(x))
		}
		d.add(x[len(x)-1:])
		if top, times := d.top(); top != x[len(x)-1] || times != 3 {
			t.Errorf("%v: %v is the most frequent, %d times, want the last, 3 times", x, top, times)
		}
	}
}

// TestKindOfNumbers checks that a single fraction makes a column one of numbers, wherever it stands and however many values are counted.
func TestKindOfNumbers(t *testing.T) {
	whole := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, limit := range []int{3, 20} {
		if p := profileOf(limit, whole); p.Kind != dataset.Integer.String() {
			t.Errorf("limit %d: integers are of kind %s", limit, p.Kind)
		}
		for k := range whole {
			x := slices.Clone(whole)
			x[k] += 0.5
			for size := 1; size <= len(x); size += 3 {
				if p := profileOf(limit, slices.Collect(slices.Chunk(x, size))...); p.Kind != dataset.Number.String() {
					t.Errorf("limit %d, fraction at %d, %d at a time: kind %s", limit, k, size, p.Kind)
				}
			}
		}
	}
	if p := profileOf(3); p.Kind != dataset.Number.String() || p.TopShare != 0 || p.Std != 0 {
		t.Errorf("no values: %+v", p)
	}
}

// TestMomentsOfExtremeScales checks the moments of a column whose third or fourth powers exceed the range of numbers, and of a constant.
func TestMomentsOfExtremeScales(t *testing.T) {
	for _, c := range []struct {
		scale            float64
		skewed, constant bool
	}{{scale: 1, skewed: true}, {scale: 1e-120}, {scale: 1e90}, {scale: 1e120}, {scale: 1, constant: true}, {scale: 0.1, constant: true}} {
		x := []float64{0, 1 * c.scale, 2 * c.scale, 9 * c.scale}
		if c.constant {
			x = []float64{c.scale, c.scale, c.scale, c.scale}
		}
		for _, p := range []dataset.ColumnProfile{profileOf(9, x), profileOf(9, x[:3], x[3:])} {
			skew, kurt, std := 0.0, 0.0, 0.0
			if !c.constant {
				std = math.Sqrt(12.5) * c.scale // the mean is 3, and the squares are 9, 4, 1, 36
			}
			if c.skewed {
				skew, kurt = (-27-8-1+216)/4.0/math.Pow(12.5, 1.5), (81+16+1+1296)/4.0/(12.5*12.5)-3
			}
			if math.Abs(p.Std-std) > 1e-12*c.scale || math.Abs(p.Skewness-skew) > 1e-12 || math.Abs(p.Kurtosis-kurt) > 1e-12 || p.Std-p.Std != 0 {
				t.Errorf("scale %v, constant %v: %v, %v, %v, want %v, %v, %v", c.scale, c.constant, p.Std, p.Skewness, p.Kurtosis, std, skew, kurt)
			}
		}
	}
	if p := profileOf(9, []float64{0, 1e-170}); p.Std != 0 || p.Skewness != 0 || p.Kurtosis != 0 { // the square of the difference is 0
		t.Errorf("a variance of 0: %+v", p)
	}
	for _, size := range []float64{1e-105, 1e-90, 1e90, 1e130} { // powers beyond the range of numbers
		if p := profileOf(9, []float64{0, 0, 0, size}); p.Skewness-p.Skewness != 0 || p.Kurtosis-p.Kurtosis != 0 {
			t.Errorf("values of size %v: skewness %v, kurtosis %v", size, p.Skewness, p.Kurtosis)
		}
	}
}

// TestSuspectOfTwoEnds checks which of several values that may stand for missing ones the profile names.
func TestSuspectOfTwoEnds(t *testing.T) {
	line := func(from, step float64, n int) (x []float64) {
		for k := range n {
			x = append(x, from+step*float64(k))
		}
		return x
	}
	for _, c := range []struct {
		name     string
		x        []float64
		value    float64
		suspects int
		lone     bool
	}{
		{"none", line(40, 2, 30), 0, 0, false},
		{"999 above values from 0 on", append(line(0, 1, 30), 999, 999), 999, 2, false},
		{"999 above values from 40 on, and zeros", append(line(40, 2, 30), 0, 0, 0, 999), 0, 3, true},
		{"zeros below values from 40 on", append(line(40, 2, 30), 0, 0, 0), 0, 3, true},
		{"-1 below values from 0 on", append(line(0, 1, 30), -1, -1), 0, 0, false},
		{"-1 below values from 1 on", append(line(1, 1, 30), -1, -1), -1, 2, true},
		{"-9 and then -20", append([]float64{-20, -20}, append(line(1, 1, 30), -9)...), 0, 0, false},
		{"-9 below 8 values", append(line(0, 1, 8), -9), -9, 1, false},
		{"-9 below 9 values", append(line(0, 1, 9), -9), -9, 1, true},
	} {
		p := profileOf(100, c.x[len(c.x)/2:], c.x[:len(c.x)/2])
		if p.Suspect != c.value || p.Suspects != c.suspects || p.SuspectLone != c.lone {
			t.Errorf("%s: %v in %d rows, alone %v; want %v in %d, %v", c.name, p.Suspect, p.Suspects, p.SuspectLone, c.value, c.suspects, c.lone)
		}
	}
}

// TestProfilesOfManyColumns checks that every column has the figures of its own values, whatever number of rows is added at a time.
func TestProfilesOfManyColumns(t *testing.T) {
	const d, n = 19, 700 // more than a block of rows, and two whole lines of columns and a part
	var rows []float64
	for i := range n {
		for j := range d {
			rows = append(rows, float64(1000*j+(i*(j+1))%n))
		}
	}
	for _, step := range []int{1, 100, n} {
		for _, threads := range []int{1, 3} {
			p := newProfiler(d, threads)
			for at := 0; at < n; at += step {
				p.add(rows[at*d:(at+step)*d], true)
			}
			p.look(0, d, p.have)
			for j := range d {
				least, largest, sum := math.Inf(1), math.Inf(-1), 0.0
				for i := range n {
					v := rows[i*d+j]
					least, largest, sum = min(least, v), max(largest, v), sum+v
				}
				if c := p.columns[j].profile(); c.Min != least || c.Max != largest || math.Abs(c.Mean-sum/n) > 1e-9 {
					t.Errorf("%d rows at a time, %d threads, column %d: %v to %v, mean %v; want %v to %v, mean %v", step, threads, j, c.Min, c.Max, c.Mean, least, largest, sum/n)
				}
			}
		}
	}
}
