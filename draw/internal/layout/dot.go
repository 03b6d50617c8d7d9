package layout

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// source writes the graph in the DOT language. Nodes are named n0, n1, …, so that no user text is interpreted.
// Boxes have a fixed size and no text.
func source(g Graph, p plan, linked []bool, opt Settings) string {
	var b strings.Builder
	inches := func(points float64) string { return strconv.FormatFloat(points/72, 'f', 4, 64) }
	fmt.Fprintf(&b, "digraph {\ngraph [rankdir=TB nodesep=%s ranksep=%s margin=0 pad=0 %s];\n", inches(opt.NodeGap), inches(opt.LayerGap), p.settings)
	b.WriteString("node [shape=box fixedsize=true label=\"\" penwidth=0];\nedge [arrowhead=none];\n")
	for i, n := range g.Nodes {
		if linked[i] {
			fmt.Fprintf(&b, "n%d [width=%s height=%s];\n", i, inches(n.Width), inches(n.Height))
		}
	}
	heaviest := 0.0
	for _, e := range g.Edges {
		heaviest = max(heaviest, math.Abs(e.Weight))
	}
	for _, k := range p.keep {
		e, weight := g.Edges[k], 1
		if heaviest > 0 {
			weight += int(math.Round(7 * math.Abs(e.Weight) / heaviest))
		}
		fmt.Fprintf(&b, "n%d -> n%d [weight=%d index=%d", e.From, e.To, weight, k)
		if e.LabelWidth > 0 {
			// Without a font, dot assumes a line height of 1.2 times the font size and a width of half of it
			// for a zero.
			size := e.LabelHeight / 1.2
			fmt.Fprintf(&b, " fontsize=%s label=\"%s\"", strconv.FormatFloat(size, 'f', 4, 64), strings.Repeat("0", int(math.Ceil(e.LabelWidth/(size/2)))))
		}
		b.WriteString("];\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// read parses the JSON output of dot. Positions are in points from the lower left corner, with five digits.
// want is the number of nodes and edges.
func (d *Drawing) read(out []byte, want int) error {
	var in struct {
		BB      string `json:"bb"`
		Objects []struct {
			Name string `json:"name"`
			Pos  string `json:"pos"`
		} `json:"objects"`
		Edges []struct {
			Index string `json:"index"`
			Pos   string `json:"pos"`
			Label string `json:"lp"`
		} `json:"edges"`
	}
	bad := func(what string, err error) error {
		return fmt.Errorf("the layout failed: Graphviz answered with %s: %w", what, err)
	}
	if err := json.Unmarshal(out, &in); err != nil {
		return bad("no JSON", err)
	}
	box, err := numbers(in.BB, 4)
	if err != nil {
		return bad("no bounding box", err)
	}
	point := func(s string) (Point, error) {
		v, err := numbers(s, 2)
		if err != nil {
			return Point{}, err
		}
		return Point{v[0] - box[0], box[3] - v[1]}, nil
	}
	seen := 0
	for _, o := range in.Objects {
		i, err := strconv.Atoi(strings.TrimPrefix(o.Name, "n"))
		if err != nil || i < 0 || i >= len(d.Nodes) {
			return bad("a node "+strconv.Quote(o.Name), errors.New("no such node"))
		}
		if d.Nodes[i], err = point(o.Pos); err != nil {
			return bad("a node without a place", err)
		}
		seen++
	}
	for _, e := range in.Edges {
		k, err := strconv.Atoi(e.Index)
		if err != nil || k < 0 || k >= len(d.Edges) || d.Edges[k] != nil {
			return bad("an edge "+strconv.Quote(e.Index), errors.New("no such edge"))
		}
		for _, s := range strings.Fields(e.Pos) {
			p, err := point(s)
			if err != nil {
				return bad("an edge without a curve", err)
			}
			d.Edges[k] = append(d.Edges[k], p)
		}
		if n := len(d.Edges[k]); n < 4 || n%3 != 1 {
			return bad("a curve", fmt.Errorf("%d control points", n))
		}
		if e.Label != "" {
			if d.Labels[k], err = point(e.Label); err != nil {
				return bad("a label without a place", err)
			}
		}
		seen++
	}
	if seen != want {
		return bad("a part of the graph", fmt.Errorf("%d of %d nodes and edges", seen, want))
	}
	d.Width, d.Height = box[2]-box[0], box[3]-box[1]
	return nil
}

func numbers(s string, n int) ([]float64, error) {
	parts := strings.Split(s, ",")
	if len(parts) != n {
		return nil, fmt.Errorf("%.40q is not %d numbers", s, n)
	}
	out := make([]float64, n)
	for i, p := range parts {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%.40q is not %d numbers", s, n)
		}
		out[i] = v
	}
	return out, nil
}
