package explain

import (
	"fmt"

	"github.com/polydag/polydag/graph"
	match "github.com/polydag/polydag/internal/names"
)

// Earlier is the node of an unrolled model that stands for all values before its first step. It is a common cause of the values whose
// causes lie there, so no statement depends on where the model begins.
const Earlier = "(earlier values)"

// mostSteps limits how far back a model is unrolled.
const mostSteps = 50

// NewLagged returns the model of edges with lags, unrolled in time: the value of a column k steps ago is the node name(t-k). from is a
// column, or such a value. Without a lag it is taken as many steps ago as the fastest directed path to the column to takes. The
// second value is the name of its node. The model has all direct causes of from.
func NewLagged(names []string, edges []Edge, from, to string) (*Model, string, error) {
	column, ago, given := match.CutLag(from)
	index := match.Index(names)
	for _, name := range []string{column, to} {
		if _, ok := index[name]; !ok {
			return nil, "", fmt.Errorf("%w: the graph has no %q%s", ErrName, name, near(name, names))
		}
	}
	if !given {
		ago = fastest(names, edges, column, to)
	}
	longest := 0
	for _, e := range edges {
		longest = max(longest, e.Lag)
	}
	if ago > mostSteps {
		return nil, "", fmt.Errorf("%w: %s is %d steps ago, and a model has at most %d", ErrName, from, ago, mostSteps)
	}
	last := ago + longest
	nodes := append(match.WithLags(names, last), Earlier)
	var all []Edge
	for k := range last + 1 {
		cut := map[string]bool{} // values with a cause before the first step
		for _, e := range edges {
			if k+e.Lag > last {
				cut[e.To] = true
				continue
			}
			e.Link = graph.Link{From: match.Lagged(e.From, k+e.Lag), To: match.Lagged(e.To, k)}
			all = append(all, e)
		}
		for _, name := range names {
			if cut[name] {
				all = append(all, Edge{Link: graph.Link{From: Earlier, To: match.Lagged(name, k)}})
			}
		}
	}
	m, err := NewModel(nodes, all)
	return m, match.Lagged(column, ago), err
}

// fastest returns the smallest total lag of a directed path, or 0 if there is none. A path from a column to itself has a lag.
func fastest(names []string, edges []Edge, from, to string) int {
	never := (len(names) + 1) * mostSteps
	at := map[string]int{}
	for _, e := range edges {
		if e.From == from {
			at[e.To] = min(e.Lag, or(at, e.To, never))
		}
	}
	for range names { // Bellman and Ford
		for _, e := range edges {
			if soon := or(at, e.From, never) + e.Lag; soon < or(at, e.To, never) {
				at[e.To] = soon
			}
		}
	}
	if soon := or(at, to, never); soon < never {
		return soon
	}
	return 0
}

func or(at map[string]int, name string, none int) int {
	if v, ok := at[name]; ok {
		return v
	}
	return none
}

func near(name string, names []string) string {
	if best, ok := match.Nearest(name, false, names); ok {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
