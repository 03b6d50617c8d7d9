package study

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/draw"
	"github.com/polydag/polydag/graph"
)

// drawn is the largest number of edges in a drawing; the weakest are omitted.
const drawn = 60

func (v *View) graphs(e *Experiment) []picture {
	var out []picture
	var last []WeightedEdge
	for _, g := range v.groups(e) {
		if len(e.Draw) > 0 && !slices.Contains(e.Draw, g.Method) || len(g.Records) == 0 || len(g.Records[0].Graph) == 0 {
			continue
		}
		if slices.Equal(last, g.Records[0].Graph) { // another protocol with the same graph
			continue
		}
		last = g.Records[0].Graph
		edges := strongest(last)
		title := fmt.Sprintf("%s, %s: %d edges", g.Point.Label(), v.st.Label(g.Method), len(last))
		if len(edges) < len(last) {
			title += fmt.Sprintf(", the %d strongest drawn", drawn)
		}
		if slices.ContainsFunc(edges, func(e WeightedEdge) bool { return e.Compelled }) {
			title += "; arrows: the model determines the direction; assumptions were not checked"
		}
		out = append(out, picture{graphName(e, g), title, func(ctx context.Context, svg, png io.Writer) error {
			pic, err := draw.New(ctx, resultOf(edges), draw.DefaultSettings())
			if err != nil {
				return err
			}
			if err := pic.Write(svg, draw.SVG); err != nil {
				return err
			}
			return pic.Write(png, draw.PNG)
		}})
	}
	return out
}

// strongest returns the edges of a drawing, the strongest first.
func strongest(edges []WeightedEdge) []WeightedEdge {
	edges = slices.Clone(edges)
	slices.SortStableFunc(edges, func(a, b WeightedEdge) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return edges[:min(len(edges), drawn)]
}

// resultOf returns a result with the columns that have an edge. A record has no assumption checks: directed edges are those whose
// direction the model determines, and the others are undirected.
func resultOf(edges []WeightedEdge) *polydag.Result {
	r := &polydag.Result{Kind: graph.KindCPDAG}
	for _, e := range edges {
		for _, name := range []string{e.From, e.To} {
			if !slices.Contains(r.Names, name) {
				r.Names = append(r.Names, name)
			}
		}
		mark := "---"
		if e.Compelled {
			mark = "-->"
		}
		r.Edges = append(r.Edges, polydag.Edge{Link: e.Link, Mark: mark, Weight: e.Weight, Standardized: e.Weight, EdgeFacts: polydag.EdgeFacts{Compelled: e.Compelled}})
	}
	return r
}

// graphName returns the file name of a drawing: experiment, data, method, and the protocol if there are
// several.
func graphName(e *Experiment, g *Group) string {
	name := slug(g.Point.Label())
	if !strings.HasPrefix(name, e.Name) {
		name = e.Name + "-" + name
	}
	name += "-" + g.Method
	if len(e.protocols()) > 1 {
		name += "-" + slug(g.Protocol)
	}
	return name
}
