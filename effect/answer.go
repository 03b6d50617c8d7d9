package effect

import "github.com/polydag/polydag/score"

// Schema names the JSON layout of Answer. It changes when a field is removed or changes its meaning.
const Schema = "polydag.effect/1"

// Identification states whether the graph identifies the effect.
type Identification string

const (
	Identified Identification = "identified" // a single value, given the learned equivalence class
	Open       Identification = "open"       // a range: equally well fitting graphs have different effects
	None       Identification = "none"       // no directed path, so no effect
)

// Answer is the answer to a Question.
type Answer struct {
	Schema string        `json:"schema"`
	Of     string        `json:"of"`
	On     string        `json:"on"`
	Model  score.Effects `json:"model"`
	// Figure says what the mean of On is if it is not the mean of its values, as for censored times.
	Figure string `json:"figure,omitempty"`
	Rows   int    `json:"rows"`

	Identification Identification `json:"identification"`
	// Reason explains the identification in a sentence.
	Reason string `json:"reason"`
	// DependsOn lists the edges without a stated direction that the estimate depends on: those on directed paths and, in a DAG, those
	// into Of. The estimate uses the direction of the learned graph. Reversed lists those that must be reversed for a directed path, if
	// there is none.
	DependsOn []Unstated `json:"depends_on,omitempty"`
	Reversed  []Unstated `json:"reversed,omitempty"`
	// Contrast has the two values of Of that are compared.
	Contrast Contrast `json:"contrast"`
	// Effects has one entry for the mean of a numeric column, or one per category. Each is the difference between the end and the
	// start of the contrast. It is empty if a PAG does not identify the effect.
	Effects []Effect `json:"effects"`
	// Impulse has the responses of a time series at steps of TimeStep, in the place of Effects.
	Impulse  []Response `json:"impulse,omitempty"`
	TimeStep string     `json:"time_step,omitempty"`

	// Between lists, in a survey, the columns on directed paths for which Through would have taken too long.
	Between []string `json:"between,omitempty"`

	Adjustment Adjustment `json:"adjustment"`
	// Class is set if some direction at Of is not identified.
	Class *Class `json:"class,omitempty"`
	// Bounds is set if the graph is a PAG.
	Bounds *Bounds `json:"bounds,omitempty"`
	// Interval describes how the intervals were computed; nil without intervals.
	Interval *Interval `json:"interval,omitempty"`

	Distributions []Distribution `json:"distributions,omitempty"`
	WhatIf        []WhatIf       `json:"what_if,omitempty"`
	Sensitivity   *Sensitivity   `json:"sensitivity,omitempty"`

	Notes   []string `json:"notes,omitempty"`
	Caution string   `json:"caution"`
}

// Contrast has two values of the column that is intervened on, in the table's notation.
type Contrast struct {
	Start string `json:"start"`
	End   string `json:"end"`
	// Unit means that the two values differ by one unit and their position does not matter, as under a linear
	// model.
	Unit bool `json:"unit"`
	// Quartiles means that the two values are the quartiles of the column.
	Quartiles bool `json:"quartiles,omitempty"`
	// Deviation means that the two values differ by one standard deviation of the column.
	Deviation bool `json:"deviation,omitempty"`
	// Change is the change of the observed values of a time series under a nonlinear model, instead of two values: the standard deviation
	// of the noise of the column.
	Change float64 `json:"change,omitempty"`
}

// Quantity is a number, with an interval if available.
type Quantity struct {
	Value float64 `json:"value"`
	// Standardized is the value in standard deviations of both columns, for a linear effect.
	Standardized *float64 `json:"standardized,omitempty"`
	Low          *float64 `json:"low,omitempty"`
	High         *float64 `json:"high,omitempty"`
}

