package provider

import (
	"fmt"
	"math"
	"strings"
)

// A MismatchError says that a file can be read but is not the one that its provider publishes. Settings.Force accepts it.
type MismatchError struct {
	File   string
	Want   string   // what the file should be
	Faults []string // each with the value expected and the value found
}

// Error lists every fault.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s does not match %s: %s", e.File, e.Want, strings.Join(e.Faults, "; "))
}

// findings gathers what a reader has to say about a file.
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

// settle returns the faults as an error, or, if forced, makes them the first notes.
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

// A known value of a column of the published file: its mean, to the digits that tolerance leaves.
type known struct {
	column string
	mean   float64
}

// means compares the means of columns with the published ones. mean returns false for a column that the file lacks.
func (f *findings) means(what string, list []known, tolerance float64, mean func(column string) (float64, bool)) {
	for _, k := range list {
		// The negation also catches NaN.
		if got, ok := mean(k.column); ok && !(math.Abs(got-k.mean) <= tolerance) {
			f.faultf("%s of %s is %.4f, expected %.4f", what, k.column, got, k.mean)
		}
	}
}
