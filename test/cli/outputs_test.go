package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// shellSplit splits a command line at spaces. Parts in single quotes stay together, as in a shell.
func shellSplit(line string) (words []string) {
	word, quoted, open := "", false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, open = !quoted, true
		case r == ' ' && !quoted:
			if open {
				words = append(words, word)
			}
			word, open = "", false
		default:
			word, open = word+string(r), true
		}
	}
	if open {
		words = append(words, word)
	}
	return words
}

// suggested returns the commands under "Next:".
func suggested(printed string) (commands []string) {
	_, list, _ := strings.Cut(printed, "\nNext:")
	for line := range strings.Lines(list) {
		command, _, _ := strings.Cut(strings.TrimSpace(line), "  # ")
		if strings.HasPrefix(command, "polydag ") {
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	return commands
}

// groups is a table in which the category "site" acts on the number "dose", and "dose" on the category "answer".
func groups(seed uint64, rows int) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("site,dose,answer\n")
	for range rows {
		site := []string{"Linz", "Linz", "Linz", "Graz", "Graz", "Wels"}[rng.IntN(6)]
		dose := map[string]float64{"Linz": 0, "Graz": 2, "Wels": 9}[site] + rng.NormFloat64()
		answer := "no"
		if dose+rng.NormFloat64() > 2 {
			answer = "yes"
		}
		fmt.Fprintf(&b, "%s,%.2f,%s\n", site, dose, answer)
	}
	return b.String()
}

// categories is a table of three binary columns, in which the first two act on the third.
func categories(rows int) string {
	rng := rand.New(rand.NewPCG(21, 1))
	var b strings.Builder
	b.WriteString("rain,sprinkler,wet\n")
	for range rows {
		a, c := rng.IntN(2), rng.IntN(2)
		wet := min(1, a+c)
		if rng.IntN(10) == 0 {
			wet = 1 - wet
		}
		fmt.Fprintf(&b, "%d,%d,%d\n", a, c, wet)
	}
	return b.String()
}

// Every suggested command works when it is pasted, with the flags of the run and names that need quotes.
func TestSuggestedCommandsRun(t *testing.T) {
	linear, _, _, _ := chainTable(22, 300)
	for model, c := range map[string]struct{ table, require string }{
		"linear": {linear.String(), "a->b"}, "discrete": {categories(400), "rain->wet"}, "mixed": {groups(23, 200), "site->dose"}, "flexible": {groups(24, 120), "site->dose"},
	} {
		t.Run(model, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "my tables")
			must.Succeed(t, os.Mkdir(dir, 0o755))
			t.Chdir(dir)
			must.Succeed(t, os.WriteFile("a table.csv", []byte(strings.ReplaceAll(c.table, ",", "!")), 0o644))
			effects := 0
			for _, output := range []string{"the result.json", ""} {
				args := []string{"learn", "a table.csv", "--set", "delimiter=!", "--model", model, "--require", c.require}
				if output != "" {
					args = append(args, "-o", output)
				}
				printed, code := terminal(t, nil, args...)
				if code != 0 {
					t.Fatalf("exit code %d:\n%s", code, printed)
				}
				commands := suggested(printed)
				if len(commands) < 2 {
					t.Errorf("%d commands, want at least 2:\n%s", len(commands), printed)
				}
				for _, command := range commands {
					words := shellSplit(command)
					if words[1] == "effect" {
						effects++
						words = append(words, "--set", "replicates=10")
					}
					if command, ok := strings.CutSuffix(command, " 200"); ok { // fewer bootstrap samples take less time
						words = append(shellSplit(command), "10")
					}
					if out, code := terminal(t, nil, words[1:]...); code != 0 {
						t.Errorf("%s: exit code %d:\n%s", command, code, out)
					}
				}
			}
			if effects == 0 {
				t.Error("no effect was suggested")
			}
		})
	}
}

// Effects of categories, in learn and in effect, compare with the most frequent category. A rare category is not shown.
func TestContrastsAgainstTheMostFrequentCategory(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Succeed(t, os.WriteFile("groups.csv", []byte(groups(25, 400)), 0o644))
	printed, code := terminal(t, nil, "learn", "groups.csv", "--require", "site->dose", "-o", "result.json")
	if code != 0 || !strings.Contains(printed, "(Graz)") || strings.Contains(printed, "(Wels)") {
		t.Errorf("exit code %d, want the effect of Graz against Linz:\n%s", code, printed)
	}
	printed, code = terminal(t, nil, "effect", "result.json", "--of", "site", "--on", "dose", "--data", "groups.csv", "--set", "given-graph", "--set", "replicates=10")
	if code != 0 || !strings.Contains(printed, "for site = Graz instead of Linz:") {
		t.Errorf("exit code %d:\n%s", code, printed)
	}
}

// The terminal says what directions rest on: prior knowledge, the model, or rules where a check failed.
func TestDirectionsNameTheirBasis(t *testing.T) {
	chain, a, _, _ := chainTable(26, 600)
	_, printed := learnedTable(t, chain.String(), "--require", "a->b")
	for _, want := range []string{"1 by prior knowledge", "1 by prior knowledge and the other directions"} {
		if !strings.Contains(strings.Join(strings.Fields(printed), " "), want) {
			t.Errorf("no %q in\n%s", want, printed)
		}
	}
	if !regexp.MustCompile(`(?m)^  a +→ +b +[0-9.]+  you  `).MatchString(printed) {
		t.Errorf("the table does not say that a → b rests on prior knowledge:\n%s", printed)
	}
	chain.add("d", func(i int) string { return fmt.Sprintf("%.3f", a[i]*a[i]*a[i]) })
	result, printed := learnedTable(t, chain.String(), "--model", "linear", "--verbose")
	rules := 0
	for _, e := range edgesOf(result) {
		if e["basis"] == "rule" {
			rules++
		}
	}
	if rules == 0 || !strings.Contains(printed, "real tables: in real tables the variable with fewer distinct values usually comes first") {
		t.Errorf("%d edges rest on the rule:\n%s", rules, printed)
	}
	if strings.Contains(printed, "identified by the data") {
		t.Error(printed)
	}
}

// The loss of a penalty on held-out rows is noisy: where no penalty is clearly better, the default is recommended.
func TestPathKeepsTheDefaultUnderNoise(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(27+seed, 1))
		table := &realTable{}
		for _, name := range []string{"a", "b", "c", "d"} {
			table.add(name, func(int) string { return fmt.Sprintf("%.3f", rng.NormFloat64()) })
		}
		out, code := terminal(t, map[string]string{"table.csv": table.String()}, "path", "@table.csv", "--set", "splits=3")
		if code != 0 || !strings.Contains(out, "Recommended: the default") {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	}
}

// A quiet run without an output file that a deadline ends does not claim a result, and a checkpoint of another run is refused with the
// difference.
func TestDeadlineWithoutOutputAndOtherCheckpoint(t *testing.T) {
	table, _, _, _ := chainTable(30, 200)
	t.Chdir(t.TempDir())
	must.Succeed(t, os.WriteFile("table.csv", []byte(table.String()), 0o644))
	learn := []string{"learn", "table.csv", "--bootstrap", "100000", "--deadline", "1s", "-q", "--checkpoint", "state"}
	out, code := terminal(t, nil, learn...)
	if code != 3 || !strings.Contains(out, "no result was written, since --quiet was given without --output") {
		t.Errorf("exit code %d: %s", code, out)
	}
	out, code = terminal(t, nil, append(learn, "--resume", "--seed", "5")...)
	if code != 1 || !strings.Contains(out, "seed is 1 there and 5 here") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
