package trust

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/graph"
)

// DrawnGraphs are the DAGs that were learned from bootstrap samples, in few bytes: every edge of any of them once, and a bit for each
// edge and sample. What needs graphs of samples takes them from here instead of learning again.
type DrawnGraphs struct {
	// Edges lists the edges by column index, separated by spaces: 3>7 if the class of the graph compels the direction, otherwise 3-7.
	Edges string `json:"edges"`
	// In has one text per sample, by number: base64 of bits, of which bit k % 8 of byte k / 8 is set if the graph has edge k. It is empty
	// if the sample has no graph.
	In []string `json:"in"`
}

// Drawn returns an edge of a drawn graph: with an arrowhead only if the class of the graph compels its direction.
func Drawn(e graph.Edge, compelled bool) graph.MarkedEdge {
	if compelled {
		return graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Arrow}
	}
	return graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Tail}
}

func drawnText(e graph.MarkedEdge) string {
	mark := "-"
	if e.Directed() {
		mark = ">"
	}
	return fmt.Sprint(e.From, mark, e.To)
}

// NewDrawnGraphs packs graphs, nil for samples without one.
func NewDrawnGraphs(graphs [][]graph.MarkedEdge) *DrawnGraphs {
	at, texts := map[string]int{}, []string{}
	for _, g := range graphs {
		for _, e := range g {
			if _, ok := at[drawnText(e)]; !ok {
				at[drawnText(e)] = len(texts)
				texts = append(texts, drawnText(e))
			}
		}
	}
	d := &DrawnGraphs{Edges: strings.Join(texts, " ")}
	for _, g := range graphs {
		bits := make([]byte, (len(texts)+7)/8)
		for _, e := range g {
			bits[at[drawnText(e)]/8] |= 1 << (at[drawnText(e)] % 8)
		}
		if g == nil {
			bits = nil
		}
		d.In = append(d.In, base64.RawStdEncoding.EncodeToString(bits))
	}
	return d
}

// Graphs unpacks the graphs over a number of columns. The error says what is wrong with a text that somebody changed.
func (d *DrawnGraphs) Graphs(columns int) ([][]graph.MarkedEdge, error) {
	var edges []graph.MarkedEdge
	for text := range strings.FieldsSeq(d.Edges) {
		k := strings.IndexAny(text, ">-")
		if k < 0 {
			return nil, fmt.Errorf("drawn graphs: %q is not an edge", text)
		}
		from, errFrom := strconv.Atoi(text[:k])
		to, errTo := strconv.Atoi(text[k+1:])
		if errFrom != nil || errTo != nil || from == to || min(from, to) < 0 || max(from, to) >= columns {
			return nil, fmt.Errorf("drawn graphs: %q is not an edge between two of %d columns", text, columns)
		}
		edges = append(edges, Drawn(graph.Edge{From: from, To: to}, text[k] == '>'))
	}
	out := make([][]graph.MarkedEdge, len(d.In))
	for r, text := range d.In {
		bits, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil || text != "" && len(bits) != (len(edges)+7)/8 {
			return nil, fmt.Errorf("drawn graphs: the bits of sample %d do not fit %d edges", r, len(edges))
		}
		if text == "" {
			continue
		}
		g := graph.New(columns)
		own := []graph.MarkedEdge{}
		for k, e := range edges {
			if bits[k/8]>>(k%8)&1 == 1 {
				own = append(own, e)
				g.AddEdge(e.From, e.To)
			}
		}
		if !g.IsAcyclic() || g.NumEdges() != len(own) {
			return nil, fmt.Errorf("drawn graphs: the graph of sample %d is not a DAG", r)
		}
		slices.SortFunc(own, func(a, b graph.MarkedEdge) int { return a.Compare(b.Edge) })
		out[r] = own
	}
	return out, nil
}
