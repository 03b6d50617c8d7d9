package trust

import "github.com/polydag/polydag/graph"

// A Direction says what the direction of an edge rests on.
type Direction string

// The directions. None is a certainty: each is said of the model of the run.
const (
	// DirectionOpen: a graph that fits as well has the edge the other way round.
	DirectionOpen Direction = "open"
	// DirectionModel: fixed under the model, and every assumption of the model that can be checked held up.
	DirectionModel Direction = "model"
	// DirectionNoise: as DirectionModel, and told by noise that is not Gaussian.
	DirectionNoise Direction = "noise"
	// DirectionUnchecked: fixed under the model, and not all of what can be checked of it was.
	DirectionUnchecked Direction = "unchecked"
	// DirectionDoubtful: fixed under a model of which an assumption fails in this table.
	DirectionDoubtful Direction = "doubtful"
)

// NoiseLevel is the probability, corrected for the number of edges, below which the noise settles a direction.
const NoiseLevel = 0.05

// Directions returns a function that says what the direction of an edge of g rests on: of one that begins at this column, and
// that the model fixes or does not. A direction follows from which columns are independent of which in the part of the graph that
// is connected with it, so evidence against columns of that part makes it doubtful; evidence without columns is about the
// whole table.
func Directions(g *graph.Mixed, names []string, assumptions []Assumption) func(from int, compelled bool) Direction {
	checked, fails := len(assumptions) > 0, false
	against := map[string]bool{}
	for _, a := range assumptions {
		checked = checked && a.Verdict != NotTested
		if a.Verdict != Fails {
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
	part := connected(g)
	doubtful := make([]bool, g.N())
	for v, name := range names {
		doubtful[part[v]] = doubtful[part[v]] || against[name]
	}
	return func(from int, compelled bool) Direction {
		switch {
		case !compelled:
			return DirectionOpen
		case fails || doubtful[part[from]]:
			return DirectionDoubtful
		case !checked:
			return DirectionUnchecked
		}
		return DirectionModel
	}
}

// connected returns for each node one node of its connected part, the same for all of the part.
func connected(g *graph.Mixed) []int {
	part := make([]int, g.N())
	for v := range part {
		part[v] = v
	}
	first := func(v int) int {
		for part[v] != v {
			part[v] = part[part[v]]
			v = part[v]
		}
		return v
	}
	for _, e := range g.Edges() {
		part[first(e.From)] = first(e.To)
	}
	for v := range part {
		part[v] = first(v)
	}
	return part
}
