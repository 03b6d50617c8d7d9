package polydag

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/internal/prepare"
)

// gaps holds the incomplete rows of a table with missing values and how they were completed. The table then has several copies of
// each row, which differ in the values that were drawn, and each copy counts less than a row.
type gaps struct {
	raw     func(ctx context.Context, each func(rows []float64) error) error // NaN is a missing value
	rows    int
	copies  int
	threads int
	seed    uint64
	// information is the number of complete rows that carry as much information as the incomplete rows.
	information float64
	fit         []float64 // the rows that models are fitted to
	gaussian    *missing.Gaussian
	filled      []float64 // the completed rows; nil if there are too many to keep
}

const (
	// mostFitted and mostFilled limit the values of the rows that models are fitted to, and of completed rows in memory: 512 MB
	// each. Longer tables are fitted to evenly spaced rows and completed again in each pass.
	mostFitted = 1 << 26
	mostFilled = 1 << 26
	// enoughRows is the number of completed rows beyond which more copies of a row add little. A table has at least leastCopies and
	// at most mostCopies of each row.
	enoughRows  = 30_000
	leastCopies = 2
	mostCopies  = 10
)

// complete sets the moments, the rows and the sample of a table from n incomplete rows. start is a fit to similar rows, or nil.
func (t *Table) complete(ctx context.Context, g *gaps, names []string, start *missing.Gaussian) error {
	d := len(names)
	if err := g.read(ctx, d); err != nil {
		return err
	}
	g.copies = max(leastCopies, min(mostCopies, enoughRows/max(g.rows, 1)))
	g.information = missing.CountPairs(g.fit, d).Effective() * float64(g.rows) / float64(len(g.fit)/d)
	var err error
	if g.gaussian, err = missing.FitGaussian(ctx, g.fit, d, missing.Settings{Threads: g.threads, Start: start}); err != nil {
		var at *dataset.ParseError
		if errors.As(err, &at) && at.Column > 0 {
			at.Name = names[at.Column-1]
		}
		return err
	}
	t.gaps = g
	t.Moments = g.gaussian.Moments(names, g.rows*g.copies)
	return t.fill(ctx, func() missing.Filler { return g.gaussian.Filler() })
}

// read keeps the rows that models are fitted to.
func (g *gaps) read(ctx context.Context, d int) error {
	if g.fit != nil {
		return nil
	}
	step := (g.rows*d + mostFitted - 1) / mostFitted
	i := 0
	g.fit = make([]float64, 0, (g.rows/max(step, 1)+1)*d)
	return g.raw(ctx, func(rows []float64) error {
		for at := 0; at < len(rows); at += d {
			if i%step == 0 {
				g.fit = append(g.fit, rows[at:at+d]...)
			}
			i++
		}
		return nil
	})
}

// fill completes the rows with draws from a model.
func (t *Table) fill(ctx context.Context, model func() missing.Filler) error {
	g, d := t.gaps, t.Moments.Dim()
	t.noRows = ""
	t.replay = func(ctx context.Context, each func([]float64, []int) error) error {
		return g.replay(ctx, d, model, each)
	}
	if g.filled = nil; g.rows*g.copies*d <= mostFilled {
		filled := make([]float64, 0, g.rows*g.copies*d)
		if err := t.replay(ctx, func(rows []float64, _ []int) error {
			filled = append(filled, rows...)
			return nil
		}); err != nil {
			return err
		}
		g.filled = filled
	}
	if t.Sample == nil {
		return nil
	}
	sampler, left := prepare.NewRowSampler(d, 0), g.rows*d
	if err := t.replay(ctx, func(rows []float64, _ []int) error {
		own := rows[:min(left, len(rows))]
		left -= len(own)
		if len(own) == 0 {
			return nil
		}
		return sampler.Add(append([]float64(nil), own...), nil)
	}); err != nil {
		return err
	}
	t.Sample = sampler.Sample()
	t.Sample.Weight = g.information / float64(g.rows)
	return nil
}

// replay calls each with the completed rows: all rows of the first copy, then those of the second, and so on. The draws depend only
// on the seed, the copy and the row.
func (g *gaps) replay(ctx context.Context, d int, model func() missing.Filler, each func([]float64, []int) error) error {
	const step = 1024
	if g.filled != nil {
		for at := 0; at < len(g.filled); at += step * d {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := each(g.filled[at:min(at+step*d, len(g.filled))], nil); err != nil {
				return err
			}
		}
		return nil
	}
	fillers := make([]missing.Filler, g.threads)
	for i := range fillers {
		fillers[i] = model()
	}
	for c := range g.copies {
		first := 0
		err := g.raw(ctx, func(rows []float64) error {
			n := len(rows) / d
			const part = 64 // rows that a thread completes at a time
			gemm.ShareBy(g.threads, (n+part-1)/part, func(worker, k int) {
				pcg := &rand.PCG{}
				random := rand.New(pcg)
				for i := k * part; i < min((k+1)*part, n); i++ {
					pcg.Seed(g.seed+uint64(c), uint64(first+i))
					fillers[worker].Fill(rows[i*d:(i+1)*d], random)
				}
			})
			first += n
			return each(rows, nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Rows returns the number of rows of the table. Moments.N is larger if missing values were completed: it counts every copy of a row.
func (t *Table) Rows() int {
	if t.gaps != nil {
		return t.gaps.rows
	}
	return t.Moments.N
}

// Incomplete reports whether values of the table are missing and were completed.
func (t *Table) Incomplete() bool { return t.gaps != nil }

// effective returns the number of complete rows that carry as much information, at least 3.
func (g *gaps) effective() int { return max(3, int(math.Round(g.information))) }

// evidenceMoments returns the moments with one copy of each row.
func (t *Table) evidenceMoments() (*dataset.Moments, float64) {
	if t.gaps != nil {
		return t.Moments.CountedAs(t.gaps.rows), t.gaps.information / float64(t.gaps.rows)
	}
	return t.Moments, t.rowWeight()
}
