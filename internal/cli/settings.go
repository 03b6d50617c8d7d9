package cli

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/knowledge"
)

// settings are the flags of a command that learns, and what they become.
type settings struct {
	cfg       polydag.Config
	k         order
	precision int
	rate      float64
	penalty   float64
	know      knowledgeFlags
	flags     *pflag.FlagSet
}

func newSettings(f *pflag.FlagSet, threads int) *settings {
	s := &settings{cfg: polydag.DefaultConfig(), flags: f}
	c := &s.cfg
	c.Threads = threads
	s.k.value, s.precision, s.rate, s.penalty = c.Paper.K, c.Paper.Precision, c.Paper.Rate, c.Search.Factor

	f.StringVar((*string)(&c.Method), "method", string(c.Method), "auto, order, polydag, or the paper's polydag-geo, polydag-poly, notears-exp")
	f.BoolVar(&c.Standardize, "standardize", c.Standardize, "scale every column to unit variance first (auto, order and polydag give the same graph either way unless variances are equal)")
	f.StringVar(&c.CheckScale, "check-scale", c.CheckScale, "learn a second time in other units and compare: auto (methods of the paper), always or never")
	f.Uint64Var(&c.Seed, "seed", c.Seed, "seed of everything random")
	f.IntVar(&c.Threads, "threads", c.Threads, "threads; they change the time, never the result")

	f.StringVar(&c.Search.Variance, "variance", c.Search.Variance, "search: noise variances auto (BIC and a test decide), equal or unequal")
	f.Var((*restarts)(&c.Search.Restarts), "restarts", "search: rounds that try to leave a local optimum: a number, 0 is one descent; or auto, as many as pay")
	f.Float64Var(&s.penalty, "penalty", s.penalty, "search: price of an edge in units of ln(rows), with --gamma 0 unless given; 1 is BIC (default: extended BIC, ln n + 4·gamma·ln d, or less where effects are weak)")
	f.Lookup("penalty").DefValue = "0" // hides the number: the text says what the default is
	f.Float64Var(&c.Search.Gamma, "gamma", c.Search.Gamma, "search: gamma of the extended BIC; given, the price does not adapt to weak effects")

	f.StringArrayVar(&s.know.require, "require", nil, "edge that must be in the graph, as a->b; repeat for more")
	f.StringArrayVar(&s.know.forbid, "forbid", nil, "edge that must not be, as a->b; * matches any name")
	f.StringVar(&s.know.tiers, "tiers", "", "JSON file of tiers, [[\"a\",\"b\"],[\"c\"]]: no edge from a later to an earlier one")
	f.StringVar(&s.know.file, "knowledge", "", "JSON file with require, forbid, tiers and groups")

	f.StringVar(&c.Path.Constraint, "constraint", c.Path.Constraint, "polydag: acyclicity constraint geo, exp or poly")
	f.Float64Var(&c.Path.Lambda, "lambda", c.Path.Lambda, "polydag: weight of the MCP penalty")
	f.IntVar(&c.Path.Stages, "stages", c.Path.Stages, "polydag: stages of the path")
	f.IntVar(&c.Path.StageSteps, "stage-steps", c.Path.StageSteps, "polydag: gradient steps of a stage")

	f.StringVar(&c.Paper.Schedule, "schedule", c.Paper.Schedule, "paper's methods: released (as the published code) or paper (as its text)")
	f.Var(&s.k, "k", "order of h_geo; d for the number of columns, which makes it exact")
	f.Float64Var(&c.Paper.L1, "l1", c.Paper.L1, "paper's methods: weight of the L1 penalty")
	f.Float64Var(&c.Paper.Threshold, "threshold", c.Paper.Threshold, "paper's methods: drop edges with |weight| at or below this")
	f.IntVar(&c.Paper.Steps, "steps", c.Paper.Steps, "paper's methods: largest number of gradient steps")
	f.Float64Var(&s.rate, "rate", s.rate, fmt.Sprintf("learning rate of Adam (polydag: %g)", c.Path.Rate))
	f.IntVar(&s.precision, "precision", s.precision, fmt.Sprintf("bits of the solver's arithmetic, 64 or 32 (polydag: %d)", c.Path.Precision))
	return s
}

