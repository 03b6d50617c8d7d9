package scores

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/search"
)

// twiceLogLik returns twice the log-likelihood of the codes v in a full table by the codes of the parents.
func twiceLogLik(v []int, parents ...[]int) (sum float64) {
	cells, totals := map[[4]int]float64{}, map[[4]int]float64{}
	for i, x := range v {
		var key [4]int
		for k, p := range parents {
			key[k+1] = p[i] + 1
		}
		totals[key]++
		key[0] = x + 1
		cells[key]++
	}
	for key, n := range cells {
		key[0] = 0
		sum += 2 * n * math.Log(n/totals[key])
	}
	return sum
}

// TestEvidenceOfAChangedTable compares the test of a changed probability table with the likelihood ratio of the rows. The other context
// does not multiply the degrees of freedom: a row has only one environment. The p-value is multiplied by columns times contexts.
func TestEvidenceOfAChangedTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	const n = 400
	x, environments := matrix.New[float64](n, 2), make([]int, n)
	a, b, one, two := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	for i := range n {
		environments[i] = max(0, i%5-2) // the first is the largest
		a[i], one[i], two[i] = rng.IntN(3), int(boolean(environments[i] == 1)), int(boolean(environments[i] == 2))
		b[i] = int(boolean(rng.Float64() < 0.3+0.1*float64(a[i])+0.15*float64(one[i])))
		x.Set(i, 0, float64(a[i]))
		x.Set(i, 1, float64(b[i]))
	}
	in := table(t, x, []kind.Kind{kind.Categorical, kind.Binary}, environments)
	s := Fixed(Discrete)
	tab := must.Get(s.Of(t.Context(), in, Discrete))
	place := tab.Place()
	parents := make([][]int, 4)
	for v := range 4 {
		if v != place[1] {
			parents[place[1]] = append(parents[place[1]], v)
		}
	}
	answer := &method.Answer{Graph: graph.FromParents(parents).Mixed()}
	tab.TakeContexts(answer, parents)
	if len(answer.Changes) != 2 {
		t.Fatalf("changes %+v, want one for each context", answer.Changes)
	}
	whole := twiceLogLik(b, a, one, two)
	for k, without := range []float64{twiceLogLik(b, a, two), twiceLogLik(b, a, one)} {
		c, p := answer.Changes[k], independence.ChiSquared(whole-without, 3) // one share at each of three levels of a
		if c.Environment != k+1 || c.Column != 1 {
			t.Errorf("change %d: environment %d of column %d, want %d of column 1", k, c.Environment, c.Column, k+1)
		}
		near(t, "p-value", c.P, p, 1e-9)
		near(t, "adjusted p-value", c.Adjusted, min(1, 4*p), 1e-9)
	}
}

