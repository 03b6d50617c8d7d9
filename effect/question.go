package effect

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/method/param"
)

// A Question asks for the effect of an intervention on one column on another column. Start from NewQuestion, or leave Level and Threads
// empty: other empty fields then stand for their defaults too.
type Question struct {
	Of string // the column intervened on
	On string // the outcome column; under a result with lags it may be Of

	// Start and End are the two values of Of that are compared: a number, or a category in the table's notation. Empty means one
	// unit under a linear model, the quartiles of a number under other models, the two categories or the two most frequent ones,
	// or the first and last ordered category.
	Start, End string
	// Do lists values of Of for which to compute the distribution of On.
	Do []string
	// Row is a row of the table, counted from 1, for a counterfactual question; 0 for none. Given are values of a row that is not
	// in the table. Both need one of Do.
	Row   int
	Given []Value

	// By lists columns for whose subgroups RankDrivers computes effects; AutoBy finds those with differences.
	By []string

	// Horizon is the number of time steps over which a result with lags is asked.
	Horizon int

	// Level is the level of intervals, such as 0.9.
	Level float64
	// GivenGraph assumes that the graph is known: intervals then cover only the weights, which is faster.
	GivenGraph bool
	// Replicates is the number of bootstrap samples behind an interval; with 0 there are only intervals by formula.
	Replicates int
	Seed       uint64
	Threads    int // number of threads; never changes the answer
	// Observe, if not nil, receives the number of finished bootstrap samples. It is called from one goroutine at a time and must be
	// quick.
	Observe func(done, of int)
}

// A Value is the known value of a column, a number or a category of the table.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// NewQuestion asks for the effect of one column on another with intervals at 0.9 from 200 replicates.
func NewQuestion(of, on string) Question {
	return Question{Of: of, On: on, Level: 0.9, Horizon: 10, Replicates: 200, Seed: 1, Threads: runtime.NumCPU()}
}

// filled returns the question with the defaults of NewQuestion in its empty fields, if it has neither threads nor a level.
func (q Question) filled() Question {
	if q.Threads == 0 && q.Level == 0 {
		return param.Fill(q, NewQuestion(q.Of, q.On))
	}
	return q
}

// Errors of questions. Each error of Ask that is not caused by the data matches one.
var (
	ErrQuestion      = fault.Kind("effect-question", "the question is not valid; correct its settings")
	ErrNotIdentified = fault.Kind("effect-not-identified", "the graph does not identify the effect; learn a DAG")
	ErrNeedsTable    = fault.Kind("effect-needs-table", "the result alone does not contain what is needed; give the table that it was learned from")
	ErrOtherTable    = fault.Kind("effect-other-table", "the table is not the one that the result was learned from; give that table, with the same settings")
	ErrTooWide       = mechanism.ErrTooWide
)

func askf(format string, args ...any) error {
	return &fault.Error{Err: ErrQuestion, Text: fmt.Sprintf(format, args...)}
}

// mostReplicates guards against typing errors.
const mostReplicates = 1_000_000

// Validate reports every error that can be detected without the result.
func (q Question) Validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, askf(format, args...)) }
	if q.Of == "" || q.On == "" {
		fail("the cause or the outcome is missing; name both columns")
	}
	if !(q.Level > 0 && q.Level < 1) {
		fail("level = %v; want a share between 0 and 1, such as 0.9", q.Level)
	}
	if q.Replicates < 0 || q.Replicates > mostReplicates {
		fail("replicates = %d; want 0 to %d", q.Replicates, mostReplicates)
	}
	if q.Threads < 1 {
		fail("threads = %d; want at least 1", q.Threads)
	}
	if (q.Start == "") != (q.End == "") {
		fail("a contrast is between two values; give both")
	}
	if q.Row < 0 {
		fail("row = %d; rows are counted from 1", q.Row)
	}
	if q.Row > 0 && len(q.Given) > 0 {
		fail("a row of the table and given values are both a row; give one of them")
	}
	if (q.Row > 0 || len(q.Given) > 0) && len(q.Do) == 0 {
		errs = append(errs, fault.New(ErrQuestion, "a row needs a value of "+strconv.Quote(q.Of)+" under the intervention", "give one with %s", fault.Use("do")))
	}
	seen := map[string]bool{}
	for _, v := range q.Given {
		if seen[v.Name] {
			fail("%q is given twice; keep one", v.Name)
		}
		seen[v.Name] = true
	}
	return errors.Join(errs...)
}
