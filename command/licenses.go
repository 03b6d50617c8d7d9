package command

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/internal/licenses"
)

func (a *app) licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses [NAME]",
		Short: "Print the licenses of the third-party software in this program",
		Long: `Licenses lists the third-party Go modules, libraries and fonts in this program with their versions and
license files. With a NAME, or a unique part of one, it prints the license texts.`,
		Example: `  polydag licenses
  polydag licenses Graphviz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want one name or none, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			works, err := licenses.All()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.write(cmd.Context(), "-", func(w io.Writer) error { return listLicenses(w, works) })
			}
			work, err := licensesOf(args[0], works)
			if err != nil {
				return err
			}
			return a.write(cmd.Context(), "-", func(w io.Writer) error { return printLicenses(w, work) })
		},
	}
}

func listLicenses(w io.Writer, works []licenses.Work) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, work := range works {
		files := make([]string, len(work.Texts))
		for i, t := range work.Texts {
			files[i] = t.File
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", work.Name, work.Version, strings.Join(files, ", "))
	}
	return table.Flush()
}

func printLicenses(w io.Writer, work licenses.Work) error {
	fmt.Fprintln(w, strings.TrimSpace(work.Name+" "+work.Version))
	for _, t := range work.Texts {
		if _, err := fmt.Fprintf(w, "\n--- %s ---\n\n%s\n", t.File, strings.TrimSpace(t.Text)); err != nil {
			return err
		}
	}
	return nil
}

// licensesOf finds a work by its name or by a unique part of it, ignoring case.
func licensesOf(name string, works []licenses.Work) (licenses.Work, error) {
	var all, parts []string
	var found licenses.Work
	for _, w := range works {
		if strings.EqualFold(w.Name, name) {
			return w, nil
		}
		all = append(all, w.Name)
		if strings.Contains(strings.ToLower(w.Name), strings.ToLower(name)) {
			parts, found = append(parts, w.Name), w
		}
	}
	switch {
	case len(parts) == 1:
		return found, nil
	case len(parts) == 0:
		return licenses.Work{}, usagef("no part of the program is called %q%s", name, nearest(name, all, "polydag licenses lists all"))
	}
	return licenses.Work{}, usagef("%q is part of several names: %s; give more of one", name, strings.Join(parts, ", "))
}
