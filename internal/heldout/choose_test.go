package heldout

import (
	"errors"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method/param"
)

func TestChoose(t *testing.T) {
	methods := polydag.Methods()
	first, second := methods[0].Info().Name, methods[1].Info().Name
	for _, c := range []struct {
		words []string
		want  []string // labels; nil is not compared
		n     int
		fault string
	}{
		{words: []string{All}, n: len(methods)},
		{words: []string{second, first}, want: []string{second, first}, n: 2},
		{words: []string{second + ":penalty=2", All}, n: len(methods)}, // it is there already, with settings
		{words: []string{All, "-" + first}, n: len(methods) - 1},
		{words: []string{second, second + ":penalty=2:gamma=0"}, want: []string{second, second + ":penalty=2:gamma=0"}, n: 2},
		{words: []string{"ges:turning"}, want: []string{"ges:turning"}, n: 1},
		{words: nil, fault: "no method in the list"},
		{words: []string{"nothing"}, fault: `method "nothing" is unknown`},
		{words: []string{"-" + first}, fault: "not in the list before it"},
		{words: []string{All, "-nothing"}, fault: `method "nothing" is unknown`},
		{words: []string{second, second}, fault: "twice"},
		{words: []string{second + ":price=2"}, fault: `has no setting "price"; it has model`},
		{words: []string{second + ":"}, fault: `has no setting ""`},
		{words: []string{second + ":penalty"}, fault: "want penalty=VALUE"},
		{words: []string{second + ":penalty=-1"}, fault: "penalty"},
		{words: []string{second + ":penalty=much"}, fault: "penalty"},
	} {
		got, err := Choose(c.words, polydag.DefaultConfig())
		if c.fault != "" {
			if !errors.Is(err, polydag.ErrConfig) || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: %v, want %q", c.words, err, c.fault)
			}
			continue
		}
		if err != nil || len(got) != c.n {
			t.Errorf("%q: %d methods, want %d: %v", c.words, len(got), c.n, err)
			continue
		}
		for k, label := range c.want {
			if got[k].Label != label {
				t.Errorf("%q: %s, want %s", c.words, got[k].Label, label)
			}
		}
	}
}

// TestChooseSets checks that settings apply to their method, and common ones to all.
func TestChooseSets(t *testing.T) {
	common := polydag.DefaultConfig()
	common.Standardize, common.Seed, common.Threads = true, 7, 3
	list, err := Choose([]string{"order:min_strength=0.5", "order"}, common)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{0.5, 0} {
		cfg := list[k].Config
		if got := param.Of(cfg.Method).Lookup("min-strength").Value(); got != want || !cfg.Standardize || cfg.Seed != 7 || cfg.Threads != 3 || cfg.CheckScale != polydag.CheckScaleNever {
			t.Errorf("%v: %+v", got, cfg)
		}
	}
}
