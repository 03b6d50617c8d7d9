package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// everyCommand calls visit for the programs and each command.
func everyCommand(visit func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		visit(c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newApp(lab.All, nil, io.Discard, io.Discard, allWings...).root())
	for _, other := range Programs(allWings...) {
		walk(other)
	}
}

// TestFewFlags checks the numbers of flags that polydag describe lists.
func TestFewFlags(t *testing.T) {
	root := newApp(lab.All, nil, io.Discard, io.Discard, allWings...).root()
	every := len(describeFlags(root.PersistentFlags(), nil, false))
	all := every
	for _, c := range describeCommands(root, nil) {
		all += len(c.Flags)
		if n := len(c.Flags) + every; c.Name == "learn" && n > 60 {
			t.Errorf("polydag learn has %d flags, want at most 60", n)
		}
	}
	if all > 350 {
		t.Errorf("the program has %d flags, want at most 350", all)
	}
	used := map[string]bool{}
	everyCommand(func(c *cobra.Command) { c.LocalFlags().VisitAll(func(f *pflag.Flag) { used[f.Name] = true }) })
	for _, name := range flagNames {
		if !used[name] && name != "help" && name != "version" {
			t.Errorf("no command has the flag --%s", name)
		}
	}
}

// TestSettings checks that every setting of every command is given by --set, and is refused as a flag with the form that is accepted.
func TestSettings(t *testing.T) {
	n := 0
	everyCommand(func(c *cobra.Command) {
		path := words(c.CommandPath())[1:]
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !isSetting(f.Name) {
				return
			}
			n++
			given, form := []string{"--set", f.Name + "=7"}, "--set "+f.Name+"=7"
			plain, old := "--"+f.Name+"=7", []string{"--" + f.Name, "7"}
			if f.NoOptDefVal != "" {
				given[1], form, plain, old = f.Name, "--set "+f.Name, "--"+f.Name, old[:1]
			}
			got, err := settled(c.Root(), slices.Concat(path, given))
			if want := append(slices.Clone(path), plain); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s %v: %v, %v, want %v", path, given, got, err, want)
			}
			if _, err := settled(c.Root(), slices.Concat(path, old)); err == nil || !strings.HasSuffix(err.Error(), " is a setting: "+form) {
				t.Errorf("%s %v: %v", path, old, err)
			}
		})
	})
	if n < 500 {
		t.Errorf("only %d settings", n)
	}
}

