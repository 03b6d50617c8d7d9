package confidence

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/trust"
)

// Settings say how confidences are found. Start from DefaultSettings.
type Settings struct {
	// Resampling is how rows are drawn, and Replicates how many tables are.
	Resampling polydag.Resampling
	Replicates int
	// Graph is what the result is: the graph of the whole table, the same with edges turned that most replicates hold the other way, or a
	// consensus of the replicates at Level, from 0 to 1. Nothing is turned where the graph is no DAG or regimes act on unknown columns.
	Graph trust.ConsensusForm
	Level float64
	// Threshold is the share of halves in which stability selection wants a pair to be adjacent.
	Threshold float64
	// Calibrate is how many tables like the one at hand are simulated, to learn on them what confidence a frequency stands for; 0 is
	// none, and the fixed curve is taken. CalibrateTables is a good number.
	Calibrate int
	// MostBytes bounds the rows that are kept in memory; longer tables are read again for each replicate.
	MostBytes int64
}

// DefaultSettings draws 200 bootstrap samples for the graph of the whole table, in which edges are turned that most of them hold the other
// way.
func DefaultSettings() Settings {
	return Settings{Resampling: polydag.Bootstrap, Replicates: 200, Graph: trust.TurnedGraph, Level: 0.5, Threshold: 0.9, MostBytes: 256 << 20}
}

// Validate reports every fault at once.
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
	return errors.Join(errs...)
}
