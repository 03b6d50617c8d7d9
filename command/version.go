package command

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/internal/gemm"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit, the Go version and the active kernel",
		Example: "  polydag version",
		Args:    exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.write(cmd.Context(), "-", func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "polydag %s, commit %s, %s %s/%s, kernel %s\n", version(), revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH, gemm.Active())
				return err
			})
		},
	}
}

// release and commit are set by the linker in release builds.
var release, commit string

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// revision returns the commit of the build if known, with a + if files were changed.
func revision() string {
	if commit != "" {
		return commit
	}
	hash, changed := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				hash = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+"
			}
		}
	}
	return hash + changed
}
