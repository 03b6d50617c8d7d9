package acyclic_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

var updatePython = flag.Bool("update-python", false, "write the reference values of the Python package anew")

const pythonReference = "../python/tests/constraints.json"

type pythonCase struct {
	Name       string      `json:"name"`
	Constraint string      `json:"constraint"`
	K          int         `json:"k"`
	W          [][]float64 `json:"w"`
	H          float64     `json:"h"`
	Gradient   [][]float64 `json:"gradient"`
}

// TestPythonReference checks the values and gradients that the tests of polydag.constraints in Python compare with. go test ./acyclic -run
// PythonReference -update-python writes them.
func TestPythonReference(t *testing.T) {
	var cases []pythonCase
	add := func(name string, w *matrix.Dense[float64]) {
		for _, c := range []struct {
			name string
			k    int
			f    interface {
				Eval(grad, w *matrix.Dense[float64]) (float64, error)
			}
		}{
			{"exp", 0, &acyclic.Exp[float64]{}}, {"poly", 0, &acyclic.Poly[float64]{}},
			{"geo", 0, &acyclic.Geometric[float64]{}}, {"geo", 16, &acyclic.Geometric[float64]{K: 16}}, {"geo", 7, &acyclic.Geometric[float64]{K: 7}},
		} {
			g := matrix.New[float64](w.Rows, w.Cols)
			h := must.Get(c.f.Eval(g, w))
			cases = append(cases, pythonCase{fmt.Sprintf("%s of %s, K = %d", c.name, name, c.k), c.name, c.k, rows(w), h, rows(g)})
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(d int, keep func(i, j int) bool, scale float64) *matrix.Dense[float64] {
		w := matrix.New[float64](d, d)
		for i := range d {
			for j := range d {
				if v := math.Round(1e3*scale*(2*rng.Float64()-1)) / 1e3; keep(i, j) {
					w.Set(i, j, v)
				}
			}
		}
		return w
	}
	add("1 node", random(1, func(i, j int) bool { return false }, 1))
	add("a DAG", random(6, func(i, j int) bool { return i < j }, 2))
	add("5 nodes", random(5, func(i, j int) bool { return i != j }, 1))
	add("12 nodes with self-loops", random(12, func(i, j int) bool { return (i+j)%3 > 0 }, 0.6))
	add("large weights", random(4, func(i, j int) bool { return i != j }, 5))
	add("a cycle of 17", random(17, func(i, j int) bool { return j == (i+1)%17 }, 1.5))

	if *updatePython {
		text := must.Get(json.Marshal(map[string]any{"about": "Written by go test ./acyclic -run PythonReference -update-python", "cases": cases}))
		must.Succeed(t, os.WriteFile(pythonReference, append(text, '\n'), 0o644))
		return
	}
	var kept struct{ Cases []pythonCase }
	must.Succeed(t, json.Unmarshal(must.Get(os.ReadFile(pythonReference)), &kept))
	must.Same(t, len(kept.Cases), len(cases))
	for k, c := range cases {
		must.Same(t, kept.Cases[k].Name, c.Name)
		must.Near(t, kept.Cases[k].H, c.H, 1e-12*c.H, "h: %s", c.Name)
		for i, row := range c.Gradient {
			for j, v := range row {
				must.Same(t, kept.Cases[k].W[i][j], c.W[i][j], c.Name)
				must.Near(t, kept.Cases[k].Gradient[i][j], v, 1e-12*math.Abs(v), "gradient: %s", c.Name)
			}
		}
	}
}

func rows(w *matrix.Dense[float64]) [][]float64 {
	out := make([][]float64, w.Rows)
	for i := range out {
		out[i] = w.Row(i)
	}
	return out
}
