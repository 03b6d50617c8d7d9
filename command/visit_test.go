//go:build !js

package command

import (
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// TestVisitReadsNoFile checks that no setting of a visitor names a file of the server.
func TestVisitReadsNoFile(t *testing.T) {
	a := newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...)
	for _, name := range []string{"tiers", "output", "report", "export", "weights", "progress-file", "config", "checkpoint", "query", "nats-file", "threads", "max-memory", "nonsense"} {
		if _, err := newVisit(a, url.Values{name: {"/etc/passwd"}}); err == nil || !strings.Contains(err.Error(), "unknown") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := newVisit(a, url.Values{"knowledge": {"/etc/passwd"}}); err == nil {
		t.Error("the name of a file was taken as knowledge")
	}
}

// TestVisitSettings checks that settings are parsed and refused as the flags of polydag learn.
func TestVisitSettings(t *testing.T) {
	a := newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...)
	v, err := newVisit(a, url.Values{
		"method": {"order"}, "bootstrap": {"50"}, "drop": {"a", "b"}, "kind": {"c=count"}, "row-weights": {"w"}, "variance": {"unequal"},
		"roots": {"d"}, "knowledge": {`{"require": ["x->y"], "tiers": [["x"], ["y"]]}`},
	})
	must.Succeed(t, err)
	k := v.cfg.Knowledge
	if v.cfg.Method.Info().Name != "order" || v.confidence.Samples.Replicates != 50 || strings.Join(v.in.take.Drop, " ") != "a b" || v.in.take.RowWeights != "w" ||
		strings.Join(k.Require, " ") != "x->y" || strings.Join(k.Forbid, " ") != "*->d" || len(k.Tiers) != 2 {
		t.Errorf("%+v, %+v", v.in.take, v.cfg)
	}
	if v, err = newVisit(a, url.Values{"time": {"day"}, "series": {"shop"}, "lags": {"auto"}, "gaps": {"break"}, "method": {"pcmci+"}}); err != nil || v.in.take.Time.Column != "day" || v.in.take.Time.Series != "shop" {
		t.Errorf("a time series: %+v, %v", v, err)
	}
	for _, bad := range []url.Values{
		{"series": {"shop"}}, {"method": {"pcmci+"}}, {"time": {"day"}, "lags": {"0"}}, {"time": {"day"}, "groups": {"g"}},
		{"method": {"magic"}}, {"missing": {"guess"}}, {"bootstrap": {"1001"}}, {"bootstrap": {"many"}}, {"bootstrap": {"1"}}, {"kind": {"c=odd"}},
		{"knowledge": {"{"}}, {"row-weights": {"w"}, "groups": {"g"}}, {"variance": {"odd"}},
	} {
		if _, err := newVisit(a, bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
