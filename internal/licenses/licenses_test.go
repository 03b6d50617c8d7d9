package licenses

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"

	"github.com/polydag/polydag/internal/liberation"
	"github.com/polydag/polydag/internal/must"
)

func all(t *testing.T) map[string]Work {
	t.Helper()
	works := must.Get(All())
	byName := map[string]Work{}
	for i, w := range works {
		if i > 0 && works[i-1].Name >= w.Name {
			t.Errorf("%s comes after %s", w.Name, works[i-1].Name)
		}
		byName[w.Name] = w
	}
	return byName
}

// TestEveryModuleHasItsLicense checks that every module that is linked into the command, on any system, is
// there in the version that is linked.
func TestEveryModuleHasItsLicense(t *testing.T) {
	works := all(t)
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "../../cmd/polydag")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		linked := strings.Fields(string(out))
		if len(linked) < 20 {
			t.Fatalf("%s: go list names %q", system, linked)
		}
		for i := 0; i < len(linked); i += 2 {
			if w, ok := works[linked[i]]; !ok || w.Version != linked[i+1] {
				t.Errorf("%s: %s %s has no licence here (%q); go generate ./internal/licenses", system, linked[i], linked[i+1], w.Version)
			}
		}
	}
}

// TestEmbeddedWorksHaveTheirLicense checks the same for the packages inside the page and inside the
// WebAssembly.
func TestEmbeddedWorksHaveTheirLicense(t *testing.T) {
	works := all(t)
	text := must.Get(os.ReadFile("../../web/package.json"))
	var p struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatalf("%v, %v", p, err)
	}
	for name, version := range p.Dependencies {
		if works[name].Version != version {
			t.Errorf("%s %s has no licence here (%q): make web, then go generate ./internal/licenses", name, version, works[name].Version)
		}
	}
	fetch := must.Get(os.ReadFile("../../packaging/generate/graphviz.go"))
	m := regexp.MustCompile(`(github.com/goccy/go-graphviz)@(v[\d.]+)`).FindSubmatch(fetch)
	if m == nil || works[string(m[1])].Version != string(m[2]) {
		t.Errorf("packaging/generate/graphviz.go takes %s, whose licence is not here", m)
	}
	for name, word := range map[string]string{
		"Go": "The Go Authors", "Graphviz": "Eclipse Public License", "Expat": "Clark Cooper", "wasi-libc": "Rich Felker", "Liberation fonts": "SIL OPEN FONT LICENSE",
		"github.com/golang/freetype": "FreeType Project LICENSE",
	} {
		found := false
		for _, t := range works[name].Texts {
			found = found || strings.Contains(strings.ToLower(t.Text), strings.ToLower(word))
		}
		if !found {
			t.Errorf("the texts of %s do not say %q", name, word)
		}
	}
}

// TestFontsAreOfTheVersionThatIsNamed compares the named version with the one in the fonts.
func TestFontsAreOfTheVersionThatIsNamed(t *testing.T) {
	for _, family := range []liberation.Family{liberation.Sans, liberation.Serif, liberation.Mono} {
		regular, _, err := family.TTF()
		must.Succeed(t, err)
		f := must.Get(sfnt.Parse(regular))
		if got, err := f.Name(nil, sfnt.NameIDVersion); err != nil || got != "Version "+all(t)["Liberation fonts"].Version {
			t.Errorf("%s is %q, %v; the licence is that of %q", family, got, err, all(t)["Liberation fonts"].Version)
		}
	}
}

func TestTextsAreTexts(t *testing.T) {
	for name, w := range all(t) {
		if len(w.Texts) == 0 {
			t.Errorf("%s has none", name)
		}
		for _, text := range w.Texts {
			if len(text.Text) < 40 || strings.Contains(text.Text, "\x00") || strings.Contains(text.Text, "&apos;") {
				t.Errorf("%s, %s: %.60q", name, text.File, text.Text)
			}
		}
	}
}

// TestSPDX checks that every work has a licence with its SPDX name. Works with several texts are listed by
// hand, because their combination cannot be derived.
func TestSPDX(t *testing.T) {
	works := all(t)
	known := map[string]string{
		"Go": "BSD-3-Clause", "Graphviz": "EPL-1.0", "Expat": "MIT", "Liberation fonts": "OFL-1.1", "github.com/spf13/cobra": "Apache-2.0",
		"golang.org/x/text": "BSD-3-Clause", "github.com/golang/freetype": "FTL OR GPL-2.0-or-later", "github.com/goccy/go-graphviz": "MIT",
	}
	for name, want := range known {
		must.Same(t, works[name].SPDX(), want, name)
	}
	for name, w := range works {
		if w.SPDX() == "" {
			t.Errorf("%s: no SPDX expression is known; add one to several or phrases in spdx.go", name)
		}
		main := 0
		for _, text := range w.Texts {
			if !text.additional() {
				main++
			}
		}
		if main > 1 && several[name] == "" {
			t.Errorf("%s has %d licence texts; state in spdx.go how they go together", name, main)
		}
	}
	for name := range several {
		if _, ok := works[name]; !ok {
			t.Errorf("%s is not part of the command any more; take it out of spdx.go", name)
		}
	}
}
