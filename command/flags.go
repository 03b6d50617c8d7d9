package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagNames are the names that are flags, --name, in every command that has them. Every other name is a setting, --set name=value.
var flagNames = words(`
	help help-all version quiet verbose log-format max-memory set
	output report export json
	columns drop keep rows kind missing groups environments targets time lags series
	method methods model alpha penalty max-edges min-gain standardize names
	require forbid prior roots leaves order tiers knowledge
	bootstrap posterior stability merge calibrate validation sensitive data-checks
	nats nats-file checkpoint resume deadline progress-file seed threads device config print-config
	data truth of on by from to do row given level budget graph target fdr repair paths copies edges nodes images
	listen token-file token no-token no-open store
	dag min-confidence basis
	ask real save only jobs out quick search dir`)

// isSetting reports whether a name is a setting.
func isSetting(name string) bool { return !slices.Contains(flagNames, name) }

// spelled returns how a flag or a setting without a value is written on the command line.
func spelled(name string) string {
	if isSetting(name) {
		return "--set " + name
	}
	return "--" + name
}

// valued returns how a flag or a setting is written in front of its value.
func valued(name string) string {
	if isSetting(name) {
		return spelled(name) + "="
	}
	return spelled(name) + " "
}

// addSet adds --set to all commands. The flag itself is never parsed, because settled replaces it.
func addSet(root *cobra.Command) {
	root.PersistentFlags().StringArray("set", nil, "change a setting, as NAME=VALUE; NAME alone turns one on; repeatable")
	_ = root.RegisterFlagCompletionFunc("set", completeSetting) // it fails only for an unknown flag
}

// settled returns arguments with --set name=value replaced by --name=value, for cobra. It refuses --name for a setting.
func settled(root *cobra.Command, args []string) ([]string, error) {
	cmd, _, err := root.Find(args)
	if err != nil {
		return args, nil // cobra reports it
	}
	cmd.InheritedFlags() // adds them to those of the command
	flags := cmd.Flags()
	var out []string
	var faults error
	for i := 0; i < len(args); i++ {
		arg := args[i]
		next := func() (string, bool) {
			if i+1 == len(args) {
				return "", false
			}
			i++
			return args[i], true
		}
		if arg == "--" {
			out = append(out, args[i:]...)
			break
		}
		name, value, has := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		f := flags.Lookup(name)
		takes := f != nil && !has && f.NoOptDefVal == "" // the next argument
		if !strings.HasPrefix(arg, "--") {
			f, takes = nil, endsInValue(flags, arg)
			name = ""
		}
		switch {
		case name == "set":
			if !has {
				value, _ = next()
			}
			if err := checkSetting(cmd, value); err != nil {
				faults = errors.Join(faults, err)
				continue
			}
			out = append(out, "--"+value)
		case f != nil && isSetting(name):
			form := spelled(name)
			if takes {
				value, has = next()
			}
			if takes || has {
				form = valued(name) + shellWord(cmp.Or(value, "VALUE"))
			}
			faults = errors.Join(faults, usagef("--%s is a setting: %s", name, form))
		default:
			out = append(out, arg)
			if takes {
				if text, ok := next(); ok {
					out = append(out, text)
				}
			}
		}
	}
	return out, faults
}

// endsInValue reports whether an argument is short flags of which the last takes the next argument as its value.
func endsInValue(flags *pflag.FlagSet, arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	for i := 1; i < len(arg); i++ {
		if f := flags.ShorthandLookup(arg[i : i+1]); f == nil || f.NoOptDefVal == "" {
			return f != nil && i == len(arg)-1
		}
	}
	return false
}

// checkSetting checks the name of a setting, and that it has a value. The value itself is checked as that of a flag.
func checkSetting(cmd *cobra.Command, text string) error {
	name, _, has := strings.Cut(text, "=")
	f := cmd.Flags().Lookup(name)
	switch {
	case name == "":
		return usagef("--set %q: want NAME=VALUE; see %s --help", text, cmd.CommandPath())
	case f != nil && !isSetting(name):
		return usagef("%s is a flag: %s", name, strings.TrimSpace(valued(name)+strings.TrimPrefix(text[len(name):], "=")))
	case f == nil:
		var all []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(notSettings, f.Name) {
				all = append(all, f.Name)
			}
		})
		return usagef("--set %s: %s has no such setting%s", shellWord(text), cmd.CommandPath(), nearest(name, all, "see "+cmd.CommandPath()+" --help"))
	case !has && f.NoOptDefVal == "":
		return usagef("--set %s needs a value: --set %s=VALUE", name, name)
	}
	return nil
}

// completeSetting completes the names and the values of the settings of a command.
func completeSetting(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	name, value, has := strings.Cut(typed, "=")
	if has {
		var list []string
		if complete, ok := cmd.GetFlagCompletionFunc(name); ok {
			words, _ := complete(cmd, args, value)
			for _, w := range words {
				list = append(list, name+"="+w)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	var list []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !isSetting(f.Name) || !strings.HasPrefix(f.Name, name) {
			return
		}
		word := f.Name
		if f.NoOptDefVal == "" {
			word += "="
		}
		list = append(list, fmt.Sprintf("%s\t%s", word, f.Usage))
	})
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// hideSettings keeps the completion of flags from offering settings.
func hideSettings(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || isSetting(f.Name) })
	for _, sub := range cmd.Commands() {
		hideSettings(sub)
	}
}
