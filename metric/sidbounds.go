package metric

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/graph"
)

// ErrLargeClass is matched if a component of the class has too many members.
var ErrLargeClass = errors.New("the class has too many graphs")

// mostMembers limits the number of directions that are tried per undirected component.
const mostMembers = 10_000

// SIDBounds returns the smallest and largest SID of a DAG in a class, a CPDAG or its restriction by knowledge (Peters and Bühlmann
// 2015, section 2.4.3). The effects of a node depend only on its parents, and these on the directions within its undirected
// component, so it tries every DAG of each component separately. The error matches ErrLargeClass if a component has more than
// 10,000.
func SIDBounds(truth *graph.Graph, class *graph.PDAG) (lower, upper int, err error) {
	sameNodes(truth.N(), class.N())
	s, err := newSIDSearch(truth)
	if err != nil {
		return 0, 0, err
	}
	if _, err := class.Extension(); err != nil {
		return 0, 0, fmt.Errorf("SID needs a class of DAGs as the estimate: %w", err)
	}
	seen := make([]bool, class.N())
	for v := range seen {
		if seen[v] {
			continue
		}
		part := []int{v}
		seen[v] = true
		for k := 0; k < len(part); k++ {
			for _, u := range class.Neighbors(part[k]) {
				if !seen[u] {
					seen[u] = true
					part = append(part, u)
				}
			}
		}
		least, most, members := -1, 0, 0
		ok := eachMember(class.Clone(), part, &members, func(dag *graph.PDAG) {
			sum := 0
			for _, u := range part {
				sum += s.wrong(u, dag.Parents(u))
			}
			if least < 0 || sum < least {
				least = sum
			}
			most = max(most, sum)
		})
		if !ok {
			return 0, 0, fmt.Errorf("%w: more than %d of %d columns that no direction joins with others", ErrLargeClass, mostMembers, len(part))
		}
		lower, upper = lower+least, upper+most
	}
	return lower, upper, nil
}

// eachMember visits every way to direct the edges of an undirected component. It reports false if there are too many.
func eachMember(p *graph.PDAG, part []int, members *int, visit func(*graph.PDAG)) bool {
	for _, v := range part {
		if len(p.Neighbors(v)) == 0 {
			continue
		}
		u := p.Neighbors(v)[0]
		for _, e := range []graph.Edge{{From: v, To: u}, {From: u, To: v}} {
			q := p.Clone()
			q.SetDirected(e.From, e.To)
			q.Close()
			if !eachMember(q, part, members, visit) {
				return false
			}
		}
		return true
	}
	if *members++; *members > mostMembers {
		return false
	}
	visit(p)
	return true
}
