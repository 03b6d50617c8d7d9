package docs_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

var update = flag.Bool("update", false, "write the tables of methods and packages in docs anew; read the diff before committing")

// The table of methods in docs/reference/methods.md is what polydag methods prints.
func TestPagesListTheMethods(t *testing.T) {
	var out bytes.Buffer
	if code := command.Run(context.Background(), lab.All, []string{"methods"}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	gap := regexp.MustCompile(` {2,}`)
	const head = "| `--method` | needs | gives | depends on units | knowledge | what it does |\n|---|---|---|---|---|---|\n"
	want := head
	_, methods, _ := strings.Cut(out.String(), "\n")
	for line := range strings.Lines(methods) {
		cells := gap.Split(strings.TrimSpace(line), -1)
		if len(cells) != 6 {
			t.Fatalf("%d cells in %q", len(cells), line)
		}
		want += "| `" + cells[0] + "` | " + strings.Join(cells[1:], " | ") + " |\n"
	}
	table := func(name string) (before, table, after string) {
		text := must.Get(os.ReadFile(name))
		before, after, ok := strings.Cut(string(text), "\n"+head)
		if !ok {
			t.Fatalf("%s has no table of methods", name)
		}
		table, after, _ = strings.Cut(after, "\n<!-- methods: end -->")
		return before, head + table + "\n", after
	}
	const page = "docs/reference/methods.md"
	before, got, after := table(page)
	if got != want && *update {
		must.Succeed(t, os.WriteFile(page, []byte(before+"\n"+want+"<!-- methods: end -->"+after), 0o644))
	} else if got != want {
		t.Errorf("the table of methods in %s is out of date; write it anew with\n\tgo generate ./docs", page)
	}
}
