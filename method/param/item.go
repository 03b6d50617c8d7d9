package param

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Type is the type of a setting's value.
type Type string

const (
	Whole  Type = "int"    // an integer; with Choices, also one of those words
	Number Type = "float"  // a finite number
	Switch Type = "bool"   // true or false
	Choice Type = "string" // one of Choices
)

// An Item is one setting of a method.
type Item struct {
	Name    string   // lower case with hyphens, as in the flag
	Help    string   // one line, without the default
	Type    Type     //
	Choices []string // valid words
	Default string   // text of the default value
	Bounds  Bounds

	value value
	when  func() bool // nil: always used
	given bool
}

// Bounds are the limits of a number; nil for none.
type Bounds struct {
	Min, Max           *float64
	AboveMin, BelowMax bool // the bound itself is excluded
}

// value is the interface of all types of settings.
type value interface {
	String() string
	Set(string) error
	any() any                // value for the record of a run
	number() (float64, bool) // value for bounds; false if it is not a number
}

// Text returns the present value as text that Set accepts.
func (it *Item) Text() string { return it.value.String() }

// Value returns the present value: an int, a float64, a bool or a string.
func (it *Item) Value() any { return it.value.any() }

// Given reports whether the value was set explicitly.
func (it *Item) Given() bool { return it.given }

// Used reports whether the method reads the setting, given the values of the others.
func (it *Item) Used() bool { return it.when == nil || it.when() }

// Key is the name of the setting in a result, in snake case.
func (it *Item) Key() string { return strings.ReplaceAll(it.Name, "-", "_") }

// valid reports whether the value is within its bounds.
func (it *Item) valid() bool {
	if it.Type == Choice {
		return slices.Contains(it.Choices, it.value.String())
	}
	v, ok := it.value.number()
	if !ok {
		return true
	}
	b := it.Bounds
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return false
	case b.Min != nil && (v < *b.Min || b.AboveMin && v == *b.Min):
		return false
	case b.Max != nil && (v > *b.Max || b.BelowMax && v == *b.Max):
		return false
	}
	return true
}

// Want describes the valid values.
func (it *Item) Want() string {
	var what string
	switch it.Type {
	case Whole:
		what = "a whole number"
	case Number:
		what = "a number"
	case Switch:
		return "true or false"
	case Choice:
		return "one of " + strings.Join(it.Choices, ", ")
	}
	b := it.Bounds
	var limits []string
	if b.Min != nil {
		limits = append(limits, fmt.Sprintf("%s %g", map[bool]string{false: "at least", true: "more than"}[b.AboveMin], *b.Min))
	}
	if b.Max != nil {
		limits = append(limits, fmt.Sprintf("%s %g", map[bool]string{false: "at most", true: "less than"}[b.BelowMax], *b.Max))
	}
	if len(limits) > 0 {
		what += " of " + strings.Join(limits, " and ")
	}
	for _, w := range it.Choices {
		what += ", or " + w
	}
	return what
}

// A Rule is a further property of a setting.
type Rule func(*Item)

// AtLeast bounds a number from below.
func AtLeast(v float64) Rule { return func(it *Item) { it.Bounds.Min = &v } }

// Above bounds a number from below and excludes the bound.
func Above(v float64) Rule { return func(it *Item) { it.Bounds.Min, it.Bounds.AboveMin = &v, true } }

// AtMost bounds a number from above.
func AtMost(v float64) Rule { return func(it *Item) { it.Bounds.Max = &v } }

// Below bounds a number from above and excludes the bound.
func Below(v float64) Rule { return func(it *Item) { it.Bounds.Max, it.Bounds.BelowMax = &v, true } }

// When sets the condition under which the setting is used. Otherwise the result does not record it, and setting
// it gives a warning.
func When(used func() bool) Rule { return func(it *Item) { it.when = used } }
