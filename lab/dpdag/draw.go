package dpdag

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/assign"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/matrix"
)

// iterations is the number of Sinkhorn iterations, as in the authors' program.
const iterations = 20

// draw is one graph of a step with its gradient.
type draw struct {
	f           *fit
	model       model
	temperature float64
	required    []graph.Edge
	sinkhorn    *posterior.Sinkhorn // nil for top-k
	noisy       *matrix.Dense[float64]
	order       []int
	ones        []float64              // the entries of U by positions
	soft        []float64              // relaxed edges
	edges       *matrix.Dense[float64] // A
	graph       *matrix.Dense[float64] // A∘U
	byGraph, p  *matrix.Dense[float64]
	grad        []float64
}

func newDraw(f *fit, m *Method, model model, required []graph.Edge) *draw {
	square := func() *matrix.Dense[float64] { return matrix.New[float64](f.d, f.d) }
	w := &draw{
		f: f, model: model, temperature: m.Temperature, required: required, soft: make([]float64, f.d*f.d),
		ones: slices.Repeat([]float64{1}, f.d*(f.d-1)/2), edges: square(), graph: square(), byGraph: square(), p: square(),
	}
	if m.Orders == Sinkhorn {
		w.sinkhorn, w.noisy = posterior.NewSinkhorn(f.d, iterations), square()
	} else {
		w.noisy = matrix.New[float64](1, f.d)
	}
	return w
}

// sample draws an order and edges.
func (w *draw) sample(rng *rand.Rand) {
	f, d := w.f, w.f.d
	for i, v := range f.theta[:f.orders] {
		w.noisy.Data[i] = v + posterior.Gumbel(rng)
	}
	if w.sinkhorn != nil {
		for i := range w.noisy.Data {
			w.noisy.Data[i] /= w.temperature
		}
		w.sinkhorn.Scale(w.noisy)
		w.order = assign.Largest(w.sinkhorn.S)
	} else {
		w.order = descending(w.noisy.Data)
	}
	w.order = graph.Respect(w.order, w.required)
	for e, logit := range f.edges(f.theta) {
		noisy := logit + posterior.Logistic(rng)
		w.soft[e] = sigmoid(noisy / w.temperature)
		w.edges.Data[e] = 0
		if f.fixed[e] == 1 || f.fixed[e] < 0 && noisy > 0 {
			w.edges.Data[e] = 1
		}
	}
	clear(w.graph.Data)
	for k, from := range w.order {
		for _, to := range w.order[k+1:] {
			w.graph.Data[from*d+to] = w.edges.Data[from*d+to]
		}
	}
}

// gradient returns the log density of the rows for the drawn graph, and sets grad to its gradient.
func (w *draw) gradient(step int) (float64, error) {
	f, d := w.f, w.f.d
	clear(w.grad)
	value, err := w.model.log(f.model(w.grad), w.byGraph, f.model(f.theta), w.graph, step)
	if err != nil {
		return 0, err
	}
	byEdge := f.edges(w.grad)
	for k, from := range w.order {
		for _, to := range w.order[k+1:] {
			if e := from*d + to; f.fixed[e] < 0 {
				byEdge[e] = w.byGraph.Data[e] * w.soft[e] * (1 - w.soft[e]) / w.temperature
			}
		}
	}
	for e, a := range w.edges.Data {
		w.byGraph.Data[e] *= a // now by U
	}
	posterior.PullOrder(w.p, w.order, w.ones, w.byGraph)
	if w.sinkhorn != nil {
		w.sinkhorn.Pull(w.p)
		for i, g := range w.p.Data {
			w.grad[i] = g / w.temperature
		}
	} else {
		pullSort(w.grad[:d], w.noisy.Data, w.p, w.temperature)
	}
	return value, nil
}

// descending returns the places of the keys, the largest first.
func descending(keys []float64) []int {
	order := make([]int, len(keys))
	for v := range order {
		order[v] = v
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[b], keys[a]) })
	return order
}

// pullSort adds to grad, by the keys, the gradient of a function whose gradient by the relaxed permutation matrix of their descending order
// is g. SoftSort (Prillo and Eisenschlos 2020) has the entries exp(-|s_k - x_v|/t) for the sorted keys s, with rows divided by their sums.
func pullSort(grad, x []float64, g *matrix.Dense[float64], temperature float64) {
	p := make([]float64, len(x))
	for k, at := range descending(x) {
		sum, mean := 0.0, 0.0
		for v, key := range x {
			p[v] = math.Exp(-math.Abs(x[at]-key) / temperature)
			sum += p[v]
		}
		for v := range p {
			p[v] /= sum
			mean += p[v] * g.At(k, v)
		}
		for v, key := range x {
			by := p[v] * (g.At(k, v) - mean) / temperature
			switch {
			case x[at] > key:
				grad[v] += by
				grad[at] -= by
			case x[at] < key:
				grad[v] -= by
				grad[at] += by
			}
		}
	}
}