// TestEvidenceOfAChangedMean compares the test of a changed mean under the mixed model with n·ln of the ratio of the residual
// variances, and for a category of 12 levels with the Gaussian likelihood ratio of its indicators: the penalty of an edge with 11
// parameters is less than 11 times that of one.
func TestEvidenceOfAChangedMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 3))
	const n, levels = 600, 12
	x, environments := matrix.New[float64](n, 3), make([]int, n)
	context := make([]float64, n)
	for i := range n {
		environments[i] = int(boolean(i%3 == 0))
		context[i] = float64(environments[i])
		x.Set(i, 0, rng.NormFloat64())
		x.Set(i, 1, 0.5*x.At(i, 0)+0.2*context[i]+rng.NormFloat64())
		x.Set(i, 2, float64(rng.IntN(levels)))
	}
	in := table(t, x, []kind.Kind{kind.Continuous, kind.Continuous, kind.Categorical}, environments)
	s := Fixed(Mixed)
	tab := must.Get(s.Of(t.Context(), in, Mixed))
	place := tab.Place()
	column := func(j int) (out []float64) {
		for i := range n {
			out = append(out, x.At(i, j))
		}
		return out
	}
	moment := func(a, b []float64) (sum float64) {
		var p, q float64
		for i := range a {
			p, q, sum = p+a[i]/n, q+b[i]/n, sum+a[i]*b[i]/n
		}
		return sum - p*q
	}
	// The residual variance without the context, and the part of it that the context explains beside the parent.
	u, v := column(0), column(1)
	vv := moment(v, v) - moment(u, v)*moment(u, v)/moment(u, u)
	cc := moment(context, context) - moment(u, context)*moment(u, context)/moment(u, u)
	cv := moment(context, v) - moment(u, context)*moment(u, v)/moment(u, u)
	parents := []int{place[0], place[3]}
	if parents[0] > parents[1] {
		parents[0], parents[1] = parents[1], parents[0]
	}
	ratio, df := tab.evidence(place[1], parents, place[3])
	near(t, "likelihood ratio of a number", ratio, n*math.Log(vv/(vv-cv*cv/cc)), 1e-6)
	near(t, "degrees of freedom of a number", df, 1, 0)
	// For indicators and one binary parent, the share of the generalized variance that is left is 1 - χ²/n of the table.
	var cells [levels][2]float64
	for i := range n {
		cells[int(x.At(i, 2))][environments[i]]++
	}
	chi := 0.0
	for _, c := range cells {
		for k, share := range []float64{2. / 3, 1. / 3} {
			expected := (c[0] + c[1]) * share
			chi += (c[k] - expected) * (c[k] - expected) / expected
		}
	}
	ratio, df = tab.evidence(place[2], []int{place[3]}, place[3])
	near(t, "likelihood ratio of a category", ratio, -n*math.Log(1-chi/n), 1e-6)
	near(t, "degrees of freedom of a category", df, levels-1, 0)
}

// TestKnowledgeInTheOrderOfTheScore checks that no edge leads to a context, that a context may lead to any column at no prior cost,
// and that the other statements are those of the columns.
func TestKnowledgeInTheOrderOfTheScore(t *testing.T) {
	x := matrix.New[float64](2, 3)
	in := table(t, x, []kind.Kind{kind.Continuous, kind.Continuous, kind.Continuous}, nil)
	order, place := []int{2, 3, 0, 1}, []int{2, 3, 0} // variable 1 of the score is a context
	bare := (&ScoredTable{Order: order, Contexts: []int{1}, In: in}).Knowledge()
	var err error
	spec := knowledge.Spec{Require: []string{"a->b"}, Forbid: []string{"a->c"}, Prior: []string{"b->c=0.9"}}
	if in.Knowledge, err = spec.Resolve(in.Names()); err != nil {
		t.Fatal(err)
	}
	k := (&ScoredTable{Order: order, Contexts: []int{1}, In: in}).Knowledge()
	for i := range order {
		for j := range order {
			if i == j {
				continue
			}
			forbidden, cost := j == 1, 0.0
			if bare.Forbidden(i, j) != forbidden {
				t.Errorf("without knowledge: %d → %d is forbidden: %v", i, j, !forbidden)
			}
			if i != 1 && j != 1 {
				forbidden, cost = in.Knowledge.Forbidden(order[i], order[j]), in.Knowledge.Cost()(order[i], order[j])
			}
			if k.Forbidden(i, j) != forbidden || k.Prior(i, j) != cost {
				t.Errorf("%d → %d: forbidden %v at a cost of %v, want %v and %v", i, j, k.Forbidden(i, j), k.Prior(i, j), forbidden, cost)
			}
		}
	}
	if len(k.Required) != 1 || k.Required[0] != [2]int{place[0], place[1]} {
		t.Errorf("required %v, want the edge from %d to %d", k.Required, place[0], place[1])
	}
	if bare.Required != nil || bare.Prior != nil || (&ScoredTable{Order: []int{0, 1, 2}, In: &method.Input{}}).Knowledge().Forbidden != nil {
		t.Error("knowledge without any statement")
	}
}

// TestCacheBytes checks the limit of 16 MiB and 64 KiB per column, and at most the default of a search.
func TestCacheBytes(t *testing.T) {
	for columns, want := range map[int]int64{0: 16 << 20, 160: 26 << 20, 1000: 16<<20 + 65_536_000, 1 << 20: search.DefaultSettings().CacheBytes} {
		if got := CacheBytes(columns); got != want {
			t.Errorf("%d columns: %d bytes, want %d", columns, got, want)
		}
	}
}
