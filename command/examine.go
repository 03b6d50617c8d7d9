package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/trust"
)

// shownWarnings is the number of findings that a run prints before it refers to polydag check.
const shownWarnings = 5

// examine checks a table before a run, using only its moments if nothing else was saved. Errors end the run,
// and warnings are printed. Notes go to the result and to --verbose. It returns soon after ctx has ended, since
// at 2000 columns the checks take a second.
func (g *gathered) examine(ctx context.Context) error {
	var invalid error
	findings, err := within(ctx, g.name, "checked", func() (findings []trust.Finding, _ error) {
		findings, invalid = g.how.Examine(g.Table)
		return findings, nil
	})
	if err != nil {
		return err
	}
	if invalid != nil {
		invalid = fmt.Errorf("%s: %w", g.name, invalid)
	}
	var faults []error
	warnings := 0
	for _, f := range findings {
		way := fault.Reword(f.WayOut, f.Remedies, Flagged)
		text := f.Sentence + "; " + way
		args := []any{"code", f.Code, "columns", f.Columns, "way_out", way}
		switch f.Severity {
		case trust.Error:
			faults = append(faults, fmt.Errorf("%s: %s", g.name, text))
		case trust.Warning:
			if warnings++; warnings <= shownWarnings || g.screen.log != nil || g.screen.verbose {
				g.screen.warn(text, args...)
			}
		default:
			g.screen.detail(text, args...)
		}
	}
	if more := warnings - shownWarnings; more > 0 && g.screen.log == nil && !g.screen.verbose {
		g.screen.note(fmt.Sprintf("%s; run polydag check %s to see all", plural(more, "more warning"), g.name))
	}
	if len(faults) == 0 {
		return invalid
	}
	return errors.Join(faults...)
}
