package network

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// Settings are the settings of the methods that fit a perceptron to all rows at once.
type Settings struct {
	Scale            Scale
	Hidden           int
	Lambda1, Lambda2 float64 // weights of Σ|w| over the first layer, and of ½Σw²
	Threshold        float64 // edges with a first-layer norm at or below this are dropped
}

func (s *Settings) Params(set *param.Set) {
	param.Word(set, &s.Scale, "scale", "scale of the columns: unit (standardized), or raw as published", Unit, Raw)
	set.Int(&s.Hidden, "hidden", "hidden units of each column's network", param.AtLeast(1), param.AtMost(1000))
	set.Float(&s.Lambda1, "lambda1", "weight of the L1 penalty on the first layer", param.AtLeast(0))
	set.Float(&s.Lambda2, "lambda2", "weight of the L2 penalty on all parameters", param.AtLeast(0))
	set.Float(&s.Threshold, "threshold", "drop edges with a first-layer norm at or below this", param.AtLeast(0))
}

// Info fills in the fields that these methods share.
func (s *Settings) Info(i method.Info) method.Info {
	i.About = "For nonlinear effects with interactions, on tables of a few dozen columns. The order search with smooth effects is faster and " +
		"usually more accurate; lab/docs/evidence.md has the comparison."
	i.Needs, i.Gives, i.UnitFree, i.Knowledge, i.Continuous = method.Rows, graph.KindDAG, s.Scale == Unit, true, true
	return i
}

// Perceptron returns the network for the given number of columns.
func (s *Settings) Perceptron(columns int) Perceptron {
	return Perceptron{Columns: columns, Hidden: s.Hidden}
}
