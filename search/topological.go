package search

import "container/heap"

// topological returns an order in which parents come first; among the ready variables the one of smallest rank comes next (rank
// nil: smallest index). For a cyclic graph it returns only the variables before the cycle. O((d + edges)·log d).
func topological(parents [][]int32, rank []int32) []int32 {
	d := len(parents)
	children := make([][]int32, d)
	open := make([]int, d)
	for v, ps := range parents {
		open[v] = len(ps)
		for _, p := range ps {
			children[p] = append(children[p], int32(v))
		}
	}
	ready := &byRank{rank: rank}
	for v := range int32(d) {
		if open[v] == 0 {
			heap.Push(ready, v)
		}
	}
	order := make([]int32, 0, d)
	for len(ready.vs) > 0 {
		v := heap.Pop(ready).(int32)
		order = append(order, v)
		for _, c := range children[v] {
			if open[c]--; open[c] == 0 {
				heap.Push(ready, c)
			}
		}
	}
	return order
}

// byRank is a heap of variables.
type byRank struct {
	vs   []int32
	rank []int32
}

func (h *byRank) Len() int { return len(h.vs) }
func (h *byRank) Less(i, j int) bool {
	if h.rank == nil {
		return h.vs[i] < h.vs[j]
	}
	return h.rank[h.vs[i]] < h.rank[h.vs[j]]
}
func (h *byRank) Swap(i, j int) { h.vs[i], h.vs[j] = h.vs[j], h.vs[i] }
func (h *byRank) Push(v any)    { h.vs = append(h.vs, v.(int32)) }
func (h *byRank) Pop() any {
	last := len(h.vs) - 1
	v := h.vs[last]
	h.vs = h.vs[:last]
	return v
}
