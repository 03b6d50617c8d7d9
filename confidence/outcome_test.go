package confidence

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// Every setting has a range.
func TestRangesOfSettings(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*Settings)
		valid  bool
	}{
		"defaults":             {func(*Settings) {}, true},
		"halves":               {func(s *Settings) { s.Resampling = polydag.Halves }, true},
		"unknown resampling":   {func(s *Settings) { s.Resampling = "jackknife" }, false},
		"two replicates":       {func(s *Settings) { s.Replicates = 2 }, true},
		"one replicate":        {func(s *Settings) { s.Replicates = 1 }, false},
		"consensus":            {func(s *Settings) { s.Graph = trust.ConsensusClass }, true},
		"unknown graph":        {func(s *Settings) { s.Graph = "tree" }, false},
		"level 0":              {func(s *Settings) { s.Level = 0 }, false},
		"level 1":              {func(s *Settings) { s.Level = 1 }, true},
		"level above 1":        {func(s *Settings) { s.Level = 1.01 }, false},
		"threshold of a half":  {func(s *Settings) { s.Threshold = 0.5 }, false},
		"threshold":            {func(s *Settings) { s.Threshold = 0.51 }, true},
		"threshold 1":          {func(s *Settings) { s.Threshold = 1 }, true},
		"threshold above 1":    {func(s *Settings) { s.Threshold = 1.01 }, false},
		"negative calibration": {func(s *Settings) { s.Calibrate = -1 }, false},
		"one simulated table":  {func(s *Settings) { s.Calibrate = 1 }, false},
		"two simulated tables": {func(s *Settings) { s.Calibrate = 2 }, true},
	} {
		s := DefaultSettings()
		if c.change(&s); (s.Validate() == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", what, s.Validate(), c.valid)
		}
	}
}

// Chains have converged with an R-hat of at most 1.05 and an effective sample size of at least 200. The warning names what is missed.
func TestDiagnosticsOfChains(t *testing.T) {
	for _, c := range []struct {
		rhat, ess       float64
		byRhat, bySizes bool
	}{{1.05, 199, false, true}, {1.051, 200, true, false}, {1.06, 199.5, true, true}, {math.NaN(), 500, true, false}} {
		text := notConverged(c.rhat, c.ess)
		if strings.Contains(text, "R-hat") != c.byRhat || strings.Contains(text, "effective") != c.bySizes {
			t.Errorf("R-hat %v, effective sample size %v: %q", c.rhat, c.ess, text)
		}
	}
}

// Probabilities are limited to the range from 0 to 1.
func TestUnit(t *testing.T) {
	for p, want := range map[float64]float64{-1e-12: 0, 0: 0, 0.4: 0.4, 1: 1, 1 + 1e-12: 1} {
		if got := unit(p); got != want {
			t.Errorf("%v becomes %v, want %v", p, got, want)
		}
	}
}

// The edges of an outcome must lie between two of its columns.
func TestEdgesOfAnOutcome(t *testing.T) {
	for _, c := range []struct {
		from, to int
		mark     string
		valid    bool
	}{{0, 2, "-->", true}, {2, 0, "---", true}, {1, 1, "-->", false}, {-1, 1, "-->", false}, {1, -1, "-->", false}, {3, 1, "-->", false}, {1, 3, "-->", false}, {0, 1, "?", false}} {
		o := Outcome{Edges: []Edge{{Edge: graph.Edge{From: c.from, To: c.to}, Mark: c.mark}}}
		if m, err := o.Class(3); (err == nil) != c.valid || c.valid && m.NumEdges() != 1 {
			t.Errorf("%d %s %d of three columns: %v, want valid: %v", c.from, c.mark, c.to, err, c.valid)
		}
	}
}

// Learning again must give the edges of the result, without their directions where replicates reversed some. Consensus graphs, canceled runs
// and runs without confidences are not compared.
func TestSameGraphOfARun(t *testing.T) {
	edges := func(ends ...string) (out []polydag.Edge) {
		for _, e := range ends {
			out = append(out, polydag.Edge{Link: polydag.Link{From: e[:1], To: e[1:]}})
		}
		return out
	}
	result := func(form trust.ConsensusForm, e ...string) *polydag.Result {
		r := &polydag.Result{Edges: edges(e...)}
		if form != "" {
			r.Confidence = &trust.Confidence{Graph: form}
		}
		return r
	}
	canceled := result("", "ab")
	canceled.Status = method.Canceled
	for what, c := range map[string]struct {
		before, now *polydag.Result
		same        bool
	}{
		"same":                   {result("", "ab", "bc"), result(trust.NoConsensus, "bc", "ab"), true},
		"reversed":               {result("", "ab"), result(trust.NoConsensus, "ba"), false},
		"another edge":           {result("", "ab"), result(trust.NoConsensus, "ac"), false},
		"one more":               {result("", "ab"), result(trust.NoConsensus, "ab", "bc"), false},
		"reversed by replicates": {result("", "ab"), result(trust.TurnedGraph, "ba"), true},
		"reversed before":        {result(trust.TurnedGraph, "ab"), result(trust.NoConsensus, "ba"), true},
		"another edge, turned":   {result("", "ab"), result(trust.TurnedGraph, "ca"), false},
		"a consensus":            {result("", "ab"), result(trust.ConsensusDAG, "ac"), true},
		"a class before":         {result(trust.ConsensusClass, "ab"), result(trust.NoConsensus, "ac"), true},
		"canceled":               {canceled, result(trust.NoConsensus, "ac"), true},
		"without confidences":    {result("", "ab"), result("", "ac"), true},
	} {
		if err := SameGraph(c.before, c.now); (err == nil) != c.same {
			t.Errorf("%s: %v, want the same: %v", what, err, c.same)
		}
	}
}

