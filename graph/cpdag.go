package graph

// CPDAG returns the completed PDAG of a DAG: the graph that represents its Markov equivalence class. An edge is directed in it
// exactly if all members of the class have it in that direction. The error is a *CycleError if g is not a DAG.
//
// The edges are labelled in topological order as in Chickering (1995), "A transformational characterization of equivalent Bayesian
// network structures". O(n · indegree) beyond the cost of Order.
func CPDAG(g *Graph) (*PDAG, error) {
	compelled, err := g.compelled()
	if err != nil {
		return nil, err
	}
	p := NewPDAG(g.N())
	for j, parents := range g.parents {
		for k, i := range parents {
			if compelled[j][k] {
				p.directed.parents[j] = append(p.directed.parents[j], i)
			} else {
				p.undirected.parents[j] = append(p.undirected.parents[j], i)
				p.undirected.parents[i] = append(p.undirected.parents[i], j)
			}
		}
	}
	p.directed.finishFrom(p.directed.parents, p.directed.children)
	p.undirected.finishFrom(p.undirected.parents, p.undirected.children)
	return p, nil
}

// compelled returns, for each parent of each node, whether the edge is compelled. The edges into y are decided together in
// topological order, from its last parent x and the labels of the edges into x.
func (g *Graph) compelled() ([][]bool, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	place := make([]int, g.N())
	compelled := make([][]bool, g.N())
	slot := make([]int, g.N()) // 1 + index among the parents of y, 0 if not a parent
	for at, y := range order {
		place[y] = at
		parents := g.parents[y]
		if len(parents) == 0 {
			continue
		}
		compelled[y] = make([]bool, len(parents))
		x := parents[0]
		for k, p := range parents {
			slot[p] = k + 1
			if place[p] > place[x] {
				x = p
			}
		}
		all := false
		shared := 0
		for k, w := range g.parents[x] {
			switch {
			case slot[w] > 0:
				shared++
				if compelled[x][k] {
					compelled[y][slot[w]-1] = true
				}
			case compelled[x][k]: // w → x must stay and w, y are not adjacent: so must x → y
				all = true
			}
		}
		if shared < len(parents)-1 { // some z → y is not adjacent to x: a v-structure
			all = true
		}
		for k, p := range parents {
			slot[p] = 0
			compelled[y][k] = compelled[y][k] || all
		}
	}
	return compelled, nil
}
