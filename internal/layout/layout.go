package layout

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/graph"
)

// A Graph is what to lay out. Lengths are in points, 72 to an inch.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// A Node is a box of a given size. Its name is for messages only.
type Node struct {
	Name          string
	Width, Height float64
}

// An Edge runs from one node to another, by index. Edges that weigh more are kept shorter and straighter; only the
// size relative to the heaviest counts. Where LabelWidth is positive, room is kept beside the edge for a box of that size.
type Edge struct {
	graph.Edge
	Weight                  float64
	LabelWidth, LabelHeight float64
}

// Settings are distances in points.
type Settings struct {
	LayerGap float64 // between layers, at least
	NodeGap  float64 // between neighbours on a layer, at least
	// Aspect is how many times wider than high a drawing may be: in wide and flat ones edges are hard to follow, and so
	// layers are moved apart, up to eight times LayerGap. 0 leaves them as they are.
	Aspect float64
	// RowWidth is how wide the rows of nodes without edges may become. 0 takes the width of the drawing of the others, or what makes
	// the rows about twice as wide as high, whichever is wider.
	RowWidth float64
	// Hasty gives up curves where dot would take about a second or more, for a drawing that is one of several.
	Hasty bool
}

// DefaultSettings suit boxes with a line of text of about 10 points.
func DefaultSettings() Settings { return Settings{LayerGap: 34, NodeGap: 14} }

// Validate returns an error that names every invalid setting.
func (o Settings) Validate() error {
	var errs []error
	check := func(name string, v float64) {
		if !(v >= 0 && v <= 1e4) {
			errs = append(errs, fmt.Errorf("%s = %v, want 0 to 10000", name, v))
		}
	}
	check("LayerGap", o.LayerGap)
	check("NodeGap", o.NodeGap)
	check("Aspect", o.Aspect)
	if !(o.RowWidth >= 0) || math.IsInf(o.RowWidth, 1) {
		errs = append(errs, fmt.Errorf("RowWidth = %v points, want a finite number of at least 0", o.RowWidth))
	}
	return errors.Join(errs...)
}

// A Point is a place in a drawing: x to the right, y down, from the upper left corner.
type Point struct{ X, Y float64 }

// A Drawing says where everything goes.
type Drawing struct {
	Width, Height float64
	Nodes         []Point   // centres, in the order of Graph.Nodes
	Edges         [][]Point // control points of joined cubic Bézier curves, 3k+1 of them, from border to border
	Labels        []Point   // centres of the boxes kept for labels, in the order of Graph.Edges; zero where none was asked for or no room found
}

// Layered places causes above effects: dot of Graphviz puts nodes on layers, orders the layers for few crossings, and routes the
// edges around the boxes (Gansner, Koutsofios, North and Vo, "A technique for drawing directed graphs", 1993). Nodes without
// edges stand in rows under the rest. Where the graph has cycles, some edges run upward. Equal graphs get equal drawings, to the
// bit, on every machine. Graphs on which dot would take more than a few seconds are laid out with less care; see plan.
//
// Layered neither changes nor keeps g. When ctx ends it returns ctx.Err() at once; what Graphviz has begun it ends in
// the background.
func Layered(ctx context.Context, g Graph, opt Settings) (*Drawing, error) {
	if err := errors.Join(opt.Validate(), g.validate()); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := &Drawing{Nodes: make([]Point, len(g.Nodes)), Edges: make([][]Point, len(g.Edges)), Labels: make([]Point, len(g.Edges))}
	linked := make([]bool, len(g.Nodes))
	for _, e := range g.Edges {
		linked[e.From], linked[e.To] = true, true
	}
	if len(g.Edges) > 0 {
		if err := d.connected(ctx, g, linked, opt); err != nil {
			return nil, err
		}
	}
	d.rows(g, linked, opt)
	d.labels(g)
	return d, nil
}

// connected places the nodes that have edges, and the edges.
func (d *Drawing) connected(ctx context.Context, g Graph, linked []bool, opt Settings) error {
	p := newPlan(g, opt.Hasty)
	if err := d.once(ctx, g, p, linked, opt); err != nil {
		return err
	}
	if opt.Aspect > 0 && d.Width > opt.Aspect*d.Height {
		missing := (d.Width/opt.Aspect - d.Height) / float64(p.gaps)
		opt.LayerGap = min(opt.LayerGap+missing, 8*opt.LayerGap)
		clear(d.Edges)
		if err := d.once(ctx, g, p, linked, opt); err != nil {
			return err
		}
	}
	d.straight(g)
	return nil
}

func (d *Drawing) once(ctx context.Context, g Graph, p plan, linked []bool, opt Settings) error {
	if p.quick {
		d.quick(g, p.down, opt)
		return nil
	}
	out, err := run(ctx, p.places+len(p.keep), source(g, p, linked, opt))
	if err != nil {
		return err
	}
	return d.read(out, len(p.keep)+count(linked))
}

// straight gives edges that have no curve yet a line from border to border.
func (d *Drawing) straight(g Graph) {
	for k, e := range g.Edges {
		if d.Edges[k] != nil {
			continue
		}
		from, to := d.Nodes[e.From], d.Nodes[e.To]
		if from.Y < to.Y {
			from.Y, to.Y = from.Y+g.Nodes[e.From].Height/2, to.Y-g.Nodes[e.To].Height/2
		} else { // against the layers, in a cycle
			from.Y, to.Y = from.Y-g.Nodes[e.From].Height/2, to.Y+g.Nodes[e.To].Height/2
		}
		at := func(t float64) Point { return Point{from.X + t*(to.X-from.X), from.Y + t*(to.Y-from.Y)} }
		d.Edges[k] = []Point{from, at(1. / 3), at(2. / 3), to}
	}
}

func count(set []bool) int {
	n := 0
	for _, b := range set {
		if b {
			n++
		}
	}
	return n
}

func (g Graph) validate() error {
	for i, n := range g.Nodes {
		for _, v := range []float64{n.Width, n.Height} {
			if !(v > 0 && v <= 1e5) {
				return fmt.Errorf("node %d (%.40q) is %v × %v points, want sides above 0 and up to 100000", i, n.Name, n.Width, n.Height)
			}
		}
	}
	for k, e := range g.Edges {
		if e.From < 0 || e.From >= len(g.Nodes) || e.To < 0 || e.To >= len(g.Nodes) || e.From == e.To {
			return fmt.Errorf("edge %d runs from %d to %d, want two different nodes below %d", k, e.From, e.To, len(g.Nodes))
		}
		if math.IsNaN(e.Weight) || math.IsInf(e.Weight, 0) {
			return fmt.Errorf("edge %d weighs %v, want a finite number", k, e.Weight)
		}
		if e.LabelWidth != 0 || e.LabelHeight != 0 {
			if !(e.LabelWidth >= 1 && e.LabelWidth <= 1e4 && e.LabelHeight >= 1 && e.LabelHeight <= 1e4) {
				return fmt.Errorf("the label of edge %d is %v × %v points, want sides of 1 to 10000, or both 0", k, e.LabelWidth, e.LabelHeight)
			}
		}
	}
	return nil
}