// Limits are the ends of an interval.
type Limits struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Effect is the effect of the contrast on one figure of On.
type Effect struct {
	// Outcome is "mean", or the category whose probability changes.
	Outcome string `json:"outcome"`
	// Total is the total effect. Direct is the direct effect: the other causes stay at their values for the start of the contrast.
	// It is nil in a PAG.
	Total  Quantity  `json:"total"`
	Direct *Quantity `json:"direct,omitempty"`
	// IfExists is the interval of the total effect over the graphs of bootstrap samples in which it exists. Others count as 0 in the
	// interval of Total, which is averaged over graphs. It is nil if the effect exists in all of them.
	IfExists *Limits `json:"if_exists,omitempty"`
	// Through has, for each mediator, the effect along all paths through it: the mediator has its value for the end of the
	// contrast, and Of stays at the start. A path through two mediators counts for both, so the entries do not add up to the total.
	Through []Through `json:"through"`
}

// Through is the effect through one mediator.
type Through struct {
	Name string `json:"name"`
	Quantity
}

// Adjustment has the columns to adjust for to estimate the effect from observational rows.
type Adjustment struct {
	// Exists is false if On is a parent of Of. Set is minimal.
	Exists bool     `json:"exists"`
	Set    []string `json:"set"`
	// Valid reports that the set was checked against the graph: it contains no descendant of Of and blocks every back-door path.
	Valid bool `json:"valid"`
	// Slope is, under a linear model, the coefficient of Of in a regression of On on Of and the set: another estimate of the total
	// effect.
	Slope *float64 `json:"slope,omitempty"`
	// Implied reports that no table was given: Slope and the sensitivity come from the covariances that the weights imply.
	Implied bool `json:"implied,omitempty"`
}

// Class has the effects over all equally well fitting graphs (IDA).
type Class struct {
	// Neighbors are the columns whose edge to Of has no identified direction.
	Neighbors []string `json:"neighbors"`
	// Fixed are the columns whose edge to Of is undirected by its verdict and keeps its direction in all members.
	Fixed   []string `json:"fixed,omitempty"`
	Members []Member `json:"members"`
	// Low, High and LeastAbsolute are over all members, one number for each of Effects.
	Low           []float64 `json:"low"`
	High          []float64 `json:"high"`
	LeastAbsolute []float64 `json:"least_absolute"`
}

// Member is one way to direct the undirected edges at Of, with its total effects.
type Member struct {
	Parents []string  `json:"parents"` // parents of Of
	Totals  []float64 `json:"totals"`
}

// Bounds has the total effects in the graphs that a PAG represents.
type Bounds struct {
	// Low and High are the smallest and the largest total effect of Choices, nil if none has a total effect.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// IntervalLow and IntervalHigh are the ends of an interval that covers Low and High.
	IntervalLow  *float64 `json:"interval_low,omitempty"`
	IntervalHigh *float64 `json:"interval_high,omitempty"`
	Choices      []Choice `json:"choices"`
}

// Choice is the total effect in some of the graphs that a PAG represents.
type Choice struct {
	// Cause reports whether Of may be a cause of On in these graphs. Otherwise the effect is 0.
	Cause bool     `json:"cause"`
	Set   []string `json:"set"` // adjustment set
	// Hidden are columns with which Of may have a hidden common cause. Total applies to graphs without it.
	Hidden []string `json:"hidden"`
	// Total is nil if no adjustment set exists.
	Total *float64 `json:"total,omitempty"`
}

// IntervalMethod is the method of an interval.
type IntervalMethod string

const (
	OverGraphs    IntervalMethod = "bootstrap-graphs" // each replicate learns its own graph and weights
	OverPosterior IntervalMethod = "posterior"        // each replicate is a graph drawn from the posterior, with weights drawn given the graph
	OverRows      IntervalMethod = "bootstrap"        // each replicate has the same graph and its own weights
	ByFormula     IntervalMethod = "formula"          // the graph is assumed known and the noise independent of the causes
)

