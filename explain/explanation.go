package explain

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
)

// Caution is the one-line caution for every learned graph.
const Caution = "exploratory; the result depends on the model and this sample, does not confirm causal mechanisms, and must not be used for decisions about individuals"

const (
	Ancestor   = "ancestor"   // From has a directed path to To
	Descendant = "descendant" // To has a directed path to From
	Unrelated  = "unrelated"  // neither
)

// An Explanation describes what the graph implies about two variables.
type Explanation struct {
	From      string   `json:"from"`
	To        string   `json:"to"`
	Sensitive []string `json:"sensitive,omitempty"` // as requested
	Relation  string   `json:"relation"`

	// TotalEffect is the sum over all directed paths of the products of their weights: the change of To, in its units, per unit of
	// From. DirectEffect is the weight of From → To, 0 without that edge. SensitiveEffect is the part of the total along paths
	// through a sensitive node. They are nil for nonlinear effects.
	TotalEffect     *float64 `json:"total_effect,omitempty"`
	DirectEffect    *float64 `json:"direct_effect,omitempty"`
	SensitiveEffect *float64 `json:"sensitive_effect,omitempty"`
	// Effects describes the effects of the edges on the listed directed paths, if the model describes them.
	Effects []EffectText `json:"effects,omitempty"`
	// EffectRests lists the edges on directed paths whose direction is not stated.
	EffectRests []graph.Link `json:"effect_rests_on"`

	Directed Paths `json:"directed"`
	// OpenBackDoor paths start with an arrow into From and have no collider, so they carry non-causal association.
	OpenBackDoor Paths `json:"open_back_door"`
	// BlockedBackDoor paths start with an arrow into From and have a collider, which blocks them unless it is adjusted for.
	BlockedBackDoor Paths `json:"blocked_back_door"`

	Mediators   []string   `json:"mediators"`   // all inner nodes of directed paths
	Confounders []string   `json:"confounders"` // all common causes on open back-door paths
	Colliders   []string   `json:"colliders"`   // colliders on the listed blocked paths
	Adjustment  Adjustment `json:"adjustment"`
	Caution     string     `json:"caution"`
}

// Paths are some of the paths of one kind, shortest first.
type Paths struct {
	Count int `json:"count"`
	// AtLeast reports that Count is a lower bound because there are too many paths.
	AtLeast bool   `json:"count_is_lower_bound"`
	Listed  []Path `json:"paths"`
}

// A Path connects the two variables.
type Path struct {
	Nodes []string `json:"nodes"`
	// Arrows has an entry between each two nodes: "→" or "←".
	Arrows []string `json:"arrows"`
	// Colliders are the inner nodes where two arrowheads meet.
	Colliders []string `json:"colliders,omitempty"`
	// Sensitive are the inner nodes that are sensitive.
	Sensitive []string `json:"sensitive,omitempty"`
	// Undirected are the edges of the path whose direction is not stated.
	Undirected []graph.Link `json:"undirected,omitempty"`
	// Effect is the product of the weights of a directed path, for linear effects only.
	Effect *float64 `json:"effect,omitempty"`
}

// Said describes the effect of an edge in sentences.
type EffectText struct {
	graph.Link
	Says []string `json:"says"`
}

// Adjustment has the columns to adjust for to estimate the effect of From on To.
type Adjustment struct {
	// Exists is false if To is a parent of From: then no set of variables blocks To → From.
	Exists bool `json:"exists"`
	// Set is a minimal back-door set: it is valid, and no proper subset is. It is empty if nothing needs adjusting.
	Set []string `json:"set"`
	// Rests lists the undirected edges that the set depends on.
	Rests []graph.Link `json:"rests_on"`
}

// Settings are the settings of Between. Start from DefaultSettings.
type Settings struct {
	// Sensitive names variables to flag on paths.
	Sensitive []string
	// Paths is the number of paths to list per kind.
	Paths int
	// NoSlopes marks nonlinear effects, whose weights cannot be multiplied along paths.
	NoSlopes bool
	// Steps limits the search for paths of each kind; a count that it cuts short is a lower bound.
	Steps int
}

// DefaultSettings lists 20 paths of a kind and takes at most 2 million steps, a fraction of a second.
func DefaultSettings() Settings { return Settings{Paths: 20, Steps: 2_000_000} }

