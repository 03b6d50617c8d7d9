package attribution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/mechanism"
)

// A Row says why the target is unusual in one row.
type Row struct {
	Row    int    `json:"row"` // counted from 1
	Target string `json:"target"`
	Value  string `json:"value"`
	// P is the probability that a row of the model is at least as far from the mean as this one or, for a category, that it has
	// this category. Score is -log10 P.
	P     float64 `json:"p"`
	Score float64 `json:"score"`
	// Contributions attribute the score to the noise of the target and of its ancestors, the largest first. They are Shapley
	// values and add up to the score.
	Contributions []NoiseShare `json:"contributions"`
}

// A NoiseShare is the part of an outlier score that is due to the noise of one column.
type NoiseShare struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Expected is the mean of a number given its parents in this row, and Noise the difference from it in standard deviations of
	// the noise. P is the probability of a category given its parents.
	Expected *float64 `json:"expected,omitempty"`
	Noise    *float64 `json:"noise,omitempty"`
	P        *float64 `json:"p,omitempty"`
	// Contribution is on the scale of the score.
	Contribution float64 `json:"contribution"`
}

// ErrRow is matched by the error for a row that the table does not have.
var ErrRow = fault.Kind("no-such-row", "the row is not in the table; give a row from 1 to the number of rows")

// draws is the number of simulated rows of an outlier score.
const draws = 2000

// Outlier attributes the outlier score of the target in one row, counted from 1, to the noise of its ancestors (Budhathoki et al.
// 2022). A set of noise terms has the value log P(at least as far from the mean), given that they are as in this row and all others
// are random.
func Outlier(ctx context.Context, t *polydag.Table, q Question, row int, s Settings) (*Report, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	d, err := q.read(ctx, t)
	if err != nil {
		return nil, err
	}
	switch {
	case d.target < 0:
		return nil, errors.New("a row needs a target")
	case row < 1 || row > t.Rows():
		return nil, fault.New(ErrRow, fmt.Sprintf("row %d is not in the table", row), "give a row from 1 to %d", t.Rows())
	}
	f, err := mechanism.FitNetwork(d.model, d.g, d.rows, d.needed)
	if err != nil {
		return nil, err
	}
	o := &outlier{data: d, Network: f, row: row - 1, own: make([]float64, d.g.N()), u: d.uniforms(draws, s.Seed)}
	out := &Row{Row: row, Target: d.names[d.target], Value: kind.Label(d.words[d.target], d.rows.Columns[d.target][row-1])}
	for _, v := range d.needed {
		out.Contributions = append(out.Contributions, o.infer(v, s.Seed))
	}
	players := slices.Clone(d.needed)
	slices.Sort(players)
	value := o.simulated(players)
	if d.affine() {
		value = o.added(players)
	}
	none, err := value(make([]bool, len(players)))
	if err != nil {
		return nil, err
	}
	out.Score = -none / math.Ln10
	out.P = math.Exp(none)
	parts, err := shapley(len(players), s.Seed, func(in []bool) (float64, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return value(in)
	})
	if err != nil {
		return nil, err
	}
	for k, v := range players {
		at := slices.IndexFunc(out.Contributions, func(c NoiseShare) bool { return c.Name == d.names[v] })
		out.Contributions[at].Contribution = parts[k] / math.Ln10
	}
	slices.SortStableFunc(out.Contributions, func(a, b NoiseShare) int { return cmp.Compare(b.Contribution, a.Contribution) })
	r := d.report()
	r.Row = out
	return r, nil
}

// outlier is the game of one row.
type outlier struct {
	*data
	*mechanism.Network
	row int
	own []float64   // noise of the row by column: a residual, or a uniform number that gives the category
	u   [][]float64 // uniform numbers of the simulated rows
}

// infer finds the noise of column v in the row. The noise of a category is not identified: a uniform number is drawn from the range
// that gives the category.
func (o *outlier) infer(v int, seed uint64) NoiseShare {
	x := o.rows.Columns[v][o.row]
	y := o.F[v].At(o.rows.Parents(o.g, v, o.row, make([]float64, len(o.g.Parents(v)))))
	out := NoiseShare{Name: o.names[v], Value: kind.Label(o.words[v], x)}
	if o.rows.Levels[v] == nil {
		o.own[v] = x - y[0]
		expected, z := o.exact(v, y[0]), 0.0
		if variance := o.Variance[v]; variance > 0 {
			z = (o.own[v] - o.Mean[v]) / math.Sqrt(variance)
		}
		out.Expected, out.Noise = &expected, &z
		return out
	}
	code := o.rows.Code(v, x)
	for _, p := range y[:code] {
		o.own[v] += p
	}
	o.own[v] += y[code] * rand.New(rand.NewPCG(seed, uint64(v))).Float64()
	p := y[code]
	out.P = &p
	return out
}

