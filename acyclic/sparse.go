package acyclic

import (
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// sparse evaluates a power series
//
//	h = Σ_{k=1..K} c_k tr(Aᵏ),   ∂h/∂a_ij = Σ_{k=1..K} k c_k (Aᵏ⁻¹)_ji,
//
// on the support of A, component by component. Within a component of m nodes and e edges it processes Aᵏ in
// panels of columns. The next power of a panel is A times the panel, and each edge i → j reads its entry (j,
// i). So a power costs e·m multiplications and the memory of two panels. If the dense form is cheaper, it is
// evaluated on the component alone. Both forms omit only exact zeros and terms below the rounding error.
type sparse[T matrix.Float] struct {
	comps   components
	edges   []edge[T]
	first   []int32   // the edges at position p are edges[first[p]:first[p+1]]
	slope   []float64 // ∂h/∂a of each edge
	parts   []float64 // the value of each panel
	threads []panels[T]
	w, grad *matrix.Dense[T] // one component, for the dense form
}

// edge is an entry of A within a component. The position of its list is the source, and to is the target.
type edge[T matrix.Float] struct {
	to int32
	a  T
}

// panels is the memory of one thread: a panel of Aᵏ and one of Aᵏ⁺¹.
type panels[T matrix.Float] struct{ x, y []T }

// panelWidth is the number of columns in a panel. A row of a panel is then long enough for vector code, and the
// panels of a thousand nodes fit in the L2 cache.
const panelWidth = 64

// panelCost and leastSparse are the cost model. A multiplication in a panel takes as long as panelCost
// multiplications in a dense product (polydag bench, d = 200 to 5000). Below leastSparse nodes the sparse form
// is not faster.
const (
	panelCost   = 6
	leastSparse = 64
)

// A series describes a constraint to sparse. d is always the number of nodes of the whole graph, because the
// coefficients depend on it.
type series[T matrix.Float] interface {
	// plan returns the number of terms for a component with largest row sum norm, and the products of the dense
	// form.
	plan(d int, norm float64) (terms, products int)
	// coefficient returns c_k.
	coefficient(k int) float64
	// block evaluates the dense form on w or a component of it.
	block(grad, w *matrix.Dense[T], d int) (float64, error)
}

// eval returns h, and sets grad unless it is nil. name is the constraint for errors.
func (s *sparse[T]) eval(name string, grad, w *matrix.Dense[T], f series[T], threads int) (float64, error) {
	switch s := any(s).(type) {
	case *sparse[float32]:
		return sparse32(s, name, any(grad).(*matrix.Dense[float32]), any(w).(*matrix.Dense[float32]), any(f).(series[float32]), threads)
	case *sparse[float64]:
		return sparse64(s, name, any(grad).(*matrix.Dense[float64]), any(w).(*matrix.Dense[float64]), any(f).(series[float64]), threads)
	}
	return math.NaN(), nil
}

// Variables, and functions instead of methods, so that only this package compiles them and not every package with a constraint.
var sparse32, sparse64 = evalSparse[float32], evalSparse[float64]

func evalSparse[T matrix.Float](s *sparse[T], name string, grad, w *matrix.Dense[T], f series[T], threads int) (float64, error) {
	d := w.Rows
	if d < leastSparse || !load(&s.comps, w) {
		return f.block(grad, w, d)
	}
	s.comps.find()
	if grad != nil {
		grad.Zero()
	}
	h, first := 0.0, int32(0)
	for _, end := range s.comps.ends {
		nodes := s.comps.nodes[first:end]
		first = end
		m := len(nodes)
		terms, products := f.plan(d, gather(s, w, nodes))
		switch {
		case panelCost*float64(terms-1)*float64(len(s.edges)) < float64(products)*float64(m)*float64(m):
			h += inPanels(s, f, m, terms, threads)
			scatter(s, grad, w, nodes)
		case m == d:
			return f.block(grad, w, d)
		default:
			part, err := inBlock(s, grad, w, nodes, f)
			if err != nil {
				return math.Inf(1), err
			}
			h += part
		}
	}
	return finish(name, h)
}

// gather lists the edges of a component and returns the largest row sum.
func gather[T matrix.Float](s *sparse[T], w *matrix.Dense[T], nodes []int32) float64 {
	c, norm := &s.comps, 0.0
	s.edges, s.first = s.edges[:0], append(s.first[:0], 0)
	for _, i := range nodes {
		row, sum := w.Row(int(i)), 0.0
		for _, j := range c.to[c.start[i]:c.start[i+1]] {
			if c.of[j] == c.of[i] {
				a := row[j] * row[j]
				sum += float64(a)
				s.edges = append(s.edges, edge[T]{c.place[j], a})
			}
		}
		norm = max(norm, sum)
		s.first = append(s.first, int32(len(s.edges)))
	}
	return norm
}

// inPanels returns h of the gathered component and fills slope. h is not finite if a slope is not finite.
// Threads write disjoint panels whose values are added in order, so the result does not depend on the number of
// threads.
func inPanels[T matrix.Float](s *sparse[T], f series[T], nodes, terms, threads int) float64 {
	s.slope = zeros(s.slope, len(s.edges))
	count := (nodes + panelWidth - 1) / panelWidth
	s.parts = zeros(s.parts, count)
	threads = max(1, min(threads, count))
	for len(s.threads) < threads {
		s.threads = append(s.threads, panels[T]{})
	}
	if threads == 1 {
		share(s, f, 0, 1, nodes, terms)
	} else {
		shares(s, f, threads, nodes, terms)
	}
	for _, v := range s.slope {
		if t := T(v); t-t != 0 {
			return math.Inf(1)
		}
	}
	return total(s.parts)
}

func shares[T matrix.Float](s *sparse[T], f series[T], threads, nodes, terms int) {
	gemm.Share(threads, threads, func(t int) { share(s, f, t, threads, nodes, terms) })
}

// share computes every threads-th panel, starting with panel t.
func share[T matrix.Float](s *sparse[T], f series[T], t, threads, nodes, terms int) {
	mem := &s.threads[t]
	if size := nodes * min(panelWidth, nodes); cap(mem.x) < size {
		mem.x, mem.y = make([]T, size), make([]T, size)
	}
	for p := t; p < len(s.parts); p += threads {
		s.parts[p] = sumPanel(s, f, mem, p*panelWidth, min((p+1)*panelWidth, nodes), nodes, terms)
	}
}

// sumPanel computes columns v0 … v1-1 of the powers. With X = Aᵏ⁻¹, an edge i → j adds c_k a_ij X_ji to h and k
// c_k X_ji to its slope.
func sumPanel[T matrix.Float](s *sparse[T], f series[T], mem *panels[T], v0, v1, nodes, terms int) float64 {
	n := v1 - v0
	x, y := mem.x[:nodes*n], mem.y[:nodes*n]
	clear(x)
	for v := range n {
		x[(v0+v)*n+v] = 1
	}
	h := 0.0
	for k := 1; ; k++ {
		c, trace := f.coefficient(k), 0.0
		for v := v0; v < v1; v++ {
			for e := s.first[v]; e < s.first[v+1]; e++ {
				at := float64(x[int(s.edges[e].to)*n+v-v0])
				trace += float64(s.edges[e].a) * at
				s.slope[e] += float64(k) * c * at
			}
		}
		h += c * trace
		if k == terms || k >= nodes && k%8 == 0 && largest(x)*float64(terms)*float64(terms) <= endOfSeries*h {
			return h
		}
		for i := range nodes {
			row := y[i*n : (i+1)*n]
			edges := s.edges[s.first[i]:s.first[i+1]]
			from := int(edges[0].to) * n
			vec.Scale(row, edges[0].a, x[from:from+n])
			for _, e := range edges[1:] {
				from := int(e.to) * n
				vec.Axpy(row, e.a, x[from:from+n])
			}
		}
		x, y = y, x
	}
}

// endOfSeries is the relative size of further terms below which a series ends early. By then the series has
// covered all cycles of the component, because none has more nodes than it. If ρ(A) < 1 the powers decrease,
// soon to denormal numbers, which cost about a hundred cycles each.
const endOfSeries = 1e-25

// largest returns the largest of nonnegative numbers, or NaN if one is NaN.
func largest[T matrix.Float](x []T) float64 {
	most := T(0)
	for _, v := range x {
		most = max(most, v)
	}
	return float64(most)
}

// scatter writes 2 w ∂h/∂a at the edges of the component, in the order of gather.
func scatter[T matrix.Float](s *sparse[T], grad, w *matrix.Dense[T], nodes []int32) {
	if grad == nil {
		return
	}
	c, e := &s.comps, 0
	for _, i := range nodes {
		from, to := w.Row(int(i)), grad.Row(int(i))
		for _, j := range c.to[c.start[i]:c.start[i+1]] {
			if c.of[j] == c.of[i] {
				to[j] = T(2 * float64(from[j]) * s.slope[e])
				e++
			}
		}
	}
}

func inBlock[T matrix.Float](s *sparse[T], grad, w *matrix.Dense[T], nodes []int32, f series[T]) (float64, error) {
	m := len(nodes)
	s.w, s.grad = resized(s.w, m), resized(s.grad, m)
	s.w.Zero()
	for p, i := range nodes {
		from, to := w.Row(int(i)), s.w.Row(p)
		for _, e := range s.edges[s.first[p]:s.first[p+1]] {
			to[e.to] = from[nodes[e.to]]
		}
	}
	h, err := f.block(s.grad, s.w, w.Rows)
	if err != nil || grad == nil {
		return h, err
	}
	for p, i := range nodes {
		from, to := s.grad.Row(p), grad.Row(int(i))
		for _, e := range s.edges[s.first[p]:s.first[p+1]] {
			to[nodes[e.to]] = from[e.to]
		}
	}
	return h, nil
}

// resized returns an m×m matrix that reuses the memory of old if it is large enough.
func resized[T matrix.Float](old *matrix.Dense[T], m int) *matrix.Dense[T] {
	if old == nil || cap(old.Data) < m*m {
		return matrix.New[T](m, m)
	}
	old.Rows, old.Cols, old.Stride, old.Data = m, m, m, old.Data[:m*m]
	return old
}
