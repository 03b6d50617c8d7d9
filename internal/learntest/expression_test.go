package learntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
)

// expression is simulated counts of genes in cells, with the network that they were drawn from.
type expression struct {
	truth  *graph.Graph
	counts [][]int32 // by cell
	target []int     // perturbed gene of each cell, or -1
}

// simulateExpression draws counts from a network of regulators and their targets, in the manner of SERGIO: a tenth of the genes
// are regulators, and a gene has one to three of them, more often one that has many targets already. The log expression of a gene
// is the weighted sum of its regulators and noise. Counts are negative binomial around the expression times the size of the cell,
// and small expression is missed (dropout). A share of the cells has one gene knocked down, one gene after the other.
func simulateExpression(seed uint64, genes, cells int, perturbed float64) *expression {
	rng := rand.New(rand.NewPCG(seed, 0xce11))
	order := rng.Perm(genes)
	regulators := max(2, genes/10)
	e := &expression{truth: graph.New(genes)}
	var hubs []int // each regulator once, and once more for each of its targets
	parents, weights := make([][]int, genes), make([][]float64, genes)
	for place, v := range order {
		if place < regulators {
			hubs = append(hubs, v)
		}
		if place == 0 {
			continue
		}
		for range 1 + rng.IntN(3) {
			p := hubs[rng.IntN(len(hubs))]
			if p == v || e.truth.HasEdge(p, v) || e.truth.HasEdge(v, p) {
				continue
			}
			e.truth.AddEdge(p, v)
			hubs = append(hubs, p)
			parents[v], weights[v] = append(parents[v], p), append(weights[v], (0.4+0.4*rng.Float64())*float64(1-2*rng.IntN(2)))
		}
	}
	base := make([]float64, genes)
	for v := range base {
		base[v] = 1.2 + 0.8*rng.NormFloat64()
	}
	x := make([]float64, genes)
	for i := range cells {
		target := -1
		if rng.Float64() < perturbed {
			target = i % genes
		}
		size := math.Exp(0.3 * rng.NormFloat64())
		row := make([]int32, genes)
		for _, v := range order {
			x[v] = 0.7 * rng.NormFloat64()
			for k, p := range parents[v] {
				x[v] += weights[v][k] * x[p]
			}
			if v == target {
				x[v] = -2.5 + 0.3*rng.NormFloat64()
			}
			mean := size * math.Exp(base[v]+x[v])
			if rng.Float64() < 1/(1+mean) {
				continue // dropout
			}
			row[v] = int32(poisson(rng, mean*gamma4(rng)))
		}
		e.counts, e.target = append(e.counts, row), append(e.target, target)
	}
	return e
}

// gamma4 draws from the gamma distribution with shape 4 and mean 1.
func gamma4(rng *rand.Rand) float64 {
	return (rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64()) / 4
}

// poisson draws a count with this mean; a large one by the normal approximation.
func poisson(rng *rand.Rand, mean float64) int {
	if mean > 60 {
		return max(0, int(math.Round(mean+math.Sqrt(mean)*rng.NormFloat64())))
	}
	k, p := 0, rng.Float64()
	for end := math.Exp(-mean); p > end; k++ {
		p *= rng.Float64()
	}
	return k
}

// write saves the normalized expression ln(1 + 10⁴·x/total) of the cells with counts, and the perturbed gene of each, as cells.csv.
func (e *expression) write(t testing.TB, dir string) {
	t.Helper()
	var text strings.Builder
	for v := range e.counts[0] {
		fmt.Fprintf(&text, "G%d,", v)
	}
	text.WriteString("perturbation\n")
	for i, row := range e.counts {
		total := 0.0
		for _, c := range row {
			total += float64(c)
		}
		if total == 0 {
			continue
		}
		for _, c := range row {
			fmt.Fprintf(&text, "%v,", math.Log1p(1e4*float64(c)/total))
		}
		name := "control"
		if e.target[i] >= 0 {
			name = fmt.Sprintf("G%d", e.target[i])
		}
		text.WriteString(name + "\n")
	}
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "cells.csv"), []byte(text.String()), 0o600))
}

// TestPerturbedCells reads simulated cells with the perturbed gene of each cell. With it, more true edges have the right direction than
// without.
func TestPerturbedCells(t *testing.T) {
	e := simulateExpression(3, 15, 3000, 0.7)
	dir := t.TempDir()
	e.write(t, dir)
	learn := func(targets string) *polydag.Result { return e.learn(t, dir, targets, "linear") }
	with, without := e.directed(learn("perturbation:control=")), e.directed(learn(""))
	if with.TP <= without.TP {
		t.Errorf("%d true edges with targets, %d without, of %d", with.TP, without.TP, e.truth.NumEdges())
	}
}

// learn reads the cells and learns with the given model.
func (e *expression) learn(t testing.TB, dir, targets, model string) *polydag.Result {
	t.Helper()
	in := must.Get(files.Open(filepath.Join(dir, "cells.csv"), nil, files.DefaultSettings()))
	defer in.Close()
	p := polydag.DefaultPreparation()
	if p.Targets = targets; targets == "" {
		p.Drop = []string{"perturbation"}
	}
	table := must.Get(polydag.Prepare(t.Context(), in, p))
	m := order.New()
	m.Model = order.Model(model)
	return learnedFrom(t, table, m)
}

// directed compares the DAG of a result with the network.
func (e *expression) directed(res *polydag.Result) metric.Confusion {
	g := graph.New(e.truth.N())
	for _, edge := range res.Edges {
		var from, to int
		_, _ = fmt.Sscanf(edge.From+" "+edge.To, "G%d G%d", &from, &to)
		g.AddEdge(from, to)
	}
	return metric.Directed(e.truth, g)
}
