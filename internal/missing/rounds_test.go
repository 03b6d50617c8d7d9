package missing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// EM multiplies the distance to the estimates by the share of missing information: 0.3⁴ and 0.45⁵ are less than 2 %, and 0.4⁴ is more.
func TestRoundsFollowTheMissingShare(t *testing.T) {
	for share, want := range map[float64]int{0.001: 2, 0.1: 2, 0.3: 4, 0.4: 5, 0.45: 5, 0.6: 8, 0.9: 8} {
		if got := emRounds(share); got != want {
			t.Errorf("%d rounds for a share of %v, want %d", got, share, want)
		}
	}
}

// A category b is missing in most rows where its child c is 1. The rows that have b then give a biased P(b), which rounds of EM correct:
// P(c | b) of the rows is wrong, P(b | c) is right.
func TestRoundsReachTheEstimates(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	var rows []float64
	for range 5000 {
		b, c := 0.0, 0.0
		if random.Float64() < 0.5 {
			b = 1
		}
		if random.Float64() < 0.2+0.6*b {
			c = 1
		}
		if random.Float64() < 0.1+0.8*c {
			b = math.NaN()
		}
		rows = append(rows, b, c)
	}
	g := fitted(t, rows, 2, true, [][]int{nil, {0}})
	b := g.nodes[slices.Index(g.order, 0)].table
	near(t, "P(b)", b.p[1], 0.5, 0.04) // 0.27 in the rows that have it
	// Half as many rounds come before parents are added. Each asks once whether the run was stopped.
	asked := 0
	set := NetworkSettings{Threads: 1, Discrete: []bool{true, true}, Parents: [][]int{nil, {0}}}
	if _, err := FitNetwork(counting{t.Context(), &asked}, rows, 2, set); err != nil || asked != 9 { // 50 % are missing
		t.Errorf("%d rounds, want 9; %v", asked, err)
	}
}

// A counting context counts the calls of Err.
type counting struct {
	context.Context
	calls *int
}

func (c counting) Err() error {
	*c.calls++
	return c.Context.Err()
}

// A short table is completed several times in each round, which halves the error of the draws.
func TestShortTablesAreCompletedSeveralTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 3))
	var rows []float64
	for range 200 {
		c := float64(random.IntN(2))
		b := []float64{math.Mod(c+float64(random.IntN(4)/3), 2)}
		rows = append(append(rows, withMissing(b, 0.5, random)...), c)
	}
	var sum, square float64
	const fits = 60
	for seed := range uint64(fits) {
		g := must.Get(FitNetwork(t.Context(), rows, 2, NetworkSettings{Threads: 1, Seed: seed, Discrete: []bool{true, true}, Parents: [][]int{{1}, nil}}))
		p := g.nodes[slices.Index(g.order, 0)].table.p[1]
		sum += p / fits
		square += p * p / fits
	}
	if sd := math.Sqrt(square - sum*sum); sd > 0.025 || sd < 0.005 {
		t.Errorf("the standard deviation over seeds is %v", sd)
	}
}

// A long table is fitted to evenly spaced rows.
func TestFittedRowsAreEvenlySpaced(t *testing.T) {
	g := &Network{order: []int{0}, columns: []netColumn{{columnFacts: columnFacts{std: 1}}}}
	var rows []float64
	for i := range 12 {
		rows = append(rows, float64(i))
	}
	if got := g.codeRows(rows, 5); !slices.Equal(got, []float64{0, 3, 6, 9}) {
		t.Errorf("rows %v", got)
	}
	if got := g.codeRows(rows, 12); len(got) != 12 {
		t.Errorf("%d rows", len(got))
	}
}

// In each configuration of the parents the distribution without the last one counts as one more row, and so on down to that without any.
func TestTablesBackOff(t *testing.T) {
	columns := make([]netColumn, 3)
	for j := range columns {
		columns[j].levels = []float64{0, 1}
	}
	rows := []float64{ // v and its parents p, q
		1, 0, 0,
		1, 0, 0,
		0, 1, 0,
	}
	got := fitCPT(rows, 3, 0, []int{1, 2}, columns)
	all := (2 + 0.5) / (3 + 1.)
	p := []float64{(2 + all) / 3, (0 + all) / 2}
	for i, want := range []float64{(2 + p[0]) / 3, (0 + p[1]) / 2, p[0], p[1]} { // p runs fastest; q = 1 never occurs
		near(t, "probability", got.p[2*i+1], want, 1e-12)
		near(t, "sum", got.p[2*i]+got.p[2*i+1], 1, 1e-12)
	}
}

// Two missing numbers x → y with an observed child z of y need several sweeps: drawn from their parents first, x does not know z.
func TestCoupledNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 2))
	var rows []float64
	for range 4000 {
		x := random.NormFloat64()
		y := x + 0.7*random.NormFloat64()
		rows = append(rows, x, y, y+0.5*random.NormFloat64())
	}
	g := fitted(t, rows, 3, false, [][]int{nil, {0}, {1}})
	f := g.Filler()
	mean := 0.0
	const n, z = 8000, 3.0
	for range n {
		row := []float64{math.NaN(), math.NaN(), z}
		f.Fill(row, random)
		mean += row[0] / n
	}
	near(t, "mean of x", mean, z/(1+0.49+0.25), 0.12)
}

// Copies of incomplete rows differ in their draws, and a copy is the same each time. A copy of weighted rows has the rows at evenly spaced places of
// the sum of the weights.
func TestCopies(t *testing.T) {
	rows := make([]float64, 40)
	for i := range rows {
		rows[i] = float64(i)
	}
	rows[3] = math.NaN()
	r := &Rows{N: 40, Copies: 2, Threads: 2, Seed: 5, Read: func(_ context.Context, each func(dataset.RowBatch) error) error {
		return each(dataset.RowBatch{Values: slices.Clone(rows)})
	}}
	read := func() (out []float64) {
		must.Succeed(t, r.Replay(t.Context(), 1, func() Filler { return drawn{} }, func(b dataset.RowBatch) error {
			rows := b.Values
			out = append(out, rows...)
			return nil
		}))
		return out
	}
	got := read()
	if len(got) != 80 || got[3] == got[43] || got[2] != 2 || !slices.Equal(got, read()) {
		t.Errorf("draws %v and %v", got[3], got[43])
	}
	r = &Rows{N: 3, Weights: []float64{0.6, 0.4, 2}}
	of := r.Systematic(0, 1) // the rows at 0.5, 1.5 and 2.5 of the sum of the weights
	if a, b, c := of(0), of(1), of(2); a != 1 || b != 0 || c != 2 {
		t.Errorf("rows occur %d, %d and %d times in one copy", a, b, c)
	}
}

// drawn replaces missing values by random numbers.
type drawn struct{}

func (drawn) Fill(row []float64, random *rand.Rand) {
	for j, v := range row {
		if v != v {
			row[j] = random.Float64()
		}
	}
}
