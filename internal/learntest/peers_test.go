package learntest

import (
	"archive/tar"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
)

// The tests of this file compare answers about graphs with those of other programs: bnlearn 5.2.1, pcalg 2.7-12, DAGitty 0.3-4 and
// tigramite. The answers are in the folder peers of the data, whose README says how they were made.
// DAGitty's instruments are not compared, because polydag finds none.

// peerFiles reads the files of an archive of the folder peers, by name without the folder.
func peerFiles(t *testing.T, name string) map[string]string {
	t.Helper()
	files := map[string]string{}
	r := tar.NewReader(published(t, "peers/"+name))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must.Succeed(t, err)
		_, base, _ := strings.Cut(h.Name, "/")
		files[base] = string(must.Get(io.ReadAll(r)))
	}
}

// peerTable reads a table with a header.
func peerTable(text string) (names []string, rows [][]string) {
	all := must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())
	return all[0], all[1:]
}

// peerGraph reads a list of edges.
func peerGraph(text string, names []string) *graph.Graph {
	g := graph.New(len(names))
	_, rows := peerTable(text)
	for _, row := range rows {
		g.AddEdge(slices.Index(names, row[0]), slices.Index(names, row[1]))
	}
	return g
}

// peerClass reads an adjacency matrix in which both entries of an undirected edge are 1.
func peerClass(text string) (*graph.PDAG, []string) {
	names, rows := peerTable(text)
	p := graph.NewPDAG(len(names))
	for i, row := range rows {
		for j, cell := range row {
			switch back := rows[j][i] == "1"; {
			case cell != "1":
			case back && i < j:
				p.SetUndirected(i, j)
			case !back:
				p.SetDirected(i, j)
			}
		}
	}
	return p, names
}

// TestPeersBnlearn compares CPDAGs, distances between graphs and d-separations with those of bnlearn.
func TestPeersBnlearn(t *testing.T) {
	files := peerFiles(t, "dag-pairs.tar.gz")
	graphs, names := map[string]*graph.Graph{}, map[string][]string{}
	compared := 0
	check := func(ok bool, format string, args ...any) {
		t.Helper()
		if compared++; !ok {
			t.Errorf(format, args...)
		}
	}
	_, results := peerTable(files["res.csv"])
	for _, row := range results {
		i := row[0]
		class, own := peerClass(files[i+".cpdag.csv"])
		g, h := peerGraph(files[i+".g.csv"], own), peerGraph(files[i+".h.csv"], own)
		graphs[i], names[i] = g, own
		check(must.Get(graph.CPDAG(g)).Equal(class), "pair %s: another CPDAG than that of bnlearn", i)
		rep := metric.CompareWithSID(g, h)
		for column, got := range map[int]*int{2: rep.CPDAGSHD, 3: &rep.SHD, 5: rep.SID} {
			want, err := strconv.Atoi(row[column])
			check(err == nil && got != nil && *got == want, "pair %s: distance %v in column %d, want %s", i, got, column, row[column])
		}
	}
	_, separations := peerTable(files["dsep.csv"])
	for _, row := range separations {
		at := func(list string) (nodes []int) {
			for _, name := range strings.Fields(list) {
				nodes = append(nodes, slices.Index(names[row[0]], name))
			}
			return nodes
		}
		got := graphs[row[0]].DSeparated(at(row[1]), at(row[2]), at(row[3]))
		check(got == (row[4] == "TRUE"), "graph %s: %s and %s given %q: %v, bnlearn says %s", row[0], row[1], row[2], row[3], got, row[4])
	}
	if compared < 2500 {
		t.Errorf("only %d comparisons", compared)
	}
}

// TestPeersPcalg compares the PAG of a DAG with hidden columns, and its CPDAG without, with those of pcalg.
func TestPeersPcalg(t *testing.T) {
	files := peerFiles(t, "pags.tar.gz")
	_, index := peerTable(files["idx.csv"])
	marks := map[string]graph.Mark{"1": graph.Circle, "2": graph.Arrow, "3": graph.Tail}
	compared := 0
	for _, row := range index {
		i := row[0]
		class, names := peerClass(files[i+".cpdag.csv"])
		g := peerGraph(files[i+".dag.csv"], names)
		if !must.Get(graph.CPDAG(g)).Equal(class) {
			t.Errorf("graph %s: another CPDAG than that of pcalg", i)
		}
		var hidden []int
		for _, v := range strings.Fields(row[2]) {
			hidden = append(hidden, must.Get(strconv.Atoi(v))-1)
		}
		mag, observed, err := graph.LatentMAG(g, hidden, nil)
		must.Succeed(t, err)
		got := mag.Class(false)
		seen, rows := peerTable(files[i+".pag.csv"])
		for a, v := range observed {
			if seen[a] != names[v] {
				t.Fatalf("graph %s: column %d is %s, want %s", i, a, seen[a], names[v])
			}
			for b := range observed {
				if compared++; got.At(a, b) != marks[rows[a][b]] {
					t.Errorf("graph %s: mark at %s of its edge with %s is %v, pcalg has %s", i, seen[b], seen[a], got.At(a, b), rows[a][b])
				}
			}
		}
	}
	if compared < 3000 {
		t.Errorf("only %d marks were compared", compared)
	}
}

