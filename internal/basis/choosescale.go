package basis

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// A Form says how a numeric column enters a model of columns of any kind.
type Form struct {
	Scale dataset.Scale
	// Straight marks a column with few or repeated values, such as a count or a rating. It has no curves: where one end of an edge is
	// such a column, both regressions of the edge are curved, and curves would only say which end has fewer values.
	Straight bool
}

const (
	// fewValues is the effective number of different values, 1/Σp² with their shares p, up to which a column is Straight.
	fewValues = 50
	// scaleRows, scalePredictors and scaleCurves bound the work of choosing a scale.
	scaleRows       = 2000
	leastScaleRows  = 30
	scalePredictors = 20
	scaleCurves     = 4
	// lumpySkew and lumpyTails are the skewness and excess kurtosis beyond which a Straight column is described by normal scores.
	lumpySkew, lumpyTails = 1, 3
	// scoreParameters is how many parameters the free distribution of a column on normal scores is charged as.
	scoreParameters = 4
)

// Forms chooses the form of every numeric column of x; those of categorical columns are zero. The scale of a column that is not
// Straight is that with the largest likelihood of the column given the others: the column is regressed, on each scale, on curves of
// the others by forward selection, and
//
//	-2·log L = n·log(residual variance) - 2·Σ log T'(x) + penalty,
//
// where T' is the derivative of the transformation: 1, 1/x, or f(x)/φ(T(x)) for normal scores with f the density of the column, whose
// entropy is estimated from spacings (Vasicek 1976). So a column that is not Gaussian only because of its causes keeps its scale.
// A row counts as weight rows. With fewer than 30 rows all columns are raw and curved.
func Forms(ctx context.Context, x *matrix.Dense[float64], categorical []bool, weight float64, threads int) ([]Form, error) {
	d := x.Cols
	forms, faults := make([]Form, d), make([]error, d)
	rows := Some(x, scaleRows)
	n := rows.Rows
	if n < leastScaleRows {
		return forms, nil
	}
	columns, scores := matrix.New[float64](d, n), matrix.New[float64](d, n)
	matrix.Transpose(columns, rows)
	predictors := make([]expanded, d)
	chosen, entropies := make([]bool, d), make([]float64, d)
	parallel.For(d, threads, func(j int) {
		x, z := columns.Row(j), scores.Row(j)
		r := ranksOf(x)
		if categorical != nil && categorical[j] {
			predictors[j] = categories(x)
			for i, v := range x {
				z[i] = normalQuantile(r.at(v))
			}
			normalize(z)
			return
		}
		predictors[j] = onScores(x, r)
		for i := range z {
			z[i] = predictors[j].functions[i*predictors[j].size]
		}
		normalize(z)
		if forms[j], chosen[j] = lumpy(x, r); !chosen[j] {
			entropies[j] = entropy(x, weight)
			chosen[j] = 2*float64(n)*weight*negentropy(x, entropies[j]) < scoreParameters*math.Log(float64(n)*weight)
		}
	})
	parallel.For(d, threads, func(j int) {
		if chosen[j] || categorical != nil && categorical[j] {
			return
		}
		if faults[j] = ctx.Err(); faults[j] == nil {
			forms[j].Scale, faults[j] = scaleOf(columns.Row(j), predictors, closest(scores, j), j, entropies[j], weight)
		}
	})
	return forms, errors.Join(faults...)
}

// Some returns at most the given number of the rows of x without missing values, spread evenly.
func Some(x *matrix.Dense[float64], most int) *matrix.Dense[float64] {
	rows := Places(x, most)
	out := matrix.New[float64](len(rows), x.Cols)
	for i, r := range rows {
		copy(out.Row(i), x.Row(r))
	}
	return out
}

// Places returns the indices of the rows that Some returns.
func Places(x *matrix.Dense[float64], most int) []int {
	var complete []int
	for i := range x.Rows {
		if !slices.ContainsFunc(x.Row(i), func(v float64) bool { return v != v }) {
			complete = append(complete, i)
		}
	}
	out := make([]int, min(len(complete), most))
	for i := range out {
		out[i] = complete[i*len(complete)/len(out)]
	}
	return out
}

