package polydag

import "github.com/polydag/polydag/diagnose"

// Sortability says how far sorting the columns by one figure gives the order of the learned graph: 1 all of it, 0.5 none of
// it. Where it is near 1 an order was perhaps read off the figure.
type Sortability struct {
	// Variance is of the columns' variances, which depend on the units (Reisach et al. 2021).
	Variance float64 `json:"variance"`
	// R2 is of the share of each column's variance that all others explain (Reisach et al. 2023); absent above 2000 columns and
	// where there are not more rows than columns.
	R2 *float64 `json:"r2,omitempty"`
}

// sortabilityColumns bounds the columns for which R² from all others, 2⅓·d³ flops, is computed.
const sortabilityColumns = 2000

// sort fills Sortability; a graph without edges has none.
func (l *learner) sort(res *Result) {
	std := l.data.Std()
	for j := range std {
		std[j] *= std[j]
	}
	by, ok := diagnose.Varsortability(res.Graph, std)
	if !ok {
		return
	}
	res.Sortability = &Sortability{Variance: by}
	if d := len(std); d > sortabilityColumns || l.data.N <= d {
		return
	}
	if by, ok := diagnose.R2Sortability(res.Graph, l.correlation()); ok {
		res.Sortability.R2 = &by
	}
}
