package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/visible"
)

// WriteText writes the explanation as text.
func (e *Explanation) WriteText(w io.Writer) error {
	p := &page{w: w}
	p.linef("Paths from %s to %s in the learned graph", e.From, e.To)
	for _, name := range e.Sensitive {
		if name == e.From || name == e.To {
			p.linef("%s is itself marked sensitive.", name)
		}
	}
	p.linef("")
	p.effect(e)
	p.paths("Back-door paths that are open", "association that is not the effect of "+e.From, e.OpenBackDoor)
	p.paths("Back-door paths that a collider blocks", "adjusting for all colliders in [ ] of a path opens it", e.BlockedBackDoor)
	p.roles(e)
	p.adjustment(e)
	p.linef("")
	p.linef("Caution: %s.", e.Caution)
	return p.err
}

type page struct {
	w   io.Writer
	err error
}

func (p *page) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, visible.Name(fmt.Sprintf(format, args...))+"\n")
	}
}

func (p *page) effect(e *Explanation) {
	if at := slices.IndexFunc(e.EffectRests, func(l graph.Link) bool { return l.From == e.From && l.To == e.To || l.From == e.To && l.To == e.From }); at >= 0 {
		p.linef("The edge %s — %s is undirected: its direction is not stated. What follows holds if %s acts on %[2]s.", e.From, e.To, e.From)
	}
	switch e.Relation {
	case Descendant:
		p.linef("%s is not an ancestor of %s: it has no effect on it in this graph. %s is an ancestor of %s.", e.From, e.To, e.To, e.From)
		p.linef("")
		return
	case Unrelated:
		p.linef("Neither %s nor %s is an ancestor of the other: neither has an effect on the other in this graph.", e.From, e.To)
		p.linef("")
		return
	}
	if e.TotalEffect != nil {
		p.linef("Effect of one unit of %s on %s, in the units of the data:", e.From, e.To)
		p.linef("  total   %.4g", *e.TotalEffect)
		p.linef("  direct  %.4g", *e.DirectEffect)
		if len(e.Sensitive) > 0 {
			p.linef("  through sensitive %s  %.4g", strings.Join(e.Sensitive, ", "), *e.SensitiveEffect)
		}
	} else {
		p.linef("%s is an ancestor of %s. Some effects under this model are not slopes, so no total is computed along paths; polydag effect computes it.", e.From, e.To)
	}
	if len(e.EffectRests) > 0 {
		p.linef("  depends on %s", undirected(e.EffectRests))
	}
	p.paths("Directed paths", "", e.Directed)
	p.effects(e.Effects)
}

// said describes the effects of the edges of the directed paths.
func (p *page) effects(list []EffectText) {
	const most = 12
	if len(list) == 0 {
		return
	}
	p.linef("Effects of their edges, averaged over the other parents:")
	for _, s := range list[:min(len(list), most)] {
		p.linef("  %s → %s", s.From, s.To)
		for _, line := range s.Says {
			p.linef("    %s", line)
		}
	}
	if more := len(list) - most; more > 0 {
		p.linef("  … and %d more edges", more)
	}
	p.linef("")
}

func (p *page) paths(title, what string, list Paths) {
	number := fmt.Sprint(list.Count)
	if list.AtLeast {
		number = "at least " + number
	}
	if list.Count == 0 && !list.AtLeast {
		p.linef("%s: none.", title)
		p.linef("")
		return
	}
	if what != "" {
		what = ", " + what
	}
	p.linef("%s: %s%s", title, number, what)
	for _, path := range list.Listed {
		p.linef("  %s", path)
	}
	if more := list.Count - len(list.Listed); more > 0 {
		p.linef("  … and %d more, none shorter", more)
	}
	p.linef("")
}

// String draws the path, with colliders in brackets, and names the sensitive nodes and the undirected edges on it.
func (p Path) String() string {
	var b strings.Builder
	for i, name := range p.Nodes {
		if i > 0 {
			b.WriteString(" " + p.Arrows[i-1] + " ")
		}
		if slices.Contains(p.Colliders, name) {
			name = "[" + name + "]"
		}
		b.WriteString(name)
	}
	if p.Effect != nil {
		fmt.Fprintf(&b, "  %.4g", *p.Effect)
	}
	if len(p.Sensitive) > 0 {
		b.WriteString("  through sensitive " + strings.Join(p.Sensitive, ", "))
	}
	if len(p.Undirected) > 0 {
		b.WriteString("  depends on " + undirected(p.Undirected))
	}
	return b.String()
}

func undirected(list []graph.Link) string {
	var parts []string
	for _, l := range list {
		parts = append(parts, l.From+" — "+l.To)
	}
	return "undirected " + strings.Join(parts, ", ")
}

func (p *page) roles(e *Explanation) {
	for _, role := range []struct {
		title string
		names []string
	}{{"Confounders", e.Confounders}, {"Mediators", e.Mediators}, {"Colliders", e.Colliders}} {
		marked := make([]string, len(role.names))
		for i, name := range role.names {
			if marked[i] = name; slices.Contains(e.Sensitive, name) {
				marked[i] += " (sensitive)"
			}
		}
		if len(marked) == 0 {
			marked = []string{"none"}
		}
		p.linef("%-12s %s", role.title, strings.Join(marked, ", "))
	}
}

func (p *page) adjustment(e *Explanation) {
	adj, minimal := e.Adjustment, ""
	if len(adj.Set) > 1 {
		minimal = "; no part of it alone does"
	}
	switch {
	case !adj.Exists:
		p.linef("%-12s no set of variables separates the two: %s is a parent of %s", "Adjust for", e.To, e.From)
	case len(adj.Set) == 0:
		p.linef("%-12s no variable: no back-door path is open", "Adjust for")
	case e.Relation != Ancestor:
		p.linef("%-12s %s (given it %s and %s are independent in this graph; the data can test that)", "Adjust for", strings.Join(adj.Set, ", "), e.From, e.To)
	default:
		p.linef("%-12s %s (blocks every back-door path%s)", "Adjust for", strings.Join(adj.Set, ", "), minimal)
	}
	var not []string
	for _, role := range []struct {
		names []string
		why   string
	}{{e.Mediators, "mediator: it carries part of the effect"}, {e.Colliders, "collider: it can open a path"}} {
		names := slices.DeleteFunc(slices.Clone(role.names), func(name string) bool { return slices.Contains(adj.Set, name) })
		if len(names) > 0 {
			not = append(not, fmt.Sprintf("%s (%s)", strings.Join(names, ", "), role.why))
		}
	}
	if len(not) > 0 && adj.Exists {
		p.linef("%-12s %s", "Not for", strings.Join(not, "; "))
	}
	if len(adj.Rests) > 0 {
		p.linef("%-12s %s: with these reversed, the adjustment set can differ", "Depends on", undirected(adj.Rests))
	}
}
