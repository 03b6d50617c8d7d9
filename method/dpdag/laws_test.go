package dpdag_test

import (
	"testing"

	"github.com/polydag/polydag/kit"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/dpdag"
)

// TestLaws checks the settings that the kit's own test of every method does not have.
func TestLaws(t *testing.T) {
	for _, change := range []func(*dpdag.Method){
		func(m *dpdag.Method) { m.Orders = dpdag.TopK },
		func(m *dpdag.Method) { m.Model, m.Draws = dpdag.Network, 2 },
	} {
		if err := kit.Method(func() method.Method {
			m := dpdag.New()
			m.Steps, m.Draws, m.Graphs, m.Hidden, m.Batch, m.Rate = 300, 8, 20, 3, 16, 0.05
			change(m)
			return m
		}, 2); err != nil {
			t.Error(err)
		}
	}
}
