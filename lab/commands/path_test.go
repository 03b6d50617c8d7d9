package commands

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/heldout"
)

// TestPathNamesTheNextCommand checks that the command below a path can be copied: it names the files as the shell needs them.
func TestPathNamesTheNextCommand(t *testing.T) {
	best := 0.5
	var b strings.Builder
	must.Succeed(t, writePath(&b, &heldout.Path{Model: "linear", Setting: "penalty", Recommended: &best}, []string{"my data.csv", "b.csv"}, 0))
	if want := "\nNext:  polydag learn 'my data.csv' b.csv --model linear --penalty 0.5\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("the path ends with %q, want %q", b.String(), want)
	}
}
