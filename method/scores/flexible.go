package scores

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// categories marks the columns that the mixed and the flexible model treat as categorical.
func categories(in *method.Input) []bool {
	levels := Nominal(in)
	for j, k := range in.Kinds {
		levels[j] = levels[j] || k.Kind == kind.Categorical
	}
	return levels
}

// forms returns the form of every column for the flexible model. All columns are straight if curves do not improve the score.
// Without rows, numeric columns are raw and curved.
func forms(ctx context.Context, in *method.Input, rows *Reader, levels []bool) ([]basis.Form, error) {
	sample := in.Sample
	switch {
	case sample != nil:
		sample = largestEnvironment(in)
	case rows != nil && rows.Kept != nil:
		sample = &dataset.Sample{Columns: len(in.Names()), Values: rows.Kept}
	default:
		return make([]basis.Form, len(in.Names())), nil
	}
	find := func() ([]basis.Form, error) {
		d := len(in.Names())
		x := matrix.Of(len(sample.Values)/d, d, sample.Values)
		out, err := basis.Forms(ctx, x, levels, in.Weight(), in.Threads)
		if err != nil {
			return nil, err
		}
		pay, err := curvesPay(ctx, in, x, levels, out)
		for j := range out {
			out[j].Straight = out[j].Straight || !pay
		}
		return out, err
	}
	if in.Sample == nil {
		return find()
	}
	// The choice of the model, its score and the tests of hidden causes need the same forms.
	return method.Once(in, formsOf{in.Sample}, func() ([]basis.Form, error) {
		out, err := find()
		if err == nil {
			err = ctx.Err() // they may be incomplete
		}
		return out, err
	})
}

// formsOf is the key of the forms of the columns of a sample.
type formsOf struct{ sample *dataset.Sample }

const (
	// curveRows limits the rows for the comparison of curves with lines before a search.
	curveRows = 2000
	// curveGain is the improvement of the score of some column from which curves are considered: very strong evidence (Kass and
	// Raftery 1995).
	curveGain = 10
)

// curvesPay reports whether nonlinear effects improve the score of some column, given its parents in a graph of one descent with
// linear effects, or one parent more. Inputs have no parents.
func curvesPay(ctx context.Context, in *method.Input, x *matrix.Dense[float64], levels []bool, forms []basis.Form) (bool, error) {
	part := basis.Some(x, curveRows)
	n := part.Rows
	if n == 0 {
		return false, nil
	}
	set := SmoothBasis(x.Cols)
	set.Crossed, set.MaxLevels = 0, math.MaxInt
	set.Scales, set.Straight = scalesOf(forms)
	b, err := basis.OfRows(in.Names(), levels, part, set, in.Threads)
	if err != nil {
		return false, err
	}
	b.N = max(2, int(math.Round(float64(n)*in.Weight())))
	flexible, err := score.NewFlexible(b, score.DefaultSmoothSettings())
	if err != nil || flexible.Equivalent() {
		return false, err
	}
	s := search.DefaultSettings()
	s.Restarts, s.Exact, s.Adapt, s.Seed, s.Threads = 0, 0, false, in.Seed, in.Threads
	p, inputs := search.Problem{Score: flexible.Lines()}, in.Inputs()
	if inputs != nil {
		p.Knowledge.Forbidden = func(_, v int) bool { return inputs[v] }
	}
	found, err := search.Search(ctx, p, s, nil)
	if err != nil {
		return false, err
	}
	curves, lines := flexible.Evaluator(), flexible.Lines().Evaluator()
	more := make([]float64, x.Cols)
	best := func(e search.Evaluator, v int, parents []int) float64 {
		for j := range more {
			more[j] = math.Inf(1)
		}
		e.Additions(more, v, parents)
		return min(e.Score(v, parents), slices.Min(more))
	}
	for v, parents := range found.Parents {
		if inputs != nil && inputs[v] {
			continue
		}
		if best(curves, v, parents)+curveGain < best(lines, v, parents) {
			return true, nil
		}
	}
	return false, nil
}

