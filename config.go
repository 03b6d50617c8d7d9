package polydag

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Method names a way of learning.
type Method string

// The methods of the paper, unrefined: least squares, an acyclicity constraint, Adam, a threshold.
const (
	PolydagGeo  Method = "polydag-geo"  // h_geo, the geometric series cut at K
	PolydagPoly Method = "polydag-poly" // h_poly, the direct power sum
	NotearsExp  Method = "notears-exp"  // h_exp, the baseline
)

// Methods lists every method.
func Methods() []Method { return []Method{PolydagGeo, PolydagPoly, NotearsExp} }

// The named schedules of the augmented Lagrangian; see solve.Paper and solve.Released.
const (
	SchedulePaper    = "paper"
	ScheduleReleased = "released"
)

// Config says how to learn. Start from DefaultConfig: zero means zero.
type Config struct {
	Method Method

	Schedule  string  // paper or released
	K         int     // order of h_geo; at least 1; d or more makes it exact
	L1        float64 // weight of the L1 penalty
	Threshold float64 // edges with |weight| at or below are dropped
	Steps     int     // largest number of gradient steps
	Rate      float64 // Adam's learning rate
	Rho       float64 // first weight of h² in the augmented Lagrangian
	Inner     int     // steps between updates of its multiplier
	HTol      float64 // the paper schedule stops at |h| below
	Precision int     // 64 or 32: bits of the solver's arithmetic

	Standardize bool   // learn from columns scaled to unit variance
	Seed        uint64 // of everything random
	Threads     int    // never changes the result
}

// DefaultConfig has the constants of the paper.
func DefaultConfig() Config {
	return Config{
		Method:    PolydagGeo,
		Schedule:  ScheduleReleased,
		K:         16,
		L1:        0.01,
		Threshold: 0.3,
		Steps:     2000,
		Rate:      0.01,
		Rho:       1,
		Inner:     200,
		HTol:      1e-8,
		Precision: 64,
		Seed:      1,
		Threads:   1,
	}
}

// Validate reports every fault at once and repairs none. Each matches ErrConfig.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...))
	}
	if !slices.Contains(Methods(), c.Method) {
		bad("method %q is unknown; choose %s", c.Method, listed(Methods()))
	}
	if c.Schedule != SchedulePaper && c.Schedule != ScheduleReleased {
		bad("schedule %q is unknown; choose %s or %s", c.Schedule, SchedulePaper, ScheduleReleased)
	}
	if c.K < 1 {
		bad("k = %d, want at least 1 (the number of columns makes h_geo exact)", c.K)
	}
	if !(c.L1 >= 0) || math.IsInf(c.L1, 0) {
		bad("l1 = %v, want 0 or more", c.L1)
	}
	if !(c.Threshold >= 0) || math.IsInf(c.Threshold, 0) {
		bad("threshold = %v, want 0 or more", c.Threshold)
	}
	if c.Steps < 1 {
		bad("steps = %d, want at least 1", c.Steps)
	}
	if !(c.Rate > 0) || math.IsInf(c.Rate, 0) {
		bad("rate = %v, want more than 0", c.Rate)
	}
	if !(c.Rho > 0) || math.IsInf(c.Rho, 0) {
		bad("rho = %v, want more than 0", c.Rho)
	}
	if c.Inner < 1 {
		bad("inner = %d, want at least 1", c.Inner)
	}
	if !(c.HTol > 0) {
		bad("htol = %v, want more than 0", c.HTol)
	}
	if c.Precision != 64 && c.Precision != 32 {
		bad("precision = %d, want 64 or 32", c.Precision)
	}
	if c.Threads < 1 {
		bad("threads = %d, want at least 1", c.Threads)
	}
	return errors.Join(errs...)
}

// ErrConfig is matched by every fault that Validate reports.
var ErrConfig = errors.New("polydag")

// used returns the settings that the method reads, for the record of the run. Threads is not among them,
// since it changes nothing but the time.
func (c Config) used() map[string]any {
	s := map[string]any{
		"schedule": c.Schedule, "l1": c.L1, "threshold": c.Threshold, "steps": c.Steps, "rate": c.Rate,
		"rho": c.Rho, "inner": c.Inner, "precision": c.Precision, "standardize": c.Standardize,
	}
	if c.Method == PolydagGeo {
		s["k"] = c.K
	}
	if c.Schedule == SchedulePaper {
		s["htol"] = c.HTol
	}
	return s
}

func listed[S ~string](all []S) string {
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}
