package confidence

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/trust"
)

// Settings are the settings for confidences. Start from DefaultSettings, or set a few fields: without Resampling, the other
// empty fields stand for their defaults too.
type Settings struct {
	// Resampling is how rows are drawn, and Replicates the number of samples.
	Resampling polydag.Resampling
	Replicates int
	// Graph selects the graph of the result: the graph of the whole table, the same with edges reversed that most replicates have
	// the other way, or a consensus of the replicates at Level, from 0 to 1. No edges are reversed if the graph is not a DAG or
	// environments have unknown targets.
	Graph trust.ConsensusForm
	Level float64
	// Threshold is the share of halves in which a pair must be adjacent for stability selection.
	Threshold float64
	// Calibrate is the number of simulated tables for a recalibration; 0 uses the fixed curve. CalibrateTables is a good number.
	Calibrate int
	// Part selects some of the samples. The result has a trust.Part then, and no confidences.
	Part Range
	// Parts are those of earlier runs, whose samples are not learned again: Merging.
	Parts []*trust.Part
	// MostBytes limits the rows kept in memory; longer tables are read again for each replicate.
	MostBytes int64
}

// DefaultSettings draws 200 bootstrap samples for the graph of the whole table, and reverses edges that most samples have the other
// way.
func DefaultSettings() Settings {
	return Settings{Resampling: polydag.Bootstrap, Replicates: 200, Graph: trust.TurnedGraph, Level: 0.5, Threshold: 0.9, MostBytes: 256 << 20}
}

// Validate reports every invalid setting.
func (s Settings) Validate() error {
	var errs []error
	if s.Resampling != polydag.Bootstrap && s.Resampling != polydag.Halves {
		errs = append(errs, fmt.Errorf("resampling %q is unknown; choose %s or %s", s.Resampling, polydag.Bootstrap, polydag.Halves))
	}
	if s.Replicates < 2 {
		errs = append(errs, fmt.Errorf("%d replicates, want at least 2", s.Replicates))
	}
	switch s.Graph {
	case trust.NoConsensus, trust.TurnedGraph, trust.ConsensusDAG, trust.ConsensusClass:
	default:
		errs = append(errs, fmt.Errorf("a consensus of the form %q is unknown; choose %s, %s, %s or %s", s.Graph, trust.NoConsensus, trust.TurnedGraph, trust.ConsensusDAG, trust.ConsensusClass))
	}
	if !(s.Level > 0 && s.Level <= 1) {
		errs = append(errs, fmt.Errorf("a consensus at level %v, want more than 0 and at most 1", s.Level))
	}
	if !(s.Threshold > 0.5 && s.Threshold <= 1) {
		errs = append(errs, fmt.Errorf("a stability threshold of %v, want more than 0.5 and at most 1", s.Threshold))
	}
	if s.Calibrate < 0 || s.Calibrate == 1 {
		errs = append(errs, fmt.Errorf("a calibration on %d simulated tables, want at least 2, or 0 for none", s.Calibrate))
	}
	if p := s.Part; p.on() && (p.First < 0 || p.First >= p.End || p.End > s.Replicates) {
		errs = append(errs, fmt.Errorf("the part %d:%d of %d samples, want a range such as 0:%d", p.First, p.End, s.Replicates, max(1, s.Replicates/4)))
	}
	if s.Part.on() && s.Calibrate > 0 {
		errs = append(errs, errors.New("a part of the samples is not calibrated; calibrate in one run"))
	}
	return errors.Join(errs...)
}
