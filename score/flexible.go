package score

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/search"
)

// Flexible is a local score of tables with columns of any kind, from second moments alone. Blocks has three kinds of variables:
// categorical ones (Levels), straight ones (numeric with one function) and curved ones (numeric with nonlinear functions). The score of
// a variable with its parents is the smaller of two,
//
//	Mixed:  linear effects of numbers and shifts by categories,
//	Smooth: smooth functions of curved parents and their products, linear effects of straight ones, shifts by categories.
//
// Both are twice the negative log-likelihood with a penalty of about log n per weight, so nonlinear functions are used only if they
// improve the fit by more than they cost. Smooth applies only if the variable and one of its parents are curved. Otherwise a
// category or a count, which is linear in no direction, would look like the effect of every number next to it.
//
// Graphs of one Markov equivalence class have the same total if all effects are linear, and different totals otherwise: then
// directions are identified.
type Flexible struct {
	mixed  *Mixed
	smooth *Smooth // nil if fewer than two variables are curved
	// margin is what nonlinear functions must gain for a variable besides their penalty.
	margin float64
}

// In a table with categories or counts, which are not Gaussian, nonlinear functions must improve the fit of a variable by curveMargin +
// curveShare·n more than their penalty: about 5 % of its residual variance. Smaller curves are as likely to be an effect of a
// category that is not among the parents: without a margin the F1 of such tables with linear effects fell from 0.91 to 0.80.
const (
	curveMargin = 10
	curveShare  = 0.05
)

