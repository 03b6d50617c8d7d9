package command

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// TestFlagGroups checks that every flag of learn is in one group, and that every flag of a group belongs to a
// command.
func TestFlagGroups(t *testing.T) {
	root := newApp(lab.All, nil, nil, nil, allWings...).root()
	known := map[string]bool{}
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	groups := map[string]int{}
	for _, g := range flagGroups {
		for _, name := range g.flags {
			groups[name]++
			if !known[name] {
				t.Errorf("group %s has --%s, which no command has", g.title, name)
			}
		}
	}
	learn, _, err := root.Find([]string{"learn"})
	must.Succeed(t, err)
	learn.Flags().VisitAll(func(f *pflag.Flag) {
		if n := groups[f.Name]; n != 1 && !f.Hidden && f.Name != "help" && f.Name != helpAll {
			t.Errorf("--%s of learn stands in %d groups, want 1", f.Name, n)
		}
	})
	for _, name := range commonFlags {
		if groups[name] != 1 {
			t.Errorf("the common flag --%s stands in no group", name)
		}
	}
	for _, c := range root.Commands() {
		if c.GroupID == "" && !c.Hidden {
			t.Errorf("the command %s stands in no group", c.Name())
		}
	}
}

// TestShortAndLongHelp checks that the short help is one page, and --help-all shows every flag and setting.
func TestShortAndLongHelp(t *testing.T) {
	short, _ := run(t, exitOK, "learn", "--help")
	all, _ := run(t, exitOK, "learn", "--help-all")
	if n := strings.Count(short, "\n      --") + strings.Count(short, ", --"); n < 12 || n > 20 || strings.Count(short, "\n") > 60 {
		t.Errorf("--help shows %d flags in %d lines", n, strings.Count(short, "\n"))
	}
	for _, want := range []string{"nats-wait", "stability-threshold", "Cluster:", "Run control:"} {
		if strings.Contains(short, want) != (want == "Run control:") || !strings.Contains(all, want) {
			t.Errorf("%s: in --help %v, in --help-all %v", want, strings.Contains(short, want), strings.Contains(all, want))
		}
	}
}
