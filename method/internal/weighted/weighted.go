// Package weighted has what every method with a matrix of weights needs beside its solver: progress that others can watch, and
// functions of a part of the weights.
package weighted

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// Watch tells a run of each step of a continuous stage.
func Watch(run *stage.Run, name string, steps int) solve.Observer {
	return func(st solve.Step) {
		run.Tell(stage.Progress{
			Stage: name, Kind: stage.Solve, Step: st.Step, Steps: steps,
			Score: st.Score + st.Penalty, H: st.H, Rho: st.Rho, Alpha: st.Alpha,
		})
	}
}

// Restricted returns f of w with only the entries of g kept, nil where it overflows.
func Restricted[T matrix.Float](f solve.Constraint[T], w *matrix.Dense[T], g *graph.Graph) *float64 {
	kept := matrix.New[T](w.Rows, w.Cols)
	for _, e := range g.Edges() {
		kept.Set(e.From, e.To, w.At(e.From, e.To))
	}
	v, err := f.Eval(nil, kept)
	if err != nil {
		return nil
	}
	return &v
}
