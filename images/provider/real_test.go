package provider_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/images/provider"
	"github.com/polydag/polydag/internal/must"
)

// open opens a published file from the folder POLYDAG_DATA, or ../shared/data next to the repository.
func open(t *testing.T, name string) *os.File {
	t.Helper()
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("the data are not part of the repository, and %s is not there: set POLYDAG_DATA to a folder that has it", name)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func column(t *testing.T, table *dataset.NamedRows, name string) []float64 {
	t.Helper()
	c := must.Get(table.Column(name))
	return c
}

func mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

func shape(t *testing.T, table *dataset.NamedRows, rows, columns int) {
	t.Helper()
	if table.Rows.Rows != rows || table.Rows.Cols != columns || len(table.Names) != columns {
		t.Fatalf("%d×%d with %d names, want %d×%d", table.Rows.Rows, table.Rows.Cols, len(table.Names), rows, columns)
	}
}

func TestRealCelebA(t *testing.T) {
	opt := provider.DefaultSettings()
	opt.Attributes = provider.PaperAttributes()
	table, notes, err := provider.CelebA(open(t, "celeba/list_attr_celeba.txt.gz"), opt)
	must.Succeed(t, err)
	shape(t, table, 202_599, 8)
	if len(notes) > 0 {
		t.Errorf("notes %q on the official file", notes)
	}
	if got := mean(column(t, table, "Male")); got < 2*0.4167-1 || got > 2*0.4169-1 {
		t.Errorf("mean of Male = %v", got)
	}
}

func TestRealCelebASplit(t *testing.T) {
	opt := provider.DefaultSettings()
	opt.Split, opt.Partition = "valid", open(t, "celeba/list_eval_partition.txt.gz")
	table, notes, err := provider.CelebA(open(t, "celeba/list_attr_celeba.txt.gz"), opt)
	must.Succeed(t, err)
	shape(t, table, 19_867, 40)
	if len(notes) != 1 || notes[0] != "split valid: 19,867 of 202,599 rows" {
		t.Errorf("notes %q", notes)
	}
}

func TestRealCelebAHQ(t *testing.T) {
	opt := provider.DefaultSettings()
	table, notes, err := provider.CelebAHQ(open(t, "celeba_hq/CelebAMask-HQ-attribute-anno.txt.gz"), opt)
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	shape(t, table, 30_000, 40)
	if m, err := table.Moments(2); err != nil || m.Validate() != nil {
		t.Fatal(err, m.Validate())
	}
	_, _, err = provider.CelebA(open(t, "celeba_hq/CelebAMask-HQ-attribute-anno.txt.gz"), opt)
	if err == nil || !strings.Contains(err.Error(), "CelebA-HQ's list") {
		t.Errorf("the HQ list read as CelebA: %v", err)
	}
	_, _, err = provider.CelebAHQ(open(t, "celeba_hq/CelebAMask-HQ-pose-anno.txt.gz"), opt)
	if err == nil {
		t.Error("the pose list was read as attributes")
	}
}

func TestRealFFHQ(t *testing.T) {
	opt := provider.DefaultSettings()
	table, notes, err := provider.FFHQ(open(t, "attributes/ffhq_features.csv.gz"), opt)
	must.Succeed(t, err)
	shape(t, table, 62_606, 33)
	for _, gone := range []string{"smile", "neutral", "hair_invisible", "headwear"} {
		if slices.Contains(table.Names, gone) {
			t.Errorf("%s is still there", gone)
		}
		if !strings.Contains(strings.Join(notes, "\n"), "dropped "+gone+":") {
			t.Errorf("no note says why %s went: %q", gone, notes)
		}
	}
	opt.Missing = "columns"
	if table, _, err = provider.FFHQ(open(t, "attributes/ffhq_features.csv.gz"), opt); err != nil {
		t.Fatal(err)
	}
	shape(t, table, 69_401, 28)
	if m, err := table.Moments(2); err != nil || m.Validate() != nil {
		t.Fatal(err, m.Validate())
	}
}

func TestRealSachs(t *testing.T) {
	opt := provider.DefaultSettings()
	alone, _, err := provider.Sachs(open(t, "sachs/sachs_observational.csv"), opt)
	must.Succeed(t, err)
	shape(t, alone, 853, 11)
	among, _, err := provider.Sachs(open(t, "sachs/sachs_all_conditions.csv.gz"), opt)
	must.Succeed(t, err)
	if !slices.Equal(alone.Names, among.Names) || !slices.Equal(alone.Rows.Data, among.Rows.Data) {
		t.Error("condition 1 of all conditions differs from the observational file")
	}
	for choice, rows := range map[string]int{"9": 707, "pma": 913, "main": 7_466, "all": 11_672} {
		opt.Condition = choice
		table, _, err := provider.Sachs(open(t, "sachs/sachs_all_conditions.csv.gz"), opt)
		must.Succeed(t, err)
		shape(t, table, rows, 11)
	}
	opt.Condition = "2"
	if _, _, err := provider.Sachs(open(t, "sachs/sachs_observational.csv"), opt); err == nil || !strings.Contains(err.Error(), "853 rows is condition 1") {
		t.Errorf("condition 2 of the observational file: %v", err)
	}
}

// TestRealSachsEdges checks that the edge lists in the code equal those of the files, in any order.
func TestRealSachsEdges(t *testing.T) {
	for name, file := range map[string]string{"17": "17", "20-cmu": "20_cmu", "20-eliater": "20_eliater"} {
		text, err := os.ReadFile(open(t, "sachs/sachs_edges_"+file+".csv").Name())
		must.Succeed(t, err)
		want := strings.Fields(string(text))[1:]
		edges := must.Get(provider.SachsEdges(name))
		var got []string
		for _, e := range edges {
			got = append(got, e.From+","+e.To)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
