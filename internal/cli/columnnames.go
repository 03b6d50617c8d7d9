package cli

import (
	"errors"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/role"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

// namesFlag says what to do with the names of columns.
type namesFlag string

// namesList prints what was understood from the names.
const namesList namesFlag = "list"

func (n *namesFlag) bind(f *pflag.FlagSet) {
	*n = namesFlag(polydag.NamesOn)
	f.StringVar((*string)(n), "names", string(*n), "evidence on directions from the names of columns (age comes first, death last): on, off, or list to print what was understood")
}

// config returns the setting of a run.
func (n namesFlag) config() polydag.Names {
	if n == namesList {
		return polydag.NamesOn
	}
	return polydag.Names(n)
}

// check reports an unknown value.
func (n namesFlag) check() error {
	switch n {
	case namesFlag(polydag.NamesOn), namesFlag(polydag.NamesOff), namesList:
		return nil
	}
	return usagef("--names %s: want on, off or list", shellWord(string(n)))
}

// understood writes everything that was understood from the names of the columns of a table.
func understood(t *polydag.Table, width int) func(io.Writer) error {
	return report.ColumnNamesList(t.Moments.Names, role.Read(role.Columns(t.Moments.Names, t.Kinds)), width)
}

// examined returns the columns of checked data that are not excluded, with their names.
func examined(p *trust.Preflight) (names []string, columns []role.Column) {
	for _, c := range p.Columns {
		if c.Dropped == "" && !slices.ContainsFunc(p.Excluded, func(x dataset.Excluded) bool { return x.Name == c.Name }) {
			names, columns = append(names, c.Name), append(columns, role.Column{Name: c.Name, Categories: c.Levels, Distinct: c.Distinct})
		}
	}
	return names, columns
}

// render adds what the names say to the report of the data checks, or replaces it for the value list.
func (n namesFlag) render(p *trust.Preflight, checks func(io.Writer) error, width int) func(io.Writer) error {
	names, columns := examined(p)
	switch r := role.Read(columns); n {
	case namesList:
		return report.ColumnNamesList(names, r, width)
	case namesFlag(polydag.NamesOn):
		return func(w io.Writer) error {
			return errors.Join(checks(w), report.ColumnNames(names, r, width, flagged)(w))
		}
	}
	return checks
}
