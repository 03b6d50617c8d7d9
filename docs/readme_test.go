package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// The commands of the README and of every page that a person wrote are run, each page in an empty folder of its own. The rules:
//
//   - a block ```sh holds commands: polydag …, run in order, which must succeed unless "# exit N" follows; what
//     notRun names is left out, and anything else fails the test;
//   - a block ```text after it quotes the output of that block: each line must be in it, in that order; a
//     line … stands for any number of lines, and seconds do not count;
//   - a block of any other kind, or ```text, under <!-- file: NAME --> is written to that file;
//   - a block without a kind is not run: commands that need a network, another program or hours.

// notRun lists how commands begin that belong to a user's shell and not to polydag.
var notRun = []string{"git clone ", "cd ", "make ", "export PATH=", "pip install ", "R CMD INSTALL "}

func TestCommandsOfTheReadme(t *testing.T)      { commandsOf(t, "README.md") }
func TestCommandsOfTheTutorial(t *testing.T)    { commandsOf(t, "docs/tutorial/") }
func TestCommandsOfTheGuides(t *testing.T)      { commandsOf(t, "docs/guides/") }
func TestCommandsOfTheReference(t *testing.T)   { commandsOf(t, "docs/reference/") }
func TestCommandsOfTheExplanation(t *testing.T) { commandsOf(t, "docs/explanation/") }

// TestCommandsOfOtherPages runs the commands of every page that the tests above leave out.
func TestCommandsOfOtherPages(t *testing.T) { commandsOf(t, "") }

// commandsOf runs the commands of the pages whose path begins with prefix. The empty prefix stands for the pages that no other
// test runs.
func commandsOf(t *testing.T, prefix string) {
	if testing.Short() {
		t.Skip("-short: make test runs the commands of the pages; under the race detector they take minutes")
	}
	others := []string{"README.md", "docs/tutorial/", "docs/guides/", "docs/reference/", "docs/explanation/"}
	for _, name := range append(handwritten(t), "README.md") {
		if !strings.HasPrefix(name, prefix) || prefix == "" && slices.ContainsFunc(others, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		text := must.Get(os.ReadFile(name))
		if !strings.Contains(string(text), "```sh\npolydag ") {
			continue
		}
		t.Run(strings.TrimSuffix(strings.TrimPrefix(name, "docs/"), ".md"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			runPage(t, name, string(text))
		})
	}
}

func TestReadmeIsShort(t *testing.T) {
	text := must.Get(os.ReadFile("README.md"))
	if n := bytes.Count(text, []byte("\n")); n > 150 {
		t.Errorf("README.md has %d lines, want at most 150", n)
	}
}

func runPage(t *testing.T, name, text string) {
	ran, output := 0, ""
	for _, b := range fences(text) {
		at := fmt.Sprintf("%s:%d", name, b.line)
		if file, ok := strings.CutPrefix(b.note, "file: "); ok {
			must.Succeed(t, os.WriteFile(file, []byte(b.text), 0o644))
			continue
		}
		switch b.kind {
		case "sh":
			output = ""
			for _, line := range commands(b.text) {
				out, ok := runCommand(t, at, line)
				if ok {
					ran++
				}
				output += out
			}
		case "text":
			if output != "" {
				quoted(t, at, b.text, output)
			}
		}
	}
	if ran == 0 {
		t.Errorf("%s has no command to run", name)
	}
}

// runCommand runs one line, and reports whether it was one to run. make demo is polydag demo after a build.
func runCommand(t *testing.T, at, line string) (output string, ok bool) {
	if line == "make demo" {
		line = "polydag demo"
	}
	if slices.ContainsFunc(notRun, func(p string) bool { return strings.HasPrefix(line, p) }) {
		return "", false
	}
	line, comment, _ := strings.Cut(line, " # ")
	want := 0
	if code, ok := strings.CutPrefix(comment, "exit "); ok {
		want, _ = strconv.Atoi(code)
	}
	args := words(t, at, line)
	if args[0] != "polydag" {
		t.Fatalf("%s: %q is neither a polydag command nor one that the test knows to leave out", at, line)
	}
	var out bytes.Buffer
	if got := command.Run(context.Background(), lab.All, args[1:], strings.NewReader(""), &out, &out, wings.All...); got != want {
		t.Fatalf("%s: %s: exit code %d, want %d\n%s", at, line, got, want, out.String())
	}
	return out.String(), true
}

var seconds = regexp.MustCompile(`\d+\.\d+ s\b`)

// quoted checks that the lines of text are in output, in order.
func quoted(t *testing.T, at, text, output string) {
	clean := func(s string) []string {
		var out []string
		for line := range strings.Lines(s) {
			out = append(out, seconds.ReplaceAllString(strings.TrimRight(line, " \n"), "_ s"))
		}
		return out
	}
	rest := clean(output)
	for i, line := range clean(text) {
		if line == "…" {
			continue
		}
		found := slices.Index(rest, line)
		if found < 0 {
			t.Errorf("%s: line %d of the quoted output, %q, is not there (any more); the output is\n%s", at, i+1, line, output)
			return
		}
		rest = rest[found+1:]
	}
}

// commands splits a block into lines, joining those that end in a backslash and dropping blanks and comments.
func commands(text string) []string {
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// words splits a command as a shell does, as far as quotes go. What else a shell would act on is refused.
func words(t *testing.T, at, line string) []string {
	var out []string
	word, open, begun := "", rune(0), false
	for _, r := range line {
		switch {
		case open != 0 && r == open:
			open = 0
		case open != 0:
			word += string(r)
		case r == '\'' || r == '"':
			open, begun = r, true
		case r == ' ':
			if begun {
				out = append(out, word)
			}
			word, begun = "", false
		case strings.ContainsRune("|<>;&$*()`", r):
			t.Fatalf("%s: %q needs a shell at %q; quote it or write it without", at, line, r)
		default:
			word, begun = word+string(r), true
		}
	}
	if begun {
		out = append(out, word)
	}
	return out
}

// fence is one fenced block of a page.
type fence struct {
	kind, text string
	note       string // the text of the comment right above, <!-- note -->
	line       int
}

func fences(page string) []fence {
	var out []fence
	var open *fence
	note := ""
	for i, line := range strings.SplitAfter(page, "\n") {
		bare := strings.TrimRight(line, "\n")
		switch {
		case open != nil && bare == "```":
			out = append(out, *open)
			open, note = nil, ""
		case open != nil:
			open.text += line
		case strings.HasPrefix(bare, "```"):
			open = &fence{kind: bare[3:], note: note, line: i + 1}
		case strings.HasPrefix(bare, "<!-- ") && strings.HasSuffix(bare, " -->"):
			note = bare[5 : len(bare)-4]
		case bare != "":
			note = ""
		}
	}
	return out
}