func TestSettled(t *testing.T) {
	for line, want := range map[string]string{
		"learn t.csv --set=season=12 -q --output r.json": "learn t.csv --season=12 -q --output r.json",
		"learn t.csv --set na=a=b --set na=":             "learn t.csv --na=a=b --na=",
		"learn t.csv --set no-header=false":              "learn t.csv --no-header=false",
		"learn --drop --season -- --season --set":        "learn --drop --season -- --season --set", // values and arguments
		"learn -qo --season t.csv":                       "learn -qo --season t.csv",
		"learn --unknown 3 --se":                         "learn --unknown 3 --se",
	} {
		got, err := settled(newApp(lab.All, nil, io.Discard, io.Discard, allWings...).root(), strings.Fields(line))
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", line, got, err)
		}
	}
	for line, want := range map[string]string{
		"learn t.csv --set seasn=12":               "--set seasn=12: polydag learn has no such setting; did you mean season?",
		"learn t.csv --set season":                 "--set season needs a value: --set season=VALUE",
		"learn t.csv --set":                        `--set "": want NAME=VALUE; see polydag learn --help`,
		"learn t.csv --set method=pc":              "method is a flag: --method pc",
		"learn t.csv --set resume":                 "resume is a flag: --resume",
		"learn t.csv --season":                     "--season is a setting: --set season=VALUE",
		"learn t.csv --season=12 --no-header":      "--season is a setting: --set season=12\n--no-header is a setting: --set no-header",
		"dataset sachs x.csv --condition main":     "--condition is a setting: --set condition=main",
		"learn t.csv --set help --set config=x":    "help is a flag: --help\nconfig is a flag: --config x",
		"version --set season=12":                  "--set season=12: polydag version has no such setting; see polydag version --help",
		"effect r.json --of a --replicates 3 --on": "--replicates is a setting: --set replicates=3",
	} {
		_, err := settled(newApp(lab.All, nil, io.Discard, io.Discard, allWings...).root(), strings.Fields(line))
		if err == nil || err.Error() != want || exitCode(err) != exitUsage {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestBadSetting checks that errors name a setting in the form that the program takes.
func TestBadSetting(t *testing.T) {
	for _, c := range [][]string{
		{"learn", "t.csv", "--set", "season=x", `--set season="x": want a whole number`},
		{"learn", "t.csv", "--set", "season=4", "--set season needs --time"},
		{"learn", "t.csv", "--sesaon", "4", "did you mean --set season?"},
		{"learn", "t.csv", "--set", "restarts=many", "restarts"},
	} {
		_, errs := run(t, exitUsage, c[:len(c)-1]...)
		must.Contain(t, errs, c[len(c)-1])
	}
}

// TestSettingsFromElsewhere checks that the file of --config and the environment give settings.
func TestSettingsFromElsewhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Succeed(t, os.WriteFile(file, []byte("season: 12\nrestarts: 3\n"), 0o600))
	t.Setenv("POLYDAG_TIER_ODDS", "5")
	out, _ := run(t, exitOK, "learn", "--config", file, "--set", "season=7", "--print-config")
	must.Contain(t, out, "\nseason: 7\n", "\nrestarts: 3\n", "\ntier-odds: 5\n")
}

// TestCompletionOfSettings checks that the shell completes the names and the values of settings, and no setting as a flag.
func TestCompletionOfSettings(t *testing.T) {
	for typed, want := range map[string]string{
		"--set seas":           "season=\t",
		"--set variance=":      "variance=equal\n",
		"--set no-head":        "no-header\t",
		"--set ask":            ":",
		"--method pc --set te": "test=\t",
	} {
		out, _ := run(t, exitOK, append([]string{"__complete", "learn", "t.csv"}, strings.Fields(typed)...)...)
		if !strings.Contains(out, want) || typed == "--set ask" && !strings.HasPrefix(out, ":") {
			t.Errorf("%s: %s", typed, out)
		}
	}
	out, _ := run(t, exitOK, "__complete", "learn", "t.csv", "--se")
	if !strings.Contains(out, "--seed") || !strings.Contains(out, "--set") || strings.Contains(out, "season") {
		t.Errorf("--se: %s", out)
	}
}

// TestPageGivesTheForm checks the list of flags with which the page makes command lines.
func TestPageGivesTheForm(t *testing.T) {
	m := regexp.MustCompile(`flagNames = new Set\('([^']*)'`).FindSubmatch(must.Get(os.ReadFile("../web/src/program/settings.ts")))
	if m == nil {
		t.Fatal("web/src/program/settings.ts has no list flagNames")
	}
	got := words(string(m[1]))
	want := slices.Clone(visitorFlags)
	for name := range newSettings(pflag.NewFlagSet("", pflag.ContinueOnError), nil, 1).given {
		want = append(want, name)
	}
	want = slices.DeleteFunc(want, isSetting)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("flagNames is %v, want %v", got, want)
	}
}

// TestMessagesGiveTheForm checks that no text of the program names a setting as a flag.
func TestMessagesGiveTheForm(t *testing.T) {
	settings := map[string]bool{}
	everyCommand(func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { settings[f.Name] = isSetting(f.Name) })
	})
	flag := regexp.MustCompile(`--([a-z][a-z0-9-]*)`)
	strange := regexp.MustCompile(`^(packaging|test|internal/licenses|images/(classify|polydag-images))(/|$)`) // flags of other programs
	must.Succeed(t, filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(must.Get(filepath.Rel("..", path)))
		if e.IsDir() && (strings.HasPrefix(e.Name(), ".") && name != "." || e.Name() == "node_modules" || e.Name() == "testdata" || strange.MatchString(name)) {
			return filepath.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		ast.Inspect(must.Get(parser.ParseFile(token.NewFileSet(), path, nil, 0)), func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			for _, m := range flag.FindAllStringSubmatch(must.Get(strconv.Unquote(lit.Value)), -1) {
				if settings[m[1]] {
					t.Errorf("%s names --%s, which is --set %s", name, m[1], m[1])
				}
			}
			return true
		})
		return nil
	}))
}
