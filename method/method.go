package method

import (
	"context"
	"errors"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// A Method learns a graph from a table. A value holds the settings of one run; New of its package returns
// one with the defaults.
type Method interface {
	// Info says what the method is. Needs, UnitFree and Categories may depend on the settings, and nothing else.
	Info() Info
	// Params describes the settings, one line each.
	Params(*param.Set)
	// Cost estimates what a run takes, with the present settings.
	Cost(rows, columns, threads int) Cost
	// Learn finds a graph. It neither changes nor keeps what in holds. When ctx ends early, or the method runs out
	// of steps, it returns the best answer so far with its Status and no error. An error comes with a nil Answer,
	// or, where a solver failed on the way, with the answer at its last finite point.
	Learn(ctx context.Context, in *Input, run *stage.Run) (*Answer, error)
}

// Info says what a method is, what it needs and what it gives.
type Info struct {
	Name      string // as users type it: lower case, with hyphens
	Title     string // what it does, in a line
	About     string // when to use it, what it assumes: some sentences
	Reference string // where it was published
	Needs     Needs
	Gives     graph.Kind
	// Categories says that columns of levels without an order are taken as what they are. To other methods they are refused.
	Categories bool
	// UnitFree says that the graph does not depend on the units of the columns.
	UnitFree bool
	// Knowledge says that required and forbidden edges are kept without exception.
	Knowledge bool
	// Regimes says that rows are left out of what is learned about a column that was set in them. To other methods tables with
	// targets are refused.
	Regimes bool
	// Continuous says that the method thresholds a matrix of weights; Answer.Continuous has it.
	Continuous bool
}

// OnDevice says that the steps of the method may be taken on an accelerator, or what they go by evaluated there.
func (i Info) OnDevice() bool { return i.Continuous }

// ManyOnDevice says that an accelerator takes the steps of many problems of the method at once. What needs the rows is evaluated there one after the other.
func (i Info) ManyOnDevice() bool { return i.OnDevice() && i.Needs == Moments }

// Needs says what a method reads of a table. It gets no more.
type Needs int

// What a method may need.
const (
	Moments Needs = iota // means and second moments: d² numbers, in one pass over any number of rows
	Rows                 // the rows themselves
	Either               // moments, and the rows besides where there are any and the table asks for it
)

// String returns a word for what is needed.
func (n Needs) String() string {
	return [...]string{"moments", "rows", "moments or rows"}[n]
}

// Cost is what a run takes, about.
type Cost struct {
	Bytes   int64   // the most memory that the method holds at a time, beside the moments
	State   int64   // what a saved state takes besides
	Flops   float64 // work, for the order of many runs and the time that is left
	Columns int     // the largest number of columns that the method is meant for; 0 is any
}

// Matrices is the size of n matrices of columns × columns numbers of so many bits.
func Matrices(n, columns, bits int) int64 {
	return int64(n) * int64(columns) * int64(columns) * int64(bits/8)
}

// Validate reports every setting of m that is out of bounds.
func Validate(m Method) error { return param.Of(m).Finish() }

// ErrUnknown is matched by the error of Find.
var ErrUnknown = errors.New("there is no such method")
