package confidence_test

import (
	"errors"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// TestPartsMergeToOneRun checks that parts on any number of threads, in any order and overlapping, give the bytes of one run, and that a part
// has no confidences.
func TestPartsMergeToOneRun(t *testing.T) {
	for name, table := range tables(t) {
		if name == "smooth" { // slow
			continue
		}
		for _, halves := range []bool{false, true} {
			s := settings(8)
			if halves {
				s.Resampling = polydag.Halves
			}
			want := text(t, learned(t, table, s, 2, polydag.Run{}))
			var parts []*trust.Part
			for i, r := range []confidence.Range{{First: 5, End: 8}, {First: 0, End: 3}, {First: 2, End: 5}} {
				s.Part = r
				res := learned(t, table, s, 1+i%2, polydag.Run{})
				if res.Confidence != nil || len(res.Part.Samples) != r.End-r.First {
					t.Fatalf("%s: part %v has confidences or %d samples", name, r, len(res.Part.Samples))
				}
				parts = append(parts, res.Part)
			}
			merged := must.Get(confidence.Merging(parts))
			if got := text(t, learned(t, table, merged, 1, polydag.Run{})); got != want {
				t.Errorf("%s, halves %v: merged parts differ from one run", name, halves)
			}
			if _, err := confidence.Merging(parts[1:]); !errors.Is(err, confidence.ErrParts) {
				t.Errorf("%s: parts without samples 5 to 7 merge: %v", name, err)
			}
		}
	}
}

// TestPartsOfStrangers checks that a part with settings or samples that no run writes is an error.
func TestPartsOfStrangers(t *testing.T) {
	of := func(change func(*trust.Part)) error {
		p := &trust.Part{Resampling: polydag.Bootstrap, Asked: 2, Graph: trust.TurnedGraph, Level: 0.5, Threshold: 0.9, Samples: []trust.PartSample{{Replicate: 0}, {Replicate: 1}}}
		change(p)
		_, err := confidence.Merging([]*trust.Part{p})
		return err
	}
	must.Succeed(t, of(func(*trust.Part) {}))
	for name, change := range map[string]func(*trust.Part){
		"negative":  func(p *trust.Part) { p.Samples[0].Replicate = -1 },
		"beyond":    func(p *trust.Part) { p.Samples[0].Replicate = 2 },
		"few":       func(p *trust.Part) { p.Asked = 1 },
		"threshold": func(p *trust.Part) { p.Threshold = 2 },
		"kind":      func(p *trust.Part) { p.Resampling = "other" },
		"missing":   func(p *trust.Part) { p.Asked = 1 << 40 },
	} {
		if of(change) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
