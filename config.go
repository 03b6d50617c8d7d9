package polydag

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/order"
)

// Method names a way of learning.
type Method string

// The methods.
const (
	// Auto is the default: the method that suits the table. So far that is Order for every table.
	Auto Method = "auto"
	// Order searches over orders of the columns for the DAG with the best BIC.
	Order Method = "order"
	// Polydag is the paper's constraint under a score that does not depend on units.
	Polydag Method = "polydag"

	// The methods of the paper, unrefined: least squares, a constraint, Adam, a threshold. Their answer depends on
	// the units of the columns.
	PolydagGeo  Method = "polydag-geo"  // h_geo, the geometric series cut at K
	PolydagPoly Method = "polydag-poly" // h_poly, the direct power sum
	NotearsExp  Method = "notears-exp"  // h_exp, the baseline
)

// Methods lists every method.
func Methods() []Method { return []Method{Auto, Order, Polydag, PolydagGeo, PolydagPoly, NotearsExp} }

// ofPaper reports whether the method is one of the paper's own.
func (m Method) ofPaper() bool { return m == PolydagGeo || m == PolydagPoly || m == NotearsExp }

// The named schedules of the augmented Lagrangian; see solve.Paper and solve.Released.
const (
	SchedulePaper    = "paper"
	ScheduleReleased = "released"
)

// What is assumed of the noise variances.
const (
	VarianceAuto    = "auto"    // both models are searched; equal ones must win by BIC and stand a test
	VarianceEqual   = "equal"   // one variance for all columns, in the units of the data
	VarianceUnequal = "unequal" // a variance for each column; the graph does not depend on units
)

// RestartsAuto is the value of SearchConfig.Restarts for as many rounds as pay.
const RestartsAuto = order.Auto

// Config says how to learn. Start from DefaultConfig: zero means zero.
type Config struct {
	Method Method

	Paper  PaperConfig  // polydag-geo, polydag-poly, notears-exp
	Path   PathConfig   // polydag
	Search SearchConfig // order

	Knowledge knowledge.Spec // required and forbidden edges, tiers; not for the methods of the paper

	Standardize bool   // learn from columns scaled to unit variance
	CheckScale  string // learn a second time in other units and compare: auto, always or never
	Seed        uint64 // of everything random
	Threads     int    // never changes the result
}

// PaperConfig has the constants of the paper's Algorithm 1.
type PaperConfig struct {
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
}

// PathConfig has the constants of the scale-free polyDAG. docs/scale-free.md has the measurements behind the defaults.
type PathConfig struct {
	Constraint      string  // geo, exp or poly
	K               int     // order of geo
	Lambda, Width   float64 // of the MCP penalty
	MuFirst, MuLast float64 // weight of h at the first and last stage
	Stages          int
	StageSteps      int
	Rate            float64 // Adam's learning rate
	Beta1, Beta2    float64 // decay of Adam's moments
	Precision       int     // 64 or 32
}

// SearchConfig has the constants of the order search. docs/penalty.md has the measurements behind the defaults.
type SearchConfig struct {
	Variance string // auto, equal or unequal
	// An edge costs Factor·ln n + 4·Gamma·ln d on the scale of twice the log-likelihood: BIC for (1, 0),
	// the extended BIC for (1, Gamma).
	Factor, Gamma float64
	// Adapt lowers that price where effects turn out to be weak; docs/penalty.md has the formula. Set it to false for a price
	// of your own.
	Adapt    bool
	Restarts int // rounds that try to leave a local optimum; 0 is one descent, RestartsAuto as many as pay
}

// DefaultConfig has the constants of the paper for its methods, and measured ones for the others.
func DefaultConfig() Config {
	return Config{
		Method: Auto,
		Paper: PaperConfig{
			Schedule: ScheduleReleased, K: 16, L1: 0.01, Threshold: 0.3, Steps: 2000,
			Rate: 0.01, Rho: 1, Inner: 200, HTol: 1e-8, Precision: 64,
		},
		Path: PathConfig{
			Constraint: "geo", K: 16, Lambda: 0.2, Width: 0.6, MuFirst: 1e-3, MuLast: 100,
			Stages: 15, StageSteps: 800, Rate: 0.006, Beta1: 0.95, Beta2: 0.99, Precision: 32,
		},
		Search:     defaultSearch(),
		CheckScale: CheckScaleAuto,
		Seed:       1,
		Threads:    1,
	}
}

// ErrConfig is matched by every fault that Validate reports.
var ErrConfig = errors.New("polydag")

// Validate reports every fault at once and repairs none. Each matches ErrConfig.
func (c Config) Validate() error {
	f := &faults{}
	oneOf(f, "method", c.Method, Methods()...)
	oneOf(f, "check-scale", c.CheckScale, CheckScaleAuto, CheckScaleAlways, CheckScaleNever)
	f.atLeast("threads", c.Threads, 1)
	c.Paper.check(f)
	c.Path.check(f)
	c.Search.check(f)
	if c.Method.ofPaper() && !c.Knowledge.Empty() {
		f.add("method %s takes no prior knowledge; choose auto, order or polydag", c.Method)
	}
	return errors.Join(f.errs...)
}

