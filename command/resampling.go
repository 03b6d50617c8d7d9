package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/internal/analysis"
	"github.com/polydag/polydag/trust"
)

// resampling are the flags of a command that computes confidences.
type resampling struct {
	bootstrap, halves int
	level             float64
	form              string
	threshold         float64
	posterior         bool
	chains, samples   int
	calibrate         int
	flags             *pflag.FlagSet
}

func newResampling(f *pflag.FlagSet, bootstrap int) *resampling {
	d := confidence.DefaultSettings()
	r := &resampling{flags: f}
	f.IntVar(&r.bootstrap, "bootstrap", bootstrap, "number of bootstrap samples for the confidence of each edge; 0 for none")
	f.IntVar(&r.halves, "stability", 0, "stability selection instead: number of half samples, drawn in complementary pairs; bounds the number of false edges; 0 for none")
	f.Float64Var(&r.threshold, "stability-threshold", d.Threshold, "share of half samples, above 0.5 and at most 1, in which --stability must find an adjacency to select it")
	p := confidence.DefaultPosterior()
	f.BoolVar(&r.posterior, "posterior", false, "posterior probability of each edge instead: exact up to 12 columns, MCMC beyond (linear and discrete models)")
	f.IntVar(&r.chains, "chains", p.Chains, "number of MCMC chains of --posterior, at least 2")
	f.IntVar(&r.samples, "samples", p.Samples, "graphs kept per chain of --posterior, at least 8; chains run longer until they agree")
	f.IntVar(&r.calibrate, "calibrate", 0, fmt.Sprintf("recalibrate confidences on this many simulated tables like yours, %d if no number is given; takes 5 to %d times as long (default: a fixed calibration curve)", confidence.CalibrateTables, confidence.CalibrateTables))
	f.Lookup("calibrate").NoOptDefVal = strconv.Itoa(confidence.CalibrateTables)
	f.Float64Var(&r.level, "consensus", 0, "return the consensus graph of the samples, made of edges for which the frequencies of the edge and of its adjacency have a mean of at least this, 0–1; 0.5 minimizes the expected distance (default: no consensus)")
	f.StringVar(&r.form, "consensus-graph", "", "graph to return: turned (learned graph, with edges reversed that most samples reverse) or full (learned graph as it is); with --set consensus: dag or cpdag (default: turned with --bootstrap, full with --stability and --posterior, dag with --set consensus)")
	return r
}

// on reports whether confidences were requested.
func (r *resampling) on() bool { return r.bootstrap > 0 || r.halves > 0 || r.posterior }

// settings returns how the confidences are computed.
func (r *resampling) settings() (c analysis.Confidence, err error) {
	s := confidence.DefaultSettings()
	switch n := r.bootstrap; {
	case n < 0 || n == 1:
		return c, usagef("--bootstrap %d: want at least 2 samples, or 0 for none", n)
	case r.halves < 0 || r.halves == 1:
		return c, usagef("--stability %d: want at least 2 samples, or 0 for none", r.halves)
	}
	if r.bootstrap > 0 && r.halves > 0 && r.flags.Changed("bootstrap") {
		return c, usagef("--bootstrap and --stability exclude each other; give one of them")
	}
	if r.posterior && (r.halves > 0 || r.bootstrap > 0 && r.flags.Changed("bootstrap")) {
		return c, usagef("--posterior excludes --bootstrap and --stability; give one of them")
	}
	s.Replicates = r.bootstrap
	if r.halves > 0 {
		s.Resampling, s.Replicates = polydag.Halves, r.halves
	}
	if !(r.threshold > 0.5 && r.threshold <= 1) {
		return c, usagef("--set stability-threshold=%v: want more than 0.5 and at most 1", r.threshold)
	}
	s.Threshold = r.threshold
	if r.calibrate < 0 || r.calibrate == 1 {
		return c, usagef("--calibrate=%d: want at least 2 simulated tables, or 0 for none", r.calibrate)
	}
	s.Calibrate = r.calibrate
	if s.Graph, err = r.graph(); err != nil {
		return c, err
	}
	if r.flags.Changed("consensus") {
		s.Level = r.level
	}
	c.Samples = s
	if r.posterior {
		p := confidence.DefaultPosterior()
		p.Chains, p.Samples, p.Graph, p.Level, p.Calibrate = r.chains, r.samples, s.Graph, s.Level, s.Calibrate
		if err := p.Validate(); err != nil {
			return c, usagef("--set chains=%d --set samples=%d: want at least 2 chains and 8 samples per chain", r.chains, r.samples)
		}
		c.Posterior = &p
	}
	return c, nil
}

