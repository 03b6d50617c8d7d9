package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/gemm"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the Go release and the kernel in use",
		Example: "  polydag version",
		Args:    exactArgs(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.out, "polydag %s, %s %s/%s, kernel %s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, gemm.Active())
			return err
		},
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
