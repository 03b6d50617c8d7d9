package cli

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
		Short:   "Print the version, the Go release and the kernel in use",
		Example: "  polydag version",
		Args:    exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.write(cmd.Context(), "-", func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "polydag %s, %s %s/%s, kernel %s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, gemm.Active())
				return err
			})
		},
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
