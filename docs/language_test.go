package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// The library does not speak the language of the command line: outside of the command no text names a flag. A fault says which
// setting helps (package fault), and command words it.
func TestLibraryNamesNoFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|[^-])--[a-z][a-z]`)
	speaks := map[string]bool{"command": true, "images/classify/command": true, "lab/study": true, "lab/study/figure": true, "cmd/polydag": true, "lab/commands": true, "images/commands": true, "gpu/commands": true, "cluster/commands": true}
	seen := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || nested(path)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || speaks[filepath.ToSlash(filepath.Dir(path))] {
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Errorf("%s: %v", files.Position(lit.Pos()), err)
			}
			if seen++; flag.MatchString(text) {
				t.Errorf("%s: %q names a flag; name the setting in a fault.Remedy", files.Position(lit.Pos()), text)
			}
			return true
		})
		return nil
	})
	must.Succeed(t, err)
	if seen < 1000 {
		t.Errorf("only %d strings were looked at: the test looks in the wrong place", seen)
	}
}

// privateTerms are words and phrases that no reader outside the project knows, each with the term to use instead. Text for
// people must not contain them.
var privateTerms = []struct{ pattern, instead string }{
	{`\bbits a row\b`, "bits per row"},
	{`(^|[^-\w.])strengths?\b`, "score gain"},
	{`\bheld against\b`, "compared with, tested against"},
	{`\bholds? up\b|(?-i:\bFAILS\b)|\bnot checkable\b`, "passed, failed, untestable"},
	{`\bbears? out\b`, "assumptions rejected"},
	{`\bdoubtful\b|\bfixed under\b`, "directed, undirected, weak"},
	{`\b(directions?|edges?) (that )?(is|are|stays?|left) open\b|\bopen (directions?|edges?)\b|\bleaves? (it |them |\w+ )?open\b`, "undirected, not identified"},
	{`\bprices? (of|per|for) (an|the|each|every) edges?\b|\b(the|its|their|whose|at a) prices?\b|\bwhat an edge costs\b`, "penalty per edge"},
	{`\bset from outside\b`, "intervened on"},
	{`\btells? [\w ]{0,30}apart\b|\btold apart\b`, "distinguish; environment column"},
	{`\b(columns?|tables?) of (few )?levels\b|\btext levels\b|\blevels of a (text )?column\b`, "categories"},
	{`\bwithout an order\b`, "nominal (categorical)"},
	{`\bno columns? of\b`, "not numeric"},
	{`\b(is|are) no (variable|column|edge|cause|slope|curve|method|number)s?\b`, "excluded from the graph; is not a …"},
	{`\b(with|of) unit variances?\b`, "standardized"},
	{`\btables? drawn\b|\bdrawn tables?\b|\bresampled (tables?|graphs?)\b`, "bootstrap sample"},
	{`\bturn(ed|s|ing)? a?round\b|\bwith it turned\b`, "reversed"},
	{`\bfound out\b`, "detected"},
	{`\bways? of learning\b`, "method, algorithm"},
	{`\blook(s|ed|ing)? (it |them |the table |a table )?over\b|\bthe look before\b`, "data checks"},
	{`\bno (DAG|graph) has a better score\b`, "globally optimal (exhaustive search)"},
	{`\bbetter than the other by\b`, "ΔBIC = … against …"},
	{`\blines or curves\b|\bcurved effects?\b|\beffects? (are|is) (lines|curves)\b`, "linear or nonlinear effects"},
	{`\brests? on little\b|\bsmall ground\b`, "low power"},
	{`\b(takes?|took) chance for\b`, "false positives"},
	{`\breceipts?\b`, "acyclicity certificate"},
	{`\bfew levels\b`, "aggregated counts; few categories"},
	{`\bthe house\b|\brooms\b|\bfloors\b`, "packages, layers"},
	{`\btake[ns]? up again\b`, "resumed"},
	{`\bwithout exception\b`, "enforced"},
}

// findPrivateTerms returns each use of a private term in a text, with its line and what to write instead.
func findPrivateTerms(text string) (found []string) {
	for _, term := range privateTerms {
		re := regexp.MustCompile(`(?i)` + term.pattern)
		for _, at := range re.FindAllStringIndex(text, -1) {
			line := 1 + strings.Count(text[:at[0]], "\n")
			found = append(found, fmt.Sprintf("line %d: %q; write %s", line, strings.TrimSpace(text[at[0]:at[1]]), term.instead))
		}
	}
	return found
}

var inlineCode = regexp.MustCompile("`[^`\n]*`")

// TestPagesUsePlainTerms checks the prose of the pages, of the README and of the unreleased part of the changelog. Code, names
// in backquotes and quoted output are not prose, and generated pages repeat text of the program.
func TestPagesUsePlainTerms(t *testing.T) {
	for _, page := range append(handwritten(t), "README.md", "CHANGELOG.md") {
		text := must.Get(os.ReadFile(page))
		plain := string(text)
		if page == "CHANGELOG.md" {
			_, rest, _ := strings.Cut(plain, "\n## [Unreleased]")
			plain, _, _ = strings.Cut(rest, "\n## ")
		}
		plain = generatedPart.ReplaceAllStringFunc(plain, func(part string) string { return strings.Repeat("\n", strings.Count(part, "\n")) })
		plain = inlineCode.ReplaceAllString(withoutFences(plain), "")
		for _, f := range findPrivateTerms(plain) {
			t.Errorf("%s, %s", page, f)
		}
	}
}

func TestPrivateTermsAreFound(t *testing.T) {
	for _, text := range []string{"bits a row", "the price of an edge", "a table drawn from the rows", "turned round", "The receipt", "an open direction", "it is no variable"} {
		if len(findPrivateTerms(text)) == 0 {
			t.Errorf("%q is not found", text)
		}
	}
	if f := findPrivateTerms("The penalty per edge is 2 bits per row; --min-strength sets it."); len(f) > 0 {
		t.Error(f)
	}
}

// fieldNames are names in files and code that contain a private term but cannot change: the field strength of result.json.
var fieldNames = regexp.MustCompile("\\$strength|[\"'`]strength[\"'`]|\\bstrength(\\?:|:| <-|\\)\\])|[(-]strength\\)|\\\\code\\{strength\\}|min_strength|\"Doubtful lists")

// TestBindingsUsePlainTerms checks the sources and the help of the Python package, the R package, the report page, the page of
// polydag serve and the try page, comments included.
func TestBindingsUsePlainTerms(t *testing.T) {
	for pattern, least := range map[string]int{
		"python/polydag/*.py": 12, "python/README.md": 1, "r/R/*.R": 8, "r/man/*.Rd": 4, "r/DESCRIPTION": 1,
		"web/src/*.ts": 20, "web/src/panel/*.ts": 10, "web/src/program/*.ts": 8, "web/*.html": 1, "web/try/*.js": 1, "docs/schema/*.json": 15,
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < least {
			t.Errorf("%s matches %d files, want at least %d (%v)", pattern, len(files), least, err)
		}
		for _, file := range files {
			text := must.Get(os.ReadFile(file))
			for _, f := range findPrivateTerms(fieldNames.ReplaceAllString(string(text), "")) {
				t.Errorf("%s, %s", file, f)
			}
		}
	}
}
