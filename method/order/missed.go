package order

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// missed returns the number of dependent pairs of columns that the graph of an answer does not connect.
func (l *searcher) missed(a *method.Answer) int {
	return trust.Unconnected(trust.Evidence{Moments: l.in.Moments, Sample: l.in.Sample, RowWeight: l.in.SampleWeight(), Environments: l.in.Environments}, trust.Model{
		Graph: a.Graph.Directed(), Inputs: l.in.Inputs(), Effects: cmp.Or(a.Effects, score.LinearEffects), Kinds: l.in.Kinds,
		Categories: a.Categories, Scales: a.Scales, Straight: a.Straight, FreeNoise: a.FreeNoise,
	})
}

// complete replaces an answer whose graph misses dependences by that of the flexible model, if this misses fewer. A linear model with
// noise of any shape fits columns such as log-normal ones without an edge, because the shape alone explains them, and outliers hide
// correlations. It changes nothing if the user chose the model, the noise or the variances.
func (l *searcher) complete(ctx context.Context, chosen method.Choice, a *method.Answer) (*method.Answer, error) {
	switch {
	case l.Model != AutoModel || l.Noise != AutoNoise || l.Variance != Auto || l.limited() || !l.controlled():
		return a, nil
	case a.Status == method.Canceled || l.in.Rows == nil || l.in.Sample == nil || l.in.Environments != nil:
		return a, nil
	case a.Effects != score.SmoothEffects && a.Effects != score.MixedEffects && !distorted(l.in.Sample): // then correlations show what ranks show
		return a, nil
	case len(l.in.Names()) > scores.CurvedColumns || scores.FewRows(l.in) || a.Effects == score.TableEffects || a.Effects == score.FlexibleEffects:
		return a, nil
	}
	lost := l.missed(a)
	if lost == 0 {
		return a, nil
	}
	first := *a
	l.answer = method.Answer{Status: method.Converged, Stages: slices.Clone(first.Stages)}
	c := chosen
	c.Chosen, c.Margin, c.Scores = string(Flexible), nil, nil
	c.Reason = fmt.Sprintf("ranks show %s that the %s model misses", names.Count(lost, "dependence"), first.Choices[0].Chosen)
	l.answer.Choices = []method.Choice{c}
	l.instead = true
	second, _, err := l.learnScored(ctx, Flexible)
	if err != nil {
		return nil, err
	}
	if second.Status != method.Canceled && l.missed(second) >= lost {
		return &first, nil
	}
	return second, nil
}

// distorted reports whether a column of a sample is so far from Gaussian, in skewness or excess kurtosis, that its correlations may hide
// what its ranks show. It takes a fraction of the time of the tests of pairs.
func distorted(s *dataset.Sample) bool {
	const most = 1
	for v := range s.Columns {
		n, mean, variance, third, fourth := 0.0, 0.0, 0.0, 0.0, 0.0
		for i := v; i < len(s.Values); i += s.Columns {
			if x := s.Values[i]; x == x {
				n++
				mean += x
			}
		}
		mean /= n
		for i := v; i < len(s.Values); i += s.Columns {
			if x := s.Values[i] - mean; x == x {
				variance += x * x / n
				third += x * x * x / n
				fourth += x * x * x * x / n
			}
		}
		if !(math.Abs(third) <= most*math.Pow(variance, 1.5) && math.Abs(fourth-3*variance*variance) <= most*variance*variance) {
			return true
		}
	}
	return false
}
