package lab_test

import (
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/methodtest"
	"github.com/polydag/polydag/method/param"
)

// quick returns a method of the list with fewer steps, where it has such a setting, and with the settings given.
func quick(t *testing.T, name string, more ...[2]string) func() method.Method {
	return func() method.Method {
		m := must.Get(lab.Find(name))
		s := param.Of(m)
		for setting, value := range map[string]string{"steps": "200", "inner": "20", "stages": "4", "stage-steps": "150", "last-steps": "150", "rate": "0.01", "restarts": "2", "hidden": "3", "batch": "16", "passes": "2", "particles": "4", "draws": "16", "soft-draws": "4", "epochs": "12", "fit-steps": "60", "graph-steps": "40", "graphs": "20", "max-steps": "1200", "patience": "1", "edge-rate": "0.05", "edge-penalty": "0.1"} {
			if s.Lookup(setting) != nil {
				must.Succeed(t, s.Set(setting, value))
			}
		}
		for _, set := range more {
			must.Succeed(t, s.Set(set[0], set[1]))
		}
		return m
	}
}

func TestEveryMethodPasses(t *testing.T) {
	for _, m := range lab.Methods() {
		name := m.Info().Name
		t.Run(name, func(t *testing.T) {
			var more [][2]string
			switch name {
			case "bcd-nets":
				more = [][2]string{{"draws", "8"}}
			case "dag-gnn": // 200 steps are too few for a strong edge
				more = [][2]string{{"steps", "400"}}
			}
			if err := methodtest.Check(quick(t, name, more...), 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOtherSettingsPass checks settings that choose other code of a method.
func TestOtherSettingsPass(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings [][2]string
	}{
		{"score", [][2]string{{"variant", "nogam"}}},
		{"score", [][2]string{{"scale", "unit"}}},
		{"dp-dag", [][2]string{{"steps", "300"}, {"rate", "0.05"}, {"orders", "top-k"}, {"draws", "8"}}},
		{"dp-dag", [][2]string{{"steps", "300"}, {"rate", "0.05"}, {"mechanisms", "network"}, {"draws", "2"}}},
	} {
		if err := methodtest.Check(quick(t, c.name, c.settings...), 2); err != nil {
			t.Errorf("%s with %v: %v", c.name, c.settings, err)
		}
	}
}
