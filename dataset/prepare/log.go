package prepare

import (
	"cmp"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/parallel"
)

// logs takes the natural logarithm of some columns.
type logs struct {
	columns []int // columns of the result
	names   []string
	index   []int // columns of the file
	width   int
	opt     *options
}

func newLogs(chosen []chosenColumn, plan *encodePlan, opt *options) *logs {
	l := &logs{width: plan.width(), opt: opt}
	for k, o := range plan.outputs {
		if c := chosen[o.from]; c.log {
			l.columns, l.names, l.index = append(l.columns, k), append(l.names, o.name), append(l.index, c.index)
		}
	}
	return l
}

// apply replaces the values in place. A value without a logarithm is an error; the first row is reported.
func (l *logs) apply(v *view) error {
	if len(l.columns) == 0 {
		return nil
	}
	// A logarithm takes about 10 ns, so a goroutine is worthwhile from some thousands on.
	parts := max(1, min(l.opt.Threads, v.rows*len(l.columns)/4096))
	faults := make([]error, parts)
	parallel.For(parts, parts, func(p int) { faults[p] = l.applyRows(v, v.rows*p/parts, v.rows*(p+1)/parts) })
	return cmp.Or(faults...)
}

func (l *logs) applyRows(v *view, i0, i1 int) error {
	for i := i0; i < i1; i++ {
		row := v.values[i*l.width : (i+1)*l.width]
		for k, j := range l.columns {
			if row[j] <= 0 {
				return &dataset.ParseError{File: l.opt.File, Row: v.first + i + 1, Column: l.index[k] + 1, Name: l.names[k], Value: dataset.FormatFloat(row[j]),
					Err: fault.New(ErrNotPositive, "", "shift the column so that all values are above 0, or leave it out of %s", fault.Use("log"))}
			}
			row[j] = math.Log(row[j])
		}
	}
	return nil
}

func (l *logs) notes() []string {
	if len(l.columns) == 0 {
		return nil
	}
	if len(l.names) == 1 {
		return []string{fmt.Sprintf("Column %s was log-transformed (natural logarithm).", l.names[0])}
	}
	return []string{fmt.Sprintf("Columns %s were log-transformed (natural logarithm).", names.List(l.names, 10))}
}
