package polydag_test

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

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/draw"
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
	var out strings.Builder
	inside := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "```") {
			inside = !inside
		} else if !inside {
			out.WriteString(line)
		}
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
	for _, page := range markdown(t) {
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

// The picture of the README is what its command draws from what the demo learns. On other processors the last digits of a weight may
// differ and none of the picture.
func TestPictureShowsTheDemo(t *testing.T) {
	in, err := files.Open("internal/demo/data.csv", nil, files.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	table, err := polydag.Prepare(context.Background(), in, polydag.DefaultPreparation())
	if err != nil {
		t.Fatal(err)
	}
	res, err := table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := draw.Write(context.Background(), &svg, draw.SVG, res, draw.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadFile("docs/tutorial/demo.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(there, svg.Bytes()) {
		t.Error("docs/tutorial/demo.svg is not what polydag draw makes of the demo; draw it again: polydag draw result.json docs/tutorial/demo.svg")
	}
}

// markdown lists the pages of the repository.
func markdown(t *testing.T) []string {
	out, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
