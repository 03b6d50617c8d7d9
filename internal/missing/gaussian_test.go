package missing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// chain returns n rows of d columns, each of which depends on the two before it. A share of the values is missing.
func chain(n, d int, share float64, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	rows := make([]float64, n*d)
	for i := range n {
		row := rows[i*d : (i+1)*d]
		for j := range row {
			row[j] = random.NormFloat64() + float64(j)
			if j > 0 {
				row[j] += 0.8 * row[j-1]
			}
			if j > 1 {
				row[j] -= 0.5 * row[j-2]
			}
		}
	}
	for i := range rows {
		if random.Float64() < share {
			rows[i] = math.NaN()
		}
	}
	return rows
}

func fit(t *testing.T, rows []float64, d, threads int) *Gaussian {
	t.Helper()
	g := must.Get(FitGaussian(t.Context(), rows, d, Settings{Threads: threads}))
	return g
}

// Two columns of which only the second has missing values have a closed form (Anderson 1957, "Maximum likelihood estimates for a
// multivariate normal distribution when some observations are missing"): the regression of y on x in the complete rows, applied to
// the mean and variance of x in all rows.
func TestFitGaussianMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	var rows []float64
	for range 400 {
		x := 3 + 2*random.NormFloat64()
		y := 1 - 0.7*x + random.NormFloat64()
		if x > 4 { // missing at random
			y = math.NaN()
		}
		rows = append(rows, x, y)
	}
	var n, mx, vx, m, cx, cy, sxx, sxy, syy float64
	for i := 0; i < len(rows); i += 2 {
		n++
		mx += rows[i]
		if y := rows[i+1]; y == y {
			m++
			cx += rows[i]
			cy += y
		}
	}
	mx, cx, cy = mx/n, cx/m, cy/m
	for i := 0; i < len(rows); i += 2 {
		x, y := rows[i], rows[i+1]
		vx += (x - mx) * (x - mx) / n
		if y == y {
			sxx += (x - cx) * (x - cx) / m
			sxy += (x - cx) * (y - cy) / m
			syy += (y - cy) * (y - cy) / m
		}
	}
	b := sxy / sxx
	want := []float64{mx, cy + b*(mx-cx), vx, b * vx, syy + b*b*(vx-sxx)}
	g := fit(t, rows, 2, 1)
	got := []float64{g.Mean[0], g.Mean[1], g.Covariance[0], g.Covariance[1], g.Covariance[3]}
	for i := range want {
		// EM stops at steps below 1e-4 that become smaller by at least half each, so that at most 2e-4 is left.
		if !(math.Abs(got[i]-want[i]) <= 4e-4*(1+math.Abs(want[i]))) {
			t.Errorf("estimate %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// slowEM is EM by the textbook: the covariance matrix of the values that are there is inverted for each row.
func slowEM(rows []float64, d, iterations int) (mu, s []float64) {
	mu, s = make([]float64, d), make([]float64, d*d)
	for j := range d {
		s[j*d+j] = 1
	}
	n := float64(len(rows) / d)
	for range iterations {
		first, second := make([]float64, d), make([]float64, d*d)
		for at := 0; at < len(rows); at += d {
			row := slices.Clone(rows[at : at+d])
			var there, lacks []int
			for j, v := range row {
				if v == v {
					there = append(there, j)
				} else {
					lacks = append(lacks, j)
				}
			}
			inv := matrix.New[float64](len(there), len(there))
			if len(there) > 0 {
				a := matrix.New[float64](len(there), len(there))
				for i, u := range there {
					for j, v := range there {
						a.Set(i, j, s[u*d+v])
					}
				}
				var lu matrix.LU[float64]
				if err := lu.Factor(a); err != nil {
					panic(err)
				}
				lu.Inverse(inv)
			}
			for _, u := range lacks {
				row[u] = mu[u]
				for i, a := range there {
					for j, b := range there {
						row[u] += s[u*d+a] * inv.At(i, j) * (rows[at+b] - mu[b])
					}
				}
			}
			for _, u := range lacks {
				for _, v := range lacks {
					c := s[u*d+v]
					for i, a := range there {
						for j, b := range there {
							c -= s[u*d+a] * inv.At(i, j) * s[b*d+v]
						}
					}
					second[u*d+v] += c
				}
			}
			for i, x := range row {
				first[i] += x
				for j, y := range row {
					second[i*d+j] += x * y
				}
			}
		}
		for i := range d {
			mu[i] = first[i] / n
		}
		for i := range d {
			for j := range d {
				s[i*d+j] = second[i*d+j]/n - mu[i]*mu[j]
			}
		}
	}
	return mu, s
}

func TestFitGaussianAgainstSlowEM(t *testing.T) {
	const d = 5
	rows := chain(300, d, 0.25, 3)
	g := fit(t, rows, d, 2)
	mu, s := slowEM(rows, d, 400)
	for i := range d {
		if !(math.Abs(g.Mean[i]-mu[i]) <= 2e-3*math.Sqrt(s[i*d+i])) {
			t.Errorf("mean %d is %v, want %v", i, g.Mean[i], mu[i])
		}
		for j := range d {
			if !(math.Abs(g.Covariance[i*d+j]-s[i*d+j]) <= 3e-3*math.Sqrt(s[i*d+i]*s[j*d+j])) {
				t.Errorf("covariance %d, %d is %v, want %v", i, j, g.Covariance[i*d+j], s[i*d+j])
			}
		}
	}
}

// Complete rows have the covariance of a plain sum after the first step.
func TestFitGaussianComplete(t *testing.T) {
	const d = 4
	rows := chain(500, d, 0, 5)
	g := fit(t, rows, d, 1)
	if g.Iterations > 2 {
		t.Errorf("%d iterations for complete rows", g.Iterations)
	}
	n := 500.0
	for i := range d {
		for j := range d {
			var x, y, xy float64
			for at := 0; at < len(rows); at += d {
				x, y, xy = x+rows[at+i], y+rows[at+j], xy+rows[at+i]*rows[at+j]
			}
			if want := xy/n - x/n*y/n; !(math.Abs(g.Covariance[i*d+j]-want) <= 1e-9) {
				t.Errorf("covariance %d, %d is %v, want %v", i, j, g.Covariance[i*d+j], want)
			}
		}
	}
}

func TestFitGaussianThreadsAndShuffle(t *testing.T) {
	const d = 9
	rows := chain(3000, d, 0.2, 11)
	one := fit(t, rows, d, 1)
	if four := fit(t, rows, d, 4); !slices.Equal(one.Covariance, four.Covariance) || !slices.Equal(one.Mean, four.Mean) {
		t.Error("the estimates depend on the number of threads")
	}
	order := rand.New(rand.NewPCG(2, 2)).Perm(d)
	shuffled := make([]float64, len(rows))
	for at := 0; at < len(rows); at += d {
		for k, j := range order {
			shuffled[at+k] = rows[at+j]
		}
	}
	other := fit(t, shuffled, d, 2)
	a, b := slices.Clone(rows[:50*d]), slices.Clone(shuffled[:50*d])
	fa, fb, ra, rb := one.Filler(), other.Filler(), rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
	for at := 0; at < len(a); at += d {
		fa.Fill(a[at:at+d], ra)
		fb.Fill(b[at:at+d], rb)
	}
	for k, i := range order {
		for l, j := range order {
			if other.Covariance[k*d+l] != one.Covariance[i*d+j] {
				t.Fatalf("covariance %d, %d is %v after a shuffle, %v before", i, j, other.Covariance[k*d+l], one.Covariance[i*d+j])
			}
		}
		for at := 0; at < len(a); at += d {
			if b[at+k] != a[at+i] {
				t.Fatalf("a draw of column %d is %v after a shuffle, %v before", i, b[at+k], a[at+i])
			}
		}
	}
}

// Draws have the covariance of the model.
func TestGaussianFill(t *testing.T) {
	const d = 3
	g := fit(t, chain(5000, d, 0.1, 17), d, 1)
	random, f := rand.New(rand.NewPCG(3, 4)), g.Filler()
	const n = 20000
	var sum, square [d]float64
	for range n {
		row := []float64{math.NaN(), math.NaN(), math.NaN()}
		f.Fill(row, random)
		for j, v := range row {
			sum[j] += v
			square[j] += v * v
		}
	}
	for j := range d {
		mean := sum[j] / n
		if sd := math.Sqrt(g.Covariance[j*d+j]); !(math.Abs(mean-g.Mean[j]) <= 0.03*sd) || !(math.Abs(math.Sqrt(square[j]/n-mean*mean)/sd-1) <= 0.03) {
			t.Errorf("draws of column %d: mean %v, want %v", j, mean, g.Mean[j])
		}
	}
}

func BenchmarkFitGaussian(b *testing.B) {
	rows := chain(5000, 50, 0.1, 1)
	for b.Loop() {
		must.Get(FitGaussian(b.Context(), rows, 50, Settings{Threads: 2}))
	}
}