// Interval describes how the intervals were computed.
type Interval struct {
	Method IntervalMethod `json:"method"`
	Level  float64        `json:"level"`
	// Replicates is the number of bootstrap samples or graphs used; Failed counts those without an answer.
	Replicates int `json:"replicates,omitempty"`
	Failed     int `json:"failed,omitempty"`
	// Paths is the share of replicates in which Of is an ancestor of On, and OpenShare the share whose effect is a range. Over the
	// posterior Paths is the probability that Of affects On.
	Paths     *float64 `json:"paths,omitempty"`
	OpenShare *float64 `json:"open,omitempty"`
	// Root reports that nothing causes Of, so that replicates without a path have an estimate too; otherwise they count as 0.
	Root bool `json:"root,omitempty"`
}

// Distribution is the distribution of On under do(Of = value).
type Distribution struct {
	Do string `json:"do"`
	// Mean, Std and Quantiles are set for a numeric column.
	Mean      *Quantity  `json:"mean,omitempty"`
	Std       *float64   `json:"std,omitempty"`
	Quantiles []Quantile `json:"quantiles,omitempty"`
	// Levels are the probabilities of a categorical column.
	Levels []Level `json:"levels,omitempty"`
	// By is how it was computed: formula, elimination, sampling or rows.
	By string `json:"by"`
	// Error is the standard error, if it was computed by sampling.
	Error float64 `json:"sampling_error,omitempty"`
}

// Quantile is one quantile of a distribution.
type Quantile struct {
	P     float64 `json:"p"`
	Value float64 `json:"value"`
}

// Level is the probability of a category.
type Level struct {
	Name string `json:"name"`
	Quantity
}

// WhatIf is the counterfactual value of On in one row.
type WhatIf struct {
	Given []Value `json:"given"`
	// Observed is the observed value of On, if known.
	Observed string `json:"observed,omitempty"`
	// Counterfactual reports whether the noise of the row was inferred from its values and kept. Otherwise the distribution is that
	// of rows with the same values in the columns that Of does not affect.
	Counterfactual bool `json:"counterfactual"`
	Distribution
}

// Sensitivity states how strong a hidden confounder of Of and On would have to be to explain the effect.
type Sensitivity struct {
	// Robustness is the robustness value: the share of the residual variances of Of and On, given the adjustment set, that a
	// confounder must explain to reduce the slope to 0. RobustnessInterval is the share that makes the interval include 0 (Cinelli
	// and Hazlett 2020).
	Robustness         *float64 `json:"robustness,omitempty"`
	RobustnessInterval *float64 `json:"robustness_interval,omitempty"`
	// PartialR2 is the partial R² of On with Of.
	PartialR2  *float64    `json:"partial_r2,omitempty"`
	Benchmarks []Benchmark `json:"benchmarks,omitempty"`
	// EValue is the risk ratio that a confounder must have with both columns to explain RiskRatio, and EValueInterval the one that
	// makes its interval include 1 (VanderWeele and Ding 2017).
	RiskRatio      *float64 `json:"risk_ratio,omitempty"`
	EValue         *float64 `json:"e_value,omitempty"`
	EValueInterval *float64 `json:"e_value_interval,omitempty"`
	// Outcome is the category of the risk ratio.
	Outcome string `json:"outcome,omitempty"`
}

// Benchmark is a confounder as strong as a known column.
type Benchmark struct {
	Name string `json:"name"`
	// WithOf and WithOn are the shares of the residual variances of Of and On that such a confounder explains.
	WithOf float64 `json:"with_of"`
	WithOn float64 `json:"with_on"`
	// Slope is the slope under such a confounder, at its most adverse.
	Slope float64 `json:"slope"`
}

// each calls f with every number: effects, interval ends, and distributions.
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
		if e.Direct != nil {
			quantity(e.Direct)
		}
		for k := range e.Through {
			quantity(&e.Through[k].Quantity)
		}
	}
	if b := a.Bounds; b != nil {
		for _, p := range []*float64{b.Low, b.High, b.IntervalLow, b.IntervalHigh} {
			if p != nil {
				f(p)
			}
		}
		for _, c := range b.Choices {
			if c.Total != nil {
				f(c.Total)
			}
		}
	}
	for i := range a.Impulse {
		quantity(&a.Impulse[i].Quantity)
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
