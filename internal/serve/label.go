package serve

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag/fault"
)

// Label describes a remedy with the labels of the form, such as “Missing values: drop the rows”. A setting that
// is not in the form is named as an option of the command.
func Label(r fault.Remedy) string {
	if r.Columns != nil && r.Setting == "drop" {
		return "“" + excluded(r.Columns) + "”"
	}
	if r.Value == "" && r.Columns == nil {
		switch r.Setting {
		case "drop", "columns":
			return "“Columns”"
		case "require", "forbid", "missing", "encode", "bootstrap", "method":
			return "“" + fields[r.Setting] + "”"
		}
	}
	if words, ok := choices[r.Setting+"="+r.Value]; ok {
		return "“" + fields[r.Setting] + ": " + words + "”"
	}
	value := r.Value
	if r.Columns != nil {
		value = strings.Join(r.Columns, ",")
	}
	if value == "" || value == "true" {
		return fmt.Sprintf("the option %s of polydag learn", r.Setting)
	}
	return fmt.Sprintf("the option %s=%s of polydag learn", r.Setting, value)
}

// excluded names at most ten columns.
func excluded(names []string) string {
	if len(names) == 1 {
		return "exclude the column " + names[0]
	}
	shown := names
	if len(shown) > 10 {
		shown = shown[:3]
	}
	out := "exclude the columns " + strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// fields are the labels of the form by setting, and choices those of their values. A test compares them with
// assets/index.html.
var (
	fields = map[string]string{
		"method": "Method", "encode": "Text columns", "missing": "Missing values", "bootstrap": "Bootstrap samples",
		"require": "Required edges", "forbid": "Forbidden edges",
	}
	choices = map[string]string{
		"encode=levels": "one categorical variable each", "encode=onehot": "one-hot", "encode=ordinal": "ordinal codes", "encode=drop": "exclude",
		"encode=error": "stop with an error",
		"missing=auto": "automatic", "missing=error": "stop with an error", "missing=drop": "drop the rows", "missing=pairwise": "pairwise",
		"bootstrap=0": "none", "bootstrap=100": "100", "bootstrap=200": "200",
	}
)
