package effect

import "github.com/polydag/polydag/score"

// Schema names the layout of Answer in JSON. It changes when a field changes its meaning or goes.
const Schema = "polydag.effect/1"

// Identification says what the graph tells of the effect.
type Identification string

// What the graph tells.
const (
	Identified Identification = "identified" // one value
	Open       Identification = "open"       // a range: graphs that fit as well have different effects
	None       Identification = "none"       // no directed path, so no effect
)

// Answer is what is said to a Question.
type Answer struct {
	Schema string        `json:"schema"`
	Of     string        `json:"of"`
	On     string        `json:"on"`
	Model  score.Effects `json:"model"`
	Rows   int           `json:"rows"`

	Identification Identification `json:"identification"`
	// Reason is a sentence about the identification.
	Reason string `json:"reason"`
	// Contrast are the two values of Of that the effects compare.
	Contrast Contrast `json:"contrast"`
	// Effects has one entry for a number, its mean, and one for each level otherwise. All are at the end of the contrast less
	// at its start.
	Effects []Effect `json:"effects"`

	// Between has, in a survey, the columns on directed paths of which Through would have taken too long.
	Between []string `json:"between,omitempty"`

	Adjustment Adjustment `json:"adjustment"`
	// Class is there where some direction at Of is open.
	Class *Class `json:"class,omitempty"`
	// Interval says what the intervals are made of; absent where there are none.
	Interval *Interval `json:"interval,omitempty"`

	Distributions []Distribution `json:"distributions,omitempty"`
	WhatIf        []WhatIf       `json:"what_if,omitempty"`
	Sensitivity   *Sensitivity   `json:"sensitivity,omitempty"`

	Notes   []string `json:"notes,omitempty"`
	Caution string   `json:"caution"`
}

// Contrast is two values of the column that is set, as it writes them.
type Contrast struct {
	Start string `json:"start"`
	End   string `json:"end"`
	// Unit says that the two are one unit apart and could be anywhere, as under a linear model.
	Unit bool `json:"unit"`
}

// Quantity is a number with its interval, where there is one.
type Quantity struct {
	Value float64 `json:"value"`
	// Standardized is the value in standard deviations of both columns, where the effect is a slope.
	Standardized *float64 `json:"standardized,omitempty"`
	Low          *float64 `json:"low,omitempty"`
	High         *float64 `json:"high,omitempty"`
}

// Effect is what the contrast does to one figure of the column that is looked at.
type Effect struct {
	// Outcome is "mean", or the level whose probability it is.
	Outcome string `json:"outcome"`
	// Total is all of it. Direct is what goes along the edge alone: the other causes stay as they are at the start.
	Total  Quantity `json:"total"`
	Direct Quantity `json:"direct"`
	// Through has, for each column on a directed path, what goes along all paths that pass it: it is as at the end of the contrast,
	// and the column that is set stays at the start. A path that passes two columns counts for both, so these do not add up.
	Through []Through `json:"through"`
}

// Through is what goes through one column.
type Through struct {
	Name string `json:"name"`
	Quantity
}

// Adjustment is what to hold fixed to see the effect in the rows as they were observed.
type Adjustment struct {
	// Exists is false where On is a parent of Of. Set is minimal.
	Exists bool     `json:"exists"`
	Set    []string `json:"set"`
	// Valid says that the set was checked against the graph: no descendant of Of is in it, and it blocks every back-door path.
	Valid bool `json:"valid"`
	// Slope is, under a linear model, the weight of Of in a regression of On on it and the set: another way to the total.
	Slope *float64 `json:"slope,omitempty"`
}

// Class is the effect over the graphs that fit as well (IDA).
type Class struct {
	// Neighbors are the columns whose direction to Of is open.
	Neighbors []string `json:"neighbors"`
	Members   []Member `json:"members"`
	// Low, High and LeastAbsolute are over all members, one number for each of Effects.
	Low           []float64 `json:"low"`
	High          []float64 `json:"high"`
	LeastAbsolute []float64 `json:"least_absolute"`
}

// Member is one way to direct the open edges at Of, and what the total effects are then.
type Member struct {
	Parents []string  `json:"parents"` // of Of
	Totals  []float64 `json:"totals"`
}

// IntervalMethod says what an interval is made of.
type IntervalMethod string

// What an interval can be made of.
const (
	OverGraphs    IntervalMethod = "bootstrap-graphs" // each replicate learns its own graph and its own weights
	OverPosterior IntervalMethod = "posterior"        // each replicate is a graph drawn from the posterior, with weights drawn given the graph
	OverRows      IntervalMethod = "bootstrap"        // each replicate has the same graph and its own weights
	ByFormula     IntervalMethod = "formula"          // the graph is taken as known and the noise as independent of the causes
)

