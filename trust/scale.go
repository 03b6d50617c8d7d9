package trust

import (
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/metric"
)

// ScaleCheck compares the graphs of raw and of standardized columns.
type ScaleCheck struct {
	RawEdges          int `json:"raw_edges"`
	StandardizedEdges int `json:"standardized_edges"`
	Same              int `json:"same"`     // edges in both graphs with the same direction
	Reversed          int `json:"reversed"` // edges in both graphs with opposite directions
	// Agreement is Same divided by the number of pairs that are adjacent in either graph; it is 1 if both are empty.
	Agreement        float64      `json:"agreement"`
	OnlyRaw          []graph.Link `json:"only_raw,omitempty"`
	OnlyStandardized []graph.Link `json:"only_standardized,omitempty"`
	Sentence         string       `json:"sentence"`
}

// CompareScales compares the graph of raw columns with that of standardized columns.
func CompareScales(raw, standardized *graph.Graph, names []string) *ScaleCheck {
	d := metric.Diff(standardized, raw)
	c := &ScaleCheck{RawEdges: raw.NumEdges(), StandardizedEdges: standardized.NumEdges(), Same: len(d.Right), Reversed: len(d.Reversed)}
	for _, e := range d.Extra {
		c.OnlyRaw = append(c.OnlyRaw, e.Named(names))
	}
	for _, e := range d.Missing {
		c.OnlyStandardized = append(c.OnlyStandardized, e.Named(names))
	}
	pairs := c.RawEdges + len(d.Missing)
	c.Agreement = 1
	if pairs > 0 {
		c.Agreement = float64(c.Same) / float64(pairs)
	}
	c.Sentence = c.sentence(pairs)
	return c
}

// sentence explains the figures.
func (c *ScaleCheck) sentence(pairs int) string {
	if pairs == 0 {
		return "No edges with raw or with standardized columns."
	}
	s := fmt.Sprintf("%d of %d edges agree between raw and standardized columns (%.0f %%)", c.Same, pairs, 100*c.Agreement)
	switch {
	case c.Agreement >= 0.9:
		return s + ": the graph hardly depends on units."
	case c.Agreement >= 0.5:
		return s + ": part of the graph depends on units; rely on the common edges, or use a scale-invariant method."
	default:
		return s + ": the graph depends on units; use a scale-invariant method."
	}
}
