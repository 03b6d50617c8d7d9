package linear_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

func TestStepTime(t *testing.T) {
	if os.Getenv("TMPSTEP") == "" {
		t.Skip()
	}
	stepTime[float32](t, 100)
	stepTime[float64](t, 100)
	stepTime[float32](t, 200)
	stepTime[float64](t, 200)
}

func stepTime[T matrix.Float](t *testing.T, d int) {
	_, mom := table(t, 3, d, 1000, nil)
	h := &acyclic.LogDet[T]{S: 1}
	ls := score.NewLeastSquares[T](mom.Covariance(), 1)
	p := solve.Problem[T]{D: d, Score: ls, Constraint: h, Penalty: solve.L1[T]{Lambda: 0.03}}
	a := solve.NewAdam[T](3e-4)
	a.Beta1 = .99
	var ts []float64
	last := time.Now()
	steps := 3000
	res, err := solve.Run(context.Background(), p, solve.NewFalling(solve.FallingSettings{First: 1, Factor: .1, Stages: 1, StageSteps: steps, LastSteps: steps, Every: 1000, Tol: 1e-6}), a, solve.Settings{Steps: steps, Retries: 20}, func(solve.Step) {
		now := time.Now()
		ts = append(ts, now.Sub(last).Seconds()*1e6)
		last = now
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(ts)
	var hs, ss []float64
	g := matrix.New[T](d, d)
	for range 1000 {
		s := time.Now()
		h.Eval(g, res.W)
		hs = append(hs, time.Since(s).Seconds()*1e6)
		s = time.Now()
		ls.Eval(g, res.W)
		ss = append(ss, time.Since(s).Seconds()*1e6)
	}
	slices.Sort(hs)
	slices.Sort(ss)
	var z T
	fmt.Printf("%T d=%d step min %.0f p10 %.0f med %.0f   logdet min %.0f p10 %.0f   ls min %.0f p10 %.0f\n", z, d, ts[2], ts[len(ts)/10], ts[len(ts)/2], hs[0], hs[100], ss[0], ss[100])
}
