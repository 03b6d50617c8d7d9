package polydag_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/pc"
	"github.com/polydag/polydag/method/stage"
)

// gappy returns a table of a chain of numbers, or of numbers and categories, in which a share of the values is missing.
func gappy(n int, share float64, mixed bool) polydag.Columns {
	random := rand.New(rand.NewPCG(5, 6))
	out := make(polydag.Columns, 5)
	for j := range out {
		out[j].Name = fmt.Sprintf("x%d", j)
	}
	for range n {
		x := 0.0
		for j := range out {
			x = 0.8*x + random.NormFloat64()
			v := x
			if mixed && j%2 == 1 {
				if v = 0; x > 0 {
					v = 1
				}
			}
			if random.Float64() < share {
				v = math.NaN()
			}
			out[j].Numbers = append(out[j].Numbers, v)
		}
	}
	return out
}

// stopping is a method that ends the context after it has learned once.
type stopping struct {
	method.Method
	stop func()
}

func (m stopping) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	defer m.stop()
	return m.Method.Learn(ctx, in, run)
}

// A run that is stopped while the missing values are drawn again returns the graph that it learned before.
func TestMissingKeepsTheFirstGraph(t *testing.T) {
	table := must.Get(polydag.Prepare(t.Context(), gappy(300, 0.3, false), polydag.DefaultPreparation()))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	cfg := polydag.DefaultConfig()
	cfg.Method = stopping{cfg.Method, stop}
	res, err := table.Learn(ctx, cfg, polydag.Run{})
	if !errors.Is(err, context.Canceled) || res.Status != method.Canceled || res.Cause != "interrupted" || len(res.Edges) < 4 {
		t.Errorf("%s (%s) with %d edges", res.Status, res.Cause, len(res.Edges))
	}
	for _, e := range res.Edges {
		if e.Verdict == polydag.Directed {
			t.Errorf("%s → %s is stated", e.From, e.To)
		}
	}
}

// A run that ends before the graph of the last round returns no graph, since those of earlier rounds have no verdicts. The error is the
// cause of the context, and not that the table could not be opened.
func TestMissingEndsEarly(t *testing.T) {
	enough := errors.New("enough")
	table := must.Get(polydag.Prepare(t.Context(), gappy(300, 0.3, true), polydag.DefaultPreparation()))
	for _, rounds := range []int{0, 1, 2} {
		ctx, stop := context.WithCancelCause(t.Context())
		cfg := polydag.DefaultConfig()
		cfg.Method = stopping{cfg.Method, func() {
			if rounds--; rounds == 0 {
				stop(enough)
			}
		}}
		if rounds == 0 {
			stop(enough)
		}
		if res, err := table.Learn(ctx, cfg, polydag.Run{}); res != nil || err == nil || err.Error() != "enough" {
			t.Errorf("a result: %t, error %v; want no result and the cause of the context", res != nil, err)
		}
	}
}

// Shuffled columns and any number of threads give the same edges, weights and scores.
func TestMissingSameBytes(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		columns := gappy(300, 0.2, mixed)
		var want string
		for k, order := range [][]int{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {3, 0, 4, 2, 1}} {
			own := make(polydag.Columns, len(columns))
			for i, j := range order {
				own[i] = columns[j]
			}
			p, cfg := polydag.DefaultPreparation(), polydag.DefaultConfig()
			p.Threads, cfg.Threads = k+1, k+1
			table := must.Get(polydag.Prepare(t.Context(), own, p))
			if !table.Incomplete() || table.Rows() != 300 {
				t.Fatalf("incomplete: %v, %d rows", table.Incomplete(), table.Rows())
			}
			res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
			var edges []string
			for _, e := range res.Edges {
				edges = append(edges, fmt.Sprintf("%s %s %s %x", e.From, e.Mark, e.To, e.Weight))
			}
			slices.Sort(edges)
			text := fmt.Sprint(res.Rows, edges)
			if k == 0 {
				want = text
			} else if text != want {
				t.Errorf("mixed %v, run %d:\n%s\nwant\n%s", mixed, k, text, want)
			}
		}
	}
}

// A bootstrap sample completes its own rows.
func TestMissingBootstrap(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		table := must.Get(polydag.Prepare(t.Context(), gappy(200, 0.1, mixed), polydag.DefaultPreparation()))
		from := must.Get(table.Resampler(t.Context(), 1<<30))
		draw := polydag.Draw{Kind: polydag.Bootstrap, Seed: 1, Replicate: 3}
		a := must.Get(from.Draw(t.Context(), draw))
		b := must.Get(from.Draw(t.Context(), draw))
		if a.Rows() != 200 || a.Fingerprint() != b.Fingerprint() || a.Fingerprint() == table.Fingerprint() {
			t.Errorf("%d rows, fingerprints %s, %s", a.Rows(), a.Fingerprint(), b.Fingerprint())
		}
		times, err := from.Times(t.Context(), draw)
		if err != nil || len(times) != table.Moments.N {
			t.Errorf("%d draws of %d rows, %v", len(times), table.Moments.N, err)
		}
	}
}

