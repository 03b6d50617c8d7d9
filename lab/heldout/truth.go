package heldout

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/metric"
)

// A Truth is the true graph of a table.
type Truth struct {
	edges  int
	hidden []string
	dag    *graph.Graph // over the columns; nil if names are hidden
	class  *graph.PDAG  // class of dag; nil if there is no dag or it has a cycle
	pag    *graph.Mixed // over the columns; nil if the truth has a cycle
}

// NewTruth returns the true graph of a table with these columns. Names of edges that are not columns are
// hidden. Methods are then compared with the PAG of the others, which needs an acyclic truth.
func NewTruth(columns []string, edges []graph.Link) (*Truth, error) {
	all := slices.Clone(columns)
	index := names.Index(all)
	t := &Truth{}
	var hidden []int
	for _, e := range edges {
		for _, name := range []string{e.From, e.To} {
			if _, ok := index[name]; !ok {
				index[name] = len(all)
				hidden, all = append(hidden, len(all)), append(all, name)
				t.hidden = append(t.hidden, name)
			}
		}
	}
	g := graph.New(len(all))
	for _, e := range edges {
		g.AddEdge(index[e.From], index[e.To])
	}
	t.edges = g.NumEdges()
	if len(hidden) == 0 {
		t.dag = g
	}
	mag, _, err := graph.LatentMAG(g, hidden, nil)
	var cycle *graph.CycleError
	switch {
	case err == nil:
		t.pag = mag.Class(false).Mixed()
	case !errors.As(err, &cycle):
		return nil, err
	case len(hidden) > 0:
		cycle.Names = all
		return nil, fmt.Errorf("the true graph has a cycle and columns that are not in the table (%s, …), so the methods cannot be compared with it: %w", t.hidden[0], err)
	}
	if t.dag == nil || t.pag == nil {
		return t, nil
	}
	t.class, err = graph.CPDAG(t.dag)
	return t, err
}

// Metrics compare a graph with the truth: a DAG with the true DAG, a class of DAGs with the true class, and a
// PAG with the true PAG. With hidden columns, every graph is compared with that PAG. docs/reference/metrics.md
// defines the conventions.
type Metrics struct {
	Against graph.Kind `json:"against"`
	// SHD and F1 are metric.SHD and metric.Directed for DAGs, and metric.CPDAGDistance and metric.CPDAGEdges
	// for classes. For PAGs, SHD counts marks, and there is no F1. They are absent if the truth has a cycle and
	// the graph is not a DAG.
	SHD *int     `json:"shd,omitempty"`
	F1  *float64 `json:"f1,omitempty"`
	// SkeletonF1 is for adjacencies. ClassSHD and ClassF1 are for equivalence classes, and are the same for all
	// graphs that linear Gaussian data cannot distinguish. They are comparable between methods.
	SkeletonF1 float64  `json:"skeleton_f1"`
	ClassSHD   *int     `json:"class_shd,omitempty"`
	ClassF1    *float64 `json:"class_f1,omitempty"`
	// ArrowheadF1 is for arrowheads, compared with a PAG.
	ArrowheadF1 *float64 `json:"arrowhead_f1,omitempty"`
	// SID is the structural intervention distance of a DAG; absent for other graphs and for many columns.
	SID *int `json:"sid,omitempty"`
}

// judge compares a graph with the truth, with SID for a DAG of at most sidColumns columns.
func (t *Truth) judge(est *graph.Mixed, sidColumns int) (*Metrics, error) {
	m := &Metrics{Against: graph.KindDAG}
	kind := est.Kind()
	if t.dag == nil || kind == graph.KindPAG || kind == graph.KindAverage {
		m.Against = graph.KindPAG
		if t.pag == nil {
			m.SkeletonF1 = joined(t.dag.Mixed(), est).F1()
			return m, nil
		}
		marks := metric.CompareMarks(t.pag, est)
		heads := harmonic(marks.ArrowheadPrecision, marks.ArrowheadRecall)
		m.SHD, m.ArrowheadF1, m.SkeletonF1 = &marks.SHD, &heads, joined(t.pag, est).F1()
		return m, nil
	}
	m.SkeletonF1 = joined(t.dag.Mixed(), est).F1()
	var dag *graph.Graph
	if kind == graph.KindDAG {
		dag = est.Directed()
		shd, f1 := metric.SHD(t.dag, dag).Distance(), metric.Directed(t.dag, dag).F1()
		m.SHD, m.F1 = &shd, &f1
	} else {
		m.Against = graph.KindCPDAG
	}
	if t.class == nil {
		return m, nil
	}
	var class *graph.PDAG
	var err error
	if dag != nil {
		class, err = graph.CPDAG(dag)
	} else {
		class, err = est.PDAG()
	}
	if err != nil {
		return nil, err
	}
	distance, f1 := metric.CPDAGDistance(t.class, class), metric.CPDAGEdges(t.class, class).F1()
	m.ClassSHD, m.ClassF1 = &distance, &f1
	switch {
	case dag == nil:
		m.SHD, m.F1 = &distance, &f1
	case t.dag.N() <= sidColumns:
		sid, err := metric.SID(t.dag, dag)
		if err != nil {
			return nil, err
		}
		m.SID = &sid
	}
	return m, nil
}

// joined counts adjacent pairs, whatever the marks.
func joined(truth, est *graph.Mixed) (c metric.Confusion) {
	for _, e := range est.Edges() {
		if _, ok := truth.Between(e.From, e.To); ok {
			c.TP++
		} else {
			c.FP++
		}
	}
	c.FN = truth.NumEdges() - c.TP
	return c
}

// harmonic returns the harmonic mean of two shares, or 0 if both are 0.
func harmonic(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return 2 * a * b / (a + b)
}
