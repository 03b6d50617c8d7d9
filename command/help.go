package command

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/internal/visible"
)

// flagGroups are the headings of the long help, in order. Flags without a group belong to the command itself
// and come first.
var flagGroups = []struct {
	title string
	flags []string
}{
	{"Output", words("output report export dag figure weights raw-csv json")},
	{"Input", words("data format rows delimiter decimal no-header na encoding date-order sheet array max-memory")},
	{"Columns", words("columns drop keep kind missing encode frequencies row-weights targets environments groups group-means log normal-scores discretize censored")},
	{"Time series", words("time lags series gaps step aggregate fixed-effects difference detrend season")},
	{"Model", words("method methods model variance noise penalty standardize")},
	{"Labels and people", words("validation validation-key people sensitive outcomes")},
	{"Knowledge", words("require forbid prior roots leaves order tiers tier-odds knowledge names")},
	{"Uncertainty", words("bootstrap merge posterior stability stability-threshold calibrate consensus consensus-graph chains samples replicates level")},
	{"Method settings (polydag methods NAME describes them)", words("gamma restarts criterion ess tables target-values max-edges min-gain check-scale device")},
	{"Cluster", words("nats nats-file nats-creds nats-nkey tls-cert tls-key tls-ca nats-wait")},
	{"Run control", words("seed threads deadline checkpoint checkpoint-every resume data-checks progress-file config print-config quiet verbose log-format set")},
}

// commonFlags are the flags in the short help of a command with many flags, besides its own.
var commonFlags = words("output report export data columns drop kind missing method require forbid bootstrap seed set")

const (
	// manyFlags is the number of flags above which a command has a short help.
	manyFlags = 25
	helpAll   = "help-all"
)

func words(list string) []string { return strings.Fields(list) }

// commandGroups are the headings of the list of commands.
var commandGroups = []struct{ id, title, commands string }{
	{"learn", "Learn a graph:", "learn drivers check compare path confidence demo"},
	{"use", "Use a learned graph:", "report questions test why draw effect explain evaluate audit impute convert serve"},
	{"data", "Prepare data:", "simulate moments counts dataset"},
	{"cluster", "Several machines and devices:", "worker jobs devices"},
	{"about", "About polydag:", "methods bench reproduce describe man completion licenses version help"},
}

// groupHelp groups the flags in the help of every command, and adds --help-all to commands with many flags.
func groupHelp(root *cobra.Command) {
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range root.Commands() {
			if slices.Contains(words(g.commands), c.Name()) {
				c.GroupID = g.id
			}
		}
	}
	root.SetHelpCommandGroupID("about")
	root.SetCompletionCommandGroupID("about")
	for _, c := range root.Commands() {
		addHelpAll(c)
	}
}

// addHelpAll adds --help-all to a command with settings and to its subcommands.
func addHelpAll(c *cobra.Command) {
	if _, settings := countFlags(c.Flags()); settings > 0 {
		all := false
		c.InitDefaultHelpFlag()
		value := &helpAllValue{help: c.Flags().Lookup("help"), all: &all}
		c.Flags().VarPF(value, helpAll, "", "show the help with all flags and settings").NoOptDefVal = "true"
		c.SetUsageFunc(func(c *cobra.Command) error { return longUsage(c.OutOrStdout(), c, all) })
	}
	for _, sub := range c.Commands() {
		addHelpAll(sub)
	}
}

// helpAllValue is a flag that requests help when it is set.
type helpAllValue struct {
	help *pflag.Flag
	all  *bool
}

func (v *helpAllValue) String() string   { return "false" }
func (v *helpAllValue) Type() string     { return "bool" }
func (v *helpAllValue) IsBoolFlag() bool { return true }
func (v *helpAllValue) Set(text string) error {
	*v.all = text == "true"
	return v.help.Value.Set(text)
}

// countFlags returns the numbers of visible flags and settings.
func countFlags(all *pflag.FlagSet) (flags, settings int) {
	all.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help" || f.Name == helpAll:
		case isSetting(f.Name):
			settings++
		default:
			flags++
		}
	})
	return flags, settings
}

// longUsage writes the usage of a command with its common flags, or all flags and settings, in groups.
func longUsage(w io.Writer, c *cobra.Command, all bool) error {
	width := columns(visible.NewWriter(w))
	if width == 0 {
		width = 100
	}
	fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n", c.UseLine(), c.Example)
	flags, settings := countFlags(c.Flags())
	for _, g := range grouped(c.Flags(), func(f *pflag.Flag) bool {
		return !isSetting(f.Name) && (all || flags <= manyFlags || slices.Contains(commonFlags, f.Name))
	}) {
		fmt.Fprintf(w, "\n%s:\n%s", g.title, g.flags.FlagUsagesWrapped(width))
	}
	if !all {
		fmt.Fprintf(w, "\n%s --%s shows all %d flags and %d settings.\n", c.CommandPath(), helpAll, flags, settings)
		return nil
	}
	fmt.Fprint(w, "\nSettings (--set NAME=VALUE)\n")
	for _, g := range grouped(c.Flags(), func(f *pflag.Flag) bool { return isSetting(f.Name) }) {
		fmt.Fprintf(w, "\n%s:\n%s", g.title, asSettings.ReplaceAllStringFunc(g.flags.FlagUsagesWrapped(width), func(name string) string {
			return "      " + strings.Replace(name[len("      --"):], " ", "=", 1) + "  " // keeps the columns aligned
		}))
	}
	return nil
}

// asSettings matches the name and the type in the help of a flag.
var asSettings = regexp.MustCompile(`(?m)^      --[a-z0-9-]+( [^ ]+)?`)

type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// grouped returns the visible flags that are wanted by groups, those without a group first.
func grouped(all *pflag.FlagSet, wanted func(*pflag.Flag) bool) (groups []flagGroup) {
	group := map[string]int{}
	for k, g := range flagGroups {
		for _, name := range g.flags {
			group[name] = k + 1
		}
	}
	sets := make([]*pflag.FlagSet, 1+len(flagGroups))
	for k := range sets {
		sets[k] = pflag.NewFlagSet("", pflag.ContinueOnError)
		sets[k].SortFlags = false
	}
	all.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != helpAll && !f.Hidden && wanted(f) {
			sets[group[f.Name]].AddFlag(f)
		}
	})
	for k, set := range sets {
		title := "Flags"
		if k > 0 {
			title = flagGroups[k-1].title
		}
		if set.HasFlags() {
			groups = append(groups, flagGroup{title, set})
		}
	}
	return groups
}
