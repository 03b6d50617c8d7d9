package method_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/polydag/polydag/method"
)

func TestWhy(t *testing.T) {
	for want, cause := range map[string]error{
		"":                    nil,
		"the deadline passed": fmt.Errorf("run: %w", context.DeadlineExceeded),
		"interrupted":         context.Canceled,
		"out of coffee":       errors.New("out of coffee"),
	} {
		if got := method.Why(cause); got != want {
			t.Errorf("%v: %q, want %q", cause, got, want)
		}
	}
}
