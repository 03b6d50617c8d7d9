package effect

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/score"
)

// intervals computes an interval for every figure: over relearned graphs if possible, over posterior graphs if a linear result has
// a posterior, by formula under a linear model with a known graph, and by bootstrap under other models.
func (k *asked) intervals(ctx context.Context) error {
	s := &k.study
	linear := k.source.model == score.LinearEffects
	var low, high *figures
	var told *Interval
	var err error
	switch {
	case k.table != nil && !k.GivenGraph && k.Replicates > 0 && linear && k.res.Confidence != nil && k.res.Confidence.Posterior != nil:
		low, high, told, err = s.fromPosterior(ctx, k.res, k.table, k.source, k.Question)
	case k.table != nil && !k.GivenGraph && k.Replicates > 0:
		learn, fault := confidence.Relearner(k.res)
		if fault != nil {
			return fault
		}
		low, high, told, err = s.resample(ctx, k.res, k.table, k.source, k.class, k.Question, learn)
		if err == nil && !k.covered(low, high) {
			low, high, err = k.widened(ctx, low, high)
		}
	case linear && k.answer.Identification == None:
		return nil // the effect is zero if the graph is right
	case linear && (k.table == nil || !k.table.Incomplete() || k.Replicates == 0):
		if k.table == nil && !k.GivenGraph {
			k.note("no table was given; the intervals condition on the learned graph")
		}
		var ok bool
		if low, high, ok, err = s.byFormula(k.source, k.class, k.Level); err == nil && !ok {
			k.note("too few rows for an interval")
			return nil
		}
		told = &Interval{Method: ByFormula, Level: k.Level}
	case k.Replicates > 0:
		low, high, told, err = s.resample(ctx, k.res, k.table, k.source, k.class, k.Question, nil)
		if err == nil && !k.covered(low, high) {
			low, high = joined(low, high, [2]*figures{k.least, k.most})
			k.note("small effects are biased in bootstrap samples; intervals were extended to contain the estimate")
		}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	k.told(told)
	k.bound(low, high)
	return nil
}

// told stores how the intervals were computed.
func (k *asked) told(i *Interval) {
	k.answer.Interval = i
	if i.Failed > 0 {
		k.note(fmt.Sprintf("%d of %d bootstrap samples gave no estimate and are omitted", i.Failed, i.Failed+i.Replicates))
	}
}

// covered reports whether the intervals contain the figures of the learned graph and its class.
func (k *asked) covered(low, high *figures) bool {
	lows, highs, most := low.flat(), high.flat(), k.most.flat()
	for i, least := range k.least.flat() {
		if lows[i] > least || highs[i] < most[i] {
			return false
		}
	}
	return true
}

// widened returns intervals that also cover the learned graph. The graphs of bootstrap samples may all differ from it in the same way: a
// sample repeats rows, which makes weak and nonlinear effects look stronger. Then the intervals given the learned graph are joined to those
// over graphs.
func (k *asked) widened(ctx context.Context, low, high *figures) (*figures, *figures, error) {
	own := [][2]*figures{{k.least, k.most}}
	if k.source.model != score.LinearEffects {
		l, h, _, err := k.study.resample(ctx, k.res, k.table, k.source, k.class, k.Question, nil)
		if err != nil {
			return nil, nil, err
		}
		own = append(own, [2]*figures{l, h})
	} else if l, h, ok, err := k.study.byFormula(k.source, k.class, k.Level); err != nil {
		return nil, nil, err
	} else if ok {
		own = append(own, [2]*figures{l, h})
	}
	k.note("the graphs of the bootstrap samples give other effects than the learned graph; the intervals cover both")
	low, high = joined(low, high, own...)
	return low, high, nil
}

// joined returns intervals that also cover others.
func joined(low, high *figures, others ...[2]*figures) (*figures, *figures) {
	lows, highs := low.flat(), high.flat()
	for _, ends := range others {
		most := ends[1].flat()
		for i, least := range ends[0].flat() {
			lows[i], highs[i] = min(lows[i], least), max(highs[i], most[i])
		}
	}
	return low.unflat(lows), low.unflat(highs)
}

// bound stores the intervals.
func (k *asked) bound(low, high *figures) {
	for o := range k.answer.Effects {
		e := &k.answer.Effects[o]
		put(&e.Total, low.total[o], high.total[o])
		put(e.Direct, low.direct[o], high.direct[o])
		for i := range low.through { // a survey has no paths
			put(&e.Through[i].Quantity, low.through[i][o], high.through[i][o])
		}
	}
	k.study.low, k.study.high = low, high
}

func put(q *Quantity, low, high float64) { q.Low, q.High = &low, &high }

// distributions computes the distributions under do.
func (k *asked) distributions(context.Context) error {
	s := &k.study
	k.ratio()
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
			first := 0
			if out.Mean != nil {
				put(out.Mean, s.low.do[i][0], s.high.do[i][0])
			}
			if s.shown.mean || s.shown.levels == nil {
				first = 1
			}
			for c := range out.Levels {
				switch {
				case len(out.Levels) == 2 && c == 0: // complement of the second
					put(&out.Levels[0].Quantity, 1-s.high.do[i][0], 1-s.low.do[i][0])
				case len(out.Levels) == 2:
					put(&out.Levels[1].Quantity, s.low.do[i][0], s.high.do[i][0])
				default:
					put(&out.Levels[c].Quantity, s.low.do[i][first+c], s.high.do[i][first+c])
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
		out.Levels = append(out.Levels, Level{Name: label(k.words[b], k.study.shown.levels[c]), Quantity: Quantity{Value: p}})
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
			k.note("the sensitivity analysis to hidden confounders is available for linear models and binary outcomes only; learn with the linear model to get one")
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
