package kit

import (
	"math/rand/v2"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/contract"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/solve"
)

// The checks of small interfaces are in a package of their own, because the tests of the packages below this one use them.

// ConstraintSettings relax checks for constraints that fulfil them only in part.
type ConstraintSettings struct {
	D    int    // number of nodes, at least 3
	Seed uint64 // seed of the random graphs

	// ZeroTol is the largest |h| that counts as zero on a DAG. 0 requires exact zeros.
	ZeroTol float64
	// LongestCycle is the longest cycle that the constraint detects; 0 means D.
	LongestCycle int
	// Large allows a finite value at weights where the powers of W∘W overflow.
	Large bool
	// MaxWeight limits the weights of random graphs with cycles, for constraints with a small domain. 0 means 1.
	MaxWeight float64
	// Loopless ignores the gradient on the diagonal of W, which every solver projects away.
	Loopless bool
}

// Constraint reports every check that an acyclicity constraint fails on random graphs of d nodes:
//
//   - zero on DAGs: h is zero on random DAGs, within d units of roundoff
//   - positive on cycles: on a self-loop, a 2-cycle and the d-cycle
//   - gradient: it agrees with central differences
//   - symmetries: h does not change with signs and labels, and the gradient follows them
//   - repeats: the value is the same with and without a gradient, on a second call and from a strided matrix
//   - overwrites: the gradient is overwritten, not added to
//   - sizes: matrices of different sizes can follow each other
//   - untouched: w is not changed, including the gaps of a strided matrix
//   - keeps nothing: w is not kept
//   - overflow: a W too large for h gives +Inf and an error, never NaN; with Large it may be finite, and then so is the gradient
func Constraint[T matrix.Float](c solve.Constraint[T], d int, seed uint64) error {
	return contract.Constraint(c, d, seed)
}

// ConstraintWith is Constraint with settings.
func ConstraintWith[T matrix.Float](c solve.Constraint[T], o ConstraintSettings) error {
	return contract.ConstraintWith(c, contract.ConstraintSettings(o))
}

// Score reports every check that a score fails at random d×d matrices W near zero:
//
//   - finite: value and gradient are numbers
//   - gradient: it agrees with central differences
//   - repeats: the value is the same with and without a gradient, and on a second call
//   - overwrites: the gradient is overwritten, not added to
//   - untouched: w is not changed
//   - keeps nothing: w is not kept
//   - overflow: weights that are too large give +Inf and an error, never NaN
//
// The diagonal is not checked, because every solver projects it away.
func Score[T matrix.Float](s solve.Score[T], d int, seed uint64) error {
	return contract.Score(s, d, seed)
}

// ScoreAt reports every check that s fails at a point of any shape, including all entries, for scores with other parameters than W.
// The score must be smooth there.
func ScoreAt[T matrix.Float](s solve.Score[T], at *matrix.Dense[T]) error {
	return contract.ScoreAt(s, at)
}

// Penalty reports every check that a penalty fails on random matrices with weights of up to three times size:
//
//   - zero: the penalty of the zero matrix is zero, and its subgradient there too
//   - positive: it is finite, and positive if a weight is not zero
//   - signs: it does not change with the signs of the weights
//   - rising: making all weights larger does not make it smaller
//   - gradient: it agrees with central differences if no weight is near zero
//   - adds: the gradient is added to the existing values
//   - repeats: a second call gives the same value
//   - kink: if it is reported, it is the derivative just beside zero
//   - untouched: w is not changed
func Penalty[T matrix.Float](p solve.Penalty[T], rows, columns int, size float64, seed uint64) error {
	return contract.Penalty(p, rows, columns, size, seed)
}

// Solver runs a schedule with a descent on a small problem with a known solution and reports every failed check:
//
//   - descends: score + h falls, and stays finite
//
//   - repeats: two solvers from make take exactly the same steps
//
//   - keeps nothing: the descent keeps neither the parameters nor the gradient
//
//   - resets: after Reset a descent is as new
//
//   - at the limit: the status at the step limit is Completed or StepLimit
//
//   - resumes: if both can be saved, saving changes nothing, and a resumed run ends in the same bytes
//
//   - refuses: a damaged state gives an error
//
//   - shortens: if the descent is a solve.Retrier, a repeated step is shorter
//
//   - searches: if it is a solve.Searcher, a step lowers the objective or does not move
//
//     err := kit.Solver(func() (solve.Schedule, solve.Descent[float64]) {
//     return solve.NewReleased(1, 200), solve.NewAdam[float64](0.01)
//     }, 1)
//
// Features of solve.Run (fixed zeros, observers, cancellation) are tested there.
func Solver[T matrix.Float](make func() (solve.Schedule, solve.Descent[T]), seed uint64) error {
	return contract.Solver(make, seed)
}

// Independence reports every check that an independence test fails, on random queries drawn from seed: P is in [0, 1]; the
// statistic is finite and not negative; the result does not depend on the order of x and y or of the condition, or on earlier
// queries; the condition is neither changed nor kept; repeated and invalid columns give ErrArguments.
func Independence(t independence.Test, seed uint64) error {
	return contract.Independence(t, seed)
}

// Calibrated checks that the p-values of a test are uniform under independence. draw makes a table in which two columns are
// independent given the condition and tests them, 10,000 times. The Kolmogorov–Smirnov distance must be below its 0.1 % critical
// value, 1.95/√10000.
func Calibrated(draw func(rng *rand.Rand) (independence.Result, error), seed uint64) error {
	return contract.Calibrated(draw, seed)
}

// LocalScoreSettings configure LocalScore. The zero value has the defaults.
type LocalScoreSettings struct {
	// MaxParents is the largest number of parents, 4 by default.
	MaxParents int
	// Tolerance is the allowed rounding error, relative to the score or the penalty, whichever is larger: of Additions against
	// Score, and between the totals of equivalent graphs. 1e-9 by default.
	Tolerance float64
}

// LocalScore reports every check that a local score fails, on random parent sets drawn from seed. Variables, Price and Equivalent
// are constant, and the penalty is finite and > 0. A score is a number or +Inf, and finite without parents. It has the same bits
// after other queries, from another evaluator, and on several goroutines. Parents are neither changed nor kept. Additions agrees
// with Score up to rounding, with the same bits every time, and leaves the rest of dst. Removals, if implemented, agrees exactly
// with Score without each parent. Cost, if implemented, is finite and > 0. If Equivalent is true, random graphs of one Markov
// equivalence class have the same total.
func LocalScore(s search.Score, o LocalScoreSettings, seed uint64) error {
	return contract.LocalScore(s, contract.LocalScoreSettings(o), seed)
}