// Under a nonlinear model, missing values are drawn from the curves of the graph and not from a normal distribution.
func TestImputedCurves(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 31))
	x, y := make([]float64, 600), make([]float64, 600)
	gone := map[int]bool{}
	for i := range x {
		x[i] = 4*random.Float64() - 2
		y[i] = x[i]*x[i] + 0.3*random.NormFloat64()
		if i%4 == 0 {
			gone[i], y[i] = true, math.NaN()
		}
	}
	table := must.Get(polydag.Prepare(t.Context(), polydag.Columns{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}, polydag.DefaultPreparation()))
	res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
	if res.Sloped() || len(res.Edges) != 1 {
		t.Fatalf("model %s, edges %v", res.Model, res.Edges)
	}
	var rows []float64
	must.Succeed(t, table.Impute(t.Context(), res, 1, 7, func(b dataset.RowBatch) error { rows = append(rows, b.Values...); return nil }))
	if len(rows) != 2*len(x) {
		t.Fatalf("%d values, want %d", len(rows), 2*len(x))
	}
	off := 0.0 // mean squared distance of the imputed values from the curve
	for i := range x {
		if gone[i] {
			d := rows[2*i+1] - rows[2*i]*rows[2*i]
			off += d * d / float64(len(gone))
		}
	}
	if off > 0.3 {
		t.Errorf("imputed values are %.2f from the curve (mean square), want about 0.09", off)
	}
}

func TestMissingPairwiseNeedsTests(t *testing.T) {
	p := polydag.DefaultPreparation()
	p.Missing = dataset.MissingPairwise
	table := must.Get(polydag.Prepare(t.Context(), gappy(200, 0.1, false), p))
	cfg := polydag.DefaultConfig()
	if _, err := table.Learn(t.Context(), cfg, polydag.Run{}); !errors.Is(err, polydag.ErrPairwise) {
		t.Errorf("default method: %v", err)
	}
	cfg.Method = pc.New()
	if _, err := table.Learn(t.Context(), cfg, polydag.Run{}); err != nil {
		t.Errorf("pc: %v", err)
	}
}

// Frequencies give the result of the expanded table, to the last bit.
func TestFrequencies(t *testing.T) {
	columns := gappy(150, 0.1, true)
	times := polydag.Column{Name: "times"}
	expanded := make(polydag.Columns, len(columns))
	for j := range columns {
		expanded[j].Name = columns[j].Name
	}
	random := rand.New(rand.NewPCG(1, 9))
	for i := range 150 {
		k := random.IntN(4)
		times.Numbers = append(times.Numbers, float64(k))
		for range k {
			for j := range columns {
				expanded[j].Numbers = append(expanded[j].Numbers, columns[j].Numbers[i])
			}
		}
	}
	want := must.Get(polydag.FromColumns(expanded...))
	p := polydag.DefaultPreparation()
	p.Frequencies = "times"
	got := must.Get(polydag.Prepare(t.Context(), append(polydag.Columns{times}, columns...), p))
	if got.Fingerprint() != want.Fingerprint() || got.Rows() != want.Rows() {
		t.Errorf("%d rows, %s; want %d, %s", got.Rows(), got.Fingerprint(), want.Rows(), want.Fingerprint())
	}
	for _, bad := range []float64{-1, 0.5, math.NaN()} {
		times.Numbers[7] = bad
		if _, err := polydag.Prepare(t.Context(), append(polydag.Columns{times}, columns...), p); err == nil || !strings.Contains(err.Error(), "row 8") {
			t.Errorf("frequency %v: %v", bad, err)
		}
	}
}

// Moments are weighted.
func TestRowWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	var x, y, w []float64
	for range 20_000 {
		a := random.NormFloat64()
		b := a*a*0.5 + random.NormFloat64()
		if share := 1 / (1 + math.Exp(-1.5*a)); random.Float64() < share {
			x, y, w = append(x, a), append(y, b), append(w, 1/share)
		}
	}
	p := polydag.DefaultPreparation()
	p.RowWeights = "w"
	table := must.Get(polydag.Prepare(t.Context(), polydag.Columns{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}, {Name: "w", Numbers: w}}, p))
	m := table.Moments
	if len(m.Names) != 2 || table.Rows() != len(x) {
		t.Fatalf("columns %v, %d rows", m.Names, table.Rows())
	}
	var sum, mx, my, xx, xy, yy float64
	for i, v := range w {
		sum, mx, my, xx, xy, yy = sum+v, mx+v*x[i], my+v*y[i], xx+v*x[i]*x[i], xy+v*x[i]*y[i], yy+v*y[i]*y[i]
	}
	mx, my = mx/sum, my/sum
	c := m.Covariance()
	for _, v := range [][2]float64{{m.Mean[0], mx}, {m.Mean[1], my}, {c.At(0, 0), xx/sum - mx*mx}, {c.At(0, 1), xy/sum - mx*my}, {c.At(1, 1), yy/sum - my*my}} {
		if !(math.Abs(v[0]-v[1]) <= 0.01) {
			t.Errorf("moment %v, want %v", v[0], v[1])
		}
	}
	res, err := table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{})
	if err != nil || res.Rows != len(x) {
		t.Fatal(err)
	}
	w[3] = -1
	if _, err := polydag.Prepare(t.Context(), polydag.Columns{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}, {Name: "w", Numbers: w}}, p); err == nil || !strings.Contains(err.Error(), "not a weight") {
		t.Error(err)
	}
}
