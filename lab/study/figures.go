package study

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/polydag/polydag/lab/internal/timing"
	"github.com/polydag/polydag/lab/study/figure"
)

// A picture is a figure of an experiment.
type picture struct {
	name, title string
	write       func(ctx context.Context, svg, png, pdf io.Writer) error
}

func chart(name, title string, width, height float64, c interface {
	Draw(*figure.Page, figure.Rect)
}) picture {
	return picture{name, title, func(_ context.Context, svg, png, pdf io.Writer) error {
		page := figure.NewPage(width, height)
		c.Draw(page, page.Area())
		return errors.Join(page.Write(svg, png), page.WritePDF(pdf))
	}}
}

// figureKinds maps the names of figures to their functions.
func figureKinds() map[string]func(*View, *Experiment) []picture {
	return map[string]func(*View, *Experiment) []picture{
		"f1":       func(v *View, e *Experiment) []picture { return v.bars(e, "f1", "F1", 1) },
		"shd":      func(v *View, e *Experiment) []picture { return v.bars(e, "shd", "SHD per variable", 0) },
		"runtime":  (*View).runtime,
		"trace":    (*View).traces,
		"cost":     (*View).costs,
		"graph":    (*View).graphs,
		"pipeline": (*View).pipeline,
	}
}

func figureNames() []string {
	return []string{"f1", "shd", "runtime", "trace", "cost", "graph", "pipeline"}
}

// figuresOf lists the pictures of an experiment with records.
func (v *View) figuresOf(e *Experiment) []picture {
	kinds := figureKinds()
	var out []picture
	for _, f := range e.Figures {
		out = append(out, kinds[f](v, e)...)
	}
	return out
}

var notPlain = regexp.MustCompile(`[^a-z0-9]+`)

func slug(s string) string {
	return strings.Trim(notPlain.ReplaceAllString(strings.ToLower(s), "-"), "-")
}

// figures draws all pictures as NAME.svg, NAME.png and NAME.pdf and returns the files.
func (w FileWriter) figures(ctx context.Context, dir string, v *View) (files []string, err error) {
	for _, e := range v.chosen() {
		for _, pic := range v.figuresOf(e) {
			var svg, png, pdf bytes.Buffer
			if err := pic.write(ctx, &svg, &png, &pdf); err != nil {
				return nil, fmt.Errorf("figure %s: %w", pic.name, err)
			}
			for ext, b := range map[string]*bytes.Buffer{".svg": &svg, ".png": &png, ".pdf": &pdf} {
				path := filepath.Join(dir, pic.name+ext)
				if err := w.file(ctx, path, func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }); err != nil {
					return nil, err
				}
				files = append(files, path)
			}
		}
	}
	return files, nil
}

var constraintName = regexp.MustCompile(`h_(exp|geo|poly)`)

func typeset(s string) string { return constraintName.ReplaceAllString(s, "h_{$1}") }

func protocolTitle(p string) string {
	switch p {
	case "raw":
		return "raw data"
	case "standardize":
		return "standardized data"
	case "log+standardize":
		return "logarithms, standardized"
	}
	return p
}

// methodsOf lists the methods of groups in order.
func methodsOf(groups []*Group) []string {
	var out []string
	for _, g := range groups {
		if !slices.Contains(out, g.Method) {
			out = append(out, g.Method)
		}
	}
	return out
}

// bars shows a metric by method, with a panel per protocol and a group per size. A ceiling of 0 adapts to the
// data, and values are divided by the number of variables, so that sizes are comparable.
func (v *View) bars(e *Experiment, metric, label string, ceiling float64) []picture {
	groups := v.groups(e)
	methods := methodsOf(groups)
	c := figure.Bars{Y: figure.Axis{Label: label, Max: ceiling}, Marks: []string{"paper", "released code"}}
	marked := false
	for _, proto := range e.protocols() {
		panel := figure.BarPanel{Title: protocolTitle(proto)}
		var points []Point
		for _, g := range groups {
			if g.Protocol == proto && !slices.ContainsFunc(points, g.Point.same) {
				points = append(points, g.Point)
				panel.Groups = append(panel.Groups, g.Point.Label())
			}
		}
		for k, m := range methods {
			s := figure.BarSeries{Label: typeset(v.st.Label(m)), Color: k}
			for _, p := range points {
				bar := figure.Bar{Value: math.NaN()}
				for _, g := range groups {
					if g.Protocol != proto || g.Method != m || !g.Point.same(p) {
						continue
					}
					scale := 1.0
					if ceiling == 0 {
						scale = 1 / float64(max(columnsOf(p), 1))
					}
					if st := g.stat(metric); st.n > 0 {
						bar.Value, bar.Err = st.mean*scale, st.sd*scale
						if metric == "f1" {
							bar.Most = 1
						}
					}
					for _, source := range []string{"paper", "released code"} {
						mark := math.NaN()
						if t, err := Number(v.st.published(e, g, source, metric)); err == nil {
							mark, marked = t*scale, true
						}
						bar.Marks = append(bar.Marks, mark)
					}
				}
				s.Bars = append(s.Bars, bar)
			}
			panel.Series = append(panel.Series, s)
		}
		c.Panels = append(c.Panels, panel)
	}
	if !v.recorded(groups) {
		return nil
	}
	if !marked {
		c.Marks = nil
	}
	if ceiling == 1 {
		c.Y.Max = 1.04
	}
	return []picture{chart(e.Name+"-"+metric, fmt.Sprintf("%s by method and protocol, with one standard deviation over the seeds; a method without a bar was not run at that size", label), 180, 92, c)}
}

func (v *View) recorded(groups []*Group) bool {
	return slices.ContainsFunc(groups, func(g *Group) bool { return len(g.Records) > 0 })
}