// Interval says what the intervals are made of.
type Interval struct {
	Method IntervalMethod `json:"method"`
	Level  float64        `json:"level"`
	// Replicates are the resampled tables, or graphs, that were used, Failed those that had no answer.
	Replicates int `json:"replicates,omitempty"`
	Failed     int `json:"failed,omitempty"`
	// Paths is, over graphs, the share of the replicates in which Of reaches On, and OpenShare of those whose effect is a range. Over the
	// posterior Paths is the probability that Of acts on On at all.
	Paths     *float64 `json:"paths,omitempty"`
	OpenShare *float64 `json:"open,omitempty"`
}

// Distribution is that of On where Of is set to a value.
type Distribution struct {
	Do string `json:"do"`
	// Mean, Std and Quantiles are of a number.
	Mean      *Quantity  `json:"mean,omitempty"`
	Std       *float64   `json:"std,omitempty"`
	Quantiles []Quantile `json:"quantiles,omitempty"`
	// Levels are those of a column with levels.
	Levels []Level `json:"levels,omitempty"`
	// By says how it was computed: formula, elimination, sampling or rows.
	By string `json:"by"`
	// Error is the standard error of sampling, where it was by sampling.
	Error float64 `json:"sampling_error,omitempty"`
}

// Quantile is the value that a share of the distribution is below.
type Quantile struct {
	P     float64 `json:"p"`
	Value float64 `json:"value"`
}

// Level is the probability of a level.
type Level struct {
	Name string `json:"name"`
	Quantity
}

// WhatIf is what On would have been in one row.
type WhatIf struct {
	Given []Value `json:"given"`
	// Observed is what On was, where it is known.
	Observed string `json:"observed,omitempty"`
	// Counterfactual says that the noise of the row was told from its values and kept; otherwise the distribution is that of
	// rows that have the same values of the columns that Of does not change.
	Counterfactual bool `json:"counterfactual"`
	Distribution
}

// Sensitivity says how strong a hidden common cause of Of and On would have to be.
type Sensitivity struct {
	// Robustness is the share of what is left of the variances of Of and of On, after the adjustment set, that a hidden cause must
	// explain to make the slope zero, and RobustnessInterval to make the interval touch zero (Cinelli and Hazlett 2020).
	Robustness         *float64 `json:"robustness,omitempty"`
	RobustnessInterval *float64 `json:"robustness_interval,omitempty"`
	// PartialR2 is the share of what is left of the variance of On that Of explains.
	PartialR2  *float64    `json:"partial_r2,omitempty"`
	Benchmarks []Benchmark `json:"benchmarks,omitempty"`
	// EValue is the risk ratio that a hidden cause must have with both columns to explain the ratio RiskRatio of the two
	// probabilities away, and EValueInterval to bring its interval to 1 (VanderWeele and Ding 2017).
	RiskRatio      *float64 `json:"risk_ratio,omitempty"`
	EValue         *float64 `json:"e_value,omitempty"`
	EValueInterval *float64 `json:"e_value_interval,omitempty"`
	// Outcome is the level that the ratio is of.
	Outcome string `json:"outcome,omitempty"`
}

// Benchmark is a hidden cause as strong as a column that is known.
type Benchmark struct {
	Name string `json:"name"`
	// WithOf and WithOn are the shares of what is left of the variances of Of and of On that such a cause explains.
	WithOf float64 `json:"with_of"`
	WithOn float64 `json:"with_on"`
	// Slope is the least, towards zero and beyond, that the slope could then be.
	Slope float64 `json:"slope"`
}

// each calls f with every figure: effects, their ends, and the distributions.
func (a *Answer) each(f func(*float64)) {
	quantity := func(q *Quantity) {
		for _, p := range []*float64{&q.Value, q.Standardized, q.Low, q.High} {
			if p != nil {
				f(p)
			}
		}
	}
	for i := range a.Effects {
		e := &a.Effects[i]
		quantity(&e.Total)
		quantity(&e.Direct)
		for k := range e.Through {
			quantity(&e.Through[k].Quantity)
		}
	}
	distribution := func(d *Distribution) {
		if d.Mean != nil {
			quantity(d.Mean)
			f(d.Std)
		}
		for k := range d.Levels {
			quantity(&d.Levels[k].Quantity)
		}
		for k := range d.Quantiles {
			f(&d.Quantiles[k].Value)
		}
	}
	for i := range a.Distributions {
		distribution(&a.Distributions[i])
	}
	for i := range a.WhatIf {
		distribution(&a.WhatIf[i].Distribution)
	}
}
