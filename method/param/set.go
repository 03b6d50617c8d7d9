package param

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Set has the settings of one method. The zero value is ready to use.
type Set struct {
	items []*Item
	after []func()
	rules []func() *Fault
}

// Of returns the described settings with their present values as defaults.
func Of(described interface{ Params(*Set) }) *Set {
	s := new(Set)
	described.Params(s)
	return s
}

// Items returns the settings in the order of their description. The list belongs to s.
func (s *Set) Items() []*Item { return s.items }

// Lookup returns the setting of that name, or nil.
func (s *Set) Lookup(name string) *Item {
	i := slices.IndexFunc(s.items, func(it *Item) bool { return it.Name == name })
	if i < 0 {
		return nil
	}
	return s.items[i]
}

// Given reports whether Set was called for the setting.
func (s *Set) Given(name string) bool {
	it := s.Lookup(name)
	return it != nil && it.given
}

// After registers a function that runs after all values are set and before they are checked: the default of one setting may depend
// on whether another one was given.
func (s *Set) After(f func()) { s.after = append(s.after, f) }

// Require registers a rule for several settings; it returns the error, or nil.
func (s *Set) Require(rule func() *Fault) { s.rules = append(s.rules, rule) }

// Set parses the value of a setting. An unknown name or an invalid text is a *Fault; Finish checks bounds, so that all errors are
// reported at once.
func (s *Set) Set(name, text string) error {
	it := s.Lookup(name)
	if it == nil {
		return &Fault{Setting: name, Value: text, Want: "one of " + strings.Join(s.Names(), ", "), Unknown: true}
	}
	if err := it.value.Set(text); err != nil {
		return &Fault{Setting: name, Value: text, Want: it.Want()}
	}
	it.given = true
	return nil
}

// Names lists the names of the settings.
func (s *Set) Names() []string {
	names := make([]string, len(s.items))
	for i, it := range s.items {
		names[i] = it.Name
	}
	return names
}

// Finish runs the functions registered by After and reports every value that is out of bounds. Each error is a *Fault. It may be
// called again.
func (s *Set) Finish() error {
	for _, f := range s.after {
		f()
	}
	var errs []error
	for _, it := range s.items {
		if !it.valid() {
			errs = append(errs, &Fault{Setting: it.Name, Value: it.value.String(), Want: it.Want()})
		}
	}
	for _, rule := range s.rules {
		if f := rule(); f != nil {
			errs = append(errs, f)
		}
	}
	return errors.Join(errs...)
}

// add appends a setting. It panics if the name exists.
func (s *Set) add(it *Item, rules []Rule) *Item {
	if s.Lookup(it.Name) != nil {
		panic("param: the setting " + it.Name + " is described twice")
	}
	for _, r := range rules {
		r(it)
	}
	it.Default = it.value.String()
	s.items = append(s.items, it)
	return it
}

// Int describes an integer.
func (s *Set) Int(p *int, name, help string, rules ...Rule) {
	s.add(&Item{Name: name, Help: help, Type: Whole, value: (*intValue)(p)}, rules)
}

// Float describes a finite number.
func (s *Set) Float(p *float64, name, help string, rules ...Rule) {
	s.add(&Item{Name: name, Help: help, Type: Number, value: (*floatValue)(p)}, rules)
}

// Bool describes a switch.
func (s *Set) Bool(p *bool, name, help string, rules ...Rule) {
	s.add(&Item{Name: name, Help: help, Type: Switch, value: (*boolValue)(p)}, rules)
}

// Count describes an integer that may also be a word, such as "d" for the number of columns or "auto".
func (s *Set) Count(p *Count, name, help string, rules ...Rule) {
	s.add(&Item{Name: name, Help: help, Type: Whole, Choices: p.words(), value: p}, rules)
}

// Word describes a choice of words.
func Word[S ~string](s *Set, p *S, name, help string, choices ...S) {
	it := &Item{Name: name, Help: help, Type: Choice, value: &wordValue[S]{p, choices}}
	for _, c := range choices {
		it.Choices = append(it.Choices, string(c))
	}
	s.add(it, nil)
}

// A Fault is an invalid value of a setting. Errors of this package match it by errors.As.
type Fault struct {
	Setting string // name, as in the config file and the flag
	Value   string
	Want    string // description of the valid values
	Unknown bool   // there is no such setting
}

func (f *Fault) Error() string {
	if f.Unknown {
		return fmt.Sprintf("there is no setting %s; want %s", f.Setting, f.Want)
	}
	if _, err := strconv.ParseFloat(f.Value, 64); err != nil {
		return fmt.Sprintf("%s = %q, want %s", f.Setting, f.Value, f.Want)
	}
	return fmt.Sprintf("%s = %s, want %s", f.Setting, f.Value, f.Want)
}
