//go:build !js

package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func (a *app) manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man",
		Short: "Write the manual pages",
		Long: `Man writes one manual page per command, with the text of --help, into a directory. To use the pages,
put them into a directory man1 below one that MANPATH lists.`,
		Example: `  polydag man --dir man/man1`,
		Args:    exactArgs(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("cannot make %s: %w; check the folder and its permissions", dir, Cause(err))
			}
			n, err := a.writePages(cmd.Context(), cmd.Root(), dir)
			if err != nil {
				return err
			}
			return a.write(cmd.Context(), "-", func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%d pages in %s\n", n, dir)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "man/man1", "output directory; created if it does not exist")
	return cmd
}

func (a *app) writePages(ctx context.Context, cmd *cobra.Command, dir string) (pages int, err error) {
	for _, sub := range cmd.Commands() {
		if !hasPage(sub) {
			continue
		}
		n, err := a.writePages(ctx, sub, dir)
		if err != nil {
			return 0, err
		}
		pages += n
	}
	text := manPage(cmd)
	return pages + 1, a.write(ctx, filepath.Join(dir, dashed(cmd)+".1"), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
