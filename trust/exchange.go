package trust

import (
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
)

// Graphs that differ in one adjacency may fit nearly equally well. In a large table BIC then prefers one of them by hundreds, and the
// other half of the rows prefers the other: with exchanges that lose less than 0.003 per row, 0.3 of the adjacencies in halves of
// CelebA-HQ (15,000 rows, 40 binary columns) were missing in the other half, and of those that lose more than 0.02, 0.01.
const (
	// The log odds of an adjacency are at most exchangeLeast + exchangeRoot·√(loss per row), and without exchangeLeast between columns
	// of categories: in samples of the network hailfinder 8 of 21 such adjacencies are right.
	exchangeLeast, exchangeRoot = 1.75, 14.0
	// savedRoot multiplies √(loss per row) + √(what the edge saves per row) in a second limit: edges that save little are exchanged for two
	// others. Of the adjacencies at 0.95 and more, 0.964 to 1 are then in the other half of the rows, in nine divisions of CelebA-HQ, samples
	// of CelebA and VOC; without it 0.930 to 0.984.
	savedRoot = 5.0
	// nearlyFunction is the share of the entropy of a column that another one gives if the first is nearly a function of it.
	nearlyFunction = 0.8
	// exchangeColumns is the largest number of columns for which exchanges are tried.
	exchangeColumns = 300
)

// exchanges computes what the best exchange of one adjacency for another loses, by linear regression on the codes or numbers of a table.
type exchanges struct {
	r       *matrix.Dense[float64] // correlations
	joined  [][]bool
	parents [][]int
	nominal []bool
	coded   []bool // columns with categories
	kinds   []dataset.Variable
	sample  *dataset.Sample
	names   []string
	g       chol.Regression
}

// newExchanges returns nil if the table has no moments, too many columns, or rows with interventions.
func newExchanges(e Evidence, model Model) *exchanges {
	d := len(e.Moments.Names)
	if e.Moments.N == 0 || model.Graph == nil || d > exchangeColumns || e.Environments != nil || model.Inputs != nil {
		return nil
	}
	x := &exchanges{r: e.Moments.Correlation(), joined: make([][]bool, d), parents: make([][]int, d), nominal: make([]bool, d), coded: make([]bool, d), kinds: model.Kinds, sample: e.Sample, names: e.Moments.Names}
	for v := range d {
		x.joined[v], x.parents[v] = make([]bool, d), model.Graph.Parents(v)
		x.coded[v] = model.Kinds != nil && (model.Kinds[v].Kind == kind.Categorical || model.Kinds[v].Kind == kind.Binary) && model.Kinds[v].Levels > 1
		x.nominal[v] = x.coded[v] && model.Kinds[v].Kind == kind.Categorical && model.Kinds[v].Levels > 2
	}
	for _, edge := range model.Graph.Edges() {
		x.joined[edge.From][edge.To], x.joined[edge.To][edge.From] = true, true
	}
	return x
}

// most returns the largest log odds of an adjacency that saves this much per row, in units of twice the log-likelihood.
func (x *exchanges) most(e graph.Edge, saved float64) float64 {
	switch {
	case x == nil || !x.joined[e.From][e.To]:
		return math.Inf(1)
	case x.nominal[e.From] || x.nominal[e.To]:
		if x.sample == nil || !x.coded[e.From] || !x.coded[e.To] {
			return math.Inf(1)
		}
		return exchangeRoot * math.Sqrt(max(0, min(x.lossOfCodes(e.From, e.To), x.lossOfCodes(e.To, e.From))))
	}
	loss := math.Sqrt(max(0, x.loss(e.From, e.To), x.loss(e.To, e.From)))
	return exchangeLeast + min(exchangeRoot*loss, savedRoot*(loss+math.Sqrt(max(0, saved))))
}

// lossOfCodes is the loss in a table of categories if a neighbour of u, of which u is nearly a function, takes its place at v. Other causes
// of v are left out, because their combinations are too many.
func (x *exchanges) lossOfCodes(u, v int) float64 {
	own, all := x.information(u, v), x.information(u, u)
	least := math.Inf(1)
	for z := range x.joined {
		if z != v && x.joined[u][z] && !x.joined[v][z] && x.coded[z] && x.information(u, z) > nearlyFunction*all {
			least = min(least, 2*(own-x.information(z, v)))
		}
	}
	return least
}

// information returns the mutual information of two columns of categories in nats, less what independent columns have on average.
func (x *exchanges) information(a, b int) float64 {
	la, lb := x.kinds[a].Levels, x.kinds[b].Levels
	cells, ofA, ofB, n := make([]float64, la*lb), make([]float64, la), make([]float64, lb), 0.0
	for i := range x.sample.Rows() {
		row := x.sample.Row(i)
		if i, j := row[a], row[b]; i >= 0 && j >= 0 && int(i) < la && int(j) < lb { // not NaN
			cells[int(i)*lb+int(j)]++
			ofA[int(i)]++
			ofB[int(j)]++
			n++
		}
	}
	if n == 0 {
		return 0
	}
	sum := -float64((la-1)*(lb-1)) / 2
	for i, m := range ofA {
		for j, k := range ofB {
			if c := cells[i*lb+j]; c > 0 {
				sum += c * math.Log(c*n/(m*k))
			}
		}
	}
	return sum / n
}

// loss returns how much the log-likelihood, times two and per row, of column v given its parents and u decreases if the best column that is
// not adjacent to v takes the place of u. It is negative if that column explains more.
func (x *exchanges) loss(u, v int) float64 {
	var others []int
	for _, p := range x.parents[v] {
		if p != u {
			others = append(others, p)
		}
	}
	slices.SortFunc(others, func(a, b int) int { return strings.Compare(x.names[a], x.names[b]) }) // the same bytes in any column order
	chol.Regress(&x.g, x.r.Data, x.r.Stride, v, others)
	left := x.g.Left
	if !(left > chol.Determined) {
		return 0
	}
	fit := func(z int) float64 {
		_, takes := chol.Candidate(&x.g, x.r.Data, x.r.Stride, v, z, others)
		return -math.Log(max(left-takes, chol.Determined) / left)
	}
	best := 0.0
	for z := range x.joined {
		if z != v && !x.joined[v][z] && !x.nominal[z] {
			best = max(best, fit(z))
		}
	}
	return fit(u) - best
}
