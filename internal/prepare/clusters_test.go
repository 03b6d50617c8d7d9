package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/csv"
)

func clustered(t testing.TB, text string, set func(*Settings)) (*Gathered, error) {
	t.Helper()
	opt := DefaultSettings()
	opt.Clusters, opt.Threads = "person", 1
	if set != nil {
		set(&opt)
	}
	return Gather(context.Background(), func(context.Context) (dataset.Source, error) {
		return csv.Open(strings.NewReader(text), csv.DefaultSettings())
	}, opt)
}

// families writes rows of three columns with the given share of variance between clusters, of sizes 1 to 7, and returns the values
// by cluster. The label stands in the middle and the rows of a cluster are not neighbours.
func families(rng *rand.Rand, count int, share [3]float64, label func(int) string) (string, map[int][][3]float64) {
	type line struct {
		of int
		x  [3]float64
	}
	var lines []line
	by := map[int][][3]float64{}
	for k := range count {
		var common [3]float64
		for j := range common {
			common[j] = rng.NormFloat64()
		}
		for range 1 + rng.IntN(7) {
			l := line{of: k}
			for j := range l.x {
				l.x[j] = 1e6 + math.Sqrt(share[j])*common[j] + math.Sqrt(1-share[j])*rng.NormFloat64()
			}
			lines = append(lines, l)
			by[k] = append(by[k], l.x)
		}
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	var b strings.Builder
	b.WriteString("a,person,b,c\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "%v,%s,%v,%v\n", l.x[0], label(l.of), l.x[1], l.x[2])
	}
	return b.String(), by
}

// The intraclass correlations are those of the obvious analysis of variance, and near the true shares; whether labels are words or
// numbers does not matter.
func TestClusters(t *testing.T) {
	share := [3]float64{0.8, 0.1, 0.5}
	for _, label := range []func(int) string{func(k int) string { return fmt.Sprint("p", k) }, func(k int) string { return fmt.Sprint(k) }} {
		text, by := families(rand.New(rand.NewPCG(1, 1)), 600, share, label)
		g, err := clustered(t, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := g.Clusters
		n, squares := 0.0, 0.0
		for _, rows := range by {
			n += float64(len(rows))
			squares += float64(len(rows) * len(rows))
		}
		var rho [3]float64
		for j := range rho {
			mean, within, between, k := 0.0, 0.0, 0.0, float64(len(by))
			for _, rows := range by {
				for _, r := range rows {
					mean += (r[j] - 1e6) / n
				}
			}
			for _, rows := range by {
				own := 0.0
				for _, r := range rows {
					own += (r[j] - 1e6) / float64(len(rows))
				}
				for _, r := range rows {
					within += (r[j] - 1e6 - own) * (r[j] - 1e6 - own)
				}
				between += float64(len(rows)) * (own - mean) * (own - mean)
			}
			between, within = between/(k-1), within/(n-k)
			rho[j] = (between - within) / (between + ((n-squares/n)/(k-1)-1)*within)
			if !(math.Abs(rho[j]-share[j]) <= 0.08) {
				t.Errorf("the twin has %v for a share of %v", rho[j], share[j])
			}
		}
		if len(g.Moments.Names) != 3 || c.Count != 600 || c.Part != 1 || c.Rows != int(n) || !(math.Abs(c.Size-squares/n) <= 1e-9) {
			t.Errorf("%+v of %v, want 600 clusters of %v rows, size %v", c, g.Moments.Names, n, squares/n)
		}
		if len(c.Alike) != 2 || c.Alike[0].Column != "a" || c.Alike[1].Column != "c" || !(math.Abs(c.Alike[0].Rho-rho[0]) <= 1e-6) || !(math.Abs(c.Alike[1].Rho-rho[2]) <= 1e-6) {
			t.Errorf("%+v, want %v", c.Alike, rho)
		}
		effect := 1 + (squares/n-1)*rho[0]*rho[2]
		if !(math.Abs(c.DesignEffect-effect) <= 1e-6) || c.EffectiveRows != int(math.Round(n/effect)) {
			t.Errorf("%+v, want a design effect of %v", c, effect)
		}
		if !strings.Contains(strings.Join(g.Profile.Notes, " "), c.Sentence()) {
			t.Errorf("notes %q", g.Profile.Notes)
		}
	}
}

// A random part of many clusters says about the same as all of them, in bounded memory.
func TestThinnedClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	whole, part := newClusters(chosenColumn{}, 2, ""), newClusters(chosenColumn{}, 2, "")
	part.most = 300
	for range 8000 {
		k := rng.IntN(4000)
		own := rand.New(rand.NewPCG(uint64(k), 3)).NormFloat64()
		row := []float64{own + rng.NormFloat64(), own*2 + rng.NormFloat64()}
		for _, c := range []*clusters{whole, part} {
			c.labels = append(c.labels[:0], hashOf('n', fmt.Append(nil, k)))
			c.add(row, false)
			if len(c.sums) > c.most || len(c.at) != len(c.sums) || len(c.hash) != len(c.sums) {
				t.Fatalf("%d clusters are kept, %d found", len(c.sums), len(c.at))
			}
		}
	}
	a, err := whole.finish([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := part.finish([]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Part != 1 || b.Part != 1.0/16 || !(math.Abs(float64(b.Count)/float64(a.Count)-1) <= 0.2) || !(math.Abs(b.Size/a.Size-1) <= 0.1) || !(math.Abs(b.DesignEffect/a.DesignEffect-1) <= 0.15) || a.Rows != b.Rows {
		t.Errorf("all %+v, part %+v", a, b)
	}
}

// What is wrong with a column of clusters is said with its place.
func TestClusterFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		want error
		said string
	}{
		{"person,a,b\nx,1,2\nx,2,1\nx,3,3\n", ErrOneCluster, "person"},
		{"person,a,b\nx,1,2\n,2,1\ny,3,3\n", ErrClusterMissing, "row 2"},
		{"people,a,b\nx,1,2\ny,2,1\n", ErrUnknownColumn, "people"},
		{"person,a\nx,1\ny,2\n", dataset.ErrOneColumn, "a"},
	} {
		if _, err := clustered(t, c.text, nil); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.said) {
			t.Errorf("%q: %v, want %v with %s", c.text, err, c.want, c.said)
		}
	}
}

// Rows that are dropped for a missing value are in no cluster, and with --columns the label need not be named.
func TestClustersOfWholeRows(t *testing.T) {
	const text = "person,a,b,word\nx,1,2,p\nx,2,,q\ny,3,3,p\ny,4,1,q\nz,0,5,q\n"
	g, err := clustered(t, text, func(o *Settings) { o.Missing, o.Columns = "drop", []string{"a", "b"} })
	if err != nil {
		t.Fatal(err)
	}
	if c := g.Clusters; c.Rows != 4 || c.Count != 3 || g.Moments.N != 4 || c.Size != 1.5 {
		t.Errorf("%+v", c)
	}
	g, err = clustered(t, text, func(o *Settings) { o.Missing, o.Encode = "pairwise", "levels" })
	if err != nil {
		t.Fatal(err)
	}
	if c := g.Clusters; c.Rows != 5 || len(g.Moments.Names) != 3 {
		t.Errorf("%+v of %v", c, g.Moments.Names)
	}
}

// The clusters do not depend on how many rows come at a time.
func TestClustersOfBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	table := memOf("a person b")
	for i := range 200 {
		k := rng.IntN(40)
		table.rows = append(table.rows, []any{float64(k) + rng.NormFloat64(), fmt.Sprint("p", k), float64(i%7) + 0.3*float64(k)})
	}
	var want *dataset.Clusters
	for _, batch := range []int{0, 7, 64} {
		table.batch = batch
		g, err := gather(t, table, func(s *Settings) { s.Clusters = "person" })
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = g.Clusters
		}
		if !reflect.DeepEqual(g.Clusters, want) || g.Clusters.Count != 40 || g.Clusters.Rows != 200 {
			t.Errorf("%d rows at a time: %+v, want %+v", batch, g.Clusters, want)
		}
	}
}

