package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/visible"
)

func resamplingOf(t *testing.T, args ...string) *resampling {
	t.Helper()
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	r := newResampling(f, 0)
	must.Succeed(t, f.Parse(args))
	return r
}

// TestFlagsWithoutEffect checks that every flag that needs another one is named if that is missing.
func TestFlagsWithoutEffect(t *testing.T) {
	for args, want := range map[string]string{
		"--consensus-graph=full":                   "--set consensus-graph has no effect without --bootstrap",
		"--consensus-graph=dag --bootstrap 20":     "--set consensus-graph has no effect without --set consensus",
		"--stability-threshold=0.8 --bootstrap 20": "--set stability-threshold has no effect without --stability",
		"--chains=3":   "--set chains has no effect without --posterior",
		"--samples=30": "--set samples has no effect without --posterior",
		"--calibrate":  "--calibrate has no effect without --bootstrap",
		"--stability-threshold=0.8 --stability 20":          "",
		"--chains=3 --samples=30 --posterior":               "",
		"--consensus-graph=dag --consensus=1 --stability 9": "",
	} {
		var said bytes.Buffer
		resamplingOf(t, strings.Fields(args)...).remark(&console{w: visible.NewWriter(&said)})
		if got := strings.TrimSpace(said.String()); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
