package timing

import (
	"context"
	"slices"
	"time"
)

// An Operation calls lap between the things that are timed: the time from one lap to the next counts.
type Operation func(lap func()) error

// Single times every call of f.
func Single(f func() error) Operation {
	return func(lap func()) error {
		lap()
		err := f()
		lap()
		return err
	}
}

// Plan sets the duration of InTurns.
type Plan struct {
	Rounds int           // at most, after one that warms up
	Least  int           // rounds that are made however long they take
	Limit  time.Duration // no round starts after this, except the least number
	Slice  time.Duration // how long an operation is repeated in a round
}

// Turns are what InTurns found, operation by operation.
type Turns struct {
	Rounds  int
	Seconds []float64   // the median of the rounds; that of a round is the median of its laps
	Ratios  []float64   // the median over the rounds of the ratio to the first operation in the same round
	rounds  [][]float64 // by operation, then by round
}

// Ratio returns the median over the rounds of the time of operation i over that of operation j in the same round.
func (t Turns) Ratio(i, j int) float64 {
	shares := make([]float64, t.Rounds)
	for r := range shares {
		shares[r] = t.rounds[i][r] / t.rounds[j][r]
	}
	return median(shares)
}

// InTurns runs the operations one after the other, round after round. A machine that is slow for a while is so for all operations of
// a round, which their ratios do not show; laps are short, so that most of them pass without the machine's other work
// getting in between. It ends with the first error, or that of ctx.
func InTurns(ctx context.Context, plan Plan, ops []Operation) (Turns, error) {
	t := Turns{rounds: make([][]float64, len(ops))}
	begin := time.Now()
	for round := 0; round <= plan.Rounds && (round <= plan.Least || time.Since(begin) < plan.Limit); round++ {
		for i, op := range ops {
			laps, err := repeat(ctx, plan.Slice, op)
			if err != nil {
				return Turns{}, err
			}
			if round == 0 { // warms up
				continue
			}
			t.rounds[i] = append(t.rounds[i], median(laps))
		}
		t.Rounds = round
	}
	for i := range ops {
		t.Seconds, t.Ratios = append(t.Seconds, median(slices.Clone(t.rounds[i]))), append(t.Ratios, t.Ratio(i, 0))
	}
	return t, nil
}

// repeat times the laps of an operation for a while, one call at least.
func repeat(ctx context.Context, slice time.Duration, op Operation) (laps []float64, err error) {
	for start := time.Now(); ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var last time.Time
		err := op(func() {
			now := time.Now()
			if !last.IsZero() {
				laps = append(laps, max(now.Sub(last).Seconds(), 1e-9)) // a clock may stand still
			}
			last = now
		})
		if err != nil {
			return nil, err
		}
		if time.Since(start) > slice && len(laps) > 0 {
			return laps, nil
		}
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
