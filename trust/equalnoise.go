package trust

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
)

// varianceRatio is the ratio of the largest to the smallest residual variance from which equal variances are rejected.
const varianceRatio = 1.5

// equalVariances compares the residual variances in the units for which the model assumes them equal. The logarithm of an estimated
// variance has a standard error of √(2/n). Standardized columns have no common unit, so that equal noise variances would be an
// unlikely assumption about shares of noise.
func (j *judging) equalVariances() Assumption {
	const statement = "the noise variances are equal"
	std := j.Moments.Std()
	scaled := true
	tol := unitTol + 1/float64(j.Moments.N)
	low, high := Extreme{Value: math.Inf(1)}, Extreme{}
	for v, name := range j.Moments.Names {
		scaled = scaled && math.Abs(std[v]-1) < tol
		_, _, left, err := regress(j.Moments, v, j.model.Graph.Parents(v))
		if err != nil {
			return verdict(EqualVariances, statement, nil, fmt.Sprintf("the residual of %s cannot be computed: %v", name, err), "")
		}
		if !j.model.Standardized {
			left *= std[v] * std[v]
		}
		if left < low.Value {
			low = Extreme{name, left}
		}
		if left > high.Value {
			high = Extreme{name, left}
		}
	}
	var against []Finding
	if scaled || j.model.Standardized {
		against = append(against, Finding{Code: Standardized, Severity: Warning,
			Sentence: "the columns are standardized, so equal noise variances are not plausible",
			WayOut:   unequal.String() + "; or give all columns in one common unit", Remedies: []fault.Remedy{unequal}})
	}
	ratio := math.Inf(1)
	if low.Value > 0 {
		ratio = high.Value / low.Value
	}
	by := 2 * chance(len(j.two)) * math.Sqrt(2/j.worth(j.Moments.N))
	figures := fmt.Sprintf("residual variances range from %s (%s) to %s (%s)", number(low.Value, 3), low.Column, number(high.Value, 3), high.Column)
	if math.Log(ratio) > max(math.Log(varianceRatio), by) {
		against = append(against, Finding{Code: UnequalVariances, Severity: Warning,
			Sentence: figures + ", significantly different", WayOut: unequal.String(), Remedies: []fault.Remedy{unequal}})
	}
	return verdict(EqualVariances, statement, against, "", figures+", not significantly different")
}
