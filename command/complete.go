package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// choices returns the valid words of flags, for shell completion.
func choices(methods []method.Method) map[string][]string {
	words := map[string][]string{
		"method": methodNames(methods), "format": files.Formats(),
		"encode": encodings, "missing": fillings,
		"check-scale": {"auto", "always", "never"}, "names": {"on", "off", "list"},
		"log-format": {"text", "json"}, "delimiter": {"tab"}, "decimal": {".", ","},
		"font": {"sans", "serif", "mono"}, "theme": {"light", "dark"}, "labels": {"auto", "on", "off"},
	}
	for _, m := range methods {
		for _, it := range param.Of(m).Items() {
			for _, w := range it.Choices {
				if !slices.Contains(words[it.Name], w) {
					words[it.Name] = append(words[it.Name], w)
				}
			}
		}
	}
	return words
}

// completeFlags registers the words of every flag in every command. A command whose flag has another meaning
// has registered its own words first.
func completeFlags(cmd *cobra.Command, words map[string][]string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		list, ok := words[f.Name]
		if f.Name == "format" && cmd.Name() == "draw" {
			list = []string{"svg", "png", "pdf"}
		}
		if ok {
			cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)) // an error means that the flag has its own words
		}
	})
	for _, sub := range cmd.Commands() {
		completeFlags(sub, words)
	}
}

// nearestFlag adds the most similar flag to an error about an unknown flag.
func nearestFlag(cmd *cobra.Command, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return ""
	}
	var all []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
	if near, ok := names.Nearest(name, false, all); ok {
		return fmt.Sprintf("; did you mean %s?", spelled(near))
	}
	return ""
}
