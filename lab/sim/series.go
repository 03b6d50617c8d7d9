package sim

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
)

// SeriesSettings describes a random stationary process with lagged effects. Start from DefaultSeries.
type SeriesSettings struct {
	Nodes, Lags int
	// Links is the mean number of edges into a node from other nodes, and Contemporaneous the share of them without a lag. Each node also
	// depends on its own last value.
	Links, Contemporaneous float64
	// AutoLow and AutoHigh are the range of the effect of the last value, WeightLow and WeightHigh that of the absolute weights.
	AutoLow, AutoHigh, WeightLow, WeightHigh float64
	// Mechanism is Linear, Additive (bounded curves of the parents) or Logit (categories).
	Mechanism Mechanism
	Noise     NoiseKind
	// Series is the number of series, which have different means: MeanSpread is the standard deviation of the means.
	Series     int
	MeanSpread float64
	Seed       uint64
}

// DefaultSeries returns a linear process with 10 nodes and 2 lags: effects of the last value from 0.4 to 0.8, and 1.5 edges per node with
// absolute weights from 0.2 to 0.5, 30 % of them without a lag.
func DefaultSeries() SeriesSettings {
	return SeriesSettings{
		Nodes: 10, Lags: 2, Links: 1.5, Contemporaneous: 0.3, AutoLow: 0.4, AutoHigh: 0.8, WeightLow: 0.2, WeightHigh: 0.5, Series: 1, MeanSpread: 3,
	}
}

// Validate reports every error in the configuration.
func (c SeriesSettings) Validate() error {
	var errs faults
	fault := errs.unless
	fault(c.Nodes >= 2, "Nodes = %d, want at least 2", c.Nodes)
	fault(c.Lags >= 1, "Lags = %d, want at least 1", c.Lags)
	fault(c.Links >= 0 && c.Links <= float64(c.Nodes-1)/2, "Links = %v with %d nodes, want 0 to %v", c.Links, c.Nodes, float64(c.Nodes-1)/2)
	fault(c.Contemporaneous >= 0 && c.Contemporaneous <= 1, "Contemporaneous = %v, want 0 to 1", c.Contemporaneous)
	fault(c.AutoLow >= 0 && c.AutoHigh >= c.AutoLow && c.AutoHigh < 1, "effects of the last value on [%v, %v], want 0 <= low <= high < 1", c.AutoLow, c.AutoHigh)
	fault(c.WeightLow > 0 && c.WeightHigh >= c.WeightLow && finite(c.WeightHigh), "weights on ±[%v, %v], want 0 < low <= high", c.WeightLow, c.WeightHigh)
	fault(known(c.Noise, noiseNames), "Noise = %v, want one of %v", c.Noise, noiseNames)
	fault(slices.Contains([]Mechanism{Linear, Additive, Logit}, c.Mechanism), "Mechanism = %v, want linear, additive or logit", c.Mechanism)
	fault(c.Series >= 1, "Series = %d, want at least 1", c.Series)
	fault(c.MeanSpread >= 0 && finite(c.MeanSpread), "MeanSpread = %v, want >= 0", c.MeanSpread)
	return errors.Join(errs...)
}

// A Process is a stationary process
//
//	x_j(t) = Σ_k Σ_{i → j with lag k} f_ijk(x_i(t-k)) + e_j(t),
//
// in which f is a weight times the value (Linear) or times a bounded curve of it (Additive), or the sum decides the probability of the
// higher of two categories (Logit). The edges without a lag have no cycle.
type Process struct {
	cfg   SeriesSettings
	order []int
	edges []Edge   // by To
	into  [][]Edge // the edges into each node, parts of edges
}

// NewProcess draws a process. Linear effects are scaled such that the largest eigenvalue of the process is at most 0.95.
func NewProcess(cfg SeriesSettings) (*Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	p := &Process{cfg: cfg}
	rng := Stream(cfg.Seed, streamGraph)
	p.order = rng.Perm(cfg.Nodes)
	place := make([]int, cfg.Nodes)
	for i, v := range p.order {
		place[v] = i
	}
	seen := map[graph.Edge]bool{}
	for v := range cfg.Nodes {
		p.edges = append(p.edges, laggedEdge(v, v, 1, Range{cfg.AutoLow, cfg.AutoHigh}.at(rng.Float64())))
	}
	for links := int(math.Round(cfg.Links * float64(cfg.Nodes))); links > 0; {
		from, to, lag := rng.IntN(cfg.Nodes), rng.IntN(cfg.Nodes), 0
		if rng.Float64() >= cfg.Contemporaneous {
			lag = 1 + rng.IntN(cfg.Lags)
		} else if place[from] > place[to] {
			from, to = to, from
		}
		if from == to || seen[graph.Edge{From: from, To: to}] || seen[graph.Edge{From: to, To: from}] {
			continue
		}
		seen[graph.Edge{From: from, To: to}] = true
		p.edges = append(p.edges, laggedEdge(from, to, lag, signed(cfg.WeightLow, cfg.WeightHigh, rng)))
		links--
	}
	slices.SortStableFunc(p.edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Lag, b.Lag), cmp.Compare(a.From, b.From))
	})
	p.into = into(p.edges, cfg.Nodes)
	if cfg.Mechanism == Linear {
		p.stabilize()
	}
	return p, nil
}

