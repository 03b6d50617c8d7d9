package method

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// A Method learns a graph from a table. A value has the settings of one run; New of its package returns one with the defaults.
type Method interface {
	// Info describes the method. Only Needs, UnitFree and Categories may depend on the settings.
	Info() Info
	// Params describes the settings, one line each.
	Params(*param.Set)
	// Cost estimates the cost of a run with the present settings.
	Cost(rows, columns, threads int) Cost
	// Learn finds a graph. It neither changes nor retains in. When ctx ends early, or the method runs out of
	// steps, it returns the best answer so far with its Status and no error. An error comes with a nil Answer
	// or, if a solver failed, with the answer at its last finite point.
	Learn(ctx context.Context, in *Input, run *stage.Run) (*Answer, error)
}

// A NumericCoster is a method that needs less memory for a table without discrete columns.
type NumericCoster interface {
	NumericCost(rows, columns, threads int) Cost
}

// Info describes a method: what it needs and what it returns.
type Info struct {
	Name      string // as users type it: lower case, with hyphens
	Title     string // one-line description
	About     string // when to use it and what it assumes, in a few sentences
	Reference string // publications, separated by "; ", each as authors (year), title
	Needs     Needs
	Gives     graph.Kind
	// Categories reports whether nominal columns are supported. Other methods refuse them.
	Categories bool
	// UnitFree reports whether the graph does not depend on the units of the columns.
	UnitFree bool
	// Knowledge reports whether required and forbidden edges are enforced, and Priors whether prior probabilities of edges are used.
	Knowledge, Priors bool
	// Environments reports whether rows with an intervention on a column are excluded when learning about that column. Other methods
	// refuse tables with intervention targets.
	Environments bool
	// Unweighted is the reason why the method refuses row weights, or "" if it supports them.
	Unweighted string
	// Time reports whether the method is for tables with lags, whose past values are inputs.
	Time bool
	// Tests reports whether the method learns from tests of independence, each of which may use other rows.
	Tests bool
	// Continuous reports whether the method thresholds a weight matrix; see Answer.Continuous.
	Continuous bool
}

// OnDevice reports whether the method can run on an accelerator.
func (i Info) OnDevice() bool { return i.Continuous }

// ManyOnDevice reports whether an accelerator can run many problems of the method at once. Methods that need rows run one after the
// other.
func (i Info) ManyOnDevice() bool { return i.OnDevice() && i.Needs == Moments }

// Needs is the part of a table that a method reads.
type Needs int

const (
	Moments Needs = iota // means and second moments: d² numbers, in one pass over any number of rows
	Rows                 // the rows themselves
	Either               // moments, and the rows if there are any and the table calls for it
)

func (n Needs) String() string {
	return [...]string{"moments", "rows", "moments or rows"}[n]
}

// Cost is the estimated cost of a run.
type Cost struct {
	Bytes   int64   // peak memory besides the moments
	State   int64   // additional memory of a saved state
	Flops   float64 // work, to order many runs and estimate the remaining time
	Columns int     // largest number of columns that the method is meant for; 0 for any
}

// Matrices is the size in bytes of n matrices of columns × columns numbers of the given bits.
func Matrices(n, columns, bits int) int64 {
	return int64(n) * int64(columns) * int64(columns) * int64(bits/8)
}

// Validate reports every invalid setting of m.
func Validate(m Method) error { return param.Of(m).Finish() }
