package score_test

import (
	"testing"

	"github.com/polydag/polydag/kit"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/network"
	"github.com/polydag/polydag/method/score"
)

// TestLaws checks the settings that the kit's own test of every method does not have.
func TestLaws(t *testing.T) {
	for _, change := range []func(*score.Method){
		func(m *score.Method) { m.Variant = score.NoGAM },
		func(m *score.Method) { m.Scale = network.Unit },
	} {
		if err := kit.Method(func() method.Method {
			m := score.New()
			change(m)
			return m
		}, 2); err != nil {
			t.Error(err)
		}
	}
}