// within sets the part of the samples, FROM:TO.
func (r *resampling) within(part string, s *confidence.Settings) error {
	if part == "" {
		return nil
	}
	first, last, _ := strings.Cut(part, ":")
	from, faultFrom := strconv.Atoi(first)
	to, faultTo := strconv.Atoi(last)
	s.Part = confidence.Range{First: from, End: to}
	switch {
	case r.posterior || r.bootstrap == 0 && r.halves == 0:
		return usagef("--set replicates=%s needs samples; add --bootstrap 200", part)
	case r.calibrate > 0:
		return usagef("--set replicates=%s excludes --calibrate; calibrate in one run", part)
	case errors.Join(faultFrom, faultTo) != nil || from < 0 || from >= to || to > s.Replicates:
		return usagef("--set replicates=%s: want a range of the %d samples, such as 0:%d", part, s.Replicates, max(1, s.Replicates/4))
	}
	return nil
}

// graph returns the requested form of the resulting graph.
func (r *resampling) graph() (trust.ConsensusForm, error) {
	form := trust.ConsensusForm(r.form)
	if r.flags.Changed("consensus") {
		switch {
		case !(r.level > 0 && r.level <= 1):
			return form, usagef("--set consensus=%v: want more than 0 and at most 1", r.level)
		case !r.on():
			return form, usagef("--set consensus needs sampled graphs; add --bootstrap 200, --stability 200 or --posterior")
		case form == "":
			return trust.ConsensusDAG, nil
		case form != trust.ConsensusDAG && form != trust.ConsensusClass:
			return form, usagef("--set consensus-graph=%q is not possible with --set consensus; choose dag or cpdag", r.form)
		}
		return form, nil
	}
	switch form {
	case trust.NoConsensus, trust.TurnedGraph:
		return form, nil
	case "", trust.ConsensusDAG, trust.ConsensusClass: // the latter has no effect, which remark reports
	default:
		return form, usagef("--set consensus-graph=%q is unknown; choose turned or full, or dag or cpdag with --set consensus=0.5", r.form)
	}
	if r.halves > 0 || r.posterior {
		return trust.NoConsensus, nil
	}
	return trust.TurnedGraph, nil
}

// remark reports the given flags that have no effect.
func (r *resampling) remark(screen *console) {
	for _, f := range []struct {
		flag, needs string
		without     bool
	}{
		{"consensus-graph", "bootstrap", !r.on()},
		{"consensus-graph", "consensus", r.on() && !r.flags.Changed("consensus") && (r.form == string(trust.ConsensusDAG) || r.form == string(trust.ConsensusClass))},
		{"stability-threshold", "stability", r.halves == 0},
		{"chains", "posterior", !r.posterior},
		{"samples", "posterior", !r.posterior},
		{"calibrate", "bootstrap", !r.on()},
	} {
		if r.flags.Changed(f.flag) && f.without {
			screen.note(fmt.Sprintf("%s has no effect without %s", spelled(f.flag), spelled(f.needs)))
		}
	}
	if r.calibrate > 0 && r.on() {
		screen.note(r.cost())
	}
}

// cost describes the cost of a recalibration in advance.
func (r *resampling) cost() string {
	if r.posterior {
		return fmt.Sprintf("--calibrate also computes the posterior of %d simulated tables: about %d times the work", r.calibrate, r.calibrate+1)
	}
	replicates := r.bootstrap
	if r.halves > 0 {
		replicates = r.halves
	}
	each := confidence.Calibrating(replicates)
	return fmt.Sprintf("--calibrate also learns from %d bootstrap samples of each of %d simulated tables: about %d times the work of the %d samples", each, r.calibrate, (each*r.calibrate+replicates-1)/replicates, replicates)
}
