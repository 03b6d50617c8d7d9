package learntest

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/trust"
)

// schools draws pupils in schools with a common factor of the school in most columns, and a column of the school itself. The rows are
// sorted by school, or shuffled.
func schools(t testing.TB, d, count, pupils int, seed uint64, shuffled bool) (*sheet, *graph.Graph) {
	cfg := sim.Default()
	cfg.Nodes, cfg.Edges, cfg.Seed = d, d+1, seed
	model := must.Get(sim.New(cfg))
	n := count * pupils
	x := model.Sample(sim.Stream(seed, sim.StreamNoise), n)
	rng := rand.New(rand.NewPCG(seed, 8))
	factor, size := make([]float64, count), make([]float64, count)
	for k := range factor {
		factor[k], size[k] = rng.NormFloat64(), 100+50*rng.NormFloat64()
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if shuffled {
		order = rand.New(rand.NewPCG(seed, 9)).Perm(n)
	}
	s := &sheet{}
	s.add("school", n, func(i int) string { return strconv.Itoa(order[i]/pupils*7%101 + 1) })
	for j, name := range model.Names() {
		load := 2 * float64(1-2*rng.IntN(2))
		if j%4 == 3 {
			load = 0
		}
		s.add(name, n, func(i int) string { return fmt.Sprintf("%.6f", x.At(order[i], j)+load*factor[order[i]/pupils]) })
	}
	s.add("size", n, func(i int) string { return fmt.Sprintf("%.3f", size[order[i]/pupils]) })
	return s, model.Graph()
}

// rated counts the stated directions, the wrong ones among them, the true adjacencies and those that were found.
func rated(res *polydag.Result, truth *graph.Graph, names []string) (stated, wrong, adjacent, found int) {
	at := func(name string) int { return slices.Index(names, name) }
	for _, e := range res.Edges {
		a, b := at(e.From), at(e.To)
		if e.Verdict == trust.Directed {
			if stated++; a < 0 || b < 0 || !truth.HasEdge(a, b) {
				wrong++
			}
		}
		if a >= 0 && b >= 0 && (truth.HasEdge(a, b) || truth.HasEdge(b, a)) {
			found++
		}
	}
	return stated, wrong, len(truth.Edges()), found
}

// TestGroups checks that a common factor of schools makes no edges: the school is found as the group column, and sorted and shuffled
// rows give the same bytes. Without groups the factor makes edges. POLYDAG_STUDY=20 takes 20 tables of 40 schools.
func TestGroups(t *testing.T) {
	tables, d, count, pupils := 1, 6, 20, 15
	if study, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY")); study > 0 {
		tables, d, count, pupils = study, 9, 40, 25
	}
	var stated, wrong, adjacent, found, plain int
	for seed := range uint64(tables) {
		s, truth := schools(t, d, count, pupils, seed+1, false)
		table := prepared(t, s.plain())
		res := learnedFrom(t, table, nil)
		shuffled, _ := schools(t, d, count, pupils, seed+1, true)
		again := learnedFrom(t, prepared(t, shuffled.plain()), nil)
		if !reflect.DeepEqual(res.Edges, again.Edges) {
			t.Errorf("shuffled rows give\n%+v, want\n%+v", again.Edges, res.Edges)
		}
		c := res.Table.Groups
		if c == nil || c.Column != "school" || c.Centred != d || c.EffectiveRows != (pupils-1)*count || slices.Contains(res.Names, "size") {
			t.Fatalf("%+v, columns %v", c, res.Names)
		}
		notes := strings.Join(res.Table.Notes, " ")
		if !strings.Contains(notes, "groups=none") || !strings.Contains(notes, "group-means") {
			t.Errorf("notes %q", notes)
		}
		names := s.names[1 : d+1]
		a, b, e, f := rated(res, truth, names)
		stated, wrong, adjacent, found = stated+a, wrong+b, adjacent+e, found+f
		p := polydag.DefaultPreparation()
		p.Groups = ""
		_, b, _, _ = rated(learnedFrom(t, must.Get(polydag.Prepare(context.Background(), written{text: s.plain()}, p)), nil), truth, names)
		plain += b
	}
	t.Logf("%d of %d stated directions wrong, %d of %d adjacencies; without groups %d wrong", wrong, stated, found, adjacent, plain)
	if 20*wrong > stated || 10*found < 7*adjacent || plain == 0 {
		t.Errorf("%d of %d stated directions wrong, %d of %d adjacencies; without groups %d wrong", wrong, stated, found, adjacent, plain)
	}
}

