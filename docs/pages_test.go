package docs_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/metric"
)

// Every Go block of the pages is a region of a test file, so that it compiles and its output is checked. The page
// names it as <!-- code: FILE REGION -->; the region stands between "// region NAME" and "// endregion". A block that quotes
// the code itself is under <!-- code: FILE --> and stands there word by word.
func TestGoCodeOfThePagesIsTested(t *testing.T) {
	blocks := 0
	for _, page := range markdown(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range fences(string(text)) {
			if b.kind != "go" {
				continue
			}
			blocks++
			source, ok := strings.CutPrefix(b.note, "code: ")
			if !ok {
				t.Errorf("%s:%d: a Go block without <!-- code: FILE REGION --> above it", page, b.line)
				continue
			}
			file, name, ok := strings.Cut(source, " ")
			if want := region(t, file, name); ok && b.text != want || !strings.Contains(want, b.text) {
				t.Errorf("%s:%d differs from %s, which is\n%s", page, b.line, source, want)
			}
		}
	}
	if blocks == 0 {
		t.Error("no page has a Go block")
	}
}

// The program in the package comment is the first example.
func TestPackageCommentIsTested(t *testing.T) {
	text, err := os.ReadFile("learn.go")
	if err != nil {
		t.Fatal(err)
	}
	var got, want strings.Builder
	for line := range strings.Lines(string(text)) {
		if code, ok := strings.CutPrefix(line, "//\t"); ok {
			got.WriteString(code)
		}
		if strings.HasPrefix(line, "package ") {
			break
		}
	}
	for line := range strings.Lines(region(t, "example_test.go", "rows")) {
		if code, ok := strings.CutPrefix(line, "\t"); ok && !strings.HasPrefix(code, "//") {
			want.WriteString(code)
		}
	}
	if got.Len() == 0 || got.String() != want.String() {
		t.Errorf("the package comment has\n%s\nand example_test.go has\n%s", got.String(), want.String())
	}
}

// region returns the named part of a file, all of it without a name.
func region(t *testing.T, file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if name == "" {
		return string(text)
	}
	_, rest, ok := strings.Cut(string(text), "// region "+name+"\n")
	inside, _, closed := strings.Cut(rest, "// endregion\n")
	if !ok || !closed {
		t.Fatalf("%s has no region %s", file, name)
	}
	return strings.TrimSpace(inside) + "\n"
}

var (
	link    = regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unslug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every relative link of every page leads to a file of the repository, and to a heading in it where it names one.
func TestLinksOfThePages(t *testing.T) {
	for _, page := range markdown(t) {
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to := page
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if m[2] != "" && !slices.Contains(anchors(t, to), m[2]) {
				t.Errorf("%s links to %s#%s; the headings there are %v", page, m[1], m[2], anchors(t, to))
			}
		}
	}
}

// prose returns a page without its fenced blocks.
func prose(t *testing.T, page string) string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return withoutFences(string(text))
}

// withoutFences blanks the fenced blocks of a page and keeps its number of lines.
func withoutFences(text string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(line, "```")
		if fence || inside {
			line = "\n"
		}
		if fence {
			inside = !inside
		}
		out.WriteString(line)
	}
	return out.String()
}

// anchors returns the names that headings have in links.
func anchors(t *testing.T, page string) []string {
	var out []string
	for _, m := range heading.FindAllStringSubmatch(prose(t, page), -1) {
		out = append(out, strings.ReplaceAll(unslug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}

var target = regexp.MustCompile("(?m)(?:`|^)make ([a-z]+)")

// Every make target that a page names is in the Makefile.
func TestMakeTargetsOfThePages(t *testing.T) {
	rules, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(handwritten(t), "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			if !bytes.Contains(rules, []byte("\n"+m[1]+":")) {
				t.Errorf("%s names make %s, which the Makefile lacks", page, m[1])
			}
		}
	}
}

// docs/reference/result.md and docs/reference/metrics.md name every field of their JSON.
func TestPagesNameEveryField(t *testing.T) {
	for page, v := range map[string]any{"docs/reference/result.md": polydag.Result{}, "docs/reference/metrics.md": metric.Report{}} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fields(reflect.TypeOf(v)) {
			if !bytes.Contains(text, []byte("`"+f+"`")) {
				t.Errorf("%s does not name the field `%s`", page, f)
			}
		}
	}
}

// fields lists the names that a type has in JSON, at every depth.
func fields(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		out = append(append(out, name), fields(t.Field(i).Type)...)
	}
	return out
}

