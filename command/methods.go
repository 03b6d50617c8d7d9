package command

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

func (a *app) methodsCommand() *cobra.Command {
	var asJSON bool
	all := methodNames(a.methods.All())
	cmd := &cobra.Command{
		Use:   "methods [NAME]",
		Short: "List the methods, or describe one method and its settings",
		Long: `Methods lists the learning methods: their input, the kind of graph they return, whether they depend on
units, and whether they accept prior knowledge. With a name it describes one method, its reference
and its settings with defaults. All settings are flags or settings (--set) of polydag learn.`,
		Example:   "  polydag methods\n  polydag methods " + all[0] + "\n  polydag methods --json",
		Args:      argsBetween(0, 1, "one name"),
		ValidArgs: all,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON, for programs; docs/schema/methods.schema.json describes it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		methods := a.methods.All()
		if len(args) == 1 {
			m, err := a.methods.Find(args[0])
			if err != nil {
				return err
			}
			methods = []method.Method{m}
		}
		return a.write(cmd.Context(), "-", func(w io.Writer) error {
			switch {
			case asJSON:
				return writeJSON(w, wireMethods(methods))
			case len(args) == 1:
				return explainMethod(w, methods[0])
			}
			return listMethods(w, methods)
		})
	}
	return cmd
}

func listMethods(out io.Writer, methods []method.Method) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "METHOD\tINPUT\tRETURNS\tDEPENDS ON UNITS\tPRIOR KNOWLEDGE\tDESCRIPTION")
	for _, m := range methods {
		i := m.Info()
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", i.Name, i.Needs, strings.ToUpper(string(i.Gives)), yesNo(!i.UnitFree), yesNo(i.Knowledge), i.Title)
	}
	return w.Flush()
}

func explainMethod(out io.Writer, m method.Method) error {
	i := m.Info()
	fmt.Fprintf(out, "%s: %s\n\n%s\n\nReference: %s\n", i.Name, i.Title, i.About, i.Reference)
	fmt.Fprintf(out, "Input: %s. Returns: %s. Depends on units: %s. Accepts prior knowledge: %s.\n", i.Needs, strings.ToUpper(string(i.Gives)), yesNo(!i.UnitFree), yesNo(i.Knowledge))
	items := param.Of(m).Items()
	if len(items) == 0 {
		fmt.Fprintln(out, "It has no settings.")
		return nil
	}
	fmt.Fprintln(out, "\nSettings (of polydag learn):")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  SETTING\tDEFAULT\tDESCRIPTION")
	for _, it := range items {
		form := spelled(it.Name)
		if it.Type != param.Switch {
			form = valued(it.Name) + strings.ToUpper(string(it.Type))
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", form, it.Default, describeSetting(it))
	}
	return w.Flush()
}

func describeSetting(it *param.Item) string {
	if it.Type == param.Switch {
		return it.Help
	}
	return it.Help + " (" + it.Want() + ")"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// wireMethod describes a method in JSON.
type wireMethod struct {
	Name       string        `json:"name"`
	Title      string        `json:"title"`
	About      string        `json:"about"`
	Reference  string        `json:"reference"`
	Needs      string        `json:"needs"`
	Gives      string        `json:"gives"`
	UnitFree   bool          `json:"unit_free"`
	Knowledge  bool          `json:"knowledge"`
	Continuous bool          `json:"continuous"`
	Settings   []wireSetting `json:"settings"`
}

type wireSetting struct {
	Name    string   `json:"name"`
	Help    string   `json:"help"`
	Type    string   `json:"type"`
	Default any      `json:"default"`
	Choices []string `json:"choices,omitempty"`
	Want    string   `json:"want"`
}

func wireMethods(methods []method.Method) []wireMethod {
	list := make([]wireMethod, len(methods))
	for k, m := range methods {
		i := m.Info()
		list[k] = wireMethod{
			Name: i.Name, Title: i.Title, About: i.About, Reference: i.Reference, Needs: i.Needs.String(), Gives: string(i.Gives),
			UnitFree: i.UnitFree, Knowledge: i.Knowledge, Continuous: i.Continuous, Settings: []wireSetting{},
		}
		for _, it := range param.Of(m).Items() {
			list[k].Settings = append(list[k].Settings, wireSetting{
				Name: it.Name, Help: it.Help, Type: string(it.Type), Default: it.Value(), Choices: it.Choices, Want: it.Want(),
			})
		}
	}
	return list
}
