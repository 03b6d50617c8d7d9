package heldout

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// All is the word for every method of the list.
const All = "all"

// A Candidate is a method with its settings in a comparison.
type Candidate struct {
	// Label is the name of the method with the given settings.
	Label  string
	Config polydag.Config
}

// Choose returns the methods of a comparison from a list of words, in their order. A word is
//
//	order                        a method with its defaults
//	order:model=smooth:penalty=2 the same with settings, as a flag or a result names them; one without = is switched on
//	all                          every method that is not in the list yet
//	-order                       the method is left out, with whatever settings it is in the list so far
//
// common has the settings that all share, and the list of methods. All errors are reported at once and match polydag.ErrConfig.
func Choose(words []string, common polydag.Config) ([]Candidate, error) {
	var out []Candidate
	var faults []error
	for _, word := range words {
		word = strings.TrimSpace(word)
		name, left := strings.CutPrefix(word, "-")
		switch {
		case word == All:
			for _, m := range common.Methods.All() {
				if own := m.Info().Name; !has(out, own) {
					out = append(out, candidate(own, m, common))
				}
			}
		case left:
			if _, err := common.Methods.Find(name); err != nil {
				faults = append(faults, err)
			} else if !has(out, name) {
				faults = append(faults, configf("-%s leaves out a method that is not in the list before it; write it after %s", name, All))
			}
			out = slices.DeleteFunc(out, func(c Candidate) bool { return c.Config.Method.Info().Name == name })
		default:
			c, err := parse(word, common)
			if err == nil && slices.ContainsFunc(out, func(o Candidate) bool { return o.Label == c.Label }) {
				err = configf("%s is in the list twice; give one of them other settings", c.Label)
			}
			if err != nil {
				faults = append(faults, err)
				continue
			}
			out = append(out, c)
		}
	}
	if len(out) == 0 && len(faults) == 0 {
		faults = append(faults, configf("there is no method in the list; name one, or write %s", All))
	}
	return out, errors.Join(faults...)
}

// has reports whether a method is in the list, with any settings.
func has(list []Candidate, name string) bool {
	return slices.ContainsFunc(list, func(c Candidate) bool { return c.Config.Method.Info().Name == name })
}

func candidate(label string, m method.Method, common polydag.Config) Candidate {
	common.Method, common.CheckScale = m, polydag.CheckScaleNever
	return Candidate{Label: label, Config: common}
}

// parse parses one method with its settings.
func parse(word string, common polydag.Config) (Candidate, error) {
	name, rest, some := strings.Cut(word, ":")
	m, err := common.Methods.Find(name)
	if err != nil {
		return Candidate{}, err
	}
	set := param.Of(m)
	var faults []error
	for given := range strings.SplitSeq(rest, ":") {
		if !some {
			break
		}
		key, value, ok := strings.Cut(given, "=")
		key = strings.ReplaceAll(key, "_", "-")
		it := set.Lookup(key)
		switch {
		case it == nil:
			faults = append(faults, configf("%s: method %s has no setting %q; it has %s", word, name, key, strings.Join(set.Names(), ", ")))
			continue
		case !ok && it.Type == param.Switch:
			value = "true"
		case !ok:
			faults = append(faults, configf("%s: want %s=VALUE", word, key))
			continue
		}
		if err := set.Set(key, value); err != nil {
			faults = append(faults, configError{err})
		}
	}
	if err := set.Finish(); err != nil {
		faults = append(faults, configError{err})
	}
	return candidate(word, m, common), errors.Join(faults...)
}

// configError is an error in the list that matches polydag.ErrConfig.
type configError struct{ error }

func (e configError) Unwrap() error        { return e.error }
func (e configError) Is(target error) bool { return target == polydag.ErrConfig }

func configf(format string, args ...any) error { return configError{fmt.Errorf(format, args...)} }
