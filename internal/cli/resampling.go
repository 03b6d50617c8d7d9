package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/trust"
)

// resampling are the flags of a command that finds confidences.
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
	f.IntVar(&r.bootstrap, "bootstrap", bootstrap, "learn from so many tables drawn from the rows besides, with replacement, for a confidence on every edge; 0 is none")
	f.IntVar(&r.halves, "stability", 0, "learn from so many halves of the rows instead, in pairs, with a bound on false edges (stability selection)")
	f.Float64Var(&r.threshold, "stability-threshold", d.Threshold, "share of the halves that a pair must be adjacent in to be selected by --stability")
	p := confidence.DefaultPosterior()
	f.BoolVar(&r.posterior, "posterior", false, "find the posterior probability of every edge instead: all graphs up to 12 columns, graphs sampled by chains beyond (linear and discrete models)")
	f.IntVar(&r.chains, "chains", p.Chains, "independent chains of --posterior, which are compared with each other")
	f.IntVar(&r.samples, "samples", p.Samples, "graphs that --posterior keeps of each chain; chains are made longer until they agree")
	f.IntVar(&r.calibrate, "calibrate", 0, fmt.Sprintf("learn what confidence a frequency stands for on so many simulated tables like yours, %d where no number is said; it takes 5 to %d times as long (default: a fixed curve)", confidence.CalibrateTables, confidence.CalibrateTables))
	f.Lookup("calibrate").NoOptDefVal = strconv.Itoa(confidence.CalibrateTables)
	f.Float64Var(&r.level, "consensus", 0, "make the graph that agrees best with the resampled ones the result, of edges with at least this share of them: 0.5 has the least expected distance from them (default: none)")
	f.StringVar(&r.form, "consensus-graph", "", "what the result is: turned, the graph of the whole table with edges turned round that most resampled graphs hold the other way; full, that graph as it is; with --consensus dag, or cpdag, its Markov equivalence class (default: turned with --bootstrap, full with --stability and --posterior, dag with --consensus)")
	return r
}

// on reports whether confidences were asked for.
func (r *resampling) on() bool { return r.bootstrap > 0 || r.halves > 0 || r.posterior }

// settings returns what was asked for.
func (r *resampling) settings() (confidence.Settings, error) {
	s := confidence.DefaultSettings()
	for flag, n := range map[string]int{"bootstrap": r.bootstrap, "stability": r.halves} {
		if n < 0 || n == 1 {
			return s, usagef("--%s %d: want at least 2 tables, or 0 for none", flag, n)
		}
	}
	if r.bootstrap > 0 && r.halves > 0 && r.flags.Changed("bootstrap") {
		return s, usagef("--bootstrap and --stability are two ways to draw tables; give one of them")
	}
	if r.posterior && (r.halves > 0 || r.bootstrap > 0 && r.flags.Changed("bootstrap")) {
		return s, usagef("--posterior draws graphs, and --bootstrap and --stability draw tables; give one of them")
	}
	if r.posterior {
		if err := r.settle(s).Validate(); err != nil {
			return s, usagef("--chains %d --samples %d: want at least 2 chains and 8 samples of each", r.chains, r.samples)
		}
	}
	s.Replicates = r.bootstrap
	if r.halves > 0 {
		s.Resampling, s.Replicates = polydag.Halves, r.halves
	}
	if !(r.threshold > 0.5 && r.threshold <= 1) {
		return s, usagef("--stability-threshold %v: want more than 0.5 and at most 1", r.threshold)
	}
	s.Threshold = r.threshold
	if r.calibrate < 0 || r.calibrate == 1 {
		return s, usagef("--calibrate=%d: want at least 2 simulated tables, or 0 for none", r.calibrate)
	}
	s.Calibrate = r.calibrate
	var err error
	s.Graph, err = r.graph()
	if r.flags.Changed("consensus") {
		s.Level = r.level
	}
	return s, err
}