// TestPicturesAreCurrent checks that the pictures of the README and the pages are what their commands draw. On other processors the
// last digits of a weight may differ, but not the picture.
func TestPicturesAreCurrent(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, line := range []string{
		"demo --save demo.csv", "learn demo.csv --output demo.json --quiet", "draw demo.json demo.svg",
		"demo --real --output diabetes.json", "draw diabetes.json diabetes.svg",
		"demo --real --save diabetes.csv", "learn diabetes.csv --drop cholesterol* --output first.json --quiet", "draw first.json first.svg",
	} {
		var out bytes.Buffer
		if code := command.Run(context.Background(), lab.All, strings.Fields(line), strings.NewReader(""), &out, &out, wings.All...); code != 0 {
			t.Fatalf("polydag %s: exit code %d\n%s", line, code, out.String())
		}
	}
	for _, name := range []string{"demo.svg", "diabetes.svg", "first.svg"} {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		page := filepath.Join("docs", "tutorial", name)
		got, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what polydag draws; draw it again", page)
		}
	}
}

// generated lists the pages that commands write.
var generated = []string{"docs/reference/commands.md", "docs/reference/messages.md", "docs/evidence/reproduction.md"}

// isGenerated reports whether a command writes the page.
func isGenerated(page string) bool { return slices.Contains(generated, page) }

// labDocs has the pages on methods that are only for comparison.
const labDocs = "lab/docs"

// handwritten lists the pages of docs and lab/docs that no command writes.
func handwritten(t *testing.T) []string {
	return slices.DeleteFunc(markdown(t), func(p string) bool {
		return !strings.HasPrefix(p, "docs/") && !strings.HasPrefix(p, labDocs+"/") || isGenerated(p)
	})
}

// TestPagesSayWhoTheyAreFor checks the first line of each page, and that the index links to it.
func TestPagesSayWhoTheyAreFor(t *testing.T) {
	index, err := os.ReadFile("docs/index.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range markdown(t) {
		rel, ok := strings.CutPrefix(page, "docs/")
		if !ok && strings.HasPrefix(page, labDocs+"/") {
			rel, ok = "../"+page, true
		}
		if !ok {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(string(text), "\n", 4)
		if len(lines) < 4 || !strings.HasPrefix(lines[0], "# ") || !strings.HasPrefix(lines[2], "*For ") || !strings.HasSuffix(lines[2], "*") {
			t.Errorf("%s: after its title, a page says *For whom: what they will be able to do.*", page)
		}
		if rel != "index.md" && !strings.Contains(string(index), "]("+rel+")") {
			t.Errorf("docs/index.md does not link to %s", rel)
		}
	}
}

// generatedPart matches the tables on a page that a command writes.
var generatedPart = regexp.MustCompile(`(?s)<!-- \w+: begin -->.*?<!-- \w+: end -->`)

// TestPagesAreShort bounds the words that a person wrote: tables between <!-- study: begin --> and its end are generated.
func TestPagesAreShort(t *testing.T) {
	words := map[string]int{}
	for _, page := range handwritten(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		folder, _, _ := strings.Cut(page, "/")
		words[folder] += len(strings.Fields(generatedPart.ReplaceAllString(string(text), "")))
	}
	for folder, most := range map[string]int{"docs": 45000, "lab": 3000} {
		if n := words[folder]; n == 0 || n > most {
			t.Errorf("the pages of %s have %d words, want at most %d", folder, n, most)
		}
	}
	t.Log(words)
}

var pageName = regexp.MustCompile(`\b(?:lab/)?docs/[\w/-]+\.(?:md|ipynb|svg)\b`)

// TestPagesNamedInSourcesExist checks every page that a source file names, in a message or a comment.
func TestPagesNamedInSourcesExist(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name := e.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "docs" || name == "testdata" || name == "out" || name == "dist" || name == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".py", ".R", ".ts", ".sh", ".md", ""}, filepath.Ext(path)) || path == "docs/pages_test.go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range pageName.FindAllString(string(text), -1) {
			if _, err := os.Stat(name); err != nil && !isGenerated(name) {
				t.Errorf("%s names %s, which does not exist", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var testedFolder = regexp.MustCompile(`go test [^` + "`" + `\n]*?\./([\w/-]+)`)

// TestStudiesOfThePagesExist checks that each go test command on a page names a package that exists.
func TestStudiesOfThePagesExist(t *testing.T) {
	for _, page := range append(handwritten(t), "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testedFolder.FindAllStringSubmatch(string(text), -1) {
			dir := strings.TrimSuffix(m[1], "/")
			if strings.Contains(m[0], "-C test") {
				dir = "test/" + dir
			}
			if _, err := os.Stat(dir); err != nil {
				t.Errorf("%s: %q names a folder that does not exist", page, m[0])
			}
		}
	}
}

// markdown lists the pages of the repository.
func markdown(t *testing.T) []string {
	out, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"docs", labDocs} {
		err = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".md") {
				out = append(out, filepath.ToSlash(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
