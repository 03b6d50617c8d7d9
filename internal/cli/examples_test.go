package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// notRun lists examples that a test cannot run, each with the reason, which is printed.
var notRun = map[string]string{
	"polydag bench": "takes a minute and measures this machine",
	"polydag bench --search --nodes 100,200,500,1000":                              "takes minutes and measures this machine",
	"polydag reproduce --jobs 16 --data ~/data --out reproduction":                 "the whole study takes a quarter of an hour and needs published data",
	"polydag reproduce --only main,cost":                                           "takes minutes",
	"polydag reproduce --quick":                                                    "takes a minute; reproduce.txtar runs it on a smaller study",
	"polydag reproduce --print > mine.yaml && polydag reproduce --study mine.yaml": "the whole study takes a quarter of an hour",
}

// Every command has examples, and every example that is not listed above runs as it stands, in a shell, in a folder with the
// files that it names.
func TestEveryExampleRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs the examples of every --help")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine: the examples are shell commands")
	}
	files := exampleFiles(t)
	root := (&app{ctx: context.Background(), in: strings.NewReader(""), out: io.Discard, err: io.Discard}).root()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
		if cmd.Hidden || cmd.Name() == "help" {
			return
		}
		t.Run(strings.ReplaceAll(cmd.CommandPath(), " ", "_"), func(t *testing.T) {
			ran := 0
			for line := range strings.Lines(cmd.Example) {
				line = strings.TrimSpace(line)
				if why, ok := notRun[line]; ok {
					t.Logf("not run: %s: %s", line, why)
					continue
				}
				if line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(files)); err != nil {
					t.Fatal(err)
				}
				c := exec.Command(shell, "-ec", line)
				c.Dir = dir
				c.Env = append(os.Environ(), "HOME="+dir)
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
				ran++
			}
			if ran == 0 && cmd.Example == "" {
				t.Error("no example")
			}
		})
	}
	visit(root)
}

// exampleFiles returns a folder with every file that examples name, made by the command itself.
func exampleFiles(t *testing.T) string {
	dir := t.TempDir()
	t.Chdir(dir)
	run := func(args ...string) {
		var out bytes.Buffer
		if code := Main(context.Background(), args, strings.NewReader(""), &out, &out); code != 0 {
			t.Fatalf("polydag %s: exit %d\n%s", strings.Join(args, " "), code, out.String())
		}
	}
	run("simulate", "--graph", "er", "--nodes", "6", "--degree", "2", "--samples", "300", "--seed", "1", "--output", "data.csv", "--truth", "truth.csv")
	rename := strings.NewReplacer("x0", "age", "x1", "income", "x2", "Male", "x3", "Heavy_Makeup", "x4", "Wearing_Lipstick")
	for _, name := range []string{"data.csv", "truth.csv"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, _ := strings.Cut(string(text), "\n")
		if name == "truth.csv" {
			head, rest = rename.Replace(head), rename.Replace(rest)
		}
		if err := os.WriteFile(name, []byte(rename.Replace(head)+"\n"+rest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("learn", "data.csv", "--output", "result.json", "--quiet")
	return dir
}
