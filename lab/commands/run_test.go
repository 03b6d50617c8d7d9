package commands

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/lab"
)

// run runs one command line, which must have this exit code.
func run(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if got := command.Run(context.Background(), lab.All, args, strings.NewReader(""), &o, &e, Wing); got != code {
		t.Fatalf("polydag %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, o.String(), e.String())
	}
	return o.String(), e.String()
}
