package surrogate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	dag "github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/solve"
)

// Settings has the size of the study.
type Settings struct {
	Columns  []int
	Train    int // tables to train on, for each number of columns
	Test     int // further tables to measure on
	Every    int // values of h for one example
	Steps    int // steps of training
	Batch    int
	Threads  int
	Progress func(share float64) // may be nil
}

// DefaultSettings returns the study of the documentation.
func DefaultSettings() Settings {
	return Settings{Columns: []int{10, 20, 50, 100}, Train: 40, Test: 10, Every: 10, Steps: 4000, Batch: 16, Threads: 1}
}

// Quick returns a study of about a minute.
func Quick() Settings {
	s := DefaultSettings()
	s.Columns, s.Train, s.Test, s.Steps = []int{10, 20}, 10, 5, 1500
	return s
}

// A Row has the figures of one constraint for one number of columns, as means or medians over the tables that were not trained on.
type Row struct {
	Columns    int
	Constraint string
	LogError   float64 // median of |log h - prediction|
	Cosine     float64 // median cosine of the gradients
	LateCosine float64 // the same where h is below 0.01
	SHD        float64 // mean distance of the learned graph from the truth, after the threshold and the removal of cycles
	Cut        float64 // mean number of edges that had to be removed because of cycles
	Micro      float64 // median time of a value with its gradient, in microseconds on one thread
}

// Run trains the networks and measures them and the exact constraint. It hands over each row when it is ready.
func Run(ctx context.Context, s Settings, each func(Row) error) error {
	done, of := 0.0, 2*float64(len(s.Columns))
	for _, d := range s.Columns {
		train, err := tables(d, s.Train, 1)
		if err != nil {
			return err
		}
		list, err := gather(ctx, s, train)
		if err != nil {
			return err
		}
		test, err := tables(d, s.Test, 1+uint64(s.Train))
		if err != nil {
			return err
		}
		fresh, err := gather(ctx, s, test)
		if err != nil {
			return err
		}
		row, err := s.measure(ctx, "exact", func() solve.Constraint[float64] { return exact() }, test, fresh)
		if err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
		for _, kind := range []Kind{Entries, Walks} {
			weights, err := training{kind, d, s.Steps, s.Batch, s.Threads, 1}.run(ctx, list, func(share float64) { s.tell((done + share) / of) })
			if err != nil {
				return err
			}
			own := func() solve.Constraint[float64] { return newConstraint(kind, d, weights) }
			row, err := s.measure(ctx, string(kind), own, test, fresh)
			if err != nil {
				return err
			}
			if err := each(row); err != nil {
				return err
			}
			done++
		}
	}
	return nil
}

func (s Settings) tell(share float64) {
	if s.Progress != nil {
		s.Progress(share)
	}
}

func tables(d, count int, first uint64) ([]*table, error) {
	out := make([]*table, count)
	for i := range out {
		var err error
		if out[i], err = newTable(d, first+uint64(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func gather(ctx context.Context, s Settings, list []*table) ([]example, error) {
	parts, errs := make([][]example, len(list)), make([]error, len(list))
	parallel.For(len(list), s.Threads, func(i int) {
		parts[i], errs[i] = list[i].examples(ctx, s.Every, rand.New(rand.NewPCG(uint64(i), 2)))
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(parts...), nil
}

// measure compares a constraint with the exact one, and learns graphs with it.
func (s Settings) measure(ctx context.Context, name string, constraint func() solve.Constraint[float64], list []*table, fresh []example) (Row, error) {
	row := Row{Columns: list[0].covariance.Rows, Constraint: name}
	var logs, cosines, late, times []float64
	c, grad := constraint(), matrix.New[float64](row.Columns, row.Columns)
	for _, e := range fresh {
		began := time.Now()
		h, err := c.Eval(grad, e.w)
		if err != nil {
			return row, err
		}
		times = append(times, float64(time.Since(began).Nanoseconds())/1000)
		logs = append(logs, math.Abs(math.Log(h+floor)-e.log))
		cos := cosine(grad.Data, e.slope.Data)
		cosines = append(cosines, cos)
		if e.log < math.Log(0.01) {
			late = append(late, cos)
		}
	}
	row.LogError, row.Cosine, row.LateCosine, row.Micro = median(logs), median(cosines), median(late), median(times)
	shd, cut, errs := make([]float64, len(list)), make([]float64, len(list)), make([]error, len(list))
	parallel.For(len(list), s.Threads, func(i int) {
		shd[i], cut[i], errs[i] = list[i].distance(ctx, constraint())
	})
	for i, err := range errs {
		if err != nil {
			return row, err
		}
		row.SHD += shd[i] / float64(len(list))
		row.Cut += cut[i] / float64(len(list))
	}
	return row, nil
}

// distance learns a graph, drops weights up to 0.3 and cuts cycles as the published method does, and counts the differences from the truth.
func (t *table) distance(ctx context.Context, c solve.Constraint[float64]) (shd, cut float64, err error) {
	w, err := t.learn(ctx, c, nil)
	if err != nil {
		return 0, 0, err
	}
	found := dag.Threshold(w.Rows, w.At, 0.3)
	kept, removed, err := dag.BreakCycles(found, func(e dag.Edge) float64 { return w.At(e.From, e.To) })
	if err != nil {
		return 0, 0, err
	}
	return float64(metric.SHD(t.truth, kept).Distance()), float64(len(removed)), nil
}

func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i, v := range a {
		ab, aa, bb = ab+v*b[i], aa+v*v, bb+b[i]*b[i]
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// median sorts the values and returns the middle one, or 0 if there are none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}
