// Package weighted provides parts for methods with a weight matrix: progress reports and functions of some of
// the weights.
package weighted

import (
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/param"
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

// PathParams describes the settings of a path of increasing weights of the constraint under an MCP penalty.
func PathParams(s *param.Set, lambda, width, first, last *float64) {
	s.Float(lambda, "lambda", "weight of the MCP penalty", param.AtLeast(0))
	s.Float(width, "width", "absolute weight above which the MCP penalty is constant", param.Above(0))
	s.Float(first, "mu-first", "weight of the constraint in the first stage", param.Above(0))
	s.Float(last, "mu-last", "weight of the constraint in the last stage", param.Above(0))
	s.Require(func() *param.Fault {
		if *last >= *first {
			return nil
		}
		return &param.Fault{Setting: "mu-last", Value: fmt.Sprint(*last), Want: fmt.Sprintf("at least mu-first, %g", *first)}
	})
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

// GeometricMatrices is the number of matrices that h_geo of order k works in: 8 with the scheme for K = 16, at most 13
// with any other.
func GeometricMatrices(k int) int {
	if k == 16 {
		return 8
	}
	return 13
}
