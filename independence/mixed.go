package independence

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
)

// A Column of Mixed is numeric, or categorical if Levels is more than 0.
type Column struct {
	Values []float64
	Codes  []uint32 // from 0 to Levels - 1
	Levels int
}

// Mixed tests tables of numeric and categorical columns under conditional Gaussian models. There is one stratum for each
// configuration of the categorical columns in the condition. Within a stratum the numeric columns C of the condition have linear
// effects, and the statistics and degrees of freedom of the strata are summed.
//
//   - x and y are numbers: z² of their partial correlation given C (FisherZ), one degree of freedom.
//   - x is a number, y has levels: the likelihood ratio of a regression of x on C for each level, with a variance of its own,
//     against one regression, (levels - 1)·(|C| + 2) degrees of freedom. It is multiplied by what makes its mean under
//     independence exact (Bartlett's correction; the logarithm of a χ² variable has mean ψ(df/2) + ln 2).
//   - both have levels: G² where C is empty, else the likelihood ratio of a multinomial logistic regression of the one with
//     fewer levels on C and the other against one on C alone, (r - 1)·(c - 1) degrees of freedom.
//
// A stratum, or a category in it, with too few rows for its parameters adds nothing: a regression needs two rows more than
// parameters, a logistic regression five rows per parameter. If this applies to all strata the error is ErrRows. A test costs a
// pass over the rows, and O(n·(|C| + 2)²).
type Mixed struct {
	columns []Column
	rows    int
	weight  float64
}

// NewMixed tests the columns, which it keeps without changing them. weight is the weight of a row, which multiplies the statistics.
func NewMixed(columns []Column, weight float64) (*Mixed, error) {
	t := &Mixed{columns: columns, weight: weight, rows: -1}
	for j, c := range columns {
		n := len(c.Values)
		if c.Levels > 0 {
			n = len(c.Codes)
		}
		if t.rows >= 0 && n != t.rows {
			return nil, fmt.Errorf("column %d has %d rows, column 1 has %d", j+1, n, t.rows)
		}
		t.rows = n
		if slices.ContainsFunc(c.Codes, func(k uint32) bool { return int(k) >= c.Levels }) {
			return nil, fmt.Errorf("column %d has a code beyond its %d levels", j+1, c.Levels)
		}
		if slices.ContainsFunc(c.Values, func(x float64) bool { return x-x != 0 }) {
			return nil, fmt.Errorf("column %d has a value that is no finite number", j+1)
		}
	}
	if t.rows < 4 {
		return nil, fmt.Errorf("%w: %d rows, want at least 4", ErrRows, max(0, t.rows))
	}
	if !(weight > 0) {
		return nil, fmt.Errorf("a row counts %v, want more than 0", weight)
	}
	return t, nil
}

// Columns returns the number of columns.
func (t *Mixed) Columns() int { return len(t.columns) }

func (t *Mixed) Independent(x, y int, given []int) (Result, error) {
	return t.Worker().Independent(x, y, given)
}

func (t *Mixed) Worker() Test { return &mixedWorker{Mixed: t} }

type mixedWorker struct {
	*Mixed
	set, numbers  []int
	ids           []uint32
	order, starts []uint32
	fit           leastSquares
	logit         logistic
	cells         []uint32
	across, down  []float64
	level         [][]uint32
}

func (t *mixedWorker) Independent(x, y int, given []int) (Result, error) {
	x, y, set, err := arguments(t.Columns(), x, y, given, &t.set)
	if err != nil {
		return Result{}, err
	}
	t.numbers = t.numbers[:0]
	seen := t.stratify(set)
	if t.columns[y].Levels < t.columns[x].Levels {
		x, y = y, x // a number first, or the column with fewer categories
	}
	statistic, df, tested := 0.0, 0.0, false
	for k := range seen {
		rows := t.order[t.starts[k]:t.starts[k+1]]
		var s, f float64
		var ok bool
		switch {
		case t.columns[y].Levels == 0:
			s, f, ok = t.numberPair(x, y, rows)
		case t.columns[x].Levels == 0:
			s, f, ok = t.numberByLevels(x, y, rows)
		case len(t.numbers) == 0:
			s, f = t.table(x, y, rows)
			ok = true
		default:
			s, f, ok = t.levelPair(x, y, rows)
		}
		statistic, df, tested = statistic+s, df+f, tested || ok
	}
	if !tested {
		return Result{}, fmt.Errorf("%w: %d rows and %d columns in the condition", ErrRows, t.rows, len(set))
	}
	return chi(statistic*t.weight, df), nil
}