func (p PaperConfig) check(f *faults) {
	oneOf(f, "schedule", p.Schedule, SchedulePaper, ScheduleReleased)
	f.atLeast("k", p.K, 1)
	f.number("l1", p.L1, p.L1 >= 0, "0 or more")
	f.number("threshold", p.Threshold, p.Threshold >= 0, "0 or more")
	f.atLeast("steps", p.Steps, 1)
	f.number("rate", p.Rate, p.Rate > 0, "more than 0")
	f.number("rho", p.Rho, p.Rho > 0, "more than 0")
	f.atLeast("inner", p.Inner, 1)
	f.number("htol", p.HTol, p.HTol > 0, "more than 0")
	f.precision(p.Precision)
}

func (p PathConfig) check(f *faults) {
	oneOf(f, "constraint", p.Constraint, "geo", "exp", "poly")
	f.atLeast("k", p.K, 1)
	f.number("lambda", p.Lambda, p.Lambda >= 0, "0 or more")
	f.number("width", p.Width, p.Width > 0, "more than 0")
	f.number("mu-first", p.MuFirst, p.MuFirst > 0, "more than 0")
	f.number("mu-last", p.MuLast, p.MuLast >= p.MuFirst, "at least mu-first")
	f.atLeast("stages", p.Stages, 1)
	f.atLeast("stage-steps", p.StageSteps, 1)
	f.number("path rate", p.Rate, p.Rate > 0, "more than 0")
	f.number("beta1", p.Beta1, p.Beta1 >= 0 && p.Beta1 < 1, "0 or more and less than 1")
	f.number("beta2", p.Beta2, p.Beta2 >= 0 && p.Beta2 < 1, "0 or more and less than 1")
	f.precision(p.Precision)
}

func (s SearchConfig) check(f *faults) {
	oneOf(f, "variance", s.Variance, VarianceAuto, VarianceEqual, VarianceUnequal)
	f.number("penalty", s.Factor, s.Factor >= 0, "0 or more")
	f.number("gamma", s.Gamma, s.Gamma >= 0, "0 or more")
	f.number("penalty + gamma", s.Factor+s.Gamma, s.Factor+s.Gamma > 0, "more than 0")
	f.atLeast("restarts", s.Restarts, RestartsAuto)
}

// faults collects what is wrong.
type faults struct{ errs []error }

func (f *faults) add(format string, args ...any) {
	err := fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...)
	if !slices.ContainsFunc(f.errs, func(e error) bool { return e.Error() == err.Error() }) {
		f.errs = append(f.errs, err)
	}
}

func (f *faults) atLeast(name string, v, low int) {
	if v < low {
		f.add("%s = %d, want at least %d", name, v, low)
	}
}

func (f *faults) number(name string, v float64, ok bool, want string) {
	if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
		f.add("%s = %v, want %s", name, v, want)
	}
}

func (f *faults) precision(bits int) {
	if bits != 64 && bits != 32 {
		f.add("precision = %d, want 64 or 32", bits)
	}
}

// oneOf checks a word against its choices.
func oneOf[S ~string](f *faults, name string, v S, choices ...S) {
	if slices.Contains(choices, v) {
		return
	}
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = string(c)
	}
	f.add("%s %q is unknown; choose %s", name, v, strings.Join(words, ", "))
}

// used returns the settings that the method reads, for the record of the run. Threads is not among them,
// since it changes nothing but the time.
func (c Config) used() map[string]any {
	s := map[string]any{"standardize": c.Standardize}
	switch {
	case c.Method.ofPaper():
		c.Paper.record(s, c.Method)
	case c.Method == Polydag:
		c.Path.record(s)
		s["penalty_factor"], s["penalty_gamma"] = c.Search.Factor, c.Search.Gamma
	default:
		c.Search.record(s)
	}
	if !c.Knowledge.Empty() {
		s["knowledge"] = c.Knowledge
	}
	return s
}

func (p PaperConfig) record(s map[string]any, m Method) {
	s["schedule"], s["l1"], s["threshold"], s["steps"] = p.Schedule, p.L1, p.Threshold, p.Steps
	s["rate"], s["rho"], s["inner"], s["precision"] = p.Rate, p.Rho, p.Inner, p.Precision
	if m == PolydagGeo {
		s["k"] = p.K
	}
	if p.Schedule == SchedulePaper {
		s["htol"] = p.HTol
	}
}

func (p PathConfig) record(s map[string]any) {
	s["constraint"], s["lambda"], s["width"], s["mu_first"], s["mu_last"] = p.Constraint, p.Lambda, p.Width, p.MuFirst, p.MuLast
	s["stages"], s["stage_steps"], s["rate"], s["precision"] = p.Stages, p.StageSteps, p.Rate, p.Precision
	s["beta1"], s["beta2"] = p.Beta1, p.Beta2
	if p.Constraint == "geo" {
		s["k"] = p.K
	}
}

func (q SearchConfig) record(s map[string]any) {
	s["variance"], s["penalty_factor"], s["penalty_gamma"], s["restarts"] = q.Variance, q.Factor, q.Gamma, q.Restarts
	s["penalty_adapt"] = q.Adapt
}
