package command

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
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

// config returns the setting of a run; check reports what is none.
func (n namesFlag) config() polydag.Names {
	if n == namesFlag(polydag.NamesOff) {
		return polydag.NamesOff
	}
	return polydag.NamesOn
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
	return report.ColumnNamesList(t.Moments.Names, role.Read(role.Columns(t.Moments.Names, t.Kinds)), width, Flagged)
}

// mostUnsure is the number of commands that unsureNames returns at most.
const mostUnsure = 3

// A statement is a flag that states what the name of a column leaves unsure, and the condition under which it is true.
type statement struct{ column, flag, why string }

// unsureNames returns statements that would settle undirected edges, for columns whose names are often those of a root or of an outcome.
func unsureNames(res *polydag.Result, columns []role.Column) (list []statement) {
	for _, s := range role.Read(columns).Suggestions() {
		name := columns[s.Column].Name
		undirected := func(e polydag.Edge) bool { return e.Verdict == polydag.Undirected && (e.From == name || e.To == name) }
		if len(list) < mostUnsure && slices.ContainsFunc(res.Edges, undirected) {
			list = append(list, statement{name, Flagged(fault.Columns(report.NamesSetting(s.Root), name)), "if " + strings.Replace(s.If, "it ", name+" ", 1)})
		}
	}
	return list
}

// unsureName returns the first of unsureNames that the command line does not name. It returns nothing if the names are ignored.
func unsureName(res *polydag.Result, table *polydag.Table, typed []string) (flag, why string) {
	if table == nil || slices.Contains(typed, "--names=off") || slices.Contains(typed, "off") {
		return "", ""
	}
	for _, s := range unsureNames(res, role.Columns(table.Moments.Names, table.Kinds)) {
		if !slices.ContainsFunc(typed, func(arg string) bool { return strings.Contains(arg, s.column) }) {
			return s.flag, s.why
		}
	}
	return "", ""
}

// examined returns the columns of checked data that are not excluded, with their names.
func examined(p *trust.DataChecks) (names []string, columns []role.Column) {
	for _, c := range p.Columns {
		if c.Dropped == "" && !slices.ContainsFunc(p.Excluded, func(x dataset.Excluded) bool { return x.Name == c.Name }) {
			names, columns = append(names, c.Name), append(columns, role.Column{Name: c.Name, Categories: c.Levels, Distinct: c.Distinct})
		}
	}
	return names, columns
}

// read returns what was understood from the names of the columns of checked data, for programs.
func (n namesFlag) read(p *trust.DataChecks) (list []trust.Name) {
	if n == namesFlag(polydag.NamesOff) {
		return nil
	}
	names, columns := examined(p)
	for j, r := range role.Read(columns) {
		if r.Meaning != "" {
			list = append(list, trust.Name{Column: names[j], Place: r.Role.String(), Meaning: r.Meaning, BecauseOf: r.Why, Unsure: r.Unsure})
		}
	}
	return list
}

// render adds what the names say to the report of the data checks, or replaces it for the value list.
func (n namesFlag) render(p *trust.DataChecks, checks func(io.Writer) error, width int) func(io.Writer) error {
	names, columns := examined(p)
	switch r := role.Read(columns); n {
	case namesList:
		return report.ColumnNamesList(names, r, width, Flagged)
	case namesFlag(polydag.NamesOn):
		return func(w io.Writer) error {
			return errors.Join(checks(w), report.ColumnNames(names, r, width, Flagged)(w))
		}
	}
	return checks
}
