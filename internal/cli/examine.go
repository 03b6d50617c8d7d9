package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/diagnose"
)

// shownWarnings is how many findings a run prints before it refers to polydag check.
const shownWarnings = 5

// examine looks a table over before a run, by its moments alone where they were saved without more. Errors end it; warnings are
// said; notes are for the result and --verbose. Without wanted it only refuses what cannot be learned from. It returns soon after
// ctx has ended: at 2000 columns a look takes a second.
func examine(ctx context.Context, data *gathered, cfg polydag.Config, wanted bool, say *console) ([]diagnose.Finding, error) {
	invalid := data.Moments.Validate()
	if invalid != nil {
		invalid = fmt.Errorf("%s: %w", data.name, invalid)
	}
	if !wanted || invalid != nil && !errors.Is(invalid, dataset.ErrConstant) {
		return nil, invalid // not looked over
	}
	look, err := within(ctx, data.name, "looked over", func() (*diagnose.Preflight, error) {
		return diagnose.ExamineRefusing(data.Moments, data.Profile, diagnose.Refusals{Units: byUnits(cfg)}), nil
	})
	if err != nil {
		return nil, err
	}
	var faults []error
	warnings := 0
	for _, f := range look.Findings {
		text := f.Sentence + "; " + f.WayOut
		args := []any{"code", f.Code, "columns", f.Columns, "way_out", f.WayOut}
		switch f.Severity {
		case diagnose.Error:
			faults = append(faults, fmt.Errorf("%s: %s", data.name, text))
		case diagnose.Warning:
			if warnings++; warnings <= shownWarnings || say.log != nil || say.verbose {
				say.warn(text, args...)
			}
		default:
			say.detail(text, args...)
		}
	}
	if more := warnings - shownWarnings; more > 0 && say.log == nil && !say.verbose {
		say.note(fmt.Sprintf("and %d more; polydag check %s shows them all", more, data.name))
	}
	if len(faults) == 0 {
		return look.Findings, invalid
	}
	return look.Findings, errors.Join(faults...)
}

// byUnits reports whether the answer of a run depends on the units of the columns.
func byUnits(cfg polydag.Config) bool {
	if cfg.Standardize {
		return false
	}
	switch cfg.Method {
	case polydag.PolydagGeo, polydag.PolydagPoly, polydag.NotearsExp:
		return true
	}
	return cfg.Search.Variance == "equal"
}