// A second pass has the rows with the labels of their clusters, in batches of any size.
func TestReplayClustersOfBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	table := memOf("a person b")
	var people []int
	for i := range 150 {
		k := rng.IntN(30)
		people = append(people, k)
		table.rows = append(table.rows, []any{float64(i) + rng.NormFloat64(), fmt.Sprint("p", k), rng.NormFloat64()})
	}
	for _, batch := range []int{0, 7} {
		table.batch = batch
		g, err := gather(t, table, func(s *Settings) { s.Clusters = "person" })
		if err != nil {
			t.Fatal(err)
		}
		var labels []uint64
		rows := 0
		if err := g.ReplayClusters(context.Background(), func(some []float64, _ []int, own []uint64) error {
			if len(own)*2 != len(some) {
				t.Fatalf("%d labels for %d values of two columns", len(own), len(some))
			}
			labels, rows = append(labels, own...), rows+len(some)/2
			return nil
		}); err != nil || rows != 150 {
			t.Fatalf("%d rows, %v", rows, err)
		}
		for i, a := range labels {
			for j, b := range labels[:i] {
				if (a == b) != (people[i] == people[j]) {
					t.Fatalf("rows %d and %d have the labels %d and %d of people %d and %d", i, j, a, b, people[i], people[j])
				}
			}
		}
	}
}
