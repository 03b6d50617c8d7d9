package polydag_test

import (
	"strings"
	"testing"

	"github.com/polydag/polydag"
)

func TestConfigIsChecked(t *testing.T) {
	c := polydag.DefaultConfig()
	if err := c.Validate(); err != nil {
		t.Fatalf("the default: %v", err)
	}
	if err := (polydag.Config{}).Validate(); err == nil {
		t.Error("the zero Config was accepted")
	}
}

func TestFindMethod(t *testing.T) {
	for _, m := range polydag.Methods() {
		name := m.Info().Name
		if m, err := polydag.FindMethod(name); err != nil || m.Info().Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := polydag.FindMethod("oder"); err == nil || !strings.Contains(err.Error(), "did you mean order?") {
		t.Errorf("a typing error: %v", err)
	}
}