// into returns the edges into each node, as parts of the edges by To.
func into(edges []Edge, nodes int) [][]Edge {
	out := make([][]Edge, nodes)
	for j := range out {
		n := 0
		for n < len(edges) && edges[n].To == j {
			n++
		}
		out[j], edges = edges[:n], edges[n:]
	}
	return out
}

func laggedEdge(from, to, lag int, weight float64) Edge {
	return Edge{Edge: graph.Edge{From: from, To: to}, Weight: weight, Lag: lag}
}

// largestRoot is the largest absolute eigenvalue of a linear process.
const largestRoot = 0.95

// stabilize multiplies the weights of lag k by r^k, which multiplies every eigenvalue of the process by r.
func (p *Process) stabilize() {
	root := p.root()
	if root <= largestRoot {
		return
	}
	for i, e := range p.edges {
		p.edges[i].Weight *= math.Pow(largestRoot/root, float64(e.Lag))
	}
}

// root estimates the largest absolute eigenvalue by the growth of a random state without noise.
func (p *Process) root() float64 {
	const steps, settled = 1200, 200
	rng := Stream(p.cfg.Seed, streamPilot)
	past := p.states()
	for k := range past {
		for j := range past[k] {
			past[k][j] = rng.NormFloat64()
		}
	}
	growth := 0.0
	for t := range steps {
		now := shift(past)
		for _, j := range p.order {
			x := 0.0
			for _, e := range p.into[j] {
				x += e.Weight * past[e.Lag][e.From]
			}
			now[j] = x
		}
		size := 0.0
		for _, row := range past {
			for _, x := range row {
				size += x * x
			}
		}
		size = math.Sqrt(size)
		if size == 0 {
			return 0
		}
		for _, row := range past {
			for j := range row {
				row[j] /= size
			}
		}
		if t >= settled {
			growth += math.Log(size)
		}
	}
	return math.Exp(growth / (steps - settled))
}

// states returns room for the present values and those of each lag.
func (p *Process) states() [][]float64 {
	past := make([][]float64, p.cfg.Lags+1)
	for k := range past {
		past[k] = make([]float64, p.cfg.Nodes)
	}
	return past
}

// shift makes the present values past ones, and returns the room of the oldest ones for the new present.
func shift(past [][]float64) []float64 {
	last := len(past) - 1
	now := past[last]
	copy(past[1:], past[:last])
	past[0] = now
	return now
}

// Config returns the configuration that the process was drawn from.
func (p *Process) Config() SeriesSettings { return p.cfg }

// Edges returns the edges by To, Lag and From, those of the node itself included.
func (p *Process) Edges() []Edge {
	out := slices.Clone(p.edges)
	if p.cfg.Mechanism != Linear {
		for i := range out {
			out[i].Weight = 1
		}
	}
	return out
}

// burnIn is the number of steps before the first row.
const burnIn = 200

// Sample draws n time points of each series and calls use with the number of the series and each row, valid only during the call.
func (p *Process) Sample(n int, use func(series int, row []float64) error) error {
	cfg := p.cfg
	rng := Stream(cfg.Seed, StreamNoise)
	d := cfg.Nodes
	row := make([]float64, d)
	for s := range cfg.Series {
		mean := make([]float64, d)
		if cfg.Series > 1 && cfg.Mechanism != Logit {
			for j := range mean {
				mean[j] = cfg.MeanSpread * rng.NormFloat64()
			}
		}
		past := p.states()
		for t := range burnIn + n {
			now := shift(past)
			for _, j := range p.order {
				now[j] = p.value(j, past, rng)
			}
			if t < burnIn {
				continue
			}
			for j, x := range now {
				row[j] = x + mean[j]
			}
			if err := use(s, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// value draws the present value of node j. past[k] has the values k steps before.
func (p *Process) value(j int, past [][]float64, rng *rand.Rand) float64 {
	x := 0.0
	for _, e := range p.into[j] {
		y := past[e.Lag][e.From]
		switch {
		case p.cfg.Mechanism == Logit:
			x += 5 * e.Weight * (y - 0.5)
		case p.cfg.Mechanism == Additive && e.From != e.To:
			x += e.Weight * bounded(y, e)
		default:
			x += e.Weight * y
		}
	}
	if p.cfg.Mechanism == Logit {
		if rng.Float64() < 1/(1+math.Exp(-x)) {
			return 1
		}
		return 0
	}
	return x + p.cfg.Noise.draw(rng)
}

// bounded is one of three bounded curves, chosen by the edge: a bell, a wave, or a step.
func bounded(y float64, e Edge) float64 {
	switch (e.From + e.To + e.Lag) % 3 {
	case 0:
		return 4 * (math.Exp(-y*y/2) - 0.5)
	case 1:
		return 3 * math.Sin(y)
	}
	return 3 * math.Tanh(2*y)
}