// scalesOf returns the scales of forms and which of them are straight.
func scalesOf(forms []basis.Form) (scales []dataset.Scale, straight []bool) {
	for _, f := range forms {
		scales, straight = append(scales, f.Scale), append(straight, f.Straight)
	}
	return scales, straight
}

// needed returns why a table needs the flexible model, or "" if it does not. A column that correlates with no other column does not
// count: it must not change the model of the others.
func needed(in *method.Input, forms []basis.Form, levels []bool) string {
	scaled, curved := 0, 0
	related := relatedColumns(in)
	for j, f := range forms {
		if f.Scale != dataset.RawScale && related(j) {
			scaled++
		}
		if !f.Straight && !levels[j] {
			curved++
		}
	}
	var why []string
	if scaled > 0 {
		why = append(why, names.Count(scaled, "column")+" "+are(scaled)+" far from Gaussian")
	}
	if curved > 0 {
		why = append(why, "some effects are nonlinear")
	}
	return strings.Join(why, ", and ")
}

// relatedColumns returns a function that reports whether a column correlates with another one by more than chance.
func relatedColumns(in *method.Input) func(j int) bool {
	chance := 4 / math.Sqrt(float64(in.Moments.N)) // four standard errors
	if g := in.Moments.Gram(); g != nil {
		return func(j int) bool {
			return slices.ContainsFunc(g.Near(j, chance), func(i int) bool { v := math.Abs(g.At(i, j)); return v >= chance && v < 1 })
		}
	}
	r := in.Moments.Correlation()
	return func(j int) bool {
		return slices.ContainsFunc(r.Row(j), func(v float64) bool { return math.Abs(v) >= chance && math.Abs(v) < 1 })
	}
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// flexible builds the score of the flexible model.
func (s *Settings) flexible(ctx context.Context, in *method.Input, rows *Reader, t *ScoredTable, groups [][]int, of []int, contexts int) error {
	levels := categories(in)
	chosen, err := forms(ctx, in, rows, levels)
	if err != nil {
		return err
	}
	t.Categories = levels
	scales, straight := scalesOf(chosen)
	curved := 0
	for j, is := range straight {
		if !is && !levels[j] {
			curved++
		}
	}
	t.Scales, t.Straight = scales, straight
	curves := SmoothBasis(curved)
	curves.Scales, curves.Straight = scales, straight
	curves.CrossedLines = slices.ContainsFunc(scales, func(s dataset.Scale) bool { return s != dataset.RawScale })
	if contexts > 0 || manyProducts(curves, curved, len(groups)) {
		curves.Crossed = 0
	}
	b, err := rows.Blocks(ctx, levels, curves, groups)
	if err != nil {
		return err
	}
	t.Functions, t.values = b.functions, b.values
	set := score.DefaultSmoothSettings()
	set.Drawn = in.Drawn
	return t.arrange(in.Names(), func(order []int) (search.Score, error) {
		t.Blocks = nil
		scores := make([]search.Score, len(b.Blocks))
		t.flexibles = make([]*score.Flexible, len(b.Blocks))
		for k, own := range b.Blocks {
			if own != nil && order != nil && own.Crossed > 0 {
				t.products = arrangedProducts(own, order)
			}
			own = arrangeBlocks(own, order)
			t.Blocks = append(t.Blocks, own)
			if own == nil {
				continue
			}
			flexible, err := orStop(ctx, func() (*score.Flexible, error) { return score.NewFlexible(own, set) })
			if err != nil {
				return nil, err
			}
			scores[k], t.flexibles[k] = flexible, flexible
		}
		return byColumn(scores, arrange(of, order))
	})
}

// arrangedProducts returns, for each product of blocks whose variables are in another order, the index of the product in b.
func arrangedProducts(b *score.Blocks, order []int) (from []int) {
	rank, next := make([]int, b.Variables()), 0 // among the curved variables of b
	for v := range rank {
		if b.Curved(v) {
			rank[v] = next
			next++
		}
	}
	curved := slices.DeleteFunc(slices.Clone(order), func(v int) bool { return !b.Curved(v) })
	first, c := b.Start[b.Variables()], b.Crossed
	for i, q := range curved {
		for _, p := range curved[:i] {
			lo, hi := min(rank[p], rank[q]), max(rank[p], rank[q])
			at := first + c*c*(hi*(hi-1)/2+lo)
			for k := range c {
				for l := range c {
					if rank[p] < rank[q] {
						from = append(from, at+k*c+l)
					} else {
						from = append(from, at+l*c+k)
					}
				}
			}
		}
	}
	return from
}

// Straighten makes all effects of and on these columns of the score linear.
func (t *ScoredTable) Straighten(columns []int) error {
	scores := make([]search.Score, len(t.flexibles))
	for k, f := range t.flexibles {
		if f != nil {
			t.flexibles[k] = f.Straight(columns)
			scores[k] = t.flexibles[k]
		}
	}
	for _, v := range columns {
		if t.Order[v] < len(t.Straight) {
			t.Straight[t.Order[v]] = true
		}
	}
	t.straightened = append(t.straightened, columns...)
	if len(columns) == len(t.Order) { // the equivalence class then identifies the directions
		t.straightened = nil
	}
	var err error
	t.Score, err = byColumn(scores, t.group)
	return err
}

// CurvedEffects reports whether the flexible model uses curves for column v of the input with these parents.
func (t *ScoredTable) CurvedEffects(v int, parents []int) bool {
	if t.place == nil {
		t.place = t.Place()
	}
	set := make([]int, len(parents))
	for i, p := range parents {
		set[i] = t.place[p]
	}
	slices.Sort(set)
	f := t.flexibleScore(t.place[v])
	return f != nil && f.Curved(t.place[v], set)
}

// flexibleScore returns the flexible score of column v of the score, or nil under other models and without rows.
func (t *ScoredTable) flexibleScore(v int) *score.Flexible {
	if t.Model != Flexible || t.flexibles == nil {
		return nil
	}
	return t.flexibles[t.group[v]]
}

// CurveEvidence returns an upper bound of the p-value of the edge x → v given the other parents, under the marginal likelihood of
// curves, or 1 if v has no curved effects. Without the edge, a likelihood ratio of two proper models exceeds k with a probability
// of at most 1/k. It detects joint effects of several parents, which tests of single functions miss.
func (t *ScoredTable) CurveEvidence(eval search.Evaluator, x, v int, others []int) float64 {
	prior, ok := t.Score.(interface {
		CurvePrior(v int, parents []int) float64
	})
	if !ok || t.Model != Smooth && t.Model != Flexible {
		return 1
	}
	all := intset.With(others, x)
	more := prior.CurvePrior(v, all)
	if math.IsNaN(more) {
		return 1
	}
	gain := eval.Score(v, others) - eval.Score(v, all) + more - prior.CurvePrior(v, others)
	return math.Exp(-gain / 2)
}

// Terms describes a graph under the flexible model, in the order of the score: the number of edges with nonlinear effects, and of
// columns on each scale.
func (t *ScoredTable) Terms(parents [][]int) string {
	curved := 0
	for v, set := range parents {
		f := t.flexibleScore(v)
		if f == nil || !f.Curved(v, set) {
			continue
		}
		for _, p := range set {
			if f.Bent(p) {
				curved++
			}
		}
	}
	count := map[dataset.Scale]int{}
	for j, s := range t.Scales {
		if !t.Categories[j] {
			count[s]++
		}
	}
	var terms []string
	if curved > 0 {
		terms = append(terms, "nonlinear: "+names.Count(curved, "edge"))
	}
	for _, s := range []dataset.Scale{dataset.LogScale, dataset.ScoreScale} {
		if count[s] > 0 {
			terms = append(terms, fmt.Sprintf("%s: %s", s, names.Count(count[s], "column")))
		}
	}
	if terms == nil {
		return "linear effects on raw scales"
	}
	return strings.Join(terms, "; ")
}
