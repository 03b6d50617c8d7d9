package effect

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/eliminate"
)

// passes has the passes of a survey by graph and intervened column.
type passes map[*graph.Graph]map[int]*eliminate.Pass

// together is a discrete model that computes all figures about one intervened column in one pass. Figures without a pass are
// computed separately.
type together struct {
	*discrete
	passes map[int]*eliminate.Pass
	seen   map[doKey]*eliminate.Found // b is 0
}

// found returns the result of the pass for do(a = x); nil if there is none, or b is not in it.
func (m *together) found(a, b int, x float64) (*eliminate.Found, error) {
	p := m.passes[a]
	if p == nil || !p.Has(b) {
		return nil, nil
	}
	key := doKey{a: a, x: x}
	if f := m.seen[key]; f != nil {
		return f, nil
	}
	f, err := p.Run(m.discrete, m.data.Code(a, x))
	if err == nil {
		m.seen[key] = f
	}
	return f, err
}

func (m *together) do(a, b int, x float64) ([]float64, error) {
	d, err := m.distribution(a, b, x)
	if err != nil {
		return nil, err
	}
	return d.levels, nil
}

func (m *together) distribution(a, b int, x float64) (*dist, error) {
	f, err := m.found(a, b, x)
	if f == nil && err == nil {
		return m.discrete.distribution(a, b, x)
	}
	if err != nil {
		return nil, err
	}
	return &dist{levels: f.Do[b], by: byElimination}, nil
}

func (m *together) direct(a, b int, x0, x1 float64) ([]float64, error) {
	f, err := m.found(a, b, x0)
	if f == nil && err == nil {
		return m.discrete.direct(a, b, x0, x1)
	}
	if err != nil {
		return nil, err
	}
	return f.Direct[b][m.data.Code(a, x1)], nil
}

// remembering is a caching model for one goroutine.
type remembering struct {
	fitted
	seen map[doKey][]float64
}

type doKey struct {
	a, b int
	x    float64
}

// remembering returns a caching model of g.
func (s *source) remembering(g *graph.Graph, m fitted) fitted {
	switch own := m.(type) {
	case *discrete:
		m = &together{discrete: own, passes: s.passes[g], seen: map[doKey]*eliminate.Found{}}
	case *additive:
		m = &following{additive: own, follows: s.follows, whole: s.whole, seen: map[doKey]*followed{}}
	}
	return &remembering{fitted: m, seen: map[doKey][]float64{}}
}

func (m *remembering) do(a, b int, x float64) ([]float64, error) {
	key := doKey{a, b, x}
	if y, ok := m.seen[key]; ok {
		return y, nil
	}
	y, err := m.fitted.do(a, b, x)
	if err == nil {
		m.seen[key] = y
	}
	return y, err
}
