package score

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
)

// A logit fits a multinomial logit with additive effects of categorical parents,
//
//	P(y | x₁ … xₖ) ∝ exp(b_y + Σ_i θ_i(x_i, y)),
//
// to aggregated counts, by maximum likelihood. The fit is iterative proportional fitting of the log-linear model with the margins
// (y, x_i) of each parent and the joint margin of the parents (Deming and Stephan 1940). One cycle takes O(configurations·k·levels)
// multiplications and no exponentials. Cells that never occur need no care: their effects tend to -∞, and their fitted counts to 0.
//
// With one parent the model is the full table. The likelihood of a pair is then the same in both directions.
type logit struct {
	r     int       // categories of the child
	k     int       // parents
	width int       // categories of all parents
	at    []int32   // for configuration c, the place of each parent's category in a margin: at[c·k + i]
	n     []float64 // observed counts n[c·r + y], later fitted ones
	total []float64 // rows of each configuration
	fit   []float64 // fitted counts
	seen  []float64 // observed margins, by parent, category and y
	want  []float64 // fitted margins, then ratios
	start []int     // first place of each parent in a margin, and the end
	cube  bool      // the child is binary, and there are at most mostCube configurations of the parents
	size  int       // configurations in the cube
	place []int32   // of each configuration in the cube
	// stride is the distance of two categories of each parent in the cube.
	stride []int32
	by     newton
	steps  bool    // the latest fit was by newton
	value  float64 // its log-likelihood, if it was in a cube
}

const (
	// logitCycles bounds the cycles of a fit.
	logitCycles = 60
	// exactFit and quickFit are increases of twice the log-likelihood in a cycle at which a fit stops.
	exactFit = 1e-6
	quickFit = 1e-1
)

// reset begins a table with a child of r categories and parents with these numbers of categories.
func (f *logit) reset(r int, levels []int) {
	f.r, f.k, f.width = r, len(levels), 0
	f.start, f.place, f.stride, f.cube, f.size = f.start[:0], f.place[:0], f.stride[:0], r == 2, 1
	for _, l := range levels {
		f.start = append(f.start, f.width*r)
		f.stride = append(f.stride, int32(f.size))
		f.width += l
		if f.cube = f.cube && f.size*l <= mostCube; f.cube {
			f.size *= l
		}
	}
	f.start = append(f.start, f.width*r)
	f.at, f.n, f.total = f.at[:0], f.n[:0], f.total[:0]
}

// add adds a configuration of the parents with counts of the child. Configurations without rows are left out.
func (f *logit) add(levels []int32, cells []uint32) {
	sum := uint32(0)
	for _, c := range cells {
		sum += c
	}
	if sum == 0 {
		return
	}
	f.total = append(f.total, float64(sum))
	place := int32(0)
	for i, l := range levels {
		f.at = append(f.at, int32(f.start[i]+int(l)*f.r))
		place += f.stride[i] * l
	}
	f.place = append(f.place, place)
	for _, c := range cells {
		f.n = append(f.n, float64(c))
	}
}

// addPair is add for a binary child and a configuration by its place, if there is a cube.
func (f *logit) addPair(place int, zeros, ones uint32) {
	if zeros+ones > 0 {
		f.total, f.place = append(f.total, float64(zeros+ones)), append(f.place, int32(place))
		f.n = append(f.n, float64(zeros), float64(ones))
	}
}

// solve fits the model, until a cycle gains less than the given amount, and returns the maximized log-likelihood.
func (f *logit) solve(least float64) float64 {
	if f.steps = f.r == 2 && f.newton(least); !f.steps {
		f.scaled(least)
	}
	return f.likelihood()
}

// solveFrom is solve from parameters of Newton's method, which may change the result within the given amount.
func (f *logit) solveFrom(theta []float64, least float64) float64 {
	f.by.from = theta
	l := f.solve(least)
	f.by.from = nil
	return l
}

// parameters returns the parameters of the latest fit in the memory of dst; none if it was not by Newton's method.
func (f *logit) parameters(dst []float64) []float64 {
	if !f.steps {
		return dst[:0]
	}
	return append(dst[:0], f.by.theta...)
}