// stratify sorts the rows by the categories of the set, collects its numeric columns, and returns the number of strata: stratum k
// has the rows order[starts[k]:starts[k+1]], ascending.
func (t *mixedWorker) stratify(set []int) int {
	n := t.rows
	t.ids = chol.Grown(t.ids, n)
	clear(t.ids)
	seen := 1
	for _, v := range set {
		c := &t.columns[v]
		if c.Levels == 0 {
			t.numbers = append(t.numbers, v)
			continue
		}
		number := map[uint64]uint32{}
		for i, k := range c.Codes {
			key := uint64(t.ids[i])<<32 | uint64(k)
			id, ok := number[key]
			if !ok {
				id = uint32(len(number))
				number[key] = id
			}
			t.ids[i] = id
		}
		seen = len(number)
	}
	t.starts = chol.Grown(t.starts, seen+2)
	clear(t.starts)
	for _, id := range t.ids {
		t.starts[id+2]++
	}
	for k := range seen {
		t.starts[k+2] += t.starts[k+1]
	}
	t.order = chol.Grown(t.order, n)
	for i, id := range t.ids {
		t.order[t.starts[id+1]] = uint32(i)
		t.starts[id+1]++
	}
	return seen
}

// numberPair returns z² of the partial correlation of two numbers.
func (t *mixedWorker) numberPair(x, y int, rows []uint32) (statistic, df float64, ok bool) {
	free := len(rows) - len(t.numbers) - 3
	if free < 1 {
		return 0, 0, false
	}
	t.fit.gather(t.columns, t.numbers, []int{x, y}, rows)
	r := t.fit.partial()
	if math.IsNaN(r) { // one of them is determined in this stratum
		return 0, 0, true
	}
	z := math.Atanh(min(math.Abs(r), 1-1e-15))
	return float64(free) * z * z, 1, true
}

// numberByLevels compares a regression of x for each category of y with one for all.
func (t *mixedWorker) numberByLevels(x, y int, rows []uint32) (statistic, df float64, ok bool) {
	p := len(t.numbers) + 1
	t.split(y, rows)
	used := t.order[:0:0]
	kept := 0
	for _, own := range t.level {
		if len(own) >= p+2 {
			used = append(used, own...)
			kept++
		}
	}
	if kept == 0 {
		return 0, 0, false
	}
	if kept == 1 {
		return 0, 0, true
	}
	n := float64(len(used))
	t.fit.gather(t.columns, t.numbers, []int{x}, used)
	whole, rank := t.fit.residual()
	if whole <= chol.Determined*t.fit.total {
		return 0, 0, true
	}
	mean := func(n float64, rank int) float64 { return n * (digamma((n-float64(rank))/2) + math.Log(2/n)) }
	ratio, expected := n*math.Log(whole/n), mean(n, rank)
	parameters := -float64(rank + 1)
	least := chol.Determined * whole
	for _, own := range t.level {
		if len(own) < p+2 {
			continue
		}
		m := float64(len(own))
		t.fit.gather(t.columns, t.numbers, []int{x}, own)
		left, rank := t.fit.residual()
		ratio -= m * math.Log(max(left, least)/m)
		expected -= mean(m, rank)
		parameters += float64(rank + 1)
	}
	if !(expected > 0) {
		return 0, 0, true
	}
	return ratio * parameters / expected, parameters, true
}

// split sorts rows by the categories of y.
func (t *mixedWorker) split(y int, rows []uint32) {
	c := &t.columns[y]
	for len(t.level) < c.Levels {
		t.level = append(t.level, nil)
	}
	t.level = t.level[:c.Levels]
	for k := range t.level {
		t.level[k] = t.level[k][:0]
	}
	for _, i := range rows {
		t.level[c.Codes[i]] = append(t.level[c.Codes[i]], i)
	}
}

// table returns G² of two categorical columns.
func (t *mixedWorker) table(x, y int, rows []uint32) (statistic, df float64) {
	a, b := &t.columns[x], &t.columns[y]
	t.cells = chol.Grown(t.cells, a.Levels*b.Levels)
	clear(t.cells)
	for _, i := range rows {
		t.cells[int(b.Codes[i])*a.Levels+int(a.Codes[i])]++
	}
	t.across, t.down = chol.Grown(t.across, a.Levels), chol.Grown(t.down, b.Levels)
	return contingency(t.cells, t.across, t.down, false)
}

// levelPair compares logistic regressions of x on the numbers with and without y.
func (t *mixedWorker) levelPair(x, y int, rows []uint32) (statistic, df float64, ok bool) {
	l := &t.logit
	l.gather(t.columns, t.numbers, x, y, rows)
	if l.classes < 2 || l.others < 2 {
		return 0, 0, true
	}
	if len(rows) < 5*(l.classes-1)*(len(t.numbers)+l.others) {
		return 0, 0, false
	}
	df = float64((l.classes - 1) * (l.others - 1))
	return 2 * (l.fit(l.width) - l.fit(l.width-l.others+1)), df, true
}
