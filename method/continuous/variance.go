package continuous

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/gaussian"
	"github.com/polydag/polydag/search"
)

// mostSpread is by how much, in nats a column and row, the model of equal variances may be behind on the graph of the other
// model and still be tried. On data that have equal variances a graph of the right class with some edges turned is behind
// by a few hundredths; noise whose standard deviations are spread over a factor of four, by a quarter.
const mostSpread = 0.5

// chooseVariance goes on from the graph under unequal variances to one under equal ones, where the columns have units. Equal ones are
// chosen where BIC prefers them and their residual variances are equal.
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
	case gaussian.SameUnits(l.p.Scale):
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
