package score

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/search"
)

// Criterion is the parameter penalty of a discrete score.
type Criterion int

const (
	// BIC is twice the negative log-likelihood plus ln n for each free parameter.
	BIC Criterion = iota
	// BDeu is minus twice the logarithm of the marginal likelihood under Dirichlet priors that spread Ess
	// imaginary rows evenly over all configurations (Buntine 1991; Heckerman, Geiger and Chickering 1995).
	BDeu
)

// String returns "BIC" or "BDeu".
func (c Criterion) String() string {
	switch c {
	case BIC:
		return "BIC"
	case BDeu:
		return "BDeu"
	}
	return fmt.Sprintf("Criterion(%d)", int(c))
}

// Tables is how a discrete score models a column with several parents.
type Tables int

const (
	// FullTables has one distribution for each configuration of the parents.
	FullTables Tables = iota
	// AdditiveTables has a multinomial logit with one effect of each parent and no interactions.
	AdditiveTables
	// EitherTables uses the better of the two for each column and parent set.
	EitherTables
)

// DiscreteSettings are the settings of a discrete score. Start from DefaultDiscrete: zero means zero.
type DiscreteSettings struct {
	Criterion Criterion
	Tables    Tables
	// Ess is the equivalent sample size of BDeu, the weight of its prior in rows. BIC does not use it.
	Ess float64
	// Gamma charges 4·Gamma·ln d for every parent, where d is the number of columns: a prior under which each edge has
	// odds of d^(-2·Gamma). With 1/2 a variable is expected to have about one parent.
	Gamma float64
	// CellsPerRow limits parent sets: the score is +Inf if the configurations of parents and child exceed CellsPerRow times the
	// rows that count for the child. The empty set is always allowed.
	CellsPerRow float64
	// Weight is the weight of a row, less than 1 for grouped rows: every count is multiplied by it. 0 stands for 1.
	Weight float64
	// Drawn says that the rows are a bootstrap sample of another table. Every cell then fits better than in that table, and rare
	// ones are missing: the expected term of a sampled count is larger than the term of the table's count. The score subtracts this
	// bias term by term, to first order (discrete_terms.go). Without the correction bootstrap samples give more edges: a mean of
	// 168 and 168 for two halves of CelebA-HQ's rows, which have 158 and 154 themselves; with it 162 and 162.
	Drawn bool
}

// DefaultDiscrete returns BDeu of one row with Gamma = 1/2, and at most five configurations a row.
//
// Mean distance between the CPDAGs found and true, eight networks of the bnlearn repository, three samples of each, a plain search
// (POLYDAG_STUDY=1 go test ./score -run StudyFresh -v):
//
//	n       BIC   BIC    BDeu 1                              BDeu 10
//	Gamma   0     1/2    0     1/4   1/2   1     2           0     1/2   1
//	1000    35.8  35.4   43.8  28.4  28.9  29.0  31.9        70.8  33.5  28.7
//	10,000  22.6  22.2   26.5  20.0  20.8  19.7  21.1        48.7  29.3  21.9
//
// Without a penalty BDeu connects columns with rare categories: on win95pts at n = 10,000 the distance is 67 with Gamma = 0 and 28
// with 1/2. The bound on configurations changes no result between 1 and 100 with BIC, and hardly any with BDeu (-run StudyBound):
// both penalize large tables themselves. Below 1 it rejects true parents.
func DefaultDiscrete() DiscreteSettings {
	return DiscreteSettings{Criterion: BDeu, Ess: 1, Gamma: 0.5, CellsPerRow: 5}
}

