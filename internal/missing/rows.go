package missing

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/gemm"
)

// Rows are the rows of a table with missing values or row weights. They are read as several copies, which differ in the values that were
// drawn and, with weights, in the rows that they have.
type Rows struct {
	Read    dataset.Rows // NaN is a missing value; may be changed
	N       int
	Weights []float64 // row weights; nil if all rows count the same
	Copies  int
	Threads int
	Seed    uint64
	Filled  []float64 // the completed rows; nil if there are too many to keep
}

// WeightedCopies is the least number of copies with row weights: the larger it is, the closer the copies are to the weights.
const WeightedCopies = 8

// mostFitted limits the values of the rows that models are fitted to: 512 MB. Longer tables are fitted to evenly spaced rows.
const mostFitted = 1 << 26

// Fitted returns the rows that models are fitted to.
func (r *Rows) Fitted(ctx context.Context, d int) ([]float64, error) {
	copies := 1
	if r.Weights != nil {
		copies = WeightedCopies
	}
	return r.every(ctx, d, copies, (r.N*copies*d+mostFitted-1)/mostFitted)
}

// every returns one of step rows of some copies.
func (r *Rows) every(ctx context.Context, d, copies, step int) ([]float64, error) {
	i := 0
	out := make([]float64, 0, (r.N*copies/max(step, 1)+1)*d)
	for c := range copies {
		err := r.weighted(ctx, d, c, copies, func(b dataset.RowBatch) error {
			for at := 0; at < len(b.Values); at += d {
				if i%step == 0 {
					out = append(out, b.Values[at:at+d]...)
				}
				i++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// weighted reads the rows of one of several copies. With weights, a copy is a systematic sample of the rows, as many as there are: a row
// occurs in it as often as its share of the weight says, rounded up in some copies and down in others.
func (r *Rows) weighted(ctx context.Context, d, c, copies int, each func(dataset.RowBatch) error) error {
	if r.Weights == nil {
		return r.Read(ctx, each)
	}
	times := r.Systematic(c, copies)
	var buffer []float64
	i := 0
	return r.Read(ctx, func(b dataset.RowBatch) error {
		buffer = buffer[:0]
		for at := 0; at < len(b.Values); at += d {
			for range times(i) {
				buffer = append(buffer, b.Values[at:at+d]...)
			}
			i++
		}
		if len(buffer) == 0 {
			return nil
		}
		return each(dataset.RowBatch{Values: buffer})
	})
}

// Systematic returns a function that is called for one row after the other and returns how often it is in a copy.
func (r *Rows) Systematic(c, copies int) func(i int) int {
	total := 0.0
	for _, w := range r.Weights {
		total += w
	}
	scale, offset := float64(r.N)/total, (float64(c)+0.5)/float64(copies)
	sum, before := 0.0, math.Floor(-offset)
	return func(i int) int {
		if sum += r.Weights[i] * scale; i == r.N-1 {
			sum = float64(r.N) // without rounding errors
		}
		now := math.Floor(sum - offset)
		n := int(now - before)
		before = now
		return n
	}
}

// Independent returns the number of equally weighted rows that carry as much information as the rows with their weights, (Σw)²/Σw²
// (Kish 1965).
func (r *Rows) Independent() float64 {
	if r.Weights == nil {
		return float64(r.N)
	}
	var sum, squares float64
	for _, w := range r.Weights {
		sum += w
		squares += w * w
	}
	return sum * sum / squares
}

// Replay calls each with the completed rows: all rows of the first copy, then those of the second, and so on. The draws depend only
// on the seed, the copy and the row.
func (r *Rows) Replay(ctx context.Context, d int, model func() Filler, each func(dataset.RowBatch) error) error {
	if r.Filled != nil {
		return dataset.RowBatch{Values: r.Filled}.Rows(d)(ctx, each)
	}
	fillers := make([]Filler, r.Threads)
	for i := range fillers {
		fillers[i] = model()
	}
	for c := range r.Copies {
		first := 0
		err := r.weighted(ctx, d, c, r.Copies, func(b dataset.RowBatch) error {
			n := len(b.Values) / d
			if fillers[0] == nil {
				return each(b)
			}
			const part = 64 // rows that a thread completes at a time
			gemm.ShareBy(r.Threads, (n+part-1)/part, func(worker, k int) {
				pcg := &rand.PCG{}
				random := rand.New(pcg)
				for i := k * part; i < min((k+1)*part, n); i++ {
					pcg.Seed(r.Seed+uint64(c), uint64(first+i))
					fillers[worker].Fill(b.Values[i*d:(i+1)*d], random)
				}
			})
			first += n
			return each(b)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
