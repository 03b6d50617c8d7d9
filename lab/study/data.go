package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/lab/sim"
)

// Data defines the source of tables: a simulator or a given data set. Lists define a grid.
type Data struct {
	// For simulated data, graph is er, sf or sfin, and design is one of package sim. Generator sim is package
	// sim, with columns in random order. Generator released draws the graphs and numbers of the paper's
	// released code from the same seeds (see Released). Its columns are then shuffled, because that code leaves
	// them in causal order.
	Generator string    `yaml:"generator"`
	Graph     string    `yaml:"graph"`
	Design    string    `yaml:"design"`
	Mechanism string    `yaml:"mechanism"` // functions of the parents for generator sim: linear (if empty), additive, joint or mlp
	Nodes     []int     `yaml:"nodes"`
	Degree    []float64 `yaml:"degree"`
	Samples   int       `yaml:"samples"`
	// WeightScale multiplies all weights of generator sim; 0 means 1.
	WeightScale float64 `yaml:"weight_scale"`

	// For given data, Dataset is a name for Execution.Load, such as celeba or sachs, or csv with a File.
	Dataset string   `yaml:"dataset"`
	File    string   `yaml:"file"`    // CSV file in the data folder
	Columns []string `yaml:"columns"` // columns to keep; all if empty
	// Jitter adds N(0, Jitter²) to every value first, to make binary columns continuous.
	Jitter float64 `yaml:"jitter"`
	// Targets is the column with the intervention targets of each row; none if empty.
	Targets string `yaml:"targets"`
	// Truth lists the true edges, as from->to; none if empty.
	Truth []string `yaml:"truth"`
	// Label is the name of the data in tables; by default it is derived from the fields above.
	Label string `yaml:"label"`
}

// Point is one element of a Data grid. Its JSON is part of the key of a run; its label is not.
type Point struct {
	Generator string   `json:"generator,omitempty"`
	Graph     string   `json:"graph,omitempty"`
	Design    string   `json:"design,omitempty"`
	Mechanism string   `json:"mechanism,omitempty"`
	Nodes     int      `json:"nodes,omitempty"`
	Degree    float64  `json:"degree,omitempty"`
	Samples   int      `json:"samples,omitempty"`
	Weights   float64  `json:"weight_scale,omitempty"`
	Dataset   string   `json:"dataset,omitempty"`
	File      string   `json:"file,omitempty"`
	Columns   []string `json:"columns,omitempty"`
	Jitter    float64  `json:"jitter,omitempty"`
	Targets   string   `json:"targets,omitempty"`
	Truth     []string `json:"truth,omitempty"`

	label string
}

func (d Data) points() []Point {
	base := Point{
		Generator: d.Generator, Graph: d.Graph, Design: d.Design, Mechanism: d.Mechanism, Samples: d.Samples, Weights: d.WeightScale,
		Dataset: d.Dataset, File: d.File, Columns: d.Columns, Jitter: d.Jitter, Targets: d.Targets, Truth: d.Truth, label: d.Label,
	}
	if d.Dataset != "" {
		return []Point{base}
	}
	if base.Generator == "" {
		base.Generator = "sim"
	}
	if base.Graph == "" {
		base.Graph = "er"
	}
	if base.Samples == 0 {
		base.Samples = 1000
	}
	degrees := d.Degree
	if len(degrees) == 0 {
		degrees = []float64{4}
	}
	var out []Point
	for _, n := range d.Nodes {
		for _, deg := range degrees {
			p := base
			p.Nodes, p.Degree = n, deg
			out = append(out, p)
		}
	}
	return out
}

// Label names the point in a table.
func (p Point) Label() string {
	switch {
	case p.label != "":
		return strings.ReplaceAll(p.label, "{d}", fmt.Sprint(p.Nodes))
	case p.Dataset != "":
		return p.Dataset + p.File
	}
	return fmt.Sprintf("%s, d = %d, degree %g", strings.ToUpper(p.Graph), p.Nodes, p.Degree)
}

// Simulated reports whether the data is simulated, so that seeds give different data.
func (p Point) Simulated() bool { return p.Dataset == "" }

func (d Data) check(fault func(format string, args ...any)) {
	if d.Dataset != "" {
		if len(d.Nodes)+len(d.Degree) > 0 || d.Graph != "" || d.Design != "" || d.Mechanism != "" || d.Generator != "" || d.Samples != 0 {
			fault("dataset %s is given data: it takes no graph, design, mechanism, nodes, degree, samples or generator", d.Dataset)
		}
		if (d.Dataset == "csv") != (d.File != "") {
			fault("dataset csv needs a file, and only it does")
		}
	} else {
		if len(d.Nodes) == 0 {
			fault("data without nodes; write nodes: [100], or name a dataset")
		}
		for _, n := range d.Nodes {
			if n < 2 {
				fault("nodes %d, want at least 2", n)
			}
		}
		if !slices.Contains([]string{"", "sim", "released"}, d.Generator) {
			fault("generator %q, want sim or released", d.Generator)
		}
		if !slices.Contains([]string{"", "er", "sf", "sfin"}, d.Graph) {
			fault("graph %q, want er, sf or sfin", d.Graph)
		}
		if !slices.Contains(append(sim.DesignNames(), ""), d.Design) {
			fault("design %q, want one of %s", d.Design, strings.Join(sim.DesignNames(), ", "))
		}
		if !slices.Contains([]string{"", "linear", "additive", "joint", "mlp"}, d.Mechanism) {
			fault("mechanism %q, want linear, additive, joint or mlp", d.Mechanism)
		}
		if d.Generator == "released" && d.Mechanism != "" {
			fault("mechanism is of generator sim; released has the model of the released code")
		}
		if d.Generator == "released" && d.Design != "" {
			fault("design is of generator sim; released has the model of the released code")
		}
		if d.Generator == "released" && d.WeightScale != 0 {
			fault("weight_scale is of generator sim; released has the weights of the released code")
		}
		if d.Generator == "released" && strings.HasPrefix(d.Graph, "sf") {
			fault("generator released has no scale-free graphs; use sim")
		}
		samples := d.Samples
		if samples == 0 {
			samples = 1000
		}
		for _, n := range d.Nodes {
			if d.Generator == "released" && n*samples%16 != 0 {
				fault("generator released draws blocks of 16 numbers: nodes × samples = %d × %d is no multiple of 16", n, samples)
			}
		}
		if d.Samples < 0 || d.Samples == 1 {
			fault("samples %d, want at least 2", d.Samples)
		}
		if len(d.Columns)+len(d.Truth) > 0 {
			fault("simulated data take no columns and no truth")
		}
	}
	if d.Jitter < 0 {
		fault("jitter %v, want 0 or more", d.Jitter)
	}
	for _, e := range d.Truth {
		if from, to, ok := strings.Cut(e, "->"); !ok || strings.TrimSpace(from) == "" || strings.TrimSpace(to) == "" {
			fault("truth %q, want from->to", e)
		}
	}
}