// Between explains how from relates to to.
func (m *Model) Between(from, to string, opt Settings) (*Explanation, error) {
	var errs []error
	a, err := m.node(from)
	errs = append(errs, err)
	b, err := m.node(to)
	errs = append(errs, err)
	if from == to {
		errs = append(errs, fmt.Errorf("%w: from and to are both %q", ErrName, from))
	}
	sensitive := make([]bool, len(m.names))
	for _, name := range opt.Sensitive {
		v, err := m.node(name)
		errs = append(errs, err)
		if err == nil {
			sensitive[v] = true
		}
	}
	if opt.Paths < 0 || opt.Steps < 0 {
		errs = append(errs, fmt.Errorf("Paths = %d, Steps = %d, want 0 or more", opt.Paths, opt.Steps))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	e := &Explanation{From: from, To: to, Sensitive: slices.Clone(opt.Sensitive), Relation: Unrelated, Caution: Caution}
	switch {
	case m.graph.HasPath(a, b):
		e.Relation = Ancestor
	case m.graph.HasPath(b, a):
		e.Relation = Descendant
	}
	if !opt.NoSlopes {
		direct, total := m.weight[graph.Edge{From: a, To: b}], m.effect(a, b, func(int) bool { return false })
		through := total - m.effect(a, b, func(v int) bool { return sensitive[v] })
		e.DirectEffect, e.TotalEffect, e.SensitiveEffect = &direct, &total, &through
	}
	e.EffectRests = m.links(m.effectRests(a, b))

	for _, k := range []struct {
		kind kind
		into *Paths
	}{{directed, &e.Directed}, {open, &e.OpenBackDoor}, {closed, &e.BlockedBackDoor}} {
		kept, count, complete := m.find(k.kind, a, b, opt.Paths, opt.Steps)
		*k.into = Paths{Count: count, AtLeast: !complete, Listed: make([]Path, 0, len(kept))}
		for _, w := range kept {
			k.into.Listed = append(k.into.Listed, m.describe(w, k.kind, sensitive, !opt.NoSlopes))
		}
	}
	e.Effects = m.effects(e.Directed.Listed)
	count, exact := m.directedPaths(a, b)
	e.Directed.Count, e.Directed.AtLeast = count, !exact

	e.Mediators = m.named(m.mediators(a, b))
	e.Confounders = m.named(m.confounders(a, b))
	e.Colliders = []string{}
	for _, p := range e.BlockedBackDoor.Listed {
		for _, c := range p.Colliders {
			if !slices.Contains(e.Colliders, c) {
				e.Colliders = append(e.Colliders, c)
			}
		}
	}
	set, ok := m.backDoorSet(a, b)
	e.Adjustment = Adjustment{Exists: ok, Set: m.named(set), Rests: m.links(m.adjustmentRests(a, b))}
	return e, nil
}

// effectRests returns the undirected edges on directed paths from a to b.
func (m *Model) effectRests(a, b int) []graph.Edge {
	after, before := m.graph.Descendants([]int{a}), m.graph.Ancestors([]int{b})
	var out []graph.Edge
	for _, e := range m.graph.Edges() {
		if m.undirected[e] && after[e.From] && before[e.To] {
			out = append(out, e)
		}
	}
	return out
}

// describe names the nodes of a path and marks colliders, sensitive nodes and undirected edges.
func (m *Model) describe(w walk, k kind, sensitive []bool, slopes bool) Path {
	var p Path
	effect := 1.0
	for i, v := range w.nodes {
		p.Nodes = append(p.Nodes, m.names[v])
		if i > 0 && i < len(w.nodes)-1 {
			if w.forward[i-1] && !w.forward[i] {
				p.Colliders = append(p.Colliders, m.names[v])
			}
			if sensitive[v] {
				p.Sensitive = append(p.Sensitive, m.names[v])
			}
		}
		if i == 0 {
			continue
		}
		edge, arrow := graph.Edge{From: w.nodes[i-1], To: v}, "→"
		if !w.forward[i-1] {
			edge, arrow = graph.Edge{From: v, To: w.nodes[i-1]}, "←"
		}
		p.Arrows = append(p.Arrows, arrow)
		if m.undirected[edge] {
			p.Undirected = append(p.Undirected, m.links([]graph.Edge{edge})...)
		}
		effect *= m.weight[edge]
	}
	if k == directed && slopes {
		p.Effect = &effect
	}
	return p
}

// said returns the effects of the edges on the paths, each edge once, in order of appearance.
func (m *Model) effects(paths []Path) (out []EffectText) {
	seen := map[graph.Edge]bool{}
	for _, p := range paths {
		for k := range len(p.Nodes) - 1 {
			e := graph.Edge{From: m.index[p.Nodes[k]], To: m.index[p.Nodes[k+1]]}
			if says := m.says[e]; len(says) > 0 && !seen[e] {
				seen[e] = true
				out = append(out, EffectText{e.Named(m.names), slices.Clone(says)})
			}
		}
	}
	return out
}

func (m *Model) links(edges []graph.Edge) []graph.Link {
	out := make([]graph.Link, len(edges))
	for k, e := range edges {
		out[k] = e.Named(m.names)
	}
	return out
}
