package trust

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/vec"
)

// steadyLimit is the smallest correlation of the size of a residual with the size of a parent that counts. It is about 0.3 if the
// standard deviation of the noise doubles from the mean of a Gaussian parent to two standard deviations.
const steadyLimit = 0.15

// steady tests for noise that depends on the causes. Directions from non-Gaussian noise assume that it does not. effects tests the
// mean of a residual against curves of the parents. Here the size of the residual, |r|, is compared with each parent and with its
// size, |z|; the tails of sizes are clipped. A reversed edge or a hidden common cause may also fail this test.
func (j *judging) steady() Assumption {
	const statement = "the noise does not depend on the parents"
	if j.res == nil {
		return verdict(SteadyNoise, statement, nil, j.why, "")
	}
	m := j.res.r.Cols
	size := func(to, x []float64, scale float64) {
		for i, v := range x {
			to[i] = min(math.Abs(v)*scale, clip)
		}
		unit(to)
	}
	r, z := make([]float64, m), make([]float64, m)
	limit := max(steadyLimit, chance(2*j.model.Graph.NumEdges())/math.Sqrt(j.worth(m)))
	var said, columns []string
	var figure []float64
	most := 0.0
	for v, name := range j.Moments.Names {
		parents := j.model.Graph.Parents(v)
		if len(parents) == 0 || j.model.levels(v) {
			continue
		}
		size(r, j.res.r.Row(v), math.Sqrt(float64(m)))
		for _, p := range parents {
			size(z, j.res.z.Row(p), 1)
			bySize := vec.Dot(r, z)
			copy(z, j.res.z.Row(p))
			unit(z)
			byValue := vec.Dot(r, z)
			c, with := bySize, "the size of "+j.Moments.Names[p]
			if math.Abs(byValue) > math.Abs(bySize) {
				c, with = byValue, j.Moments.Names[p]
			}
			if most = max(most, math.Abs(c)); math.Abs(c) <= limit {
				continue
			}
			said, figure = append(said, fmt.Sprintf("that of %s with %s", name, with)), append(figure, c)
			columns = append(columns, name, j.Moments.Names[p])
		}
	}
	var against []Finding
	if len(said) > 0 {
		way := fault.Out("%s often stabilizes the variance of positive columns; %s does not use the noise to identify directions", fault.Use("log"), fault.Set("noise", "gaussian"))
		against = []Finding{{Code: NoiseVaries, Severity: Warning, Columns: columns, WayOut: way.Text, Remedies: way.Remedies,
			Sentence: "the absolute residuals correlate with parents: " + ranked(said, figure, func(v float64) string { return fmt.Sprintf("%.2f", v) })}}
	}
	return verdict(SteadyNoise, statement, against, "", fmt.Sprintf("the absolute residuals correlate with parents by at most %.2f; %s", most, j.looked()))
}
