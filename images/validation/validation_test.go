package validation

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/resample"
	"github.com/polydag/polydag/matrix"
)

// labelled draws rows of a → b, c and their labels. With together, a third of the errors of b and c occur in the same rows.
func labelled(n int, together bool) (truth, labels [][]float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(p float64) float64 {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	truth, labels = make([][]float64, 3), make([][]float64, 3)
	for range n {
		a := draw(0.4)
		x := [3]float64{a, draw(0.2 + 0.5*a), draw(0.5)}
		common := together && rng.Float64() < 0.08
		for j, v := range x {
			truth[j] = append(truth[j], v)
			if v == 1 && rng.Float64() < 0.1 || v == 0 && rng.Float64() < 0.05 {
				v = 1 - v
			}
			if common && j > 0 {
				v = 1
			}
			labels[j] = append(labels[j], v)
		}
	}
	return truth, labels
}

func moments(t *testing.T, columns [][]float64) *dataset.Moments {
	t.Helper()
	n := len(columns[0])
	x := matrix.New[float64](n, len(columns))
	for j, c := range columns {
		for i, v := range c {
			x.Set(i, j, v)
		}
	}
	m := must.Get(dataset.MomentsOf([]string{"a", "b", "c"}, x, 1))
	return m
}

func head(columns [][]float64, n int) [][]float64 {
	var out [][]float64
	for _, c := range columns {
		out = append(out, c[:n])
	}
	return out
}

// TestCorrect: the corrected moments are those of the true values, whether errors depend on each other or not.
func TestCorrect(t *testing.T) {
	for _, together := range []bool{false, true} {
		truth, labels := labelled(40_000, together)
		want, seen := moments(t, truth), moments(t, labels)
		e := must.Get(Estimate(want.Names, head(labels, 8000), head(truth, 8000)))
		got := must.Get(e.Correct(seen))
		must.Succeed(t, got.Validate())
		r, w, s := got.Correlation(), want.Correlation(), seen.Correlation()
		for i := range 3 {
			if !(math.Abs(got.Mean[i]-want.Mean[i]) <= 0.01) {
				t.Errorf("together %v: mean %d is %.3f, want %.3f", together, i, got.Mean[i], want.Mean[i])
			}
			for j := range i {
				if !(math.Abs(r.At(i, j)-w.At(i, j)) <= 0.025) {
					t.Errorf("together %v: correlation %d, %d is %.3f, want %.3f; that of the labels is %.3f", together, i, j, r.At(i, j), w.At(i, j), s.At(i, j))
				}
			}
		}
		if d := math.Abs(s.At(1, 0) - w.At(1, 0)); d < 0.05 {
			t.Errorf("the errors change a correlation by %.3f only; the test needs more", d)
		}
		if got.N >= seen.N*3/4 || got.N < seen.N/10 {
			t.Errorf("together %v: %d rows count as %d", together, seen.N, got.N)
		}
		if e.Explains(seen, "a", "b") || e.Explains(seen, "a", "unknown") {
			t.Errorf("together %v: errors explain the strong edge", together)
		}
		if e.Explains(seen, "b", "c") != true {
			t.Errorf("together %v: errors do not explain the dependence of b and c", together)
		}
	}
}

// TestConfusion checks the shares against counts by hand: (9 + ½)/(10 + 1) and (18 + ½)/(20 + 1).
func TestConfusion(t *testing.T) {
	var label, human []float64
	add := func(h, l float64, times int) {
		for range times {
			human, label = append(human, h), append(label, l)
		}
	}
	add(1, 1, 9)
	add(1, 0, 1)
	add(0, 0, 18)
	add(0, 1, 2)
	add(math.NaN(), 1, 7)
	e := must.Get(Estimate([]string{"x"}, [][]float64{label}, [][]float64{human}))
	c := e.Columns[0]
	if c.Counts != [2][2]int{{18, 2}, {1, 9}} || c.Rows() != 30 || !(math.Abs(c.Sensitivity-9.5/11) <= 1e-15) || !(math.Abs(c.Specificity-18.5/21) <= 1e-15) {
		t.Errorf("confusion %+v", c)
	}
	for want, bad := range map[string][2][]float64{
		"3 rows with human labels": {{0, 1, 1}, {0, 1, 1}},
		"has the value 0.3":        {{0.3, 1, 1}, {0, 1, 1}},
		"say too little":           {human[:30], append(append([]float64{}, human[15:30]...), human[:15]...)},
	} {
		if _, err := Estimate([]string{"x"}, [][]float64{bad[0]}, [][]float64{bad[1]}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestRedrawnHasTheVariance compares the standard deviation of a corrected correlation over tables with that over bootstrap samples
// of one table. It is right only if the validated rows are drawn again too.
func TestRedrawnHasTheVariance(t *testing.T) {
	const n, validated, tables, replicates = 1500, 150, 120, 120
	std := func(list []float64) float64 {
		mean, square := 0.0, 0.0
		for _, x := range list {
			mean += x / float64(len(list))
		}
		for _, x := range list {
			square += (x - mean) * (x - mean) / float64(len(list)-1)
		}
		return math.Sqrt(square)
	}
	corrected := func(e *Errors, columns [][]float64) float64 {
		m := must.Get(e.Correct(moments(t, columns)))
		return m.Correlation().At(1, 0)
	}
	truth, labels := labelled(n*tables, false)
	part := func(columns [][]float64, from, to int) (out [][]float64) {
		for _, c := range columns {
			out = append(out, c[from:to])
		}
		return out
	}
	var over, redrawn, rowsOnly []float64
	for k := range tables {
		own := part(labels, k*n, (k+1)*n)
		e := must.Get(Estimate([]string{"a", "b", "c"}, head(own, validated), part(truth, k*n, k*n+validated)))
		over = append(over, corrected(e, own))
		if k%10 > 0 {
			continue
		}
		var both, rows []float64
		for r := range replicates / 4 {
			d := resample.Draw{Kind: resample.Bootstrap, Seed: 7, Replicate: r}
			stream := d.Start([]int{n})
			sample := make([][]float64, 3)
			for i := range n {
				for range stream.Next(0) {
					for j := range sample {
						sample[j] = append(sample[j], own[j][i])
					}
				}
			}
			again := must.Get(e.Redrawn(d))
			both, rows = append(both, corrected(again, sample)), append(rows, corrected(e, sample))
		}
		redrawn, rowsOnly = append(redrawn, std(both)), append(rowsOnly, std(rows))
	}
	mean := func(list []float64) (m float64) {
		for _, x := range list {
			m += x / float64(len(list))
		}
		return m
	}
	want, got, without := std(over), mean(redrawn), mean(rowsOnly)
	t.Logf("standard deviation %.4f over tables, %.4f over bootstrap samples, %.4f without drawing the validated rows again", want, got, without)
	if got < 0.8*want || got > 1.25*want {
		t.Errorf("%.4f over bootstrap samples, %.4f over tables", got, want)
	}
	if without > 0.85*want {
		t.Errorf("%.4f without drawing the validated rows again, %.4f over tables; the test needs more errors", without, want)
	}
}

// TestRedrawn checks that a draw is reproducible, differs from others, and draws as many rows.
func TestRedrawn(t *testing.T) {
	truth, labels := labelled(200, false)
	e := must.Get(Estimate([]string{"a", "b", "c"}, labels, truth))
	counts := func(seed uint64, kind string) [2][2]int {
		got := must.Get(e.Redrawn(resample.Draw{Kind: kind, Seed: seed}))
		return got.Columns[0].Counts
	}
	total := func(c [2][2]int) int { return c[0][0] + c[0][1] + c[1][0] + c[1][1] }
	one := counts(1, resample.Bootstrap)
	if one != counts(1, resample.Bootstrap) || one == counts(2, resample.Bootstrap) || total(one) != 200 || total(counts(1, resample.Half)) != 100 {
		t.Errorf("counts %v", one)
	}
	if _, err := e.Redrawn(resample.Draw{Kind: "unknown"}); err == nil {
		t.Error("an unknown kind is accepted")
	}
}

// TestCombine checks the estimate by hand. Labels and truth have the variances 1/4 and 3/16 and the covariance 1/8. The variance
// λ²·(1/4)/12 + (3/16 - 2λ/8 + λ²/4)/4 is least at λ = (1/8)/((1/4)·(1 + 4/12)) = 3/8.
func TestCombine(t *testing.T) {
	got := combine([]float64{0, 0, 1, 1}, []float64{0, 1, 1, 1}, 0.9, 12)
	must.Near(t, got.value, 0.75+3./8*(0.9-0.5), 1e-15, "mean")
	must.Near(t, got.noise, (3./16-2*3./8/8+9./64/4)/4, 1e-15, "noise")
	must.Near(t, got.share, (3./16/12)/(9./64/4/12+got.noise), 1e-15, "share of the rows")
}

// TestWeight checks the share of the differences, here 0.3² + 0.1², that their noise does not explain.
func TestWeight(t *testing.T) {
	pairs := []pair{{simple: 0.2, free: 0.5, noise: 0.02, both: true}, {simple: 0.1, noise: 0.03, both: true}, {simple: 9, noise: 9}}
	must.Near(t, weight(pairs), 1-0.05/0.1, 1e-15, "weight")
	pairs[0].noise = 0.08
	must.Near(t, weight(pairs), 0, 0, "weight below the noise")
}
