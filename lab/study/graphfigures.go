package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/draw"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/trust"
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
		names, edges := g.Records[0].Names, strongest(last)
		title := fmt.Sprintf("%s, %s: %d edges", g.Point.Label(), v.st.Label(g.Method), len(last))
		if len(edges) < len(last) {
			title += fmt.Sprintf(", the %d strongest drawn", drawn)
		}
		if slices.ContainsFunc(edges, func(e WeightedEdge) bool { return e.Compelled && e.Verdict == "" }) {
			title += "; arrows: the model determines the direction; assumptions were not checked"
		}
		res := resultOf(names, edges)
		if caution := trust.PeopleSentence(res.Warnings); caution != "" {
			title += ". " + strings.TrimSuffix(caution, ".")
		}
		out = append(out, picture{graphName(e, g), title, func(ctx context.Context, svg, png, pdf io.Writer) error {
			settings := draw.DefaultSettings()
			settings.Edges = draw.AllEdges
			pic, err := draw.New(ctx, res, settings)
			if err != nil {
				return err
			}
			return errors.Join(pic.Write(svg, draw.SVG), pic.Write(png, draw.PNG), pic.Write(pdf, draw.PDF))
		}})
	}
	return out
}

// edge returns the edge of a result. If there is no verdict, the direction is stated if the model determines it.
func (e WeightedEdge) edge() polydag.Edge {
	out := polydag.Edge{Link: e.Link, Mark: "-->", Gain: e.Gain, Weight: e.Weight, Standardized: e.Weight, EdgeFacts: polydag.EdgeFacts{Compelled: e.Compelled}}
	out.Verdict, out.Confidence = e.Verdict, e.Confidence
	if e.Verdict == "" && !e.Compelled {
		out.Verdict, out.Confidence = polydag.Undirected, 1
	}
	return out
}

// strongest returns the edges of a drawing, the strongest first.
func strongest(edges []WeightedEdge) []WeightedEdge {
	edges = slices.Clone(edges)
	slices.SortStableFunc(edges, func(a, b WeightedEdge) int { return cmp.Compare(b.edge().Size(), a.edge().Size()) })
	return edges[:min(len(edges), drawn)]
}

// resultOf returns a result with all columns of the table and these edges. FFHQ has the column lip_makeup.
func resultOf(names []string, edges []WeightedEdge) *polydag.Result {
	r := &polydag.Result{Kind: graph.KindDAG, Names: names}
	if trust.OfPeople(names) || slices.Contains(names, "lip_makeup") {
		r.Warnings = []string{trust.PeopleCaution}
	}
	for _, e := range edges {
		r.Edges = append(r.Edges, e.edge())
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
