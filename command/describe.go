package command

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) describeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "describe [COMMAND]",
		Short: "Print every command, flag, setting and method as JSON, for programs",
		Long: `Describe prints the commands, flags, methods and settings of this program as JSON (schema
polydag.describe/2). For each flag and each setting it gives the name, type, default, help text,
allowed values and the methods that use it. A setting is written as --set NAME=VALUE. The Python and
R packages derive their arguments from it. With the name of a command it prints
that command only.`,
		Example: "  polydag describe\n  polydag describe learn",
		Args:    argsBetween(0, 1, "one command"),
		RunE: func(cmd *cobra.Command, args []string) error {
			methods := a.methods.All()
			words, every := choices(methods), cmd.Root().PersistentFlags()
			d := description{Schema: "polydag.describe/2", Version: version(), Flags: describeFlags(every, words, false), Commands: describeCommands(cmd.Root(), words), Methods: wireMethods(methods)}
			if len(args) == 1 {
				all := d.Commands
				d.Commands = slices.DeleteFunc(slices.Clone(all), func(c wireCommand) bool { return c.Name != args[0] })
				if len(d.Commands) == 0 {
					var names []string
					for _, c := range all {
						names = append(names, c.Name)
					}
					return usagef("there is no command %q%s", args[0], didYouMean(args[0], names))
				}
			}
			return a.data(cmd.Context(), "-", func(w io.Writer) error { return writeJSON(w, d) })
		},
	}
}

// description describes the program in JSON.
type description struct {
	Schema   string        `json:"schema"`
	Version  string        `json:"version"`
	Flags    []wireFlag    `json:"flags"` // flags that every command has
	Commands []wireCommand `json:"commands"`
	Methods  []wireMethod  `json:"methods"`
}

type wireCommand struct {
	Name     string     `json:"name"` // with the names of its parent commands, as in "dataset list"
	Use      string     `json:"use"`
	Short    string     `json:"short"`
	Long     string     `json:"long"`
	Flags    []wireFlag `json:"flags"`
	Settings []wireFlag `json:"settings"`
}

// wireFlag is one flag or setting. Its type is bool, int, float, string or list; a list may be given several times.
type wireFlag struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Default any      `json:"default"` // null for none
	Help    string   `json:"help"`
	Choices []string `json:"choices,omitempty"`
	Methods []string `json:"methods,omitempty"` // methods with this setting; empty for other flags
}

// describeCommands lists the runnable commands below cmd, by name. words are the valid words of flags.
func describeCommands(cmd *cobra.Command, words map[string][]string) []wireCommand {
	var list []wireCommand
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if sub.Runnable() {
			_, name, _ := strings.Cut(sub.CommandPath(), " ")
			_, use, _ := strings.Cut(sub.UseLine(), " ")
			list = append(list, wireCommand{
				Name: name, Use: use, Short: sub.Short, Long: sub.Long,
				Flags: describeFlags(sub.LocalFlags(), words, false), Settings: describeFlags(sub.LocalFlags(), words, true),
			})
		}
		list = append(list, describeCommands(sub, words)...)
	}
	return list
}

// describeFlags describes the flags of a set, or its settings.
func describeFlags(set *pflag.FlagSet, words map[string][]string, settings bool) []wireFlag {
	flags := []wireFlag{}
	set.VisitAll(func(f *pflag.Flag) {
		of, ok := f.Value.(*methodFlag) // those of other methods than the default are hidden in the help
		if f.Name == "help" || f.Name == helpAll || isSetting(f.Name) != settings || f.Hidden && !settings && !ok {
			return
		}
		flag := wireFlag{Name: f.Name, Help: f.Usage, Choices: words[f.Name]}
		flag.Type, flag.Default = flagType(f)
		if ok {
			flag.Methods, flag.Choices = of.methods, of.item.Choices
		}
		flags = append(flags, flag)
	})
	return flags
}

// flagType returns the type of a flag and its default value.
func flagType(f *pflag.Flag) (kind string, value any) {
	text := f.DefValue
	switch f.Value.Type() {
	case "bool":
		return "bool", text == "true"
	case "int", "uint64":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return "int", n
		}
		return "int", text // a word instead of a number, such as auto
	case "float64", "float":
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return "float", x
		}
		return "float", text
	case "stringArray", "stringSlice", "float64Slice":
		return "list", nil
	}
	if text == "" {
		return "string", nil
	}
	return "string", text
}
