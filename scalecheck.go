package polydag

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/metric"
)

// When the answer is compared with the one in other units.
const (
	CheckScaleAuto   = "auto"   // for methods whose answer may depend on the units and that are cheap to run twice: those of the paper
	CheckScaleAlways = "always" // whatever the method
	CheckScaleNever  = "never"
)

// ScaleCheckPrefix begins the names of the check's stages, in Progress and in Timing.StageSeconds.
const ScaleCheckPrefix = "scale check: "

// ScaleCheckSeconds is the part of SolveSeconds that the check took: 0 where there was none.
func (t Timing) ScaleCheckSeconds() (total float64) {
	for stage, seconds := range t.StageSeconds {
		if strings.HasPrefix(stage, ScaleCheckPrefix) {
			total += seconds
		}
	}
	return total
}

// checksScale reports whether the run is done a second time in other units.
func (c Config) checksScale() bool {
	return c.CheckScale == CheckScaleAlways || c.CheckScale == CheckScaleAuto && c.Method.ofPaper()
}

// compareScales holds the graph from raw columns against the one from standardized columns.
func compareScales(raw, standardized *dag.Graph, names []string) *ScaleCheck {
	d := metric.Diff(standardized, raw)
	c := &ScaleCheck{RawEdges: raw.NumEdges(), StandardizedEdges: standardized.NumEdges(), Same: len(d.Right), Reversed: len(d.Reversed)}
	for _, e := range d.Extra {
		c.OnlyRaw = append(c.OnlyRaw, Link{names[e.From], names[e.To]})
	}
	for _, e := range d.Missing {
		c.OnlyStandardized = append(c.OnlyStandardized, Link{names[e.From], names[e.To]})
	}
	pairs := c.RawEdges + len(d.Missing)
	c.Agreement = 1
	if pairs > 0 {
		c.Agreement = float64(c.Same) / float64(pairs)
	}
	c.Sentence = c.sentence(pairs)
	return c
}

// sentence says what the figures mean for a reader of the graph.
func (c *ScaleCheck) sentence(pairs int) string {
	if pairs == 0 {
		return "No edge in either: neither the raw nor the standardized columns gave a graph."
	}
	s := fmt.Sprintf("%d of %d connections are the same on raw and on standardized columns (%.0f %%)", c.Same, pairs, 100*c.Agreement)
	switch {
	case c.Agreement >= 0.9:
		return s + ": the graph hardly depends on the units."
	case c.Agreement >= 0.5:
		return s + ": part of the graph depends on the units; trust what both have, or use --method auto."
	default:
		return s + ": the graph depends on the units of the columns; use --method auto, whose answer does not."
	}
}