// graph returns what the result is to be.
func (r *resampling) graph() (trust.ConsensusForm, error) {
	form := trust.ConsensusForm(r.form)
	if r.flags.Changed("consensus") {
		switch {
		case !(r.level > 0 && r.level <= 1):
			return form, usagef("--consensus %v: want more than 0 and at most 1", r.level)
		case !r.on():
			return form, usagef("--consensus needs resampled graphs or those of a posterior to agree with: --bootstrap 200, --stability 200 or --posterior")
		case form == "":
			return trust.ConsensusDAG, nil
		case form != trust.ConsensusDAG && form != trust.ConsensusClass:
			return form, usagef("--consensus-graph %q is none with --consensus; choose dag or cpdag", r.form)
		}
		return form, nil
	}
	switch form {
	case trust.NoConsensus, trust.TurnedGraph:
		return form, nil
	case "", trust.ConsensusDAG, trust.ConsensusClass: // the latter without effect, which remark says
	default:
		return form, usagef("--consensus-graph %q is unknown; choose turned or full, or with --consensus dag or cpdag", r.form)
	}
	if r.halves > 0 || r.posterior {
		return trust.NoConsensus, nil
	}
	return trust.TurnedGraph, nil
}

// remark says which of the given flags mean nothing.
func (r *resampling) remark(say *console) {
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
			say.note(fmt.Sprintf("--%s has no effect without --%s", f.flag, f.needs))
		}
	}
	if r.calibrate > 0 && r.on() {
		say.note(r.cost())
	}
}

// cost says what a recalibration does before it is done.
func (r *resampling) cost() string {
	if r.posterior {
		return fmt.Sprintf("--calibrate finds the posterior of %d simulated tables as well: about %d times the work", r.calibrate, r.calibrate+1)
	}
	replicates := r.bootstrap
	if r.halves > 0 {
		replicates = r.halves
	}
	each := confidence.Calibrating(replicates)
	return fmt.Sprintf("--calibrate learns from %d replicates of each of %d simulated tables as well: about %d times the work of the %d replicates", each, r.calibrate, (each*r.calibrate+replicates-1)/replicates, replicates)
}

// memory is what a run needs: that of the table itself or, in its place, one thread for each worker and the rows.
func (r *resampling) memory(cfg polydag.Config, rows, columns int) int64 {
	need := cfg.Memory(rows, columns)
	if !r.on() {
		return need
	}
	kept := min(8*int64(rows)*int64(columns), confidence.DefaultSettings().MostBytes)
	if r.calibrate > 0 {
		need += 4 * kept // the rows of the table, and those of a simulated one
	}
	if r.posterior {
		return need + 2*confidence.PosteriorMemory(rows, columns)
	}
	one := cfg
	one.Threads = 1
	return max(need, int64(cfg.Threads)*one.Memory(rows, columns)+2*kept)
}

// remote does replicates, and walks of chains over so many columns, on other machines.
type remote struct {
	replicates confidence.Runner
	chains     func(columns int) confidence.Walker
}

// learn learns from a table, with confidences where they were asked for. elsewhere does the replicates or chains; nil does them here.
func (r *resampling) learn(ctx context.Context, data *polydag.Table, cfg polydag.Config, run polydag.Run, elsewhere *remote) (*polydag.Result, error) {
	if !r.on() {
		return data.Learn(ctx, cfg, run)
	}
	s, err := r.settings()
	if err != nil {
		return nil, err
	}
	switch {
	case r.posterior && elsewhere != nil:
		return confidence.PosteriorWith(ctx, data, cfg, r.settle(s), run, elsewhere.chains(data.Moments.Dim()))
	case r.posterior:
		return confidence.Posterior(ctx, data, cfg, r.settle(s), run)
	case elsewhere != nil:
		return confidence.LearnWith(ctx, data, cfg, s, run, elsewhere.replicates)
	}
	return confidence.Learn(ctx, data, cfg, s, run)
}

// settle returns the settings of a posterior, with the consensus of s.
func (r *resampling) settle(s confidence.Settings) confidence.PosteriorSettings {
	p := confidence.DefaultPosterior()
	p.Chains, p.Samples, p.Graph, p.Level, p.Calibrate = r.chains, r.samples, s.Graph, s.Level, s.Calibrate
	return p
}
