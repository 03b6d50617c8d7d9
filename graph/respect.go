package graph

// Respect returns the order with as few changes as needed to put causes of required edges before their effects: the first column whose
// required causes are all placed comes next. The edges have no cycle.
func Respect(order []int, required []Edge) []int {
	if len(required) == 0 {
		return order
	}
	out := make([]int, 0, len(order))
	placed := make([]bool, len(order))
	for len(out) < len(order) {
		for _, v := range order {
			ready := !placed[v]
			for _, e := range required {
				ready = ready && (e.To != v || placed[e.From])
			}
			if ready {
				out, placed[v] = append(out, v), true
				break
			}
		}
	}
	return out
}