// memory is a store that counts saves.
type memory struct {
	state []byte
	saves int
}

func (m *memory) Load() ([]byte, error) { return m.state, nil }

func (m *memory) Save(state []byte) error {
	m.state, m.saves = state, m.saves+1
	return nil
}

// A saver saves outcomes and walks when a save is due, and at the end only what is not saved yet. Another saver loads them.
func TestKeeper(t *testing.T) {
	for every, want := range map[time.Duration][]int{0: {1, 2, 3, 3}, time.Hour: {0, 0, 0, 1}} {
		m := &memory{}
		k, how := &saver{store: m, run: []byte("run"), saved: time.Now()}, polydag.Run{Every: every}
		var got []int
		for i := range 2 {
			k.add(Outcome{Draw: polydag.Draw{Replicate: i}}, how)
			got = append(got, m.saves)
		}
		k.addWalk("walk", []byte("steps"), how)
		got = append(got, m.saves)
		k.flush(how)
		got = append(got, m.saves)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("every %v: %v saves, want %v", every, got, want)
				break
			}
		}
		again := &saver{store: m}
		if run, err := again.Load(); err != nil || string(run) != "run" || len(again.done()) != 2 || string(again.walk("walk")) != "steps" || again.walk("other") != nil {
			t.Errorf("every %v: %q with %d outcomes is loaded, %v", every, run, len(again.done()), err)
		}
	}
	var none *saver
	none.add(Outcome{}, polydag.Run{})
	none.addWalk("walk", nil, polydag.Run{})
	none.flush(polydag.Run{})
	if none.done() != nil || none.walk("walk") != nil {
		t.Error("no saver has outcomes or walks")
	}
}

// A curve is fitted to pairs with known truth. A pair that no sample has says nothing about directions.
func TestCurveOfRarePairs(t *testing.T) {
	before := newCurve(Simulated, 100)
	with := learnCurve([]verdict{{there: 0.5, turned: 0.5, forward: true}, {forward: true}}, before)
	without := learnCurve([]verdict{{there: 0.5, turned: 0.5, forward: true}}, before)
	for _, share := range []float64{0, 0.3, 0.5, 1} {
		if a, b := with.direction(share), without.direction(share); !(math.Abs(a-b) <= 1e-12) {
			t.Errorf("a pair that no sample has changes the probability of a direction with share %v from %v to %v", share, b, a)
		}
	}
	if got := with.adjacency(0); !(got > without.adjacency(0)) {
		t.Errorf("a true edge that no sample has leaves the probability of an adjacency at %v", got)
	}
}

// full is a store that fails.
type full struct{ memory }

func (full) Save([]byte) error { return errors.New("no space") }

// A save that fails is reported if someone asks for it, and tried again.
func TestKeeperWithoutSpace(t *testing.T) {
	k := &saver{store: &full{}, dirty: true}
	k.flush(polydag.Run{})
	var told error
	k.flush(polydag.Run{SaveFailed: func(err error) { told = err }})
	if !errors.Is(told, polydag.ErrCheckpoint) || !k.dirty {
		t.Errorf("the failure is reported as %v; another save is due: %v", told, k.dirty)
	}
}

// The memory of a posterior grows with rows and columns: the tables of weights up to their limit, or 80 MB for an exact posterior, two matrices and
// the rows.
func TestMemoryOfAPosterior(t *testing.T) {
	if got, want := PosteriorMemory(1000, 5), int64(80<<20+16*25+12*1000*5); got != want {
		t.Errorf("five columns: %d bytes, want %d", got, want)
	}
	if got, want := PosteriorMemory(1000, 20), int64(16*400<<12+16*400+12*1000*20); got != want {
		t.Errorf("20 columns: %d bytes, want %d", got, want)
	}
	if got, want := PosteriorMemory(10, 2000), sample.DefaultSettings().Bytes+16*2000*2000+12*10*2000; got != want {
		t.Errorf("2000 columns: %d bytes, want %d", got, want)
	}
	if got := (verdict{there: 0.7, turned: 0.4}).adjacency(); got != 1 {
		t.Errorf("frequencies that add up to more than 1 have an adjacency of %v, want 1", got)
	}
}