// lumpy returns the form of a column with few or repeated values.
func lumpy(x []float64, r ranks) (f Form, is bool) {
	n := float64(len(x))
	squares, below := 0.0, 0.0
	for _, u := range r.u {
		share := 2 * (u - below) // u is halfway through the step
		below += share
		squares += share * share
	}
	if 1/squares > min(fewValues, n/2) {
		return f, false
	}
	f.Straight = true
	if len(r.x) > 2 {
		if skew, tails := shape(x); math.Abs(skew) > lumpySkew || tails > lumpyTails {
			f.Scale = dataset.ScoreScale
		}
	}
	return f, true
}

// shape returns the skewness and the excess kurtosis of x.
func shape(x []float64) (skew, tails float64) {
	z := slices.Clone(x)
	normalize(z)
	for _, v := range z {
		skew += v * v * v
		tails += v * v * v * v
	}
	n := float64(len(x))
	return skew * math.Sqrt(n), tails*n - 3
}

// entropy estimates the differential entropy of a column from spacings of √n values, where a row counts as weight rows. It is right for
// the quantiles of a Gaussian.
func entropy(x []float64, weight float64) float64 {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	n := len(sorted)
	gaussian := make([]float64, n)
	for i := range gaussian {
		gaussian[i] = normalQuantile((float64(i) + 0.5) / float64(n))
	}
	apart := max(1, math.Sqrt(float64(n)*weight))
	m := min(max(1, int(apart/weight)), n-1)
	// The logarithm of a random spacing of m values is smaller than that of its mean by log m - ψ(m) ≈ 1/(2m).
	return spacings(sorted, m) - spacings(gaussian, m) + gaussianEntropy + 1/(2*apart)
}

// gaussianEntropy is the entropy of a Gaussian with variance 1.
var gaussianEntropy = (1 + math.Log(2*math.Pi)) / 2

// spacings returns the mean logarithm of the distance of m places in a sorted column.
func spacings(sorted []float64, m int) (mean float64) {
	n := len(sorted)
	least := (sorted[n-1] - sorted[0]) / float64(n) * 1e-6
	for i := range n - m {
		mean += math.Log(max(sorted[i+m]-sorted[i], least))
	}
	return mean / float64(n-m)
}

// negentropy returns how much smaller the given entropy of x is than that of a Gaussian with its variance.
func negentropy(x []float64, entropy float64) float64 {
	return gaussianEntropy + math.Log(spread(x))/2 - entropy
}

// spread returns the variance of x.
func spread(x []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return sum / float64(len(x))
}

// scaleOf chooses the scale of column j, which has the given entropy, given the columns in the list.
func scaleOf(x []float64, columns []expanded, list []int, j int, entropy, weight float64) (dataset.Scale, error) {
	own := columns[j]
	scales := []dataset.Scale{dataset.RawScale, dataset.ScoreScale}
	if slices.Min(x) > 0 {
		scales = append(scales, dataset.LogScale)
	}
	k := len(list)
	part := make([]expanded, k, k+len(scales))
	for c, p := range list {
		part[c] = columns[p]
	}
	for _, scale := range scales {
		if scale == dataset.ScoreScale {
			part = append(part, own)
		} else {
			part = append(part, own.onScale(x, scale))
		}
	}
	blocks, err := blocksOf(part, len(x))
	if err != nil {
		return "", err
	}
	blocks.N = max(2, int(math.Round(weight*float64(blocks.N))))
	flexible, err := score.NewFlexible(blocks, score.DefaultSmoothSettings())
	if err != nil {
		return "", err
	}
	best, least := dataset.RawScale, math.Inf(1)
	n := float64(blocks.N)
	for c, scale := range scales {
		v := k + c
		at := blocks.Start[v]
		value := n*math.Log(blocks.Gram.At(at, at)) + score.ForwardScore(flexible.Evaluator(), blocks.Variables(), v, k, k)
		switch scale {
		case dataset.LogScale:
			sum := 0.0
			for _, a := range x {
				sum += math.Log(a)
			}
			value += 2*n*sum/float64(len(x)) + 2
		case dataset.ScoreScale:
			value += 2*n*(entropy-gaussianEntropy) + scoreParameters*math.Log(n)
		}
		if value < least {
			best, least = scale, value
		}
	}
	return best, nil
}

// closest returns the columns with the largest correlation of normal scores with column j, ascending.
func closest(scores *matrix.Dense[float64], j int) []int {
	d := scores.Rows
	near := make([]float64, d)
	list := make([]int, 0, d)
	for v := range d {
		if v != j {
			near[v] = math.Abs(vec.Dot(scores.Row(v), scores.Row(j)))
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	list = list[:min(scalePredictors, len(list))]
	slices.Sort(list)
	return list
}