// TestPeersDagitty compares adjustment sets with those of DAGitty. The set that explain finds must be one of its minimal sets. A minimal
// set of DAGitty is an adjustment set here, too, unless it has a descendant of the cause, which the back-door criterion excludes.
func TestPeersDagitty(t *testing.T) {
	var cases []struct {
		DAG, Cause, Effect string
		Sets               [][]string `json:"minimal_sets"`
	}
	must.Succeed(t, json.NewDecoder(published(t, "peers/dagitty.json.gz")).Decode(&cases))
	edge := regexp.MustCompile(`(\w+) -> (\w+)`)
	compared, none := 0, 0
	for _, c := range cases {
		nodes, _, _ := strings.Cut(strings.TrimPrefix(edge.ReplaceAllString(c.DAG, "}"), "dag {"), "}")
		names := strings.Fields(nodes)
		g := graph.New(len(names))
		var edges []explain.Edge
		for _, m := range edge.FindAllStringSubmatch(c.DAG, -1) {
			g.AddEdge(slices.Index(names, m[1]), slices.Index(names, m[2]))
			edges = append(edges, explain.Edge{Link: graph.Link{From: m[1], To: m[2]}, Weight: 1})
		}
		m := must.Get(explain.NewModel(names, edges))
		about := fmt.Sprintf("%s: %s on %s", c.DAG, c.Cause, c.Effect)
		cause, effect := slices.Index(names, c.Cause), slices.Index(names, c.Effect)
		after := g.Descendants([]int{cause})
		found := must.Get(m.Between(c.Cause, c.Effect, explain.DefaultSettings()))
		set := found.Adjustment
		if len(c.Sets) == 0 {
			if none++; set.Exists || !g.HasEdge(effect, cause) {
				t.Errorf("%s: the set %v, and DAGitty has none", about, set.Set)
			}
			continue
		}
		if !set.Exists || !slices.ContainsFunc(c.Sets, func(s []string) bool { return sameNames(s, set.Set) }) {
			t.Errorf("%s: the set %v is not one of %v", about, set.Set, c.Sets)
		}
		for _, s := range c.Sets {
			descends := slices.ContainsFunc(s, func(name string) bool { return after[slices.Index(names, name)] })
			if compared++; must.Get(m.IsAdjustment(c.Cause, c.Effect, s)) == descends {
				t.Errorf("%s: %v is a minimal set of DAGitty (with a descendant: %v)", about, s, descends)
			}
		}
	}
	if compared < 300 || none == 0 {
		t.Errorf("%d sets and %d questions without a set were compared", compared, none)
	}
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// TestPeersTigramite compares what order and pcmci+ find in time series with what tigramite's PCMCI+ finds: order as much or more,
// pcmci+ about as much.
func TestPeersTigramite(t *testing.T) {
	results := string(must.Get(io.ReadAll(publishedFile(t, "peers/series-results.txt"))))
	line := regexp.MustCompile(`(?m)^(\S+)\s+tigramite\s.*?F1 (\S+) same-time skel .*? F1 (\S+) `)
	peer := map[string][2]float64{}
	for _, m := range line.FindAllStringSubmatch(results, -1) {
		peer[m[1]] = [2]float64{must.Get(strconv.ParseFloat(m[2], 64)), must.Get(strconv.ParseFloat(m[3], 64))}
	}
	for _, name := range []string{"ts10_500_1", "ts10_500_2", "ts20_500_1"} {
		text := string(must.Get(io.ReadAll(published(t, "peers/"+name+".csv.gz"))))
		p := polydag.DefaultPreparation()
		p.Time.Column, p.Time.Lags = "time", 2
		table := must.Get(polydag.Prepare(context.Background(), written{text: text}, p))
		_, rows := peerTable(string(must.Get(io.ReadAll(publishedFile(t, "peers/"+name+".truth.csv")))))
		for method, allowed := range map[string]float64{"order": 0, "pcmci+": 0.05} {
			res := learnedWith(t, table, using(t, method, "alpha=0.01"))
			at := func(name string) int { return slices.Index(res.Names, name) }
			type lagged struct {
				graph.Edge
				lag int
			}
			var truth, found []lagged
			before, present := graph.New(len(res.Names)), graph.New(len(res.Names))
			for _, row := range rows {
				if e := (graph.Edge{From: at(row[0]), To: at(row[1])}); row[3] == "0" {
					before.AddEdge(e.From, e.To)
				} else {
					truth = append(truth, lagged{e, must.Get(strconv.Atoi(row[3]))})
				}
			}
			for _, e := range res.Lagged {
				found = append(found, lagged{graph.Edge{From: at(e.From), To: at(e.To)}, e.Lag})
			}
			for _, e := range res.Edges {
				present.AddEdge(at(e.From), at(e.To))
			}
			f1, skeleton, want := metric.CompareLagged(truth, found).F1, metric.Skeleton(before, present).F1(), peer[name]
			t.Logf("%s, %s: F1 of lagged edges %.3f, of adjacencies at the same time %.3f; tigramite %.3f, %.3f", name, method, f1, skeleton, want[0], want[1])
			if want[0] == 0 || f1 < want[0]-allowed || skeleton < want[1]-allowed {
				t.Errorf("%s, %s: F1 %.3f and %.3f, tigramite has %.3f and %.3f", name, method, f1, skeleton, want[0], want[1])
			}
		}
	}
}
