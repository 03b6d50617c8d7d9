package metric

import (
	"fmt"

	"github.com/polydag/polydag/graph"
)

// SID returns the structural intervention distance of Peters and Bühlmann (2015): the number of ordered pairs (i, j) for which
// adjusting for the parents Z of i in the estimate gives a wrong effect of i on j. By their Proposition 6 the pair is wrong
//
//   - if j is in Z (the estimate claims no effect): if j is a descendant of i in the truth;
//   - otherwise: if Z is not a valid adjustment set for (i, j) in the truth, that is, if Z
//     contains a descendant of a node other than i on a directed path from i to j, or leaves
//     open a path from i to j that is not directed.
//
// It lies in 0..n(n-1), is not symmetric, and is zero for every estimate that has all edges of the truth and more. Both graphs must
// be DAGs; the error wraps the *graph.CycleError of the one that is not.
//
// O(n · (n + edges)): each i takes three searches, not one for each pair.
func SID(truth, est *graph.Graph) (int, error) {
	sameNodes(truth.N(), est.N())
	s, err := newSIDSearch(truth)
	if err != nil {
		return 0, err
	}
	if _, err := est.Order(); err != nil {
		return 0, fmt.Errorf("SID needs a DAG as the estimate: %w", err)
	}
	distance := 0
	for i := range truth.N() {
		distance += s.wrong(i, est.Parents(i))
	}
	return distance, nil
}

// A sidSearch is the state of the walks over the truth g. The walk enters node v against an
// edge (up[v]) or along an edge (down[v]).
type sidSearch struct {
	g        *graph.Graph
	up, down []bool
	stack    []arrival
}

func newSIDSearch(truth *graph.Graph) (*sidSearch, error) {
	if _, err := truth.Order(); err != nil {
		return nil, fmt.Errorf("SID needs a DAG as the truth: %w", err)
	}
	return &sidSearch{g: truth, up: make([]bool, truth.N()), down: make([]bool, truth.N())}, nil
}

type arrival struct {
	node  int
	along bool // arrived along an edge, not against it
}

// wrong returns the number of nodes j for which adjusting for z gives a wrong effect of i.
func (s *sidSearch) wrong(i int, z []int) int {
	g := s.g
	inZ := make([]bool, g.N())
	for _, v := range z {
		inZ[v] = true
	}
	aboveZ := g.Ancestors(z)
	below := g.Descendants([]int{i})

	// Z blocks the directed paths through v if v is below i and above Z, so the pair (i, j) is wrong for every j below such a v.
	var spoilers []int
	for v, b := range below {
		if b && v != i && aboveZ[v] {
			spoilers = append(spoilers, v)
		}
	}
	spoilt := g.Descendants(spoilers)

	open := s.walk(i, inZ, aboveZ)
	wrong := 0
	for j := range g.N() {
		switch {
		case j == i:
		case inZ[j]:
			if below[j] {
				wrong++
			}
		case spoilt[j] || open(j):
			wrong++
		}
	}
	return wrong
}

// walk returns a test for an open path from i to j that is not directed. It is for pairs without an open
// directed violation (not spoilt), where one walk serves all j.
//
// A path that leaves i along i → c, where Z has no descendant of c, meets no open collider, so while open it
// stays directed and is irrelevant. A path that leaves i along i → c where Z has a descendant of c cannot be
// directed up to j, or (i, j) would be spoilt. So a walk that leaves i against its edges, or along edges to
// ancestors of Z, and never passes i again, reaches j exactly if there is an open path that is not directed.
func (s *sidSearch) walk(i int, inZ, aboveZ []bool) (open func(j int) bool) {
	clear(s.up)
	clear(s.down)
	for _, p := range s.g.Parents(i) {
		s.enter(p, false)
	}
	for _, c := range s.g.Children(i) {
		if aboveZ[c] {
			s.enter(c, true)
		}
	}
	for len(s.stack) > 0 {
		at := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		v := at.node
		if v == i {
			continue
		}
		if !inZ[v] {
			for _, c := range s.g.Children(v) {
				s.enter(c, true)
			}
		}
		if at.along && aboveZ[v] || !at.along && !inZ[v] {
			for _, p := range s.g.Parents(v) {
				s.enter(p, false)
			}
		}
	}
	return func(j int) bool { return s.up[j] || s.down[j] }
}

func (s *sidSearch) enter(v int, along bool) {
	seen := s.up
	if along {
		seen = s.down
	}
	if !seen[v] {
		seen[v] = true
		s.stack = append(s.stack, arrival{v, along})
	}
}