// TestGroupMeans checks that the means of the groups are a table with one row per group and all columns.
func TestGroupMeans(t *testing.T) {
	s, _ := schools(t, 4, 40, 5, 3, true)
	p := polydag.DefaultPreparation()
	p.Groups, p.GroupMeans = "school", true
	table := must.Get(polydag.Prepare(context.Background(), written{text: s.plain()}, p))
	if table.Rows() != 40 || table.EffectiveRows() != 40 || table.Moments.Dim() != 5 || table.Moments.Names[4] != "size" {
		t.Errorf("%d rows, columns %v", table.Rows(), table.Moments.Names)
	}
}

// TestComputedColumnsInGroups checks that a column that a formula gives is excluded, although the formula does not hold for rows that are
// centred within groups, or for the means of groups without a column of categories.
func TestComputedColumnsInGroups(t *testing.T) {
	s, _ := schools(t, 4, 30, 20, 3, false)
	n := 30 * 20
	hours := make([]float64, n)
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range hours {
		hours[i] = math.Round(1e6*math.Exp(rng.NormFloat64())) / 1e6
	}
	s.add("kind", n, func(i int) string { return string(rune('a' + rng.IntN(3))) })
	s.add("hours", n, func(i int) string { return strconv.FormatFloat(hours[i], 'g', -1, 64) })
	s.add("loghours", n, func(i int) string { return strconv.FormatFloat(math.Log(hours[i]), 'g', -1, 64) })
	for _, means := range []bool{false, true} {
		p := polydag.DefaultPreparation()
		p.Groups, p.GroupMeans = "school", means
		table := must.Get(polydag.Prepare(context.Background(), written{text: s.plain()}, p))
		if !slices.ContainsFunc(table.Source.Excluded, func(x dataset.Excluded) bool { return strings.Contains(x.Name, "hours") }) {
			t.Errorf("means %v: %v are excluded", means, table.Source.Excluded)
		}
	}
}

// TestGroupsOfCategories checks that columns of categories, which are not centred, do not pass the check of independent rows.
func TestGroupsOfCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n, size = 1200, 30
	s := &sheet{}
	s.add("subject", n, func(i int) string { return strconv.Itoa(i / size) })
	var u [n / size]float64
	for k := range u {
		u[k] = 1.5 * rng.NormFloat64()
	}
	for _, name := range []string{"a", "b", "c"} {
		s.add(name, n, func(i int) string { return []string{"low", "high"}[b2i(rng.NormFloat64() < u[i/size])] })
	}
	s.add("x", n, func(i int) string { return fmt.Sprint(u[i/size] + rng.NormFloat64()) })
	res := learnedFrom(t, prepared(t, s.plain()), nil)
	c := res.Table.Groups
	if c == nil || c.Centred != 1 || len(c.Uncentred) != 3 || c.EffectiveRows > n/2 {
		t.Fatalf("%+v", c)
	}
	for _, a := range res.Assumptions {
		if a.Name == trust.IndependentRows && a.Outcome != trust.Failed {
			t.Errorf("%+v", a)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The group columns of published tables: those that a person who knows the table would choose. A table that is not here has none.
var groupsOfPublished = map[string]string{"galton-stature.mixed": "family"}

// TestStudyOrdinaryTables checks that published tables without repeated subjects get no groups.
func TestStudyOrdinaryTables(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it reads 120 published tables: set POLYDAG_STUDY=1")
	}
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	tables := append(must.Get(filepath.Glob(filepath.Join(root, "known-order", "*.csv.gz"))), must.Get(filepath.Glob(filepath.Join(root, "real", "*", "*.txt.gz")))...)
	if len(tables) == 0 {
		t.Skipf("the data are not part of the repository, and %s is not there: set POLYDAG_DATA to a folder that has it", root)
	}
	for _, path := range tables {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), filepath.Ext(strings.TrimSuffix(path, ".gz")))
		if got := groupOf(t, path); got != groupsOfPublished[name] {
			t.Errorf("%s: group column %q, want %q", name, got, groupsOfPublished[name])
		}
	}
}

