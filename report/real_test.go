package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// pythons returns every Python that can import the modules, with its version.
func pythons(t *testing.T, modules ...string) map[string]string {
	out := map[string]string{}
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		text, err := exec.Command(path, "-c", "import "+strings.Join(modules, ", ")+"\nprint("+strings.Join(modules, ".__version__, ")+".__version__)").Output()
		if err == nil {
			out[strings.TrimSpace(string(text))] = path
		}
	}
	if len(out) == 0 {
		must.Missing(t, "no python3 here imports %s; Debian: apt-get install python3-networkx python3-pydot python3-numpy", strings.Join(modules, " and "))
	}
	return out
}

// networkx reads the files and returns their content.
func networkx(t *testing.T, python string, files ...string) map[string]found {
	t.Helper()
	cmd := exec.Command(python, append([]string{"-W", "ignore", filepath.Join("testdata", "read.py")}, files...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var docs map[string]struct {
		Nodes map[string]map[string]any
		Edges [][3]any
	}
	must.Succeed(t, json.Unmarshal(text, &docs))
	out := map[string]found{}
	for file, doc := range docs {
		f := found{names: slices.Sorted(maps.Keys(doc.Nodes))}
		for name, attr := range doc.Nodes {
			n := polydag.Node{Name: name}
			n.Mean, _ = attr["mean"].(float64)
			n.Std, _ = attr["std"].(float64)
			n.ResidualVariance, _ = attr["residual_variance"].(float64)
			n.R2, _ = attr["r2"].(float64)
			f.nodes = append(f.nodes, n)
		}
		for _, e := range doc.Edges {
			attr := e[2].(map[string]any)
			edge := foundEdge{from: fmt.Sprint(e[0]), to: fmt.Sprint(e[1])}
			number := func(keys ...string) *float64 {
				for _, key := range keys {
					switch v := attr[key].(type) {
					case float64:
						return &v
					case string: // DOT has no types
						return float(strings.Trim(v, `"`))
					}
				}
				return nil
			}
			edge.weight, edge.standardized = number("coefficient", "weight"), number("standardized")
			edge.compelled = truth(strings.Trim(fmt.Sprint(attr["compelled"]), `"`))
			edge.mark, _ = attr["mark"].(string)
			edge.judged = judgedBy(func(name string) string {
				if attr[name] == nil {
					return ""
				}
				return strings.Trim(fmt.Sprint(attr[name]), `"`)
			})
			f.edges = append(f.edges, edge)
		}
		out[file] = f
	}
	return out
}

// named undoes aliases and restores the order of the result, because JSON objects have no order.
func (f found) named(names table, r *polydag.Result) found {
	at := map[string]int{}
	for i, name := range r.Names {
		at[name] = i
	}
	for i := range f.names {
		f.names[i] = names.of(f.names[i])
	}
	for i := range f.nodes {
		f.nodes[i].Name = names.of(f.nodes[i].Name)
	}
	for i, e := range f.edges {
		f.edges[i].from, f.edges[i].to = names.of(e.from), names.of(e.to)
	}
	slices.SortFunc(f.names, func(a, b string) int { return at[a] - at[b] })
	slices.SortFunc(f.nodes, func(a, b polydag.Node) int { return at[a.Name] - at[b.Name] })
	return f
}

func write(t *testing.T, dir, name, format string, r *polydag.Result) (path string, text []byte) {
	t.Helper()
	text = render(t, format, r)
	path = filepath.Join(dir, name)
	must.Succeed(t, os.WriteFile(path, text, 0o644))
	return path, text
}

func TestNetworkxReads(t *testing.T) {
	for version, python := range pythons(t, "networkx") {
		t.Run("networkx-"+version, func(t *testing.T) {
			dir := t.TempDir()
			type one struct {
				r      *polydag.Result
				names  table
				holds  string
				format string
			}
			written := map[string]one{}
			all := cases()
			maps.Copy(all, markedCases())
			for name, r := range all {
				for _, format := range []string{"graphml", "node-link"} {
					ext := map[string]string{"graphml": ".graphml", "node-link": ".json"}[format]
					path, text := write(t, dir, name+ext, format, r)
					names := table{}
					if format == "graphml" {
						names = aliasTable(text, `(?m)^<!-- (.*) -->$`)
					}
					written[path] = one{r, names, readers[format].holds, format}
				}
			}
			for path, f := range networkx(t, python, slices.Sorted(maps.Keys(written))...) {
				w := written[path]
				if err := f.named(w.names, w.r).check(w.r.Claimed(), w.holds); err != nil {
					t.Errorf("%s: %v", filepath.Base(path), err)
				}
			}
		})
	}
}

func TestNumpyReads(t *testing.T) {
	for version, python := range pythons(t, "networkx", "numpy") {
		t.Run(strings.ReplaceAll(version, " ", "-"), func(t *testing.T) {
			r := cases()["awkward"]
			path, _ := write(t, t.TempDir(), "w.npy", "npy", r)
			f := networkx(t, python, path)[path]
			names := table{}
			for i, name := range r.Names {
				names[strconv.Itoa(i)] = name
			}
			if err := f.named(names, r).check(r.Claimed(), "nw"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPydotReads uses names without quotes and escapes, because pydot parses these differently from Graphviz.
func TestPydotReads(t *testing.T) {
	for version, python := range pythons(t, "networkx", "pydot") {
		t.Run(strings.ReplaceAll(version, " ", "-"), func(t *testing.T) {
			r := result([]string{"a", "node", "größe in cm", "x-1", "a:b", "1", "<b>", "[x]; y", "年齢"}, 4)
			path, _ := write(t, t.TempDir(), "g.dot", "dot", r)
			f := networkx(t, python, path)[path]
			if err := f.named(nil, r).check(r.Claimed(), "nwscv"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGraphvizDrawsNames checks that Graphviz draws names that look like HTML, entities or escapes letter by letter.
func TestGraphvizDrawsNames(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		must.Missing(t, "no dot on the PATH; Debian: apt-get install graphviz")
	}
	names := []string{"<b>x</b>", "<TABLE><TR><TD>x</TD></TR></TABLE>", "<", "&lt;", "&amp;", `\N`, `\L`, "{a|b}", "plain"}
	path, _ := write(t, t.TempDir(), "g.dot", "dot", result(names, 4))
	drawn := string(must.Get(exec.Command(dot, "-Tsvg", path).Output()))
	for _, name := range names {
		shown := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(name)
		if !strings.Contains(strings.ReplaceAll(drawn, "&#45;", "-"), ">"+shown+"</text>") {
			t.Errorf("%q is not drawn as it is in\n%s", name, drawn)
		}
	}
}

func TestGraphvizReads(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		must.Missing(t, "no dot on the PATH; Debian: apt-get install graphviz")
	}
	all := cases()
	maps.Copy(all, markedCases())
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			path, text := write(t, t.TempDir(), "g.dot", "dot", r)
			cmd := exec.Command(dot, "-Tjson0", path)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil || errs.Len() > 0 && !strings.Contains(errs.String(), "font") {
				t.Fatalf("%v\n%s", err, errs.String())
			}
			var doc struct {
				Directed bool
				Rankdir  string
				Objects  []struct{ Name string }
				Edges    []map[string]any
			}
			// Graphviz 2.43 writes some control characters unescaped, which JSON forbids.
			out = regexp.MustCompile("[\x01-\x08\x0b\x0c\x0e-\x1f]").ReplaceAllFunc(out, func(c []byte) []byte { return fmt.Appendf(nil, `\u%04x`, c[0]) })
			if err := json.Unmarshal(out, &doc); err != nil {
				t.Fatalf("%v in\n%s", err, out)
			}
			if !doc.Directed || doc.Rankdir != "TB" {
				t.Errorf("directed %v, rankdir %s", doc.Directed, doc.Rankdir)
			}
			names := aliasTable(text, `(?m)^// (.*)$`)
			var f found
			for _, o := range doc.Objects {
				f.names = append(f.names, names.of(o.Name))
			}
			for _, e := range doc.Edges {
				str := func(key string) string { s, _ := e[key].(string); return s }
				at := func(key string) string { return f.names[int(e[key].(float64))] }
				f.edges = append(f.edges, foundEdge{at("tail"), at("head"), float(str("coefficient")), float(str("standardized")), "", truth(str("compelled")), judgedBy(str)})
			}
			if err := f.check(r.Claimed(), "nwscv"); err != nil {
				t.Error(err)
			}
		})
	}
}
