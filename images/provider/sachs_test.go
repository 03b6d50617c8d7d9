package provider_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/images/provider"
	"github.com/polydag/polydag/internal/must"
)

var spreadsheetNames = []string{"praf", "pmek", "plcg", "PIP2", "PIP3", "p44/42", "pakts473", "PKA", "PKC", "P38", "pjnk"}

var molecules = []string{"Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk"}

// cells makes a table with the published means of the observational set: values spread evenly about the mean.
func cells(n int, names []string, sep string) string {
	means := []float64{59.3145, 30.0293, 20, 80, 30, 22.1835, 41.9817, 500, 15, 34, 38}
	var b strings.Builder
	b.WriteString(strings.Join(names, sep) + "\n")
	for i := range n {
		for j, m := range means {
			if j > 0 {
				b.WriteString(sep)
			}
			fmt.Fprintf(&b, "%.6f", m+5*float64((i*(j+1))%n-(n-1)/2)/float64(n))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func readSachs(text string, change func(*provider.Settings)) (*dataset.NamedRows, []string, error) {
	opt := provider.DefaultSettings()
	opt.File = "sachs.csv"
	if change != nil {
		change(&opt)
	}
	return provider.Sachs(strings.NewReader(text), opt)
}

// TestSachsForms checks that the spreadsheets' names and every separator give the same table as our names and
// commas.
func TestSachsForms(t *testing.T) {
	want, _, err := readSachs(cells(853, molecules, ","), nil)
	must.Succeed(t, err)
	shape(t, want, 853, 11)
	for _, text := range []string{
		cells(853, spreadsheetNames, ","), cells(853, spreadsheetNames, "\t"), cells(853, spreadsheetNames, ";"),
		cells(853, spreadsheetNames, " "), cells(853, spreadsheetNames, "   "), cells(853, spreadsheetNames, ", "),
		strings.ReplaceAll(cells(853, spreadsheetNames, ","), "\n", ",\r\n"),
		strings.TrimSuffix(cells(853, spreadsheetNames, ","), "\n"),
		string(zipped(t, cells(853, spreadsheetNames, ","))),
		cells(853, []string{"raf", "mek", "plc", "pip2", "pip3", "erk", "akt", "pka", "pkc", "p38", "jnk"}, "\t"),
		cells(853, []string{"praf", "pmek", "plcg", "PIP2", "PIP3", "p44.42", "pakts473", "PKA", "PKC", "P38", "pjnk"}, "\t"),
	} {
		got, notes, err := readSachs(text, nil)
		if err != nil {
			t.Errorf("%.60q: %v", text, err)
			continue
		}
		if !slices.Equal(got.Names, molecules) || !slices.Equal(got.Rows.Data, want.Rows.Data) {
			t.Errorf("%.60q: another table", text)
		}
		if !strings.Contains(strings.Join(notes, "\n"), "→ Erk") {
			t.Errorf("%.60q: no note on the names: %q", text, notes)
		}
	}
	table, _, err := readSachs(cells(853, spreadsheetNames, ","), func(o *provider.Settings) { o.Attributes, o.Rows = []string{"p44/42", "Raf"}, 10 })
	must.Succeed(t, err)
	shape(t, table, 10, 2)
	if !slices.Equal(table.Names, []string{"Erk", "Raf"}) {
		t.Errorf("names %q", table.Names)
	}
}

func TestSachsConditions(t *testing.T) {
	text := "condition,label," + strings.Join(molecules, ",") + "\n"
	for _, line := range []string{"1,cd3cd28", "1,cd3cd28", "2,x", "8,pma", "8,pma", "8,pma"} {
		text += line + strings.Repeat(",7", 11) + "\n"
	}
	table, notes, err := readSachs(text, func(o *provider.Settings) { o.Condition, o.Force = "pma", true })
	must.Succeed(t, err)
	shape(t, table, 3, 11)
	for _, want := range []string{"11,672 rows expected, 6 found", "condition pma has 3 rows, expected 913"} {
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("notes lack %q: %q", want, notes)
		}
	}
}

func TestSachsMismatch(t *testing.T) {
	good := cells(853, molecules, ",")
	for _, c := range []struct {
		name, text, want string
		change           func(*provider.Settings)
	}{
		{"another condition", cells(902, molecules, ","), "902 rows is condition 2 (cd3cd28+icam2): ask for that condition", nil},
		{"pooled", cells(7466, molecules, ","), "ask for the condition main", nil},
		{"cut", good[:len(good)-30], "cut off: 853 rows expected, 852 whole ones found", nil},
		{"cut in the last number", cells(853, molecules, ",")[:strings.LastIndex(good[:len(good)-60], "\n")-1], "cut off", nil},
		{"logged", strings.Replace(good, "59.", "-0.", 1), "expected at least 1: the published values are raw", nil},
		{"another mean", strings.Replace(good, "59.", "159.", 1), "the mean of Raf is", nil},
		{"a column less", strings.Replace(good, "Jnk", "other", 1), "it lacks the columns Jnk", nil},
		{"missing value", strings.Replace(good, "\n", "\n,", 1)[:len(good)-200], "fields", nil},
	} {
		if _, _, err := readSachs(c.text, c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, _, err := readSachs(cells(902, molecules, ","), func(o *provider.Settings) { o.Condition = "2" }); err != nil {
		t.Errorf("condition 2 asked for: %v", err)
	}
	for _, c := range []struct{ text, want string }{
		{"a,b\n1,2\n", "none of the eleven molecules"},
		{"Raf,praf\n1,2\n", `both "Raf" and "praf"`},
		{"\xd0\xcf\x11\xe0\xa1\xb1", "export the sheet as CSV"},
		{"condition," + strings.Join(molecules, ",") + "\nx" + strings.Repeat(",7", 11) + "\n", `the condition "x"`},
	} {
		if _, _, err := readSachs(c.text, force); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestSachsNetworks checks that the networks differ as their sources state, and that each is acyclic over the
// eleven molecules.
func TestSachsNetworks(t *testing.T) {
	sets := map[string]map[graph.Link]bool{}
	for _, n := range provider.SachsNetworks() {
		edges := must.Get(provider.SachsEdges(n.Name))
		sets[n.Name] = map[graph.Link]bool{}
		left := map[string]bool{}
		for _, e := range edges {
			if !slices.Contains(molecules, e.From) || !slices.Contains(molecules, e.To) {
				t.Errorf("%s: %v", n.Name, e)
			}
			sets[n.Name][e] = true
		}
		for _, name := range molecules {
			left[name] = true
		}
		for removed := true; removed; {
			removed = false
			for name := range left {
				if !slices.ContainsFunc(edges, func(e graph.Link) bool { return e.To == name && left[e.From] }) {
					delete(left, name)
					removed = true
				}
			}
		}
		if len(left) > 0 || len(sets[n.Name]) != len(edges) {
			t.Errorf("%s: a cycle among %v, or an edge twice", n.Name, left)
		}
	}
	if len(sets["17"]) != 17 || len(sets["20-cmu"]) != 20 || len(sets["20-eliater"]) != 20 {
		t.Errorf("sizes %d, %d, %d", len(sets["17"]), len(sets["20-cmu"]), len(sets["20-eliater"]))
	}
	for e := range sets["17"] {
		if !sets["20-eliater"][e] {
			t.Errorf("20-eliater lacks %v", e)
		}
	}
	if _, err := provider.SachsEdges("18"); !errors.Is(err, provider.ErrSettings) || !strings.Contains(err.Error(), "20-cmu") {
		t.Errorf("an unknown network: %v", err)
	}
}

func TestSources(t *testing.T) {
	for _, s := range provider.All() {
		if s.Title == "" || s.Page == "" || s.File == "" || s.Shape == "" || s.Terms == "" || s.Caveats == "" || s.Cite == "" || s.Read == nil {
			t.Errorf("%s: a field is empty", s.Name)
		}
		if got, ok := provider.Lookup(s.Name); !ok || got.Title != s.Title {
			t.Errorf("Lookup(%q)", s.Name)
		}
	}
	if _, ok := provider.Lookup("imagenet"); ok {
		t.Error("found a source that is not there")
	}
}
