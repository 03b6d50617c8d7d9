package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// environmentsOf draws a table with an environment per target and one without, and returns it with moments of environments on demand and stored.
func environmentsOf(t *testing.T, d, control, rows int, set func(rng *rand.Rand) float64) (all *Moments, lean, dense *Environments) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, uint64(d)))
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	lean, dense = &Environments{}, &Environments{}
	var table []float64
	for k := range d + 1 {
		n, targets := rows, []int{k}
		switch {
		case k == d:
			n, targets = control, nil
		case k%7 == 3:
			targets = []int{k - 1, k}
		}
		var part []float64
		for range n {
			before := 0.0
			for j := range d {
				x := 1e4*float64(j%3) + math.Pow(10, float64(j%5))*(rng.NormFloat64()+before)
				before = 0.5 * (x - 1e4*float64(j%3)) / math.Pow(10, float64(j%5))
				if slices.Contains(targets, j) {
					x = 1e4*float64(j%3) + math.Pow(10, float64(j%5))*set(rng)
				}
				part = append(part, x)
			}
		}
		table = append(table, part...)
		of, err := stored(t, names, part)
		must.Succeed(t, err)
		few := of
		if n <= LeanRows(d) {
			if few, err = OnDemandMoments(names, part); err != nil || !few.OnDemand() || few.Scatter != nil {
				t.Fatal("the moments of an environment are stored:", err)
			}
		}
		for _, r := range []*Environments{lean, dense} {
			r.Names, r.Targets = append(r.Names, fmt.Sprint(k)), append(r.Targets, targets)
		}
		lean.Moments, dense.Moments = append(lean.Moments, few), append(dense.Moments, of)
	}
	all, err := stored(t, names, table)
	must.Succeed(t, err)
	return all, lean, dense
}

// compare reports the largest difference of the correlations, means and standard deviations of two forms of moments.
func compare(t *testing.T, got, want *Moments) (worst float64) {
	t.Helper()
	a, b, sa, sb := got.Correlation(), want.Correlation(), got.Std(), want.Std()
	row := make([]float64, got.Dim())
	for i := range a.Rows {
		got.CorrelationRow(row, i)
		if !slices.Equal(row, a.Row(i)) {
			t.Fatalf("row %d differs from the matrix", i)
		}
		worst = max(worst, math.Abs(sa[i]/sb[i]-1), math.Abs(got.Mean[i]-want.Mean[i])/sb[i])
		for j := range a.Rows {
			worst = max(worst, math.Abs(a.At(i, j)-b.At(i, j)))
		}
	}
	if got.N != want.N || !slices.Equal(got.Names, want.Names) {
		t.Errorf("%d rows, want %d", got.N, want.N)
	}
	return worst
}

// The moments of an environment and of the rows that count for each column agree with those of the stored environments, and also those of
// rearranged and scaled environments.
func TestOnDemandMomentsAgreeWithStored(t *testing.T) {
	const d = 130
	all, lean, dense := environmentsOf(t, d, 700, 9, func(rng *rand.Rand) float64 { return 4 + 0.1*rng.NormFloat64() })
	order := rand.New(rand.NewPCG(1, 1)).Perm(d)
	by := make([]float64, d)
	for j := range by {
		by[j] = float64(1 + j)
	}
	for what, pair := range map[string][2]*Environments{"environments": {lean, dense}, "arranged": {lean.Arranged(order), dense.Arranged(order)}, "scaled": {lean.Scaled(by), dense.Scaled(by)}} {
		for k, m := range pair[0].Moments {
			if worst := compare(t, m, pair[1].Moments[k]); worst > 1e-6 {
				t.Errorf("%s, environment %d: off by %.2g", what, k, worst)
			}
			if m.OnDemand() != (k < d) {
				t.Errorf("%s, environment %d is not as it was", what, k)
			}
		}
	}
	excluded, of := lean.excluded(d)
	groups, _ := dense.Groups(d)
	if len(excluded) != len(groups) || of[2] == of[3] || len(excluded[of[2]]) != 2 {
		t.Fatalf("%d sets of excluded environments, %d groups", len(excluded), len(groups))
	}
	for k, out := range excluded[:40] {
		want, err := dense.Pooled(groups[k])
		must.Succeed(t, err)
		got, err := lean.without(all, out, true)
		if err != nil || !got.OnDemand() {
			t.Fatal("the moments are stored:", err)
		}
		if worst := compare(t, got, want); worst > 1e-9 {
			t.Errorf("without %v: off by %.2g", out, worst)
		}
		if worst := compare(t, got.Arranged(order), want.Arranged(order)); worst > 1e-9 {
			t.Errorf("without %v, arranged: off by %.2g", out, worst)
		}
		if worst := compare(t, got.CountedAs(77), want.CountedAs(77)); worst > 1e-9 {
			t.Errorf("without %v, as other rows: off by %.2g", out, worst)
		}
	}
}

