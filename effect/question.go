package effect

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/mechanism"
)

// A Question asks what setting one column does to another. Start from NewQuestion.
type Question struct {
	Of string // the column that is set
	On string // the column that is looked at

	// Start and End are the two values of Of that are compared: a number, or a level as the table writes it. Empty stands for
	// one unit under a linear model, for the quartiles of a number under another one, for the two most frequent categories, and for the first and the last level of an order.
	Start, End string
	// Do are values of Of at which the distribution of On is asked for.
	Do []string
	// Row is a row of the table, counted from 1, of which it is asked what would have been; 0 is none. Given are values of a
	// row that is not in the table. One of Do is needed with either.
	Row   int
	Given []Value

	// Level of intervals, such as 0.9.
	Level float64
	// GivenGraph takes the graph as known, which is quicker and says less: the intervals are those of the weights alone.
	GivenGraph bool
	// Replicates is the number of resampled tables behind an interval; with 0 there are only intervals by formula.
	Replicates int
	Seed       uint64
	Threads    int // never changes the answer
	// Observe is told how many resampled tables are done; it may be nil. It is called from one goroutine at a time and must be quick.
	Observe func(done, of int)
}

// A Value is what a column is known to be, as a number or as a level of the table.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// NewQuestion asks for the effect of one column on another with intervals at 0.9 from 200 replicates.
func NewQuestion(of, on string) Question {
	return Question{Of: of, On: on, Level: 0.9, Replicates: 200, Seed: 1, Threads: runtime.NumCPU()}
}

// The faults of a question. Each error of Ask that is no fault of the data matches one.
var (
	ErrQuestion      = fault.Kind("effect-question", "the question is not valid; correct the flags")
	ErrNotIdentified = fault.Kind("effect-not-identified", "the graph does not identify the effect; learn a DAG")
	ErrNeedsTable    = fault.Kind("effect-needs-table", "the result alone does not contain what is needed; give the table that it was learned from")
	ErrOtherTable    = fault.Kind("effect-other-table", "the table is not the one that the result was learned from; give that table, with the same flags")
	ErrTooWide       = mechanism.ErrTooWide
)

func askf(format string, args ...any) error {
	return &fault.Error{Err: ErrQuestion, Text: fmt.Sprintf(format, args...)}
}

// mostReplicates bounds what a slip of the finger can ask for.
const mostReplicates = 1_000_000

// Validate reports every fault that shows without the result.
func (q Question) Validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, askf(format, args...)) }
	if q.Of == "" || q.On == "" {
		fail("two columns are needed, the one that is set and the one that is looked at; name both")
	} else if q.Of == q.On {
		fail("the effect of %q on itself is asked for; name two columns", q.Of)
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
		fail("what would %q have to be set to in that row? Give a value to do", q.Of)
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