// TargetsEss is the weight of BDeu's prior for tables in which columns were set from outside. Mean distance to the true DAG, five
// networks of the bnlearn repository, half of the columns set in two thirds of the rows, three samples of each (POLYDAG_STUDY=1 go
// test ./score -run StudyTargets -v), and the distance on the proteins of Sachs et al. with their interventions, of the graph
// learned and of the edges that 85 % of 60 resampled tables have (POLYDAG_STUDY=1 go test ./internal/learntest -run TestSachsInterventions
// -v has those of the default):
//
//	          BIC    BDeu 1   0.3   0.2   0.1
//	n = 1000  8.9       6.9   7.1         7.1
//	n = 5400  3.7       3.1   3.4         3.5
//	Sachs     8, 4      9     7, 5  7, 5  7, 3
//
// On simulated tables the weights are within half an edge of each other, and on the measured one the smaller is nearer. This is one
// table, and it was used to make the choice.
const TargetsEss = 0.1

// Validate reports every invalid setting.
func (s DiscreteSettings) Validate() error {
	var errs []error
	if s.Criterion != BIC && s.Criterion != BDeu {
		errs = append(errs, fmt.Errorf("Criterion = %v, want BIC or BDeu", s.Criterion))
	}
	if s.Criterion == BDeu && !(s.Ess >= 1e-6 && s.Ess <= 1e9) {
		errs = append(errs, fmt.Errorf("setting Ess = %v, want a number of rows from 1e-6 to 1e9", s.Ess))
	}
	if !(s.Gamma >= 0) || math.IsInf(s.Gamma, 0) {
		errs = append(errs, fmt.Errorf("setting Gamma = %v, want a finite number >= 0", s.Gamma))
	}
	if !(s.CellsPerRow > 0) || math.IsInf(s.CellsPerRow, 0) {
		errs = append(errs, fmt.Errorf("CellsPerRow = %v, want a finite number > 0", s.CellsPerRow))
	}
	if s.Tables < FullTables || s.Tables > EitherTables {
		errs = append(errs, fmt.Errorf("Tables = %d, want FullTables, AdditiveTables or EitherTables", s.Tables))
	}
	if !(s.Weight >= 0 && s.Weight <= 1) {
		errs = append(errs, fmt.Errorf("setting Weight = %v, want at most 1", s.Weight))
	}
	return errors.Join(errs...)
}

func (s DiscreteSettings) weight() float64 { return cmp.Or(s.Weight, 1) }

// Discrete is the local score of a categorical table; smaller is better. With N_jk the rows with configuration j of the parents and
// category k of v, N_j their sum over k, r the number of categories of v, q the product of the parents' numbers of categories and n
// the rows that count for v,
//
//	BIC    -2 Σ_jk N_jk ln(N_jk / N_j) + ln n · (r - 1) · q
//	BDeu   -2 Σ_j [lnΓ(a/q) - lnΓ(N_j + a/q)] - 2 Σ_jk [lnΓ(N_jk + a/(qr)) - lnΓ(a/(qr))],   a = Ess
//
// plus 4·Gamma·ln d for each parent.
//
// Configurations that never occur add nothing to the sums. They are counted in q, whether they are rare or impossible. Counting
// only the cells that occur, Σ_jk [N_jk > 0] - Σ_j [N_j > 0] parameters, is score-equivalent too, but then parents that spread the
// rows thinly cost less: a set with one row per configuration would explain everything at no cost. On ALARM with 1000 rows it finds
// 166 edges at a distance of 143, where (r - 1)·q finds 43 at 20; the network has 46 (POLYDAG_STUDY=1 go test ./score -run 'Study$'
// -v).
//
// Both are score-equivalent: graphs of one Markov equivalence class have the same total, unless there are interventions, which
// identify directions. Sums use integers (discrete_terms.go), so a value does not depend on the order of columns, categories,
// parents or rows, and Additions and Score agree exactly.
type Discrete struct {
	table *counts.Data
	s     DiscreteSettings
	logN  []float64 // ln n of each variable; 0 without rows
	most  []float64 // largest number of configurations before the score is +Inf
	scale float64   // scale of the integers, a power of two
	plain *terms    // c·ln c
	edge  float64   // penalty of a parent besides its parameters
	// additive has the penalties of additive effects; nil with FullTables.
	additive *additive
	// sets has the sums of sets; nil if they are not used.
	sets *setCache
}

