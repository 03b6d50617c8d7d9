package confidence

import (
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/trust"
)

// ErrParts is matched if parts do not belong together or are incomplete.
var ErrParts = fault.Kind("parts", "the parts are not those of one run")

// A Range is a part of the samples: those from First to End-1. The zero value stands for all.
type Range struct{ First, End int }

// on reports whether r is less than all samples.
func (r Range) on() bool { return r != Range{} }

// of returns the first sample and the one after the last, of n.
func (r Range) of(n int) (from, to int) {
	if r.on() {
		return r.First, r.End
	}
	return 0, n
}

// part returns the result of the whole table with the graphs of the samples that were learned.
func (l *learner) part(outcomes []*Outcome) *polydag.Result {
	p := &trust.Part{Resampling: l.set.Resampling, Asked: len(outcomes), Seed: l.cfg.Seed, Graph: l.set.Graph, Level: l.set.Level, Threshold: l.set.Threshold, Samples: []trust.PartSample{}}
	for k, o := range outcomes {
		if o == nil {
			continue
		}
		s := trust.PartSample{Replicate: k, Failed: o.Failed}
		for _, e := range o.Edges {
			s.Edges = append(s.Edges, trust.PartEdge{Edge: e.Edge, Mark: e.Mark})
		}
		p.Samples = append(p.Samples, s)
	}
	l.full.Part = p
	return l.full
}

// known returns the outcomes of the parts of earlier runs.
func (l *learner) known() (out []Outcome) {
	for _, p := range l.set.Parts {
		for _, s := range p.Samples {
			o := Outcome{Draw: polydag.Draw{Kind: p.Resampling, Seed: p.Seed, Replicate: s.Replicate}, Failed: s.Failed}
			for _, e := range s.Edges {
				o.Edges = append(o.Edges, Edge{Edge: e.Edge, Mark: e.Mark})
			}
			out = append(out, o)
		}
	}
	return out
}

// Merging returns the settings that merge parts to the result of one run. Together the parts must have every sample.
func Merging(parts []*trust.Part) (Settings, error) {
	s := DefaultSettings()
	if len(parts) == 0 || parts[0] == nil {
		return s, fault.New(ErrParts, "the result is not a part of the samples", "learn parts with %s", fault.Set("replicates", "0:50"))
	}
	first := parts[0]
	s.Resampling, s.Replicates, s.Graph, s.Level, s.Threshold, s.Parts = first.Resampling, first.Asked, first.Graph, first.Level, first.Threshold, parts
	has := map[int]bool{}
	for i, p := range parts {
		if p == nil || p.Resampling != first.Resampling || p.Asked != first.Asked || p.Seed != first.Seed || p.Graph != first.Graph || p.Level != first.Level || p.Threshold != first.Threshold {
			return s, fault.New(ErrParts, fmt.Sprintf("part %d is of another run than part 1: its settings differ", i+1), "learn it with the same settings, except %s", fault.Set("replicates", "…"))
		}
		for _, o := range p.Samples {
			if o.Replicate < 0 || o.Replicate >= p.Asked {
				return s, fault.New(ErrParts, fmt.Sprintf("part %d has sample %d of %d", i+1, o.Replicate, p.Asked), "learn it again")
			}
			has[o.Replicate] = true
		}
	}
	for k := range s.Replicates {
		if has[k] {
			continue
		}
		to := s.Replicates
		for other := range has {
			if other > k {
				to = min(to, other)
			}
		}
		return s, fault.New(ErrParts, fmt.Sprintf("%s of %d in none of the parts", names.Count(s.Replicates-len(has), "sample"), s.Replicates), "learn the first of them with %s", fault.Set("replicates", fmt.Sprintf("%d:%d", k, to)))
	}
	return s, s.Validate()
}
