package sample

import (
	"math"

	"github.com/polydag/polydag/graph"
)

// A trace is one quantity along the samples of each chain.
type trace [][]float64

// rhat returns the split potential scale reduction (Gelman et al., Bayesian Data Analysis 3, section 11.4). It
// splits every chain into halves and compares the variance between halves with the variance within. It is 1 if
// they agree.
func (t trace) rhat() float64 {
	n := len(t[0]) / 2
	var halves trace
	for _, c := range t {
		halves = append(halves, c[:n], c[len(c)-n:])
	}
	within, both := halves.variances()
	switch {
	case both == 0:
		return 1
	case within == 0:
		return worst
	}
	return min(worst, max(1, math.Sqrt(both/within)))
}

// worst is the value for chains that never agree, where the ratio is unbounded.
const worst = 99

// variances returns the mean variance within chains and the estimate of the total variance.
func (t trace) variances() (within, both float64) {
	n := float64(len(t[0]))
	var means []float64
	for _, c := range t {
		mean, v := meanVariance(c)
		means = append(means, mean)
		within += v / float64(len(t))
	}
	_, between := meanVariance(means)
	return within, (n-1)/n*within + between
}

// meanVariance returns the mean and the variance with divisor n - 1.
func meanVariance(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, variance
}

// ess returns the effective sample size of all chains together, by Geyer's initial monotone sequence of
// autocorrelations (Gelman et al., section 11.5).
func (t trace) ess() float64 {
	n, m := len(t[0]), float64(len(t))
	within, both := t.variances()
	if both == 0 {
		return m * float64(n)
	}
	means := make([]float64, len(t))
	for i, c := range t {
		means[i], _ = meanVariance(c)
	}
	correlation := func(lag int) float64 {
		sum := 0.0
		for i, c := range t {
			for k := lag; k < n; k++ {
				sum += (c[k] - means[i]) * (c[k-lag] - means[i])
			}
		}
		return 1 - (within-sum/m/float64(n-1))/both
	}
	time, before := -1.0, math.Inf(1)
	for lag := 0; lag+1 < n; lag += 2 {
		pair := correlation(lag) + correlation(lag+1)
		if pair < 0 {
			break
		}
		before = min(before, pair)
		time += 2 * before
	}
	return min(m*float64(n), m*float64(n)/max(time, 1/math.Log10(m*float64(n))))
}

// rare is the frequency below which an edge, or its absence, is excluded from the diagnostics, because its
// trace is nearly constant.
const rare = 0.01

// diagnose returns the largest R-hat and the smallest effective sample size over the uncertain edges and the
// weight of the graph.
func diagnose(d int, graphs [][][]graph.Edge, logw [][]float64) (rhat, ess float64) {
	often := make([]float64, d*d)
	total := 0.0
	for _, chain := range graphs {
		for _, g := range chain {
			total++
			for _, e := range g {
				often[e.From*d+e.To]++
			}
		}
	}
	whole := trace(logw)
	rhat, ess = whole.rhat(), whole.ess()
	at := make([]int, d*d)
	var doubtful []trace
	for i, times := range often {
		if at[i] = -1; times >= rare*total && times <= (1-rare)*total {
			at[i] = len(doubtful)
			t := make(trace, len(graphs))
			for c := range t {
				t[c] = make([]float64, len(graphs[c]))
			}
			doubtful = append(doubtful, t)
		}
	}
	for c, chain := range graphs {
		for k, g := range chain {
			for _, e := range g {
				if i := at[e.From*d+e.To]; i >= 0 {
					doubtful[i][c][k] = 1
				}
			}
		}
	}
	for _, t := range doubtful {
		rhat, ess = max(rhat, t.rhat()), min(ess, t.ess())
	}
	return rhat, ess
}
