//go:build unix

package learntest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/metric"
)

// factorTable draws a table with linear effects that pass through m factors without noise, after Lopez et al. (2022): columns and factors are
// in a random order, each factor is a sum of about the given number of earlier columns, and each column depends on each earlier factor with
// probability 0.1. The columns are divided at random among the environments, which set theirs to N(2, 1); the first part of the rows has no
// interventions. The last column names the targets.
func factorTable(d, m, inputs, rows, environments int, seed uint64) (*sheet, *graph.Graph) {
	rng := rand.New(rand.NewPCG(seed, 0x666163))
	order := rng.Perm(d + m) // numbers from d on are factors
	sign := func(lo, hi float64) float64 {
		w := lo + (hi-lo)*rng.Float64()
		if rng.IntN(2) == 0 {
			return -w
		}
		return w
	}
	parents, weights := make([][]int, d+m), make([][]float64, d+m)
	for at, v := range order {
		for _, p := range order[:at] {
			switch {
			case v >= d && p < d && rng.Float64() < 2*float64(inputs)/float64(d), v < d && p >= d && rng.Float64() < 0.1:
				parents[v], weights[v] = append(parents[v], p), append(weights[v], sign(0.5, 1.5))
			}
		}
	}
	truth := graph.New(d)
	sd := make([]float64, d)
	for v := range sd {
		sd[v] = 0.5 + 0.5*rng.Float64()
		for _, f := range parents[v] {
			for _, p := range parents[f] {
				truth.AddEdge(p, v)
			}
		}
	}
	targets := make([][]int, environments+1)
	for k, v := range rng.Perm(d) {
		targets[1+k%environments] = append(targets[1+k%environments], v)
	}
	values, cells := make([][]float64, rows), make([]string, rows)
	for i := range values {
		set := make([]bool, d+m)
		var names []string
		for _, v := range targets[i*(environments+1)/rows] {
			set[v], names = true, append(names, fmt.Sprint("x", v))
		}
		cells[i] = strings.Join(names, ";")
		x := make([]float64, d+m)
		for _, v := range order {
			for k, p := range parents[v] {
				x[v] += weights[v][k] * x[p]
			}
			switch {
			case v >= d:
				x[v] /= math.Sqrt(max(1, float64(len(parents[v]))))
			case set[v]:
				x[v] = 2 + rng.NormFloat64()
			default:
				x[v] += sd[v] * rng.NormFloat64()
			}
		}
		values[i] = x[:d]
	}
	s := &sheet{}
	for v := range d {
		s.add(fmt.Sprint("x", v), rows, func(i int) string { return strconv.FormatFloat(values[i][v], 'g', 7, 64) })
	}
	s.add("target", rows, func(i int) string { return cells[i] })
	return s, truth
}

// TestStudyFactors compares dcd-fg with other methods on tables whose effects pass through 10 factors. lab/docs/methods.md has the figures.
//
//	POLYDAG_STUDY       number of tables
//	POLYDAG_STUDY_SEED  first table [0]
//	POLYDAG_NODES       columns [100]: each has an environment of its own; with 1000, 25 environments share them
//	POLYDAG_METHOD      methods; with settings after a colon [dcd-fg,order,notears], for example dcd-fg:constraint=geo; notears ignores the targets
func TestStudyFactors(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("a study: set POLYDAG_STUDY to a number of tables")
	}
	first, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY_SEED"))
	d, _ := strconv.Atoi(cmp.Or(os.Getenv("POLYDAG_NODES"), "100"))
	inputs, environments := 10, d
	if d > 200 {
		inputs, environments = 20, 25
	}
	for _, name := range strings.Split(cmp.Or(os.Getenv("POLYDAG_METHOD"), "dcd-fg,order,notears"), ",") {
		var shd, f1, seconds float64
		for seed := first; seed < first+tables; seed++ {
			s, truth := factorTable(d, 10, inputs, 10_000, environments, uint64(seed))
			cfg := polydag.DefaultConfig()
			cfg.CheckScale = polydag.CheckScaleNever
			parts := strings.Split(name, ":")
			var err error
			cfg.Method = must.Get(lab.Find(parts[0]))
			p := polydag.DefaultPreparation()
			if p.Targets = "target"; !cfg.Method.Info().Environments {
				p.Targets, p.Drop = "", []string{"target"}
			}
			table := must.Get(polydag.Prepare(context.Background(), written{text: s.plain()}, p))
			for _, setting := range parts[1:] {
				key, value, _ := strings.Cut(setting, "=")
				must.Succeed(t, param.Of(cfg.Method).Set(key, value))
			}
			start, steps, h := processorSeconds(t), 0, 0.0
			res, err := table.Learn(t.Context(), cfg, polydag.Run{Observe: func(p polydag.Progress) { steps, h = max(steps, p.Step), p.H }})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			c, took := metric.SHD(truth, res.Graph), processorSeconds(t)-start
			hit := 0
			for _, e := range res.Graph.Edges() {
				if truth.HasEdge(e.From, e.To) {
					hit++
				}
			}
			score := 2 * float64(hit) / float64(truth.NumEdges()+res.Graph.NumEdges())
			t.Logf("%s, table %d, %d edges: SHD %d (%d missing, %d extra, %d reversed), F1 %.3f, score %.4f, h %.2g, %s after %d steps, %.0f processor seconds", name, seed, truth.NumEdges(),
				c.Distance(), c.Missing, c.Extra, c.Reversed, score, res.Score, h, res.Status, steps, took)
			shd, f1, seconds = shd+float64(c.Distance()), f1+score, seconds+took
		}
		n := float64(tables)
		t.Logf("%s, %d columns: mean SHD %.1f, F1 %.3f, %.0f processor seconds over %d tables", name, d, shd/n, f1/n, seconds/n, tables)
	}
}
