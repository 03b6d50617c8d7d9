package effect

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/score"
)

// intervals computes an interval for every figure: over relearned graphs if possible, over posterior graphs if a linear result has
// a posterior, by formula under a linear model with a known graph, and by bootstrap under other models.
func (k *asked) intervals(ctx context.Context) error {
	linear := k.source.model == score.LinearEffects
	if k.joint == nil {
		if text := k.limit(len(k.class)); text != "" {
			k.note(text)
		}
	}
	var e ends
	var told *Interval
	var err error
	switch {
	case k.table != nil && !k.GivenGraph && k.Replicates > 0 && linear && k.res.Confidence != nil && k.res.Confidence.Posterior != nil:
		e, told, err = k.fromPosterior(ctx)
	case k.table != nil && !k.GivenGraph && k.Replicates > 0:
		if e, told, err = k.resample(ctx, false, (*asked).figures); err == nil && !k.covered(e) {
			e, err = k.widened(ctx, e)
		}
	case linear && k.answer.Identification == None:
		return nil // the effect is zero if the graph is right
	case linear && (k.table == nil || !k.table.Incomplete() || k.Replicates == 0):
		if k.table == nil && !k.GivenGraph {
			k.note("no table was given; the intervals condition on the learned graph")
		}
		var ok bool
		if e, ok, err = k.study.byFormula(k.source, k.class, k.Level); err == nil && !ok {
			k.note("too few rows for an interval")
			return nil
		}
		told = &Interval{Method: ByFormula, Level: k.Level}
	case k.Replicates > 0:
		if e, told, err = k.resample(ctx, true, (*asked).figures); err == nil && !k.covered(e) {
			e = e.joined(k.extent)
			k.note("small effects are biased in bootstrap samples; intervals were extended to contain the estimate")
		}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	k.told(told)
	k.bound(e)
	k.existing(k.study.ifExists)
	return nil
}

// existing stores the intervals of total effects that exist. They also cover the estimates of the learned graph and its class.
func (k *asked) existing(all []Limits) {
	least, most := k.study.existing(k.class, k.figuresOf)
	wider := false
	for o, own := range all {
		if least != nil {
			wider = wider || least[o] <= own.Low || most[o] >= own.High
			own.Low, own.High = min(own.Low, least[o]), max(own.High, most[o])
		}
		k.answer.Effects[o].IfExists = &own
	}
	if wider {
		k.note(fmt.Sprintf("graphs of bootstrap samples give other effects of %s than the learned graph; its interval if it exists was extended to the estimate", k.Of))
	}
}

// told stores how the intervals were computed.
func (k *asked) told(i *Interval) {
	k.answer.Interval = i
	i.Root = k.root && i.Method == OverGraphs
	if i.Failed > 0 {
		k.note(fmt.Sprintf("%d of %d bootstrap samples gave no estimate and are omitted", i.Failed, i.Failed+i.Replicates))
	}
}

// covered reports whether the intervals contain the figures of the learned graph and its class.
func (k *asked) covered(e ends) bool {
	lows, highs, most := e.low.flat(), e.high.flat(), k.extent.high.flat()
	for i, least := range k.extent.low.flat() {
		if lows[i] > least || highs[i] < most[i] {
			return false
		}
	}
	return true
}

// widened returns intervals that also cover the learned graph. The graphs of bootstrap samples may all differ from it in the same way: a
// sample repeats rows, which makes weak and nonlinear effects look stronger. Then the intervals given the learned graph are joined to those
// over graphs.
func (k *asked) widened(ctx context.Context, wide ends) (ends, error) {
	var given ends
	var err error
	ok := true
	if k.source.model != score.LinearEffects {
		given, _, err = k.resample(ctx, true, (*asked).figures)
	} else {
		given, ok, err = k.study.byFormula(k.source, k.class, k.Level)
	}
	if err != nil {
		return ends{}, err
	}
	k.note("the graphs of the bootstrap samples give other effects than the learned graph; the intervals cover both")
	if wide = wide.joined(k.extent); ok {
		wide = wide.joined(given)
	}
	return wide, nil
}

// bound stores the intervals.
func (k *asked) bound(wide ends) {
	low, high := wide.low, wide.high
	for o := range k.answer.Effects {
		e := &k.answer.Effects[o]
		put(&e.Total, low.total[o], high.total[o])
		put(e.Direct, low.direct[o], high.direct[o])
		for i := range low.through { // a survey has no paths
			put(&e.Through[i].Quantity, low.through[i][o], high.through[i][o])
		}
	}
	k.study.ends = wide
}

func put(q *Quantity, low, high float64) { q.Low, q.High = &low, &high }

// distributions computes the distributions under do.
func (k *asked) distributions(context.Context) error {
	s := &k.study
	if k.class[0].dag.HasPath(s.a, s.b) {
		k.ratio()
	} else {
		k.note(fmt.Sprintf("the learned graph has no directed path from %s to %s, so there is no E-value or robustness value", k.Of, k.On))
	}
	if len(s.do) == 0 {
		return nil
	}
	m, err := k.source.fit(k.class[0].dag)
	if err != nil {
		return err
	}
	for i, x := range s.do {
		d, err := m.distribution(s.a, s.b, x)
		if err != nil {
			return err
		}
		out := k.show(d, k.Do[i])
		if s.low != nil {
			low, high := s.low.do[i], s.high.do[i]
			if out.Mean != nil {
				put(out.Mean, low[0], high[0])
			}
			if len(out.Levels) == 2 { // only the second is among the figures
				put(&out.Levels[0].Quantity, 1-high[0], 1-low[0])
				put(&out.Levels[1].Quantity, low[0], high[0])
			} else {
				first := len(low) - len(out.Levels)
				for c := range out.Levels {
					put(&out.Levels[c].Quantity, low[first+c], high[first+c])
				}
			}
		}
		k.answer.Distributions = append(k.answer.Distributions, out)
	}
	if k.answer.Identification == Open {
		k.note("the distributions are those of the learned graph; the intervals of means and probabilities cover the equivalence class")
	}
	return nil
}

// show converts a distribution for the answer.
func (k *asked) show(d *dist, do string) Distribution {
	out := Distribution{Do: do, By: d.by, Error: d.err}
	if d.levels == nil {
		std := d.std
		out.Mean, out.Std, out.Quantiles = &Quantity{Value: d.mean}, &std, d.quantiles
		return out
	}
	b := k.study.b
	mean := 0.0
	for c, p := range d.levels {
		out.Levels = append(out.Levels, Level{Name: kind.Label(k.words[b], k.study.shown.levels[c]), Quantity: Quantity{Value: p}})
		mean += p * k.study.shown.levels[c]
	}
	if k.study.shown.mean {
		spread := 0.0
		for c, p := range d.levels {
			spread += p * (k.study.shown.levels[c] - mean) * (k.study.shown.levels[c] - mean)
		}
		spread = math.Sqrt(spread)
		out.Mean, out.Std = &Quantity{Value: mean}, &spread
	}
	return out
}

// ratio computes the E-value for two categories.
func (k *asked) ratio() {
	s := &k.study
	if !s.ratio || k.answer.Identification == None {
		if k.source.data != nil && k.answer.Identification != None {
			text := "the sensitivity analysis to hidden confounders is available for linear models and binary outcomes only"
			if !slices.ContainsFunc(k.table.Kinds, func(c kind.Column) bool { return c.Kind == kind.Categorical }) {
				text += "; learn with the linear model to get one"
			}
			k.note(text)
		}
		return
	}
	if !(k.risk > 0) || k.risk-k.risk != 0 {
		return
	}
	risk, e := k.risk, eValue(k.risk)
	out := &Sensitivity{RiskRatio: &risk, EValue: &e, Outcome: s.shown.names[0]}
	if s.low != nil {
		near := 1.0
		if s.low.ratio > 1 {
			near = s.low.ratio
		} else if s.high.ratio < 1 && s.high.ratio > 0 {
			near = s.high.ratio
		}
		bound := eValue(near)
		out.EValueInterval = &bound
	}
	k.answer.Sensitivity = out
}
