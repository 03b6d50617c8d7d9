package sim

import "math"

// These are estimates of the bytes of a model: of a node, of an edge with a linear effect, and of an edge with a function or a table.
const (
	nodeBytes   = 600
	lineBytes   = 300
	curveBytes  = 8 << 10
	targetBytes = 200
)

// Memory estimates the bytes of a model and of its edges. Rows are drawn one after the other.
func (c Settings) Memory() int64 {
	d, edges, edge := float64(c.Nodes), float64(c.Edges), float64(lineBytes)
	if c.Edges == 0 {
		edges = d * c.Degree / 2
	}
	if c.Mechanism != Linear {
		edge = curveBytes
	}
	node := nodeBytes
	if c.Mechanism == Mixed || c.Mechanism == Ordinal {
		node += 8 * pilotRows
	}
	targets := float64(c.Interventions)*float64(c.InterventionSize) + float64(c.Environments)*float64(c.EnvironmentChanges)
	settings := float64(c.Interventions) + float64(c.Environments)
	if c.Intervention == Soft || c.Environments > 0 {
		targets *= 1 + edges/max(d, 1)*edge/targetBytes // they have mechanisms of their own
	}
	return saturated(d*float64(node) + edges*edge + (targets+settings)*targetBytes)
}

// Memory estimates the bytes of a process: its edges and the values of all lags.
func (c SeriesSettings) Memory() int64 {
	d := float64(c.Nodes)
	return saturated(d*nodeBytes + d*(1+c.Links)*lineBytes + 8*(d+4)*(float64(c.Lags)+1))
}

// saturated converts a number of bytes that may exceed an int64.
func saturated(bytes float64) int64 { return int64(min(bytes, math.MaxInt64/2)) }
