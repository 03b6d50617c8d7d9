package docs_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

var update = flag.Bool("update", false, "write the tables of methods and packages in docs anew; read the diff before committing")

// core are the methods that docs/reference/methods.md describes. All others are for comparison, and described in lab/docs/methods.md.
var core = []string{
	"auto", "order", "ges", "fges", "mmhc", "lingam", "anm", "continuous", "polydag", "polydag-geo", "polydag-poly", "notears-exp",
	"pc", "fci", "rfci", "order-fci", "var-lingam", "pcmci+",
}

// The tables of methods in docs/reference/methods.md and lab/docs/methods.md are what polydag methods prints.
func TestPagesListTheMethods(t *testing.T) {
	var out bytes.Buffer
	if code := command.Run(context.Background(), lab.All, []string{"methods"}, strings.NewReader(""), &out, &out, wings.All...); code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	gap := regexp.MustCompile(` {2,}`)
	const head = "| `--method` | needs | gives | depends on units | knowledge | what it does |\n|---|---|---|---|---|---|\n"
	const reference, comparison = "docs/reference/methods.md", labDocs + "/methods.md"
	want := map[string]string{reference: head, comparison: head}
	_, methods, _ := strings.Cut(out.String(), "\n")
	left := len(core)
	for line := range strings.Lines(methods) {
		cells := gap.Split(strings.TrimSpace(line), -1)
		if len(cells) != 6 {
			t.Fatalf("%d cells in %q", len(cells), line)
		}
		page := comparison
		if slices.Contains(core, cells[0]) {
			page = reference
			left--
		}
		want[page] += "| `" + cells[0] + "` | " + strings.Join(cells[1:], " | ") + " |\n"
	}
	if left != 0 {
		t.Errorf("%d core methods are not in the program", left)
	}
	for page, table := range want {
		text := string(must.Get(os.ReadFile(page)))
		before, rest, ok := strings.Cut(text, "\n"+head)
		if !ok {
			t.Fatalf("%s has no table of methods", page)
		}
		got, after, _ := strings.Cut(rest, "<!-- methods: end -->")
		if got = head + got; got != table && *update {
			must.Succeed(t, os.WriteFile(page, []byte(before+"\n"+table+"<!-- methods: end -->"+after), 0o644))
		} else if got != table {
			t.Errorf("the table of methods in %s is out of date; write it anew with\n\tgo generate ./docs", page)
		}
	}
}
