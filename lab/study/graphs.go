package study

import (
	"fmt"
	"os"
	"sync"

	"github.com/polydag/polydag"
)

// A Graph is the DAG of a run: one line of graphs.jsonl. Edge k goes from Names[From[k]] to Names[To[k]]; its
// weight is in the units of the data, with four digits. Names has the columns with an edge, in the order of the
// edges.
type Graph struct {
	Key    string    `json:"key,omitempty"` // key of the run, as in its record
	Names  []string  `json:"names"`
	From   []int     `json:"from"`
	To     []int     `json:"to"`
	Weight []float64 `json:"weight"`
}

func newGraph(key string, edges []polydag.Edge) *Graph {
	g := &Graph{Key: key, Names: []string{}, From: []int{}, To: []int{}, Weight: []float64{}}
	index := map[string]int{}
	at := func(name string) int {
		i, ok := index[name]
		if !ok {
			i = len(g.Names)
			index[name] = i
			g.Names = append(g.Names, name)
		}
		return i
	}
	for _, e := range edges {
		g.From, g.To = append(g.From, at(e.From)), append(g.To, at(e.To))
		g.Weight = append(g.Weight, roundTo(e.Weight, 4))
	}
	return g
}

func (g *Graph) check() error {
	if len(g.From) != len(g.To) || len(g.From) != len(g.Weight) {
		return fmt.Errorf("the graph %s has %d, %d and %d entries in from, to and weight", g.Key, len(g.From), len(g.To), len(g.Weight))
	}
	for k := range g.From {
		if i, j := g.From[k], g.To[k]; i < 0 || j < 0 || i >= len(g.Names) || j >= len(g.Names) {
			return fmt.Errorf("the graph %s has an edge %d → %d, and %d names", g.Key, i, j, len(g.Names))
		}
	}
	return nil
}

// ReadGraphs reads a file of graphs by the keys of their runs. It ignores an incomplete last line. A missing
// file has no graphs.
func ReadGraphs(path string) (map[string]*Graph, error) {
	list, err := readLines(path, "graph", (*Graph).check)
	if list == nil {
		return nil, err
	}
	graphs := make(map[string]*Graph, len(list))
	for _, g := range list {
		graphs[g.Key] = g // a run that was interrupted before its record has the same graph again
	}
	return graphs, nil
}

type graphFile struct {
	mu sync.Mutex
	f  *os.File
}

// openGraphs opens or creates the file.
func openGraphs(path string) (*graphFile, error) {
	f, _, _, err := openLines(path, "graph", (*Graph).check)
	return &graphFile{f: f}, err
}

// append writes a graph to the disk. It is safe for concurrent use.
func (g *graphFile) append(graph *Graph) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return appendLine(g.f, "graph", graph.Key, graph)
}
