package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/trust"
)

// shownWarnings is the number of findings that a run prints before it refers to polydag check.
const shownWarnings = 5

// examine checks a table before a run, using only its moments if nothing else was saved. Errors end the run,
// and warnings are printed. Notes go to the result and to --verbose. It returns soon after ctx has ended, since
// at 2000 columns the checks take a second.
func examine(ctx context.Context, data *gathered, cfg polydag.Config, screen *console) error {
	invalid := data.Moments.Validate()
	if invalid != nil {
		invalid = fmt.Errorf("%s: %w", data.name, invalid)
	}
	if invalid != nil && !errors.Is(invalid, dataset.ErrConstant) {
		return invalid // nothing can be checked
	}
	findings, err := within(ctx, data.name, "checked", func() ([]trust.Finding, error) { return data.Examine(cfg), nil })
	if err != nil {
		return err
	}
	var faults []error
	warnings := 0
	for _, f := range findings {
		way := fault.Reword(f.WayOut, f.Remedies, Flagged)
		text := f.Sentence + "; " + way
		args := []any{"code", f.Code, "columns", f.Columns, "way_out", way}
		switch f.Severity {
		case trust.Error:
			faults = append(faults, fmt.Errorf("%s: %s", data.name, text))
		case trust.Warning:
			if warnings++; warnings <= shownWarnings || screen.log != nil || screen.verbose {
				screen.warn(text, args...)
			}
		default:
			screen.detail(text, args...)
		}
	}
	if more := warnings - shownWarnings; more > 0 && screen.log == nil && !screen.verbose {
		screen.note(fmt.Sprintf("%s; run polydag check %s to see all", plural(more, "more warning"), data.name))
	}
	if len(faults) == 0 {
		return invalid
	}
	return errors.Join(faults...)
}
