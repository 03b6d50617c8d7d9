package continuous

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/search"
)

// mostSpread is the largest deficit, in nats per column and row, at which equal variances are still tried on
// the graph of the other model. With truly equal variances, a graph of the right class with some reversed edges
// has a deficit of a few hundredths. Standard deviations spread over a factor of four give 0.25.
const mostSpread = 0.5

// chooseVariance continues from the graph under unequal variances to one under equal variances. Equal variances
// are chosen if BIC prefers them and a test of the residual variances accepts them.
func (l *learner) chooseVariance(ctx context.Context, unequal *found, choice *method.Choice) (*found, error) {
	if l.Variance == Equal {
		return l.improve(ctx, unequal, true)
	}
	had, _, err := search.Evaluate(l.p, l.searchSettings(), unequal.Parents)
	if err != nil {
		return nil, err
	}
	choice.Scores = map[string]float64{string(Unequal): had.Unequal}
	rows, d := float64(l.p.N), float64(l.p.R.Rows)
	spread := (had.Equal - had.Unequal + (d-1)*math.Log(rows)) / (rows * d)
	switch {
	case gaussian.SameUnits(l.p.Scale, l.in.StdError()):
		choice.Reason = "the columns are standardized, so equal noise variances are not meaningful"
		return unequal, nil
	case !(spread <= mostSpread):
		choice.Reason = fmt.Sprintf("equal noise variances fit worse by %.3g nats per column and row", spread)
		return unequal, nil
	}
	equal, err := l.improve(ctx, unequal, true)
	if err != nil {
		return nil, err
	}
	has, residual, err := search.Evaluate(l.p, l.searchSettings(), equal.Parents)
	if err != nil {
		return nil, err
	}
	choice.Scores[string(Equal)] = has.Equal
	margin := has.Equal - had.Unequal
	against := gaussian.UnequalResiduals(l.p, residual, equal.Parents)
	switch {
	case equal.Cut || margin >= 0:
	case against != "":
		choice.Reason = "although the model of equal ones has the better BIC: " + against
		return unequal, nil
	default:
		choice.Chosen, margin = string(Equal), -margin
		choice.Margin = &margin
		return equal, nil
	}
	if margin >= 0 {
		choice.Margin = &margin
	}
	return unequal, nil
}
