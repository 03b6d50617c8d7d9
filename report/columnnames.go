package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/role"
)

// maxSuggestions is how many unsure columns ColumnNames lists.
const maxSuggestions = 5

// maxEnforced is the largest number of columns in one flag that ColumnNames proposes.
const maxEnforced = 12

// ColumnNames writes which columns come first and last by their names, and what to state where a name alone does not decide. It
// writes nothing if no name says anything.
func ColumnNames(columns []string, r role.Readings, width int, words ...Words) func(io.Writer) error {
	return func(w io.Writer) error {
		t := &printer{w: Fold(w, width), words: first(words), width: width}
		named := func(roles ...role.Role) (list []string) {
			for _, j := range r.In(roles...) {
				list = append(list, brief(columns[j]))
			}
			return list
		}
		roots, leaves, unsure := named(role.Given), named(role.Response, role.Outcome), r.Suggestions()
		if len(roots)+len(leaves)+len(unsure) == 0 {
			return nil
		}
		t.linef("")
		t.linef("Names: evidence on directions; %s ignores them, %s shows all", t.setting(fault.Set("names", "off")), t.setting(fault.Set("names", "list")))
		for _, group := range []struct {
			label string
			names []string
		}{{"come first", roots}, {"come last", leaves}} {
			if len(group.names) > 0 {
				t.linef("  %-10s  %s", group.label, wrap(group.names, ", ", t.room(100, 14), strings.Repeat(" ", 14)))
			}
		}
		var enforce []string
		for _, group := range []struct {
			setting string
			names   []int
		}{{setting(true), r.In(role.Given)}, {setting(false), r.In(role.Response, role.Outcome)}} {
			var list []string
			for _, j := range group.names {
				list = append(list, columns[j])
			}
			if line := strings.Join(list, ","); len(list) > 0 && len(list) <= maxEnforced && strings.Count(line, ",") == len(list)-1 {
				enforce = append(enforce, t.setting(fault.Set(group.setting, line)))
			}
		}
		if len(enforce) > 0 {
			t.linef("  %-10s  %s", "to enforce", strings.Join(enforce, " "))
		}
		for i, s := range unsure {
			label := ""
			if i == 0 {
				label = "unsure"
			}
			if i == maxSuggestions {
				t.linef("  %-10s  … and %d more", "", len(unsure)-i)
				break
			}
			t.linef("  %-10s  %s: %s if %s", label, brief(columns[s.Column]), t.setting(fault.Columns(setting(s.Root), columns[s.Column])), s.If)
		}
		return t.err
	}
}

func setting(root bool) string {
	if root {
		return "roots"
	}
	return "leaves"
}

// ColumnNamesList writes what was understood from the name of every column: its place in time, from first to last, and the meaning.
func ColumnNamesList(columns []string, r role.Readings, width int) func(io.Writer) error {
	return func(w io.Writer) error {
		t := &printer{w: Fold(w, width), width: width}
		order := make([]int, len(columns))
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int { return place(r[a].Role) - place(r[b].Role) })
		rows := [][]string{{"column", "place", "meaning", "because of"}}
		for _, j := range order {
			in := fmt.Sprint(r[j].Role)
			if r[j].Unsure && r[j].Role != role.Unknown {
				in += "?"
			}
			rows = append(rows, []string{brief(columns[j]), in, r[j].Meaning, brief(r[j].Why)})
		}
		t.aligned(rows, []bool{false, false, false, false})
		t.linef("")
		t.linef("Places from first to last: given (nothing in the table causes it), early, life, state, treatment, response, outcome.")
		t.linef("A question mark halves the log odds. Names are evidence on directions; --roots, --leaves and --order overrule them.")
		return t.err
	}
}

// place sorts unknown roles to the end.
func place(r role.Role) int {
	if r == role.Unknown {
		return int(role.Outcome) + 1
	}
	return int(r)
}