// likelihood returns the log-likelihood of the fitted counts.
func (f *logit) likelihood() float64 {
	if f.steps && f.cube {
		return f.value
	}
	l := 0.0
	for c, total := range f.total {
		for y, n := range f.n[c*f.r : (c+1)*f.r] {
			if n > 0 {
				l += n * math.Log(f.fit[c*f.r+y]/total)
			}
		}
	}
	return l
}

// scaled fits by iterative proportional fitting.
func (f *logit) scaled(least float64) {
	f.begin()
	for range logitCycles {
		change := 0.0
		for i := range f.k {
			if f.r == 2 {
				change += f.scalePairs(i)
			} else {
				change += f.scale(i)
			}
		}
		if change < least {
			return
		}
	}
}

// begin computes the observed margins and starts from the frequencies of the child.
func (f *logit) begin() {
	if len(f.at) == 0 { // after addPair
		for _, place := range f.place {
			for i, stride := range f.stride {
				f.at = append(f.at, int32(f.start[i]+int(place/stride)%f.categories(i)*f.r))
			}
		}
	}
	f.seen = zeros(f.seen, f.width*f.r)
	f.want = zeros(f.want, f.width*f.r)
	f.fit = zeros(f.fit, len(f.n))
	r := f.r
	rows := 0.0
	child := f.want[:r]
	for c, total := range f.total {
		rows += total
		n := f.n[c*r : (c+1)*r]
		for y, m := range n {
			child[y] += m
		}
		for _, at := range f.at[c*f.k : (c+1)*f.k] {
			seen := f.seen[at : int(at)+r]
			for y, m := range n {
				seen[y] += m
			}
		}
	}
	for c, total := range f.total {
		for y := range r {
			f.fit[c*r+y] = total * child[y] / rows
		}
	}
}

// scale makes the margin of parent i agree with the observed one, keeps the rows of each configuration, and returns the approximate
// increase of twice the log-likelihood.
func (f *logit) scale(i int) (change float64) {
	r, k := f.r, f.k
	clear(f.want)
	for c := range f.total {
		at := int(f.at[c*k+i])
		want := f.want[at : at+r]
		for y, m := range f.fit[c*r : (c+1)*r] {
			want[y] += m
		}
	}
	change = f.ratios(i)
	for c, total := range f.total {
		at := int(f.at[c*k+i])
		ratio := f.want[at : at+r]
		fit := f.fit[c*r : (c+1)*r]
		sum := 0.0
		for y := range fit {
			fit[y] *= ratio[y]
			sum += fit[y]
		}
		sum = total / sum
		for y := range fit {
			fit[y] *= sum
		}
	}
	return change
}

// scalePairs is scale for a binary child.
func (f *logit) scalePairs(i int) (change float64) {
	k := f.k
	clear(f.want)
	for c := range f.total {
		at := int(f.at[c*k+i])
		f.want[at] += f.fit[2*c]
		f.want[at+1] += f.fit[2*c+1]
	}
	change = f.ratios(i)
	for c, total := range f.total {
		at := int(f.at[c*k+i])
		a, b := f.fit[2*c]*f.want[at], f.fit[2*c+1]*f.want[at+1]
		scale := total / (a + b)
		f.fit[2*c], f.fit[2*c+1] = a*scale, b*scale
	}
	return change
}

// ratios replaces the fitted margin of parent i by observed over fitted counts, and returns Pearson's statistic.
func (f *logit) ratios(i int) (change float64) {
	for at := f.start[i]; at < f.start[i+1]; at++ {
		seen, fitted := f.seen[at], f.want[at]
		if !(fitted > 0) {
			f.want[at] = 0
			continue
		}
		change += (seen - fitted) * (seen - fitted) / fitted
		f.want[at] = seen / fitted
	}
	return change
}

func zeros(s []float64, n int) []float64 {
	s = chol.Grown(s, n)
	clear(s)
	return s
}
