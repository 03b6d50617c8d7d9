package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// A Design is the distribution of effects and noise over the graph. In the plain model variance and R² grow along the causal order,
// which reveals the order (Reisach, Seiler and Weichwald 2021); the other designs avoid that. Its text form is its name in lower
// case.
type Design int

const (
	// Plain does not change weights and noise.
	Plain Design = iota
	// ISCM standardizes every node when it is drawn, so that its children depend on the standardized node (internally standardized
	// models; Ormaniec et al. 2025).
	ISCM
	// Flat draws weights from N(0, 1) and scales them so that a node with parents has variance 1 and a noise share that is uniform
	// on [0.1, 0.9], independent of its position. WeightLow and WeightHigh are not used.
	Flat
	// Hetero multiplies the noise of each node by a factor that is log-uniform on [0.1, 10].
	Hetero
	// Anti scales every node to variance 1, with an R² that decreases along the causal order from 0.9 to 0.1.
	Anti
)

var designNames = []string{"plain", "iscm", "flat", "hetero", "anti"}

// DesignNames lists the text forms.
func DesignNames() []string { return slices.Clone(designNames) }

// String returns the text form.
func (k Design) String() string { return nameOf(k, "Design", designNames) }

// MarshalText implements encoding.TextMarshaler.
func (k Design) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Design) UnmarshalText(text []byte) error {
	return parse(k, designNames, text, fmt.Errorf("design %q, want one of %v", text, designNames))
}

// lay applies the design to the drawn weights and standard deviations. ISCM, Flat and Anti need the covariance matrix of the nodes:
// 8d² bytes.
func (m *Model) lay(rng *rand.Rand) {
	switch m.cfg.Design {
	case Plain:
	case Hetero:
		for j := range m.sd {
			m.sd[j] *= math.Pow(10, 2*rng.Float64()-1)
		}
	default:
		m.layUnit(rng)
	}
}

// layUnit gives every node variance 1. Along the causal order, with C the covariance matrix of the nodes so far,
// the parents P of a node explain w'C_PP·w of its variance, and its covariances with the others are C_P·w.
func (m *Model) layUnit(rng *rand.Rand) {
	d := m.Dim()
	c := matrix.New[float64](d, d)
	for place, j := range m.order {
		parents, w := m.parents[j], m.weights[j]
		if m.cfg.Design == Flat {
			for k := range w {
				w[k] = rng.NormFloat64()
			}
		}
		row := c.Row(j) // row of C_P·w, for the nodes so far
		for k, p := range parents {
			for i, v := range c.Row(p) {
				row[i] += w[k] * v
			}
		}
		explained := 0.0
		for k, p := range parents {
			explained += w[k] * row[p]
		}
		scale := 1.0 // scale of the weights
		switch {
		case m.cfg.Design == ISCM:
			scale = 1 / math.Sqrt(explained+m.sd[j]*m.sd[j])
			m.sd[j] *= scale
		case len(parents) == 0:
			m.sd[j] = 1
		default:
			noise := 0.1 + 0.8*float64(place)/float64(d-1)
			if m.cfg.Design == Flat {
				noise = 0.1 + 0.8*rng.Float64()
			}
			scale = math.Sqrt((1 - noise) / explained)
			m.sd[j] = math.Sqrt(noise)
		}
		for k := range w {
			w[k] *= scale
		}
		for i := range row {
			row[i] *= scale
		}
		for _, i := range m.order[:place] {
			c.Set(i, j, row[i])
		}
		row[j] = 1
	}
}
