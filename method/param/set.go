package param

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Set is the settings of one method. The zero value is ready to be filled.
type Set struct {
	items []*Item
	after []func()
	rules []func() *Fault
}

// Of returns the settings of whatever describes them, with the values that they have now as defaults.
func Of(described interface{ Params(*Set) }) *Set {
	s := new(Set)
	described.Params(s)
	return s
}

// Items returns the settings in the order in which they were described. The list belongs to s.
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

// After registers what is to be done once all values are set and before they are checked: a default
// of one setting may depend on whether another one was given.
func (s *Set) After(f func()) { s.after = append(s.after, f) }

// Require registers a rule that joins several settings; it returns what is wrong, or nil.
func (s *Set) Require(rule func() *Fault) { s.rules = append(s.rules, rule) }

// Set gives a setting a value from its text. An unknown name or a text of another form is a *Fault;
// bounds are checked by Finish, so that all faults are reported at once.
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

// Finish ends the setting of values: it runs what After registered and reports every value that is out
// of bounds. Each error is a *Fault. It changes nothing else and may be called again.
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

// add appends a setting. Two settings of one name are a fault of the program.
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

// Int describes a whole number.
func (s *Set) Int(p *int, name, help string, rules ...Rule) {
	s.add(&Item{Name: name, Help: help, Type: Whole, value: (*intValue)(p)}, rules)
}

// Float describes a number. It is never infinite or NaN.
func (s *Set) Float(p *float64, name, help string, rules ...Rule) {
	s.add(&Item{Name: name, Help: help, Type: Number, value: (*floatValue)(p)}, rules)
}

// Bool describes a switch.
func (s *Set) Bool(p *bool, name, help string, rules ...Rule) {
	s.add(&Item{Name: name, Help: help, Type: Switch, value: (*boolValue)(p)}, rules)
}

// Count describes a whole number that may also be a word with a meaning of its own, such as "d" for the
// number of columns or "auto".
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

// A Fault is a setting with a value that it cannot have. Errors of this package match it by errors.As.
type Fault struct {
	Setting string // its name, as the config file and the flag have it
	Value   string
	Want    string // what it may be
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
