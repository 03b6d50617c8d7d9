package layout

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/graph"
)

// A Graph is the graph to lay out. Lengths are in points, 72 per inch.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// A Node is a box of a given size. Its name is only for messages.
type Node struct {
	Name          string
	Width, Height float64
}

// An Edge connects two nodes by index, or is a loop at one. Heavier edges are shorter and straighter; only weights relative to the
// largest matter. If LabelWidth is positive, the layout reserves a box of that size next to the edge.
type Edge struct {
	graph.Edge
	Weight                  float64
	LabelWidth, LabelHeight float64
}

// Settings are distances in points.
type Settings struct {
	LayerGap float64 // minimum distance between layers
	NodeGap  float64 // minimum distance between neighbors on a layer
	// Aspect is the largest ratio of width to height. Edges in wide, flat drawings are hard to follow, so
	// layers move apart, up to eight times LayerGap. 0 means no limit.
	Aspect float64
	// RowWidth is the largest width of the rows of isolated nodes. 0 means the width of the rest, or the width
	// that makes the rows twice as wide as high, whichever is larger.
	RowWidth float64
	// Hasty omits curves if dot would take about a second or more.
	Hasty bool
}

// DefaultSettings returns settings for boxes with a line of 10-point text.
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

// A Point is a position in a drawing: x to the right, y down, from the upper left corner.
type Point struct{ X, Y float64 }

// A Drawing has the positions of all nodes, edges and labels.
type Drawing struct {
	Width, Height float64
	Nodes         []Point   // centers, in the order of Graph.Nodes
	Edges         [][]Point // control points of connected cubic Bézier curves, 3k+1 of them, from border to border
	Labels        []Point   // centers of the label boxes, in the order of Graph.Edges; zero if not requested or no space was found
}

// Layered places causes above effects: dot of Graphviz puts nodes on layers, orders the layers for few
// crossings, and routes the edges around the boxes (Gansner, Koutsofios, North and Vo, "A technique for drawing
// directed graphs", 1993). Isolated nodes form rows below the rest. If the graph has cycles, some edges point
// up. Equal graphs have identical drawings on every machine. If dot would take more than a few seconds, a
// faster layout is used; see plan.
//
// Layered neither changes nor retains g. When ctx ends it returns ctx.Err() at once; Graphviz finishes in the
// background.
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

// connected places the nodes with edges, and the edges.
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

// straight gives edges without a curve a line from border to border.
func (d *Drawing) straight(g Graph) {
	for k, e := range g.Edges {
		if d.Edges[k] != nil {
			continue
		}
		from, to := d.Nodes[e.From], d.Nodes[e.To]
		if e.From == e.To { // a loop at the right side
			x, up, wide := from.X+g.Nodes[e.From].Width/2, g.Nodes[e.From].Height/4, 0.8*g.Nodes[e.From].Height
			d.Edges[k] = []Point{{x, from.Y - up}, {x + wide, from.Y - 2*up}, {x + wide, from.Y + 2*up}, {x, from.Y + up}}
			continue
		}
		if from.Y < to.Y {
			from.Y, to.Y = from.Y+g.Nodes[e.From].Height/2, to.Y-g.Nodes[e.To].Height/2
		} else { // points up, in a cycle
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
		if e.From < 0 || e.From >= len(g.Nodes) || e.To < 0 || e.To >= len(g.Nodes) {
			return fmt.Errorf("edge %d runs from %d to %d, want nodes below %d", k, e.From, e.To, len(g.Nodes))
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
