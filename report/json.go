package report

import (
	"encoding/json"
	"io"

	"github.com/polydag/polydag"
)

// JSON writes the result as indented JSON with a newline at the end. The same result gives the same bytes.
func JSON(r *polydag.Result) func(io.Writer) error { return indented(r) }

func indented(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}
}

// nodeLink writes the JSON of networkx.node_link_graph: always directed, with the name as node id and edges
// under "edges". An undirected edge, with the mark ---, is two, one in each direction. That key is the default since 3.6; 3.4 needs edges="edges", earlier versions link="edges", and
// D3 the key "links".
func nodeLink(r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := indexOf(r); err != nil {
			return err
		}
		type node struct {
			ID               string   `json:"id"`
			Mean             *float64 `json:"mean,omitempty"`
			Std              *float64 `json:"std,omitempty"`
			ResidualVariance *float64 `json:"residual_variance,omitempty"`
			R2               *float64 `json:"r2,omitempty"`
		}
		type edge struct {
			Source       string          `json:"source"`
			Target       string          `json:"target"`
			Weight       *float64        `json:"weight,omitempty"`
			Standardized *float64        `json:"standardized,omitempty"`
			Mark         string          `json:"mark"`
			Compelled    bool            `json:"compelled"`
			Gain         float64         `json:"gain,omitempty"`
			Verdict      polydag.Verdict `json:"verdict,omitempty"`
			Confidence   float64         `json:"confidence,omitempty"`
			PAdjacent    float64         `json:"p_adjacent,omitempty"`
			PDirection   float64         `json:"p_direction,omitempty"`
			Basis        string          `json:"basis,omitempty"`
			Lag          int             `json:"lag,omitempty"`
		}
		doc := struct {
			Directed   bool     `json:"directed"`
			Multigraph bool     `json:"multigraph"`
			Graph      struct{} `json:"graph"`
			Nodes      []node   `json:"nodes"`
			Edges      []edge   `json:"edges"`
		}{Directed: true, Nodes: make([]node, len(r.Names)), Multigraph: len(r.Lagged) > 0, Edges: []edge{}}
		for i, name := range r.Names {
			doc.Nodes[i].ID = name
		}
		for i, n := range nodesOf(r) {
			doc.Nodes[i] = node{r.Names[i], &n.Mean, &n.Std, &n.ResidualVariance, &n.R2}
		}
		for _, e := range bothWays(r) {
			one := edge{e.From, e.To, nil, nil, e.Mark, e.Compelled, e.Gain, e.Verdict, e.Confidence, e.PAdjacent, e.PDirection, e.RestsOn(), e.Lag}
			if r.HasWeight(e) {
				one.Weight, one.Standardized = &e.Weight, &e.Standardized
			}
			doc.Edges = append(doc.Edges, one)
		}
		return indented(doc)(w)
	}
}
