package polydag_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/cli"
)

// The table of methods in docs/reference/methods.md is what polydag methods prints, cell by cell.
func TestPagesListTheMethods(t *testing.T) {
	var out bytes.Buffer
	if code := cli.Main(context.Background(), []string{"methods"}, strings.NewReader(""), &out, &out); code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	gap := regexp.MustCompile(` {2,}`)
	var want strings.Builder
	for line := range strings.Lines(out.String()) {
		cells := gap.Split(strings.TrimSpace(line), -1)
		if len(cells) != 6 {
			t.Fatalf("%d cells in %q", len(cells), line)
		}
		if want.Len() == 0 {
			want.WriteString("| `--method` | needs | gives | depends on units | knowledge | what it does |\n|---|---|---|---|---|---|\n")
			continue
		}
		want.WriteString("| `" + cells[0] + "` | " + strings.Join(cells[1:], " | ") + " |\n")
	}
	page := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if !strings.Contains(page("docs/reference/methods.md"), "\n"+want.String()+"\n") {
		t.Errorf("the table of methods in docs/reference/methods.md is not what polydag methods prints; it should be\n%s", want.String())
	}
}
