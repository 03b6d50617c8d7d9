package command

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
)

// given returns the reading flags that the user gave or that recorded took from a result, by name. A result
// stores them.
func (r *reading) given() map[string][]string {
	all := map[string][]string{}
	maps.Copy(all, r.stored)
	r.own.VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			all[f.Name] = list.GetSlice()
			return
		}
		all[f.Name] = []string{f.Value.String()}
	})
	if len(all) == 0 {
		return nil
	}
	return all
}

// rivals are mutually exclusive flags. A given flag also replaces the recorded value of its rival.
var rivals = map[string]string{
	"targets": "environments", "environments": "targets", "discretize": "normal-scores", "normal-scores": "discretize",
}

// errLags is returned by commands for which the result must not have lags.
var errLags = usagef("this command does not support results with lags; polydag confidence, convert, draw, effect, evaluate, explain, questions and report do")

// recorded sets the reading flags to those of the run of a result. Flags on the command line take precedence.
func (r *reading) recorded(res *polydag.Result) error {
	if res.Time != nil && r.own.Lookup("time") == nil {
		return errLags
	}
	values := map[string][]string{}
	for name, v := range res.Table.Reading {
		values[name] = v
	}
	for _, key := range []string{"targets", "environments", "groups"} {
		if name, ok := res.Settings.Get(key).(string); ok {
			values[key] = []string{name}
		}
	}
	if rules, ok := res.Settings.Get("kind").([]any); ok {
		values["kind"] = nil
		for _, rule := range rules {
			values["kind"] = append(values["kind"], fmt.Sprint(rule))
		}
	}
	r.stored = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f, rival := r.own.Lookup(name), r.own.Lookup(rivals[name])
		if f == nil || f.Changed || rival != nil && rival.Changed || len(values[name]) == 0 {
			continue
		}
		r.stored[name] = values[name]
		if list, ok := f.Value.(pflag.SliceValue); ok {
			if err := list.Replace(values[name]); err != nil {
				return fmt.Errorf("the result has %s%v: %w", valued(name), values[name], err)
			}
			continue
		}
		if err := f.Value.Set(values[name][0]); err != nil {
			return fmt.Errorf("the result has %s%s: %w", valued(name), values[name][0], err)
		}
	}
	return r.check(r.take.Threads)
}
