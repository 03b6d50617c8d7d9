package independence

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/counts"
)

// Levels tests categorical columns by contingency tables. In each configuration s of the condition, with n_ijs rows of category i
// of x and category j of y and e_ijs = n_i·s·n_·js / n_··s expected rows,
//
//	G² = 2·Σ n_ijs·ln(n_ijs / e_ijs),   χ² = Σ (n_ijs - e_ijs)² / e_ijs
//
// have about the distribution χ² with Σ_s (r_s - 1)·(c_s - 1) degrees of freedom under independence, where r_s and c_s are the
// categories of x and y that occur in s. This is the rule for sparse tables: a configuration with few rows adds few degrees of
// freedom, and a condition that determines x leaves none, which means independence. Other programs count all categories whether
// they occur or not, and some assume independence below ten rows per degree of freedom. With many categories both rules drop edges
// that the data clearly support.
//
// A test costs a pass over the rows.
type Levels struct {
	table  *counts.Data
	weight float64
	chi2   bool
}

// NewG2 tests by the likelihood ratio G². weight is the weight of a row, less than 1 for grouped rows: it multiplies the
// statistic.
func NewG2(t *counts.Data, weight float64) (*Levels, error) { return newLevels(t, weight, false) }

// NewChi2 tests by Pearson's χ².
func NewChi2(t *counts.Data, weight float64) (*Levels, error) { return newLevels(t, weight, true) }

func newLevels(t *counts.Data, weight float64, chi2 bool) (*Levels, error) {
	if t.HasTargets() {
		return nil, fmt.Errorf("rows in which columns were set are no sample of one distribution; leave them out")
	}
	if !(weight > 0) {
		return nil, fmt.Errorf("a row counts %v, want more than 0", weight)
	}
	return &Levels{t, weight, chi2}, nil
}

// Columns returns the number of columns.
func (t *Levels) Columns() int { return t.table.Variables() }

func (t *Levels) Independent(x, y int, given []int) (Result, error) {
	return t.Worker().Independent(x, y, given)
}

func (t *Levels) Worker() Test { return &levelsWorker{Levels: t, counter: t.table.Counter()} }

type levelsWorker struct {
	*Levels
	counter       *counts.Counter
	set           []int
	rows, columns []float64
}

func (t *levelsWorker) Independent(x, y int, given []int) (Result, error) {
	x, y, set, err := arguments(t.Columns(), x, y, given, &t.set)
	if err != nil {
		return Result{}, err
	}
	r := t.table.Levels(x)
	t.rows, t.columns = chol.Grown(t.rows, r), chol.Grown(t.columns, t.table.Levels(y))
	statistic, df := 0.0, 0.0
	t.counter.Strata(x, y, set, func(cells []uint32) {
		s, f := contingency(cells, t.rows, t.columns, t.chi2)
		statistic, df = statistic+s, df+f
	})
	return chi(statistic*t.weight, df), nil
}

// contingency returns the statistic and the degrees of freedom of one table, whose entry k·len(rows) + i is at row i and column k.
// rows and columns are buffers.
func contingency(cells []uint32, rows, columns []float64, chi2 bool) (statistic, df float64) {
	clear(rows)
	r := len(rows)
	total, many := 0.0, 0.0
	for k := range columns {
		sum := 0.0
		for i, n := range cells[k*r : (k+1)*r] {
			sum += float64(n)
			rows[i] += float64(n)
		}
		columns[k] = sum
		total += sum
		if sum > 0 {
			many++
		}
	}
	several := 0.0
	for _, n := range rows {
		if n > 0 {
			several++
		}
	}
	if many < 2 || several < 2 {
		return 0, 0
	}
	for k, c := range columns {
		if c == 0 {
			continue
		}
		for i, cell := range cells[k*r : (k+1)*r] {
			if rows[i] == 0 {
				continue
			}
			n, expected := float64(cell), rows[i]*c/total
			if chi2 {
				statistic += (n - expected) * (n - expected) / expected
			} else if cell > 0 {
				statistic += 2 * n * math.Log(n/expected)
			}
		}
	}
	return statistic, (many - 1) * (several - 1)
}
