package joint

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// A Family is a column and its parents.
type Family struct {
	Rows     *matrix.Dense[float64] // the column, then its parents; categories as codes from 0
	Levels   []bool                 // the categories among these columns
	Required []bool                 // parents that stay; nil for none
	Weight   float64                // what a row counts, at most 1
}

const (
	// LeastRows is the smallest number of rows for a test: with fewer a network does not follow a function of several columns.
	LeastRows = 1000

	// A parent is needed if the errors without it are larger by surely standard errors and by a share that is at least smallShare and
	// half the share by which further fitting with all parents still changes them.
	surely     = 3
	smallShare = 0.01

	// The network counts only if its errors are below this share of those of curves and products.
	betterShare = 0.8

	farthest = 6 // standard deviations; values beyond are set to it
)

// Needed returns the parents that the network needs, ascending, or all if curves and products fit about as well. The result depends on
// the rows and the seed only.
func (f *Family) Needed(ctx context.Context, seed uint64) ([]int, error) {
	t := &test{Family: f, all: f.inputs(), rng: rand.New(rand.NewPCG(seed, 0x6a6f696e74))}
	for i, r := range t.rng.Perm(f.Rows.Rows) {
		t.halves[i%2] = append(t.halves[i%2], r)
	}
	parents := make([]int, f.Rows.Cols-1)
	for p := range parents {
		parents[p] = p
	}
	curves, err := t.curves()
	if err != nil {
		return nil, err
	}
	first, err := t.fit(ctx, parents, nil)
	if err != nil || mean(first.errors) > betterShare*mean(curves) {
		return parents, err
	}
	now, err := t.fit(ctx, parents, first)
	if err != nil {
		return nil, err
	}
	best := now // the fit with the smallest error, with which others are compared
	share := max(smallShare, (mean(first.errors)/mean(now.errors)-1)/2)
	for size := max(1, len(parents)/2); size > 0; {
		least := t.leastImportant(now, size)
		if len(least) == 0 {
			break
		}
		fewer, err := t.fit(ctx, slices.DeleteFunc(slices.Clone(now.parents), func(p int) bool { return slices.Contains(least, p) }), now)
		if err != nil {
			return nil, err
		}
		if t.worse(best, fewer, share) {
			size = len(least) / 2
			continue
		}
		now = fewer
		if mean(now.errors) < mean(best.errors) {
			best = now
		}
		size = min(len(least), max(1, len(now.parents)/2))
	}
	return now.parents, nil
}

// A test has the rows of a family and two halves of them.
type test struct {
	*Family
	all    *data
	halves [2][]int
	rng    *rand.Rand
}

// data are the inputs of networks. A parent has one input or, if it is a category, one for each level.
type data struct {
	x     *matrix.Dense[float64]
	y     []float64
	start []int // the first input of each parent, and the number of inputs
}

// inputs returns the inputs of all parents, with mean 0 and variance 1.
func (f *Family) inputs() *data {
	n := f.Rows.Rows
	d := &data{y: make([]float64, n), start: []int{0}}
	var columns [][]float64
	for j := range f.Rows.Cols {
		column := make([]float64, n)
		levels := 0
		for i := range column {
			column[i] = f.Rows.At(i, j)
			levels = max(levels, int(column[i])+1)
		}
		switch {
		case j == 0:
			d.y = column
			standardize(d.y)
			continue
		case f.Levels[j]:
			for k := range levels {
				is := make([]float64, n)
				for i, x := range column {
					if int(x) == k {
						is[i] = 1
					}
				}
				standardize(is)
				columns = append(columns, is)
			}
		default:
			standardize(column)
			columns = append(columns, column)
		}
		d.start = append(d.start, len(columns))
	}
	d.x = matrix.New[float64](n, len(columns))
	for k, column := range columns {
		for i, x := range column {
			d.x.Set(i, k, x)
		}
	}
	return d
}

func standardize(x []float64) {
	m, squares := mean(x), 0.0
	for _, v := range x {
		squares += (v - m) * (v - m)
	}
	sd := math.Sqrt(squares / float64(len(x)))
	for i := range x {
		if x[i] -= m; sd > 0 {
			x[i] = max(-farthest, min(farthest, x[i]/sd))
		}
	}
}

// of returns the rows with the inputs of some parents.
func (t *test) of(inputs []int) *data {
	d := &data{x: matrix.New[float64](len(t.all.y), len(inputs)), y: t.all.y}
	for i := range d.y {
		row := d.x.Row(i)
		for k, j := range inputs {
			row[k] = t.all.x.At(i, j)
		}
	}
	return d
}

// A fitted is a network for each half of the rows, with the squared error of each row by the network of the other half.
type fitted struct {
	parents, inputs []int
	nets            [2]*net
	errors          []float64
}

// fit fits networks with some parents. They start from those of another fit with more parents, if there is one.
func (t *test) fit(ctx context.Context, parents []int, from *fitted) (*fitted, error) {
	f := &fitted{parents: parents, errors: make([]float64, len(t.all.y))}
	var kept []int
	for _, p := range parents {
		for j := t.all.start[p]; j < t.all.start[p+1]; j++ {
			f.inputs = append(f.inputs, j)
			if from != nil {
				kept = append(kept, slices.Index(from.inputs, j))
			}
		}
	}
	d := t.of(f.inputs)
	for k, rows := range t.halves {
		n := newNet(len(f.inputs))
		count, speed := passes, rate
		if from == nil {
			n.draw(t.rng)
		} else {
			n.take(from.nets[k], kept)
			count, speed = morePasses, rate/2
		}
		if err := n.fit(ctx, t.rng, d, rows, count, speed); err != nil {
			return nil, err
		}
		n.errors(f.errors, d, t.halves[1-k])
		f.nets[k] = n
	}
	return f, nil
}

// leastImportant returns the parents, at most size of those that need not stay, whose values matter least: with values of other rows the
// errors grow least.
func (t *test) leastImportant(f *fitted, size int) []int {
	d, errors := t.of(f.inputs), make([]float64, len(t.all.y))
	type loss struct {
		parent int
		error  float64
	}
	var losses []loss
	at := 0
	for _, p := range f.parents {
		first, end := at, at+t.all.start[p+1]-t.all.start[p]
		at = end
		if t.Required != nil && t.Required[p] {
			continue
		}
		for k, rows := range t.halves {
			for i, r := range rows {
				copy(d.x.Row(r)[first:end], t.all.x.Row(rows[(i+1)%len(rows)])[t.all.start[p]:t.all.start[p+1]])
			}
			f.nets[1-k].errors(errors, d, rows)
		}
		for r := range d.y {
			copy(d.x.Row(r)[first:end], t.all.x.Row(r)[t.all.start[p]:t.all.start[p+1]])
		}
		losses = append(losses, loss{p, mean(errors)})
	}
	slices.SortStableFunc(losses, func(a, b loss) int { return cmp.Compare(a.error, b.error) })
	var out []int
	for _, l := range losses[:min(size, len(losses))] {
		out = append(out, l.parent)
	}
	return out
}

// worse reports whether the errors of b are surely larger than those of a, and by more than the share.
func (t *test) worse(a, b *fitted, share float64) bool {
	n := float64(len(a.errors))
	sum, squares := 0.0, 0.0
	for i, e := range b.errors {
		more := e - a.errors[i]
		sum += more
		squares += more * more
	}
	deviation := math.Sqrt(max(0, squares/n-sum*sum/n/n) / (n * t.Weight))
	return sum/n > surely*deviation && sum/n > share*mean(a.errors)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
