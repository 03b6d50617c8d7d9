package effect

import (
	"github.com/polydag/polydag/effect/internal/eliminate"
	"github.com/polydag/polydag/graph"
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

// follow lists the outcome columns and the contrast of a survey's questions about one intervened column, for effects that are
// averages over rows.
type follow struct {
	targets []int
	x0, x1  float64
}

// following is a model of mechanisms that evaluates all questions about one intervened column together: each descendant is
// evaluated once per value for all outcome columns. Questions without a follow are evaluated separately.
type following struct {
	*additive
	follows map[int]*follow // by intervened column
	whole   bool            // distributions are needed too
	seen    map[doKey]*followed
}

// followed has the results for one value of the intervened column, by outcome column.
type followed struct {
	do, direct map[int][]float64
	dist       map[int]*dist
	failed     map[int]error
}

// at returns the results for do(a = x); nil if there is no follow for a.
func (m *following) at(a int, x float64) *followed {
	f := m.follows[a]
	key := doKey{a: a, x: x}
	if f == nil || m.seen[key] != nil {
		return m.seen[key]
	}
	out := &followed{do: map[int][]float64{}, direct: map[int][]float64{}, dist: map[int]*dist{}, failed: map[int]error{}}
	w, after := m.world(a, x)
	for _, b := range f.targets {
		y, err := m.outcome(w, after, b)
		if out.do[b] = y; err == nil && m.whole {
			out.dist[b], err = m.spread(w, after, b)
		}
		if err == nil && x == f.x0 {
			out.direct[b], err = m.along(w, after, a, b, f.x1)
		}
		if err != nil {
			out.failed[b] = err
		}
	}
	m.seen[key] = out
	return out
}

func (m *following) do(a, b int, x float64) ([]float64, error) {
	f := m.at(a, x)
	if f == nil || f.do[b] == nil && f.failed[b] == nil {
		return m.additive.do(a, b, x)
	}
	return f.do[b], f.failed[b]
}

func (m *following) distribution(a, b int, x float64) (*dist, error) {
	f := m.at(a, x)
	if f == nil || f.dist[b] == nil {
		return m.additive.distribution(a, b, x)
	}
	return f.dist[b], nil
}

func (m *following) direct(a, b int, x0, x1 float64) ([]float64, error) {
	f := m.at(a, x0)
	if f == nil || f.direct[b] == nil || x1 != m.follows[a].x1 {
		return m.additive.direct(a, b, x0, x1)
	}
	return f.direct[b], nil
}