// runtime shows seconds against d on raw data, with fitted exponents and the paper's times.
func (v *View) runtime(e *Experiment) []picture {
	groups := v.groups(e)
	var own, theirs []figure.Series
	var sizes []float64
	for k, m := range methodsOf(groups) {
		s := figure.Series{Color: k, Points: true}
		t := figure.Series{Color: k, Points: true, Dash: figure.Dashed, Hollow: true}
		for _, g := range groups {
			if g.Method != m || g.Protocol != e.protocols()[0] {
				continue
			}
			d := float64(columnsOf(g.Point))
			if st := g.stat("seconds"); st.n > 0 && d > 0 {
				s.X, s.Y, s.Err = append(s.X, d), append(s.Y, st.mean), append(s.Err, st.sd)
				if !slices.Contains(sizes, d) {
					sizes = append(sizes, d)
				}
			}
			if sec, err := Number(v.st.published(e, g, "paper", "seconds")); err == nil {
				t.X, t.Y = append(t.X, d), append(t.Y, sec)
			}
		}
		s.Label, t.Label = typeset(v.st.Label(m))+exponent(s), "paper: "+typeset(v.st.Label(m))+exponent(t)
		if len(s.X) > 0 {
			own = append(own, s)
		}
		if len(t.X) > 0 {
			theirs = append(theirs, t)
		}
	}
	if len(own) == 0 {
		return nil
	}
	c := figure.Lines{
		Panels: []figure.Panel{{Series: append(theirs, own...)}},
		X:      figure.Axis{Label: "number of variables d", Log: true, At: sizes},
		Y:      figure.Axis{Label: "seconds", Log: true},
	}
	return []picture{chart(e.Name+"-runtime", "Runtime of the solver against the number of variables, raw data, with one standard deviation and the fitted exponents; ours on one CPU thread, the paper's (dashed) on a GPU", 150, 105, c)}
}

// exponent formats the fitted slope for a legend.
func exponent(s figure.Series) string {
	// A decreasing line is not a power of d.
	if _, b, ok := timing.PowerLaw(s.X, s.Y); ok && b > 0 {
		return strings.ReplaceAll(fmt.Sprintf(", d^{%.2f}", b), "-", "−")
	}
	return ""
}

// traces shows |h| against the step of the first seed, with a panel per protocol.
func (v *View) traces(e *Experiment) []picture {
	groups := v.groups(e)
	c := figure.Lines{
		X: figure.Axis{Label: "step"},
		Y: figure.Axis{Label: "|h(W)|"},
	}
	found := false
	for _, proto := range e.protocols() {
		panel := figure.Panel{Title: protocolTitle(proto)}
		for _, g := range groups {
			if g.Protocol != proto || len(g.Records) == 0 || len(g.Records[0].Trace) == 0 {
				continue
			}
			found = true
			base, text := strings.CutSuffix(g.Method, "-text")
			s := figure.Series{Label: typeset(v.st.Label(g.Method)), Color: slices.Index(methodsOf(groups), base)}
			switch {
			case text:
				s.Dash = figure.Dashed
			case v.st.Methods[g.Method].Dotted:
				s.Dash, s.Color = figure.Dotted, 3
			}
			for _, p := range g.Records[0].Trace {
				s.X, s.Y = append(s.X, float64(p.Step)), append(s.Y, p.H)
			}
			panel.Series = append(panel.Series, s)
		}
		slices.SortStableFunc(panel.Series, func(a, b figure.Series) int { return cmp.Compare(a.Dash, b.Dash) }) // dotted lines on top
		c.Panels = append(c.Panels, panel)
	}
	if !found {
		return nil
	}
	return []picture{chart(e.Name+"-trace", "|h(W)| at each step: h_poly and h_geo lie on each other", 180, 95, c)}
}

// costs shows the time of one evaluation with gradient against d.
func (v *View) costs(e *Experiment) []picture {
	var recs []*Record
	for _, g := range v.groups(e) {
		recs = append(recs, g.Records...)
	}
	var series []figure.Series
	var sizes []float64
	for k, n := range costNames(recs) {
		x, y := costSeries(recs, n)
		s := figure.Series{Color: k, Points: true, X: x}
		for _, sec := range y {
			s.Y = append(s.Y, 1e3*sec)
		}
		s.Label = typeset(n) + exponent(s)
		series = append(series, s)
		for _, d := range x {
			if !slices.Contains(sizes, d) {
				sizes = append(sizes, d)
			}
		}
	}
	if len(series) == 0 {
		return nil
	}
	c := figure.Lines{
		Panels: []figure.Panel{{Series: series}},
		X:      figure.Axis{Label: "number of variables d", Log: true, At: sizes},
		Y:      figure.Axis{Label: "milliseconds, value and gradient", Log: true},
	}
	return []picture{chart(e.Name+"-constraints", "Time of one evaluation of a constraint with its gradient, and the fitted exponents", 150, 100, c)}
}

func (v *View) pipeline(*Experiment) []picture {
	return []picture{chart("pipeline", "From images or a table to a certified graph", 180, 27, figure.Pipeline{Steps: []figure.Step{
		{Title: "Images", Images: true, Color: 1},
		{Title: "Variables", Detail: []string{"sun, house, tree:", "labels or scores,", "or any table"}, Color: 2},
		{Title: "Constraint", Detail: []string{"unit-free polyDAG,", "h_{geo} on a rising path"}, Color: 3},
		{Title: "Order search", Detail: []string{"best extended BIC,", "variances by BIC"}, Color: 4},
		{Title: "DAG", Detail: []string{"weights, certificate:", "a topological order"}, Color: 5},
		{Title: "Reading", Detail: []string{"paths, adjustment,", "reversible edges"}, Color: 6},
	}})}
}
