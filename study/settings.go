package study

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/polydag/polydag"
)

// Settings are the fields of polydag.Config that a method may set, under the names that a result records them with. What
// is absent keeps its default.
type Settings struct {
	// The paper's methods.
	Schedule  *string  `yaml:"schedule"`
	L1        *float64 `yaml:"l1"`
	Threshold *float64 `yaml:"threshold"`
	Steps     *int     `yaml:"steps"`
	Rho       *float64 `yaml:"rho"`
	Inner     *int     `yaml:"inner"`
	HTol      *float64 `yaml:"htol"`

	// The scale-free polyDAG.
	Constraint *string  `yaml:"constraint"`
	Lambda     *float64 `yaml:"lambda"`
	Width      *float64 `yaml:"width"`
	MuFirst    *float64 `yaml:"mu_first"`
	MuLast     *float64 `yaml:"mu_last"`
	Stages     *int     `yaml:"stages"`
	StageSteps *int     `yaml:"stage_steps"`
	Beta1      *float64 `yaml:"beta1"`
	Beta2      *float64 `yaml:"beta2"`

	// Both.
	K         *Order   `yaml:"k"`
	Rate      *float64 `yaml:"rate"`
	Precision *int     `yaml:"precision"`

	// The order search.
	Variance   *string  `yaml:"variance"`
	Factor     *float64 `yaml:"penalty_factor"`
	Gamma      *float64 `yaml:"penalty_gamma"`
	Restarts   *int     `yaml:"restarts"`
	FirstStage *string  `yaml:"first_stage"`

	// Every method: never unless set, also for the methods of the paper. The check is a second solve, which no experiment of
	// the paper has; its time is recorded apart.
	CheckScale *string `yaml:"check_scale"`
}

// Order is the order of h_geo: a number, or "d" for the number of columns (0 here).
type Order int

// UnmarshalYAML reads a number or d.
func (k *Order) UnmarshalYAML(n *yaml.Node) error {
	if n.Value == "d" {
		*k = 0
		return nil
	}
	var v int
	if err := n.Decode(&v); err != nil || v < 1 {
		return fmt.Errorf("line %d: k: %s, want a whole number of at least 1, or d", n.Line, n.Value)
	}
	*k = Order(v)
	return nil
}

// config applies the settings to the defaults, for a table of so many columns.
func (m Method) config(columns int) polydag.Config {
	c := polydag.DefaultConfig()
	c.Method, c.CheckScale = polydag.Method(m.Method), polydag.CheckScaleNever
	s := m.Set
	set(&c.CheckScale, s.CheckScale)
	set(&c.Paper.Schedule, s.Schedule)
	set(&c.Paper.L1, s.L1)
	set(&c.Paper.Threshold, s.Threshold)
	set(&c.Paper.Steps, s.Steps)
	set(&c.Paper.Rho, s.Rho)
	set(&c.Paper.Inner, s.Inner)
	set(&c.Paper.HTol, s.HTol)
	set(&c.Path.Constraint, s.Constraint)
	set(&c.Path.Lambda, s.Lambda)
	set(&c.Path.Width, s.Width)
	set(&c.Path.MuFirst, s.MuFirst)
	set(&c.Path.MuLast, s.MuLast)
	set(&c.Path.Stages, s.Stages)
	set(&c.Path.StageSteps, s.StageSteps)
	set(&c.Path.Beta1, s.Beta1)
	set(&c.Path.Beta2, s.Beta2)
	set(&c.Paper.Rate, s.Rate)
	set(&c.Path.Rate, s.Rate)
	set(&c.Paper.Precision, s.Precision)
	set(&c.Path.Precision, s.Precision)
	set(&c.Search.Variance, s.Variance)
	set(&c.Search.Factor, s.Factor)
	set(&c.Search.Gamma, s.Gamma)
	set(&c.Search.Restarts, s.Restarts)
	set(&c.FirstStage, s.FirstStage)
	if s.K != nil {
		k := int(*s.K)
		if k == 0 {
			k = max(columns, 1)
		}
		c.Paper.K, c.Path.K = k, k
	}
	return c
}

func set[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}

// used is the part of a configuration that its method reads: the settings as used, and a part of a run's key, so
// that a change of a default makes new runs.
type used struct {
	Method     polydag.Method        `json:"method"`
	Paper      *polydag.PaperConfig  `json:"paper,omitempty"`
	Path       *polydag.PathConfig   `json:"path,omitempty"`
	Search     *polydag.SearchConfig `json:"search,omitempty"`
	FirstStage string                `json:"first_stage,omitempty"`
	CheckScale string                `json:"check_scale,omitempty"` // absent for never
}

func usedOf(c polydag.Config) *used {
	u := &used{Method: c.Method}
	if c.CheckScale != polydag.CheckScaleNever {
		u.CheckScale = c.CheckScale
	}
	switch c.Method {
	case polydag.PolydagGeo, polydag.PolydagPoly, polydag.NotearsExp:
		u.Paper = &c.Paper
	case polydag.Order:
		u.Search = &c.Search
	case polydag.Polydag:
		u.Path, u.Search = &c.Path, &c.Search
	default:
		u.Path, u.Search, u.FirstStage = &c.Path, &c.Search, c.FirstStage
	}
	return u
}
