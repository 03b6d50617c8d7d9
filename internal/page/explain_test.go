package page

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/internal/must"
)

var update = flag.Bool("update", false, "write web/test/explain.json anew; read the diff before committing")

// explained is one graph with the answers of package explain for each pair. The page's own path search is
// tested against this file (web/test/paths.test.ts), so that both agree on paths, confounders and adjustment
// sets.
type explained struct {
	Names []string       `json:"names"`
	Edges []polydag.Edge `json:"edges"`
	Pairs []said         `json:"pairs"`
}

type said struct {
	From        string    `json:"from"`
	To          string    `json:"to"`
	Relation    string    `json:"relation"`
	Total       float64   `json:"total"`
	Direct      float64   `json:"direct"`
	Directed    []string  `json:"directed"`
	Open        []string  `json:"open"`
	Blocked     []string  `json:"blocked"`
	Mediators   []string  `json:"mediators"`
	Confounders []string  `json:"confounders"`
	Colliders   []string  `json:"colliders"`
	Adjust      *[]string `json:"adjust"` // null: no set exists
}

func TestPathsMeanTheSameInBothLanguages(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	graphs := []explained{{Names: []string{"X", "Y", "M", "S", "P", "C", "Q"}}}
	for _, e := range []struct {
		from, to string
		weight   float64
		fixed    bool
	}{
		{"X", "M", 2, true}, {"M", "Y", 3, false}, {"X", "Y", 0.5, true}, {"S", "X", 1, false}, {"S", "Y", 1, true},
		{"P", "X", 1, true}, {"P", "C", 1, true}, {"Q", "C", 1, true}, {"Q", "Y", 1, true},
	} {
		graphs[0].Edges = append(graphs[0].Edges, polydag.Edge{Link: polydag.Link{From: e.from, To: e.to}, Mark: "-->", Weight: e.weight, EdgeFacts: polydag.EdgeFacts{Compelled: e.fixed}})
	}
	for _, density := range []float64{0.3, 0.5, 0.7} {
		var g explained
		for v := range 6 {
			g.Names = append(g.Names, fmt.Sprint("v", v))
		}
		order := rng.Perm(6)
		for i := range 6 {
			for j := range i {
				if rng.Float64() < density {
					weight := math.Round(40*rng.Float64()-20) / 10
					g.Edges = append(g.Edges, polydag.Edge{Link: polydag.Link{From: g.Names[order[j]], To: g.Names[order[i]]}, Mark: "-->", Weight: weight, EdgeFacts: polydag.EdgeFacts{Compelled: true}})
				}
			}
		}
		graphs = append(graphs, g)
	}
	for k := range graphs {
		graphs[k].Pairs = explainAll(t, graphs[k])
	}
	got := must.Get(json.MarshalIndent(graphs, "", " "))
	got = append(got, '\n')
	path := filepath.Join("..", "..", "web", "test", "explain.json")
	if *update {
		must.Succeed(t, os.WriteFile(path, got, 0o644))
	}
	want := must.Get(os.ReadFile(path))
	if !bytes.Equal(got, want) {
		t.Errorf("package explain no longer says what %s has; run go test ./internal/page -update and see to web/src/paths.ts", path)
	}
}

func explainAll(t *testing.T, g explained) []said {
	t.Helper()
	var edges []explain.Edge
	for _, e := range g.Edges {
		edges = append(edges, explain.Edge{Link: e.Link, Weight: e.Weight, Undirected: !e.Compelled})
	}
	m := must.Get(explain.NewModel(g.Names, edges))
	opt := explain.DefaultSettings()
	opt.Paths = 1000
	var out []said
	for _, a := range g.Names {
		for _, b := range g.Names {
			if a == b {
				continue
			}
			e := must.Get(m.Between(a, b, opt))
			s := said{
				From: a, To: b, Relation: e.Relation, Total: math.Round(1e6**e.TotalEffect) / 1e6, Direct: *e.DirectEffect,
				Directed: drawn(e.Directed), Open: drawn(e.OpenBackDoor), Blocked: drawn(e.BlockedBackDoor),
				Mediators: e.Mediators, Confounders: e.Confounders, Colliders: e.Colliders,
			}
			if e.Adjustment.Exists {
				s.Adjust = &e.Adjustment.Set
			}
			out = append(out, s)
		}
	}
	return out
}

// drawn writes paths as X → M ← Y.
func drawn(p explain.Paths) []string {
	out := []string{}
	for _, path := range p.Listed {
		var b strings.Builder
		for i, name := range path.Nodes {
			if i > 0 {
				b.WriteString(" " + path.Arrows[i-1] + " ")
			}
			b.WriteString(name)
		}
		out = append(out, b.String())
	}
	return out
}
