package sim

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestProcessKernel checks that functions of the process have mean 0 and covariance exp(-|x-x'|²/2), over draws
// of them.
func TestProcessKernel(t *testing.T) {
	const draws = 2000
	points := [][]float64{{0, 0}, {0.5, 0}, {1, -1}, {3, 2}}
	cov, mean := [4][4]float64{}, [4]float64{}
	for seed := range uint64(draws) {
		p := drawProcess([]int{0, 1}, Stream(seed, streamMechanism))
		var f [4]float64
		for i, x := range points {
			f[i] = p.at(x)
			mean[i] += f[i] / draws
		}
		for i := range f {
			for j := range f {
				cov[i][j] += f[i] * f[j] / draws
			}
		}
	}
	for i, x := range points {
		if !(math.Abs(mean[i]) <= 0.1) {
			t.Errorf("mean %v at %v", mean[i], x)
		}
		for j, y := range points {
			if want := math.Exp(-((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1])) / 2); !(math.Abs(cov[i][j]-want) <= 0.14) {
				t.Errorf("covariance of %v and %v is %v, want %v", x, y, cov[i][j], want)
			}
		}
	}
}

// TestCurvedEquations checks that the residual of a node has the configured noise, and that the functions read
// only the parents.
func TestCurvedEquations(t *testing.T) {
	for _, mechanism := range []Mechanism{Additive, Joint, MLP} {
		cfg := Default()
		cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = mechanism, 10, 15, 2
		cfg.Variance, cfg.RootVariance = Range{0.4, 0.8}, Range{1, 2}
		m := mustNew(t, cfg)
		const n = 1500
		x := m.Sample(Stream(1, StreamNoise), n)
		for v, parents := range m.parents {
			square := 0.0
			for i := range n {
				row := make([]float64, 10) // only the parents
				for j := range row {
					row[j] = math.NaN()
				}
				for _, p := range parents {
					row[p] = x.At(i, p)
				}
				e := x.At(i, v) - m.equations[v].value(row, 0)
				square += e * e / n
			}
			low, high := 0.4, 0.8
			if len(parents) == 0 {
				low, high = 1, 2
			}
			if sd := m.SD()[v]; sd*sd < low || sd*sd > high || !(math.Abs(square/(sd*sd)-1) <= 0.17) {
				t.Errorf("%v, node %d: what is left has variance %v, its noise %v", mechanism, v, square, sd*sd)
			}
		}
		if mechanism == Additive {
			for v, parents := range m.parents {
				if e := m.equations[v].(curve); len(e.functions) != len(parents) {
					t.Errorf("%d functions of %d parents", len(e.functions), len(parents))
				}
			}
		}
	}
}

// TestSampleRowsOnThreads checks that the rows do not depend on the number of threads, and drawing them ends
// with the context.
func TestSampleRowsOnThreads(t *testing.T) {
	for k := Linear; k <= Mixed; k++ {
		cfg := Default()
		cfg.Mechanism, cfg.Nodes, cfg.Interventions, cfg.Observational = k, 30, 4, 0.2
		m := mustNew(t, cfg)
		var want []byte
		rows := 2500 // three batches
		if k == Additive || k == Joint {
			rows = 200
		}
		for _, threads := range []int{1, 2, 7} {
			var b bytes.Buffer
			must.Succeed(t, m.SampleRows(context.Background(), Stream(3, StreamNoise), rows, threads, func(s int, row []float64) error {
				_ = binary.Write(&b, binary.LittleEndian, int64(s))
				return binary.Write(&b, binary.LittleEndian, row)
			}))
			if want == nil {
				want = b.Bytes()
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("%v: %d threads give other rows", k, threads)
			}
		}
		cause := errors.New("enough")
		ended, end := context.WithCancelCause(context.Background())
		end(cause)
		if err := m.SampleRows(ended, Stream(3, StreamNoise), 1<<40, 2, func(int, []float64) error { return nil }); err != cause {
			t.Errorf("%v: %v", k, err)
		}
		if k == Additive || k == Joint || k == MLP { // a batch takes a second
			continue
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		rows = 0
		err := m.SampleRows(ctx, Stream(3, StreamNoise), 1<<40, 2, func(int, []float64) error {
			if rows++; rows == 10 {
				cancel(cause)
			}
			return nil
		})
		if err != cause || rows > batchValues/30 {
			t.Errorf("%v: %d rows, %v", k, rows, err)
		}
	}
}

// TestDrawPredictor checks the ranges of the effects: ±[0.5, 2] of a category and ±[0.5, 1.5] of a number on a number, and the variance
// 1 of the effects of a category on a category.
func TestDrawPredictor(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	m := &Model{parents: [][]int{nil, nil, {0, 1}, {0, 1}}, levels: []int{3, 0, 0, 4}, sd: []float64{1, 1, 0.7, 1}, mean: make([]float64, 4), scale: make([]float64, 4)}
	least, most, squares := [2]float64{9, 9}, [2]float64{}, 0.0
	const n = 2000
	for range n {
		p := m.drawPredictor(2, rng)
		for k, effects := range p.effects {
			for _, e := range effects {
				least[k], most[k] = min(least[k], math.Abs(e)), max(most[k], math.Abs(e))
			}
		}
		q := m.drawPredictor(3, rng)
		if len(p.effects[0]) != 3 || len(p.effects[1]) != 1 || len(q.effects[0]) != 12 || len(q.effects[1]) != 4 || p.sd != 0.7 {
			t.Fatalf("effects %v and %v, want one for each pair of categories", p.effects, q.effects)
		}
		for _, e := range q.effects[0] {
			squares += e * e / 12
		}
	}
	for k, want := range []float64{2, 1.5} {
		if least[k] < 0.5 || least[k] > 0.51 || most[k] > want || most[k] < want-0.01 {
			t.Errorf("effects of parent %d between %v and %v, want 0.5 and %v", k, least[k], most[k], want)
		}
	}
	if math.Abs(squares/n-1) > 0.05 {
		t.Errorf("the variance of effects of categories on categories is %v, want 1", squares/n)
	}
}
