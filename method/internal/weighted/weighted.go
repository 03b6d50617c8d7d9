// Package weighted provides parts for methods with a weight matrix: progress reports and functions of some of
// the weights.
package weighted

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// Watch returns an observer that reports each step of a continuous stage to run.
func Watch(run *stage.Run, name string, steps int) solve.Observer {
	return func(st solve.Step) {
		run.Tell(stage.Progress{
			Stage: name, Kind: stage.Solve, Step: st.Step, Steps: steps,
			Score: st.Score + st.Penalty, H: st.H, Rho: st.Rho, Alpha: st.Alpha,
		})
	}
}

// Restricted returns f of w with only the entries of g, or nil if it overflows.
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
