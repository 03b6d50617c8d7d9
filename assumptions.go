package polydag

import (
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/trust"
)

// Direction says what the direction of an edge rests on.
type Direction string

// The directions. None is a certainty: each is said of the model of the run.
const (
	// DirectionOpen: a graph that fits as well has the edge the other way round.
	DirectionOpen Direction = "open"
	// DirectionModel: fixed under the model, and every assumption of the model that can be checked held up.
	DirectionModel Direction = "model"
	// DirectionUnchecked: fixed under the model, and not all of what can be checked of it was.
	DirectionUnchecked Direction = "unchecked"
	// DirectionDoubtful: fixed under a model of which an assumption fails in this table.
	DirectionDoubtful Direction = "doubtful"
)

// Basis is Direction, or where it is empty what Compelled alone tells: open, or fixed under a model that nothing is known of.
func (e Edge) Basis() Direction {
	switch {
	case !e.Compelled:
		return DirectionOpen
	case e.Direction == "":
		return DirectionUnchecked
	}
	return e.Direction
}

// judge holds the assumptions of the model against what is known of the table, and says of each edge what its direction
// rests on.
func (r *Result) judge(t *Table) {
	variance := r.Choice("variance")
	r.Assumptions = trust.Judge(trust.Evidence{Moments: t.Moments, Profile: t.Profile, Sample: t.Sample}, trust.Model{
		Graph: r.Graph, EqualVariances: variance != nil && variance.Chosen == "equal", Standardized: r.Settings.Get("standardize") == true,
	})
	for k, d := range r.directions() {
		r.Edges[k].Direction = d
	}
}

// directions derives what each edge's direction rests on. A direction follows from which columns are independent of which in the
// part of the graph that is connected with it, so evidence against columns of that part makes it doubtful; evidence without
// columns is about the whole table.
func (r *Result) directions() []Direction {
	checked, fails := len(r.Assumptions) > 0, false
	against := map[string]bool{}
	for _, a := range r.Assumptions {
		checked = checked && a.Verdict != trust.NotTested
		if a.Verdict != trust.Fails {
			continue
		}
		fails = fails || len(a.Evidence) == 0
		for _, f := range a.Evidence {
			fails = fails || len(f.Columns) == 0
			for _, name := range f.Columns {
				against[name] = true
			}
		}
	}
	part := connected(r.Graph)
	doubtful := make([]bool, len(r.Names))
	for v, name := range r.Names {
		doubtful[part[v]] = doubtful[part[v]] || against[name]
	}
	at := make(map[string]int, len(r.Names))
	for v, name := range r.Names {
		at[name] = v
	}
	out := make([]Direction, len(r.Edges))
	for k, e := range r.Edges {
		switch {
		case !e.Compelled:
			out[k] = DirectionOpen
		case fails || doubtful[part[at[e.From]]]:
			out[k] = DirectionDoubtful
		case !checked:
			out[k] = DirectionUnchecked
		default:
			out[k] = DirectionModel
		}
	}
	return out
}

// connected returns for each node the first node of its connected part.
func connected(g *graph.Graph) []int {
	part := make([]int, g.N())
	for v := range part {
		part[v] = -1
	}
	for v := range part {
		if part[v] >= 0 {
			continue
		}
		part[v] = v
		for todo := []int{v}; len(todo) > 0; {
			u := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, w := range slices.Concat(g.Parents(u), g.Children(u)) {
				if part[w] < 0 {
					part[w] = v
					todo = append(todo, w)
				}
			}
		}
	}
	return part
}
