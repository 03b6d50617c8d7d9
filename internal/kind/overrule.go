package kind

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	match "github.com/polydag/polydag/internal/names"
)

// Asked is the reason of a kind that a rule gave.
const Asked = "as asked for"

// ErrRule is matched by every fault of a rule of Overrule.
var ErrRule = fault.Kind("column-kind", "the kind of a column cannot be set; give the name of a column and a kind that its values allow")

func rulef(format string, args ...any) error {
	return &fault.Error{Err: ErrRule, Text: fmt.Sprintf(format, args...)}
}

// Check reports a rule that does not have the form NAME=KIND, without a table.
func Check(rules []string) error {
	var errs []error
	for _, rule := range rules {
		if _, _, err := parse(rule); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// parse takes a rule apart at its last "=": names of columns may have one too.
func parse(rule string) (pattern string, k Kind, err error) {
	at := strings.LastIndex(rule, "=")
	if at <= 0 {
		return "", "", rulef("%q: want NAME=KIND, such as city=categorical; * in NAME stands for any characters", rule)
	}
	pattern, k = rule[:at], Kind(strings.TrimSpace(rule[at+1:]))
	if k != score && !slices.Contains(dataset.VariableKinds(), k) {
		return "", "", rulef("%q: unknown kind %q; choose one of %s", rule, k, words())
	}
	return pattern, k, nil
}

// score is the kind of a column whose values package prepare replaces by decisions.
const score Kind = "score"

func words() string {
	list := []string{string(score)}
	for _, k := range dataset.VariableKinds() {
		list = append(list, string(k))
	}
	return strings.Join(list, ", ")
}

// Overrule returns the columns with the kinds that the rules give them. A rule is NAME=KIND, where NAME is that of a column or
// a pattern with * and ?; a later rule counts more. A name that no column has, a kind that there is not, and a
// kind that the values of a column do not allow are errors that match ErrRule.
func Overrule(columns []Column, rules []string) ([]Column, error) {
	out := slices.Clone(columns)
	names := make([]string, len(columns))
	for j, c := range columns {
		names[j] = c.Name
	}
	var errs []error
	for _, rule := range rules {
		pattern, k, err := parse(rule)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found := false
		for j, name := range names {
			if name != pattern && !(match.IsPattern(pattern) && match.Match([]rune(pattern), []rune(name))) {
				continue
			}
			found = true
			if k == score {
				if columns[j].Kind != Binary {
					errs = append(errs, rulef("%q: %s has no scores: they are numbers with more than %d different values", rule, name, FewLevels))
				}
				continue
			}
			if err := allows(columns[j], k); err != nil {
				errs = append(errs, fmt.Errorf("%q: %w", rule, err))
				continue
			}
			out[j].Kind, out[j].Reason = k, Asked
		}
		if !found {
			hint := "; the columns are " + match.List(names, 8)
			if near, ok := match.Nearest(pattern, match.IsPattern(pattern), names); ok {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			errs = append(errs, rulef("%q: no such column %q%s", rule, pattern, hint))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// allows reports whether the values of the column can be taken as kind k.
func allows(c Column, k Kind) error {
	switch {
	case c.Levels == 0 && k.Discrete():
		return rulef("the values of %s were not counted, so it can only be numeric; enable the data checks", c.Name)
	case k == Binary && c.Levels != 2:
		return rulef("%s has %d different values, and a binary column has 2", c.Name, c.Levels)
	case k.Discrete() && c.Levels > MostLevels:
		return rulef("%s has %d distinct values, and at most %d categories are supported; merge some of them", c.Name, c.Levels, MostLevels)
	case len(c.Words) > 2 && (k == Continuous || k == Count):
		return rulef("%s contains text; ordinal uses the alphabetical order", c.Name)
	}
	return nil
}
