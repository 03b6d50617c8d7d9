package sample

import (
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/wire"
)

// walkedLayout is the format version of Encode.
const walkedLayout = "polydag.walked/1"

// Encode returns the encoding that DecodeWalked reads. For each graph it has only the parents that differ from
// the previous graph.
func (w *Walked) Encode() []byte {
	out := wire.NewWriter(walkedLayout)
	wire.Floats(out, w.Edge)
	wire.Floats(out, w.LogW)
	out.Int(w.Moves)
	out.Int(w.Accepted)
	out.Int(w.Full)
	out.Raw(w.To)
	out.Int(len(w.Graphs))
	var before map[int][]int
	for _, g := range w.Graphs {
		now := map[int][]int{}
		for _, e := range g {
			now[e.To] = append(now[e.To], e.From)
		}
		var changed []int
		for v := range now {
			if !slices.Equal(now[v], before[v]) {
				changed = append(changed, v)
			}
		}
		for v := range before {
			if now[v] == nil {
				changed = append(changed, v)
			}
		}
		slices.Sort(changed)
		out.Int(len(changed))
		for _, v := range changed {
			out.Int(v)
			wire.Ints(out, now[v])
		}
		before = now
	}
	return out.Seal()
}

// DecodeWalked decodes the result of a walk over the given number of variables. It accepts only complete
// results: as many graphs as samples, each acyclic.
func DecodeWalked(b []byte, variables, samples int) (*Walked, error) {
	r := wire.NewReader(walkedLayout, b)
	w := &Walked{Edge: make([]float64, variables*variables), LogW: make([]float64, samples)}
	wire.ReadFloats(r, w.Edge)
	wire.ReadFloats(r, w.LogW)
	w.Moves, w.Accepted, w.Full = r.Int(), r.Int(), r.Int()
	w.To = slices.Clone(r.Raw())
	r.Between(samples, samples)
	parents := make([][]int, variables)
	for k := 0; k < samples && r.Err() == nil; k++ {
		for range r.Between(0, variables) {
			v := r.Between(0, variables-1)
			set := wire.ReadInts[int](r, 0, variables)
			if r.Err() != nil {
				break
			}
			for i, x := range set {
				if slices.Contains(set[:i], x) {
					r.Fail("variable %d is a parent of %d twice", x, v)
				}
			}
			parents[v] = set
		}
		if topological(variables, parents) == nil {
			r.Fail("graph %d of it has a cycle", k+1)
		}
		var edges []graph.Edge
		for v, set := range parents {
			for _, x := range set {
				edges = append(edges, graph.Edge{From: x, To: v})
			}
		}
		w.Graphs = append(w.Graphs, edges)
	}
	for _, x := range w.LogW {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			r.Fail("%v is no weight of a graph", x)
		}
	}
	for _, p := range w.Edge {
		if !(p >= 0 && p <= 1+1e-9) {
			r.Fail("%v is no probability", p)
		}
	}
	return w, r.Close()
}