// NewDiscrete returns the score of a table. It keeps the table, which is never changed.
func NewDiscrete(t *counts.Data, s DiscreteSettings) (*Discrete, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	d := &Discrete{table: t, s: s, logN: make([]float64, t.Variables()), most: make([]float64, t.Variables())}
	largest := 1.0
	for v := range d.logN {
		n := float64(t.Total(v)) * s.weight()
		d.logN[v] = math.Log(max(1, n))
		d.most[v] = min(s.CellsPerRow*n, maxCells)
		largest = max(largest, n)
	}
	d.edge = 4 * s.Gamma * math.Log(float64(t.Variables()))
	d.scale = scaleFor(largest, s.Ess)
	d.plain = newTerms(0, s.weight(), s.Drawn, d.scale, min(int(largest), 1<<16))
	d.sets = newSetCache(t, s)
	if s.Tables != FullTables {
		d.additive = newAdditive(d)
	}
	return d, nil
}

// Rows returns the number of rows, counting merged rows separately.
func (d *Discrete) Rows() int { return d.table.Given() }

// Part returns the score of the rows k, k + of, k + 2·of, … only, with the same settings, or nil if there are none.
func (d *Discrete) Part(k, of int) (*Discrete, error) {
	t := d.table.Part(k, of)
	if t == nil {
		return nil, nil
	}
	return NewDiscrete(t, d.s)
}

// maxCells keeps numbers of configurations exact in a float64.
const maxCells = 1 << 50

// Variables returns the number of columns.
func (d *Discrete) Variables() int { return d.table.Variables() }

// Price returns the penalty of an edge between two columns with the median number of categories: ln n per parameter plus the charge
// of Gamma. For large n BDeu has about the same penalty.
func (d *Discrete) Price() float64 {
	levels := make([]int, d.Variables())
	for v := range levels {
		levels[v] = d.table.Levels(v)
	}
	slices.Sort(levels)
	r := max(1, levels[len(levels)/2]-1)
	return slices.Max(d.logN)*float64(r)*float64(r) + d.edge
}

// PairPrice returns the penalty of an edge between two columns without other parents.
func (d *Discrete) PairPrice(x, v int) float64 {
	return d.logN[v]*float64(d.table.Levels(v)-1)*float64(d.table.Levels(x)-1) + d.edge
}

// Cost is the number of rows, the approximate work of counting per column.
//
// A fit of additive effects takes longer than the count.
func (d *Discrete) Cost() float64 {
	if d.additive != nil {
		return 4 * float64(d.Rows())
	}
	return float64(d.Rows())
}

// Equivalent reports whether the score is score-equivalent. Full tables are, exactly. Additive effects are for pairs, and within
// the accuracy of their penalty for larger families: directions are read from the equivalence class in both cases.
func (d *Discrete) Equivalent() bool { return !d.table.HasTargets() }

// Evaluator returns an evaluator for one goroutine.
func (d *Discrete) Evaluator() search.Evaluator { return d.evaluator() }

func (d *Discrete) evaluator() *DiscreteEvaluator {
	n := d.Variables()
	e := &DiscreteEvaluator{
		d: d, counter: d.table.Counter(), gammas: make(map[float64]*terms),
		parts: make([]part, 0, n), set: make([]int, 0, n),
	}
	e.visit, e.visitKept = e.add, e.addKept
	return e
}

// Effects is the model of how a column depends on its parents.
type Effects string

const (
	LinearEffects Effects = "linear"   // linear effects with Gaussian noise
	SmoothEffects Effects = "smooth"   // sums of smooth functions with Gaussian noise: Smooth
	TableEffects  Effects = "discrete" // a distribution for each configuration of the parents: Discrete
	MixedEffects  Effects = "mixed"    // linear effects of numbers and shifts by categories: Mixed
	// FlexibleEffects are curves between continuous columns, and linear effects and shifts by categories otherwise, of columns on
	// scales of their own: Flexible.
	FlexibleEffects Effects = "flexible"
)
