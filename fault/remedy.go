package fault

import (
	"fmt"
	"strconv"
	"strings"
)

// A Remedy is one setting that solves a problem.
type Remedy struct {
	Setting string `json:"setting"`
	// Value is the value of the setting. It is empty if the user must choose it, or if Columns are the value.
	Value   string   `json:"value,omitempty"`
	Columns []string `json:"columns,omitempty"`
}

// Set returns the remedy with one value.
func Set(setting, value string) Remedy { return Remedy{Setting: setting, Value: value} }

// Use returns the remedy of a setting whose value the user must choose.
func Use(setting string) Remedy { return Remedy{Setting: setting} }

// Columns returns the remedy of a setting with column names as its value.
func Columns(setting string, names ...string) Remedy { return Remedy{Setting: setting, Columns: names} }

// String formats the remedy with the name of its setting, as in missing=drop, drop=age,"body mass" or the setting columns. It names
// three of more than ten columns.
func (r Remedy) String() string {
	switch {
	case r.Columns != nil:
		shown := r.Columns
		if len(shown) > 10 {
			shown = shown[:3]
		}
		names := make([]string, len(shown))
		for i, name := range shown {
			if names[i] = name; name == "" || strings.ContainsAny(name, " ,;\"\n\t") {
				names[i] = strconv.Quote(name)
			}
		}
		if more := len(r.Columns) - len(shown); more > 0 {
			return fmt.Sprintf("%s=%s and %d more", r.Setting, strings.Join(names, ","), more)
		}
		return r.Setting + "=" + strings.Join(names, ",")
	case r.Value != "":
		return r.Setting + "=" + r.Value
	}
	return "the setting " + r.Setting
}

// Reword returns text with the String of each remedy replaced by word.
func Reword(text string, remedies []Remedy, word func(Remedy) string) string {
	if len(remedies) > 0 {
		// The first match in the text is replaced first, and the longer of two that begin at the same place. Replaced text is not
		// searched again.
		at, next := -1, 0
		for i, r := range remedies {
			k := strings.Index(text, r.String())
			if k >= 0 && (at < 0 || k < at || k == at && len(r.String()) > len(remedies[next].String())) {
				at, next = k, i
			}
		}
		if at < 0 {
			return text
		}
		plain := remedies[next].String()
		return text[:at] + word(remedies[next]) + Reword(text[at+len(plain):], remedies, word)
	}
	return text
}

// Text returns the text of err with the remedies of each Error in it replaced by word.
func Text(err error, word func(Remedy) string) string {
	return Reword(err.Error(), Remedies(err), word)
}

// Remedies returns the remedies of every Error that err wraps.
func Remedies(err error) []Remedy {
	var all []Remedy
	if e, ok := err.(*Error); ok {
		all = append(all, e.Remedies...)
	}
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		if inner := u.Unwrap(); inner != nil {
			all = append(all, Remedies(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range u.Unwrap() {
			all = append(all, Remedies(inner)...)
		}
	}
	return all
}