// readBy lists, for flags that not every method reads, those that do.
var readBy = map[string][]polydag.Method{
	"variance": {polydag.Auto, polydag.Order, polydag.Polydag}, "restarts": {polydag.Auto, polydag.Order},
	"penalty": {polydag.Auto, polydag.Order, polydag.Polydag}, "gamma": {polydag.Auto, polydag.Order, polydag.Polydag},
	"constraint": {polydag.Polydag}, "lambda": {polydag.Polydag},
	"stages": {polydag.Polydag}, "stage-steps": {polydag.Polydag},
	"schedule": {polydag.PolydagGeo, polydag.PolydagPoly, polydag.NotearsExp}, "l1": {polydag.PolydagGeo, polydag.PolydagPoly, polydag.NotearsExp},
	"threshold": {polydag.PolydagGeo, polydag.PolydagPoly, polydag.NotearsExp}, "steps": {polydag.PolydagGeo, polydag.PolydagPoly, polydag.NotearsExp},
	"k": {polydag.Polydag, polydag.PolydagGeo},
}

// remark says which of the given flags the method does not read.
func (s *settings) remark(say *console) {
	s.flags.Visit(func(f *pflag.Flag) {
		if methods, ok := readBy[f.Name]; ok && !slices.Contains(methods, s.cfg.Method) {
			say.note(fmt.Sprintf("--%s has no effect with --method %s", f.Name, s.cfg.Method))
		}
	})
}

// resolve returns the configuration for a table of so many columns.
func (s *settings) resolve(columns int) (polydag.Config, error) {
	c := s.cfg
	c.Threads = min(c.Threads, runtime.NumCPU()) // more would only wait for each other
	c.Paper.K = s.k.of(columns)
	c.Path.K = c.Paper.K
	if s.flags.Changed("precision") {
		c.Paper.Precision, c.Path.Precision = s.precision, s.precision
	}
	if s.flags.Changed("rate") {
		c.Paper.Rate, c.Path.Rate = s.rate, s.rate
	}
	if s.flags.Changed("penalty") {
		c.Search.Factor = s.penalty
		if !s.flags.Changed("gamma") {
			c.Search.Gamma = 0
		}
	}
	if s.flags.Changed("penalty") || s.flags.Changed("gamma") {
		c.Search.Adapt = false
	}
	var err error
	if c.Knowledge, err = s.know.spec(); err != nil {
		return c, err
	}
	return c, c.Validate()
}

// knowledgeFlags are the places that prior knowledge can come from; they add up.
type knowledgeFlags struct {
	require, forbid []string
	tiers, file     string
}

func (k knowledgeFlags) spec() (knowledge.Spec, error) {
	spec := knowledge.Spec{Require: k.require, Forbid: k.forbid}
	for _, path := range []string{k.tiers, k.file} {
		if path == "" {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return spec, fmt.Errorf("cannot read %s: %w; check the path and its permissions", path, cause(err))
		}
		more, err := knowledge.ReadSpec(f)
		f.Close()
		if err != nil {
			return spec, fmt.Errorf("%s: %w", path, err)
		}
		if spec, err = spec.Merge(more); err != nil {
			return spec, err
		}
	}
	return spec, nil
}

// order is the value of --k: a number, or d.
type order struct {
	value int
	all   bool
}

func (k *order) String() string {
	if k.all {
		return "d"
	}
	return strconv.Itoa(k.value)
}

func (k *order) Type() string { return "int" }

func (k *order) Set(s string) error {
	if s == "d" {
		k.all = true
		return nil
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < 1 {
		return fmt.Errorf("%q: want a whole number of at least 1, or d", s)
	}
	*k = order{value: v}
	return nil
}

func (k *order) of(columns int) int {
	if k.all {
		return columns
	}
	return k.value
}

// restarts is the value of --restarts: a number, or auto.
type restarts int

func (r *restarts) String() string {
	if *r == polydag.RestartsAuto {
		return "auto"
	}
	return strconv.Itoa(int(*r))
}

func (r *restarts) Type() string { return "int|auto" }

func (r *restarts) Set(s string) error {
	if s == "auto" {
		*r = polydag.RestartsAuto
		return nil
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < 0 {
		return fmt.Errorf("%q: want a whole number, 0 or more, or auto", s)
	}
	*r = restarts(v)
	return nil
}
