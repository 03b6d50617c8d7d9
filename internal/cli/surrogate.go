//go:build !js

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/internal/study/surrogate"
)

// surrogateStudy is the word of --set study for the study of learned constraints.
const surrogateStudy = "surrogate"

func (a *app) surrogate(cmd *cobra.Command, opt reproduceSettings) error {
	s := surrogate.DefaultSettings()
	if opt.sel.Quick {
		s = surrogate.Quick()
	}
	s.Threads = opt.jobs
	bar := opt.screen.bar()
	s.Progress = func(share float64) { bar.share("training", share) }
	defer bar.clear()
	fmt.Fprintln(a.out, "| columns | constraint | error of log h | cosine of gradients | cosine, h < 0.01 | SHD | edges cut | µs |\n|---|---|---|---|---|---|---|---|")
	return surrogate.Run(cmd.Context(), s, func(r surrogate.Row) error {
		bar.clear()
		_, err := fmt.Fprintf(a.out, "| %d | %s | %.2f | %.3f | %.3f | %.1f | %.1f | %.0f |\n",
			r.Columns, r.Constraint, r.LogError, r.Cosine, r.LateCosine, r.SHD, r.Cut, r.Micro)
		return err
	})
}
