package score

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
)

// mostCube is the largest number of configurations of the parents in a cube.
const mostCube = 512

// A cube has a place for every configuration of the parents, in which the first parent changes fastest. Then
//
//   - the odds of a configuration are those of the configuration without its last parent times a factor, so that a step of Newton's
//     method needs one exponential for each parameter instead of one for each configuration, and
//   - all sums over the configurations with a category, or with two categories of two parents, take about 3 additions for each
//     configuration: folding the last parent adds up the others (fold).

// fill writes the rows of the list to the cube.
func (f *logit) fill() {
	w := &f.by
	w.rows, w.ones = zeros(w.rows, f.size), zeros(w.ones, f.size)
	w.odds, w.excess, w.dev = zeros(w.odds, f.size), zeros(w.excess, f.size), zeros(w.dev, f.size)
	for c, total := range f.total {
		at := f.place[c]
		w.rows[at], w.ones[at] = total, f.n[2*c+1]
	}
}

// multiplyOdds computes the odds of the second category in every configuration.
func (w *newton) multiplyOdds(f *logit) {
	w.odds[0] = math.Exp(w.theta[0])
	n := 1
	for i := range f.k {
		known := w.odds[:n]
		for l := 1; l < f.categories(i); l++ {
			factor := math.Exp(w.theta[w.first[i]+l-1])
			to := w.odds[l*n : (l+1)*n]
			for c, o := range known {
				to[c] = o * factor
			}
		}
		n *= f.categories(i)
	}
}

// addEffects computes the logarithms of the odds by the same recursion.
func (w *newton) addEffects(f *logit) {
	w.effects = chol.Grown(w.effects, f.size)
	w.effects[0] = w.theta[0]
	n := 1
	for i := range f.k {
		known := w.effects[:n]
		for l := 1; l < f.categories(i); l++ {
			effect := w.theta[w.first[i]+l-1]
			to := w.effects[l*n : (l+1)*n]
			for c, e := range known {
				to[c] = e + effect
			}
		}
		n *= f.categories(i)
	}
}

// cubeSums is listSums over the cube.
func (f *logit) cubeSums(h []float64, p int) {
	w := &f.by
	w.multiplyOdds(f)
	excess, dev, ones, odds := w.excess, w.dev[:len(w.excess)], w.ones[:len(w.excess)], w.odds[:len(w.excess)]
	for c, total := range w.rows[:len(excess)] {
		q := odds[c] / (1 + odds[c])
		m := total * q
		excess[c], dev[c] = ones[c]-m, m*(1-q)
	}
	n := f.size
	for i := f.k - 1; i >= 0; i-- {
		levels := f.categories(i)
		n /= levels
		for l := 1; l < levels; l++ {
			a := w.first[i] + l - 1
			w.gradient[a] = fold(excess, l, n)
			row := h[a*p : a*p+a+1]
			row[a] = fold(dev, l, n)
			row[0] = row[a]
			// Nobody needs the upper part any more, so that it is folded in its place.
			upper, m := dev[l*n:(l+1)*n], n
			for j := i - 1; j >= 0; j-- {
				others := f.categories(j)
				m /= others
				for k := 1; k < others; k++ {
					row[w.first[j]+k-1] = fold(upper, k, m)
				}
			}
		}
	}
	w.gradient[0], h[0] = excess[0], dev[0]
}

// fold adds part l of x, of n numbers, to part 0, and returns its sum.
func fold(x []float64, l, n int) (sum float64) {
	from, to := x[l*n:(l+1)*n], x[:n]
	for c, v := range from {
		to[c] += v
		sum += v
	}
	return sum
}
