package effect

import (
	"fmt"
	"math"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// linear is a linear model of a DAG, x_v = intercept + Σ_p w_pv·x_p + e_v, in the units of the columns.
type linear struct {
	g      *graph.Graph
	order  []int // topological
	mean   []float64
	weight map[graph.Edge]float64
	noise  []float64 // variance of e_v
	// vary is, for each column, the covariance matrix of the estimated weights of its parents: noise/(n-p-1) times the inverse of
	// the parents' covariance matrix. It is nil for a column without parents.
	vary []*matrix.Dense[float64]
}

// fitLinear fits the weights of g by least squares, each column on the rows without an intervention on it.
func fitLinear(g *graph.Graph, all *dataset.Moments, pool *dataset.Pool) (*linear, error) {
	l, err := newLinear(g, all.Mean)
	if err != nil {
		return nil, err
	}
	for v := range g.N() {
		m := pool.Of(v)
		parents := g.Parents(v)
		index := append([]int{v}, parents...)
		cov := covarianceOf(m, index)
		l.noise[v] = cov.At(0, 0)
		if len(parents) == 0 {
			continue
		}
		places := intset.Range(1, len(parents)+1)
		reg, err := score.Regress(m.CorrelationOf(index), 0, places)
		if err != nil {
			return nil, fmt.Errorf("the parents of %s are collinear: %w; drop one of them and learn again", all.Names[v], err)
		}
		for i, p := range parents {
			if s := cov.At(i+1, i+1); s > 0 { // a parent can be constant in these rows
				l.weight[graph.Edge{From: p, To: v}] = reg.Beta[i] * math.Sqrt(cov.At(0, 0)/s)
			}
		}
		l.noise[v] *= min(1, max(0, reg.Residual))
		l.vary[v] = weightCovariance(cov, l.noise[v], m.N)
	}
	return l, nil
}

// impliedMoments returns the moments implied by the weights and variances of a result, which its graph and all equivalent graphs
// fit exactly. rows is the effective number of rows.
func impliedMoments(res *polydag.Result, rows int) (*dataset.Moments, error) {
	if len(res.Nodes) != len(res.Names) {
		return nil, fault.New(ErrNeedsTable, "the result has no means and variances of its columns", "learn it again with this version, or give the table")
	}
	mean := make([]float64, len(res.Names))
	for v, n := range res.Nodes {
		mean[v] = n.Mean
	}
	l, err := newLinear(res.Graph, mean)
	if err != nil {
		return nil, err
	}
	at := names.Index(res.Names)
	for _, e := range res.Edges {
		l.weight[graph.Edge{From: at[e.From], To: at[e.To]}] = e.Weight
	}
	for v, n := range res.Nodes {
		l.noise[v] = n.ResidualVariance
	}
	s := l.covariance()
	for i := range s.Data {
		s.Data[i] *= float64(rows)
	}
	return dataset.RestoreMoments(res.Names, rows, mean, nil, s.Data, nil, nil)
}

func newLinear(g *graph.Graph, mean []float64) (*linear, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	return &linear{g: g, order: order, mean: mean, weight: make(map[graph.Edge]float64, g.NumEdges()), noise: make([]float64, g.N()), vary: make([]*matrix.Dense[float64], g.N())}, nil
}

// weightCovariance returns the covariance matrix of the weights of a column's parents, given the covariance matrix cov of column
// and parents. It is nil if there are too few rows or the parents are collinear. It inverts correlations, so units do not matter.
func weightCovariance(cov *matrix.Dense[float64], noise float64, rows int) *matrix.Dense[float64] {
	k := cov.Rows - 1
	free := float64(rows - k - 1)
	if free < 1 {
		return nil
	}
	std := make([]float64, k)
	r := matrix.New[float64](k, k)
	for i := range k {
		std[i] = math.Sqrt(cov.At(i+1, i+1))
	}
	for i := range k {
		for j := range k {
			r.Set(i, j, cov.At(i+1, j+1)/(std[i]*std[j]))
		}
	}
	var lu matrix.LU[float64]
	if !r.Finite() || lu.Factor(r) != nil {
		return nil
	}
	inv := matrix.New[float64](k, k)
	lu.Inverse(inv)
	for i := range k {
		for j := range k {
			inv.Set(i, j, inv.At(i, j)*noise/(free*std[i]*std[j]))
		}
	}
	if !inv.Finite() {
		return nil
	}
	return inv
}

// totals returns the total effect of a on every column: 1 on itself, and the sum over directed paths of the products of their
// weights elsewhere. It is row a of (I-W)⁻¹. O(edges).
func (l *linear) totals(a int) []float64 {
	t := make([]float64, l.g.N())
	t[a] = 1
	for _, v := range l.order {
		if v == a {
			continue
		}
		for _, p := range l.g.Parents(v) {
			t[v] += t[p] * l.weight[graph.Edge{From: p, To: v}]
		}
	}
	return t
}

// onto returns the total effect of every column on b, along paths that do not go through the blocked column; -1 blocks none. The
// blocked column keeps its own effect. O(edges).
func (l *linear) onto(b, blocked int) []float64 {
	t := make([]float64, l.g.N())
	t[b] = 1
	for k := len(l.order) - 1; k >= 0; k-- {
		v := l.order[k]
		if v == blocked {
			continue
		}
		for _, p := range l.g.Parents(v) {
			t[p] += l.weight[graph.Edge{From: p, To: v}] * t[v]
		}
	}
	return t
}

// covariance returns the covariance matrix that the model implies, (I-W)⁻ᵀ·diag(noise)·(I-W)⁻¹, column by column along the order.
func (l *linear) covariance() *matrix.Dense[float64] {
	d := l.g.N()
	s := matrix.New[float64](d, d)
	for k, v := range l.order {
		own := l.noise[v]
		for _, u := range l.order[:k] {
			c := 0.0
			for _, p := range l.g.Parents(v) {
				c += s.At(u, p) * l.weight[graph.Edge{From: p, To: v}]
			}
			s.Set(u, v, c)
			s.Set(v, u, c)
		}
		for _, p := range l.g.Parents(v) {
			own += s.At(v, p) * l.weight[graph.Edge{From: p, To: v}]
		}
		s.Set(v, v, own)
	}
	return s
}

// variance returns the variance of Σ gradient·weight; weights of different columns are independent. ok is false if a weight has no
// finite variance.
func (l *linear) variance(gradient map[graph.Edge]float64) (v float64, ok bool) {
	for c := range l.g.N() {
		parents := l.g.Parents(c)
		var g []float64
		some := false
		for _, p := range parents {
			x := gradient[graph.Edge{From: p, To: c}]
			g = append(g, x)
			some = some || x != 0
		}
		if !some {
			continue
		}
		if l.vary[c] == nil {
			return 0, false
		}
		for i := range g {
			for j := range g {
				v += g[i] * g[j] * l.vary[c].At(i, j)
			}
		}
	}
	return max(v, 0), v-v == 0
}

// totalGradient is the derivative of the total effect of a on b by each weight: T(a→p)·T(v→b) for p → v. Edges into a do not count.
func (l *linear) totalGradient(a, b int) map[graph.Edge]float64 {
	from, to := l.totals(a), l.onto(b, a)
	out := map[graph.Edge]float64{}
	for _, e := range l.g.Edges() {
		if x := from[e.From] * to[e.To]; e.To != a && x != 0 {
			out[e] = x
		}
	}
	return out
}

// throughGradient is the gradient of T(a→m)·T(m→b).
func (l *linear) throughGradient(a, m, b int) map[graph.Edge]float64 {
	first, second := l.totals(a)[m], l.totals(m)[b]
	out := map[graph.Edge]float64{}
	for e, x := range l.totalGradient(a, m) {
		out[e] += x * second
	}
	for e, x := range l.totalGradient(m, b) {
		out[e] += x * first
	}
	return out
}

func (l *linear) do(a, b int, x float64) ([]float64, error) {
	return []float64{l.mean[b] + l.totals(a)[b]*(x-l.mean[a])}, nil
}

func (l *linear) direct(a, b int, x0, x1 float64) ([]float64, error) {
	base, err := l.do(a, b, x0)
	return []float64{base[0] + l.weight[graph.Edge{From: a, To: b}]*(x1-x0)}, err
}

func (l *linear) through(a, b, m int, x0, x1 float64) ([]float64, error) {
	base, err := l.do(a, b, x0)
	return []float64{base[0] + l.totals(a)[m]*l.totals(m)[b]*(x1-x0)}, err
}

// distribution is Gaussian: with t the effects on b that do not pass a, its variance is Σ_{v≠a} t_v²·noise_v.
func (l *linear) distribution(a, b int, x float64) (*dist, error) {
	mean, err := l.do(a, b, x)
	if err != nil {
		return nil, err
	}
	variance := 0.0
	for v, t := range l.onto(b, a) {
		if v != a {
			variance += t * t * l.noise[v]
		}
	}
	return gaussian(mean[0], math.Sqrt(variance)), nil
}

// covarianceOf returns a submatrix of the covariance matrix.
func covarianceOf(m *dataset.Moments, index []int) *matrix.Dense[float64] {
	out := matrix.New[float64](len(index), len(index))
	for i, u := range index {
		for j, v := range index {
			out.Set(i, j, m.At(u, v)/float64(m.N))
		}
	}
	return out
}