// A pool of many columns computes its moments on demand and agrees with a stored one. If an intervention has nearly all of the variance
// of a column, the difference would be rounding, and the moments of its other rows are stored.
func TestPoolOfManyTargets(t *testing.T) {
	const d = 170
	for _, size := range []float64{3, 1e9} {
		calls := 0
		all, lean, dense := environmentsOf(t, d, 300, 4, func(rng *rand.Rand) float64 {
			if calls++; calls <= 20 { // the targets of the first four environments, which are columns 0 to 3
				return size * rng.NormFloat64()
			}
			return 3 * rng.NormFloat64()
		})
		got, err := NewPool(all, lean)
		must.Succeed(t, err)
		for _, v := range []int{0, 3, 99, d - 1} {
			_, of := dense.excluded(d)
			groups, _ := dense.Groups(d)
			want, err := dense.Pooled(groups[of[v]])
			must.Succeed(t, err)
			m := got.Of(v)
			if m.OnDemand() != (size < 100 || v > 3) {
				t.Errorf("size %g: column %d is computed on demand: %v", size, v, m.OnDemand())
			}
			r, s := m.CorrelationOf([]int{v, (v + 1) % d}).At(0, 1), want.CorrelationOf([]int{v, (v + 1) % d}).At(0, 1)
			if math.Abs(r-s) > 1e-6 {
				t.Errorf("size %g: correlation %v of column %d and the next, want %v", size, r, v, s)
			}
		}
	}
}

// The moments of the other rows are computed on demand from a millionth of the variance of a column on, and stored below that.
func TestLeastShareOfTheRest(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  bool
	}{{2e-6, true}, {5e-7, false}} {
		part := []float64{1, -1}
		const rest = 100
		size := math.Sqrt(2 * c.share / (1 - c.share) / rest)
		rows := slices.Clone(part)
		for i := range rest {
			rows = append(rows, size*float64(2*(i%2)-1))
		}
		few, err := OnDemandMoments([]string{"a"}, part)
		must.Succeed(t, err)
		all, err := stored(t, []string{"a"}, rows)
		must.Succeed(t, err)
		got := all.without([]*Moments{few})
		if (got != nil) != c.want {
			t.Errorf("with a share of %g left: %v", c.share, got)
		}
		if got != nil && (got.N != rest || math.Abs(got.At(0, 0)/(rest*size*size)-1) > 1e-6) {
			t.Errorf("%d rows with squares %v, want %d and %v", got.N, got.At(0, 0), rest, rest*size*size)
		}
	}
}

// Moments of no rows have no entries, and values that are not finite are refused.
func TestOnDemandMomentsOfNoRows(t *testing.T) {
	m, err := OnDemandMoments([]string{"a", "b"}, nil)
	if err != nil || m.N != 0 || m.At(0, 1) != 0 || !math.IsInf(m.Min[0], 1) {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := OnDemandMoments([]string{"a", "b"}, []float64{1, math.NaN(), 2, 3}); err == nil {
		t.Error("a missing value was taken")
	}
}
