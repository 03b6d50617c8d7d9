package provider

import (
	"fmt"
	"math"
	"strings"
)

// A MismatchError reports that a file is readable but is not the published one. Settings.Force accepts it.
type MismatchError struct {
	File   string
	Want   string   // the expected file
	Faults []string // each with the expected and the actual value
}

// Error lists every fault.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s does not match %s: %s", e.File, e.Want, strings.Join(e.Faults, "; "))
}

// findings collects the faults and notes about a file.
type findings struct {
	file, want string
	force      bool
	notes      []string
	faults     []string
}

func (f *findings) notef(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

func (f *findings) faultf(format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, args...))
}

// settle returns the faults as an error or, with force, adds them as the first notes.
func (f *findings) settle() error {
	if len(f.faults) == 0 {
		return nil
	}
	if !f.force {
		return &MismatchError{File: f.file, Want: f.want, Faults: f.faults}
	}
	forced := make([]string, 0, len(f.faults)+len(f.notes))
	for _, fault := range f.faults {
		forced = append(forced, "warning: accepted by force: "+fault)
	}
	f.notes = append(forced, f.notes...)
	f.faults = nil
	return nil
}

// known is the published mean of a column.
type known struct {
	column string
	mean   float64
}

// means compares the means of columns with the published ones. mean returns false for a missing column.
func (f *findings) means(what string, list []known, tolerance float64, mean func(column string) (float64, bool)) {
	for _, k := range list {
		// The negation also catches NaN.
		if got, ok := mean(k.column); ok && !(math.Abs(got-k.mean) <= tolerance) {
			f.faultf("%s of %s is %.4f, expected %.4f", what, k.column, got, k.mean)
		}
	}
}
