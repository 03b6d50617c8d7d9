package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man",
		Short: "Write the manual pages",
		Long: `Man writes one manual page for each command, made from what --help prints, into a folder. man finds them in any
folder man1 below one that MANPATH names.`,
		Example: `  polydag man --dir man/man1`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("cannot make %s: %w; check the folder and its permissions", dir, cause(err))
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // no date: the same pages from the same program
			head := &doc.GenManHeader{Section: "1", Source: "polydag", Manual: "polydag"}
			if err := doc.GenManTree(root, head, dir); err != nil {
				return fmt.Errorf("cannot write the pages to %s: %w; check the folder and its permissions", dir, cause(err))
			}
			pages, err := os.ReadDir(dir)
			if err != nil {
				return err
			}
			n := 0
			for _, p := range pages {
				if strings.HasPrefix(p.Name(), "polydag") && strings.HasSuffix(p.Name(), ".1") {
					n++
				}
			}
			fmt.Fprintf(a.out, "%d pages in %s\n", n, dir)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "man/man1", "folder to write to; made where it does not exist")
	return cmd
}