// groupOf returns the group column that is found in a file, "" for none or a file that is no table.
func groupOf(t *testing.T, path string) string {
	table, err := polydag.Prepare(context.Background(), must.Get(files.Open(path, nil, files.DefaultSettings())), polydag.DefaultPreparation())
	if err != nil {
		return ""
	}
	if c := table.Source.Groups; c != nil {
		return c.Column
	}
	for _, note := range table.Source.Notes { // a proposal
		if column, ok := strings.CutPrefix(note, "Column "); ok && strings.Contains(note, "repeats as a subject does") {
			column, _, _ = strings.Cut(column, " repeats")
			t.Logf("%s: proposed %s", filepath.Base(path), column)
		}
	}
	return ""
}

// panels are tables of R packages with the subjects that their documentation names. Of those in proposed the values within a subject differ
// so much that the subject is only proposed.
var panels = map[string]string{
	"plm::Males": "nr", "plm::RiceFarms": "id", "plm::EmplUK": "firm", "plm::Grunfeld": "firm", "plm::Produc": "state", "plm::Cigar": "state",
	"plm::Gasoline": "country", "plm::Crime": "county", "plm::LaborSupply": "id", "plm::Snmesp": "firm", "plm::SumHes": "country", "plm::Parity": "country",
	"plm::Hedonic": "townid", "nlme::Orthodont": "Subject", "nlme::Oxboys": "Subject", "nlme::BodyWeight": "Rat", "nlme::Milk": "Cow", "nlme::Ovary": "Mare",
	"nlme::MathAchieve": "School", "nlme::Spruce": "Tree", "nlme::Dialyzer": "Subject", "nlme::Remifentanil": "ID", "nlme::RatPupWeight": "Litter",
	"datasets::ChickWeight": "Chick", "datasets::Theoph": "Subject", "datasets::CO2": "Plant", "lme4::sleepstudy": "Subject", "lme4::cbpp": "herd",
}

// TestStudyPanels checks that panel tables of R packages get their subject as the group column.
func TestStudyPanels(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it needs R with plm, nlme and lme4: set POLYDAG_STUDY=1")
	}
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("Rscript is not installed")
	}
	dir := t.TempDir()
	for key, want := range panels {
		pack, name, _ := strings.Cut(key, "::")
		path := filepath.Join(dir, pack+name+".csv")
		code := fmt.Sprintf(`e <- new.env(); suppressWarnings(data(list="%s", package="%s", envir=e)); v <- if (exists("%s", e)) get("%s", e) else getExportedValue("%s", "%s"); v <- as.data.frame(v); class(v) <- "data.frame"; write.csv(v, "%s", row.names=FALSE)`, name, pack, name, name, pack, name, path)
		if out, err := exec.Command("Rscript", "-e", code).CombinedOutput(); err != nil {
			t.Logf("%s: %v %s", key, err, out)
			continue
		}
		if rows := must.Get(csv.NewReader(must.Get(os.Open(path))).ReadAll()); len(rows) < 2 {
			t.Errorf("%s is empty", key)
		}
		if got := groupOf(t, path); got != want {
			t.Errorf("%s: group column %q, want %q", key, got, want)
		}
	}
}