// simulated returns the value of a set of noise terms by simulation.
func (o *outlier) simulated(players []int) func(in []bool) (float64, error) {
	target := o.rows.Columns[o.target][o.row]
	middle := sync.OnceValue(func() float64 {
		sum := 0.0
		for _, y := range o.draw(make([]bool, o.g.N())) {
			sum += y / draws
		}
		return sum
	})
	return func(in []bool) (float64, error) {
		fixed := make([]bool, o.g.N())
		for k, v := range players {
			fixed[v] = in[k]
		}
		y := o.draw(fixed)
		if o.rows.Levels[o.target] == nil {
			return logTail(y, middle(), target), nil
		}
		sum := 0.5 // half a draw keeps the logarithm finite
		for _, p := range y {
			sum += p
		}
		return math.Log(sum / (draws + 0.5)), nil
	}
}

// draw simulates the target; fixed columns have the noise of the row. For a category it returns whether the draw has that of the row.
func (o *outlier) draw(fixed []bool) []float64 {
	values := make([][]float64, o.g.N())
	for _, v := range o.needed {
		f := o.F[v].Clone()
		levels := o.rows.Levels[v]
		own := make([]float64, draws)
		parents := make([]float64, len(o.g.Parents(v)))
		for i := range own {
			for j, p := range o.g.Parents(v) {
				parents[j] = values[p][i]
			}
			y := f.At(parents)
			switch {
			case levels == nil && fixed[v]:
				own[i] = y[0] + o.own[v]
			case levels == nil:
				own[i] = y[0] + o.Quantile(v, o.u[v][i])
			case fixed[v]:
				own[i] = levels[mechanism.Pick(y, o.own[v])]
			default:
				own[i] = levels[mechanism.Pick(y, o.u[v][i])]
			}
		}
		values[v] = own
	}
	y := values[o.target]
	if o.rows.Levels[o.target] != nil {
		for i, x := range y {
			y[i] = 0
			if x == o.rows.Columns[o.target][o.row] {
				y[i] = 1
			}
		}
	}
	return y
}

// added returns the value of a set of noise terms of an affine model, in which the target is a constant plus the weighted noise terms.
func (o *outlier) added(players []int) func(in []bool) (float64, error) {
	at := func(noise func(v int) float64) float64 { // the target for these noise terms
		values := make([]float64, o.g.N())
		for _, v := range o.needed {
			parents := make([]float64, len(o.g.Parents(v)))
			for j, p := range o.g.Parents(v) {
				parents[j] = values[p]
			}
			values[v] = o.F[v].At(parents)[0] + noise(v)
		}
		return values[o.target]
	}
	middle := at(func(v int) float64 { return o.Mean[v] })
	weight := make([]float64, len(players))
	drawn := make([][]float64, len(players))
	for k, p := range players {
		// The weight is a difference quotient over one standard step of the column, so that units do not matter.
		step := o.Quantile(p, 0.95) - o.Quantile(p, 0.05)
		if step == 0 {
			step = 1
		}
		weight[k] = (at(func(v int) float64 {
			if v == p {
				return o.Mean[v] + step
			}
			return o.Mean[v]
		}) - middle) / step
		for _, u := range o.u[p] {
			drawn[k] = append(drawn[k], weight[k]*(o.Quantile(p, u)-o.Mean[p]))
		}
	}
	target := o.rows.Columns[o.target][o.row]
	y := make([]float64, draws)
	return func(in []bool) (float64, error) {
		constant := middle
		clear(y)
		for k, p := range players {
			if in[k] {
				constant += weight[k] * (o.own[p] - o.Mean[p])
				continue
			}
			for i, x := range drawn[k] {
				y[i] += x
			}
		}
		for i := range y {
			y[i] += constant
		}
		return logTail(y, middle, target), nil
	}
}

// logTail returns log P(|Y - middle| ≥ |x - middle|): the share of the draws y if at least 20 are as far, otherwise the tail of the
// normal distribution with their mean and variance.
func logTail(y []float64, middle, x float64) float64 {
	far := math.Abs(x-middle) * (1 - 1e-9)
	count, mean, variance := 0, 0.0, 0.0
	for _, v := range y {
		if math.Abs(v-middle) >= far {
			count++
		}
		mean += v / float64(len(y))
	}
	if count >= 20 {
		return math.Log(float64(count) / float64(len(y)))
	}
	for _, v := range y {
		variance += (v - mean) * (v - mean) / float64(len(y))
	}
	const least = -300 // the least logarithm of a probability
	if !(variance > 0) {
		return least
	}
	z := math.Sqrt(2 * variance)
	return max(least, math.Log(math.Erfc((far-(mean-middle))/z)/2+math.Erfc((far+(mean-middle))/z)/2))
}
