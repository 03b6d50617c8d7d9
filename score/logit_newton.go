package score

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
)

// newton is a fit of a logit with a binary child by Newton's method. Its parameters are the intercept and an effect of each category
// of a parent but the first.
type newton struct {
	factor   chol.Factor
	theta    []float64
	from     []float64 // parameters that the fit starts from, if there are as many
	step     []float64
	gradient []float64
	scratch  []float64
	inverse  []float64 // diagonal of the inverse information
	first    []int     // first parameter of each parent
	// In a cube, of every configuration, also those without rows (logit_cube.go):
	rows, ones  []float64 // all rows, and those of the second category
	odds        []float64
	effects     []float64 // logarithms of the odds
	excess, dev []float64 // ones less the fitted ones, and the variance of the fitted ones
	// In a list of the configurations with rows:
	active []int32 // parameters of each configuration besides the intercept, one after the other
	ends   []int32 // end of each configuration in active
}

const (
	newtonSteps = 25
	// newtonMost is the largest number of parameters.
	newtonMost = 40
	// newtonRidge is the precision of a prior of the parameters. It is negligible unless categories separate the child perfectly, where
	// effects would be infinite.
	newtonRidge = 1e-4
	// newtonStep is the largest change of a parameter in a step.
	newtonStep = 3
	// newtonLast is the increase of twice the log-likelihood in a step that is the last. The steps converge quadratically, and what is left is
	// below exactFit, unless categories nearly separate the child: then it is below newtonLast. The scores of the 40 columns of CelebA-HQ
	// change by 0.0008 together.
	newtonLast = 1e-3
)

// newton fits the model, and reports false if there are too many parameters or the steps do not converge. It leaves the fitted counts
// in f.fit.
func (f *logit) newton(least float64) bool {
	w := &f.by
	p := 1
	w.first = w.first[:0]
	for i := range f.k {
		w.first = append(w.first, p)
		p += f.categories(i) - 1
	}
	if p > newtonMost {
		return false
	}
	if f.cube {
		f.fill()
	} else {
		f.activate()
	}
	w.theta, w.step, w.gradient = zeros(w.theta, p), zeros(w.step, p), zeros(w.gradient, p)
	w.scratch, w.inverse = zeros(w.scratch, p), zeros(w.inverse, p)
	f.fit = zeros(f.fit, len(f.n))
	ones, rows := 0.0, 0.0
	for c, total := range f.total {
		ones += f.n[2*c+1]
		rows += total
	}
	if ones == 0 || ones == rows {
		return false
	}
	if len(w.from) == p {
		copy(w.theta, w.from)
	} else {
		w.theta[0] = math.Log(ones / (rows - ones))
	}
	for range newtonSteps {
		f.information(p)
		copy(w.step, w.gradient)
		decrement := -w.factor.Forward(w.step, 0)
		w.factor.Back(w.step)
		largest := 0.0
		for _, s := range w.step {
			largest = max(largest, math.Abs(s))
		}
		scale := 1.0
		if largest > newtonStep {
			scale = newtonStep / largest
		}
		for i, s := range w.step {
			w.theta[i] += scale * s
		}
		if decrement < max(least, newtonLast) && scale == 1 {
			f.predict()
			return true
		}
	}
	return false
}

// categories returns the number of categories of parent i.
func (f *logit) categories(i int) int { return (f.start[i+1] - f.start[i]) / f.r }

// activate lists the parameters of each configuration.
func (f *logit) activate() {
	w := &f.by
	w.active, w.ends = w.active[:0], w.ends[:0]
	for c := range f.total {
		for i, at := range f.at[c*f.k : (c+1)*f.k] {
			if level := (int(at) - f.start[i]) / f.r; level > 0 {
				w.active = append(w.active, int32(w.first[i]+level-1))
			}
		}
		w.ends = append(w.ends, int32(len(w.active)))
	}
}

// information computes the gradient and factors the information at theta.
func (f *logit) information(p int) {
	w := &f.by
	w.factor.Reset(p)
	h := w.factor.Matrix()
	clear(h[:p*p])
	clear(w.gradient)
	if f.cube {
		f.cubeSums(h, p)
	} else {
		f.listSums(h, p)
	}
	for i := range p {
		h[i*p+i] += newtonRidge
		w.gradient[i] -= newtonRidge * w.theta[i]
		w.factor.Add(h[i*p+i])
	}
}

// listSums adds up the gradient and the information over the list of configurations.
func (f *logit) listSums(h []float64, p int) {
	w := &f.by
	from := int32(0)
	for c, total := range f.total {
		active := w.active[from:w.ends[c]]
		from = w.ends[c]
		q := w.probability(active)
		g, v := f.n[2*c+1]-total*q, total*q*(1-q)
		w.gradient[0] += g
		h[0] += v
		for i, a := range active {
			w.gradient[a] += g
			row := h[int(a)*p : int(a)*p+int(a)+1]
			row[0] += v
			for _, b := range active[:i+1] {
				row[b] += v
			}
		}
	}
}

// probability returns the probability of the second category.
func (w *newton) probability(active []int32) float64 {
	eta := w.theta[0]
	for _, a := range active {
		eta += w.theta[a]
	}
	return 1 / (1 + math.Exp(-eta))
}

// predict writes the fitted counts.
func (f *logit) predict() {
	w := &f.by
	if f.cube {
		w.multiplyOdds(f)
		w.addEffects(f)
		f.value = 0
		for c, total := range f.total {
			odds := w.odds[f.place[c]]
			q := odds / (1 + odds)
			f.fit[2*c], f.fit[2*c+1] = total*(1-q), total*q
			f.value += f.n[2*c+1]*w.effects[f.place[c]] - total*math.Log(1+odds)
		}
		return
	}
	from := int32(0)
	for c, total := range f.total {
		q := w.probability(w.active[from:w.ends[c]])
		from = w.ends[c]
		f.fit[2*c], f.fit[2*c+1] = total*(1-q), total*q
	}
}

// wald returns estimates of how much twice the log-likelihood decreases without each parent, after newton; NaN for a parent that is
// not binary.
func (f *logit) wald(dst []float64) {
	w := &f.by
	w.factor.InverseDiagonal(w.inverse, w.scratch)
	for i := range f.k {
		dst[i] = math.NaN()
		if at := w.first[i]; f.categories(i) == 2 && w.inverse[at] > 0 {
			dst[i] = w.theta[at] * w.theta[at] / w.inverse[at]
		}
	}
}