// NewFlexible returns the score of the given blocks.
func NewFlexible(b *Blocks, set SmoothSettings) (*Flexible, error) {
	mixed, err := NewMixed(b)
	if err != nil {
		return nil, err
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	f := &Flexible{mixed: mixed}
	curved := 0
	for v := range b.Variables() {
		if b.Curved(v) {
			curved++
		}
	}
	if curved < b.Variables() {
		f.margin = curveMargin + curveShare*float64(b.N)
	}
	if curved < 2 {
		return f, nil
	}
	set.Linear = false // Mixed has it
	f.smooth, err = newSmooth(b, set)
	return f, err
}

// Variables returns d.
func (s *Flexible) Variables() int { return s.mixed.d }

// Price returns the penalty of the cheapest edge.
func (s *Flexible) Price() float64 { return s.mixed.Price() }

// PairPrice returns the penalty of a linear edge between two variables.
func (s *Flexible) PairPrice(x, v int) float64 { return s.mixed.PairPrice(x, v) }

// Equivalent reports whether all graphs of one Markov equivalence class have the same total.
func (s *Flexible) Equivalent() bool {
	return s.smooth == nil || !slices.Contains(s.smooth.bent, true)
}

// CurvePrior returns the part of the score of v with its parents that is a prior on graphs and no likelihood; NaN if the score prefers
// linear effects.
func (s *Flexible) CurvePrior(v int, parents []int) float64 {
	if s.smooth == nil || len(parents) > 0 && !s.Curved(v, parents) {
		return math.NaN()
	}
	return s.smooth.sets[len(parents)]
}

// Straight returns the score with linear effects of and on the given variables.
func (s *Flexible) Straight(variables []int) *Flexible {
	if s.smooth == nil {
		return s
	}
	smooth := *s.smooth
	smooth.used, smooth.bent = slices.Clone(smooth.used), slices.Clone(smooth.bent)
	for _, v := range variables {
		if smooth.bent[v] {
			smooth.used[v], smooth.bent[v] = 1, false
		}
	}
	return &Flexible{mixed: s.mixed, smooth: &smooth, margin: s.margin}
}

// Additive returns the score without products, which costs a fraction of it.
func (s *Flexible) Additive() *Flexible {
	if s.smooth == nil {
		return s
	}
	smooth := *s.smooth
	smooth.priors = slices.DeleteFunc(slices.Clone(smooth.priors), func(p prior) bool { return p.pairs != nil })
	return &Flexible{mixed: s.mixed, smooth: &smooth, margin: s.margin}
}

// Bent reports whether variable v has nonlinear functions that the score may use.
func (s *Flexible) Bent(v int) bool { return s.smooth != nil && s.smooth.bent[v] }

// Lines returns the score of linear effects alone.
func (s *Flexible) Lines() *Mixed { return s.mixed }

// Curved reports whether the score prefers nonlinear functions for v with these parents, ascending.
func (s *Flexible) Curved(v int, parents []int) bool {
	f := s.Evaluator().(*flexibleFit)
	return f.bends(v, parents) && f.smooth.Score(v, parents)+f.margin < f.mixed.Score(v, parents)
}

// OnlyCurved returns by how much the score of v with these parents, ascending, rises without the parent p if a linear effect of p
// is worth less than a tenth of that; 0 otherwise.
func (s *Flexible) OnlyCurved(v, p int, parents []int) float64 {
	f := s.Evaluator().(*flexibleFit)
	without := slices.DeleteFunc(slices.Clone(parents), func(q int) bool { return q == p })
	gain := f.Score(v, without) - f.Score(v, parents)
	if linear := f.mixed.Score(v, without) - f.mixed.Score(v, parents); linear >= gain/10 {
		return 0
	}
	return gain
}

// Weights returns the weights of the nonlinear functions of v's parents as Smooth.Weights does.
func (s *Flexible) Weights(b *Blocks, v int, parents []int) []Weight {
	return s.smooth.Weights(b, v, parents)
}

// Pair returns the index of the first product of a and b as Smooth.Pair does.
func (s *Flexible) Pair(a, b int) int { return s.smooth.pair(a, b) }

// Products reports whether a and b have products.
func (s *Flexible) Products(a, b int) bool {
	return s.smooth.crossed > 0 && s.smooth.bent[a] && s.smooth.bent[b]
}

// Evaluator returns an evaluator for one goroutine; several may be in use at the same time.
func (s *Flexible) Evaluator() search.Evaluator {
	f := &flexibleFit{mixed: &mixedFit{Mixed: s.mixed}, margin: s.margin}
	if s.smooth != nil {
		f.smooth = &smoothFit{Smooth: s.smooth}
	}
	return f
}

// flexibleFit has the buffers of one goroutine.
type flexibleFit struct {
	mixed  *mixedFit
	smooth *smoothFit
	margin float64
	curves []float64
}

// curved reports whether variable v has nonlinear functions that are used.
func (f *flexibleFit) curved(v int) bool { return f.smooth != nil && f.smooth.bent[v] }

// bends reports whether nonlinear functions apply to v with these parents.
func (f *flexibleFit) bends(v int, parents []int) bool {
	return f.curved(v) && slices.ContainsFunc(parents, f.curved)
}

// Score returns the score of v with its parents, ascending.
func (f *flexibleFit) Score(v int, parents []int) float64 {
	score := f.mixed.Score(v, parents)
	if f.bends(v, parents) {
		score = min(score, f.smooth.Score(v, parents)+f.margin)
	}
	return score
}

// Additions writes the score of v with its parents and x to dst[x] for every x that is neither v nor a parent.
func (f *flexibleFit) Additions(dst []float64, v int, parents []int) {
	f.mixed.Additions(dst, v, parents)
	if !f.curved(v) {
		return
	}
	f.curves = chol.Grown(f.curves, len(dst))
	for x := range f.curves {
		f.curves[x] = math.Inf(1)
	}
	f.smooth.Additions(f.curves, v, parents)
	bent := f.bends(v, parents)
	for x, curve := range f.curves {
		if bent || f.curved(x) {
			dst[x] = min(dst[x], curve+f.margin)
		}
	}
}

// RoundedRemovals writes the score of v without parents[j] to dst[j], up to rounding.
func (f *flexibleFit) RoundedRemovals(dst []float64, v int, parents []int) {
	bends := f.curved(v)
	if bends {
		f.smooth.RoundedRemovals(dst, v, parents)
	}
	rest := make([]int, 0, len(parents))
	for j := range parents {
		rest = append(append(rest[:0], parents[:j]...), parents[j+1:]...)
		if lines := f.mixed.Score(v, rest); bends && f.bends(v, rest) {
			dst[j] = min(lines, dst[j]+f.margin)
		} else {
			dst[j] = lines
		}
	}
}
